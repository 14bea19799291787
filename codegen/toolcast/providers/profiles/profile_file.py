"""One profile's file: its data, and the line of each key, for messages."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from msgspec import Struct

from .profile_error import ProfileError, ProfileProblem


class ProfileFile(Struct, frozen=True, kw_only=True):
    """A file as it was read.

    Attributes:
        path: its path.
        text: its text.
        data: the TOML of the text, which no one changes.
    """

    path: Path
    text: str
    data: dict[str, Any]

    @property
    def id(self) -> str:
        """The id that the file states. Raises `ProfileError`."""
        id = self.data.get("id")
        if isinstance(id, str):
            return id
        message = "'id' must be a string" if "id" in self.data else "'id' is missing"
        raise ProfileError.of([self.problem(message, 'write id = "acme"', "id")])

    def problem(self, message: str, hint: str, *keys: str) -> ProfileProblem:
        """A problem, at the line of the innermost of `keys` that the text has."""
        return ProfileProblem(file=str(self.path), line=_line(self.text, keys), message=message, hint=hint)


def read_profile_file(path: str | Path) -> ProfileFile:
    """Read a file of TOML.

    Args:
        path: path of the file.

    Returns:
        The file; its data are not checked.

    Raises:
        ProfileError: the file cannot be read, or is not TOML.
    """
    path, line = Path(path), 0
    try:
        if path.is_file():  # a pipe would be waited for
            text = path.read_bytes().decode("utf-8")
            return ProfileFile(path=path, text=text, data=tomllib.loads(text))
        message = "is no regular file" if path.exists() else "cannot be read: No such file or directory"
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError as error:
        message = f"is not TOML: {error}"
    except tomllib.TOMLDecodeError as error:
        message, line = _message_and_line(str(error))
    raise ProfileError.of([ProfileProblem(file=str(path), line=line, message=message)])


def _message_and_line(error: str) -> tuple[str, int]:
    """The message of `tomllib`, and its line; 0 for the end of the file."""
    found = re.search(r" \(at line (\d+), column (\d+)\)$", error)
    if not found:
        return f"is not TOML: {error}", 0
    return f"is not TOML, in column {found[2]}: {error[: found.start()]}", int(found[1])


def _line(text: str, keys: tuple[str, ...]) -> int:
    """The line of `keys` in TOML text, of its table if the key itself is not found; 0 if neither is.

    `tomllib` keeps no positions, so the text is searched.
    """
    best, within = 0, not keys[:-1]
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[\s*([^\[\]]+?)\s*\]", line)
        if header:
            table = tuple(part.strip().strip("\"'") for part in header[1].split("."))
            if table == keys:
                return number
            within = table == keys[:-1]
            best = number if within or (not best and table == keys[: len(table)]) else best
        elif within and keys and re.match(rf"\s*[\"']?{re.escape(keys[-1])}[\"']?\s*[=.]", line):
            return number
    return best
