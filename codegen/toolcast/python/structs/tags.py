"""The unions whose branches msgspec can distinguish by a tag, found before any type is made.

A tagged Struct used outside its union does not insist on its tag; so every other use of it is checked.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from ...contract.tree import Contract, Enum, Node, Null, Object, Reference, Union, nodes

PREFERRED = ("type", "kind")
"""Property names that are preferred when several distinguish the branches."""


class Tag(Struct, frozen=True):
    """A Struct's tag: the property, and this branch's value."""

    field: str
    value: str | int


def find_tags(contract: Contract, file_of: Mapping[str, str]) -> tuple[dict[str, Tag], frozenset[str]]:
    """Tags by the Struct's pointer, and the pointers of the unions they serve.

    `file_of` names the shared file of each public definition. A union tags only Structs of its own module:
    those of another module must not depend on their use.
    """
    tags: dict[str, Tag] = {}
    unions: set[str] = set()
    for file, node in _unions(contract, file_of):
        branches = [
            _object(contract, file_of, branch, file) for branch in node.branches if not _is_null(branch)
        ]
        objects = [branch for branch in branches if branch is not None]
        if len(objects) != len(branches) or len(objects) < 2:
            continue
        found = _tags(objects, node.discriminator)
        if found and all(tags.get(o.pointer, t) == t for o, t in zip(objects, found, strict=True)):
            tags.update({o.pointer: t for o, t in zip(objects, found, strict=True)})
            unions.add(node.pointer)
    return tags, frozenset(unions)


def _is_null(node: Node) -> bool:
    return isinstance(node, Null) and not node.residue


def _object(contract: Contract, file_of: Mapping[str, str], node: Node, file: str) -> Object | None:
    module_file = file
    while isinstance(node, Reference) and node.name and not node.residue:
        module_file = file_of.get(node.name, "")
        target = contract.definitions[node.name]
        if isinstance(target, Reference) and target.pointer == node.pointer:
            return None
        node = target
    if not isinstance(node, Object) or node.residue or node.extra is not None or module_file != file:
        return None
    # The tag is no field of a Struct, so a Struct that counts its properties cannot have one.
    return node if not node.min_size and node.max_size is None else None


def _tags(objects: list[Object], discriminator: str | None) -> list[Tag] | None:
    constants = [
        {
            field.encode_name: field.node.values[0]
            for field in node.fields
            if field.required and isinstance(field.node, Enum) and len(field.node.values) == 1
        }
        for node in objects
    ]
    shared = [encode_name for encode_name in constants[0] if all(encode_name in other for other in constants)]
    first = [discriminator] if discriminator in shared else []
    for encode_name in [*first, *(w for w in PREFERRED if w in shared), *shared]:
        values = [constant[encode_name] for constant in constants]
        texts = all(isinstance(v, str) for v in values)
        whole = all(isinstance(v, int) and not isinstance(v, bool) and -(2**63) <= v < 2**63 for v in values)
        if (texts or whole) and len(set(values)) == len(values):
            return [Tag(encode_name, value) for value in values]
    return None


def _unions(contract: Contract, file_of: Mapping[str, str]) -> Iterator[tuple[str, Union]]:
    """Every union, with the file whose module holds it."""
    tops = [(file_of.get(name, ""), node) for name, node in contract.definitions.items()]
    for file, top in (*tops, *(("", node) for node in contract.roots.values())):
        for node in nodes(top):
            if isinstance(node, Union):
                yield file, node
