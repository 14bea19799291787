"""One thing that was looked at."""

from typing import Literal

from msgspec import Struct

State = Literal["well", "note", "broken"]


class Finding(Struct, frozen=True):
    """`note` is worth knowing; `broken` keeps something from working. `fix` states what to do about it."""

    topic: str
    state: State
    text: str
    fix: str = ""
