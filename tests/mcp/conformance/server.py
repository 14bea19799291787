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
from toolcast.mcp import HttpOptions, Prompts, Replay, Resources, Tasks, mcp_server, serve_http
from toolcast.project.core.compiled import Options
from toolcast.runtime import Content, RefusalError, ToolContext, ToolRegistry, ToolResult

from tests.mcp.conformance import task_tools
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


async def missing_capability(params: Any, context: ToolContext) -> ToolResult:
    return text((await context.sample("Hello?", max_tokens=10)).text)


class Name(Struct):
    name: str


class Colour(Struct):
    color: str


class Confirmed(Struct):
    ok: bool


async def input_elicitation(params: Any, context: ToolContext) -> ToolResult:
    answer = await context.ask("What is your name?", Name, key="user_name")
    return text(f"Hello, {answer.data and answer.data.name}!")


async def input_sampling(params: Any, context: ToolContext) -> ToolResult:
    answer = await context.sample("What is the capital of France?", max_tokens=100, key="capital_question")
    return text(answer.text)


async def input_roots(params: Any, context: ToolContext) -> ToolResult:
    roots = await context.roots(key="client_roots")
    return text(f"Roots: {', '.join(root.uri for root in roots)}")


async def input_state(params: Any, context: ToolContext) -> ToolResult:
    answer = await context.ask("Please confirm.", Confirmed, key="confirm")
    return text(f"state-ok {answer.action}")


async def input_several(params: Any, context: ToolContext) -> ToolResult:
    answers = await asyncio.gather(
        context.ask("What is your name?", Name, key="user_name"),
        context.sample("Generate a greeting", max_tokens=50, key="greeting"),
        context.roots(key="client_roots"),
    )
    return text(f"{answers}")


async def input_rounds(params: Any, context: ToolContext) -> ToolResult:
    first = await context.ask("Step 1: What is your name?", Name, key="step1")
    second = await context.ask("Step 2: What is your favorite color?", Colour, key="step2")
    return text(f"{first.data} {second.data}")


async def input_by_capabilities(params: Any, context: ToolContext) -> ToolResult:
    asked: list[Any] = []
    if context.can_ask:
        asked.append(context.ask("What is your name?", Name, key="user_name"))
    if context.can_sample:
        asked.append(context.sample("Generate a greeting", max_tokens=50, key="greeting"))
    return text(f"{await asyncio.gather(*asked)}")


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
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
HEADERS = {
    "type": "object",
    "properties": {"region": {"type": "string", "description": "A region.", "x-mcp-header": "Region"}},
    "required": ["region"],
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
    "test_missing_capability": (NOTHING, missing_capability),
    "test_streaming_elicitation": (NOTHING, input_elicitation),
    "test_logging_tool": (NOTHING, with_logging),
    "test_custom_header": (HEADERS, simple_text),
    "test_input_required_result_elicitation": (NOTHING, input_elicitation),
    "test_input_required_result_sampling": (NOTHING, input_sampling),
    "test_input_required_result_list_roots": (NOTHING, input_roots),
    "test_input_required_result_request_state": (NOTHING, input_state),
    "test_input_required_result_multiple_inputs": (NOTHING, input_several),
    "test_input_required_result_multi_round": (NOTHING, input_rounds),
    "test_input_required_result_tampered_state": (NOTHING, input_state),
    "test_input_required_result_capabilities": (NOTHING, input_by_capabilities),
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


class Context(Struct):
    context: str


async def asking_prompt(context: ToolContext) -> str:
    answer = await context.ask("What context should the prompt use?", Context, key="user_context")
    return f"Use this context: {answer.data and answer.data.context}"


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
    made.add("test_input_required_result_prompt", asking_prompt, description="It asks.")
    return made


ADDED = tuple(f"test_added_{number}" for number in range(8))
"""Tools that come one by one: the suite triggers a change four times."""
TRIGGERS = ("test_trigger_tool_change", "test_trigger_prompt_change")


def changing(registry: ToolRegistry, added: list[Any], prompts: Prompts) -> tuple[Callable[..., Any], ...]:
    """The handlers of `TRIGGERS`, which change what the server offers."""

    async def change_tools(params: Any, context: ToolContext) -> ToolResult:
        registry.register(added.pop(), simple_text)
        return text("The tools changed.")

    async def change_prompts(params: Any, context: ToolContext) -> ToolResult:
        prompts.add(f"test_added_{len(prompts.prompts)}", "A later prompt.", description="It came later.")
        return text("The prompts changed.")

    return change_tools, change_prompts


async def main() -> None:
    parameters = {name: stated for name, (stated, _) in TOOLS.items()}
    parameters |= dict.fromkeys((*ADDED, *TRIGGERS), NOTHING)
    specs = {f"{name}.yaml": spec(dict(stated)) for name, stated in parameters.items()}
    for name, (stated, support, _) in task_tools.TOOLS.items():
        specs[f"{name}.yaml"] = spec(dict(stated), execution={"task_support": support})
    with package(specs, options=Options(providers=("mcp",))) as bindings:
        registry, prompts = ToolRegistry(), offered_prompts()
        for name, (_, handler) in TOOLS.items():
            registry.register(bindings[name], handler)
        for name, (_, _, handler) in task_tools.TOOLS.items():
            registry.register(bindings[name], handler)
        changes = changing(registry, [bindings[name] for name in ADDED], prompts)
        for name, handler in zip(TRIGGERS, changes, strict=True):
            registry.register(bindings[name], handler)
        server = mcp_server(
            registry,
            name="toolcast-conformance",
            version="1",
            resources=offered_resources(),
            prompts=prompts,
            tasks=Tasks(None),
        )
        options = HttpOptions(replay=Replay(retry=300, stream_seconds=0.5))
        await serve_http(server, "127.0.0.1", 0, options)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(main())
