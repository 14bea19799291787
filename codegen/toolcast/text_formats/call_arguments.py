"""The arguments of one tool in a grammar, in each of the contents that calls of text formats have.

Values between markers are text whose type the contract decides: strings as they are, without what ends them,
and all others as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from ..contract.tree import (
    Anything,
    Array,
    Boolean,
    Contract,
    Enum,
    Field,
    Map,
    Node,
    Nothing,
    Null,
    Number,
    Object,
    Reference,
    String,
    Union,
)
from ..jsonschema.json_values import type_of
from .expressions import (
    NOTHING,
    Expression,
    Repeat,
    Rule,
    Rules,
    Text,
    choice,
    optional,
    parts_of,
    sequence,
)
from .restricted_text import Ending, TooLargeError, closed, holds
from .scalars import ANY_TEXT
from .spellings import GAP, JSON, PYTHON, Spelling, braces, pattern, written
from .text_format import KEY, CallForm, ParameterForm
from .values import LENGTHS, GrammarLoss, UnwritableError, Values, uncounted

_KEY: Final = re.compile(KEY)
_PYTHON_KEY: Final = re.compile(r"[^\W\d]\w{0,127}")
# Elements of the name `item` are the items of a list.
_ELEMENT: Final = re.compile(r"(?!item\Z)[^\W\d][\w.-]{0,127}")
_BREAK: Final = Text("\n")
_BREAKS: Final = (Ending(_BREAK), Ending(Text("\r")))
_TYPES: Final[dict[type[Node], str]] = {
    String: "string", Anything: "string", Number: "number", Boolean: "boolean", Null: "null", Array: "array"
}  # fmt: skip

_REMEDY: Final = "change it, leave the tool out with `tools`, or ask for a format whose arguments are JSON"


class _Between(NamedTuple):
    """The place of a value that is text between markers: what closes it, cannot be in it, and is trimmed."""

    close: str
    ends: tuple[Ending, ...]
    trim: str = ""


class CallArguments:
    """Writes the arguments of one tool in one form of calls."""

    def __init__(self, tool: str, contract: Contract, form: CallForm, rules: Rules) -> None:
        """Prepare for a tool by its name and contract."""
        root = contract.roots["parameters"]
        assert isinstance(root, Object)  # parameters are read as nothing else
        self._tool = tool
        self._contract = contract
        self._form = form
        self._rules = rules
        self._root = root
        self._elements: dict[tuple[str, str], Rule] = {}
        marks = {"python": PYTHON, "braces": braces(form.quote)}.get(form.content, JSON)
        self._plain = Values(contract, rules, tool, Spelling(rules, marks))
        self._ended: dict[tuple[Ending, ...], Values] = {}

    @property
    def losses(self) -> tuple[GrammarLoss, ...]:
        """Differences of the rules from the contract, so far."""
        found = (loss for values in (self._plain, *self._ended.values()) for loss in values.losses)
        return tuple(dict.fromkeys(found))

    def written(self) -> Expression:
        """Write the arguments as the form has them between its markers. Raises UnwritableError."""
        if self._form.content == "parameters":
            return self._listed(self._root, _KEY, self._parameter)
        if self._form.content == "elements":
            return self._listed(self._root, _ELEMENT, self._element)
        if self._form.content == "python":
            members = [
                (sequence(Text(f"{each.encode_name}="), self._plain.value(each.node)), each.required)
                for each in self._fields(self._root, _PYTHON_KEY)
            ]
            return self._plain.members(members)
        return self._plain.arguments()

    def _json(self, endings: tuple[Ending, ...]) -> Values:
        """Return what writes JSON without endings in its strings."""
        if endings not in self._ended:
            spelling = Spelling(self._rules, JSON, (*endings, *_across(endings)))
            self._ended[endings] = Values(self._contract, self._rules, self._tool, spelling)
        return self._ended[endings]

    def _fields(self, node: Object, names: re.Pattern[str]) -> Iterator[Field]:
        """Give the properties whose names have a form; what is not said of the object is a loss."""
        for keyword in node.residue:
            self._plain.lose(node, keyword, "is not said: it concerns several properties")
        for keyword in uncounted(node):
            self._plain.lose(node, keyword, "is not said: properties are not counted")
        if not node.closed:
            reason = "is not used: only declared properties are written"
            self._plain.lose(node, "additionalProperties", reason, stricter=True)
        for field in node.fields:
            name = field.encode_name
            if isinstance(field.node, Nothing) and not field.required:
                continue
            if names.fullmatch(name) is not None and name.strip() == name:
                yield field
            elif field.required:
                reason = f"the required property {name!r} has no form in the text format"
                raise UnwritableError(node.pointer, reason, _REMEDY)
            else:
                reason = f"is without {name!r}, which has no form there"
                self._plain.lose(node, "properties", reason, stricter=True)

    def _listed(
        self, node: Object, names: re.Pattern[str], write: Callable[[str, Node], Expression], least: int = 0
    ) -> Expression:
        """Write the properties of an object one after the other, at least so many."""
        members: list[tuple[Expression, bool]] = []
        for field in self._fields(node, names):
            made = write(field.encode_name, field.node)
            if made == NOTHING and field.required:
                reason = "no value of a required property has a form in the text format"
                raise UnwritableError(field.node.pointer, reason, _REMEDY)
            if made == NOTHING:
                reason = "is not written: no value has a form there"
                self._plain.lose(field.node, "properties", reason, stricter=True)
            else:
                members.append((sequence(made, GAP), field.required))
        if least:
            return sequence(GAP, self._plain.members(members, comma=Text(""), least=least))
        return sequence(GAP, *(each if must else optional(each) for each, must in members))

    def _parameter(self, name: str, node: Node) -> Expression:
        leaves = [*self._leaves(node)]
        forms = self._form.parameters
        typed = next((each for each in forms if each.value == "json"), None)
        plain = [each for each in forms if each.value == "text"]
        if plain and not plain[0].verbatim:
            plain = plain[:1]
        texts = [each for each in leaves if typed is None or _type(each) == "string"]
        options: list[Expression] = []
        for form in plain:
            value = self._text(texts, _Between(form.close[0], self._endings(form), form.trim))
            options.append(sequence(written(form.open[0], key=name), value))
        others = [each for each in leaves if each not in texts] if plain else [node]
        for each in others if typed is not None else ():
            assert typed is not None
            word = _type(each)
            named = (one for one in typed.open if f'"{word}"' in one or f">{word}<" in one)
            open = written(next(named, typed.open[0]), key=name)
            value = self._json(self._endings(typed)).value(each)
            options.append(sequence(open, value, Text(typed.close[0])))
        return choice(options)

    def _endings(self, form: ParameterForm) -> tuple[Ending, ...]:
        """Return what a value cannot hold: its end, and the beginning of a parameter, which is a problem."""
        opens = () if form.verbatim else [one for each in self._form.parameters for one in each.open]
        return (*(Ending(Text(each)) for each in form.close), *(Ending(pattern(each)) for each in opens))

    def _element(self, name: str, node: Node) -> Expression:
        known = self._elements.get((name, node.pointer))
        if known is None:
            known = self._elements[name, node.pointer] = self._rules.reserve(f"{self._tool}-{name}")
            made = self._element_value(node, f"{self._form.prefix}</{name}>")
            if made == NOTHING:
                reason = "none of its values has a form in the text format"
                raise UnwritableError(node.pointer, reason, _REMEDY)
            self._rules.define(known, made)
        return sequence(Text(f"{self._form.prefix}<{name}>"), known)

    def _element_value(self, node: Node, close: str) -> Expression:
        """Write objects and arrays as elements, empty ones and others as JSON, and strings as they are."""
        plain: list[Node] = []
        inner: list[Expression] = []
        leaves = [*self._leaves(node)]
        for each in leaves:
            if isinstance(each, Array):
                for keyword in (*each.residue, *(["uniqueItems"] if each.unique else ())):
                    self._plain.lose(each, keyword, "is not said: items are written one by one")
                item = sequence(self._element("item", each.items), GAP)
                bounds = ("minItems", max(1, each.min_items)), ("maxItems", each.max_items)
                inner.append(sequence(GAP, Repeat(item, *self._plain.counted(each, *bounds))))
                inner += [] if each.min_items else [Text("[]")]
            elif isinstance(each, Object) and each.fields:
                inner.append(self._listed(each, _ELEMENT, self._element, least=1))
                inner += [] if any(field.required for field in each.fields) else [Text("{}")]
            else:
                plain.append(each)
        empty = {each for each in map(_empty, leaves) if each}
        texts = any(_type(each) == "string" for each in leaves)
        if not texts and len(empty) == 1 and close != f"{self._form.prefix}</item>":
            inner.append(Text(""))  # the contract tells what a property is that has nothing between its marks
        ends = (Ending(Text(f"{self._form.prefix}<")),)
        return choice(
            [*(sequence(each, Text(close)) for each in inner), self._text(plain, _Between(close, ends))]
        )

    def _leaves(self, node: Node) -> Iterator[Node]:
        """Give what a value may be, each of one type."""
        waiting, seen = [node], set[str]()
        while waiting:
            each = waiting.pop(0)
            if isinstance(each, (Reference, Union)):
                for keyword in (*each.residue, *(["oneOf"] if getattr(each, "mode", "") == "one" else ())):
                    self._plain.lose(each, keyword, "is not said of text")
            if isinstance(each, Union):
                waiting = [*each.branches, *waiting]
            elif isinstance(each, Reference):
                waiting = [self._plain.resolve(each), *waiting] if each.name not in seen else waiting
                seen.add(each.name)
            elif isinstance(each, Enum):
                for name in dict.fromkeys(map(_type_of, each.values)):
                    values = tuple(value for value in each.values if _type_of(value) == name)
                    yield Null(pointer=each.pointer) if name == "null" else replace(each, values=values)
            elif not isinstance(each, Nothing):
                yield each

    def _text(self, leaves: Sequence[Node], at: _Between) -> Expression:
        """Write values as text, with what closes them; nothing where none has a form."""
        if not any(map(_is_free, leaves)):
            around = ("", "\n") if at.trim == "newline" else ("",)
            return choice(self._leaf(each, at, line) for each in leaves for line in around)
        for each in leaves:
            for keyword in each.residue:
                self._plain.lose(each, keyword, "is not said of text")
            if _type(each) != "string" or isinstance(each, Anything):
                reason = "is written as text, which is read as a string"
                self._plain.lose(each, "type", reason, stricter=True)
        return closed(self._rules, "text", ANY_TEXT, at.close, at.ends)

    def _leaf(self, node: Node, at: _Between, line: str) -> Expression:
        """Write a value as text, with line breaks around it that a reader trims, or without."""
        if isinstance(node, String):
            return self._string(node, at, line)
        if isinstance(node, Null):
            self._plain.lose(node, "type", "is without null, which has no form as text", stricter=True)
            return NOTHING
        if isinstance(node, Boolean):
            value = choice(Text(each) for each in ("true", "false", "True", "False"))
        elif isinstance(node, Enum) and _type(node) == "string":
            value = self._constants(node, at, line)
        else:
            value = self._json(at.ends).value(node)
        return sequence(Text(line), value, Text(line + at.close))

    def _constants(self, node: Enum, at: _Between, line: str) -> Expression:
        """Write the strings of an enum that hold no ending, those of several lines on lines of their own."""
        kept: list[Expression] = []
        for each in node.values:
            if holds(each, at.close, at.ends):
                self._plain.lose(node, "enum", f"is without {each!r}, which has no form there", stricter=True)
            elif line or at.trim != "newline" or re.search(r"[\r\n]", each) is None:
                kept.append(Text(each))
        return choice(kept)

    def _string(self, node: String, at: _Between, line: str) -> Expression:
        ends = at.ends if line or at.trim != "newline" else (*at.ends, *_BREAKS)
        text = self._plain.text(node)
        if text == ANY_TEXT:
            return closed(self._rules, "text", ANY_TEXT, at.close, at.ends)
        value = sequence(Text(line), text, Text(line))
        try:
            if (node.max_length or 0) > self._rules.turns:
                raise TooLargeError("a state for each turn")
            return closed(self._rules, f"{self._tool}-text", value, at.close, ends)
        except TooLargeError:
            for keyword in LENGTHS:
                reason = "is not said: text without what ends it needs too many rules"
                self._plain.lose(node, keyword, reason)
            return closed(self._rules, "text", ANY_TEXT, at.close, at.ends)


def _type(node: Node) -> str:
    """Return the type of a node's values."""
    return _type_of(node.values[0]) if isinstance(node, Enum) else _TYPES.get(type(node), "object")


def _type_of(value: object) -> str:
    return type_of(value).replace("integer", "number")


def _empty(node: Node) -> str:
    """Return the type of a node's empty value; "" where it has none, or its empty value is text."""
    if isinstance(node, Array):
        return "" if node.min_items else "array"
    if isinstance(node, Map):
        return "" if node.min_size else "object"
    required = isinstance(node, Object) and (node.min_size or any(each.required for each in node.fields))
    return "object" if isinstance(node, Object) and not required else ""


def _across(endings: Sequence[Ending]) -> Iterator[Ending]:
    """Give the beginnings of endings up to a quotation mark, which ends a string: the rest would stand behind
    it, and no string is written with what follows it.
    """
    for each in endings:
        begun: list[Expression] = []
        for part in parts_of(each.pattern) or (each.pattern,):
            head, mark, _ = part.text.partition('"') if isinstance(part, Text) else ("", "", "")
            if mark:
                yield Ending(sequence(*begun, Text(head + mark)))
                break
            begun.append(part)


def _is_free(node: Node) -> bool:
    """Tell whether a node's values are any text."""
    if not isinstance(node, String):
        return isinstance(node, Anything)
    return not (node.min_length or node.max_length is not None or node.pattern or node.format)
