"""Byte order marks: what the first bytes of a text say of its encoding."""

import codecs
from typing import Final

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def byte_order_mark(data: bytes) -> tuple[bytes, str]:
    """Find the byte order mark of a text.

    Returns the mark, and the encoding that it stands for; nothing and "" where there is none.

    Args:
        data: the text, or its first three bytes.
    """
    return next(((mark, encoding) for mark, encoding in _MARKS if data.startswith(mark)), (b"", ""))
