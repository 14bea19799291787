"""Answers that end in every way, as each provider's reference shows them, whole and streamed."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.agents.dispatch.answers import ANSWERS
from tests.agents.dispatch.streaming import STREAMS

TEXT = "Partly."
REFUSAL = "I can't help with that."
Usage = dict[str, int]


class Ending(NamedTuple):
    """One way to end: the provider's word, our reason, and a part of the detail."""

    format: str
    word: str
    reason: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.format}-{self.word}"


def _words(format: str, reason: str, words: str) -> tuple[Ending, ...]:
    return tuple(Ending(format, word, reason, "" if reason == "complete" else word) for word in words.split())


ENDINGS = (
    Ending("openai", "stop", "complete"),
    Ending("openai", "length", "cut", "length"),
    Ending("openai", "content_filter", "filtered", "content_filter"),
    Ending("openai", "a refusal", "refusal", REFUSAL),
    Ending("openai-responses", "completed", "complete"),
    Ending("openai-responses", "max_output_tokens", "cut", "max_output_tokens"),
    Ending("openai-responses", "content_filter", "filtered", "content_filter"),
    Ending("openai-responses", "failed", "provider_error", "server_error: The server had an error"),
    Ending("openai-responses", "bio_policy", "filtered", "bio_policy: The server had an error"),
    Ending("openai-responses", "cancelled", "provider_error", "cancelled"),
    Ending("openai-responses", "a refusal", "refusal", REFUSAL),
    Ending("anthropic", "end_turn", "complete"),
    Ending("anthropic", "pause_turn", "paused", "pause_turn"),
    Ending("anthropic", "refusal", "refusal", "refusal: Not this: cyber"),
    Ending("anthropic", "max_tokens", "cut", "max_tokens"),
    Ending("anthropic", "model_context_window_exceeded", "cut", "model_context_window_exceeded"),
    Ending("gemini", "STOP", "complete"),
    Ending("gemini", "MAX_TOKENS", "cut", "MAX_TOKENS"),
    Ending("gemini", "SAFETY", "filtered", "SAFETY"),
    Ending("gemini", "RECITATION", "filtered", "RECITATION"),
    Ending("gemini", "MALFORMED_FUNCTION_CALL", "malformed_call", "MALFORMED_FUNCTION_CALL: Malformed: f(x"),
    Ending("gemini", "UNEXPECTED_TOOL_CALL", "malformed_call", "UNEXPECTED_TOOL_CALL"),
    Ending("gemini", "OTHER", "provider_error", "OTHER"),
    Ending("gemini", "a blocked prompt", "filtered", "PROHIBITED_CONTENT"),
    Ending("bedrock", "end_turn", "complete"),
    Ending("bedrock", "max_tokens", "cut", "max_tokens"),
    Ending("bedrock", "guardrail_intervened", "filtered", "guardrail_intervened"),
    Ending("bedrock", "content_filtered", "filtered", "content_filtered"),
    Ending("bedrock", "malformed_tool_use", "malformed_call", "malformed_tool_use"),
    Ending("bedrock", "malformed_model_output", "provider_error", "malformed_model_output"),
    Ending("mistral", "stop", "complete"),
    Ending("mistral", "length", "cut", "length"),
    Ending("mistral", "model_length", "cut", "model_length"),
    Ending("mistral", "error", "provider_error", "error"),
    Ending("cohere", "COMPLETE", "complete"),
    Ending("cohere", "MAX_TOKENS", "cut", "MAX_TOKENS"),
    Ending("cohere", "ERROR", "provider_error", "ERROR"),
    Ending("cohere", "TIMEOUT", "provider_error", "TIMEOUT"),
    Ending("ollama", "stop", "complete"),
    Ending("ollama", "length", "cut", "length"),
    *_words("openai-responses", "cut", "max_messages"),
    *_words("openai-responses", "paused", "steered"),
    *_words("anthropic", "complete", "stop_sequence"),
    *_words("anthropic", "paused", "compaction"),
    *_words("gemini", "cut", "TOO_MANY_TOOL_CALLS CONTINUATION"),
    *_words("gemini", "filtered", "LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII ESCALATION MODEL_ARMOR"),
    *_words("gemini", "filtered", "IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION"),
    *_words("gemini", "provider_error", "NO_IMAGE IMAGE_OTHER MALFORMED_RESPONSE"),
    *_words("gemini", "provider_error", "MISSING_THOUGHT_SIGNATURE PUP_LIMITED_DISABLED"),
    *_words("bedrock", "complete", "stop_sequence"),
    *_words("bedrock", "cut", "model_context_window_exceeded"),
    *_words("cohere", "complete", "STOP_SEQUENCE"),
)

USAGE: dict[str, tuple[dict[str, Any], Usage]] = {
    # What each provider sends, and what it comes to.
    "openai": (
        {
            "prompt_tokens": 100,
            "completion_tokens": 30,
            "total_tokens": 130,
            "prompt_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 5},
            "completion_tokens_details": {"reasoning_tokens": 20},
        },
        {"input": 100, "output": 30, "cached": 40, "cache_write": 5, "reasoning": 20},
    ),
    "openai-responses": (
        {
            "input_tokens": 100,
            "output_tokens": 30,
            "total_tokens": 130,
            "input_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 5},
            "output_tokens_details": {"reasoning_tokens": 20},
        },
        {"input": 100, "output": 30, "cached": 40, "cache_write": 5, "reasoning": 20},
    ),
    "anthropic": (
        {
            "input_tokens": 55,
            "cache_read_input_tokens": 40,
            "cache_creation_input_tokens": 5,
            "output_tokens": 30,
            "output_tokens_details": {"thinking_tokens": 20},
        },
        {"input": 100, "output": 30, "cached": 40, "cache_write": 5, "reasoning": 20},
    ),
    "gemini": (
        {
            "promptTokenCount": 90, "toolUsePromptTokenCount": 10, "cachedContentTokenCount": 40,
            "candidatesTokenCount": 10, "thoughtsTokenCount": 20, "totalTokenCount": 130,
        },
        {"input": 100, "output": 30, "cached": 40, "reasoning": 20},
    ),
    "bedrock": (
        {
            "inputTokens": 55,
            "cacheReadInputTokens": 40,
            "cacheWriteInputTokens": 5,
            "outputTokens": 30,
            "totalTokens": 130,
        },
        {"input": 100, "output": 30, "cached": 40, "cache_write": 5},
    ),
    "mistral": (
        {"prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 130},
        {"input": 100, "output": 30},
    ),
    "cohere": (
        {
            "billed_units": {"input_tokens": 60.0, "output_tokens": 30.0},
            "tokens": {"input_tokens": 100.0, "output_tokens": 30.0},
            "cached_tokens": 40.0,
        },
        {"input": 100, "output": 30, "cached": 40},
    ),
    "ollama": ({"prompt_eval_count": 100, "eval_count": 30}, {"input": 100, "output": 30}),
}  # fmt: skip
WHERE = {"gemini": "usageMetadata"}


def _error(word: str) -> dict[str, Any]:
    code = "server_error" if word == "failed" else word
    return {"code": code, "message": "The server had an error"}


def whole(ending: Ending, calls: list[Any] | None = None) -> dict[str, Any]:
    """The answer as it comes without a stream."""
    format, word = ending.format, ending.word
    answer = ANSWERS[format](calls or [])
    usage, _ = USAGE[format]
    answer |= usage if format == "ollama" else {WHERE.get(format, "usage"): usage}
    if format in ("openai", "mistral"):
        choice = answer["choices"][0]
        choice["finish_reason"] = word
        choice["message"] |= {} if calls else {"tool_calls": None}
        if word == "a refusal":
            choice["finish_reason"] = "stop"
            choice["message"] |= {"content": None, "refusal": REFUSAL}
    elif format == "openai-responses":
        status = {"completed": "completed", "cancelled": "cancelled", "a refusal": "completed"}
        failed = word in ("failed", "bio_policy")
        answer["status"] = "failed" if failed else status.get(word, "incomplete")
        answer["error"] = _error(word) if failed else None
        if answer["status"] == "incomplete":
            answer["incomplete_details"] = {"reason": word}
        if word == "a refusal":
            answer["output"][1]["content"] = [{"type": "refusal", "refusal": REFUSAL}]
    elif format == "anthropic":
        answer["stop_reason"] = word
        if word == "refusal":
            answer["stop_details"] = {"type": "refusal", "category": "cyber", "explanation": "Not this"}
    elif format == "gemini":
        if word == "a blocked prompt":
            answer["promptFeedback"] = {"blockReason": "PROHIBITED_CONTENT"}
            del answer["candidates"]
        else:
            candidate = answer["candidates"][0]
            candidate["finishReason"] = word
            if word == "MALFORMED_FUNCTION_CALL":
                del candidate["content"]
                candidate["finishMessage"] = "Malformed: f(x"
    elif format == "bedrock":
        answer["stopReason"] = word
        answer["metrics"] = {"latencyMs": 1}
    elif format == "cohere":
        answer["finish_reason"] = word
    else:
        answer["done_reason"] = word
    return answer


def streamed(ending: Ending, calls: list[Any] | None = None) -> Iterator[dict[str, Any]]:
    """The events of the answer: those of a usual one, with another end."""
    format, word = ending.format, ending.word
    usage, _ = USAGE[format]
    asked = calls or []
    for event in STREAMS[format](asked, [[call.text] for call in asked], lambda n: n - 1):
        if format in ("openai", "mistral"):
            yield from _chat_events(event, word, usage)
        elif format == "openai-responses":
            yield from _responses_events(event, ending, asked)
        elif format == "anthropic":
            yield _anthropic_event(event, word, usage)
        elif format == "gemini":
            yield from _gemini_events(event, word, usage)
        elif format == "bedrock":
            if "messageStop" in event:
                event = {"messageStop": {"stopReason": word}}
            elif "metadata" in event:
                event = {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}
            yield event
        elif format == "cohere":
            if event["type"] == "message-end":
                event = {**event, "delta": {"finish_reason": word, "usage": usage}}
            yield event
        else:
            yield {**event, "done_reason": word, **usage} if event["done"] else event


def _chat_events(event: dict[str, Any], word: str, usage: Any) -> Iterator[dict[str, Any]]:
    if event.get("usage"):
        yield {**event, "usage": usage}
        return
    choice = event["choices"][0]
    if word == "a refusal" and choice["delta"].get("content"):
        return
    if choice["finish_reason"]:
        if word == "a refusal":
            for letter in REFUSAL:
                yield {
                    **event,
                    "choices": [{"index": 0, "delta": {"refusal": letter}, "finish_reason": None}],
                }
        choice = {**choice, "finish_reason": "stop" if word == "a refusal" else word}
    yield {**event, "choices": [choice], "usage": None}


def _responses_events(event: dict[str, Any], ending: Ending, asked: list[Any]) -> Iterator[dict[str, Any]]:
    if event["type"] == "response.output_item.done" and ending.word == "a refusal":
        part = {"type": "refusal", "refusal": REFUSAL}
        event = {**event, "item": {**event["item"], "content": [part]}}
    elif event["type"] == "response.completed":
        response = whole(ending, asked)
        event = {"type": f"response.{response['status']}", "response": response}
    yield event


def _anthropic_event(event: dict[str, Any], word: str, usage: Any) -> dict[str, Any]:
    if event["type"] == "message_start":
        start = {**usage, "output_tokens": 1}
        return {**event, "message": {**event["message"], "type": "message", "model": "m", "usage": start}}
    if event["type"] == "message_delta":
        details = {"type": "refusal", "category": "cyber", "explanation": "Not this"}
        delta = {"stop_reason": word, **({"stop_details": details} if word == "refusal" else {})}
        return {**event, "delta": delta, "usage": {"output_tokens": usage["output_tokens"]}}
    return event


def _gemini_events(event: dict[str, Any], word: str, usage: Any) -> Iterator[dict[str, Any]]:
    candidate = event["candidates"][0]
    ends = "finishReason" in candidate
    if word == "a blocked prompt":
        if ends:
            yield {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": usage}
        return
    if word == "MALFORMED_FUNCTION_CALL":
        if ends:
            candidate = {"finishReason": word, "finishMessage": "Malformed: f(x", "index": 0}
            yield {"candidates": [candidate], "usageMetadata": usage}
        return
    if ends:
        yield {"candidates": [{**candidate, "finishReason": word}], "usageMetadata": usage}
    else:
        yield {**event, "usageMetadata": {"promptTokenCount": 1}}
