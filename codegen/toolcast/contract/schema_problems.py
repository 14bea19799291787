"""Diagnostics about schemas whose references resolve: circular, malformed, unsatisfiable; wrong defaults.

A default can contain others: once decoded, an object in a default has the defaults of its properties.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import UNSET, Struct
from msgspec.json import decode
from msgspec.structs import replace

from ..diagnostics import Diagnostic
from ..jsonschema.cases import FORBIDDEN, Part, Side
from ..jsonschema.emptiness import Emptiness
from ..jsonschema.json_values import JsonMapping, JsonObject
from ..jsonschema.keywords import subschemas
from ..jsonschema.pointers import escape, join, resolve, split
from ..jsonschema.schema_compiler import Schemas
from ..jsonschema.validator import Validator
from ..jsonschema.validator_errors import SearchTooLong, UnsupportedSchema
from ..runtime.hidden_parameters import hiding_problem
from ..runtime.mcp_headers import KEYWORD, annotated, header_problems
from ..runtime.result_text import (
    ELEMENTS,
    MEMBERS,
    Place,
    ResultTextError,
    Steps,
    is_name,
    result_text,
    written,
)
from ..spec.parsed_document import Document, Path, diagnose
from ..spec.read_file import SourceDocument
from ..spec.spec_checker import choices, nearest, quoted
from .normal_form import NormalForm, definition_name
from .reader import ContractReader
from .schema_forms import asserted_keywords
from .tree import (
    Anything,
    Array,
    Contract,
    Enum,
    Field,
    Map,
    Node,
    Nothing,
    Object,
    Reference,
    Tuple,
    Union,
    nodes,
)  # fmt: skip


def _diagnose_at(normal: NormalForm, pointer: str, code: str, message: str, hint: str = "") -> Diagnostic:
    """An error at the position in the spec of what is at `pointer` of the contract document."""
    document, path = normal.locate(pointer)
    return diagnose(document, path, code, message, hint)


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
        target = definition_name(normal.defs[name]["$ref"]) or ""
        through = "" if target == name else f", through {quoted(target)}"
        yield _diagnose_at(
            normal, f"/$defs/{name}", "circular-reference", f"`{name}` refers only to itself{through}",
            "give one of the schemas in the circle a type of its own",
        )  # fmt: skip


def malformed_schemas(normal: NormalForm, document: JsonMapping, shared: Schemas) -> Iterator[Diagnostic]:
    """Schemas that are malformed by JSON Schema 2020-12, in every root and definition. `shared` compiles
    them; later validations of `document` use the compiled schemas.
    """
    pointers = [
        *(f"/{name}" for name in normal.roots),
        *(f"/$defs/{name}" for name in document.get("$defs", {}) if name not in normal.shared),
    ]
    for pointer in pointers:
        try:
            Validator(resolve(document, pointer), shared=shared, pointer=pointer)
        except UnsupportedSchema as problem:
            yield _diagnose_at(
                normal, problem.pointer or pointer, "malformed-schema", problem.reason,
                "see the JSON Schema 2020-12 reference",
            )  # fmt: skip


def slow_name_pattern(normal: NormalForm, problem: SearchTooLong) -> Diagnostic:
    """A declared property whose name cannot be searched for a pattern of names in bounded time."""
    return _diagnose_at(
        normal, f"/{next(iter(normal.roots), '$defs')}", "slow-pattern", str(problem),
        "say each repetition of the pattern in one way only, or give the property a shorter name",
    )  # fmt: skip


def unsatisfiable_schemas(
    normal: NormalForm, reader: ContractReader, contract: Contract
) -> Iterator[Diagnostic]:
    """Schemas that no value satisfies, and required properties that are forbidden. An optional property may
    be forbidden by `false` or `not: {}`.
    """
    side = Side(reader.document, schemas=reader.schemas)
    emptiness = Emptiness()
    own = [name for name in normal.defs if name not in normal.shared]
    tops = [*(f"/{root}" for root in normal.roots), *(f"/$defs/{escape(name)}" for name in own)]
    reasons = {
        pointer: reason for top in tops for pointer, reason in _contradictions(emptiness, side.target(top))
    }
    forbidden = {
        _forbidden_at(reader.document, node, field): (field, node)
        for root in contract.roots.values()
        for node in nodes(root)
        if isinstance(node, Object)
        for field in node.fields
        if field.required and isinstance(field.node, Nothing) and field.node.pointer not in reasons
    }
    for pointer, (field, node) in forbidden.items():
        message = f"no value fits the required property {quoted(field.encode_name)}"
        yield _diagnose_at(normal, pointer, "unsatisfiable", message, _forbidden_hint(field, node))
    for pointer, reason in reasons.items():
        if not any(inner.startswith(f"{pointer}/") for inner in forbidden):  # that is the reason
            yield _diagnose_at(
                normal, pointer, "unsatisfiable", f"no value fits {_describe_pointer(pointer)}: {reason}",
                "correct the keywords that contradict each other; `false` forbids a property on purpose",
            )  # fmt: skip


def _forbidden_at(document: JsonMapping, node: Object, field: Field) -> str:
    """The entry in `required` of a property that is not declared; else the schema that forbids it."""
    stated = resolve(document, node.pointer)
    names = stated.get("required", ())
    if field.encode_name in stated.get("properties", ()) or field.encode_name not in names:
        return field.node.pointer
    return f"{node.pointer}/required/{names.index(field.encode_name)}"


def _forbidden_hint(field: Field, node: Object) -> str:
    possible = [each for each in node.fields if not isinstance(each.node, Nothing)]
    allowed = [each.encode_name for each in possible if not each.required]
    close = nearest(field.encode_name, allowed) if len(allowed) <= _MOST_COMPARED else None
    rest = "loosen the schema, or remove the property from `required`"
    return f"did you mean {quoted(close)} in `required`? if not, {rest}" if close else rest


_MOST_COMPARED: Final = 1_000
"""Names of properties that one is compared with."""


def _contradictions(emptiness: Emptiness, part: Part) -> Iterator[tuple[str, str]]:
    """Pointers of the unsatisfiable schemas at and below `part`, innermost first, each with the reason.
    Conditions and negated schemas are left out, and so are references: their targets are checked.
    """
    schema, pointer = part.schema, part.pointer
    if not isinstance(schema, dict):
        return
    inner = False
    for path, _ in subschemas(schema):
        if path[0] in _READ_KEYWORDS:
            for found in _contradictions(emptiness, part.below(*path)):
                inner = True
                yield found
    alone = asserted_keywords(schema) in ({"$ref"}, {"type"}, set())
    within_all = pointer.rpartition("/")[0].endswith("/allOf")  # its siblings apply too
    reason = None if inner or alone or within_all else emptiness.reason([part])
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
    *_, holder, last = ["", *split(pointer)]
    if holder == "properties":
        return f"the property `{last}`"
    if holder == "$defs":
        return f"the definition `{last}`"
    return f"the {last}" if not holder else f"this schema (`{last if not last.isdigit() else holder}`)"


def default_problems(normal: NormalForm, reader: ContractReader, contract: Contract) -> Iterator[Diagnostic]:
    """Defaults that their own schemas refuse. A default of null may stand for absence."""
    for field in _own_fields(normal, contract):
        if field.default is UNSET or field.default is None:
            continue
        validator = reader.validator(resolve(reader.document, field.pointer))
        wrong = validator.violations(field.default, limit=1)
        if wrong:
            yield _diagnose_at(
                normal, field.pointer + "/default", "default-mismatch",
                f"the default of `{field.encode_name}` does not fit its own schema: {wrong[0].message}",
                _default_hint(field.default, validator),
            )  # fmt: skip


def _default_hint(value: object, validator: Validator) -> str:
    """The remedy for a default that does not fit: quotes may be missing, or too many."""
    text = "true" if value is True else "false" if value is False else str(value)
    if isinstance(value, bool | int | float) and validator.accepts(text):
        return f"put it in quotes: `default: '{text}'`"
    if isinstance(value, str) and _QUOTED.fullmatch(value) and validator.accepts(decode(value)):
        return f"write it without quotes: `default: {value}`"
    return "correct the default, or leave it out"


_QUOTED: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?|true|false")
"""Numbers and booleans in quotes."""


def unfillable_defaults(
    normal: NormalForm, reader: ContractReader, contract: Contract
) -> Iterator[Diagnostic]:
    """Defaults that cannot be filled with the defaults inside of them."""
    for found in _endless_defaults(normal, reader, contract):
        name, at = found.field.encode_name, found.field.pointer + "/default"
        if not found.circle:
            message = f"the default of `{name}` holds more than {_MAX_PARTS:,} others, or {_MAX_DEPTH} levels"
            hint = "leave it out, or write out the properties inside of it"
            yield _diagnose_at(normal, at, "large-default", message, hint)
            continue
        chain = " → ".join(f"`{field.encode_name}`" for field in (*found.circle, found.field))
        message = f"the default of `{name}` contains itself: {chain}"
        hint = "leave the default out, or write into it a value of the property that ends, such as null"
        yield _diagnose_at(normal, at, "circular-default", message, hint)


def _own_fields(normal: NormalForm, contract: Contract) -> Iterator[Field]:
    own = [node for name, node in contract.definitions.items() if name not in normal.shared]
    for root in [*contract.roots.values(), *own]:
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
        yield _diagnose_at(normal, pointer, "mcp-header", problem.message, problem.hint)
    for path, _ in annotated(schema):
        if path[:1] == ("properties",) and path[1] in secrets:
            message = (
                f"{quoted(str(path[1]))} may carry a secret, and gateways before the server read headers"
            )
            hint = "leave the annotation out, or take the parameter off `secrets`"
            at = f"/parameters{join(path)}/{KEYWORD}"
            yield replace(_diagnose_at(normal, at, "secret-header", message, hint), severity="warning")


def injection_problems(
    normal: NormalForm, tool: Document, inject: Mapping[str, object]
) -> Iterator[Diagnostic]:
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


_MAX_PARTS: Final = 1_000
"""Defaults that one default may contain. Each is converted when it is decoded."""
_MAX_DEPTH: Final = 64
"""Levels of defaults inside each other, as many as schemas may have."""


class _EndlessDefault(Struct, frozen=True):
    """A default without end: `circle` are the fields whose defaults contain each other; empty where a bound
    is exceeded."""

    field: Field
    circle: tuple[Field, ...] = ()


class _DefaultSize(Struct, frozen=True):
    """The number of defaults in a default, itself included, and of their levels."""

    parts: int = 1
    depth: int = 1


def _endless_defaults(
    normal: NormalForm, reader: ContractReader, contract: Contract
) -> Iterator[_EndlessDefault]:
    """Defaults that contain themselves, directly or through others, and those with too many or too deeply
    nested ones. An absent property has its default: a default may contain an object whose properties have
    defaults, without end.
    """
    filling = _DefaultSearch(reader, contract)
    for field in _own_fields(normal, contract):
        if _is_converted(field):
            yield from filling.fill(field)


def _is_converted(field: Field) -> bool:
    return not field.required and isinstance(field.default, list | dict)


class _DefaultSearch:
    """A depth-first search. Fields go by their pointers: a merged schema is in several objects."""

    def __init__(self, reader: ContractReader, contract: Contract) -> None:
        self._reader = reader
        self._contract = contract
        self._done: dict[str, _DefaultSize] = {}

    def fill(self, start: Field) -> Iterator[_EndlessDefault]:
        """The endless defaults that `start` leads to and that no earlier call has reported."""
        if start.pointer in self._done:
            return
        path = {start.pointer: start}
        pending = [self._inner(start)]
        while pending:
            if pending[-1]:
                inner = pending[-1].pop()
                if inner.pointer in path:
                    circle = list(path.values())[list(path).index(inner.pointer) :]
                    yield _EndlessDefault(inner, tuple(circle))
                    self._done[inner.pointer] = _DefaultSize()
                elif inner.pointer not in self._done:
                    path[inner.pointer] = inner
                    pending.append(self._inner(inner))
                continue
            pending.pop()
            pointer, field = path.popitem()
            found = [self._done[inner.pointer] for inner in self._inner(field)]
            parts = 1 + sum(each.parts for each in found)
            depth = 1 + max((each.depth for each in found), default=0)
            if parts > _MAX_PARTS or depth > _MAX_DEPTH:
                yield _EndlessDefault(field)
                parts = depth = 1
            self._done[pointer] = _DefaultSize(parts, depth)

    def _inner(self, field: Field) -> list[Field]:
        """The fields that are absent in the default of `field`, and have defaults."""
        found: list[Field] = []
        pending: list[tuple[Node, object]] = [(field.node, field.default)]
        visited: set[tuple[int, int]] = set()  # a union may lead back to itself, with the same value
        while pending:
            node, value = pending.pop()
            if not isinstance(value, list | dict) or (id(node), id(value)) in visited:
                continue
            visited.add((id(node), id(value)))
            if isinstance(node, Object) and isinstance(value, dict):
                found += [
                    each for each in node.fields if each.encode_name not in value and _is_converted(each)
                ]
            pending += self._parts(node, value)
        return found

    def _parts(self, node: Node, value: list[Any] | JsonObject) -> Iterator[tuple[Node, Any]]:
        """The parts of a value of `node`, or the value itself as another node."""
        match node, value:
            case Reference(), _:
                roots, definitions = self._contract.roots, self._contract.definitions
                yield (definitions[node.name] if node.name else roots[node.root]), value
            case Union(), _:
                yield from ((branch, value) for branch in self._accepting_branches(node, value))
            case Array(), list():
                yield from ((node.items, item) for item in value)
            case Tuple(), list():
                yield from zip(node.items, value, strict=False)
            case Map(), dict():
                yield from ((node.values, item) for item in value.values())
            case Object(), dict():
                declared = {field.encode_name: field.node for field in node.fields}
                for name, item in value.items():
                    inner = declared.get(name, node.extra)
                    if inner is not None:
                        yield inner, item
            case _:
                pass

    def _accepting_branches(self, node: Union, value: object) -> Iterator[Node]:
        """The branches that may decode the value. Branches of a list of types never overlap."""
        if node.mode == "types":
            yield from node.branches
            return
        for branch in node.branches:
            if self._reader.accepts(resolve(self._reader.document, branch.pointer), value):
                yield branch


# -- texts of results ---------------------------------------------------------------------------


def at_character(found: Diagnostic, document: Document, path: Path, value: str, offset: int) -> Diagnostic:
    """Return a diagnostic about the string `value` at `path` at the place of one of its characters."""
    if not isinstance(document, SourceDocument):
        return found
    line, column = document.locate_character(path, value, offset)
    return replace(found, line=line, column=column)


def text_problems(
    document: Document, text: str | Sequence[str] | None, contract: Contract | None
) -> Iterator[Diagnostic]:
    """Yield what is wrong with `text` of a spec, and members that the result of the contract has not."""

    def problem(place: Place, code: str, message: str, hint: str) -> Diagnostic:
        if not isinstance(text, str):
            return diagnose(document, ("text", place.index), code, message, hint)
        found = diagnose(document, ("text",), code, message, hint)
        return at_character(found, document, ("text",), text, place.offset)

    try:
        places = () if text is None else result_text(text).places
    except ResultTextError as error:
        yield problem(error.place, "bad-text", error.reason, error.hint)
        return
    if contract is None or not places:
        return
    if "result" not in contract.roots:
        message = "`text` says how a typed result is written, and this tool has none"
        yield diagnose(document, ("text",), "no-result", message, "add `result`, or remove `text`", key=True)
        return
    visits = iter(range(_MOST_VISITED))
    for place in places:
        hint = _wrong_step(place.steps, contract, visits)
        if next(visits, None) is None:
            yield problem(
                place, "bad-text", "the paths lead through too many schemas", "name members further up"
            )
            return
        if hint is not None:
            yield problem(place, "unknown-member", f"the result has no member {quoted(place.path)}", hint)


_MOST_VISITED: Final = 200_000


def _wrong_step(steps: Steps, contract: Contract, visits: Iterator[int]) -> str | None:
    """Return a hint for the first step that leads nowhere; None where all lead to a member."""
    at = _resolved([contract.roots["result"]], contract, visits)
    for index, step in enumerate(steps):
        below = [each for node in at for each in _below(node, step)]
        if not below:
            return _hint(steps, index, at)
        at = _resolved(below, contract, visits)
    return None


def _resolved(found: Iterable[Node], contract: Contract, visits: Iterator[int]) -> list[Node]:
    """Return nodes without references and unions: what these lead to, each once, while there are `visits`."""
    waiting, seen, resolved = list(found), set[int](), list[Node]()
    while waiting and next(visits, None) is not None:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Reference):
            waiting.append(contract.definitions[node.name] if node.name else contract.roots[node.root])
        elif isinstance(node, Union):
            waiting += node.branches
        else:
            resolved.append(node)
    return resolved


def _below(node: Node, step: str) -> tuple[Node, ...]:
    match node:
        case Anything():
            return (node,)
        case Enum() if any(isinstance(value, dict | list) for value in node.values):
            return (node,)
        case Array() | Tuple() if step == ELEMENTS:
            return node.items if isinstance(node.items, tuple) else (node.items,)
        case Map() if step != ELEMENTS:
            return (node.values,)
        case Object() if step != ELEMENTS:
            named = tuple(field.node for field in node.fields if f".{field.encode_name}" == step)
            return named or (() if node.extra is None else (node.extra,))
        case _:
            return ()


_NO_NAMES: Final = "no path leads to a name with a dot, a star, brackets or braces"


def _hint(steps: Steps, index: int, at: Sequence[Node]) -> str:
    before, step, after = steps[:index], steps[index], steps[index + 1 :]
    of = f"`{written(before) or 'result'}`"
    if any(isinstance(node, Array | Tuple) for node in at):
        rest = after if step == MEMBERS else (step, *after)
        return f"{of} is a list: write `{written((*before, ELEMENTS, *rest))}`"
    members = {field.encode_name for node in at if isinstance(node, Object) for field in node.fields}
    names = sorted(filter(is_name, members))
    more = (
        "; no path leads to a name with a dot, a star, brackets or braces"
        if len(names) < len(members)
        else ""
    )
    if step not in (ELEMENTS, MEMBERS) and (close := nearest(step[1:], names[:_MOST_COMPARED])):
        return f"did you mean `{written((*before, f'.{close}', *after))}`?"
    return f"members of {of} are {choices(names)}{more}" if names else f"{of} has no members{more}"
