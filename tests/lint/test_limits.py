"""Limits are data: each is breached by one, under a profile written for the test; sizes by another count."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.lint.linted_tool import Size, measured
from toolcast.providers import available, load_profile

from bench.reference.rule_data import due
from tests.lint.projects import found, run, spec, write

TEXT = {"type": "string", "description": "Some text that is needed."}
PROFILE = """
id = "acme"
title = "Acme"
dated = "2026-11-21"
[envelope]
name = "$name"
description = "$description"
parameters = "$parameters"
strict = "$strict"
[strict]
closed = true
[limits]
"""


def acme(folder: Path, limits: str, specs: dict[str, Any], answers: str = "", profile: str = PROFILE) -> Path:
    (folder / "acme.toml").write_text(f"{profile}{limits}\n[answers]\n{answers}\n", encoding="utf-8")
    return write(folder, specs, 'profiles = ["acme.toml"]\nproviders = ["acme"]\n')


def tool(count: int = 1, **changes: Any) -> dict[str, Any]:
    return spec(properties={f"p{index}": TEXT for index in range(count)}, **changes)


def nested(levels: int) -> dict[str, Any]:
    """A spec whose parameters hold objects so many levels below the root."""
    schema: dict[str, Any] = {"type": "object", "properties": {"x": TEXT}, "description": "Inner things."}
    for _ in range(levels - 1):
        schema = {"type": "object", "properties": {"x": schema}, "description": "Inner things."}
    return spec(properties={"x": schema})


UNION = {"anyOf": [{"type": "string"}, {"type": "integer"}], "description": "A text or a number."}
LONG = {"enum": ["aaaa", "bbbb", "cccc"], "description": "One of some."}
LONG_ONE = spec(properties={"a": LONG})
UNIONS = spec(properties={"a": UNION, "b": UNION})
BREACHES: list[tuple[str, str, dict[str, Any], str]] = [
    ("name-pattern", 'name-pattern = "[a-z]+"', tool(name="a_b"), "'a_b' does not match [a-z]+"),
    ("name-length", "name-length = 3", tool(name="abcd"), "4 characters; at most 3"),
    ("advised-name-length", "advised-name-length = 3\nname-length = 4", tool(name="abcd"), "at most 3 are"),
    ("property-name", 'property-pattern = "[a-z]+"', tool(1), "'p0' does not match [a-z]+"),
    ("description-length", "description-length = 40", tool(description="word " * 9), "45 characters"),
    ("properties", "properties = 2", tool(3), "3 properties"),
    ("enum-values", "enum-values = 5", spec(properties={"a": LONG, "b": LONG}), "6 enum values"),
    ("string-chars", "string-chars = 12", spec(properties={"a": LONG}), "13 characters"),
    ("long-enum", "advised-enum-values = 2", spec(properties={"a": LONG}), "3 values"),
    ("long-enum", "long-enum = 2\nlong-enum-chars = 11", LONG_ONE, "3 values of 12 characters"),
    ("advised-optional", "advised-optional = 2", tool(3), "3 optional parameters"),
    ("advised-unions", "advised-unions = 1", UNIONS, "2 parameters that are unions"),
    ("required-at-least", "required-at-least = 1", tool(1), "requires 0 parameters"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "limits", "breach", "message"), BREACHES)
def test_one_tool_over_a_limit(
    tmp_path: Path, code: str, limits: str, breach: dict[str, Any], message: str
) -> None:
    folder = acme(tmp_path, limits, {breach.get("name", "t"): breach})
    (only,) = found(folder, code)
    assert message in only.message
    assert only.providers == ("acme",)
    assert only.line > 0
    assert only.fix
    looser = "\n".join(
        line if "pattern" in line else f"{line.split('=')[0]}= 1000" for line in limits.split("\n")
    )
    if "pattern" not in limits and code != "required-at-least":
        assert found(acme(tmp_path, looser, {}), code) == []


def test_nesting_costs_the_strictness_and_is_an_error_where_there_is_none(tmp_path: Path) -> None:
    folder = acme(tmp_path, "depth = 2", {"t": nested(3)})
    (only,) = found(folder, "not-strict")
    assert "at most 2 levels of nesting, and the schema has 3" in only.message
    assert only.fix.startswith("nest less, or give the mode up on purpose")
    assert found(folder, "depth") == []
    loose = PROFILE.replace("[strict]\nclosed = true\n", "")
    (only,) = found(acme(tmp_path, "depth = 2", {"t": nested(3)}, profile=loose), "depth")
    assert "3 levels" in only.message
    assert found(acme(tmp_path, "depth = 3", {}, profile=loose), "depth") == []


SUMS: list[tuple[str, str, int, str]] = [
    ("tools", "tools = 2", 1, "3 tools"),
    ("advised-tools", "advised-tools = 2", 1, "3 tools"),
    ("strict-tools", "strict-tools = 2", 1, "3 strict tools"),
    ("all-properties", "all-properties = 8", 3, "9 properties (most" ),
    ("optional", "optional = 8", 3, "9 optional parameters"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "limits", "each", "message"), SUMS)
def test_sums_over_a_request(tmp_path: Path, code: str, limits: str, each: int, message: str) -> None:
    specs = {
        f"g{index}/t{index}": tool(each, description=f"Tells number {index} of all.") for index in range(3)
    }
    folder = acme(tmp_path, limits, specs)
    (only,) = found(folder, code)
    assert (only.tool, only.line, message.split(" (")[0] in only.message) == ("", 0, True)
    assert found(folder, code, groups=("g0", "g1")) == []
    assert only.file.endswith("specs")


LOADING = PROFILE.replace(
    "[limits]",
    """[request]
defer = {late = true}
search-tools = [{type = "search"}]
[limits]""",
)
GROUPED = LOADING.replace(
    "[limits]",
    'namespace = {type = "space", name = "$group", description = "$description", tools = "$tools"}\n[limits]',
)


def test_tools_loaded_on_demand_count_apart(tmp_path: Path) -> None:
    """Each is an entry of the list of tools; where there are namespaces, each of these is one."""
    late = {path: tool(defer=True) for path in ("g/a", "g/b", "h/c", "h/d")}
    specs = {**late, "e": tool()}
    for profile, entries in ((PROFILE, 5), (LOADING, 6), (GROUPED, 4)):
        (only,) = found(acme(tmp_path, "tools = 1", specs, profile=profile), "tools")
        assert f"{entries} tools" in only.message
        assert found(acme(tmp_path, f"tools = {entries}", specs, profile=profile), "tools") == []
    for profile, loaded in ((PROFILE, 5), (LOADING, 1)):
        (only,) = found(acme(tmp_path, "advised-tools = 0", specs, profile=profile), "advised-tools")
        assert f"{loaded} tools" in only.message
    (only,) = found(acme(tmp_path, "deferred-tools = 3", specs, profile=LOADING), "deferred-tools")
    assert "4 tools loaded on demand; at most 3" in only.message
    assert found(acme(tmp_path, "deferred-tools = 4", specs, profile=LOADING), "deferred-tools") == []
    assert found(acme(tmp_path, "deferred-tools = 3", specs), "deferred-tools") == []


def test_a_model_that_begins_with_the_search_alone(tmp_path: Path) -> None:
    late = {"a": tool(defer=True), "b": tool(defer=True)}
    answer = 'all-deferred = "All tools have defer_loading set."'
    (only,) = found(acme(tmp_path, "", late, answer, LOADING), "all-deferred")
    assert only.message == "all 2 tools are loaded on demand: a model begins with the search alone"
    assert only.answer == "without the search, Acme would answer: All tools have defer_loading set."
    assert found(acme(tmp_path, "", {**late, "c": tool()}, answer, LOADING), "all-deferred") == []
    assert found(acme(tmp_path, "", late), "all-deferred") == []


def test_a_tool_with_the_name_of_the_search(tmp_path: Path) -> None:
    searching = LOADING.replace('{type = "search"}', '{type = "search", name = "search"}, {type = "other"}')
    specs = {"search": tool(), "b": tool(), "late": tool(defer=True)}
    (only,) = found(acme(tmp_path, "", specs, profile=searching), "search-name")
    assert (only.tool, only.severity, only.providers) == ("search", "error", ("acme",))
    assert found(acme(tmp_path, "", {**specs, "late": tool()}, profile=searching), "search-name") == []
    assert found(acme(tmp_path, "", specs, profile=LOADING), "search-name") == []


def test_only_strict_tools_count_in_strict_sums(tmp_path: Path) -> None:
    loose = {"acme": {"strict": False}}
    specs = {"a": tool(3), "b": tool(3, providers=loose)}
    assert found(acme(tmp_path, "optional = 3\nstrict-tools = 1\nproperties = 3", specs), "optional") == []
    assert found(acme(tmp_path, "properties = 2", specs), "properties")[0].tool == "a"
    assert len(found(acme(tmp_path, "properties = 2", specs), "properties")) == 1
    assert len(found(acme(tmp_path, "optional = 2", specs), "optional")) == 1


def test_strict_tools_beside_others_where_a_provider_takes_no_mix(tmp_path: Path) -> None:
    loose = {"acme": {"strict": False}}
    mixed = {"a": tool(), "b": tool(providers=loose), "c": tool(providers=loose)}
    (only,) = found(acme(tmp_path, "strict-together = true", mixed), "mixed-strict")
    assert only.message == "one request would hold 1 strict tool and 2 others; all must be strict, or none"
    assert "b, c" in only.fix
    assert "`providers: {acme: {strict: false}}`" in only.fix
    assert found(acme(tmp_path, "strict-together = false", mixed), "mixed-strict") == []
    for alike in ({"a": tool(), "b": tool(), "c": tool()}, {name: tool(providers=loose) for name in "abc"}):
        assert found(acme(tmp_path, "strict-together = true", alike), "mixed-strict") == []


def test_what_is_always_strict_is_no_mix(tmp_path: Path) -> None:
    always = PROFILE.replace('id = "acme"', 'id = "acme"\nalways-strict = true')
    folder = acme(tmp_path, "strict-together = true", {"a": tool(), "b": tool()}, profile=always)
    assert found(folder, "mixed-strict") == []


def test_each_group_without_tools_is_reported(tmp_path: Path) -> None:
    folder = acme(tmp_path, "tools = 9", {"files/a": tool(), "web/b": tool()})
    (one, other) = run(folder, groups=("files", "wbe", "nowhere")).refused
    assert (one.message, one.hint) == ("no tool is in the group 'nowhere'", "groups here: files, web")
    assert (other.message, other.hint) == ("no tool is in the group 'wbe'", "did you mean 'web'?")


def test_deepseek_takes_no_mix() -> None:
    assert load_profile("deepseek").limits.strict_together


def test_an_answer_is_the_provider_s_own_with_its_path(tmp_path: Path) -> None:
    answers = """
paths = "tuple"
property-name = "tools[{index}] {tool}: In context={path}, {name} is not {{good}}"
description-length = "too long: {length} > {limit}"
"""
    limits = 'property-pattern = "[a-z]+"\ndescription-length = 10'
    folder = acme(tmp_path, limits, {"b": tool(1), "a": tool(0)}, answers)
    (only,) = found(folder, "property-name")
    assert only.answer == ("Acme would answer: tools[1] b: In context=('properties', 'p0'), p0 is not {good}")
    length = len(str(tool()["description"]))
    assert [each.answer for each in found(folder, "description-length")] == [
        f"Acme would answer: too long: {length} > 10"
    ] * 2


def test_providers_with_the_same_finding_share_a_line(tmp_path: Path) -> None:
    folder = write(tmp_path, {"t": tool(description="word " * 300)})
    reported = found(folder, "description-length", providers=("openai", "openai-responses", "mcp"))
    assert [each.providers for each in reported] == [("openai", "openai-responses")]


def test_a_tool_that_must_be_strict_and_cannot_is_an_error(tmp_path: Path) -> None:
    made = spec(
        parameters={"type": "object", "additionalProperties": True}, providers={"openai": {"strict": True}}
    )
    folder = write(tmp_path, {"t": made, "u": spec(parameters=made["parameters"])})
    reported = run(folder, providers=("openai",)).findings
    assert [(each.tool, each.code, each.severity) for each in reported if "strict" in each.message] == [
        ("t", "rejected", "error"), ("u", "not-strict", "note"),
    ]  # fmt: skip


def test_what_is_rejected_is_reported_at_its_place_whatever_its_name(tmp_path: Path) -> None:
    text = """\
description: Counts the words of a text and returns how many there are.
permission: read
secrets: []
providers: {openai: {strict: true}}
parameters:
  type: object
  additionalProperties: false
  required: [a/b~c]
  properties:
    a/b~c:
      type: object
      additionalProperties: true
      description: Whatever belongs to the text.
"""
    reported = found(write(tmp_path, {"t": text}), "rejected", providers=("openai",))
    assert {each.line for each in reported} == {10}


@st.composite
def schemas(draw: st.DrawFn, levels: int = 3) -> tuple[dict[str, Any], dict[str, int]]:
    """A schema of objects, arrays, enums and unions, with what it holds, counted while it is built."""
    total = dict.fromkeys(("depth", "properties", "optional", "unions", "values", "chars"), 0)
    schema: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
    for name in draw(st.lists(st.sampled_from(["a", "bb", "ccc", "$defs", "enum"]), unique=True, max_size=4)):
        total["properties"] += 1
        total["chars"] += len(name)
        if draw(st.booleans()):
            schema["required"].append(name)
        else:
            total["optional"] += 1
        kind = draw(st.sampled_from(["text", "enum", "object", "array", "union"])) if levels else "text"
        child: dict[str, Any] = {"type": "string"}
        if kind == "enum":
            child = {"type": "string", "enum": ["x", "yy"]}
            total["values"] += 2
            total["chars"] += 3
        elif kind != "text":
            child, inner = draw(schemas(levels=levels - 1))
            extra = {"object": 1, "array": 2, "union": 1}[kind]
            depth = inner.pop("depth") + extra
            total["depth"] = max(total["depth"], depth)
            for key, value in inner.items():
                total[key] += value
            if kind == "array":
                child = {"type": "array", "items": child}
            elif kind == "union":
                child = {"anyOf": [child, {"type": "null"}]}
                total["unions"] += 1
        schema["properties"][name] = child
    return schema, total


@given(schemas())
def test_sizes_are_what_was_built(built: tuple[dict[str, Any], dict[str, int]]) -> None:
    schema, total = built
    size = measured(schema)
    assert counts(size) == total
    assert (
        counts(measured({**schema, "$defs": {"unused": {"type": "string"}}}))["chars"] == total["chars"] + 6
    )


def counts(size: Size) -> dict[str, int]:
    return {
        "depth": size.depth,
        "properties": len(size.properties),
        "optional": len(size.optional),
        "unions": len(size.unions),
        "values": sum(each.count for each in size.enums),
        "chars": size.string_chars,
    }


def test_depth_follows_references_and_stops_in_circles() -> None:
    leaf = {"type": "object", "properties": {"x": {"type": "string"}}}
    chain = {}
    for index in range(40):  # each refers to the next one twice: followed naively, that never ends
        following = {"$ref": f"#/$defs/d{index + 1}"}
        chain[f"d{index}"] = {"type": "object", "properties": {"a": following, "b": following}}
    schema = {"type": "object", "properties": {"r": {"$ref": "#/$defs/d0"}}, "$defs": {**chain, "d40": leaf}}
    assert measured(schema).depth == 41
    again = {"$ref": "#/$defs/node"}
    node = {"type": "object", "properties": {"next": again}}
    assert measured({"type": "object", "properties": {"n": again}, "$defs": {"node": node}}).depth == 1


def test_old_rules_of_an_own_profile_are_noted(tmp_path: Path) -> None:
    folder = acme(tmp_path, "tools = 3", {"a": tool()})
    last = date(2026, 11, 21) + timedelta(days=180)
    assert found(folder, "stale-rules", today=last) == []
    (only,) = found(folder, "stale-rules", today=last + timedelta(days=1))
    assert (only.severity, only.file, only.line) == ("note", str(folder / "pyproject.toml"), 2)
    assert only.message.startswith("'acme' has ")
    assert only.message.endswith(" old rules, the oldest last checked on 2026-11-21")
    assert "limits.tools" in only.fix

    renewed = PROFILE.replace(
        "[envelope]", '[[rules]]\nnames = ["limits.tools"]\ndated = "2027-05-01"\n[envelope]', 1
    )
    acme(tmp_path, "tools = 3", {"a": tool()}, profile=renewed)
    (only,) = found(folder, "stale-rules", today=last + timedelta(days=1))
    assert "limits.tools" not in only.fix
    acme(tmp_path, "tools = 3", {"a": tool()}, profile=PROFILE.replace("2026-11-21", "2027-05-01"))
    assert found(folder, "stale-rules", today=last + timedelta(days=1)) == []


def test_built_in_rules_that_are_due_are_listed_with_their_sources() -> None:
    assert due(date(2026, 11, 23)) == []
    lines = due(date(2027, 12, 1))
    assert {line.split()[1].rstrip(":") for line in lines} == {*available()}
    cohere = [line for line in lines if " cohere: " in line and "limits.all-properties" in line]
    assert ["section on strict_tools (2026)" in line for line in cohere] == [True]
