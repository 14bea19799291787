"""A call as a provider's answer holds it, and the one error of this room."""

from typing import Any

from msgspec import Struct


class DispatchError(ValueError):
    """An answer or a stream that is not what its format says. The text names the path and what is there."""


class Call(Struct, frozen=True, kw_only=True):
    """One tool call of an answer.

    `arguments` are as the provider sent them: JSON text, or an object that is parsed already. Whether they
    are JSON at all is for the bridge to say. `index` is the call's place among the calls of its answer.
    `id` is the provider's; where an id is needed and the provider sent none, or sent one twice, it is made
    up, the same one each time. `cut` says that the answer ended inside of this call. `repeated` is what the
    result must say again of its call, beside the id.
    """

    id: str
    name: str
    arguments: bytes | str | dict[str, Any]
    index: int
    cut: bool = False
    repeated: dict[str, Any] = {}
