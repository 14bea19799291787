"""Grammars of text formats, asked of the engines that take them: llguidance always, others if installed."""

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from toolcast.agents.text_calls import known_formats
from toolcast.analysis.instances.oracle import SchemaTree
from toolcast.runtime import Violation
from toolcast.text_formats.values import GrammarLoss

from generated.registry import BINDINGS
from tests.grammars.call_proof import ENGINES, Options, prove
from tests.grammars.engine import Engine
from tests.grammars.ledger import Ledger
from tests.grammars.proof_tools import Package

TOOLS = ("bash", "cron_add", "multi_edit", "http_request")
SAMPLE = ("hermes", "qwen3-coder", "pythonic")
EBNF = r"""
root ::= call+
call ::= "<f>" ("<n>" [0-9]{1,3} "</n>" | "<t>" text "</t>") "\n"
text ::= [^<]*
"""
LARK = r"""
start: call+
call: "<f>" (number | text) "\n"
number: "<n>" /[0-9]{1,3}/ "</n>"
text: "<t>" /[^<]*/ "</t>"
"""
LISTS = ('root ::= "a"{200} list\nlist ::= "[" list* "]"', 'start: /a{200}/ list\nlist: "[" list* "]"')


@pytest.fixture(params=ENGINES)
def judge(request: pytest.FixtureRequest, engines: dict[str, Any]) -> Any:
    if request.param not in engines:
        pytest.skip(f"needs {request.param} (make engines)")
    return engines[request.param]


def test_each_engine_lets_a_model_write_what_its_grammar_says_and_nothing_else(judge: Any) -> None:
    grammar = judge.compile_text(LARK if isinstance(judge, Engine) else EBNF)
    for text in ("<f><n>12</n>\n", "<f><t></t>\n", "<f><t>\u00e8😀\n</t>\n<f><n>1</n>\n"):
        assert grammar.refuses(text) is None
    for text in ("", "<f><n>1234</n>\n", "<f><t></f>\n", "<f><n>1</n>", "<f><n>1</n>\n<f>"):
        assert grammar.refuses(text) is not None
    for seed in range(5):
        text = grammar.walk(random.Random(seed), (b"</t>",))
        assert text is None or grammar.refuses(text.decode()) is None


def test_a_long_walk_opens_no_lists_for_a_mark_that_begins_as_one(judge: Any) -> None:
    """llama.cpp takes milliseconds for a byte where thousands of lists are open."""
    walked = judge.compile_text(LISTS[isinstance(judge, Engine)]).walk(random.Random(0), (b'"', b"[/CALL]"))
    assert walked == b"a" * 200 + b"[]"


def test_a_loss_tells_of_its_own_place_alone() -> None:
    """Else one loss of a tool would hide every disagreement about the tool."""
    first, second = ({"anyOf": [{"type": "string", "pattern": "a"}, {"type": "null"}]} for _ in "12")
    items = {"type": "array", "items": {"$ref": "#/$defs/text"}}
    parameters = {"type": "object", "properties": {"one": items, "two": second}}
    ledger = Ledger(SchemaTree({"$defs": {"text": first}, "parameters": parameters}, "/parameters"))
    two = "/parameters/properties/two/anyOf"
    looser = GrammarLoss("f", f"{two}/0", "pattern", "is not said")
    shared = GrammarLoss("f", "/$defs/text/anyOf/0", "pattern", "is not said")
    pattern, type = (Violation("$.two", "", keyword) for keyword in ("pattern", "type"))
    union = Violation("$.two", "", "anyOf", forms=((type,), (pattern,)))
    assert ledger.untold([looser], [pattern, union]) == []
    assert ledger.untold([looser], [type, Violation("$.one[0]", "", "pattern")], textual=False) != []
    assert ledger.untold([shared], [Violation("$.one[0]", "", "pattern")]) == []
    assert ledger.untold([shared], [pattern, union]) == [pattern, union]
    stricter = GrammarLoss("f", f"{two}/1", "type", "is without null, which has no form as text", True)
    assert ledger.keeps_out([stricter], {"two": None})
    assert not ledger.keeps_out([stricter], {"one": [None], "two": "a"})


@cache
def package() -> Package:
    return Package({name: BINDINGS[name] for name in TOOLS}, {})


def pairs() -> Iterator[Any]:
    """All formats for llguidance, and some for the others."""
    for engine in ENGINES:
        for format in known_formats():
            rest = engine != "llguidance" and format not in SAMPLE
            marks = [pytest.mark.thorough] if rest else []
            yield pytest.param(engine, format, marks=marks)


@pytest.mark.parametrize(("syntax", "format"), [*pairs()])
def test_texts_of_valid_arguments_are_let_through_and_what_is_let_through_decodes(
    syntax: str, format: str, engines: dict[str, Any]
) -> None:
    """A sample of `make grammars`."""
    if syntax not in engines:
        pytest.skip(f"needs {syntax} (make engines)")
    count = prove(package(), known_formats()[format], syntax, engines[syntax], Options(every=2, walks=1))
    assert count.disagreements == []
    assert count.tools > 0
    assert count.decoded + count.lost + count.endless == count.walks
