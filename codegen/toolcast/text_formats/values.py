"""The values that a tool's contract accepts, as expressions: what a model may write as arguments.

A value is written in one spelling: properties in the order of the contract, then undeclared ones, at most one
blank behind a comma or a colon, and no escape for what can be written plainly. What no grammar says (equal
items, multiples, keys that stand twice) is a loss: the grammar is looser there, and decoding refuses.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from math import ceil, floor, inf
from typing import Any, Final, NoReturn

from msgspec import Struct

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
    Tuple,
    Union,
    children,
)  # fmt: skip
from ..jsonschema.charset import Ranges, complement, union
from ..jsonschema.json_values import MAX_DEPTH, key
from .expressions import (
    Characters,
    Choice,
    Expression,
    Repeat,
    Rule,
    Rules,
    Text,
    choice,
    one_of,
    optional,
    sequence,
)
from .expressions import Sequence as Parts
from .scalars import (
    ANY_TEXT,
    NOTHING,
    InexpressibleError,
    alternatives,
    characters,
    exclusive,
    formatted,
    integer,
    limited,
    number,
    other_than,
    pattern,
    repeated,
)  # fmt: skip

_MAX_NODES: Final = 20_000
_MAX_FIELDS: Final = 1_000
_MAX_NESTING: Final = 100
_MAX_COUNTED: Final = 2_000
"""Pairs of a property and a number of properties before it."""

_Options = list[tuple[Expression, ...]]
"""What may follow, each as parts."""


class UnwritableError(ValueError):
    """A contract has no values that a grammar could say.

    Attributes:
        path: the pointer of the schema.
        reason: why, as one sentence without a full stop.
        remedy: what to change.
    """

    def __init__(self, path: str, reason: str, remedy: str) -> None:
        super().__init__(path, reason, remedy)
        self.path = path
        self.reason = reason
        self.remedy = remedy

    def __str__(self) -> str:
        """Return the path, the reason and the remedy."""
        return f"{self.path or '/'}: {self.reason}; {self.remedy}"


class GrammarLoss(Struct, frozen=True):
    """A keyword that a grammar does not say: it lets a model write values that the keyword refuses.

    Attributes:
        path: the pointer of the schema in the contract.
        keyword: its keyword; "duplicate" and "nesting" are what decoding refuses besides.
        engine: the engine that does not say it; "" for every engine.
        reason: why not, as a predicate of the keyword.
    """

    path: str
    keyword: str
    engine: str
    reason: str


class Spelling:
    """The spelling of values: JSON. Subclasses write other languages."""

    true: Expression = Text("true")
    false: Expression = Text("false")
    null: Expression = Text("null")
    comma: Expression = Parts((Text(","), optional(Text(" "))))
    colon: Expression = Parts((Text(":"), optional(Text(" "))))
    brackets: tuple[str, str] = ("[", "]")
    braces: tuple[str, str] = ("{", "}")

    _escapes: Mapping[int, str] = {
        **{point: json.dumps(chr(point))[1:-1] for point in range(0x20)}, 0x22: '\\"', 0x5C: "\\\\"
    }  # fmt: skip
    """Characters that a string has no place for, and what is written in place of them."""

    def ordered(self, fields: Sequence[Field]) -> Sequence[Field]:
        """Return properties in the order in which they are written."""
        return fields

    def quoted(self, content: Expression) -> Expression:
        """Return a string with this content."""
        return sequence(Text('"'), content, Text('"'))

    def key(self, content: Expression) -> Expression:
        """Return the key of an object; as a rule it is a string."""
        return self.quoted(content)

    def characters(self, ranges: Ranges) -> Expression:
        """Return one character of a string's content."""
        return _character(ranges, tuple(self._escapes.items()))

    def text(self, text: str) -> Expression:
        """Return an exact content of a string, which may have halves of surrogate pairs."""
        halves = (f"\\u{ord(each):04x}" if "\ud800" <= each <= "\udfff" else each for each in text)
        return Text(
            "".join(self._escapes.get(ord(each), each) if len(each) == 1 else each for each in halves)
        )

    def content(self, texts: Expression) -> Expression:
        """Return the content of a string whose texts are made of the characters themselves."""
        if isinstance(texts, Text):
            return self.text(texts.text)
        if isinstance(texts, Characters):
            return self.characters(texts.ranges)
        if isinstance(texts, Repeat):
            return repeated(self.content(texts.part), texts.least, texts.most)
        assert not isinstance(texts, Rule)
        if isinstance(texts, Choice):
            return alternatives(map(self.content, texts.options))
        parts = [self.content(part) for part in texts.parts]
        return NOTHING if NOTHING in parts else sequence(*parts)

    def literal(self, value: object) -> Expression:
        """Return one exact value."""
        if isinstance(value, str):
            return self.quoted(self.text(value))
        if value is None or isinstance(value, bool):
            return self.null if value is None else self.true if value else self.false
        if isinstance(value, list | tuple):
            return self.listed(self.brackets, [self.literal(item) for item in value])
        if isinstance(value, Mapping):
            items = [
                parts(self.key(self.text(name)), self.colon, self.literal(item))
                for name, item in value.items()
            ]
            return self.listed(self.braces, items)
        whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e16
        return Text(repr(int(value) if whole else value))  # type: ignore[call-overload]

    def listed(self, around: tuple[str, str], items: Sequence[Expression]) -> Expression:
        """Return some items in brackets."""
        between = [each for item in items for each in (self.comma, item)][1:]
        return parts(Text(around[0]), *between, Text(around[1]))


def parts(*several: Expression) -> Expression:
    """Return parts one after the other. Texts stay apart: each is a token of an engine with a lexer."""
    flat = tuple(each for part in several for each in (part.parts if isinstance(part, Parts) else (part,)))
    return Parts(flat) if len(flat) != 1 else flat[0]


@lru_cache(maxsize=1024)
def _character(ranges: Ranges, escapes: tuple[tuple[int, str], ...]) -> Expression:
    escaped: dict[str, list[tuple[int, int]]] = {}
    for at, to in escapes:
        if any(low <= at <= high for low, high in ranges):
            escaped.setdefault(to[:-1], []).append((ord(to[-1]), ord(to[-1])))
    plain = complement(union([*complement(ranges), *((at, at) for at, _ in escapes)]))
    others = (sequence(Text(head), one_of(union(last))) for head, last in escaped.items())
    return alternatives([characters(plain), *others])


def _of(options: _Options) -> Expression:
    each = tuple(parts(*option) if option else Text("") for option in options)
    return each[0] if len(each) == 1 else Choice(each)


class Values:
    """Writes the values of one tool.

    Attributes:
        losses: what the expressions that were written so far do not say, in the order of the contract.
    """

    def __init__(
        self, contract: Contract, rules: Rules, prefix: str = "", spelling: Spelling | None = None
    ) -> None:
        """Write a tool's values as rules.

        Args:
            contract: its contract.
            rules: the rules to add to.
            prefix: the first words of the names of rules.
            spelling: how values are written; None for JSON.
        """
        self._contract = contract
        self._rules = rules
        self._prefix = prefix
        self._spelling = spelling or Spelling()
        self._losses: dict[GrammarLoss, None] = {}
        self._references: dict[tuple[str, str], Rule] = {}
        self._waiting: list[Reference] = []
        self._possible: set[tuple[str, str]] | None = None
        self._nodes = 0
        self._depth = 0
        self._any: Rule | None = None

    @property
    def losses(self) -> tuple[GrammarLoss, ...]:
        """Keywords that are not said so far."""
        return tuple(self._losses)

    def arguments(self) -> Expression:
        """Write the object of all arguments. Raises UnwritableError."""
        return self.value(self._contract.roots["parameters"])

    def value(self, node: Node) -> Expression:
        """Write the values of a node of the contract. Raises UnwritableError where there are none."""
        made = self._value(node)
        while self._waiting:
            reference = self._waiting.pop()
            found = self._value(self._resolve(reference))
            self._rules.define(self._references[reference.root, reference.name], found)
        if made == NOTHING:
            self._refuse(node, "it accepts no value", "relax what contradicts itself")
        return made

    def text(self, node: String) -> Expression:
        """Write the content of a string, without quotes. Raises UnwritableError where there is none."""
        self._tell_residue(node)
        found = self._spelling.content(self._texts(node))
        if found == NOTHING:
            self._refuse(node, "it accepts no text", "relax what contradicts itself")
        return found

    # -- any node --------------------------------------------------------------------------------

    def _value(self, node: Node) -> Expression:
        self._nodes += 1
        if self._nodes > _MAX_NODES:
            self._refuse(
                node,
                f"a grammar says at most {_MAX_NODES:,} schemas",
                "split the tool",
            )
        if self._depth > _MAX_NESTING:
            self._refuse(node, f"its schemas nest more than {_MAX_NESTING} deep", "flatten it")
        self._tell_residue(node)
        self._depth += 1
        found = self._writers[type(node)](self, node)
        self._depth -= 1
        return found

    def _number(self, node: Number) -> Expression:
        if node.multiple_of is not None and not (node.integer and node.multiple_of == 1):
            self._lose(node, "multipleOf", "is not regular for a grammar")
        bounds = (node.minimum, node.exclusive_minimum), (node.maximum, node.exclusive_maximum)
        if node.integer:
            low = [ceil(each) for each in bounds[0][:1] if each is not None]
            low += [floor(each) + 1 for each in bounds[0][1:] if each is not None]
            high = [floor(each) for each in bounds[1][:1] if each is not None]
            high += [ceil(each) - 1 for each in bounds[1][1:] if each is not None]
            found = integer(max(low, default=None), min(high, default=None))
        else:
            least = [Decimal(repr(each)) for each in bounds[0][:1] if each is not None]
            least += [exclusive(each, inf) for each in bounds[0][1:] if each is not None]
            most = [Decimal(repr(each)) for each in bounds[1][:1] if each is not None]
            most += [exclusive(each, -inf) for each in bounds[1][1:] if each is not None]
            found = number(max(least, default=None), min(most, default=None))
        name = "integer" if node.integer else "number"
        bounded = any(each is not None for pair in bounds for each in pair)
        return self._token(node, found, "" if bounded else name)

    def _reference(self, node: Reference) -> Expression:
        if self._possible is None:
            self._possible = self._find_possible()
        at = (node.root, node.name)
        if at not in self._possible:
            return NOTHING
        if at not in self._references:
            self._references[at] = self._rules.reserve(f"{self._prefix}-{node.name or 'arguments'}")
            self._waiting.append(node)
        return self._references[at]

    def _union(self, node: Union) -> Expression:
        if node.mode == "one" and not _apart(node.branches):
            self._lose(node, "oneOf", "is written as `anyOf`: branches may share values")
        return alternatives([self._value(branch) for branch in node.branches])

    def _anything(self, node: Anything) -> Expression:
        self._lose(node, "nesting", f"has no end here: decoding refuses more than {MAX_DEPTH} levels")
        self._lose(node, "duplicate", "is not said: a key may stand twice in a free object")
        if self._any is not None:
            return self._any
        value = self._any = self._rules.reserve("any")
        string = self._rules.token("string", self._spelling.quoted(self._spelling.content(ANY_TEXT)))
        key = self._rules.token("key", self._spelling.key(self._spelling.content(ANY_TEXT)))
        numeral = self._rules.token("number", number(None, None))
        entry = parts(key, self._spelling.colon, value)
        array = self._listed(self._spelling.brackets, value, 0, None)
        members = self._listed(self._spelling.braces, entry, 0, None)
        literals = (self._spelling.true, self._spelling.false, self._spelling.null)
        self._rules.define(value, choice([string, numeral, *literals, array, members]))
        return value

    # -- strings ---------------------------------------------------------------------------------

    def _string(self, node: String) -> Expression:
        return self._quoted(node, self._texts(node), self._spelling.quoted)

    def _quoted(
        self, node: Node, texts: Expression, quotes: Callable[[Expression], Expression]
    ) -> Expression:
        content = self._spelling.content(texts)
        name = ("key" if quotes == self._spelling.key else "string") if texts == ANY_TEXT else ""
        return NOTHING if content == NOTHING else self._token(node, quotes(content), name)

    def _texts(self, node: String) -> Expression:
        """Return the texts of a string, of its own characters."""
        texts: Expression = ANY_TEXT
        said: list[str] = []
        for keyword, value, make in (("pattern", node.pattern, pattern), ("format", node.format, formatted)):
            if value is None:
                continue
            try:
                found = make(value)
            except InexpressibleError as problem:
                self._lose(node, keyword, f"is not said: {problem}")
                continue
            if said:
                self._lose(node, keyword, f"is not said: a grammar does not say it together with `{said[0]}`")
                continue
            texts = found
            said.append(keyword)
        try:
            return limited(texts, node.min_length, node.max_length)
        except InexpressibleError as problem:
            for keyword, bound in (("minLength", node.min_length), ("maxLength", node.max_length)):
                if bound:
                    self._lose(node, keyword, f"is not said together with `{said[0]}`: {problem}")
            return texts

    # -- arrays and objects ----------------------------------------------------------------------

    def _array(self, node: Array) -> Expression:
        if node.unique and node.max_items != 1:
            self._lose(node, "uniqueItems", "is not regular for a grammar")
        item = self._value(node.items)
        made = self._listed(self._spelling.brackets, item, node.min_items, node.max_items)
        return self._rule(node, made)

    def _tuple(self, node: Tuple) -> Expression:
        items = [self._value(item) for item in node.items]
        return (
            NOTHING
            if NOTHING in items
            else self._rule(node, self._spelling.listed(self._spelling.brackets, items))
        )

    def _map(self, node: Map) -> Expression:
        keys = ANY_TEXT if node.keys is None else self._texts(node.keys)
        entry = self._entry(node, keys, node.values)
        made = self._listed(self._spelling.braces, entry, node.min_size, node.max_size)
        if node.max_size != 1:
            self._lose(node, "duplicate", "is not said: a key may stand twice")
        return self._rule(node, made)

    def _entry(self, node: Node, keys: Expression, values: Node) -> Expression:
        value = self._value(values)
        name = self._quoted(node, keys, self._spelling.key)
        return (
            NOTHING
            if NOTHING in (value, name)
            else self._rule(node, parts(name, self._spelling.colon, value), "entry")
        )

    def _listed(self, around: tuple[str, str], item: Expression, least: int, most: int | None) -> Expression:
        """Return items in brackets, `least` to `most`."""
        begin, end = map(Text, around)
        if item == NOTHING or most == 0:
            return NOTHING if least else parts(begin, end)
        if most is not None and most < least:
            return NOTHING
        more = repeated(
            parts(self._spelling.comma, item), max(least - 1, 0), None if most is None else most - 1
        )
        some = parts(item, more) if more != Text("") else item
        return parts(begin, some if least else optional(some), end)

    def _object(self, node: Object) -> Expression:
        if len(node.fields) > _MAX_FIELDS:
            self._refuse(node, f"a grammar says at most {_MAX_FIELDS:,} properties of an object", "nest them")
        members: list[tuple[Expression, bool]] = []
        for field in self._spelling.ordered(node.fields):
            value = self._value(field.node)
            if value == NOTHING:
                if field.required:
                    return NOTHING
                continue
            name = self._spelling.key(self._spelling.text(field.encode_name))
            entry = self._rules.add(
                f"{self._prefix}-{field.encode_name}", parts(name, self._spelling.colon, value)
            )
            members.append((entry, field.required))
        more = None if node.closed else self._undeclared(node)
        made = self.members(members, more, node.min_size, node.max_size, node)
        begin, end = map(Text, self._spelling.braces)
        return NOTHING if made == NOTHING else self._rule(node, parts(begin, made, end))

    def _undeclared(self, node: Object) -> Expression:
        extra = node.extra or Anything(pointer=node.pointer)
        try:
            keys = other_than(field.encode_name for field in node.fields)
        except InexpressibleError as problem:
            self._lose(node, "properties", f"do not have these names for themselves: {problem}")
            keys = ANY_TEXT
        self._lose(node, "duplicate", "is not said: an undeclared key may stand twice")
        return self._entry(node, keys, extra)

    def members(
        self,
        members: Sequence[tuple[Expression, bool]],
        more: Expression | None,
        least: int = 0,
        most: int | None = None,
        node: Node | None = None,
    ) -> Expression:
        """Write members of an object with commas between them.

        Args:
            members: each member, and whether it is required.
            more: what may follow, any number of times; None for nothing.
            least: how many members there are at least.
            most: how many at most.
            node: the node whose members they are, for refusals.

        Returns:
            The members; `NOTHING`, where it is impossible.
        """
        after = max(least, 1 if most is None else most)  # more members than these need no count
        if after * len(members) > _MAX_COUNTED and after > 1:
            assert node is not None
            self._lose(
                node,
                "minProperties" if least else "maxProperties",
                "is not said: it counts too many properties",
            )
            return self.members(members, more)
        return self._counted(members, self._rows_end(more, least, most, after), most, after)

    def _rows_end(self, more: Expression | None, least: int, most: int | None, after: int) -> list[_Options]:
        """Return what may follow all declared members, by how many there were."""
        rows: list[_Options] = []
        for count in range(after + 1):
            low, high = max(least - count, 0), None if most is None else most - count
            if more is None or more == NOTHING or high == 0:
                rows.append([] if low else [()])
            elif count:
                rows.append([(repeated(parts(self._spelling.comma, more), low, high),)])
            else:
                rest = repeated(
                    parts(self._spelling.comma, more), max(low - 1, 0), None if high is None else high - 1
                )
                some = (more,) if rest == Text("") else (more, rest)
                rows.append([some] if low else [some, ()])
        return rows

    def _counted(
        self, members: Sequence[tuple[Expression, bool]], rows: list[_Options], most: int | None, after: int
    ) -> Expression:
        """Return the members, from the last to the first. A row has what may follow, by the number of members
        before it.
        """
        required = [0]
        for _, must in members:
            required.append(required[-1] + must)
        for at in range(len(members) - 1, -1, -1):
            member, must = members[at]
            reached = range(min(required[at], after), min(at, after) + 1)
            rows = [self._shared(row, {count, count - 1} <= {*reached}) for count, row in enumerate(rows)]
            new: list[_Options] = [[] for _ in rows]
            for count in reached:
                next_ = rows[min(count + 1, after)]
                with_: tuple[Expression, ...] = (self._spelling.comma, member) if count else (member,)
                if must:
                    new[count] = [] if count == most else [(*with_, *rest) for rest in next_]
                elif count == after and most is None and len(next_) == 1:
                    new[count] = [(optional(parts(*with_)), *next_[0])]
                else:
                    new[count] = ([] if count == most else [(*with_, *rest) for rest in next_]) + rows[count]
            rows = new
        return _of(rows[0])

    def _shared(self, row: _Options, shared: bool) -> _Options:
        """Return what may follow as one part, if several rows go on with it."""
        if not shared or not row or row == [()]:
            return row
        found = _of(row)
        return [(found if isinstance(found, Rule) else self._rules.add(f"{self._prefix}-rest", found),)]

    # -- what is common --------------------------------------------------------------------------

    def _token(self, node: Node, expression: Expression, name: str = "") -> Expression:
        if expression == NOTHING:
            return NOTHING
        rule = self._rules.token(name or self._name(node), expression)
        return self._traced(rule, node, _keywords(node))

    def _rule(self, node: Node, expression: Expression, kind: str = "") -> Expression:
        if expression == NOTHING:
            return NOTHING
        rule = self._rules.add(f"{self._name(node)}-{kind}" if kind else self._name(node), expression)
        return rule if kind else self._traced(rule, node, _keywords(node))

    def _traced(self, rule: Rule, node: Node, keywords: Iterable[str]) -> Rule:
        for keyword in keywords:
            self._rules.trace(rule, node.pointer, keyword)
        return rule

    def _name(self, node: Node) -> str:
        return f"{self._prefix}-{node.pointer.rpartition('/')[2][:40]}"

    def _tell_residue(self, node: Node) -> None:
        for keyword in node.residue:
            self._lose(node, keyword, "is not said: it is judged by the validator alone")

    def _lose(self, node: Node, keyword: str, reason: str) -> None:
        self._losses[GrammarLoss(node.pointer, keyword, "", reason)] = None

    def _refuse(self, node: Node, reason: str, remedy: str) -> NoReturn:
        raise UnwritableError(node.pointer, reason, remedy)

    def _resolve(self, reference: Reference) -> Node:
        if reference.name:
            return self._contract.definitions[reference.name]
        return self._contract.roots[reference.root]

    def _find_possible(self) -> set[tuple[str, str]]:
        """Return the definitions that have finite values: the least fixpoint."""
        nodes = {("", name): node for name, node in self._contract.definitions.items()}
        nodes |= {(root, ""): node for root, node in self._contract.roots.items()}
        possible: set[tuple[str, str]] = set()
        before = -1
        while len(possible) > before:
            before = len(possible)
            for at, node in reversed(nodes.items()):
                if at not in possible and _is_possible(node, possible):
                    possible.add(at)
        return possible

    _writers: Mapping[type[Node], Callable[[Values, Any], Expression]] = {
        Anything: _anything, Nothing: lambda *_: NOTHING, Null: lambda self, _: self._spelling.null,
        Boolean: lambda self, _: choice([self._spelling.true, self._spelling.false]),
        Enum: lambda self, node: choice(map(self._spelling.literal, node.values)), String: _string,
        Number: _number, Array: _array, Tuple: _tuple, Map: _map, Object: _object,
        Union: _union, Reference: _reference,
    }  # fmt: skip


def _keywords(node: Node) -> Iterable[str]:
    """Return the keywords of a node that are bounds of a repetition."""
    bounds: dict[str, object] = {}
    if isinstance(node, String):
        bounds = {"minLength": node.min_length, "maxLength": node.max_length, "pattern": node.pattern}
    elif isinstance(node, Array):
        bounds = {"minItems": node.min_items, "maxItems": node.max_items}
    elif isinstance(node, Map | Object):
        bounds = {"minProperties": node.min_size, "maxProperties": node.max_size}
    return (keyword for keyword, bound in bounds.items() if bound)


def _is_possible(node: Node, possible: set[tuple[str, str]]) -> bool:
    """Tell whether a node may have finite values, by its references."""
    if isinstance(node, Reference):
        return (node.root, node.name) in possible
    if isinstance(node, Union):
        return any(_is_possible(branch, possible) for branch in node.branches)
    if isinstance(node, Object):
        return all(_is_possible(field.node, possible) for field in node.fields if field.required)
    if isinstance(node, Array | Map):
        least = node.min_items if isinstance(node, Array) else node.min_size
        return not least or _is_possible(children(node)[0], possible)
    return not isinstance(node, Nothing) and all(_is_possible(each, possible) for each in children(node))


def _apart(branches: Sequence[Node]) -> bool:
    """Tell whether no value is one of two branches, as far as types, constants and marked objects show."""
    return all(
        _differ(one, two) for at, one in enumerate(branches[:_MAX_COMPARED]) for two in branches[at + 1 :]
    )


_MAX_COMPARED: Final = 50
_KINDS: Final[Mapping[type[Node], str]] = {
    Null: "null", Boolean: "boolean", String: "string", Number: "number", Array: "array", Tuple: "array",
    Map: "object", Object: "object",
}  # fmt: skip


def _differ(one: Node, two: Node) -> bool:
    if isinstance(one, Nothing) or isinstance(two, Nothing):
        return True
    if isinstance(one, Enum) and isinstance(two, Enum):
        return {*map(key, one.values)}.isdisjoint(map(key, two.values))
    if isinstance(one, Object) and isinstance(two, Object):
        tags = {
            field.encode_name: field.node
            for field in one.fields
            if field.required and isinstance(field.node, Enum)
        }
        same = [(tags[f.encode_name], f.node) for f in two.fields if f.required and f.encode_name in tags]
        return any(isinstance(theirs, Enum) and _differ(own, theirs) for own, theirs in same)
    kinds = [_kinds(node) for node in (one, two)]
    return bool(kinds[0] and kinds[1]) and kinds[0].isdisjoint(kinds[1])


def _kinds(node: Node) -> set[str]:
    """Return the types of a node's values; none for those that are not known."""
    if isinstance(node, Enum):
        return {_kind(value) for value in node.values}
    kind = _KINDS.get(type(node))
    return set() if kind is None else {kind}


def _kind(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if isinstance(value, str):
        return "string"
    return (
        "number"
        if isinstance(value, int | float)
        else "array"
        if isinstance(value, list | tuple)
        else "object"
    )
