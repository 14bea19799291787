"""The rule of the key `inject`: parameters that the program fills in, which models neither see nor set."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from ..runtime.hidden_parameters import PATH
from .fields import check_parameter_name
from .reader_problems import quoted
from .spec_checker import SpecChecker

HINT: Final = (
    "write `context.NAME`, as in `context.user_id`: NAME is a key of the `extra` of a call's context"
)

_REASONS: Final = {
    "secrets": "the program fills it in, so it needs no reference to a secret",
    "runtime_enums": "models do not choose its value, so it needs no enum for them",
    "empty_is_absent": "models do not send it, and the program's value is taken as it is",
    "described_by": "models do not write it, so it has no words of theirs",
}


def inject(
    checker: SpecChecker,
    value: Any,
    known: frozenset[str] | None,
    taken: Mapping[str, Collection[str | None]],
) -> dict[str, str]:
    """Read the key.

    Args:
        checker: receives problems.
        value: its value.
        known: the top-level parameters; None where they cannot be told.
        taken: for each other key that names parameters, those that it names.

    Returns:
        Parameter → path.
    """
    entries = (
        checker.mapping(("inject",), value, "write a line per parameter: `user_id: context.user_id`") or {}
    )
    made: dict[str, str] = {}
    for name, path in entries.items():
        place = ("inject", name)
        check_parameter_name(checker, place, name, known)
        for key, reason in _REASONS.items():
            if name in taken[key]:
                message = f"{quoted(name)} is named by `{key}`, too: {reason}"
                checker.report(
                    place, "injected-twice", message, f"take it out of `{key}`, or of `inject`", key=True
                )
        text = checker.text(place, path)
        if text is None:
            continue
        if not PATH.fullmatch(text):
            message = f"{quoted(text)} is no path to a value of the program's"
            checker.report(place, "bad-path", message, HINT)
        else:
            made[name] = text
    return made
