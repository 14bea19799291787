"""Why an answer ended, and what it used: of dicts, JSON text, clients' objects and streams."""

import json
import typing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.dispatch import AnswerEnd, Assembler, DispatchError, parse, read_end, read_usage
from toolcast.agents.dispatch.wire_formats import FORMATS
from toolcast.agents.usage import Usage

from tests.agents.dispatch.answers import ANSWERS, Asked, id_for
from tests.agents.dispatch.ends import ENDINGS, USAGE, WHERE, Ending, streamed, whole
from tests.agents.dispatch.judges import as_event, as_object
from tests.clients.conftest import Client

BY_NAME = pytest.mark.parametrize("ending", ENDINGS, ids=str)


def check(ending: Ending, answer: Any) -> None:
    end = read_end(answer, ending.format)
    assert end.reason == ending.reason
    assert end.detail.startswith(ending.detail)
    assert bool(end.detail) == bool(ending.detail)
    assert read_usage(answer, ending.format) == Usage(**USAGE[ending.format][1])


@BY_NAME
def test_an_answer(ending: Ending, client: Client) -> None:
    answer = whole(ending)
    check(ending, answer)
    check(ending, json.dumps(answer))
    check(ending, as_object(ending.format, answer, client))


@BY_NAME
def test_a_streamed_answer(ending: Ending, client: Client) -> None:
    for read in (lambda event: event, lambda event: as_event(ending.format, event, client)):
        stream = Assembler(ending.format)
        for event in streamed(ending):
            stream.feed(read(event))
        assert stream.complete
        check(ending, stream.response())


WITHOUT_PARTS = ("a blocked prompt", "MALFORMED_FUNCTION_CALL")


@pytest.mark.parametrize("ending", [each for each in ENDINGS if each.word not in WITHOUT_PARTS], ids=str)
def test_calls_of_an_answer_that_ended_early(ending: Ending) -> None:
    """A cut answer has one call that may be cut; what is withheld or malformed has none to rely on."""
    asked = [Asked(id_for(ending.format, i), "edit", "{}") for i in range(2)]
    cut = [call.cut for call in parse(whole(ending, asked), ending.format)]
    # A refusal in words is the model's own: its answer is whole.
    if ending.reason in ("complete", "paused") or ending.word == "a refusal":
        assert cut == [False, False]
    elif ending.reason == "cut":
        assert cut[0] is False
    else:
        assert cut == [True, True]


def values_of(kind: Any) -> set[str]:
    """The values of an enum, or of the literals in a type."""
    if hasattr(kind, "__members__"):
        return {member.value for member in kind}
    if typing.get_origin(kind) is typing.Literal:
        return set(typing.get_args(kind))
    return {value for part in typing.get_args(kind) for value in values_of(part)}


def field(kind: Any, name: str) -> Any:
    return kind.model_fields[name].annotation


def test_every_reason_of_the_clients_is_classed(client: Client) -> None:
    chat = client("openai.types.chat.chat_completion")
    responses = client("openai.types.responses.response")
    mistral = client("mistralai.client.models")
    session = client("botocore.session").get_session()
    bedrock = session.get_service_model("bedrock-runtime").shape_for("StopReason").enum
    wanted = {
        "openai": values_of(field(chat.Choice, "finish_reason")),
        "openai-responses": values_of(client("openai.types.responses").ResponseStatus)
        | values_of(field(responses.IncompleteDetails, "reason")),
        "anthropic": values_of(client("anthropic.types").StopReason)
        | values_of(client("anthropic.types.beta").BetaStopReason),
        "gemini": values_of(client("google.genai.types").FinishReason),
        "bedrock": set(bedrock),
        "mistral": values_of(field(mistral.ChatCompletionChoice, "finish_reason"))
        | values_of(field(mistral.CompletionResponseStreamChoice, "finish_reason")),
        "cohere": values_of(client("cohere.types.chat_finish_reason").ChatFinishReason),
    }
    for format, words in wanted.items():
        assert len(words) > 3, format
        assert words - FORMATS[format].ends.keys() == set(), format
        for word in FORMATS[format].ends.keys() - words:
            # What only other servers of the format send.
            assert (format, word) in {
                ("openai", "error"),
                ("openai", "abort"),
                ("openai", "insufficient_system_resource"),
            }
    codes = values_of(field(client("openai.types.responses").ResponseError, "code"))
    assert FORMATS["openai-responses"].error_ends.keys() <= codes


def test_every_reason_to_block_a_prompt(client: Client) -> None:
    for reason in values_of(client("google.genai.types").BlockedReason):
        answer = {"promptFeedback": {"blockReason": reason}}
        assert read_end(answer, "gemini") == AnswerEnd("filtered", reason)
        assert read_end(as_object("gemini", answer, client), "gemini") == AnswerEnd("filtered", reason)


def test_no_word_means_two_things() -> None:
    seen: dict[str, str] = {}
    for format in FORMATS.values():
        for word, reason in format.ends.items():
            assert seen.setdefault(word, reason) == reason, word


@pytest.mark.parametrize(
    ("format", "answer", "wanted"),
    [
        # Azure, as its filter ends an answer.
        (
            "azure-openai",
            {
                "choices": [
                    {
                        "finish_reason": "content_filter",
                        "message": {"role": "assistant"},
                        "content_filter_results": {"hate": {"filtered": True, "severity": "high"}},
                    }
                ]
            },
            AnswerEnd("filtered", "content_filter"),
        ),
        # OpenRouter: an error beside what there was, and in place of an answer.
        (
            "openai",
            {"choices": [{"finish_reason": "error", "error": {"code": 502, "message": "Upstream"}}]},
            AnswerEnd("provider_error", "502: Upstream"),
        ),
        ("openai", {"error": {"code": 429, "message": "Slow"}}, AnswerEnd("provider_error", "429: Slow")),
        ("ollama", {"error": "model runner has gone"}, AnswerEnd("provider_error", "model runner has gone")),
        ("deepseek", {"choices": [{"finish_reason": "insufficient_system_resource", "message": {}}]}, None),
        ("openai", {"choices": []}, AnswerEnd("provider_error", "no choices")),
        ("gemini", {"usageMetadata": {}}, AnswerEnd("provider_error", "no candidates")),
        ("gemini", {"candidates": []}, AnswerEnd("provider_error", "no candidates")),
        # The message alone says nothing about its end.
        ("openai", {"role": "assistant", "content": "Hi"}, AnswerEnd("complete")),
        ("openai", {"role": "assistant", "refusal": "No."}, AnswerEnd("refusal", "No.")),
        ("gemini", {"role": "model", "parts": [{"text": "Hi"}]}, AnswerEnd("complete")),
        ("anthropic", {"role": "assistant", "content": "Hi"}, AnswerEnd("complete")),
        # A gateway hands on another provider's word; one that nobody has is told.
        ("xai", {"choices": [{"finish_reason": "SPII", "message": {}}]}, AnswerEnd("filtered", "SPII")),
        ("openai", {"choices": [{"finish_reason": "eos", "message": {}}]}, AnswerEnd("complete", "eos")),
        ("openai-responses", {"status": "queued", "output": []}, AnswerEnd("provider_error", "queued")),
        ("mcp", {"method": "tools/call"}, AnswerEnd("complete")),
    ],
)  # fmt: skip
def test_other_answers(format: str, answer: Any, wanted: AnswerEnd | None) -> None:
    found = read_end(answer, format)
    assert found == wanted if wanted else found.reason == "provider_error"


def test_what_is_no_answer() -> None:
    with pytest.raises(DispatchError, match="no answer of openai"):
        read_end({"output": []}, "openai")
    with pytest.raises(DispatchError, match="not valid JSON"):
        read_usage("{", "openai")
    with pytest.raises(ValueError, match="no format 'x'"):
        read_end({}, "x")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**30) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(ANSWERS)), st.data())
def test_hostile_ends(format: str, data: st.DataObject) -> None:
    """Whatever stands in the places that are read: an end, or the error that names a path."""
    answer = whole(next(each for each in ENDINGS if each.format == format))
    keys = ["error", "choices", "candidates", "status", "incomplete_details", "output", "stop_reason"]
    keys += ["stopReason", "finish_reason", "done_reason", "promptFeedback", "stop_details", "content"]
    hostile = {**answer, data.draw(st.sampled_from(keys)): data.draw(JSON)}
    try:
        end = read_end(hostile, format)
    except DispatchError as problem:
        end = AnswerEnd(detail=str(problem)[:1])
        assert end.detail == "$"
    assert len(end.detail) <= 1_000
    read_usage(hostile, format)


class Broken:
    """An object of a client, whatever is asked of it raises."""

    role = "assistant"

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"no {name}")


@pytest.mark.parametrize("format", sorted(ANSWERS))
def test_objects_that_misbehave(format: str) -> None:
    with pytest.raises(DispatchError, match="RuntimeError"):
        read_end(Broken(), format)
    assert read_usage(Broken(), format) is None
    answer = whole(next(each for each in ENDINGS if each.format == format))
    hostile = {**answer, "error": Broken()}
    with pytest.raises(DispatchError, match="RuntimeError"):
        read_end(hostile, format)
    nested: Any = []
    for _ in range(10_000):
        nested = [nested]
    assert read_end({**answer, "error": nested}, format) == AnswerEnd("provider_error")
    assert read_end({**answer, "error": {"code": 10**5000}}, format) == AnswerEnd("provider_error")


@given(st.sampled_from(sorted(ANSWERS)), st.data())
def test_hostile_usage(format: str, data: st.DataObject) -> None:
    """A count that is none makes the usage unknown: never a number that nobody sent."""
    usage = USAGE[format][0]
    key = data.draw(st.sampled_from(sorted(usage)))
    value = data.draw(JSON)
    changed = {**usage, key: value}
    answer = changed if format == "ollama" else {WHERE.get(format, "usage"): changed}
    read = read_usage({"message": {}, **answer}, format)
    assert read is None or all(getattr(read, name) >= 0 for name in Usage.__struct_fields__)
    if isinstance(value, (str, bool, list)) and read is not None:
        assert key == "totalTokens" or key == "billed_units" or key == "totalTokenCount"


@pytest.mark.parametrize(
    "usage", [None, {}, [], "many", 7, {"prompt_tokens": None}, {"prompt_tokens": 10**5000}]
)
def test_no_usage(usage: Any) -> None:
    assert read_usage({"choices": [], "usage": usage}, "openai") is None


@pytest.mark.parametrize(
    ("provider", "usage", "wanted"),
    [
        # xAI counts reasoning beside the completion; real counts of grok-3-mini.
        (
            "xai",
            {
                "prompt_tokens": 12,
                "completion_tokens": 1,
                "total_tokens": 399,
                "completion_tokens_details": {"reasoning_tokens": 386},
            },
            Usage(input=12, output=387, reasoning=386),
        ),
        (
            "deepseek",
            {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12, "prompt_cache_hit_tokens": 8},
            Usage(input=10, output=2, cached=8),
        ),
        ("moonshot", {"prompt_tokens": 10, "completion_tokens": 2, "cached_tokens": 8}, None),
    ],
)
def test_usage_of_other_servers(provider: str, usage: Any, wanted: Usage | None) -> None:
    assert read_usage({"choices": [], "usage": usage}, provider) == wanted or wanted is None
    if wanted is None:
        assert read_usage({"usage": usage}, provider) == Usage(input=10, output=2, cached=8)


@pytest.mark.parametrize(
    "place", [{"x_groq": {"usage": {"prompt_tokens": 3}}}, {"choices": [{"usage": {"prompt_tokens": 3}}]}]
)
def test_streamed_usage_in_other_places(place: dict[str, Any]) -> None:
    stream = Assembler("openai")
    stream.feed({"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]})
    stream.feed(place)
    assert read_usage(stream.response(), "openai") == Usage(input=3)


def test_usage_that_grows_in_every_chunk() -> None:
    """vLLM sends it with each token: the last one counts, and none is held."""
    stream = Assembler("vllm-xgrammar", limit=2_000)
    for sent in range(1, 3_000):
        usage = {"prompt_tokens": 5, "completion_tokens": sent, "total_tokens": 5 + sent}
        stream.feed({"choices": [{"index": 0, "delta": {}}], "usage": usage})
    stream.end()
    assert read_usage(stream.response(), "vllm-xgrammar") == Usage(input=5, output=2_999)
    with pytest.raises(DispatchError, match="usage"):
        stream.feed({"choices": [], "usage": {"x": "y" * 100_000}})


PRICED = {
    # The provider and the flavour of its API, as genai-prices names them.
    "openai": ("openai", "chat"),
    "openai-responses": ("openai", "responses"),
    "anthropic": ("anthropic", "default"),
    "gemini": ("google", "default"),
    "bedrock": ("aws", "default"),
    "mistral": ("mistral", "default"),
    "cohere": ("cohere", "tokens"),
}


@pytest.mark.parametrize("format", PRICED)
def test_another_reader_of_usage_agrees(format: str, client: Client) -> None:
    provider, flavor = PRICED[format]
    answer = {"model": "any", WHERE.get(format, "usage"): USAGE[format][0]}
    if format == "cohere":  # it takes whole numbers only
        counts = {"input_tokens": 100, "output_tokens": 30}
        answer["usage"] = {"tokens": counts, "cached_tokens": 40}
    snapshot = client("genai_prices.data_snapshot").get_snapshot()
    found = snapshot.find_provider(None, provider, None)
    _, theirs = found.extract_usage(answer, api_flavor=flavor)
    ours = read_usage(answer, format)
    assert ours is not None
    named = {
        "input_tokens": ours.input,
        "output_tokens": ours.output,
        "cache_read_tokens": ours.cached,
        "cache_write_tokens": ours.cache_write,
        "output_reasoning_tokens": ours.reasoning,
    }
    for name, count in named.items():
        assert (getattr(theirs, name, None) or 0) == count, name


@pytest.mark.parametrize(
    ("format", "event", "detail"),
    [
        (
            "openai-responses",
            {"type": "response.failed", "response": {"error": {"code": "server_error", "message": "busy"}}},
            "server_error: busy",
        ),
        ("openai-responses", {"type": "response.cancelled", "response": {}}, "cancelled"),
        ("cohere", {"type": "message-end", "delta": {"error": "overloaded"}}, "overloaded"),
        ("cohere", {"type": "message-end", "delta": {"finish_reason": "TIMEOUT"}}, "TIMEOUT"),
    ],
)  # fmt: skip
def test_a_stream_that_ends_as_failed(format: str, event: Any, detail: str) -> None:
    """It is an answer, as without a stream: what came before is there, and none of its calls is to run."""
    asked = [Asked(id_for(format, 0), "edit", "{}")]
    stream = Assembler(format)
    for each in list(streamed(next(each for each in ENDINGS if each.format == format), asked))[:-1]:
        stream.feed(each)
    stream.feed(event)
    response = stream.response()
    assert read_end(response, format) == AnswerEnd("provider_error", detail)
    (call,) = parse(response, format)
    assert call.cut
