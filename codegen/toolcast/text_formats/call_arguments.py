"""The arguments of one tool in a grammar, in each of the contents that calls of text formats have.

Values between markers are text whose type the contract decides: strings as they are, without what ends them,
and all others as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NoReturn

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
    nodes,
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
from .spellings import GAP, Braces, Elements, Ended, Python, Raw, Spelling, pattern, written
from .text_format import KEY, CallForm, ParameterForm
from .values import LENGTHS, GrammarLoss, UnwritableError, Values, uncounted

_KEY: Final = re.compile(KEY)
_PYTHON_KEY: Final = re.compile(r"[^\W\d]\w{0,127}")
# Elements of the name `item` are the items of a list.
_ELEMENT: Final = re.compile(r"(?!item\Z)[^\W\d][\w.-]{0,127}")
_BREAK: Final = Text("\n")
_BREAKS: Final = (Ending(_BREAK), Ending(Text("\r")))
_TYPES: Final[dict[type[Node], str]] = {Number: "number", Boolean: "boolean", Null: "null", Array: "array"}


_REMEDY: Final = "change it, leave the tool out with `tools`, or ask for a format whose arguments are JSON"


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
        self._values: dict[tuple[str, tuple[Ending, ...]], Values] = {}
        self._own: dict[GrammarLoss, None] = {}

    @property
    def losses(self) -> tuple[GrammarLoss, ...]:
        """Differences of the rules from the contract, so far."""
        found = (loss for values in self._values.values() for loss in values.losses)
        return tuple(dict.fromkeys((*self._own, *found)))

    def written(self) -> Expression:
        """Write the arguments as the form has them between its markers. Raises UnwritableError."""
        if self._form.content == "parameters":
            return self._parameters()
        if self._form.content == "python":
            return self._python()
        if self._form.content == "elements":
            return self._members(self._root)
        if self._form.content == "braces":
            below = map(nodes, (*self._contract.roots.values(), *self._contract.definitions.values()))
            for each in chain.from_iterable(below):
                if isinstance(each, Object) and not each.closed and each.fields:
                    reason = "come behind declared ones, where models sort them"
                    self._lose(each, "additionalProperties", reason, stricter=True)
        return self._spelt().arguments()

    def _spelt(self, name: str = "", endings: Sequence[Ending] = ()) -> Values:
        """Return what writes values as the form's content has them; or "raw" texts, "elements", or "json"
        without endings in its strings.
        """
        at = (name or self._form.content, tuple(endings))
        if at not in self._values:
            spellings: Mapping[str, Callable[[], Spelling]] = {
                "raw": Raw,
                "elements": Elements,
                "json": lambda: Ended(self._rules, [*endings, *_across(endings)]),
                "python": Python,
                "braces": lambda: Braces(self._rules, self._form.quote),
            }
            spelling = spellings.get(at[0], Spelling)()
            self._values[at] = Values(self._contract, self._rules, self._tool, spelling)
        return self._values[at]

    def _lose(self, node: Node, keyword: str, reason: str, *, stricter: bool = False) -> None:
        self._own[GrammarLoss(self._tool, node.pointer, keyword, "", reason, stricter)] = None

    def _refuse(self, node: Node, reason: str) -> NoReturn:
        raise UnwritableError(node.pointer, reason, _REMEDY)

    def _python(self) -> Expression:
        values = self._spelt()
        members = [
            (sequence(Text(f"{each.encode_name}="), values.value(each.node)), each.required)
            for each in self._fields(self._root, _PYTHON_KEY)
        ]
        return values.members(members)

    def _fields(self, node: Object, names: re.Pattern[str]) -> Iterator[Field]:
        """Give the properties whose names have a form; what is not said of the object is a loss."""
        for keyword in node.residue:
            self._lose(node, keyword, "is not said: it concerns several properties")
        for keyword in uncounted(node):
            self._lose(node, keyword, "is not said: properties are not counted")
        if not node.closed:
            reason = "is not used: only declared properties are written"
            self._lose(node, "additionalProperties", reason, stricter=True)
        for field in node.fields:
            name = field.encode_name
            if isinstance(field.node, Nothing) and not field.required:
                continue
            if names.fullmatch(name) is not None and name.strip() == name:
                yield field
            elif field.required:
                self._refuse(node, f"the required property {name!r} has no form in the text format")
            else:
                self._lose(node, "properties", f"is without {name!r}, which has no form there", stricter=True)

    def _parameters(self) -> Expression:
        parts: list[Expression] = [GAP]
        for field in self._fields(self._root, _KEY):
            made = self._parameter(field)
            if made == NOTHING and field.required:
                self._refuse(field.node, "no value of a required property has a form in the text format")
            if made == NOTHING:
                reason = "is not written: no value has a form there"
                self._lose(field.node, "properties", reason, stricter=True)
            else:
                one = sequence(made, GAP)
                parts.append(one if field.required else optional(one))
        return sequence(*parts)

    def _parameter(self, field: Field) -> Expression:
        texts, others = self._split(field.node)
        forms = self._form.parameters
        typed = next((each for each in forms if each.value == "json"), None)
        plain = [each for each in forms if each.value == "text"]
        if plain and not plain[0].verbatim:
            plain = plain[:1]
        options: list[Expression] = []
        for form in plain:
            values = texts, () if typed else others
            value = self._text(values, form.close[0], self._endings(form), form.trim)
            options.append(sequence(written(form.open[0], key=field.encode_name), value))
        for each in () if typed is None else others if plain else (field.node,):
            assert typed is not None
            word = _type(each.values[0]) if isinstance(each, Enum) else _TYPES.get(type(each), "object")
            named = (one for one in typed.open if f'"{word}"' in one or f">{word}<" in one)
            open = written(next(named, typed.open[0]), key=field.encode_name)
            value = self._spelt("json", self._endings(typed)).value(each)
            options.append(sequence(open, value, Text(typed.close[0])))
        return choice(options)

    def _endings(self, form: ParameterForm) -> tuple[Ending, ...]:
        """Return what a value cannot hold: its end, and the beginning of a parameter, which is a problem."""
        opens = () if form.verbatim else [one for each in self._form.parameters for one in each.open]
        return (*(Ending(Text(each)) for each in form.close), *(Ending(pattern(each)) for each in opens))

    def _members(self, node: Object, *, least: int = 0) -> Expression:
        members = [
            (sequence(self._element(each.encode_name, each.node), GAP), each.required)
            for each in self._fields(node, _ELEMENT)
        ]
        return sequence(GAP, self._spelt("elements").members(members, least=least))

    def _element(self, name: str, node: Node) -> Expression:
        open = f"{self._form.prefix}<{name}>"
        known = self._elements.get((name, node.pointer))
        if known is None:
            known = self._rules.reserve(f"{self._tool}-{name}")
            self._elements[name, node.pointer] = known
            self._rules.define(known, self._element_value(node, f"{self._form.prefix}</{name}>"))
        return sequence(Text(open), known)

    def _element_value(self, node: Node, close: str) -> Expression:
        """Write objects and arrays as elements, empty ones and others as JSON, and strings as they are."""
        texts, others = self._split(node)
        nested = [each for each in others if isinstance(each, (Array, Object))]
        nested = [each for each in nested if isinstance(each, Array) or each.fields]
        inner: list[Expression] = []
        for each in nested:
            if isinstance(each, Array):
                if each.unique:
                    self._lose(each, "uniqueItems", "is not said: items are not compared")
                item = sequence(self._element("item", each.items), GAP)
                inner.append(sequence(GAP, Repeat(item, max(1, each.min_items), each.max_items)))
                inner += [] if each.min_items else [Text("[]")]
            else:
                inner.append(self._members(each, least=1))
                inner += [] if any(field.required for field in each.fields) else [Text("{}")]
        empty = {each for each in map(_empty, others) if each}
        if not texts and len(empty) == 1 and close != f"{self._form.prefix}</item>":
            inner.append(Text(""))  # the contract tells what a property is that has nothing between its marks
        options = [sequence(each, Text(close)) for each in inner]
        ends = (Ending(Text(f"{self._form.prefix}<")),)
        value = self._text((texts, [each for each in others if each not in nested]), close, ends)
        made = choice([*options, value])
        if made == NOTHING:
            self._refuse(node, "none of its values has a form in the text format")
        return made

    def _split(self, node: Node) -> tuple[list[Node], list[Node]]:
        """Return the nodes of a value that are text between markers, and all others."""
        texts: list[Node] = []
        others: list[Node] = []
        waiting, seen = [node], set[str]()
        while waiting:
            each = waiting.pop(0)
            if isinstance(each, (Reference, Union)):
                for keyword in (*each.residue, *(["oneOf"] if getattr(each, "mode", "") == "one" else ())):
                    self._lose(each, keyword, "is not said of text")
            if isinstance(each, Reference):
                waiting = [self._resolved(each), *waiting] if each.name not in seen else waiting
                seen.add(each.name)
            elif isinstance(each, Union):
                waiting = [*each.branches, *waiting]
            elif isinstance(each, Enum):
                strings = tuple(value for value in each.values if isinstance(value, str))
                texts += [replace(each, values=strings)] if strings else []
                others += _by_type(each)
            elif isinstance(each, (String, Anything)):
                texts.append(each)
            elif not isinstance(each, Nothing):
                others.append(each)
        return texts, others

    def _resolved(self, node: Reference) -> Node:
        return self._contract.roots[node.root] if node.root else self._contract.definitions[node.name]

    def _text(
        self,
        values: tuple[Sequence[Node], Sequence[Node]],
        close: str,
        ends: Sequence[Ending],
        trim: str = "",
    ) -> Expression:
        """Write texts and other values with what closes them; nothing where none has a form. The line breaks
        that a reader trims may stand around them.
        """
        texts, others = values
        if any(isinstance(each, Anything) or (isinstance(each, String) and _is_free(each)) for each in texts):
            for each in (*texts, *others):
                for keyword in each.residue:
                    self._lose(each, keyword, "is not said of text")
                if not isinstance(each, String):
                    self._lose(each, "type", "is written as text, which is read as a string", stricter=True)
            return closed(self._rules, "text", ANY_TEXT, close, ends)
        typed = [each for node in others for each in self._typed(node, ends)]
        strings = [each for node in texts for each in self._strings(node, close, ends)]
        whole = choice(strings)
        options = [sequence(each, Text(close)) for each in typed]
        if trim != "newline":
            options.append(self._closed(texts, whole, close, ends))
        else:
            line = choice(each for each in strings if not isinstance(each, Text) or _is_line(each.text))
            options.append(self._closed(texts, line, close, (*ends, *_BREAKS)))
            options += [sequence(_BREAK, each, _BREAK, Text(close)) for each in typed]
            options.append(self._closed(texts, sequence(_BREAK, whole, _BREAK), close, ends))
        return choice(options)

    def _closed(
        self, texts: Sequence[Node], value: Expression, close: str, ends: Sequence[Ending]
    ) -> Expression:
        name = f"{self._tool}-text"
        if all(isinstance(node, Enum) for node in texts):  # none of which has an ending
            return self._rules.token(name, sequence(value, Text(close))) if value != NOTHING else NOTHING
        try:
            return closed(self._rules, name, value, close, ends)
        except TooLargeError:
            for node in texts:
                for keyword in LENGTHS:
                    self._lose(node, keyword, "is not said: text without what ends it needs too many rules")
            return closed(self._rules, "text", ANY_TEXT, close, ends)

    def _typed(self, node: Node, endings: Sequence[Ending]) -> list[Expression]:
        if isinstance(node, Null):
            self._lose(node, "type", "is without null, which has no form as text", stricter=True)
            return []
        if isinstance(node, Boolean):
            return [Text(each) for each in ("true", "false", "True", "False")]
        return [self._spelt("json", endings).value(node)]

    def _strings(self, node: Node, close: str, ends: Sequence[Ending]) -> list[Expression]:
        """Write strings as they are; those of an enum without the ones that hold an ending."""
        if isinstance(node, String):
            return [self._spelt("raw").text(node)]
        assert isinstance(node, Enum)
        made: list[Expression] = []
        for value in node.values:
            if holds(value, close, ends):
                self._lose(node, "enum", f"is without {value!r}, which has no form there", stricter=True)
            else:
                made.append(Text(value))
        return made


def _by_type(node: Enum) -> list[Node]:
    """Return the values of an enum that are no strings, those of a type together."""
    found: dict[str, list[object]] = {}
    for value in node.values:
        found.setdefault(_type(value), []).append(value)
    return [
        Null(pointer=node.pointer) if name == "null" else replace(node, values=tuple(values))
        for name, values in found.items()
        if name != "string"
    ]


def _type(value: object) -> str:
    return type_of(value).replace("integer", "number")


def _is_line(text: str) -> bool:
    return "\n" not in text and "\r" not in text


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


def _is_free(node: String) -> bool:
    return not (node.min_length or node.max_length is not None or node.pattern or node.format)
