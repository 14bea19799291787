"""The audiences that look at what providers are sent: each definition is made once.

For each provider: strict mode, what its schema lacks, its limits and what a request costs. For requests that
hold every tool: limits that are passed now. For caches of prompts: from which tool on a request differs, and
how much lies behind. What models read is in `model`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ...jsonschema.pointers import split
from ...lint.finding import Finding
from ...lint.linted_tool import Subject
from ...lint.provider_checks import not_strict, request_limits
from ...lint.tokens import estimate
from ...lint.tool_limits import tool_limits
from ...providers import LedgerEntry, Profile
from ...providers.ledger import NOT_STRICT
from ..change import Change
from ..pairs import Context, Pair
from ..rules import RULES
from ..sent_definitions import Sent, SentPair, sent_pairs
from ..short_texts import listed
from .model import model_changes

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


_SUMMED: Final = ("all_properties", "optional", "unions", "strict_tools")
"""Limits of a request that depend on what its tools hold."""


def request_changes(sent: Sequence[SentPair], context: Context) -> tuple[Change, ...]:
    """What changed for requests that hold every tool.

    Args:
        sent: every pair that may differ, as providers are sent it.
        context: the states; tools that are the same in both are known by name alone.

    Returns:
        The changes, of no single tool. Where a limit depends on what tools hold that were not read, and the
        ones that were read hold more than before, the change is undecided.
    """
    return tuple(change for profile in context.profiles for change in _of_provider(sent, context, profile))


def _of_provider(sent: Sequence[SentPair], context: Context, profile: Profile) -> Iterator[Change]:
    old = [each.old.subject for each in sent if each.old is not None]
    new = [each.new.subject for each in sent if each.new is not None]
    counts = [len(context.new.unchanged) + len(each) for each in (old, new)]
    yield from _tool_limits(counts, context, profile)
    if not context.new.unchanged:
        before = {each.code for each in request_limits(old, profile, "")}
        for each in request_limits(new, profile, ""):
            if each.code not in before and each.code not in ("tools", "advised-tools"):
                rule = "limit-passed" if each.severity == "error" else "advice-passed"
                yield _of_requests(rule, f"{each.message} ({each.code})", context, profile.id, hint=each.fix)
        return
    for name in _grown(old, new, profile):
        message = (
            f"the limit of a request on `{name}` may be passed: the tools that differ hold more than before,"
            f" and {len(context.new.unchanged)} others were not read"
        )
        hint = "`toolcast lint` counts all of them"
        yield _of_requests("limit-unchecked", message, context, profile.id, hint=hint, undecided=True)


def _tool_limits(counts: Sequence[int], context: Context, profile: Profile) -> Iterator[Change]:
    """The limits that only the number of tools decides."""
    before, after = counts
    rows = (
        (profile.limits.tools, "limit-passed", "tools", "accepted"),
        (profile.limits.advised_tools, "advice-passed", "advised-tools", "advised"),
    )
    for limit, rule, code, modal in rows:
        if limit is not None and before <= limit < after:
            message = f"one request would hold {after} tools; at most {limit} are {modal} ({code})"
            hint = "send a part of them: groups that belong together, or those that a task needs"
            yield _of_requests(rule, message, context, profile.id, hint=hint)


def _grown(old: Sequence[Subject], new: Sequence[Subject], profile: Profile) -> Iterator[str]:
    """Limits on sums that these tools may pass alone, or together with others."""
    limits = profile.limits
    sums = [_sums(each, profile) for each in (old, new)]
    for name in _SUMMED:
        if getattr(limits, name) is not None and sums[1][name] > sums[0][name]:
            yield name.replace("_", "-")
    if limits.strict_together and sums[1]["others"] > sums[0]["others"]:
        yield "mixed-strict"


def _sums(subjects: Sequence[Subject], profile: Profile) -> dict[str, int]:
    emitted = [each.emitted[profile.id] for each in subjects if profile.id in each.emitted]
    strict = [each for each in emitted if each.strict or profile.always_strict]
    return {
        "all_properties": sum(len(each.size.properties) for each in emitted),
        "optional": sum(len(each.size.optional) for each in strict),
        "unions": sum(len(each.size.unions) for each in strict),
        "strict_tools": len(strict),
        "others": len(emitted) - len(strict),
    }


def _of_requests(
    rule: str, message: str, context: Context, provider: str, *, hint: str = "", undecided: bool = False
) -> Change:
    return Change(
        rule=rule,
        audience=RULES[rule].audience,
        tool="",
        file=context.new.label,
        message=message,
        hint=hint,
        providers=(provider,),
        undecided=undecided,
    )


class _End(Struct, frozen=True):
    """Where the prefix ends that two requests share."""

    first: str  # the tool whose definition differs, is new or is gone
    behind: int  # tools of the new request from there on
    read: int  # those of them whose definitions are known


def cache_changes(sent: Sequence[SentPair], context: Context) -> tuple[Change, ...]:
    """Where the prefix ends that a request of all tools shares with the one before.

    Args:
        sent: every pair that may differ, as providers are sent it.
        context: the states; tools that are the same in both are known by name alone.

    Returns:
        A change for each place where it ends, with the providers for which it ends there.
    """
    ends: dict[_End, list[str]] = {}
    for profile in context.profiles:
        end = _end(sent, context, profile.id)
        if end is not None:
            ends.setdefault(end, []).append(profile.id)
    return tuple(_prefix_change(end, sent, context, tuple(ids)) for end, ids in ends.items())


def _end(sent: Sequence[SentPair], context: Context, provider: str) -> _End | None:
    names = [name for each in sent if provider in each.differing() for name in _names(each)]
    if not names:
        return None
    first = min(names)
    read = len(_known(sent, first, provider))
    others = sum(name >= first for name in context.new.unchanged)
    return _End(first=first, behind=read + others, read=read)


def _known(sent: Sequence[SentPair], first: str, provider: str) -> list[bytes]:
    """The definitions of the new state from `first` on, of those tools that were read."""
    return [
        each.new.definitions[provider]
        for each in sent
        if each.new is not None and provider in each.new.definitions and each.new.subject.tool.name >= first
    ]


def _names(sent: SentPair) -> Iterator[str]:
    """The names in both states: a tool that was renamed leaves a place and takes another."""
    return (each.subject.tool.name for each in (sent.old, sent.new) if each is not None)


def _prefix_change(
    end: _End, sent: Sequence[SentPair], context: Context, providers: tuple[str, ...]
) -> Change:
    side = next(_side(each, end.first) for each in sent if end.first in _names(each))
    document = side.subject.tool.document
    line, column = document.locate(())
    total = len(context.new.unchanged) + sum(each.new is not None for each in sent)
    message = f"a cached prefix ends before {listed([end.first])}: "
    if end.behind:
        are = "is" if end.behind == 1 else "are"
        tokens = sum(estimate(each.decode()) for each in _known(sent, end.first, providers[0]))
        known = "" if end.read == end.behind else " in those that were compared"
        message += (
            f"{end.behind} of {total} tools {are} read anew, about {tokens} tokens for {providers[0]}{known}"
        )
    else:
        message += "no tool comes after it"
    return Change(
        rule="prefix-ends",
        audience=RULES["prefix-ends"].audience,
        tool="",
        file=document.file,
        line=line,
        column=column,
        old=all(each.new is not side for each in sent),
        message=message,
        providers=providers,
    )


def _side(sent: SentPair, name: str) -> Sent:
    """The state of a pair that has this name; the new one where both have."""
    return next(each for each in (sent.new, sent.old) if each is not None and each.subject.tool.name == name)


def definitions(pairs: Sequence[Pair], context: Context) -> tuple[Change, ...]:
    """What changed for models, providers and caches of prompts.

    Args:
        pairs: every tool that may differ.
        context: the states and the providers.

    Returns:
        The changes of single tools in the order of the pairs, then those of requests that hold all.
    """
    sent = sent_pairs(pairs, context.profiles)
    changes: list[Change] = []
    for each in sent:
        changes += model_changes(each)
        changes += provider_changes(each, context)
    return (*changes, *request_changes(sent, context), *cache_changes(sent, context))
