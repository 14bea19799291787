"""Differences as texts: values in short, schemas side by side, and the places of changes."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Struct

from ...console import cut
from ...contract.normal_form import spoken
from ...contract.schema_forms import asserted_keywords
from ...contract.tree import Array, Contract, Field, Map, Node, Object, Reference, Tuple, Union
from ...jsonschema.json_values import JsonMapping, JsonObject, equal
from ...jsonschema.keywords import ASSERTIONS, HOLDS_SCHEMAS, SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from ...jsonschema.pointers import escape, resolve
from ...providers import LedgerEntry

_LONGEST_VALUE: Final = 80  # characters of a value
_AROUND: Final = 3  # words that are kept on either side of a difference
_MOST_WORDS: Final = 200  # of a text that are compared word by word: the time grows with the third power
_MOST_SHOWN: Final = 400  # characters of a difference


def compact(value: object) -> str:
    """Return a value as JSON on one line, cut where it is long; "nothing" for None."""
    if value is None:
        return "nothing"
    return cut(msgspec.json.encode(value).decode(), _LONGEST_VALUE)


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return `a`, `b` and `c`; of many, the first and the number of the others."""
    shown = [f"`{name}`" for name in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def words_changed(old: str, new: str) -> str:
    """Return the differences of two texts on one line, cut where it is long: `[-removed-]` and `{+added+}`,
    with a few words around. Long texts are compared from the first word that differs.
    """
    before, after = old.split(), new.split()
    if before == after:
        return "only white space differs"
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    start = max(0, start - _AROUND)
    left = len(after) - start
    before, after = before[start : start + _MOST_WORDS], after[start : start + _MOST_WORDS]
    end = 0
    parts: list[str] = ["…"] if start else []
    for number, group in enumerate(
        SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(_AROUND)
    ):
        parts += ["…"] if number else []
        for kind, i, j, k, m in group:
            removed, added = " ".join(before[i:j]), " ".join(after[k:m])
            if kind == "equal":
                parts.append(removed)
                continue
            parts += [f"[-{removed}-]"] if removed else []
            parts += [f"{{+{added}+}}"] if added else []
        end = group[-1][4]
    parts += ["…"] if end < left else []
    return cut(" ".join(parts), _MOST_SHOWN)


_TEXTS: Final = {"description": "parameter-description-read", "title": "title-read"}
_SHOWN: Final = {"default": "default-read", "examples": "examples-read", "example": "examples-read"}
_LONGEST_TEXT: Final = 200  # characters of a text that is new, or was removed
_ROOTS: Final[tuple[str, ...]] = ("parameters", "result", "$defs")
_CONSTRAINTS: Final = ASSERTIONS | HOLDS_SCHEMAS | {"$ref", "$dynamicRef"}


class _Difference(Struct, frozen=True, kw_only=True):
    """One place that reads differently. With `old`, `pointer` is one of the old document."""

    rule: str
    pointer: str
    message: str
    old: bool = False


_Below = tuple[Any, Any, str]
"""Schemas of both states at one pointer."""


def differences(
    old: Mapping[str, object], new: Mapping[str, object], renamed: Mapping[str, str]
) -> Iterator[_Difference]:
    """Yield the differences of two contract documents in the order of the new one, without those below a
    difference of names or of a schema's form. `renamed` maps new top-level parameters to old ones.
    """
    waiting: list[_Below] = []
    for root in reversed(_ROOTS):
        if root == "$defs":
            for each in _schema_map(root, old, new, "", {}):
                if isinstance(each, _Difference):
                    yield each
                else:
                    waiting.append(each)
        elif (root in old) != (root in new):
            what = "is there now" if root in new else "is no longer there"
            yield _Difference(
                rule="constraint-read", pointer=f"/{root}", message=f"`{root}` {what}", old=root in old
            )
        elif root in new:
            waiting.append((old[root], new[root], f"/{root}"))
    while waiting:
        before, after, pointer = waiting.pop()
        if before is after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            below: list[_Below] = []
            for each in _node(before, after, pointer, renamed if pointer == "/parameters" else {}):
                if isinstance(each, _Difference):
                    yield each
                else:
                    below.append(each)
            waiting += reversed(below)
        elif before != after or type(before) is not type(after):
            message = f"the schema was {compact(before)} and is {compact(after)}"
            yield _Difference(rule="constraint-read", pointer=pointer, message=message)


def _node(
    old: JsonObject, new: JsonObject, pointer: str, renamed: Mapping[str, str]
) -> Iterator[_Difference | _Below]:
    for keyword in dict.fromkeys((*new, *old)):
        here, there = keyword in new, keyword in old
        if keyword in SCHEMA_MAP and isinstance(new.get(keyword, {}), dict):
            yield from _schema_map(keyword, old, new, pointer, renamed)
        elif here and there and keyword in SCHEMA:
            yield old[keyword], new[keyword], f"{pointer}/{escape(keyword)}"
        elif here and there and keyword in SCHEMA_LIST and len(old[keyword]) == len(new[keyword]):
            for index, pair in enumerate(zip(old[keyword], new[keyword], strict=True)):
                yield *pair, f"{pointer}/{escape(keyword)}/{index}"
        elif not (here and there and _same(old[keyword], new[keyword])):
            yield _keyword(keyword, old, new, pointer)
    common = [keyword for keyword in old if keyword in new]
    if common != [keyword for keyword in new if keyword in old]:
        yield _Difference(rule="order-read", pointer=pointer, message="keywords stand in another order")


def _same(old: object, new: object) -> bool:
    """Return whether values are equal, in the order of members and the kind of numbers; models see it."""
    return old is new or msgspec.json.encode(old) == msgspec.json.encode(new)


def _keyword(keyword: str, old: JsonObject, new: JsonObject, pointer: str) -> _Difference:
    before, after = old.get(keyword), new.get(keyword)
    if keyword in _TEXTS:
        if isinstance(before, str) and isinstance(after, str):
            message = f"the {keyword}: {words_changed(before, after)}"
        elif keyword in new:
            message = f"the {keyword} is new: {cut(str(after), _LONGEST_TEXT)}"
        else:
            message = f"the {keyword} was removed: {cut(str(before), _LONGEST_TEXT)}"
        return _Difference(rule=_TEXTS[keyword], pointer=pointer, message=message)
    if isinstance(before, list) and isinstance(after, list) and _encoded(before) == _encoded(after):
        message = f"the values of `{keyword}` stand in another order"
        return _Difference(rule="order-read", pointer=pointer, message=message)
    rule = _SHOWN.get(keyword) or ("constraint-read" if keyword in _CONSTRAINTS else "note-read")
    if isinstance(before, list) and isinstance(after, list) and keyword in ("enum", "required", "type"):
        message = f"`{keyword}` has {_members(before, after)}"
    elif keyword not in old:
        message = f"`{keyword}` is new: {_value(after)}"
    elif keyword not in new:
        message = f"`{keyword}` was removed: {_value(before)}"
    else:
        message = f"`{keyword}` was {_value(before)} and is {_value(after)}"
    return _Difference(rule=rule, pointer=pointer, message=message)


def _value(value: object) -> str:
    return "null" if value is None else compact(value)


def _encoded(values: list[object]) -> list[bytes]:
    return sorted(msgspec.json.encode(each) for each in values)


def _members(old: list[object], new: list[object]) -> str:
    before, after = ({msgspec.json.encode(each).decode(): None for each in values} for values in (old, new))
    added, removed = (
        [each for each in after if each not in before],
        [each for each in before if each not in after],
    )
    parts = [f"{listed(added)} more"] if added else []
    parts += [f"{listed(removed)} no longer"] if removed else []
    return ", and ".join(parts) or "some values more or less often"


def _schema_map(
    keyword: str, old: JsonMapping, new: JsonMapping, pointer: str, renamed: Mapping[str, str]
) -> Iterator[_Difference | _Below]:
    before: JsonObject = old.get(keyword, {})
    after: JsonObject = new.get(keyword, {})
    noun = {"properties": "the property", "$defs": "the definition"}.get(keyword, f"the name in `{keyword}`")
    names = renamed if keyword == "properties" else {}
    order: list[str] = []
    for name, schema in after.items():
        place = f"{pointer}/{escape(keyword)}/{escape(name)}"
        former = names.get(name, name)
        if former not in before or (former != name and former in after):
            yield _Difference(rule="names-read", pointer=place, message=f"{noun} `{name}` is new")
            continue
        if former != name:
            message = f"{noun} `{former}` is called `{name}` now"
            yield _Difference(rule="names-read", pointer=place, message=message)
        order.append(former)
        yield before[former], schema, place
    kept = set(order)
    for name in before:
        if name not in kept:
            place = f"{pointer}/{escape(keyword)}/{escape(name)}"
            yield _Difference(
                rule="names-read", pointer=place, message=f"{noun} `{name}` was removed", old=True
            )
    if order != [name for name in before if name in kept]:
        what = {"properties": "properties", "$defs": "definitions"}.get(keyword, f"names in `{keyword}`")
        yield _Difference(rule="order-read", pointer=pointer, message=f"the {what} stand in another order")


_LONGEST: Final = 120
_MAX_DEPTH: Final = 40


def named(pointer: str, message: str) -> str:
    """Return a message about a place of a contract document with the place's name, unless it has it."""
    name = spoken(pointer) if pointer else ""
    return f"`{name}`: {message}" if name and f"`{name}`" not in message else message


def schema_at(document: Mapping[str, object], pointer: str) -> tuple[bool, object]:
    """Return whether anything stands at a JSON pointer of a contract document, and the schema there."""
    try:
        return True, resolve(document, pointer)
    except LookupError:
        return False, None


def contract_pointer(entry: LedgerEntry) -> str:
    """Return an entry's pointer in the contract document; for one of the spec, in the spec."""
    if entry.of == "spec" or entry.path.startswith("/$defs/"):
        return entry.path
    return f"/{entry.of}{entry.path}"


def before_after(old: Mapping[str, object], new: Mapping[str, object], pointer: str) -> tuple[str, str]:
    """Return the keywords that differ at a place as short JSON, of both states; empty where the place does
    not exist, or nothing that refuses values differs.
    """
    (_, one), (_, other) = schema_at(old, pointer), schema_at(new, pointer)
    if isinstance(one, dict) and isinstance(other, dict):
        keys = [
            key
            for key in dict.fromkeys((*one, *other))
            if key in asserted_keywords(one) | asserted_keywords(other) and one.get(key) != other.get(key)
        ]
        keys = [key for key in keys if key not in ("properties", "$defs")]
        return _pairs(one, keys), _pairs(other, keys)
    return "", ""


def _pairs(schema: Mapping[str, object], keys: list[str]) -> str:
    return cut(", ".join(f"{key}: {compact(schema[key])}" for key in keys if key in schema), _LONGEST)


class PropertyChange(Struct, frozen=True):
    """A property that only one of two objects declares; with `null`, an optional one for which null now
    counts as absence; with `default`, one that is optional in both and has another default.
    """

    kind: Literal["dropped", "added", "null", "default"]
    field: Field
    pointer: str  # of the property, in the document that has it; in the new one where both have
    closed: bool  # the object that lacks it refuses it
    kept: bool  # the object that lacks it keeps it as an undeclared property
    before: Field | None = None  # as the old object declares it; of `default` alone


def property_changes(old: Contract, new: Contract, root: str) -> Iterator[PropertyChange]:
    """Yield properties that were added or dropped, lost null, or have another default, in the order of the
    old contract, then of the new one.

    `root` is "parameters" or "result".
    """
    seen: set[tuple[str, str]] = set()
    waiting = [(old.roots[root], new.roots[root], 0)]
    while waiting:
        one, other, depth = waiting.pop(0)
        before, after = _resolved(old, one, root), _resolved(new, other, root)
        if (before.pointer, after.pointer) in seen or depth > _MAX_DEPTH:
            continue
        seen.add((before.pointer, after.pointer))
        if isinstance(before, Object) and isinstance(after, Object):
            yield from _of_objects(before, after)
            names = {field.encode_name: field.node for field in after.fields}
            waiting += [
                (field.node, names[field.encode_name], depth + 1)
                for field in before.fields
                if field.encode_name in names
            ]
        elif isinstance(before, Array) and isinstance(after, Array):
            waiting.append((before.items, after.items, depth + 1))
        elif isinstance(before, Map) and isinstance(after, Map):
            waiting.append((before.values, after.values, depth + 1))
        elif isinstance(before, Tuple) and isinstance(after, Tuple):
            waiting += [(a, b, depth + 1) for a, b in zip(before.items, after.items, strict=False)]


def _of_objects(old: Object, new: Object) -> Iterator[PropertyChange]:
    optional = {field.encode_name: field for field in old.fields if field.nullable or not field.required}
    for field in new.fields:
        before = optional.get(field.encode_name)
        if before is None or field.required:
            continue
        pointer = field.pointer or field.node.pointer
        if before.nullable and not field.nullable:
            yield PropertyChange("null", field, pointer, closed=new.closed, kept=False)
        if not before.required and not _same_default(before, field):
            yield PropertyChange("default", field, pointer, closed=new.closed, kept=False, before=before)
    for kind, one, other in (("dropped", old, new), ("added", new, old)):
        names = {field.encode_name for field in other.fields}
        for field in one.fields:
            if field.encode_name not in names:
                yield PropertyChange(
                    kind="dropped" if kind == "dropped" else "added",
                    field=field,
                    pointer=field.pointer or field.node.pointer,
                    closed=other.closed,
                    kept=other.extra is not None,
                )


def _same_default(one: Field, other: Field) -> bool:
    if one.default is UNSET or other.default is UNSET:
        return one.default is other.default
    return equal(one.default, other.default)


def _resolved(contract: Contract, node: Node, root: str) -> Node:
    """Return the node behind references, and behind a union with one object or array in it."""
    for _ in range(_MAX_DEPTH):
        if isinstance(node, Reference):
            node = contract.definitions[node.name] if node.name else contract.roots[node.root or root]
        elif isinstance(node, Union):
            structured = [
                each for each in node.branches if isinstance(each, Object | Array | Map | Tuple | Reference)
            ]
            if len(structured) != 1:
                return node
            node = structured[0]
        else:
            break
    return node
