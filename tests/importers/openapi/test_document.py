"""Documents are read from files and addresses, in JSON and YAML, with positions, and within bounds."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from toolcast.diagnostics import Diagnostic
from toolcast.importers.openapi import document as module
from toolcast.importers.openapi.document import (
    DownloadError,
    JsonPositions,
    OpenApiDocument,
    download,
    parse_openapi,
    read_source,
    without_credentials,
)
from toolcast.importers.openapi.read_openapi import declarations_of, read_openapi
from toolcast.spec.json_reader import json_positions
from toolcast.spec.parsed_document import locate

HEAD = {"openapi": "3.0.3", "info": {"title": "t", "version": "1"}}
PATHS = {"/pets": {"get": {"operationId": "pets", "responses": {"200": {"description": "ok"}}}}}


def problems(text: str | bytes) -> tuple[Diagnostic, ...]:
    found = parse_openapi(text.encode() if isinstance(text, str) else text, "api.yaml")
    assert not isinstance(found, OpenApiDocument)
    return found


def test_json_and_yaml_are_read_alike() -> None:
    data = {**HEAD, "paths": PATHS}
    for text in (
        json.dumps(data),
        "\ufeff" + json.dumps(data, indent=1),
        yaml.safe_dump(data),
        yaml.dump(data, default_flow_style=True),
    ):
        found = parse_openapi(text.encode(), "api")
        assert isinstance(found, OpenApiDocument), found
        assert [tool.spec_name for tool in declarations_of(found).tools] == ["pets"]


def test_numbers_are_keys_of_responses_in_yaml() -> None:
    text = (
        "openapi: 3.1\ninfo: {}\npaths:\n  /a:\n    get:\n      responses:\n        200:\n"
        "          content: {application/json: {schema: {type: string}}}\n"
    )
    found = parse_openapi(text.encode(), "api.yaml")
    assert isinstance(found, OpenApiDocument), found
    assert found.version == "3.1"
    assert declarations_of(found).tools[0].result == {"type": "string"}


@pytest.mark.parametrize(
    ("text", "code", "place", "words"),
    [
        ('{"swagger": "2.0"}', "openapi-version", (1, 13), "is a Swagger 2.0 document"),
        ("openapi: 4.0.0\n", "openapi-version", (1, 10), "`4.0.0`"),
        ("openapi: 3.10.0\n", "openapi-version", (1, 10), "`3.10.0`"),
        ("info: {}\n", "openapi-version", (1, 1), "no key `openapi`"),
        ("- 1\n", "openapi-version", (1, 1), "holds no object"),
        ('{"openapi": "3.0.0", "openapi": "3.0.0"}', "duplicate-key", (1, 22), "a second time"),
        ('{"openapi": NaN}', "not-a-json-number", (1, 13), "NaN"),
        ('{"openapi": "3.0.0"', "syntax", (1, 1), "never closed"),
        ("openapi: [\n", "syntax", (2, 1), ""),
        (b"openapi: \xff", "not-utf-8", (1, 10), "0xff"),
        ("a: &a [1]\nb: *c\n", "unknown-alias", (2, 4), ""),
    ],
)
def test_what_is_no_document_is_refused(text: Any, code: str, place: tuple[int, int], words: str) -> None:
    (problem,) = problems(text)
    assert (problem.code, problem.line, problem.column) == (code, *place)
    assert words in problem.message


def test_sizes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = '{"openapi": "3.0.0", "paths": ' + '{"a": ' * 300 + "1" + "}" * 301
    assert [each.code for each in problems(deep)] == ["too-deep"]
    assert [each.code for each in problems('{"a": ' * 100_000)] == ["too-deep"]
    assert [each.code for each in problems("a: " + "[" * 300 + "]" * 300)] == ["too-deep"]
    monkeypatch.setattr(module, "_LIMITS", module.Limits(depth=200, values=100))
    assert [each.code for each in problems(json.dumps({"openapi": "3.0.0", "a": [1] * 200}))] == [
        "too-many-values"
    ]
    bomb = "a: &a [1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b]\n"
    assert [each.code for each in problems(bomb)] == ["too-many-values"]
    monkeypatch.setattr(module, "_MAX_BYTES", 10)
    assert [each.code for each in problems(json.dumps(HEAD))] == ["too-large"]


def test_deeply_nested_schemas_are_read() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(90):
        schema = {"type": "array", "items": schema}
    data = {
        **HEAD,
        "paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "schema": schema}]}}},
    }
    found = parse_openapi(json.dumps(data).encode(), "api.json")
    assert isinstance(found, OpenApiDocument), found
    assert declarations_of(found).tools[0].parameters["properties"]["q"] == schema


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


def paths_in(value: Any) -> Iterator[tuple[str | int, ...]]:
    yield ()
    if isinstance(value, dict | list):
        for step, child in value.items() if isinstance(value, dict) else enumerate(value):
            for rest in paths_in(child):
                yield (step, *rest)


@given(json_values, st.sampled_from([None, 1, "\t"]))
def test_positions_are_those_of_a_full_scan(value: Any, indent: Any) -> None:
    text = json.dumps(value, indent=indent)
    positions, root = JsonPositions(text), json_positions(text)
    for path in paths_in(value):
        for key in (False, True):
            for wanted in (path, (*path, "missing"), (*path, 9_999)):
                assert positions.locate(wanted, key=key) == locate(root, wanted, key=key), (wanted, key)


# --- addresses


class _Server(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({**HEAD, "servers": [{"url": "/v1"}], "paths": PATHS}).encode()
        if self.path == "/missing":
            self.send_error(404)
            return
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to/"))
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"x" * 300_000 if self.path == "/large" else body)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Server)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_an_address_is_downloaded_and_named_without_credentials(address: str) -> None:
    found = read_openapi(f"http://{address}/api.json?token=secret#x")
    assert found.diagnostics == ()
    assert (found.kind, found.label) == ("openapi", f"http://{address}/api.json")
    (tool,) = found.tools
    assert tool.http is not None
    assert tool.http["server"] == f"http://{address}/v1"
    assert "secret" not in repr(found)


def test_redirects_lead_to_http_only(address: str) -> None:
    found = read_openapi(f"http://{address}/to//api.json")
    assert found.label == f"http://{address}/to//api.json"
    assert found.tools[0].http is not None
    assert found.tools[0].http["server"] == f"http://{address}/v1"
    for target in ("file:///etc/passwd", "ftp://localhost/a"):
        with pytest.raises(DownloadError, match=r"another kind of address|not allowed"):
            download(f"http://{address}/to/{target}", 1_000)


@pytest.mark.parametrize(
    ("path", "words"),
    [("/missing", "404"), ("/large", "larger than")],
)
def test_downloads_that_fail_say_why(address: str, path: str, words: str) -> None:
    with pytest.raises(DownloadError, match=words):
        download(f"http://{address}{path}", 100_000)


@pytest.mark.parametrize(
    "source",
    [
        "http://127.0.0.1:1/a",
        "http://user:word@127.0.0.1/a",
        "http://[",
        "https://",
        "missing.json",
        "a\0b",
        ".",
    ],
)
def test_sources_that_cannot_be_read_are_diagnostics(source: str) -> None:
    found = read_source(source)
    assert isinstance(found, tuple)
    assert [each.code for each in found] == ["import-unreadable"]
    assert found[0].hint
    assert "word" not in found[0].file


def test_labels_hold_no_path_of_a_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "api.json"
    file.write_text(json.dumps({**HEAD, "paths": PATHS}), encoding="utf-8")
    assert read_openapi(str(file)).label == "api.json"
    assert without_credentials("https://a:b@x.y:8/z?q#f") == "https://x.y:8/z"
    (tmp_path / "project").mkdir()
    (tmp_path / "v2").mkdir()
    (tmp_path / "v2/api.json").write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path / "project")
    assert read_openapi("../api.json").label == "api.json"
    assert read_openapi("../v2/api.json").label == "v2/api.json"
