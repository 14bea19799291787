"""Print diagnostics: as text with the source line, as JSON, as annotations for a CI run."""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from .colours import paint, wants_colour
from .diagnostics import Diagnostic

Format = Literal["text", "json", "github"]
FORMATS: tuple[Format, ...] = ("text", "json", "github")
_MAX_SOURCE = 1024 * 1024
DECIDE = (
    "`toolcast import decide --permission read --secrets none` decides them all; "
    "`--permission 'get_*=read'` those of the tools whose name matches"
)
_UNDECIDED = "todo"
_FEW = 3
"""Files with open decisions that are told one by one; more are one entry."""
WINDOW = 100
"""Characters of a source line that are shown."""

_CONTROL = (
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_COMMAND = re.compile(r"^(\s*):(?=:)|#(?=#\[)", re.MULTILINE)
"""The mark of a line that is a command to a CI runner: `::error::` at its start, or `##[error]` anywhere."""


def printable(text: str) -> str:
    """Write out what would steer a terminal or a CI runner, or reorder the line. Line breaks stay."""
    text = _COMMAND.sub(lambda found: f"{found[1] or ''}\\x{'3a' if found[1] is not None else '23'}", text)
    return re.sub(_CONTROL, lambda found: found[0].encode("unicode_escape").decode(), text)


def one_line(text: str) -> str:
    """Make text `printable` on one line, as names, paths and descriptions are."""
    return printable(text.replace("\n", "\\n").replace("\t", "\\t"))


def cut(text: str, most: int) -> str:
    """Return `text` on one line, with `…` for all beyond `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def inert_json(text: str) -> str:
    """Write out what would steer a terminal or a CI runner; the JSON means the same."""
    text = text.replace("##[", "\\u0023#[")
    return re.sub(_CONTROL, lambda found: f"\\u{ord(found[0]):04x}", text)


def json_text(value: object) -> str:
    """Encode what msgspec can as indented JSON that steers no terminal, without a newline at its end."""
    return inert_json(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def count(number: int, noun: str) -> str:
    """Return `1 spec`, `2 specs`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def table(
    rows: Sequence[Sequence[str]],
    styles: Sequence[str],
    colour: bool,
    *,
    right: Sequence[int] = (),
    width: int | None = None,
) -> Iterator[str]:
    """Lay out rows in columns, of which those numbered in `right` end at the right. The first row is the
    head. `styles` has one for each row, or is empty. Lines are cut to `width`.
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


def write_line(text: str, *, err: bool = False) -> None:
    """Print one line, in one piece."""
    stream = sys.stderr if err else sys.stdout
    stream.write(f"{one_line(text)}\n")
    stream.flush()


def render(diagnostics: Sequence[Diagnostic], form: Format, *, colour: bool = False) -> str:
    """Render all diagnostics in order; ends with a newline unless there is nothing to say."""
    if form == "json":
        return json_text(list(diagnostics)) + "\n"
    if form == "github":
        return "".join(f"{_annotation(problem)}\n" for problem in diagnostics)
    sources: dict[str, list[str]] = {}
    open_ = [problem for problem in diagnostics if problem.code == _UNDECIDED]
    grouped = len({problem.file for problem in open_}) > _FEW
    single = [problem for problem in diagnostics if not (grouped and problem.code == _UNDECIDED)]
    text = "".join(_text(problem, sources, colour) for problem in single)
    return text + (_undecided(open_, colour) if grouped else "")


def print_diagnostics(problems: Sequence[Diagnostic], form: Format = "text") -> None:
    """Print diagnostics: for people to stderr, for programs to stdout."""
    if form == "text":
        sys.stderr.write(render(problems, form, colour=wants_colour(sys.stderr)))
        sys.stderr.flush()
    elif form == "json":
        sys.stdout.write(f'{{"diagnostics": {render(problems, form).rstrip()}}}\n')
    else:
        sys.stdout.write(render(problems, form))


def _text(problem: Diagnostic, sources: dict[str, list[str]], colour: bool) -> str:
    place = one_line(problem.file)
    if problem.line:
        place += f":{problem.line}" + (f":{problem.column}" if problem.column else "")
    kind = paint(f"{problem.severity}[{problem.code}]", problem.severity, colour)
    lines = [f"{paint(place, 'bold', colour)}: {kind}: {_indented(problem.message, '  ')}"]
    lines += _excerpt(problem, sources, colour)
    if problem.hint:
        lines.append(f"  {paint('hint:', 'hint', colour)} {_indented(problem.hint, '        ')}")
    return "\n".join(lines) + "\n"


def _undecided(problems: Sequence[Diagnostic], colour: bool) -> str:
    """Render decisions in many specs as one entry: what, where, and the command that makes them."""
    files = list(dict.fromkeys(problem.file for problem in problems))
    decisions = "decisions are" if len(problems) > 1 else "decision is"
    head = paint(f"error[{_UNDECIDED}]", "error", colour)
    lines = [f"{head}: {len(problems)} {decisions} a person's, in {len(files)} specs"]
    for message, number in Counter(problem.message for problem in problems).most_common():
        lines.append(f"  {number} × {_indented(message, '  ')}")
    more = f" and {len(files) - _FEW} more (toolcast list --undecided)" if len(files) > _FEW else ""
    lines.append(f"  in {', '.join(one_line(file) for file in files[:_FEW])}{more}")
    lines.append(f"  {paint('hint:', 'hint', colour)} {DECIDE}")
    return "\n".join(lines) + "\n"


def _indented(text: str, margin: str) -> str:
    return f"\n{margin}".join(printable(line) for line in re.split(r"\r\n|\r|\n", text))


def _excerpt(problem: Diagnostic, sources: dict[str, list[str]], colour: bool) -> Iterable[str]:
    if not problem.line:
        return
    lines = (
        sources.setdefault(problem.file, _read(problem.file))
        if problem.file not in sources
        else sources[problem.file]
    )
    if problem.line > len(lines):
        return
    line, column = lines[problem.line - 1], max(problem.column, 1)
    start = max(0, column - 1 - WINDOW // 2) if len(line) > WINDOW else 0
    shown = printable(line[start : start + WINDOW].replace("\t", " "))
    before = printable(line[start : column - 1].replace("\t", " "))
    cut_left, cut_right = ("…" if start else ""), ("…" if len(line) > start + WINDOW else "")
    number = str(problem.line)
    bar = paint("|", "hint", colour)
    yield f"  {paint(number, 'hint', colour)} {bar} {cut_left}{shown}{cut_right}"
    if problem.column:
        space = " " * (_width(before) + len(cut_left))
        yield f"  {' ' * len(number)} {bar} {space}{paint('^', problem.severity, colour)}"


def _width(text: str) -> int:
    import unicodedata  # a big table, for a line that is shown

    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) != 0 for char in text)


def _read(file: str) -> list[str]:
    path = Path(file)
    try:
        if not path.is_file() or path.stat().st_size > _MAX_SOURCE:
            return []
        text = path.read_bytes().decode("utf-8", "replace")
    except (OSError, ValueError):
        return []
    return re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))


def _annotation(problem: Diagnostic) -> str:
    """Render a workflow command; values are escaped as the runner's own toolkit does it."""
    properties = [f"file={_property(problem.file)}"]
    if problem.line:
        properties.append(f"line={problem.line}")
        if problem.column:
            properties.append(f"col={problem.column}")
    properties.append(f"title={_property(problem.code)}")
    message = problem.message if not problem.hint else f"{problem.message}\nhint: {problem.hint}"
    kind = "notice" if problem.severity == "note" else problem.severity  # their word
    return f"::{kind} {','.join(properties)}::{_data(message)}"


def _data(text: str) -> str:
    data = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return re.sub(_CONTROL, lambda found: found[0].encode("unicode_escape").decode(), data)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
