"""The wire form as data: how a provider's dialect encoded each location of the arguments.

A form has the shape of the *provider's* schema. It states for each location how its value is decoded to the
contract's form. Only locations at or below which something is encoded have one.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from ...jsonschema.json_values import JsonMapping

_Encoding = Literal["", "pairs", "positions", "texts", "json"]

KEY = "key"
VALUE = "value"
"""The two properties of an entry of a map sent as a list: `[{"key": "a", "value": 1}]` is `{"a": 1}`."""
MORE = "more_items"
"""The property of a tuple, sent as an object, that lists the items after its last position."""


def position(index: int) -> str:
    """Return the property that holds item `index`, from 0, of a tuple that is sent as an object."""
    return f"item_{index + 1}"


class WireBranch(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One branch of a union: `at` is a JSON pointer into the provider's parameter schema."""

    at: str
    form: "WireForm | None" = None


class WireForm(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The decoding of the value at one location.

    `encoding` names what was encoded:

    * `pairs`: a map, sent as a list of `{"key": …, "value": …}`; `values` is the form of its values.
    * `positions`: a list, sent as an object `{"item_1": …, "more_items": […]}`; `properties` has the forms
      of its items, `more_items` included.
    * `texts`: a literal, sent as one of the strings of `texts`.
    * `json`: any value, sent as a string of JSON text. A string that holds no JSON stands for itself.

    For an object that stays one: `names` maps the property names that were sent to those of the contract,
    `rest` is the property that holds its undeclared keys as pairs (`values` is their form), `nulls` are
    properties (of the contract) whose absence means null, for a dialect that knows no null; `drops` are those
    whose null means absence, where the contract alone could not tell.

    A value that is in the contract's form already, because a model did not follow the schema, is left as it
    is: that loses nothing. `all_of` are further forms of the same location, for the schemas in `allOf` and
    the like that rename properties or contain renamed ones. `ref` continues at a definition; `choices` at the
    first branch that takes the value. A union without choices has one form for all its branches, because the
    JSON type tells what to decode.
    """

    encoding: _Encoding = ""
    ref: str = ""  # a key of `WireForms.definitions`
    texts: JsonMapping = {}
    names: Mapping[str, str] = {}
    rest: str = ""
    required: int = 0  # of positions: so many items are always there; null at a later one means absent
    count: int = 0  # of positions: so many have a property of their own; later items are in `more_items`
    nulls: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()
    properties: Mapping[str, "WireForm"] = {}  # by the name that is sent; with `values`, all declared ones
    prefix: tuple["WireForm | None", ...] = ()  # of the first items, where a tuple stays one
    items: "WireForm | None" = None  # of the items after those
    patterns: Mapping[str, "WireForm"] = {}  # of properties whose sent name matches a pattern
    values: "WireForm | None" = None  # of what additionalProperties describes, of pairs, and of `rest`
    choices: tuple[WireBranch, ...] = ()
    all_of: tuple["WireForm", ...] = ()


class WireForms(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The wire form of one tool at one provider. `parameters` is the JSON pointer to the parameter schema in
    the provider's tool object, in which choices are looked up."""

    root: WireForm
    definitions: Mapping[str, WireForm] = {}
    parameters: str = ""
