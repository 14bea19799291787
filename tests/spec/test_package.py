"""What importing a module of `spec` imports."""

import os
import subprocess
import sys
from pathlib import Path


def test_types_load_no_reader() -> None:
    program = (
        "import sys, toolcast.spec.tool_spec\n"
        "loaded = {name for name in sys.modules if name.startswith('toolcast.spec.')}\n"
        "assert loaded == {'toolcast.spec.parsed_document', 'toolcast.spec.tool_spec'}, loaded\n"
    )
    source = Path(__file__).parents[2] / "codegen"
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "PYTHONPATH": str(source)})
