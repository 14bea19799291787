"""How generated code finds its JSON files: beside its modules, read the way the module itself was read.

`importlib.resources` would do the same at several times the import cost.
"""

import os
import sys
from typing import Any

from .errors import MissingDataError

_REMEDY = (
    "Run `toolcast generate`, and package the JSON files with the generated modules "
    "(contracts/**/*.json, schemas/**/*.json and ways/**/*.json are package data)."
)


def _origin(module_name: str) -> tuple[str, Any]:
    """The file a module came from, and its loader (None where it has none)."""
    module = sys.modules.get(module_name)
    if module is None:
        raise MissingDataError(f"Module {module_name!r} is not imported, so its JSON files cannot be found.")
    spec = getattr(module, "__spec__", None)
    file = getattr(spec, "origin", None) or getattr(module, "__file__", None)
    if not isinstance(file, str):
        raise MissingDataError(f"Module {module_name!r} has no file, so its JSON files cannot be found.")
    return file, getattr(spec, "loader", None) or getattr(module, "__loader__", None)


def locate(module_name: str, relative: str) -> str:
    """The path of `relative` (posix, from the module's own folder) as the module's loader knows it."""
    file, _ = _origin(module_name)
    return os.path.normpath(os.path.join(os.path.dirname(file), *relative.split("/")))  # noqa: PTH118, PTH120


def read_resource(module_name: str, relative: str) -> bytes:
    """The bytes of `relative`, such as `../contracts/edit.json`, next to an imported module.

    Reads through the module's loader (zip files, frozen programs), else the file system.
    Raises MissingDataError, with the way out, where there is no such file.
    """
    path = locate(module_name, relative)
    loader = _origin(module_name)[1]
    get_data = getattr(loader, "get_data", None)
    try:
        if get_data is not None:
            content: bytes = get_data(path)
            return content
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib would be this module's heaviest import
            return file.read()
    except OSError as problem:
        raise MissingDataError(f"{module_name} needs {path}, which cannot be read. {_REMEDY}") from problem


def list_folders(module_name: str, relative: str) -> tuple[str, ...]:
    """Names of the folders in folder `relative`, sorted; empty where only a loader could tell (zip files)."""
    try:
        with os.scandir(locate(module_name, relative)) as entries:
            return tuple(sorted(entry.name for entry in entries if entry.is_dir()))
    except OSError:
        return ()
