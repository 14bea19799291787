"""The report on load, as a page."""

import os
from collections.abc import Sequence

from .measure import Load
from .server import ROUNDS

_HEAD = """\
# Many conversations at once

**Conversations that run at once in one process never mix up, lose or repeat a result.**

"""
_METHOD = """
`make load` writes this page (`python -m bench.load --write docs/reports/load.md`).

{conversations:,} conversations run at once in one process for {seconds:.0f} s, each with its own connection
to a scripted model in another process, on loopback, on {cores} cores in all. A conversation has {rounds}
rounds of two calls at the same time: `file_read`, and `multi_edit` without writing, both handlers of the
[reference toolset](../reference/toolset.md) in worker threads. Every result has words that only its
conversation and round have, and the model checks them.

* *By hand* is the same loop written by hand, with msgspec and a thread pool, without policy, limits,
  validation of results, records or hooks. *pydantic-ai* is its agent over a function as its model. All
  three use the same connections and handlers.
* *Of ours* is the number of rounds a second, divided by toolcast's.
* *Overhead* is the time of a round outside of the model and of the handlers, from the start of the first to
  the end of the last: the loop's own work, its queues, and the time for which other conversations occupy
  the event loop.
* *Alone* is the overhead of one conversation without others.
"""


def page(loads: Sequence[Load]) -> str:
    """Write the page.

    Args:
        loads: two for each loop: one conversation alone, then many.

    Returns:
        Its text.
    """
    alone, many = loads[::2], loads[1::2]
    first = many[0]
    method = _METHOD.format(
        conversations=first.conversations, seconds=first.seconds, cores=os.cpu_count(), rounds=ROUNDS
    )
    lines = [
        "| | " + " | ".join(load.loop for load in many) + " |",
        "|---|" + "--:|" * len(many),
        _row("results checked", [f"{load.counts.results:,}" for load in many]),
        _row("mixed up, lost, sent twice", [_wrong(load) for load in many]),
        _row("conversations ended", [f"{load.counts.conversations:,}" for load in many]),
        _row("rounds a second", [f"{load.rounds:,.0f}" for load in many]),
        _row("of ours", [f"{load.rounds / first.rounds:.2f}" for load in many]),
        _row(
            "processor, ms a round", [f"{1e3 * load.processor / load.counts.requests:.2f}" for load in many]
        ),
        _row("overhead, p50, ms", [f"{1e3 * load.median:.1f}" for load in many]),
        _row("overhead, p99, ms", [f"{1e3 * load.percentile(0.99):.1f}" for load in many]),
        _row("overhead alone, p50, ms", [f"{1e3 * load.median:.2f}" for load in alone]),
        _row("overhead alone, p99, ms", [f"{1e3 * load.percentile(0.99):.2f}" for load in alone]),
        _row("memory, MiB", [f"{load.memory:.0f}" for load in many]),
    ]
    return _HEAD + "\n".join(lines) + "\n" + method


def _wrong(load: Load) -> str:
    return f"{load.counts.mixed}, {load.counts.lost}, {load.counts.surplus}"


def _row(title: str, cells: Sequence[str]) -> str:
    return f"| {title} | {' | '.join(cells)} |"
