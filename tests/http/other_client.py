"""What another client of OpenAPI makes of the same values, and both requests in one form.

The other client is swagger-client, in Node, which reads the document itself, or the API's own. Nothing of
toolcast is between the values and its request.
"""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from email import message_from_bytes
from email.policy import HTTP
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from msgspec import Struct
from toolcast.http import HttpRequest
from toolcast.http_operation import FORM, Operation, is_json

from tests.optional import missing

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = ROOT / ".openapi-client"
SCRIPTS = Path(__file__).with_name("openapi_client")
CREDENTIAL = "credential-0123456789"


class Seen(Struct, frozen=True):
    """A request, in a form in which equal requests are equal."""

    method: str
    base: str
    path: list[str]
    query: list[tuple[str, Any]]
    headers: dict[str, str]
    cookies: list[tuple[str, str]]
    media_type: str
    body: Any


def as_seen(method: str, url: str, headers: Mapping[str, str], body: Any) -> Seen:
    """`body`: bytes, or parts as (name, bytes)."""
    parts = urlsplit(url)
    lowered = {name.lower(): value for name, value in headers.items()}
    media_type = lowered.pop("content-type", "").partition(";")[0]
    cookies = [pair.split("=", 1) for pair in lowered.pop("cookie", "").split("; ") if pair]
    ignored = ("accept", "accept-encoding", "connection", "content-length", "host", "user-agent")
    return Seen(
        method=method.upper(),
        base=f"{parts.scheme}://{parts.netloc}",
        path=[unquote(segment) for segment in parts.path.split("/")],
        query=sorted((name, _plain(value)) for name, value in _pairs(parts.query)),
        headers={name: value.strip() for name, value in lowered.items() if name not in ignored},
        cookies=sorted((name, unquote(value)) for name, value in cookies),
        media_type=media_type,
        body=_body(media_type, body),
    )


def _pairs(text: str) -> list[tuple[str, str]]:
    return parse_qsl(text.replace("+", "%2B"), keep_blank_values=True)


def _plain(text: str) -> str:
    """JSON in a text, without the freedom of its spelling: white space, and 1.0 for 1."""
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except ValueError:
        return text


def _is_json_text(body: bytes) -> bool:
    try:
        json.loads(body)
    except ValueError:
        return False
    return True


def _body(media_type: str, body: Any) -> Any:
    if isinstance(body, list):
        return sorted((name, _plain(data.decode("latin-1"))) for name, data in body)
    if not body:
        return None
    if is_json(media_type):
        return json.loads(_plain(body.decode()) or "null") if _is_json_text(body) else body
    if media_type == FORM:
        return sorted((name, _plain(value)) for name, value in _pairs(body.decode()))
    return body


def of_httpx(request: Any) -> Seen:
    headers = {name.decode("latin-1"): value.decode() for name, value in request.headers.raw}
    content = (
        request.content if not request.headers.get("content-type", "").startswith("multipart/") else None
    )
    if content is None:
        head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode()
        message = message_from_bytes(head + request.content, policy=HTTP)
        content = [
            (part.get_param("name", header="content-disposition"), part.get_payload(decode=True))
            for part in message.iter_parts()
        ]
    return as_seen(request.method, str(request.url), headers, content)


def of_other(answer: Mapping[str, Any]) -> Seen:
    body: Any = answer.get("body")
    if answer.get("form") is not None:
        body = [
            (part["name"], part["text"].encode() if "text" in part else base64.b64decode(part["base64"]))
            for part in answer["form"]
        ]
    elif isinstance(body, dict):
        body = base64.b64decode(body["$base64"])
    elif isinstance(body, str):
        body = body.encode()
    return as_seen(answer["method"], answer["url"], answer["headers"], body)


def case_of(operation: Operation, template: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The same values as swagger-client wants them: by place and name, and a body."""
    parameters: dict[str, Any] = {}
    body: Any = None
    for name, place in operation.places.items():
        if place.location != "body":
            if name in values:
                parameters[f"{place.location}.{place.name}"] = values[name]
        elif place.whole:
            body = _bytes(values.get(name), place.binary)
        else:
            body = {} if body is None else body
            if name in values:
                body[place.name] = _bytes(values[name], place.binary)
    authorized: dict[str, Any] = {}
    for key in operation.security[0] if operation.security else ():
        scheme = operation.schemes[key]
        if scheme.type in ("oauth2", "openIdConnect"):
            authorized[key] = {"token": {"access_token": CREDENTIAL}}
        elif scheme.scheme.lower() == "basic":
            authorized[key] = {"username": "user", "password": CREDENTIAL}
        else:
            authorized[key] = CREDENTIAL
    return {
        "path": template,
        "method": operation.method,
        "parameters": parameters,
        "requestBody": body,
        "requestContentType": None if body is None else operation.body,
        "securities": {"authorized": authorized},
    }


def _bytes(value: Any, binary: bool) -> Any:
    if not binary or value is None:
        return value
    return [{"$base64": item} for item in value] if isinstance(value, list) else {"$base64": value}


def excerpt(document: Mapping[str, Any], template: str, method: str) -> dict[str, Any]:
    """The part of a document that one request depends on: the operation without its answers, and what it
    refers to. swagger-client takes seconds for each operation of a large document."""
    item = document["paths"][template]
    while "$ref" in item:
        item = _target(document, item["$ref"])
    operation = {key: value for key, value in item[method].items() if key not in ("responses", "callbacks")}
    shared = {key: item[key] for key in ("parameters", "servers") if key in item}
    found: dict[str, Any] = {
        key: document[key] for key in ("openapi", "info", "servers", "security") if key in document
    }
    found["paths"] = {template: {**shared, method: operation}}
    schemes = document.get("components", {}).get("securitySchemes", {})
    found["components"] = {"securitySchemes": schemes}
    waiting: list[Any] = [found["paths"]]
    done: set[str] = set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            reference = each.get("$ref")
            if isinstance(reference, str) and reference not in done and reference.startswith("#/components/"):
                done.add(reference)
                _, kind, name, *_ = reference[2:].split("/")
                name = name.replace("~1", "/").replace("~0", "~")
                found["components"].setdefault(kind, {})[name] = document["components"][kind][name]
                waiting.append(document["components"][kind][name])
            waiting += each.values()
    return found


def _target(document: Any, reference: str) -> Any:
    for token in reference[2:].split("/"):
        token = token.replace("~1", "/").replace("~0", "~")
        document = document[int(token)] if isinstance(document, list) else document[token]
    return document


def build(work: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What swagger-client builds for each of `cases` of each `document`; `problem` where it cannot."""
    return _asked("build.cjs", "swagger-client", work)


def build_github(calls: Sequence[tuple[str, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Requests that GitHub's own client builds for calls of its methods."""
    return _asked("github.mjs", "@octokit/rest", calls)


def _asked(script: str, package: str, work: Sequence[Any]) -> list[dict[str, Any]]:
    node = shutil.which("node")
    if node is None or not (INSTALLED / "node_modules" / package).is_dir():
        missing(f"{package} or node is not installed; `make openapi-client` installs it")
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    done = subprocess.run(
        [str(node), str(SCRIPTS / script), str(INSTALLED)],
        input=json.dumps(list(work)),
        capture_output=True,
        text=True,
        timeout=300,
        env=kept,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


__all__ = [
    "CREDENTIAL",
    "HttpRequest",
    "Seen",
    "as_seen",
    "build",
    "build_github",
    "case_of",
    "of_httpx",
    "of_other",
]
