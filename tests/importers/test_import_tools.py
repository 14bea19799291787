"""Lists of tools in every shape become specs that say what the list said."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import toolcast
import yaml
from hypothesis import given
from hypothesis import strategies as st
from toolcast.contract.build import build_tool
from toolcast.importers.declared_tools import without_wrong_defaults
from toolcast.importers.import_tools import Imported, read_tools, specs_of
from toolcast.importers.spec_text import Choices
from toolcast.importers.tool_lists import JsonDocument, parse_documents
from toolcast.providers import quarantined
from toolcast.runtime import ArgumentError
from toolcast.spec.load import load_library

from tests.python.compiled import package
from tests.sampled import part_of_corpora, sampled

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
MCP = {
    "name": "find",
    "title": "Find",
    "description": "Finds.",
    "inputSchema": SCHEMA,
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True, "idempotentHint": True, "category": "x"},
}


def run(tmp_path: Path, data: Any, name: str = "tools.json", **options: Any) -> Imported:
    path = tmp_path / name
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    group = options.pop("group", "")
    return specs_of(read_tools([path]), Choices(**options), group=group)


def only(imported: Imported) -> dict[str, Any]:
    assert imported.diagnostics == ()
    (text,) = imported.specs.values()
    return yaml.safe_load(text)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "element",
    [
        {"name": "find", "description": "Finds.", "parameters": SCHEMA},
        {"name": "find", "description": "Finds.", "inputSchema": SCHEMA},
        {"name": "find", "description": "Finds.", "input_schema": SCHEMA, "type": "custom"},
        {"type": "function", "function": {"name": "find", "description": "Finds.", "parameters": SCHEMA}},
        {"type": "function", "name": "find", "description": "Finds.", "parameters": SCHEMA, "strict": True},
        {"functionDeclarations": [{"name": "find", "description": "Finds.", "parametersJsonSchema": SCHEMA}]},
        {"toolSpec": {"name": "find", "description": "Finds.", "inputSchema": {"json": SCHEMA}}},
    ],
    ids=["record", "mcp", "anthropic", "openai-chat", "openai-responses", "gemini", "bedrock"],
)
@pytest.mark.parametrize("wrap", ["array", "tools", "result", "lines", "pretty", "lone"])
def test_every_shape_in_every_list(tmp_path: Path, element: dict[str, Any], wrap: str) -> None:
    lists = {
        "array": json.dumps([element]),
        "tools": json.dumps({"tools": [element]}),
        "result": json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": [element], "nextCursor": None}}),
        "lines": "\n" + json.dumps(element) + "\r\n\n",
        "pretty": json.dumps({"tools": [element]}, indent=2),
        "lone": "\ufeff" + json.dumps(element, indent=1),
    }
    spec = only(run(tmp_path, lists[wrap], "x.jsonl" if wrap == "lines" else "x.json"))
    assert spec["name"] == "find"
    assert spec["description"] == "Finds."
    assert spec["parameters"] == SCHEMA
    assert spec["permission"] == spec["secrets"] == "TODO"


def test_json_lines_need_no_suffix(tmp_path: Path) -> None:
    imported = run(tmp_path, json.dumps(MCP) + "\n" + json.dumps({**MCP, "name": "other"}) + "\n")
    assert list(imported.specs) == ["find.yaml", "other.yaml"]


def test_mcp_tool_keeps_all_it_says(tmp_path: Path) -> None:
    imported = run(tmp_path, [MCP], group="web/search")
    spec = only(imported)
    assert list(imported.specs) == ["web/search/find.yaml"]
    assert spec["permission"] == "TODO"
    assert spec["result"] == {"type": "object"}
    assert spec["annotations"] == {"title": "Find", "idempotent": True}
    assert '# Left out: ["annotations.category"]' in imported.specs["web/search/find.yaml"]


@pytest.mark.parametrize(
    ("hints", "expected"),
    [
        ({"readOnlyHint": True}, "read"),
        ({"readOnlyHint": True, "openWorldHint": False}, "read"),
        ({"readOnlyHint": True, "openWorldHint": True}, "network"),
        ({"readOnlyHint": False}, "write"),
        ({"destructiveHint": False}, "write"),
        ({"readOnlyHint": True, "destructiveHint": True}, "TODO"),
        ({"openWorldHint": True}, "TODO"),
        ({"readOnlyHint": "yes"}, "TODO"),
        ({}, "TODO"),
    ],
)
def test_trusted_hints_decide_where_they_state_it(
    tmp_path: Path, hints: dict[str, Any], expected: str
) -> None:
    trusting = run(tmp_path, [{**MCP, "annotations": hints}], trust_hints=True)
    assert only(trusting)["permission"] == expected
    others = run(tmp_path, [{**MCP, "annotations": hints}], trust_hints=True, permission="execute")
    assert only(others)["permission"] == ("execute" if expected == "TODO" else expected)
    named = run(tmp_path, [{**MCP, "annotations": hints}], trust_hints=True, permissions=(("*", "execute"),))
    assert only(named)["permission"] == "execute"


def test_hints_that_nobody_trusts_decide_nothing(tmp_path: Path) -> None:
    tool = {**MCP, "name": "drop_all_tables", "annotations": {"readOnlyHint": True}}
    imported = run(tmp_path, [tool])
    assert only(imported)["permission"] == "TODO"
    (text,) = imported.specs.values()
    assert "does not compile until decided; its hints claim read\n" in text


def test_options_decide_for_all(tmp_path: Path) -> None:
    tools = [MCP, {"name": "b", "description": "B.", "parameters": {"properties": {"key": {}, "q": {}}}}]
    imported = run(tmp_path, tools, permission="execute", secrets=("key", "q"))
    specs = [yaml.safe_load(text) for text in imported.specs.values()]
    assert [spec["permission"] for spec in specs] == ["execute", "execute"]
    assert [spec["secrets"] for spec in specs] == [["q"], ["key", "q"]]


def test_a_tool_without_parameters_has_no_secrets_to_decide(tmp_path: Path) -> None:
    spec = only(run(tmp_path, [{"name": "now", "description": "Time."}]))
    assert spec["secrets"] == []
    assert spec["parameters"] == {"type": "object", "properties": {}}


TOOL = {"name": "bad", "description": "B."}
DEFECTS: list[tuple[Any, Any]] = [
    ({"type": "no type", "maxLength": 3}, {"maxLength": 3}),
    ({"type": "dict", "title": "A"}, {"type": "object", "title": "A"}),
    ({"type": ["Int", "None", "str"]}, {"type": ["integer", "null", "string"]}),
    ({"type": "string", "pattern": "(?i)abc"}, {"type": "string"}),
    ({"type": "string", "pattern": r"\A\d+\z"}, {"type": "string"}),
    ({"$ref": "#/$defs/nowhere", "title": "A"}, {"title": "A"}),
    ({"type": "string", "minLength": "3"}, {"type": "string"}),
    (5, {}),
    ({"$ref": "#/properties/a", "title": "A"}, {"title": "A"}),
    ({"type": "number", "x-mcp-header": "A"}, {"type": "number"}),
    ({"type": "string", "enum": [1, 2]}, False),
]


@pytest.mark.parametrize(("defect", "left"), DEFECTS, ids=str)
def test_a_bad_defect_is_left_out_with_a_warning_and_a_comment(
    tmp_path: Path, defect: Any, left: Any
) -> None:
    sound = {"n": {"type": "integer", "minimum": 1}}
    tools = [
        {**TOOL, "parameters": {"type": "object", "properties": {"a": defect, **sound}},
         "calls": [{"n": 1}, {"n": 0}]},
        {"name": "good", "description": "G.", "parameters": {"type": "object", "properties": sound}},
    ]  # fmt: skip
    imported = run(tmp_path, tools, permission="read", secrets=())
    (warning,) = imported.diagnostics
    assert (warning.severity, warning.code) == ("warning", "import-defect")
    assert "tools[0]" in warning.message
    assert "parameters/properties" in warning.message
    bad = imported.specs["bad.yaml"]
    (comment,) = [line for line in bad.splitlines() if line.startswith("# Schema changed: ")]
    assert "parameters/properties" in comment
    spec = yaml.safe_load(bad)
    assert spec["parameters"] == {"type": "object", "properties": {"a": left, **sound}}
    assert spec["examples"] == [{"n": 1}]
    jsonschema_rs.meta.validate(spec["parameters"])
    folder = tmp_path / "specs"
    folder.mkdir()
    for name, text in imported.specs.items():
        (folder / name).write_text(text, encoding="utf-8")
    library = load_library(folder, shown_root="specs", known_providers=frozenset())
    assert library.diagnostics == ()
    built = [build_tool(tool, library.types) for tool in library.tools]
    assert [each.diagnostics for each in built] == [(), ()]


@pytest.mark.parametrize("kind", ["dict", "Object", "widget", 5, None])
def test_parameters_are_an_object_whatever_their_type_is_called(tmp_path: Path, kind: Any) -> None:
    parameters = {"type": kind, "properties": {"a": {"type": "str"}}, "required": ["a"]}
    imported = run(tmp_path, [{**TOOL, "parameters": parameters}], permission="read", secrets=())
    assert [each.code for each in imported.diagnostics] == ["import-defect"] * 2
    assert any(
        "parameters: `type`" in each.message and "object" in each.message for each in imported.diagnostics
    )
    for each in imported.diagnostics:
        assert ("left out" in each.hint) is ("is left out" in each.message)
    with package({"bad.yaml": imported.specs["bad.yaml"]}) as bindings:
        assert bindings["bad"].decode({"a": "x"}).a == "x"
        with pytest.raises(ArgumentError):
            bindings["bad"].decode({"a": 1})


def test_nullable_becomes_a_union_with_null(tmp_path: Path) -> None:
    properties = {
        "text": {"type": "string", "nullable": True, "maxLength": 3},
        "some": {"type": "string", "enum": ["a"], "nullable": True},
        "list": {"type": "array", "items": {"type": "integer", "nullable": True}, "nullable": True},
        "ref": {"$ref": "#/$defs/x", "nullable": True},
        "not": {"type": "string", "nullable": False},
        "nullable": {"type": "boolean"},
    }
    schema = {"type": "object", "properties": properties, "$defs": {"x": {"type": "integer"}}}
    tool = {"name": "t", "description": "T.", "inputSchema": schema, "outputSchema": schema}
    imported = run(tmp_path, [tool])
    spec = only(imported)
    (text,) = imported.specs.values()
    assert '# Said to be nullable, and a union with null here: ["parameters/properties/text", ' in text
    assert '"nullable": ' not in json.dumps(spec["parameters"]).replace('"nullable": {', "")
    judge = jsonschema_rs.validator_for(spec["parameters"])
    for name in ("text", "some", "list", "ref"):
        assert judge.is_valid({name: None})
    for good in ({"text": "abc"}, {"some": "a"}, {"list": [1, None]}, {"ref": 1}, {"nullable": True}):
        assert judge.is_valid(good)
    for wrong in (
        {"text": "abcd"},
        {"some": "b"},
        {"list": ["x"]},
        {"ref": "x"},
        {"not": None},
        {"nullable": None},
    ):
        assert not judge.is_valid(wrong)
    assert spec["result"] == spec["parameters"]


def test_a_sound_schema_is_kept_as_it_is_written(tmp_path: Path) -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "definitions": {"x": {"type": "integer", "exclusiveMinimum": 1}},
        "properties": {"a": {"$ref": "#/definitions/x"}, "b": False, "c": {"not": {}}},
    }
    assert (
        only(run(tmp_path, [{"name": "t", "description": "T.", "parameters": schema}]))["parameters"]
        == schema
    )


def test_accepted_calls_become_examples(tmp_path: Path) -> None:
    calls = [{"q": "a"}, {"q": 1}, {"q": "a"}, {}, {"q": "b"}, "text", {"q": "c"}, {"q": "d"}]
    record = {"name": "find", "description": "Finds.", "parameters": SCHEMA, "calls": calls}
    assert only(run(tmp_path, [record]))["examples"] == [{"q": "a"}, {"q": "b"}, {"q": "c"}]
    assert only(run(tmp_path, [record], examples=1))["examples"] == [{"q": "a"}]
    assert "examples" not in only(run(tmp_path, [record], examples=0))


def test_remote_references_are_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    def trap(*_: Any, **__: Any) -> None:
        raise AssertionError("network used")

    monkeypatch.setattr(socket, "create_connection", trap)
    secret = tmp_path / "secret.json"
    secret.write_text("{}", encoding="utf-8")
    for ref in ("http://127.0.0.1:9/x.json", secret.as_uri()):
        tool = {"name": "b", "description": "B.", "parameters": {"$ref": ref}, "calls": [{}]}
        imported = run(tmp_path, [tool, {**MCP, "outputSchema": {"items": {"$ref": f"{ref}#/a"}}}, MCP])
        assert [(each.code, each.severity) for each in imported.diagnostics] == [
            ("import-reference", "error")
        ] * 2
        assert f"parameters: '{ref}'" in imported.diagnostics[0].message
        assert f"result/items: '{ref}#/a'" in imported.diagnostics[1].message
        assert "below $defs" in imported.diagnostics[0].hint
        assert [*imported.specs] == ["find.yaml"]


def test_references_that_nothing_depends_on_cost_nothing(tmp_path: Path) -> None:
    unused = {"$defs": {"x": {"$ref": "other.json"}}, "enum": [{"$ref": "other.json"}]}
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "$ref": {"type": "integer"}},
        **unused,
    }
    imported = run(tmp_path, [{"name": "t", "description": "T.", "parameters": schema}])
    assert {each.severity for each in imported.diagnostics} <= {"warning"}
    assert [*imported.specs] == ["t.yaml"]


def test_gemini_dialect_becomes_json_schema(tmp_path: Path) -> None:
    parameters = {
        "type": "OBJECT",
        "properties": {
            "type": {"type": "STRING", "nullable": True, "enum": ["STRING", "b"]},
            "list": {"type": "ARRAY", "minItems": "1", "items": {"type": "INTEGER"}},
        },
    }
    tool = {"name": "g", "description": "G.", "parameters": parameters}
    for data in ({"functionDeclarations": [tool]}, {"tools": [{"function_declarations": [tool]}]}):
        spec = only(run(tmp_path, data))
        assert spec["parameters"] == {
            "type": "object",
            "properties": {
                "type": {"type": ["string", "null"], "enum": ["STRING", "b", None]},
                "list": {"type": "array", "minItems": 1, "items": {"type": "integer"}},
            },
        }
        jsonschema_rs.meta.validate(spec["parameters"])


def test_original_names_are_kept_as_comments_that_stay_comments(tmp_path: Path) -> None:
    name = "a.b\npermission: read\n\u2028secrets: []\x85# x"
    imported = run(tmp_path, [{**MCP, "name": name, "annotations": {}}])
    spec = only(imported)
    assert spec["permission"] == "TODO"
    (text,) = imported.specs.values()
    assert f"# Original name: {json.dumps(name)}\n" in text
    assert imported.renamed == ((name, spec["name"]),)


def test_equal_names_are_distinguished(tmp_path: Path) -> None:
    names = ["find", "find", "FIND", "f-ind", "f_ind"]
    imported = run(tmp_path, [{**MCP, "name": name} for name in names])
    assert list(imported.specs) == [
        "find.yaml",
        "find_2.yaml",
        "FIND_7786e60e.yaml",
        "f-ind.yaml",
        "f_ind_a7761ac3.yaml",
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "is not JSON: Expecting value"),
        ('[{"name": "a",}]', 1, "is not JSON"),
        ('[{"name": "a", "name": "b"}]', 0, 'the key "name" twice'),
        ('[{"name": "a", "parameters": {"maximum": NaN}}]', 0, "NaN is not JSON"),
        ('[{"name": "a", "parameters": {"maximum": 1e999}}]', 0, "too large"),
        ("[" * 100_000 + "]" * 100_000, 0, "nested too deeply"),
        ("7", 0, "holds no list of tools"),
        ('{"a": 1}', 0, "holds no list of tools"),
        ("[1]", 0, "tools[0] is not an object"),
        ('[{"description": "x"}]', 0, "tools[0] has no name"),
        ('[{"name": ""}]', 0, "tools[0] has no name"),
        ('[{"type": "web_search_20250305", "name": "web_search"}]', 0, "is a built-in tool of its provider"),
        ('[{"type": "tool_search"}]', 0, "is a built-in tool of its provider (tool_search)"),
        ('[{"type": "tool_search", "parameters": {"type": "object"}}]', 0, "is a built-in tool"),
        ('[{"type": "namespace", "name": "a", "tools": []}]', 0, "is a built-in tool"),
        (
            '[{"name": "a", "description": "\\ud800"}]',
            0,
            "cannot be written as YAML: lone surrogate",
        ),
        ('[{"name": "a", "parameters": ' + "[" * 300 + "]" * 300 + "}]", 0, "nested deeper than"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_what_cannot_be_read_is_refused_with_a_reason(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    imported = run(tmp_path, text)
    assert dict(imported.specs) == {}
    (problem,) = imported.diagnostics
    assert message in problem.message
    assert problem.line == line


@pytest.mark.parametrize("wrap", ["array", "tools"])
def test_tools_of_a_namespace_are_read(tmp_path: Path, wrap: str) -> None:
    """A request to OpenAI's Responses API, with a search for tools and a group that is loaded on demand."""
    tools = [
        {
            "type": "function",
            "name": name,
            "description": "Finds.",
            "parameters": SCHEMA,
            "defer_loading": True,
        }
        for name in ("find", "find_all")
    ]
    tools[1] |= {"parameters": None, "type": "custom"}
    request = [{"type": "namespace", "name": "crm", "description": "Customers.", "tools": [*tools, 7]}]
    imported = run(tmp_path, request if wrap == "array" else {"tools": request})
    find, find_all = (yaml.safe_load(imported.specs[f"{each['name']}.yaml"]) for each in tools)
    assert (find["parameters"]["required"], find["defer"]) == (["q"], True)
    assert (find_all["input"], find_all["defer"]) == ("text", True)
    assert [each.message for each in imported.diagnostics] == ["tools[0].tools[2] is not an object"]


def test_one_bad_line_does_not_stop_the_others(tmp_path: Path) -> None:
    lines = [json.dumps(MCP), "{", json.dumps({"name": 1}), json.dumps({**MCP, "name": "b"})]
    imported = run(tmp_path, "\n".join(lines), "x.jsonl")
    assert list(imported.specs) == ["find.yaml", "b.yaml"]
    assert [problem.line for problem in imported.diagnostics] == [2, 3]


def test_deepest_accepted_nesting_is_written(tmp_path: Path) -> None:
    schema: dict[str, Any] = {}
    for _ in range(95):
        schema = {"items": schema}
    deep: Any = "x"
    for _ in range(95):
        deep = [deep]
    tool = {"name": "d", "description": "D.", "parameters": schema, "calls": [deep]}
    assert only(run(tmp_path, [tool]))["parameters"] == schema


def test_unreadable_files_are_reported(tmp_path: Path) -> None:
    (tmp_path / "latin.json").write_bytes(b'[{"name": "\xe9"}]')
    imported = specs_of(read_tools([tmp_path / "missing.json", tmp_path / "latin.json"]))
    assert [problem.code for problem in imported.diagnostics] == ["import-unreadable", "import-unreadable"]


@given(st.text(), st.booleans())
def test_no_text_crashes_the_reader(text: str, lines: bool) -> None:
    documents, problems = parse_documents(text, "x", lines=lines)
    assert all(isinstance(document, JsonDocument) for document in documents)
    assert lines or bool(documents) or bool(problems)


@pytest.mark.corpora
@pytest.mark.parametrize("every", sampled([1, 8], [8]))
def test_corpora_become_one_spec_per_tool(shared_dir: Path, tmp_path: Path, every: int) -> None:
    files = part_of_corpora(shared_dir, tmp_path, every)
    records = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    imported = specs_of(read_tools(files), Choices(examples=2))
    codes = [problem.code for problem in imported.diagnostics]
    assert {*codes} <= {"import-default", "import-defect"}
    assert codes.count("import-defect") == (every == 1)  # of 1,158 tools, `type: ""`
    assert len(imported.specs) == len(records) > 1_100 // every
    for record, text in zip(records, imported.specs.values(), strict=True):
        spec = yaml.load(text, yaml.CSafeLoader)
        parameters, wrong = without_wrong_defaults(quarantined(record["parameters"])[0])
        assert json.dumps(spec["parameters"]) == json.dumps(parameters)
        assert text.count("# Default left out") == len(wrong)
        assert spec.get("result") == record.get("output_schema")
        if spec.get("examples"):
            validator = jsonschema_rs.validator_for(spec["parameters"])
            assert all(validator.is_valid(example) for example in spec["examples"])
    assert specs_of(read_tools(files), Choices(examples=2)) == imported


@pytest.mark.thorough
@pytest.mark.corpora
def test_our_own_reader_accepts_what_was_imported(shared_dir: Path, tmp_path: Path) -> None:
    """Every fifth spec loads as it is once permission and secrets are decided."""
    files = sorted((shared_dir / "corpora").glob("*.jsonl"))
    imported = specs_of(read_tools(files), Choices(permission="read", secrets=()))
    for name, text in list(imported.specs.items())[::5]:
        (tmp_path / name).write_text(text, encoding="utf-8")
    library = load_library(tmp_path, shown_root="specs", known_providers=frozenset())
    assert library.diagnostics == ()
    assert len(library.tools) > 220


def test_todo_lines_do_not_compile(tmp_path: Path) -> None:
    imported = run(tmp_path, [{**MCP, "annotations": {}}])
    (tmp_path / "specs").mkdir()
    for name, text in imported.specs.items():
        (tmp_path / "specs" / name).write_text(text, encoding="utf-8")
    library = load_library(tmp_path / "specs", shown_root="specs", known_providers=frozenset())
    assert library.tools == ()
    assert len([problem for problem in library.diagnostics if problem.severity == "error"]) == 2


def test_strict_is_kept_for_the_providers_that_have_it(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {}}
    tools = [
        {"type": "function", "function": {"name": "a", "parameters": schema, "strict": True}},
        {"type": "function", "name": "b", "parameters": schema, "strict": False},
        {"name": "c", "input_schema": schema, "strict": True},
        {"name": "d", "inputSchema": schema},
    ]
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(tools), encoding="utf-8")
    specs = {name: yaml.safe_load(text) for name, text in specs_of(read_tools([path])).specs.items()}
    assert {name: spec.get("providers") for name, spec in specs.items()} == {
        "a.yaml": {"openai": {"strict": True}, "openai-responses": {"strict": True}},
        "b.yaml": {"openai": {"strict": False}, "openai-responses": {"strict": False}},
        "c.yaml": {"anthropic": {"strict": True}},
        "d.yaml": None,
    }


RESPONSES = {
    "type": "function",
    "name": "find",
    "description": "Finds.",
    "parameters": SCHEMA,
    "strict": False,
}
ANTHROPIC = {"name": "find", "description": "Finds.", "input_schema": SCHEMA}
GEMINI = {"name": "find", "description": "Finds.", "parametersJsonSchema": SCHEMA}


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        ({**RESPONSES, "allowed_callers": ["direct", "programmatic"]}, {"callers": ["model", "code"]}),
        ({**RESPONSES, "defer_loading": True, "async": True}, {"defer": True, "blocking": False}),
        ({**RESPONSES, "defer_loading": False, "async": False}, {}),
        ({**RESPONSES, "output_schema": {"type": "object"}}, {"result": {"type": "object"}}),
        (
            {**ANTHROPIC, "allowed_callers": ["code_execution_20250825", "code_execution_20260120"]},
            {"callers": ["code"]},
        ),
        ({**ANTHROPIC, "eager_input_streaming": True}, {"stream_arguments": True}),
        ({**ANTHROPIC, "eager_input_streaming": False}, {"stream_arguments": False}),
        ({**ANTHROPIC, "input_examples": [{"q": "a"}]}, {"examples": [{"q": "a"}]}),
        ({"functionDeclarations": [{**GEMINI, "behavior": "NON_BLOCKING"}]}, {"blocking": False}),
        ({"functionDeclarations": [{**GEMINI, "behavior": "BLOCKING"}]}, {}),
        ({**MCP, "execution": {"taskSupport": "required"}}, {"execution": {"task_support": "required"}}),
        ({**MCP, "execution": {"taskSupport": "forbidden"}}, {}),
    ],
)
def test_what_providers_know_beside_schemas(
    tmp_path: Path, element: dict[str, Any], expected: dict[str, Any]
) -> None:
    spec = only(run(tmp_path, [element]))
    stated = ("callers", "defer", "stream_arguments", "blocking", "execution", "examples", "result")
    known = {key: spec[key] for key in stated if key in spec}
    if "outputSchema" in element:
        del known["result"]
    assert known == expected


def test_a_caller_that_no_spec_knows_is_left_out(tmp_path: Path) -> None:
    (text,) = run(tmp_path, [{**ANTHROPIC, "allowed_callers": ["direct", "robot"]}]).specs.values()
    assert yaml.safe_load(text)["callers"] == ["model"]
    assert "allowed_callers[1]" in text


KEYS = {
    "callers": ["model", "code"],
    "defer": True,
    "stream_arguments": True,
    "blocking": False,
    "execution": {"task_support": "optional"},
    "result": {"type": "object", "required": ["n"], "properties": {"n": {"$ref": "#/$defs/N"}},
               "$defs": {"N": {"type": "integer"}}},
}  # fmt: skip


@pytest.mark.parametrize(
    ("provider", "keys"),
    [
        ("openai-responses", {"callers", "defer", "result"}),
        ("anthropic", {"callers", "defer", "stream_arguments"}),
        ("gemini", {"blocking", "result"}),
        ("mcp-2025-11-25", {"execution", "result"}),
    ],
)
def test_what_we_emit_comes_back(tmp_path: Path, provider: str, keys: set[str]) -> None:
    spec = {"description": "Finds.", "permission": "read", "secrets": [], "parameters": SCHEMA, **KEYS}
    made = toolcast.compile({"find.json": json.dumps(spec).encode()}, providers=(provider,))
    tool = json.loads(made.files[f"schemas/{provider}/find.json"])
    listed = {"functionDeclarations": [tool]} if provider == "gemini" else tool
    back = only(run(tmp_path, [listed]))
    assert {key: back[key] for key in KEYS if key in back} == {key: KEYS[key] for key in keys}


def _texts(path: str, line: str) -> dict[str, Any]:
    at = {"type": "object", "required": ["line"], "additionalProperties": False,
          "properties": {"line": {"type": "integer", "minimum": 1, "description": line}}}  # fmt: skip
    properties = {"path": {"type": "string", "maxLength": 99, "description": path}, "at": at}
    return {"type": "object", "required": ["path"], "additionalProperties": False, "properties": properties}


def _of_openai(description: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": "edit", "description": description, "parameters": parameters},
    }


def test_one_tool_in_forms_of_several_providers_is_one_spec_with_texts_of_each(tmp_path: Path) -> None:
    hints = {"name": "edit", "description": "Edits.", "annotations": {"destructiveHint": True}}
    tools = [
        {"name": "edit", "description": "Edits.", "input_schema": _texts("A path.", "Which line.")},
        _of_openai("Edits.\u200b Ask first.", _texts("A path.", "Line, from 1.")),
        {**hints, "inputSchema": _texts("The path.", "Which line.")},
    ]
    made = only(run(tmp_path, tools))
    assert (made["description"], made["parameters"]) == ("Edits.", tools[0]["input_schema"])
    assert made["annotations"] == {"destructive": True}
    assert made["providers"] == {
        "openai": {"description": "Edits.\u200b Ask first.", "parameters": {"at.line": "Line, from 1."}},
        "mcp": {"parameters": {"path": "The path."}},
    }
    other = _texts("A path.", "Which line.")
    other["properties"]["at"]["required"] = []
    for apart in (
        [tools[0], _of_openai("Edits.", other)],  # another contract
        [tools[1], _of_openai("Edits more.", _texts("A path.", "Which line."))],  # two texts for one provider
        [{**hints, "inputSchema": SCHEMA}, {**tools[0], "input_schema": {**SCHEMA, "properties": 1}}],
    ):
        assert {"edit.yaml", "edit_2.yaml"} == run(tmp_path, apart).specs.keys()


_ENCODED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "prices": {"type": "object", "additionalProperties": {"type": "number", "description": "A price."}},
        "point": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}], "items": False},
        "odd name!": {"type": "string", "description": "A name."},
        "from": {"$ref": "#/$defs/City"},
        "to": {"$ref": "#/$defs/City"},
        "most": {"type": "integer", "minimum": 3, "description": "How many."},
    },
    "$defs": {"City": {"type": "object", "properties": {"name": {"type": "string", "description": "It."}}}},
}


@pytest.mark.parametrize("path", ["prices.*", "point[1]", "odd name!", "City.name", "most"])
@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini", "bedrock"])
def test_texts_come_back_from_each_form_of_a_parameter(provider: str, path: str, tmp_path: Path) -> None:
    """Pairs of keys and values, objects for tuples, other names, copies of what is referred to."""
    own = {provider: {"parameters": {path: "Another text."}}}
    spec = {"description": "Edits.", "permission": "write", "secrets": [], "providers": own}
    whole = json.dumps({**spec, "parameters": _ENCODED}).encode()
    files = toolcast.compile({"edit.json": whole}, providers=(provider, "mcp")).files
    sent = [json.loads(files[f"schemas/{id}/edit.json"]) for id in ("mcp", provider)]
    listed = [sent[0], {"functionDeclarations": [sent[1]]} if provider == "gemini" else sent[1]]
    made = only(run(tmp_path, listed, permission="write", secrets=()))
    assert (made["parameters"], made["providers"][provider]["parameters"]) == (
        _ENCODED, {path: "Another text."}
    )  # fmt: skip


def test_what_providers_are_sent_of_one_spec_comes_back_as_one(tmp_path: Path) -> None:
    """OpenAI's strict form, in which all is required, is that of the contract which the others have."""
    own = {
        "openai": {"description": "Edits, for GPT.", "parameters": {"at.line": "Line, from 1."}},
        "anthropic": {"description": "Edits, for Claude."},
    }
    spec = {"description": "Edits.", "permission": "write", "secrets": [], "providers": own,
            "parameters": _texts("A path.", "Which line.")}  # fmt: skip
    compiled = toolcast.compile(
        {"edit.json": json.dumps(spec).encode()}, providers=("openai", "anthropic", "mcp")
    )
    sent = {
        id: json.loads(compiled.files[f"schemas/{id}/edit.json"]) for id in ("openai", "mcp", "anthropic")
    }
    assert sent["openai"]["function"]["strict"] is True
    made = only(run(tmp_path, list(sent.values()), permission="write", secrets=()))
    assert (made["description"], made["parameters"]) == (spec["description"], spec["parameters"])
    strict = {"strict": True}
    assert made["providers"] == {
        "openai": {**strict, **own["openai"]}, "openai-responses": strict, "anthropic": own["anthropic"]
    }  # fmt: skip
    again = toolcast.compile(
        {"edit.json": json.dumps(made).encode()}, providers=("openai", "anthropic", "mcp")
    )
    for id in sent:
        assert json.loads(again.files[f"schemas/{id}/edit.json"]) == sent[id]
