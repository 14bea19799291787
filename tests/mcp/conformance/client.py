"""A program that uses a server's tools in a registry, as the conformance suite starts it.

    python -m tests.mcp.conformance.client http://127.0.0.1:8000/mcp

The suite names the scenario, its context and the revision in the environment (`MCP_CONFORMANCE_…`). Signing
in is the SDK's: a browser is played that follows one redirection.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from mcp.types import ElicitResult
from toolcast.mcp import mcp_tools
from toolcast.runtime import ToolRegistry

SCENARIO = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
CONTEXT: dict[str, Any] = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
VERSION = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "2025-11-25")
ARGUMENTS: dict[str, dict[str, Any]] = {"add_numbers": {"a": 5, "b": 3}, "valid_tool": {"region": "eu"}}
REDIRECTED = "http://localhost:3000/callback"
CLIENT_ID = "https://conformance-test.local/client-metadata.json"
FOCAL, ECHO = "json_schema_2020_12_tool", "json_schema_echo"


class Signing:
    """The store of the SDK's sign-in, and the user at the browser."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None
        self._answer: dict[str, list[str]] = {}
        if SCENARIO == "auth/pre-registration":
            self.client = OAuthClientInformationFull(
                client_id=CONTEXT["client_id"],
                client_secret=CONTEXT["client_secret"],
                redirect_uris=[REDIRECTED],
                token_endpoint_auth_method="client_secret_basic",
                issuer=CONTEXT.get("issuer"),
            )

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info

    async def visit(self, url: str) -> None:
        async with httpx2.AsyncClient() as browser:
            answer = await browser.get(url, follow_redirects=False)
        self._answer = parse_qs(urlsplit(answer.headers["location"]).query)

    async def returned(self) -> AuthorizationCodeResult:
        one = {key: values[0] for key, values in self._answer.items()}
        return AuthorizationCodeResult(code=one["code"], state=one.get("state"), iss=one.get("iss"))


def provider(url: str) -> Any:
    signing = Signing()
    if SCENARIO == "auth/client-credentials-basic":
        return ClientCredentialsOAuthProvider(url, signing, CONTEXT["client_id"], CONTEXT["client_secret"])
    if SCENARIO == "auth/client-credentials-jwt":
        key, algorithm = CONTEXT["private_key_pem"], CONTEXT["signing_algorithm"]
        signed = SignedJWTParameters(
            issuer=CONTEXT["client_id"], subject=CONTEXT["client_id"], signing_key=key,
            signing_algorithm=algorithm,
        )  # fmt: skip
        return PrivateKeyJWTOAuthProvider(
            url, signing, CONTEXT["client_id"], signed.create_assertion_provider()
        )
    metadata = OAuthClientMetadata(
        client_name="toolcast-conformance",
        redirect_uris=[REDIRECTED],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
    )
    return OAuthClientProvider(
        url, metadata, signing, signing.visit, signing.returned, client_metadata_url=CLIENT_ID
    )


async def fill_in(_context: Any, params: Any) -> ElicitResult:
    """The user accepts what a form proposes, and says yes."""
    fields = params.requested_schema["properties"]
    return ElicitResult(
        action="accept", content={name: field.get("default", True) for name, field in fields.items()}
    )


@asynccontextmanager
async def connected(url: str) -> AsyncGenerator[Client]:
    mode = "legacy" if VERSION < "2026" else "auto"
    auth = provider(url) if SCENARIO.startswith("auth/") else None
    async with (
        httpx2.AsyncClient(auth=auth, follow_redirects=True, timeout=30) as http,
        Client(
            streamable_http_client(url, http_client=http), mode=mode, elicitation_callback=fill_in
        ) as client,
    ):
        yield client


async def call_all(registry: ToolRegistry) -> None:
    """Call each tool once, or as the suite says; it judges what arrives. The SDK refuses a result of
    2026-07-28 without `resultType`, which one of the suite's tools returns.
    """
    calls = CONTEXT.get("toolCalls") or [
        {"name": name, "arguments": ARGUMENTS.get(name, {})}
        for name in (each.removeprefix("suite__") for each in registry.names)
    ]
    for call in calls:
        result = await registry.execute(f"suite__{call['name']}", call["arguments"])
        print(call["name"], result.error or "is done")


async def main(url: str) -> None:
    registry = ToolRegistry()
    async with connected(url) as client:
        tools = await mcp_tools(client, registry, server="suite")
        if SCENARIO == "json-schema-2020-12-preservation":
            schemas = {tool["name"]: tool["inputSchema"] for tool in registry.definition_objects("mcp")}
            echo = await registry.execute(f"suite__{ECHO}", {"schema": schemas[f"suite__{FOCAL}"]})
            assert echo.success, echo.error
        elif SCENARIO != "json-schema-ref-no-deref":
            await call_all(registry)
        if SCENARIO == "http-standard-headers":
            await client.read_resource(str((await client.list_resources()).resources[0].uri))
            await client.get_prompt((await client.list_prompts()).prompts[0].name)
        print([refused.name for refused in tools.refused])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
