"""Tools that are several: groups of parameters that exclude each other, by structure or by what they say."""

from pathlib import Path
from typing import Any

import pytest
from toolcast.analysis.lint.flags import alternatives

from tests.lint.projects import found, spec, write

TEXT = {"type": "string", "description": "Some text that is needed."}


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


CHOICE = {"enum": ["add", "list"]}
PAIRS = [{"required": ["a", "b"]}, {"required": ["c", "d"]}]
SEVERAL: list[tuple[dict[str, Any], str, list[set[str]]]] = [
    (
        {**obj(a=TEXT, b=TEXT, c=TEXT, d=TEXT), "anyOf": PAIRS},
        "",
        [{"a", "b"}, {"c", "d"}],
    ),
    (
        {**obj(url=TEXT, id=TEXT), "oneOf": [{"required": ["url"]}, {"required": ["id"]}]},
        "",
        [{"url"}, {"id"}],
    ),
    (
        {
            "type": "object",
            "oneOf": [
                obj(action={"const": "add"}, name=TEXT, shared=TEXT),
                obj(action={"enum": ["list"]}, page=TEXT, shared=TEXT),
                obj(action={"const": "stop"}, shared=TEXT),
            ],
        },
        "action",
        [{"name"}, {"page"}, set()],
    ),
    (
        {"type": "object", "anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}],
         "$defs": {"A": obj(mode={"const": "a"}, x=TEXT), "B": obj(mode={"const": "b"}, y=TEXT)}},
        "mode",
        [{"x"}, {"y"}],
    ),
    (
        {
            **obj(mode={"enum": ["a", "b"]}, x=TEXT, y=TEXT),
            "allOf": [
                {"if": obj(mode={"const": "a"}), "then": {"required": ["x"]}},
                {"if": obj(mode={"const": "b"}), "then": {"required": ["y"]}},
            ],
        },
        "mode",
        [{"x"}, {"y"}],
    ),
    (
        obj(
            action={"enum": ["add", "list"]},
            name={**TEXT, "description": "Only used when action is 'add'."},
            page={**TEXT, "description": "Required for `list`."},
            repo=TEXT,
        ),
        "action",
        [{"name"}, {"page"}],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "by", "halves"), SEVERAL)
def test_several_tools_in_one(schema: dict[str, Any], by: str, halves: list[set[str]]) -> None:
    got = alternatives(schema)
    assert got is not None
    assert (got[0], [set(half.names) for half in got[1]]) == (by, halves)


ONE: list[dict[str, Any]] = [
    obj(a=TEXT),
    {**obj(a=TEXT, b=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},  # one at least: both may be
    {
        **obj(a=TEXT, b=TEXT, c=TEXT),
        "oneOf": [{"required": ["a", "b"]}, {"required": ["b", "c"]}, {"required": ["c"]}],
    },
    {"type": "object", "anyOf": [obj(a=TEXT), True]},
    {"type": "object", "anyOf": [obj(kind={"const": "a"}, x=TEXT), obj(kind={"const": "b"}, x=TEXT)]},
    obj(action=CHOICE, name={**TEXT, "description": "Only used when action is 'add'."}, page=TEXT),
    obj(
        action={"enum": ["add", "list", "get"]},
        name={**TEXT, "description": "Required for 'add' and 'get'."},
        page={**TEXT, "description": "Required except for 'list'."},
    ),
    obj(
        format={"enum": ["csv", "json"]},
        indent={**TEXT, "description": "Only for 'json'."},
        sep={**TEXT, "description": "Only for 'csv'."},
    ),
]  # fmt: skip


@pytest.mark.parametrize("schema", ONE)
def test_one_tool(schema: dict[str, Any]) -> None:
    assert alternatives(schema) is None


def test_a_split_is_proposed_by_name(tmp_path: Path) -> None:
    parameters = {
        "type": "object",
        "oneOf": [
            obj(action={"const": "add"}, name=TEXT),
            obj(action={"const": "list_all"}, page=TEXT),
        ],
    }
    (only,) = found(write(tmp_path, {"cron": spec(parameters=parameters)}), "flag-argument")
    assert only.message == "one tool is 2: `action` decides which parameters belong (name | page)"
    assert only.fix == "split it: cron_add, list_all"
