"""What an answer says of itself, for traces."""

from typing import Any

from msgspec import Struct

from ...runtime.unicode_text import is_encodable
from ..usage import Usage
from .answer_end import read_end, read_usage, stop_word
from .answer_fields import load
from .answer_places import locate
from .call import DispatchError
from .wire_formats import format_of

_IDS = ("id", "responseId")
_LONGEST_ID = 1_000
_MODELS = ("model", "modelVersion")


class AnswerFacts(Struct, frozen=True, kw_only=True):
    """What an answer says of itself.

    Attributes:
        id: the provider's id of the answer; "" for none.
        model: the model that gave it; "" where the answer does not say.
        stop: the provider's reason to stop, as it writes it; "" for none.
        usage: the tokens that it used; None where it states none.
        failed: whether it says that the provider failed.
    """

    id: str = ""
    model: str = ""
    stop: str = ""
    usage: Usage | None = None
    failed: bool = False


def read_facts(response: Any, format: str) -> AnswerFacts:
    """Read what an answer says of itself.

    Args:
        response: the answer: a dict, JSON text, or the official client's object.
        format: name of a wire format, or of a provider that uses one.

    Returns:
        The facts.

    Raises:
        DispatchError: the response cannot be read.
        ValueError: the format does not exist.
    """
    response = load(response)
    return AnswerFacts(
        id=_first(response, _IDS),
        model=_first(response, _MODELS),
        stop=stop_word(response, format_of(format)),
        usage=read_usage(response, format),
        failed=read_end(response, format).reason == "provider_error",
    )


def read_container(response: Any, format: str) -> str:
    """Read the container in which the provider runs code of the model.

    Anthropic wants it in the next request, while calls of a program wait for their results.

    Args:
        response: the answer: a dict, JSON text, or the official client's object.
        format: name of a wire format, or of a provider that uses one.

    Returns:
        Its id; "" where the answer names none, or one of more than 1,000 characters or with half of a
        surrogate pair, which no next request could name.

    Raises:
        DispatchError: the response cannot be read.
        ValueError: the format does not exist.
    """
    known = format_of(format)
    response = load(response)
    try:
        found = locate(response, known.container)[0] if known.container else None
    except DispatchError:
        return ""  # of a form that nobody documents
    if not isinstance(found, str) or len(found) > _LONGEST_ID or not is_encodable(found):
        return ""
    return str.__str__(found)


def _first(response: Any, keys: tuple[str, ...]) -> str:
    for key in keys:
        found = locate(response, (key,))[0]
        if isinstance(found, str) and found:
            return str.__str__(found)
    return ""
