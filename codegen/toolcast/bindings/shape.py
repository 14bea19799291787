"""Black's shape for what our own templates print, without asking black about every line.

Black takes longer than all other stages together, and nearly every line is printed as black leaves it. So
only a statement that is too long is looked at: class headers, signatures and imports are broken here the
way black breaks them, and anything else is handed to black alone. The tests compare with black itself.
"""

import re
from collections.abc import Callable, Iterator

from ..structs.literals import text
from .split import LINE_LENGTH, cut, split

__all__ = ["LINE_LENGTH", "mapping", "paragraph", "shaped"]

_HEADER = re.compile(r"( *)((?:class|def) \w+)\(([^()\[\]{}]*)\)(:)")
_CALLABLE = re.compile(r"( *)(def \w+)\(([^()\[\]{}]*)\)( -> [\w.]+(?:\[\w+\])?: \.\.\.)")
_IMPORT = re.compile(r"( *)(from [\w.]+ import )([\w ,]+)")
_CLOSER = {"(": ")", "[": "]", "{": "}"}
_PLAIN_ROW = re.compile(r"""(?:\w+: |\w+=)?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'),?""")
_EXPONENT = re.compile(r"(?<![\w.])[0-9][0-9.]*e\+?[0-9]")
"""A number that black writes otherwise; names may hold the same characters."""
_EXPONENTS = re.compile(r"e\+?[0-9]")
"""What stands in each of them, and in few modules: thirty times as fast to look for."""

Blacken = Callable[[str], str]


def shaped(source: str, blacken: Blacken) -> str:
    """`source` as `blacken` would leave it.

    `source` has one statement, or one row of a bracket that is open at the end of a line, per line.
    """
    out: list[str] = []
    rows = iter(source.split("\n"))
    numbers = _EXPONENTS.search(source) is not None
    for row in rows:
        if not numbers and len(row) <= LINE_LENGTH and '"""' not in row:
            out.append(row)
            continue
        bare = row.lstrip(" ")
        if bare.startswith('"""'):
            out += [row, *_rest(row, rows)]
        elif row[-1:] in _CLOSER and (len(row) > LINE_LENGTH or (numbers and _EXPONENT.search(row))):
            closing = row[: len(row) - len(bare)] + _CLOSER[row[-1]]
            out += _alone([row, *_until(closing, rows)], blacken)
        elif len(row) > LINE_LENGTH or (numbers and _EXPONENT.search(row) and not bare.startswith("#")):
            out += _broken(row, blacken)
        else:
            out.append(row)
    return "\n".join(out)


def _rest(row: str, rows: Iterator[str]) -> Iterator[str]:
    """The rows of a docstring after its first; `literals.docstring` gives it black's shape."""
    if row.endswith('"""') and len(row.strip()) >= 6:
        return
    for following in rows:
        yield following
        if following.endswith('"""'):
            return


def _until(closing: str, rows: Iterator[str]) -> Iterator[str]:
    for row in rows:
        yield row
        if row.startswith(closing):
            return


def _broken(row: str, blacken: Blacken) -> list[str]:
    """One line that is too long, as several."""
    bare = row.lstrip(" ")
    if bare.startswith("#") or _PLAIN_ROW.fullmatch(bare):
        return [row]  # a comment, or a literal that nothing can break
    if match := _IMPORT.fullmatch(row):
        indent, head, names = match.groups()
        return [f"{indent}{head}(", *(f"{indent}    {name}," for name in names.split(", ")), f"{indent})"]
    if match := _HEADER.fullmatch(row) or _CALLABLE.fullmatch(row):
        indent, head, arguments, tail = match.groups()
        first, inner, last = f"{indent}{head}(", f"{indent}    {arguments}", f"{indent}){tail}"
        if len(first) <= LINE_LENGTH and len(last) <= LINE_LENGTH:
            if len(inner) <= LINE_LENGTH:
                return [first, inner, last]
            parts = cut(arguments, ", ") or []
            return [first, *(f"{indent}    {part}," for part in parts), last]
    lines = None if _EXPONENT.search(row) else split(row)
    return _alone([row], blacken) if lines is None else lines


def _alone(rows: list[str], blacken: Blacken) -> list[str]:
    """Let black shape a statement, or a row of an open bracket, at its own depth."""
    depth = (len(rows[0]) - len(rows[0].lstrip(" "))) // 4
    bare = rows[0].strip()
    before, after = [], []
    if bare.endswith(",") and depth:  # a row of a call, or of a dict display
        opening, closing = ("_ = {", "}") if bare.startswith(('"', "'")) else ("_(", ")")
        depth -= 1
        before, after = ["    " * depth + opening], ["    " * depth + closing]
    nest = ["    " * level + "class _:" for level in range(depth)]
    tail = ["    " * depth + "    pass"] if bare.endswith(":") else []
    shaped_rows = blacken("\n".join([*nest, *before, *rows, *tail, *after]) + "\n").splitlines()
    kept = shaped_rows[len(nest) + len(before) : len(shaped_rows) - len(after)]
    return kept[: len(kept) - len(tail)] if tail else kept


def paragraph(value: str, before: int, indent: int, after: int = 1) -> str:
    """A literal of `value` that stands `before` columns into its line, with `after` more behind it.

    What does not fit becomes several literals, one per line of text or part of one, in parentheses; rows
    are indented by `indent` plus four.
    """
    whole = text(value)
    if before + len(whole) + after <= LINE_LENGTH:
        return whole
    pieces = [text(piece) for piece in _pieces(value, LINE_LENGTH - indent - 6)]
    if len(pieces) == 1:
        return whole
    joined = " ".join(pieces)  # may be shorter than the whole: each piece has the quotes that suit it
    if indent + 4 + len(joined) <= LINE_LENGTH:
        pieces = [joined]
    rows = "\n".join(" " * (indent + 4) + piece for piece in pieces)
    return f"(\n{rows}\n{' ' * indent})"


def _pieces(value: str, width: int) -> Iterator[str]:
    """Parts of `value`, cut after newlines and spaces, whose literals are about `width` long."""
    for line in re.findall(r"[^\n]*\n+|[^\n]+", value):
        rest = line
        while len(rest) > width or len(text(rest)) > width + 2:
            limit = width
            while len(text(rest[:limit])) > width + 2:
                limit -= max(1, (len(text(rest[:limit])) - width) // 10)
            cut = rest.rfind(" ", 0, limit) + 1
            if cut < width // 4:
                cut = limit
            yield rest[:cut]
            rest = rest[cut:]
        if rest:
            yield rest


def mapping(values: dict[str, str], before: int, indent: int, after: int = 1) -> str:
    """A dict display of sources by key, on one line where it fits, else one row for each."""
    rows = [f"{text(key)}: {value}" for key, value in values.items()]
    whole = "{" + ", ".join(rows) + "}"
    if before + len(whole) + after <= LINE_LENGTH:
        return whole
    return "{\n" + "".join(f"{' ' * (indent + 4)}{row},\n" for row in rows) + " " * indent + "}"
