"""How much of a live server's listing is read. A server may be hostile, or broken."""

from msgspec import Struct


class ListingError(Exception):
    """A server's tools could not be listed, or the list breaks a bound; nothing of it is used."""


class Limits(Struct, frozen=True, kw_only=True):
    """Bounds for what one server says. A tool past its own bounds is refused, alone; a list past its own is
    not read at all.

    Sizes are of JSON text in bytes, `description` in characters, `seconds` for a whole listing. `parts` are
    objects and lists of a schema with its references written out, `patterns` its regular expressions.
    `result_size` is for one answer: its content, decoded, and its structured content as JSON.
    """

    tools: int = 1000
    pages: int = 100
    tool_size: int = 128 * 1024
    parts: int = 10_000
    patterns: int = 64
    list_size: int = 8 * 1024 * 1024
    description: int = 16_384
    seconds: float = 30.0
    result_size: int = 16 * 1024 * 1024

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be more than 0, not {getattr(self, name)!r}.")
