"""What a tool's outputs are called: it follows from the spec's path and the tool's name."""

from ...python.bindings.render_module import ToolNames, keyword_of
from ...python.structs.python_names import class_name, constant_name, module_name
from ...spec.tool_names import group_of
from .compiled import ToolEntry


def names_of(name: str, group: str) -> ToolNames:
    """The names of a tool's module, binding and handler type."""
    folders = tuple(part.replace("-", "_") for part in group.split("/")) if group else ()
    return ToolNames(
        module=(*folders, module_name(name)),
        constant=constant_name(name),
        handler=class_name(name, "Handler"),
    )


def entry_of(path: str, name: str) -> ToolEntry:
    """The entry of the tool `name`, whose spec is at `path`: all that does not depend on the spec's text."""
    group = group_of(path)
    names = names_of(name, group)
    return ToolEntry(
        path=path,
        name=name,
        group=group,
        module=".".join(names.module),
        constant=names.constant,
        keyword=keyword_of(name),
        params=class_name(name, "Params"),
        handler=names.handler,
    )
