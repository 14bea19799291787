"""One compiled unit as a blob: its files, what the package needs to know of it, its warnings."""

import zlib
from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec import Struct

from ...diagnostics import Diagnostic
from ..core.compile import Options, ToolEntry
from ..state.cache import Unit
from ..state.fingerprint import digest
from ..worker import Task
from .layout import misplaced
from .store import MAX_BUNDLE, BadEntryError

_HEAD = b"toolcast bundle 1\n"
MAX_UNPACKED = 64 * 1024 * 1024


class Bundle(Struct, frozen=True, kw_only=True):
    """`fingerprint` is what it was made from. Files in `warnings` are paths below the specs root."""

    fingerprint: str
    kind: Literal["tool", "type"]
    path: str
    uses: tuple[str, ...]
    entry: ToolEntry | None
    warnings: tuple[Diagnostic, ...]
    outputs: dict[str, bytes]


_ENCODER = msgspec.msgpack.Encoder()  # the order of keys is kept: the ledger shows it
_DECODER = msgspec.msgpack.Decoder(Bundle)


def pack(
    task: Task, unit: Unit, files: Mapping[str, bytes], options: Options, shown_root: str
) -> bytes | None:
    """The blob of a unit; None if it does not mean the same elsewhere: then it is not for sharing."""
    if misplaced(task, unit.entry, files, options):
        return None  # nobody would believe it
    warnings: list[Diagnostic] = []
    prefix = f"{shown_root}/" if shown_root not in ("", ".") else ""
    for problem in unit.warnings:
        file = problem.file.removeprefix(prefix)
        speaks = f"{problem.message}\n{problem.hint}"
        if (
            problem.severity == "error"
            or file not in (task.path, *unit.uses)
            or (prefix and prefix in speaks)
        ):
            return None
        warnings.append(msgspec.structs.replace(problem, file=file))
    bundle = Bundle(
        fingerprint=unit.fingerprint,
        kind=task.kind,
        path=task.path,
        uses=unit.uses,
        entry=unit.entry,
        warnings=tuple(warnings),
        outputs=dict(files),
    )
    try:
        data = _ENCODER.encode(bundle)
    except UnicodeEncodeError:  # a file's name that is no text
        return None
    packed = _HEAD + zlib.compress(data)
    return packed if len(data) <= MAX_UNPACKED and len(packed) <= MAX_BUNDLE else None


def unpack(
    data: bytes, task: Task, fingerprint: str, uses: tuple[str, ...], options: Options, shown_root: str
) -> tuple[Unit, dict[str, bytes]]:
    """A unit and its files out of a blob. Raises BadEntryError unless it is all that the task can become."""
    bundle = _decoded(data)
    if (bundle.fingerprint, bundle.kind, bundle.path) != (fingerprint, task.kind, task.path):
        raise BadEntryError("a bundle of something else")
    if bundle.uses != uses:
        raise BadEntryError("a bundle that refers to other types")
    if wrong := misplaced(task, bundle.entry, bundle.outputs, options):
        raise BadEntryError(wrong)
    for problem in bundle.warnings:
        if problem.severity == "error" or problem.file not in (task.path, *uses):
            raise BadEntryError("a warning that is none")
    prefix = f"{shown_root}/" if shown_root not in ("", ".") else ""
    unit = Unit(
        fingerprint=fingerprint,
        outputs={path: digest(content) for path, content in bundle.outputs.items()},
        uses=uses,
        entry=bundle.entry,
        warnings=tuple(
            msgspec.structs.replace(problem, file=prefix + problem.file) for problem in bundle.warnings
        ),
        fetched=True,
    )
    return unit, bundle.outputs


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
