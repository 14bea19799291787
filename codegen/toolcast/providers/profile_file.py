"""The file of a profile: its text as TOML, its id, and where in it something is wrong."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from .errors import ProfileError, ProfileProblem
from .profile_check import line_of


def read_file(path: Path) -> tuple[dict[str, Any], str]:
    """What a file says, and its text. Raises `ProfileError`."""
    try:
        if not path.is_file():  # a pipe would be waited for
            raise ProfileError.of([ProfileProblem(file=str(path), message=_absent(path))])
        text = path.read_bytes().decode("utf-8")
        return tomllib.loads(text), text
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError as error:
        message = f"is not TOML: {error}"
    except tomllib.TOMLDecodeError as error:
        what, line = _placed(str(error))
        raise ProfileError.of([ProfileProblem(file=str(path), line=line, message=what)]) from None
    raise ProfileError.of([ProfileProblem(file=str(path), message=message)])


def _absent(path: Path) -> str:
    return "is no regular file" if path.exists() else "cannot be read: No such file or directory"


def _placed(error: str) -> tuple[str, int]:
    """What `tomllib` says, and the line that it says it of; 0 for the end of the file."""
    found = re.search(r" \(at line (\d+), column (\d+)\)$", error)
    if not found:
        return f"is not TOML: {error}", 0
    return f"is not TOML, in column {found[2]}: {error[: found.start()]}", int(found[1])


def id_of(file: str | Path) -> str:
    """The id that a profile's file states, and nothing more of it. Raises `ProfileError`."""
    raw, text = read_file(Path(file))
    if not isinstance(raw.get("id"), str):
        message, hint = "'id' is missing" if "id" not in raw else "'id' must be a string", 'write id = "acme"'
        raise error_at(file, text, ("id",), message, hint)
    return str(raw["id"])


def error_at(path: str | Path, text: str, keys: tuple[str, ...], message: str, hint: str) -> ProfileError:
    """One thing that is wrong, at the line that holds the innermost of `keys` that stands there."""
    return ProfileError.of([problem_at(path, text, message, hint, *keys)])


def problem_at(path: str | Path, text: str, message: str, hint: str, *keys: str) -> ProfileProblem:
    """See `error_at`."""
    return ProfileProblem(file=str(path), line=line_of(text, keys), message=message, hint=hint)
