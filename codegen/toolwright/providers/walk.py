"""The one walk over a schema. What it does at each keyword is looked up in a table made from the dialect.

Each node goes through three steps: *rewrites* turn what the dialect cannot say into other words of JSON
Schema, the *table* copies, walks, drops or spills keyword after keyword, *endings* settle what concerns
the node as a whole. Nothing of the input is changed; output shares no container with it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from . import operations
from .dialect import Dialect, Disposition
from .encodings import confused, pairs, positions, shapes
from .errors import SchemaError
from .kinds import Made
from .legacy import LEGACY, is_legacy, raised
from .literals import bounded, typed, with_enum
from .marks import MARK
from .paths import Path, pointer
from .refs import MANY, NAMED, ONE, Segments, opened
from .renames import renamed
from .state import State
from .structure import (
    arrays,
    declared,
    has_type,
    placeholder,
    reopened,
    said,
    strict_object,
    tuples,
    without_empty,
)
from .unions import alone, as_any_of, collapsed, merge_all_of, nullable_union, single
from .values import ATOMS, copied
from .words import described

Node = dict[str, Any]
Op = Callable[[State, Node, str, Any, Node, Path, list[str]], None]

NEGATING = frozenset(("not", "if", "then", "else"))
"""Keywords under which a wider subschema would be a narrower schema."""
MAX_STEPS = 64
NOTHING: frozenset[str] = frozenset()


class Rules:
    """A dialect made ready: an operation for each keyword (`None`: copy), and what triggers a rewrite."""

    __slots__ = ("always", "dialect", "encodes", "ends", "literal", "loops", "ops", "other", "triggers")

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        by: dict[Disposition, Op | None] = {
            "keep": None,
            "drop": operations.drop,
            "spill": operations.spill,
            "block": operations.block,
        }
        self.other = by[dialect.other]
        keep = by["keep"] if dialect.other == "keep" else self.other
        ops: dict[str, Op | None] = dict.fromkeys(
            (*ONE, *MANY, *NAMED, "$ref", "type", "format", "pattern"), keep
        )
        for disposition in ("keep", "drop", "spill", "block"):
            ops.update(dict.fromkeys(getattr(dialect, disposition), by[disposition]))
        own: tuple[tuple[frozenset[str], Op], ...] = (
            (ONE, _one),
            (MANY, _many),
            (NAMED, _named),
            (frozenset(("$ref",)), operations.reference),
            (frozenset(("type",)), operations.stated),
            (frozenset(("format",)), operations.format),
            (frozenset(("pattern",)), operations.pattern),
        )
        for keywords, op in own:
            ops.update((key, op) for key in keywords if ops[key] is None)
        if dialect.closed:
            ops["additionalProperties"] = operations.closed
        if dialect.refs == "inline":
            ops["$defs"] = operations.inlined
        if dialect.booleans == "rewrite":
            ops["nullable"] = None
        if dialect.property_names:
            ops["required"] = operations.renamed_list
            ops["dependentRequired"] = operations.renamed_lists
        ops[MARK] = operations.marked
        self.ops = ops
        triggers = set(LEGACY) - {"items", "required", "type"}
        triggers |= {"$ref"} if dialect.refs == "inline" or not dialect.ref_siblings else set()
        triggers |= {"allOf"} if dialect.all_of == "merge" else set()
        triggers |= {"oneOf"} if dialect.one_of == "any-of" else set()
        triggers |= {"anyOf"} if dialect.any_of == "alone" else set()
        self.literal = dialect.enums != "any" or dialect.const == "enum" or dialect.max_enum is not None
        triggers |= {"enum", "const"} if self.literal else set()
        triggers |= {"prefixItems"} if dialect.tuples != "keep" else set()
        triggers |= {"required"} if dialect.declared_required else set()
        triggers |= {"additionalProperties", "patternProperties"} if dialect.maps == "pairs" else set()
        self.triggers = frozenset(triggers)
        self.loops = frozenset(triggers & {"$ref", "allOf", "oneOf", "anyOf"})
        self.always = dialect.typed
        self.encodes = dialect.maps != "keep" or dialect.tuples == "object" or dialect.enums != "any"
        self.ends = dialect.closed or dialect.properties_required or not dialect.empty_required


@lru_cache(maxsize=64)
def rules_of(dialect: Dialect) -> Rules:
    """The table of a dialect; made once."""
    return Rules(dialect)


def walked(state: State, rules: Rules, node: Any, path: Path) -> Any:
    """The output for one schema. Raises `SchemaError` for what is no schema, or too large."""
    if node.__class__ is not dict:
        if node.__class__ is Made:
            return copied(node)
        if node.__class__ is not bool:
            raise SchemaError(pointer(path), "a schema is an object, true or false")
        return _boolean(state, rules, node, path)
    if state.origins:
        path = state.origins.get(id(node), path)
    return finished(state, rules, node, path, [], [])


def finished(
    state: State, rules: Rules, node: Node, path: Path, notes: list[str], entered: list[Segments]
) -> Node:
    """The output for one node, all three steps."""
    state.enter(path)
    moved = len(state.alive)
    if rules.always or not rules.triggers.isdisjoint(node) or node.get("items").__class__ is list:
        node = _rewritten(state, rules, node, path, notes, entered)
    dialect = rules.dialect
    if dialect.items_required and has_type(node, "array"):
        node = arrays(state, node, path)
    state.taken = NOTHING
    for segments in entered:
        state.opened[segments] = state.opened.get(segments, 0) + 1
    out: Node = {}
    get, other = rules.ops.get, rules.other
    for key, value in node.items():
        op = get(key, other)
        if op is None:
            out[key] = value if value.__class__ in ATOMS else copied(value)
        else:
            op(state, node, key, value, out, path, notes)
    for segments in entered:
        state.opened[segments] -= 1
        if not state.opened[segments]:
            del state.opened[segments]
    if "patternProperties" in out and len(out["patternProperties"]) < len(node["patternProperties"]):
        reopened(state, out, path)
    if len(state.alive) > moved:
        state.forget(moved)
    if rules.ends:
        if (dialect.closed or dialect.properties_required) and has_type(out, "object"):
            if dialect.closed:
                strict_object(state, out, node, path)
            else:
                out.setdefault("properties", {})
        if not dialect.empty_required:
            without_empty(state, out, path)
    if dialect.type_arrays == "nullable" and "anyOf" in out:
        out = nullable_union(state, out, path)
    if "nullable" in out and out.get("type") == "null":
        del out["nullable"]  # null already: a definition that is null, put in place beside a null branch
    if notes:
        words = described(out.get("description"), notes)
        if words:
            out["description"] = words
    state.depth -= 1
    return out


def _boolean(state: State, rules: Rules, node: bool, path: Path) -> Any:
    if rules.dialect.booleans == "keep":
        return node
    if node is False:
        state.note(path, "false", "widened", "changed", "a schema that takes nothing cannot be said here")
        state.block(path, "false", "a schema that takes nothing cannot be said here")
    return finished(state, rules, {}, path, [], [])


def _rewritten(
    state: State, rules: Rules, node: Node, path: Path, notes: list[str], entered: list[Segments]
) -> Node:
    dialect = rules.dialect
    if is_legacy(node):
        node = raised(state, node, path)
    if not rules.loops.isdisjoint(node):
        node = _unfolded(state, dialect, node, path, notes, entered)
    if (
        "required" in node
        and dialect.declared_required
        and ("properties" in node or dialect.typed or has_type(node, "object"))
    ):
        node = declared(state, node, path)
    if ("enum" in node or "const" in node) and rules.literal:
        node = with_enum(state, node, path, notes)
    if "prefixItems" in node and dialect.tuples != "keep":
        sent = positions(state, node, path, notes) if dialect.tuples == "object" else None
        node = tuples(state, node, path, notes) if sent is None else sent
    if rules.always:
        node = typed(state, node, path, notes)
    if dialect.maps == "pairs":
        node = pairs(state, node, path, notes)
    if dialect.exclusive == "inclusive" and ("exclusiveMinimum" in node or "exclusiveMaximum" in node):
        node = bounded(state, node, path, notes)
    if (
        dialect.empty_objects == "placeholder"
        and path is not None
        and has_type(node, "object")
        and not node.get("properties")
    ):
        node = placeholder(state, node, path, notes)
    return node


def _unfolded(
    state: State, dialect: Dialect, node: Node, path: Path, notes: list[str], entered: list[Segments]
) -> Node:
    """References and combinators, until the dialect can say what is left; each step may bring up the next."""
    for _ in range(MAX_STEPS):
        before = node
        if dialect.all_of == "merge":
            node = single(node)
        if "$ref" in node and (dialect.refs == "inline" or not dialect.ref_siblings):
            node, more = opened(state, node, path, notes)
            entered.extend(more)
        if "oneOf" in node and dialect.one_of == "any-of":
            node = as_any_of(state, node, path)
        if "allOf" in node and dialect.all_of == "merge":
            node = merge_all_of(state, node, path, notes, entered)
        if "anyOf" in node and dialect.any_of == "alone":
            node = alone(state, node, path, notes, entered)
        if "anyOf" in node and dialect.type_arrays == "nullable":
            node = collapsed(state, node, path)
        if node is before:
            return node
    raise SchemaError(pointer(path), "combinators are nested too deeply")


def _one(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    lossy = state.lossy
    result = walked(state, rules_of(state.dialect), value, (path, key))
    if state.lossy != lossy and (key in NEGATING or (key == "contains" and "maxContains" in node)):
        said(state, path, key, value, notes)
        return
    out[key] = result


def _many(state: State, node: Node, key: str, value: Any, out: Node, path: Path, notes: list[str]) -> None:
    if not isinstance(value, list):
        raise SchemaError(pointer(path), f"{key} must be a list of schemas")
    rules = rules_of(state.dialect)
    place = (path, key)
    lossy = state.lossy
    drop = (
        key == "anyOf" and rules.dialect.booleans == "rewrite" and any(child is not False for child in value)
    )
    union = rules.encodes and key in ("anyOf", "oneOf")
    kinds = [shapes(state, child, (place, str(i))) for i, child in enumerate(value)] if union else []
    if union:
        confused(state, value, path, key)
    branches: list[Any] = []
    for i, child in enumerate(value):
        if drop and child is False:
            continue
        if union:
            state.taken = NOTHING.union(*kinds[:i], *kinds[i + 1 :])
        branches.append(walked(state, rules, child, (place, str(i))))
    state.taken = NOTHING
    if key == "oneOf" and state.lossy != lossy:
        # Branches grew wider, so that one value may fit two of them: exclusiveness would refuse it.
        if "anyOf" in node:
            said(state, path, key, value, notes)
            return
        state.note(
            path, key, "rewritten", "changed", "its branches became wider: anyOf, so that none is refused"
        )
        key = "anyOf"
    out[key] = branches


def _named(state: State, _: Node, key: str, value: Any, out: Node, path: Path, __: list[str]) -> None:
    if not isinstance(value, dict):
        raise SchemaError(pointer(path), f"{key} must be an object of schemas")
    rules = rules_of(state.dialect)
    if key == "$defs":
        if path is None:
            out[key] = {}  # filled once the walk knows what is referred to
        elif rules.dialect.ref_targets == "any":
            out[key] = {
                name: walked(state, rules, child, ((path, key), name)) for name, child in value.items()
            }
        else:
            state.note(
                path, key, "rewritten", "kept elsewhere", "what is referred to stands under the root's $defs"
            )
        return
    place = (path, key)
    children: Node = {}
    for name, child in value.items():
        if (
            child.__class__ is bool
            and rules.dialect.booleans == "rewrite"
            and child is False
            and key == "properties"
        ):
            state.note(
                (place, name), "false", "dropped", "changed", "a key that is forbidden is not declared"
            )
        elif (
            key == "patternProperties"
            and rules.dialect.patterns == "python"
            and not operations.compiles(name)
        ):
            state.note(place, name, "dropped", "lost", "the pattern of keys does not compile there")
        else:
            children[name] = walked(state, rules, child, (place, name))
    if state.renames and key in ("properties", "dependentSchemas"):
        children = renamed(state, out, key, children, path)
    out[key] = children
