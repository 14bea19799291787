"""Paths of the parts of toolcast itself."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
"""The folder of the import package `toolcast`."""


def templates_dir() -> Path:
    """The built-in templates: inside an installed wheel, or at the root of a source checkout. Raises
    FileNotFoundError when neither is there, which means a broken installation.
    """
    installed = PACKAGE / "templates"
    checkout = PACKAGE.parent.parent / "templates"
    for folder in (installed, checkout):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"toolcast's templates are missing: neither {installed} nor {checkout} exists")
