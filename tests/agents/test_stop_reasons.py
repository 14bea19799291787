"""Why a run ends and what it used, with the official clients: scripted servers, whole answers and streams."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from toolcast.agents import Record, in_thread, run_tools
from toolcast.agents.usage import Usage
from toolcast.runtime import ToolRegistry, ToolResult

from tests.agents.dispatch.answers import ANSWERS, Asked, id_for
from tests.agents.dispatch.ends import ENDINGS, USAGE, Ending, streamed, whole
from tests.agents.dispatch.test_clients import CLIENTS, Ask, Served, on_the_wire, serving
from tests.agents.test_loop import record_in
from tests.agents.test_streamed_clients import user
from tests.clients.conftest import Client, client
from tests.runtime.sample.files.edit import EDIT

__all__ = ["client"]

RUNS = [(format, stream) for format in CLIENTS for stream in (False, True)]
CALLING = {"openai": "tool_calls", "mistral": "tool_calls", "anthropic": "tool_use", "bedrock": "tool_use"}
CALLING |= {"cohere": "TOOL_CALL"}


def complete(format: str) -> Ending:
    return next(each for each in ENDINGS if each.format == format)


def calling(format: str) -> Ending:
    return Ending(format, CALLING.get(format, complete(format).word), "complete")


def body(ending: Ending, stream: bool, calls: list[Asked] | None = None) -> bytes:
    if stream:
        return on_the_wire(ending.format, list(streamed(ending, calls)))[0]
    return json.dumps(whole(ending, calls)).encode()


def kind(format: str, stream: bool) -> str:
    return on_the_wire(format, [])[1] if stream else "application/json"


def asked(format: str) -> list[Asked]:
    text = json.dumps({"file_path": "/a", "old_string": "a", "new_string": "b"})
    return [Asked(id_for(format, 0), "edit", text)]


def registry() -> ToolRegistry:
    made = ToolRegistry()
    made.register(EDIT, lambda params, _: ToolResult.ok(f"edited {params.file_path}"))
    return made


class Scripted:
    """A client, and a server whose answers a test writes down."""

    def __init__(self, served: Served, ask: Ask, format: str, stream: bool) -> None:
        self._served, self._ask, self.format, self._stream = served, ask, format, stream

    def run(self, *answers: tuple[Ending, list[Asked] | None], **options: Any) -> Record:
        """A run in which the server gives these answers."""
        self._served.later = [body(ending, self._stream, calls) for ending, calls in answers]
        self._served.requests.clear()

        async def model(messages: list[Any], _: bytes) -> Any:
            answer = self._ask(messages, self._stream)
            return in_thread(answer) if self._stream else answer

        record = asyncio.run(
            run_tools(
                model, registry(), [user(self.format)], format=self.format, provider="openai", **options
            )
        )
        assert self._served.later == []
        used = [Usage(**USAGE[self.format][1])] * len(record.rounds)
        assert record.usage == sum(used, Usage())
        assert [each.usage for each in record.rounds] == used
        return record

    @property
    def requests(self) -> list[Any]:
        """What the server got."""
        return self._served.requests


@pytest.fixture(scope="module", params=RUNS, ids=lambda run: f"{run[0]}-{'stream' if run[1] else 'whole'}")
def scripted(request: pytest.FixtureRequest, client: Client) -> Iterator[Scripted]:
    format, stream = request.param
    with serving(b"", kind(format, stream)) as served:
        yield Scripted(served, CLIENTS[format](client, served.url), format, stream)


def of(format: str, *reasons: str) -> list[Ending]:
    return [each for each in ENDINGS if each.format == format and each.reason in reasons]


def test_an_answer_that_ends_the_run(scripted: Scripted) -> None:
    format = scripted.format
    found = of(format, "complete", "refusal", "filtered", "cut", "provider_error")
    assert len(found) > 1
    for ending in found:
        record = scripted.run((ending, None))
        assert record.stopped == ("answer" if ending.reason == "complete" else ending.reason), ending
        assert record.detail.startswith(ending.detail), ending
        assert len(record.rounds) == 1


def test_calls_of_an_answer_that_is_withheld(scripted: Scripted) -> None:
    """They are in the record, they are answered, and they did not run."""
    format = scripted.format
    for ending in of(format, "refusal", "filtered", "provider_error"):
        if ending.word in ("a refusal", "a blocked prompt"):
            continue  # there is no call beside them
        record = scripted.run((ending, asked(format)))
        assert record.stopped == ending.reason, ending
        [call] = record.calls
        assert (call.name, call.executed) == ("edit", False)
        assert "Nothing was done for this call" in call.result.error
        assert "Nothing was done for this call" in json.dumps(record.messages)


def test_a_paused_turn_goes_on(scripted: Scripted) -> None:
    format = scripted.format
    for ending in of(format, "paused"):
        record = scripted.run((ending, None), (calling(format), asked(format)), (complete(format), None))
        assert (record.stopped, len(record.rounds), len(record.calls)) == ("answer", 3, 1)
        if format == "anthropic":  # the turn goes back as it is
            sent = scripted.requests[1]["messages"]
            assert [message["role"] for message in sent] == ["user", "assistant"]
            assert sent[1]["content"] == whole(ending)["content"]
        record = scripted.run((ending, None), (ending, None), max_rounds=2)
        assert (record.stopped, len(record.rounds)) == ("paused", 2)


def test_a_malformed_call_is_told_to_the_model_and_retried_once(scripted: Scripted) -> None:
    format = scripted.format
    for ending in of(format, "malformed_call"):
        record = scripted.run((ending, None), (calling(format), asked(format)), (complete(format), None))
        assert (record.stopped, len(record.calls)) == ("answer", 1)
        assert record.calls[0].result.output == "edited /a"
        assert "could not be read, and nothing was done" in json.dumps(scripted.requests[1])
        record = scripted.run((ending, None), (ending, None))
        assert (record.stopped, len(record.rounds)) == ("malformed_call", 2)
        # Google's client for the Developer API drops the message beside the reason.
        assert record.detail.startswith(ending.word)
        if format == "bedrock":  # roles alternate, and a call that is there is answered itself
            roles = [message["role"] for message in scripted.requests[1]["messages"]]
            assert roles == ["user", "assistant", "user"]
            record = scripted.run((ending, asked(format)), (ending, asked(format)))
            assert (record.stopped, len(record.rounds)) == ("malformed_call", 2)
            assert "Nothing was done" in json.dumps(scripted.requests[1])
            assert "could not be read, and nothing was done" not in json.dumps(scripted.requests[1])


def test_a_round_of_calls(scripted: Scripted) -> None:
    format = scripted.format
    record = scripted.run((calling(format), asked(format)), (complete(format), None))
    assert (record.stopped, len(record.rounds), len(record.calls)) == ("answer", 2, 1)
    assert "edited /a" in json.dumps(scripted.requests[1])


AZURE = {
    "message": "The response was filtered due to the prompt triggering Azure's content management policy.",
    "type": None,
    "param": "prompt",
    "status": 400,
    "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {}},
}


@pytest.mark.parametrize(("code", "stopped"), [("content_filter", "filtered"), ("bad", "provider_error")])
def test_a_prompt_that_azure_withholds(code: str, stopped: str, client: Client) -> None:
    """It is an error of the request there: what the client raises passes through, and has the record."""
    openai = client("openai")
    with serving(json.dumps({"error": {**AZURE, "code": code}}).encode(), "application/json") as served:
        served.status = 400
        made = openai.AzureOpenAI(azure_endpoint=served.url, api_key="k", api_version="v", max_retries=0)

        async def model(messages: list[Any], _: bytes) -> Any:
            return made.chat.completions.create(model="m", messages=messages)

        run = run_tools(model, registry(), [user("openai")], format="azure-openai", provider="openai")
        with pytest.raises(openai.BadRequestError) as raised:
            asyncio.run(run)
    record = record_in(raised)
    assert (record.stopped, record.messages) == (stopped, (user("openai"),))
    assert "content management policy" in record.detail


def test_every_provider_is_here() -> None:
    assert CLIENTS.keys() == ANSWERS.keys() == USAGE.keys()
    reasons = {each.reason for each in ENDINGS}
    assert reasons == {
        *("complete", "refusal", "paused", "filtered", "malformed_call", "cut", "provider_error"),
    }
