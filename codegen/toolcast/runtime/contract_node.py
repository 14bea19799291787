"""Contract files and places in them, read, resolved and compiled at first use."""

from typing import TYPE_CHECKING, Any

import msgspec

from ..jsonschema.pointers import child, split
from .resources import read_resource

if TYPE_CHECKING:
    from ..jsonschema import Validator

ASSERT_FORMATS = True
"""Whether contracts are read with `format` as an assertion. It must agree with the Structs' own checks:
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


def find_defaults(document: Any) -> list[Any]:
    """Return every value named `default` in a contract, at any depth."""
    found: list[Any] = []
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

    def __init__(self, module: str, path: str, document: Any = None) -> None:
        self.module = module
        self.path = path
        self._document = document

    def document(self) -> Any:
        """Return the parsed file. Raises as `read_resource`."""
        if self._document is None:
            self._document = msgspec.json.decode(read_resource(self.module, self.path))
        return self._document


class Node:
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
            from ..jsonschema import Validator

            validator = Validator(schema, root=document, pointer=pointer, formats=ASSERT_FORMATS)
            self._validators[below] = validator
        return validator
