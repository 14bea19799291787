"""The plan of an import: writes, deletions, upstream changes, and conflicts. Pure."""

from collections.abc import Collection, Mapping
from typing import Any, Literal

from msgspec import UNSET, Struct, field

from ..diagnostics import Diagnostic
from ..jsonschema.json_values import JsonObject
from ..spec.discovery import SUFFIXES
from ..spec.spec_checker import is_todo
from ..spec.tool_names import shown
from ..spec.tool_spec import SourceKind
from .edit_yaml import EditError
from .import_tools import Draft, TypeDraft
from .imported_specs import ImportedSpec, ImportedSpecs, Key, Lock, LockedTool, LockedType
from .merge import FieldChange, Side, digests_of, fields_of, merge, schema_fields
from .spec_text import last_match

_ChangeKind = Literal["new", "changed", "gone", "deleted"]


class Settling(Struct, frozen=True, kw_only=True):
    """A person's decisions about what an import does not settle.

    `take` is, by pattern of names, the side that wins a conflict; the last that matches counts. `restore`
    writes specs that were deleted here, `prune` deletes those that are gone upstream, `force` writes all
    anew.
    """

    take: tuple[tuple[str, Side], ...] = ()
    restore: bool = False
    prune: bool = False
    force: bool = False

    def side(self, *names: str) -> Side | None:
        """Return the side that wins for the tool that has one of `names`."""
        return last_match(self.take, names)


class ToolChange(Struct, frozen=True, kw_only=True):
    """A difference of one tool: "new", "changed" or "gone" upstream, or "deleted" here; `name` is the
    source's, `path` that of its spec, empty for a deleted one.
    """

    kind: _ChangeKind
    name: str
    path: str = ""
    fields: tuple[FieldChange, ...] = ()


class Update(Struct, frozen=True, kw_only=True):
    """The plan of an import, with paths below the root, changes in the source's order, the next lock file,
    and what cannot be done.
    """

    writes: Mapping[str, str]
    deletes: tuple[str, ...]
    lock: Lock
    changes: tuple[ToolChange, ...]
    diagnostics: tuple[Diagnostic, ...]


class Source(Struct, frozen=True):
    """The source of an import. `present` are the names of all its tools, also of those without a draft; None
    where they are not known: then none is taken for gone.
    """

    kind: SourceKind
    label: str
    present: Collection[str] | None


class _Work(Struct):
    source: Source
    here: ImportedSpecs
    lock: Lock
    settling: Settling
    writes: dict[str, str] = field(default_factory=dict)
    deletes: list[str] = field(default_factory=list)
    locked: dict[Key, LockedTool] = field(default_factory=dict)
    types: dict[str, LockedType] = field(default_factory=dict)
    changes: list[ToolChange] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)

    def draft(self, draft: Draft) -> None:
        key = (self.source.kind, self.source.label, draft.original)
        spec, before = self.here.specs.get(key), self.lock.tools.get(key)
        if spec is not None and not self.settling.force:
            self._merge(draft, spec, before)
        elif spec is not None:
            self._write(draft, spec.path, "changed")
        elif before is not None and not self.settling.restore:
            self.changes.append(ToolChange(kind="deleted", name=draft.original))
            self.locked[key] = before
        elif self._is_taken(draft.path) and not self.settling.force:
            message = "is there already, and does not state that it came from this source"
            hint = "--force overwrites it; or add `source` to it, or import into another --group"
            self._problem(draft.path, "import-exists", message, hint)
        else:
            self._write(draft, draft.path, "new")

    def _is_taken(self, path: str) -> bool:
        stem = path.rpartition(".")[0]
        return any(f"{stem}{suffix}" in self.here.paths for suffix in SUFFIXES)

    def _write(self, draft: Draft, path: str, kind: _ChangeKind) -> None:
        self.writes[path] = draft.text
        self._lock(draft, digests_of(fields_of(draft.data)), ())
        self.changes.append(ToolChange(kind=kind, name=draft.original, path=path))

    def _merge(self, draft: Draft, spec: ImportedSpec, before: LockedTool | None) -> None:
        side = self.settling.side(draft.original, str(spec.data.get("name", "")), draft.data["name"])
        base = UNSET if before is None else before.fields
        merged = merge(base, fields_of(spec.data), fields_of(draft.data), side)
        decisions = _decisions(spec.data, draft)
        try:
            text = spec.edited(merged.edits).decided(decisions).text
        except EditError as problem:
            fields = ", ".join(change.pointer for change in merged.changes)
            message = f"cannot be edited where it stands: {problem}; changed upstream: {fields}"
            hint = "make the changes by hand, then run the command with --take local"
            self._problem(spec.path, "import-edit", message, hint)
            if before is not None:
                self.locked[before.key] = before
            return
        if text != spec.text:
            self.writes[spec.path] = text
        self._lock(draft, merged.base, merged.conflicts)
        changes = merged.changes if before is None else (*merged.changes, *_changed_hint(before, draft))
        if changes:
            self.changes.append(
                ToolChange(kind="changed", name=draft.original, path=spec.path, fields=changes)
            )

    def _lock(self, draft: Draft, fields: Any, conflicts: tuple[FieldChange, ...]) -> None:
        tool = LockedTool(
            kind=self.source.kind,
            label=self.source.label,
            name=draft.original,
            fields=fields,
            pending=_pending(conflicts),
            read_only=draft.read_only,
            by_hand=draft.by_hand,
        )
        self.locked[tool.key] = tool

    def type(self, draft: TypeDraft) -> None:
        """Merge or write one shared type. One that was deleted is written again: specs refer to it."""
        here, before = self.here.types.get(draft.path), self.lock.types.get(draft.path)
        upstream = schema_fields(draft.schema)
        if here is None or self.settling.force:
            self.writes[draft.path] = draft.text
            fields: object = digests_of(upstream)
            conflicts: tuple[FieldChange, ...] = ()
            self.changes.append(ToolChange(kind="new", name=draft.path, path=draft.path))
        else:
            base = UNSET if before is None else before.fields
            side = self.settling.side(draft.path)
            merged = merge(base, schema_fields(here.data), upstream, side)
            try:
                text = here.edited(merged.edits).text
            except EditError as problem:
                message = f"cannot be edited where it stands: {problem}"
                self._problem(draft.path, "import-edit", message, "make the changes by hand")
                if before is not None:
                    self.types[draft.path] = before
                return
            if text != here.text:
                self.writes[draft.path] = text
            fields, conflicts = merged.base, merged.conflicts
            if merged.changes:
                self.changes.append(
                    ToolChange(kind="changed", name=draft.path, path=draft.path, fields=merged.changes)
                )
        self.types[draft.path] = LockedType(
            kind=self.source.kind,
            label=self.source.label,
            type=draft.path,
            fields=fields,
            pending=_pending(conflicts),
        )

    def gone_type(self, locked: LockedType) -> None:
        if locked.type not in self.here.types or self.settling.side(locked.type) == "local":
            return
        if self.settling.prune:
            self.deletes.append(locked.type)
        else:
            self.types[locked.type] = locked
        self.changes.append(ToolChange(kind="gone", name=locked.type, path=locked.type))

    def gone(self, tool: LockedTool) -> None:
        spec = self.here.specs.get(tool.key)
        if spec is None or self.settling.side(tool.name) == "local":
            return
        if self.settling.prune:
            self.deletes.append(spec.path)
        else:
            self.locked[tool.key] = tool
        self.changes.append(ToolChange(kind="gone", name=tool.name, path=spec.path))

    def _problem(self, path: str, code: str, message: str, hint: str) -> None:
        place = shown(self.here.shown_root, path)
        self.problems.append(Diagnostic(file=place, code=code, message=message, hint=hint))


def plan_update(
    drafts: tuple[Draft | TypeDraft, ...],
    source: Source,
    here: ImportedSpecs,
    lock: Lock,
    settling: Settling,
) -> Update:
    """Plan an import into a folder that may hold specs of an earlier one."""
    key, present = (source.kind, source.label), source.present
    work = _Work(source, here, lock, settling)
    drawn: set[str] = set()
    for draft in drafts:
        if isinstance(draft, TypeDraft):
            work.type(draft)
        else:
            work.draft(draft)
            drawn.add(draft.original)
    for tool in lock.of_source(*key):
        if tool.name in drawn:
            continue
        if present is None or tool.name in present:
            work.locked[tool.key] = tool
        else:
            work.gone(tool)
    for locked in lock.types.values():
        if (locked.kind, locked.label) != key:
            work.types[locked.type] = locked
        elif locked.type not in work.types:
            if present is not None and drawn.issuperset(present):
                work.gone_type(locked)
            else:
                work.types[locked.type] = locked
    others = {each: tool for each, tool in lock.tools.items() if each[:2] != key}
    return Update(
        writes=work.writes,
        deletes=tuple(work.deletes),
        lock=Lock({**others, **work.locked}, work.types),
        changes=tuple(work.changes),
        diagnostics=tuple(work.problems),
    )


def _pending(conflicts: tuple[FieldChange, ...]) -> JsonObject:
    return {each.pointer: None if each.upstream is UNSET else each.upstream for each in conflicts}


def _changed_hint(before: LockedTool, draft: Draft) -> tuple[FieldChange, ...]:
    """Report a changed `readOnlyHint`: a permission may rest on it, and a person decides that one."""
    if before.read_only == draft.read_only:
        return ()
    here, upstream = (UNSET if hint is None else hint for hint in (before.read_only, draft.read_only))
    return (FieldChange(path=("annotations", "readOnlyHint"), kind="noted", here=here, upstream=upstream),)


def _decisions(data: JsonObject, draft: Draft) -> JsonObject:
    found: JsonObject = {}
    if is_todo(data.get("permission")) and draft.permission is not None:
        found["permission"] = draft.permission
    if is_todo(data.get("secrets")) and draft.secrets is not None:
        found["secrets"] = draft.secrets
    return found
