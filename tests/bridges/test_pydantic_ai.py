"""A registry in pydantic-ai's agents, with pydantic-ai's own test models and with official clients."""

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema
from msgspec import structs
from toolcast.providers import available
from toolcast.runtime import (
    ArgumentError,
    CallDeferred,
    Content,
    RetryError,
    ToolRegistry,
    ToolResult,
    UnknownProviderError,
)
from toolcast.runtime.middleware.policy import Policy

from generated.files.edit import EDIT
from generated.registry import BINDINGS
from generated.shell.bash import BashParams
from tests.agents.dispatch.answers import ANSWERS
from tests.agents.dispatch.test_clients import serving
from tests.bridges.conftest import BASHED, EDITED, PNG, Handlers, make

Load = Callable[[str], Any]


class Library:
    def __init__(self, load: Load) -> None:
        self.bridge = load("toolcast.bridges.pydantic_ai")
        self.ai = load("pydantic_ai")
        self.messages = load("pydantic_ai.messages")
        self.exceptions = load("pydantic_ai.exceptions")
        self.tools = load("pydantic_ai.tools")
        self.load = load

    def model(self, *answers: Any) -> Any:
        """A FunctionModel that gives these answers in turn, calls or text, and keeps what it got."""
        seen: list[Any] = []
        calls = iter(answers)

        def answer(messages: list[Any], info: Any) -> Any:
            seen.append((list(messages), info))
            given = next(calls)
            if isinstance(given, str):
                return self.messages.ModelResponse(parts=[self.messages.TextPart(given)])
            parts = [
                self.messages.ToolCallPart(name, args if isinstance(args, str) else dict(args), f"c{number}")
                for number, (name, args) in enumerate(given)
            ]
            return self.messages.ModelResponse(parts=parts)

        made = self.load("pydantic_ai.models.function").FunctionModel(answer)
        made.seen = seen
        return made

    def run(self, registry: Any, model: Any, provider: str = "openai", **options: Any) -> Any:
        toolset = self.bridge.RegistryToolset(registry, provider=provider)
        agent = self.ai.Agent(model, toolsets=[toolset], output_type=options.pop("output_type", str))
        return asyncio.run(agent.run(options.pop("prompt", "go"), **options))

    def returns(self, model: Any) -> list[Any]:
        kind = self.messages.ToolReturnPart
        return [part for part in model.seen[-1][0][-1].parts if isinstance(part, kind)]


@pytest.fixture
def lib(framework: Load) -> Library:
    return Library(framework)


def test_every_definition_arrives_as_generated(lib: Library, everything: ToolRegistry) -> None:
    model = lib.model("done")
    lib.run(everything, model)
    ((_, info),) = model.seen
    expected = {
        each["function"]["name"]: each["function"] for each in everything.definition_objects("openai")
    }
    assert [tool.name for tool in info.function_tools] == sorted(expected)
    for tool in info.function_tools:
        wanted = expected[tool.name]
        assert tool.parameters_json_schema == wanted["parameters"]
        assert (tool.description, tool.strict) == (wanted["description"], wanted["strict"])


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "anthropic"])
def test_the_official_client_sends_the_generated_schema(
    provider: str, lib: Library, everything: ToolRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The provider is that of the model, and pydantic-ai does not rewrite the schemas once more."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    final = json.dumps(ANSWERS[provider]([])).encode()
    with serving(final, "application/json") as served:
        if provider == "anthropic":
            client = lib.load("anthropic").AsyncAnthropic(base_url=served.url, api_key="k")
            providers, models = "pydantic_ai.providers.anthropic", "pydantic_ai.models.anthropic"
            api = lib.load(providers).AnthropicProvider(anthropic_client=client)
            make_model = lib.load(models).AnthropicModel
        else:
            client = lib.load("openai").AsyncOpenAI(base_url=served.url, api_key="k")
            api = lib.load("pydantic_ai.providers.openai").OpenAIProvider(openai_client=client)
            models = lib.load("pydantic_ai.models.openai")
            make_model = models.OpenAIChatModel if provider == "openai" else models.OpenAIResponsesModel
        model = make_model(
            "gpt-5.4" if "openai" in provider else "claude-sonnet-5-5",
            provider=api,
            profile=lib.bridge.exact_schemas,
        )
        agent = lib.ai.Agent(model, toolsets=[lib.bridge.RegistryToolset(everything)])
        # What is sent matters: Anthropic's answer would have to be a stream.
        with suppress(lib.exceptions.UnexpectedModelBehavior):
            asyncio.run(agent.run("go"))
    sent = served.requests[0]["tools"]
    for got, wanted in zip(sent, everything.definition_objects(provider), strict=True):
        got, wanted = (each.get("function", each) for each in (got, wanted))
        assert (got["name"], got["description"]) == (wanted["name"], wanted["description"])
        key = "input_schema" if provider == "anthropic" else "parameters"
        assert got[key] == wanted[key]
        assert bool(got.get("strict")) == bool(wanted.get("strict"))


def test_arguments_are_decoded_from_the_providers_form(
    lib: Library, registry: ToolRegistry, handlers: Handlers
) -> None:
    model = lib.model([("edit", EDITED), ("bash", json.dumps(BASHED))], "done")
    result = lib.run(registry, model, deps="the dependencies")
    assert result.output == "done"
    assert handlers.params[0] == EDIT.params(file_path="/a", old_string="x", new_string="y")
    assert handlers.params[1] == BashParams(command="make", env={"A": "1", "B": "2"})
    assert handlers.contexts[0].extra["deps"] == "the dependencies"
    assert handlers.contexts[0].call_id == "c0"
    edited, bashed = lib.returns(model)
    assert edited.content == {"replacements": 1, "snippet": "edited /a"}
    assert bashed.content["stdout"] == "out"
    assert json.loads(bashed.model_response_str()) == bashed.content
    assert {edited.outcome, bashed.outcome} == {"success"}


@pytest.mark.parametrize("form", [dict, json.dumps])
def test_wrong_arguments_are_a_retry_in_our_words(
    form: Any, lib: Library, registry: ToolRegistry, handlers: Handlers
) -> None:
    wrong = form({**EDITED, "replace_all": "yes"})
    model = lib.model([("edit", wrong)], [("edit", EDITED)], "done")
    lib.run(registry, model)
    text = model.seen[1][0][-1].parts[0].model_response_str()
    assert "`replace_all` must be a boolean, got a string" in text
    assert len(handlers.params) == 1
    with pytest.raises(lib.exceptions.UnexpectedModelBehavior):
        lib.run(registry, lib.model(*[[("edit", wrong)]] * 5))


def test_text_that_is_no_json_is_a_retry(lib: Library, registry: ToolRegistry) -> None:
    model = lib.model([("edit", '{"file_path": ')], "done")
    lib.run(registry, model)
    assert "Invalid arguments for tool 'edit'" in model.seen[1][0][-1].parts[0].model_response_str()


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        (
            "file_read",
            {"file_path": "/a", "line_range": None, "encoding": None},
            "no such file; list the folder",
        ),
        ("web_fetch", {"url": "https://a.example"}, "internal error KeyError"),
    ],
)
def test_failures_are_failed_results_and_no_retries(
    name: str, arguments: dict[str, Any], words: str, lib: Library, registry: ToolRegistry
) -> None:
    binding = registry.get(name).binding
    properties = json.loads(binding.definition("openai"))["function"]["parameters"]["properties"]
    sent = {**dict.fromkeys(properties), **arguments}
    model = lib.model(*[[(name, sent)]] * 4, "done")
    assert lib.run(registry, model).output == "done"
    (failed,) = lib.returns(model)
    assert words in failed.content
    assert failed.outcome == "failed"
    assert "/home/somebody" not in failed.content


def test_content_stays_content(lib: Library, registry: ToolRegistry) -> None:
    model = lib.model([("bash", {**BASHED, "command": "pictures"})], "done")
    lib.run(registry, model)
    (returned,) = lib.returns(model)
    text, image, audio, file = returned.content
    assert text == "pieces"
    assert (image.data, image.media_type) == (PNG, "image/png")
    assert (audio.media_type, file.media_type) == ("audio/wav", "application/pdf")


@pytest.mark.parametrize("approved", [True, False])
def test_a_policy_that_asks_defers_the_call(approved: bool, lib: Library, handlers: Handlers) -> None:
    registry = make(handlers, policy=Policy(auto_approve=["glob"]))
    model = lib.model([("edit", EDITED)], "done")
    kinds = [str, lib.tools.DeferredToolRequests]
    first = lib.run(registry, model, output_type=kinds)
    (asked,) = first.output.approvals
    assert (asked.tool_name, asked.args) == ("edit", EDITED)
    assert first.output.metadata[asked.tool_call_id]["permission"] == "write"
    assert not handlers.params
    answers = lib.tools.DeferredToolResults(approvals={asked.tool_call_id: approved})
    second = lib.run(
        registry, model, output_type=kinds, prompt=None,
        message_history=first.all_messages(), deferred_tool_results=answers,
    )  # fmt: skip
    assert second.output == "done"
    assert len(handlers.params) == approved


def test_an_approver_of_the_policy_is_asked_instead(lib: Library, handlers: Handlers) -> None:
    registry = make(handlers, policy=Policy(approver=lambda request: "yes"))  # noqa: ARG005
    assert lib.run(registry, lib.model([("edit", EDITED)], "done")).output == "done"
    assert len(handlers.params) == 1


def test_a_handler_may_defer_its_call(lib: Library, registry: ToolRegistry, handlers: Handlers) -> None:
    handlers.raises = lib.exceptions.CallDeferred(metadata={"ticket": 7})
    model = lib.model([("edit", EDITED)], "done")
    kinds = [str, lib.tools.DeferredToolRequests]
    first = lib.run(registry, model, output_type=kinds)
    (call,) = first.output.calls
    assert first.output.metadata[call.tool_call_id] == {"ticket": 7}
    answers = lib.tools.DeferredToolResults(calls={call.tool_call_id: "done elsewhere"})
    second = lib.run(
        registry, model, output_type=kinds, prompt=None,
        message_history=first.all_messages(), deferred_tool_results=answers,
    )  # fmt: skip
    assert second.output == "done"


def test_a_call_of_an_external_tool_is_deferred_once_the_policy_lets_it_run(lib: Library) -> None:
    registry = ToolRegistry(policy=Policy())
    registry.register(structs.replace(EDIT, external=True))
    model = lib.model([("edit", EDITED)], "done")
    kinds = [str, lib.tools.DeferredToolRequests]
    first = lib.run(registry, model, output_type=kinds)
    (asked,) = first.output.approvals
    approve = lib.tools.DeferredToolResults(approvals={asked.tool_call_id: True})
    history: dict[str, Any] = {"prompt": None, "message_history": first.all_messages()}
    second = lib.run(registry, model, output_type=kinds, deferred_tool_results=approve, **history)
    (call,) = second.output.calls
    assert (call.tool_name, second.output.approvals) == ("edit", [])
    assert "'edit'" in second.output.metadata[call.tool_call_id]["text"]
    answer = lib.tools.DeferredToolResults(calls={call.tool_call_id: "done elsewhere"})
    history["message_history"] = second.all_messages()
    third = lib.run(registry, model, output_type=kinds, deferred_tool_results=answer, **history)
    assert third.output == "done"
    assert lib.returns(model)[-1].content == "done elsewhere"


def test_a_handler_defers_its_call_in_our_words(
    lib: Library, registry: ToolRegistry, handlers: Handlers
) -> None:
    kinds = [str, lib.tools.DeferredToolRequests]
    handlers.raises = CallDeferred("job 7")
    first = lib.run(registry, lib.model([("edit", EDITED)]), output_type=kinds).output
    assert [first.metadata[call.tool_call_id] for call in first.calls] == [{"text": "job 7"}]
    handlers.raises = CallDeferred("for Ann", kind="approval")
    second = lib.run(registry, lib.model([("edit", EDITED)]), output_type=kinds).output
    assert [second.metadata[call.tool_call_id] for call in second.approvals] == [{"text": "for Ann"}]


def test_tools_that_run_alone(lib: Library, registry: ToolRegistry) -> None:
    registry.replace(structs.replace(EDIT, parallel=False), lambda params, context: "done")  # noqa: ARG005
    toolset = lib.bridge.RegistryToolset(registry, provider="openai", sequential=["glob"])
    definitions = toolset._definitions("openai")
    assert [name for name, each in definitions.items() if each.sequential] == ["edit", "glob"]


def test_a_handler_may_ask_for_a_retry(lib: Library, registry: ToolRegistry, handlers: Handlers) -> None:
    for handlers.raises in (lib.exceptions.ModelRetry("try /b"), RetryError("try /b")):
        handlers.contexts.clear()
        model = lib.model([("edit", EDITED)], [("edit", EDITED)])
        with pytest.raises(lib.exceptions.UnexpectedModelBehavior, match="max retries"):
            lib.run(registry, model)  # one retry, unless the program says otherwise
        assert "try /b" in model.seen[1][0][-1].parts[0].model_response_str()
        assert [context.attempt for context in handlers.contexts] == [1, 2]


def test_cancelling_the_run_cancels_the_handler(
    lib: Library, registry: ToolRegistry, handlers: Handlers
) -> None:
    properties = json.loads(registry.get("grep").binding.definition("openai"))["function"]["parameters"]
    arguments = {**dict.fromkeys(properties["properties"]), "pattern": "x"}

    async def main() -> None:
        agent = lib.ai.Agent(
            lib.model([("grep", arguments)], "done"),
            toolsets=[lib.bridge.RegistryToolset(registry, provider="openai")],
        )
        running = asyncio.create_task(agent.run("go"))
        await asyncio.wait_for(handlers.started.wait(), 60)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await asyncio.wait_for(handlers.cancelled.wait(), 60)

    asyncio.run(main())


def test_a_selection_follows_later_registrations(lib: Library, handlers: Handlers) -> None:
    registry = ToolRegistry()
    toolset = lib.bridge.RegistryToolset(
        registry.select(permission="write"), provider="openai", sequential=["edit"]
    )
    names = []
    model = lib.model("one", "two")
    agent = lib.ai.Agent(model, toolsets=[toolset])
    asyncio.run(agent.run("go"))
    registry.register(EDIT, handlers.edit)
    asyncio.run(agent.run("go"))
    names = [[(tool.name, tool.sequential) for tool in info.function_tools] for _, info in model.seen]
    assert names == [[], [("edit", True)]]


def test_the_test_model_calls_a_tool(lib: Library, registry: ToolRegistry, handlers: Handlers) -> None:
    model = lib.load("pydantic_ai.models.test").TestModel(call_tools=["edit"])
    agent = lib.ai.Agent(model, toolsets=[lib.bridge.RegistryToolset(registry)])
    assert "edited" in asyncio.run(agent.run("go")).output
    assert len(handlers.params) == 1


def test_a_function_model_gets_the_contract(lib: Library, registry: ToolRegistry) -> None:
    model = lib.model([("edit", EDITED)], "done")
    agent = lib.ai.Agent(model, toolsets=[lib.bridge.RegistryToolset(registry)])
    assert asyncio.run(agent.run("go")).output == "done"
    assert "edited" in str(lib.returns(model)[0].content)
    sent = {tool.name: tool.parameters_json_schema for tool in model.seen[0][1].function_tools}
    assert sent["edit"] == json.loads(registry.definitions("mcp"))[1]["inputSchema"]


def test_a_model_that_is_not_known_needs_a_provider(lib: Library, registry: ToolRegistry) -> None:
    with pytest.raises(lib.bridge.UnknownModelError, match=r"RegistryToolset\(registry, provider="):
        lib.bridge.provider_of(SimpleNamespace(system="acme"), registry)


def test_models_need_what_was_generated(lib: Library, registry: ToolRegistry) -> None:
    find = lib.bridge.provider_of
    openai = lib.load("pydantic_ai.models.openai")
    chat = openai.OpenAIChatModel(
        "m", provider=lib.load("pydantic_ai.providers.openai").OpenAIProvider(api_key="k")
    )
    azure = lib.load("pydantic_ai.providers.deepseek").DeepSeekProvider(api_key="k")
    anthropic = lib.load("pydantic_ai.models.anthropic").AnthropicModel(
        "claude-sonnet-5-5",
        provider=lib.load("pydantic_ai.providers.anthropic").AnthropicProvider(api_key="k"),
    )
    assert find(chat, registry) == "openai"
    assert find(openai.OpenAIChatModel("m", provider=azure), registry) == "openai"
    assert find(anthropic, registry) == "anthropic"
    wrapper = lib.load("pydantic_ai.models.wrapper").WrapperModel(anthropic)
    assert find(wrapper, registry) == "anthropic"
    fallback = lib.load("pydantic_ai.models.fallback").FallbackModel
    assert find(fallback(chat, chat), registry) == "openai"
    with pytest.raises(lib.bridge.UnknownModelError, match="anthropic, openai"):
        find(fallback(chat, anthropic), registry)


def test_a_provider_that_was_not_generated_is_told(lib: Library, registry: ToolRegistry) -> None:
    toolset = lib.bridge.RegistryToolset(registry, provider="groq")
    agent = lib.ai.Agent(lib.model("done"), toolsets=[toolset])
    with pytest.raises(UnknownProviderError, match="groq"):
        asyncio.run(agent.run("go"))


def test_a_text_result_with_typed_data_is_text(lib: Library) -> None:
    returned = lib.bridge._returned(ToolResult.ok("2 files", {"paths": ["/a"]}, (Content.of("more"),)))
    assert returned == ["2 files", "more"]


def test_google_models_get_the_schema_unchanged(lib: Library, everything: ToolRegistry) -> None:
    """With the profile; without it pydantic-ai drops what it holds to be unsupported."""
    google = lib.load("pydantic_ai.models.google").GoogleModel
    api = lib.load("pydantic_ai.providers.google").GoogleProvider(api_key="k")
    parameters = lib.load("pydantic_ai.models").ModelRequestParameters
    exact = google("gemini-3-pro", provider=api, profile=lib.bridge.exact_schemas)
    assert lib.bridge.provider_of(exact, everything) == "gemini"
    toolset = lib.bridge.RegistryToolset(everything)
    definitions = list(toolset._definitions("gemini").values())
    sent = exact.customize_request_parameters(parameters(function_tools=definitions)).function_tools
    wanted = [each.get("parameters") for each in everything.definition_objects("gemini")]
    assert [each.parameters_json_schema for each in sent] == wanted
    plain = google("gemini-3-pro", provider=api)
    rewritten = plain.customize_request_parameters(parameters(function_tools=definitions)).function_tools
    assert [each.parameters_json_schema for each in rewritten] != wanted
    # Schemas of other tools are rewritten as before.
    other = lib.tools.ToolDefinition(
        name="t", parameters_json_schema={"type": "object", "title": "T", "properties": {}}
    )
    asked = parameters(function_tools=[other])
    expected = plain.customize_request_parameters(asked).function_tools
    assert exact.customize_request_parameters(asked).function_tools == expected


def test_the_models_that_are_known_by_name_exist(lib: Library) -> None:
    """Their modules cannot all be imported: each needs its provider's client."""
    folder = Path(lib.ai.__file__).parent
    models = "\n".join(file.read_text("utf-8") for file in sorted((folder / "models").rglob("*.py")))
    providers = "\n".join(file.read_text("utf-8") for file in sorted((folder / "providers").glob("*.py")))
    for name in lib.bridge._BY_CLASS:
        assert re.search(rf"^class {name}\(", models, re.MULTILINE), name
    for system in lib.bridge._BY_SYSTEM:
        assert f"return '{system}'" in providers, system
    known = {
        each
        for wanted in (lib.bridge._BY_CLASS, lib.bridge._BY_SYSTEM)
        for row in wanted.values()
        for each in row
    }
    assert known <= set(available())


SCHEMAS = {
    name: json.loads(binding.definition("openai"))["function"]["parameters"]
    for name, binding in BINDINGS.items()
    if name in ("edit", "bash", "file_read", "memory_store")
}


@given(data=st.data())
def test_validated_arguments_decode_to_what_the_model_meant(lib: Library, data: Any) -> None:
    """The contract's form that pydantic-ai passes on has the same meaning as what the model sent."""
    name = data.draw(st.sampled_from(sorted(SCHEMAS)))
    sent = data.draw(from_schema(SCHEMAS[name]))
    binding, registry = BINDINGS[name], ToolRegistry()
    registry.register(binding, lambda params, context: "ok")  # noqa: ARG005
    validator = lib.bridge._Arguments(registry, name, "openai")
    try:
        wanted = binding.decode(sent, "openai")
    except ArgumentError:
        with pytest.raises(lib.exceptions.ModelRetry, match="Invalid arguments"):
            validator.validate_json(json.dumps(sent))
        return
    assert binding.decode(validator.validate_python(sent)) == wanted
    assert binding.decode(validator.validate_json(json.dumps(sent))) == wanted
