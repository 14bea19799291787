"""What a server states of itself: the project's name and version, or what the program says."""

# ruff: noqa: ARG001 - a handler's signature is fixed, whatever it uses

import asyncio
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pytest
from toolcast.mcp import mcp_server
from toolcast.mcp.serving.server import ServerIdentity, identity_of

from tests.mcp import app
from tests.mcp.conftest import Sdk

pytestmark = pytest.mark.usefixtures("installed")


async def handle(params: Any, context: Any) -> str:
    return "done"


def test_a_distribution_names_the_server() -> None:
    assert identity_of("hypothesis.strategies") == ServerIdentity("hypothesis", version("hypothesis"))


def test_without_a_distribution_it_is_the_package_or_the_program() -> None:
    assert identity_of("nowhere.at.all") == ServerIdentity("nowhere", "")
    assert identity_of().name not in ("", "__main__")


@pytest.mark.parametrize("mode", ["legacy", "auto"])  # a pinned newest revision asks for no identity
def test_clients_are_sent_what_the_program_states(mode: str, sdk: Sdk) -> None:
    icon = {"src": "https://acme.example/icon.png", "mimeType": "image/png", "sizes": ["48x48"]}
    stated: dict[str, Any] = {
        "name": "acme", "version": "1.2", "title": "Acme tools", "description": "Files of Acme.",
        "instructions": "Look before you edit.", "website_url": "https://acme.example", "icons": [icon],
    }  # fmt: skip

    async def session(server: Any) -> Any:
        async with asyncio.timeout(60), sdk("mcp").Client(server, mode=mode) as client:
            await client.list_tools()
            return client.server_info, client.instructions

    info, instructions = asyncio.run(session(mcp_server(app.make(), **stated)))
    assert instructions == "Look before you edit."
    shown = info.model_dump(by_alias=True, exclude_none=True)
    assert shown == {
        "name": "acme", "version": "1.2", "title": "Acme tools", "description": "Files of Acme.",
        "websiteUrl": "https://acme.example", "icons": [icon],
    }  # fmt: skip
    assert asyncio.run(session(mcp_server(app.make())))[0].name == identity_of().name
    unversioned = asyncio.run(session(mcp_server(app.make(), name="acme")))[0]
    assert (unversioned.name, unversioned.version) == ("acme", "")


def test_an_icon_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="src"):
        mcp_server(app.make(), icons=[{"source": "x"}])


def test_the_command_takes_the_same(sdk: Sdk, served: Callable[..., Any]) -> None:
    async def session(*options: str) -> Any:
        parameters = served("tests.mcp.app:registry", *options)
        async with asyncio.timeout(120), sdk("mcp").Client(parameters) as client:
            return client.server_info, client.instructions

    assert asyncio.run(session())[0].name == "tests"
    info, instructions = asyncio.run(
        session("--server-name", "acme", "--server-version", "1.2", "--title", "Acme", "--icon", "https://a/i.png",
                "--website", "https://acme.example", "--instructions", "Look first.")
    )  # fmt: skip
    assert (info.name, info.version, info.title, info.website_url) == (
        "acme",
        "1.2",
        "Acme",
        "https://acme.example",
    )
    assert (info.icons[0].src, instructions) == ("https://a/i.png", "Look first.")
