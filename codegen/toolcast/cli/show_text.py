"""Text of `toolcast show`: a ledger, the steps of a schema, the providers there are, and JSON in colours."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ..config import show
from ..console import json_text, one_line, paint, table
from ..project.profiles import Profiles
from ..providers import LedgerEntry, Profile, Step, available, load_profile, load_profiles

Row = tuple[str, ...]
SEVERITIES = {"reject": "error", "changed": "warning", "lost": "warning", "kept elsewhere": "plain"}


class ProviderRow(Struct, frozen=True, kw_only=True):
    """One provider; `strict` is `always`, `if the contract survives` or `no`."""

    id: str
    title: str
    dated: str
    strict: str
    source: str
    overrides: bool = False  # it stands for a built-in one of the same id


def provider_rows(profiles: Profiles) -> tuple[ProviderRow, ...]:
    """Return all providers of a project, with those that installed packages offer. Raises ProfileError."""
    from ..providers.profiles.load_profiles import installed_file, installed_ids

    own = load_profiles(profiles.files)
    files = dict(zip(own, profiles.files, strict=True))
    rows: list[ProviderRow] = []
    for id in sorted({*available(), *own}):
        profile = own.get(id) or load_profile(id)
        strict = "if the contract survives" if profile.strict is not None else "no"
        rows.append(
            ProviderRow(
                id=id,
                title=profile.title,
                dated=profile.dated,
                strict="always" if profile.always_strict else strict,
                source=show(Path(files[id])) if id in files else "built-in",
                overrides=id in files and id in available(),
            )
        )
    for id, owner in installed_ids().items():
        if id in own and files.get(id) == str(installed_file(id)):
            continue
        unused = "not used: that id is taken" if id in available() or id in own else "name it in `providers`"
        rows.append(ProviderRow(id=id, title="", dated="", strict="", source=f"{owner} ({unused})"))
    return tuple(rows)


def provider_lines(rows: Sequence[ProviderRow], *, colour: bool) -> Iterator[str]:
    """Yield the rows as a table."""
    cells: list[Row] = [("ID", "DATED", "STRICT", "FROM", "TITLE")]
    for row in rows:
        source = f"{row.source} (instead of the built-in)" if row.overrides else row.source
        cells.append((row.id, row.dated, row.strict, source, row.title))
    return table(cells, [], colour)


def ledger_lines(ledger: Mapping[str, Sequence[LedgerEntry]], *, colour: bool) -> Iterator[str]:
    """Yield a table for each provider."""
    for number, (provider, entries) in enumerate(ledger.items()):
        if number:
            yield ""
        count = f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}"
        yield paint(provider, "bold", colour) + f": {count if entries else 'no entries'}"
        if not entries:
            continue
        yield from (f"  {line}" for line in entry_lines(entries, colour=colour))


def entry_lines(entries: Sequence[LedgerEntry], *, colour: bool) -> Iterator[str]:
    """Yield entries as a table."""
    cells: list[Row] = [("PATH", "KEYWORD", "ACTION", "SEVERITY", "REASON")]
    cells += [(_place(entry), entry.keyword, entry.action, entry.severity, entry.reason) for entry in entries]
    return table(cells, ["", *(SEVERITIES[entry.severity] for entry in entries)], colour)


def _place(entry: LedgerEntry) -> str:
    """Return the path of an entry, and what it leads into where that is not the parameters."""
    path = entry.path or "(root)"
    return path if entry.of == "parameters" else f"{entry.of}: {path}"


_DIFF_STYLES = {"+": "add", "-": "del", "@": "hint"}


def strict_mode(profile: Profile, strict: bool | None) -> str:
    """Say in which mode a schema is sent; empty for a provider without a strict mode."""
    if profile.always_strict:
        return "always strict"
    return "" if strict is None else "in strict mode" if strict else "without strict mode"


def step_lines(steps: Sequence[Step], *, diff: bool, colour: bool) -> Iterator[str]:
    """Yield the lines of all steps: the first in full, the others with `diff` as changes."""
    before: list[str] = []
    for step in steps:
        schema = _schema_lines(step)
        yield ""
        yield f"{paint(one_line(step.name), 'bold', colour)}: {one_line(step.summary)}"
        if schema == before:
            yield "  (the schema stays as it is)"
        elif diff and before:
            for line in list(difflib.unified_diff(before, schema, lineterm="", n=2))[2:]:
                style = _DIFF_STYLES.get(line[:1])
                yield f"  {paint(line, style, colour) if style else line}"
        else:
            yield from (f"  {line}" for line in schema)
        if step.entries:
            yield from (f"  {line}" for line in entry_lines(step.entries, colour=colour))
        before = schema


def _schema_lines(step: Step) -> list[str]:
    return json_text(step.schema).split("\n")


def print_json(text: str) -> None:
    """Print JSON to stdout in colours, whatever stdout is; lines are broken at the terminal's width."""
    from pygments.token import (  # type: ignore[import-untyped] # it ships no types; rich depends on it
        Keyword,
        Name,
        Number,
        String,
    )
    from rich.console import Console
    from rich.style import Style
    from rich.syntax import ANSISyntaxTheme, Syntax

    # the terminal's own colours, which its theme adapts to its background; punctuation has none
    colours = ANSISyntaxTheme(
        {
            Name: Style(bold=True),
            String: Style(color="green"),
            Number: Style(color="magenta"),
            Keyword: Style(color="cyan"),
        }
    )
    console = Console(force_terminal=True, color_system="standard")
    console.print(Syntax(text, "json", theme=colours, background_color="default", word_wrap=True))
