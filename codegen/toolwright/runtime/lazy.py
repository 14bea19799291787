"""What a binding makes at first use and keeps."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .node import Node
    from .plan import Plan
    from .ways.undo import Undo


class Lazy:
    """Two threads at once make the same thing twice."""

    __slots__ = (
        "decode",
        "definitions",
        "faithful",
        "given",
        "inside",
        "keys",
        "parameters",
        "plan",
        "result",
        "short",
        "straight",
        "undo",
    )

    def __init__(self) -> None:
        # The next six are the plan's, one attribute nearer. No text is as short as -1, so the first call
        # of all makes the plan.
        self.decode: Any = None
        self.faithful = False
        self.given: Any = None
        self.inside: Any = None
        self.keys = -1
        self.short = -1
        self.plan: Plan | None = None
        self.definitions: dict[tuple[str, str], bytes] = {}
        self.parameters: Node | None = None
        self.result: Node | None = None
        self.straight: set[str] = set()  # providers to which nothing is sent in another form
        self.undo: dict[str, Undo] = {}
