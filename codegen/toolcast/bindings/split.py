"""Black's way with the long statements that our templates print most: annotations, unions, marker calls
and checks.

Black explodes the last bracket, puts what is inside on one line if it fits, else one part per line, and goes
on with each part; a union is put in parentheses and broken before each `|`. Only statements whose shape
this module is sure of are split here; for any other the answer is None, and black itself is asked. The tests
compare with black over random statements.
"""

import re

LINE_LENGTH = 100
_PIECE = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\]\[(){}]|, | \| | = |[^\]\[(){}"', |]+|.""")
_OPENING, _CLOSING = "([{", ")]}"
_STATEMENT = re.compile(r"( *)(\w+: (?:TypeAlias = )?|\w+ = |(?=check_\w+\())(.*)")
_BRACKETED = re.compile(r"((?:\| )?(?:\w+=)?[\w.]*)([\[(])(.*)([\])])")
_ATOM = re.compile(r"""(?:\| )?(?:\w+=)?(?:lambda: )?(?:-?[\w.]+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")
_DEFAULT = re.compile(r"(.*) = (\w+)")
_PLAIN = re.compile(r"""( *)(\w+: \w+ = )(\w+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")
_FIELD = re.compile(r"( *)(\w+: )(.+?)( = msgspec\.field\()(.*)\)")


def split(row: str) -> list[str] | None:
    """The lines that black makes of one long statement; None where only black knows."""
    if not row.isascii():  # black counts columns, not characters
        return None
    if match := _PLAIN.fullmatch(row):
        indent, head, value = match.groups()
        return [f"{indent}{head}(", f"{indent}    {value}", f"{indent})"]
    if match := _FIELD.fullmatch(row):
        return _field(*match.groups())
    match = _STATEMENT.fullmatch(row)
    if match is None:
        return None
    indent, head, value = match.groups()
    default = ""
    if head.endswith(": ") and (found := _DEFAULT.fullmatch(value)):
        value, default = found[1], found[2]
    operands = cut(value, " | ")
    if operands is None:
        return None
    if len(operands) == 1:
        return None if default else _exploded(indent, head, value, "")
    whole = f"{indent}{head}{value} = ("
    if default and len(whole) <= LINE_LENGTH:
        return [whole, f"{indent}    {default}", f"{indent})"]
    inner = _union(indent + "    ", value, operands)
    last = f"{indent}) = {default}" if default else f"{indent})"
    return None if inner is None else [f"{indent}{head}(", *inner, last]


def _field(indent: str, name: str, annotation: str, call: str, inner: str) -> list[str] | None:
    """A field whose default takes more than a literal: broken inside of the call, if that is enough."""
    first, second = f"{indent}{name}{annotation}{call}", f"{indent}    {inner}"
    whole = cut(annotation, " | ") is not None and cut(inner, ", ") is not None
    fits = len(first) <= LINE_LENGTH and len(second) <= LINE_LENGTH
    return [first, second, f"{indent})"] if whole and fits else None


def _union(indent: str, value: str, operands: list[str]) -> list[str] | None:
    if len(indent + value) <= LINE_LENGTH:
        return [indent + value]
    rows: list[str] = []
    for number, operand in enumerate(operands):
        part = _part(indent, f"| {operand}" if number else operand, "")
        if part is None:
            return None
        rows += part
    return rows


def _part(indent: str, value: str, comma: str) -> list[str] | None:
    """One part of a bracket or of a union, on lines of its own."""
    if len(indent + value + comma) <= LINE_LENGTH or _ATOM.fullmatch(value):
        return [indent + value + comma]
    return _exploded(indent, "", value, comma)


def _exploded(indent: str, head: str, value: str, tail: str) -> list[str] | None:
    """`value`, which is one bracket with a name before it, over several lines."""
    match = _BRACKETED.fullmatch(value)
    if match is None:
        return None
    name, opening, inner, closing = match.groups()
    parts = cut(inner, ", ")
    first = f"{indent}{head}{name}{opening}"
    if not inner or not parts or len(first) > LINE_LENGTH or _CLOSING[_OPENING.index(opening)] != closing:
        return None
    deeper = indent + "    "
    if len(deeper + inner) <= LINE_LENGTH:
        rows: list[str] = [deeper + inner]
    else:
        rows = []
        for part in parts:
            shaped = _part(deeper, part, "," if len(parts) > 1 else "")
            if shaped is None:
                return None
            rows += shaped
    return [first, *rows, f"{indent}{closing}{tail}"]


def cut(value: str, separator: str) -> list[str] | None:
    """`value` cut at each `separator` outside brackets and strings; None for what is no expression."""
    parts: list[str] = [""]
    open_: list[str] = []
    for piece in _PIECE.findall(value):
        if piece == " = ":  # an assignment of something that is not a plain name
            return None
        if piece in _OPENING:
            open_.append(_CLOSING[_OPENING.index(piece)])
        elif piece in _CLOSING and (not open_ or open_.pop() != piece):
            return None
        if piece == separator and not open_:
            parts.append("")
        else:
            parts[-1] += piece
    return None if open_ else parts
