"""The schemas that apply to the value at one location, each with its wire form."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from ..jsonschema.search import found
from ..runtime.wire import WireForm, WireForms
from ..runtime.wire.wire_form import VALUE
from .schema_judge import Schema, SchemaJudge

PLAIN = WireForm()

FormedSchema = tuple[dict[str, Any], WireForm]
"""An object schema that applies to the value, and its wire form."""
Stated = tuple[Schema, WireForm]
"""A schema of a child, and its way."""


class FormedSchemas:
    """The schemas of one tool for one provider, with their wire forms."""

    def __init__(self, judge: SchemaJudge, wire_forms: WireForms | None) -> None:
        self.judge = judge
        self.root = PLAIN if wire_forms is None else wire_forms.root
        self.definitions: Mapping[str, WireForm] = {} if wire_forms is None else wire_forms.definitions

    def of(self, schema: Schema, form: WireForm) -> Iterator[FormedSchema]:
        """Every object schema that certainly applies to the same value, with its form: itself first."""
        waiting: list[Stated] = [(schema, form)]
        visited: set[tuple[int, int]] = set()
        while waiting:
            node, own = waiting.pop()
            if not isinstance(node, dict) or (id(node), id(own)) in visited:
                continue
            visited.add((id(node), id(own)))
            yield node, own
            reference = node.get("$ref")
            target = self.root if own.ref == "#" else self.definitions.get(own.ref, PLAIN)
            if isinstance(reference, str):
                waiting.append((self.judge.find(reference), target))
            elif own.ref:
                waiting.append(({}, target))
            waiting += [(branch, PLAIN) for branch in node.get("allOf", ())]
            waiting += [({}, form) for form in own.all_of]

    def branches(self, branches: list[Schema], keyword: str, form: WireForm) -> list[Stated]:
        """What to try for each branch of a union, in order; `form` is the union's."""
        if not form.choices:
            return [(branch, shared) for branch in branches for shared in _shared(form)]
        if len(branches) == 1 and not self._chooses(form, branches):
            return [(branches[0], form)]  # of the one branch, which is a union itself
        wire_forms = {
            choice.at.rsplit("/", 2)[-1]: choice.form or PLAIN
            for choice in form.choices
            if choice.at.rsplit("/", 2)[-2:-1] == [keyword]
        }
        return [(branch, wire_forms.get(str(number), PLAIN)) for number, branch in enumerate(branches)]

    def pair_value(self, formed: list[FormedSchema]) -> Schema:
        """The schema of the values where a map stands as a list of pairs."""
        entry: Any = next((node["items"] for node, _ in formed if isinstance(node.get("items"), dict)), {})
        entry = next((node for node, _ in self.of(entry, PLAIN) if "properties" in node), {})
        return entry.get("properties", {}).get(VALUE, True)

    def lists(self, stated: list[Stated]) -> list[FormedSchema]:
        """Those that apply to a list's items, at a child or in a branch of its union."""
        return [
            each_formed
            for schema, _ in stated
            for node, _ in self.of(schema, PLAIN)
            for branch in (node, *node.get("anyOf", ()))
            for each_formed in self.of(branch, PLAIN)
            if "items" in each_formed[0]
        ]

    def _chooses(self, form: WireForm, branches: list[Schema]) -> bool:
        """Whether the choices of a way are those between `branches`."""
        found = {id(self.judge.find(f"#{choice.at}")) for choice in form.choices}
        return any(id(branch) in found for branch in branches)


def properties(formed: list[FormedSchema]) -> dict[str, list[Stated]]:
    """By the name that is sent: every schema of that property, with its way."""
    found: dict[str, list[Stated]] = {}
    for node, form in formed:
        for name, child in node.get("properties", {}).items():
            found.setdefault(name, []).append((child, form.properties.get(name, PLAIN)))
    for name, stated in found.items():
        aside = [each for node, form in formed for each in _aside(node, form, name)]
        stated += _other(aside, stated)
        stated += [each for node, form in formed for each in by_pattern(node, form, name)]
    return found


def items_at(formed: list[FormedSchema], index: int) -> list[Stated]:
    """Every schema of the item at `index`."""
    stated: list[Stated] = []
    aside: list[Stated] = []
    for node, form in formed:
        prefix = node.get("prefixItems", [])
        fixed = index < max(len(prefix), len(form.prefix))
        held = form.prefix[index] if index < len(form.prefix) else None if fixed else form.items
        if index < len(prefix):
            stated.append((prefix[index], held or PLAIN))
        elif not fixed and "items" in node:
            stated.append((node["items"], held or PLAIN))
        elif held is not None:
            aside.append(({}, held))
    return [*stated, *_other(aside, stated)]


def by_pattern(node: dict[str, Any], form: WireForm, name: str) -> Iterator[Stated]:
    """The forms of patterns that apply to a property, with their schemas."""
    patterns = node.get("patternProperties", {})
    for pattern, held in form.patterns.items():
        if found(pattern, name):
            yield patterns.get(pattern, {}), held


def constrains(schema: Schema) -> bool:
    """Whether a schema constrains values: one that accepts all was not widened by null."""
    return isinstance(schema, dict) and not schema.keys() <= {"description", "title", "default", "examples"}


def has_pattern_for(node: dict[str, Any], name: str) -> bool:
    """Whether a pattern of keys applies to `name`."""
    return any(found(pattern, name) is not False for pattern in node.get("patternProperties", {}))


def _aside(node: dict[str, Any], form: WireForm, name: str) -> Iterator[Stated]:
    """The way of a property that others declare and `node` does not."""
    if name not in node.get("properties", ()):
        if name in form.properties:
            yield {}, form.properties[name]
        elif form.values is not None and not form.rest and not form.encoding:
            yield {}, form.values


def _other(aside: list[Stated], stated: list[Stated]) -> list[Stated]:
    """Those of `aside` whose way no schema of `stated` goes: the way of a union is that of its branches."""
    known = {id(form) for _, form in stated}
    return [(schema, form) for schema, form in aside if id(form) not in known]


def _shared(form: WireForm) -> tuple[WireForm, ...]:
    """A form of all branches of a union: its encoding applies only to those that send its JSON type."""
    return (form, replace(form, encoding="")) if form.encoding else (form,)
