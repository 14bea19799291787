"""A sample of the report on declarations: compilers accept them, and agree with the contracts."""

from pathlib import Path

import pytest

from bench.declarations.constraints import unstated
from bench.declarations.measurement import measure
from bench.declarations.page import page
from bench.declarations.real_tools import LANGUAGES, read_tools
from tests.typescript.tools import node


@pytest.mark.thorough
def test_compilers_agree_with_contracts_on_a_sample(shared_dir: Path) -> None:
    del shared_dir
    node()
    row = measure("mcp-servers", each=4, every=12)
    assert row.agreements[0].calls == row.agreements[1].calls > 100
    assert [one.disagreements for one in row.agreements] == [(), ()]
    assert "| mcp-servers |" in page([row])


@pytest.mark.parametrize("corpus", ["mcp-servers", "openapi"])
def test_each_constraint_is_in_the_declaration_or_in_the_ledger(corpus: str, shared_dir: Path) -> None:
    del shared_dir
    for tool in read_tools(corpus, every=4):
        for language in LANGUAGES:
            assert unstated(tool, language)[1] == []
