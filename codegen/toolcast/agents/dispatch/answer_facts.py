"""Facts that an answer states: why it ended, the tokens that it used, its ids and its model."""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, Literal

from msgspec import Struct

from ...runtime.unicode_text import is_encodable
from ..usage import Usage
from .answer_fields import calls_path, get_field, items, load, locate, locate_each, written
from .call import DispatchError
from .wire_formats import CALLING, ENDS, Format, Path, Reason, UsageKeys, format_of

_MAX_DETAIL = 1_000
"""Characters of a provider's words about the end that are kept."""

_MAX_COUNT = 2**48
"""Most tokens of one answer that are believed; sums of them are numbers that every format has."""

WHOLE: frozenset[Reason] = frozenset(("complete", "paused"))
"""Ends of answers whose last call is whole."""


class AnswerEnd(Struct, frozen=True):
    """The end of an answer.

    Attributes:
        reason: "complete" (with calls or without), "refusal", "paused" (goes on when the answer comes back as
            it is), "filtered" (a filter withheld the request or the answer), "malformed_call" (the provider
            could not read a call), "cut" (by a limit) or "provider_error".
        detail: the provider's words, such as `SAFETY`, a refusal, or an error's code and message; "" for
            none, and for the usual reason of a complete answer.
    """

    reason: Reason = "complete"
    detail: str = ""


def read_end(response: object, format: str) -> AnswerEnd:
    """Read why an answer ended.

    A reason that no provider is known to give counts as "complete", and is in `detail`.

    Args:
        response: the answer: a dict, JSON text, or the official client's object.
        format: name of a wire format, or of a provider that uses one.

    Returns:
        The reason, and the provider's words for it.

    Raises:
        DispatchError: the response is no answer of the format.
        ValueError: the format does not exist.
    """
    known = format_of(format)
    if known.name.startswith("mcp"):
        return AnswerEnd("complete")
    response = load(response)
    failed = _read_error(response, known)
    if failed is not None:
        return failed
    calls_path(response, known)
    blocked = _word(response, known.blocked)
    if blocked:
        return AnswerEnd("filtered", _with_details(blocked, response, known))
    end = _read_stop(response, known)
    if end.reason in ("complete", "cut"):
        refusal = "".join(_texts(response, known.refusals))
        if refusal:
            return AnswerEnd("refusal", refusal[:_MAX_DETAIL])
    if end.reason == "complete" and not end.detail and _is_empty(response, known):
        return AnswerEnd("provider_error", f"no {known.listed}")
    return end


def read_reason(response: object, format: Format) -> Reason:
    """Read why an answer ended, without its refusals: whether to rely on its calls."""
    failed = _read_error(response, format)
    return _read_stop(response, format).reason if failed is None else failed.reason


def _stop_word(response: object, format: Format) -> str:
    return _word(response, format.stop)


def _read_stop(response: object, format: Format) -> AnswerEnd:
    word = _stop_word(response, format)
    reason = format.ends.get(word)
    if reason == "complete" or not word:
        return AnswerEnd("complete")
    return AnswerEnd(reason or ENDS.get(word, "complete"), _with_details(word, response, format))


def lacked_call(response: object, format: Format) -> str:
    """Return words for the reason to stop of an answer without calls, where it is a call; "" elsewhere."""
    word = _stop_word(response, format)
    return f"{word}, without a call" if word in CALLING else ""


def end_of(word: str) -> AnswerEnd:
    """Return the end that a reason to stop states, as any provider writes it."""
    reason = ENDS.get(word, "complete")
    return AnswerEnd(reason, "" if reason == "complete" and word in ENDS else word)


def raised_reason(problem: BaseException) -> Literal["filtered", "provider_error"]:
    """Tell what a client's exception means: Azure raises one, with the code of a withheld answer, where its
    filter withholds the prompt.
    """
    try:
        code = _word_of(getattr(problem, "code", None))
    except Exception:  # a property of a foreign class may raise anything
        code = ""
    return "filtered" if ENDS.get(code) == "filtered" else "provider_error"


def read_usage(response: object, format: str) -> Usage | None:
    """Read the tokens that an answer used.

    Args:
        response: the answer: a dict, JSON text, or the official client's object.
        format: name of a wire format, or of a provider that uses one.

    Returns:
        The tokens; None where the answer states no valid number of them.

    Raises:
        DispatchError: the response is JSON text that cannot be read.
        ValueError: the format does not exist.
    """
    known = format_of(format)
    response = load(response)
    for keys in known.usage:
        try:
            found = locate(response, keys.at)
            made = None if found is None else _usage(found, keys)
        except DispatchError:
            return None  # counts of a form that nobody documents
        if made is not None:
            return made
    return None


def _usage(found: Any, keys: UsageKeys) -> Usage | None:
    read = [_count(found, (path,)) for path in keys.input]
    written = [_count(found, (path,)) for path in keys.output]
    if all(count is None for count in (*read, *written)):
        return None
    input, output = (sum(count or 0 for count in counts) for counts in (read, written))
    total = _count(found, keys.total)
    return Usage(
        input=input,
        output=output if total is None else max(output, total - input),
        cached=_count(found, keys.cached) or 0,
        cache_write=_count(found, keys.cache_write) or 0,
        reasoning=_count(found, keys.reasoning) or 0,
    )


def _count(usage: Any, paths: Iterable[Path]) -> int | None:
    """Return the first number of tokens; None for none. Raises DispatchError for another value."""
    for path in paths:
        found = locate(usage, path)
        if found is None:
            continue
        whole = isinstance(found, int) or (isinstance(found, float) and found.is_integer())
        if isinstance(found, bool) or not whole or not 0 <= found <= _MAX_COUNT:
            raise DispatchError(f"{written(path)}: expected a number of tokens")
        return int(found)
    return None


def _read_error(response: object, format: Format) -> AnswerEnd | None:
    for path in format.errors:
        problem = locate(response, path)
        if not _is_nothing(problem):
            return _error_end(problem, format)
    return None


def _error_end(problem: object, format: Format) -> AnswerEnd:
    if isinstance(problem, (str, bytes, bool, int, float, Sequence)):
        return AnswerEnd("provider_error", _word_of(problem)[:_MAX_DETAIL])
    code, message = (_word_of(get_field(problem, key, "$.error")) for key in ("code", "message"))
    detail = ": ".join(word for word in (code, message) if word)
    return AnswerEnd(format.error_ends.get(code, "provider_error"), detail[:_MAX_DETAIL])


def _is_nothing(value: object) -> bool:
    """Tell whether there is no error: null, or an empty value of some servers."""
    return value is None or value is False or (isinstance(value, (str, Mapping, Sequence)) and not value)


def _word_of(value: object) -> str:
    """Return a text, a number or a member of an enum as text; "" for anything else."""
    value = value.value if isinstance(value, Enum) else value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    return str(value) if abs(value) <= _MAX_COUNT else ""  # Python writes no number of any length


def _word(response: object, paths: Iterable[Path]) -> str:
    for path in paths:
        word = _word_of(locate(response, path))
        if word:
            return word
    return ""


def _texts(response: object, paths: Iterable[Path]) -> list[str]:
    for path in paths:
        found = [text for text in locate_each(response, path) if isinstance(text, str) and text]
        if found:
            return found
    return []


def _with_details(word: str, response: object, format: Format) -> str:
    texts = (text for path in format.details for text in _texts(response, (path,)))
    return ": ".join((word, *texts))[:_MAX_DETAIL]


def _is_empty(response: object, format: Format) -> bool:
    """Tell whether a response lacks all of the alternatives of which it must have one."""
    if not format.listed:
        return False
    listed = get_field(response, format.listed, "$")
    if listed is not None:
        return not items(listed, f"$.{format.listed}")
    # The message alone may have been passed.
    if isinstance(response, Mapping) and "role" in response:
        return False
    return all(get_field(response, str(path[0]), "$") is None for path in (*format.calls, ("role",)))


_IDS = ("id", "responseId")
_LONGEST_ID = 1_000
_MODELS = ("model", "modelVersion")


class AnswerFacts(Struct, frozen=True, kw_only=True):
    """Facts that an answer states; "" and None for those that it does not.

    `id` is the provider's id of the answer, `stop` its reason to stop as it writes it; `failed` is true where
    the provider failed.
    """

    id: str = ""
    model: str = ""
    stop: str = ""
    usage: Usage | None = None
    failed: bool = False


def read_facts(response: object, format: str) -> AnswerFacts:
    """Read the facts that an answer states. Raises DispatchError for one that cannot be read, and ValueError
    for an unknown format.
    """
    response = load(response)
    return AnswerFacts(
        id=_first(response, _IDS),
        model=_first(response, _MODELS),
        stop=_stop_word(response, format_of(format)),
        usage=read_usage(response, format),
        failed=read_end(response, format).reason == "provider_error",
    )


def read_container(response: object, format: str) -> str:
    """Read the container in which the provider runs code of the model.

    Anthropic wants it in the next request, while calls of a program wait for their results.

    Args:
        response: the answer: a dict, JSON text, or the official client's object.
        format: name of a wire format, or of a provider that uses one.

    Returns:
        Its id; "" for none, and for one that no request could name: longer than 1,000 characters, or no valid
        Unicode.

    Raises:
        DispatchError: the response cannot be read.
        ValueError: the format does not exist.
    """
    known = format_of(format)
    response = load(response)
    try:
        found = locate(response, known.container) if known.container else None
    except DispatchError:
        return ""  # of a form that nobody documents
    if not isinstance(found, str) or len(found) > _LONGEST_ID or not is_encodable(found):
        return ""
    return str.__str__(found)


def _first(response: object, keys: tuple[str, ...]) -> str:
    for key in keys:
        found = locate(response, (key,))
        if isinstance(found, str) and found:
            return str.__str__(found)
    return ""
