"""Law L1: the generated decoder accepts a value exactly where the schema does, after the two allowances.

jsonschema-rs is the judge; what the allowances mean is worked out here from the law's own words.
"""

import itertools
import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import jsonschema_rs
from hypothesis import event, given
from hypothesis import strategies as st
from toolcast.runtime import ArgumentError

from tests.python.compiled import Binding, RefusedError, bound, compile_files, spec
from tests.python.strategies import instance, parameters

TRUE_REFUSALS = {"unsatisfiable", "circular-reference", "default-mismatch"}


def resolve(schema: Any, root: Any) -> Any:
    for step in schema["$ref"].split("/")[1:]:
        root = root[step]
    return root


def in_place(schema: Any, root: Any, seen: tuple[int, ...] = ()) -> Iterator[Any]:
    """The schemas that speak of the same value."""
    if isinstance(schema, bool) or id(schema) in seen:
        return
    yield schema
    below = [schema[w] for w in ("not", "if", "then", "else") if w in schema]
    below += [sub for w in ("allOf", "anyOf", "oneOf") for sub in schema.get(w, ())]
    below += schema.get("dependentSchemas", {}).values()
    below += [resolve(schema, root)] if "$ref" in schema else []
    for sub in below:
        yield from in_place(sub, root, (*seen, id(schema)))


def members(schemas: list[Any], key: str | int, root: Any) -> list[Any]:
    """The schemas that speak of one member of an object or array."""
    found: list[Any] = []
    for schema in schemas:
        if isinstance(key, str):
            found += [schema["properties"][key]] if key in schema.get("properties", {}) else []
            found += schema.get("patternProperties", {}).values()
            found += [schema[w] for w in ("additionalProperties", "unevaluatedProperties") if w in schema]
        else:
            found += schema.get("prefixItems", [])[key : key + 1]
            found += [schema[w] for w in ("items", "contains", "unevaluatedItems") if w in schema]
    return [inner for sub in found for inner in in_place(sub, root)]


def optional_nulls(
    schemas: list[Any], value: Any, root: Any, path: tuple[Any, ...] = ()
) -> list[tuple[Any, ...]]:
    """Places of explicit nulls for optional fields that are not nullable."""
    found: list[tuple[Any, ...]] = []
    if isinstance(value, dict):
        for key, item in value.items():
            if item is None and any(
                key in s.get("properties", {})
                and key not in s.get("required", ())
                and not accepts(s["properties"][key], root, None)
                for s in schemas
            ):
                found.append((*path, key))
            found += optional_nulls(members(schemas, key, root), item, root, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            found += optional_nulls(members(schemas, i, root), item, root, (*path, i))
    return found


def accepts(schema: Any, root: Any, value: Any) -> bool:
    if isinstance(schema, bool):
        return schema
    whole = {**schema, "$defs": root.get("$defs", {})}
    if schema is not root and '"#"' in json.dumps(whole):
        defs = json.loads(json.dumps(root).replace('"$ref": "#"', '"$ref": "#/$defs/root"'))
        sub = json.loads(json.dumps(schema).replace('"$ref": "#"', '"$ref": "#/$defs/root"'))
        whole = {
            **sub,
            "$defs": {**defs.get("$defs", {}), "root": {k: v for k, v in defs.items() if k != "$defs"}},
        }
    return bool(jsonschema_rs.Draft202012Validator(whole).is_valid(value))


def without(value: Any, gone: set[tuple[Any, ...]], path: tuple[Any, ...] = ()) -> Any:
    if isinstance(value, dict):
        return {k: without(v, gone, (*path, k)) for k, v in value.items() if (*path, k) not in gone}
    if isinstance(value, list):
        return [without(v, gone, (*path, i)) for i, v in enumerate(value)]
    return value


CHOOSING = ("anyOf", "oneOf", "not", "if", "dependentSchemas", "unevaluatedProperties", "contains")
COUNTING = (*CHOOSING, "allOf", "minProperties", "maxProperties", "dependentRequired")


def expected(schema: Any, value: Any) -> tuple[bool, bool]:
    """What decode must answer: at least (True if it must accept), at most (True if it may)."""
    judge = jsonschema_rs.Draft202012Validator(schema).is_valid
    if judge(value):
        return True, True
    places = optional_nulls(list(in_place(schema, schema)), value, schema)[:8]
    everything = judge(without(value, set(places)))
    if not any(f'"{word}"' in json.dumps(schema) for word in CHOOSING):
        return everything, everything
    some = any(
        judge(without(value, set(gone)))
        for count in range(1, len(places) + 1)
        for gone in itertools.combinations(places, count)
    )
    return False, some  # where a choice is involved, which field was meant is a matter of the branch


def decoded(tool: Binding, arguments: Any) -> tuple[Any, bool]:
    try:
        return tool.decode(arguments), True
    except ArgumentError:
        return None, False


def kept(value: Any, encoded: Any, schemas: list[Any], root: Any) -> bool:
    """Whether `encoded` says what `value` says, but for nulls and for properties that nobody declares."""
    if isinstance(value, dict) and isinstance(encoded, dict):
        certain = schemas if not any(w in s for w in CHOOSING for s in schemas) else []
        names = {name for schema in certain for name in schema.get("properties", {})}
        below = {name: members(schemas, name, root) for name in {**value, **encoded}}
        defaults = {n: [s["default"] for s in below[n] if "default" in s] for n in below}
        return (
            all(defaults[name] for name in encoded.keys() - value.keys())
            and all(
                value[name] is None or name not in names or any(map(value[name].__eq__, defaults[name]))
                for name in value.keys() - encoded.keys()
            )
            and all(
                (value[name] is None and defaults[name]) or kept(value[name], item, below[name], root)
                for name, item in encoded.items()
                if name in value
            )
        )
    if isinstance(value, list) and isinstance(encoded, list):
        pairs = enumerate(zip(value, encoded, strict=True))
        return len(value) == len(encoded) and all(
            kept(a, b, members(schemas, i, root), root) for i, (a, b) in pairs
        )
    return bool(value == encoded) and isinstance(value, bool) == isinstance(encoded, bool)


@given(st.data())
def test_the_decoder_is_the_schema(data: st.DataObject) -> None:
    schema = data.draw(parameters(), label="schema")
    tool = compiled(schema)
    if isinstance(tool, RefusedError):
        event(f"refused: {tool.codes[0]}")
        assert "leads back to itself" in str(tool) or set(tool.codes) <= TRUE_REFUSALS, tool
        return
    with tool as decoder:
        for i in range(8):
            value = data.draw(instance(schema, schema), label=f"value {i}")
            if isinstance(value, dict):
                check(schema, decoder, value)


def compiled(schema: Any) -> AbstractContextManager[Binding] | RefusedError:
    try:
        files, entries, _ = compile_files({"tool.json": spec(schema)})
    except RefusedError as refused:
        return refused
    return bound(files, entries[0])


def check(schema: Any, tool: Binding, value: Any) -> None:
    must, may = expected(schema, value)
    text = json.dumps(value)
    result, good = decoded(tool, text.encode())
    again, same = decoded(tool, value)
    event(f"accepted: {good}")
    assert good == same, "text and mapping are judged alike"
    assert good or not must, f"{text} must be accepted"
    assert may or not good, f"{text} must be refused"
    if good:
        assert result == again
        encoded = json.loads(tool.encode(result))
        counted = any(f'"{word}"' in json.dumps(schema) for word in COUNTING)
        # A value equal to its default is not written; where presence itself counts, that may matter.
        assert accepts(schema, schema, encoded) or (counted and '"default"' in json.dumps(schema)), (
            f"{text} came back as {encoded}, which the schema refuses"
        )
        assert kept(value, encoded, list(in_place(schema, schema)), schema), f"{text} came back as {encoded}"
