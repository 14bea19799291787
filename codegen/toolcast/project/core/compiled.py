"""The arguments and results of a compile, as values."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from ...diagnostics import Diagnostic
from ...languages.python.structs.python_names import class_name, constant_name, keyword_of, module_name
from ...output_layout import TYPESCRIPT, ledger_path
from ...providers import LedgerEntry, Profile, load_profile
from ...providers.ledger import PARTS
from ...spec.tool_names import group_of
from ...spec.tool_spec import Defaults, Source
from ...targets.model import ToolModel

if TYPE_CHECKING:
    from ...targets.target import Target


class Options(Struct, frozen=True, kw_only=True):
    """The configuration of outputs. `templates` overrides built-in ones: a folder, or names and texts.
    `profiles` are those that are not built in, or replace one. `targets` are further surfaces, `grammars`
    text formats with engines. `defaults` holds for specs that do not say. `configured` are the project's
    providers where `providers` are others.
    """

    providers: tuple[str, ...]
    configured: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    targets: "tuple[Target, ...]" = ()
    grammars: tuple[tuple[str, str], ...] = ()
    templates: str | tuple[tuple[str, str], ...] | None = None
    profiles: Mapping[str, Profile] = {}
    defaults: Defaults | None = None

    @property
    def typescript(self) -> bool:
        """Return whether JavaScript modules are made."""
        return any(target.id == TYPESCRIPT for target in self.targets)


def profile_of(id: str, options: Options) -> Profile:
    """Return a profile by id. Raises ProfileError."""
    return options.profiles.get(id) or load_profile(id)


Losses = Mapping[str, tuple[LedgerEntry, ...]]
"""Entries for what each provider's JSON lacks of one tool, by provider; only those with entries."""


class _SharedEntry(LedgerEntry, frozen=True, kw_only=True, omit_defaults=True):
    """An entry of a ledger file, with the providers for which it holds."""

    providers: tuple[str, ...]


def ledger_file(losses: Losses) -> bytes:
    """Write each entry once, sorted by its place."""
    providers: dict[LedgerEntry, list[str]] = {}
    for provider, entries in losses.items():
        for entry in dict.fromkeys(entries):
            providers.setdefault(entry, []).append(provider)
    ordered = sorted(providers, key=lambda each: (PARTS.index(each.of), each.path.split("/"), each.keyword))
    return pretty([_SharedEntry(**asdict(each), providers=tuple(providers[each])) for each in ordered])


class ToolEntry(Struct, frozen=True, kw_only=True, gc=False):
    """The facts about one tool that files about the whole set need. It is cached as JSON."""

    path: str  # spec path below the specs root
    name: str
    group: str
    module: str  # dotted, below the output package: "files.edit"
    constant: str  # "EDIT"
    keyword: str  # "edit": the tool's parameter name in register_all
    params: str  # "EditParams"
    handler: str  # "EditHandler"
    result: str = ""  # "EditResult"; empty where the spec has none
    source: Source | None = None  # what the spec was imported from
    http: bool = False  # the spec has a request to send
    external: bool = False  # the tool has no handler
    without: tuple[str, ...] = ()  # targets that cannot have the tool
    model: ToolModel | None = None  # where a target or a grammar is about all tools


def module_parts(name: str, group: str) -> tuple[str, ...]:
    """Return the module of a tool, below the output package."""
    folders = tuple(part.replace("-", "_") for part in group.split("/")) if group else ()
    return (*folders, module_name(name))


def entry_of(path: str, name: str) -> ToolEntry:
    """Return the entry of a tool, with all that does not depend on the spec's text."""
    group = group_of(path)
    return ToolEntry(
        path=path,
        name=name,
        group=group,
        module=".".join(module_parts(name, group)),
        constant=constant_name(name),
        keyword=keyword_of(name),
        params=class_name(name, "Params"),
        handler=class_name(name, "Handler"),
    )


class Compiled(Struct, frozen=True, kw_only=True):
    """The outcome for one file. With an error among `diagnostics`, `files` is empty."""

    path: str  # posix, below the specs root
    files: Mapping[str, bytes]  # posix path below the output root → bytes
    diagnostics: tuple[Diagnostic, ...]
    uses: tuple[str, ...]  # shared type files it refers to, transitively; sorted
    missing: tuple[str, ...] = ()  # files outside the specs folder that it refers to, and that have errors
    entry: ToolEntry | None = None  # None for shared types and failures
    source: str = ""  # digest of what the spec and its types say; empty for failures

    @property
    def losses(self) -> Losses:
        """Return what each provider's JSON lacks of this tool."""
        content = self.files.get(ledger_path(self.entry.name)) if self.entry is not None else None
        losses: dict[str, tuple[LedgerEntry, ...]] = {}
        for each in () if content is None else msgspec.json.decode(content, type=tuple[_SharedEntry, ...]):
            stated = asdict(each)
            for provider in stated.pop("providers"):
                losses[provider] = (*losses.get(provider, ()), LedgerEntry(**stated))
        return losses


def pretty(value: object) -> bytes:
    """Encode as JSON in the form of generated files: two spaces, keys in order, LF at the end."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
