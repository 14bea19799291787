"""The audiences of definitions: each definition is made once.

For each provider: strict mode, losses of its schema, its limits and the cost of a request. For requests that
hold every tool: limits that are passed now. For caches of prompts: from which tool on a request differs, and
how much lies behind. For models: every place that reads differently, with both texts in short.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ....contract.normal_form import member_places, spoken, with_texts
from ....diagnostics import Diagnostic
from ....jsonschema.json_values import JsonMapping
from ....jsonschema.pointers import split
from ....project.core.tool_definitions import definition_ledger, tool_info
from ....providers import LedgerEntry, Profile, ToolInfo, tool_object
from ....providers.ledger import NOT_STRICT
from ....providers.spec_ledger import OWN_TEXT
from ....runtime.definitions import EXAMPLES
from ....spec.deprecation import shown_summary
from ....spec.keys import KEYS
from ....spec.parsed_document import Path
from ....spec.tool_spec import ToolSpec
from ...lint.finding import Finding
from ...lint.linted_tool import LintedTool, emitted_subject, numbered
from ...lint.provider_checks import not_strict, request_limits, tool_limits
from ...lint.tokens import estimate
from ..pairs import Context, Pair, PairSide
from ..places import contract_pointer, differences, listed, named, words_changed
from ..rules import RULES, Change
from .spec_keys import flag_changes


class _Sent:
    """A tool in one state as providers are sent it, made as far as it is asked for. Its schemas are those of
    `like`, where that is stated.
    """

    def __init__(
        self, side: PairSide, profiles: Sequence[tuple[Profile, int]], like: "_Sent | None" = None
    ) -> None:
        self.tool = side.tool
        self._built = side.built
        self._profiles = profiles
        self._like = like

    @cached_property
    def _made(self) -> tuple[LintedTool, tuple[Diagnostic, ...]]:
        if self._like is None:
            return emitted_subject(self.tool, self._built, self._profiles)
        return replace(self._like.subject, tool=self.tool), self._like.problems

    @property
    def subject(self) -> LintedTool:
        """Return the tool with its schemas."""
        return self._made[0]

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """Return why some providers have no definition."""
        return self._made[1]

    @cached_property
    def info(self) -> ToolInfo:
        """Return what definitions may contain, apart from parameters."""
        return tool_info(self.tool, self._built.normal)

    @cached_property
    def definitions(self) -> Mapping[str, bytes]:
        """Return compact JSON by provider."""
        emitted = self.subject.emitted
        return {
            each.id: msgspec.json.encode(tool_object(self.info, each, emitted[each.id].normalized))
            for each, _ in self._profiles
            if each.id in emitted
        }

    def document(self, provider: str) -> Any:
        """Return the contract document with the texts of a provider."""
        document, texts = self._built.document, self.tool.overrides("parameters").get(provider)
        if not texts:
            return document
        found = member_places(self._built.normal.offered(self.tool.inject))
        places = {
            name: [at if at[0] == "$defs" else ("parameters", *at) for at in each]
            for name, each in found.items()
        }
        return with_texts(document, texts, places)

    @property
    def summary(self) -> str:
        """Return the text of brief definitions."""
        return shown_summary(self.tool)


class _SentPair(Struct, frozen=True, kw_only=True):
    pair: Pair
    old: _Sent | None
    new: _Sent | None

    def differing(self, *, brief: bool = False) -> tuple[str, ...]:
        """Return providers whose definition, or brief one, differs; all that have one where a state lacks the
        tool.
        """
        sides = [({} if each is None else each.definitions) for each in (self.old, self.new)]
        ids = dict.fromkeys((*sides[1], *sides[0]))
        texts = [None if each is None else each.summary for each in (self.old, self.new)]
        if brief and texts[0] != texts[1]:
            return tuple(ids)
        return tuple(id for id in ids if sides[0].get(id) != sides[1].get(id))


def sent_pairs(pairs: Sequence[Pair], profiles: Sequence[Profile]) -> tuple[_SentPair, ...]:
    """Make the definitions of pairs, for these providers."""
    dialects = numbered(profiles)
    found: list[_SentPair] = []
    for pair in pairs:
        old = None if pair.old is None else _Sent(pair.old, dialects)
        like = old if _same_schemas(pair) else None
        new = None if pair.new is None else _Sent(pair.new, dialects, like)
        found.append(_SentPair(pair=pair, old=old, new=new))
    return tuple(found)


def _same_schemas(pair: Pair) -> bool:
    old, new = pair.old, pair.new
    if old is None or new is None:
        return False
    one, other = old.tool, new.tool
    return (
        old.built is new.built
        and one.providers == other.providers
        and one.inject.keys() == other.inject.keys()
    )


_READ: Final = tuple(rule for rule, each in RULES.items() if each.audience == "model")
_KEY: Final = EXAMPLES.encode()
_MOST: Final = 100
"""Places of one tool that are named one by one."""


def model_changes(sent: _SentPair) -> tuple[Change, ...]:
    """Return a tool's changes to models, by place of the contract; none for one that was added or removed.

    Each names the providers whose definition differs, nobody where all do.
    """
    pair = sent.pair
    if pair.old is None or pair.new is None or sent.old is None or sent.new is None:
        return ()
    differing = sent.differing(brief=True)
    if not differing:
        return ()
    found = [
        *_texts(pair, pair.old.tool, pair.new.tool, _whom(sent, differing)),
        *_client_data(sent, differing),
        *_examples(sent, differing),
        *_texts_and_schemas(sent, differing),
    ]
    if not found and not _is_explained(pair.old.tool, pair.new.tool):
        id = differing[0]
        before, after = (each.definitions.get(id, b"").decode() for each in (sent.old, sent.new))
        message = f"the definition: {words_changed(before, after)}"
        found.append(pair.change("definition-read", message, providers=_whom(sent, differing)))
    return tuple(found)


def _is_explained(old: ToolSpec, new: ToolSpec) -> bool:
    """Return whether other audiences learn why a definition differs: by hints, strict mode and the like."""
    return any(key.value_in(old) != key.value_in(new) for key in KEYS.values() if key.audience)


def _texts(pair: Pair, old: ToolSpec, new: ToolSpec, providers: tuple[str, ...]) -> Iterator[Change]:
    if old.name != new.name:
        message = f"models call the tool `{new.name}`, and called it `{old.name}`"
        yield pair.change("name-read", message, at=("name",), providers=providers)
    stated = new.document.data if isinstance(new.document.data, dict) else {}
    if old.summary != new.summary and ("summary" in stated or old.description == new.description):
        message = f"the summary: {words_changed(old.summary, new.summary)}"
        yield pair.change("summary-read", message, at=("summary",), providers=providers)
    for rule, message, key in flag_changes(old, new):
        if not key.audience:
            yield pair.change(rule, message, at=(key.name,), providers=providers)


def _whom(sent: _SentPair, ids: Sequence[str]) -> tuple[str, ...]:
    """Return the providers that a change names: nobody where all have it."""
    assert sent.new is not None
    return () if len(ids) == len(sent.new.definitions) else tuple(ids)


def _description(pair: Pair, old: ToolSpec, new: ToolSpec, provider: str) -> Iterator[Change]:
    before, after = (each.overrides("description").get(provider, each.description) for each in (old, new))
    if before != after:
        at: Path = ("description" if "description" in new.document.data else "summary",)
        at = ("providers", provider, "description") if provider in new.overrides("description") else at
        yield pair.change("description-read", f"the description: {words_changed(before, after)}", at=at)


def _client_data(sent: _SentPair, differing: Sequence[str]) -> Iterator[Change]:
    """Yield changes of data for clients beside the model's, for the providers whose tool objects have it."""
    assert sent.old is not None
    assert sent.new is not None
    old, new = sent.old.tool, sent.new.tool
    titles = [each.annotations.title or "" for each in (old, new)]
    for rule, message, at, values in (
        ("title-read", f"the title: {words_changed(*titles)}", ("annotations", "title"), titles),
        ("client-data", "`icons` differs", ("icons",), [old.icons, new.icons]),
        ("client-data", "`meta` differs", ("meta",), [old.meta, new.meta]),
    ):
        before, after = map(msgspec.json.encode, values)
        stated = [
            (sides.definitions, text)
            for sides, value, text in zip((sent.old, sent.new), values, (before, after), strict=True)
            if value
        ]
        providers = [id for id in differing if any(text in known.get(id, b"") for known, text in stated)]
        if before != after and providers:
            yield sent.pair.change(rule, message, at=at, providers=_whom(sent, providers))


def _examples(sent: _SentPair, differing: Sequence[str]) -> Iterator[Change]:
    old, new = (each.definitions for each in (sent.old, sent.new) if each is not None)
    providers = tuple(id for id in differing if _shown(old.get(id, b"")) != _shown(new.get(id, b"")))
    if providers:
        message = "other calls are shown as examples"
        yield sent.pair.change("examples-read", message, at=("examples",), providers=providers)


def _shown(definition: bytes) -> object:
    if _KEY not in definition or not definition.startswith(b"{"):
        return None
    return msgspec.json.decode(definition).get(EXAMPLES)


def _texts_and_schemas(sent: _SentPair, differing: Sequence[str]) -> Iterator[Change]:
    """Yield differences of descriptions and schemas, once for providers that share texts of their own."""
    assert sent.old is not None
    assert sent.new is not None
    readers: dict[bytes, list[str]] = {}
    for id in differing:
        own = [each.tool.providers.get(id) for each in (sent.old, sent.new)]
        readers.setdefault(msgspec.json.encode(own), []).append(id)
    found: list[Change] = []
    for ids in readers.values():
        old, new = sent.old.document(ids[0]), sent.new.document(ids[0])
        texts = _description(sent.pair, sent.old.tool, sent.new.tool, ids[0])
        schemas = () if old is new else _differences(sent.pair, ids[0], old, new)
        found += (replace(each, providers=tuple(ids)) for each in (*texts, *schemas))
    for each in _merged(found):
        yield replace(each, providers=_whom(sent, each.providers))


def _differences(pair: Pair, provider: str, old: JsonMapping, new: JsonMapping) -> Iterator[Change]:
    assert pair.new is not None
    tool = pair.new.tool
    own = tool.overrides("parameters").get(provider, {})
    count = 0
    for each in differences(old, new, pair.renamed_parameters):
        count += 1
        if count <= _MOST:
            message = named(each.pointer, each.message)
            if each.pointer.startswith("/result") and "`result`" not in message:
                message = f"in the result, {message}"
            made = pair.change(each.rule, message, pointer=each.pointer, old=each.old)
            if each.rule == "parameter-description-read" and (name := spoken(each.pointer)) in own:
                at = ("providers", provider, "parameters", name)
                line, column = tool.document.locate(at, key=True)
                made = replace(made, file=tool.document.file, line=line, column=column)
            yield made
    if count > _MOST:
        message = f"{count - _MOST} more places of the schema read differently"
        yield pair.change("constraint-read", message, at=("parameters",))


_GROWTH: Final = 1.25
_LEAST_GROWTH: Final = 20  # tokens
_LEAST_LONGER: Final = 1.1  # a quarter more tokens never is in so few more characters


def provider_changes(sent: _SentPair, context: Context) -> tuple[Change, ...]:
    """Return one tool's changes for providers, joined where several share one; none for a tool that was added
    or removed.
    """
    old, new = sent.old, sent.new
    if old is None or new is None:
        return ()
    found: list[Change] = []
    for profile in context.profiles:
        found += _provider(sent, old, new, profile, context)
    tokens = _tokens(sent, old, new) if context.asks(sent.pair, "tokens-grown") else ()
    return (*_merged(found), *tokens)


def _provider(
    sent: _SentPair, old: _Sent, new: _Sent, profile: Profile, context: Context
) -> Iterator[Change]:
    id, pair = profile.id, sent.pair
    if id not in new.subject.emitted:
        if id in old.subject.emitted:
            problem = next((each for each in new.problems if each.message.startswith(f"{id}: ")), None)
            message = problem.message.removeprefix(f"{id}: ") if problem else "its dialect cannot say it"
            yield pair.change("definition-lost", message, at=("parameters",), providers=(id,))
        return
    losses = context.asks(pair, "ledger-grown", "ledger-moved")
    exceeded = list(tool_limits(new.subject, profile, 0))
    strict = new.subject.emitted[id].strict
    modes = profile.strict is not None and (not strict or context.asks(pair, "strict-gained"))
    if not (losses or exceeded or modes) or id not in old.subject.emitted:
        return
    if losses and not _lose_alike(old, new):
        yield from _losses(sent, old, new, profile)
    found = [*_strictness(sent, old, new, profile), *_limits(sent, old, exceeded, profile)]
    if found and old.definitions[id] != new.definitions[id]:  # a keyword may be lost that no definition shows
        yield from found


def _tokens(sent: _SentPair, old: _Sent, new: _Sent) -> Iterator[Change]:
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


def _strictness(sent: _SentPair, old: _Sent, new: _Sent, profile: Profile) -> Iterator[Change]:
    id, pair = profile.id, sent.pair
    before, after = old.subject.emitted[id].strict, new.subject.emitted[id].strict
    if before == after:
        return
    if after:
        yield pair.change("strict-gained", "the tool is strict now", providers=(id,))
        return
    if new.tool.overrides("strict").get(id) is False:
        message = "the spec gives up strict mode"
        yield pair.change("strict-given-up", message, at=("providers", id), providers=(id,))
        return
    finding = next(not_strict(new.subject, profile), None)
    message = "the tool is no longer strict" if finding is None else finding.message
    change = pair.change("strict-lost", message, providers=(id,), hint=finding.fix if finding else "")
    yield change if finding is None else _placed(change, finding)


def _lose_alike(old: _Sent, new: _Sent) -> bool:
    """Return whether the same is lost of both, because they differ in name and description at most."""
    same = old.subject.emitted is new.subject.emitted
    return same and replace(old.info, name=new.info.name, description=new.info.description) == new.info


def _losses(sent: _SentPair, old: _Sent, new: _Sent, profile: Profile) -> Iterator[Change]:
    """Yield a change for the new entries of each rule about schemas, and for each key of the spec; providers
    with the same share it.
    """
    renamed = sent.pair.renamed_parameters
    before = Counter(_kind(entry) for entry in _entries(old, profile))
    added: dict[tuple[str, str], list[LedgerEntry]] = {}
    had_examples = bool(old.tool.examples)
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
            yield sent.pair.change(rule, message, pointer=contract_pointer(first), providers=providers)


def _entries(sent: _Sent, profile: Profile) -> list[LedgerEntry]:
    """Return entries that neither lint nor a change of strictness or of a text is about."""
    ledger = definition_ledger(sent.info, profile, sent.subject.emitted[profile.id].normalized)
    return [
        each
        for each in ledger
        if each.severity != "reject" and not each.reason.startswith((NOT_STRICT, OWN_TEXT))
    ]


def _kind(entry: LedgerEntry, renamed: Mapping[str, str] | None = None) -> tuple[str, ...]:
    path = entry.path
    for name, former in (renamed or {}).items() if entry.of == "parameters" else ():
        place = f"/properties/{name}"
        if path == place or path.startswith(f"{place}/"):
            path = f"/properties/{former}{path[len(place) :]}"
            break
    return entry.of, path, entry.keyword, entry.action, entry.severity


def _limits(sent: _SentPair, old: _Sent, exceeded: Sequence[Finding], profile: Profile) -> Iterator[Change]:
    """Yield a change for each of the limits `exceeded` that the old state keeps."""
    before = Counter(each.code for each in tool_limits(old.subject, profile, 0)) if exceeded else Counter()
    for finding in exceeded:
        if before[finding.code]:
            before[finding.code] -= 1
            continue
        rule = "limit-passed" if finding.severity == "error" else "advice-passed"
        change = sent.pair.change(
            rule, f"{finding.message} ({finding.code})", providers=(profile.id,), hint=finding.fix
        )
        yield _placed(change, finding)


def _placed(change: Change, finding: Finding) -> Change:
    return replace(change, file=finding.file, line=finding.line, column=finding.column)


def _merged(changes: Sequence[Change]) -> tuple[Change, ...]:
    groups: dict[Change, list[str]] = {}
    for each in changes:
        groups.setdefault(replace(each, providers=()), []).extend(each.providers)
    return tuple(replace(each, providers=tuple(ids)) for each, ids in groups.items())


_OF_COUNTS: Final = ("tools", "advised-tools")
"""Limits of a request that depend on the number of its tools alone."""
_SUMMED: Final = ("all_properties", "optional", "unions", "strict_tools")
"""Limits of a request that depend on what its tools hold."""


def _request_changes(sent: Sequence[_SentPair], context: Context) -> tuple[Change, ...]:
    return tuple(change for profile in context.profiles for change in _of_provider(sent, context, profile))


def _of_provider(sent: Sequence[_SentPair], context: Context, profile: Profile) -> Iterator[Change]:
    old = [each.old for each in sent if each.old is not None]
    new = [each.new for each in sent if each.new is not None]
    counts = [len(context.new.unchanged) + len(each) for each in (old, new)]
    yield from _tool_limits(counts, context, profile)
    if not context.new.unchanged:
        exceeded = [
            each for each in request_limits(_subjects(new), profile, "") if each.code not in _OF_COUNTS
        ]
        known = {each.code for each in request_limits(_subjects(old), profile, "")} if exceeded else ()
        for each in exceeded:
            if each.code not in known:
                rule = "limit-passed" if each.severity == "error" else "advice-passed"
                yield _of_requests(rule, f"{each.message} ({each.code})", context, profile.id, hint=each.fix)
        return
    if "limit-unchecked" not in context.reported:
        return
    for name in _grown(old, new, profile):
        message = (
            f"the limit of a request on `{name}` may be passed: the tools that differ hold more than before,"
            f" and {len(context.new.unchanged)} others were not read"
        )
        hint = "`toolcast lint` counts all of them"
        change = _of_requests("limit-unchecked", message, context, profile.id, hint=hint)
        yield replace(change, undecided=True)


def _subjects(sent: Sequence[_Sent]) -> list[LintedTool]:
    return [each.subject for each in sent]


def _tool_limits(counts: Sequence[int], context: Context, profile: Profile) -> Iterator[Change]:
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


def _grown(old: Sequence[_Sent], new: Sequence[_Sent], profile: Profile) -> Iterator[str]:
    """Yield changes of limits on sums that these tools may pass alone, or together with others."""
    limits = profile.limits
    sums = [_sums(each, profile) for each in (old, new)]
    for name in _SUMMED:
        if getattr(limits, name) is not None and sums[1][name] > sums[0][name]:
            yield name.replace("_", "-")
    if limits.strict_together and sums[1]["others"] > sums[0]["others"]:
        yield "mixed-strict"


def _sums(sent: Sequence[_Sent], profile: Profile) -> dict[str, int]:
    emitted = [each.emitted[profile.id] for each in _subjects(sent) if profile.id in each.emitted]
    strict = [each for each in emitted if each.strict or profile.always_strict]
    return {
        "all_properties": sum(len(each.size.properties) for each in emitted),
        "optional": sum(len(each.size.optional) for each in strict),
        "unions": sum(len(each.size.unions) for each in strict),
        "strict_tools": len(strict),
        "others": len(emitted) - len(strict),
    }


def _of_requests(rule: str, message: str, context: Context, *providers: str, hint: str = "") -> Change:
    return Change(
        rule=rule,
        tool="",
        file=context.new.label,
        message=message,
        hint=hint,
        providers=providers,
    )


class _End(Struct, frozen=True):
    """The end of the prefix that two requests share."""

    first: str  # the tool whose definition differs, is new or is gone
    behind: int  # tools of the new request from there on
    read: int  # those of them whose definitions are known


def _cache_changes(sent: Sequence[_SentPair], context: Context) -> tuple[Change, ...]:
    ends: dict[_End, list[str]] = {}
    for profile in context.profiles:
        end = _end(sent, context, profile.id)
        if end is not None:
            ends.setdefault(end, []).append(profile.id)
    return tuple(_prefix_change(end, sent, context, tuple(ids)) for end, ids in ends.items())


def _end(sent: Sequence[_SentPair], context: Context, provider: str) -> _End | None:
    names = [name for each in sent if provider in each.differing() for name in _names(each)]
    if not names:
        return None
    first = min(names)
    read = len(_known(sent, first, provider))
    others = sum(name >= first for name in context.new.unchanged)
    return _End(first=first, behind=read + others, read=read)


def _known(sent: Sequence[_SentPair], first: str, provider: str) -> list[bytes]:
    """Return the definitions of the new state from `first` on, of those tools that were read."""
    return [
        each.new.definitions[provider]
        for each in sent
        if each.new is not None and provider in each.new.definitions and each.new.tool.name >= first
    ]


def _names(sent: _SentPair) -> Iterator[str]:
    """Return the names in both states: a tool that was renamed leaves a place and takes another."""
    return (each.tool.name for each in (sent.old, sent.new) if each is not None)


def _prefix_change(
    end: _End, sent: Sequence[_SentPair], context: Context, providers: tuple[str, ...]
) -> Change:
    side = next(_side(each, end.first) for each in sent if end.first in _names(each))
    document = side.tool.document
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
    old = all(each.new is not side for each in sent)
    change = _of_requests("prefix-ends", message, context, *providers)
    return replace(change, file=document.file, line=line, column=column, old=old)


def _side(sent: _SentPair, name: str) -> _Sent:
    """Return the state of a pair that has this name; the new one where both have."""
    return next(each for each in (sent.new, sent.old) if each is not None and each.tool.name == name)


def definitions(pairs: Sequence[Pair], context: Context, *, caches: bool = True) -> tuple[Change, ...]:
    """Return the changes for models, providers and, with `caches`, caches of prompts.

    Those of single tools come first, in the order of the pairs, then those of requests that hold all.
    """
    sent = sent_pairs(pairs, context.profiles)
    changes: list[Change] = []
    for each in sent:
        changes += model_changes(each) if context.asks(each.pair, *_READ) else ()
        changes += provider_changes(each, context)
    return (*changes, *_request_changes(sent, context), *(_cache_changes(sent, context) if caches else ()))
