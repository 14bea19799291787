"""Every wrong registration, marked at the line that type checkers must report. Never run."""

# ruff: noqa: ARG001 - a handler's signature is fixed, whatever it uses

from toolcast.runtime import ToolContext, ToolRegistry

from generated.files.edit import EDIT, EditParams, EditResult
from generated.files.glob import GlobParams, GlobResult
from generated.registry import BINDINGS, Provider, register_all

registry = ToolRegistry()


def edit(params: EditParams, context: ToolContext) -> EditResult:
    return EditResult(replacements=1, snippet="")


def wrong_parameters(params: GlobParams, context: ToolContext) -> EditResult:
    return EditResult(replacements=1, snippet="")


def wrong_result(params: EditParams, context: ToolContext) -> GlobResult:
    return GlobResult(paths=[], total=0)


async def wrong_awaited(params: EditParams, context: ToolContext) -> int:
    return 1


def no_context(params: EditParams) -> EditResult:
    return EditResult(replacements=1, snippet="")


register_all(registry, edit=edit)  # report
registry.register(EDIT, wrong_parameters)  # report
registry.register(EDIT, wrong_result)  # report
registry.register(EDIT, wrong_awaited)  # report
registry.register(EDIT, no_context)  # report
register_all(registry, edits=edit)  # report
registry.register(EDIT, "edit")  # report
BINDINGS["edit"] = BINDINGS["glob"]  # report
EditParams(file_path="a", old_string="b")  # report
edit(EditParams(file_path="a", old_string="b", new_string=1), ToolContext())  # report
EditParams(file_path="a", old_string="b", new_string="c").file_path = "d"  # report
print(EditParams(file_path="a", old_string="b", new_string="c").no_such_field)  # report
misspelt_provider: Provider = "opnai"  # report
