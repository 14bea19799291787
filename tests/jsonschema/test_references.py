"""References by address, anchor and pointer, in each draft: they lead where two other validators say."""

import json
import re
from collections import Counter
from typing import Any
from urllib.parse import quote, urljoin

import jsonschema
import jsonschema_rs
from hypothesis import given
from hypothesis import strategies as st
from jsonschema.exceptions import _WrappedReferencingError
from referencing import Registry
from toolcast.jsonschema.quarantine import sound_schema
from toolcast.jsonschema.validator import Validator
from toolcast.providers import normalize

from tests.python.compiled import RefusedError, compile_files, spec

ORACLES: dict[int, tuple[str, Any, Any]] = {
    4: ("http://json-schema.org/draft-04/schema#", jsonschema.Draft4Validator, jsonschema_rs.Draft4Validator),
    6: ("http://json-schema.org/draft-06/schema#", jsonschema.Draft6Validator, jsonschema_rs.Draft6Validator),
    7: ("http://json-schema.org/draft-07/schema#", jsonschema.Draft7Validator, jsonschema_rs.Draft7Validator),
    2019: (
        "https://json-schema.org/draft/2019-09/schema",
        jsonschema.Draft201909Validator,
        jsonschema_rs.Draft201909Validator,
    ),
    2020: (
        "https://json-schema.org/draft/2020-12/schema",
        jsonschema.Draft202012Validator,
        jsonschema_rs.Draft202012Validator,
    ),
}
"""By draft: its `$schema`, and two validators."""
ADDRESSES = ("http://x.y/t.json", "http://x.y/a/t.json", "urn:example:root")
NAMES = ("p.json", "b/q.json", "http://x.y/r.json", "http://other.z/s", "urn:example:one")
LEAVES: list[dict[str, Any]] = [
    {"type": "string"},
    {"type": "integer", "minimum": 0},
    {"enum": [None, {"id": "#one", "$id": "p.json"}]},
]
DEEP = {"a": {"a": {"a": {"a": {"a": {"a": 1}}}}}}  # to which every reference of a document applies
VALUES: list[Any] = [DEEP, None, True, -1, 5, "abc", [], {}, {"a": 1}, {"a": "x"}, {"a": -1}]

_DYNAMIC_ANCHOR = re.compile(r'"\$dynamicAnchor": ("\w+")')


@st.composite
def named(draw: st.DrawFn, draft: int, depth: int = 0) -> dict[str, Any]:
    """A schema with names of its own, and perhaps definitions and a reference, which is not chosen yet."""
    word, group = ("id" if draft == 4 else "$id"), ("definitions" if draft <= 7 else "$defs")
    schema = dict(draw(st.sampled_from(LEAVES)))
    if draw(st.booleans()):
        schema = {"properties": {"a": {"$ref": ""}}, "type": ["object", "integer"]}
    name = draw(st.sampled_from(("", *NAMES, "#one", "#one")))
    if name:
        schema |= {"$anchor": "one"} if name == "#one" and draft > 7 else {word: name}
    if draft == 2020 and draw(st.booleans()):
        schema["$dynamicAnchor"] = "two"
    if depth < 2 and draw(st.booleans()):
        schema[group] = {"in": draw(named(draft, depth + 1))}
    if draw(st.integers(0, 9)) == 0:
        schema["x-unknown"] = {word: "unknown.json", "type": "null"}
    return schema


def targets(schema: dict[str, Any], base: str, draft: int) -> list[str]:
    """References that may lead to a schema of a document, and to what is in it."""
    word, group = ("id" if draft == 4 else "$id"), ("definitions" if draft <= 7 else "$defs")
    written = schema.get(word, "")
    base = urljoin(base, written.partition("#")[0])
    anchors = [written] if written.startswith("#") else []
    anchors += [f"#{schema[name]}" for name in ("$anchor", "$dynamicAnchor") if name in schema]
    found = [written] + [base + anchor for anchor in anchors] + anchors
    for name in schema.get(group, ()):
        found += [f"{base}#/{group}/{quote(name)}", f"#/{group}/{name}", base]
        found += targets(schema[group][name], base, draft)
    return [each for each in found if each]


@st.composite
def documents(draw: st.DrawFn) -> tuple[int, dict[str, Any]]:
    draft = draw(st.sampled_from([*ORACLES]))
    word, group = ("id" if draft == 4 else "$id"), ("definitions" if draft <= 7 else "$defs")
    root: dict[str, Any] = {"$schema": ORACLES[draft][0], "type": "object"}
    if draw(st.booleans()):
        root[word] = draw(st.sampled_from(ADDRESSES))
    root[group] = {name: draw(named(draft)) for name in ("A", "B %", "in")}
    root["properties"] = {
        "m": {"$ref": ""},
        "n": {"$ref": ""},
        "$id": {"type": "string"},
        "id": {"enum": [{"$id": "p.json", "id": "p.json"}]},
    }
    choices = st.sampled_from(
        [*targets(root, "", draft), "#", f"#/{group}/A", "#/properties/n", "unknown.json"]
    )

    def choose(schema: dict[str, Any]) -> None:
        for each in (*schema.get("properties", {}).values(), *schema.get(group, {}).values()):
            if each.get("$ref") == "":
                each["$ref"] = draw(choices)
                if draft <= 7 and draw(st.booleans()):
                    each |= draw(st.sampled_from([{word: "http://x.y/beside"}, {"type": "null"}]))
            choose(each)

    choose(root)
    return draft, root


def refuse(address: str) -> Any:
    raise ValueError(address)


def expected(draft: int, schema: Any, values: list[Any]) -> list[bool] | None:
    """The verdicts of both validators; None where they differ, or one of them cannot resolve a reference.

    None, too, where two schemas share a `$dynamicAnchor`: both look for it in the dynamic scope even for
    `$ref`, which takes it as a plain anchor (2020-12 core, 8.2.2).
    """
    if any(count > 1 for count in Counter(_DYNAMIC_ANCHOR.findall(json.dumps(schema))).values()):
        return None
    _, exact, fast = ORACLES[draft]
    try:
        judges = exact(schema, registry=Registry()), fast(schema, retriever=refuse)
        verdicts = [[judge.is_valid(value) for value in values] for judge in judges]
    except (_WrappedReferencingError, jsonschema_rs.ReferencingError, ValueError, RecursionError):
        return None
    except BaseException as problem:
        if type(problem).__name__ != "PanicException":  # of Rust, at names that two schemas have
            raise
        return None
    return verdicts[0] if verdicts[0] == verdicts[1] else None


@given(documents())
def test_every_door_resolves_as_the_draft_says(found: tuple[int, dict[str, Any]]) -> None:
    draft, schema = found
    values: list[Any] = [{name: value} for name in ("m", "n") for value in VALUES]
    verdicts = expected(draft, schema, values)
    if verdicts is None:
        return
    before = json.dumps(schema)
    sound = sound_schema(schema)
    if any("names several schemas" in change.reason for change in sound.changes):
        return  # which one is meant is not defined
    judges = [Validator(sound.schema), Validator(normalize(schema, "mcp").schema)]
    try:
        files, _, _ = compile_files({"tool.json": spec(schema)})
    except RefusedError as problem:
        codes = set(problem.codes)
    else:
        codes = set()
        contract = json.loads(files["contracts/tool.json"])
        judges.append(Validator(contract["parameters"], root=contract, pointer="/parameters"))
    assert codes <= {"unsatisfiable", "circular-reference"}, (before, codes)
    for judge in judges:
        assert [judge.accepts(value) for value in values] == verdicts, (before, judge.schema)
    assert json.dumps(schema) == before
