"""Text of files: how bytes are decoded, what is no text, and where lines end."""

from typing import Final, Literal

from msgspec import Struct

from ...runtime import RefusalError
from ...runtime.workspace.path_errors import shown
from ..byte_order_marks import byte_order_mark

Encoding = Literal["utf-8", "utf-16", "latin-1"]

_SIGNATURES: Final = (
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"\x1f\x8b", "data compressed by gzip"),
    (b"BZh", "data compressed by bzip2"),
    (b"\xfd7zXZ\x00", "data compressed by xz"),
    (b"(\xb5/\xfd", "data compressed by Zstandard"),
    (b"7z\xbc\xaf'\x1c", "a 7z archive"),
    (b"\x7fELF", "a program or library (ELF)"),
    (b"MZ", "a program or library (Windows)"),
    (b"\xcf\xfa\xed\xfe", "a program or library (Mach-O)"),
    (b"\xca\xfe\xba\xbe", "a Java class or a program (Mach-O)"),
    (b"\x00asm", "a WebAssembly module"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"OggS", "Ogg audio or video"),
    (b"ID3", "MP3 audio"),
    (b"RIFF", "WAV audio, AVI video or a WebP image"),
)


class TextFile(Struct, frozen=True):
    """A file's text, and what is needed to write it as it was.

    Attributes:
        text: without the byte order mark; lines end in "\\n" where `line_end` says that they all end alike.
        encoding: Python's name of the codec.
        mark: the byte order mark at its start, or nothing.
        line_end: "\\r\\n" where all lines end so, "\\n" otherwise.
    """

    text: str
    encoding: str
    mark: bytes
    line_end: str

    def encode(self, text: str) -> bytes:
        """Bytes of `text` in this file's encoding, with its line ends.

        Raises:
            UnicodeEncodeError: the encoding lacks a character.
        """
        if self.line_end != "\n":
            text = text.replace("\n", self.line_end)
        return self.mark + text.encode(self.encoding)


def decode_text(data: bytes, path: str, encoding: Encoding | None = None) -> TextFile:
    """Decode a file.

    Args:
        data: its content.
        path: as the model wrote it, for errors.
        encoding: how to decode what has no byte order mark; None for UTF-8, or Latin-1 where it is none.

    Returns:
        Its text.

    Raises:
        RefusalError: it is no text, or not in that encoding.
    """
    mark, marked = byte_order_mark(data)
    codec = marked or ("utf-16-le" if encoding == "utf-16" else encoding or "utf-8")
    body = data[len(mark) :]
    if not codec.startswith("utf-16") and b"\0" in body:
        raise RefusalError(
            f"{shown(path)} is binary ({_kind(data)}, {len(data):,} bytes), not text. Use a tool that knows "
            "its format, or tell the user. If it is UTF-16 without a byte order mark, set encoding to utf-16."
        )
    try:
        text = body.decode(codec)
    except UnicodeDecodeError as problem:
        if encoding is None and codec == "utf-8":
            codec, text = "latin-1", body.decode("latin-1")
        else:
            line = body.count(b"\n", 0, problem.start) + 1
            kind = _signature(data)
            raise RefusalError(
                f"{shown(path)} is no text in {codec}: byte {len(mark) + problem.start + 1}, in line {line}, "
                f"does not fit. {f'It is {kind}.' if kind else _other(codec)}"
            ) from problem
    if "\0" in text:
        raise RefusalError(
            f"{shown(path)} is binary ({_kind(data)}, {len(data):,} bytes), not text in {codec}. Use a tool "
            "that knows its format, or tell the user."
        )
    breaks = text.count("\n")
    if breaks and text.count("\r\n") == breaks:
        return TextFile(text.replace("\r\n", "\n"), codec, mark, "\r\n")
    return TextFile(text, codec, mark, "\n")


def count_lines(text: str) -> int:
    """How many lines a text has; a line feed at its end begins no other line."""
    return text.count("\n") + (text != "" and not text.endswith("\n"))


def split_lines(text: str, count: int) -> list[str]:
    """The first lines of a text, without their ends: `count`, or all where it has fewer."""
    lines = text.split("\n", count)
    if len(lines) > count or not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def number_lines(lines: list[str], first: int, longest: int) -> str:
    """Lines with their numbers and a tab, each cut to `longest` characters."""
    return "\n".join(f"{number}\t{line[:longest]}" for number, line in enumerate(lines, first))


def _kind(data: bytes) -> str:
    return _signature(data) or "of an unknown format"


def _signature(data: bytes) -> str | None:
    return next((kind for start, kind in _SIGNATURES if data.startswith(start)), None)


def _other(codec: str) -> str:
    others = [name for name in ("utf-8", "utf-16", "latin-1") if not codec.startswith(name)]
    return f"Read it with another encoding: {' or '.join(others)}."
