"""Tools that are not strict where they could be, and schemas that say less than the spec: from the ledger."""

from collections.abc import Iterator

from ..jsonschema.pointers import split
from ..providers import Profile
from ..spec.model import Path
from .finding import Finding
from .linted_tool import Subject
from .provider_errors import answer

_NOT_STRICT = "not strict: "
_CLOSE = "declare the keys, with `additionalProperties: false` if there are no others"
_CHANGES = (
    ("free keys", _CLOSE),
    ("no property declares", _CLOSE),
    ("any type", "say which types the value may have"),
    ("contains itself", "nest as many levels as are needed, without the reference to itself"),
    ("levels of nesting", "nest less"),
)
"""What to change, by words of the reason."""


def not_strict(subject: Subject, profile: Profile) -> Iterator[Finding]:
    """Why a tool fell out of strict mode. Silent where the spec gave the mode up, or where there is none.

    The answer is what the provider would say had the mode been asked for: `not-strict.<keyword>` of the
    profile's answers, else `not-strict`.
    """
    reasons = [
        entry
        for entry in subject.emitted[profile.id].normalized.ledger
        if entry.reason.startswith(_NOT_STRICT) and entry.severity != "reject"
    ]
    if not reasons:
        return
    first = reasons[0]
    more = f"; and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    message = f"not strict, because of `{first.keyword}`: {first.reason.removeprefix(_NOT_STRICT)}{more}"
    change = next((change for words, change in _CHANGES if words in first.reason), "change the schema")
    fix = f"{change}, or give the mode up on purpose: `strict: false` under `providers`"
    path, own = _path(first.path), f"not-strict.{first.keyword}"
    rule = own if own in profile.answers else "not-strict"
    said = answer(profile, rule, path, tool=subject.tool.name, value=first.keyword)
    if said:
        said = f"asked to be strict, {said}"
    yield subject.finding("not-strict", message, fix, schema=path, providers=(profile.id,), answer=said)


def losses(subject: Subject, provider: str) -> Iterator[Finding]:
    """Everything that a provider's schema says less, or otherwise, than the spec."""
    for entry in subject.emitted[provider].normalized.ledger:
        if entry.severity in ("lost", "changed") and not entry.reason.startswith(_NOT_STRICT):
            message = f"`{entry.keyword}` at {entry.path or 'the root'} is {entry.action}: {entry.reason}"
            yield subject.finding("lossy", message, schema=_path(entry.path), providers=(provider,))


def _path(pointer: str) -> Path:
    return tuple(split(pointer))
