"""Checks that generated Structs make beyond what msgspec expresses: checked types, and checks of fields."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import FunctionType, GenericAlias
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ..jsonschema.formats import FORMATS, GLANCES
from ..jsonschema.json_values import as_decimal, equal, is_multiple, is_number, key
from ..jsonschema.messages import literal
from .resources import ContractFile, ContractNode

if TYPE_CHECKING:
    from ..jsonschema.validator_errors import Violation


class _CheckedForm:
    """The way in which one marker decodes: settle and validate against `node`, then `build`."""

    __slots__ = ("node",)

    def __init__(self, node: ContractNode) -> None:
        self.node = node

    def decode(self, value: Any) -> Any:
        """Return the typed value of plain JSON data. Raises ValueError naming every violation."""
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

    def build(self, raw: object, settled: object) -> object:
        """Convert a valid value. `settled` is what the contract accepted, `raw` what came."""
        raise NotImplementedError


_WHOLE = re.compile(rb"[0-9](?:\.0|e)")


def _has_whole_float(value: Any) -> bool:
    """Tell whether `value` may hold a whole float: a type of any value would keep it where the contract asks
    for an integer. To search its JSON text takes a tenth of the time of a walk."""
    kind = type(value)
    if kind is float:
        return bool(value.is_integer())
    return kind in _CONTAINERS and _WHOLE.search(_encode(value)) is not None


_CONTAINERS = frozenset((dict, list, tuple))
_encode = msgspec.json.encode


def _word(violation: "Violation") -> str:
    inner = violation.path.removeprefix("$")
    return f"{inner}: {violation.message}" if inner else violation.message


class _Marker(type):
    """The metaclass of markers. Any instance passes: the hook has made the right one."""

    shape: _CheckedForm

    def __instancecheck__(cls, instance: object) -> bool:
        return True


def decode_hook(type_: type, value: object) -> Any:
    """The `dec_hook` of every decoder of generated types."""
    if isinstance(type_, _Marker):
        return type_.shape.decode(value)
    raise NotImplementedError(f"toolcast has no decoder for {type_!r}.")


def trusted_hook(type_: type, value: object) -> object:
    """The `dec_hook` for a value that the contract accepted as a whole: validating its parts again would make
    recursive values quadratic."""
    if isinstance(type_, _Marker):
        return type_.shape.build(value, value)
    return decode_hook(type_, value)


def _node(module: str, reference: str) -> ContractNode:
    path, _, pointer = reference.partition("#")
    return ContractNode(ContractFile(module, path), pointer)


def _marker(module: str, reference: str, shape: _CheckedForm) -> type[object]:
    pointer = reference.partition("#")[2]
    return _Marker(f"checked:{pointer or '/'}", (), {"__module__": module, "shape": shape})


class _Target:
    """A type that a valid value converts to, or, for recursion, a function that returns it."""

    __slots__ = ("source", "type")

    def __init__(self, source: object) -> None:
        self.source = source
        self.type: Any = None

    def resolve(self) -> Any:
        if self.type is None:
            self.type = self.source() if isinstance(self.source, FunctionType) else self.source
        return self.type

    def convert(self, value: Any) -> Any:
        return msgspec.convert(value, self.resolve(), dec_hook=trusted_hook)


class _Plain(_CheckedForm):
    __slots__ = ("target",)

    def __init__(self, node: ContractNode, target: object) -> None:
        super().__init__(node)
        self.target = _Target(target)

    def build(self, raw: object, settled: object) -> object:
        del raw
        return self.target.convert(settled)


class _OneOf(_CheckedForm):
    __slots__ = ("branches",)

    def __init__(self, node: ContractNode, branches: tuple[tuple[str, object], ...]) -> None:
        super().__init__(node)
        self.branches = [(below, _Target(target)) for below, target in branches]

    def build(self, raw: object, settled: object) -> object:
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


class _OpenObject(_CheckedForm):
    __slots__ = ("field", "target", "values")

    def __init__(self, node: ContractNode, target: object, field: str, values: object) -> None:
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
    """Make a marker for `target`, checked against the contract node at `reference`. `module` is the generated
    module's `__name__`; `reference` a path from its folder and a JSON pointer,
    `../contracts/edit.json#/parameters/properties/tags`. `target` is a type, or a function that returns one
    (`lambda: Tree`), called at first use."""
    return _marker(module, reference, _Plain(_node(module, reference), target))


def one_of(module: str, reference: str, *branches: tuple[str, object]) -> type[object]:
    """Make a marker for a union whose branches only schemas distinguish. A branch is a pointer below
    `reference` (`/anyOf/0`) and its target. The whole node must accept the value; the first branch that
    accepts it gives the type."""
    return _marker(module, reference, _OneOf(_node(module, reference), branches))


def open_object(module: str, reference: str, target: object, field: str, values: object) -> type[object]:
    """Make a marker for an object with named and further properties. Keys that the Struct `target` does not
    know go, converted to `values`, into its dict field named `field`, which must have a default; a property
    of that name is a further one. The Struct states `__toolcast_extra__ = "<field>"`, for encoding."""
    return _marker(module, reference, _OpenObject(_node(module, reference), target, field, values))


def check_multiple_of(name: str, value: Any, divisor: float) -> None:
    """Check `multipleOf` over exact decimals: 0.3 is a multiple of 0.1. Raises ValueError."""
    kind = type(value)
    if kind is int and type(divisor) is int:
        if value % divisor == 0:
            return
    elif kind is float or kind is int:
        digits = _divisor(divisor)[1]
        # Below this bound, doubles lie closer together than the steps do, and `round` is correct to the last
        # bit: a value that it leaves alone is written with no more than so many digits.
        if digits is not None and -100_000 < value < 100_000 and round(value, digits) == value:
            return
    if is_number(value) and not is_multiple(value, _divisor(divisor)[0]):
        raise ValueError(f"{name} must be a multiple of {divisor}, got {value}")


@lru_cache(maxsize=256)
def _divisor(divisor: float) -> tuple[tuple[int, int], int | None]:
    """Return a divisor as a decimal, and the digits after its point if it is 0.1, 0.01 and so on."""
    base, scale = as_decimal(divisor)
    return (base, scale), -scale if base == 1 and -9 <= scale < 0 else None


def check_unique(name: str, items: object) -> None:
    """Check `uniqueItems`: 1 equals 1.0, and true does not equal 1. Raises ValueError with the indices, from
    0, of the first two equal items."""
    if type(items) is not list and not isinstance(items, (list, tuple)):
        return
    count = len(items)
    if count < 2:
        return
    if count == 2 and type(items[0]) is str and items[0] != items[1]:
        return
    if count <= 100:  # more numbers could be chosen so that Python's own hashes collide
        try:
            if len(set(items)) == count:  # values that differ in Python differ in JSON
                return
        except TypeError:
            pass  # arrays and objects
    first_index: dict[object, int] = {}
    for index, item in enumerate(items):
        first = first_index.setdefault(key(item), index)
        if first != index:
            raise ValueError(f"{name} must not repeat an item, but items {first} and {index} are equal")


def check_properties(value: msgspec.Struct, minimum: int = 0, maximum: int | None = None) -> None:
    """Check `minProperties` and `maxProperties` of a Struct whose optional fields all have None or UNSET for
    absence: a default cannot be told from absence. Raises ValueError."""
    count = 0
    for field in value.__struct_fields__:
        item = getattr(value, field)
        if item is not None and item is not msgspec.UNSET:
            count += 1
            if maximum is None and count >= minimum:
                return
    if count < minimum:
        noun = "property" if minimum == 1 else "properties"
        raise ValueError(f"the object must have at least {minimum} {noun}, got {count}")
    if maximum is not None and count > maximum:
        noun = "property" if maximum == 1 else "properties"
        raise ValueError(f"the object must have at most {maximum} {noun}, got {count}")


def check_format(label: str, value: object, name: str) -> None:
    """Check `format` for the names in `jsonschema.formats.FORMATS`; others accept every text. Raises
    ValueError."""
    if not isinstance(value, str) or _GLANCES[name](value):
        return
    if name in FORMATS and not FORMATS[name](value):
        raise ValueError(f"{label} must be a valid {name}, got {literal(value)}")


class _Glances(dict[str, Callable[[str], object]]):
    """Quick tests of formats, which may be true of less than what is valid."""

    def __missing__(self, name: str) -> Callable[[str], object]:
        test = self[name] = GLANCES[name].compiled() if name in GLANCES else FORMATS.get(name, _anything)
        return test


_GLANCES: Final = _Glances()


def _anything(text: str) -> bool:  # noqa: ARG001
    return True


def check_pattern(label: str, value: object, pattern: str) -> None:
    """Check `pattern`, an ECMA-262 expression translated for `re`. Raises ValueError."""
    if isinstance(value, str) and not _SEARCHES[pattern](value):
        raise ValueError(f"{label} must match {pattern}, got {literal(value)}")


class _Searches(dict[str, Callable[[str], object]]):
    """The searches of the patterns in generated modules. A cache of `functools` takes longer than a short
    search does."""

    def __missing__(self, pattern: str) -> Callable[[str], object]:
        if len(self) >= _MAX_SEARCHES:
            self.clear()
        search = self[pattern] = re.compile(pattern).search
        return search


_SEARCHES: Final = _Searches()
_MAX_SEARCHES: Final = 2048


def check_member(name: str, value: object, allowed: Sequence[object]) -> None:
    """Check `enum` and `const` by JSON's equality. None is checked like any value. Raises ValueError."""
    if value is msgspec.UNSET or any(equal(value, member) for member in allowed):
        return
    listed = ", ".join(msgspec.json.encode(member).decode() for member in allowed)
    raise ValueError(f"{name} must be one of {listed}")


def check_bounds(
    name: str,
    value: object,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    exclusive_minimum: float | None = None,
    exclusive_maximum: float | None = None,
) -> None:
    """Check bounds past 64 bits. Python compares int with float exactly. Raises ValueError."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return
    if minimum is not None and not value >= minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value}")
    if maximum is not None and not value <= maximum:
        raise ValueError(f"{name} must be at most {maximum}, got {value}")
    if exclusive_minimum is not None and not value > exclusive_minimum:
        raise ValueError(f"{name} must be greater than {exclusive_minimum}, got {value}")
    if exclusive_maximum is not None and not value < exclusive_maximum:
        raise ValueError(f"{name} must be less than {exclusive_maximum}, got {value}")
