"""Which branch of a union, in a provider's schema, takes a value."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...jsonschema.subschemas import map_subschemas
from ..contract_node import follow
from .wire_form import WireBranch

ALL = frozenset(("null", "boolean", "number", "string", "array", "object"))
MAX_FOLLOWED = 16
_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


class BranchSelector:
    """The branches of one union. What decides between them is made at first use.

    Where only one branch takes values of a JSON type, a value of that type is its own, even if the branch
    refuses something inside of it: then the contract names what, in a value that is decoded as far as
    possible. Elsewhere it is the first branch whose schema accepts the value; those first that send further
    keys in a property that it has, since any open object would take that, too.
    """

    __slots__ = ("_at", "_document", "_kinds", "_rests", "_root", "_validators", "forms")

    def __init__(self, choices: Sequence[WireBranch], document: Mapping[str, Any]) -> None:
        self._document = document
        self._at = tuple(choice.at for choice in choices)
        self.forms = tuple(choice.form for choice in choices)
        self._rests = frozenset(form.rest for form in self.forms if form is not None and form.rest)
        self._kinds: dict[str, tuple[int, ...]] | None = None
        self._root: Any = None
        self._validators: dict[int, Any] = {}

    def index(self, value: Any) -> int:
        """The branch that `value` takes; -1 for none, or for one in which nothing is encoded."""
        kinds = self._kinds
        if kinds is None:
            kinds = self._kinds = self._by_kind()
        fitting = kinds.get(_KINDS.get(type(value), ""), ())
        if len(fitting) == 1:
            return fitting[0]
        if self._rests and not self._rests.isdisjoint(value if type(value) is dict else ()):
            fitting = tuple(sorted(fitting, key=lambda index: not self._holds_rest(index, value)))
        for index in fitting:
            if self._accepts(index, value):
                return index if self.forms[index] is not None else -1
        return -1

    def _holds_rest(self, index: int, value: Any) -> bool:
        """Whether a branch sends further keys in a property that `value` has."""
        form = self.forms[index]
        return form is not None and form.rest in value

    def _by_kind(self) -> dict[str, tuple[int, ...]]:
        """For each JSON type the branches that may take it; none at all where none of them encodes."""
        shapes = [shape(follow(self._document, at), self._document) for at in self._at]
        found: dict[str, tuple[int, ...]] = {}
        for kind in ALL:
            fitting = tuple(index for index, kinds in enumerate(shapes) if kind in kinds)
            if all(self.forms[index] is None for index in fitting):
                fitting = ()
            found[kind] = fitting
        return found

    def _accepts(self, index: int, value: Any) -> bool:
        validator = self._validators.get(index)
        if validator is None:
            from ...jsonschema import Document, Validator

            if self._root is None:
                self._root = Document(as_json_schema(self._document))
            schema = as_json_schema(follow(self._document, self._at[index]))
            validator = self._validators[index] = Validator(schema, root=self._root, pointer=self._at[index])
        return bool(validator.accepts(value))


def shape(schema: Any, document: Mapping[str, Any], followed: int = 0) -> frozenset[str]:
    """The JSON types that a schema may take; integers are numbers. Too many rather than too few."""
    if not isinstance(schema, Mapping):
        return frozenset() if schema is False else ALL
    found = ALL
    stated = schema.get("type")
    if stated is not None:
        kinds = stated if isinstance(stated, list) else [stated]
        found = frozenset("number" if kind == "integer" else kind for kind in kinds)
    values = schema["enum"] if "enum" in schema else [schema["const"]] if "const" in schema else None
    if isinstance(values, list):
        found &= frozenset(_KINDS.get(type(value), "null") for value in values)
    if followed < MAX_FOLLOWED:
        reference = schema.get("$ref")
        if isinstance(reference, str):
            found &= shape(_target(reference, document), document, followed + 1)
        for keyword in ("anyOf", "oneOf"):
            branches = schema.get(keyword)
            if isinstance(branches, list):
                found &= frozenset[str]().union(*(shape(each, document, followed + 1) for each in branches))
    return found | {"null"} if schema.get("nullable") is True else found


def _target(reference: str, document: Mapping[str, Any]) -> Any:
    """The target of a `$ref`; True (any value) where it is no plain pointer (anchors, escapes)."""
    try:
        return follow(document, reference[1:]) if reference.startswith("#") else True
    except LookupError:
        return True


def as_json_schema(schema: Any) -> Any:
    """`schema` as JSON Schema 2020-12 has it: `nullable: true` admits null whatever other keywords state.

    Pointers to `$defs` of a root that is not nullable itself lead where they led.
    """
    if not isinstance(schema, Mapping):
        return schema
    out = map_subschemas(schema, as_json_schema)
    return {"anyOf": [out, {"type": "null"}]} if out.pop("nullable", None) is True else out
