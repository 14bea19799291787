"""What a schema compiles to: a node of rules, each a few closures, and the state of one call."""

# ruff: noqa: ARG001, SIM110  # checks share one signature; loops are twice as fast as generators

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, ParamSpec, TypeVar

from .errors import TooManyBranches, Violation
from .search import Search
from .searching import STEPS

P = ParamSpec("P")
R = TypeVar("R")

BRANCHES: Final = 100_000
"""Branches of unions that one call may try, whatever the value; some tenths of a second."""
BRANCHES_PER_PART: Final = 16
"""As many more for each part of a large value."""


class Run:
    """The state of one call: memory of verdicts (so shared branches are judged once), depth of references.

    Keys hold `id`s of values; `keep` holds the values that settling makes, so that no id is used twice.
    `searching` is what all searches for patterns may take beyond what each text has.
    `patient` runs ask for a verdict more than once, so they remember those of unions as well.
    """

    __slots__ = (
        "branches", "depth", "found", "keep", "limit", "patient", "searching", "settled", "stride",
        "verdicts",
    )  # fmt: skip

    def __init__(
        self,
        stride: int,
        limit: int = 1,
        *,
        patient: bool = False,
        branches: int = BRANCHES,
        searching: int = STEPS,
    ) -> None:
        self.stride = stride
        self.limit = limit
        self.patient = patient
        self.branches = branches  # that may still be tried
        self.searching = searching  # steps that searches for patterns may still take
        self.depth = 0
        self.verdicts: dict[tuple[int, int], bool] = {}
        self.found: dict[tuple[int, int, str], list[Violation]] = {}
        self.settled: dict[tuple[int, int], Any] = {}
        self.keep: list[Any] = []

    def made(self, value: R) -> R:
        """Keep a value that settling made alive as long as the call."""
        self.keep.append(value)
        return value

    def spend(self, branches: int) -> None:
        """Count branches that are about to be tried. Raises TooManyBranches."""
        self.branches -= branches
        if self.branches < 0:
            raise TooManyBranches

    def finds(self, search: Search, text: str) -> bool:
        """Whether a pattern is found in `text`. What takes many steps is searched once. Raises
        SearchTooLong."""
        if len(text) <= search.free:
            return search.quick(text) is not None
        place = (id(text), id(search))
        known = self.verdicts.get(place)
        if known is None:
            known, steps = search.find(text, self.searching)
            if steps:
                self.searching -= steps
                self.verdicts[place] = known
        return known

    def enter(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call `function`; every `stride` references deep, on a fresh stack.

        A value may nest deeper than the interpreter's recursion limit allows for the frames that a level
        of schema costs. The limit is per thread, so the rest of the descent gets one of its own.
        """
        self.depth += 1
        try:
            if self.depth % self.stride:
                return function(*args, **kwargs)
            return on_fresh_stack(function, *args, **kwargs)
        finally:
            self.depth -= 1


def on_fresh_stack(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call `function` in a new thread and wait for it; its exception is raised here."""
    from threading import Thread  # only very deep values pay for it

    results: list[R] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(function(*args, **kwargs))
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


Check = Callable[[Any, Run], bool]
Explain = Callable[[Any, str, Run], list[Violation]]
Settle = Callable[[Any, Run], Any]
Seen = Callable[[Any, Run, "set[Any]"], bool]
"""Adds the property names (or indices) that a schema evaluates in a value it accepts; True means all."""


class Rule(NamedTuple):
    """One keyword, or a few that belong together.

    `explain` is asked only about values that `check` refuses, `names` and `indices` only about values
    that it accepts: dicts for `names`, lists and tuples for `indices`.
    """

    check: Check
    explain: Explain
    settle: Settle | None = None
    names: Seen | None = None
    indices: Seen | None = None
    last: bool = False  # meaningless once another rule has failed: unevaluatedProperties and its like


class Node:
    """A compiled schema. `check` is the fast path; everything else is built from the rules.

    `check` and `rules` may wait until a value is first asked about: `postpone`.
    """

    __slots__ = ("_finish", "check", "children", "has_reference", "inplace", "pointer", "rules", "schema")

    def __init__(self, schema: Any, pointer: str) -> None:
        self.schema = schema
        self.pointer = pointer
        self.rules: tuple[Rule, ...] = ()
        self.check: Check = always
        self.inplace: list[Node] = []  # nodes that judge the same value, not a part of it
        self.children: dict[tuple[str | int, ...], Node] = {}  # by their place below; empty once finished
        self.has_reference = False

    if not TYPE_CHECKING:  # for type checkers, both are there from the start

        def __getattr__(self, name: str) -> Any:
            if name not in ("check", "rules"):
                raise AttributeError(name)
            self._finish(self)
            return object.__getattribute__(self, name)

    def postpone(self, finish: "Callable[[Node], None]") -> None:
        """Let `finish` give this node its rules when somebody asks for them."""
        self._finish = finish
        del self.check, self.rules

    def is_finished(self) -> bool:
        """Whether the rules are made. Never makes them."""
        try:
            object.__getattribute__(self, "check")  # set after `rules`
        except AttributeError:
            return False
        return True

    def finish(self, rules: tuple[Rule, ...]) -> None:
        """Fix the rules and specialise `check` to their number."""
        self.rules = rules
        checks = tuple(rule.check for rule in rules)
        if not checks:
            self.check = always
        elif len(checks) == 1:
            self.check = checks[0]
        elif len(checks) == 2:
            first, second = checks
            self.check = lambda value, run: first(value, run) and second(value, run)
        else:

            def check(value: Any, run: Run) -> bool:
                for rule in checks:
                    if not rule(value, run):
                        return False
                return True

            self.check = check

    def explain(self, value: Any, path: str, run: Run) -> list[Violation]:
        """Every violation, up to the run's limit; empty when the value is accepted."""
        found: list[Violation] = []
        for rule in self.rules:
            if not rule.check(value, run):
                if found and rule.last:
                    break
                said = {(one.path, one.message) for one in found}  # two bounds may share one sentence
                found += [
                    one for one in rule.explain(value, path, run) if (one.path, one.message) not in said
                ]
                if len(found) >= run.limit:
                    break
        return found[: run.limit]

    def resolved(self) -> Any:
        """The schema, or what it refers to if a reference is all it says, with its own words on top."""
        node, own = self, self.schema
        for _ in range(20):
            if isinstance(node.schema, bool) or "$ref" not in node.schema or "type" in node.schema:
                break
            node = node.inplace[0]  # the reference is compiled before everything else
        if node is self or not isinstance(node.schema, Mapping):
            return node.schema
        return {**node.schema, **{word: own[word] for word in own if word != "$ref"}}

    def settle(self, value: Any, run: Run) -> Any:
        """The value with the two allowances applied; the same object when nothing applies."""
        for rule in self.rules:
            if rule.settle is not None:
                value = rule.settle(value, run)
        return value

    def names(self, value: Any, run: Run, seen: set[Any]) -> bool:
        """Add the property names this schema evaluates in `value`; True when it evaluates all."""
        return any(rule.names is not None and rule.names(value, run, seen) for rule in self.rules)

    def indices(self, value: Any, run: Run, seen: set[Any]) -> bool:
        """Add the indices this schema evaluates in `value`; True when it evaluates all."""
        return any(rule.indices is not None and rule.indices(value, run, seen) for rule in self.rules)


def always(value: Any, run: Run) -> bool:
    """Accepts everything."""
    return True


def everything(value: Any, run: Run, seen: set[Any]) -> bool:
    """Evaluates every property, or every item."""
    return True


def never(value: Any, run: Run) -> bool:
    """Accepts nothing."""
    return False
