"""A generated package that is imported from memory, by commands that try what it decodes."""

import importlib
import importlib.abc
import importlib.util
import itertools
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_numbers = itertools.count()


class _MemoryFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one package in a mapping of posix paths, with its JSON files, as a zip importer does."""

    def __init__(self, package: str, files: Mapping[str, bytes]) -> None:
        self.package = package
        self.files = files

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        del path, target
        if fullname.partition(".")[0] != self.package:
            return None
        inner = fullname.replace(".", "/").partition("/")[2]
        file = f"{inner}.py"
        package = not inner or (file not in self.files and any(p.startswith(f"{inner}/") for p in self.files))
        if package:
            file = f"{inner}/__init__.py".lstrip("/")
        elif file not in self.files:
            return None
        return importlib.util.spec_from_loader(
            fullname, self, origin=self._package_name() + file, is_package=package
        )

    def _package_name(self) -> str:
        return f"/toolcast-memory/{self.package}/"

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        assert spec is not None
        assert spec.origin is not None
        source = self.files.get(spec.origin.removeprefix(self._package_name()), b"")
        exec(compile(source, spec.origin, "exec"), module.__dict__)  # what the compiler wrote, just now

    def get_data(self, path: str) -> bytes:
        try:
            return self.files[path.removeprefix(self._package_name())]
        except KeyError:
            raise FileNotFoundError(path) from None


@contextmanager
def imported(files: Mapping[str, bytes]) -> Generator[str]:
    """Yield the name under which `files` can be imported; at the end everything of it is forgotten."""
    package = f"toolcast_memory_{next(_numbers)}"
    finder = _MemoryFinder(package, files)
    sys.meta_path.insert(0, finder)
    try:
        yield package
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]


def attribute(package: str, module: str, name: str) -> Any:
    """Return `name` of a module of an imported package."""
    return getattr(importlib.import_module(f"{package}.{module}"), name)
