"""Secrets of a program: references in arguments are replaced, values in results are redacted."""

# What a binding reads from its files is for the modules of a call alone.
# pyright: reportPrivateUsage=false

import os
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from copy import copy
from inspect import isawaitable
from typing import Any, TypeAlias, TypeVar

import msgspec

from ...binding import AnyBinding
from ...codec import rewrite
from ...errors import RefusalError
from .redactor import SHORTEST, Redactor, is_too_short

_REFERENCE = re.compile(r"<secret_ref:([A-Za-z_][A-Za-z0-9_]{0,63})>")
_BEGUN = re.compile(r"<secret_ref:", re.IGNORECASE)
_NEARLY = re.compile(r"<\s*/?\s*secret[\s_-]*ref(?![a-z0-9])", re.IGNORECASE)
_OPENING = ord("<")  # a number is found in bytes in an eighth of the time of other bytes
_encode = msgspec.json.Encoder().encode
_FORM = "Write <secret_ref:NAME>; a NAME has letters, digits and underscores, 64 at most, and no digit first."


def _may_refer(binding: AnyBinding, params: object) -> bool:
    """Tell whether `params` may hold a reference, well written or not; false is certain. A search of their
    JSON, which writes `<` and letters as they are, takes a twentieth of the time of a walk. It leaves out
    defaults, so those of the contract are searched, too."""
    try:
        text = _encode(params) + (binding._lazy.defaults or binding._defaults())
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        return True
    # Without the first letter: to a pattern that ignores case, U+017F is an s.
    return _OPENING in text and b"ecret" in text.lower()


def _find_references(binding: AnyBinding, params: object) -> list[str]:
    """Return the names that `params` refer to, each once, in order. Raises RefusalError for a reference where
    none may stand, and for a malformed one."""
    names: dict[str, None] = {}
    for wire, value in _parameters(params):
        if wire in binding.secrets:
            rewrite(value, lambda item, wire=wire: _gather(item, wire, names), _no_key)  # type: ignore[misc]
        else:
            rewrite([wire, value], lambda item: _refuse(item, binding), lambda item: _refuse(item, binding))
    return [*names]


def _replace_references(binding: AnyBinding, params: Any, values: Mapping[str, str]) -> Any:
    """Put values in place of references, once: a value holds no reference. Only where secrets may stand;
    everything else is the same object."""

    def change(item: object) -> object:
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
                new = copy(params)
            msgspec.structs.force_setattr(new, name, item)
    return new


def _names(params: Any) -> Iterator[tuple[str, str]]:
    kind = type(params)
    return zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)


def _parameters(params: Any) -> Iterator[tuple[str, Any]]:
    """Return every parameter by its name on the wire; further properties by theirs."""
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


def _gather(item: object, wire: str, names: dict[str, None]) -> object:
    if isinstance(item, str) and "<" in item:
        for found in _REFERENCE.finditer(item):
            names[found[1]] = None
        if _NEARLY.search(_REFERENCE.sub("", item)):
            raise RefusalError(f"The parameter {wire!r} has a malformed secret reference. {_FORM}")
    return item


def _no_key(item: object) -> object:
    if isinstance(item, str) and _NEARLY.search(item):
        raise RefusalError(
            "A secret reference stands in a property's name. Put it into the property's value instead."
        )
    return item


def _refuse(item: object, binding: AnyBinding) -> object:
    if isinstance(item, str) and "<" in item and _BEGUN.search(item):
        if binding.secrets:
            where = f"Only these parameters may: {', '.join(binding.secrets)}."
        else:
            where = "None of its parameters may; leave the reference out."
        raise RefusalError(
            f"A parameter of tool {binding.name!r} holds a secret reference and may not carry one. {where}"
        )
    return item


T = TypeVar("T")

Resolver: TypeAlias = Callable[[str], str | Awaitable[str | None] | None]
"""The value of a name, or None; called in the event loop, once per name and call. Slow ones are async."""


class Secrets:
    """A resolver, and every value that it returned. A registry makes one from a resolver. Several registries
    with the same object redact what any of them resolved."""

    def __init__(self, resolver: Resolver) -> None:
        """Wrap a resolver.

        Args:
            resolver: a function, sync or async, from a name to its value, or to None. It is called in the
                event loop, once per name and call.

        Raises:
            TypeError: the resolver is not callable.
        """
        if not callable(resolver):
            raise TypeError("secrets must be a callable that takes a name and returns its value or None.")
        self._resolver = resolver
        self._redactor = Redactor()

    @property
    def known(self) -> bool:
        """True if any value was resolved, so that there is something to redact."""
        return self._redactor.known

    def concerns(self, binding: AnyBinding, params: object) -> bool:
        """Tell whether `fill` must examine `params` of a call of `binding`; cheap, since it is called for
        each call. False is certain."""
        return _may_refer(binding, params)

    async def fill(self, binding: AnyBinding, params: object) -> object:
        """Return parameters with values in place of references; the same object if there is none. The
        contract validates the references, and not the values.

        Args:
            binding: binding of the tool; references may stand in its `secrets` parameters only.
            params: typed parameters.

        Raises:
            RefusalError: a reference is unknown, malformed, or stands where none may; the resolver is not
                called then. Or a value is too short to be redacted.
            TypeError: the resolver returned neither text nor None.
        """
        names = _find_references(binding, params)
        if not names:
            return params
        values = {name: await self._resolve(name) for name in names}
        return _replace_references(binding, params, values)

    async def _resolve(self, name: str) -> str:
        resolved: object = self._resolver(name)
        value = await resolved if isawaitable(resolved) else resolved
        if value is None:
            raise RefusalError(
                f"There is no secret {name!r}. Use a name that you were given, spelled exactly."
            )
        if not isinstance(value, str):
            raise TypeError(f"the resolver must return text or None, not {type(value).__name__}")
        if is_too_short(value):
            raise RefusalError(
                f"The secret {name!r} cannot be used: it has fewer than {SHORTEST} characters and could not "
                "be kept out of results. Tell the user to set a longer one."
            )
        self._redactor.add(name, value)
        return value

    def hide(self, name: str, value: str) -> None:
        """Redact a value from now on that no reference resolved.

        Args:
            name: name to write in its place.
            value: the value.

        Raises:
            ValueError: the value has fewer than 8 characters.
        """
        if is_too_short(value):
            raise ValueError(f"The secret {name!r} is too short to be hidden: under {SHORTEST} characters.")
        self._redactor.add(name, value)

    def redact_text(self, text: str) -> str:
        """Return a text with `[redacted:NAME]` for every known value, however it is escaped or encoded."""
        return self._redactor.text(text)

    def redact_texts(self, texts: Sequence[str]) -> list[str]:
        """Return texts that are read one after the other without known values: if the parts of one stand in
        several texts, a mark takes the place of each part."""
        return self._redactor.texts(texts)

    def redact(self, value: T) -> T:
        """Return a value with `[redacted:NAME]` for every known secret at any depth; the same object if
        nothing was found. A number that holds a secret becomes text."""
        redacted: T = self._redactor.value(value)
        return redacted


class EnvironmentSecrets:
    """A resolver that reads environment variables: `NAME` is the variable `prefix + NAME`."""

    def __init__(self, *, prefix: str) -> None:
        """Make a resolver.

        Args:
            prefix: keeps a model from reading any variable, so it has no default; "" is for programs whose
                whole environment may be read.
        """
        self._prefix = prefix

    def __call__(self, name: str) -> str | None:
        """Read a variable.

        Args:
            name: the name in the reference.

        Returns:
            The value, read each time; None where the variable is not set.
        """
        return os.environ.get(self._prefix + name)
