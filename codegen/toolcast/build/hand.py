"""One process of a crew: what it holds, and what it is told to do.

Outcomes and writes are sent packed: to unpickle them would take the first process ten times as long.
"""

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from ..spec.model import Document
from .orphans import end_with_parent
from .output.content import Files, Stored
from .output.plan import Write
from .output.share import Done, carry_out
from .spill import Spill, at_work
from .workers import Outcome, Shop, Task, load_types, run_all

_CHUNKS = 64
"""Chunks after which it looks for garbage among all that it holds, not only in what is new."""


class _Hand(Struct, frozen=True):
    shop: Shop
    types: Mapping[str, Document]
    spill: Spill
    lives: Callable[[], bool]  # whether the process that started this one does


_hand: _Hand | None = None  # one per process, set when it starts


def become_hand(shop: Shop, folder: str) -> None:
    """Make this process one of a crew."""
    global _hand  # a process pool's initializer has no other way to hand a value on
    lives = end_with_parent()
    _hand = _Hand(shop, load_types(shop), Spill(folder), lives)
    gc.disable()  # `run_chunk` looks for garbage when there is some
    gc.freeze()  # what is there stays there: a search for garbage would only copy the parent's memory


Packed = bytes | list[Outcome]
_OUTCOMES = msgspec.msgpack.Decoder(list[Outcome])


def run_chunk(tasks: Sequence[Task]) -> Packed:
    """Compile `tasks`; for `unpack_outcomes`. Raises OSError if there is no room for what is made."""
    assert _hand is not None
    made = pack_outcomes(run_all(_hand.shop, _hand.types, tasks, _hand.spill))
    # The classes of proven modules, mostly; at once, while they are in the processor's cache.
    gc.collect(0 if gc.get_count()[1] < _CHUNKS else 2)
    return made


def pack_outcomes(outcomes: list[Outcome]) -> Packed:
    """As they are sent."""
    try:
        return msgspec.msgpack.encode(outcomes)
    except UnicodeEncodeError:  # a problem that quotes half a character
        return outcomes


def unpack_outcomes(sent: Packed) -> list[Outcome]:
    """What `run_chunk` sent."""
    return _OUTCOMES.decode(sent) if isinstance(sent, bytes) else sent


def make_files(make: Callable[[], Mapping[str, bytes]]) -> Files:
    """Keep what `make` makes. Raises OSError if there is no room for it."""
    assert _hand is not None
    return _hand.spill.keep(make())


class _Row(Struct, frozen=True, array_like=True, gc=False):
    path: str
    content: Stored
    new: bool


_ROWS = msgspec.msgpack.Decoder(list[_Row])


def pack_writes(writes: Sequence[Write]) -> bytes:
    """Writes of stored contents, for `publish_piece`."""
    return msgspec.msgpack.encode(
        [
            _Row(write.path, write.content, write.kind == "new")
            for write in writes
            if isinstance(write.content, Stored)
        ]
    )


def publish_piece(root: str, folder: str, number: int, packed: bytes) -> Done:
    """Carry out a piece of share `number` below `root`. `folder` is the run's spill."""
    assert _hand is not None
    if not _hand.lives():  # the next run may have removed the folder: it must not come again
        os._exit(1)
    with at_work(folder, number):
        if not _hand.lives():  # the next run may not have waited for us
            os._exit(1)
        return carry_out(root, _writes(packed))


def _writes(packed: bytes) -> Iterator[Write]:
    for row in _ROWS.decode(packed):
        yield Write(row.path, row.content, "new" if row.new else "changed")
