"""Where arguments refer to secrets: `<secret_ref:NAME>`."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ...binding import ToolBinding
from ...errors import RefusalError
from ...rewrite_values import rewrite

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_REFERENCE = re.compile(rf"<secret_ref:({NAME.pattern})>")
_BEGUN = re.compile(r"<secret_ref:", re.IGNORECASE)
_NEARLY = re.compile(r"<\s*/?\s*secret[\s_-]*ref(?![a-z0-9])", re.IGNORECASE)
_OPENING = ord("<")  # a number is found in bytes in an eighth of the time of other bytes
_encode = msgspec.json.Encoder().encode
_FORM = "Write <secret_ref:NAME>; a NAME has letters, digits and underscores, 64 at most, and no digit first."


def may_refer(binding: ToolBinding[Any, Any], params: Any) -> bool:
    """Whether `params` may hold a reference, well written or not; false is certain.

    Their JSON is searched, which takes a twentieth of the time of a walk: it writes `<` and letters as they
    are. It leaves out what equals its default, so the defaults of the contract are searched, too.
    """
    try:
        text = _encode(params) + (binding._lazy.defaults or binding._defaults())
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        return True
    # Without the first letter: to a pattern that ignores case, U+017F is an s.
    return _OPENING in text and b"ecret" in text.lower()


def find_references(binding: ToolBinding[Any, Any], params: Any) -> list[str]:
    """The names that `params` refer to, each once, in order. Raises RefusalError for a reference where none
    may stand, and for one that is not written as it must be."""
    names: dict[str, None] = {}
    for wire, value in _parameters(params):
        if wire in binding.secrets:
            rewrite(value, lambda item, wire=wire: _gather(item, wire, names), _no_key)  # type: ignore[misc]
        else:
            rewrite([wire, value], lambda item: _refuse(item, binding), lambda item: _refuse(item, binding))
    return [*names]


def replace_references(binding: ToolBinding[Any, Any], params: Any, values: Mapping[str, str]) -> Any:
    """`params` with values in place of references, once: what a value holds is no reference. Only where
    secrets may stand; everything else is the same object."""

    def change(item: Any) -> Any:
        if not isinstance(item, str) or "<" not in item:
            return item
        return _REFERENCE.sub(lambda found: values[found[1]], item) if _REFERENCE.search(item) else item

    def keep(name: Any) -> Any:
        return name

    if isinstance(params, Mapping):
        listed = {
            name: rewrite(item, change, keep) for name, item in params.items() if name in binding.secrets
        }
        return {**params, **listed}
    new = params
    for name, wire in _names(params):
        old = getattr(params, name)
        item = rewrite(old, change, keep) if wire in binding.secrets else old
        if item is not old:
            if new is params:
                from copy import copy

                new = copy(params)
            msgspec.structs.force_setattr(new, name, item)
    return new


def _names(params: Any) -> Iterator[tuple[str, str]]:
    kind = type(params)
    return zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)


def _parameters(params: Any) -> Iterator[tuple[str, Any]]:
    """Every parameter by its name on the wire; further properties by theirs."""
    if isinstance(params, Mapping):
        yield from params.items()
        return
    extra = getattr(type(params), "__toolcast_extra__", None)
    for name, wire in _names(params):
        value = getattr(params, name)
        if name == extra and isinstance(value, Mapping):
            yield from value.items()
        else:
            yield wire, value


def _gather(item: Any, wire: str, names: dict[str, None]) -> Any:
    if isinstance(item, str) and "<" in item:
        for found in _REFERENCE.finditer(item):
            names[found[1]] = None
        if _NEARLY.search(_REFERENCE.sub("", item)):
            raise RefusalError(f"The parameter {wire!r} has a malformed secret reference. {_FORM}")
    return item


def _no_key(item: Any) -> Any:
    if isinstance(item, str) and _NEARLY.search(item):
        raise RefusalError(
            "A secret reference stands in a property's name. Put it into the property's value instead."
        )
    return item


def _refuse(item: Any, binding: ToolBinding[Any, Any]) -> Any:
    if isinstance(item, str) and "<" in item and _BEGUN.search(item):
        if binding.secrets:
            where = f"Only these parameters may: {', '.join(binding.secrets)}."
        else:
            where = "None of its parameters may; leave the reference out."
        raise RefusalError(
            f"A parameter of tool {binding.name!r} holds a secret reference and may not carry one. {where}"
        )
    return item
