"""A program whose registry has what the conformance suite of MCP asks servers for; serves it on a free port.

    python -m tests.mcp.conformance.server

The names of tools, and what they answer, are the suite's (`@modelcontextprotocol/conformance`).
"""

# ruff: noqa: ARG001 - a handler's signature is fixed, whatever it uses

import asyncio
import base64
import json
import logging
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, to_builtins
from toolcast.mcp import HttpOptions, Prompts, Replay, Resources, mcp_server, serve_http
from toolcast.project.core.compiled import Options
from toolcast.runtime import Content, RefusalError, ToolContext, ToolRegistry, ToolResult

from tests.python.compiled import package, spec

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
WAV = base64.b64decode("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=")


def text(answer: str) -> ToolResult:
    return ToolResult.ok(answer)


async def simple_text(params: Any, context: ToolContext) -> ToolResult:
    return text("This is a simple text response for testing.")


async def image(params: Any, context: ToolContext) -> ToolResult:
    return ToolResult.ok("", content=(Content.image(PNG, "image/png"),))


async def audio(params: Any, context: ToolContext) -> ToolResult:
    return ToolResult.ok("", content=(Content.audio(WAV, "audio/wav"),))


async def embedded(params: Any, context: ToolContext) -> ToolResult:
    resource = Content.resource("test://embedded-resource", "This is an embedded resource content.")
    return ToolResult.ok("", content=(resource,))


async def mixed(params: Any, context: ToolContext) -> ToolResult:
    resource = Content.resource(
        "test://mixed-content-resource", '{"test":"data","value":123}', "application/json"
    )
    content = (Content.image(PNG, "image/png"), resource)
    return ToolResult.ok("Multiple content types test:", content=content)


async def with_logging(params: Any, context: ToolContext) -> ToolResult:
    for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        context.log("info", message)
        await asyncio.sleep(0.05)
    return text("Three messages were logged.")


async def failing(params: Any, context: ToolContext) -> ToolResult:
    raise RefusalError("This tool intentionally returns an error for testing")


async def with_progress(params: Any, context: ToolContext) -> ToolResult:
    for done in (0, 50, 100):
        context.progress(done, 100, f"Completed step {done} of 100")
        await asyncio.sleep(0.05)
    return text("Progress was reported.")


async def sampling(params: Any, context: ToolContext) -> ToolResult:
    answer = await context.sample(params.prompt, max_tokens=100)
    return text(f"LLM response: {answer.text}")


class Person(Struct):
    username: Annotated[str, Meta(description="User's response")]
    email: Annotated[str, Meta(description="User's email address")]


async def elicitation(params: Any, context: ToolContext) -> ToolResult:
    answer = await context.ask(params.message, Person)
    return text(f"User response: {to_builtins(answer)}")


class Status(Enum):
    ACTIVE = "active"
    INACTIVE = "inactive"
    PENDING = "pending"


class Defaults(Struct):
    name: str = "John Doe"
    age: int = 30
    score: float = 95.5
    status: Status = Status.ACTIVE
    verified: bool = True


async def defaults(params: Any, context: ToolContext) -> ToolResult:
    answer = await context.ask("Please review the defaults.", Defaults)
    return text(f"Elicitation completed: {to_builtins(answer)}")


def titled(name: str, *titles: str) -> dict[str, Any]:
    """Choices with titles, as SEP-1330 has them."""
    return {name: [{"const": f"value{n}", "title": title} for n, title in enumerate(titles, 1)]}


Options3 = Literal["option1", "option2", "option3"]
Values3 = Literal["value1", "value2", "value3"]


class Choices(Struct):
    untitledSingle: Options3  # noqa: N815 - the suite's names
    titledSingle: Annotated[  # noqa: N815
        Values3, Meta(extra_json_schema=titled("oneOf", "First Option", "Second Option", "Third Option"))
    ]
    legacyEnum: Annotated[  # noqa: N815
        Literal["opt1", "opt2", "opt3"],
        Meta(extra_json_schema={"enumNames": ["Option One", "Option Two", "Option Three"]}),
    ]
    untitledMulti: list[Options3]  # noqa: N815
    titledMulti: list[  # noqa: N815
        Annotated[
            Values3, Meta(extra_json_schema=titled("anyOf", "First Choice", "Second Choice", "Third Choice"))
        ]
    ]


async def choices(params: Any, context: ToolContext) -> ToolResult:
    answer = await context.ask("Please choose.", Choices)
    return text(f"Elicitation completed: {to_builtins(answer)}")


async def reconnection(params: Any, context: ToolContext) -> ToolResult:
    """Runs until its stream was closed: `stream_seconds`."""
    await asyncio.sleep(1.0)
    return text("The client came back for this.")


NOTHING: Mapping[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}


def one(name: str) -> dict[str, Any]:
    properties = {name: {"type": "string", "description": f"The {name}."}}
    return {"type": "object", "properties": properties, "required": [name], "additionalProperties": False}


DIALECT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}
TOOLS: Mapping[str, tuple[Mapping[str, Any], Callable[..., Any]]] = {
    "test_simple_text": (NOTHING, simple_text),
    "test_image_content": (NOTHING, image),
    "test_audio_content": (NOTHING, audio),
    "test_embedded_resource": (NOTHING, embedded),
    "test_multiple_content_types": (NOTHING, mixed),
    "test_tool_with_logging": (NOTHING, with_logging),
    "test_error_handling": (NOTHING, failing),
    "test_tool_with_progress": (NOTHING, with_progress),
    "test_sampling": (one("prompt"), sampling),
    "test_elicitation": (one("message"), elicitation),
    "test_elicitation_sep1034_defaults": (NOTHING, defaults),
    "test_elicitation_sep1330_enums": (NOTHING, choices),
    "test_reconnection": (NOTHING, reconnection),
    "json_schema_2020_12_tool": (DIALECT, simple_text),
}


async def template_data(params: Any, context: ToolContext) -> str:
    found = {"id": params.id, "templateTest": True, "data": f"Data for ID: {params.id}"}
    return json.dumps(found)


class Id(Struct):
    id: str


class Two(Struct):
    arg1: Annotated[str, Meta(description="First test argument")]
    arg2: Annotated[str, Meta(description="Second test argument")]


class Embedded(Struct):
    resourceUri: Annotated[str, Meta(description="URI of the resource to embed")]  # noqa: N815


def with_arguments(params: Two, context: ToolContext) -> str:
    return f"Prompt with arguments: arg1='{params.arg1}', arg2='{params.arg2}'"


def with_resource(params: Embedded, context: ToolContext) -> list[str | Content]:
    content = Content.resource(params.resourceUri, "Embedded resource content for testing.")
    return [content, "Please process the embedded resource above."]


def beginning_with(start: str, _known: Mapping[str, str]) -> list[str]:
    return [word for word in ("paris", "park", "party") if word.startswith(start)]


def offered_resources() -> Resources:
    made = Resources()
    made.add(
        "test://static-text",
        "This is the content of the static text resource.",
        description="A text.",
        media_type="text/plain",
    )
    made.add("test://static-binary", PNG, description="An image.", media_type="image/png")
    made.add("test://watched-resource", "It may change.", description="What clients subscribe to.")
    made.add_template(
        "test://template/{id}/data", template_data, Id, description="Data.", media_type="application/json"
    )
    return made


def offered_prompts() -> Prompts:
    made = Prompts()
    made.add("test_simple_prompt", "This is a simple prompt for testing.", description="A prompt.")
    made.add(
        "test_prompt_with_arguments",
        with_arguments,
        Two,
        description="Two arguments.",
        complete={"arg1": beginning_with},
    )
    made.add("test_prompt_with_embedded_resource", with_resource, Embedded, description="A resource.")
    image_first = [Content.image(PNG, "image/png"), "Please analyze the image above."]
    made.add("test_prompt_with_image", image_first, description="An image.")
    return made


async def main() -> None:
    specs = {f"{name}.yaml": spec(dict(parameters)) for name, (parameters, _) in TOOLS.items()}
    with package(specs, options=Options(providers=("mcp",))) as bindings:
        registry = ToolRegistry()
        for name, (_, handler) in TOOLS.items():
            registry.register(bindings[name], handler)
        server = mcp_server(
            registry,
            name="toolcast-conformance",
            version="1",
            resources=offered_resources(),
            prompts=offered_prompts(),
        )
        options = HttpOptions(replay=Replay(retry=300, stream_seconds=0.5))
        await serve_http(server, "127.0.0.1", 0, options)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(main())
