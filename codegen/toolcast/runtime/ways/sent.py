"""Types for the form in which arguments are sent, so that text is decoded once, and not undone as plain data.

A `Sent` stands for a type whose values the way back undoes: `type` decodes the form that is sent, and `back`
makes the value of it. Only what is plain to see has one: maps as pairs, literals as texts, tuples as
positions, in Structs and lists of them. Whatever else was sent is refused by `type`, and goes the general way
of `undo`. In such a type, absent properties are UNSET, so that all that were sent can be counted: some
providers make a model send every one, null where it means none.

The same serves the contract's own form: a null that stands for absence is no value of the Struct's field.
"""

import keyword
from collections.abc import Callable
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from ..checked import Marker, decode_hook
from ..plan import Plan
from ..quick import Decode
from .way import KEY, VALUE, Way, position

_SCALARS = (str, int, float, bool, type(None))


class Sent(NamedTuple):
    """`back` may raise ValueError, for what the checks of a Struct refuse, and for keys that came twice."""

    type: Any
    back: Callable[[Any], Any]


def lenient_decoder(params: Any, general: Decode) -> Decode | None:
    """What decodes short text in the contract's own form that has null where a property is to be absent; None
    where no null could stand for that, or there is no type for it."""
    fields = msgspec.structs.fields(params) if isinstance(params, type) and issubclass(params, Struct) else ()
    if all(field.required or _takes_none(field.type) for field in fields):
        return None
    return sent_decoder(params, Way(), None, general)


def sent_decoder(params: Any, way: Way, provider: str | None, general: Decode) -> Decode | None:
    """What decodes short text for `provider`, and leaves to `general` whatever it does not take; None where
    `sent_form` has none."""
    form = sent_form(params, way)
    if form is None:
        return None

    def again(arguments: Any, guesses: Any) -> Any:
        return general(arguments, provider, guesses)

    try:
        plan = Plan(form.type, "back(value)")
    except TypeError:
        return None  # a type that cannot stand in a union with others
    return plan.bound(
        straight=frozenset({provider}), slowly=general, exactly=again, has_each_once=_never, back=form.back
    )


def _never(*_: Any) -> bool:
    return False


def sent_form(type_: Any, way: Way) -> Sent | None:
    """What decodes the form of `type_` that `way` undoes; None where it says more than can be seen here."""
    bare, metas = _without_meta(type_)
    if get_origin(bare) in (Union, UnionType):
        return _nullable(bare, metas, way)
    if way == Way(encoding="pairs"):
        return _pairs(bare, metas)
    if way == Way(encoding="texts", texts=way.texts):
        return _texts(type_, way)
    if way == Way(encoding="positions", least=way.least, count=way.count):
        return _positions(bare, way) if way.least == way.count and not metas else None
    if way == Way(properties=way.properties):
        return _struct(bare, way) if not metas else None
    if way == Way(items=way.items) and way.items is not None and get_origin(bare) is list:
        inner = sent_form(get_args(bare)[0], way.items)
        if inner is not None:
            back = inner.back
            return Sent(_with_meta(list[inner.type], metas), lambda items: [back(item) for item in items])  # type: ignore[name-defined]
    return None


def _nullable(bare: Any, metas: tuple[Any, ...], way: Way) -> Sent | None:
    """`X | None`: null means what it says."""
    others = [part for part in get_args(bare) if part not in (type(None), UnsetType)]
    if metas or len(others) != 1:
        return None
    inner = sent_form(others[0], way)
    if inner is None:
        return None
    below = inner.back

    def back(value: Any) -> Any:
        return None if value is None else below(value)

    return Sent(inner.type | None, back)


def _pairs(bare: Any, metas: tuple[Any, ...]) -> Sent | None:
    if get_origin(bare) is not dict:
        return None
    entry = msgspec.defstruct(
        "Entry", [(KEY, get_args(bare)[0]), (VALUE, get_args(bare)[1])], forbid_unknown_fields=True
    )

    def back(entries: list[Any]) -> dict[Any, Any]:
        made = {entry.key: entry.value for entry in entries}
        if len(made) != len(entries):
            raise ValueError("a key that came twice")
        return made

    return Sent(_with_meta(list[entry], metas), back)  # type: ignore[valid-type]


def _texts(type_: Any, way: Way) -> Sent | None:
    found: dict[str, Any] = {}
    for text, value in way.texts.items():
        try:
            if isinstance(value, _SCALARS):
                found[text] = msgspec.convert(value, type_, dec_hook=decode_hook)
        except msgspec.ValidationError:
            pass  # the contract says what is wrong with it
    return Sent(Literal[tuple(found)], found.__getitem__) if found else None


def _positions(bare: Any, way: Way) -> Sent | None:
    """A tuple of which every item has a property."""
    types = get_args(bare)
    if get_origin(bare) is not tuple or len(types) != way.count or Ellipsis in types or not types:
        return None
    names = [position(index) for index in range(way.count)]
    items = msgspec.defstruct("Items", list(zip(names, types, strict=True)), forbid_unknown_fields=True)
    return Sent(items, msgspec.structs.astuple)


def _struct(bare: Any, way: Way) -> Sent | None:
    if not isinstance(bare, type) or not issubclass(bare, Struct):
        return None
    config = bare.__struct_config__
    if config.array_like or config.tag is not None or hasattr(bare, "__toolcast_extra__"):
        return None
    rows: list[Any] = []
    renamed: dict[str, str] = {}
    arguments: list[str] = []
    known: dict[str, Any] = {"made": bare, "UNSET": UNSET}
    left = dict(way.properties)
    for field in msgspec.structs.fields(bare):
        if not field.name.isidentifier() or keyword.iskeyword(field.name):
            return None
        renamed[field.name] = field.encode_name
        below = left.pop(field.encode_name, Way())
        kind, value = field.type, f"value.{field.name}"
        given = value
        if below != Way():
            inner = sent_form(field.type, below)
            if inner is None:
                return None
            kind = inner.type
            known[f"back_{field.name}"] = inner.back
            given = f"back_{field.name}({value})"
        if field.required:
            rows.append((field.name, kind))
        elif _takes_none(field.type):
            rows.append((field.name, kind | UnsetType, UNSET))
            if below != Way() or field.default is not UNSET:
                given += f" if {value} is not UNSET else {_absent(field, known)}"
        else:  # null stands for absence
            rows.append((field.name, kind | None | UnsetType, UNSET))
            given += f" if {value} is not UNSET and {value} is not None else {_absent(field, known)}"
        arguments.append(f"{field.name}={given}")
    if left:
        return None
    sent = msgspec.defstruct(
        "Sent", rows, kw_only=True, rename=renamed, forbid_unknown_fields=config.forbid_unknown_fields
    )
    # All that is filled in are names of attributes. A loop over them would take longer than the rest.
    return Sent(sent, eval(f"lambda value: made({', '.join(arguments)})", known))


def _takes_none(type_: Any) -> bool:
    """Whether null may be a value of the type: what has a marker, the contract alone can tell."""
    bare, _ = _without_meta(type_)
    if get_origin(bare) in (Union, UnionType):
        return any(_takes_none(part) for part in get_args(bare))
    if get_origin(bare) is Literal:
        return None in get_args(bare)
    return isinstance(bare, Marker) or bare in (None, type(None), Any)


def _absent(field: msgspec.structs.FieldInfo, known: dict[str, Any]) -> str:
    """An expression for the value of a field that was not sent."""
    name = f"absent_{field.name}"
    if field.default_factory is not msgspec.NODEFAULT:
        known[name] = field.default_factory
        return f"{name}()"
    known[name] = field.default
    return name


def _without_meta(type_: Any) -> tuple[Any, tuple[Any, ...]]:
    if get_origin(type_) is Annotated:
        return type_.__origin__, type_.__metadata__
    return type_, ()


def _with_meta(type_: Any, metas: tuple[Any, ...]) -> Any:
    """A list in the place of another container: what is said of its length holds."""
    for meta in metas:
        if isinstance(meta, Meta):
            lengths = Meta(min_length=meta.min_length, max_length=meta.max_length)
            type_ = Annotated[type_, lengths]
    return type_
