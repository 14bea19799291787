"""For each provider: strict mode, what its schema lacks, its limits and what a request costs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from ...jsonschema.pointers import split
from ...lint.finding import Finding
from ...lint.provider_checks import not_strict
from ...lint.tokens import estimate
from ...lint.tool_limits import tool_limits
from ...providers import LedgerEntry, Profile
from ...providers.ledger import NOT_STRICT
from ..change import Change
from ..pairs import Context
from ..sent_definitions import Sent, SentPair

_GROWTH: Final = 1.25
_LEAST_GROWTH: Final = 20  # tokens
_LEAST_LONGER: Final = 1.1  # a quarter more tokens never is in so few more characters


def provider_changes(sent: SentPair, context: Context) -> tuple[Change, ...]:
    """What changed for single providers about one tool.

    Args:
        sent: a tool of both states, as providers are sent it; one that was added or removed has no such
            changes.
        context: has the providers.

    Returns:
        The changes. Those that several providers share are one, which names them.
    """
    old, new = sent.old, sent.new
    if old is None or new is None:
        return ()
    found: list[Change] = []
    for profile in context.profiles:
        found += _provider(sent, old, new, profile)
    return (*_merged(found), *_tokens(sent, old, new))


def _provider(sent: SentPair, old: Sent, new: Sent, profile: Profile) -> Iterator[Change]:
    id, pair = profile.id, sent.pair
    if id not in new.definitions:
        if id in old.definitions:
            problem = next((each for each in new.problems if each.message.startswith(f"{id}: ")), None)
            message = problem.message.removeprefix(f"{id}: ") if problem else "its dialect cannot say it"
            yield pair.change("definition-lost", message, at=("parameters",), providers=(id,))
        return
    if id not in old.definitions:
        return
    yield from _losses(sent, old, new, profile)
    if old.definitions[id] == new.definitions[id]:
        return  # a keyword may be lost that no definition shows
    yield from _strictness(sent, old, new, profile)
    yield from _limits(sent, old, new, profile)


def _tokens(sent: SentPair, old: Sent, new: Sent) -> Iterator[Change]:
    """One change for all providers, with the tokens of the first."""
    grown: dict[str, tuple[int, int]] = {}
    for id in new.definitions.keys() & old.definitions.keys():
        texts = old.definitions[id], new.definitions[id]
        if len(texts[1]) < len(texts[0]) * _LEAST_LONGER:
            continue  # not counted: it is slow
        before, after = (estimate(each.decode()) for each in texts)
        if after >= before * _GROWTH and after - before >= _LEAST_GROWTH:
            grown[id] = before, after
    ids = tuple(id for id in new.definitions if id in grown)
    if ids:
        before, after = grown[ids[0]]
        message = f"the definition has about {after} tokens for {ids[0]}, and had {before}"
        yield sent.pair.change("tokens-grown", message, providers=ids)


def _strictness(sent: SentPair, old: Sent, new: Sent, profile: Profile) -> Iterator[Change]:
    id, pair = profile.id, sent.pair
    before, after = old.subject.emitted[id].strict, new.subject.emitted[id].strict
    if before == after:
        return
    if after:
        yield pair.change("strict-gained", "the tool is strict now", providers=(id,))
        return
    if new.subject.tool.overrides("strict").get(id) is False:
        message = "the spec gives up strict mode"
        yield pair.change("strict-given-up", message, at=("providers", id), providers=(id,))
        return
    finding = next(not_strict(new.subject, profile), None)
    message = "the tool is no longer strict" if finding is None else finding.message
    change = pair.change("strict-lost", message, providers=(id,), hint=finding.fix if finding else "")
    yield change if finding is None else _placed(change, finding)


def _losses(sent: SentPair, old: Sent, new: Sent, profile: Profile) -> Iterator[Change]:
    """For each rule one change for all new entries about schemas, and one for each key of the spec; one, too,
    for all providers that have the same."""
    renamed = sent.pair.renamed_parameters
    before = Counter(_kind(entry) for entry in _entries(old, profile))
    added: dict[tuple[str, str], list[LedgerEntry]] = {}
    had_examples = bool(old.subject.tool.examples)
    for entry in _entries(new, profile):
        kind = _kind(entry, renamed)
        if before[kind]:
            before[kind] -= 1
        elif had_examples or (entry.of, entry.path) != ("spec", "/examples"):  # they are off by default
            rule = "ledger-grown" if entry.severity in ("lost", "changed") else "ledger-moved"
            added.setdefault((rule, entry.keyword if entry.of == "spec" else ""), []).append(entry)
    for (rule, _), entries in added.items():
        first = entries[0]
        more = f"; and {len(entries) - 1} more" if len(entries) > 1 else ""
        message, providers = f"new in the ledger: {first.clause}{more}", (profile.id,)
        if first.of == "spec":
            yield sent.pair.change(rule, message, at=tuple(split(first.path)), providers=providers)
        else:
            yield sent.pair.change(rule, message, pointer=_pointer(first), providers=providers)


def _entries(sent: Sent, profile: Profile) -> list[LedgerEntry]:
    """Entries that neither lint nor a change of strictness is about."""
    ledger = sent.subject.ledger(profile)
    return [each for each in ledger if each.severity != "reject" and not each.reason.startswith(NOT_STRICT)]


def _kind(entry: LedgerEntry, renamed: Mapping[str, str] | None = None) -> tuple[str, ...]:
    path = entry.path
    for name, former in (renamed or {}).items() if entry.of == "parameters" else ():
        place = f"/properties/{name}"
        if path == place or path.startswith(f"{place}/"):
            path = f"/properties/{former}{path[len(place) :]}"
            break
    return entry.of, path, entry.keyword, entry.action, entry.severity


def _pointer(entry: LedgerEntry) -> str:
    """The place in the contract document of an entry about a schema."""
    return entry.path if entry.path.startswith("/$defs/") else f"/{entry.of}{entry.path}"


def _limits(sent: SentPair, old: Sent, new: Sent, profile: Profile) -> Iterator[Change]:
    before = Counter(each.code for each in tool_limits(old.subject, profile, 0))
    for finding in tool_limits(new.subject, profile, 0):
        if before[finding.code]:
            before[finding.code] -= 1
            continue
        rule = "limit-passed" if finding.severity == "error" else "advice-passed"
        change = sent.pair.change(
            rule, f"{finding.message} ({finding.code})", providers=(profile.id,), hint=finding.fix
        )
        yield _placed(change, finding)


def _placed(change: Change, finding: Finding) -> Change:
    """A change at the position of a finding."""
    return replace(change, file=finding.file, line=finding.line, column=finding.column)


def _merged(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Changes that differ by provider alone are one."""
    groups: dict[Change, list[str]] = {}
    for each in changes:
        groups.setdefault(replace(each, providers=()), []).extend(each.providers)
    return tuple(replace(each, providers=tuple(ids)) for each, ids in groups.items())
