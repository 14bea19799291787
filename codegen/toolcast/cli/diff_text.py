"""Compare two states for `toolcast diff`, and print it: as text, data, Markdown, or for a changelog."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import click
import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from ..analysis.diff.compare_states import compare_states, diff_profiles, setting_problems
from ..analysis.diff.outcome import RANKS, Choice, DiffFinding, DiffOutcome, Version, version_change
from ..analysis.diff.rules import (
    AUDIENCES,
    BREAKS_RECORDED,
    NOT_COMPARED,
    RULES,
    Audience,
    Change,
    Recorded,
)
from ..analysis.diff.states import UnreadableStateError
from ..analysis.diff.targets import open_states
from ..colours import paint, wants_colour
from ..config import Config
from ..console import FORMATS, Format, count, cut, json_text, one_line, printable, render
from ..diagnostics import Diagnostic, has_errors
from ..jsonschema.json_values import JsonObject
from ..targets.escapes import code, escaped
from .options import print_diagnostics
from .terminal import Bar

if TYPE_CHECKING:
    from ..analysis.diff.pairs import Pair

Form = Literal["text", "json", "github", "markdown", "changelog", "sarif"]
_UNUSABLE = 2  # exit status

_LONGEST = 160
"""Characters of a value that is shown."""
_MARKS = {"error": "❌", "warning": "⚠️", "note": "ℹ️"}
_TITLES = {
    "calls": "Calls that were valid",
    "results": "Results that readers expect",
    "code": "Python written against the generated code",
    "model": "What a model reads",
    "provider": "Definitions for providers",
    "trust": "What the tool may do",
    "cache": "Prompt caches",
}


def text(outcome: DiffOutcome, colour: bool, *, fingerprints: bool = False) -> Iterator[str]:
    """Yield the lines for a terminal, the tools with errors first."""
    for tool, findings in _by_tool(outcome.findings):
        place = findings[0].change.file
        yield f"{paint(one_line(tool) or 'the whole set', 'bold', colour)}  {one_line(place)}"
        for each in findings:
            yield from _lines(each, colour, fingerprints)
        yield ""
    yield summary(outcome, colour)


def _by_tool(findings: Sequence[DiffFinding]) -> list[tuple[str, list[DiffFinding]]]:
    grouped: dict[str, list[DiffFinding]] = {}
    for each in findings:
        grouped.setdefault(each.change.tool, []).append(each)
    return sorted(
        grouped.items(), key=lambda item: (min(RANKS[each.level] for each in item[1]), item[0] == "", item[0])
    )


def _lines(each: DiffFinding, colour: bool, fingerprints: bool) -> Iterator[str]:
    change = each.change
    kind = paint(f"{each.level}[{change.rule}]", each.level, colour)
    whom = f" [{', '.join(map(one_line, change.providers))}]" if change.providers else ""
    is_note = each.level == "note"
    where = f" ({place(change)})" if is_note and change.line else ""
    yield f"  {kind} ({change.audience}): {_indented(change.message)}{whom}{one_line(where)}"
    rows = [("at", place(change))] if change.line and not is_note else []
    if change.witness is not None and not is_note:
        rows.append((_value_title(change), shown(change.witness.value)))
        rows.append(("refused", cut(change.witness.refusal, _LONGEST)))
    if change.recorded is not None:
        rows.append(("recorded", _recorded(change.recorded)))
    if change.hint and not is_note:
        rows.append(("hint", change.hint))
    if fingerprints:
        rows.append(("accept", change.fingerprint))
    for name, value in rows:
        yield f"    {paint(f'{name}:', 'hint', colour)} {one_line(value)}"


def _recorded(recorded: Recorded) -> str:
    return f"breaks {recorded.broken:,} of {count(recorded.calls, 'call')}"


def _value_title(change: Change) -> str:
    return "result" if change.audience == "results" else "call"


def place(change: Change) -> str:
    """Return file, line and column of a change; those of the old state are marked."""
    position = f"{change.file}:{change.line}" + (f":{change.column}" if change.column else "")
    return f"{position} (old)" if change.old else position


def shown(value: object) -> str:
    """Return a JSON value on one line, cut where it is long."""
    return cut(msgspec.json.encode(value).decode(), _LONGEST)


def _indented(text: str) -> str:
    return "\n    ".join(printable(line) for line in text.splitlines()) if "\n" in text else printable(text)


def summary(outcome: DiffOutcome, colour: bool) -> str:
    """Return the last line: how much differs, and for whom."""
    counted = counts(outcome.findings)
    parts = [paint(count(number, level), level, colour) for level, number in counted.items()]
    found = ", ".join(parts) or paint(_nothing(outcome), "error" if outcome.failed else "add", colour)
    audiences = Counter(each.change.audience for each in outcome.findings if each.level == "error")
    whom = f" (errors for {', '.join(name for name in AUDIENCES if name in audiences)})" if audiences else ""
    suppressed = f", {len(outcome.suppressed)} suppressed" if outcome.suppressed else ""
    tools = "tool differs" if len(outcome.pairs) == 1 else "tools differ"
    states = f"{one_line(outcome.old)} → {one_line(outcome.new)}"
    return f"toolcast: {states}: {len(outcome.pairs)} {tools}: {found}{whom}{suppressed}"


def _nothing(outcome: DiffOutcome) -> str:
    problems = sum(each.severity == "error" for each in outcome.diagnostics)
    if not problems:
        return "nothing that anyone would notice"
    return f"{count(problems, 'problem')}, so not all is compared"


def counts(findings: Iterable[DiffFinding]) -> dict[str, int]:
    """Count the findings of each level, the worst first."""
    levels = Counter(each.level for each in findings)
    return {level: levels[level] for level in ("error", "warning", "note") if levels[level]}


def _as_diagnostic(each: DiffFinding) -> Diagnostic:
    """Return a finding as an annotation; a position of the old state is none of the present file."""
    change = each.change
    whom = f" [{', '.join(change.providers)}]" if change.providers else ""
    tool = f"{change.tool}: " if change.tool else ""
    message = f"{tool}{change.message}{whom} (for {change.audience})"
    if change.witness is not None:
        message += f"\n{_value_title(change)}: {shown(change.witness.value)}"
        message += f"\nrefused: {cut(change.witness.refusal, _LONGEST)}"
    if change.recorded is not None:
        message += f"\nrecorded: {_recorded(change.recorded)}"
    level = "note" if each.level == "off" else each.level
    return Diagnostic(
        file=change.file,
        line=0 if change.old else change.line,
        column=0 if change.old else change.column,
        severity=level,
        code=change.rule,
        message=message,
        hint=change.hint,
    )


# -- Markdown --------------------------------------------------------------------------------------


def markdown(outcome: DiffOutcome) -> Iterator[str]:
    """Yield the lines of a comment in a review, by audience; notes are folded."""
    counted = counts(outcome.findings)
    found = ", ".join(count(number, level) for level, number in counted.items())
    tools = "tool differs" if len(outcome.pairs) == 1 else "tools differ"
    yield f"### Tools: {code(outcome.old)} → {code(outcome.new)}"
    yield ""
    yield f"{len(outcome.pairs)} {tools}: {found or _nothing(outcome)}."
    for problem in outcome.diagnostics:
        if problem.severity == "error":
            yield from ("", f"❌ {code(problem.file)}: {escaped(problem.message)}")
    for audience in AUDIENCES:
        of_audience = [each for each in outcome.findings if each.change.audience == audience]
        heard = [each for each in of_audience if each.level != "note"]
        if heard:
            yield from ("", f"#### {_TITLES[audience]}", "")
            for each in heard:
                yield from _item(each)
    notes = [each for each in outcome.findings if each.level == "note"]
    if notes:
        yield from ("", f"<details><summary>{count(len(notes), 'note')}</summary>", "")
        for each in notes:
            yield from _item(each)
        yield from ("", "</details>")


def _item(each: DiffFinding) -> Iterator[str]:
    change = each.change
    whom = f" ({', '.join(map(escaped, change.providers))})" if change.providers else ""
    tool = f"**{escaped(change.tool)}**: " if change.tool else ""
    where = f", {code(place(change))}" if change.line else ""
    rule = f"{code(change.rule)}, {change.audience}{where}"
    yield f"- {_MARKS[each.level]} {tool}{escaped(change.message)}{whom} ({rule})"
    if change.witness is not None:
        value, refusal = code(shown(change.witness.value)), escaped(cut(change.witness.refusal, _LONGEST))
        yield f"  - {_value_title(change)}: {value}; refused: {refusal}"
    if change.recorded is not None:
        yield f"  - recorded: {_recorded(change.recorded)}"


_Kind = Literal["removed", "renamed", "breaking", "deprecated", "added", "changed", "not compared"]
_KINDS: Final[tuple[_Kind, ...]] = get_args(_Kind)
"""The headings, in their order."""

_TOLD: Final[frozenset[Audience]] = frozenset({"calls", "results", "code", "model", "trust"})
"""Whoever uses a tool notices these; definitions for providers and caches are for those who run it."""
_TOOL_RULES: Final = frozenset({"tool-added", "tool-removed", "tool-renamed", NOT_COMPARED, BREAKS_RECORDED})


class _Entry(Struct, frozen=True, kw_only=True):
    """The sentences about one tool under one heading."""

    kind: _Kind
    tool: str
    sentences: tuple[str, ...]


def _entries_of(outcome: DiffOutcome) -> tuple[_Entry, ...]:
    """Return the entries of a changelog, by heading and name, suppressed changes included."""
    by_tool: dict[str, list[DiffFinding]] = {}
    for each in (*outcome.findings, *outcome.suppressed):
        by_tool.setdefault(each.change.tool, []).append(each)
    found = [entry for pair in outcome.pairs for entry in _tool_entries(pair, by_tool.get(pair.name, []))]
    found += [
        _Entry(
            kind="not compared", tool=each.change.tool or each.change.file, sentences=(each.change.message,)
        )
        for each in outcome.findings
        if each.change.rule == NOT_COMPARED
    ]
    return tuple(sorted(found, key=lambda each: (_KINDS.index(each.kind), each.tool)))


def _tool_entries(pair: "Pair", findings: list[DiffFinding]) -> Iterator[_Entry]:
    name = pair.name
    if pair.new is None:
        yield _Entry(kind="removed", tool=name, sentences=(_gone(pair),))
        return
    if pair.old is None:
        yield _Entry(kind="added", tool=name, sentences=(pair.new.tool.summary,))
        return
    if pair.renamed_from:
        sentence = f"called `{pair.renamed_from}` before; calls by that name fail"
        yield _Entry(kind="renamed", tool=name, sentences=(sentence,))
    told = [
        each for each in findings if each.change.audience in _TOLD and each.change.rule not in _TOOL_RULES
    ]
    told.sort(key=lambda each: each.change.rule)
    before, after = pair.old.tool.deprecated, pair.new.tool.deprecated
    if after is not None and before is None:
        use = f"use `{after.use}` instead" if after.use else "it will be removed"
        until = f"; it is removed after {after.remove_after}" if after.remove_after and after.use else ""
        until = f" after {after.remove_after}" if after.remove_after and not after.use else until
        yield _Entry(kind="deprecated", tool=name, sentences=(f"{use}{until}",))
    breaking = _sentences(each for each in told if each.level == "error")
    if breaking:
        yield _Entry(kind="breaking", tool=name, sentences=breaking)
    changed = tuple(
        each for each in _sentences(each for each in told if each.level != "error") if each not in breaking
    )
    if changed:
        yield _Entry(kind="changed", tool=name, sentences=changed)


def _gone(pair: "Pair") -> str:
    assert pair.old is not None
    deprecated = pair.old.tool.deprecated
    if deprecated is not None and deprecated.use:
        return f"use `{deprecated.use}` instead"
    return pair.old.tool.summary


def _sentences(findings: Iterable[DiffFinding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_sentence(each.change) for each in findings))


def _sentence(change: Change) -> str:
    return f"in the result, {change.message}" if change.audience == "results" else change.message


def changelog(entries: Sequence[_Entry], *, incomplete: bool) -> Iterator[str]:
    """Yield the lines for a changelog, in Markdown."""
    if not entries:
        yield "No tool that can be compared changed." if incomplete else "No tool changed."
        return
    first = True
    for kind in _KINDS:
        of_kind = [each for each in entries if each.kind == kind]
        if not of_kind:
            continue
        if not first:
            yield ""
        first = False
        yield f"### {kind.capitalize()}"
        yield ""
        for each in of_kind:
            if len(each.sentences) == 1:
                yield f"- {code(each.tool)}: {escaped(each.sentences[0])}"
            else:
                yield f"- {code(each.tool)}"
                yield from (f"  - {escaped(sentence)}" for sentence in each.sentences)


def plain_format(form: Form) -> Format:
    """Return the form of diagnostics where nothing can be compared."""
    return "json" if form == "sarif" else form if form in FORMATS else "text"


def compared(
    config: Config,
    sides: tuple[str | None, str | None],
    choice: Choice,
    providers: tuple[str, ...],
    form: Form = "text",
) -> DiffOutcome:
    """Compare `sides`, the old one and the new one, or end the command where something cannot be read."""
    profiles, problems = diff_profiles(config, providers)
    if problems := (*problems, *setting_problems(config)):
        raise _unusable(problems, form)
    with Bar("comparing") as bar:
        try:
            states = open_states(config, *sides, frozenset(profiles.known))
            return compare_states(config, profiles, states, choice, bar)
        except UnreadableStateError as error:
            problem = error.problem
    raise _unusable((problem,), form)


def _unusable(problems: Sequence[Diagnostic], form: Form) -> click.exceptions.Exit:
    print_diagnostics(problems, plain_format(form))
    return click.exceptions.Exit(_UNUSABLE)


def list_rules(form: Form) -> None:
    if form != "text":
        rows: object = [{"rule": id, **asdict(rule)} for id, rule in RULES.items()]
        click.echo(json_text(rows))
        return
    colour = wants_colour(sys.stdout)
    for id, rule in RULES.items():
        style = "plain" if rule.level == "off" else rule.level
        click.echo(
            f"{paint(id, 'bold', colour)} ({rule.audience}): {paint(rule.level, style, colour)}",
            color=colour,
        )
        click.echo(f"  {rule.title}. {rule.about}")


def print_outcome(outcome: DiffOutcome, form: Form, *, fingerprints: bool = False) -> None:
    """Print a comparison in one of its forms; as text with `fingerprints`, by which changes are accepted."""
    if form == "sarif":
        from .sarif import diff_sarif

        click.echo(json_text(diff_sarif(outcome.findings, outcome.diagnostics)))
    elif form == "json":
        click.echo(json_text(_as_data(outcome)))
    elif form == "github":
        sys.stdout.write(render([*outcome.diagnostics, *map(_as_diagnostic, outcome.findings)], "github"))
    elif form == "markdown":
        print_diagnostics([each for each in outcome.diagnostics if each.severity == "error"])
        click.echo("\n".join(markdown(outcome)))
    else:
        print_diagnostics(outcome.diagnostics)
        colour = wants_colour(sys.stdout)
        for line in text(outcome, colour, fingerprints=fingerprints):
            click.echo(line, color=colour)


def print_versions(outcome: DiffOutcome) -> None:
    """Print what the changes ask of the version of the set, then of each tool that differs."""
    print_diagnostics(outcome.diagnostics)
    versions = _versions(outcome)
    for tool, version in versions.items():
        click.echo(f"{version}  {one_line(tool)}".rstrip())


def _versions(outcome: DiffOutcome) -> dict[str, Version]:
    """Return versions by tool; that of the set is first, under ""."""
    by_tool: dict[str, list[Change]] = {"": []}
    for each in (*outcome.findings, *outcome.suppressed):
        by_tool[""].append(each.change)
        if each.change.tool:
            by_tool.setdefault(each.change.tool, []).append(each.change)
    return {tool: version_change(changes) for tool, changes in sorted(by_tool.items())}


def print_changelog(outcome: DiffOutcome) -> int:
    """Print a changelog, and return the exit status."""
    entries = _entries_of(outcome)
    print_diagnostics(outcome.diagnostics)
    incomplete = has_errors(outcome.diagnostics)
    click.echo("\n".join(changelog(entries, incomplete=incomplete)))
    return int(incomplete or any(each.kind == "not compared" for each in entries))


def _as_data(outcome: DiffOutcome) -> JsonObject:
    def rows(findings: Any) -> list[JsonObject]:
        return [
            {
                "level": each.level,
                "audience": each.change.audience,
                **asdict(each.change),
                "fingerprint": each.change.fingerprint,
                **({"suppression": each.suppression} if each.suppression is not None else {}),
            }
            for each in findings
        ]

    return {
        "old": outcome.old,
        "new": outcome.new,
        "tools": len(outcome.pairs),
        "unchanged": outcome.unchanged,
        "failed": outcome.failed,
        "versions": _versions(outcome),
        "changes": rows(outcome.findings),
        "suppressed": rows(outcome.suppressed),
        "diagnostics": outcome.diagnostics,
    }
