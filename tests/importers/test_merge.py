"""Importing again merges field by field, as an oracle over plain values does. Nothing here is lost."""

import copy
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from toolcast.importers.declared_tools import Declarations, Declared
from toolcast.importers.import_tools import Draft, specs_of
from toolcast.importers.imported_specs import ImportedSpec, ImportedSpecs, Lock
from toolcast.importers.spec_text import Choices, dump
from toolcast.importers.update import Settling, Source, Update, plan_update
from toolcast.spec.read_file import SourceDocument, parse_document

KEY = ("tools", "t", "look")
ABSENT = object()

WORDS = st.sampled_from(["one", "two: #3", "a\nb", "'", "é"])
PROPERTY = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "integer"])},
    optional={"description": WORDS, "x-note": st.lists(WORDS, max_size=2), "title": WORDS},
)
PROPERTIES = st.dictionaries(st.sampled_from("abcd"), PROPERTY, max_size=4)


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, Any]:
    properties = draw(PROPERTIES)
    required = draw(st.lists(st.sampled_from(sorted(properties)), unique=True)) if properties else []
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return {**schema, "required": required} if required else schema


@st.composite
def changed(draw: st.DrawFn, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema after some changes of single keywords and properties."""
    made = copy.deepcopy(schema)
    other = draw(schemas())
    for name in "abcd":
        action = draw(st.sampled_from(["keep", "keep", "swap", "keyword", "drop"]))
        theirs = other["properties"].get(name)
        if action == "swap" and theirs is not None:
            made["properties"][name] = theirs
        elif action == "drop":
            made["properties"].pop(name, None)
        elif action == "keyword" and name in made["properties"]:
            keyword = draw(st.sampled_from(["description", "x-note", "title", "type"]))
            value = draw(PROPERTY).get(keyword, ABSENT)
            if value is not ABSENT:
                made["properties"][name][keyword] = value
            elif keyword != "type":
                made["properties"][name].pop(keyword, None)
    made["required"] = [name for name in draw(st.permutations("abcd")) if draw(st.booleans())]
    if not made["required"]:
        del made["required"]
    return made


def draft(schema: dict[str, Any], description: str) -> Draft:
    tool = Declared(name="look", description=description, parameters=schema)
    declarations = Declarations(tools=(tool,), label="t")
    (made,) = specs_of(declarations, Choices(permission="read", secrets=())).drafts
    return made


def plan(made: tuple[Draft, ...], here: dict[str, str], lock: Lock, **settling: Any) -> Update:
    specs = {}
    for path, text in here.items():
        document = parse_document(text.encode(), path, "yaml")
        assert isinstance(document, SourceDocument), text
        specs[("tools", "t", document.data["source"]["name"])] = ImportedSpec(path, text, document.data)
    found = ImportedSpecs("specs", specs, frozenset(here), ())
    return plan_update(
        made,
        Source("tools", "t", [each.original for each in made]),
        found,
        lock,
        Settling(**settling),
    )


def read(text: str) -> Any:
    document = parse_document(text.encode(), "s", "yaml")
    assert isinstance(document, SourceDocument), document
    return document.data


def three_way(base: Any, here: Any, upstream: Any) -> Any:
    return here if upstream == base or here != base else upstream


def keys(*values: Any) -> set[str]:
    return {key for value in values if value is not ABSENT for key in value}


def expected_schema(base: dict[str, Any], here: dict[str, Any], upstream: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    three = [schema["properties"] for schema in (base, here, upstream)]
    for name in keys(*three):
        b, h, u = (each.get(name, ABSENT) for each in three)
        if h is ABSENT or u is ABSENT:
            value = three_way(b, h, u)
        else:
            merged = {
                word: three_way(*(ABSENT if each is ABSENT else each.get(word, ABSENT) for each in (b, h, u)))
                for word in keys(b, h, u)
            }
            value = {word: each for word, each in merged.items() if each is not ABSENT}
        if value is not ABSENT:
            properties[name] = value
    b, h, u = (set(schema.get("required", ())) for schema in (base, here, upstream))
    required = (h | (u - b)) - (b - u)
    return {"type": "object", "properties": properties, "required": required}


def decorated(text: str) -> str:
    lines = []
    for number, line in enumerate(text.splitlines()):
        if re.fullmatch(r"\s*[\"a-z]+:( [a-z0-9]+)?", line):
            margin = line[: len(line) - len(line.lstrip())]
            lines.append(f"{margin}# above {number}")
            line = f"{line}  # behind {number}"
        lines.append(line)
    return "\n".join(lines) + "\n# end\n"


@st.composite
def histories(draw: st.DrawFn) -> tuple[Any, Any, Any, Any, Any]:
    base = draw(schemas())
    texts = draw(st.tuples(st.sampled_from("AB"), st.sampled_from("ABC"), st.sampled_from("ABD")))
    return base, draw(changed(base)), draw(changed(base)), texts, draw(st.booleans())


@settings(max_examples=2 * settings.default.max_examples)
@given(histories())
def test_a_merge_is_the_oracles(history: tuple[Any, Any, Any, Any, bool]) -> None:
    base, local, remote, (text_b, text_h, text_u), with_comments = history
    first, second = draft(base, text_b), draft(remote, text_u)
    before = plan((first,), {}, Lock())
    spec = {**read(first.text), "description": text_h, "permission": "write", "secrets": ["a"]}
    spec["parameters"] = local
    mine = decorated(dump(spec)) if with_comments else dump(spec)

    done = plan((second,), {"x/mine.yaml": mine}, before.lock)

    assert done.diagnostics == ()
    text = done.writes.get("x/mine.yaml", mine)
    merged = read(text)
    wanted = expected_schema(first.data["parameters"], local, second.data["parameters"])
    found = merged["parameters"]
    assert {**found, "required": set(found.get("required", ()))} == wanted
    assert merged["description"] == three_way(text_b, text_h, text_u)
    assert (merged["permission"], merged["secrets"]) == ("write", ["a"])
    for comment in re.findall(r"# (?:above|behind) \d+|# end", mine):
        assert text.count(comment) == mine.count(comment)

    again = plan((second,), {"x/mine.yaml": text}, done.lock)
    assert (dict(again.writes), again.lock) == ({}, done.lock)
    conflicts = [field for change in done.changes for field in change.fields if field.kind == "conflict"]
    assert [field for change in again.changes for field in change.fields] == conflicts

    settled = plan((second,), {"x/mine.yaml": text}, done.lock, take=(("look", "local"),))
    assert (dict(settled.writes), settled.changes) == ({}, ())
    assert plan((second,), {"x/mine.yaml": text}, settled.lock).changes == ()
    taken = plan((second,), {"x/mine.yaml": text}, done.lock, take=(("*", "upstream"),))
    after = read(taken.writes.get("x/mine.yaml", text))
    for field in conflicts:
        value: Any = after
        for key in field.path[:-1]:
            value = value[key]
        assert value.get(field.path[-1]) == (None if field.upstream is None else again_value(field.upstream))


def again_value(value: Any) -> Any:
    from msgspec import UNSET

    return None if value is UNSET else value


@given(histories())
def test_without_the_lock_nothing_of_ours_is_lost(history: tuple[Any, Any, Any, Any, bool]) -> None:
    base, local, remote, (_, text_h, text_u), _ = history
    spec = {**read(draft(base, "x").text), "description": text_h, "parameters": local}
    mine = dump(spec)
    done = plan((draft(remote, text_u),), {"a.yaml": mine}, Lock())
    merged = read(done.writes.get("a.yaml", mine))
    assert merged["description"] == text_h
    for name, schema in local["properties"].items():
        assert {**merged["parameters"]["properties"][name], **schema} == merged["parameters"]["properties"][
            name
        ]
