"""Secrets of a program: references replaced on the way in, values redacted on the way out."""

import os
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from ...binding import ToolBinding
from ...errors import RefusalError
from .redactor import Redactor
from .searched_values import SHORTEST, is_too_short
from .secret_references import NAME, find_references, may_refer, replace_references

T = TypeVar("T")

Resolver: TypeAlias = Callable[[str], str | Awaitable[str | None] | None]
"""The value of a name, or None; called in the event loop, once per name and call. Slow ones are async."""


class Secrets:
    """A resolver, and the memory of every value that it gave.

    A registry makes one of its own out of a resolver. Give the same one to several registries, so that each
    hides what any of them was given.
    """

    def __init__(self, resolver: Resolver) -> None:
        if not callable(resolver):
            raise TypeError("secrets must be a callable that takes a name and returns its value or None.")
        self._resolver = resolver
        self._redactor = Redactor()

    @property
    def known(self) -> bool:
        """Whether any value was given out, so that there is something to hide."""
        return self._redactor.known

    def concerns(self, binding: ToolBinding[Any, Any], params: Any) -> bool:
        """Whether `fill` must look at `params`; cheap, since it is asked for each call."""
        return bool(binding.secrets) or may_refer(params)

    async def fill(self, binding: ToolBinding[Any, Any], params: Any) -> Any:
        """`params` with values for references; the same object where there is none.

        The contract judged the references, and does not judge the values. Raises RefusalError for a
        reference that is unknown, malformed, or where none may stand; nothing is asked of the resolver then.
        """
        names = find_references(binding, params)
        if not names:
            return params
        values = {name: await self._resolve(name) for name in names}
        return replace_references(binding, params, values)

    async def _resolve(self, name: str) -> str:
        given: Any = self._resolver(name)
        value = await given if isawaitable(given) else given
        if value is None:
            raise RefusalError(f"There is no secret {name!r}. Use a name that you were told, as it is spelt.")
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
        """Redact a value from now on that no reference asked for. Raises ValueError where it is too short."""
        if is_too_short(value):
            raise ValueError(f"The secret {name!r} is too short to be hidden: under {SHORTEST} characters.")
        self._redactor.add(name, value)

    def redact_text(self, text: str) -> str:
        """`text` with `[redacted:NAME]` in place of every value, however it is escaped or encoded."""
        return self._redactor.text(text)

    def redact(self, value: T) -> T:
        """The same at any depth. Where something was found it may be of another type: text for a number."""
        redacted: T = self._redactor.value(value)
        return redacted


_LARGEST = 64 * 1024


class EnvironmentSecrets:
    """Secrets from environment variables: `NAME` is the variable `prefix + NAME`.

    The prefix is what keeps a model from asking for any variable there is, so it has no default; "" is for
    programs whose whole environment may be asked for.
    """

    def __init__(self, *, prefix: str) -> None:
        self._prefix = prefix

    def __call__(self, name: str) -> str | None:
        """The value, read anew each time; None where the variable is not set."""
        return os.environ.get(self._prefix + name)


class FileSecrets:
    """Secrets from a folder with one file each, as Docker and Kubernetes mount them."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)

    def __call__(self, name: str) -> str | None:
        """The file's text without a last line break, read anew each time; None where there is no such file.

        Raises ValueError for a file that is too large or not UTF-8, OSError for one that cannot be read.
        """
        if not NAME.fullmatch(name):
            return None
        try:
            with (self._folder / name).open("rb") as file:
                data = file.read(_LARGEST + 1)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None
        if len(data) > _LARGEST:
            raise ValueError(f"The secret {name!r} is longer than {_LARGEST} bytes.")
        try:
            return data.decode().removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError:
            raise ValueError(f"The secret {name!r} is not UTF-8 text.") from None
