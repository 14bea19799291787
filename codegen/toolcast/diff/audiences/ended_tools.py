"""Tools that end: removed after notice, or without, and notices that change."""

from collections.abc import Iterator

from packaging.version import InvalidVersion, Version

from ...spec.deprecation import notice, removal_date
from ...spec.tool_spec import Deprecation
from ..change import Change
from ..pairs import Context, Pair
from ..short_texts import words_changed


def deprecation(pair: Pair, context: Context) -> tuple[Change, ...]:
    """What changed about the end of a tool.

    Args:
        pair: a tool of both states, or one that was removed.
        context: has the day of the comparison, and the version of the project.

    Returns:
        For a tool that was removed, one change; else those of its notice.
    """
    if pair.new is None:
        return (removal(pair, context),)
    before = None if pair.old is None else pair.old.tool.deprecated
    after = pair.new.tool.deprecated
    if pair.old is None or before == after:
        return ()
    return tuple(_notice(pair, before, after))


def removal(pair: Pair, context: Context) -> Change:
    """Judge the removal of a tool by what its notice announced.

    Args:
        pair: a tool that was removed.
        context: has the day of the comparison, and the version of the project.

    Returns:
        The change.
    """
    assert pair.old is not None
    deprecation = pair.old.tool.deprecated
    name, version = pair.name, context.version
    if deprecation is None:
        message = f"the tool {name} was removed, and was not deprecated before"
        hint = "take it back with `deprecated: {use: …, remove_after: …}`, and remove it later"
        return pair.change("tool-removed", message, old=True, hint=hint)
    if deprecation.remove_after is None:
        message = f"the tool {name} was removed; it was deprecated, and no time was stated"
        return pair.change("tool-removed-unchecked", message, old=True)
    end = deprecation.remove_after
    day = removal_date(deprecation)
    if day is not None:
        passed: bool | None = context.today > day
    else:
        passed = _is_beyond(version, end)
    if passed is None:
        why = "no version of the project is stated" if version is None else f"{version!r} cannot be compared"
        message = f"the tool {name} was removed; whether {end} has passed is not checked: {why}"
        return pair.change("tool-removed-unchecked", message, old=True)
    if passed:
        message = f"the deprecated tool {name} was removed, after {end} as announced"
        return pair.change("tool-removed-in-time", message, old=True)
    message = f"the tool {name} was removed; it was announced to stay until {end}"
    return pair.change("tool-removed-early", message, old=True, hint=f"take it back until {end} has passed")


def _is_beyond(version: str | None, end: str) -> bool | None:
    """Whether a version is later than the last one with the tool; None where that cannot be said."""
    try:
        return None if version is None else Version(version) > Version(end)
    except InvalidVersion:
        return None


def _notice(pair: Pair, before: Deprecation | None, after: Deprecation | None) -> Iterator[Change]:
    if after is None:
        yield pair.change(
            "deprecation-changed", "the tool is no longer deprecated", at=("deprecated",), old=True
        )
        return
    if before is None:
        yield pair.change("deprecated", notice(after), at=("deprecated",))
        return
    if _is_sooner(before.remove_after, after.remove_after):
        message = (
            f"the tool was to stay until {before.remove_after}, and is to stay until {after.remove_after}"
        )
        yield pair.change("removal-sooner", message, at=("deprecated", "remove_after"))
    message = f"the notice of deprecation: {words_changed(notice(before), notice(after))}"
    yield pair.change("deprecation-changed", message, at=("deprecated",))


def _is_sooner(before: str | None, after: str | None) -> bool:
    """Whether an announced time moved towards the present. A first announcement is no such move."""
    if before is None or after is None or before == after:
        return False
    days = [removal_date(Deprecation(remove_after=each)) for each in (before, after)]
    if days[0] is not None and days[1] is not None:
        return days[1] < days[0]
    if days[0] is not None or days[1] is not None:
        return True
    return _is_beyond(before, after) is not False
