"""Arguments that come as text: of prompts, and of the URIs of resources."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeAlias

import msgspec
from msgspec import inspect

from ...runtime.elicitation import choices_of, stated_type
from ...runtime.errors import RefusalError

Complete: TypeAlias = Callable[[str, Mapping[str, str]], Iterable[str] | Awaitable[Iterable[str]]]
"""Proposes values of an argument: from what is typed so far, and the other arguments that are known. A plain
one must not block."""

MOST_VALUES = 100
"""Values that one completion has at most (server/utilities/completion)."""

_SCALARS = (inspect.StrType, inspect.IntType, inspect.FloatType, inspect.BoolType)


class TextArguments:
    """The fields of a Struct that are given as texts. `what` names the prompt or the resource in errors.

    Raises TypeError, naming the field, for a type that has no text, and ValueError for a completion of no
    field.
    """

    def __init__(self, params: type[Any] | None, complete: Mapping[str, Complete], what: str) -> None:
        self._params = params
        self._complete = dict(complete)
        kind = None if params is None else inspect.type_info(params)
        if kind is not None and (not isinstance(kind, inspect.StructType) or kind.array_like):
            raise TypeError(f"{what}: the parameters must be a msgspec Struct, not {params!r}")
        self.fields: dict[str, inspect.Field] = (
            {} if kind is None else {each.encode_name: each for each in kind.fields}
        )
        for name, field in self.fields.items():
            plain = stated_type(field.type)[0]
            if choices_of(plain) is None and not isinstance(plain, _SCALARS):
                raise TypeError(
                    f"{what}: {name!r} comes as text, so it must be a text, a number, a boolean or a choice"
                )
        unknown = complete.keys() - self.fields.keys()
        if unknown:
            raise ValueError(f"{what}: there is no parameter {min(unknown)!r} to complete")

    @property
    def completes(self) -> bool:
        return bool(self._complete) or any(choices_of(field.type) for field in self.fields.values())

    def convert(self, arguments: Mapping[str, str]) -> Any:
        """Return the typed parameters; None without any. Raises RefusalError for what does not fit."""
        unknown = arguments.keys() - self.fields.keys()
        if unknown:
            known = ", ".join(map(repr, self.fields)) or "none"
            raise RefusalError(f"There is no argument {min(unknown)!r:.80}; there are: {known}.")
        if self._params is None:
            return None
        try:
            return msgspec.convert(dict(arguments), self._params, strict=False)
        except msgspec.ValidationError as problem:
            raise RefusalError(f"The arguments do not fit: {problem}") from None

    async def values(self, name: str, typed: str, known: Mapping[str, str]) -> tuple[list[str], int]:
        """Return the values to propose for an argument, and their number before the bound."""
        if (function := self._complete.get(name)) is not None:
            proposed = function(typed, known)
            found = [str(each) for each in (await proposed if isinstance(proposed, Awaitable) else proposed)]
        else:
            field = self.fields.get(name)
            choices = () if field is None else choices_of(field.type) or ()
            start = typed.casefold()
            found = [each for each in choices if each.casefold().startswith(start)]
        return found[:MOST_VALUES], len(found)
