"""The generated package as Python imports it: its name, the folder of imports, its bindings."""

import importlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config import Config, show
from ..output_layout import REGISTRY
from .options import refuse

if TYPE_CHECKING:
    from ..runtime import ToolBinding


def module_of(folder: Path) -> tuple[Path, str]:
    """The folder from which a package is imported, and its import name: it begins below the last folder that
    is no package itself."""
    parts = [folder.name]
    above = folder.parent
    while (above / "__init__.py").is_file() and above != above.parent:
        parts.insert(0, above.name)
        above = above.parent
    return above, ".".join(parts)


def package_name(config: Config) -> str:
    """The import name of the output folder."""
    return module_of(config.output)[1]


def load_bindings(config: Config) -> "Mapping[str, ToolBinding[Any, Any]]":
    """Import the generated registry. Ends the command where there is none, or it cannot be imported."""
    file = config.output / REGISTRY
    if not file.is_file():
        raise refuse(show(file), "not-generated", "nothing is generated yet", "run: toolcast generate")
    above, package = module_of(config.output)
    if str(above) not in sys.path:
        sys.path.insert(0, str(above))
    try:
        module = importlib.import_module(f"{package}.{REGISTRY.removesuffix('.py')}")
    except Exception as problem:
        message = f"it cannot be imported: {type(problem).__name__}: {problem}"
        raise refuse(show(file), "not-imported", message, "run: toolcast generate") from None
    if Path(str(module.__file__)).resolve() != file.resolve():
        message = f"another module is imported as {package}: {module.__file__}"
        raise refuse(show(file), "not-imported", message, "rename `output`, or change PYTHONPATH")
    bindings: Mapping[str, ToolBinding[Any, Any]] = module.BINDINGS
    return bindings
