"""The name and version that a server states: those of the project whose handlers it serves."""

import sys
from collections import Counter
from contextlib import suppress
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from typing import Any

from msgspec import Struct

from ...runtime.view import ToolView

_OWN = __name__.partition(".")[0]
_NAMELESS = "tools"


class ServerIdentity(Struct, frozen=True):
    """The name and version of a server. `version` is "" where nothing states one."""

    name: str
    version: str


def identity_of(registry: ToolView) -> ServerIdentity:
    """The identity of the project that most handlers of a registry are from; without any, of the program."""
    modules = (_module(entry.handler) for entry in registry.snapshot().entries.values())
    counted = Counter(root for root in map(_root, modules) if root not in ("", _OWN))
    if not counted:
        return identity_of_module("__main__")
    most = max(counted.values())
    return identity_of_module(min(root for root, count in counted.items() if count == most))


def identity_of_module(module: str) -> ServerIdentity:
    """The identity of the distribution that a module belongs to; without one, the name of its package and
    its `__version__`."""
    root = _root(module)
    found = _distribution(root)
    if found is not None:
        return ServerIdentity(found.metadata["Name"], found.version)
    version = getattr(sys.modules.get(root), "__version__", "")
    return ServerIdentity(root or _NAMELESS, version if isinstance(version, str) else "")


def _module(handler: Any) -> str:
    """Where a handler is defined: a function, or the class of an object."""
    defined = handler if hasattr(handler, "__qualname__") else type(handler)
    module = getattr(defined, "__module__", "")
    return module if isinstance(module, str) else ""


def _root(module: str) -> str:
    """The top-level package of a module. `__main__` is the package that was run, or the script's name."""
    if module == "__main__":
        main = sys.modules["__main__"]
        if (spec := getattr(main, "__spec__", None)) is not None:
            return str(spec.name).partition(".")[0]
        return Path(getattr(main, "__file__", None) or _NAMELESS).stem
    return module.partition(".")[0]


@cache
def _distribution(root: str) -> Distribution | None:
    """The distribution of a top-level package: the one of its name, as a project's own mostly is; else the
    one that installed it. All distributions are read for that, so not for a package that lies elsewhere."""
    names = [root, *(packages_distributions().get(root, ()) if _is_installed(root) else ())]
    for name in names:
        with suppress(PackageNotFoundError, ValueError):  # the latter for an empty name
            return distribution(name)
    return None


def _is_installed(root: str) -> bool:
    """Whether a package lies where packages are installed to."""
    module = sys.modules.get(root)
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
    parts = {part for place in places if place for part in Path(place).parts}
    return not parts.isdisjoint(("site-packages", "dist-packages"))
