"""The SDK is imported when it is used, and by nothing else."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = (
    "print(*sorted({name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names) "
    "- {'__main__', 'toolcast', 'msgspec', 'typing_extensions'}))"
)


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _paths() + code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def _paths() -> str:
    import msgspec

    packages = Path(msgspec.__file__).parents[1]
    return f"import sys; sys.path += {[str(ROOT / 'codegen'), str(packages)]!r}; "


def test_the_room_and_the_runtime_need_msgspec_alone() -> None:
    """Also pins and live bindings: a program may compare pins without the SDK."""
    code = "import toolcast.runtime, toolcast.mcp as m; [getattr(m, name) for name in m.__all__]; "
    assert python(code + FOREIGN) == ""


def test_what_is_missing_is_reported_when_it_is_used() -> None:
    code = (
        "\nclass Gone:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name.startswith('mcp'): raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Gone())\n"
        "from toolcast.mcp import McpMissingError, mcp_server\n"
        "from toolcast.runtime import ToolRegistry\n"
        "try: mcp_server(ToolRegistry())\n"
        "except McpMissingError as problem: print(problem)"
    )
    assert python(code) == (
        "The MCP SDK is not installed; run: pip install 'toolcast[mcp]' (mcp 2.3 or newer)"
    )


def test_an_sdk_that_is_too_old_is_reported() -> None:
    code = (
        "import types; sys.modules['mcp'] = types.ModuleType('mcp'); sys.modules['mcp'].__path__ = []\n"
        "from toolcast.mcp.sdk import McpMissingError, load\n"
        "try: load('mcp.server.subscriptions')\n"
        "except McpMissingError as problem: print(problem)"
    )
    assert python(code).startswith("The MCP SDK is too old; run: pip install")


def test_unknown_names_are_attribute_errors() -> None:
    import pytest
    import toolcast.mcp

    with pytest.raises(AttributeError, match="no attribute 'gone'"):
        toolcast.mcp.gone  # noqa: B018
