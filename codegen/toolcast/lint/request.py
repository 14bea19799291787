"""What one request may hold, summed over all its tools."""

from collections.abc import Iterator, Sequence

from ..providers import Profile
from .finding import Finding
from .lint_rules import RULES
from .linted_tool import Emitted, Subject
from .provider_errors import answer

_MOST = 3  # tools named as those that weigh most


def request_limits(subjects: Sequence[Subject], profile: Profile, file: str) -> Iterator[Finding]:
    """Findings about the whole set for one provider; `file` is what they are told of."""
    tools = [
        (subject.tool.name, subject.emitted[profile.id])
        for subject in subjects
        if profile.id in subject.emitted
    ]
    strict = [(name, each) for name, each in tools if each.strict or profile.always_strict]
    limits = profile.limits
    yield from _mixed(tools, strict, profile, file)
    over = None if limits.tools is None else len(tools) > limits.tools
    fewer = "send a part of them: groups that belong together, or those that a task needs"
    less = "give up strict mode for some (`providers` of the spec: `strict: false`), or send fewer tools"
    ones: Sequence[int] = [1] * len(tools)
    optional, unions = _counts(strict, "optional"), _counts(strict, "unions")
    rows = (
        ("tools", limits.tools, ones, "tools", fewer, tools),
        ("advised-tools", None if over else limits.advised_tools, ones, "tools", fewer, tools),
        ("strict-tools", limits.strict_tools, ones[: len(strict)], "strict tools", less, strict),
        ("all-properties", limits.all_properties, _counts(tools, "properties"), "properties", fewer, tools),
        ("optional", limits.optional, optional, "optional parameters of strict tools", less, strict),
        ("unions", limits.unions, unions, "unions among parameters of strict tools", less, strict),
    )  # fmt: skip
    for code, limit, counts, noun, fix, counted in rows:
        total = sum(counts)
        if limit is None or total <= limit:
            continue
        modal = "advised" if code.startswith("advised") else "accepted"
        message = f"one request would hold {total} {noun}; at most {limit} are {modal}"
        if counts is not ones and code != "strict-tools":
            message += f" (most: {_heaviest(counted, counts)})"
        said = answer(profile, code, value=total, count=total, length=total, limit=limit)
        yield Finding(
            file=file, code=code, severity=RULES[code].severity, providers=(profile.id,), message=message,
            answer=said, fix=fix,
        )  # fmt: skip


def _mixed(
    tools: Sequence[tuple[str, Emitted]], strict: Sequence[tuple[str, Emitted]], profile: Profile, file: str
) -> Iterator[Finding]:
    """Strict tools and others, for a provider that takes either."""
    others = [name for name, each in tools if not (each.strict or profile.always_strict)]
    if not profile.limits.strict_together or not strict or not others:
        return
    more = f" and {len(others) - _MOST} more" if len(others) > _MOST else ""
    shown = ", ".join(sorted(others)[:_MOST]) + more
    kinds = f"{_counted(len(strict), 'strict tool')} and {_counted(len(others), 'other')}"
    message = f"one request would hold {kinds}; all must be strict, or none"
    fix = (
        f"make strict what is not ({shown}; `not-strict` tells why), or give the mode up in all specs: "
        f"`providers: {{{profile.id}: {{strict: false}}}}`"
    )
    yield Finding(
        file=file, code="mixed-strict", severity=RULES["mixed-strict"].severity, providers=(profile.id,),
        message=message, answer=answer(profile, "mixed-strict", count=len(others)), fix=fix,
    )  # fmt: skip


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _counts(tools: Sequence[tuple[str, Emitted]], what: str) -> list[int]:
    return [len(getattr(each.size, what)) for _, each in tools]


def _heaviest(tools: Sequence[tuple[str, Emitted]], counts: Sequence[int]) -> str:
    ranked = sorted(
        zip(counts, (name for name, _ in tools), strict=True), key=lambda each: (-each[0], each[1])
    )
    return ", ".join(f"{name} {count}" for count, name in ranked[:_MOST] if count)
