"""The changes of a build to the output folder, as a value, and errors of the file system as diagnostics.

generate, check and diff all consume the plan.
"""

import errno
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ...diagnostics import Diagnostic, Severity, has_errors
from .manifest import NAME

_Kind = Literal["new", "changed"]


class Write(Struct, frozen=True, gc=False):
    """One file to write; `old` is its present content, None for a new file."""

    path: str  # posix, below the output root
    content: bytes
    kind: _Kind
    old: bytes | None = None


class Delete(Struct, frozen=True, gc=False):
    """One file of ours that no spec accounts for, with its content."""

    path: str
    old: bytes


class Existing(Struct, frozen=True, gc=False):
    """The file at a path with its content, or an obstacle at `place` on the way to it.

    `ours`: it bears our mark. `intact`: it is known to hold what the last run wrote, and was not read.
    `folder` and `other` (a pipe, a device) are where a file should be, `blocked` is a file where a folder
    should be, `unreadable` has the system's `reason` and a `hint`.
    """

    kind: Literal["file", "intact", "link", "folder", "blocked", "other", "unreadable"]
    content: bytes = b""
    place: str = ""
    reason: str = ""
    hint: str = ""
    ours: bool = False


class Plan(Struct, frozen=True, kw_only=True):
    """Everything that a build would do; with an error among `diagnostics`, nothing may be published."""

    writes: tuple[Write, ...] = ()
    deletes: tuple[Delete, ...] = ()
    unchanged: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def blocked(self) -> bool:
        """Return whether an obstacle forbids publishing."""
        return has_errors(self.diagnostics)

    @property
    def effect(self) -> "Plan":
        """Return what publishing it does: nothing, if there is an obstacle."""
        return replace(self, writes=(), deletes=()) if self.blocked else self

    @property
    def empty(self) -> bool:
        return not self.writes and not self.deletes


def make_plan(
    expected: Mapping[str, bytes | None],
    existing: Mapping[str, Existing],
    owned: frozenset[str],
    *,
    shown_output: str = "",
) -> Plan:
    """Compare what the output folder should hold with what it holds. `expected`: path → content, or None for
    a file that is right already (then `existing` has `intact`). `existing` covers the expected and the
    `owned` paths, which the manifest lists.
    """
    writes: list[Write] = []
    deletes: list[Delete] = []
    problems: list[Diagnostic] = []
    unchanged = 0

    def refuse(path: str, code: str, message: str, hint: str, *, warn: bool = False) -> None:
        shown = "/".join(part for part in (shown_output, path) if part) or "."
        severity: Severity = "warning" if warn else "error"
        problems.append(Diagnostic(file=shown, code=code, message=message, hint=hint, severity=severity))

    for path in sorted(expected):
        content, found = expected[path], existing.get(path)
        if content is None:
            unchanged += 1
        elif found is None:
            writes.append(Write(path, content, "new"))
        elif found.kind != "file":
            refuse(found.place, *_obstacle(found))
        elif found.content == content:
            unchanged += 1
        elif path in owned or found.ours:
            writes.append(Write(path, content, "changed", found.content))
        else:
            message = "a file that toolcast did not write stands in the way"
            refuse(path, "foreign-file", message, _foreign_remedy(path, expected, existing))
    for path in sorted(owned - expected.keys()):
        found = existing.get(path)
        if found is None or found.kind == "folder":  # a torn manifest may name a folder: no file of ours
            continue
        # JSON cannot hold a mark: the manifest lists it, and that must do.
        if found.kind == "file" and (path.endswith(".json") or found.ours):
            deletes.append(Delete(path, found.content))
        elif found.kind == "file" or found.place == path:  # else ours cannot be there any more
            what = "this file" if found.kind == "file" else "what stands here"
            message = f"no spec accounts for {what}, but it does not bear the mark of toolcast, so it stays"
            hint = "delete it by hand, or move it out of the output folder"
            refuse(path, "kept-file", message, hint, warn=True)
    return Plan(
        writes=tuple(writes),
        deletes=tuple(deletes),
        unchanged=unchanged,
        diagnostics=tuple(sorted(set(problems))),
    )


def _foreign_remedy(path: str, expected: Mapping[str, bytes | None], existing: Mapping[str, Existing]) -> str:
    """Return what to do about a foreign file, which may be ours without a manifest."""
    lost = NAME in expected and NAME not in existing
    if lost and any(found.ours for found in existing.values()):
        return f"if it was generated, restore {NAME}, which would say so; if not, move the file elsewhere"
    if path == NAME:
        return "restore it from version control or delete it, then run `toolcast generate`"
    return "move the file elsewhere or delete it, then run `toolcast generate`"


def _obstacle(found: Existing) -> tuple[str, str, str]:
    """Return code, message and hint."""
    match found.kind:
        case "link" if not found.place:
            message = "the output folder is a symbolic link, and links are not followed"
            return "link-in-the-way", message, "set `output` to the folder that it leads to"
        case "link":
            message = "a symbolic link stands in the way, and links are not followed"
            return "link-in-the-way", message, "remove the link, or move it out of the output folder"
        case "folder":
            return "not-a-file", "a folder stands where a file should be", "move the folder elsewhere"
        case "blocked":
            return "not-a-folder", "a file stands where a folder should be", "move the file elsewhere"
        case "unreadable":
            hint = found.hint or "make it readable, or move it elsewhere"
            return "unreadable", f"what stands here cannot be read: {found.reason}", hint
        case _:
            return "not-a-file", "something that is no file stands in the way", "move it elsewhere"


_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_RIGHTS = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def reason(error: OSError) -> str:
    """Return the operating system's own words."""
    return error.strerror or str(error) or type(error).__name__


def remedy(error: OSError) -> str:
    """Return what to do about it; then a run does the rest."""
    if error.errno in _SPACE:
        return "make room on the disk, then run again"
    if error.errno in _RIGHTS:
        return "make the file and its folder writable, then run again"
    if error.errno == errno.ENAMETOOLONG:
        return "give the spec, its group or the output folder a shorter name"
    if isinstance(error, FileExistsError | NotADirectoryError | IsADirectoryError):
        return "move what stands there elsewhere, then run again"
    return "correct that, then run again"


def publish_failure(path: str, error: OSError, done: Plan, plan: Plan, shown_output: str) -> Diagnostic:
    """Report that the disk refused `path` after the part `done` of `plan` was carried out."""
    count, total = (len(each.writes) + len(each.deletes) for each in (done, plan))
    message = (
        f"cannot write or delete: {reason(error)};"
        f" {count} of {total} files were dealt with, every other stands as it did"
    )
    return Diagnostic(file=f"{shown_output}/{path}", code="io-error", message=message, hint=remedy(error))
