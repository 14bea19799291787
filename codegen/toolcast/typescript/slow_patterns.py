"""Patterns that a backtracking engine may be slow with, as data for the validator in JavaScript."""

from collections.abc import Mapping
from typing import Any

from ..jsonschema.automaton import AT_END, NOTHING, Automaton
from ..jsonschema.charset import Alphabet
from ..jsonschema.ecma import analyse
from ..jsonschema.search_cost import ANY_LENGTH, STEPS, Cost
from ..jsonschema.subschemas import subschemas

_LONGEST = 4 * 1024 * 1024  # characters of arguments at most


def slow_patterns(schema: Any) -> dict[str, dict[str, Any]]:
    """The patterns of a schema that are slow in some text.

    Args:
        schema: a schema in normal form.

    Returns:
        By pattern, the members of `SlowPattern` in `support/patterns.js`; without those that are always fast.
    """
    found: dict[str, dict[str, Any]] = {}
    for pattern in sorted(_patterns(schema)):
        analysis = analyse(pattern)
        fast = analysis.cost.fast_length()
        if fast == ANY_LENGTH:
            continue
        found[pattern] = {"fast": int(fast)}
        if analysis.automaton is not None:
            found[pattern]["automaton"] = _table(analysis.automaton)
        else:
            levels = (1 << level for level in range(STEPS.bit_length()))
            found[pattern]["levels"] = [_longest(analysis.cost, steps) for steps in levels]
    return found


def _patterns(schema: Any) -> set[str]:
    found: set[str] = set()
    pending = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            found |= {node["pattern"]} if "pattern" in node else set()
            found |= set(node.get("patternProperties", ()))
            pending += [below for _, below in subschemas(node)]
    return found


def _longest(cost: Cost, steps: int) -> int:
    """The longest text that is searched within some steps; -1 where none is."""
    low, high = -1, _LONGEST
    while low < high:
        middle = (low + high + 1) // 2
        if cost.steps(middle) <= steps:
            low = middle
        else:
            high = middle - 1
    return low


def _table(automaton: Automaton) -> dict[str, Any]:
    """An automaton as `Automaton` in `support/patterns.js` describes it."""
    alphabet, whole = Alphabet(automaton.ranges), automaton.whole
    starts, kinds = alphabet.ranges()
    return {
        "starts": starts,
        "kinds": kinds,
        "accepted": alphabet.accepted,
        "follow": [list(row) for row in automaton.follow],
        "ends": [[state, needs] for state, (_, needs) in whole.last.items() if needs in (NOTHING, AT_END)],
        "initially": whole.initially_needs if whole.initially_empty else None,
        "later": whole.needs if whole.empty else None,
    }
