"""Causes of drift in the output folder: one for each thing that somebody did.

The manifest tells causes apart. Where only lists of all tools are wrong, and no line of them is missing, git
merged two branches line by line. Where the digest of a spec is another one, the spec was edited, or a shared
type that it uses. Where the digests of spec and outputs are the same, the bytes were changed or deleted by
hand. What is left was made by another version, or with another configuration.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ...config import Config, show
from ...diagnostics import Diagnostic
from ...output_layout import SCHEMAS
from ...spec.tool_names import shown
from .manifest import NAME, PACKAGE, Manifest, parse_manifest
from .plan import Plan, Write

_Kind = Literal["changed", "missing", "orphaned"]
_Reason = Literal[
    "spec", "type", "deleted", "lost", "edited", "merge", "endings", "configuration", "manifest"
]
Files = Mapping[str, _Kind]
"""Faults of outputs, by posix path below the output root."""


class Cause(Struct, frozen=True, kw_only=True):
    """One cause, and the outputs that are not what they should be because of it. `unit` is the spec or shared
    type at fault, or the one whose output was edited; `units` are all specs concerned. `files` names the
    manifest only where all else is right. `added` and `removed` are providers.
    """

    reason: _Reason
    unit: str = ""
    units: tuple[str, ...] = ()
    files: Files = {}
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def find_causes(
    plan: Plan, manifest: bytes, uses: Mapping[str, Sequence[str]], unusable: Iterable[str]
) -> tuple[Cause, ...]:
    """Return the causes of everything that `plan` would do, those of specs first. `uses` has the shared types
    of each spec, `unusable` the specs with errors whose former output cannot be used.
    """
    if plan.empty:
        return ()
    return _Causes(plan, manifest, uses, tuple(unusable)).found()


class _Causes:
    def __init__(
        self, plan: Plan, manifest: bytes, uses: Mapping[str, Sequence[str]], unusable: tuple[str, ...]
    ) -> None:
        self._uses, self._unusable = uses, unusable
        old = next((write.old for write in plan.writes if write.path == NAME), manifest)
        self._now = parse_manifest(manifest)
        self._before = Manifest({}) if old is None else parse_manifest(old)
        self._manifest_differs = any(write.path == NAME for write in plan.writes)
        self._kinds: dict[str, _Kind] = {
            write.path: "missing" if write.old is None else "changed" for write in plan.writes
        }
        self._kinds |= {delete.path: "orphaned" for delete in plan.deletes}
        self._kinds.pop(NAME, None)
        self._endings = {write.path for write in plan.writes if _differs_in_endings(write)}
        self._owners = {
            path: unit
            for manifest in (self._before, self._now)  # those of now count
            for unit, record in manifest.units.items()
            if unit != PACKAGE
            for path in record.outputs
        }

        self._merged: Files = {write.path: "changed" for write in plan.writes} if self._is_merge(plan) else {}

    def _is_merge(self, plan: Plan) -> bool:
        """Return whether only lists of all tools are wrong, as `merge=union` leaves them. Lines are out of
        order, twice there, or back where one branch removed the tool, also in the manifest.
        """
        if self._endings or any(
            kind != "changed" or path in self._owners for path, kind in self._kinds.items()
        ):
            return False
        lines = {
            write.path: (set(write.content.splitlines()), set((write.old or b"").splitlines()))
            for write in plan.writes
        }
        if self._kinds and NAME in lines:
            now, before = lines[NAME]
            return now <= before
        return all(now == before for now, before in lines.values())

    def found(self) -> tuple[Cause, ...]:
        if self._merged:
            return (Cause(reason="merge", files=self._merged),)
        files: defaultdict[str, dict[str, _Kind]] = defaultdict(dict)
        for path, kind in self._kinds.items():
            if path not in self._endings:
                files[self._owners.get(path, PACKAGE)][path] = kind
        touched = {unit for unit in files if unit != PACKAGE} | self._differing()
        causes = self._causes_of(touched, files)
        causes = self._with_package(causes, files.get(PACKAGE, {}))
        if self._endings:
            causes.append(Cause(reason="endings", files=dict.fromkeys(sorted(self._endings), "changed")))
        if not causes and self._manifest_differs:
            causes.append(
                Cause(reason="manifest", files={NAME: "changed" if self._before.units else "missing"})
            )
        # Of a renamed spec the new name says it all; an edit that no output shows changes the manifest alone.
        said = [cause for cause in causes if cause.files or cause.reason != "deleted"] or causes
        return tuple(cause if cause.files else replace(cause, files={NAME: "changed"}) for cause in said)

    def _differing(self) -> set[str]:
        both = self._before.units.keys() | self._now.units.keys()
        return {
            unit
            for unit in both - {PACKAGE}
            if (old := self._before.units.get(unit)) is None
            or (new := self._now.units.get(unit)) is None
            or (old.source, old.made, old.outputs) != (new.source, new.made, new.outputs)
        }

    def _causes_of(self, units: Iterable[str], files: Mapping[str, dict[str, _Kind]]) -> list[Cause]:
        groups: defaultdict[tuple[_Reason, str], list[str]] = defaultdict(list)
        for unit in sorted(units):
            reason, culprit = self._reason(unit)
            groups[reason, culprit].append(unit)
        causes: list[Cause] = []
        for (reason, culprit), members in groups.items():
            own: dict[str, _Kind] = {}
            for unit in members:
                own |= sorted(files.get(unit, {}).items())
            if reason == "edited":  # each file by itself
                causes += [
                    Cause(reason="edited", unit=culprit, units=(culprit,), files={path: kind})
                    for path, kind in own.items()
                ]
            elif reason == "configuration":
                added, removed = self._providers()
                units = tuple(members)
                causes.append(Cause(reason=reason, units=units, files=own, added=added, removed=removed))
            else:
                causes.append(Cause(reason=reason, unit=culprit, units=tuple(members), files=own))
        return causes

    def _reason(self, unit: str) -> tuple[_Reason, str]:
        """Return why the outputs of a spec are wrong, and which spec or type is at fault."""
        old, new = self._before.units.get(unit), self._now.units.get(unit)
        if new is None:
            return "deleted", unit
        if old is not None and old.source == new.source and old.made:
            edited = old.made == new.made and old.outputs == new.outputs
            return ("edited", unit) if edited else ("configuration", "")
        changed = [path for path in self._uses.get(unit, ()) if self._has_changed(path)]
        inner = [
            path for path in changed if not any(self._has_changed(use) for use in self._uses.get(path, ()))
        ]
        if old is not None and (culprits := inner or changed):
            return "type", min(culprits)
        own_type = any(unit in used for used in self._uses.values())
        return ("type" if own_type else "spec"), unit

    def _has_changed(self, unit: str) -> bool:
        old, new = self._before.units.get(unit), self._now.units.get(unit)
        return new is not None and (old is None or old.source != new.source)

    def _providers(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        before, now = (
            {path.split("/")[1] for path in manifest.files if path.startswith(f"{SCHEMAS}/")}
            for manifest in (self._before, self._now)
        )
        return tuple(sorted(now - before)), tuple(sorted(before - now))

    def _with_package(self, causes: list[Cause], files: Files) -> list[Cause]:
        """Add the files about the whole set: they follow from the tools, or were edited themselves."""
        if not files:
            return causes
        old, new = self._before.units.get(PACKAGE), self._now.units.get(PACKAGE)
        for place, cause in enumerate(causes):
            if cause.reason == "configuration" or any(map(self._moves, cause.units)):
                whole = replace(cause, files={**cause.files, **files})
                return [*causes[:place], whole, *causes[place + 1 :]]
        if self._unusable:
            unit = self._unusable[0]
            return [*causes, Cause(reason="lost", unit=unit, units=(unit,), files=files)]
        if old is not None and new is not None and old.made != new.made:
            return [*causes, Cause(reason="configuration", files=files)]
        return [*causes, *(Cause(reason="edited", files={path: kind}) for path, kind in files.items())]

    def _moves(self, unit: str) -> bool:
        """Return whether the modules of a spec are others now, and so the registry."""
        before, now = (
            {path for path in record.outputs if path.endswith(".py")} if record is not None else set[str]()
            for record in (self._before.units.get(unit), self._now.units.get(unit))
        )
        return before != now


def _differs_in_endings(write: Write) -> bool:
    """Return whether a file is right but for what git makes of line endings on some machines."""
    old = write.old
    return old is not None and old != write.content and old.replace(b"\r\n", b"\n") == write.content


_ATTRIBUTES = "`toolcast init --add gitattributes` keeps git from changing them"


def drift_diagnostic(cause: Cause, config: Config, repair: str) -> Diagnostic:
    """Return one cause for a user; `repair` is the command that makes the output anew."""
    output, spec = show(config.output), shown(show(config.specs), cause.unit)
    path, kind = next(iter(cause.files.items()))
    file, line, hint = spec, 1, f"run `{repair}`"
    match cause.reason:
        case "spec" | "type":
            what = "spec" if cause.reason == "spec" else "shared type"
            message = f"{_outputs(cause)} not what this {what} says{_users(cause)}"
            if path == NAME:
                message = f"{output}/{NAME} was written for another content of this {what}"
        case "deleted":
            left = [kind for kind in cause.files.values() if kind == "orphaned"]
            line, message = 0, f"this spec is gone, but {_count(len(left))} still there"
        case "lost":
            message = "its former output cannot be used, so its tool is not in the registry"
            hint = "correct the spec, or restore its output"
        case "edited":
            file = f"{output}/{path}"
            message = f"this output {_DONE[kind]}"
            if kind == "changed":
                message += f": {spec} says something else" if cause.unit else ", or git merged its lines"
        case "merge":
            file = f"{output}/{path}"
            message = f"{_outputs(cause)} out of order: git merged the lines of two branches"
        case "endings":
            file = f"{output}/{NAME}"
            message = f"{_outputs(cause)} different in line endings only"
            hint += f"; {_ATTRIBUTES}"
        case "configuration":
            file, line = _table(config)
            changes = ", ".join(
                (
                    *(f"provider {id} was added" for id in cause.added),
                    *(f"provider {id} was removed" for id in cause.removed),
                )
            )
            other = " (or a template, a profile, toolcast or black is another one)"
            message = (
                f"{_outputs(cause)} not what the configuration makes{f': {changes}' if changes else other}"
            )
        case _:
            file, message = f"{output}/{NAME}", f"the manifest {_DONE[kind]}"
    return Diagnostic(file=file, line=line, code=f"drift-{cause.reason}", message=message, hint=hint)


_DONE = {"missing": "is missing", "changed": "was edited", "orphaned": "should not be there"}


def _outputs(cause: Cause) -> str:
    return _count(len(cause.files))


def _count(number: int) -> str:
    return "1 output is" if number == 1 else f"{number} outputs are"


def _users(cause: Cause) -> str:
    number = len({*cause.units} - {cause.unit}) if cause.reason == "type" else 0
    return f" ({number} spec{'s use' if number > 1 else ' uses'} it)" if number else ""


def _table(config: Config) -> tuple[str, int]:
    """Return the place of the configuration, or that of the project."""
    if config.file is None:
        return show(config.base), 0
    try:
        lines = config.file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    found = (number for number, text in enumerate(lines, 1) if text.strip().startswith("[tool.toolcast"))
    return show(config.file), next(found, 1)
