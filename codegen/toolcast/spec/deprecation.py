"""The key `deprecated` of a spec: its rules, and the notice that models and people read."""

import re
from datetime import date
from typing import Any, Final

from .reader_problems import quoted
from .spec_checker import SpecChecker
from .tool_names import NAME
from .tool_spec import Deprecation, ToolSpec

VERSION: Final = r"v?[0-9]{1,9}(?:\.[0-9]{1,9})*(?:[-+.a-zA-Z][-+.0-9A-Za-z]*)?"
ISO_DATE: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
NO_VERSION: Final = r"(?:[0-9]{8}|[0-9]{4}[-/].*|[0-9]{4}\.[0-9]{1,2}\.[0-9]{1,2})"
"""What may have been meant as a date: a mistyped one must not pass for a version."""
MAX_VERSION: Final = 64  # characters
REMOVE_AFTER_HINT: Final = "write a date such as 2027-03-01, or a version such as 3.0"
_HINT: Final = "write `deprecated: {since: …, use: …, remove_after: …}`, or those of the three that are known"
_SYNONYMS: Final = {
    "replacement": "use",
    "replaced_by": "use",
    "instead": "use",
    "sunset": "remove_after",
    "removal": "remove_after",
    "message": "use",
}


def deprecated(checker: SpecChecker, value: Any, name: str | None) -> Deprecation | None:
    """Check the key and make a `Deprecation` of it.

    Args:
        checker: receives the problems.
        value: the value of the key.
        name: name of the tool; None where it has no valid one.

    Returns:
        The deprecation, without the members that are wrong; None where the value is no mapping.
    """
    entries = checker.mapping(("deprecated",), value, _HINT)
    if entries is None:
        return None
    checker.known_keys(("deprecated",), entries, Deprecation.__struct_fields__, _SYNONYMS)
    texts: dict[str, str] = {}
    for key in Deprecation.__struct_fields__:
        text = checker.text(("deprecated", key), entries[key]) if key in entries else None
        if text is not None:
            texts[key] = " ".join(text.split())
    if name is not None and texts.get("use") == name:
        message = f"{quoted(name)} cannot replace itself"
        checker.report(("deprecated", "use"), "bad-deprecated", message, "name another tool, or write a text")
    if "remove_after" in texts and not _is_end(texts["remove_after"]):
        message = f"{quoted(texts['remove_after'])} is neither a date nor a version"
        checker.report(("deprecated", "remove_after"), "bad-deprecated", message, REMOVE_AFTER_HINT)
    return Deprecation(**texts)


def removal_date(deprecation: Deprecation) -> date | None:
    """The day after which the tool may be removed; None where a version is stated, or nothing."""
    text = deprecation.remove_after
    return None if text is None or not re.fullmatch(ISO_DATE, text) else date.fromisoformat(text)


def replacement(deprecation: Deprecation) -> str | None:
    """The name of the tool to use instead; None where `use` is a text, or not stated."""
    return deprecation.use if deprecation.use is not None and NAME.fullmatch(deprecation.use) else None


def notice(deprecation: Deprecation) -> str:
    """One sentence that says what `deprecation` does, on one line."""
    text = "Deprecated"
    if deprecation.since is not None:
        text += f" since {deprecation.since}"
    if deprecation.remove_after is not None:
        text += f", to be removed after {deprecation.remove_after}"
    if deprecation.use is None:
        return f"{text}."
    other = replacement(deprecation)
    advice = deprecation.use if other is None else f"use `{other}` instead"
    return f"{text}: {advice}" if advice.endswith((".", "!", "?", "。")) else f"{text}: {advice}."


def _is_end(text: str) -> bool:
    """Whether a text is a day of the calendar as ISO 8601 writes it, or a version."""
    if re.fullmatch(ISO_DATE, text):
        try:
            date.fromisoformat(text)
        except ValueError:
            return False
        return True
    if len(text) > MAX_VERSION or re.fullmatch(NO_VERSION, text):
        return False
    return re.fullmatch(VERSION, text) is not None


def shown_description(tool: ToolSpec) -> str:
    """The description as models read it: with the notice before it, where nothing cuts it off."""
    return tool.description if tool.deprecated is None else f"{notice(tool.deprecated)}\n\n{tool.description}"


def shown_summary(tool: ToolSpec) -> str:
    """The summary as models read it in brief definitions."""
    return tool.summary if tool.deprecated is None else f"{notice(tool.deprecated)} {tool.summary}"
