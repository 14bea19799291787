"""The templates, built in or overridden by file name."""

from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined

from ..paths import templates_dir


class Templates:
    """Compiled templates. An unknown variable is an error, never an empty string."""

    def __init__(self, overrides: str | None = None) -> None:
        """`overrides` is a folder whose files stand in for the built-in ones of the same name."""
        folders = [Path(overrides)] if overrides else []
        loaders = [FileSystemLoader(folder, encoding="utf-8") for folder in [*folders, templates_dir()]]
        self._environment = Environment(
            loader=ChoiceLoader(loaders),
            undefined=StrictUndefined,
            autoescape=False,  # Python source, and every string arrives as a literal
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            auto_reload=False,
        )

    def render(self, name: str, **values: Any) -> str:
        """The text of template `name`. Raises jinja2.TemplateError, which names the template and line."""
        return self._environment.get_template(name).render(**values)
