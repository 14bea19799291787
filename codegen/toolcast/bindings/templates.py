"""The templates, built in or overridden by file name."""

from typing import TYPE_CHECKING, Any

from ..paths import templates_dir
from .plain import Render, translate

if TYPE_CHECKING:
    from jinja2 import Environment

Overrides = str | tuple[tuple[str, str], ...]
"""What stands in for built-in templates of the same name: the files of a folder, or names and texts."""


class Templates:
    """Compiled templates. An unknown variable is an error, never an empty string.

    Built-in ones are rendered without Jinja, which is loaded for the user's only.
    """

    def __init__(self, overrides: Overrides | None = None) -> None:
        self._plain: dict[str, Render] = {}
        self._environment = None if overrides is None else environment(overrides)

    def load(self, name: str) -> None:
        """Compile template `name` now. Raises jinja2.TemplateError."""
        if self._environment is not None:
            self._environment.get_template(name)
        elif name not in self._plain:
            self._plain[name] = translate(name, _built_in)

    def render(self, name: str, **values: Any) -> str:
        """The text of template `name`. Raises jinja2.TemplateError, which names the template and line."""
        if self._environment is not None:
            return self._environment.get_template(name).render(**values)
        self.load(name)
        return self._plain[name](values)


def _built_in(name: str) -> str:
    return (templates_dir() / name).read_text(encoding="utf-8")


def environment(overrides: Overrides = ()) -> "Environment":
    """Jinja, as all templates are written for it; with `overrides` before the built-in ones."""
    from jinja2 import BaseLoader, ChoiceLoader, DictLoader, Environment, FileSystemLoader, StrictUndefined

    loaders: list[BaseLoader] = [FileSystemLoader(templates_dir(), encoding="utf-8")]
    if isinstance(overrides, tuple):
        loaders.insert(0, DictLoader(dict(overrides)))
    else:
        loaders.insert(0, FileSystemLoader(overrides, encoding="utf-8"))
    return Environment(
        loader=ChoiceLoader(loaders),
        undefined=StrictUndefined,
        autoescape=False,  # Python source, and every string arrives as a literal
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
