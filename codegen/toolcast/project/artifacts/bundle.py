"""One compiled unit as a blob: its files, what the package needs to know of it, its warnings.

A bundle from elsewhere is used only if its files are where that unit may write (`misplaced`).
"""

import posixpath
import zlib
from collections.abc import Collection, Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...diagnostics import Diagnostic
from ...python.structs.python_names import constant_name, identifier, module_name
from ...spec.tool_names import NAME, module_problem, shown
from ..core.compiled import Options, ToolEntry, ledger_path
from ..output.manifest import is_inside, is_ours
from ..state.cache import Unit
from ..state.fingerprint import digest
from ..worker import Task
from .store import MAX_BUNDLE, BadEntryError

_HEAD = b"toolcast bundle 2\n"
MAX_UNPACKED = 64 * 1024 * 1024


class Bundle(Struct, frozen=True, kw_only=True):
    """A unit as it is shared: files in its diagnostics are paths below the specs root, and `files` has its
    outputs with their bytes."""

    task: Task
    unit: Unit
    files: dict[str, bytes]


_ENCODER = msgspec.msgpack.Encoder()  # the order of keys is kept: the ledger shows it
_DECODER = msgspec.msgpack.Decoder(Bundle)


def pack(
    task: Task, unit: Unit, files: Mapping[str, bytes], options: Options, shown_root: str
) -> bytes | None:
    """The blob of a unit; None if it does not mean the same elsewhere: then it is not for sharing."""
    if misplaced(task, unit.entry, files, options):
        return None  # no one would use it
    warnings: list[Diagnostic] = []
    prefix = shown(shown_root, "")
    for problem in unit.diagnostics:
        file = problem.file.removeprefix(prefix)
        text = f"{problem.message}\n{problem.hint}"
        if problem.severity == "error" or file not in (task.path, *unit.uses) or (prefix and prefix in text):
            return None
        warnings.append(replace(problem, file=file))
    shared = replace(unit, outputs={}, source="", diagnostics=tuple(warnings))
    try:
        data = _ENCODER.encode(Bundle(task=task, unit=shared, files=dict(files)))
    except UnicodeEncodeError:  # a file's name that is no text
        return None
    packed = _HEAD + zlib.compress(data)
    return packed if len(data) <= MAX_UNPACKED and len(packed) <= MAX_BUNDLE else None


def unpack(
    data: bytes, task: Task, fingerprint: str, uses: tuple[str, ...], options: Options, shown_root: str
) -> tuple[Unit, dict[str, bytes]]:
    """A unit and its files out of a blob. Raises BadEntryError unless it is all that the task can become."""
    bundle = _decoded(data)
    unit, files = bundle.unit, bundle.files
    if (bundle.task, unit.fingerprint) != (task, fingerprint):
        raise BadEntryError("a bundle of something else")
    if unit.uses != uses:
        raise BadEntryError("a bundle that refers to other types")
    if wrong := misplaced(task, unit.entry, files, options):
        raise BadEntryError(wrong)
    if any(each.severity == "error" or each.file not in (task.path, *uses) for each in unit.diagnostics):
        raise BadEntryError("a warning that is none")
    return Unit(
        fingerprint=fingerprint,
        outputs={path: digest(content) for path, content in files.items()},
        uses=uses,
        entry=unit.entry,
        diagnostics=tuple(replace(each, file=shown(shown_root, each.file)) for each in unit.diagnostics),
        fetched=True,
    ), files


def _decoded(data: bytes) -> Bundle:
    if not data.startswith(_HEAD):
        raise BadEntryError("no bundle of this version")
    unzip = zlib.decompressobj()
    try:
        plain = unzip.decompress(data[len(_HEAD) :], MAX_UNPACKED)
        if not unzip.eof or unzip.unused_data:
            raise BadEntryError("a bundle that is cut short, too large, or more than one")
        return _DECODER.decode(plain)
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadEntryError("a damaged bundle") from error


def misplaced(
    task: Task, entry: ToolEntry | None, outputs: Mapping[str, bytes], options: Options
) -> str | None:
    """Why these cannot be the outputs of `task`, or None if they can."""
    if task.kind == "type":
        if entry is not None:
            return "a shared type that says it is a tool"
        required = type_outputs(task.path, options)
        allowed = required
    else:
        if entry is None or not _is_entry(task, entry):
            return "a tool that is not the one that was asked for"
        required, allowed = tool_outputs(entry, options)
    found = outputs.keys()
    if not required <= found <= allowed:
        return "files that this unit does not have"
    if not all(is_inside(path) for path in found):
        return "a file outside the output folder"
    if not all(is_ours(content) for path, content in outputs.items() if path.endswith((".py", ".js", ".ts"))):
        return "a module without our mark"
    return None


def type_outputs(path: str, options: Options) -> frozenset[str]:
    """All files of a shared type."""
    first, *rest = posixpath.splitext(path)[0].split("/")
    place = "/".join((first, *(identifier(part, "types") for part in rest)))
    return frozenset({f"{place}.py", f"contracts/{place}.json", *_target_outputs(place, options)})


def tool_outputs(entry: ToolEntry, options: Options) -> tuple[frozenset[str], frozenset[str]]:
    """The files that a tool must have, and those that it may have."""
    module, name = entry.module.replace(".", "/"), entry.name
    required = {
        f"{module}.py",
        f"contracts/{name}.json",
        *(f"schemas/{provider}/{name}.json" for provider in options.providers),
        *(f"models/{family}/{module}.py" for family in options.models),
        *_target_outputs(module, options, entry.without),
    }
    wire_forms = {f"wire_forms/{provider}/{name}.json" for provider in options.providers}
    return frozenset(required), frozenset({*required, *wire_forms, ledger_path(name)})


def _target_outputs(module: str, options: Options, without: Collection[str] = ()) -> list[str]:
    """The files of a module in other languages."""
    targets = [target for target in options.targets if target not in without]
    return [f"{target}/{module}{end}" for target in targets for end in (".js", ".d.ts")]


def _is_entry(task: Task, entry: ToolEntry) -> bool:
    """True if everything in `entry` follows from its path and its name."""
    group = task.path.rpartition("/")[0]
    package = group.replace("-", "_").replace("/", ".")
    leaf = module_name(entry.name)
    return (
        entry.path == task.path
        and entry.group == group
        and NAME.fullmatch(entry.name) is not None
        and module_problem(entry.name, group) is None
        and entry.module == (f"{package}.{leaf}" if package else leaf)
        and entry.constant == constant_name(entry.name)
        and entry.keyword == leaf
        and entry.params.isidentifier()
        and entry.handler.isidentifier()
    )
