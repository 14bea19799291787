"""Registrations that type checkers must accept. Never run."""

# ruff: noqa: ARG001 - a handler's signature is fixed, whatever it uses

from typing import assert_type

from toolcast.runtime import ToolContext, ToolRegistry, ToolResult, adapt

from generated.files.edit import EDIT, EditParams, EditResult
from generated.registry import Handlers, Provider, register_all
from generated.web.http_request import (
    HTTP_REQUEST,
    HttpRequestBodyForm,
    HttpRequestBodyJson,
    HttpRequestBodyText,
)

registry = ToolRegistry()


def edit(params: EditParams, context: ToolContext) -> EditResult:
    assert_type(params.old_string, str)
    assert_type(params.replace_all, bool)
    return EditResult(replacements=1, snippet="")


async def awaited(params: EditParams, context: ToolContext) -> EditResult | ToolResult:
    return ToolResult.failed("no")


registry.register(EDIT, edit)
registry.register(EDIT, awaited)
registry.register(EDIT, adapt(edit, EDIT))


def register(handlers: Handlers) -> None:
    register_all(registry, **handlers)


assert_type(EDIT.decode("{}"), EditParams)
body = HTTP_REQUEST.decode("{}").body
assert_type(body, HttpRequestBodyJson | HttpRequestBodyForm | HttpRequestBodyText | None)
if isinstance(body, HttpRequestBodyForm):
    assert_type(body.fields, dict[str, str])
provider: Provider = "openai-responses"
registry.definitions(provider)
