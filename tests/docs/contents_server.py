"""A FastMCP server of 14 tools with images, contexts and unions, for `test_tutorials.py`."""

import base64
from uuid import UUID

from fastmcp import Context, FastMCP
from fastmcp.dependencies import Depends
from fastmcp.exceptions import ToolError
from fastmcp.server.dependencies import get_context
from fastmcp.tools import ToolResult
from fastmcp.utilities.types import Audio, File, Image
from mcp.types import EmbeddedResource, TextContent, TextResourceContents
from pydantic import BaseModel

mcp = FastMCP("contents")
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Form(BaseModel):
    name: str
    sides: int = 3


def request_known() -> bool:
    return bool(get_context().request_id)


@mcp.tool
def image() -> Image:
    return Image(data=PIXEL, format="png")


@mcp.tool
def pictures() -> list[str | Image]:
    return ["two", Image(data=PIXEL, format="png"), "more"]


@mcp.tool
def sound() -> Audio:
    return Audio(data=b"abc", format="wav")


@mcp.tool
def document(text: bool = False) -> File:
    return File(data=b"abc", format="plain" if text else "pdf", name="paper")


@mcp.tool
def resource() -> EmbeddedResource:
    contents = TextResourceContents(uri="file:///x.md", text="# X", mime_type="text/markdown")
    return EmbeddedResource(type="resource", resource=contents)


@mcp.tool
def whole(fails: bool = False) -> ToolResult:
    content = [TextContent(type="text", text="hi"), TextContent(type="text", text="again")]
    return ToolResult(content=content, structured_content=None if fails else {"a": None}, is_error=fails)


@mcp.tool(
    output_schema={"type": "object", "properties": {"a": {"type": ["integer", "null"], "default": None}}}
)
def stated() -> ToolResult:
    return ToolResult(content="hi", structured_content={"a": None, "b": []})


@mcp.tool
def kind(id: int | str | UUID) -> str:
    return f"{type(id).__name__} {id}"


@mcp.tool
async def report(a: int, ctx: Context) -> str:
    await ctx.report_progress(1, 2, "half")
    await ctx.info("hello", extra={"a": a})
    return f"{a} {ctx.client_id} {bool(ctx.session_id)} {bool(ctx.request_id)}"


@mcp.tool
async def ask(ctx: Context) -> str:
    answer = await ctx.elicit("Which?", Form)
    return f"{answer.action} {getattr(answer, 'data', None)}"


@mcp.tool
async def choose(ctx: Context) -> str:
    answer = await ctx.elicit("Which?", ["a", "b"])
    return f"{answer.action} {getattr(answer, 'data', None)}"


@mcp.tool
async def remember(ctx: Context) -> int:
    count = await ctx.get_state("count") or 0
    await ctx.set_state("count", count + 1)
    return count


@mcp.tool
def depends(a: int, known: bool = Depends(request_known)) -> str:
    return f"{a} {known}"


@mcp.tool
def refuse() -> str:
    raise ToolError("not today")
