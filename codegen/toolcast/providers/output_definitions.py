"""The output's `$defs`: what is referred to, and what that refers to."""

from __future__ import annotations

from typing import Any

from .json_paths import parse
from .keyword_rules import Rules
from .state import MAX_NODES, State
from .walk import walked

Node = dict[str, Any]


def definitions(state: State, rules: Rules, out: Node) -> None:
    """Walk what is referred to, and what that refers to, and put it under the output's `$defs`."""
    state.level = -MAX_NODES  # whoever refers to a definition knows how deep it goes
    state.forget(0)  # what the root took from a definition stands in its own place here
    own: Node = {}
    done: dict[str, Any] = {}
    found = state.document.get("$defs")
    if isinstance(found, dict) and rules.dialect.refs == "keep":
        for name, child in found.items():
            own[name] = ((None, "$defs"), name), child
            if not rules.dialect.prune_definitions and ("$defs", name) not in state.names:
                state.names[("$defs", name)] = name
                state.pending.append(("$defs", name))
    while state.pending:
        segments = state.pending.pop()
        name = state.names[segments]
        found, place = state.resolve(segments)
        state.source = segments
        before = state.lossy, state.evaluation
        done[name] = walked(state, rules, found, place)
        if (state.lossy, state.evaluation) != before:
            state.lost.add(segments)
    if rules.dialect.prune_definitions and rules.dialect.ref_targets == "definitions" and done:
        done = _needed(out, done)
    for name, (place, _) in own.items():
        if name not in done:
            state.note(place[0], name, "dropped", "kept elsewhere", "nothing refers to it")
    ordered = [name for name in own if name in done] + [name for name in done if name not in own]
    if ordered or ("$defs" in out and not rules.dialect.prune_definitions):
        out["$defs"] = {name: done[name] for name in ordered}
    elif "$defs" in out:
        del out["$defs"]
        state.note(None, "$defs", "dropped", "kept elsewhere", "nothing refers to it")


def _needed(out: Node, done: dict[str, Any]) -> dict[str, Any]:
    """The definitions that the output still refers to: what was walked may have been taken out again."""
    found: set[str] = set()
    waiting: list[Any] = [child for key, child in out.items() if key != "$defs"]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            reference = each.get("$ref")
            if isinstance(reference, str) and reference.startswith("#/$defs/"):
                name = parse(reference, None)[-1]
                if name in done and name not in found:
                    found.add(name)
                    waiting.append(done[name])
            waiting += each.values()
    return {name: child for name, child in done.items() if name in found}
