"""Where the files of a unit may lie. What comes from elsewhere may not write anywhere else."""

import posixpath
from collections.abc import Mapping

import msgspec

from ...spec.names import NAME, module_problem
from ...structs.names import constant_name, identifier, module_name
from ..core.compile import Options, ToolEntry, losses_text
from ..output.manifest import is_inside, is_ours
from ..worker import Task


def misplaced(
    task: Task, entry: ToolEntry | None, outputs: Mapping[str, bytes], options: Options
) -> str | None:
    """Why these cannot be the outputs of `task`, or None if they can."""
    if task.kind == "type":
        if entry is not None:
            return "a shared type that says it is a tool"
        required = type_outputs(task.path)
        allowed = required
    else:
        if entry is None or not _is_entry(task, entry, options):
            return "a tool that is not the one that was asked for"
        required, allowed = tool_outputs(entry, options)
    found = outputs.keys()
    if not required <= found <= allowed:
        return "files that this unit does not have"
    if not all(is_inside(path) for path in found):
        return "a file outside the output folder"
    if not all(is_ours(content) for path, content in outputs.items() if path.endswith(".py")):
        return "a module without our mark"
    return None


def type_outputs(path: str) -> frozenset[str]:
    """All files of a shared type."""
    first, *rest = posixpath.splitext(path)[0].split("/")
    place = "/".join((first, *(identifier(part, "types") for part in rest)))
    return frozenset({f"{place}.py", f"contracts/{place}.json"})


def tool_outputs(entry: ToolEntry, options: Options) -> tuple[frozenset[str], frozenset[str]]:
    """The files that a tool must have, and those that it may have."""
    module, name = entry.module.replace(".", "/"), entry.name
    required = {
        f"{module}.py",
        f"contracts/{name}.json",
        *(f"schemas/{provider}/{name}.json" for provider in options.providers),
        *(f"models/{family}/{module}.py" for family in options.models),
    }
    ways = {f"ways/{provider}/{name}.json" for provider in options.providers}
    return frozenset(required), frozenset(required | ways)


def _is_entry(task: Task, entry: ToolEntry, options: Options) -> bool:
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
        and _is_ledger(entry, options)
    )


def _is_ledger(entry: ToolEntry, options: Options) -> bool:
    try:
        losses = entry.losses
    except msgspec.MsgspecError:
        return False
    return losses.keys() <= set(options.providers) and losses_text(losses) == entry.ledger
