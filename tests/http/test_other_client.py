"""For 300 operations of real documents, our request is the one that another client builds.

Where the two differ, the difference must be one of `DEVIATIONS`, each with the rule that decides it.
"""

import asyncio
import base64
import json
import random
import re
from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import Oracle, OracleError
from toolcast.http import HttpHandler, SecurityScheme
from toolcast.http_operation import FORM, MULTIPART, Operation, filled
from toolcast.importers.declared_tools import Declarations, Declared
from toolcast.importers.import_tools import specs_of
from toolcast.importers.openapi.document import OpenApiDocument, read_source
from toolcast.importers.openapi.read_openapi import OpenApiChoices, declarations_of
from toolcast.importers.spec_text import Choices
from toolcast.runtime import ArgumentError, ToolBinding, ToolResult
from toolcast.runtime.codec import with_defaults

from tests.http.conftest import CONTEXT
from tests.http.other_client import CREDENTIAL, Seen, build, case_of, excerpt, of_httpx, of_other
from tests.python.compiled import package

pytestmark = pytest.mark.corpora

NO_SERVER = "https://none.example"
FORMS = (FORM, MULTIPART)
LARGEST = 2**53
REFUSED = re.compile("part of the path|parameter of the path|goes into a (header|cookie)")
UNSATISFIABLE = ("quirks_",)
WHOLE = ("style", "cookies", "form-data", "file-uploads", "encoding", "security", "server", "extreme")
"""Parts of the names of documents of which every operation is taken."""
Values = Mapping[str, Any]


class Call(msgspec.Struct, frozen=True):
    tool: Declared
    document: OpenApiDocument
    operation: Operation
    values: dict[str, Any]

    @property
    def place(self) -> tuple[str, str]:
        method, _, template = str(self.tool.location).partition(" ")
        return method.lower(), template


def has_scalar_body(call: Call) -> bool:
    wholes = [name for name, place in call.operation.places.items() if place.whole]
    return any(name in call.values and not isinstance(call.values[name], list | dict) for name in wholes)


def places(call: Call, location: str) -> list[Any]:
    """The values that are in one part of the request."""
    named = call.operation.places.items()
    return [call.values[name] for name, place in named if place.location == location and name in call.values]


class Deviation(msgspec.Struct, frozen=True):
    """Where swagger-client is not what the rule says, or no rule says anything.

    `parts`: those of the request that may differ. `applies`: whether the values are of that kind.
    """

    rule: str
    parts: frozenset[str]
    applies: Callable[[Call, Seen, Seen], bool]


def some_collection(call: Call, location: str) -> bool:
    return any(isinstance(value, list | dict) for value in places(call, location))


def some_null(call: Call, _ours: Seen, _other: Seen) -> bool:
    collections = [value for value in call.values.values() if isinstance(value, dict | list)]
    return any(None in (value.values() if isinstance(value, dict) else value) for value in collections)


def some_delimited(call: Call, _ours: Seen, _other: Seen) -> bool:
    written = (*call.operation.places.values(), *call.operation.encoding.values())
    return any(each.style in ("spaceDelimited", "pipeDelimited") for each in written)


def some_label(call: Call, _ours: Seen, _other: Seen) -> bool:
    return any(each.style == "label" and not each.explode for each in call.operation.places.values())


def several_cookies(call: Call, ours: Seen, other: Seen) -> bool:
    return len(places(call, "cookie")) > 1 and set(other.cookies) <= set(ours.cookies)


def empty_array(_call: Call, ours: Seen, other: Seen) -> bool:
    return all(pair[1] == "" for pair in set(other.query) - set(ours.query))


def empty_array_in_form(call: Call, ours: Seen, other: Seen) -> bool:
    more = set(other.body or ()) - set(ours.body or ()) if call.operation.body in FORMS else set()
    return bool(more) and all(pair[1] == "" for pair in more)


def json_in_form(call: Call, _ours: Seen, _other: Seen) -> bool:
    return call.operation.body in FORMS and any(map(is_json_text, places(call, "body")))


def is_json_text(value: Any) -> bool:
    try:
        return isinstance(value, str) and json.loads(value) is not value
    except ValueError:
        return False


DEVIATIONS = {
    "an empty text in the query": Deviation(
        "RFC 6570, 3.2.8: a defined value that is empty is written as `name=`; swagger-client leaves it out",
        frozenset({"query"}),
        lambda _call, ours, other: [pair for pair in ours.query if pair[1]] == other.query,
    ),
    "several cookies": Deviation(
        "RFC 6265, 4.2.1: pairs are parted by `; `; swagger-client sends the last parameter alone",
        frozenset({"cookies"}),
        several_cookies,
    ),
    "an array or object in cookies, exploded": Deviation(
        "OpenAPI 3.2, style `cookie`: pairs are parted by `; `; swagger-client puts `&` into a value",
        frozenset({"cookies"}),
        lambda call, _ours, _other: some_collection(call, "cookie"),
    ),
    "a scalar as a body of JSON": Deviation(
        "RFC 8259: a text is in quotes, and 0 is a value; swagger-client sends the text itself, and no 0",
        frozenset({"body", "media_type"}),
        lambda call, _ours, _other: has_scalar_body(call),
    ),
    "null inside a value": Deviation(
        "RFC 6570, 2.3: an undefined member is left out; swagger-client writes an empty text",
        frozenset({"path", "query", "headers", "cookies"}),
        some_null,
    ),
    "an empty array": Deviation(
        "RFC 6570, 2.3: it is undefined and left out; swagger-client writes `name=` where it is not exploded",
        frozenset({"query"}),
        empty_array,
    ),
    "an empty array in a form": Deviation(
        "OpenAPI 3.1.1: an array is one pair for each item; swagger-client writes `name=`",
        frozenset({"body"}),
        empty_array_in_form,
    ),
    "a text in a form that is JSON": Deviation(
        "A text is sent as it is; swagger-client reads it as JSON and writes that",
        frozenset({"body"}),
        json_in_form,
    ),
    "an object parted by spaces or `|`": Deviation(
        "OpenAPI 3.1, Style Examples: `R%20100`, `R%7C100`; swagger-client writes commas",
        frozenset({"query", "body"}),
        some_delimited,
    ),
    "a label that is not exploded": Deviation(
        "OpenAPI 3.1.1, Style Examples: `.blue,black,brown`; swagger-client parts by `.`, as 3.0.0 had it",
        frozenset({"path"}),
        some_label,
    ),
    "a multipart body without parts": Deviation(
        "RFC 2046, 5.1.1: a body has one part or more; swagger-client sends none",
        frozenset({"body", "media_type"}),
        lambda _call, ours, other: ours.body is None and other.body == [],
    ),
    "objects in a header": Deviation(
        "OpenAPI leaves objects within arrays open, and JavaScript sorts names that are numbers",
        frozenset({"headers"}),
        lambda call, _ours, _other: some_collection(call, "header"),
    ),
}


def differing(ours: Seen, other: Seen) -> set[str]:
    return {name for name in ours.__struct_fields__ if getattr(ours, name) != getattr(other, name)}


def unexplained(call: Call, ours: Seen, other: Seen) -> set[str]:
    """The parts of the request that differ for no known reason."""
    left = differing(ours, other)
    for deviation in DEVIATIONS.values():
        if left & deviation.parts and deviation.applies(call, ours, other):
            left -= deviation.parts
    return left


def key(scheme: SecurityScheme) -> str:
    return f"user:{CREDENTIAL}" if scheme.scheme == "basic" else CREDENTIAL


def handler(httpx: Any, binding: ToolBinding[Any, Any], sent: list[Any]) -> HttpHandler:
    def answer(request: Any) -> Any:
        sent.append(request)
        return httpx.Response(204)

    http = binding.http or {}
    server = filled(http.get("server", NO_SERVER), http.get("server_variables", {}))
    client = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    return HttpHandler(binding, client, server=server, auth=key)


def untyped(tool: Declared) -> ToolBinding[Any, Any]:
    return ToolBinding(
        module="",
        name=str(tool.spec_name),
        group="",
        params=dict,
        permission="network",
        secrets=(),
        summary="",
        description="",
        contract="",
        schemas="",
        http=tool.http,
    )


def exact(value: Any) -> bool:
    """Whether JavaScript has the same numbers."""
    if isinstance(value, list):
        return all(map(exact, value))
    if isinstance(value, dict):
        return all(map(exact, value.values()))
    return not isinstance(value, int | float) or abs(value) <= LARGEST


def whole(value: Any) -> Any:
    """The same JSON with 4 for 4.0, which JavaScript does not have."""
    if isinstance(value, list):
        return [whole(item) for item in value]
    if isinstance(value, dict):
        return {key: whole(item) for key, item in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def values_of(tool: Declared, operation: Operation, count: int) -> list[dict[str, Any]]:
    """Valid values of a tool, base64 where bytes are sent; those without null and empty ones first."""
    oracle = Oracle(tool.parameters)
    found: list[dict[str, Any]] = []
    for value in instances(oracle, random.Random(tool.name), 8 * count):
        if not isinstance(value, dict):
            continue
        for name, place in operation.places.items():
            if place.binary and name in value:
                data = base64.b64encode(f"\xff{name}".encode("latin-1", "replace")).decode()
                value[name] = [data, data] if isinstance(value[name], list) else data
        if oracle.accepts(value) and exact(value) and value.keys() <= operation.places.keys():
            found.append(whole(value))
    return sorted(found, key=lambda value: (not full(value), -len(value)))[:count]


def full(value: Any) -> bool:
    """Whether nothing in a value is null or empty."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value not in (None, "", [], {}) and all(map(full, inner))


def small_documents(shared_dir: Path) -> list[Path]:
    found = (shared_dir / "corpora/openapi-docs/examples").rglob("*")
    return sorted(path for path in found if path.suffix in (".json", ".yaml"))


def chosen(shared_dir: Path, per_document: int, github: int) -> Iterator[tuple[OpenApiDocument, Declared]]:
    """Operations of all documents: every one of those about styles and bodies, some of the others."""
    for path in [*small_documents(shared_dir), shared_dir / "corpora/openapi-docs/github.json"]:
        document = read_source(str(path))
        assert isinstance(document, OpenApiDocument)
        tools = list(declarations_of(document, OpenApiChoices(results=False)).tools)
        count = github if path.name == "github.json" else per_document
        if not any(part in path.name for part in WHOLE):
            tools = random.Random(path.name).sample(tools, min(count, len(tools)))
        for tool in tools:
            if not str(tool.spec_name).startswith(UNSATISFIABLE):
                yield document, tool


def compare(httpx: Any, calls: Sequence[Call], make: Callable[[Call], Any]) -> tuple[int, int]:
    """How many operations are sent alike, and in how many the deviations show. Fails at other differences."""
    compared: list[tuple[Call, Seen]] = []
    work: list[dict[str, Any]] = []
    for call in calls:
        sent: list[Any] = []
        run: Callable[..., Coroutine[Any, Any, ToolResult]] = make(call)
        result = asyncio.run(run(httpx, sent))
        if not sent:  # an empty segment of the path, a line break in a header
            assert REFUSED.search(result.error), (call.tool.name, call.values, result.error)
            continue
        method, template = call.place
        part = excerpt(call.document.data, template, method)
        if not call.operation.server:
            part["servers"] = [{"url": NO_SERVER}]
            part["paths"][template].pop("servers", None)
            part["paths"][template][method].pop("servers", None)
        compared.append((call, of_httpx(sent[0])))
        work.append({"document": part, "cases": [case_of(call.operation, template, call.values)]})
    equal: set[Any] = set()
    deviating: set[Any] = set()
    failures: list[Any] = []
    for (call, ours), answer in zip(compared, build(work), strict=True):
        if "Authorization is not provided" in answer.get("problem", ""):
            continue  # a required header parameter of that name, which OpenAPI says to ignore
        assert "problem" not in answer, (call.tool.name, answer)
        other = of_other(answer)
        if parts := unexplained(call, ours, other):
            shown = [(name, getattr(ours, name), getattr(other, name)) for name in sorted(parts)]
            failures.append((call.tool.name, call.values, shown))
            continue
        (deviating if differing(ours, other) else equal).add((id(call.document), call.tool.name))
    assert not failures
    return len(equal), len(deviating - equal)


def plain_calls(shared_dir: Path, per_document: int, github: int, count: int) -> list[Call]:
    calls: list[Call] = []
    for document, tool in chosen(shared_dir, per_document, github):
        operation = HttpHandler(untyped(tool), server=NO_SERVER).operation
        try:
            for values in values_of(tool, operation, count):
                calls.append(Call(tool, document, operation, values))
        except OracleError:
            continue  # jsonschema's `re` does not read a pattern of ECMA
    return calls


def send_plain(call: Call) -> Any:
    async def run(httpx: Any, sent: list[Any]) -> ToolResult:
        return await handler(httpx, untyped(call.tool), sent)(call.values, CONTEXT)

    return run


@pytest.mark.parametrize(
    ("per_document", "github", "least"), [(1, 20, 60), pytest.param(3, 170, 300, marks=pytest.mark.thorough)]
)
def test_requests_are_those_of_another_client(
    per_document: int, github: int, least: int, httpx: Any, shared_dir: Path
) -> None:
    equal, deviating = compare(httpx, plain_calls(shared_dir, per_document, github, 1), send_plain)
    assert equal >= least
    assert deviating <= 30


@contextmanager
def compiled(tools: Sequence[Declared]) -> Generator[Mapping[str, ToolBinding[Any, Any]]]:
    choices = Choices(permission="network", secrets=())
    with package(specs_of(Declarations(tools=tuple(tools)), choices).specs) as bindings:
        yield bindings


@pytest.mark.thorough
def test_requests_of_compiled_tools_are_those_of_another_client(httpx: Any, shared_dir: Path) -> None:
    """From arguments, through the decoder and the Struct."""
    by_document: dict[int, list[tuple[OpenApiDocument, Declared]]] = {}
    for document, tool in chosen(shared_dir, 6, 120):
        by_document.setdefault(id(document), []).append((document, tool))
    total = 0
    for pairs in by_document.values():
        with compiled([tool for _, tool in pairs]) as bindings:
            calls: list[Call] = []
            for document, tool in pairs:
                binding = bindings[str(tool.spec_name)]
                operation = HttpHandler(binding, server=NO_SERVER).operation
                try:
                    for value in values_of(tool, operation, 2):
                        decoded = with_defaults(binding.decode(value))
                        calls.append(Call(tool, document, operation, decoded))
                except (OracleError, ArgumentError):
                    continue

            def send(call: Call, bindings: Mapping[str, Any] = bindings) -> Any:
                binding = bindings[str(call.tool.spec_name)]

                async def run(httpx: Any, sent: list[Any]) -> ToolResult:
                    return await handler(httpx, binding, sent)(binding.decode(call.values), CONTEXT)

                return run

            total += compare(httpx, calls, send)[0]
    assert total >= 300
