"""Grammars of calls, held to llguidance.

It takes what the families' own writers write; what it lets a model write is read as calls that fit contracts.
"""

import itertools
import json
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import llguidance
import pytest
from msgspec import structs
from toolcast.agents.text_calls import Call, TextFormat, known_formats, parse
from toolcast.agents.text_calls.dispatcher import TextDispatcher
from toolcast.config import load_config
from toolcast.jsonschema.validator import Validator
from toolcast.project.generate import build
from toolcast.project.worker import FRONTEND
from toolcast.runtime import ToolRegistry
from toolcast.runtime.bounded_json import read_json
from toolcast.runtime.wire.guesses import guess
from toolcast.text_formats.call_grammar import CallGrammar, CallsAllowed, call_grammar
from toolcast.text_formats.engines import write
from toolcast.text_formats.expressions import NOTHING, Characters, Repeat, Rules, Text, sequence
from toolcast.text_formats.restricted_text import Ending, closed, without

from generated.registry import BINDINGS
from tests.agents.text_calls.formats.chat_templates import TEMPLATES
from tests.agents.text_calls.formats.writers import FAMILIES, raw_or_python
from tests.project.fake import config_of, put, tree
from tests.sampled import sampled

STRING, WHOLE = {"type": "string"}, {"type": "integer"}
TOOLS: dict[str, Any] = {
    "ping": {"type": "object", "properties": {}, "additionalProperties": False},
    "read": {
        "type": "object",
        "properties": {
            "path": STRING,
            "lines": {"type": "integer", "minimum": 0},
            "mode": {"enum": ["a", "b c", "</parameter>"]},
            "raw": {"type": "boolean"},
            "tags": {"type": "array", "items": STRING},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
    "find-it": {
        "$defs": {
            "Tree": {
                "type": "object",
                "properties": {"v": WHOLE, "in": {"$ref": "#/$defs/Tree"}},
                "additionalProperties": False,
            }
        },
        "type": "object",
        "properties": {
            "code": {"type": "string", "pattern": "^[a-z]{2,5}$"},
            "title": {"type": "string", "minLength": 1, "maxLength": 5},
            "n": {"type": ["integer", "null"]},
            "u": {"anyOf": [WHOLE, {"type": "array", "items": WHOLE}]},
            "tree": {"$ref": "#/$defs/Tree"},
        },
        "required": ["title"],
        "additionalProperties": False,
    },
}
TRICKS = '</x </para <<arg <| ]<]mini ]]> <esc ``` \n<para "old" \\ Zürich'
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read", {"path": TRICKS}),
    ("read", {"path": "a\nb", "lines": 3, "mode": "b c", "raw": True}),
    ("ping", {}),
    ("find-it", {"code": "abc", "title": "<t", "n": -3, "u": 7}),
]
LISTS = [("read", {"path": "", "tags": ["x", "</y"]}), ("find-it", {"title": "t", "tree": {"in": {"v": 1}}})]
VALIDATORS = {name: Validator(schema) for name, schema in TOOLS.items()}
ENOUGH = 3
"""Calls of a format that are judged."""
TOKENIZER = llguidance.LLTokenizer("byte")


@cache
def grammar(format: str, *, required: bool, parallel: bool = True) -> CallGrammar:
    return call_grammar(format, "llguidance", TOOLS, CallsAllowed(required=required, parallel=parallel))


def matcher(text: str) -> Any:
    made = llguidance.LLMatcher(TOKENIZER, llguidance.LLMatcher.grammar_from_lark(text), log_level=0)
    assert not made.is_error(), made.get_error()
    return made


def takes(made: Any, text: str) -> bool:
    state, data = made.deep_copy(), list(text.encode())
    return state.try_consume_tokens(data) == len(data) and state.is_accepting()


# Hunyuan 4 writes no mark behind a tool's name, where the grammar of its format does.
@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "hy_v4"])
def test_what_each_family_writes_is_taken(name: str) -> None:
    family = FAMILIES[name]
    free, only = (matcher(grammar(name, required=required).text) for required in (False, True))
    single = CALLS if family.value == raw_or_python else [*CALLS, *LISTS]  # lists of Python are no JSON
    for calls in [*([each] for each in single), *([] if family.one else [single])]:
        text = family.write(calls)
        thought = family.thought.format("hm <tool")
        for before in ("", thought):
            assert takes(only, before + text), text
            assert takes(free, f"{before}I look.\n{text}") or "whole" in {
                form.place for form in known_formats().get(name, known_formats()["glm4"]).calls[:1]
            }, text
        assert takes(free, f"{thought}Just words.")
        assert not takes(only, f"{thought}Just words.")


def _literals(format: TextFormat) -> list[bytes]:
    """What ends values, and begins and ends calls: a walk would not write it by chance."""
    forms = format.calls[:2]
    templates = [each for form in forms for each in (*form.open, *form.close, f"{form.prefix}</", form.quote)]
    templates += [each for form in forms for one in form.parameters for each in (*one.open, *one.close)]
    templates += [each for one in (*format.sections, *format.thoughts) for each in (one.open, one.close)]
    templates += [*(one.close for one in format.thoughts), "</think>", "</thinking>"] * 3
    return [part.encode() for each in templates if (part := each.partition("{")[0])]


def _walk(state: Any, rng: random.Random, literals: list[bytes]) -> str | None:
    out, plan = bytearray(), b""
    while len(out) < 700 and not state.is_stopped():
        if state.is_accepting() and rng.random() < 0.5:
            break
        mask = state.compute_bitmask()
        allowed = [byte for byte in range(256) if mask[byte >> 3] >> (byte & 7) & 1]
        if len(allowed) > 90 and not plan and rng.random() < 0.25:
            plan = rng.choice([*literals, b'"', b'"'])
        if plan and plan[0] in allowed:
            byte, plan = plan[0], plan[1:]
        else:
            plan = b""
            plain = [each for each in allowed if 0x20 < each < 0x7F and each not in b'"\\`>']
            if len(out) > 150 and len(allowed) <= 90:
                plain = [each for each in allowed if each in b'"]})<'] or plain
            byte = rng.choice(plain if plain and rng.random() < 0.93 else allowed)
        assert state.consume_token(byte)
        out.append(byte)
    return out.decode("utf-8", "replace") if state.is_accepting() else None


def _refused(call: Call) -> list[str]:
    """The keywords for which a call's arguments are refused."""
    judge = VALIDATORS[call.name]
    value = read_json(call.arguments, unique=True) if isinstance(call.arguments, str) else call.arguments
    found = judge.violations(judge.settle(value), limit=9)
    if found and call.textual:
        guesses = TextDispatcher(ToolRegistry()).guesses
        if guess(call.arguments, lambda each: each, judge, guesses) is not None:
            return []
    return [each.keyword for each in found]


KEPT = (
    "hermes",
    "qwen3-coder",
    "glm4",
    "gemma4",
    "lfm2",
    "minimax-m3",
    "kimi-k3",
    "harmony",
    "xlam",
    "mistral",
)


@pytest.mark.parametrize("name", sampled(known_formats(), KEPT))
def test_what_the_engine_lets_a_model_write_is_read_as_calls_that_the_contracts_take(name: str) -> None:
    format, rng = known_formats()[name], random.Random(11)
    made = grammar(name, required=True, parallel=False)
    state, literals = matcher(made.text), _literals(format)
    looser = {each.keyword for each in made.losses if not each.stricter}
    found = 0
    for _ in range(40):
        text = _walk(state.deep_copy(), rng, literals) if found < ENOUGH else None
        if text is None:
            continue
        parsed = parse(text, format)
        assert not parsed.problems, text
        assert parsed.calls, text
        for call in parsed.calls:
            assert set(_refused(call)) <= looser, text
            found += 1
    assert found


@pytest.mark.parametrize("format", ["hermes", "qwen3-coder", "minimax-m3", "gemma4", "lfm2"])
def test_what_is_not_said_of_a_list_is_told(format: str) -> None:
    items = {"type": "array", "items": STRING, "contains": {"const": "a"}, "uniqueItems": True}
    tools = {"find": {"type": "object", "properties": {"a": items}, "additionalProperties": False}}
    losses = call_grammar(format, "gbnf", tools, CallsAllowed()).losses
    told = {each.keyword for each in losses if each.path == "/parameters/properties/a" and not each.stricter}
    assert told == {"contains", "uniqueItems"}


def test_white_space_is_what_readers_take_for_it() -> None:
    made = matcher(call_grammar("functionary-v3.2", "llguidance", TOOLS, CallsAllowed()).text)
    for sign in map(chr, (*range(0x21), 0x85, 0xA0, 0x1680, 0x200B, 0x2028, 0x3000, 0xFEFF)):
        text = f"{sign}ping\n{{}}"
        assert not takes(made, f"{text} and words") or not parse(text, "functionary-v3.2").calls, text
        assert not sign.isspace() or takes(made, text), text


def test_one_call_alone_and_one_tool_alone() -> None:
    call = "<tool_call>\n<function=ping>\n</function>\n</tool_call>"
    alone = matcher(grammar("qwen3-coder", required=True, parallel=False).text)
    assert takes(alone, call)
    assert not takes(alone, f"{call}\n{call}")
    registry = ToolRegistry()
    for name in ("edit", "bash"):
        registry.register(BINDINGS[name], lambda _params, _context: "")
    named = registry.grammar("hermes", "llguidance", choice="bash")
    assert named == registry.select(names=["bash"]).grammar("hermes", "llguidance", choice="required")
    assert named == registry.grammar("hermes", "llguidance", tools=["bash"], choice="required")
    only, text = (
        matcher(named.text),
        '<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>',
    )
    assert takes(only, text)
    assert not takes(only, text.replace("bash", "edit"))
    assert not takes(only, "No.")
    with pytest.raises(ValueError, match=r"'edit' is no choice among these tools"):
        registry.grammar("hermes", "llguidance", tools="bash", choice="edit")
    assert registry.grammar("qwen", "xgrammar").text == registry.grammar("hermes", "xgrammar").text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("hermez", "xgrammar"), "Did you mean 'hermes'"),
        (("auto", "xgrammar"), "Name that of the model's family"),
        (("hermes", "xgrammer"), "Did you mean 'xgrammar'"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(arguments: tuple[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        call_grammar(*arguments, TOOLS, CallsAllowed())
    with pytest.raises(ValueError, match="no tools"):
        call_grammar("hermes", "gbnf", {}, CallsAllowed())
    with pytest.raises(ValueError, match="no tool 'pong'"):
        ToolRegistry().grammar("hermes", "gbnf", tools=["pong"])


def test_a_name_is_text_in_json_and_refused_where_a_marker_cannot_hold_it() -> None:
    name = 'a"},</tool_call>\n名.b/c'
    made = matcher(call_grammar("hermes", "llguidance", {name: TOOLS["ping"]}, CallsAllowed()).text)
    call = f"<tool_call>{json.dumps({'name': name, 'arguments': {}}, ensure_ascii=False)}</tool_call>"
    assert takes(made, call)
    assert [each.name for each in parse(call, "hermes").calls] == [name]
    with pytest.raises(ValueError, match="its name has no form there"):
        call_grammar("qwen3-coder", "llguidance", {name: TOOLS["ping"]}, CallsAllowed())
    dotted = {"srv.名/read": TOOLS["ping"]}
    made = matcher(call_grammar("glm4", "llguidance", dotted, CallsAllowed(required=True)).text)
    assert takes(made, "<tool_call>srv.名/read</tool_call>")


def test_what_a_form_cannot_hold_is_told_or_refused() -> None:
    losses = grammar("qwen3-coder", required=True).losses
    assert ("read", "enum") in {(each.tool, each.keyword) for each in losses if each.stricter}
    assert not [each for each in grammar("hermes", required=True).losses if each.tool == "read"]
    schema = {"type": "object", "properties": {"a<b": STRING}, "required": ["a<b"]}
    with pytest.raises(ValueError, match="'a<b' has no form"):
        call_grammar("qwen3-coder", "gbnf", {"f": schema}, CallsAllowed())
    optional = call_grammar("qwen3-coder", "gbnf", {"f": {**schema, "required": []}}, CallsAllowed())
    assert any("'a<b'" in each.reason and each.stricter for each in optional.losses)
    deep: dict[str, Any] = {"type": "object"}
    for words in ("more than 100 deep; flatten it.", "too deeply to be read; flatten it, or"):
        for _ in range(100):
            deep = {"type": "object", "properties": {"a": deep}}
        with pytest.raises(ValueError, match=re.escape(words)) as refused:
            call_grammar("hermes", "gbnf", {"f": deep}, CallsAllowed())
        assert str(refused.value).startswith("Tool 'f' cannot be called in the text format 'hermes': /param")
        assert len(str(refused.value)) < 400
    with pytest.raises(ValueError, match="leads to no definition"):
        call_grammar("hermes", "gbnf", {"f": {"type": "object", "$ref": "#/properties/x"}}, CallsAllowed())


@pytest.mark.parametrize("name", known_formats())
def test_the_reference_tools_have_a_grammar_in_every_format(name: str) -> None:
    registry = ToolRegistry()
    for tool in ("edit", "cron_add"):
        registry.register(BINDINGS[tool], lambda _params, _context: "")
    matcher(registry.grammar(name, "llguidance").text)


def test_a_structural_tag_holds_the_grammar() -> None:
    made = call_grammar("qwen3-coder", "xgrammar-tag", TOOLS, CallsAllowed())
    grammar = call_grammar("qwen3-coder", "xgrammar", TOOLS, CallsAllowed())
    assert json.loads(made.text)["format"] == {"type": "grammar", "grammar": grammar.text}
    whole = {"skip_special_tokens": False}
    assert made.members("vllm") == {"structured_outputs": {"structural_tag": made.text}, **whole}
    assert made.members("sglang") == {"response_format": json.loads(made.text), **whole}
    assert made.members("tensorrt-llm") == made.members("sglang")
    text = structs.replace(made, engine="llguidance")
    assert text.members("sglang") == {"ebnf": made.text, **whole}
    assert text.members("tensorrt-llm") == {"response_format": {"type": "ebnf", "ebnf": made.text}, **whole}
    assert structs.replace(made, engine="gbnf").members("llama.cpp") == {"grammar": made.text}
    with pytest.raises(ValueError, match="takes grammars for gbnf"):
        made.members("llama.cpp")


def test_a_header_before_calls_may_begin_as_a_thought_does() -> None:
    header = "<|start|>assistant to=ping<|message|>"
    call = '<atem:function_calls>\n<atem:invoke name="ping">\n</atem:invoke>\n</atem:function_calls>'
    free = matcher(grammar("muse", required=False).text)
    assert takes(free, f"{header}{call}<|eom|>{header}{call}")


def test_the_contract_decides_what_has_nothing_between_its_marks() -> None:
    texts = {"path": "", "tags": []}
    text = TEMPLATES["minimax-m3"].write([("read", texts)])
    assert "<tags>]<]minimax[>[</tags>" in text
    assert takes(matcher(grammar("minimax-m3", required=True).text), text)
    (call,) = parse(text, "minimax-m3").calls
    guesses = TextDispatcher(ToolRegistry()).guesses
    assert guess(call.arguments, lambda each: each, VALIDATORS["read"], guesses) == texts
    row = {"type": "object", "properties": {"a": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": row}}}
    made = matcher(call_grammar("minimax-m3", "llguidance", {"f": schema}, CallsAllowed()).text)
    nothing = TEMPLATES["minimax-m3"].write([("f", {"rows": [{}]})])
    item = "]<]minimax[>[<item>]<]minimax[>[</item>"
    assert item in nothing
    assert not takes(made, nothing)  # an item without text is read as text
    assert takes(made, nothing.replace(item, "]<]minimax[>[<item>{}]<]minimax[>[</item>"))


def test_an_enum_of_several_types_has_the_type_of_each_value() -> None:
    values: list[Any] = [1, "a", True, None, {"k": 1}, [2], 1.5]
    schema = {"type": "object", "properties": {"e": {"enum": values}}}
    made = matcher(call_grammar("kimi-k3", "llguidance", {"f": schema}, CallsAllowed()).text)
    for value in values:
        text = FAMILIES["kimi-k3"].write([("f", {"e": value})])
        assert takes(made, text), text
        other = "null" if isinstance(value, dict) else "object"
        assert not takes(made, re.sub('type="[a-z]+"', f'type="{other}"', text))


def test_thousands_of_strings_are_written_with_what_closes_them() -> None:
    values = [f"<{number}>\n" * (1 + number % 3) for number in range(3_000)]
    schema = {"type": "object", "properties": {"e": {"enum": [*values, "a</parameter>", "\n\r"]}}}
    made = call_grammar("qwen3-coder", "gbnf", {"f": schema}, CallsAllowed())
    assert [each.reason for each in made.losses if each.keyword == "enum"] == [
        "is without 'a</parameter>', which has no form there"
    ]
    assert all(f'"<{number}>' in made.text for number in range(3_000))


def test_no_marker_begins_in_a_string_of_a_list_and_goes_on_in_the_next() -> None:
    made = grammar("dots", required=True)
    call = (
        '<dots_function_call><invoke name="read"><parameter name="path">a</parameter>'
        '<parameter name="tags">["%s"]</parameter></invoke></dots_function_call>'
    )
    for tags, read in (('<parameter name=",">', False), ("<parameter name", True), ('a",">', True)):
        assert bool(parse(call % tags, "dots").calls) is read
        assert takes(matcher(made.text), call % tags) is read
    assert "parameters" in {each.keyword for each in made.losses if each.stricter and not each.tool}


def test_texts_without_a_substring_are_those_that_a_search_does_not_find_it_in() -> None:
    letters = Characters(((0x61, 0x63),))
    rules = Rules()
    text = Repeat(letters, 0, 6)
    found = without(rules, "t", text, [Ending(Text("aba")), Ending(Text("cc"), anchored=True)])
    shut = closed(rules, "c", text, "aba", [Ending(Text("aba")), Ending(Text("ac"))])
    one, two = (matcher(write(rules.grammar(each), "llguidance")) for each in (found, shut))
    for size in range(7):
        for each in map("".join, itertools.product("abc", repeat=size)):
            assert takes(one, each) == (re.search("aba|^cc", each) is None), each
            ends_there = f"{each}aba".index("aba") == len(each)
            assert takes(two, f"{each}aba") == (ends_there and "ac" not in each), each
    assert without(rules, "n", sequence(Text("x"), text), [Ending(Text("x"))]) == NOTHING


def test_free_text_may_nearly_be_a_call_any_number_of_times() -> None:
    """The engine refuses more than 2,000 open rules, as one that ends in itself would have here."""
    free = matcher(grammar("qwen3-coder", required=False).text)
    assert takes(free, "x<tool_cal <y " * 2_000)
    assert takes(free, "<t<think</think>" * 2_000)


def test_text_that_needs_too_many_rules_in_all_is_refused() -> None:
    texts = {f"p{n}": {"type": "string", "pattern": f"^[a-z<]{{{n}}}x$"} for n in range(300, 500)}
    schema = {"type": "object", "properties": texts}
    with pytest.raises(ValueError, match="Name fewer tools"):
        call_grammar("qwen3-coder", "xgrammar", {"f": schema}, CallsAllowed())


PING = """\
description: Pings.
permission: read
secrets: []
parameters: {type: object, properties: {n: {type: integer, multipleOf: 2}}}
"""


def test_generate_writes_the_grammars_that_the_configuration_names(tmp_path: Path) -> None:
    put(tmp_path / "specs/ping.yaml", PING)
    file = tmp_path / "pyproject.toml"
    put(file, '[tool.toolcast]\nproviders = []\ngrammars = ["hermes:gbnf", "qwen35:xgrammar-tag"]\n')
    assert not build(config_of(tmp_path), FRONTEND).failed
    made = tree(tmp_path / "generated")
    schemas = {"ping": {"type": "object", "properties": {"n": {"type": "integer", "multipleOf": 2}}}}
    wanted = call_grammar("hermes", "gbnf", schemas, CallsAllowed())
    mark, _, text = made["grammars/hermes.gbnf"].decode().partition("\n")
    assert mark.startswith("# Generated by toolcast")
    assert text == wanted.text
    assert json.loads(made["grammars/qwen35.xgrammar-tag.json"])["type"] == "structural_tag"
    ledger = json.loads(made["ledger/grammars/hermes.gbnf.json"])
    looser = [each["keyword"] for each in ledger if each["tool"] == "ping" and not each["stricter"]]
    assert looser[0] == "multipleOf"
    put(file, '[tool.toolcast]\nproviders = []\ngrammars = ["hermes:gbnf"]\n')
    assert not build(config_of(tmp_path), FRONTEND, mode="check").plan.empty
    assert not build(config_of(tmp_path), FRONTEND).failed
    assert [path for path in tree(tmp_path / "generated") if "grammars/" in path] == [
        "grammars/hermes.gbnf",
        "ledger/grammars/hermes.gbnf.json",
    ]
    put(file, '[tool.toolcast]\n\ngrammars = ["hermes:gnbf"]\n')
    (problem,) = load_config(tmp_path)[1]
    assert (problem.line, problem.column, problem.code) == (3, 1, "unknown-grammar")
    assert "Did you mean 'gbnf'" in problem.hint
