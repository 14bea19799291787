"""What refuses to compile although every reference leads somewhere."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import UNSET

from ..diagnostics import Diagnostic, Severity
from ..jsonschema import SearchTooLong, UnsupportedSchema, Validator
from ..jsonschema.pointers import escape, resolve, split
from ..jsonschema.satisfiable import FORBIDDEN, Satisfiability
from ..jsonschema.schema_compiler import Schemas
from ..jsonschema.subschemas import subschemas
from ..spec.model import ToolSpec, diagnose
from .defaults import MAX_DEPTH, MAX_PARTS, endless
from .forms import asserting
from .normal import Normal
from .normal_pointers import defined
from .read import Reader
from .tree import Contract, Field, Nothing, Object
from .tree_walk import nodes


def say(
    normal: Normal, pointer: str, code: str, message: str, hint: str = "", severity: Severity = "error",
) -> Diagnostic:  # fmt: skip
    """A diagnostic about the thing at `pointer` of the contract document."""
    document, path = normal.locate(pointer)
    return diagnose(document, path, code, message, hint, severity=severity)


def circular(normal: Normal) -> Iterator[Diagnostic]:
    """Definitions that are nothing but a reference back to themselves: they say nothing."""
    for name in normal.defs:
        seen, at = {name}, name
        while isinstance(normal.defs[at], dict) and "$ref" in normal.defs[at]:
            following = defined(normal.defs[at]["$ref"])
            if following is None:
                break
            if following == name:
                yield say(
                    normal, f"/$defs/{name}", "circular-reference", f"`{name}` refers only to itself",
                    "give one of the schemas in the circle a type of its own",
                )  # fmt: skip
            if following in seen:
                break
            seen.add(following)
            at = following


def malformed(normal: Normal, whole: Mapping[str, Any], shared: Schemas) -> Iterator[Diagnostic]:
    """Schemas that JSON Schema does not allow, in every root and definition that is in use.

    `shared` compiles them, and keeps what it compiled for later questions about `whole`.
    """
    places = [*(f"/{name}" for name in normal.roots), *(f"/$defs/{name}" for name in whole.get("$defs", {}))]
    for place in places:
        try:
            Validator(resolve(whole, place), shared=shared, pointer=place)
        except UnsupportedSchema as problem:
            yield say(
                normal, problem.pointer or place, "malformed-schema", problem.reason,
                "see the JSON Schema 2020-12 reference",
            )  # fmt: skip


def slow_names(normal: Normal, problem: SearchTooLong) -> Diagnostic:
    """A declared property of which nobody can say in bounded time whether a pattern of names covers it."""
    return say(
        normal, f"/{next(iter(normal.roots), '$defs')}", "slow-pattern", str(problem),
        "say each repetition of the pattern in one way only, or give the property a shorter name",
    )  # fmt: skip


def unsatisfiable(normal: Normal, reader: Reader, contract: Contract) -> Iterator[Diagnostic]:
    """Schemas that contradict themselves, so that providers are offered what no call can contain; and
    required properties that are forbidden. An optional property may be forbidden by `false` or `not: {}`."""
    judge = Satisfiability(reader.resolve)
    tops = [*(f"/{root}" for root in normal.roots), *(f"/$defs/{escape(name)}" for name in normal.defs)]
    reasons = {
        place: reason
        for top in tops
        for place, reason in contradictions(judge, resolve(reader.document, top), top)
    }
    forbidden = {
        field.node.pointer: field.wire
        for root in contract.roots.values()
        for node in nodes(root)
        for field in (node.fields if isinstance(node, Object) else ())
        if field.required and isinstance(field.node, Nothing) and field.node.pointer not in reasons
    }
    for place, name in forbidden.items():
        yield say(
            normal, place, "unsatisfiable", f"no value fits the required property `{name}`",
            "loosen the schema, or remove the property from `required`",
        )  # fmt: skip
    for place, reason in reasons.items():
        if not any(inner.startswith(f"{place}/") for inner in forbidden):  # which is why
            yield say(
                normal, place, "unsatisfiable", f"no value fits {_called(place)}: {reason}",
                "correct the keywords that contradict each other; `false` forbids a property on purpose",
            )  # fmt: skip


def contradictions(judge: Satisfiability, schema: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """The places at and below `schema` that values are read by and none can fit, innermost first, with the
    reason. Conditions and what is negated are no such places; nor is a reference, whose target is."""
    if not isinstance(schema, dict):
        return
    inner = False
    for path, below in subschemas(schema):
        if path[0] in _READ:
            place = pointer + "".join(f"/{escape(str(step))}" for step in path)
            for found in contradictions(judge, below, place):
                inner = True
                yield found
    alone = asserting(schema) in ({"$ref"}, {"type"}, set())
    within_all = pointer.rpartition("/")[0].endswith("/allOf")  # judged with its neighbours
    reason = None if inner or alone or within_all else judge.contradiction(schema)
    if reason is not None and reason != FORBIDDEN:
        yield pointer, reason


_READ: Final = frozenset(
    {
        "properties", "patternProperties", "additionalProperties", "items", "prefixItems",
        "allOf", "anyOf", "oneOf",
    }
)  # fmt: skip
"""Keywords whose schemas say what a value may be, or hold."""


def _called(pointer: str) -> str:
    """The thing at a pointer, in words."""
    *_, holder, last = ["", *split(pointer)]
    if holder == "properties":
        return f"the property `{last}`"
    if holder == "$defs":
        return f"the definition `{last}`"
    return f"the {last}" if not holder else f"this schema (`{last if not last.isdigit() else holder}`)"


def default_problems(normal: Normal, reader: Reader, contract: Contract) -> Iterator[Diagnostic]:
    """Defaults that their own schemas refuse. A default of null may also mean absence."""
    for field in _fields(contract):
        if field.default is UNSET or field.default is None:
            continue
        validator = reader.validator(resolve(reader.document, field.pointer))
        wrong = validator.violations(field.default, limit=1)
        if wrong:
            yield say(
                normal, field.pointer + "/default", "default-mismatch",
                f"the default of `{field.wire}` does not fit its own schema: {wrong[0].message}",
                "correct the default, or leave it out",
            )  # fmt: skip


def endless_defaults(normal: Normal, reader: Reader, contract: Contract) -> Iterator[Diagnostic]:
    """Defaults that cannot be filled with the defaults inside of them."""
    for found in endless(reader, contract):
        name, at = found.field.wire, found.field.pointer + "/default"
        if not found.circle:
            message = f"the default of `{name}` holds more than {MAX_PARTS:,} others, or {MAX_DEPTH} levels"
            hint = "leave it out, or write out the properties inside of it"
            yield say(normal, at, "large-default", message, hint)
            continue
        way = " → ".join(f"`{field.wire}`" for field in (*found.circle, found.field))
        message = f"the default of `{name}` contains itself: {way}"
        hint = "leave the default out, or write into it a value of the property that ends, such as null"
        yield say(normal, at, "circular-default", message, hint)


def _fields(contract: Contract) -> Iterator[Field]:
    for root in [*contract.roots.values(), *contract.definitions.values()]:
        for node in nodes(root):
            if isinstance(node, Object):
                yield from node.fields


def example_problems(tool: ToolSpec, validator: Validator) -> Iterator[Diagnostic]:
    """Examples that the parameters refuse."""
    for i, example in enumerate(tool.examples):
        for wrong in validator.violations(validator.settle(example), limit=5):
            yield diagnose(
                tool.document, ("examples", i), "example-mismatch",
                f"this example does not fit the parameters: {wrong.path}: {wrong.message}",
                "correct the example or the schema",
            )  # fmt: skip
