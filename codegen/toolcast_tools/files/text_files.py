"""Text of files: how bytes are decoded, what is no text, and lines with their numbers."""

from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct
from toolcast.hidden_characters import escape_hidden
from toolcast.runtime import RefusalError

from ..byte_order_marks import byte_order_mark
from ..generated.files.file_read import FileReadResult
from ..workspace.path_errors import shown

_ESCAPES = str.maketrans({"\n": "\\n", "\t": "\\t"})


def shown_path(path: str) -> str:
    """Return a path with control characters, hidden characters and bytes that are no UTF-8 as JSON escapes
    them.
    """
    return escape_hidden(path).translate(_ESCAPES)


_Encoding = Literal["utf-8", "utf-16", "latin-1"]

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
        """Return the bytes of `text` in this file's encoding, with its line ends. Raises UnicodeEncodeError:
        the encoding lacks a character.
        """
        if self.line_end != "\n":
            text = text.replace("\n", self.line_end)
        return self.mark + text.encode(self.encoding)


def decode_text(data: bytes, path: str, encoding: _Encoding | None = None) -> TextFile:
    """Decode a file.

    Raises RefusalError: it is no text, or not in that encoding.

    Args:
        path: as the model wrote it, for errors.
        encoding: how to decode what has no byte order mark; None for UTF-8, or Latin-1 where it is none.
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
    """Count the lines of a text; a line feed at its end begins no other line."""
    return text.count("\n") + (text != "" and not text.endswith("\n"))


def _split_lines(text: str, count: int) -> list[str]:
    """Return the first lines of a text, without their ends: `count`, or all where it has fewer."""
    lines = text.split("\n", count)
    if len(lines) > count or not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _number_lines(lines: list[str], first: int, longest: int) -> str:
    """Return lines with their numbers and a tab, each cut to `longest` characters."""
    return "\n".join(f"{number}\t{line[:longest]}" for number, line in enumerate(lines, first))


def _kind(data: bytes) -> str:
    return _signature(data) or "of an unknown format"


def _signature(data: bytes) -> str | None:
    return next((kind for start, kind in _SIGNATURES if data.startswith(start)), None)


def _other(codec: str) -> str:
    others = [name for name in ("utf-8", "utf-16", "latin-1") if not codec.startswith(name)]
    return f"Read it with another encoding: {' or '.join(others)}."


_MOST_LINES: Final = 2000
"""Lines that one call returns."""
_CONTEXT: Final = 3
_PLACES: Final = 5
_SNIPPET: Final = 60
_LONGEST_LINE: Final = 2000
"""Characters of a line that are shown."""


def read_lines(text: str, path: str, line_range: Sequence[int] | None) -> FileReadResult:
    """Number the lines of a text, or some of them.

    Returns at most 2000 lines, each of at most 2000 characters. Raises RefusalError: the range is empty or
    begins after the last line.

    Args:
        text: of the file.
        path: as the model wrote it, for errors.
        line_range: first and last line, from 1; None for the first 2000.
    """
    total = count_lines(text)
    if line_range is None:
        first, last = min(1, total), min(total, _MOST_LINES)
        wanted = total
    else:
        first, wanted = line_range
        if wanted < first:
            raise RefusalError(
                f"The line range ends before it begins: [{first}, {wanted}]. Give the first line first."
            )
        if first > total:
            raise RefusalError(
                f"{shown(path)} has {_counted(total)}; line {first} is beyond its end. Give another range."
            )
        wanted = min(wanted, total)
        last = min(wanted, first + _MOST_LINES - 1)
    block = _split_lines(text, last)[max(first - 1, 0) : last]
    return FileReadResult(
        content=_number_lines(block, first, _LONGEST_LINE),
        first_line=first,
        last_line=last,
        total_lines=total,
        truncated=last < wanted or any(len(line) > _LONGEST_LINE for line in block),
    )


def snippet(text: str, offsets: Sequence[int], removed: int, new: str) -> str:
    """Return the lines that an edit changed, with three lines around them: at most 60 lines, numbered; "…"
    stands between blocks and for what is left out.

    Args:
        text: after the edit.
        offsets: where the occurrences began in the text before; the first five are shown.
        removed: characters of the text that was replaced.
    """
    blocks: list[list[int]] = []
    for index, offset in enumerate(offsets[:_PLACES]):
        first = text.count("\n", 0, offset + index * (len(new) - removed)) + 1
        start, end = max(1, first - _CONTEXT), first + max(1, count_lines(new)) - 1 + _CONTEXT
        if blocks and start <= blocks[-1][1] + 1:
            blocks[-1][1] = end
        else:
            blocks.append([start, end])
    shown_lines: list[str] = []
    room = _SNIPPET
    lines = _split_lines(text, blocks[-1][1])
    for start, end in blocks:
        block = lines[start - 1 : min(end, start - 1 + room)]
        room -= len(block)
        shown_lines += [_number_lines(block, start, _LONGEST_LINE), "…"]
    if len(offsets) <= _PLACES and room > 0:
        shown_lines.pop()
    return "\n".join(filter(None, shown_lines))


def _counted(lines: int) -> str:
    return f"{lines} line{'' if lines == 1 else 's'}" if lines else "no lines"
