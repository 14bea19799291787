"""Compiled schemas: nodes of rules, each a few closures; the state of one call; the context of a rule."""

# ruff: noqa: ARG001, SIM110  # checks share one signature; loops are twice as fast as generators

from collections.abc import Callable, Iterable, Mapping, Sized
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar

from . import messages
from .json_values import JsonMapping
from .pointers import escape
from .search import Searches
from .validator_errors import TooManyBranches, Violation

P = ParamSpec("P")
R = TypeVar("R")

BRANCHES: Final = 100_000
"""Branches of unions that one call may try, whatever the value; some tenths of a second."""
BRANCHES_PER_PART: Final = 16
"""As many more for each part of a large value."""


class Validation:
    """The state of one call: verdicts, so that shared branches are checked once, and the depth of references.

    Keys hold ids of values; `keep` holds the values that settling makes, so that no id is used twice. `finds`
    says whether a pattern is found in a text, or raises SearchTooLong. A `patient` run may check a value more
    than once, so it also keeps the verdicts of unions.
    """

    __slots__ = (
        "branches", "depth", "finds", "found", "keep", "limit", "patient", "settled", "stride", "verdicts",
    )  # fmt: skip

    def __init__(
        self,
        stride: int,
        searches: Searches,
        limit: int = 1,
        *,
        patient: bool = False,
        branches: int = BRANCHES,
    ) -> None:
        self.stride = stride
        self.limit = limit
        self.patient = patient
        self.branches = branches  # that may still be tried
        self.finds = searches.finds
        self.depth = 0
        self.verdicts: dict[tuple[int, int], bool] = {}
        self.found: dict[tuple[int, int, str], list[Violation]] = {}
        self.settled: dict[tuple[int, int], Any] = {}
        self.keep: list[Any] = []

    def keep_alive(self, value: R) -> R:
        self.keep.append(value)
        return value

    def spend(self, branches: int) -> None:
        """Count branches that are about to be tried. Raises TooManyBranches."""
        self.branches -= branches
        if self.branches < 0:
            raise TooManyBranches

    def enter(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call `function`; every `stride` references deep, on a fresh stack. The interpreter's recursion
        limit is per thread, and a level of a schema costs several frames.
        """
        self.depth += 1
        try:
            if self.depth % self.stride:
                return function(*args, **kwargs)
            return on_fresh_stack(function, *args, **kwargs)
        finally:
            self.depth -= 1


def on_fresh_stack(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function in a new thread, with a stack of its own, and wait for it. Raises what it raises."""
    from threading import Thread  # only very deep values pay for it

    results: list[R] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(function(*args, **kwargs))
        except BaseException as error:  # raised again in the calling thread
            errors.append(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


Check = Callable[[Any, Validation], bool]
_Explain = Callable[[Any, str, Validation], list[Violation]]
_Settle = Callable[[Any, Validation], Any]
_MarkEvaluated = Callable[[Any, Validation, "set[Any]"], bool]
"""Adds the property names (or indices) that a schema evaluates in a value it accepts; True: all of them."""


class Rule(NamedTuple):
    """One keyword, or a few that belong together. `explain` is called only for values that `check` refuses,
    `names` and `indices` only for values that it accepts: dicts for `names`, lists and tuples for
    `indices`.
    """

    check: Check
    explain: _Explain
    settle: _Settle | None = None
    names: _MarkEvaluated | None = None
    indices: _MarkEvaluated | None = None
    last: bool = False  # skipped once another rule has failed: unevaluatedProperties and its like


class CompiledNode:
    """A compiled schema. `check` is the verdict of all rules."""

    __slots__ = ("check", "has_reference", "inplace", "pointer", "rules", "schema")

    def __init__(self, schema: Any, pointer: str) -> None:
        self.schema = schema
        self.pointer = pointer
        self.rules: tuple[Rule, ...] = ()
        self.check: Check = _accept_all
        self.inplace: list[CompiledNode] = []  # nodes that apply to the same value, not to a part of it
        self.has_reference = False

    def finish(self, rules: tuple[Rule, ...]) -> None:
        """Fix the rules and specialise `check` to their number."""
        self.rules = rules
        checks = tuple(rule.check for rule in rules)
        if not checks:
            self.check = _accept_all
        elif len(checks) == 1:
            self.check = checks[0]
        elif len(checks) == 2:
            first, second = checks
            self.check = lambda value, run: first(value, run) and second(value, run)
        else:

            def check(value: Any, run: Validation) -> bool:
                for rule in checks:
                    if not rule(value, run):
                        return False
                return True

            self.check = check

    def explain(self, value: Any, path: str, run: Validation) -> list[Violation]:
        """Return the violations, up to the run's limit; none where the value is accepted."""
        found: list[Violation] = []
        for rule in self.rules:
            if not rule.check(value, run):
                if found and rule.last:
                    break
                reported = {(one.path, one.message) for one in found}  # two bounds may have one message
                found += [
                    one for one in rule.explain(value, path, run) if (one.path, one.message) not in reported
                ]
                if len(found) >= run.limit:
                    break
        return found[: run.limit]

    def resolved(self) -> Any:
        """The schema, with the target of its reference merged below its own keywords."""
        node, own = self, self.schema
        for _ in range(20):
            if isinstance(node.schema, bool) or "$ref" not in node.schema or "type" in node.schema:
                break
            node = node.inplace[0]  # the reference is compiled before everything else
        if node is self or not isinstance(node.schema, Mapping):
            return node.schema
        return {**node.schema, **{keyword: own[keyword] for keyword in own if keyword != "$ref"}}

    def settle(self, value: Any, run: Validation) -> Any:
        """Apply the two allowances to a value; return the same object where nothing applies."""
        for rule in self.rules:
            if rule.settle is not None:
                value = rule.settle(value, run)
        return value

    def names(self, value: Any, run: Validation, evaluated: set[Any]) -> bool:
        """Add the property names this schema evaluates in `value`; True when it evaluates all."""
        return any(rule.names is not None and rule.names(value, run, evaluated) for rule in self.rules)

    def indices(self, value: Any, run: Validation, evaluated: set[Any]) -> bool:
        """Add the indices this schema evaluates in `value`; True when it evaluates all."""
        return any(rule.indices is not None and rule.indices(value, run, evaluated) for rule in self.rules)


def _accept_all(value: Any, run: Validation) -> bool:
    return True


def evaluate_all(value: Any, run: Validation, evaluated: set[Any]) -> bool:
    """Evaluates every property, or every item."""
    return True


def refuse_all(value: Any, run: Validation) -> bool:
    """Accepts nothing."""
    return False


class RuleContext:
    """One object schema, its pointer, and functions that compile its subschemas. `compile(schema, pointer,
    base)` and `resolve(reference, base, pointer)` give nodes that may not be finished yet: builders keep
    the node and never its `check`.
    """

    __slots__ = ("_children", "_compile", "_resolve", "base", "formats", "node", "pointer", "schema")

    def __init__(
        self,
        node: CompiledNode,
        base: str,
        formats: bool,
        compile_: Callable[[Any, str, str], CompiledNode],
        resolve: Callable[[str, str, str], CompiledNode],
    ) -> None:
        self.node = node
        self._children: dict[tuple[str | int, ...], CompiledNode] = {}  # by path
        self.schema: JsonMapping = node.schema
        self.pointer = node.pointer
        self.base = base
        self.formats = formats
        self._compile = compile_
        self._resolve = resolve

    def child(self, schema: Any, *tokens: str | int) -> CompiledNode:
        """Return the node of a subschema that applies to a part of the value. Several rules may use it."""
        node = self._children.get(tokens)
        if node is None:
            pointer = self.pointer
            for token in tokens:
                pointer += f"/{escape(token) if isinstance(token, str) else token}"
            node = self._children[tokens] = self._compile(schema, pointer, self.base)
        self.node.has_reference |= node.has_reference
        return node

    def inplace(self, schema: Any, *tokens: str | int) -> CompiledNode:
        """Return the node of a subschema that applies to the same value."""
        node = self.child(schema, *tokens)
        self.node.inplace.append(node)
        return node

    def reference(self, reference: str) -> CompiledNode:
        """Return the node that `$ref: reference` means here."""
        node = self._resolve(reference, self.base, f"{self.pointer}/$ref")
        self.node.has_reference = True
        self.node.inplace.append(node)
        return node


Builder = Callable[[RuleContext], Rule | None]
"""Makes the rule of a keyword that the schema has (or of a few); None where it asserts nothing."""


def explain_parts(parts: Iterable[tuple[CompiledNode, Any, str]], run: Validation) -> list[Violation]:
    """Return the violations of values by nodes, each with its path, up to the limit of the run."""
    found: list[Violation] = []
    for node, value, path in parts:
        if not node.check(value, run):
            found += node.explain(value, path, run)
            if len(found) >= run.limit:
                break
    return found


def value_rule(check: Check, keyword: str, expected: Any, message: Callable[[Any, str], str]) -> Rule:
    """Make a rule about the value itself; `message(value, path)` is the text of its violation."""

    def explain(value: Any, path: str, run: Validation) -> list[Violation]:
        return [Violation(path, message(value, path), keyword, expected)]

    return Rule(check, explain)


def size_rule(keyword: str, types: tuple[type[Sized], ...], noun: str) -> Builder:
    """Make the rule of a bound on the items, properties or characters of a value of `types`."""

    def build(context: RuleContext) -> Rule | None:
        bound = int(context.schema[keyword])
        wanted = f"{'at least' if keyword.startswith('min') else 'at most'} {messages.count(bound, noun)}"

        def at_least(value: Any, run: Validation) -> bool:
            return not isinstance(value, types) or len(value) >= bound

        def at_most(value: Any, run: Validation) -> bool:
            return not isinstance(value, types) or len(value) <= bound

        def message(value: Any, path: str) -> str:
            if value == "" and bound == 1:
                return f"{messages.label(path)} must not be empty"
            return f"{messages.label(path)} must have {wanted}, got {len(value)}"

        return value_rule(at_least if keyword.startswith("min") else at_most, keyword, bound, message)

    return build
