"""Output that no terminal's encoding can stop."""

import codecs
import io
import sys

_NAME = "toolcast-escape"


def write_anything() -> None:
    """Let stdout and stderr write what their encoding lacks as `\\uXXXX`, which JSON reads back."""
    codecs.register_error(_NAME, _escape)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_NAME)


def _escape(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    words = (units[at : at + 2].hex() for at in range(0, len(units), 2))
    return "".join(f"\\u{word}" for word in words), error.end
