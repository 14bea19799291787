"""All bindings of a generated package, each imported when asked for."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from .binding import ToolBinding
from .provider_files import read_definition


class _Files(msgspec.Struct, frozen=True):
    """Where a tool's files lie, counted from the package."""

    module: str
    name: str
    schemas: str = "schemas"


class LazyBindings(Mapping[str, ToolBinding[Any, Any]]):
    """Tool name → binding. `table` says where each is: (module relative to `package`, constant),
    such as `{"edit": (".files.edit", "EDIT")}`. Iterates in the table's order without importing anything."""

    __slots__ = ("_package", "_table")

    def __init__(self, package: str, table: Mapping[str, tuple[str, str]]) -> None:
        self._package = package
        self._table = dict(table)

    def __getitem__(self, name: str) -> ToolBinding[Any, Any]:
        module, constant = self._table[name]
        from importlib import import_module

        binding: ToolBinding[Any, Any] = getattr(import_module(module, self._package), constant)
        return binding

    def module(self, name: str) -> str:
        """The name of the module that holds a tool's binding, which is not imported. Raises KeyError."""
        return f"{self._package}{self._table[name][0]}"

    def definition(self, name: str, provider: str) -> bytes:
        """What the binding's `definition` gives, without its module. Raises UnknownProviderError, and
        MissingDataError where the package itself is not imported from files."""
        return msgspec.json.format(read_definition(_Files(self._package, name), provider), indent=-1)

    def __contains__(self, name: object) -> bool:
        return name in self._table

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __repr__(self) -> str:
        return f"LazyBindings({self._package!r}, {len(self._table)} tools)"
