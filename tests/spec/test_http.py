"""The key `http`: what it holds, and what is refused, with its position."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.http_operation import read_operation

from tests.spec.helper import tool

HEAD = """\
description: Does it.
permission: network
secrets: []
parameters:
  type: object
  required: [id]
  properties: {id: {type: integer}, tags: {type: array}, body: {type: object}}
"""
GOOD = "method: post\npath: /a/{id}\nin: {id: path, tags: query, body: body}\nbody: application/json\n"


def spec(http: str, head: str = HEAD) -> tuple[Any, list[tuple[str, str]]]:
    """The tool, and code and place (line of the key and text there) of each problem."""
    text = head + "http:\n" + "".join(f"  {line}\n" for line in http.splitlines())
    made, found = tool(text)
    lines = text.splitlines()
    return made, [(each.code, lines[each.line - 1][each.column - 1 :].strip()) for each in found]


def test_the_mapping_is_kept_as_written() -> None:
    made, found = spec(GOOD)
    assert found == []
    assert made.http == {
        "method": "post",
        "path": "/a/{id}",
        "in": {"id": "path", "tags": "query", "body": "body"},
        "body": "application/json",
    }


def test_an_operation_has_the_name_of_each_place() -> None:
    made, _ = spec(GOOD.replace("tags: query", "tags: {in: query, name: tag, explode: false}"))
    operation = read_operation(made.http)
    assert [(name, place.location, place.name) for name, place in operation.places.items()] == [
        ("id", "path", "id"),
        ("tags", "query", "tag"),
        ("body", "body", "body"),
    ]
    assert operation.places["tags"].explode is False


REFUSED: dict[str, list[tuple[str, str, str]]] = {
    "method: post": [
        ("method: pots", "bad-method", "pots"),
        ("method: POST", "bad-method", "POST"),
        ("methd: post", "unknown-key", "methd: post"),
    ],
    "path: /a/{id}": [
        ("path: a/{id}", "bad-path", "a/{id}"),
        ("path: //evil.example/{id}", "bad-path", "//evil.example/{id}"),
        ("path: https://evil.example/{id}", "bad-path", "https://evil.example/{id}"),
        ("path: /../{id}", "bad-path", "/../{id}"),
        ("path: /%2e%2E/{id}", "bad-path", "/%2e%2E/{id}"),
        ("path: /a/{id}?x=1", "bad-path", "/a/{id}?x=1"),
        ('path: "/a/{id}#x"', "bad-path", '"/a/{id}#x"'),
        (r'path: "/a\r\nHost: b/{id}"', "bad-path", r'"/a\r\nHost: b/{id}"'),
        (r'path: "/a\\b/{id}"', "bad-path", r'"/a\\b/{id}"'),
        ("path: /100%/{id}", "bad-path", "/100%/{id}"),
        ('path: "/a}/{id}"', "bad-path", '"/a}/{id}"'),
        ('path: "/{b}/{id}"', "missing-place", '"/{b}/{id}"'),
        ("path: /a", "bad-place", "path, tags: query, body: body}"),
    ],
    "tags: query, ": [
        ("", "missing-place", "{id: path, body: body}"),
    ],
    "tags: query": [
        ("tags: url", "bad-place", "url, body: body}"),
        ("tags: {in: url}", "bad-place", "url}, body: body}"),
        ("tags: 3", "wrong-type", "3, body: body}"),
        ("tags: {name: a}", "bad-place", "{name: a}, body: body}"),
        ("tag: query", "unknown-parameter", "tag: query, body: body}"),
        ("tags: {in: query, style: matrix}", "bad-style", "matrix}, body: body}"),
        ("tags: {in: header, style: form}", "bad-style", "form}, body: body}"),
        ("tags: {in: query, style: 3}", "wrong-type", "3}, body: body}"),
        ("tags: {in: query, explode: yes}", "wrong-type", "yes}, body: body}"),
        ("tags: {in: query, style: deepObject, explode: false}", "bad-style", "false}, body: body}"),
        ("tags: {in: query, content: text/csv}", "bad-style", "text/csv}, body: body}"),
        (
            "tags: {in: query, content: application/json, style: form}",
            "bad-style",
            "style: form}, body: body}",
        ),
        ("tags: {in: query, whole: true}", "bad-place", "whole: true}, body: body}"),
        ("tags: {in: query, binary: true}", "bad-place", "binary: true}, body: body}"),
        (r'tags: {in: header, name: "a\r\nX-Admin"}', "bad-place", r'"a\r\nX-Admin"}, body: body}'),
        ("tags: {in: header, name: host}", "bad-place", "host}, body: body}"),
        ("tags: {in: header, name: Content-Length}", "bad-place", "Content-Length}, body: body}"),
        ("tags: {in: cookie, name: a=b}", "bad-place", "a=b}, body: body}"),
        ("tags: {in: path, name: id}", "repeated", "{in: path, name: id}, body: body}"),
        ("tags: {in: body, name: body}", "repeated", "body}"),
    ],
    "body: body}": [
        ("body: {in: body, style: form}}", "bad-place", "style: form}}"),
        ("body: {in: body, binary: true}}", "bad-place", "binary: true}}"),
        ("body: {in: body, whole: true, name: a}}", "bad-place", "name: a}}"),
    ],
    "body: application/json": [
        ("body: text/plain", "bad-place", "text/plain"),
        ("body: json", "bad-media-type", "json"),
        ("body: Application/JSON", "bad-media-type", "Application/JSON"),
        ("body: multipart/mixed", "bad-media-type", "multipart/mixed"),
        (
            "encoding: {bdy: {content_type: image/png}}\nbody: multipart/form-data",
            "bad-encoding",
            "bdy: {content_type: image/png}}",
        ),
    ],
}
"""What stands in place of a part, the code, and the place."""
ADDED = [
    ("server: /v1", "bad-server", "/v1"),
    ("server: https://me:pw@a.example", "bad-server", "https://me:pw@a.example"),
    ("server: https://{a}.example", "bad-server", "https://{a}.example"),
    ("server: https://a.example?x=", "bad-server", "https://a.example?x="),
    ("arrays: php", "bad-style", "php"),
    ("arrays: indexed", "bad-style", "arrays: indexed"),
    ("security: [{k: []}]", "bad-security", "k: []}]"),
    ("schemes: {k: {type: apiKey, in: header, name: Host}}", "bad-security", "Host}}"),
    (
        "encoding: {body: {content_type: image/png}}",
        "bad-encoding",
        "encoding: {body: {content_type: image/png}}",
    ),
]


@pytest.mark.parametrize(
    ("old", "new", "code", "at"),
    [
        *((old, *row) for old, rows in REFUSED.items() for row in rows),
        *(("\nbody:", f"\n{more}\nbody:", code, at) for more, code, at in ADDED),
    ],
)
def test_what_is_refused(old: str, new: str, code: str, at: str) -> None:
    made, found = spec(GOOD.replace(old, new))
    assert made is None
    assert (code, at) in found, found


def test_every_problem_is_told_at_once() -> None:
    _, found = spec("method: pots\npath: a\nin: {id: url}\nbody: json\n")
    codes = {"bad-method", "bad-path", "missing-place", "bad-place", "bad-media-type"}
    assert {code for code, _ in found} == codes


def test_a_parameter_of_the_path_is_required() -> None:
    made, found = spec(GOOD, HEAD.replace("[id]", "[tags]"))
    assert made is None
    assert [code for code, _ in found] == ["bad-place"]


def test_a_malformed_list_of_required_parameters_names_none() -> None:
    made, found = spec(GOOD, HEAD.replace("[id]", "true"))
    assert made is None
    assert [code for code, _ in found] == ["bad-place"]


def test_further_properties_need_a_body_of_properties() -> None:
    head = HEAD.replace("  required", "  additionalProperties: true\n  required")
    assert spec(GOOD, head)[1] == []
    _, found = spec(GOOD.replace("body: body}", "body: {in: body, whole: true}}"), head)
    assert found == [("missing-place", "true")]


def test_composed_parameters_are_refused() -> None:
    head = "description: Does it.\npermission: network\nsecrets: []\nparameters: {allOf: [{type: object}]}\n"
    _, found = spec("method: get\npath: /\n", head)
    assert [code for code, _ in found] == ["unknown-parameter"]


_LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(["path", "body"])
_KEYS = st.sampled_from(
    ["method", "path", "server", "server_variables", "in", "body", "encoding"]
) | st.sampled_from(
    ["security", "schemes", "id", "tags", "name", "style", "type", "explode", "whole", "content_type"]
)
_ANY = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=5),
    max_leaves=20,
)


@given(_ANY)
def test_whatever_it_holds_is_taken_or_refused_in_words(http: Any) -> None:
    parameters = {"type": "object", "required": ["id"], "properties": {"id": {}, "tags": {}}}
    document = {
        "description": "x",
        "permission": "read",
        "secrets": [],
        "parameters": parameters,
        "http": http,
    }
    made, found = tool(json.dumps(document), kind="json")
    assert (made is None) == bool(found)
    assert all(each.message for each in found)
    if made is not None and made.http is not None:
        read_operation(made.http)
