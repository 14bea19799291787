"""Types of files by their names, as ripgrep has them; `file_types.toml` is its table."""

import re
import tomllib
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import translate
from functools import cache
from pathlib import Path

from ...runtime import RefusalError


@cache
def file_types() -> dict[str, tuple[str, ...]]:
    """The patterns of file names of each type, by its name."""
    data = (Path(__file__).parent / "file_types.toml").read_text(encoding="utf-8")
    return {name: tuple(patterns) for name, patterns in tomllib.loads(data)["types"].items()}


def patterns_of(types: Sequence[str]) -> tuple[str, ...]:
    """The patterns of file names of any of some types; none for no types.

    Raises:
        RefusalError: a type is not known.
    """
    known = file_types()
    for name in types:
        if name not in known:
            near = get_close_matches(name, known, cutoff=0.5)
            hint = f"Near are {', '.join(near)}. " if near else ""
            raise RefusalError(
                f"There is no file type {name!r}. {hint}Types have the names that ripgrep has for them, "
                "such as py, rust, ts, md and json; use glob for other files."
            )
    return tuple(dict.fromkeys(pattern for name in types for pattern in known[name]))


@cache
def name_expression(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """What a file's name has to match in full to match one of some patterns."""
    return re.compile("|".join(map(translate, patterns)))
