"""Bodies: JSON, forms, multipart, text and bytes, with each property as OpenAPI's Encoding Object says."""

import base64
import json
from typing import Any

import pytest
from toolcast.http import HttpRequest, Part
from toolcast.http.http_request import build_request, joined
from toolcast.http_operation import read_operation
from toolcast.runtime.errors import RefusalError

PNG = base64.b64encode(b"\x89PNG\xff\x00").decode()


def request(values: dict[str, Any], **http: Any) -> HttpRequest:
    """The request of an operation whose parameters are all in the body, unless `places` has them."""
    places = dict.fromkeys(values, "body") | http.pop("places", {})
    return build_request(read_operation({"method": "post", "path": "/", "in": places, **http}), values)


def test_properties_make_an_object() -> None:
    made = request({"a": 1, "b__body": [None, {"c": 1.5}]}, body="application/json", places={
        "b__body": {"in": "body", "name": "b"}, "id": "query",
    })  # fmt: skip
    assert (made.content, made.media_type) == (b'{"a":1,"b":[null,{"c":1.5}]}', "application/json")


def test_an_object_without_properties_is_sent() -> None:
    places = {"id__body": {"in": "body", "name": "id"}, "q": "query"}
    http = {"method": "post", "path": "/", "in": places, "body": "application/json"}
    operation = read_operation(http)
    assert build_request(operation, {}).content == b"{}"


@pytest.mark.parametrize("value", [[1, 2], "text", 3, None, {"a": 1}])
def test_one_parameter_may_be_the_body(value: Any) -> None:

    made = request(
        {"body": value}, body="application/merge-patch+json", places={"body": {"in": "body", "whole": True}}
    )
    assert made.content is not None
    assert json.loads(made.content) == value
    assert made.media_type == "application/merge-patch+json"


def test_a_body_that_is_left_out_is_none() -> None:
    places = {"body": {"in": "body", "whole": True}}
    made = build_request(
        read_operation({"method": "post", "path": "/", "in": places, "body": "application/json"}), {}
    )
    assert (made.content, made.media_type, made.parts) == (None, "", None)


def test_further_properties_are_the_bodys() -> None:
    operation = read_operation(
        {
            "method": "post",
            "path": "/",
            "in": {"id__body": {"in": "body", "name": "id"}, "q": "query"},
            "body": "application/json",
        }
    )
    made = build_request(operation, {"id__body": 1, "q": "x", "further": True})
    assert (made.content, joined(made.query)) == (b'{"id":1,"further":true}', "q=x")
    with pytest.raises(RefusalError, match="`id` is called `id__body` here"):
        build_request(operation, {"id__body": 1, "id": 2})


FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("value", "encoding", "expected"),
    [
        ("a b&c=é", None, "p=a%20b%26c%3D%C3%A9"),
        (True, None, "p=true"),
        (["a", "b", None], None, "p=a&p=b"),
        ({"k": [1]}, None, "p=%7B%22k%22%3A%5B1%5D%7D"),
        ([{"k": 1}, {"k": 2}], None, "p=%7B%22k%22%3A1%7D&p=%7B%22k%22%3A2%7D"),
        (None, None, ""),
        ("a", {"content_type": "application/json"}, "p=%22a%22"),
        (["a", "b"], {"explode": False}, "p=a,b"),
        (["a", "b"], {"style": "pipeDelimited", "explode": False}, "p=a%7Cb"),
        ({"k": 1}, {"style": "deepObject"}, "p%5Bk%5D=1"),
        ({"k": 1, "l": 2}, {"explode": True}, "k=1&l=2"),
        ("a/b", {"allow_reserved": True}, "p=a/b"),
    ],
)  # fmt: skip
def test_forms(value: Any, encoding: Any, expected: str) -> None:
    made = request({"p": value}, body=FORM, **({} if encoding is None else {"encoding": {"p": encoding}}))
    assert (made.content, made.media_type) == (expected.encode(), FORM)


def test_multipart() -> None:
    values = {"text": "ü", "number": 3, "object": {"a": 1}, "list": ["a", {"b": 2}], "file": PNG}
    binary = {"in": "body", "binary": True}
    made = request(
        {**values, "files": [PNG, PNG]},
        body="multipart/form-data",
        places={"file": binary, "files": {**binary, "name": "many"}},
        encoding={
            "file": {"content_type": "image/*, image/png, image/gif"},
            "number": {"content_type": "text/csv"},
        },
    )
    data = b"\x89PNG\xff\x00"
    assert made.content is None
    assert made.parts == (
        Part(name="text", content="ü".encode()),
        Part(name="number", content=b"3", media_type="text/csv"),
        Part(name="object", content=b'{"a":1}', media_type="application/json"),
        Part(name="list", content=b"a"),
        Part(name="list", content=b'{"b":2}', media_type="application/json"),
        Part(name="file", content=data, media_type="image/png", filename="file"),
        Part(name="many", content=data, media_type="application/octet-stream", filename="many"),
        Part(name="many", content=data, media_type="application/octet-stream", filename="many"),
    )


@pytest.mark.parametrize("value", ["%%%", "aGk", "a Gk=", "aGk=\n", 3, {"a": 1}])
def test_what_is_no_base64_is_refused(value: Any) -> None:
    with pytest.raises(RefusalError, match="base64"):
        request({"file": value}, body="multipart/form-data", places={"file": {"in": "body", "binary": True}})


def test_text_and_bytes() -> None:
    whole: dict[str, Any] = {"in": "body", "whole": True}
    made = request({"body": "ü"}, body="text/markdown", places={"body": whole})
    assert (made.content, made.media_type) == ("ü".encode(), "text/markdown; charset=utf-8")
    made = request({"body": "<a/>"}, body="application/xml", places={"body": whole})
    assert (made.content, made.media_type) == (b"<a/>", "application/xml")
    made = request({"body": PNG}, body="application/octet-stream", places={"body": {**whole, "binary": True}})
    assert (made.content, made.media_type) == (b"\x89PNG\xff\x00", "application/octet-stream")
    with pytest.raises(RefusalError, match="only text"):
        request({"body": {"a": 1}}, body="application/xml", places={"body": whole})
    with pytest.raises(RefusalError, match="object"):
        request({"body": [1]}, body=FORM, places={"body": whole})
