"""Public names of a package that are imported at first use (PEP 562)."""

from collections.abc import Callable, Mapping
from typing import Any


def lazy_exports(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Make the `__getattr__` of a package.

    Args:
        package: the package's `__name__`.
        modules: each name with the module that defines it, relative to the package: `.loop`, `..jsonschema`.

    Returns:
        The function to assign to `__getattr__`. It raises AttributeError for any other name.
    """

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(modules[name], package), name)

    return get
