from pathlib import Path

from .tools import tsc


def test_the_compiler_judges_a_call_by_a_declaration(tmp_path: Path) -> None:
    source = tmp_path / "call.ts"
    source.write_text("declare function edit(args: { a: number }): void;\nedit({ a: 1 });\nedit({ b: 1 });\n")
    assert [line.split(":")[0].rsplit("/")[-1] for line in tsc(source)] == ["call.ts(3,8)"]
