"""Tables: a tool's ledger, the providers there are, and columns of any rows."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ..config import show
from ..console import one_line, paint
from ..project.profiles import Profiles
from ..providers import LedgerEntry, available, load_profile, load_profiles

Row = tuple[str, ...]
SEVERITIES = {"reject": "error", "changed": "warning", "lost": "warning", "kept elsewhere": "plain"}


class ProviderRow(Struct, frozen=True, kw_only=True):
    """One provider. `strict`: `always`, `if the contract survives`, or `no`."""

    id: str
    title: str
    dated: str
    strict: str
    source: str
    overrides: bool = False  # it stands for a built-in one of the same id


def provider_rows(profiles: Profiles) -> tuple[ProviderRow, ...]:
    """All providers of a project by id, with those that installed packages offer. Raises `ProfileError`."""
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
    """The rows as a table."""
    cells: list[Row] = [("ID", "DATED", "STRICT", "FROM", "TITLE")]
    for row in rows:
        source = f"{row.source} (instead of the built-in)" if row.overrides else row.source
        cells.append((row.id, row.dated, row.strict, source, row.title))
    return table(cells, [], colour)


def ledger_lines(ledger: Mapping[str, Sequence[LedgerEntry]], *, colour: bool) -> Iterator[str]:
    """A table for each provider; states where nothing is lacking."""
    for number, (provider, entries) in enumerate(ledger.items()):
        if number:
            yield ""
        count = f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}"
        yield paint(provider, "bold", colour) + f": {count if entries else 'no entries'}"
        if not entries:
            continue
        yield from (f"  {line}" for line in entry_lines(entries, colour=colour))


def entry_lines(entries: Sequence[LedgerEntry], *, colour: bool) -> Iterator[str]:
    """Entries as a table."""
    cells: list[Row] = [("PATH", "KEYWORD", "ACTION", "SEVERITY", "REASON")]
    cells += [(_place(entry), entry.keyword, entry.action, entry.severity, entry.reason) for entry in entries]
    return table(cells, ["", *(SEVERITIES[entry.severity] for entry in entries)], colour)


def _place(entry: LedgerEntry) -> str:
    """The path of an entry, with what it leads into where that is not the schema of the parameters."""
    path = entry.path or "(root)"
    return path if entry.of == "parameters" else f"{entry.of}: {path}"


def table(
    rows: Sequence[Row],
    styles: Sequence[str],
    colour: bool,
    *,
    right: Sequence[int] = (),
    width: int | None = None,
) -> Iterator[str]:
    """Columns as wide as their widest cell; those numbered in `right` end at the right, the last one is not
    padded.

    The first row is the head. `styles` has one for each row, or is empty. Lines are cut to `width`.
    """
    shown = [tuple(one_line(cell) for cell in row) for row in rows]
    widths = [max(len(row[column]) for row in shown) for column in range(len(shown[0]))]
    for number, row in enumerate(shown):
        cells = (
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        line = "  ".join(cells).rstrip()
        line = line if width is None or len(line) <= width else f"{line[: width - 1]}…"
        style = "bold" if number == 0 else styles[number] if styles else ""
        yield paint(line, style, colour) if style else line
