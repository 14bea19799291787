"""What lint has to say, as values; how it looks is the command's business."""

from msgspec import Struct

from ..diagnostics import Severity

RANKS: dict[Severity, int] = {"note": 0, "warning": 1, "error": 2}


class Finding(Struct, frozen=True, kw_only=True, order=True):
    """One finding at one place.

    `tool` is empty where the whole set is meant. `providers` are the ids of those concerned, none where every
    provider is. `answer` is what a provider is known to reply, with its name; `fix` is a way out.
    """

    file: str
    line: int = 0
    column: int = 0
    code: str
    severity: Severity
    tool: str = ""
    providers: tuple[str, ...] = ()
    message: str
    answer: str = ""
    fix: str = ""


def merged(findings: list[Finding]) -> list[Finding]:
    """Sorted; findings that differ only by provider are one. The first
    provider's answer and fix stand for all."""
    by: dict[tuple[object, ...], list[Finding]] = {}
    for each in sorted(findings):
        key = (each.file, each.line, each.column, each.code, each.severity, each.tool, each.message)
        by.setdefault(key, []).append(each)
    return [_one(group) for group in by.values()]


def _one(group: list[Finding]) -> Finding:
    first = group[0]
    return Finding(
        file=first.file,
        line=first.line,
        column=first.column,
        code=first.code,
        severity=first.severity,
        tool=first.tool,
        providers=tuple(dict.fromkeys(id for each in group for id in each.providers)),
        message=first.message,
        answer=next((each.answer for each in group if each.answer), ""),
        fix=first.fix,
    )
