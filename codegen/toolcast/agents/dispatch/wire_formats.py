"""The wire formats as data: where an answer has its calls, why it ended, what it used, which ids are valid.

Sources, all read in November 2026: openai-openapi f85dbe22 and openai 3.54.0, anthropic 2.12.0, googleapis
f8291d2b and google-genai 3.4.0, botocore 1.44.5, mistralai 3.7.0, cohere 7.3.1, ollama fb307609, the MCP
schemas of 2025-06-18, 2025-11-25 and 2026-07-28.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from .call import TOOL_SEARCH, IdRule

Path = tuple[str | int, ...]
EACH = "*"
"""A step of a path: every item of a list."""

Reason = Literal["complete", "refusal", "paused", "filtered", "malformed_call", "cut", "provider_error"]
"""Why an answer ended.

* complete: the model ended it, with calls or without
* refusal: the model, or a classifier beside it, refused
* paused: the provider interrupted the model's turn, and goes on when the answer comes back as it is
* filtered: a filter or guardrail withheld the request or the answer
* malformed_call: the model wrote a call that the provider could not read
* cut: a limit of length, or of the provider's own steps, ended it
* provider_error: the provider failed
"""


class _CustomCalls(Struct, frozen=True, kw_only=True):
    """Calls of OpenAI's custom tools, with free text for an argument.

    `inner` leads to the name and the text; `answer` is the `type` of the item that answers them, "" for a
    function's.
    """

    kind: str
    inner: str = ""
    arguments: str = "input"
    answer: str = ""


class SearchCalls(Struct, frozen=True, kw_only=True):
    """A model's searches for tools that the program carries out.

    `execution` tells them from the provider's own; `name` is the tool that they call, `answer` the `type` of
    the item that answers them.
    """

    kind: str
    execution: str
    name: str
    answer: str


class UsageKeys(Struct, frozen=True, kw_only=True):
    """The places of an answer's counts of tokens.

    `at` is the place of their object. `input` and `output` are sums, because some providers count apart what
    others include; of other paths the first with a value counts. `total` beyond both is output: xAI and
    Gemini's OpenAI endpoint leave reasoning out of `completion_tokens`.
    """

    at: Path = ("usage",)
    input: tuple[Path, ...]
    output: tuple[Path, ...]
    cached: tuple[Path, ...] = ()
    cache_write: tuple[Path, ...] = ()
    reasoning: tuple[Path, ...] = ()
    total: tuple[Path, ...] = ()


class Format(Struct, frozen=True, kw_only=True):
    """The places of all that is read from answers of a format, by paths.

    `calls`: the places of the list, of which the first counts whose first key is there: of a whole answer,
    then of its message alone. `marks`: keys of answers without calls. `kinds`: values of `type` of a function
    call (None: no such key). `inner` leads from an item to its other keys; with `mark` an item is a call
    where it has that key. `objects`: arguments are objects. `repeated`: keys of a call that its result must
    have. `caller`: the key whose `type` is "direct" where the model itself calls. `container`: the id of the
    container of the model's code, which the next request must name.

    `stop`: places of the reason to stop, of which the first with a value counts; `ends`: the meanings of
    reasons. `blocked`: a value there means that the request was filtered. `refusals`, `details`: words of a
    refusal, and about the reason. `errors`: errors in an answer; `error_ends`: codes that are no failure.
    `listed`: the key of alternatives, of which one must be there. `usage`: the first with input or output
    counts. `older`: the one call that a message has in place of the list.
    """

    name: str
    calls: tuple[Path, ...]
    kinds: tuple[str | None, ...] | None = None
    inner: str = ""
    mark: bool = False
    id: str = "id"
    arguments: str = "arguments"
    marks: tuple[str, ...] = ()
    ids: IdRule | None = None
    no_id: tuple[str, ...] = ()
    answer: Path = ("id",)
    stop: tuple[Path, ...] = ()
    ends: Mapping[str, Reason] = {}
    blocked: tuple[Path, ...] = ()
    refusals: tuple[Path, ...] = ()
    details: tuple[Path, ...] = ()
    errors: tuple[Path, ...] = (("error",),)
    error_ends: Mapping[str, Reason] = {}
    listed: str = ""
    usage: tuple[UsageKeys, ...] = ()
    older: "Format | None" = None
    custom: _CustomCalls | None = None
    search: SearchCalls | None = None
    objects: bool = False
    repeated: tuple[str, ...] = ()
    caller: str = ""
    container: Path = ()


_CHAT_ENDS: dict[str, Reason] = {
    "stop": "complete",
    "tool_calls": "complete",
    "function_call": "complete",
    "length": "cut",
    "content_filter": "filtered",
    # Other servers of this format: OpenRouter and vLLM; vLLM and SGLang; DeepSeek.
    "error": "provider_error",
    "abort": "provider_error",
    "insufficient_system_resource": "provider_error",
}

_CHAT_USAGE = UsageKeys(
    input=(("prompt_tokens",),),
    output=(("completion_tokens",),),
    # The two others: DeepSeek, Moonshot.
    cached=(("prompt_tokens_details", "cached_tokens"), ("prompt_cache_hit_tokens",), ("cached_tokens",)),
    cache_write=(("prompt_tokens_details", "cache_write_tokens"),),
    reasoning=(("completion_tokens_details", "reasoning_tokens"),),
    total=(("total_tokens",),),
)

_CHAT = Format(
    name="openai",
    calls=(("choices", 0, "message", "tool_calls"), ("message", "tool_calls"), ("tool_calls",)),
    kinds=(None, "function"),
    inner="function",
    marks=("role",),
    ids=IdRule(r"(?s).+"),
    stop=(("choices", 0, "finish_reason"),),
    ends=_CHAT_ENDS,
    refusals=(("choices", 0, "message", "refusal"), ("message", "refusal"), ("refusal",)),
    errors=(("error",), ("choices", 0, "error")),
    listed="choices",
    usage=(_CHAT_USAGE,),
    custom=_CustomCalls(kind="custom", inner="custom"),
    # "Deprecated and replaced by `tool_calls`." Its result is a message of the role `function`.
    older=Format(name="openai", calls=(), inner="function_call", mark=True),
)

_GEMINI = Format(
    name="gemini",
    calls=(("candidates", 0, "content", "parts"), ("content", "parts"), ("parts",)),
    inner="functionCall",
    mark=True,
    arguments="args",
    marks=("promptFeedback", "usageMetadata", "role"),
    answer=("responseId",),
    stop=(("candidates", 0, "finishReason"), ("finishReason",)),
    ends={
        "FINISH_REASON_UNSPECIFIED": "complete",
        "STOP": "complete",
        "MAX_TOKENS": "cut",
        "TOO_MANY_TOOL_CALLS": "cut",  # the provider's own loop of tools
        # It is continued with a token in the request's configuration, which no message carries.
        "CONTINUATION": "cut",
        "SAFETY": "filtered",
        "RECITATION": "filtered",
        "LANGUAGE": "filtered",
        "BLOCKLIST": "filtered",
        "PROHIBITED_CONTENT": "filtered",
        "SPII": "filtered",
        "ESCALATION": "filtered",
        "MODEL_ARMOR": "filtered",
        "IMAGE_SAFETY": "filtered",
        "IMAGE_PROHIBITED_CONTENT": "filtered",
        "IMAGE_RECITATION": "filtered",
        "MALFORMED_FUNCTION_CALL": "malformed_call",
        "UNEXPECTED_TOOL_CALL": "malformed_call",
        "OTHER": "provider_error",
        "IMAGE_OTHER": "provider_error",
        "NO_IMAGE": "provider_error",
        "MALFORMED_RESPONSE": "provider_error",
        "MISSING_THOUGHT_SIGNATURE": "provider_error",
        "PUP_LIMITED_DISABLED": "provider_error",
    },
    blocked=(("promptFeedback", "blockReason"),),
    details=(("candidates", 0, "finishMessage"), ("promptFeedback", "blockReasonMessage")),
    listed="candidates",
    usage=(
        UsageKeys(
            at=("usageMetadata",),
            input=(("promptTokenCount",), ("toolUsePromptTokenCount",)),
            output=(("candidatesTokenCount",), ("thoughtsTokenCount",)),
            cached=(("cachedContentTokenCount",),),
            reasoning=(("thoughtsTokenCount",),),
        ),
    ),
    objects=True,
)

_MCP = Format(name="mcp", calls=(), objects=True)

FORMATS = {
    each.name: each
    for each in (
        _CHAT,
        Format(
            name="openai-responses",
            calls=(("output",),),
            kinds=("function_call",),
            id="call_id",
            ids=IdRule(r"(?s).{1,64}"),
            stop=(("incomplete_details", "reason"), ("status",)),
            ends={
                "completed": "complete",
                "incomplete": "cut",
                "max_output_tokens": "cut",
                "max_messages": "cut",
                "content_filter": "filtered",
                "steered": "paused",  # stopped between two steps, to take up what the user added
                "failed": "provider_error",
                "cancelled": "provider_error",
                # In the background: there is no answer yet.
                "queued": "provider_error",
                "in_progress": "provider_error",
            },
            refusals=(("output", EACH, "content", EACH, "refusal"),),
            error_ends={
                "bio_policy": "filtered",
                "misalignment_policy_violation": "filtered",
                "image_content_policy_violation": "filtered",
            },
            usage=(
                UsageKeys(
                    input=(("input_tokens",),),
                    output=(("output_tokens",),),
                    cached=(("input_tokens_details", "cached_tokens"),),
                    cache_write=(("input_tokens_details", "cache_write_tokens"),),
                    reasoning=(("output_tokens_details", "reasoning_tokens"),),
                    total=(("total_tokens",),),
                ),
            ),
            custom=_CustomCalls(kind="custom_tool_call", answer="custom_tool_call_output"),
            search=SearchCalls(
                kind="tool_search_call", execution="client", name=TOOL_SEARCH, answer="tool_search_output"
            ),
            # openai.types.responses: the item of a call's output has the `caller` of the call.
            repeated=("caller",),
            caller="caller",
        ),
        Format(
            name="anthropic",
            calls=(("content",),),
            kinds=("tool_use",),
            arguments="input",
            marks=("role",),
            ids=IdRule(r"[a-zA-Z0-9_-]+", prefix="toolu_"),
            stop=(("stop_reason",),),
            ends={
                "end_turn": "complete",
                "tool_use": "complete",
                "stop_sequence": "complete",
                "pause_turn": "paused",
                "compaction": "paused",  # beta: the turn goes on with the summary in the answer
                "refusal": "refusal",
                "max_tokens": "cut",
                "model_context_window_exceeded": "cut",
            },
            details=(("stop_details", "explanation"), ("stop_details", "category")),
            usage=(
                UsageKeys(
                    input=(("input_tokens",), ("cache_read_input_tokens",), ("cache_creation_input_tokens",)),
                    output=(("output_tokens",),),
                    cached=(("cache_read_input_tokens",),),
                    cache_write=(("cache_creation_input_tokens",),),
                    reasoning=(("output_tokens_details", "thinking_tokens"),),
                ),
            ),
            objects=True,
            repeated=("toolset_name",),
            # platform.claude.com/docs/en/agents-and-tools/tool-use/programmatic-tool-calling: while calls of
            # a program wait for their results, the next request has `container`.
            caller="caller",
            container=("container", "id"),
        ),
        _GEMINI,
        Format(
            name="bedrock",
            calls=(("output", "message", "content"), ("message", "content"), ("content",)),
            inner="toolUse",
            mark=True,
            id="toolUseId",
            arguments="input",
            marks=("role",),
            ids=IdRule(r"[a-zA-Z0-9_.:-]{1,64}", prefix="tooluse_"),
            answer=("ResponseMetadata", "RequestId"),
            stop=(("stopReason",),),
            ends={
                "end_turn": "complete",
                "tool_use": "complete",
                "stop_sequence": "complete",
                "max_tokens": "cut",
                "model_context_window_exceeded": "cut",
                "guardrail_intervened": "filtered",
                "content_filtered": "filtered",
                "malformed_tool_use": "malformed_call",
                "malformed_model_output": "provider_error",
            },
            usage=(
                UsageKeys(
                    input=(("inputTokens",), ("cacheReadInputTokens",), ("cacheWriteInputTokens",)),
                    output=(("outputTokens",),),
                    cached=(("cacheReadInputTokens",),),
                    cache_write=(("cacheWriteInputTokens",),),
                ),
            ),
            objects=True,
        ),
        Format(
            name="mistral",
            calls=_CHAT.calls,
            kinds=_CHAT.kinds,
            inner="function",
            marks=("role",),
            # "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9."
            ids=IdRule(r"[a-zA-Z0-9]{9}", 9, ""),
            no_id=("null",),  # what the official client has for an id that did not come
            stop=_CHAT.stop,
            ends={
                "stop": "complete",
                "tool_calls": "complete",
                "length": "cut",
                "model_length": "cut",
                "error": "provider_error",
            },
            listed="choices",
            usage=(_CHAT_USAGE,),
        ),
        Format(
            name="cohere",
            calls=(("message", "tool_calls"), ("tool_calls",)),
            kinds=_CHAT.kinds,
            inner="function",
            marks=("role",),
            ids=IdRule(r"(?s).+"),
            stop=(("finish_reason",),),
            ends={
                "COMPLETE": "complete",
                "STOP_SEQUENCE": "complete",
                "TOOL_CALL": "complete",
                "MAX_TOKENS": "cut",
                "ERROR": "provider_error",
                "TIMEOUT": "provider_error",
            },
            # What the model read and wrote; what is billed may be less.
            usage=(
                UsageKeys(
                    input=(("tokens", "input_tokens"),),
                    output=(("tokens", "output_tokens"),),
                    cached=(("cached_tokens",),),
                ),
                UsageKeys(
                    input=(("billed_units", "input_tokens"),), output=(("billed_units", "output_tokens"),)
                ),
            ),
        ),
        Format(
            name="ollama",
            calls=(("message", "tool_calls"), ("tool_calls",)),
            kinds=_CHAT.kinds,
            inner="function",
            marks=("role",),
            answer=("created_at",),
            stop=(("done_reason",),),
            ends={"stop": "complete", "load": "complete", "unload": "complete", "length": "cut"},
            # The model may find its whole input in its cache; `prompt_eval_count` is missing then.
            usage=(UsageKeys(at=(), input=(("prompt_eval_count",),), output=(("eval_count",),)),),
            objects=True,
        ),
        _MCP,
        Format(name="mcp-2025-11-25", calls=(), objects=True),
        Format(name="mcp-2025-06-18", calls=(), objects=True),
    )
}
"""The wire formats by name."""

CALLING = frozenset(("tool_calls", "function_call", "tool_use", "TOOL_CALL"))
"""Reasons to stop of answers that call."""

ENDS: dict[str, Reason] = {word: reason for each in FORMATS.values() for word, reason in each.ends.items()}
"""The meanings of reasons to stop, as any provider writes them; no two mean different things by one word."""

FORMAT_OF_PROVIDER = {
    "anthropic-strict": "anthropic",
    "azure-openai": "openai",
    "bedrock-strict": "bedrock",
    "deepseek": "openai",
    "gemini-json-schema": "gemini",
    "groq": "openai",
    "llama-cpp": "openai",
    "moonshot": "openai",
    "openai-nonstrict": "openai",
    "vertex": "gemini",
    "vllm-xgrammar": "openai",
    "xai": "openai",
}
"""Other providers, with the format that their answers have. What is not here is named by its format."""


def format_of(name: str) -> Format:
    """Find a format by its name, or by a provider that uses it. Raises ValueError."""
    found = FORMATS.get(FORMAT_OF_PROVIDER.get(name, name)) if isinstance(name, str) else None
    if found is None:
        known = ", ".join(sorted({*FORMATS, *FORMAT_OF_PROVIDER}))
        raise ValueError(f"There is no format {name!r:.80}. Formats: {known}.")
    return found
