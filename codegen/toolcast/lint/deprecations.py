"""Deprecated tools: what models are told to use instead, and the day of the removal."""

from collections.abc import Collection, Iterator, Mapping
from datetime import date
from difflib import get_close_matches

from ..spec.deprecation import removal_date, replacement
from ..spec.tool_spec import ToolSpec
from .finding import Finding
from .linted_tool import Subject


def deprecations(
    subject: Subject, tools: Mapping[str, ToolSpec], others: Collection[str], today: date
) -> Iterator[Finding]:
    """Findings about `deprecated`.

    Args:
        subject: the tool.
        tools: all tools that compile, by name, whatever part of them is looked at.
        others: names of further tools, of which nothing else is known.
        today: the day that `remove_after` is compared with.

    Yields:
        The findings.
    """
    deprecation = subject.tool.deprecated
    if deprecation is None:
        return
    name = replacement(deprecation)
    if name is not None and name not in others:
        at = ("deprecated", "use")
        if name not in tools:
            near = get_close_matches(name, sorted(tools), 1)
            fix = f"did you mean {near[0]!r}?" if near else "name a tool of this set, or write a sentence"
            message = f"models are told to use {name!r} instead, which is no tool here"
            yield subject.finding("unknown-replacement", message, fix, at=at)
        elif (next_one := tools[name].deprecated) is not None:
            message = f"models are told to use {name!r} instead, which is deprecated, too"
            last = replacement(next_one)
            fix = "name the tool that stays" if last is None else f"name {last!r}"
            yield subject.finding("unknown-replacement", message, fix, at=at)
    day = removal_date(deprecation)
    if day is not None and today > day:
        message = f"the tool was to be removed after {day.isoformat()}"
        fix = "remove the spec, or state another day"
        yield subject.finding("past-removal", message, fix, at=("deprecated", "remove_after"))
