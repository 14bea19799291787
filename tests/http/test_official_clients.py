"""Requests of Stripe's and GitHub's own clients are those of tools imported from their documents.

`official_calls.json` has the calls: of Stripe, the operation, the client's method, arguments in the path and
others; of GitHub, the method and its arguments. `stripe.json` is an excerpt of Stripe's document, these
operations without texts and answers.
"""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from toolcast.http import HttpHandler
from toolcast.http_operation import Place
from toolcast.importers.import_tools import specs_of
from toolcast.importers.openapi.operations import Selection
from toolcast.importers.openapi.read_openapi import OpenApiChoices, read_openapi
from toolcast.importers.spec_text import Choices
from toolcast.runtime import ToolBinding

from tests.http.conftest import CONTEXT
from tests.http.other_client import Seen, as_seen, build_github, of_httpx, of_other
from tests.http.test_other_client import handler, untyped
from tests.optional import load
from tests.python.compiled import package

Binding = ToolBinding[Any, Any]
CALLS = json.loads(Path(__file__).with_name("official_calls.json").read_text("utf-8"))

pytestmark = pytest.mark.usefixtures("httpx")


@pytest.fixture(scope="module")
def client(server: str) -> Any:
    """Stripe's own client, of a server that answers with the request that it read."""
    made = load("stripe").StripeClient("sk_test_1", base_addresses={"api": server}, max_network_retries=0)
    return made.v1


@pytest.fixture(scope="module")
def stripe_tools() -> Iterator[Mapping[str, Binding]]:
    found = read_openapi(str(Path(__file__).with_name("stripe.json")))
    assert not found.diagnostics
    with package(specs_of(found, Choices(permission="network", secrets=())).specs) as bindings:
        yield bindings


def seen(server: str, data: Mapping[str, Any]) -> Seen:
    """A request as the server read it; `+` is a space, as in any form."""
    url, body = (text.replace("+", "%20") for text in (server + data["path"], data["body"]))
    return plain(as_seen(data["method"], url, dict(data["headers"]), body.encode()))


def plain(request: Seen) -> Seen:
    """A request without what a client adds."""
    return msgspec.structs.replace(request, headers={}, cookies=[])


def with_path(binding: Binding, ids: tuple[str, ...], values: Mapping[str, Any]) -> str:
    """The arguments of a call as JSON; `ids` are those in the path."""
    places = HttpHandler(binding, server="https://none.example").operation.places
    in_path = [name for name, place in places.items() if place.location == "path"]
    return json.dumps(dict(zip(in_path, ids, strict=True)) | dict(values))


def test_stripe(server: str, client: Any, stripe_tools: Mapping[str, Binding]) -> None:
    for operation, method, ids, values in CALLS["stripe"]:
        other = attrgetter(method)(client)(*ids, values).to_dict()
        binding = stripe_tools[operation]
        params = binding.decode(with_path(binding, ids, values))
        ours = asyncio.run(HttpHandler(binding, server=server)(params, CONTEXT)).data
        assert seen(server, ours) == seen(server, other), operation


def test_github(httpx: Any, shared_dir: Path) -> None:
    built = build_github(CALLS["github"])
    patterns = tuple(kebab(name) for name, _ in CALLS["github"])
    choices = OpenApiChoices(selection=Selection(operations=patterns), results=False)
    found = read_openapi(str(shared_dir / "corpora/openapi-docs/github.json"), choices)
    by_name = {tool.name: tool for tool in found.tools}
    for (name, values), request in zip(CALLS["github"], built, strict=True):
        sent: list[Any] = []
        sending = handler(httpx, untyped(by_name[kebab(name)]), sent)
        asyncio.run(sending(with_body(sending.operation.places, values), CONTEXT))
        assert plain(of_httpx(sent[0])) == plain(of_other(request)), name


def with_body(places: Mapping[str, Place], values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, those of the body in one where the body is one argument."""
    whole = [name for name, place in places.items() if place.whole]
    apart = {name: value for name, value in values.items() if name in places or not whole}
    return apart | {each: {n: v for n, v in values.items() if n not in places} for each in whole}


def kebab(name: str) -> str:
    """The operation id of a method: `issues/list-for-repo` for `issues.listForRepo`."""
    return re.sub("[A-Z]", lambda found: f"-{found[0].lower()}", name.replace(".", "/"))
