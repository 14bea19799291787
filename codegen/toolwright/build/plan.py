"""What a build would do to the output folder, as a value. generate, check and diff all consume it."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from ..diagnostics import Diagnostic, Severity
from .manifest import is_ours

Kind = Literal["new", "changed"]


class Write(Struct, frozen=True):
    """One file to write. `old` is what stands there now; None for a new file."""

    path: str  # posix, below the output root
    content: bytes
    kind: Kind
    old: bytes | None = None


class Delete(Struct, frozen=True):
    """One file of ours that no spec accounts for any more, with its content."""

    path: str
    old: bytes


class Existing(Struct, frozen=True):
    """What stands at a path: a file with its bytes, something that is no file, or a link in the way.

    `intact` says that a file is known to hold what the last run wrote, so its bytes were not read.
    """

    kind: Literal["file", "intact", "link", "other"]
    content: bytes = b""


class Plan(Struct, frozen=True, kw_only=True):
    """Everything that a build would do. With an error among `diagnostics`, nothing may be published."""

    writes: tuple[Write, ...] = ()
    deletes: tuple[Delete, ...] = ()
    unchanged: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()

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
    """Compare what should stand in the output folder with what does.

    `expected`: path → bytes, or None for a file that is right as it stands (then `existing` says `intact`).
    `existing`: whatever stands at the expected and at the owned paths. `owned`: what the manifest lists.
    """
    writes: list[Write] = []
    deletes: list[Delete] = []
    problems: list[Diagnostic] = []
    unchanged = 0

    def refuse(path: str, code: str, message: str, hint: str, *, warn: bool = False) -> None:
        shown = f"{shown_output}/{path}" if shown_output else path
        severity: Severity = "warning" if warn else "error"
        problems.append(Diagnostic(file=shown, code=code, message=message, hint=hint, severity=severity))

    for path in sorted(expected):
        content, found = expected[path], existing.get(path)
        if content is None:
            unchanged += 1
        elif found is None:
            writes.append(Write(path, content, "new"))
        elif found.kind == "link":
            refuse(path, "link-in-the-way", "a symbolic link stands in the way", "remove the link")
        elif found.kind == "other":
            refuse(path, "not-a-file", "something that is no file stands in the way", "move it elsewhere")
        elif found.content == content:
            unchanged += 1
        elif path in owned or is_ours(found.content):
            writes.append(Write(path, content, "changed", found.content))
        else:
            hint = "move the file elsewhere or delete it, then run `toolwright generate`"
            refuse(path, "foreign-file", "a file that toolwright did not write stands in the way", hint)
    for path in sorted(owned - set(expected)):
        found = existing.get(path)
        if found is None:
            continue
        if found.kind == "file" and _deletable(path, found.content):
            deletes.append(Delete(path, found.content))
        else:
            message = (
                "no spec accounts for this file, but it no longer bears the mark of toolwright, so it stays"
            )
            refuse(
                path,
                "kept-file",
                message,
                "delete it by hand, or move it out of the output folder",
                warn=True,
            )
    return Plan(
        writes=tuple(writes), deletes=tuple(deletes), unchanged=unchanged, diagnostics=tuple(sorted(problems))
    )


def _deletable(path: str, content: bytes) -> bool:
    # JSON has no room for a mark: that it stands in the manifest must do.
    return path.endswith(".json") or is_ours(content)
