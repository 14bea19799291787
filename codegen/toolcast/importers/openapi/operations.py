"""The operations of a document with their parameters, the selection of wanted ones, and their names.

Names of tools are unique in their document, whatever is selected of it.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from msgspec import Struct

from ...http_operation import METHODS, RESERVED, STYLES, TEMPLATE
from ...jsonschema.json_values import JsonMapping
from ...spec.parsed_document import Path
from ...spec.spec_checker import quoted
from ..imported_names import DIGITS, MAX_LENGTH, fold, marked
from .document import OpenApiDocument, UnreadableError, resolved


class Operation(Struct, frozen=True, kw_only=True):
    """One operation: `method` in small letters, `template` such as `/pets/{id}`, `path` its place in the
    document, and the Operation Object and Path Item Object (`item`, at `item_path`, without references).
    """

    method: str
    template: str
    path: Path
    data: JsonMapping
    item: JsonMapping
    item_path: Path

    @property
    def operation_id(self) -> str | None:
        found = self.data.get("operationId")
        return found if isinstance(found, str) and found else None

    @property
    def name(self) -> str:
        """Return the operation id; method and path where there is none."""
        return self.operation_id or f"{self.method.upper()} {self.template}"

    @property
    def request_path(self) -> str:
        """Return the template without a fragment, by which documents tell apart what a request cannot."""
        return self.template.partition("#")[0]

    @property
    def tags(self) -> tuple[str, ...]:
        found = self.data.get("tags")
        return tuple(tag for tag in found if isinstance(tag, str)) if isinstance(found, list) else ()


class Selection(Struct, frozen=True, kw_only=True):
    """Conditions on wanted operations: one of each kind of choice must fit; no choice fits all.

    `paths` and `operations` are patterns; `*` is any text, also with slashes.
    """

    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    deprecated: bool = True

    def wants(self, operation: Operation) -> bool:
        """Return whether an operation is wanted."""
        name = operation.operation_id or ""
        return (
            (self.deprecated or operation.data.get("deprecated") is not True)
            and (not self.tags or not set(self.tags).isdisjoint(operation.tags))
            and (not self.methods or operation.method in self.methods)
            and (not self.paths or any(fnmatchcase(operation.template, each) for each in self.paths))
            and (not self.operations or any(fnmatchcase(name, each) for each in self.operations))
        )


EVERYTHING: Final = Selection()


def operations(document: OpenApiDocument) -> Iterator[Operation | UnreadableError]:
    """Yield every operation under `paths`, in order; an error in place of an unreadable one."""
    paths = document.data.get("paths", {})
    if not isinstance(paths, dict):
        yield UnreadableError(
            ("paths",), "openapi-shape", "`paths` must be an object", "correct the document"
        )
        return
    for template, written in paths.items():
        if template.startswith("x-"):
            continue
        try:
            item, path = resolved(document.data, written, ("paths", template))
        except UnreadableError as error:
            yield error
            continue
        if isinstance(written, dict) and path != ("paths", template):
            item = {**item, **{key: value for key, value in written.items() if key != "$ref"}}
        for method, steps, data in _methods(item):
            at = (*(path if _is_of(document, path, steps, data) else ("paths", template)), *steps)
            if method not in METHODS:
                message = f"the method {quoted(method)} cannot be sent"
                hint = f"methods are {', '.join(METHODS)}"
                yield UnreadableError(at, "openapi-method", message, hint)
                continue
            if not isinstance(data, dict):
                message = f"{quoted(method)} must hold an operation"
                yield UnreadableError(at, "openapi-shape", message, "correct the document")
                continue
            yield Operation(method=method, template=template, path=at, data=data, item=item, item_path=path)


def _methods(item: Mapping[str, object]) -> Iterator[tuple[str, Path, object]]:
    for key, value in item.items():
        if key in METHODS:
            yield key, (key,), value
    additional = item.get("additionalOperations")  # since 3.2
    for key, value in additional.items() if isinstance(additional, dict) else ():
        yield key.lower(), ("additionalOperations", key), value


def _is_of(document: OpenApiDocument, path: Path, steps: Path, data: object) -> bool:
    """Return whether `data` stands at `steps` below `path`; else it stands beside the reference to it."""
    found: Any = document.data
    for step in (*path, *steps):
        if not isinstance(found, dict) or step not in found:
            return False
        found = found[step]
    return found is data


class Parameter(Struct, frozen=True, kw_only=True):
    """One Parameter Object of an operation, without references."""

    name: str
    place: str
    data: JsonMapping
    path: Path


def parameters(document: OpenApiDocument, operation: Operation) -> tuple[list[Parameter], tuple[str, ...]]:
    """Return the parameters of an operation and its path item, those of the path in the template's order, and
    those left out: without a place in the path, and headers that a request has by itself. Raises
    UnreadableError.

    Of two with one name and place, the operation's counts.
    """
    found: dict[tuple[str, str], Parameter] = {}
    left_out: dict[str, None] = {}
    for owner, path in ((operation.item, operation.item_path), (operation.data, operation.path)):
        listed = owner.get("parameters", [])
        at = (*path, "parameters")
        if not isinstance(listed, list):
            raise UnreadableError(at, "openapi-shape", "`parameters` must be a list", "correct the document")
        for i, written in enumerate(listed):
            data, place_of_data = resolved(document.data, written, (*at, i))
            name, place = data.get("name"), data.get("in")
            if not isinstance(name, str) or not name or not isinstance(place, str):
                message = "a parameter has no `name`, or no `in`"
                raise UnreadableError(place_of_data, "openapi-shape", message, "correct the document")
            if place not in STYLES or place == "body":
                message = f"the parameter {quoted(name)} is in {quoted(place)}, which cannot be sent"
                hint = "write it as parameters in path, query, header or cookie"
                raise UnreadableError((*place_of_data, "in"), "openapi-place", message, hint)
            if place == "header" and name.lower() in RESERVED:
                left_out[f"header {name}"] = None
                continue
            key = (name.lower() if place == "header" else name, place)
            found[key] = Parameter(name=name, place=place, data=data, path=place_of_data)
    of_path, without_place = _of_path(list(found.values()), operation)
    return (
        of_path + [each for each in found.values() if each.place != "path"],
        (*left_out, *(f"path {name}" for name in without_place)),
    )


def _of_path(found: list[Parameter], operation: Operation) -> tuple[list[Parameter], list[str]]:
    """Return parameters in the template's order, and names that it lacks. Raises UnreadableError."""
    if "?" in operation.request_path:
        message = f"the path {quoted(operation.template)} has a query, which OpenAPI does not allow"
        hint = "declare what follows the `?` as parameters in `query`"
        raise UnreadableError(operation.path, "openapi-path", message, hint)
    template = TEMPLATE.findall(operation.request_path)
    declared = {each.name: each for each in found if each.place == "path"}
    for name in template:
        if name not in declared:
            message = f"{operation.template} has {{{name}}}, which no parameter in `path` declares"
            hint = "declare it in the document's `parameters`"
            raise UnreadableError(operation.path, "openapi-path-parameter", message, hint)
    return (
        [declared[name] for name in dict.fromkeys(template)],
        [name for name in declared if name not in template],
    )


def names_of(found: Sequence[Operation]) -> list[str]:
    """Return a tool's name for each operation of a document, no two equal to a file system or Python."""
    short = [_without_route(each) for each in found]
    plain = [_cleaned(each.name) for each in found]
    taken: set[str] = set()
    uses = Counter(map(fold, short))
    names: list[str] = []
    for each, first, second in zip(found, short, plain, strict=True):
        candidates = [first] if uses[fold(first)] == 1 else []
        candidates += [second, _marked(first, f"{each.method} {each.template}")]
        name = next((c for c in candidates if fold(c) not in taken), candidates[-1])
        taken.add(fold(name))
        names.append(name)
    return names


def _without_route(operation: Operation) -> str:
    """Return the function's name of an id that FastAPI makes: function, path and method, joined by `_`."""
    name = operation.operation_id
    if name is None:
        return _cleaned(f"{operation.method} {operation.template}")
    route = re.sub(r"\W", "_", f"{operation.template}_{operation.method}")
    function = name.removesuffix(route)
    return _cleaned(function) if function.strip("_") else _cleaned(name)


def _cleaned(name: str) -> str:
    """Return `name` if a spec allows it, else its words with `_` between them. Case stays."""
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name) and len(name) <= MAX_LENGTH:
        return name
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    cleaned = re.sub(r"[^A-Za-z0-9]+", "_", ascii_only).strip("_")
    named = bool(re.match(r"[A-Za-z]", cleaned))
    if not named:
        cleaned = f"call_{cleaned}".rstrip("_")
    lossy = not named and ascii_only != name  # little or nothing of the name is left
    return _marked(cleaned, name) if lossy or len(cleaned) > MAX_LENGTH else cleaned


def _marked(stem: str, origin: str) -> str:
    return marked(stem[: MAX_LENGTH - DIGITS - 1].rstrip("_-"), origin)
