"""Which objects keep what they do not declare, because a second schema judges the same value.

A Struct drops the properties that its object neither declares nor speaks of. That changes nothing while this
object's own schema is the only judge. Where others judge the same value (another branch of `oneOf`, `not`,
the pattern that covers a declared property, `contains`, `uniqueItems`), what was dropped may be what they
asked for; and then an encoded value would be refused.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, Protocol

from ..jsonschema.subschemas import subschemas
from .any_of import told_apart
from .forms import asserting, form_of, only_part
from .judging import FURTHER, WHOLE, applied, finds, listed, looks, of_any_property, of_item, of_property

MAX_PAIRS: Final = 50_000
"""Pairs of a schema and a second judge looked at in one contract. Past them every object keeps everything."""

Judges = dict[int, Any]
"""Schemas that judge one value, by identity."""


class Known(Protocol):
    """What is asked of the reader of a document."""

    pointers: dict[int, str]

    def resolve(self, reference: str) -> Any:
        """The schema that a normal-form reference names."""
        ...

    def merged(self, schema: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
        """`schema` with `allOf` and `$ref` folded in, and whether anything was left out."""
        ...


class _Own(NamedTuple):
    """What is read at one place: `schema` as it is typed; the schemas in whose shape it is read instead."""

    schema: Mapping[str, Any] | None
    instead: tuple[Any, ...] = ()


_JUDGING: Final = frozenset(
    {
        "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "$ref",
        "patternProperties", "contains", "uniqueItems",
    }
)  # fmt: skip


def judges(schema: Mapping[str, Any]) -> bool:
    """Whether a schema may have a value of its own, or a part of it, judged twice.

    Where none of a document does, `kept` has nothing to find: see `_seeds` and `applied`.
    """
    return not _JUDGING.isdisjoint(schema) or isinstance(schema.get("default"), dict | list)


def kept(reader: Known, document: Mapping[str, Any], files: Mapping[str, str]) -> frozenset[str]:
    """Pointers of the objects that keep undeclared properties.

    `files` names the shared type file of a definition. What a file's schemas ask for counts in that file
    alone: a shared type compiles to the same class whoever uses it.
    """
    homes: dict[str, list[Any]] = {}
    owner: dict[int, str] = {}
    roots = [(schema, "") for name, schema in document.items() if name != "$defs"]
    roots += [(schema, files.get(name, "")) for name, schema in document.get("$defs", {}).items()]
    for root, file in roots:
        for schema in _everywhere(root):
            homes.setdefault(file, []).append(schema)
            owner[id(schema)] = file
    found: set[str] = set()
    for file, schemas in homes.items():
        for schema in _Search(reader).looked_at(schemas):
            if owner.get(id(schema)) == file:
                found.add(reader.pointers[id(schema)])
    return frozenset(found)


class _Search:
    """Spreads judges from the schemas of one file to the parts of the values that they judge."""

    def __init__(self, reader: Known) -> None:
        self.reader = reader
        self.judges: dict[int, Judges] = {}
        self.schemas: dict[int, Any] = {}  # those that have judges
        self.own: dict[int, _Own] = {}
        self.waiting: list[tuple[Any, list[Any]]] = []  # a schema, and judges that it has not had before
        self.pairs = 0

    def looked_at(self, schemas: list[Any]) -> Iterator[Any]:
        """The schemas of objects that another schema looks at beyond what they declare."""
        for schema in schemas:
            for target, judges in self._seeds(schema):
                self._judge(target, judges)
                if self.pairs > MAX_PAIRS:
                    yield from schemas
                    return
        while self.waiting and self.pairs <= MAX_PAIRS:
            for target, judges in self._parts(*self.waiting.pop()):
                self._judge(target, judges)
        if self.pairs > MAX_PAIRS:
            yield from schemas
            return
        for place, known in self.judges.items():
            own = self._owned(self.schemas[place]).schema
            if own is None:
                continue
            declared = frozenset((*(own.get("properties") or ()), *own.get("required", ())))
            if any(looks(judge, declared) for judge in known.values()):
                yield self.schemas[place]

    def _judge(self, schema: Any, judges: Iterable[Any]) -> None:
        """Let `judges`, and all that they apply to the same value, judge what `schema` reads."""
        if not isinstance(schema, dict):
            return
        self.schemas[id(schema)] = schema
        known = self.judges.setdefault(id(schema), {})
        new: list[Any] = []
        stack = [judge for judge in judges if isinstance(judge, dict) and id(judge) not in known]
        while stack:
            judge = stack.pop()
            if id(judge) in known or (judge is schema and self._owned(schema).schema is schema):
                continue  # what is read by its own keywords alone has itself for a judge anyway
            known[id(judge)] = judge
            new.append(judge)
            stack += [inner for inner in self._in_place(judge) if isinstance(inner, dict)]
        if new:
            self.pairs += len(new)
            self.waiting.append((schema, new))

    def _in_place(self, schema: Mapping[str, Any]) -> Iterator[Any]:
        if "$ref" in schema:
            yield self.reader.resolve(schema["$ref"])
        yield from applied(schema)

    def _owned(self, schema: Mapping[str, Any]) -> _Own:
        known = self.own.get(id(schema))
        if known is None:
            known = self.own[id(schema)] = self._find_own(schema)
        return known

    def _find_own(self, schema: Mapping[str, Any]) -> _Own:
        keys = asserting(schema)
        form = form_of(schema, keys)
        if form == "typed":
            return _Own(schema)
        if form == "flattened":
            flat, _ = self.reader.merged(schema)
            return _Own(None if flat.keys() & {"enum", "const"} else flat)
        if form == "reference":
            return _Own(None, (self.reader.resolve(schema["$ref"]),))
        if form == "only part":
            return _Own(None, (schema["allOf"][only_part(schema) or 0],))
        return _Own(None, tuple(schema["anyOf" if "anyOf" in keys else "oneOf"]) if form == "union" else ())

    def _seeds(self, schema: Mapping[str, Any]) -> Iterator[tuple[Any, list[Any]]]:
        """What one schema has judged twice, by its own keywords."""
        own = self._owned(schema).schema
        if own is None:
            if "oneOf" in schema and form_of(schema, asserting(schema)) == "union":
                branches = schema["oneOf"]
                if not told_apart(branches, self.reader.resolve):
                    for branch in branches:
                        yield branch, [other for other in branches if other is not branch]
            return
        others = list(applied(own))
        if "default" in schema and self._exceeds(own, schema["default"]):
            others.append(WHOLE)  # the default is a value of this place, all of it
        if own is not schema and self.reader.merged(schema)[1]:
            others.append(schema)
        if others:
            yield schema, others
        patterns = own.get("patternProperties") or {}
        for name, item in (own.get("properties") or {}).items() if patterns else ():
            covering = [patterns[pattern] for pattern in patterns if finds(pattern, name)]
            if covering:
                yield item, covering
        items = [
            item for keyword in ("items", "prefixItems") if keyword in own for item in listed(own[keyword])
        ]
        judges = [own["contains"]] if "contains" in own else []
        judges += [WHOLE] if own.get("uniqueItems") is True else []
        for item in items if judges else ():
            yield item, judges

    def _exceeds(self, schema: Any, default: Any) -> bool:
        """Whether a default has properties that the objects of its schema do not declare."""
        own = self._owned(schema).schema if isinstance(schema, dict) else None
        if own is None:
            return False
        if isinstance(default, dict):
            declared = own.get("properties") or {}
            return any(
                name not in declared or self._exceeds(declared[name], default[name]) for name in default
            )
        return isinstance(default, list) and any(self._exceeds(own.get("items"), item) for item in default)

    def _parts(self, schema: Mapping[str, Any], judges: list[Any]) -> Iterator[tuple[Any, list[Any]]]:
        """What the judges of a value have to say of its parts."""
        own, instead = self._owned(schema)
        for other in instead:
            yield other, judges
        if own is None:
            return
        for name, item in (own.get("properties") or {}).items():
            yield item, [part for judge in judges for part in of_property(judge, name)]
        for word in FURTHER:
            if word in own:
                yield own[word], [part for judge in judges for part in of_any_property(judge)]
        for item in (own.get("patternProperties") or {}).values():
            yield item, [part for judge in judges for part in of_any_property(judge)]
        for word in ("items", "prefixItems"):
            for item in listed(own[word]) if word in own else ():
                yield item, [part for judge in judges for part in of_item(judge)]


def _everywhere(schema: Any) -> Iterator[dict[str, Any]]:
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield node
            stack += [item for _, item in subschemas(node)]
