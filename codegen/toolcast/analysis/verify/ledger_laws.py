"""L4 and L5: no statement of a contract or a spec is lost without a ledger entry, and normalising twice
changes nothing.

Of a spec, each statement beside its parameters stands in the tool object, or in the ledger. The reading is
independent: it looks for the stated values in the tool object, whatever the members are called.
"""

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import Any, Final

from ...jsonschema.json_values import JsonObject
from ...jsonschema.pointers import escape
from ...providers import LedgerEntry, Profile, normalize
from ...runtime.wire import WireForm, WireForms
from ...runtime.wire.wire_form import KEY, MORE, VALUE, position
from ...spec.keys import SENT
from ...spec.tool_spec import ToolSpec
from ..instances.oracle import POSSIBLE, Oracle, Schema, subschemas_of
from ..instances.shrink import Path, inside
from .verified_tool import Failure

_ENTRY = 3
"""Steps of an evaluation path before the schema itself: `allOf/0/$ref` (see `Oracle.part`)."""
_LATER = 1 << 20
"""The index of an item that stands after all positions of a tuple."""
_Nodes = list[tuple[JsonObject, int]]


class ToolLedger:
    """One tool's ledger for one provider. `wire_forms` map locations of the wire form to the contract's."""

    def __init__(self, ledger: Sequence[LedgerEntry], wire_forms: WireForms | None = None) -> None:
        self._entries = frozenset(f"{entry.path}/{escape(entry.keyword)}" for entry in ledger)
        recorded = [entry for entry in ledger if entry.severity in ("changed", "lost", "reject")]
        self._changed = frozenset(entry.path for entry in recorded)
        # A keyword may hold a schema, and a name is the keyword of an entry about one property.
        self._changed |= frozenset(f"{entry.path}/{escape(entry.keyword)}" for entry in recorded)
        self._names: dict[str, str] = {}
        self._rests: set[str] = set()
        for form in _all(wire_forms):
            self._names.update(form.names)
            self._rests |= {form.rest} if form.rest else set()

    def claims_key(self, value: object) -> bool:
        """Return whether an object in the value has the key under which a renamed property is sent, which
        would be read as the property: the ledger has it, and no object declares that key.
        """
        if not self._names:
            return False
        return any(
            isinstance(each, dict) and not self._names.keys().isdisjoint(each) for _, each in inside(value)
        )

    # -- meanings -----------------------------------------------------------------------------

    def changed(self, contract: Oracle, path: Path, sent: object = None) -> bool:
        """Return whether the ledger has an entry on `path` that changes meaning; with `sent`, a path into
        that value.
        """
        tree, pointers = contract.tree, _pointers(contract)
        nodes = tree.same_value([(tree.start, POSSIBLE)])
        for step in (*path, None):
            if any(pointers.get(id(node)) in self._changed for node, _ in nodes):
                return True
            if step is None:
                break
            below = list(self._below(contract, nodes, step, sent))
            sent = _child(sent, step)
            nodes = tree.same_value(below)
        return False

    def _below(
        self, contract: Oracle, nodes: _Nodes, step: str | int, sent: object
    ) -> Iterator[tuple[Schema, int]]:
        """Return the contract's schemas for one step down; too many than too few where a form is sent."""
        tree = contract.tree
        if isinstance(step, int):
            yield from tree.item(nodes, step)
            if sent is None:
                return
            yield from tree.item(nodes, step + _LATER)
            entry = _child(sent, step)
            if isinstance(entry, dict) and isinstance(entry.get(KEY), str):
                yield from tree.member(nodes, entry[KEY])
            return
        yield from tree.member(nodes, step)
        if sent is None:
            return
        if step in self._names:
            yield from tree.member(nodes, self._names[step])
        if step in self._rests or step in (MORE, VALUE):
            yield from nodes
        if step.startswith(_POSITION) and step[len(_POSITION) :].isdecimal():
            yield from tree.item(nodes, int(step[len(_POSITION) :]) - 1)

    # -- constraints --------------------------------------------------------------------------

    def lost(self, contract: Oracle, problem: Any, sent: Any = None, *, absent: bool = True) -> bool:
        """Return whether the ledger names the constraint of the contract that `problem` is about, for the
        value as `sent`. `absent`: a null may be one that means absence.
        """
        null = absent and problem.instance is None
        ancestors = set(_ancestors(contract, problem.evaluation_path, null=null))
        if not ancestors.isdisjoint(self._entries):
            return True
        if self._listed(sent, tuple(problem.instance_path)):
            # Judged as a further key, and declared: what is said of further keys is told, then.
            objects = (each.rpartition("/properties/") for each in ancestors)
            if any(f"{above}/additionalProperties" in self._entries for above, step, _ in objects if step):
                return True
        location = _inner("/" + "/".join(escape(str(step)) for step in problem.schema_path))
        below = _reached(contract, problem.schema_path)
        return any(entry == location or entry.startswith((f"{location}/", *below)) for entry in self._entries)

    def _listed(self, sent: object, path: Path) -> bool:
        """Return whether the value at `path` of the contract's form was sent in a list of further keys."""
        for step in path:
            below = _child(sent, step)
            if below is None and isinstance(sent, dict):
                lists = (sent.get(name) for name in self._rests)
                pairs = (pair for each in lists if isinstance(each, list) for pair in each)
                return any(isinstance(pair, dict) and pair.get(KEY) == step for pair in pairs)
            sent = below
        return False


_POSITION = position(0).removesuffix("1")


def _all(wire_forms: WireForms | None) -> Iterator[WireForm]:
    waiting = [] if wire_forms is None else [wire_forms.root, *wire_forms.definitions.values()]
    while waiting:
        form = waiting.pop()
        yield form
        choices = (choice.form for choice in form.choices)
        children = (*form.properties.values(), *form.patterns.values(), *form.prefix, form.items, form.values)
        waiting += [*form.all_of, *(child for child in choices if child is not None)]
        waiting += [child for child in children if child is not None]


def _child(value: Any, step: str | int) -> object:
    try:
        return value[step]
    except (LookupError, TypeError):
        return None


def _inner(pointer: str) -> str:
    """Return a pointer into the contract file as one into the parameters' schema, as ledgers have it."""
    return pointer.removeprefix("/parameters")


def _pointers(contract: Oracle) -> dict[int, str]:
    known: dict[int, str] | None = contract.pointers
    if known is None:
        document = contract.tree.document
        known = {id(node): path for path, node in subschemas_of(document.get("parameters"))}
        known.update((id(node), path) for path, node in subschemas_of({"$defs": document.get("$defs", {})}))
        contract.pointers = known
    return known


def _ancestors(contract: Oracle, path: Sequence[str | int], *, null: bool) -> Iterator[str]:
    """Yield every keyword passed on the way to a violation, as pointers into the parameters' schema.

    A schema behind a reference is named by its definition and, as where it was inlined, by the place that
    refers to it. A `null` may be what an optional property took: `required` beside it tells.
    """
    tree = contract.tree
    node: Any = tree.start
    prefixes = {""}
    for step in path[_ENTRY:]:
        if null and step in ("properties", "patternProperties", "additionalProperties"):
            yield from (f"{prefix}/required" for prefix in prefixes)
        prefixes = {f"{prefix}/{escape(str(step))}" for prefix in prefixes}
        yield from prefixes
        try:
            node = node[step]
        except (LookupError, TypeError):
            return
        if step == "$ref" and isinstance(node, str):
            outer = {prefix.removesuffix("/$ref") for prefix in prefixes}
            prefixes = outer | {_inner(node.removeprefix("#"))}
            node = tree.find(node)


def _reached(contract: Oracle, path: Sequence[str | int]) -> tuple[str, ...]:
    """Return the definitions that the keyword at `path` reaches: a loss in one of them is a loss here."""
    node: Any = contract.tree.document
    for step in path:
        try:
            node = node[step]
        except (LookupError, TypeError):
            return ()
    found: set[str] = set()
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            reference = each.get("$ref")
            if isinstance(reference, str) and reference not in found:
                found.add(reference)
                waiting.append(contract.tree.find(reference))
            waiting += each.values()
    return tuple(_inner(reference.removeprefix("#")) + "/" for reference in sorted(found))


_BRANCH = re.compile(r"/(?:anyOf|allOf)/[0-9]+")


def silent_losses(
    contract: Mapping[str, object], emitted: Mapping[str, object], ledger: Sequence[LedgerEntry]
) -> Iterator[Failure]:
    """Decide L4: yield keywords of the contract that `emitted` lacks at their place, and below no entry. A
    keyword that has moved into a branch is not missing.
    """
    present = set(_keywords(emitted))
    present |= {(_BRANCH.sub("", path), keyword) for path, keyword in present}
    covered = {f"{entry.path}/{escape(entry.keyword)}" for entry in ledger}
    for path, keyword in _keywords(contract):
        if (path, keyword) in present or (_BRANCH.sub("", path), keyword) in present:
            continue
        location = f"{path}/{escape(keyword)}"
        steps = location.split("/")
        if not any("/".join(steps[:count]) in covered for count in range(2, len(steps) + 1)):
            yield Failure(
                "L4",
                f"`{keyword}` stands in the schema or in the ledger",
                "it stands in neither",
                place=location,
            )


def _keywords(schema: object) -> Iterator[tuple[str, str]]:
    for path, node in subschemas_of(schema):
        for keyword in node:
            yield path, keyword


def fixpoint(contract: Mapping[str, object], profile: Profile, strict: bool | None) -> Iterator[Failure]:
    """Decide L5: the input stays as it was, and the result normalised again is the result, in the mode of the
    first outcome, since the reason against strict mode may be in words by then.
    """
    schema = copy.deepcopy(dict(contract))
    before = copy.deepcopy(schema)
    once = normalize(schema, profile, strict=strict)
    if schema != before:
        yield Failure("L5", "the input is left alone", "normalising changes it")
    kept = copy.deepcopy(once.schema)
    twice = normalize(once.schema, profile, strict=False if once.strict is False else strict)
    if _text(twice.schema) != _text(kept) or twice.strict != once.strict:
        location = next((path for path in _differing(kept, twice.schema)), "")
        yield Failure("L5", "normalising twice changes nothing", "the second time changes it", place=location)
    if _text(once.schema) != _text(kept):
        yield Failure("L5", "the input is left alone", "normalising the result changes it")


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _differing(one: object, other: object) -> Iterator[str]:
    known = dict(subschemas_of(other))
    for path, node in subschemas_of(one):
        shallow = {key: value for key, value in node.items() if not isinstance(value, (dict, list))}
        if path not in known or any(known[path].get(key) != value for key, value in shallow.items()):
            yield path


_Members = list[tuple[str, object]]
_SCHEMA_WORDS: Final = frozenset(("type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const", "properties"))


_REWORDED: Final = frozenset(("callers", "defer", "stream_arguments", "blocking", "execution"))
"""Keys whose values providers have in words of their own."""


def silent_keys(
    tool: ToolSpec, definition: Mapping[str, object], parameters: object, lost: Set[str]
) -> Iterator[str]:
    """Return keys of a spec that a tool object lacks outside of its `parameters`' schema, and that are not in
    `lost`, the keys of the ledger; in the order of the format.
    """
    members = list(_members(definition, parameters))
    for key, stands in _stated(tool):
        if key not in lost and not stands(members):
            yield key


def _stated(tool: ToolSpec) -> Iterator[tuple[str, Callable[[_Members], bool]]]:
    if tool.input is not None and tool.input.grammar is not None:
        definition = tool.input.definition
        yield "input", lambda members: any(value == definition for _, value in members)
    if isinstance(tool.result, dict):
        yield "result", lambda members: any(_is_schema(value) or value == tool.result for _, value in members)
    if "code" in (tool.callers or ()):
        count = len(tool.callers or ())
        yield "callers", lambda members: any(_are_names(value, count) for _, value in members)
    if tool.defer is True:
        yield "defer", lambda members: _has_flag(members, "defer")
    if tool.stream_arguments is True:
        yield "stream_arguments", lambda members: _has_flag(members, "stream")
    if tool.blocking is False:
        yield (
            "blocking",
            lambda members: _has_flag(members, "async") or ("behavior", "NON_BLOCKING") in _plain(members),
        )
    if tool.task_support in ("optional", "required"):
        yield "execution", lambda members: ("taskSupport", tool.task_support) in _plain(members)
    for key in SENT:
        value = key.value_in(tool)
        if key.name not in _REWORDED and key.asks_for(value):
            yield key.name, partial(_has_value, list(value) if isinstance(value, tuple) else value)
    if tool.examples:
        yield "examples", lambda members: len(_examples(members)) == len(tool.examples)
    hints = tool.annotations
    stated = {
        name: getattr(hints, name) for name in hints.__struct_fields__ if getattr(hints, name) is not None
    }
    if stated:
        yield (
            "annotations",
            lambda members: all(_has_hint(members, name, value) for name, value in stated.items()),
        )


def sent_examples(definition: Mapping[str, object], parameters: object) -> list[Any]:
    """Return the examples of calls in a tool object as the provider is sent them, none of `parameters`."""
    return _examples(list(_members(definition, parameters)))


def _examples(members: _Members) -> list[Any]:
    return next((value for key, value in members if "examples" in key and isinstance(value, list)), [])


def _members(value: object, parameters: object) -> Iterator[tuple[str, object]]:
    """Yield every member of an object, at any depth, but for those of the parameters."""
    for key, item in value.items() if isinstance(value, dict) else ():
        if item is parameters:
            continue
        yield key, item
        yield from _members(item, parameters)


def _plain(members: _Members) -> list[tuple[str, object]]:
    return [each for each in members if isinstance(each[1], str)]


def _is_schema(value: object) -> bool:
    return isinstance(value, dict) and not _SCHEMA_WORDS.isdisjoint(value)


def _are_names(value: object, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(isinstance(each, str) for each in value)


def _has_flag(members: _Members, word: str) -> bool:
    return any(value is True and word in key.lower() for key, value in members)


def _has_value(value: object, members: _Members) -> bool:
    return any(item == value for _, item in members)


def _has_hint(members: _Members, name: str, value: str | bool) -> bool:
    start = name.replace("_", "")
    return any(item == value and key.replace("_", "").lower().startswith(start) for key, item in members)
