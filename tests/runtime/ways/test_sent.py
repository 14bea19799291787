"""Text decoded in the form that is sent gives what the general way gives: the same value or error."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Meta, Struct, UnsetType
from toolcast.build.core.compile import Options
from toolcast.runtime import ArgumentError
from toolcast.runtime.exactly import decode_exactly
from toolcast.runtime.ways.sent import sent_form
from toolcast.runtime.ways.undo import Undo
from toolcast.runtime.ways.way import Way, Ways

from generated.registry import BINDINGS
from tests.compile.helper import package, spec
from tests.runtime.test_keys import Pairs, texts

ROOT = Path(__file__).resolve().parents[3]
CASES = [
    (tool, provider)
    for tool, binding in sorted(BINDINGS.items())
    for provider in ("gemini", "openai")
    if provider in binding.ways
]
SIMPLE = {"bash", "cron_add", "cron_list", "file_read", "get_document_info", "knowledge_search"} | {
    "memory_recall",
    "memory_store",
}


def _outcome(decode: Callable[[], Any]) -> Any:
    try:
        return decode()
    except ArgumentError as problem:
        return str(problem)


def _examples(tool: str) -> list[dict[str, Any]]:
    import yaml

    (path,) = ROOT.glob(f"specs/*/{tool}.yaml")
    calls: list[dict[str, Any]] = yaml.safe_load(path.read_text("utf-8"))["examples"]
    return calls


def _sent(value: Any, way: Way) -> Any:
    """A value of the contract as it is sent, an object as pairs."""
    if way.encoding == "pairs" and isinstance(value, dict):
        return [Pairs([("key", name), ("value", item)]) for name, item in value.items()]
    if way.encoding == "positions" and isinstance(value, list):
        return Pairs([(f"item_{index + 1}", item) for index, item in enumerate(value)])
    if way.encoding == "texts":
        return next((text for text, meant in way.texts.items() if meant == value), value)
    if isinstance(value, dict):
        return Pairs([(name, _sent(item, way.properties.get(name, Way()))) for name, item in value.items()])
    return [_sent(item, Way()) for item in value] if isinstance(value, list) else value


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats(0, 9) | st.text("a1:\\é", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(st.tuples(st.sampled_from(["key", "value", "item_1", "item_2", "a"]), inner)).map(Pairs)
    ),
    max_leaves=6,
)


@st.composite
def _calls(draw: st.DrawFn, tool: str, way: Way) -> str:
    """Text of an example in the form that is sent, more or less: properties are changed, come twice, are null
    or missing."""
    binding = BINDINGS[tool]
    pairs = list(_sent(draw(st.sampled_from(_examples(tool))), way))
    names = [*binding.params.__struct_encode_fields__, *way.properties, "other"]
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(pairs)))
        old = [item for _, item in pairs]
        entry = (draw(st.sampled_from(names)), draw(st.none() | st.sampled_from(old or [None]) | ANYTHING))
        pairs[at : at + draw(st.integers(0, 1))] = [entry]
    return draw(texts(Pairs(pairs)))


@settings(max_examples=150)
@given(st.sampled_from(CASES), st.booleans(), st.data())
def test_the_same_as_the_general_way(case: tuple[str, str], as_bytes: bool, data: st.DataObject) -> None:
    tool, provider = case
    binding = BINDINGS[tool]
    undo = binding._find_undo(provider)
    assert undo is not None
    text = data.draw(_calls(tool, undo.ways.root))
    arguments = text.encode() if as_bytes else text
    found = _outcome(lambda: binding.decode(arguments, provider))
    meant = _outcome(lambda: binding._decode_undone(arguments, undo, None))
    assert (found, repr(found)) == (meant, repr(meant))


@settings(max_examples=150)
@given(st.sampled_from(sorted(BINDINGS)), st.booleans(), st.data())
def test_null_for_what_is_absent_is_taken_as_the_contract_takes_it(
    tool: str, as_bytes: bool, data: st.DataObject
) -> None:
    binding = BINDINGS[tool]
    text = data.draw(_calls(tool, Way()))
    arguments = text.encode() if as_bytes else text
    found = _outcome(lambda: binding.decode(arguments))
    meant = _outcome(lambda: decode_exactly(binding, arguments, None))
    assert (found, repr(found)) == (meant, repr(meant))


def test_nulls_do_not_lead_to_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolcast.runtime import binding as module

    grep = BINDINGS["grep"]
    names = grep.params.__struct_encode_fields__
    sent = json.dumps({**dict.fromkeys(names), "pattern": "a:b", "glob": "*"})
    meant = decode_exactly(grep, sent, None)
    assert grep.decode(sent, "openai") == meant  # the first call learns that nothing is sent in another form
    monkeypatch.setattr(module, "decode_exactly", None)
    assert grep.decode(sent) == grep.decode(sent.encode(), "openai") == meant


@pytest.mark.parametrize(("tool", "provider"), CASES)
def test_what_is_sent_as_meant_needs_no_general_way(
    tool: str, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    binding = BINDINGS[tool]
    undo = binding._find_undo(provider)
    assert undo is not None
    assert (sent_form(binding.params, undo.ways.root) is not None) == (tool in SIMPLE)
    if tool not in SIMPLE:
        return
    expected = [binding.decode(json.dumps(call)) for call in _examples(tool)]
    monkeypatch.setattr(type(binding), "_decode_undone", None)
    for call, params in zip(_examples(tool), expected, strict=True):
        sent = _write(_sent(call, undo.ways.root))
        if ":" not in str(call):
            assert binding.decode(sent, provider) == params


def _write(value: Any) -> str:
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{json.dumps(name)}:{_write(item)}" for name, item in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_write, value)) + "]"
    return json.dumps(value)


class Size(Struct, frozen=True, kw_only=True, omit_defaults=True):
    at: tuple[int, str | None]
    unit: Literal[1, 2, "mm"] = 1

    def __post_init__(self) -> None:
        if self.at[0] == 7:
            raise ValueError("at must not be 7")


class Box(Struct, frozen=True, kw_only=True, omit_defaults=True, rename={"kind": "type"}):
    kind: str
    labels: Annotated[dict[str, int], Meta(max_length=2)] = {}
    size: Size | UnsetType | None = UNSET
    sizes: Annotated[list[Size], Meta(min_length=1)] | None = None
    more: dict[str, dict[str, int]] = msgspec.field(default_factory=lambda: {"a": {}})


_SIZE = Way(
    properties={
        "at": Way(encoding="positions", least=2, count=2),
        "unit": Way(encoding="texts", texts={"1": 1, "2": 2, "3": 3}),
    }
)
_BOX = Way(
    properties={
        "labels": Way(encoding="pairs"),
        "size": _SIZE,
        "more": Way(encoding="pairs"),
    }
)
_SIZES = ANYTHING | st.tuples(
    st.sampled_from([7, 1, 2, "x"]),
    st.sampled_from([None, "a", ":"]),
    st.sampled_from(["1", "2", "3", 1, "mm"]),
).map(lambda of: Pairs([("at", Pairs([("item_1", of[0]), ("item_2", of[1])])), ("unit", of[2])]))
_ENTRIES = ANYTHING | st.lists(
    st.tuples(st.sampled_from(["a", "b", ":"]), st.integers(0, 2) | ANYTHING).map(
        lambda of: Pairs([("key", of[0]), ("value", of[1])])
    ),
    max_size=3,
)
_BOXES = st.lists(
    st.tuples(st.just("labels"), _ENTRIES)
    | st.tuples(st.just("size"), st.none() | _SIZES)
    | st.tuples(st.just("more"), _ENTRIES),
    max_size=3,
).map(lambda pairs: Pairs([("type", "a"), *pairs]))


def test_everything_is_undone() -> None:
    form = sent_form(Box, _BOX)
    assert form is not None
    text = (
        '{"type": "a", "labels": [{"key": "b", "value": 1}], "more": [],'
        ' "size": {"at": {"item_1": 1, "item_2": null}, "unit": "2"}, "sizes": null}'
    )
    found = form.back(msgspec.json.decode(text, type=form.type))
    assert found == Box(kind="a", labels={"b": 1}, more={}, size=Size(at=(1, None), unit=2))
    assert form.back(msgspec.json.decode('{"type": "a"}', type=form.type)) == Box(kind="a")


@given(st.data())
def test_what_a_form_takes_means_the_same_further_down(data: st.DataObject) -> None:
    value = data.draw(_BOXES)
    form = sent_form(Box, _BOX)
    assert form is not None
    text = data.draw(texts(value))
    try:
        found = form.back(msgspec.json.decode(text, type=form.type))
    except (ValueError, msgspec.ValidationError):
        return
    undone = Undo(Ways(root=_BOX), {})(msgspec.json.decode(text))
    for name in ("labels", "more"):  # null stands for absence
        if undone.get(name, ...) is None:
            del undone[name]
    assert found == msgspec.convert(undone, Box)


@pytest.mark.parametrize(
    "way",
    [
        Way(properties={"labels": Way(encoding="pairs", values=Way(encoding="json"))}),
        Way(properties={"labels": Way(encoding="json")}),
        Way(properties={"sent": Way(encoding="pairs")}),
        Way(properties={"labels": Way(encoding="pairs")}, names={"labels": "type"}),
        Way(properties={"labels": Way(encoding="pairs")}, drops=("size",)),
        Way(properties={"type": Way(encoding="pairs")}),
        Way(properties={"labels": Way(ref="x")}),
    ],
)
def test_what_says_more_has_no_form(way: Way) -> None:
    assert sent_form(Box, way) is None


def test_a_literal_that_the_contract_refuses_is_refused() -> None:
    """It is one of an enum that another alternative excludes, and the contract alone can tell."""
    value = {"oneOf": [{"type": "number"}, {"enum": [0, 10]}]}
    parameters = {"type": "object", "required": ["value"], "properties": {"value": value}}
    with package({"t.json": spec(parameters)}, options=Options(providers=("gemini",))) as found:
        binding = found["t"]
        for text in ("0", "10"):
            with pytest.raises(ArgumentError, match="matches more than one"):
                binding.decode({"value": text}, provider="gemini")
            with pytest.raises(ArgumentError, match="matches more than one"):
                binding.decode(json.dumps({"value": text}), provider="gemini")


def test_a_null_that_the_contract_takes_is_kept() -> None:
    """Only the contract knows that such a value may be null."""
    odd = {"enum": [[1], 2]}
    inner = {"a": {"anyOf": [odd, {"type": "null"}]}, "c": {"type": "array", "items": {"type": "string"}}}
    outer = {"type": "object", "properties": inner, "required": ["c"], "additionalProperties": False}
    parameters: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "array", "items": odd}}}
    parameters["properties"]["c"] = outer
    parameters["additionalProperties"] = False
    with package({"t.json": spec(parameters)}, options=Options(providers=("gemini",))) as found:
        binding = found["t"]
        undo = binding._find_undo("gemini")
        assert undo is not None
        for text in ('{"a": [], "c": {"a": null, "c": []}}', '{"c": {"c": []}}'):
            params = binding.decode(text, "gemini")
            assert (params.c.a is None) == ("null" in text)
            assert repr(params) == repr(decode_exactly(binding, text, None, undo))
