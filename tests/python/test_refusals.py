"""What one output cannot say refuses the tool with the reason, not as a fault of the compiler."""

from pathlib import Path

from toolcast.project.core.compiled import Compiled, Options
from toolcast.project.core.compiler import compile_tool
from toolcast.spec.load import load_tool

HEAD = "description: D.\npermission: read\nsecrets: []\nparameters:\n  type: object\n  properties:\n"


def _compiled(folder: Path, properties: str, options: Options) -> Compiled:
    (folder / "tool.yaml").write_text(HEAD + properties, encoding="utf-8")
    tool, problems = load_tool(folder, "tool.yaml", shown_root="specs", known_providers=frozenset())
    assert tool is not None, problems
    return compile_tool(tool, {}, options)


def test_a_pattern_that_a_model_family_cannot_run(tmp_path: Path) -> None:
    properties = '    a: {type: string, pattern: "^(?<n>a)\\\\k<n>$"}\n'
    assert _compiled(tmp_path, properties, Options(providers=("mcp",))).diagnostics == ()
    refused = _compiled(tmp_path, properties, Options(providers=("mcp",), models=("pydantic",)))
    (problem,) = refused.diagnostics
    assert (problem.code, problem.line) == ("model-family", 5)
    assert "pydantic" in problem.message
    assert "`models`" in problem.hint
    assert not refused.files
