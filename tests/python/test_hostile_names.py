"""Tools may be called like anything that generated code uses; one that cannot be compiled stops no other."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sampled import sampled

NAMES = """
registry self cls binding BINDINGS handler Handlers register register_all _register
KEYWORDS _KEYWORDS name names given known keyword context params args kwargs tool tools field _ __
_a a- x_ call TYPE_CHECKING Final Any Any_ Mapping ToolRegistry ToolBinding ToolContext ToolResult
LazyBindings TypedDict Unpack UNSET UNSET_ Struct Meta UnsetType Protocol Returns Annotated Literal
TypeAlias checked decode_hook one_of class class_ def None True False match type list dict str print
object import async await lambda yield __init__ __main__ __debug__ __name__ __package__ __file__
__class__ __getattr__ _types types typing msgspec toolcast runtime package init sys os datetime
decimal uuid collections generated conftest test schemas contracts models wire_forms manifest ledger con
nul aux
""".split()  # noqa: SIM905 - a list of words reads better
NEVER = {"__init__", "__main__", "con", "nul", "aux"}
AT_THE_TOP = {"_types", "registry", "schemas", "contracts", "models", "wire_forms"}
SECOND = {"_register", "_KEYWORDS", "_", "__", "_types", "class"}
"""Names that become another tool's in Python."""
ALL_OF = """
import ast, asyncio, json, sys
from pathlib import Path
import generated.registry as generated
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult

known = json.loads(sys.argv[1])
assert sorted(generated.BINDINGS) == sorted(known), set(known) ^ set(generated.BINDINGS)
tree = ast.parse(Path(generated.__file__).read_text("utf-8"))
[handlers] = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == "Handlers"]
keywords = [node.target.id for node in handlers.body if isinstance(node, ast.AnnAssign)]
assert len(keywords) == len(known)

def handler(keyword):
    async def run(params, context: ToolContext) -> ToolResult:
        return ToolResult.ok(f"{keyword}: {params.a}")
    return run

async def main():
    registry = ToolRegistry()
    generated.register_all(registry, **{keyword: handler(keyword) for keyword in keywords})
    outputs = set()
    for name in known:
        result = await registry.execute(name, {"a": "bb", "b": None, "o": {"x": 1}})
        assert result.success, (name, result)
        outputs.add(result.output)
        assert not (await registry.execute(name, {"a": "bb", "b": "c"})).success
    assert outputs == {f"{keyword}: bb" for keyword in keywords}
    assert registry.definitions("openai")

asyncio.run(main())
"""
STUBS = """
import asyncio, importlib, pathlib, sys
from toolcast.runtime import ToolContext, ToolRegistry

async def main():
    registry = ToolRegistry()
    count = 0
    for path in pathlib.Path("handlers").rglob("*.py"):
        module = importlib.import_module(".".join(path.with_suffix("").parts))
        if path.name != "__init__.py":
            own = [each for each in vars(module).values() if each.__class__.__name__ == "function"]
            (function,) = own
            assert (await function(None, None)).error == "not implemented yet"
            count += 1
    assert count == int(sys.argv[1]) > 25

asyncio.run(main())
"""
PARAMETERS = {
    "type": "object",
    "properties": {
        "a": {"type": ["string", "null"], "maxLength": 3},
        "b": {"type": ["string", "null"], "pattern": "^b+$"},
        "o": {"type": "object", "properties": {"x": {"type": "integer"}}, "minProperties": 1},
    },
}


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.parametrize("group", sampled(["", "g", "typing/self"], [""]))
def test_tools_with_hostile_names_are_built_imported_and_run(group: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.toolcast]\nproviders = ["openai"]\n', encoding="utf-8")
    folder = tmp_path / "specs" / group
    folder.mkdir(parents=True)
    for number, name in enumerate(NAMES):
        spec = {"name": name, "summary": "X.", "permission": "read", "secrets": [], "parameters": PARAMETERS}
        (folder / f"t{number}.yaml").write_text(json.dumps(spec), encoding="utf-8")
    refused = NEVER | SECOND | (set() if group else AT_THE_TOP)
    generated = run(tmp_path, "-m", "toolcast", "generate", "--format", "json")
    assert generated.returncode == 1, generated.stderr
    assert "internal-error" not in generated.stdout
    left = json.dumps([name for name in NAMES if name not in refused])
    ran = run(tmp_path, "-c", ALL_OF, left)
    assert ran.returncode == 0, ran.stderr
    for number, path in enumerate(sorted(folder.iterdir())):
        if number % 3:
            path.unlink()
    run(tmp_path, "-m", "toolcast", "generate")
    stubs = run(tmp_path, "-m", "toolcast", "stubs")
    written = re.search(r"(\d+) handlers written", stubs.stdout)
    assert written is not None, stubs.stderr
    ran = run(tmp_path, "-c", STUBS, written[1])
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("every", sampled([4, 1], [4]))
def test_an_imported_list_of_hostile_names_builds_whole(tmp_path: Path, every: int) -> None:
    """The import keeps apart what Python would not."""
    (tmp_path / "pyproject.toml").write_text('[tool.toolcast]\nproviders = ["openai"]\n', encoding="utf-8")
    possible = [name for name in NAMES if name not in NEVER]
    names = [*possible[::every], "handlers", "none_", "NONE", "get.x", "查询"]
    tools = [{"name": name, "description": "X.", "inputSchema": PARAMETERS} for name in names]
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    decided = ("--permission", "read", "--secrets", "none", "--group", "g")
    imported = run(tmp_path, "-m", "toolcast", "import", "tools", "tools.json", "--into", "specs", *decided)
    assert imported.returncode == 0, imported.stderr
    generated = run(tmp_path, "-m", "toolcast", "generate")
    assert generated.returncode == 0, generated.stderr
    specs = [path.stem for path in (tmp_path / "specs" / "g").iterdir()]
    assert len(specs) == len(names)
    ran = run(tmp_path, "-c", ALL_OF, json.dumps(specs))
    assert ran.returncode == 0, ran.stderr
