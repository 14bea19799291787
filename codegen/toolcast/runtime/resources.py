"""The JSON files of generated code, read through the loader of its modules; contracts, compiled at first use.

`importlib.resources` would do the same at several times the import cost.
"""

import errno
import os
import sys
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from ..jsonschema.pointers import child, split
from ..output_layout import DATA, schema_below
from .errors import MissingDataError, UnknownProviderError
from .request_rules import RequestRules

if TYPE_CHECKING:
    from ..jsonschema.validator import Validator


_REMEDY = (
    "Run `toolcast generate`, and package the JSON files with the generated modules "
    f"({', '.join(DATA[:-1])} and {DATA[-1]} are package data)."
)


_ABSENT = (errno.ENOENT, errno.ENOTDIR, 0, None)
"""Numbers of an OSError for a missing file; the loader of zip files gives no number, or 0."""


def _origin(module_name: str) -> tuple[str, object]:
    module = sys.modules.get(module_name)
    if module is None:
        raise MissingDataError(f"Module {module_name!r} is not imported, so its JSON files cannot be found.")
    spec = getattr(module, "__spec__", None)
    file = getattr(spec, "origin", None) or getattr(module, "__file__", None)
    if not isinstance(file, str):
        raise MissingDataError(f"Module {module_name!r} has no file, so its JSON files cannot be found.")
    return file, getattr(spec, "loader", None) or getattr(module, "__loader__", None)


def _locate(module_name: str, relative: str) -> tuple[str, object]:
    """Return the path of `relative` (posix, from the module's folder) as the module's loader knows it, and
    the loader."""
    file, loader = _origin(module_name)
    return os.path.normpath(os.path.join(os.path.dirname(file), *relative.split("/"))), loader  # noqa: PTH118, PTH120


def read_resource(module_name: str, relative: str) -> bytes:
    """Return the bytes of `relative`, such as `../contracts/edit.json`, next to an imported module. Reads
    through the module's loader (zip files, frozen programs), else the file system. Raises MissingDataError
    for a missing file, and OSError for one that cannot be read: no file descriptor is left, or permission is
    missing."""
    path, loader = _locate(module_name, relative)
    get_data = getattr(loader, "get_data", None)
    try:
        if get_data is not None:
            content: bytes = get_data(path)
            return content
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib would be this module's heaviest import
            return file.read()
    except OSError as problem:
        if problem.errno not in _ABSENT:
            raise
        raise MissingDataError(f"{module_name} needs {path}, which is not there. {_REMEDY}") from problem


def list_folders(module_name: str, relative: str) -> tuple[str, ...]:
    """Return the sorted names of the folders in `relative`; empty for none, and where only a loader could
    tell (zip files). Raises OSError if it cannot be read."""
    try:
        with os.scandir(_locate(module_name, relative)[0]) as entries:
            return tuple(sorted(entry.name for entry in entries if entry.is_dir()))
    except (FileNotFoundError, NotADirectoryError):
        return ()


class Named(Protocol):
    """The fields of a binding that locate its files."""

    @property
    def module(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def schemas(self) -> str: ...


def read_definition(binding: Named, provider: str) -> bytes:
    """Return the generated tool object. Raises UnknownProviderError."""
    # The name becomes part of a path, and may come from a request: only what a profile may be called passes.
    if provider.replace("-", "").replace("_", "").isalnum():
        try:
            return read_resource(binding.module, schema_below(binding.schemas, provider, binding.name))
        except MissingDataError as problem:
            known = list_folders(binding.module, binding.schemas)
            if provider in known or not known:
                raise UnknownProviderError(str(problem)) from problem
    known = list_folders(binding.module, binding.schemas)
    generated = f" Generated: {', '.join(known)}." if known else ""
    raise UnknownProviderError(
        f"Tool {binding.name!r} has no definition for provider {provider[:64]!r}.{generated} "
        "Add the provider to [tool.toolcast] and run `toolcast generate`."
    )


def read_request_rules(module_name: str, relative: str, provider: str) -> RequestRules:
    """Return what a provider takes in a request, from a generated package's file. Raises MissingDataError."""
    raw = msgspec.json.decode(read_resource(module_name, relative), type=dict[str, msgspec.Raw])
    return msgspec.json.decode(raw.get(provider, b"{}"), type=RequestRules)


ASSERT_FORMATS = True
"""True if contracts are read with `format` as an assertion. It must agree with the Structs' own checks:
true as soon as generated code calls `check_format`."""


def follow(document: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer (RFC 6901, not percent-encoded). Raises LookupError."""
    node = document
    if pointer and not pointer.startswith("/"):
        raise LookupError(f"{pointer!r} is not a JSON pointer: it must be empty or start with '/'.")
    for segment in split(pointer):
        try:
            node = child(node, segment)
        except LookupError:
            raise LookupError(f"The contract has nothing at {pointer!r} (from {segment!r} on).") from None
    return node


def find_defaults(document: object) -> list[object]:
    """Return every value named `default` in a contract, at any depth."""
    found: list[object] = []
    remaining = [document]
    while remaining:
        node = remaining.pop()
        if isinstance(node, dict):
            if "default" in node:
                found.append(node["default"])
            remaining += node.values()
        elif isinstance(node, list):
            remaining += node
    return found


class ContractFile:
    """A contract file; its path, such as `../contracts/edit.json`, counts from the folder of `module`. It is
    read at first use, or never if there is a `document`. Two threads at first use both do the work; either
    result serves."""

    __slots__ = ("_document", "module", "path")

    def __init__(self, module: str, path: str, document: object = None) -> None:
        self.module = module
        self.path = path
        self._document = document

    def document(self) -> Any:
        """Return the parsed file. Raises as `read_resource`."""
        if self._document is None:
            self._document = msgspec.json.decode(read_resource(self.module, self.path))
        return self._document


class ContractNode:
    """A JSON pointer into a contract file; its validators are compiled at first use."""

    __slots__ = ("_validators", "file", "pointer")

    def __init__(self, file: ContractFile, pointer: str) -> None:
        self.file = file
        self.pointer = pointer
        self._validators: dict[str, Validator] = {}

    def document(self) -> Any:
        """Return the parsed contract file. Raises as `read_resource`."""
        return self.file.document()

    def validator(self, below: str = "") -> "Validator":
        """Return the validator for this node, or for the pointer `below` from here. Raises as
        `read_resource`."""
        validator = self._validators.get(below)
        if validator is None:
            document = self.document()
            pointer = self.pointer + below
            schema = follow(document, pointer)
            # The compiler of schemas is only loaded where values need it.
            from ..jsonschema.validator import Validator

            validator = Validator(schema, root=document, pointer=pointer, formats=ASSERT_FORMATS)
            self._validators[below] = validator
        return validator
