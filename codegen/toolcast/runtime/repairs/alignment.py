"""The places of a library's scalars in the text that it read.

The library corrects by rules of thumb: it invents values, drops what it does not understand, and merges what
stands apart. Its value counts only if every scalar stands in the text, in order, with nothing but punctuation
and comments between. Brackets and commas are the text's own tokens, too.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from .json_text import NUMBER, STRING, Token, Tokens
from .repair import Edit, LexicalName

_Role = Literal["key", "member", "item"]
_Escape = Literal["character", "own quote", "other quote", "backslash"]

_GAP = re.compile(r"\s+|[{}\[\](),:]|//[^\r\n]*|\#[^\r\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)")
_WORD = re.compile(r"[-+\w.]+")
_JSON_NUMBER = re.compile(NUMBER)
_NO_STRING = re.compile(rf"(?:{NUMBER}|true|false|null)(?![\w.+-])")
_GROUPED = re.compile(r"(?<=[0-9])_(?=[0-9])")
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "“", "`": "`"}
_CLOSING_QUOTES = frozenset("\"'”’`´")
_MARKS = frozenset(",+")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CHARACTER = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}")
_OTHER = re.compile(r"\n|\r|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|N\{")
"""Letters that mean a character behind a backslash, or nothing, in other notations."""
_OTHER_IN_PYTHON = re.compile(rf"{_OTHER.pattern}|[0-7av]")
_NAME = re.compile(r"[\w$][\w$.-]*")
_BRACKETS = frozenset("{}[]")
_NOT_BARE = frozenset('{}[](),"\n\r')
_NEXT_KEY = re.compile(r"""\s*(?:\\?["'“‘][^"'“”‘’\n]{0,200}\\?["'”’]|[\w$-]{1,200})\s*:""")
_CONCATENATED = re.compile(r"""(?:\s|/\*[^*]{0,80}\*/)*\+(?:\s|/\*[^*]{0,80}\*/)*["'“‘`]""")
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://[^\s#*]+")
_NEXT_ITEM = re.compile(r"""\s*(?:["'“‘{\[(]|-?[0-9]|(?:true|false|null|True|False|None)\b)""")
_NO_TEXT = re.compile(
    r"[-+]?(?:nan|inf|infinity|0[xob][0-9a-f_]+|[0-9][0-9_]*\.?[0-9_]*|\.[0-9]+)|undefined", re.IGNORECASE
)
"""Words that other notations read as a number, or as nothing: no text without quotes."""
_LITERALS = {"true": True, "false": False, "null": None, "none": None}


class _Span(NamedTuple):
    """The characters of a scalar, and the guesses that it takes to read them so."""

    end: int
    guesses: tuple[LexicalName, ...]


def aligned(text: str, start: int, end: int, value: object) -> Tokens | None:
    """Return the tokens of `text` between `start` and `end` with the scalars of `value`. None if a scalar of
    `value` does not stand in the text, or the text has more than those."""
    tokens: list[Token] = []
    edits: list[Edit] = []
    at = start
    cut = False  # whether the last scalar has no mark at its end
    for scalar, role in _scalars(value):
        at = _gap(text, at, end, tokens, edits)
        own = _NO_STRING.match(text, at, end) if role != "key" else None
        if own is not None and own[0] == scalar:  # without quotes it is no string
            tokens.append(Token("0", own[0], at, own.end()))
            cut, at = own[0][-1].isdigit(), own.end()
            continue
        span = _span(text, at, end, scalar, role)
        if span is None or (role == "item" and _continues(text, tokens, at, span)):
            return None
        written = json.dumps(scalar, ensure_ascii=False)
        tokens.append(Token('"' if isinstance(scalar, str) else "0", written, at, span.end))
        edits += [Edit(guess, at, span.end, written) for guess in span.guesses]
        bare = isinstance(scalar, (int, float)) or "unquoted-values" in span.guesses
        cut = bare and not isinstance(scalar, bool)
        at = span.end
    known = len(tokens)
    at = _gap(text, at, end, tokens, edits)
    cut = cut and at >= end and len(tokens) == known
    plain = _without_parentheses(tokens, edits)
    return None if plain is None else Tokens(plain, edits, at, cut)


def _continues(text: str, tokens: list[Token], at: int, span: _Span) -> bool:
    """Tell whether a string without its first quote may be the rest of the string before it, in which case
    the quote between them is an inner one."""
    if "missing-quote" not in span.guesses or text[at] in _QUOTES or not tokens:
        return False
    return tokens[-1].kind == '"'


def _scalars(value: object) -> Iterator[tuple[object, _Role]]:
    stack: list[tuple[object, _Role]] = [(value, "item")]
    while stack:
        each, role = stack.pop()
        if isinstance(each, dict):
            for name, item in reversed(each.items()):
                stack.append((item, "member"))
                stack.append((name, "key"))
        elif isinstance(each, list):
            stack.extend((item, "item") for item in reversed(each))
        else:
            yield each, role


def _gap(text: str, at: int, end: int, tokens: list[Token], edits: list[Edit]) -> int:
    while (found := _GAP.match(text, at, end)) is not None:
        piece = found[0]
        if piece[0] in "/#":
            if found.end() == end and piece[-2:] != "*/" and not _BRACKETS.isdisjoint(piece):
                break  # the rest of the text in a comment: perhaps the comment ends before
            edits.append(Edit("comments", at, found.end(), ""))
        elif piece[0].isspace():
            if piece.strip(" \t\r\n"):
                edits.append(Edit("blanks", at, found.end(), " "))
        else:
            tokens.append(Token(piece, piece, at, found.end()))
        at = found.end()
    return at


def _span(text: str, at: int, end: int, scalar: Any, role: _Role) -> _Span | None:
    if isinstance(scalar, str):
        return _string_span(text, at, end, scalar, role)
    found = _WORD.match(text, at, end)
    if found is None:
        return None
    word = found[0]
    if scalar is None or isinstance(scalar, bool):
        if word.lower() not in _LITERALS or _LITERALS[word.lower()] is not scalar:
            return None
        return _Span(found.end(), () if word == json.dumps(scalar) else ("python-literals",))
    return _number_span(word, found.end(), scalar)


def _number_span(word: str, end: int, number: int | float) -> _Span | None:
    guesses: list[LexicalName] = []
    plain = _GROUPED.sub("", word)
    if plain != word:
        guesses.append("python-literals")
    if not _JSON_NUMBER.fullmatch(plain):
        guesses.append("number-forms")
        plain = re.sub(r"^([+-]?)\.", r"\g<1>0.", plain).removeprefix("+")
        plain = re.sub(r"\.(?=$|[eE])", ".0", plain)
        if not _JSON_NUMBER.fullmatch(plain):
            return None
    try:
        read = json.loads(plain)
    except ValueError:  # more digits than Python reads
        return None
    same = read == number and type(read) is type(number)
    return _Span(end, tuple(guesses)) if same else None


def _string_span(text: str, at: int, end: int, string: str, role: _Role) -> _Span | None:
    """Return the span of a string, in quotes of any kind or without."""
    found = STRING.match(text, at, end)
    if found is not None and json.loads(found[0]) == string:
        return _Span(found.end(), ())
    escaped = text.startswith("\\", at)
    opening = text[at + escaped : at + escaped + 1]
    if opening not in _QUOTES or not opening:
        return None if escaped else _bare_span(text, at, end, string, role)
    width = 2 if text.startswith(opening * 2, at) and not string.startswith(opening) and string else 1
    closing = ("\\" if escaped else "") + _QUOTES[opening] * width
    walked = _walk(text, at + escaped + width, end, string, role, closing)
    if walked is None:
        return None
    guesses: list[LexicalName] = [*walked.guesses]
    if escaped:
        guesses.append("escapes")
    if opening == "'":
        guesses.append("single-quotes")
    elif opening != '"':
        guesses.append("typographic-quotes")
    if width == 2:
        guesses.append("doubled-quotes")
    stop = walked.end
    if text.startswith(closing, stop) and stop + len(closing) <= end:
        return _Span(stop + len(closing), tuple(guesses))
    surplus = width == 2 and string[-1] != closing[-1]  # `""key"`: one quote too many at its beginning
    if surplus and text.startswith(closing[-1], stop):
        return _Span(stop + 1, tuple(guesses))
    if width == 2 or not _ends(text, stop, end, role):
        return None  # two quotes and no third may be an empty string
    unsure = escaped or not string or string[-1] in _CLOSING_QUOTES
    if unsure or (string.rstrip()[-1:] in _MARKS and stop < end):
        return None  # a quote of another kind may end it; a mark at its end may stand behind it
    # With no quote left, the string may go on past the end: what looks like its end may belong to it.
    last = text.find(_QUOTES[opening], stop, end) < 0
    return _Span(stop, (*guesses, "cut-value" if last else "missing-quote"))


def _bare_span(text: str, at: int, end: int, string: str, role: _Role) -> _Span | None:
    stop = at + len(string)
    if not string or stop > end or text[at:stop] != string or string != string.strip():
        return None
    if any(mark in string for mark in ("//", "/*", "#")) and not _URL.fullmatch(string):
        return None  # perhaps a comment
    if text.startswith('"', stop) and not _NOT_BARE.intersection(string.replace(",", "")):
        return _Span(stop + 1, ("missing-quote",)) if _ends(text, stop + 1, end, role) else None
    if _NOT_BARE.intersection(string) or not _ends(text, stop, end, role, bare=True):
        return None
    if role == "key":
        return _Span(stop, ("unquoted-keys",)) if _NAME.fullmatch(string) else None
    if text[at - 1] in _CLOSING_QUOTES or string.lower() in _LITERALS or _NO_TEXT.fullmatch(string):
        return None
    return _Span(stop, ("unquoted-values",))


def _walk(text: str, at: int, end: int, string: str, role: _Role, closing: str) -> _Span | None:
    """Read `string` from its first character on, raw or escaped."""
    guesses: set[LexicalName] = set()
    escapes: set[_Escape] = set()
    quote = closing[-1]
    for wanted in string:
        if at >= end:
            return None
        char = text[at]
        if char == "\\":
            width, escape = _escape(text, at, wanted, quote)
            if escape is None:
                return None
            escapes.add(escape)
            at += width
            continue
        if char != wanted:
            return None
        if char == quote:
            if _ends(text, at + 1, end, role) or _CONCATENATED.match(text, at + 1, end):
                return None  # it is as good an end of the string
            if _NEXT_KEY.match(text, at, end) and _may_open(text, at):
                return None  # it is as good a beginning of a key
            guesses.add("inner-quotes")
        elif char < " ":
            guesses.add("raw-newlines")
        at += 1
    if escapes >= {"character", "backslash"}:
        return None  # whoever writes backslashes as they are may have meant all of them so
    if not escapes <= {"character", "own quote"}:
        guesses.add("escapes")
    return _Span(at, tuple(sorted(guesses)))


def _may_open(text: str, at: int) -> bool:
    """Tell whether a member may begin at `at`: after a comma, or in a new line."""
    while at and text[at - 1] in " \t":
        at -= 1
    return at > 0 and text[at - 1] in ",\n"


def _escape(text: str, at: int, wanted: str, quote: str) -> tuple[int, "_Escape | None"]:
    """Return the length of the escape at `at`, and its kind; None if it does not stand for `wanted`."""
    letter = text[at + 1 : at + 2]
    known = _ESCAPES.get(letter)
    if known is not None:
        kind: _Escape = "own quote" if letter == '"' else "character"
        return 2, kind if wanted == known else None
    if (found := _CHARACTER.match(text, at)) is not None:
        return found.end() - at, "character" if wanted == json.loads(f'"{found[0]}"') else None
    if letter and letter in "'`" and wanted == letter:
        return 2, "own quote" if letter == quote else "other quote"
    other = _OTHER_IN_PYTHON if quote == "'" else _OTHER
    if wanted != "\\" or other.match(text, at + 1) is not None:
        return 1, None
    return 1, "backslash"


def _ends(text: str, at: int, end: int, role: _Role, *, bare: bool = False) -> bool:
    """Tell whether what follows `at` can follow a scalar in its role."""
    while at < end and text[at].isspace():
        at += 1
    if at >= end:
        return True
    char = text[at]
    if role == "key":
        return char == ":"
    if char == ",":
        following = _NEXT_KEY if role == "member" else _NEXT_ITEM
        return bare or following.match(text, at + 1, end) is not None or _closes(text, at + 1, end)
    if char in "/#":
        return _GAP.match(text, at, end) is not None
    if char == "}" and role == "member":
        return _may_close(text, at + 1, end)
    if bare and char == '"':
        return role == "member" and _NEXT_KEY.match(text, at, end) is not None
    return char == "]" and role == "item"


def _may_close(text: str, at: int, end: int) -> bool:
    """Tell whether what follows can follow a closed object: not a comma with prose after it."""
    while at < end and text[at].isspace():
        at += 1
    if at >= end or text[at] != ",":
        return True
    further = (_NEXT_KEY.match(text, at + 1, end), _NEXT_ITEM.match(text, at + 1, end))
    return any(further) or _closes(text, at + 1, end)


def _closes(text: str, at: int, end: int) -> bool:
    while at < end and text[at].isspace():
        at += 1
    return at >= end or text[at] in "}]"


def _without_parentheses(tokens: list[Token], edits: list[Edit]) -> list[Token] | None:
    """Read tuples as arrays, and single values without their parentheses; None if one is not closed."""
    plain = list(tokens)
    opened: list[int] = []
    commas: set[int] = set()
    dropped: set[int] = set()
    for at, token in enumerate(tokens):
        if token.kind in "([{":
            opened.append(at)
        elif token.kind == "," and opened:
            commas.add(opened[-1])
        elif token.kind in ")]}":
            begin = opened.pop() if opened else None
            if token.kind != ")" and (begin is None or tokens[begin].kind != "("):
                continue  # brackets are judged elsewhere
            if begin is None or token.kind != ")" or tokens[begin].kind != "(":
                return None
            group = begin not in commas and at > begin + 1
            for index, mark in ((begin, "["), (at, "]")):
                shown = tokens[index]
                edits.append(Edit("python-literals", shown.start, shown.end, "" if group else mark))
                plain[index] = Token(mark, mark, shown.start, shown.end)
                if group:
                    dropped.add(index)
    if any(tokens[at].kind == "(" for at in opened):
        return None
    return [token for at, token in enumerate(plain) if at not in dropped]
