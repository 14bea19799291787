"""Black's layout of long statements, for what the built-in templates print.

Black takes ten times as long as all other stages together, and its import as long as a build of one changed
spec. The templates print what black leaves as it is, except statements of more than `LINE_LENGTH` columns:
class headers, signatures, imports, annotations, unions, marker calls, checks, and items and calls of the
registry. Those are laid out here by black's rules: the last bracket is exploded, its content stands on one
line if it fits and is no display, else one part per line, and each part in the same way; a union stands in
parentheses and is broken before each `|`. A module with any other long statement is left to black.
"""

import re
from collections.abc import Iterator

LINE_LENGTH = 100
_STRING = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_TOKEN = re.compile(rf"""{_STRING}|[\]\[(){{}}]|, | \| | = |[^\]\[(){{}}"', |]+|.""")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_STRING_ROW = re.compile(rf"(?:\w+: |\w+=|{_STRING}: )?{_STRING},?")
_ITEM = re.compile(rf"( *)({_STRING}: )(\(.*\))(,)")
_IMPORT = re.compile(r"( *)(from [\w.]+ import )([\w ,]+)")
_CLASS = re.compile(r"( *)(class )(\w+\([^()\[\]{}]*\))(:)")
_SIGNATURE = re.compile(r"( *)(def )(\w+\([^()\[\]{}]*\))( -> [\w.]+(?:\[\w+\])?: \.\.\.)")
_VALUE = re.compile(rf"( *)(\w+: \w+ = )(\w+|{_STRING})")
_FIELD = re.compile(r"( *)(\w+: )(.+?)( = msgspec\.field\()(.*)\)")
_STATEMENT = re.compile(r"( *)(\w+: (?:TypeAlias = )?|\w+ = |(?=(?:check_\w+|_register)\())(.*)")
_DEFAULT = re.compile(r"(.*) = (\w+)")
_CALL = re.compile(r"((?:\| )?(?:\w+=)?[\w.]*)([\[(])(.*)([\])])")
_ATOM = re.compile(rf"(?:\| )?(?:\w+=)?(?:lambda: )?(?:-?[\w.]+|{_STRING})")


def lay_out(source: str) -> str | None:
    """`source` as black leaves it; None where a long statement is of another kind than those above.

    `source` has one statement, or one row of an open bracket, per line, and short ones in black's layout.
    """
    lines: list[str] = []
    rows = iter(source.split("\n"))
    for row in rows:
        if row.lstrip(" ").startswith('"""'):
            lines += [row, *_rest_of_docstring(row, rows)]
        elif len(row) <= LINE_LENGTH:
            lines.append(row)
        else:
            broken = break_row(row)
            if broken is None:
                return None
            lines += broken
    return "\n".join(lines)


def _rest_of_docstring(row: str, rows: Iterator[str]) -> Iterator[str]:
    if row.endswith('"""') and len(row.strip()) >= 6:
        return
    for following in rows:
        yield following
        if following.endswith('"""'):
            return


def break_row(row: str) -> list[str] | None:
    """The lines that black makes of one long row; None where the row is of no known kind."""
    bare = row.lstrip(" ")
    if bare.startswith("#") or _STRING_ROW.fullmatch(bare):
        return [row]  # nothing can break it
    if not row.isascii():  # black counts columns, not characters
        return None
    if match := _IMPORT.fullmatch(row):
        indent, head, names = match.groups()
        return [f"{indent}{head}(", *(f"{indent}    {name}," for name in names.split(", ")), f"{indent})"]
    if match := _CLASS.fullmatch(row) or _SIGNATURE.fullmatch(row) or _ITEM.fullmatch(row):
        return _exploded(*match.groups())
    if match := _VALUE.fullmatch(row):
        indent, head, value = match.groups()
        return [f"{indent}{head}(", f"{indent}    {value}", f"{indent})"]
    if match := _FIELD.fullmatch(row):
        return _field(*match.groups())
    if match := _STATEMENT.fullmatch(row):
        return _statement(*match.groups())
    return None


def _field(indent: str, name: str, annotation: str, call: str, inner: str) -> list[str] | None:
    """A field whose default is a call: broken inside of the call, if that is enough."""
    first, second = f"{indent}{name}{annotation}{call}", f"{indent}    {inner}"
    complete = _split(annotation, " | ") is not None and _split(inner, ", ") is not None
    fits = len(first) <= LINE_LENGTH and len(second) <= LINE_LENGTH
    return [first, second, f"{indent})"] if complete and fits else None


def _statement(indent: str, head: str, value: str) -> list[str] | None:
    """An annotation, an alias, an assigned call or a check."""
    default = ""
    if head.endswith(": ") and (match := _DEFAULT.fullmatch(value)):
        value, default = match.groups()
    operands = _split(value, " | ")
    if operands is None:
        return None
    if len(operands) == 1:
        return None if default else _exploded(indent, head, value, "")
    first = f"{indent}{head}{value} = ("
    if default and len(first) <= LINE_LENGTH:
        return [first, f"{indent}    {default}", f"{indent})"]
    inner = _union(indent + "    ", value, operands)
    last = f"{indent}) = {default}" if default else f"{indent})"
    return None if inner is None else [f"{indent}{head}(", *inner, last]


def _union(indent: str, value: str, operands: list[str]) -> list[str] | None:
    if len(indent + value) <= LINE_LENGTH:
        return [indent + value]
    parts = [operands[0], *(f"| {operand}" for operand in operands[1:])]
    return _parts(indent, parts, "")


def _parts(indent: str, parts: list[str], comma: str) -> list[str] | None:
    """The parts of a bracket or of a union, each on lines of its own."""
    lines: list[str] = []
    for part in parts:
        if len(indent + part + comma) <= LINE_LENGTH or _ATOM.fullmatch(part):
            lines.append(indent + part + comma)
        elif (exploded := _exploded(indent, "", part, comma)) is not None:
            lines += exploded
        else:
            return None
    return lines


def _exploded(indent: str, head: str, value: str, tail: str) -> list[str] | None:
    """`value`, which is one bracket with a name before it, over several lines."""
    match = _CALL.fullmatch(value)
    if match is None:
        return None
    name, opening, inner, closing = match.groups()
    parts = _split(inner, ", ")
    first, last = f"{indent}{head}{name}{opening}", f"{indent}{closing}{tail}"
    if not inner or not parts or _BRACKETS[opening] != closing:
        return None
    if len(first) > LINE_LENGTH or len(last) > LINE_LENGTH:
        return None
    deeper = indent + "    "
    display = not name and len(parts) > 1  # black never keeps the items of a tuple or list on one line
    fits = len(deeper + inner) <= LINE_LENGTH and not display
    lines = [deeper + inner] if fits else _parts(deeper, parts, "," if len(parts) > 1 else "")
    return None if lines is None else [first, *lines, last]


def _split(value: str, separator: str) -> list[str] | None:
    """`value` split at each `separator` outside brackets and strings; None for what is no expression."""
    parts: list[str] = [""]
    closers: list[str] = []
    for token in _TOKEN.findall(value):
        if token == " = ":  # an assignment of something that is not a plain name
            return None
        if token in _BRACKETS:
            closers.append(_BRACKETS[token])
        elif token in _BRACKETS.values() and (not closers or closers.pop() != token):
            return None
        if token == separator and not closers:
            parts.append("")
        else:
            parts[-1] += token
    return None if closers else parts
