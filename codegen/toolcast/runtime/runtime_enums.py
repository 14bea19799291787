"""Enums of values that are known only when the program runs, such as the names of agents.

The generated definition and contract get the values at the parameter; nothing is compiled again.
"""

# What a binding reads from its files is for the modules of a call alone.
# pyright: reportPrivateUsage=false

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ..jsonschema.json_values import JsonMapping, JsonObject
from ..jsonschema.pointers import escape
from ..output_layout import beside_schemas, wire_form_path
from .definitions import cut_definition, without_examples
from .resources import follow, read_resource
from .tool import AnyTool

_UNIONS = ("anyOf", "oneOf")
_DEEP = 8  # references in a row; more are a circle
_OUTSIDE = ("title", "description", "default")


def with_enum(
    node: object, values: tuple[str, ...], root: object, *, mixed: bool = False, deep: int = 0
) -> JsonObject | None:
    """Return `node` with `values` for its strings, or those of its items; None if it takes anything else.
    Null stays: in the enum if that may be `mixed`, else in a branch of its own, because some providers
    (Gemini) take enums of one type only. References are resolved in `root` and written out, since others may
    use the same."""
    if not isinstance(node, Mapping) or deep > _DEEP:
        return None
    if "$ref" in node:
        return _referred(node, values, root, mixed, deep)
    for union in _UNIONS:
        if union in node:
            branches = [
                branch
                if _types(branch) == {"null"}
                else with_enum(branch, values, root, mixed=mixed, deep=deep + 1)
                for branch in node[union]
            ]
            return None if None in branches else {**node, union: branches}
    types = _types(node)
    if types == {"array"} or types == {"array", "null"}:
        items = with_enum(node.get("items"), values, root, mixed=mixed, deep=deep + 1)
        return None if items is None else {**node, "items": items}
    if types != {"string"} and types != {"string", "null"}:
        return None
    rest = {key: value for key, value in node.items() if key not in ("type", "enum")}
    if "null" not in types:
        return {"type": node["type"], "enum": [*values], **rest}
    if mixed:
        return {"type": node["type"], "enum": [*values, None], **rest}
    string, null = (next(t for t in node["type"] if t.lower() == kind) for kind in ("string", "null"))
    outside = {key: rest.pop(key) for key in _OUTSIDE if key in rest}
    return {**outside, "anyOf": [{"type": string, "enum": [*values], **rest}, {"type": null}]}


def _types(node: Any) -> set[str]:
    """Return the JSON types that a schema states; OpenAPI writes them in capitals."""
    stated = node.get("type") if isinstance(node, Mapping) else None
    listed = stated if isinstance(stated, list) else [stated]
    return {str(each).lower() for each in listed if isinstance(each, str)}


def _referred(
    node: JsonMapping, values: tuple[str, ...], root: object, mixed: bool, deep: int
) -> JsonObject | None:
    reference = node["$ref"]
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    try:
        target = follow(root, reference[1:])
    except LookupError:
        return None
    if not isinstance(target, Mapping):
        return None
    siblings = {key: value for key, value in node.items() if key != "$ref"}
    return with_enum({**target, **siblings}, values, root, mixed=mixed, deep=deep + 1)


def describe_enum(
    base: AnyTool, provider: str, whole: object, sent: tuple[str, bool], values: tuple[str, ...]
) -> object:
    """Put an enum at a parameter of a tool object, and the values in the description if its wire form has no
    `enum`. `sent` is the parameter's name there, and whether it is encoded. Raises ValueError if it is not
    there."""
    name, encoded = sent
    found = False

    def put(schema: Any) -> object:
        nonlocal found
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        if not isinstance(properties, Mapping) or name not in properties:
            return schema
        found = True
        return {
            **schema,
            "properties": {**properties, name: _property(properties[name], encoded, values, schema)},
        }

    changed = cut_definition(whole, base.name, None, base.envelopes.get(provider), put)
    if not found:
        raise ValueError(f"The definition of {base.name!r} for {provider!r} has no parameter {name!r}.")
    return changed


def _property(node: object, encoded: bool, values: tuple[str, ...], root: object) -> object:
    changed = None if encoded else with_enum(node, values, root)
    if changed is not None:
        return changed
    words = "One of: " + ", ".join(msgspec.json.encode(value).decode() for value in values) + "."
    before = node.get("description") if isinstance(node, Mapping) else None
    rest = dict(node) if isinstance(node, Mapping) else {}
    return {**rest, "description": f"{before}\n\n{words}" if before else words}


def _wire_names(base: AnyTool, provider: str) -> dict[str, tuple[str, bool]]:
    """Return, for parameters that the provider knows by another name or in another form, that name, and
    whether it is encoded."""
    if provider not in base.wire_forms:
        return {}
    from .wire.wire_form import WireForms  # most tools have one wire form

    path = beside_schemas(base.schemas, wire_form_path(provider, base.name))
    root = msgspec.json.decode(read_resource(base.module, path), type=WireForms).root
    wire = {own: sent for sent, own in root.names.items()}
    found = {}
    for name in base.runtime_enums:
        sent = wire.get(name, name)
        form = root.properties.get(sent)
        found[name] = sent, form is not None and form.encoding != ""
    return found


_Values = Mapping[str, tuple[str, ...]]
"""The values of each enum, by parameter."""

MAX_VALUES = 250
"""Values of one enum: past 250, OpenAI's strict mode bounds their characters, too
(developers.openai.com/api/docs/guides/structured-outputs)."""
MAX_CHARACTERS = 7500
"""Characters of all values: the smallest bound that a provider has for long enums, Moonshot's."""


def check_values(binding: AnyTool, values: Mapping[str, Sequence[str]]) -> _Values:
    """Return values for the `runtime_enums` of `binding`, as tuples. Raises ValueError for other parameters,
    and for values that are not at most MAX_VALUES different strings (MAX_CHARACTERS in all) that the contract
    accepts."""
    for name in values:
        if name not in binding.runtime_enums:
            raise ValueError(_no_such(binding, name))
    return {name: _checked(binding, name, sequence) for name, sequence in values.items()}


def definition_with_values(base: AnyTool, provider: str, values: _Values) -> bytes:
    """Return the tool object of `base` with the enums. Raises UnknownProviderError."""
    whole = msgspec.json.decode(base.definition(provider, strict=True))
    names = _wire_names(base, provider)
    for parameter, allowed in values.items():
        whole = describe_enum(base, provider, whole, names.get(parameter, (parameter, False)), allowed)
    # An example may have a value that is not among these, for which a provider would refuse the request.
    return msgspec.json.encode(without_examples(whole, base.name))


def contract_with_values(base: AnyTool, values: _Values) -> JsonObject:
    """Return the contract file of `base` with the enums. Raises ValueError if it has no place for them."""
    document: JsonObject = {**base._parameters().document()}
    for name, allowed in values.items():
        document["parameters"] = _with_values(document["parameters"], name, allowed, document)
    # Unchanged parts are shared with the base, and a caller may change what it gets.
    copy: JsonObject = msgspec.json.decode(msgspec.json.encode(document))
    return copy


def values_by_attribute(binding: AnyTool, values: _Values) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the values of each attribute of the Struct; a parameter without one gets a name that no Struct
    has."""
    fields = msgspec.structs.fields(binding.params) if hasattr(binding.params, "__struct_fields__") else ()
    known = {field.encode_name: field.name for field in fields}
    return tuple((known.get(name, " "), frozenset(allowed)) for name, allowed in values.items())


def is_allowed(value: object, values: frozenset[str]) -> bool:
    """Tell whether `value` is one of `values`, a list of them, or absent. Else the contract decides."""
    if type(value) is str:
        return value in values
    if type(value) is list:
        return all(type(item) is str and item in values for item in value)
    return value is None or value is msgspec.UNSET


def _checked(binding: AnyTool, name: str, sequence: Sequence[str]) -> tuple[str, ...]:
    where = f"specialise({name}=…) of tool {binding.name!r}"
    if isinstance(sequence, (str, bytes)) or not all(isinstance(value, str) for value in sequence):
        raise ValueError(f"{where} takes a list of strings.")
    values = tuple(sequence)
    if not values or len(values) > MAX_VALUES or sum(map(len, values)) > MAX_CHARACTERS:
        raise ValueError(
            f"{where} takes 1 to {MAX_VALUES} values with {MAX_CHARACTERS} characters in all, not "
            f"{len(values)} with {sum(map(len, values))}. Leave the tool out where there is none."
        )
    twice = next((value for index, value in enumerate(values) if value in values[:index]), None)
    if twice is not None:
        raise ValueError(f"{where} has {twice!r} twice.")
    schema = binding.schema()
    parameter = schema.get("properties", {}).get(name)
    default = parameter.get("default") if isinstance(parameter, dict) else None
    if isinstance(default, str) and default not in values:
        raise ValueError(f"{where} lacks {default!r}, which the spec has for its default.")
    for value in values:
        _check_accepted(binding, name, value, where)
    return values


def _check_accepted(binding: AnyTool, name: str, value: str, where: str) -> None:
    node = binding._parameters()
    below = f"/properties/{escape(name)}"
    try:
        kind = follow(node.document(), node.pointer + below)
        lists = isinstance(kind, dict) and kind.get("type") == "array" and "items" in kind
        validator = node.validator(f"{below}/items" if lists else below)
    except LookupError:
        raise ValueError(
            f"The contract of tool {binding.name!r} has no parameter {name!r} of its own to put values at."
        ) from None
    wrong = validator.violations(value)
    if wrong:
        raise ValueError(f"{where}: the contract refuses {value!r}: {wrong[0].message}.")


def _with_values(parameters: Any, name: str, values: tuple[str, ...], document: Any) -> Any:
    """Put an enum at a parameter of the schema. Raises KeyError if it is not there."""
    properties = parameters["properties"]
    changed = with_enum(properties[name], values, document, mixed=True)
    if changed is None:
        raise ValueError(
            f"Parameter {name!r} has an enum at run time, so it must be a string or a list of strings."
        )
    return {**parameters, "properties": {**properties, name: changed}}


def _no_such(binding: AnyTool, name: str) -> str:
    from difflib import get_close_matches

    known = tuple(binding.runtime_enums)
    if not known:
        return f"Tool {binding.name!r} has no runtime_enums; name {name!r} there in its spec."
    near = get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"It has: {', '.join(known)}."
    return f"{name!r} is none of the runtime_enums of tool {binding.name!r}. {hint}"
