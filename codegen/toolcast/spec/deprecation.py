"""The key `deprecated` of a spec: its schema, what that cannot say, and the notice for models and people."""

import re
from datetime import date
from typing import Final

from ..jsonschema.json_values import JsonMapping
from .spec_checker import TEXT, SpecChecker, Words, closed, quoted
from .tool_names import NAME
from .tool_spec import Deprecation, ToolSpec

_VERSION: Final = r"v?[0-9]{1,9}(?:\.[0-9]{1,9})*(?:[-+.a-zA-Z][-+.0-9A-Za-z]*)?"
_ISO_DATE: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_NO_VERSION: Final = r"(?:[0-9]{8}|[0-9]{4}[-/].*|[0-9]{4}\.[0-9]{1,2}\.[0-9]{1,2})"
"""A text that may have been meant as a date: a mistyped one must not pass for a version."""
_MAX_VERSION: Final = 64  # characters
_REMOVE_AFTER_HINT: Final = "write a date such as 2027-03-01, or a version such as 3.0"
DEPRECATED_WORDS: Final = {
    "": Words(
        hint="write `deprecated: {since: …, use: …, remove_after: …}`, or those of the three that are known"
    ),
    "remove_after": Words(wanted="a date or a version", hint=_REMOVE_AFTER_HINT),
}
DEPRECATED_SCHEMA: Final = closed(
    {
        "since": {**TEXT, "description": "The version or the date of the deprecation."},
        "use": {**TEXT, "description": "The name of the tool to use instead, or a text."},
        "remove_after": {
            "type": "string",
            "maxLength": _MAX_VERSION,
            "pattern": rf"^\s*(?:{_ISO_DATE}|(?!{_NO_VERSION}\s*$){_VERSION})\s*$",
            "description": "The last day, or the last version, that still has the tool.",
        },
    },
    {"since": "2.1", "use": "find_orders", "remove_after": "2027-03-01"},
)


def deprecated(checker: SpecChecker, stated: JsonMapping, name: str | None) -> Deprecation:
    """Check that a tool does not replace itself, and that a date is one of the calendar. Members of `stated`
    that are wrong are None, and so is `name` where the tool has no valid one.
    """
    texts = {
        key: " ".join(text.split()) for key in Deprecation.__struct_fields__ if (text := stated.get(key))
    }
    if name is not None and texts.get("use") == name:
        message = f"{quoted(name)} cannot replace itself"
        checker.report(("deprecated", "use"), "bad-deprecated", message, "name another tool, or write a text")
    found = Deprecation(**texts)
    try:
        removal_date(found)
    except ValueError:  # such as 2027-02-30
        message = f"{quoted(texts['remove_after'])} is not a date"
        checker.report(("deprecated", "remove_after"), "bad-deprecated", message, _REMOVE_AFTER_HINT)
    return found


def removal_date(deprecation: Deprecation) -> date | None:
    """Return the last day of the tool; None where a version is stated, or nothing."""
    text = deprecation.remove_after
    return None if text is None or not re.fullmatch(_ISO_DATE, text) else date.fromisoformat(text)


def replacement(deprecation: Deprecation) -> str | None:
    """Return the name of the tool to use instead; None where `use` is a text, or not stated."""
    return deprecation.use if deprecation.use is not None and NAME.fullmatch(deprecation.use) else None


def notice(deprecation: Deprecation) -> str:
    """State the deprecation as one sentence, on one line."""
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


def shown_description(tool: ToolSpec, provider: str = "") -> str:
    """Return the description as models read it, those of `provider` where it has its own: after the notice,
    where nothing cuts that off.
    """
    text: str = tool.overrides("description").get(provider, tool.description)
    return text if tool.deprecated is None else described(text, tool.deprecated)


def described(description: str, deprecation: Deprecation) -> str:
    """Return a description after the notice."""
    return f"{notice(deprecation)}\n\n{description}"


def shown_summary(tool: ToolSpec) -> str:
    """Return the summary as models read it in brief definitions."""
    return tool.summary if tool.deprecated is None else f"{notice(tool.deprecated)} {tool.summary}"
