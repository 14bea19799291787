"""Collects the forms that passes noted at nodes in one structure, by which values of a definition are
decoded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from ..jsonschema.json_values import JsonMapping
from ..jsonschema.pointers import escape, unescape
from ..jsonschema.schema_node import SchemaNode, descendants
from ..runtime.wire import WireBranch, WireForm, WireForms
from .node import PLAIN, Node

_ROOT = "#"
_DEFINITION = "#/$defs/"
NULL = frozenset(("null",))
_UNIONS = ("anyOf", "oneOf")
_SAME_VALUE = ("allOf", "if", "then", "else", "not", "dependentSchemas")
"""Keywords whose subschemas apply to the same value: only renamed properties are decoded through them."""
_SOME_ITEMS = ("contains", "unevaluatedItems")
_UNION_KEYWORDS = frozenset((*_UNIONS, *_SAME_VALUE, *_SOME_ITEMS, "unevaluatedProperties"))


def wire_forms_of(out: Node) -> WireForms | None:
    """Return the wire forms of a finished output; `None` if nothing in it is encoded."""
    # Names are the same in every branch of a union, and so need no choice of one.
    same = _SAME_VALUE if any(map(_encodes, descendants(out))) else (*_SAME_VALUE, *_UNIONS)
    forms = {
        _DEFINITION + name: _form(child, f"/$defs/{escape(name)}", same)
        for name, child in out.keywords.get("$defs", {}).items()
    }
    forms[_ROOT] = root = _form(out, "", same)
    used = _used(forms)
    kept = {name: _pruned(form, used) for name, form in forms.items() if name in used}
    whole = _pruned(root, used)
    if whole == PLAIN:
        return None
    if not any(form.ref == _ROOT for each in (whole, *kept.values()) for form in _all(each)):
        kept.pop(_ROOT, None)
    return WireForms(root=whole, definitions=kept)


def _own(node: SchemaNode) -> WireForm:
    return node.form if isinstance(node, Node) else PLAIN


def _encodes(node: SchemaNode) -> bool:
    """Return whether a node is sent in another form than its own, by more than names."""
    form = _own(node)
    return bool(form.encoding or form.rest or form.nulls or form.drops)


def _form(schema: Any, at: str, same: tuple[str, ...]) -> WireForm:
    """Return the wire form of one output node; references are followed later. `same` are keywords whose
    subschemas apply to the same value.
    """
    if not isinstance(schema, SchemaNode):
        return PLAIN
    own, node = _own(schema), schema.keywords
    if own.encoding in ("json", "texts"):
        return own
    if own.encoding == "pairs":
        return replace(own, values=_entry(node.get("items"), f"{at}/items", same))
    reference = node.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        own = replace(own, ref=_name(reference))
    properties = _each(node, "properties", at, same)
    prefix = tuple(
        _some(child, f"{at}/prefixItems/{i}", same) for i, child in enumerate(node.get("prefixItems", ()))
    )
    items = _some(node.get("items"), f"{at}/items", same)
    values = _some(node.get("additionalProperties"), f"{at}/additionalProperties", same)
    if own.rest:
        values = _rest(node, own.rest, at, same)
        properties.pop(own.rest, None)
    if values is None:
        properties = {name: form for name, form in properties.items() if form != PLAIN}
    patterns = _each(node, "patternProperties", at, same)
    found = replace(
        own,
        properties=properties,
        patterns={name: form for name, form in patterns.items() if form != PLAIN},
        prefix=prefix if items or any(prefix) else (),  # items of the prefix are not in `items`
        items=items,
        values=values,
        all_of=()
        if _UNION_KEYWORDS.isdisjoint(node)
        else (*_all_of(node, at, same), *_anywhere(node, at, same)),
    )
    choices = () if "anyOf" in same else _choices(node, at, same)
    if len(choices) == 1 and choices[0].form and found == PLAIN:
        return choices[0].form  # whatever is not of that form is left as it is
    return replace(found, choices=choices)


def _each(node: JsonMapping, keyword: str, at: str, same: tuple[str, ...]) -> dict[str, WireForm]:
    children = node.get(keyword, {})
    return {name: _form(child, f"{at}/{keyword}/{escape(name)}", same) for name, child in children.items()}


def _some(schema: object, at: str, same: tuple[str, ...]) -> WireForm | None:
    form = _form(schema, at, same)
    return None if form == PLAIN else form


def _entry(schema: object, at: str, same: tuple[str, ...]) -> WireForm | None:
    """Return the wire form of the values of a list of pairs."""
    value = schema.keywords.get("properties", {}).get("value") if isinstance(schema, SchemaNode) else None
    return _some(value, f"{at}/properties/value", same)


def _rest(node: JsonMapping, name: str, at: str, same: tuple[str, ...]) -> WireForm | None:
    """Return the wire form of undeclared values; where the property accepts null, its list is in a branch."""
    held = node["properties"][name].keywords
    location = f"{at}/properties/{escape(name)}"
    for i, branch in enumerate(held.get("anyOf", ())):
        if isinstance(branch, SchemaNode) and "items" in branch.keywords:
            held, location = branch.keywords, f"{location}/anyOf/{i}"
    return _entry(held.get("items"), f"{location}/items", same)


def _choices(node: JsonMapping, at: str, same: tuple[str, ...]) -> tuple[WireBranch, ...]:
    """Return the branches of a union, those without a wire form included: a value may be of any."""
    for keyword in _UNIONS:
        branches = node.get(keyword)
        if branches is None:
            continue
        choices = [
            WireBranch(at=f"{at}/{keyword}/{i}", form=_some(branch, f"{at}/{keyword}/{i}", same))
            for i, branch in enumerate(branches)
        ]
        with_form = [i for i, choice in enumerate(choices) if choice.form is not None]
        if len(with_form) == 1 and _alone(branches, with_form[0]):
            return (choices[with_form[0]],)
        if with_form:
            return tuple(choices)
    return ()


def _alone(branches: list[Any], index: int) -> bool:
    """Return whether no other branch accepts a value of the JSON type of the one at `index`."""
    own = _kinds(branches[index])
    others = [_kinds(branch) for i, branch in enumerate(branches) if i != index]
    return all(kind == NULL or (own and kind and kind.isdisjoint(own)) for kind in others)


def _kinds(branch: object) -> frozenset[str]:
    """Return the types that a branch states; empty if it states none, and so accepts any."""
    stated = branch.keywords.get("type") if isinstance(branch, SchemaNode) else None
    return frozenset(stated if isinstance(stated, list) else (stated,) if stated else ())


def _all_of(node: JsonMapping, at: str, same: tuple[str, ...]) -> Iterator[WireForm]:
    """Yield the wire forms of subschemas of `node` that apply to the same value."""
    for keyword in same:
        value = node.get(keyword)
        if value is None:
            continue
        children = value if isinstance(value, list) else value.values() if keyword[0] == "d" else [value]
        for child in children:
            form = _form(child, at, same)
            if form != PLAIN:
                yield form


def _anywhere(node: Mapping[str, object], at: str, same: tuple[str, ...]) -> Iterator[WireForm]:
    """Yield the wire forms of subschemas that apply to some items or properties, used for all: only names."""
    for keyword in _SOME_ITEMS:
        items = _some(node.get(keyword), at, same)
        if items is not None:
            yield WireForm(items=items)
    values = _some(node.get("unevaluatedProperties"), at, same)
    if values is not None:
        yield WireForm(patterns={"": values})


def _name(reference: str) -> str:
    """Return the name of a reference's target in `WireForms.definitions`."""
    if reference in (_ROOT, "#/"):
        return _ROOT
    last = reference.rsplit("/", 1)[-1]
    return _DEFINITION + unescape(last).replace("%25", "%")


def _used(definitions: dict[str, WireForm]) -> frozenset[str]:
    """Return the definitions in which something is encoded, directly or in their targets."""
    used = {name for name, form in definitions.items() if _acts(form, frozenset())}
    while True:
        more = {
            name for name, form in definitions.items() if name not in used and _acts(form, frozenset(used))
        }
        if not more:
            return frozenset(used)
        used |= more


def _acts(form: WireForm, used: frozenset[str]) -> bool:
    return _pruned(form, used) != PLAIN


def _pruned(form: WireForm, used: frozenset[str]) -> WireForm:
    """`form` without parts in which nothing is encoded. `used` are the definitions in which something is."""

    def below(child: WireForm | None) -> WireForm | None:
        if child is None:
            return None
        left = _pruned(child, used)
        return None if left == PLAIN else left

    properties = {name: left for name, child in form.properties.items() if (left := below(child))}
    values = below(form.values)
    if values is not None:  # `values` does not apply to declared properties
        properties = {name: properties.get(name, PLAIN) for name in form.properties}
    prefix = tuple(below(child) for child in form.prefix)
    items = below(form.items)
    all_of = tuple(left for child in form.all_of if (left := below(child)))
    choices = tuple(replace(choice, form=below(choice.form)) for choice in form.choices)
    return replace(
        form,
        ref=form.ref if form.ref in used else "",
        properties=properties,
        prefix=prefix if items or any(prefix) else (),
        items=items,
        patterns={name: left for name, child in form.patterns.items() if (left := below(child))},
        values=values,
        all_of=all_of,
        choices=choices if any(choice.form for choice in choices) else (),
    )


def _all(form: WireForm) -> Iterator[WireForm]:
    """Yield a wire form and every one below it; references are not followed."""
    yield form
    choices = (choice.form for choice in form.choices)
    below = (*form.properties.values(), *form.patterns.values(), *form.prefix, form.items, form.values)
    for child in (*below, *form.all_of, *choices):
        if child is not None:
            yield from _all(child)
