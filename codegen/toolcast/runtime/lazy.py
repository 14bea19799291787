"""What a binding makes at first use and keeps."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .node import Node
    from .plan import Plan
    from .quick import Decode
    from .ways.undo import Undo


class Lazy:
    """Two threads at once make the same thing twice."""

    __slots__ = (
        "definitions",
        "lenient",
        "parameters",
        "plan",
        "quick",
        "result",
        "sent",
        "straight",
        "undo",
    )

    def __init__(self) -> None:
        self.plan: Plan | None = None
        self.quick: Decode | None = None  # decoding, without a look at what is done for most calls
        self.lenient: Decode | None = None  # decoding of what that refuses
        self.definitions: dict[tuple[str, str], bytes] = {}
        self.parameters: Node | None = None
        self.result: Node | None = None
        self.sent: dict[str, Decode] = {}  # by providers to which something is sent in another form
        self.straight: set[str] = set()  # providers to which nothing is sent in another form
        self.undo: dict[str, Undo] = {}
