"""The picture of the home page is true: the spec compiles to the files that stand beside it."""

import re

import toolcast

from .links import DOCS

HOME = (DOCS / "index.md").read_text("utf-8")


def test_the_spec_compiles_to_the_outputs() -> None:
    found = re.search(r'```yaml title="specs/([\w/.]+)"\n(.*?)```', HOME, re.DOTALL)
    assert found is not None
    compiled = toolcast.compile({found[1]: found[2].encode()}, targets=("typescript",))
    assert [each for each in compiled.diagnostics if each.severity == "error"] == []
    outputs = re.findall(r"`generated/([\w/.]+)`", HOME)
    assert len(outputs) == 6
    assert [each for each in outputs if each not in compiled.files] == []
