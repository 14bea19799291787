"""The templates, built in or overridden by file name. With overrides they run in a sandbox."""

import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from jinja2 import Environment, FunctionLoader

from ....package_files import templates_dir
from .sandbox import OPTIONS, BoundedSandbox

Overrides = str | tuple[tuple[str, str], ...]
"""What replaces built-in templates of the same name: the files of a folder, or names and texts."""

_MAX_TEMPLATE = 256 * 1024
"""Bytes of one template of a project."""
_MAX_TEMPLATES = 256
"""Templates that a project may have."""


class TemplateFailedError(ValueError):
    """A template cannot be read, compiled or rendered; the message names it and the reason."""


class Templates:
    """Templates that are compiled on first use. An unknown variable is an error, never an empty string."""

    def __init__(self, overrides: Overrides = ()) -> None:
        """Read the templates. Raises TemplateFailedError for a folder that cannot be read."""
        texts = {path.name: path.read_text(encoding="utf-8") for path in templates_dir().glob("*.jinja")}
        texts.update(read_templates(Path(overrides)) if isinstance(overrides, str) else overrides)

        def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
            return (texts[name], name, lambda: True) if name in texts else None

        loader = FunctionLoader(load)
        self._sandbox = BoundedSandbox(loader) if overrides else None
        self._environment = self._sandbox or Environment(loader=loader, **OPTIONS)

    def load(self, *names: str) -> None:
        """Compile templates now, so that processes that are forked later have them."""
        for name in names:
            self._environment.get_template(name)

    def render(self, name: str, **values: object) -> str:
        """Render a template. Raises TemplateFailedError, which names the template and line."""
        try:
            with self._sandbox.rendering() if self._sandbox else nullcontext():
                return self._environment.get_template(name).render(**values)
        except Exception as error:  # whatever the project's template does wrong
            raise _failed(name, error) from error


def read_templates(folder: Path, *, staged: bool = False) -> tuple[tuple[str, str], ...]:
    """Read a project's templates: names (posix, below `folder`) and texts, sorted by name.

    Raise TemplateFailedError for a folder or file that cannot be read, for what is too large, and for a link
    that leads out of the folder: its target would be printed into the output. `staged`: a build engine made
    the links.
    """
    if not folder.is_dir():
        raise TemplateFailedError(f"there is no folder {folder.name!r} of templates")
    paths = sorted(folder.rglob("*.jinja"))
    if len(paths) > _MAX_TEMPLATES:
        raise TemplateFailedError(f"{folder.name} holds more than {_MAX_TEMPLATES} templates")
    root = os.path.realpath(folder)
    return tuple((path.relative_to(folder).as_posix(), _text(path, root, staged=staged)) for path in paths)


def _text(path: Path, root: str, *, staged: bool) -> str:
    target = os.path.realpath(path)
    if not staged and not target.startswith(root + os.sep):
        raise TemplateFailedError(f"{path.name}: this link leads out of the folder of templates")
    if not Path(target).is_file():
        raise TemplateFailedError(f"{path.name}: the template is no file")
    try:
        with open(target, "rb") as file:  # noqa: PTH123 - beside `realpath`
            data = file.read(_MAX_TEMPLATE + 1)
        if len(data) > _MAX_TEMPLATE:
            raise TemplateFailedError(f"{path.name}: larger than {_MAX_TEMPLATE} bytes")
        return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TemplateFailedError(f"{path.name}: the template cannot be read: {error}") from error


def _failed(name: str, error: Exception) -> TemplateFailedError:
    """An error with the innermost template and line that it passed."""
    place, trace = name, error.__traceback__
    while trace is not None:
        if (file := trace.tb_frame.f_code.co_filename).endswith(".jinja"):
            place = f"{file}:{trace.tb_lineno}"
        trace = trace.tb_next
    if (line := getattr(error, "lineno", None)) is not None:  # of a syntax error
        place = f"{getattr(error, 'name', None) or name}:{line}"
    return TemplateFailedError(f"{place}: {type(error).__name__}: {str(error)[:300]}")
