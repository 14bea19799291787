"""Every check over a project, suppressions applied, findings merged and sorted; permission and secrets of a
spec are compared with its names and texts here."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ...config import Config
from ...diagnostics import Diagnostic, did_you_mean
from ...project.profiles import profiles_of
from ...providers import Profile, placeholders
from ...spec.fields import is_reserved_meta_key
from ...spec.parsed_document import Path
from ...spec.suppressions import in_force
from ...spec.tool_spec import Annotations
from ..recorded_calls import RecordedCalls
from .descriptions import (
    among,
    collisions,
    descriptions,
    duplicates,
    hidden_text,
    imperative_texts,
    name_words,
    properties,
    readable,
    stem,
    text_words,
)
from .finding import RULES, Finding, leveled, merged, unknown_levels
from .flags import deprecations, flags
from .linted_tool import LintedTool, Progress, Project, in_groups, is_selected, load_project, unknown_tools
from .provider_checks import losses, not_strict, request_limits, stale_rules, tool_limits
from .recorded import refused_calls
from .tokens import Tokens, counted, token_budgets, unknown_budgets

# English names have their head last: an `api_key` is a key, a `password_length` is a length.
_SECRETS: Final = among("password passwd passphrase secret credential apikey jwt otp")
_KEYS: Final = among("api access private secret auth signing encryption ssh session service")
_TOKENS: Final = among(
    "access auth authorization authentication api bearer refresh id session security bot user oauth github "
    "gitlab slack personal csrf jwt device deploy"
)
_TAILS: Final = among("value text string")  # no meaning of their own: a `secret_value` is a secret

_DESTRUCTIVE: Final = among(
    "delete remove kill purge overwrite destroy erase wipe truncate terminate uninstall revoke "
    "unlink shred reset discard"
)
_DROPPED: Final = among("table database db schema index column collection view keyspace partition user role")
"""Objects that `drop` destroys; anything else may be dropped somewhere, such as a file onto a page."""
_HARMLESS: Final = among(
    "get list find search read show check count describe fetch view query lookup calculate compute is has "
    "can preview simulate compare validate verify estimate explain analyze analyse"
)


def policy(subject: LintedTool) -> Iterator[Finding]:
    """Yield findings about undeclared or unresolved secrets, and destruction that calls itself reading."""
    yield from _secrets(subject)
    yield from _unresolved(subject)
    if subject.tool.permission == "read":
        yield from _destruction(subject)


def _secrets(subject: LintedTool) -> Iterator[Finding]:
    for path, name, schema in properties(subject.parameters):
        if not looks_secret(name) or not _takes_text(schema):
            continue
        top = _top(path)
        if top is None or top in subject.tool.secrets:
            continue
        message = f"the parameter {readable(path)!r} looks like a secret, but `secrets` does not list {top!r}"
        fix = f"write `secrets: [{', '.join((*subject.tool.secrets, top))}]`"
        yield subject.finding("secret-parameter", message, fix, schema=path)


def _unresolved(subject: LintedTool) -> Iterator[Finding]:
    tool = subject.tool
    if tool.external and tool.secrets:
        names = ", ".join(map(repr, tool.secrets))
        message = f"the calls are carried out elsewhere, with references in place of secrets in {names}"
        fix = "resolve them there and say so in `lint.ignore`, or write `secrets: []`"
        yield subject.finding("unresolved-secrets", message, fix, at=("secrets",))


def looks_secret(name: str) -> bool:
    """Return whether a name ends in a word for a secret: `client_secret` does, `secret_name` does not."""
    words = name_words(name)
    while len(words) > 1 and words[-1] in _TAILS:
        words = words[:-1]
    if not words:
        return False
    before, last = words[-2:-1], stem(words[-1])
    if last in ("key", "token") and before:
        return before[0] in (_KEYS if last == "key" else _TOKENS)
    return last in _SECRETS or words == ("token",)


def _takes_text(schema: Mapping[str, object]) -> bool:
    if "enum" in schema or "const" in schema:
        return False
    stated = schema.get("type", "string")
    types = stated if isinstance(stated, list) else [stated]
    return any(each in ("string", "object", "array") for each in types)


def _top(path: Path) -> str | None:
    """Return the top-level parameter that `path` lies in; a definition's may lie in several."""
    return str(path[1]) if path[:1] == ("properties",) else None


def _destruction(subject: LintedTool) -> Iterator[Finding]:
    tool = subject.tool
    verb = destructive_verb(tool.name, tool.description)
    if verb:
        message = f"{verb}, but `permission` is read"
        fix = "write `permission: write` (or execute), or say why it does no harm in `lint.ignore`"
        yield subject.finding("destructive-read", message, fix, at=("permission",))


def destructive_verb(name: str, description: str) -> str:
    """Return the evidence that the tool destroys something, else an empty text.

    In a name, the first or the last word counts, unless a harmless verb begins it (`list_drops`); in a text
    the first alone, since the rest may speak of other tools.
    """
    words = name_words(name)
    if words and not (_HARMLESS & {words[0]}):
        for word in dict.fromkeys((words[0], words[-1])):
            if word in _DESTRUCTIVE or (word == "drop" and _DROPPED & set(map(stem, words))):
                return f"the name says {word!r}"
    first_words = text_words(description)[:8]
    if first_words and first_words[0] in ("permanently", "irreversibly"):
        first_words = first_words[1:]
    verb = stem(first_words[0]) if first_words else ""
    if verb in _DESTRUCTIVE or (verb == "drop" and _DROPPED & set(map(stem, first_words))):
        return f"the description says {first_words[0]!r}"
    return ""


_HINTS: Final = Annotations.__struct_fields__
"""Those that a spec states; `readOnlyHint` follows from its permission."""


def unstated_annotations(subject: LintedTool, profile: Profile) -> Iterator[Finding]:
    """Yield one finding for all unstated annotations that a provider's tool object could have; MCP's defaults
    are destructive, not idempotent, and open to the world.
    """
    carried = {name for name, _ in placeholders(profile.envelope)}
    missing = [
        name for name in _HINTS if f"${name}" in carried and getattr(subject.tool.annotations, name) is None
    ]
    if not missing:
        return
    names = ", ".join(f"`{name}`" for name in missing)
    message = f"the annotations do not state {names}"
    fix = f"write `annotations: {{{', '.join(f'{name}: …' for name in missing)}}}`"
    yield subject.finding("unstated-annotation", message, fix, at=("annotations",), providers=(profile.id,))


def schema_warnings(subject: LintedTool) -> Iterator[Finding]:
    """Yield a finding for each warning of the compiler."""
    for each in subject.built.diagnostics:
        found = subject.finding("schema-warning", f"{each.message} ({each.code})", each.hint)
        yield replace(found, file=each.file, line=each.line, column=each.column)


def reserved_meta_keys(subject: LintedTool) -> Iterator[Finding]:
    """Yield one finding for each key of `meta` that MCP keeps for itself."""
    for key in subject.tool.meta:
        if is_reserved_meta_key(key):
            message = f"{key!r} is a key of `meta` that is reserved for MCP"
            fix = (
                "take a prefix of your own, such as `com.example/`, or ignore this where MCP defines the key"
            )
            yield subject.finding("reserved-meta-key", message, fix, at=("meta", key))


class Settings(Struct, frozen=True, kw_only=True):
    """The parts to look at; empty tuples mean all. `tools` are names or paths, `today` is the day for
    suppressions and removals.
    """

    today: date
    tools: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    losses: bool = False
    tokens: bool = False
    calls: RecordedCalls | None = None  # what models sent


class LintOutcome(Struct, frozen=True, kw_only=True):
    """The outcome of a run. `refused` are specs that do not compile; nothing is known of them."""

    tools: int
    suppressed: int
    findings: tuple[Finding, ...]
    refused: tuple[Diagnostic, ...]
    tokens: Tokens | None = None


def lint(config: Config, settings: Settings, progress: Progress) -> LintOutcome:
    """Check a project, with the levels and budgets of its configuration.

    Single tools are those of `settings.tools`; the set is all tools, or those of `settings.groups`.
    `progress` receives (done, total).
    """
    return lint_project(config, load_project(config, settings.providers, progress), settings)


def lint_project(config: Config, project: Project, settings: Settings) -> LintOutcome:
    """Check a project that is loaded for `settings.providers`; otherwise as `lint`."""
    refused = [*project.refused, *unknown_levels(config, "lint", config.lint.levels, RULES)]
    refused += unknown_budgets(config, project)
    tools, files = (each.tool for each in project.subjects), (each.file for each in project.refused)
    refused += unknown_tools(settings.tools, tools, files, project.shown_root)
    subjects = [each for each in project.subjects if in_groups(each.tool.group, settings.groups)]
    refused += _unknown_groups(settings.groups, subjects, project)
    found = [*checked(project, subjects, settings), *token_budgets(config, subjects, project.profiles)]
    if settings.calls is not None:
        profiles, _ = profiles_of(config)
        refused += settings.calls.problems
        found += [each for subject in subjects for each in refused_calls(subject, settings.calls, profiles)]
    found += stale_rules(config, settings.today)
    found = leveled(found, config.lint.levels)
    kept, used = suppressed(found, subjects, settings.today)
    off = {code for code, level in config.lint.levels.items() if level == "off"}
    off |= set() if settings.losses else {"lossy"}
    off |= set() if settings.calls else {"refused-calls"}
    off |= {"tokens"} if config.lint.max_tokens.tool is None else set()
    of_suppressions = [*_unused(subjects, used, settings, off), *ended(subjects, settings.today)]
    shown = [
        each for each in (*kept, *leveled(of_suppressions, config.lint.levels))
        if (not settings.select or each.code in settings.select) and each.code not in settings.ignore
    ]  # fmt: skip
    chosen = subjects
    if settings.tools:
        chosen = [each for each in subjects if is_selected(settings.tools, each.tool, project.shown_root)]
        names = {each.tool.name for each in chosen}
        shown = [each for each in shown if each.tool in names]
    return LintOutcome(
        tools=len(chosen),
        suppressed=len(merged([each for each in found if (each.tool, each.code) in used])),
        findings=tuple(merged(shown)),
        refused=tuple(sorted({*refused})),
        tokens=counted(chosen, project.profiles) if settings.tokens else None,
    )


def _unknown_groups(
    groups: Sequence[str], subjects: Sequence[LintedTool], project: Project
) -> Iterator[Diagnostic]:
    for group in groups:
        if any(in_groups(each.tool.group, (group,)) for each in subjects):
            continue
        there = sorted({each.tool.group for each in project.subjects if each.tool.group})
        hint = did_you_mean(group, there, f"groups here: {', '.join(there) or 'none'}")
        message = f"no tool is in the group {group!r}"
        yield Diagnostic(file=project.shown_root, code="unknown-group", message=message, hint=hint)


def checked(project: Project, subjects: Sequence[LintedTool], settings: Settings) -> Iterator[Finding]:
    """Return every finding, suppressed or not."""
    tools = {each.tool.name: each.tool for each in project.subjects}
    for index, subject in enumerate(subjects):
        yield from descriptions(subject)
        yield from policy(subject)
        yield from flags(subject)
        yield from hidden_text(subject)
        yield from imperative_texts(subject)
        yield from reserved_meta_keys(subject)
        yield from schema_warnings(subject)
        yield from deprecations(subject, tools, project.broken, settings.today)
        for profile in project.profiles:
            if profile.id in subject.emitted:
                yield from tool_limits(subject, profile, index)
                yield from not_strict(subject, profile)
                yield from unstated_annotations(subject, profile)
                if settings.losses:
                    yield from losses(subject, profile)
    yield from collisions(subjects)
    yield from duplicates(subjects)
    for profile in project.profiles:
        yield from request_limits(subjects, profile, project.shown_root)


def set_findings(config: Config, project: Project, subjects: Sequence[LintedTool]) -> tuple[Finding, ...]:
    """Return the findings about some tools together, as if there were no others: limits and budgets."""
    found = list(token_budgets(config, subjects, project.profiles))
    for profile in project.profiles:
        found += request_limits(subjects, profile, project.shown_root)
    return tuple(merged(leveled([each for each in found if not each.tool], config.lint.levels)))


def suppressed(
    found: Sequence[Finding], subjects: Sequence[LintedTool], today: date
) -> tuple[list[Finding], set[tuple[str, str]]]:
    """Return the findings that no spec ignores, and the (tool, code) pairs of those that one does."""
    ignored = {(each.tool.name, code) for each in subjects for code in in_force(each.tool.lint_ignore, today)}
    kept = [each for each in found if (each.tool, each.code) not in ignored]
    return kept, {(each.tool, each.code) for each in found} & ignored


def ended(subjects: Sequence[LintedTool], today: date) -> list[Finding]:
    """Report suppressions that have ended."""
    found: list[Finding] = []
    for subject in subjects:
        for code, each in subject.tool.lint_ignore.items():
            if each.until is not None and each.until < today:
                message = f"the suppression of {code!r} ended on {each.until}: it suppresses nothing"
                fix = "correct what is found, or decide anew and change `until`"
                at = ("lint", "ignore", code, "until")
                found.append(subject.finding("ended-ignore", message, fix, at=at))
    return found


def _unused(
    subjects: Sequence[LintedTool], used: set[tuple[str, str]], settings: Settings, off: set[str]
) -> list[Finding]:
    """Report suppressions of what was not found, but for codes that are `off` in this run."""
    if settings.providers or settings.groups:
        return []  # another provider, or the whole set, may well have it
    found: list[Finding] = []
    for subject in subjects:
        for code in in_force(subject.tool.lint_ignore, settings.today):
            if (subject.tool.name, code) in used or code in off:
                continue
            message = f"`lint.ignore` names {code!r}, which was not found here"
            at = ("lint", "ignore", code)
            found.append(subject.finding("unused-ignore", message, "take it out", at=at))
    return found
