"""Violations, and the errors of the validator."""

from typing import Any

from msgspec import Struct


class Violation(Struct, frozen=True):
    """One violation of a schema, worded for the writer of the value.

    Attributes:
        path: location in the value as msgspec writes it: `$.a.b[0]`, or `$["a b"]` for a key that is no
            identifier. A missing property is reported at its object.
        message: what is wrong, in words.
        keyword: the JSON Schema keyword.
        expected: the keyword's value.
        forms: of a value that is none of several forms: the violations of each form that has its type.
    """

    path: str
    message: str
    keyword: str
    expected: Any = None
    forms: "tuple[tuple[Violation, ...], ...]" = ()


class UnsupportedSchema(ValueError):  # noqa: N818  # a public name
    """A schema that cannot be compiled exactly: malformed, with a remote or dynamic reference, or an endless
    one.

    `pointer` is the JSON pointer of the schema in the document ("" is the root), `reason` one sentence.
    """

    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(f"#{pointer}: {reason}")
        self.pointer = pointer
        self.reason = reason


class UnsupportedPattern(ValueError):  # noqa: N818  # a public name
    """A pattern that is not ECMA-262, or (`valid`) that Python's `re` cannot run exactly.

    `offset` counts the characters before the place; None where there is no one place.
    """

    def __init__(self, reason: str, *, valid: bool = False, offset: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.valid = valid
        self.offset = offset


class TooManyBranches(ValueError):  # noqa: N818  # a public name
    """Judging a value would try more branches of unions than one call may."""

    def __init__(self) -> None:
        super().__init__(
            "the value would have to be compared with too many forms; send a smaller or flatter one"
        )


class SearchTooLong(ValueError):  # noqa: N818  # a public name
    """A search for a pattern needs more steps than one call may take."""

    def __init__(self, pattern: str, length: int) -> None:
        self.pattern = pattern
        shown = pattern if len(pattern) <= 200 else f"{pattern[:200]}…"
        super().__init__(
            f"to find out whether a text of {length} characters matches the pattern `{shown}` would take too "
            "many steps; send a shorter text"
        )
