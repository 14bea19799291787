"""Paths of the parts of toolcast itself."""

from functools import cache
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


@cache
def profile_ids() -> tuple[str, ...]:
    """Return the ids of the built-in profiles of providers, sorted."""
    return tuple(sorted(path.stem for path in (PACKAGE / "providers/profiles").glob("*.toml")))


@cache
def target_ids() -> tuple[str, ...]:
    """Return the ids of the built-in targets, sorted."""
    return tuple(sorted(path.parent.name for path in templates_dir().glob("targets/*/target.toml")))


def target_folder(id: str) -> Path:
    """Return the folder of a built-in target."""
    return templates_dir() / "targets" / id
