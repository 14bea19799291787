"""What is known of one compiled spec, apart from its files: enough to put a whole set together."""

import msgspec
from msgspec import Struct

from ...diagnostics import Diagnostic
from .compiled import ToolEntry

FORMAT = 2


class Record(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The outcome for one spec or shared type file. With an error among `diagnostics`, it has no outputs."""

    path: str  # posix, below the specs root
    source: str  # what the manifest says of the spec and of the types it uses
    uses: tuple[str, ...] = ()  # shared type files, transitively; sorted
    outputs: dict[str, str] = {}  # posix path below the output root → SHA-256
    layer: int = 0  # among the specs of its step, where two have one output
    entry: ToolEntry | None = None
    named: tuple[int, int] = (0, 0)  # line and column of the tool's name
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def failed(self) -> bool:
        return any(problem.severity == "error" for problem in self.diagnostics)


class Units(Struct, frozen=True, kw_only=True):
    """The records of one step. `kit` is the digest of what they were compiled with."""

    format: int = FORMAT
    toolcast: str
    kit: str
    units: tuple[Record, ...] = ()  # by path


class UnitsError(Exception):
    """A file that holds no records; the message says why."""


def encode_units(units: Units) -> bytes:
    """JSON, one record a line: the same bytes for the same records."""
    head = msgspec.json.encode(msgspec.structs.replace(units, units=()))
    lines = b",\n".join(msgspec.json.encode(record) for record in units.units)
    return head.removesuffix(b"[]}") + b"[\n" + lines + b"\n]}\n"


def decode_units(content: bytes) -> Units:
    """Raises UnitsError for anything but what `encode_units` of this version wrote."""
    try:
        known = msgspec.json.decode(content, type=_Head).format
        if known != FORMAT:
            raise UnitsError(f"has format {known}, not {FORMAT}: another toolcast wrote it")
        return msgspec.json.decode(content, type=Units)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise UnitsError(f"does not hold records: {problem}") from None


class _Head(Struct):
    format: int = 0
