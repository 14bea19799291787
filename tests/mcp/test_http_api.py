"""A registry as a plain HTTP API: raw requests, and the client that an official generator makes."""

# ruff: noqa: ARG001, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import importlib
import json
import sys
from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec import structs
from toolcast.cli.main import cli
from toolcast.mcp import ApiOptions, BearerAuth, CallLimits, HttpOptions, api_app, fixed_token, principal_of
from toolcast.runtime import Content, RefusalError, ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy
from toolcast.targets.openapi import About, more

from generated.files.glob import GLOB, GlobParams, GlobResult
from generated.registry import BINDINGS
from tests.mcp.app import make
from tests.mcp.conftest import Sdk
from tests.mcp.over_http import listening, run
from tests.targets.models import python_client, reference_tools, together

pytestmark = pytest.mark.usefixtures("installed")
ABOUT = {"title": "reference-toolset", "version": "1.0"}
FOUND = GlobResult(paths=[], total=0)
Handler = Callable[[Any, ToolContext], Any]


def document() -> dict[str, Any]:
    """The document that the target makes of the reference tools."""
    options = {name: getattr(About(**ABOUT), name) for name in About.__struct_fields__}
    made: dict[str, Any] = more({"set": together(reference_tools())}, options)["document"]
    return made


@asynccontextmanager
async def served(sdk: Sdk, registry: ToolRegistry, options: HttpOptions, **api: Any) -> Any:
    """An httpx client of a server on a port of this machine."""
    app = api_app(registry, options=options, api=ApiOptions(**{**ABOUT, **api}))
    async with listening(sdk, app) as url, sdk("httpx").AsyncClient(base_url=url, timeout=60) as client:
        yield client


def one(handler: Handler, **options: Any) -> ToolRegistry:
    registry = ToolRegistry(**options)
    registry.register(GLOB, handler)
    return registry


def asked(
    sdk: Sdk, registry: Any, *requests: dict[str, Any], options: HttpOptions | None = None, **api: Any
) -> list[Any]:
    """The answers to requests, each `path` (or a tool), and what httpx takes."""

    async def session() -> list[Any]:
        async with served(sdk, registry, options or HttpOptions(), **api) as client:
            found = []
            for each in requests or ({},):
                given = {"url": "/tools/glob", "json": {"pattern": "x"}, "method": "POST", **each}
                given |= {"json": None} if "content" in given else {}
                found.append(await client.request(**given))
            return found

    answers: list[Any] = run(session())
    return answers


@pytest.fixture(scope="module")
def generated_client(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """The package that openapi-python-client makes of the document, by module."""
    folder = tmp_path_factory.mktemp("generated")
    python_client(json.dumps(document()).encode(), folder, "reference_client")
    assert len([*(folder / "reference_client/api").glob("*/[!_]*.py")]) == len(BINDINGS)
    sys.path.insert(0, str(folder))
    return lambda name: importlib.import_module(f"reference_client.{name}")


def test_the_generated_client_of_an_official_generator_calls_the_tools(
    sdk: Sdk, generated_client: Callable[[str], Any]
) -> None:
    models = generated_client("models")

    async def session() -> tuple[Any, ...]:
        async with served(sdk, make(), HttpOptions()) as raw:
            client = generated_client("client").Client(base_url=str(raw.base_url))
            glob = generated_client("api.files.glob").asyncio_detailed
            edit = generated_client("api.files.edit").asyncio_detailed
            change = models.EditParameters(file_path="/a", old_string="a", new_string="b")
            return (
                await glob(client=client, body=models.GlobParameters(pattern="x", limit=3)),
                await glob(client=client, body=models.GlobParameters(pattern="")),
                await edit(client=client, body=change),
            )

    found, wrong, refused = run(session())
    assert (found.status_code, found.parsed) == (200, models.GlobResult(paths=["/x"], total=1))
    assert (wrong.status_code, wrong.parsed.violations[0].path) == (400, "$.pattern")
    assert (refused.status_code, refused.parsed.error) == (
        422,
        "old_string does not occur; read the file first.",
    )


def test_the_document_is_that_of_the_target(sdk: Sdk) -> None:
    """But for the examples, which a program has no need of."""
    registry = ToolRegistry()
    for binding in BINDINGS.values():
        registry.register(binding, lambda params, context: None)
    (answer,) = asked(sdk, registry, {"url": "/openapi.json", "method": "GET", "json": None})
    expected = document()
    for path in expected["paths"].values():
        path["post"]["requestBody"]["content"]["application/json"].pop("examples", None)
    assert answer.json() == expected


def test_a_selection_is_described_and_answered_alone(sdk: Sdk) -> None:
    selected = make().select(names="glob")
    described, called = asked(
        sdk, selected, {"url": "/openapi.json", "method": "GET", "json": None}, {"url": "/tools/edit"}
    )
    assert [*described.json()["paths"]] == ["/tools/glob"]
    assert called.status_code == 404


CALLS = [{"pattern": "*.py"}, {"pattern": "x", "path": "a", "limit": 1, "sort": "name"}, {}, {"pattern": 1}]


@pytest.mark.parametrize("arguments", CALLS)
def test_a_call_is_that_of_the_registry(sdk: Sdk, arguments: dict[str, Any]) -> None:
    registry = make()
    (answer,) = asked(sdk, registry, {"json": arguments})
    expected = registry.execute_sync("glob", json.dumps(arguments))
    if expected.success:
        assert (answer.status_code, answer.text) == (200, expected.output)
    else:
        assert (answer.status_code, answer.json()["error"]) == (400, expected.error)
        assert all(each["message"] in expected.error for each in answer.json()["violations"])


def test_text_is_the_result_of_a_tool_without_a_contract_of_results(sdk: Sdk) -> None:
    registry = ToolRegistry()
    result = ToolResult.ok("é", None, (Content.of("more"),))
    registry.register(structs.replace(GLOB, result=None), lambda params, context: result)
    (answer,) = asked(sdk, registry, {})
    assert (answer.status_code, answer.text) == (200, "é\nmore")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"


def refuses(params: Any, context: ToolContext) -> Any:
    raise RefusalError("not today")


def fails(params: Any, context: ToolContext) -> Any:
    raise KeyError("a path: /home/somebody")


async def sleeps(params: Any, context: ToolContext) -> Any:
    await asyncio.sleep(60)


IMAGE = Content.image(b"x", "image/png")
STATUSES: list[tuple[Handler, dict[str, Any], int, str]] = [
    (refuses, {}, 422, "not today"),
    (lambda params, context: ToolResult.failed("no"), {}, 422, "no"),
    (fails, {}, 500, "KeyError"),
    (sleeps, {"timeout": 0.05}, 504, "did not finish within"),
    (lambda params, context: GlobResult(paths=["a"], total=-1), {}, 500, "is not what its contract says"),
    (lambda params, context: "words", {}, 422, "none of the data that its contract promises"),
    (
        lambda params, context: ToolResult.ok(
            "", GlobResult(paths=[], total=0), (Content.image(b"x", "image/png"),)
        ),
        {},
        500,
        "has images or files",
    ),
]


@pytest.mark.parametrize(("handler", "options", "status", "words"), STATUSES)
def test_a_failure_has_its_status(
    sdk: Sdk, handler: Handler, options: dict[str, Any], status: int, words: str
) -> None:
    (answer,) = asked(sdk, one(handler, **options))
    assert (answer.status_code, words in answer.json()["error"]) == (status, True), answer.text
    assert "somebody" not in answer.text


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({"url": "/tools/glob2"}, 404),
        ({"url": "/tools/functions.glob"}, 404),
        ({"url": "/tools/glob%2F"}, 404),
        ({"url": "/tools/"}, 404),
        ({"method": "GET"}, 405),
        ({"content": b'{"pattern": "x"}'}, 415),
        ({"content": b'{"pattern": "x"}', "headers": {"content-type": "text/plain"}}, 415),
        ({"content": b"{", "headers": {"content-type": "application/json"}}, 400),
        ({"content": b"", "headers": {"content-type": "application/json"}}, 400),
        ({"content": b'["x"]', "headers": {"content-type": "application/json"}}, 400),
        ({"content": b'{"pattern": "' + b"x" * 2000 + b'"}'}, 413),
        ({"headers": {"host": "evil.example"}}, 421),
        ({"headers": {"origin": "https://evil.example"}}, 403),
    ],
)
def test_a_request_that_is_no_call_is_refused(sdk: Sdk, request_: dict[str, Any], status: int) -> None:
    called: list[object] = []
    registry = one(lambda params, context: called.append(params))
    (answer,) = asked(sdk, registry, request_, options=HttpOptions(max_body=1000))
    assert (answer.status_code, called) == (status, [])


def test_a_body_of_unknown_length_ends_at_the_limit(sdk: Sdk) -> None:
    async def pieces() -> Any:
        for _ in range(100):
            yield b" " * 100

    (answer,) = asked(sdk, make(), {"content": pieces()}, options=HttpOptions(max_body=1000))
    assert answer.status_code == 413


def test_a_token_is_needed_and_tells_the_handler_who_calls(sdk: Sdk) -> None:
    found: list[Any] = []

    def glob(params: GlobParams, context: ToolContext) -> GlobResult:
        principal = principal_of(context)
        found.append((principal and principal.id, context.extra["path"]))
        return GlobResult(paths=[], total=0)

    token = "a-token-of-32-characters-at-least"
    document = {"url": "/openapi.json", "method": "GET", "json": None}
    known = {"headers": {"authorization": f"Bearer {token}"}}
    answers = asked(
        sdk,
        one(glob),
        {},
        document,
        known,
        {**document, **known},
        options=HttpOptions(auth=BearerAuth(verify=fixed_token(token, "ada"))),
        extra=lambda request: {"path": request.url.path},
    )
    assert [each.status_code for each in answers] == [401, 401, 200, 200]
    assert found == [("ada", "/tools/glob")]
    assert answers[-1].json()["security"] == [{"bearer": []}]


@pytest.mark.parametrize("scopes", [(), ("orders", "orders:read")])
def test_scopes_of_a_tool_are_those_of_the_token_and_the_document(sdk: Sdk, scopes: tuple[str, ...]) -> None:
    token, registry = "a-token-of-32-characters-at-least", ToolRegistry()
    registry.register(structs.replace(GLOB, scopes=("orders:read",)), lambda params, context: FOUND)
    headers = {"authorization": f"Bearer {token}"}
    auth = BearerAuth(verify=fixed_token(token, scopes=scopes))
    document = {"url": "/openapi.json", "method": "GET", "json": None, "headers": headers}
    called, described = asked(sdk, registry, {"headers": headers}, document, options=HttpOptions(auth=auth))
    assert described.json()["paths"]["/tools/glob"]["post"]["security"] == [{"bearer": ["orders:read"]}]
    assert called.status_code == (200 if scopes else 403)
    if not scopes:
        assert called.headers["www-authenticate"].endswith(', scope="orders:read"')
        assert called.json()["error"] == "insufficient_scope"
    free, open_document = asked(sdk, registry, {}, {**document, "headers": {}})
    assert free.status_code == 200
    assert "security" not in json.dumps(open_document.json())


def test_a_call_ends_where_its_client_goes_and_waits_for_its_turn(sdk: Sdk) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def glob(params: GlobParams, context: ToolContext) -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    async def session() -> int:
        calls = CallLimits(running=1, waiting=0)
        async with served(sdk, one(glob), HttpOptions(), calls=calls) as client:
            first = asyncio.create_task(client.post("/tools/glob", json={"pattern": "x"}))
            await begun.wait()
            second = await client.post("/tools/glob", json={"pattern": "x"})
            first.cancel()
            await ended.wait()
            return int(second.status_code)

    assert run(session(), 30) == 503


def test_a_policy_that_forbids_is_403(sdk: Sdk) -> None:
    (answer,) = asked(sdk, one(refuses, policy=Policy(always_ask=["glob"])))
    assert answer.status_code == 403


def test_other_machines_need_names_of_hosts() -> None:
    with pytest.raises(ValueError, match="name the hosts"):
        api_app(make(), "0.0.0.0")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--http", "8000"), "--http is for MCP"),
        (("--stateless",), "--stateless is for MCP"),
        (("--prompts", "a:b"), "--prompts is for MCP"),
        (("--http-api", "nowhere"), "is no address"),
    ],
)
def test_options_that_the_api_has_no_use_for_are_refused(options: tuple[str, ...], words: str) -> None:
    done = CliRunner().invoke(cli, ["serve", "tests.mcp.app:registry", "--http-api", "8000", *options])
    assert done.exit_code == 1
    assert words in done.output
