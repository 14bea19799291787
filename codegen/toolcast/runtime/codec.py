"""From a call's arguments to a tool's typed parameters, and from typed values back to JSON.

Text is parsed once, the provider's wire form decoded, the plain data converted to the Struct. What the Struct
refuses, the contract settles and validates: it knows the two allowances (null for an absent property, a whole
float for an integer) and names every violation.

Encoding adds one thing to msgspec's: further properties, which decoding gathered in one dict field
(`open_object`), stand beside the named ones again. A Struct names that field in `__toolcast_extra__`.
"""

# What a binding reads from its files is for the modules of a call alone.
# pyright: reportPrivateUsage=false

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import msgspec

from ..jsonschema.json_values import JsonObject, equal, may_be_too_deep, too_deep
from ..jsonschema.regex_cache import CALL
from .arguments import Arguments, parse_arguments
from .checked_types import trusted_hook
from .errors import LIMIT, ArgumentError
from .log_records import WARNING, log
from .resources import ContractNode
from .tool import AnyTool, Tool

if TYPE_CHECKING:  # most calls need none of them
    from ..jsonschema.validator_errors import Violation
    from .wire.decoder import WireDecoder
    from .wire.guesses import Guesses

EXTRA = "__toolcast_extra__"

_PLAIN = frozenset((str, int, float, bool, type(None)))
"""Types of values that are JSON data as they are."""

_Leaves = Callable[[Any, msgspec.structs.FieldInfo], bool]


def to_builtins(value: object) -> Any:
    """Return plain JSON data for a typed value. Raises TypeError for what has no JSON form."""
    return _flatten(value, msgspec.to_builtins(value, str_keys=True))


def with_defaults(value: Any) -> Any:
    """Write every field that has a value, also a default. Absence stays absence: None of an optional field
    whose default it is, and UNSET."""
    return _write(value, _is_absent)


def with_nulls(value: object) -> object:
    """Write defaults, and None as null: where null is a value it may be required. An absent property that was
    never null is null then, too, until the contract settles it."""
    return _write(value, lambda item, _: item is msgspec.UNSET)


def without_defaults(value: object) -> object:
    """Write no field that has its default, not even a list or an object."""
    return _write(value, _is_default)


def _is_absent(item: object, field: msgspec.structs.FieldInfo) -> bool:
    return item is msgspec.UNSET or (item is None and field.default is None)


def _is_default(item: object, field: msgspec.structs.FieldInfo) -> bool:
    if field.default_factory is not msgspec.NODEFAULT:
        default = field.default_factory()
    elif field.default is not msgspec.NODEFAULT:
        default = field.default
    else:
        return item is msgspec.UNSET
    if item is default or item is msgspec.UNSET:
        return True
    if default is msgspec.UNSET:
        return False
    if type(item) not in _PLAIN:
        item, default = to_builtins(item), to_builtins(default)
    return equal(item, default)


def _write(value: object, leaves: _Leaves) -> Any:
    if type(value) in _PLAIN:
        return value
    if isinstance(value, msgspec.Struct):
        return {**_tag(value), **_fields(value, leaves)}
    if isinstance(value, Mapping):
        return {key: _write(item, leaves) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_write(item, leaves) for item in value]
    return msgspec.to_builtins(value, str_keys=True)


def _fields(value: msgspec.Struct, leaves: _Leaves) -> JsonObject:
    plain: JsonObject = {}
    extra = getattr(type(value), EXTRA, None)
    for field in _field_infos(type(value)):
        item = getattr(value, field.name)
        if field.name != extra and not leaves(item, field):
            plain[field.encode_name] = _write(item, leaves)
    further = {} if extra is None else _write(getattr(value, extra), leaves)
    return {**{key: item for key, item in further.items() if key not in plain}, **plain}


@lru_cache(maxsize=1024)
def _field_infos(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Cache `msgspec.structs.fields`, which resolves type hints anew each time."""
    return msgspec.structs.fields(kind)


def _tag(value: msgspec.Struct) -> JsonObject:
    config = type(value).__struct_config__
    return {} if config.tag_field is None else {config.tag_field: config.tag}


def encode_json(value: object) -> bytes:
    """Encode a typed value as compact JSON, further properties in their place."""
    return msgspec.json.encode(to_builtins(value))


def _flatten(value: object, plain: object) -> Any:
    """Walk a value and its plain copy together, and move further properties up in the copy."""
    if isinstance(plain, (list, tuple)):
        if not isinstance(value, (list, tuple, set, frozenset)):
            return plain  # an array-like Struct: no properties, so none to lift
        # A set keeps its order while nothing changes it, so the two walks stay in step.
        return [_flatten(item, copy) for item, copy in zip(value, plain, strict=True)]
    if not isinstance(plain, dict):
        return plain
    if isinstance(value, Mapping):
        return {key: _flatten(item, plain[key]) for key, item in zip(plain, value.values(), strict=True)}
    if not isinstance(value, msgspec.Struct):
        return plain
    return _flatten_struct(value, plain)


def _flatten_struct(value: msgspec.Struct, plain: JsonObject) -> JsonObject:
    extra = getattr(type(value), EXTRA, None)
    further: JsonObject = {}
    for name, wire in zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True):
        if wire in plain:
            item = _flatten(getattr(value, name), plain[wire])
            if name == extra:
                del plain[wire]
                further = item
            else:
                plain[wire] = item
    # A value that is constructed may repeat a named property among the further ones: the named one wins.
    return {**plain, **{key: item for key, item in further.items() if key not in plain}}


Change: TypeAlias = Callable[[Any], Any]
"""Called with what is no container; what it returns takes that place."""

_LEAVES: Final = frozenset((str, int, float, bool, type(None)))


def rewrite(value: Any, change: Change, key: Change) -> Any:
    """Apply `change` to all leaves of a value and `key` to every property name. What did not change is the
    same object. Goes into dicts, lists, tuples, sets and Structs, which are copied without `__post_init__`:
    the contract is not checked again. Raises RecursionError for what contains itself."""
    if type(value) in _LEAVES:  # most values; to ask whether one is a Mapping takes several times as long
        return change(value)
    if isinstance(value, msgspec.Struct):
        return _struct(value, change, key)
    if isinstance(value, (list, tuple, set, frozenset)):
        items = [rewrite(item, change, key) for item in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        if isinstance(value, tuple):
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        return list(items) if isinstance(value, list) else type(value)(items)
    if isinstance(value, Mapping):
        changed = {key(name): rewrite(item, change, key) for name, item in value.items()}
        same = len(changed) == len(value) and all(
            name is old and changed[name] is item
            for name, (old, item) in zip(changed, value.items(), strict=True)
        )
        return value if same else changed
    return change(value)


def _struct(value: msgspec.Struct, change: Change, key: Change) -> object:
    new = None
    for name in value.__struct_fields__:
        old = getattr(value, name)
        item = rewrite(old, change, key)
        if item is not old:
            if new is None:
                new = copy(value)
            msgspec.structs.force_setattr(new, name, item)
    return value if new is None else new


P = TypeVar("P")


def decode_in_steps(
    tool: Tool[P],
    arguments: Arguments,
    wire_decoder: "WireDecoder | None",
    guesses: "Guesses | None",
    exact: bool,
) -> P:
    """Return the typed parameters of `tool`. `wire_decoder` is None if the arguments are in the contract's
    own form. If `exact` is false, the contract validates every value before it is converted. Raises
    ArgumentError with every violation, unless `guesses` lead to arguments that the contract accepts."""
    before = CALL.set({})
    try:
        value = parse_arguments(tool.name, arguments)
        if wire_decoder is not None or tool.empty_is_absent:
            value = in_own_form(tool, value, wire_decoder)
        text = arguments if isinstance(arguments, (bytes, str)) else None
        if exact:
            try:
                if (
                    not value or text is None or wire_decoder is not None or tool.empty_is_absent
                ):  # no value: blank text
                    text = msgspec.json.encode(value)  # to read JSON takes half the time of `msgspec.convert`
                if not may_be_too_deep(text) or not too_deep(value):
                    return (tool._lazy.decoder or tool._decoder())(text)
            except (msgspec.DecodeError, RecursionError):
                pass  # the contract settles it, or names what is wrong
        return _convert_valid(tool, value, encoded=wire_decoder is not None)
    except ArgumentError as problem:
        if guesses is not None and guesses.allow:
            guessed = _guessed(tool, arguments, wire_decoder, guesses, problem)
            if guessed is not None:
                return guessed
        raise
    finally:
        CALL.reset(before)


def in_own_form(tool: AnyTool, value: object, wire_decoder: "WireDecoder | None") -> Any:
    """Return plain data in the contract's form, without parameters that "" leaves out."""
    if wire_decoder is not None:
        value = wire_decoder(value)
    names = tool.empty_is_absent
    if names and type(value) is dict:
        value = {name: item for name, item in value.items() if item != "" or name not in names}
    return value


def _convert_valid(tool: Tool[P], value: object, *, encoded: bool = False) -> P:
    """Settle, validate and convert `value`, which is `encoded` if it came in a provider's wire form. Raises
    ArgumentError with every violation."""
    try:
        settled, violations = settle(tool._parameters(), value, encoded=encoded)
        if violations:
            raise ArgumentError(tool.name, violations=violations)
        return convert_settled(tool, settled)
    except RecursionError:
        raise ArgumentError(tool.name, "they are nested too deeply. Send a flatter value.") from None


def convert_settled(tool: Tool[P], settled: object) -> P:
    """Convert a settled value that the contract accepts. Raises RecursionError, and ArgumentError if the
    Struct refuses it: a bug of the generator, no fault of the model's."""
    try:
        converted: P = msgspec.convert(settled, tool._shape(), dec_hook=trusted_hook)
    except msgspec.ValidationError as problem:
        log(
            WARNING,
            "Tool %r (%s): its contract accepts a value that its Struct refuses (%s). "
            "This is a bug in the generated code; run `toolcast verify`.",
            tool.name,
            tool.module,
            problem,
            event="disagreement",
            tool=tool.name,
            error_type=type(problem).__name__,
        )
        raise ArgumentError(tool.name, f"{problem}.") from problem
    return converted


def settle(node: ContractNode, value: object, *, encoded: bool) -> "tuple[Any, Sequence[Violation]]":
    """Return `value` with the two allowances, and its remaining violations, worded for the wire form if the
    value was `encoded`. Raises RecursionError."""
    validator = node.validator()
    settled = validator.settle(value)
    violations = validator.violations(settled, limit=LIMIT)
    if violations and validator.accepts(value):
        return value, ()  # a float past 2**53 may fit where the integer that it is does not
    if violations and encoded:
        from .wire.decoder import explain_wire_form

        return settled, explain_wire_form(violations, settled)
    return settled, violations


def _guessed(
    tool: Tool[P],
    arguments: Arguments,
    wire_decoder: "WireDecoder | None",
    guesses: "Guesses",
    problem: ArgumentError,
) -> P | None:
    """Return the parameters that guesses lead to; None for none. Raises ArgumentError for several."""
    from .wire.guesses import GuessError, guess, with_reason

    def read(text: Any) -> Any:
        return in_own_form(tool, parse_arguments(tool.name, text), wire_decoder)

    try:
        value = guess(arguments, read, tool._parameters().validator(), guesses)
    except GuessError as reason:
        raise with_reason(problem, reason) from None
    return None if value is None else _convert_valid(tool, value)
