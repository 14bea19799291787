"""Bearer tokens over HTTP: challenges, principals, and sessions that belong to who opened them."""

import json
import logging
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from msgspec import structs
from toolcast.mcp import BearerAuth, HttpOptions, Principal, fixed_token, principal_of
from toolcast.runtime import ToolContext

from tests.mcp.conftest import MODERN, MODES, Sdk
from tests.mcp.over_http import MODERN_META, calling, message, opened, result_of, run, serving

pytestmark = pytest.mark.usefixtures("installed")
PEOPLE = {
    "token-of-ada": Principal(id="ada", scopes=("tools", "admin"), claims={"team": "engines"}),
    "token-of-bob": Principal(id="bob", scopes=("tools",)),
    "token-of-eve": Principal(id="eve"),
    "token-of-past": Principal(id="past", scopes=("tools",), expires_at=time.time() - 1),
}
RESOURCE = "https://tools.example.com/mcp"
METADATA = "/.well-known/oauth-protected-resource/mcp"


async def verify(token: str) -> Principal | None:
    if token == "token-of-disaster":
        raise OSError("the database at token-of-disaster is down")
    return PEOPLE.get(token)


AUTH = BearerAuth(
    verify=verify, scopes=("tools",), resource=RESOURCE, authorization_servers=("https://login.example.com",)
)
OPTIONS = HttpOptions(auth=AUTH)


def bearer(name: str) -> dict[str, str]:
    return {"authorization": f"Bearer token-of-{name}"}


async def challenge_of(client: Any, *headers: tuple[str, str]) -> tuple[int, str, Any]:
    """Status, challenge and body of what an initialize request is answered."""
    answer = await client.post("/mcp", json=message("initialize", 1), headers=[*headers])
    return answer.status_code, answer.headers.get("www-authenticate", ""), answer.json()


WHERE = f'resource_metadata="https://tools.example.com{METADATA}"'
REFUSALS: list[tuple[list[str], int, str | None]] = [
    ([], 401, None),
    (["Basic YTpi"], 401, None),
    (["Bearer unknown"], 401, "invalid_token"),
    (["bearer token-of-past"], 401, "invalid_token"),
    (["Bearer token-of-eve"], 403, "insufficient_scope"),
    (["Bearer"], 400, "invalid_request"),
    (["Bearer two words"], 400, "invalid_request"),
    (["Bearer " + "a" * 20_000], 400, "invalid_request"),
    (["Bearer token-of-ada", "Bearer token-of-bob"], 400, "invalid_request"),
]


def test_challenges(sdk: Sdk) -> None:
    """RFC 6750, 3 and 3.1: no error code for who shows no token at all; RFC 9728, 5.1: where to look."""

    async def use() -> list[tuple[int, str, Any]]:
        async with serving(sdk, OPTIONS) as (client, _):
            return [
                await challenge_of(client, *(("authorization", value) for value in values))
                for values, _, _ in REFUSALS
            ]

    for (answered, challenge, body), (values, status, error) in zip(run(use()), REFUSALS, strict=True):
        assert (answered, body.get("error")) == (status, error), values
        assert challenge.startswith("Bearer ")
        assert ("error=" in challenge) == (error is not None)
        assert challenge.endswith(WHERE if status == 400 else f'scope="tools", {WHERE}')


def test_the_official_client_finds_the_metadata_in_the_challenge(sdk: Sdk) -> None:
    utils = sdk("mcp.client.auth.utils")

    async def use() -> Any:
        async with serving(sdk, OPTIONS) as (client, _):
            refused = await client.post("/mcp", json=message("initialize", 1))
            found = utils.extract_resource_metadata_from_www_auth(refused)
            assert found == f"https://tools.example.com{METADATA}"
            assert utils.extract_scope_from_www_auth(refused) == "tools"
            metadata = await client.get(METADATA)
            with_token = await client.get("/anything", headers=bearer("ada"))
            without = await client.get("/anything")
            return metadata, with_token.status_code, without.status_code

    metadata, found, hidden = run(use())
    assert metadata.status_code == 200
    assert metadata.json()["resource"] == RESOURCE
    assert metadata.json()["authorization_servers"] == ["https://login.example.com"]
    assert (found, hidden) == (404, 401)


def test_without_a_resource_the_challenge_is_bare(sdk: Sdk) -> None:
    async def use() -> Any:
        async with serving(sdk, HttpOptions(auth=BearerAuth(verify=verify))) as (client, _):
            return await challenge_of(client)

    assert run(use())[:2] == (401, "Bearer")


def test_a_verifier_that_fails_lets_nobody_in(sdk: Sdk, caplog: pytest.LogCaptureFixture) -> None:
    async def use() -> Any:
        async with serving(sdk, OPTIONS) as (client, _):
            return await challenge_of(client, ("authorization", "Bearer token-of-disaster"))

    with caplog.at_level(logging.DEBUG):
        status, challenge, body = run(use())
    assert (status, challenge) == (503, "")
    assert "disaster" not in json.dumps(body)
    assert "OSError" in caplog.text
    assert "token-of-disaster" not in caplog.text


def modern(**headers: str) -> dict[str, str]:
    return {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "bash", **headers}


async def call(client: Any, era: str, name: str) -> Any:
    """The answer to a call of the one tool."""
    request = calling("free")
    if era == "legacy":
        return await client.post("/mcp", json=request, headers=await opened(client, **bearer(name)))
    request["params"]["_meta"] = MODERN_META
    return await client.post("/mcp", json=request, headers=modern(**bearer(name)))


@pytest.mark.parametrize("era", ["legacy", MODERN])
def test_a_handler_knows_who_calls(era: str, sdk: Sdk) -> None:
    async def use() -> Any:
        async with serving(sdk, OPTIONS) as (client, held):
            for name in ("ada", "bob"):
                answer = await call(client, era, name)
                assert "done at once" in answer.text, answer.text
            # The SDK knows them, too: a call that waits for answers goes on for its own principal alone.
            assert [user.client_id for user in held.users] == ["ada", "bob"]
            return [principal_of(context) for context in held.contexts]

    assert run(use()) == [PEOPLE["token-of-ada"], PEOPLE["token-of-bob"]]
    assert principal_of(ToolContext()) is None


@pytest.mark.parametrize("era", ["legacy", MODERN])
def test_a_tool_that_needs_further_scopes_asks_to_step_up(era: str, sdk: Sdk) -> None:
    """All that the call needs in one challenge, and nothing that the token has beside."""

    async def use() -> Any:
        async with serving(sdk, OPTIONS, scopes=("admin", "orders:write")) as (client, held):
            refused = await call(client, era, "ada")
            PEOPLE["token-of-ada-stepped-up"] = Principal(id="ada", scopes=("orders:write", "tools", "admin"))
            return refused, await call(client, era, "ada-stepped-up"), len(held.contexts)

    refused, answered, calls = run(use())
    assert (refused.status_code, answered.status_code, calls) == (403, 200, 1)
    assert refused.json()["id"] == 1
    assert refused.json()["error"]["message"].endswith(" a token that permits orders:write, too.")
    challenge = refused.headers["www-authenticate"]
    assert challenge.startswith('Bearer error="insufficient_scope", ')
    assert challenge.endswith(f'scope="tools admin orders:write", {WHERE}')
    assert "done at once" in answered.text


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_without_a_login_hears_what_is_missing(mode: str, sdk: Sdk) -> None:
    async def use() -> Any:
        served = serving(sdk, OPTIONS, scopes=("orders:write",))
        async with served as (server, _), sdk("httpx2").AsyncClient(headers=bearer("ada")) as http:
            url = f"{server.base_url}/mcp"
            connected = sdk("mcp.client.streamable_http").streamable_http_client(url, http_client=http)
            async with sdk("mcp").Client(connected, mode=mode) as client:
                with pytest.raises(sdk("mcp.shared.exceptions").MCPError) as refused:
                    await client.call_tool("bash", {"command": "free"})
                return refused.value.message

    assert "orders:write" in run(use())


def test_other_requests_need_no_scopes_of_a_tool(sdk: Sdk) -> None:
    async def use() -> list[Any]:
        async with serving(sdk, OPTIONS, scopes=("orders:write",)) as (client, _):
            headers = await opened(client, **bearer("bob"))
            unknown = message("tools/call", 2, name="none", arguments={})
            sent = [message("tools/list", 1), unknown, message("ping", 3), message("tools/call", 4)]
            return [await client.post("/mcp", json=each, headers=headers) for each in sent]

    answers = run(use())
    assert [each.status_code for each in answers] == [200] * 4
    (listed,) = result_of(answers[0].text)["result"]["tools"]
    assert listed["name"] == "bash"


@pytest.mark.parametrize("body", ["utf-16", "deep", "twice"])
def test_a_body_that_is_read_otherwise_calls_nothing_either(body: str, sdk: Sdk) -> None:
    """The registry holds each call to the scopes, whatever reads the request."""
    request = {**calling("free")}
    request["params"]["_meta"] = MODERN_META
    text = json.dumps(request)
    if body == "deep":
        text = text[:-1] + ', "x": ' + "[" * 900 + "]" * 900 + "}"
    elif body == "twice":
        text = '{"method": "ping", "params": {"name": "other"}, ' + text[1:]
    content = text.encode("utf-16" if body == "utf-16" else "utf-8")

    async def use() -> tuple[str, int]:
        async with serving(sdk, OPTIONS, scopes=("orders:write",)) as (client, held):
            answer = await client.post("/mcp", content=content, headers=modern(**bearer("bob")))
            return answer.text, len(held.contexts)

    text, calls = run(use())
    assert calls == 0
    assert "lacks the scope 'orders:write'" in text or "permits orders:write" in text


class Login:
    """An authorization server that grants what it is asked for, between the official client and a server."""

    def __init__(self, httpx: Any, server: Any) -> None:
        self.asked: list[str] = []
        self._httpx = httpx
        self._server = server
        self._answer: dict[str, str] = {}

    async def verify(self, token: str) -> Principal | None:
        number = int(token.removeprefix("token-number-"))
        return Principal(id="ada", scopes=tuple(self.asked[number - 1].split()))

    async def redirect(self, url: str) -> None:
        asked = {key: values[0] for key, values in parse_qs(urlsplit(url).query).items()}
        self.asked.append(asked["scope"])
        self._answer = {"code": f"code-{len(self.asked)}", "state": asked["state"]}

    async def callback(self) -> Any:
        from mcp.client.auth import AuthorizationCodeResult

        return AuthorizationCodeResult(**self._answer)

    async def __call__(self, request: Any) -> Any:
        if request.url.host == "tools.example.com":
            url = self._server().copy_with(path=request.url.path)
            async with self._httpx.AsyncClient() as client:
                return await client.request(
                    request.method, url, content=await request.aread(), headers=request.headers
                )
        place = "https://login.example.com"
        answers: dict[str, dict[str, Any]] = {
            "/.well-known/oauth-authorization-server": {
                "issuer": place,
                "authorization_endpoint": f"{place}/authorize",
                "token_endpoint": f"{place}/token",
                "registration_endpoint": f"{place}/register",
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
            },
            "/token": {
                "access_token": f"token-number-{len(self.asked)}",
                "token_type": "Bearer",
                "scope": self.asked[-1] if self.asked else "",
            },
        }
        if request.url.path == "/register":
            told = {**json.loads(await request.aread()), "client_id": "client"}
            return self._httpx.Response(201, json=told)
        found = answers.get(request.url.path)
        return self._httpx.Response(404) if found is None else self._httpx.Response(200, json=found)


class Memory:
    """The tokens of the official client."""

    def __init__(self) -> None:
        self.tokens = self.client = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client: Any) -> None:
        self.client = client


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_steps_up_and_calls_again(mode: str, sdk: Sdk) -> None:
    httpx, auth = sdk("httpx2"), sdk("mcp.client.auth")

    async def use() -> Any:
        login = Login(httpx, lambda: httpx.URL(str(server.base_url)))
        options = HttpOptions(
            auth=structs.replace(AUTH, verify=login.verify), allowed_hosts=["tools.example.com"]
        )
        async with serving(sdk, options, scopes=("orders:write",)) as (server, held):
            told = {"redirect_uris": ["http://localhost/callback"], "client_name": "test"}
            provider = auth.OAuthClientProvider(
                server_url=RESOURCE,
                client_metadata=sdk("mcp.shared.auth").OAuthClientMetadata(**told),
                storage=Memory(),
                redirect_handler=login.redirect,
                callback_handler=login.callback,
            )
            transport = httpx.MockTransport(login)
            async with httpx.AsyncClient(transport=transport, auth=provider, timeout=60) as http:
                connected = sdk("mcp.client.streamable_http").streamable_http_client(
                    RESOURCE, http_client=http
                )
                async with sdk("mcp").Client(connected, mode=mode) as client:
                    listed = await client.list_tools()
                    before = [*login.asked]
                    result = await client.call_tool("bash", {"command": "free"})
            return [each.name for each in listed.tools], before, login.asked, result, len(held.contexts)

    names, before, asked, result, calls = run(use())
    assert (names, before) == (["bash"], ["tools"])
    assert asked == ["tools", "tools orders:write"]
    assert (result.content[0].text, calls) == ("done at once", 1)


def test_a_session_belongs_to_who_opened_it(sdk: Sdk) -> None:
    """Its id is worth nothing with another's token; with a later token of the same principal it goes on."""
    PEOPLE["token-of-ada-later"] = Principal(id="ada", scopes=("tools",))

    async def use() -> list[int]:
        async with serving(sdk, OPTIONS) as (client, _):
            session = await opened(client, **bearer("ada"))
            statuses = []
            for method in ("POST", "GET", "DELETE"):
                body = calling("free") if method == "POST" else None
                for headers in (bearer("bob"), {}):
                    stolen = {**session, **headers} if headers else {**session, "authorization": ""}
                    stolen["last-event-id"] = "1"
                    answer = await client.request(method, "/mcp", json=body, headers=stolen)
                    statuses.append(answer.status_code)
            later = {**session, **bearer("ada-later")}
            statuses.append((await client.post("/mcp", json=calling("free"), headers=later)).status_code)
            return statuses

    assert run(use()) == [404, 401, 404, 401, 404, 401, 200]


def test_one_principal_replays_nothing_of_another(sdk: Sdk) -> None:
    async def use() -> str:
        async with serving(sdk, OPTIONS) as (client, held):
            ada, bob = await opened(client, **bearer("ada")), await opened(client, **bearer("bob"))
            held.go.set()
            answer = await client.post("/mcp", json=calling("hold"), headers=ada)
            assert result_of(answer.text)["result"]["isError"]
            first = next(line[4:] for line in answer.text.splitlines() if line.startswith("id: "))
            return (await client.get("/mcp", headers={**bob, "last-event-id": first})).text

    assert "done" not in run(use())


def test_a_token_from_an_environment_variable(sdk: Sdk) -> None:
    token = "abcdefghijklmnopqrstuvwxyz"
    options = HttpOptions(auth=BearerAuth(verify=fixed_token(token, id="ci")))

    async def use() -> list[int]:
        async with serving(sdk, options) as (client, _):
            await opened(client, authorization=f"Bearer {token}")
            wrong = [token[:-1], token + "a", token.upper(), "x"]
            headers = [{"authorization": f"Bearer {each}"} for each in wrong]
            return [
                (await client.post("/mcp", json=message("initialize", 1), headers=each)).status_code
                for each in headers
            ]

    assert run(use()) == [401] * 4


@pytest.mark.parametrize("token", ["", "short", "a" * 15, "with blanks in it, and a comma", "ünïcode" * 4])
def test_a_token_that_cannot_be_one_is_refused(token: str) -> None:
    with pytest.raises(ValueError, match="16 characters or more"):
        fixed_token(token)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"resource": RESOURCE}, "go together"),
        ({"authorization_servers": ("https://a.example",)}, "go together"),
        ({"resource": "tools.example.com", "authorization_servers": ("https://a.example",)}, "no URL"),
        ({"resource": 'https://a.example/"x', "authorization_servers": ("https://a.example",)}, "no URL"),
        ({"scopes": ("two words",)}, "one word"),
        ({"scopes": ('quo"te',)}, "one word"),
    ],
)
def test_options_that_cannot_be_meant(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        BearerAuth(verify=verify, **options)


@pytest.mark.parametrize(
    "wrong",
    [
        "https://a@b.example/mcp",
        "https://b.example/#x",
        "https://b.example:*/mcp",
        "https:///mcp",
        "ftp://b.example",
    ],
)
def test_addresses_of_resources_are_read_like_origins(wrong: str) -> None:
    with pytest.raises(ValueError, match="is no URL"):
        BearerAuth(verify=verify, resource=wrong, authorization_servers=["https://login.example.com"])
