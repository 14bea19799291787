"""Values in OpenAPI's styles: its own tables, and RFC 6570 as another library carries it out."""

import re
from typing import Any
from urllib.parse import unquote

import pytest
import uritemplate
from hypothesis import given
from hypothesis import strategies as st
from toolcast.http.http_request import build_request, joined, keep_reserved, percent_encode
from toolcast.http_operation import FORM, MULTIPART, Operation, Place, read_operation
from toolcast.runtime.errors import RefusalError

ARRAY = ["blue", "black", "brown"]
OBJECT = {"R": 100, "G": 200, "B": 150}


def path(value: Any, **place: Any) -> str:
    where = Place(location="path", name="color", **place)
    operation = Operation(method="get", path="/{color}", places={"color": where})
    return build_request(operation, {"color": value}).path[1:]


def query(value: Any, **place: Any) -> str:
    operation = Operation(
        method="get", path="/", places={"color": Place(location="query", name="color", **place)}
    )
    return joined(build_request(operation, {"color": value}).query)


def header(value: Any, **place: Any) -> list[str]:
    operation = Operation(
        method="get", path="/", places={"color": Place(location="header", name="X-Color", **place)}
    )
    return [text for _, text in build_request(operation, {"color": value}).headers]


def cookies(value: Any, **place: Any) -> str:
    operation = Operation(
        method="get", path="/", places={"color": Place(location="cookie", name="color", **place)}
    )
    return "; ".join(f"{name}={text}" for name, text in build_request(operation, {"color": value}).cookies)


# The table "Style Examples" of OpenAPI 3.1.1, without its column for empty strings.
@pytest.mark.parametrize(
    ("style", "explode", "scalar", "array", "object_"),
    [
        ("matrix", False, ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"),
        ("matrix", True, ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"),
        ("label", False, ".blue", ".blue,black,brown", ".R,100,G,200,B,150"),
        ("label", True, ".blue", ".blue.black.brown", ".R=100.G=200.B=150"),
        ("simple", False, "blue", "blue,black,brown", "R,100,G,200,B,150"),
        ("simple", True, "blue", "blue,black,brown", "R=100,G=200,B=150"),
    ],
)
def test_table_for_paths(style: Any, explode: bool, scalar: str, array: str, object_: str) -> None:
    assert path("blue", style=style, explode=explode) == scalar
    assert path(ARRAY, style=style, explode=explode) == array
    assert path(OBJECT, style=style, explode=explode) == object_
    if style == "simple":
        assert header("blue", explode=explode) == [scalar]
        assert header(ARRAY, explode=explode) == [array]
        assert header(OBJECT, explode=explode) == [object_]


@pytest.mark.parametrize(
    ("style", "explode", "array", "object_"),
    [
        ("form", False, "color=blue,black,brown", "color=R,100,G,200,B,150"),
        ("form", True, "color=blue&color=black&color=brown", "R=100&G=200&B=150"),
        ("form", None, "color=blue&color=black&color=brown", "R=100&G=200&B=150"),
        ("spaceDelimited", False, "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"),
        ("pipeDelimited", False, "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"),
    ],
)
def test_table_for_queries(style: Any, explode: bool | None, array: str, object_: str) -> None:
    assert query("blue", style=style, explode=explode) == "color=blue"
    assert query("", style=style, explode=explode) == "color="
    assert query(ARRAY, style=style, explode=explode) == array
    assert query(OBJECT, style=style, explode=explode) == object_


def test_deep_objects() -> None:
    assert query(OBJECT, style="deepObject") == "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"
    nested = {"a": {"b": 1, "c": ["x", "y"]}, "d": None, "e": False}
    assert (
        unquote(query(nested, style="deepObject"))
        == "color[a][b]=1&color[a][c]=x&color[a][c]=y&color[e]=false"
    )


@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        ("indexed", "c[a][0]=x&c[a][1]=y&c[b][0][d]=1&c[b][0][e][0]=2&c[b][1][d]=3"),
        ("brackets", "c[a][]=x&c[a][]=y&c[b][][d]=1&c[b][][e][]=2&c[b][][d]=3"),
        ("repeated", 'c[a]=x&c[a]=y&c[b]={"d":1,"e":[2]}&c[b]={"d":3}'),
    ],
)
def test_arrays_in_deep_objects(arrays: Any, expected: str) -> None:
    value = {"a": ["x", None, "y"], "b": [{"d": 1, "e": [2]}, {"d": 3}]}
    place = Place(location="query", name="c", style="deepObject")
    http = Operation(method="get", path="/", places={"c": place}, arrays=arrays)
    assert unquote(joined(build_request(http, {"c": value}).query)) == expected
    form = {"method": "post", "path": "/", "in": {"c": "body"}, "arrays": arrays}
    form["encoding"] = {"c": {"style": "deepObject"}}
    for body in (FORM, MULTIPART):
        made = build_request(read_operation({**form, "body": body}), {"c": value})
        parts = [f"{part.name}={part.content.decode()}" for part in made.parts or ()]
        assert ("&".join(parts) or unquote((made.content or b"").decode())) == expected


def in_brackets(value: Any) -> list[tuple[str, str]]:
    place = Place(location="query", name="a", style="deepObject")
    operation = Operation(method="get", path="/", places={"a": place}, arrays="brackets")
    parts = (pair.partition("=") for pair in joined(build_request(operation, {"a": value}).query).split("&"))
    return [(unquote(name), unquote(text)) for name, _, text in parts if name]


def read_by_rack(pairs: list[tuple[str, str]]) -> Any:
    """Values that Rack 3.2 reads in a query (`QueryParser#_normalize_params`)."""

    def store(params: dict[str, Any], name: str, text: str) -> None:
        key, after = re.match(r"[\[\]]*([^\[\]]+)\]*", name), ""
        assert key is not None
        after = name[key.end() :]
        if not after:
            params[key[1]] = text
        elif after == "[]":
            params.setdefault(key[1], []).append(text)
        elif inner := re.match(r"\[\]\[([^\[\]]+)\]$|\[\](.+)$", after):
            child = inner[1] or inner[2]
            last = params.setdefault(key[1], [])[-1:]
            if not (last and isinstance(last[0], dict) and not has_key(last[0], child)):
                params[key[1]].append({})
            store(params[key[1]][-1], child, text)
        else:
            store(params.setdefault(key[1], {}), after, text)

    def has_key(params: Any, key: str) -> bool:
        if "[]" in key:
            return False
        for part in re.split(r"[\[\]]+", key):
            if part and (not isinstance(params, dict) or part not in params):
                return False
            params = params[part] if part else params
        return True

    found: dict[str, Any] = {}
    for name, text in pairs:
        store(found, name, text)
    return found.get("a")


MEMBERS = st.dictionaries(
    st.sampled_from("xyz"),
    st.text("ab", max_size=2) | st.lists(st.text("ab", max_size=2), min_size=1, max_size=2)
    | st.dictionaries(st.sampled_from("xy"), st.text("ab", max_size=2), min_size=1),
    min_size=1,
)  # fmt: skip


@given(st.lists(MEMBERS, min_size=1, max_size=4))
def test_objects_in_brackets_are_read_by_rack_as_they_were_or_refused(value: Any) -> None:
    try:
        pairs = in_brackets(value)
    except RefusalError:
        return
    assert read_by_rack(pairs) == value


def test_what_brackets_cannot_say_is_refused() -> None:
    pairs = [("a[][x]", "1"), ("a[][x]", "3"), ("a[][y]", "2")]
    assert in_brackets([{"x": "1"}, {"y": "2", "x": "3"}]) == pairs
    for value in ([{"x": "1"}, {"y": "2"}], [{"x": ["1"]}, {"x": ["2"]}], [["1"]]):
        with pytest.raises(RefusalError):
            in_brackets(value)


@pytest.mark.parametrize("absent", [None, [], {}, [None], {"a": None}])
@pytest.mark.parametrize("style", ["form", "spaceDelimited", "pipeDelimited", "deepObject"])
def test_what_is_absent_is_not_sent(style: Any, absent: Any) -> None:
    assert query(absent, style=style) == ""
    assert header(absent) == []
    assert cookies(absent) == ""


def test_scalars_are_json_text_except_strings() -> None:
    assert [query(value) for value in (True, 0, -1.5, 2**70, "true")] == [
        "color=true",
        "color=0",
        "color=-1.5",
        f"color={2**70}",
        "color=true",
    ]


def test_arrays_and_objects_inside_a_value_are_json_text() -> None:
    assert unquote(query([{"a": [1]}, "x"])) == 'color={"a":[1]}&color=x'
    assert unquote(path([["a"], 1])) == '["a"],1'


def test_content_is_one_json_text() -> None:
    assert unquote(query(["a b", None], content="application/json")) == 'color=["a b",null]'
    assert unquote(query([], content="application/json")) == "color=[]"
    assert header("a", content="application/json") == ['"a"']


def test_reserved_characters() -> None:
    assert query("a/b?c&d=e#f+g%20%zz", allow_reserved=True) == "color=a/b?c%26d=e%23f%2Bg%20%25zz"
    assert query("a/b?c&d") == "color=a%2Fb%3Fc%26d"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_no_value_adds_a_parameter(value: str) -> None:
    for kept in (percent_encode(value), keep_reserved(value)):
        assert not set(kept) & set('&#+ []<>"\\^`{|}')
        assert kept.isascii()


@pytest.mark.parametrize("value", [".", "..", "", None, []])
def test_paths_that_would_be_others_are_refused(value: Any) -> None:
    with pytest.raises(RefusalError, match="path"):
        path(value)


def test_a_value_stays_in_its_segment() -> None:
    assert path("../../admin?x#y") == "..%2F..%2Fadmin%3Fx%23y"
    assert path("a\\b\r\n%2f") == "a%5Cb%0D%0A%252f"


@pytest.mark.parametrize("value", ["a\r\nX-Admin: 1", "a\0b", "a\x7f", ["x\ny"], {"k\r": "v"}])
def test_headers_cannot_be_added(value: Any) -> None:
    with pytest.raises(RefusalError, match="header"):
        header(value)


def test_cookies() -> None:
    assert cookies("a b;c") == "color=a%20b%3Bc"
    assert cookies(ARRAY, explode=False) == "color=blue,black,brown"
    assert cookies(ARRAY) == "color=blue; color=black; color=brown"
    assert cookies({"R": 1, "G": 2}) == "R=1; G=2"
    assert cookies("a%b", style="cookie") == "color=a%b"
    for value in ("a;b", "a b", 'a"', {"a=b": 1}, "a\r\nb"):
        with pytest.raises(RefusalError, match="cookie"):
            cookies(value, style="cookie")


def test_text_that_is_no_unicode_is_refused() -> None:
    for place in (path, query, header, cookies):
        with pytest.raises(RefusalError, match="Unicode"):
            place("\ud800")


_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
_SCALARS = _TEXTS.filter(lambda text: text not in (".", ".."))
_VALUES = st.one_of(
    _SCALARS,
    st.lists(_TEXTS, min_size=1, max_size=4),
    st.dictionaries(_TEXTS, _TEXTS, min_size=1, max_size=4).map(lambda value: dict(sorted(value.items()))),
)
_OPERATORS = {"simple": "", "label": ".", "matrix": ";", "form": "?"}


@given(_VALUES, st.sampled_from(sorted(_OPERATORS)), st.booleans())
def test_as_a_library_of_rfc_6570(value: Any, style: Any, explode: bool) -> None:
    expression = f"{{{_OPERATORS[style]}color{'*' if explode else ''}}}"
    expected = uritemplate.expand(expression, color=value)
    if style == "form":
        assert f"?{query(value, style=style, explode=explode)}" == expected
    elif expected not in (".", ".."):
        assert path(value, style=style, explode=explode) == expected


@given(_VALUES)
def test_reserved_expansion_as_a_library_of_rfc_6570(value: Any) -> None:
    """But for the characters that would end the value."""
    expected = uritemplate.expand("{+color}", color=value if isinstance(value, str) else "x")
    for sign in "&#+[]":
        expected = expected.replace(sign, f"%{ord(sign):02X}")
    written = query(value if isinstance(value, str) else "x", allow_reserved=True)
    assert written.partition("=")[2] == expected
