"""All bindings of a generated package, each imported when asked for."""

from collections.abc import Iterator, Mapping
from typing import Any

from .binding import ToolBinding


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

    def __contains__(self, name: object) -> bool:
        return name in self._table

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __repr__(self) -> str:
        return f"LazyBindings({self._package!r}, {len(self._table)} tools)"
