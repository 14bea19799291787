"""A tool call of a provider's answer, its id, and the pieces in which a streamed answer comes.

Providers give ids to their own calls. Other ids come into a request where a conversation moves from one
provider to another, and where a server sends no id, or the same one twice.
"""

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from ...jsonschema.json_values import JsonObject

TOOL_SEARCH: Final = "tool_search"
"""The name under which a model asks the program for tools."""

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class IdRule(Struct, frozen=True):
    """The pattern of a whole id that a provider takes, and the length and prefix of those made here."""

    pattern: str
    length: int = 24
    prefix: str = "call_"

    def fits(self, id: str) -> bool:
        return re.fullmatch(self.pattern, id) is not None

    def make(self, seed: str) -> str:
        """Make an id of this form, always the same for one seed."""
        number = int.from_bytes(sha256(seed.encode("utf-8", "surrogatepass")).digest(), "big")
        letters = ""
        for _ in range(self.length):
            number, rest = divmod(number, len(_ALPHABET))
            letters += _ALPHABET[rest]
        return self.prefix + letters


def wire_ids(ids: Iterable[str], rule: IdRule) -> dict[str, str]:
    """Map ids to those that are sent; different ids to different ones, so that the mapping can be inverted.

    An id that the provider takes stays. Others depend on themselves alone, and on their order where two meet.
    """
    wanted = dict.fromkeys(ids)
    sent = {id: id for id in wanted if rule.fits(id)}
    taken = set(sent)
    for id in wanted:
        if id not in sent:
            made, turn = rule.make(id), 0
            while made in taken:
                turn += 1
                made = rule.make(f"{id}\n{turn}")
            sent[id] = made
            taken.add(made)
    return sent


def distinct(ids: Iterable[str], rule: IdRule, seeds: Iterable[str]) -> list[str]:
    """Return the ids of an answer's calls, each once: a missing or repeated one is made from its seed."""
    out: list[str] = []
    original = list(ids)
    taken = set(original)
    used: set[str] = set()
    for id, seed in zip(original, seeds, strict=True):
        if not id or id in used:
            id, turn = rule.make(seed), 0
            while id in taken:
                turn += 1
                id = rule.make(f"{seed}\n{turn}")
            taken.add(id)
        used.add(id)
        out.append(id)
    return out


class DispatchError(ValueError):
    """An answer or a stream that does not fit its format. The text has the path and what is there."""


class Call(Struct, frozen=True, kw_only=True):
    """One tool call of an answer.

    Attributes:
        id: the provider's id; a missing or repeated one is made up, the same each time.
        name: name of the tool.
        arguments: as the provider sent them: JSON text, or a parsed object. `execute` validates them.
        index: position among the calls of the answer, from 0.
        cut: whether the answer ended inside this call, or none of its calls can be relied on: it was
            filtered, has a call that cannot be read, or the provider failed.
        custom: whether it calls a custom tool of OpenAI's, with free text for arguments.
        search: whether it is a search for tools, of a type of its own.
        older: whether it is the one `function_call` of OpenAI's older API, which has no id there.
        repeated: members of the call that its result must repeat, beside the id.
        caller: "model", or "code" for the model's program that the provider runs; None where unknown.
    """

    id: str
    name: str
    arguments: bytes | str | JsonObject
    index: int
    cut: bool = False
    custom: bool = False
    search: bool = False
    older: bool = False
    repeated: JsonObject = {}
    caller: Literal["model", "code"] | None = None


class TextPiece(Struct, frozen=True):
    """Text for the user.

    Attributes:
        text: the next piece.
    """

    text: str


class ThinkingPiece(Struct, frozen=True):
    """Text of the model's reasoning, as far as its provider shows it.

    Attributes:
        text: the next piece.
    """

    text: str


class CallBegun(Struct, frozen=True):
    """The model begins to write a call. It is not carried out before the answer is whole.

    Attributes:
        index: position among the calls of the answer, from 0.
        name: name of the tool.
        id: the provider's id of the call, or "".
    """

    index: int
    name: str
    id: str = ""


class ArgumentsPiece(Struct, frozen=True):
    """The next piece of a call's arguments.

    Attributes:
        index: `index` of the call's `CallBegun`.
        text: the piece: of the arguments' JSON, of a custom tool's text, or of the value of `key`.
        key: the parameter, where a text format writes values one by one; else "".
    """

    index: int
    text: str
    key: str = ""


class Discarded(Struct, frozen=True):
    """All pieces so far count for nothing: the model is asked again, or they were a thought."""


Piece: TypeAlias = TextPiece | ThinkingPiece | CallBegun | ArgumentsPiece | Discarded
"""A piece of a streamed answer."""
