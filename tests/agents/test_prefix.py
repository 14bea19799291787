"""What prompt caches live on: the order of definitions, and how much of them stays from round to round."""

import asyncio
import itertools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.disclosure import Disclosure
from toolcast.runtime import ToolRegistry

from generated.registry import BINDINGS
from tests.agents.test_disclosure import handle, registry_of

TOOLS = ("bash_process", "delegate", "edit", "file_write", "web_fetch", "web_search")
GROUPS = sorted({BINDINGS[name].group for name in TOOLS})
KINDS = st.sampled_from(["openai", "anthropic", "gemini", "mcp", "openai-responses"])
LEVELS = st.sampled_from(["summary", "brief", "full"])
STEP = st.one_of(
    st.tuples(st.just("wrong"), st.sampled_from(TOOLS)),
    st.tuples(st.just("register"), st.sampled_from(TOOLS)),
    st.tuples(st.just("choose"), st.sampled_from(GROUPS)),
    st.tuples(st.just("disclose"), st.sampled_from(TOOLS)),
    st.tuples(st.just("turn"), st.just("")),
    st.tuples(st.just("all"), st.just("")),
)
ROUNDS = st.lists(st.lists(STEP, max_size=3), min_size=1, max_size=8)


def parts(shown: Disclosure) -> dict[str, bytes]:
    """Each tool's definition, in order; together they must be the array's bytes."""
    whole = shown.definitions()
    found = {binding.name: shown._definition(binding, level) for binding, level in shown.shown()}
    assert whole == b"[" + b",".join(found.values()) + b"]"
    return found


def unchanged(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    """The tools before the first that changed."""
    return list(itertools.takewhile(lambda name: before[name] == after[name], before))


def shared(one: bytes, other: bytes) -> int:
    """How many bytes two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def take(shown: Disclosure, registry: ToolRegistry, kind: str, what: str) -> None:
    if kind == "register":
        if what not in registry:
            registry.register(BINDINGS[what], handle)
    elif kind == "choose":
        shown.choose(groups=what)
    elif kind == "all":
        shown.choose_all()
    elif kind == "turn":
        shown.next_turn()
    elif what in registry:
        if kind == "disclose":
            shown.disclose(what)
        else:
            asyncio.run(shown.execute(what, {"no such": 1}))


@given(ROUNDS, KINDS, LEVELS, st.booleans(), st.sampled_from(["definition", "answer"]))
def test_order_is_only_appended_to_and_all_before_the_first_change_is_shared(
    rounds: Any, provider: str, level: Any, keep: bool, upgrade: Any
) -> None:
    registry = registry_of(*TOOLS[:3])
    shown = Disclosure(registry, provider, level=level, keep=keep, native=False, upgrade=upgrade)
    before: dict[str, bytes] | None = None
    for steps in rounds:
        for step in steps:
            take(shown, registry, *step)
        after = parts(shown)
        if before is not None:
            assert list(after)[: len(before)] == list(before)
            same = unchanged(before, after)
            bound = len(b"[" + b",".join(before[name] for name in same))
            assert shared(*(b"[" + b",".join(each.values()) for each in (before, after))) >= bound
            if upgrade == "answer" and all(kind != "disclose" for kind, _ in steps):
                assert same == list(before)
        before = after


@given(st.permutations(TOOLS[:4]), LEVELS.filter(lambda level: level != "full"))
def test_no_other_order_would_share_more(order: Any, level: Any) -> None:
    """Round by round: against every order of the next round's definitions."""
    registry = registry_of(*TOOLS[:4])
    shown = Disclosure(registry, "openai", level=level, native=False)
    before = parts(shown)
    for name in order:
        asyncio.run(shown.execute(name, {"no such": 1}))
        after = parts(shown)
        old = b",".join(before.values())
        ours = shared(old, b",".join(after.values()))
        for other in itertools.permutations(after.values()):
            assert shared(old, b",".join(other)) <= ours
        before = after


@given(st.lists(st.sampled_from(TOOLS), max_size=6), st.booleans())
def test_a_turn_ends_with_the_bytes_it_began_with_unless_kept(calls: list[str], keep: bool) -> None:
    shown = Disclosure(registry_of(*TOOLS), "anthropic", keep=keep, native=False)
    opening = shown.definitions()
    for name in calls:
        asyncio.run(shown.execute(name, {"no such": 1}))
    last = shown.definitions()
    shown.next_turn()
    assert shown.definitions() == (last if keep else opening)
    assert (last == opening) == (not calls)


@given(ROUNDS, st.sampled_from(["anthropic", "openai-responses"]))
def test_natively_deferred_definitions_never_change(rounds: Any, provider: str) -> None:
    registry = registry_of(*TOOLS[:3])
    shown = Disclosure(registry, provider)
    before = shown.definitions()
    for steps in rounds:
        for kind, what in steps:
            if kind != "disclose":
                take(shown, registry, kind, what)
        after = shown.definitions()
        assert after.startswith(before[:-1])
        before = after
