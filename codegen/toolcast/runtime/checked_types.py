"""Checked types: annotations for what a Struct cannot express.

A type checker sees the real type; msgspec sees a marker class and passes the raw value to `decode_hook`,
which settles it, validates it, and converts it. Generated code writes

    if TYPE_CHECKING:
        Tags = list[str]
    else:
        Tags = checked(__name__, "../contracts/edit.json#/parameters/properties/tags", list[str])

Nothing is read or compiled before the first value arrives.
"""

import re
from types import FunctionType, GenericAlias
from typing import TYPE_CHECKING, Any

import msgspec

from .contract_node import ContractFile, Node

if TYPE_CHECKING:
    from ..jsonschema import Violation


class Shape:
    """How one marker decodes: settle and validate against `node`, then `build`."""

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node

    def decode(self, value: Any) -> Any:
        """The typed value for plain JSON data. Raises ValueError naming every violation."""
        validator = self.node.validator()
        try:
            # Most values are valid as they are. The binding checks the depth of the whole text.
            if validator.fits(value) and not _has_whole_float(value):
                return self.build(value, value)
        except (msgspec.ValidationError, RecursionError, TypeError, AttributeError):
            pass  # a whole float for an int, depth, no JSON: settled or named below
        settled = validator.settle(value)
        violations = validator.violations(settled)
        if violations and validator.accepts(value):
            # A float past 2**53 may fit where the integer that it is does not.
            return self.build(value, value)
        if violations:
            raise ValueError("; ".join(_word(violation) for violation in violations))
        return self.build(value, settled)

    def build(self, raw: Any, settled: Any) -> Any:
        """From a valid value to the typed one. `settled` is what the contract accepted, `raw` what came."""
        raise NotImplementedError


_WHOLE = re.compile(rb"[0-9](?:\.0|e)")


def _has_whole_float(value: Any) -> bool:
    """Whether `value` may hold a whole float: a type that takes any value would keep it where the contract
    asks for an integer. Searching its JSON text takes a tenth of the time of a walk."""
    kind = type(value)
    if kind is float:
        return bool(value.is_integer())
    return kind in _CONTAINERS and _WHOLE.search(_encode(value)) is not None


_CONTAINERS = frozenset((dict, list, tuple))
_encode = msgspec.json.encode


def _word(violation: "Violation") -> str:
    """The message with the path below this value; msgspec adds the path to it."""
    inner = violation.path.removeprefix("$")
    return f"{inner}: {violation.message}" if inner else violation.message


class Marker(type):
    """The metaclass of markers. Any instance passes: the hook has already made the right one."""

    shape: Shape

    def __instancecheck__(cls, instance: object) -> bool:
        return True


def decode_hook(type_: type, value: Any) -> Any:
    """The `dec_hook` of every decoder over generated types."""
    if isinstance(type_, Marker):
        return type_.shape.decode(value)
    raise NotImplementedError(f"toolcast has no decoder for {type_!r}.")


def trusted_hook(type_: type, value: Any) -> Any:
    """The `dec_hook` inside a value that the contract has accepted as a whole: every part of it is valid
    at its location, so validating it again would only make recursive values quadratic."""
    if isinstance(type_, Marker):
        return type_.shape.build(value, value)
    return decode_hook(type_, value)


def _node(module: str, reference: str) -> Node:
    path, _, pointer = reference.partition("#")
    return Node(ContractFile(module, path), pointer)


def _marker(module: str, reference: str, shape: Shape) -> type[Any]:
    pointer = reference.partition("#")[2]
    return Marker(f"checked:{pointer or '/'}", (), {"__module__": module, "shape": shape})


class _Target:
    """What a valid value converts to: a type, or a function that returns it. Recursion needs the latter,
    since a name must exist before it is used."""

    __slots__ = ("source", "type")

    def __init__(self, source: Any) -> None:
        self.source = source
        self.type: Any = None

    def resolve(self) -> Any:
        if self.type is None:
            self.type = self.source() if isinstance(self.source, FunctionType) else self.source
        return self.type

    def convert(self, value: Any) -> Any:
        return msgspec.convert(value, self.resolve(), dec_hook=trusted_hook)


class _Plain(Shape):
    __slots__ = ("target",)

    def __init__(self, node: Node, target: Any) -> None:
        super().__init__(node)
        self.target = _Target(target)

    def build(self, raw: Any, settled: Any) -> Any:
        del raw
        return self.target.convert(settled)


class _OneOf(Shape):
    __slots__ = ("branches",)

    def __init__(self, node: Node, branches: tuple[tuple[str, Any], ...]) -> None:
        super().__init__(node)
        self.branches = [(below, _Target(target)) for below, target in branches]

    def build(self, raw: Any, settled: Any) -> Any:
        validators = [(self.node.validator(below), target) for below, target in self.branches]
        if settled is raw:  # accepted as it is: so it is some branch's as it is, and no null is taken away
            for validator, target in validators:
                if validator.accepts(raw):
                    return target.convert(raw)
        for validator, target in validators:
            # The whole's settling knows every branch's allowances together; a branch may need only its own.
            value = validator.settle(raw)
            if validator.accepts(value):
                return target.convert(value)
            if validator.accepts(settled):
                return target.convert(settled)
        raise ValueError("The value fits no branch of the union.")


class _OpenObject(Shape):
    __slots__ = ("field", "target", "values")

    def __init__(self, node: Node, target: Any, field: str, values: Any) -> None:
        super().__init__(node)
        self.field = field
        self.target = _Target(target)
        self.values = _Target(lambda: GenericAlias(dict, (str, _Target(values).resolve())))

    def build(self, raw: Any, settled: Any) -> Any:
        del raw
        struct = self.target.resolve()
        wire_names = zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True)
        known = {wire for name, wire in wire_names if name != self.field}
        known.add(struct.__struct_config__.tag_field)
        result = self.target.convert({key: item for key, item in settled.items() if key in known})
        further = {key: item for key, item in settled.items() if key not in known}
        msgspec.structs.force_setattr(result, self.field, self.values.convert(further))
        return result


def checked(module: str, reference: str, target: Any) -> type[Any]:
    """A marker for `target`, checked against the contract node at `reference`.

    `module` is the generated module's `__name__`; `reference` a path from its folder and a JSON pointer,
    `../contracts/edit.json#/parameters/properties/tags`. `target` is what the settled value converts to:
    a type, or a function of no arguments that returns one (`lambda: Tree`), called at first use.
    """
    return _marker(module, reference, _Plain(_node(module, reference), target))


def one_of(module: str, reference: str, *branches: tuple[str, Any]) -> type[Any]:
    """A marker for a union whose branches only schemas distinguish.

    Each branch is a pointer below `reference` (`/anyOf/0`) and its target. The whole node must accept the
    value; the first branch that accepts it then gives the type.
    """
    return _marker(module, reference, _OneOf(_node(module, reference), branches))


def open_object(module: str, reference: str, target: Any, field: str, values: Any) -> type[Any]:
    """A marker for an object with named and further properties.

    Keys that the Struct `target` does not know go, each converted to `values`, into its dict field named
    `field`, which must have a default. A property that happens to be called `field` on the wire is a
    further one. The Struct says `__toolcast_extra__ = "<field>"`, so that encoding puts them back.
    """
    return _marker(module, reference, _OpenObject(_node(module, reference), target, field, values))
