"""Texts of typed results for models: paths against another evaluator, templates against Jinja."""

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jinja2 import Environment, StrictUndefined
from toolcast.agents.dispatch import Call, render
from toolcast.agents.dispatch.wire_formats import FORMATS
from toolcast.agents.text_calls import Call as TextCall
from toolcast.agents.text_calls import render_results
from toolcast.mcp import mcp_server
from toolcast.project.core.compiled import Options
from toolcast.runtime import ToolRegistry, ToolResult
from toolcast.runtime.functions.adapt import adapt
from toolcast.runtime.middleware.secrets.secrets import Secrets
from toolcast.runtime.result_text import MAX_TEMPLATE, MAX_TEXT, result_text

from tests.python.compiled import PROVIDERS, Binding, package, spec
from tests.runtime.code.sandboxes import Sandbox, run_program

# -- paths: which leaves are kept ---------------------------------------------------------------

NAMES = ("a", "b", "c d", "é", "[]", "*")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(("", "x", "{a}", "\n")),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(NAMES), below, max_size=4),
    max_leaves=20,
)
PATHS = st.lists(
    st.lists(st.sampled_from(("a", "b", "c d", "é", "[]", "*")), min_size=1, max_size=4),
    min_size=1, max_size=4,
)  # fmt: skip


def as_path(steps: list[str]) -> str:
    return "".join(step if step == "[]" else f".{step}" for step in steps).removeprefix(".")


def branches(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every value with its place; a container without its parts."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    yield at, type(value)() if isinstance(value, (dict, list)) else value
    for key, part in parts:
        yield from branches(part, (*at, key))


def is_kept(at: tuple[str | int, ...], wanted: list[list[str]]) -> bool:
    """True where a place is on a path to, or below, what one of the paths names."""

    def fits(key: str | int, step: str) -> bool:
        return step == "[]" if isinstance(key, int) else step in ("*", key) and step != "[]"

    return any(all(map(fits, at, steps)) for steps in wanted)


@given(value=VALUES, wanted=PATHS)
def test_what_is_kept_is_what_another_evaluator_finds(value: Any, wanted: list[list[str]]) -> None:
    """A list of two elements is two branches: places are those of the whole value, so nothing moves."""
    try:
        text = result_text([as_path(steps) for steps in wanted]).write(value)
    except ValueError as problem:
        assert "each member" in str(problem)  # noqa: PT017
        assume(False)
    expected = {at: part for at, part in branches(value) if is_kept(at, wanted)}
    assert dict(branches(json.loads(text))) == expected
    assert text == msgspec.json.encode(json.loads(text)).decode()  # compact, in the order of the value


# -- templates: what Jinja makes of the same loops ----------------------------------------------

TEMPLATES = [
    ("{title} of {count}\n", "{{ t(title) }} of {{ t(count) }}"),
    ("{{{title}}}\n{owner.name}: {owner}", "{{ '{' }}{{ t(title) }}}\n{{ t(owner.name) }}: {{ t(owner) }}"),
    (
        "{title}\n- {rows[].id}: {rows[].name}\n  * {rows[].tags[]}\n  = {rows[].id}\nEnd {count}\n",
        "{{ t(title) }}\n"
        "{% for r in rows %}- {{ t(r.id) }}: {{ t(r.name) }}\n"
        "{% for tag in r.tags %}  * {{ t(tag) }}\n{% endfor %}"
        "  = {{ t(r.id) }}\n{% endfor %}"
        "End {{ t(count) }}",
    ),
    (
        "{rows[].id}\n\n{rows[].name}\n{by.*.id}\nEnd {count}",
        "{% for r in rows %}{{ t(r.id) }}\n{% endfor %}\n{% for r in rows %}{{ t(r.name) }}\n{% endfor %}"
        "{% for k in by %}{{ t(by[k].id) }}\n{% endfor %}End {{ t(count) }}",
    ),
]
SCALARS = st.booleans() | st.integers(-9, 9) | st.sampled_from(("", "x", "{title}", "{{ 7*7 }}", "a\nb", "é"))
ROWS = st.fixed_dictionaries({"id": SCALARS, "name": SCALARS, "tags": st.lists(SCALARS, max_size=3)})
RECORDS = st.fixed_dictionaries(
    {
        "title": SCALARS,
        "count": SCALARS,
        "owner": st.fixed_dictionaries({"name": SCALARS}),
        "rows": st.lists(ROWS, max_size=3),
        "by": st.dictionaries(st.sampled_from("xyz"), st.fixed_dictionaries({"id": SCALARS}), max_size=3),
    }
)


@pytest.mark.parametrize(("template", "jinja"), TEMPLATES)
@given(value=RECORDS)
def test_a_template_is_filled_in_as_jinja_does(template: str, jinja: str, value: Any) -> None:
    def shown(part: Any) -> str:
        return part if isinstance(part, str) else json.dumps(part, separators=(",", ":"), ensure_ascii=False)

    environment = Environment(undefined=StrictUndefined, autoescape=False)
    expected = environment.from_string(jinja).render(t=shown, **value)
    assert result_text(template).write(value) == expected.rstrip("\n")


def test_a_line_without_any_value_is_left_out() -> None:
    write = result_text("{a} and {b}\nnext {c}\n\n  {d[].x}\nend\n").write
    assert write({"a": 1, "d": [{"x": None}, {}, {"x": 0}, 5]}) == "1 and \n\n  0\nend"
    assert write({}) == write({"a": None, "d": 7}) == write([]) == write(None) == "\nend"


@pytest.mark.parametrize("path", ["", "a..b", ".a", "a.", "[]a", "a[0]", "a[", "a{b", "a.[]", "**", "a*"])
def test_what_is_no_path(path: str) -> None:
    for stated in ([path], f"{{{path}}}"):
        with pytest.raises(ValueError, match=r"is not a path|belongs to no place"):
            result_text(stated)


def test_a_template_and_its_text_are_bounded() -> None:
    with pytest.raises(ValueError, match="at most 4,000 characters"):
        result_text("{a}" + "x" * MAX_TEMPLATE)
    with pytest.raises(ValueError, match="more than 100 paths"):
        result_text("{a}" * 101)
    with pytest.raises(ValueError, match="more than 100 paths"):
        result_text([f"a{n}" for n in range(101)])
    with pytest.raises(ValueError, match="is not a path"):
        result_text([".".join(["a"] * 65)])
    with pytest.raises(ValueError, match="about each member"):  # which would be 3**33 joined trees
        result_text(["*." * depth + f"{name}.x" for depth in range(33) for name in "abc"])
    # A value is written once for each place of it: rows do not repeat what is outside of them.
    with pytest.raises(ValueError, match="do not go through the same lists"):
        result_text("{title} {rows[].id}")
    text = result_text("{a[].b}" + "x" * 3_900).write({"a": [{"b": 1}] * 1_000_000})
    assert len(text) < MAX_TEXT + 100
    assert text.endswith("a text has at most 4,194,304 characters …]")
    assert result_text("{a}" * 100).write({"a": "x" * 1_000_000}).count("\n") == 1


# -- every way to a model -----------------------------------------------------------------------

ROW = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "integer"}, "name": {"type": "string", "default": "none"}},
}
RESULT = {
    "type": "object",
    "required": ["title", "rows"],
    "properties": {
        "title": {"type": "string"},
        "next": {"type": "string"},
        "rows": {"type": "array", "items": ROW},
    },
}
VALUE = {"title": "Rows", "next": "p2", "rows": [{"id": 1, "name": "one"}, {"id": 2}]}
TEMPLATE = "{title}\n- {rows[].id}: {rows[].name}\n"
WRITTEN = {
    "paths": '{"title":"Rows","rows":[{"id":1,"name":"one"},{"id":2,"name":"none"}]}',
    "template": "Rows\n- 1: one\n- 2: none",
}


@pytest.fixture(scope="module")
def tools() -> Iterator[dict[str, Binding]]:
    texts: dict[str, Any] = {
        "plain": {}, "paths": {"text": ["rows[].id", "rows[].name", "title"]}, "template": {"text": TEMPLATE},
        "omitting": {"text": TEMPLATE, "defaults": "omit"},
    }  # fmt: skip
    specs = {f"{name}.json": spec({"type": "object"}, result=RESULT, **more) for name, more in texts.items()}
    specs["wrapped.json"] = spec(
        {"type": "object"}, text="{result[]}",
        result={"type": "object", "required": ["result"],
                "properties": {"result": {"type": "array", "items": {"type": "integer"}}}},
    )  # fmt: skip
    specs["nullable.json"] = spec({"type": "object"}, result={"type": ["integer", "null"]})
    with package(specs, options=Options(providers=PROVIDERS)) as found:
        yield found


def called(binding: Binding, value: Any = VALUE, provider: str | None = None, **options: Any) -> ToolResult:
    registry = ToolRegistry(**{"check_results": True, **options})
    made = msgspec.convert(value, binding.result) if isinstance(value, dict) else value
    registry.register(binding, lambda params, context: made)  # noqa: ARG005 - a handler's signature
    return asyncio.run(registry.execute(binding.name, {}, provider))


@pytest.mark.parametrize("way", WRITTEN)
def test_each_format_holds_the_text_alone(tools: dict[str, Binding], way: str) -> None:
    """Formats with a place for data are sent the text, too, but for MCP, whose data is whole."""
    call = Call(id="abc000001", name=way, arguments="{}", index=0)
    for format in FORMATS:
        for provider in (None, *PROVIDERS):
            result = called(tools[way], provider=provider)
            assert result.output == WRITTEN[way]
        (message,) = render([call], [result], format)
        texts = list(leaves(message))
        assert WRITTEN[way] in texts
        assert ("p2" in texts) is format.startswith("mcp")
    written = TextCall(name=way, arguments="{}", id="c1", start=0, end=1, textual=False)
    assert "p2" not in render_results([written], [result])


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from leaves(each)
    else:
        yield value


def test_members_with_their_default_stand_in_texts_unless_the_spec_omits_them(
    tools: dict[str, Binding],
) -> None:
    assert called(tools["omitting"], provider="mcp").output == "Rows\n- 1: one\n- 2: "


def test_programs_have_the_whole_result(tools: dict[str, Binding]) -> None:
    plain, own = called(tools["plain"]), called(tools["paths"])
    assert json.loads(tools["paths"].encode_result(own.data)) == json.loads(plain.output)
    assert (plain.own_text, own.own_text) == (False, True)
    registry = ToolRegistry()
    registry.register(tools["paths"], lambda params, context: own.data)  # noqa: ARG005

    async def program(sandbox: Sandbox) -> None:
        assert (await sandbox.ask(b'{"id": 1, "call": "paths"}\n'))["result"] == json.loads(plain.output)

    assert [each.tool for each in run_program(program, registry).calls] == ["paths"]


def test_a_text_of_the_handler_stays(tools: dict[str, Binding]) -> None:
    data = msgspec.convert(VALUE, tools["paths"].result)
    result = called(tools["paths"], ToolResult.ok("mine", data))
    assert (result.output, result.own_text) == ("mine", False)


def test_texts_are_redacted_cut_and_encodable(tools: dict[str, Binding]) -> None:
    secrets = Secrets(lambda name: None)  # noqa: ARG005
    secrets.hide("KEY", "- 1: hunter2-hunter2")
    value = {"title": "\ud800", "rows": [{"id": 1, "name": "hunter2-hunter2"}] * 100}
    result = called(tools["template"], value, secrets=secrets, output_limit=90)
    assert result.output.startswith("\ufffd\n[redacted:KEY]\n[redacted:KEY]\n")  # the template made the value
    assert "characters are left out here" in result.output


def test_a_function_that_returns_what_is_wrapped(tools: dict[str, Binding]) -> None:
    registry = ToolRegistry()

    def numbers() -> list[int]:
        return [1, 2]

    registry.register(tools["wrapped"], adapt(numbers, tools["wrapped"]))
    result = registry.execute_sync("wrapped", {})
    assert (result.output, result.own_text) == ("1\n2", True)


def test_a_text_that_is_json_is_not_taken_for_data(tools: dict[str, Binding]) -> None:
    """Re-read, the kept members would pass for a whole result."""
    result = called(tools["paths"])
    assert re.match(r"\{", result.output)
    (message,) = render([Call(id="x", name="paths", arguments="{}", index=0)], [result], "mcp")
    assert message["structuredContent"]["next"] == "p2"


@pytest.mark.parametrize("returned", [None, ToolResult.ok("no number")])
def test_null_is_a_result_where_the_contract_accepts_it(tools: dict[str, Binding], returned: Any) -> None:
    """As it is for a program, and over HTTP."""
    mcp = pytest.importorskip("mcp")
    registry = ToolRegistry()
    registry.register(tools["nullable"], lambda params, context: returned)  # noqa: ARG005

    async def use() -> Any:
        async with mcp.Client(mcp_server(registry), mode="2026-07-28") as client:
            return await client.call_tool("nullable", {})

    for options in ({}, {"check_results": True}, {"check_results": False}):
        assert called(tools["nullable"], returned, **options).success
    result = registry.execute_sync("nullable", {})
    assert (result.data, result.output) == (None, "null" if returned is None else "no number")
    served = asyncio.run(asyncio.wait_for(use(), 60))
    assert (served.is_error, served.content[0].text) == (False, result.output)
    assert "structured_content" in served.model_fields_set
    assert called(tools["plain"], None).output == ""  # a fault: there is no data
