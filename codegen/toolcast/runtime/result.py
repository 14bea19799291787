"""The result of a tool call, and the images, audio and files that it may hold."""

import binascii
import re
from collections.abc import Mapping
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct

from ..jsonschema.json_values import JsonObject
from .bounded_json import UnreadableJSONError, read_json
from .codec import EXTRA
from .repairs.repair import Repair

_Kind = Literal["text", "image", "audio", "file", "tool"]

# RFC 6838 names: nothing that could leave the data URL or the JSON string in which it ends up.
_MEDIA_TYPE = r"(?a)[A-Za-z0-9][\w.+-]{0,126}/[A-Za-z0-9][\w.+-]{0,126}"


class Content(Struct, frozen=True, kw_only=True):
    """One piece of a result beside its text.

    Providers get it in the form that their results have for it, or described in words.

    Attributes:
        kind: "text", "image", "audio", "file", or "tool" for a definition that a search found: `data` is the
            provider's JSON of it, `name` the tool's.
        text: the text of a piece of kind "text".
        data: the bytes of any other piece, not encoded.
        media_type: a media type without parameters, such as `image/png`.
        name: a file name without its folder.
        uri: the URI of a resource that a file is; MCP clients are sent it, with the resource's text if it has
            one.

    Raises:
        ValueError: `kind` or `media_type` is not valid. All ways to make a piece raise it.
        TypeError: `text`, `name` or `uri` is not str, or `data` is not bytes; so, too.
    """

    kind: _Kind
    text: str = ""
    data: bytes = b""
    media_type: str = "text/plain"
    name: str = ""
    uri: str = ""

    def __post_init__(self) -> None:
        # A Struct that is constructed checks no types; a wrong one would fail while an answer is rendered.
        if self.kind not in get_args(_Kind):
            raise ValueError(f"kind must be 'text', 'image', 'audio', 'file' or 'tool', not {self.kind!r}.")
        if not isinstance(self.text, str) or not isinstance(self.name, str) or not isinstance(self.uri, str):
            raise TypeError("text, name and uri must be str.")
        if not isinstance(self.data, bytes):
            raise TypeError(
                f"data must be bytes, not {type(self.data).__name__}; for base64 use from_base64."
            )
        if not isinstance(self.media_type, str) or not re.fullmatch(_MEDIA_TYPE, self.media_type):
            raise ValueError(f"media_type must look like 'image/png', not {self.media_type!r:.80}.")

    @classmethod
    def of(cls, text: str) -> "Content":
        """Make a text that follows `output`."""
        return cls(kind="text", text=text)

    @classmethod
    def image(cls, data: bytes, media_type: str) -> "Content":
        """Make an image from `data`, its bytes, and a `media_type` such as `image/png`."""
        return cls(kind="image", data=data, media_type=media_type)

    @classmethod
    def audio(cls, data: bytes, media_type: str) -> "Content":
        """Make an audio clip from `data`, its bytes, and a `media_type` such as `audio/wav`."""
        return cls(kind="audio", data=data, media_type=media_type)

    @classmethod
    def file(cls, data: bytes, media_type: str, name: str = "") -> "Content":
        """Make a file of another type from `data`, its bytes, and a `media_type` such as `application/pdf`;
        `name` is without its folder."""
        return cls(kind="file", data=data, media_type=media_type, name=name)

    @classmethod
    def resource(cls, uri: str, data: str | bytes, media_type: str = "") -> "Content":
        """Make a resource, embedded with its content: a file named by the last part of the URI.

        Args:
            uri: its URI.
            data: text or bytes.
            media_type: such as `text/markdown`; by default `text/plain` for a text, else
                `application/octet-stream`.

        Raises:
            TypeError: `uri` is not str, or `data` is neither text nor bytes.
        """
        if not isinstance(uri, str):
            raise TypeError(f"uri must be str, not {type(uri).__name__}.")
        if isinstance(data, str):
            media_type, data = media_type or "text/plain", data.encode("utf-8", "replace")
        name = uri.rstrip("/").rpartition("/")[2]
        return cls(
            kind="file", data=data, media_type=media_type or "application/octet-stream", name=name, uri=uri
        )

    @classmethod
    def from_base64(cls, kind: _Kind, data: str | bytes, media_type: str, name: str = "") -> "Content":
        """Make a piece, of kind "image", "audio" or "file", from base64.

        Args:
            kind: its kind.
            data: base64 text.
            media_type: such as `image/png`.
            name: file name without its folder.

        Raises:
            ValueError: also if `data` is not base64.
        """
        try:
            raw = binascii.a2b_base64(data, strict_mode=True)
        except (binascii.Error, ValueError) as problem:
            raise ValueError(f"data is not base64: {problem}.") from None
        return cls(kind=kind, data=raw, media_type=media_type, name=name)

    @property
    def base64(self) -> str:
        """`data` as base64."""
        return binascii.b2a_base64(self.data, newline=False).decode()

    @property
    def data_url(self) -> str:
        """`data` as a URL (RFC 2397)."""
        return f"data:{self.media_type};base64,{self.base64}"

    def __repr__(self) -> str:
        """Return a short form: the bytes of an image do not belong in a log."""
        if self.kind == "text":
            return f"Content.of({self.text!r})"
        return f"Content({self.kind}, {self.media_type}, {len(self.data)} bytes)"


class ToolResult(Struct, frozen=True):
    """The outcome of one call. An ordinary failure is a result too; only a bug is an exception.

    Attributes:
        success: whether the call did what it was asked to.
        output: the text for the model.
        data: the typed value behind the text: a result Struct, or anything. An `ArgumentHint` if the call
            lacks arguments, or was refused with the tool's full schema; a `RetryHint` if its handler asks for
            another.
        error: the text that tells the model what to change; empty exactly if `success` is true.
        content: images, audio, files and further text that follow `output`.
        repairs: corrections of the tool's name, and by guesses in its arguments; at most 50.
        own_text: whether `output` is a text of its own, as `text` of the spec says, and not the JSON of
            `data`.

    Raises:
        TypeError: `output` or `error` is not str; typed values belong in `data`.
    """

    success: bool
    output: str = ""
    data: Any = None
    error: str = ""
    content: tuple[Content, ...] = ()
    repairs: tuple[Repair, ...] = ()
    own_text: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.output, str) or not isinstance(self.error, str):
            kind = type(self.error if isinstance(self.output, str) else self.output).__name__
            raise TypeError(
                f"output and error must be text, not {kind}. Return a typed value itself, or give it as data."
            )

    @classmethod
    def ok(cls, output: str = "", data: object = None, content: tuple[Content, ...] = ()) -> "ToolResult":
        """Make a success. Raises TypeError if `output` is not str.

        Args:
            output: the text for the model.
            data: the typed value behind it.
            content: pieces that follow the text.
        """
        return cls(success=True, output=output, data=data, content=content)

    @classmethod
    def failed(cls, error: str) -> "ToolResult":
        """Make a failure. `error` says what happened and what the model can change. Raises TypeError if it is
        not str."""
        return cls(success=False, error=error)


def words(result: ToolResult) -> str:
    """Return a result's text for the model. A failure may have come with output: both count."""
    if result.success:
        return result.output
    return "\n".join(text for text in (result.error, result.output) if text) or "The tool failed."


def structured(result: ToolResult) -> object:
    """Return the result as JSON data; UNSET if its text is not that of its typed value, or was cut."""
    data = result.data
    if not result.success or data is None or result.own_text:
        return msgspec.UNSET
    if isinstance(data, str):
        return data if data == result.output else msgspec.UNSET
    try:
        value = read_json(result.output)
    except UnreadableJSONError:
        return msgspec.UNSET
    # "5" or "[5]" with a Struct is a handler's own text.
    if isinstance(value, list):
        same = not _is_object(data)
    else:
        same = _has_members(data, value) if isinstance(value, dict) else isinstance(data, (bool, int, float))
    return value if same else msgspec.UNSET


def _has_members(data: object, value: JsonObject) -> bool:
    """Tell whether an object can be the text of a Struct, which has none but its own members."""
    if not isinstance(data, Struct) or hasattr(data, EXTRA) or not value:
        return True
    return any(name in value for name in data.__struct_encode_fields__)


def _is_object(data: object) -> bool:
    if isinstance(data, msgspec.Struct):
        return not data.__struct_config__.array_like
    return isinstance(data, Mapping)
