"""Names of operations that a model can use: short, valid, unique, whatever is selected; and renamed."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.importers.imported_names import fold
from toolcast.importers.openapi.operations import Selection
from toolcast.importers.openapi.read_openapi import OpenApiChoices
from toolcast.spec.tool_names import NAME

from .documents import declared


def place(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def names(*operations: tuple[str, str, str | None], **choices: Any) -> list[str]:
    paths: dict[str, dict[str, Any]] = {}
    for method, path, identifier in operations:
        item = paths.setdefault(path, {"parameters": [place(name) for name in re.findall(r"{(\w+)}", path)]})
        item[method] = {} if identifier is None else {"operationId": identifier}
    found = declared(paths, choices=OpenApiChoices(**choices))
    return [str(tool.spec_name) for tool in found.tools]


@pytest.mark.parametrize(
    ("method", "path", "identifier", "name"),
    [
        ("post", "/navigate", "navigate_navigate_post", "navigate"),
        ("post", "/navigate/post", "navigate_navigate_post_post", "navigate"),
        ("get", "/items-x/{item_id}", "read_item_items_x__item_id__get", "read_item"),
        ("get", "/repos/{owner}", "repos/get", "repos_get"),
        ("get", "/repos/{owner}", "repos/delete-file", "repos_delete_file"),
        ("get", "/a", "list-pets_all", "list-pets_all"),
        ("get", "/a", "Grüße, Welt!", "Grue_Welt"),
        ("get", "/a", "listPets", "listPets"),
        ("get", "/a", "_x", "x"),
        ("get", "/a", "2fa.enable", "call_2fa_enable"),
        ("get", "/pets/{petId}", None, "get_pets_petId"),
        ("get", "/", None, "get"),
        ("get", "/a", "get_a_get", "get"),
    ],
)
def test_a_name_is_the_function_of_the_operation_id(
    method: str, path: str, identifier: str | None, name: str
) -> None:
    assert names((method, path, identifier)) == [name]


def test_functions_of_one_name_keep_their_routes() -> None:
    found = names(("get", "/a", "read_a_get"), ("get", "/b", "read_b_get"), ("get", "/c", "other_c_get"))
    assert found == ["read_a_get", "read_b_get", "other"]


def test_names_do_not_depend_on_the_selection() -> None:
    operations = (("get", "/a", "read_a_get"), ("get", "/b", "read_b_get"), ("post", "/b", None))
    assert names(*operations, selection=Selection(paths=("/b",))) == names(*operations)[1:]


def test_long_names_are_cut_and_marked() -> None:
    (one, two) = names(("get", "/a", "x" * 90 + "1"), ("get", "/b", "x" * 90 + "2"))
    assert one != two
    assert len(one) == len(two) == 64
    (digits,) = names(("get", "/a", "1" * 90))
    assert len(digits) == 64


identifiers = st.one_of(
    st.none(), st.text(max_size=90), st.sampled_from(["a", "A", "a.b", "a-b", "a_b", "class"])
)


@given(
    st.lists(
        st.tuples(st.sampled_from(["get", "post"]), st.sampled_from(["/a", "/A", "/{a}", "/b"]), identifiers),
        max_size=8,
    )
)
def test_any_names_are_valid_and_unique(operations: list[tuple[str, str, str | None]]) -> None:
    found = names(*operations)
    assert all(NAME.fullmatch(name) for name in found)
    assert len({fold(name) for name in found}) == len(found)
