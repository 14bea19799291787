"""Grammars in Lark's syntax, as OpenAI's custom tools have them, read to expressions.

What is read: rules and terminals, strings with `i`, regular expressions with `i` and `s`, ranges, groups,
`[…]`, `?`, `*`, `+`, `~n` and `~n..m`, `%ignore`, `%import common.NAME`, aliases and the signs that shape a
syntax tree, which mean nothing here. Priorities, templates, `%declare`, `%override`, `%extend` and other
imports are refused, and so are llguidance's own additions.

Source: OpenAI's guide on function calling, "Custom tools"; llguidance docs/syntax.md; lark docs/grammar.md.
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

import msgspec
from msgspec import Struct

from ...jsonschema.charset import Ranges
from .common_terminals import COMMON
from .expressions import (
    EMPTY,
    MAX_NESTING,
    MAX_TURNS,
    Characters,
    Choice,
    Expression,
    Literal,
    Name,
    Repetition,
    Sequence,
)
from .grammar_error import GrammarError
from .regex import fold_case, parse_regex

MAX_LENGTH: Final = 100_000
"""Characters of a definition."""

_TOKENS: Final = (
    ("comment", r"(?://|\#)[^\n]*"),
    ("newline", r"(?:\r?\n)+"),
    ("space", r"[ \t\f]+"),
    ("string", r'"(?:\\.|[^"\\\n])*"i?'),
    ("regex", r"/(?:\\.|[^/\\\n])+/[a-z]*"),
    ("statement", r"%[a-z]+"),
    ("name", r"_?[A-Z][_A-Z0-9]*(?![a-z0-9])|[!?]*_?[a-z][_a-z0-9]*(?![A-Z])"),
    ("number", r"[0-9]+"),
    ("arrow", r"->"),
    ("dots", r"\.\."),
    ("sign", r"[:|()\[\]*+?~,.{}&<>@=-]"),
)
_TOKEN: Final = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _TOKENS))
_REFUSED: Final = {
    "%declare": "terminals that no pattern defines do not exist: define it",
    "%override": "write the whole definition in one place",
    "%extend": "write the whole definition in one place",
    "%json": "write the rules out",
    "%regex": "write a regular expression between slashes",
    "%llguidance": "remove it",
}
_ONLY_COMMON: Final = "only `%import common.NAME` exists"


class LarkGrammar(Struct, frozen=True):
    """A grammar as it is written.

    Attributes:
        rules: the right side of each rule, by its name.
        terminals: the right side of each terminal; its names are those of terminals.
        ignored: what may stand between any two terminals.
        places: the offset of each definition's name.
    """

    rules: Mapping[str, Expression]
    terminals: Mapping[str, Expression]
    ignored: tuple[Expression, ...]
    places: Mapping[str, int]


class _Token(Struct, frozen=True):
    kind: str
    text: str
    at: int


def parse_lark(definition: str) -> LarkGrammar:
    """Read a grammar.

    Args:
        definition: its text.

    Returns:
        The grammar: all names are defined, and none is twice. A terminal may still contain itself.

    Raises:
        GrammarError: the text is no grammar, or has what the module's docstring excludes.
    """
    if len(definition) > MAX_LENGTH:
        raise GrammarError(f"a grammar has at most {MAX_LENGTH:,} characters", MAX_LENGTH, "shorten it")
    reader = _Reader(_tokens(definition), len(definition))
    reader.run()
    grammar = LarkGrammar(reader.rules, reader.terminals, tuple(reader.ignored), reader.places)
    _check_names(grammar)
    return grammar


def _tokens(definition: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while at < len(definition):
        match = _TOKEN.match(definition, at)
        if match is None:
            raise _unreadable(definition, at)
        kind = match.lastgroup or ""
        if kind not in ("space", "comment"):
            tokens.append(_Token(kind, match[0], at))
        at = match.end()
    return tokens


def _unreadable(definition: str, at: int) -> GrammarError:
    found = definition[at]
    if found == '"':
        return GrammarError(
            "an unclosed string", at, 'close it with `"` on the same line; a line break is `\\n`'
        )
    if found == "'":
        return GrammarError("strings stand between double quotes", at, 'write `"…"`')
    if found == "/":
        hint = r"close it with `/` on the same line; a slash in it is `\/`"
        return GrammarError("an unclosed regular expression", at, hint)
    word = re.compile(r"\w+").match(definition, at)
    if word is not None:
        hint = "write rules in lower case, terminals in upper case, with letters of ASCII, digits and `_`"
        return GrammarError(f"`{word[0]}` is no name of a rule or a terminal", at, hint)
    return GrammarError(f"`{found}` means nothing here", at)


class _Reader:
    """Recursive descent over the tokens."""

    def __init__(self, tokens: list[_Token], length: int) -> None:
        self.rules: dict[str, Expression] = {}
        self.terminals: dict[str, Expression] = {}
        self.ignored: list[Expression] = []
        self.places: dict[str, int] = {}
        self._tokens = tokens
        self._end = _Token("end", "", length)
        self._at = 0

    def run(self) -> None:
        while self._peek().kind != "end":
            token = self._next()
            if token.kind == "name":
                self._definition(token)
            elif token.kind == "statement":
                self._statement(token)
            elif token.text == "|":
                hint = (
                    "put `|` on the very next line: an empty line or a comment before it ends the definition"
                )
                raise GrammarError("an alternative without a definition", token.at, hint)
            elif token.kind != "newline":
                hint = "write `name: …`; a definition goes on in a line that begins with `|` only"
                raise GrammarError(f"`{token.text}` begins no definition", token.at, hint)

    def _peek(self, ahead: int = 0) -> _Token:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else self._end

    def _next(self) -> _Token:
        token = self._peek()
        self._at += 1
        return token

    def _takes(self, *texts: str) -> bool:
        if self._peek().text in texts and self._peek().kind not in ("string", "regex", "end"):
            self._at += 1
            return True
        return False

    def _expect(self, text: str, hint: str = "") -> _Token:
        token = self._next()
        if token.text != text:
            raise GrammarError(f"`{text}` is missing", token.at, hint)
        return token

    def _define(self, name: str, at: int, expression: Expression) -> None:
        if name in self.places:
            raise GrammarError(f"`{name}` is defined twice", at, "join both with `|`")
        self.places[name] = at
        (self.terminals if _is_terminal(name) else self.rules)[name] = expression

    def _definition(self, token: _Token) -> None:
        if self._peek().text == ".":
            raise GrammarError(
                "priorities are not supported", self._peek().at, "remove the dot and the number"
            )
        if self._peek().text == "{":
            raise GrammarError("templates are not supported", self._peek().at, "write each rule out")
        if self._peek().text == "[":
            raise GrammarError("attributes of rules are not supported", self._peek().at, "remove them")
        if self._peek().text == "-":
            raise GrammarError("a name has no hyphen", self._peek().at, "write `_`")
        self._expect(":", f"write `{token.text}: …`")
        self._define(token.text.lstrip("!?"), token.at, self._alternatives(0))
        end = self._peek()
        if end.kind not in ("newline", "end"):
            raise GrammarError(f"`{end.text}` stands where the definition ends", end.at, "")

    def _statement(self, token: _Token) -> None:
        if token.text == "%ignore":
            self.ignored.append(self._alternatives(0))
        elif token.text == "%import":
            self._import()
        else:
            hint = _REFUSED.get(token.text, "`%ignore` and `%import common.NAME` exist")
            raise GrammarError(f"`{token.text}` is not supported", token.at, hint)

    def _import(self) -> None:
        path = self._next()
        if path.text != "common":
            raise GrammarError(f"`{path.text}` cannot be imported", path.at, _ONLY_COMMON)
        if self._takes("("):
            while True:
                self._imported(self._next())
                if not self._takes(","):
                    break
            self._expect(")")
            return
        self._expect(".", _ONLY_COMMON)
        name = self._next()
        if self._takes("->"):
            alias = self._next()
            if alias.kind != "name" or not _is_terminal(alias.text):
                raise GrammarError("the name of a terminal is missing", alias.at, "write it in upper case")
            self._imported(name, alias)
        else:
            self._imported(name)

    def _imported(self, name: _Token, alias: _Token | None = None) -> None:
        if name.text not in COMMON:
            close = get_close_matches(name.text[:64], COMMON, 1)
            hint = f"did you mean `{close[0]}`?" if close else f"there are {', '.join(COMMON)}"
            raise GrammarError(f"`common` has no terminal `{name.text}`", name.at, hint)
        known = alias or name
        self._define(known.text, known.at, parse_regex(COMMON[name.text], offset=name.at))

    def _alternatives(self, depth: int) -> Expression:
        if depth > MAX_NESTING:
            raise GrammarError(f"groups are nested more than {MAX_NESTING} deep", self._peek().at, "")
        found = [self._sequence(depth)]
        while True:
            # llguidance lets a line end before `|` only, inside of groups, too.
            if self._peek().kind == "newline" and self._peek(1).text == "|":
                self._at += 1
            elif self._takes("|"):
                found.append(self._sequence(depth))
            else:
                break
        return Choice(tuple(found)) if len(found) > 1 else found[0]

    def _sequence(self, depth: int) -> Expression:
        parts: list[Expression] = []
        while True:
            token = self._peek()
            if token.kind in ("newline", "end") or (token.kind == "sign" and token.text in "|)]"):
                break
            if token.kind == "arrow":
                self._at += 1
                alias = self._next()
                if alias.kind != "name" or _is_terminal(alias.text):
                    raise GrammarError("the name of an alias is missing", alias.at, "write it in lower case")
                break
            parts.append(self._repeated(depth))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts)) if parts else EMPTY

    def _repeated(self, depth: int) -> Expression:
        part = self._atom(depth)
        token = self._peek()
        if self._takes("?"):
            part = Repetition(part, 0, 1)
        elif self._takes("*"):
            part = Repetition(part, 0, None)
        elif self._takes("+"):
            part = Repetition(part, 1, None)
        elif self._takes("~"):
            low = self._number()
            high = self._number() if self._takes("..") else low
            if high < low:
                raise GrammarError(
                    "the bounds of a repetition are out of order", token.at, "write the smaller first"
                )
            part = Repetition(part, low, high)
        token = self._peek()
        if token.kind == "sign" and token.text in "?*+~":
            raise GrammarError(
                f"`{token.text}` repeats a repetition", token.at, "put a group around the inner one"
            )
        return part

    def _number(self) -> int:
        token = self._next()
        if token.kind != "number":
            raise GrammarError("a number is missing", token.at, "write `~2` or `~2..5`")
        if len(token.text) > 6 or int(token.text) > MAX_TURNS:
            raise GrammarError(
                f"a repetition has at most {MAX_TURNS} turns", token.at, "write a smaller number"
            )
        return int(token.text)

    def _atom(self, depth: int) -> Expression:
        token = self._next()
        if token.kind == "string":
            return self._string(token)
        if token.kind == "regex":
            return _regex(token)
        if token.kind == "name":
            if self._peek().text == "{":
                raise GrammarError("templates are not supported", self._peek().at, "write each rule out")
            return Name(token.text.lstrip("!?"), token.at)
        if token.kind == "sign" and token.text in "([":
            inner = self._alternatives(depth + 1)
            self._expect(")" if token.text == "(" else "]", f"close the `{token.text}`")
            return inner if token.text == "(" else Repetition(inner, 0, 1)
        reason = f"`{token.text}` is not supported here" if token.text.strip() else "something is missing"
        raise GrammarError(reason, token.at, "write a name, a string, a regular expression or a group")

    def _string(self, token: _Token) -> Expression:
        text = _text_of(token)
        if self._takes(".."):
            last = self._next()
            high = _text_of(last) if last.kind == "string" else ""
            if len(text) != 1 or len(high) != 1 or token.text.endswith("i") or last.text.endswith("i"):
                hint = 'write two strings of one character: `"a".."z"`'
                raise GrammarError("a range needs a character at each end", token.at, hint)
            if high < text:
                raise GrammarError("a range is out of order", token.at, "write the smaller character first")
            return Literal(f"{token.text}..{last.text}", Characters(((ord(text), ord(high)),)), token.at)
        sets: list[Ranges] = [((ord(each), ord(each)),) for each in text]
        if token.text.endswith("i"):
            characters = [Characters(fold_case(each, token.at)) for each in sets]
        else:
            characters = [Characters(each) for each in sets]
        return Literal(token.text, Sequence(tuple(characters)), token.at)


def _text_of(token: _Token) -> str:
    """The text of a string, which has JSON's escapes, as llguidance reads it."""
    try:
        text = msgspec.json.decode(token.text.removesuffix("i"), type=str)
    except msgspec.DecodeError:
        hint = r"the escapes are those of JSON: `\n`, `\t`, `\"`, `\\`, `\u00e9`"
        raise GrammarError("the string has an escape that is none", token.at, hint) from None
    if any(0xD800 <= ord(each) < 0xE000 for each in text):
        raise GrammarError(
            "the string has half a character", token.at, "write both halves, or the character itself"
        )
    return text


def _regex(token: _Token) -> Expression:
    pattern, _, flags = token.text[1:].rpartition("/")
    for flag in flags:
        if flag not in "isu":
            hint = "only `i` and `s` are: write out what the flag stands for"
            raise GrammarError(f"the flag `{flag}` is not supported", token.at + len(pattern) + 2, hint)
    read = parse_regex(pattern, flags=flags.replace("u", ""), offset=token.at + 1, anchors=False)
    return Literal(token.text, read, token.at)


def _is_terminal(name: str) -> bool:
    return name.isupper()


def _check_names(grammar: LarkGrammar) -> None:
    known = [*grammar.rules, *grammar.terminals]
    if "start" not in grammar.rules:
        raise GrammarError("there is no rule `start`", 0, "write `start: …`: every text is one")
    sides = [(side, False) for side in grammar.rules.values()]
    sides += [(side, True) for side in (*grammar.terminals.values(), *grammar.ignored)]
    while sides:
        side, in_terminal = sides.pop()
        if isinstance(side, Name):
            if side.name not in grammar.places:
                close = get_close_matches(side.name[:64], known, 1)
                hint = f"did you mean `{close[0]}`?" if close else "define it, or import it from `common`"
                raise GrammarError(f"`{side.name}` is not defined", side.at, hint)
            if in_terminal and side.name in grammar.rules:
                hint = "write the terminal's parts in upper case, too"
                raise GrammarError(f"a terminal cannot contain the rule `{side.name}`", side.at, hint)
        elif isinstance(side, Choice | Sequence):
            sides += [(each, in_terminal) for each in side.parts]
        elif isinstance(side, Repetition):
            sides.append((side.part, in_terminal))
