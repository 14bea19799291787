"""The instances a tool is held to: valid ones, one edit away from valid, and junk."""

import random
from collections.abc import Iterator
from typing import Any

from .generate import Generator, UnfillableError, junk
from .mutate import edited
from .oracle import Oracle

POOL = 24
"""Valid values kept to be edited."""


def instances(oracle: Oracle, rng: random.Random, count: int) -> Iterator[Any]:
    """`count` values: about two fifths made to be valid, the rest one or two edits away, a few at random."""
    generator = Generator(oracle, rng)
    pool: list[Any] = []
    for number in range(count):
        roll = rng.random()
        if roll < 0.42 or not pool:
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
        elif roll < 0.98:
            value = edited(rng, oracle.tree, rng.choice(pool))
            if rng.random() < 0.15:
                value = edited(rng, oracle.tree, value)
            yield value
        else:
            yield junk(rng)
