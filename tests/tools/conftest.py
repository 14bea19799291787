"""The toolset is tested with the generated modules of this checkout."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MANIFESTS = [ROOT / "generated/manifest.txt", ROOT / "codegen/toolcast_tools/generated/manifest.txt"]

if len({path.read_bytes() if path.is_file() else None for path in MANIFESTS}) > 1:
    raise pytest.UsageError("toolcast_tools.generated is not a copy of generated/; run: make generate")
