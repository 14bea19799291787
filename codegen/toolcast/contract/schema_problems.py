"""Diagnostics about schemas whose references resolve: circular, malformed, unsatisfiable; wrong defaults."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import UNSET
from msgspec.json import decode

from ..diagnostics import Diagnostic, Severity
from ..jsonschema import SearchTooLong, UnsupportedSchema, Validator
from ..jsonschema.pointers import escape, join, resolve, split
from ..jsonschema.satisfiable import FORBIDDEN, Satisfiability
from ..jsonschema.schema_compiler import Schemas
from ..jsonschema.subschemas import subschemas
from ..runtime.hidden_parameters import hiding_problem
from ..runtime.mcp_headers import KEYWORD, annotated, header_problems
from ..spec.parsed_document import Document, diagnose
from ..spec.reader_problems import quoted
from ..spec.spec_checker import nearest
from .defaults import MAX_DEPTH, MAX_PARTS, endless_defaults
from .normal_form import NormalForm, definition_name
from .reader import Reader
from .schema_forms import asserted_keywords
from .tree import Contract, Field, Nothing, Object, nodes


def diagnose_at(
    normal: NormalForm, pointer: str, code: str, message: str, hint: str = "", severity: Severity = "error",
) -> Diagnostic:  # fmt: skip
    """A diagnostic at the position in the spec of what is at `pointer` of the contract document."""
    document, path = normal.locate(pointer)
    return diagnose(document, path, code, message, hint, severity=severity)


def circular_definitions(normal: NormalForm) -> tuple[str, ...]:
    """Definitions that are only references, in a circle: they state no schema."""
    found: list[str] = []
    for name in normal.defs:
        visited, at = {name}, name
        while isinstance(normal.defs[at], dict) and "$ref" in normal.defs[at]:
            following = definition_name(normal.defs[at]["$ref"])
            if following is None:
                break
            if following == name:
                found.append(name)
            if following in visited:
                break
            visited.add(following)
            at = following
    return tuple(found)


def circular_references(normal: NormalForm, circular: Iterable[str]) -> Iterator[Diagnostic]:
    """One diagnostic for each of the `circular` definitions."""
    for name in circular:
        yield diagnose_at(
            normal, f"/$defs/{name}", "circular-reference", f"`{name}` refers only to itself",
            "give one of the schemas in the circle a type of its own",
        )  # fmt: skip


def malformed_schemas(
    normal: NormalForm, document: Mapping[str, Any], shared: Schemas
) -> Iterator[Diagnostic]:
    """Schemas that are malformed by JSON Schema 2020-12, in every root and definition.

    `shared` compiles them; later validations of `document` use the compiled schemas.
    """
    pointers = [
        *(f"/{name}" for name in normal.roots),
        *(f"/$defs/{name}" for name in document.get("$defs", {})),
    ]
    for pointer in pointers:
        try:
            Validator(resolve(document, pointer), shared=shared, pointer=pointer)
        except UnsupportedSchema as problem:
            yield diagnose_at(
                normal, problem.pointer or pointer, "malformed-schema", problem.reason,
                "see the JSON Schema 2020-12 reference",
            )  # fmt: skip


def slow_name_pattern(normal: NormalForm, problem: SearchTooLong) -> Diagnostic:
    """A declared property whose name cannot be searched for a pattern of names in bounded time."""
    return diagnose_at(
        normal, f"/{next(iter(normal.roots), '$defs')}", "slow-pattern", str(problem),
        "say each repetition of the pattern in one way only, or give the property a shorter name",
    )  # fmt: skip


def unsatisfiable_schemas(normal: NormalForm, reader: Reader, contract: Contract) -> Iterator[Diagnostic]:
    """Schemas that no value satisfies, and required properties that are forbidden.

    An optional property may be forbidden by `false` or `not: {}`.
    """
    satisfiability = Satisfiability(reader.resolve)
    tops = [*(f"/{root}" for root in normal.roots), *(f"/$defs/{escape(name)}" for name in normal.defs)]
    reasons = {
        pointer: reason
        for top in tops
        for pointer, reason in contradictions(satisfiability, resolve(reader.document, top), top)
    }
    forbidden = {
        field.node.pointer: (field, node)
        for root in contract.roots.values()
        for node in nodes(root)
        if isinstance(node, Object)
        for field in node.fields
        if field.required and isinstance(field.node, Nothing) and field.node.pointer not in reasons
    }
    for pointer, (field, node) in forbidden.items():
        message = f"no value fits the required property {quoted(field.encode_name)}"
        yield diagnose_at(normal, pointer, "unsatisfiable", message, _forbidden_hint(field, node))
    for pointer, reason in reasons.items():
        if not any(inner.startswith(f"{pointer}/") for inner in forbidden):  # that is the reason
            yield diagnose_at(
                normal, pointer, "unsatisfiable", f"no value fits {_describe_pointer(pointer)}: {reason}",
                "correct the keywords that contradict each other; `false` forbids a property on purpose",
            )  # fmt: skip


def _forbidden_hint(field: Field, node: Object) -> str:
    """What to do about a required property that is forbidden."""
    possible = [each for each in node.fields if not isinstance(each.node, Nothing)]
    allowed = [each.encode_name for each in possible if not each.required]
    close = nearest(field.encode_name, allowed) if len(allowed) <= _MOST_COMPARED else None
    rest = "loosen the schema, or remove the property from `required`"
    return f"did you mean {quoted(close)} in `required`? if not, {rest}" if close else rest


_MOST_COMPARED: Final = 1_000
"""Names of properties that one is compared with."""


def contradictions(satisfiability: Satisfiability, schema: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """Pointers of the unsatisfiable schemas at and below `schema`, innermost first, each with the reason.

    Conditions and negated schemas are left out, and so are references: their targets are checked.
    """
    if not isinstance(schema, dict):
        return
    inner = False
    for path, below in subschemas(schema):
        if path[0] in _READ_KEYWORDS:
            for found in contradictions(satisfiability, below, pointer + join(path)):
                inner = True
                yield found
    alone = asserted_keywords(schema) in ({"$ref"}, {"type"}, set())
    within_all = pointer.rpartition("/")[0].endswith("/allOf")  # its siblings apply too
    reason = None if inner or alone or within_all else satisfiability.contradiction(schema)
    if reason is not None and reason != FORBIDDEN:
        yield pointer, reason


_READ_KEYWORDS: Final = frozenset(
    {
        "properties", "patternProperties", "additionalProperties", "items", "prefixItems",
        "allOf", "anyOf", "oneOf",
    }
)  # fmt: skip
"""Keywords whose schemas describe a value or a part of it."""


def _describe_pointer(pointer: str) -> str:
    """Names what is at a pointer, for a message."""
    *_, holder, last = ["", *split(pointer)]
    if holder == "properties":
        return f"the property `{last}`"
    if holder == "$defs":
        return f"the definition `{last}`"
    return f"the {last}" if not holder else f"this schema (`{last if not last.isdigit() else holder}`)"


def default_problems(normal: NormalForm, reader: Reader, contract: Contract) -> Iterator[Diagnostic]:
    """Defaults that their own schemas refuse. A default of null may stand for absence."""
    for field in _fields(contract):
        if field.default is UNSET or field.default is None:
            continue
        validator = reader.validator(resolve(reader.document, field.pointer))
        wrong = validator.violations(field.default, limit=1)
        if wrong:
            yield diagnose_at(
                normal, field.pointer + "/default", "default-mismatch",
                f"the default of `{field.encode_name}` does not fit its own schema: {wrong[0].message}",
                _default_hint(field.default, validator),
            )  # fmt: skip


def _default_hint(value: Any, validator: Validator) -> str:
    """What to do about a default that does not fit: quotes may be missing, or too many."""
    text = "true" if value is True else "false" if value is False else str(value)
    if isinstance(value, bool | int | float) and validator.accepts(text):
        return f"put it in quotes: `default: '{text}'`"
    if isinstance(value, str) and _QUOTED.fullmatch(value) and validator.accepts(decode(value)):
        return f"write it without quotes: `default: {value}`"
    return "correct the default, or leave it out"


_QUOTED: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?|true|false")
"""Numbers and booleans in quotes."""


def unfillable_defaults(normal: NormalForm, reader: Reader, contract: Contract) -> Iterator[Diagnostic]:
    """Defaults that cannot be filled with the defaults inside of them."""
    for found in endless_defaults(reader, contract):
        name, at = found.field.encode_name, found.field.pointer + "/default"
        if not found.circle:
            message = f"the default of `{name}` holds more than {MAX_PARTS:,} others, or {MAX_DEPTH} levels"
            hint = "leave it out, or write out the properties inside of it"
            yield diagnose_at(normal, at, "large-default", message, hint)
            continue
        chain = " → ".join(f"`{field.encode_name}`" for field in (*found.circle, found.field))
        message = f"the default of `{name}` contains itself: {chain}"
        hint = "leave the default out, or write into it a value of the property that ends, such as null"
        yield diagnose_at(normal, at, "circular-default", message, hint)


def _fields(contract: Contract) -> Iterator[Field]:
    for root in [*contract.roots.values(), *contract.definitions.values()]:
        for node in nodes(root):
            if isinstance(node, Object):
                yield from node.fields


def refused_headers(normal: NormalForm, secrets: Sequence[str]) -> Iterator[Diagnostic]:
    """Annotations `x-mcp-header` that MCP clients refuse, and those of parameters that may carry a secret."""
    if "parameters" not in normal.roots:
        return
    schema = normal.standalone("parameters")
    for problem in header_problems(schema):
        root = "" if problem.path[:1] == ("$defs",) else "/parameters"
        pointer = f"{root}{join(problem.path)}/{KEYWORD}"
        yield diagnose_at(normal, pointer, "mcp-header", problem.message, problem.hint)
    for path, _ in annotated(schema):
        if path[:1] == ("properties",) and path[1] in secrets:
            yield diagnose_at(
                normal, f"/parameters{join(path)}/{KEYWORD}", "secret-header",
                f"{quoted(str(path[1]))} may carry a secret, and gateways before the server read headers",
                "leave the annotation out, or take the parameter off `secrets`",
                severity="warning",
            )  # fmt: skip


def injection_problems(normal: NormalForm, tool: Document, inject: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Parameters of `inject` that the program cannot fill in unless the other parameters change, too."""
    parameters = normal.standalone("parameters")
    for name in inject:
        problem = hiding_problem(parameters, name)
        if problem is None:
            continue
        pointer, reason = problem
        document, path = normal.locate("/parameters" + pointer) if pointer else (tool, ("inject", name))
        message = f"the program cannot fill in `{name}`: {reason}"
        hint = (
            "models are offered the others without it: write it plainly below `properties`, used nowhere else"
        )
        yield diagnose(document, path, "injected-parameter", message, hint, key=True)


def example_problems(
    tool: Document, examples: Sequence[Any], validator: Validator, inject: Collection[str] = ()
) -> Iterator[Diagnostic]:
    """Those of the `examples` of a tool that its parameters refuse: calls as models send them."""
    for i, example in enumerate(examples):
        for name in inject if isinstance(example, dict) else ():
            if name in example:
                yield diagnose(
                    tool, ("examples", i, name), "example-mismatch",
                    f"this example sets `{name}`, which the program fills in (`inject`) and no model sends",
                    "leave it out of the example", key=True,
                )  # fmt: skip
        sent = example
        if inject and isinstance(example, dict):
            sent = {name: item for name, item in example.items() if name not in inject}
        for wrong in validator.violations(validator.settle(sent), limit=5):
            yield diagnose(
                tool, ("examples", i), "example-mismatch",
                f"this example does not fit the parameters: {wrong.path}: {wrong.message}",
                "correct the example or the schema",
            )  # fmt: skip
