"""The values that a tool's contract accepts, as expressions: what a model may write as arguments.

A value is written in one spelling: properties in the order of the contract, then undeclared ones, at most one
blank behind a comma or a colon, and no escape for what can be written plainly. What no grammar says (equal
items, multiples, keys that stand twice) is a loss: the grammar is looser there, and decoding refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil, floor, inf, nextafter
from typing import Any, Final, NoReturn

from msgspec import Struct

from ..contract.tree import (
    Anything,
    Array,
    Boolean,
    Contract,
    Enum,
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
from ..jsonschema.json_values import MAX_DEPTH
from .expressions import NOTHING, Choice, Expression, Rule, Rules, Text, choice, joined, optional, repeated
from .scalars import (
    ANY_CHARACTER,
    ANY_TEXT,
    InexpressibleError,
    formatted,
    integer,
    number,
    other_than,
    pattern,
)
from .spellings import COMMA, Spelling

LENGTHS: Final = ("pattern", "format", "minLength", "maxLength")
"""The keywords that strings lose where they would need too many rules."""
_SHOWN: Final = 80
"""Characters of a long pointer that a message shows of each end."""
_MAX_NODES: Final = 20_000
_MAX_FIELDS: Final = 1_000
_MAX_NESTING: Final = 100
_SPARSE: Final = 2**53
"""From here on there are integers beside a bound that no float holds."""


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
        path = self.path if len(self.path) < 2 * _SHOWN else f"{self.path[:_SHOWN]}…{self.path[-_SHOWN:]}"
        return f"{path or '/'}: {self.reason}; {self.remedy}"


class GrammarLoss(Struct, frozen=True):
    """A difference between a tool's contract and what a grammar lets a model write.

    Attributes:
        tool: the tool; "" for what concerns no tool alone.
        path: the pointer of the schema in its contract.
        keyword: the keyword of the schema; or "duplicate" and "nesting", which decoding refuses besides.
        reason: a predicate of the keyword.
        stricter: whether values are left out that the contract takes. Else decoding may refuse some.
    """

    tool: str
    path: str
    keyword: str
    reason: str
    stricter: bool = False


class Values:
    """Writes the values of one tool.

    Attributes:
        losses: what the expressions that were written so far do not say, in the order of the contract.
    """

    def __init__(
        self, contract: Contract, rules: Rules, tool: str = "", spelling: Spelling | None = None
    ) -> None:
        """Write a tool's values as rules.

        Args:
            contract: its contract.
            rules: the rules to add to.
            tool: its name, with which the names of rules begin.
            spelling: how values are written; None for JSON.
        """
        self._contract = contract
        self._rules = rules
        self._tool = tool
        self._spelling = spelling or Spelling(rules)
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
        reason = "is not said of all strings: they would need too many rules"
        wide = LENGTHS if self._spelling.widened else ()
        return (*(GrammarLoss(self._tool, "", keyword, reason) for keyword in wide), *self._losses)

    def arguments(self) -> Expression:
        """Write the object of all arguments. Raises UnwritableError."""
        return self.value(self._contract.roots["parameters"])

    def value(self, node: Node) -> Expression:
        """Write the values of a node of the contract. Raises UnwritableError where there are none."""
        made = self._value(node)
        while self._waiting:
            reference = self._waiting.pop()
            found = self._value(self.resolve(reference))
            self._rules.define(self._references[reference.root, reference.name], found)
        if made == NOTHING:
            self._refuse(node, "it accepts no value", "relax what contradicts itself")
        return made

    def text(self, node: String) -> Expression:
        """Write the characters of a string; nothing where there are none."""
        self._tell_residue(node)
        return self._texts(node)

    def lose(self, node: Node, keyword: str, reason: str, *, stricter: bool = False) -> None:
        """Tell a difference from the contract."""
        self._losses[GrammarLoss(self._tool, node.pointer, keyword, reason, stricter)] = None

    def resolve(self, node: Reference) -> Node:
        """Return what a reference leads to."""
        return self._contract.definitions[node.name] if node.name else self._contract.roots[node.root]

    def counted(
        self, node: Node, least: tuple[str, int], most: tuple[str, int | None]
    ) -> tuple[int, int | None]:
        """Return two bounds as far as the engine counts: what is beyond is a loss of their keywords."""
        limit = self._rules.turns
        for keyword, bound in (least, most):
            if bound is not None and bound > limit:
                self.lose(node, keyword, f"is not said in full: the engine counts {limit:,} turns at most")
        return min(least[1], limit), None if most[1] is None or most[1] > limit else most[1]

    # -- any node --------------------------------------------------------------------------------

    def _value(self, node: Node) -> Expression:
        self._nodes += 1
        if self._nodes > _MAX_NODES:
            self._refuse(node, f"a grammar says at most {_MAX_NODES:,} schemas", "split the tool")
        if self._depth > _MAX_NESTING:
            self._refuse(node, f"its schemas nest more than {_MAX_NESTING} deep", "flatten it")
        self._tell_residue(node)
        self._depth += 1
        found = self._writers[type(node)](self, node)
        self._depth -= 1
        return found

    def _number(self, node: Number) -> Expression:
        if node.multiple_of is not None and not (node.integer and node.multiple_of == 1):
            self.lose(node, "multipleOf", "is not regular for a grammar")
        bounds = _bounds(node)
        for keyword, bound in bounds.items():
            if not (node.integer or _is_exact(keyword, bound)):
                reason = "is said of the sign and the whole part alone"
                self.lose(node, keyword, reason)
        meant = _INTEGERS if node.integer else _FLOATS
        low: Any = max((meant[each](bounds[each]) for each in _LOW if each in bounds), default=None)
        high: Any = min((meant[each](bounds[each]) for each in _HIGH if each in bounds), default=None)
        name = "integer" if node.integer else "number"
        make = integer if node.integer else number
        return self._rule(node, make(low, high), "" if bounds else name, token=True)

    def _reference(self, node: Reference) -> Expression:
        if self._possible is None:
            self._possible = self._find_possible()
        at = (node.root, node.name)
        if at not in self._possible:
            return NOTHING
        if at not in self._references:
            self._references[at] = self._rules.reserve(f"{self._tool}-{node.name or 'arguments'}")
            self._waiting.append(node)
        return self._references[at]

    def _union(self, node: Union) -> Expression:
        if node.mode == "one":
            self.lose(node, "oneOf", "is written as `anyOf`: decoding refuses what two branches share")
        return choice([self._value(branch) for branch in node.branches])

    def _anything(self, node: Anything) -> Expression:
        self.lose(node, "nesting", f"has no end here: decoding refuses more than {MAX_DEPTH} levels")
        self.lose(node, "duplicate", "is not said: a key may stand twice in a free object")
        if self._any is not None:
            return self._any
        value = self._any = self._rules.reserve("any")
        string = self._rules.token("string", self._spelling.quoted(ANY_TEXT))
        key = self._rules.token("key", self._spelling.key(ANY_TEXT))
        numeral = self._rules.token("number", number(None, None))
        entry = joined(key, self._spelling.colon, value)
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
        name = ("key" if quotes == self._spelling.key else "string") if texts == ANY_TEXT else ""
        return self._rule(node, quotes(texts), name, token=True)

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
                self.lose(node, keyword, f"is not said: {problem}")
                continue
            if said:
                self.lose(node, keyword, f"is not said: a grammar does not say it together with `{said[0]}`")
                continue
            texts = found
            said.append(keyword)
        least, most = self.counted(node, ("minLength", node.min_length), ("maxLength", node.max_length))
        for keyword, bound in (("minLength", least or None), ("maxLength", most)) if said else ():
            if bound is not None:
                self.lose(node, keyword, f"is not said together with `{said[0]}`")
        return texts if said else repeated(ANY_CHARACTER, least, most)

    # -- arrays and objects ----------------------------------------------------------------------

    def _array(self, node: Array) -> Expression:
        if node.unique and node.max_items != 1:
            self.lose(node, "uniqueItems", "is not regular for a grammar")
        item = self._value(node.items)
        bounds = self.counted(node, ("minItems", node.min_items), ("maxItems", node.max_items))
        made = self._listed(self._spelling.brackets, item, *bounds)
        return self._rule(node, made)

    def _tuple(self, node: Tuple) -> Expression:
        items = [self._value(item) for item in node.items]
        return self._rule(node, self._spelling.listed(self._spelling.brackets, items))

    def _map(self, node: Map) -> Expression:
        keys = ANY_TEXT if node.keys is None else self._texts(node.keys)
        entry = self._entry(node, keys, node.values)
        bounds = self.counted(node, ("minProperties", node.min_size), ("maxProperties", node.max_size))
        made = self._listed(self._spelling.braces, entry, *bounds)
        if node.max_size != 1:
            self.lose(node, "duplicate", "is not said: a key may stand twice")
        return self._rule(node, made)

    def _entry(self, node: Node, keys: Expression, values: Node) -> Expression:
        value = self._value(values)
        name = self._quoted(node, keys, self._spelling.key)
        return self._rule(node, joined(name, self._spelling.colon, value), f"{self._name(node)}-entry")

    def _listed(self, around: tuple[str, str], item: Expression, least: int, most: int | None) -> Expression:
        """Return items in brackets, `least` to `most`."""
        return joined(Text(around[0]), self._several(item, least, most), Text(around[1]))

    def _several(self, item: Expression, least: int, most: int | None) -> Expression:
        """Return items with commas between, `least` to `most`."""
        if item == NOTHING or most == 0 or (most is not None and most < least):
            return NOTHING if least else Text("")
        more = joined(COMMA, item)
        some = joined(item, repeated(more, max(least - 1, 0), None if most is None else most - 1))
        return some if least else optional(some)

    def _object(self, node: Object) -> Expression:
        if len(node.fields) > _MAX_FIELDS:
            self._refuse(node, f"a grammar says at most {_MAX_FIELDS:,} properties of an object", "nest them")
        members: list[tuple[Expression, bool]] = []
        named = sorted(node.fields, key=lambda each: each.encode_name)
        for field in named if self._spelling.by_name else node.fields:
            value = self._value(field.node)
            if value == NOTHING:
                if field.required:
                    return NOTHING
                continue
            name = self._spelling.key(Text(field.encode_name))
            entry = self._rules.add(
                f"{self._tool}-{field.encode_name}", joined(name, self._spelling.colon, value)
            )
            members.append((entry, field.required))
        more = NOTHING if node.closed else self._undeclared(node)
        for keyword in uncounted(node, 1):
            self.lose(node, keyword, "is not said: properties are not counted")
        made = self.members(members, more, least=min(node.min_size, 1))
        begin, end = self._spelling.braces
        return self._rule(node, joined(Text(begin), made, Text(end)))

    def _undeclared(self, node: Object) -> Expression:
        extra = node.extra or Anything(pointer=node.pointer)
        try:
            keys = other_than(field.encode_name for field in node.fields)
        except InexpressibleError as problem:
            self.lose(node, "properties", f"do not have these names for themselves: {problem}")
            keys = ANY_TEXT
        self.lose(node, "duplicate", "is not said: an undeclared key may stand twice")
        if self._spelling.by_name and node.fields:
            reason = "come behind declared ones, where models sort them"
            self.lose(node, "additionalProperties", reason, stricter=True)
        return self._entry(node, keys, extra)

    def members(
        self,
        members: Sequence[tuple[Expression, bool]],
        more: Expression = NOTHING,
        *,
        comma: Expression = COMMA,
        least: int = 0,
    ) -> Expression:
        """Write members of an object one after the other.

        Args:
            members: each member, and whether it is required.
            more: what may follow, any number of times.
            comma: what stands between them.
            least: how many members there are at least: 0 or 1.

        Returns:
            The members; `NOTHING`, where it is impossible.
        """
        first = self._several(more, least, None)
        later = repeated(joined(comma, more), 0, None)
        for entry, must in reversed(members):
            if later != Text("") and not isinstance(later, Rule):
                later = self._rules.add(f"{self._tool}-rest", later)
            others = first.options if isinstance(first, Choice) else (first,)
            first = choice([joined(entry, later), *(() if must else others)])
            taken = joined(comma, entry)
            later = joined(taken if must else optional(taken), later)
        return first

    # -- what is common --------------------------------------------------------------------------

    def _rule(self, node: Node, expression: Expression, name: str = "", *, token: bool = False) -> Expression:
        if expression == NOTHING:
            return NOTHING
        add = self._rules.token if token else self._rules.add
        return add(name or self._name(node), expression)

    def _name(self, node: Node) -> str:
        return f"{self._tool}-{node.pointer.rpartition('/')[2][:40]}"

    def _tell_residue(self, node: Node) -> None:
        for keyword in node.residue:
            self.lose(node, keyword, "is not said: it is judged by the validator alone")

    def _refuse(self, node: Node, reason: str, remedy: str) -> NoReturn:
        raise UnwritableError(node.pointer, reason, remedy)

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

    _writers: Mapping[type[Node], Callable[[Any, Any], Expression]] = {
        Anything: _anything, Nothing: lambda _, __: NOTHING, Null: lambda self, _: self._spelling.null,
        Boolean: lambda self, _: choice([self._spelling.true, self._spelling.false]),
        Enum: lambda self, node: choice(map(self._spelling.literal, node.values)), String: _string,
        Number: _number, Array: _array, Tuple: _tuple, Map: _map, Object: _object,
        Union: _union, Reference: _reference,
    }  # fmt: skip


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


def uncounted(node: Object, said: int = 0) -> Iterator[str]:
    """Give the keywords of an object that count its properties past `said`."""
    if node.min_size > max(sum(field.required for field in node.fields), said):
        yield "minProperties"
    if node.max_size is not None and (not node.closed or node.max_size < len(node.fields)):
        yield "maxProperties"


_LOW: Final = ("minimum", "exclusiveMinimum")
_HIGH: Final = ("maximum", "exclusiveMaximum")
_INTEGERS: Final[Mapping[str, Callable[[float], Any]]] = {
    "minimum": ceil, "exclusiveMinimum": lambda each: floor(each) + 1,
    "maximum": floor, "exclusiveMaximum": lambda each: ceil(each) - 1,
}  # fmt: skip
_FLOATS: Final[Mapping[str, Callable[[float], Any]]] = {
    "minimum": lambda each: each, "exclusiveMinimum": lambda each: _beside(each, inf),
    "maximum": lambda each: each, "exclusiveMaximum": lambda each: _beside(each, -inf),
}  # fmt: skip
"""The least and the greatest numbers that bounds admit."""


def _bounds(node: Number) -> dict[str, float]:
    values = (node.minimum, node.exclusive_minimum, node.maximum, node.exclusive_maximum)
    return {
        keyword: bound for keyword, bound in zip((*_LOW, *_HIGH), values, strict=True) if bound is not None
    }


def _beside(bound: float, towards: float) -> float:
    return bound if abs(bound) >= _SPARSE else nextafter(bound, towards)


def _is_exact(keyword: str, bound: float) -> bool:
    """Tell whether `number` keeps to a bound: a whole one that does not exclude itself from a whole part."""
    inward = bound >= 0 if keyword in _LOW else bound <= 0
    open = inward and keyword.startswith("exclusive")
    return bound == floor(bound) and abs(bound) < _SPARSE and not open
