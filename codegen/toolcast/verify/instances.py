"""The instances a tool is held to: valid ones, every edge of the schema, one edit from valid, and junk."""

import random
from collections.abc import Hashable, Iterator
from typing import Any

from .edges import applied, edges, is_type
from .facts import junk
from .instance_generator import Generator, UnfillableError
from .mutate import edited
from .oracle import Oracle

POOL = 24
"""Valid values kept to be edited."""
BASES = 6
"""Valid values, as full as they get, whose edges are tried."""
MAX_EDGES = 20_000


def instances(oracle: Oracle, rng: random.Random, count: int) -> Iterator[Any]:
    """`count` values: up to half of them edges, a third made to be valid, the rest edits at random."""
    generator = Generator(oracle, rng)
    tried = _edges(oracle, generator, rng, count // 2)
    yield from tried
    pool: list[Any] = []
    left = count - len(tried)
    for number in range(left):
        roll = rng.random()
        if number < min(count * 7 // 20, left) or not pool:
            try:
                value = generator.instance()
            except UnfillableError:
                value = {} if number == 0 else junk(rng)
            if oracle.accepts(value):
                if len(pool) < POOL:
                    pool.append(value)
                else:
                    pool[rng.randrange(POOL)] = value
            yield value
        elif roll < 0.96:
            value = edited(rng, oracle.tree, rng.choice(pool))
            if rng.random() < 0.15:
                value = edited(rng, oracle.tree, value)
            yield value
        else:
            yield junk(rng)


def _edges(oracle: Oracle, generator: Generator, rng: random.Random, count: int) -> list[Any]:
    """At most `count` edges, chosen by chance where there are more."""
    found: dict[Hashable, tuple[Any, Any, Any]] = {}
    for number in range(BASES):
        try:
            base = generator.instance(1.0 if number % 3 else 0.0)
        except UnfillableError:
            continue
        if not oracle.accepts(base):
            continue
        for key, path, new in edges(oracle.tree, base):
            if len(found) < MAX_EDGES:
                found.setdefault(key, (base, path, new))
    # What a schema states comes before values of other types, of which there are many and easy ones.
    stated = [edge for key, edge in found.items() if not is_type(key)]
    others = [edge for key, edge in found.items() if is_type(key)]
    rng.shuffle(stated)
    rng.shuffle(others)
    return [applied(*edge) for edge in (*stated, *others)[:count]]
