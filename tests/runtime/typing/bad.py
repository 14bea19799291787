"""Every handler that must be reported, on the lines marked so. Checked by mypy and pyright, never run."""

# ruff: noqa: ARG001, ARG002 - a handler's signature is fixed, whatever it uses

from toolcast.runtime import ToolContext, ToolRegistry, adapt

from tests.runtime.sample.files.edit import EDIT, EditParams, EditResult
from tests.runtime.sample.misc.note import NOTE, NoteParams


def wrong_params(params: NoteParams, context: ToolContext) -> str:
    return ""


async def wrong_params_awaited(params: NoteParams, context: ToolContext) -> str:
    return ""


def wrong_result(params: EditParams, context: ToolContext) -> int:
    return 1


async def wrong_result_awaited(params: EditParams, context: ToolContext) -> list[EditResult]:
    return []


def right(params: EditParams, context: ToolContext) -> str:
    return ""


def no_context(params: EditParams) -> str:
    return ""


def wants_more(params: EditParams, context: ToolContext, third: int) -> str:
    return ""


class WrongCallable:
    def __call__(self, params: str, context: ToolContext) -> str:
        return params


class NotCallable:
    pass


def a_result_too_many(params: NoteParams, context: ToolContext) -> EditResult:
    return EditResult(replaced=1)


registry = ToolRegistry()
registry.register(EDIT, wrong_params)  # report
registry.register(EDIT, wrong_params_awaited)  # report
registry.register(EDIT, wrong_result)  # report
registry.register(EDIT, wrong_result_awaited)  # report
registry.register(EDIT, no_context)  # report
registry.register(EDIT, wants_more)  # report
registry.register(EDIT, WrongCallable())  # report
registry.register(EDIT, WrongCallable)  # report
registry.register(EDIT, NotCallable())  # report
registry.register(NOTE, a_result_too_many)  # report
registry.register(EDIT, None)  # report
registry.register(EDIT, right, precheck=wrong_params)  # report
registry.register(EDIT, right, precheck=wrong_result)  # report
registry.replace(EDIT, right, precheck=no_context)  # report
registry.register(EDIT, adapt(no_context, NOTE))  # report
EDIT.name = "other"  # report
EDIT.definition("openai", "short")  # report
