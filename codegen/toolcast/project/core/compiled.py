"""What a compile gets and what it returns, as values."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Raw, Struct

from ...diagnostics import Diagnostic
from ...providers import LedgerEntry, Profile, load_profile
from ...spec.model import Defaults, Source


class Options(Struct, frozen=True, kw_only=True):
    """The configuration of outputs.

    `templates` overrides built-in ones by file name: a folder, or names and texts. `profiles` has, by id,
    those that are not built in; it may replace a built-in one. `defaults` holds for specs that do not say.
    """

    providers: tuple[str, ...]
    models: tuple[str, ...] = ()
    templates: str | tuple[tuple[str, str], ...] | None = None
    profiles: Mapping[str, Profile] = {}
    defaults: Defaults | None = None


def profile_of(id: str, options: Options) -> Profile:
    """The profile of that id. Raises ProfileError for an id that is nowhere."""
    return options.profiles.get(id) or load_profile(id)


Losses = Mapping[str, tuple[LedgerEntry, ...]]
"""What each provider's JSON lacks of one tool, by provider; only those with entries."""


def losses_text(losses: Losses) -> str:
    """As JSON."""
    return msgspec.json.encode(losses).decode()


NO_LOSSES = losses_text({})
_BATCH = 512
"""Tools whose losses are formatted together: the text of 100,000 tools is never in memory twice."""


def ledger_file(losses: Sequence[tuple[str, str]]) -> bytes:
    """`ledger.json` of a set: what each provider's JSON lacks. `losses`: the names of all tools, each with
    its `ToolEntry.ledger`."""
    losing = sorted((name, text) for name, text in losses if text != NO_LOSSES)
    if not losing:
        return pretty({})
    parts = [b"{\n"]
    for start in range(0, len(losing), _BATCH):
        batch = {name: Raw(text.encode()) for name, text in losing[start : start + _BATCH]}
        parts += [pretty(batch)[len(b"{\n") : -len(b"\n}\n")], b",\n"]
    parts[-1] = b"\n}\n"
    return b"".join(parts)


class ToolEntry(Struct, frozen=True, kw_only=True, gc=False):
    """What the package-level outputs need to know of one compiled tool. JSON-encodable: it is cached.

    `ledger` is text, for it is most of what the cache holds, and the next run only passes it on.
    """

    path: str  # spec path below the specs root
    name: str
    group: str
    module: str  # dotted, below the output package: "files.edit"
    constant: str  # "EDIT"
    keyword: str  # "edit": the tool's parameter name in register_all
    params: str  # "EditParams"
    handler: str  # "EditHandler"
    ledger: str = NO_LOSSES  # `losses_text`
    result: str = ""  # "EditResult"; empty where the spec has none
    source: Source | None = None  # what the spec was imported from
    http: bool = False  # the spec has a request to send

    @property
    def losses(self) -> Losses:
        """The ledger, decoded. Raises msgspec.MsgspecError for what `losses_text` did not write."""
        losses: Losses = msgspec.json.decode(self.ledger, type=Losses)
        return losses


class Compiled(Struct, frozen=True, kw_only=True):
    """The outcome for one spec (or shared type) file. With an error among `diagnostics`, `files` is empty."""

    path: str  # posix, below the specs root
    files: Mapping[str, bytes]  # posix path below the output root → bytes
    diagnostics: tuple[Diagnostic, ...]
    uses: tuple[str, ...]  # shared type files it refers to, transitively; sorted
    entry: ToolEntry | None = None  # None for shared types and failures


def pretty(value: object) -> bytes:
    """JSON as generated files have it: two spaces, keys in the order of `value`, UTF-8, LF at the end."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
