"""A registry in agents of the OpenAI Agents SDK, with a model of their own kind."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import structs
from toolcast.runtime import ToolRegistry
from toolcast.runtime.middleware.policy import Policy

from generated.files.edit import EDIT
from generated.shell.bash import BashParams
from tests.agents.dispatch.answers import ANSWERS
from tests.agents.dispatch.test_clients import serving
from tests.bridges.conftest import BASHED, EDITED, PNG, Handlers, make

Load = Callable[[str], Any]
BADLY = '{"file_path": "/a", "old_string": "x", "new_string": "y", "replace_all": "yes"}'


class Library:
    def __init__(self, load: Load) -> None:
        self.bridge = load("toolcast.bridges.openai_agents")
        self.agents = load("agents")
        self.load = load
        self.agents.set_tracing_disabled(True)

    def model(self, *answers: Any) -> Any:
        """A model that gives these answers in turn, calls or text, and keeps what it got."""
        responses = self.load("openai.types.responses")
        items, usage = self.load("agents.items"), self.load("agents.usage").Usage
        given = iter(answers)

        class Scripted(self.load("agents.models.interface").Model):  # type: ignore[misc]
            def __init__(self) -> None:
                self.seen: list[tuple[Any, list[Any]]] = []

            async def get_response(self, *_: Any, **request: Any) -> Any:
                self.seen.append((request["input"], list(request["tools"])))
                answer = next(given)
                if isinstance(answer, str):
                    text = {"type": "output_text", "text": answer, "annotations": []}
                    output: list[Any] = [
                        responses.ResponseOutputMessage.model_validate(
                            {
                                "id": "m",
                                "type": "message",
                                "role": "assistant",
                                "status": "completed",
                                "content": [text],
                            }
                        )
                    ]
                else:
                    output = [
                        responses.ResponseFunctionToolCall(
                            type="function_call", call_id=f"c{number}", name=name,
                            arguments=args if isinstance(args, str) else json.dumps(args),
                        )
                        for number, (name, args) in enumerate(answer)
                    ]  # fmt: skip
                return items.ModelResponse(output=output, usage=usage(), response_id=None)

            def stream_response(self, *_: Any, **__: Any) -> Any:
                raise NotImplementedError

        return Scripted()

    def run(self, registry: Any, model: Any, start: Any = "go", **options: Any) -> Any:
        agent = self.agent(registry, model)
        return asyncio.run(self.agents.Runner.run(agent, start, **options))

    def agent(self, registry: Any, model: Any) -> Any:
        return self.agents.Agent(name="Tester", model=model, tools=self.bridge.function_tools(registry))

    def outputs(self, model: Any) -> list[Any]:
        return [item["output"] for item in model.seen[-1][0] if item.get("type") == "function_call_output"]


@pytest.fixture
def lib(framework: Load) -> Library:
    return Library(framework)


@pytest.mark.parametrize("provider", ["openai", "openai-responses"])
def test_the_official_client_sends_the_generated_definitions(
    provider: str, lib: Library, everything: ToolRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    final = json.dumps(ANSWERS[provider]([])).encode()
    models = {"openai": "OpenAIChatCompletionsModel", "openai-responses": "OpenAIResponsesModel"}
    with serving(final, "application/json") as served:
        client = lib.load("openai").AsyncOpenAI(base_url=served.url, api_key="k")
        model = getattr(lib.agents, models[provider])(model="gpt-5.4-mini", openai_client=client)
        agent = lib.agents.Agent(name="t", model=model, tools=lib.bridge.function_tools(everything, provider))
        asyncio.run(lib.agents.Runner.run(agent, "go"))
    for got, wanted in zip(served.requests[0]["tools"], everything.definition_objects(provider), strict=True):
        got, wanted = (each.get("function", each) for each in (got, wanted))
        for key in ("type", "output_schema"):
            wanted.pop(key, None)
        assert {key: got.get(key) for key in wanted} == wanted


def test_callers_and_deferral_reach_the_api(lib: Library, registry: ToolRegistry) -> None:
    own = registry.get("edit").binding
    stated = (
        b'{"type":"function","name":"edit","description":"Edits.","parameters":{},"strict":false,'
        b'"allowed_callers":["direct","programmatic"],"defer_loading":true}'
    )
    own._lazy.definitions["openai-responses", "full"] = stated
    try:
        tools = {each.name: each for each in lib.bridge.function_tools(registry)}
    finally:
        own._lazy.definitions.clear()
    assert (tools["edit"].allowed_callers, tools["edit"].defer_loading) == (["direct", "programmatic"], True)
    assert (tools["bash"].allowed_callers, tools["bash"].defer_loading) == (None, False)


def test_arguments_are_decoded_from_the_providers_form(
    lib: Library, registry: ToolRegistry, handlers: Handlers
) -> None:
    model = lib.model([("edit", EDITED), ("bash", BASHED)], "done")
    assert lib.run(registry, model, context="the context").final_output == "done"
    by_type = sorted(handlers.params, key=lambda params: type(params).__name__)
    assert by_type[0] == BashParams(command="make", env={"A": "1", "B": "2"})
    assert by_type[1] == EDIT.params(file_path="/a", old_string="x", new_string="y")
    context = handlers.contexts[0]
    assert (context.call_id, context.extra["run_context"].context) == ("c0", "the context")
    edited, bashed = lib.outputs(model)
    assert json.loads(edited) == {"replacements": 1, "snippet": "edited /a"}
    assert json.loads(bashed)["stdout"] == "out"


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("edit", BADLY, "`replace_all` must be a boolean, got a string"),
        ("edit", '{"file_path": ', "Invalid arguments for tool 'edit'"),
        (
            "file_read",
            '{"file_path": "/a", "line_range": null, "encoding": null}',
            "no such file; list the folder",
        ),
        ("web_fetch", '{"url": "https://a.example"}', ""),
    ],
)
def test_failures_are_text_for_the_model(
    name: str, arguments: str, words: str, lib: Library, registry: ToolRegistry
) -> None:
    model = lib.model([(name, arguments)], "done")
    assert lib.run(registry, model).final_output == "done"
    (output,) = lib.outputs(model)
    assert output.startswith("Error: ")
    assert words in output
    assert "/home/somebody" not in output


def test_content_is_sent_in_the_packages_types(lib: Library, registry: ToolRegistry) -> None:
    model = lib.model([("bash", {**BASHED, "command": "pictures"})], "done")
    lib.run(registry, model)
    ((text, image, audio, file),) = lib.outputs(model)
    assert text == {"type": "input_text", "text": "pieces"}
    assert image["type"] == "input_image"
    assert image["image_url"].startswith("data:image/png;base64,")
    assert "audio/wav, 4 bytes: left out" in audio["text"]
    assert (file["type"], file["filename"]) == ("input_file", "a.pdf")
    assert len(PNG) == 16


@pytest.mark.parametrize("approved", [True, False])
def test_a_policy_that_asks_interrupts_the_run(approved: bool, lib: Library, handlers: Handlers) -> None:
    registry = make(handlers, policy=Policy(auto_approve=["bash"]))
    model = lib.model([("edit", EDITED), ("bash", BASHED)], "done")
    agent = lib.agent(registry, model)
    first = asyncio.run(lib.agents.Runner.run(agent, "go"))
    (asked,) = first.interruptions
    assert asked.tool_name == "edit"
    assert [type(params) for params in handlers.params] in ([], [BashParams])
    state = first.to_state()
    (state.approve if approved else state.reject)(asked)
    second = asyncio.run(lib.agents.Runner.run(agent, state))
    assert second.final_output == "done"
    assert sum(isinstance(params, EDIT.params) for params in handlers.params) == approved


def test_arguments_that_do_not_fit_need_no_approval(lib: Library, handlers: Handlers) -> None:
    """Nobody is asked about a call that cannot run; the model reads why."""
    model = lib.model([("edit", BADLY)], "done")
    assert lib.run(make(handlers, policy=Policy()), model).final_output == "done"
    assert "must be a boolean" in lib.outputs(model)[0]


def test_an_approver_of_the_policy_is_asked_instead(lib: Library, handlers: Handlers) -> None:
    registry = make(handlers, policy=Policy(approver=lambda request: "no"))  # noqa: ARG005
    model = lib.model([("edit", EDITED)], "done")
    assert lib.run(registry, model).final_output == "done"
    assert "was not approved" in lib.outputs(model)[0]


def test_external_tools_are_left_out(
    lib: Library, registry: ToolRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    registry.replace(structs.replace(EDIT, external=True))
    made = lib.bridge.function_tools(registry, "openai")
    assert [tool.name for tool in made] == [name for name in registry.names if name != "edit"]
    assert "Tool 'edit' is not offered to the OpenAI Agents SDK: it is external" in caplog.text


def test_cancelling_the_run_cancels_the_handler(
    lib: Library, registry: ToolRegistry, handlers: Handlers
) -> None:
    properties = json.loads(registry.get("grep").binding.definition("openai"))["function"]["parameters"]
    arguments = {**dict.fromkeys(properties["properties"]), "pattern": "x"}

    async def main() -> None:
        agent = lib.agent(registry, lib.model([("grep", arguments)], "done"))
        running = asyncio.create_task(lib.agents.Runner.run(agent, "go"))
        await asyncio.wait_for(handlers.started.wait(), 60)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await asyncio.wait_for(handlers.cancelled.wait(), 60)

    asyncio.run(main())
