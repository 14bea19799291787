"""The templates, built in or overridden by file name."""

import contextlib
import os
import sys
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from jinja2 import (
    BaseLoader,
    BytecodeCache,
    ChoiceLoader,
    DictLoader,
    Environment,
    FileSystemLoader,
    StrictUndefined,
    compiler,
)
from jinja2.bccache import Bucket

from ..paths import templates_dir

Overrides = str | tuple[tuple[str, str], ...]
"""What stands in for built-in templates of the same name: the files of a folder, or names and texts."""


class Templates:
    """Compiled templates. An unknown variable is an error, never an empty string."""

    def __init__(self, overrides: Overrides | None = None) -> None:
        loaders: list[BaseLoader] = [FileSystemLoader(templates_dir(), encoding="utf-8")]
        if isinstance(overrides, tuple):
            loaders.insert(0, DictLoader(dict(overrides)))
        elif overrides:
            loaders.insert(0, FileSystemLoader(overrides, encoding="utf-8"))
        self._environment = Environment(
            loader=ChoiceLoader(loaders),
            undefined=StrictUndefined,
            autoescape=False,  # Python source, and every string arrives as a literal
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            auto_reload=False,
            bytecode_cache=None if overrides else _Compiled(),
        )

    def load(self, name: str) -> None:
        """Compile template `name` now. Raises jinja2.TemplateError."""
        self._environment.get_template(name)

    def render(self, name: str, **values: Any) -> str:
        """The text of template `name`. Raises jinja2.TemplateError, which names the template and line."""
        return self._environment.get_template(name).render(**values)


_HINDRANCES = (OSError, EOFError, ValueError, TypeError, NotImplementedError)
"""A folder that cannot be written, a damaged file, a Python that keeps no bytecode."""


class _Compiled(BytecodeCache):
    """The built-in templates as bytecode, where Python keeps that of this module, and by its rules.

    Jinja itself looks whether the text of the template and the version of Python are the same; the state of
    this module and of Jinja's compiler stands in the first line.
    """

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill `bucket`, unless nothing fit for it is kept."""
        with contextlib.suppress(*_HINDRANCES), _place(bucket).open("rb") as file:
            if file.readline() == _state():
                bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what is in `bucket`; a folder that cannot be written is no fault."""
        if sys.dont_write_bytecode:
            return
        with contextlib.suppress(*_HINDRANCES):
            place = _place(bucket)
            temporary = place.with_name(f"{place.name}.{os.getpid()}")
            try:
                with temporary.open("wb") as file:
                    file.write(_state())
                    bucket.write_bytecode(file)
                temporary.replace(place)
            finally:
                temporary.unlink(missing_ok=True)


def _place(bucket: Bucket) -> Path:
    return Path(cache_from_source(__file__)).with_suffix(f".{bucket.key}.jinja")


def _state() -> bytes:
    states = [Path(str(file)).stat() for file in (__file__, compiler.__file__)]
    return " ".join(f"{state.st_mtime_ns} {state.st_size}" for state in states).encode() + b"\n"
