"""Grammars in the syntaxes of the engines; llguidance reads its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.jsonschema.charset import complement, union
from toolcast.text_formats.engines import ENGINES, write
from toolcast.text_formats.expressions import (
    Characters,
    Expression,
    Repeat,
    Rules,
    Sequence,
    Text,
    choice,
    optional,
    sequence,
)
from toolcast.text_formats.restricted_text import Ending, closed, without
from toolcast.text_formats.scalars import ANY_TEXT
from toolcast.text_formats.values import UnwritableError

from tests.sampled import fewer
from tests.text_formats.contracts import Written, texts

ODD = "\x00\x01\t\n\r\"\\/'[]^-#<>|{}()*+?.\x7f\x85é€\u2028\ufeff\ue000\uffff😀\U0010ffff"
characters = st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"]))


@fewer(2)
@given(st.text(characters, min_size=1), st.lists(st.tuples(characters, characters), min_size=1))
def test_any_character_is_written(text: str, spans: list[tuple[str, str]]) -> None:
    ranges = union((min(map(ord, span)), max(map(ord, span))) for span in spans)
    whole = complement(union([*complement(ranges), (0xD800, 0xDFFF)]))
    rules = Rules()
    grammar = rules.grammar(sequence(Text(text), Characters(whole)))
    found = texts(write(grammar, "llguidance"))
    for low, high in whole:
        assert found.refuses(text + chr(low)) is None
        assert found.refuses(text + chr(high)) is None
    for low, _ in complement(union([*whole, (0xD800, 0xDFFF)])):
        assert found.refuses(text + chr(low)) is not None
    for engine in ENGINES:
        assert write(grammar, engine).isascii()


def test_free_text_goes_on_with_calls() -> None:
    rules = Rules()
    name = rules.token("name", Sequence((Text('"'), Repeat(Characters(((97, 122),))), Text('"'))))
    text = rules.reserve("start")
    gap = Repeat(Characters(((10, 10), (32, 32))), 0, 2)
    call = sequence(Text("\n"), name, gap, Text("\n</call>"), text)
    rules.define(text, without(rules, "text", ANY_TEXT, [Ending(Text("<call>"), call)]))
    found = texts(write(rules.grammar(text), "llguidance"))
    for good in (
        "",
        "a<b",
        "<<call",
        "x <call",
        '<<call>\n"a" \n\n</call>',
        '<call>\n"a"\n</call><call>\n""\n</call>.',
    ):
        assert found.refuses(good) is None, good
    for bad in ("<call>", "<call>x", '<call>\n"a"</call>', '<call>\n"a"   \n</call>'):
        assert found.refuses(bad) is not None, bad
    assert found.refuses("<b> " * 5_000) is None


@fewer(2)
@given(st.lists(st.sampled_from(["<", "/", "v", ">", "\n", "x", "\n</v>", "\n</v"])))
def test_values_end_at_the_first_mark(parts: list[str]) -> None:
    rules = Rules()
    thought, value = (
        closed(rules, "text", ANY_TEXT, mark, [Ending(Text(mark))]) for mark in ("</t>", "\n</v>")
    )
    gap = Repeat(Characters(((10, 10), (32, 32))), 0, 4)
    thoughts = Repeat(sequence(gap, Text("<t>"), thought))
    end = rules.token("end", Text("!"))
    many = Repeat(sequence(gap, rules.add("value", sequence(Text("<v>\n"), value))), 1, None)
    found = texts(write(rules.grammar(sequence(thoughts, many, optional(end))), "llguidance"))
    text = "".join(parts)
    once = (text + "\n</v>").find("\n</v>") == len(text)
    assert (found.refuses(f"<v>\n{text}\n</v>!") is None) is once
    thoughts_before = "<t></t</t> \n<t></v></t>"
    assert (found.refuses(f"{thoughts_before}<v>\n{text}\n</v>\n<v>\n\n</v>") is None) is once


def test_a_repetition_that_an_engine_does_not_take_is_a_loss_of_its_keyword() -> None:
    long = {"type": "string", "maxLength": 3_000}
    many = {"type": "array", "items": long, "minItems": 2, "maxItems": 150_000}
    made = {engine: Written.of(long, many, engine=engine) for engine in ENGINES}
    found = {(engine, loss.path[-1], loss.keyword) for engine, each in made.items() for loss in each.losses}
    assert found == {
        ("gbnf", "a", "maxLength"),
        ("gbnf", "s", "maxLength"),
        ("gbnf", "b", "maxItems"),
        ("xgrammar", "b", "maxItems"),
        ("llguidance", "b", "maxItems"),
    }
    assert "{0,3000}" not in write(made["gbnf"].grammar, "gbnf")
    assert "{0,3000}" in write(made["xgrammar"].grammar, "xgrammar")


def test_a_repeated_group_of_gbnf_is_a_rule() -> None:
    grammar = Written.of({"type": "array", "items": {"type": "null"}, "maxItems": 500}).grammar
    assert "){0,499}" not in write(grammar, "gbnf")


def test_chains_that_would_end_the_process_of_an_engine_are_refused() -> None:
    rules = Rules()
    made: Expression = Text("")
    for _ in range(1_300):
        made = rules.add("link", sequence(Text("a"), optional(made)))
    for engine in ENGINES:
        with pytest.raises(UnwritableError, match="lead to one another"):
            write(rules.grammar(made), engine)


def test_groups_in_groups_become_rules() -> None:
    made: Expression = Text("x")
    for _ in range(90):
        made = choice([sequence(Text("a"), made, Text("b")), Text("c")])
    for rule in (Rules().grammar(made), (rules := Rules()).grammar(rules.token("t", made))):
        found = texts(write(rule, "llguidance"))
        assert found.refuses("a" * 90 + "x" + "b" * 90) is None
        assert found.refuses("aacbb") is None
        assert found.refuses("aacb") is not None


def test_the_same_grammar_has_the_same_bytes() -> None:
    schemas = [{"enum": ["a", 1]}, {"type": "object", "properties": {"z": {}, "y": {"pattern": "a"}}}, {}]
    for engine in ENGINES:
        assert write(Written.of(*schemas).grammar, engine) == write(Written.of(*schemas).grammar, engine)
