"""The package's public names, and what they import."""

import pkgutil
import subprocess
import sys
from importlib import import_module
from types import ModuleType

from toolcast.agents import text_calls

SCRIPT = """
from toolcast.agents.text_calls import parse
from toolcast.text_formats.text_format import _read
parse('<tool_call>{"name": "now"}</tool_call>', "hermes")
print(_read.cache_info().currsize)
"""


def test_no_module_hides_a_public_name() -> None:
    for module in pkgutil.iter_modules(text_calls.__path__):
        import_module(f"{text_calls.__name__}.{module.name}")
    for name in text_calls.__all__:
        assert not isinstance(getattr(text_calls, name), ModuleType), name


def test_a_program_that_parses_reads_the_format_that_it_names_alone() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1"]
