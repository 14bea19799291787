"""The form of a spec: every rule, where it is reported, and what a person is told to do."""

import pytest
from toolcast.spec.tool_spec import Annotations

from tests.spec.helper import places, tool

GOOD = """\
name: edit
summary: Replace one exact string in a file.
description: |-
  Replaces one exact, unique occurrence of old_string in a file.
permission: write
secrets: [old_string]
parameters:
  type: object
  required: [file_path]
  properties:
    file_path: {type: string}
    old_string: {type: string}
result: {type: object}
examples: [{file_path: /a.txt}]
parallel: false
external: true
scopes: [orders:read, 'https://a.example/auth/x']
callers: [code, model]
defer: true
stream_arguments: false
blocking: false
execution: {task_support: optional}
annotations: {title: Edit file, destructive: true, idempotent: false}
runtime_enums: {file_path: files}
providers: {openai: {strict: false}}
"""
HEAD = "description: Does it.\npermission: read\nsecrets: []\n"


def test_a_whole_spec() -> None:
    spec, found = tool(GOOD)
    assert found == ()
    assert spec is not None
    assert (spec.path, spec.group, spec.name, spec.permission) == (
        "files/edit.yaml",
        "files",
        "edit",
        "write",
    )
    assert spec.summary == "Replace one exact string in a file."
    assert spec.description == "Replaces one exact, unique occurrence of old_string in a file."
    assert spec.secrets == ("old_string",)
    assert spec.parameters["required"] == ["file_path"]
    assert spec.result == {"type": "object"}
    assert spec.examples == ({"file_path": "/a.txt"},)
    assert spec.annotations == Annotations(title="Edit file", destructive=True, idempotent=False)
    assert spec.runtime_enums == {"file_path": "files"}
    assert (spec.parallel, spec.external) == (False, True)
    assert (spec.callers, spec.task_support) == (("code", "model"), "optional")
    assert spec.scopes == ("orders:read", "https://a.example/auth/x")
    assert (spec.defer, spec.stream_arguments, spec.blocking) == (True, False, False)
    assert spec.providers == {"openai": {"strict": False}}
    assert spec.document.locate(("secrets", 0)) == (6, 11)


def test_what_is_left_out() -> None:
    spec, found = tool(HEAD, "a/b-c/my_tool.yml")
    assert found == ()
    assert spec is not None
    assert (spec.name, spec.group, spec.summary) == ("my_tool", "a/b-c", "Does it.")
    assert spec.parameters == {"type": "object", "properties": {}, "additionalProperties": False}
    assert (spec.result, spec.examples, spec.annotations) == (None, (), Annotations())
    assert (spec.parallel, spec.external) == (True, False)
    assert (spec.callers, spec.task_support) == (None, None)
    assert (spec.defer, spec.stream_arguments, spec.blocking) == (None, None, None)


def test_summary_stands_in_for_description() -> None:
    spec, _ = tool("summary: Does it.\npermission: read\nsecrets: []\n")
    assert spec is not None
    assert (spec.summary, spec.description) == ("Does it.", "Does it.")


BAD = [
    # what replaces or follows HEAD, code, line, column, words of the message, words of the hint
    ("colour: 1", "unknown-key", 4, 1, "`colour`", "known keys are"),
    ("Examples: []", "unknown-key", 4, 1, "`Examples`", "did you mean `examples`?"),
    ("inputSchema: {}", "unknown-key", 4, 1, "`inputSchema`", "did you mean `parameters`?"),
    ("name: 12", "wrong-type", 4, 7, "`name` must be text, not a number", "quotes"),
    ("name: ''", "empty-text", 4, 7, "empty", "write it"),
    ("name: 1st", "bad-name", 4, 7, "`1st`", "1 to 64"),
    ("name: a.b", "bad-name", 4, 7, "`a.b`", "did you mean `a_b`? use 1 to 64"),
    ("name: my great tool!", "bad-name", 4, 7, "`my great tool!`", "did you mean `my_great_tool`?"),
    ("name: " + "a" * 65, "bad-name", 4, 7, "not allowed", "`_` first; it has 65"),
    ('name: "a\\n"', "bad-name", 4, 7, "`a\\n`", "1 to 64"),
    ("name: __init__", "bad-name", 4, 7, "reserved", "rename"),
    ("summary: [a]", "wrong-type", 4, 10, "not a list", ""),
    ("summary: ' '", "empty-text", 4, 10, "empty", ""),
    ("parameters: []", "wrong-type", 4, 13, "a mapping, not a list", ""),
    ("parameters:", "wrong-type", 4, 12, "not null", ""),
    ("parameters: {}", "not-an-object", 4, 13, "lacks its `type`", "type: object"),
    ("parameters: {type: array}", "not-an-object", 4, 20, "must be `object`", "type: object"),
    ("parameters: {type: [object, 'null']}", "not-an-object", 4, 20, "must be `object`", ""),
    ("result: true", "wrong-type", 4, 9, "a mapping, not true", ""),
    ("parallel: no", "wrong-type", 4, 11, "`parallel` must be true or false, not text", "YAML 1.2"),
    ("external: [ask]", "wrong-type", 4, 11, "`external` must be true or false, not a list", "true or false"),
    ("external: true\nhttp: {method: get, path: /}", "external-http", 4, 11, "`http` states one", "remove"),
    ("scopes: orders", "wrong-type", 4, 9, "must be a list of texts, not text", "`- `"),
    ("scopes: [a, 1]", "wrong-type", 4, 13, "must be a scope (RFC 6749, 3.3), not a number", ""),
    ("scopes: [a, b c]", "bad-scope", 4, 13, "`b c` is not a scope (RFC 6749, 3.3)", "one word"),
    ("scopes: [a, 'b\"']", "bad-scope", 4, 13, "is not a scope", "quotes"),
    ("scopes: ['a\\']", "bad-scope", 4, 10, "is not a scope", "backslashes"),
    ("scopes: ['ä']", "bad-scope", 4, 10, "`ä` is not a scope", ""),
    ('scopes: ["a\\n"]', "bad-scope", 4, 10, "is not a scope", ""),
    ("scopes: [a, a]", "repeated", 4, 13, "listed twice", "keep one"),
    ("callers: model", "wrong-type", 4, 10, "`callers` must be a list, not text", "`model`"),
    ("callers: []", "empty-list", 4, 10, "`callers` is empty", "leave the key out"),
    ("callers: [model, robot]", "bad-caller", 4, 18, "cannot have the entry `robot`", "`code`"),
    ("callers: [code, code]", "repeated", 4, 17, "listed twice", "keep one"),
    ("callers: [1]", "wrong-type", 4, 11, "must be text, not a number", "`model`"),
    ("allowed_callers: [direct]", "unknown-key", 4, 1, "`allowed_callers`", "did you mean `callers`?"),
    ("defer: yes", "wrong-type", 4, 8, "`defer` must be true or false, not text", "YAML 1.2"),
    ("defer_loading: true", "unknown-key", 4, 1, "`defer_loading`", "did you mean `defer`?"),
    ("stream_arguments: 1", "wrong-type", 4, 19, "must be true or false, not a number", "true or false"),
    ("blocking: NON_BLOCKING", "wrong-type", 4, 11, "`blocking` must be true or false", "true or false"),
    ("execution: optional", "wrong-type", 4, 12, "must be a mapping, not text", ""),
    ("execution: {taskSupport: optional}", "unknown-key", 4, 13, "`taskSupport`", "`task_support`?"),
    ("execution: {task_support: maybe}", "bad-task-support", 4, 27, "`maybe`", "`forbidden`, `optional`"),
    ("execution: {task_support: true}", "wrong-type", 4, 27, "text, not true", "`required`"),
    ("paralel: false", "unknown-key", 4, 1, "`paralel`", "did you mean `parallel`?"),
    ("examples: {}", "wrong-type", 4, 11, "a list of mappings", ""),
    ("examples: [{}, 1]", "wrong-type", 4, 16, "not a number", ""),
    ("annotations: 1", "wrong-type", 4, 14, "a mapping", ""),
    ("annotations: {destructiveHint: true}", "unknown-key", 4, 15, "destructiveHint", "`destructive`?"),
    ("annotations: {readOnlyHint: true}", "unknown-key", 4, 15, "readOnlyHint", "`permission`"),
    ("annotations: {destructive: yes}", "wrong-type", 4, 28, "true or false, not text", "YAML 1.2"),
    ("annotations: {title: 1}", "wrong-type", 4, 22, "must be text", "quotes"),
    (
        "lint: {ignore: {vague-descriptoin: x}}",
        "unknown-code",
        4,
        17,
        "is not a code",
        "`vague-description`?",
    ),
    (
        "verify: {ignore: {l1: x}}",
        "unknown-code",
        4,
        19,
        "is not a code of verify",
        "did you mean `L1`?",
    ),
    (
        "diff: {ignore: {tool-removed: Nobody calls it.}}",
        "wrong-type",
        4,
        31,
        "must be a mapping, not text",
        "needs an end date: write `{reason: …, until: 2027-03-01}`",
    ),
    (
        "diff: {ignore: {tool-removed: {reason: x, until: 2027-02-30}}}",
        "bad-date",
        4,
        50,
        "`2027-02-30` is not a date",
        "`2027-03-01`",
    ),
    ("diff: {ignore: {Removed: x}}", "unknown-code", 4, 17, "not the id of a rule", "toolcast diff --list"),
    ('lint: {ignore: {vague-description: ""}}', "empty-text", 4, 36, "is empty", "write it"),
    ("runtime_enums: []", "wrong-type", 4, 16, "a mapping", ""),
    ("runtime_enums: {agent: agents}", "unknown-parameter", 4, 17, "`agent`", "no parameters"),
    ("providers: []", "wrong-type", 4, 12, "a mapping, not a list", "`key: value`"),
    ("meta: a", "wrong-type", 4, 7, "a mapping, not text", "`key: value`"),
    ("icons: [a]", "wrong-type", 4, 9, "an entry of `icons` must be a mapping", "`src:`"),
    ("icons: [{src: 'https://a.example', sizes: 1x1}]", "wrong-type", 4, 43, "a list of texts", "[48x48]"),
    ("providers: {opennai: {}}", "unknown-provider", 4, 13, "`opennai`", "did you mean `openai`?"),
    ("providers: {xyzzy: {}}", "unknown-provider", 4, 13, "`xyzzy`", "`anthropic`, `gemini`"),
    ("providers: {openai: 1}", "wrong-type", 4, 21, "a mapping", ""),
    ("providers: {openai: {stric: true}}", "unknown-key", 4, 22, "`stric`", "did you mean `strict`?"),
    ("providers: {openai: {strict: on}}", "wrong-type", 4, 30, "true or false", "YAML 1.2"),
    (
        "providers: {openai: {description: 1}}",
        "wrong-type",
        4,
        35,
        "must be a text for models",
        "models read",
    ),
    (
        "providers: {openai: {description: 'TODO: a'}}",
        "todo",
        4,
        35,
        "`TODO: a` is not a text",
        "models read",
    ),
    ("providers: {openai: {parameters: {a.b: ' '}}}", "empty-text", 4, 40, "is empty", "write it"),
    ("providers: {openai: {parameters: [a]}}", "wrong-type", 4, 34, "a mapping, not a list", "`key: value`"),
    ("$schema: 1", "wrong-type", 4, 10, "must be text", ""),
]


@pytest.mark.parametrize(("more", "code", "line", "column", "message", "hint"), BAD)
def test_one_wrong_key(more: str, code: str, line: int, column: int, message: str, hint: str) -> None:
    spec, [found] = tool(HEAD + more)
    assert spec is None
    assert (found.file, found.code, found.line, found.column) == ("s", code, line, column)
    assert message in found.message
    assert found.hint
    assert hint in found.hint


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("permission: wirte", "bad-permission", "did you mean `write`?"),
        ("permission: admin", "bad-permission", "read, write, execute or network"),
        ("permission: [read]", "wrong-type", "read, write, execute or network"),
        ("permission:", "wrong-type", "read, write, execute or network"),
        ("permission: TODO", "todo", "read, write, execute or network"),
        ("permission: 'TODO: read?'", "todo", "read, write, execute or network"),
        ("secrets:", "wrong-type", "`secrets: []` if none"),
        ("secrets: token", "wrong-type", "`secrets: []` if none"),
        ("secrets: [1]", "wrong-type", "`secrets: []` if none"),
        ("secrets: TODO", "todo", "`secrets: []` if none"),
        ("secrets: [TODO]", "todo", "`secrets: []` if none"),
    ],
)
def test_the_two_keys_that_a_person_must_decide(line: str, code: str, words: str) -> None:
    other = "secrets: []" if line.startswith("permission") else "permission: read"
    spec, [found] = tool(f"description: x\n{other}\n{line}\n")
    assert spec is None
    assert (found.code, found.line) == (code, 3)
    assert words in found.hint


def test_missing_keys_are_all_named() -> None:
    _, found = tool("name: a\n")
    assert places(found) == [("missing-key", 1, 1)] * 3
    assert [each.message.split("`")[1] for each in found] == ["description", "permission", "secrets"]
    assert all(each.hint for each in found)


def test_a_mistyped_key_is_not_missing_as_well() -> None:
    _, found = tool("descripton: x\npermision: read\nsecret: [a]\nparameter: {}\n")
    assert [each.code for each in found] == ["unknown-key"] * 4


@pytest.mark.parametrize(
    ("properties", "secrets", "codes"),
    [
        ("properties: {token: {}}", "[token]", []),
        ("properties: {token: {}}", "[tokn]", ["unknown-parameter"]),
        ("properties: {token: {}}", "[token, token]", ["repeated"]),
        ("properties: {TODO_a: {}}", "[TODO_a]", []),
        ("properties: {}", "[a]", ["unknown-parameter"]),
        ("patternProperties: {'^x': {}}", "[xa]", []),
        ("properties: {token: {}}, allOf: [{}]", "[other]", []),
        ("$ref: '_types/a.yaml', properties: {token: {}}", "[other]", []),
    ],
)
def test_secrets_are_parameters(properties: str, secrets: str, codes: list[str]) -> None:
    text = (
        f"description: x\npermission: read\nsecrets: {secrets}\nparameters: {{type: object, {properties}}}\n"
    )
    _, found = tool(text)
    assert [each.code for each in found] == codes
    if codes == ["unknown-parameter"] and "token" in properties:
        assert found[0].hint == "did you mean `token`?"
        assert (found[0].line, found[0].column) == (3, 11)


def test_runtime_enum_values_are_text() -> None:
    text = HEAD + "parameters: {type: object, properties: {a: {}, b: {}}}\nruntime_enums: {a: '', b: 1}\n"
    _, found = tool(text)
    assert places(found) == [("empty-text", 5, 20), ("wrong-type", 5, 27)]


@pytest.mark.parametrize("root", ["$ref: ../_types/a.yaml", "allOf: [{type: object}]", "oneOf: []"])
def test_parameters_by_reference_or_composition(root: str) -> None:
    assert tool(f"{HEAD}parameters: {{{root}}}\n")[1] == ()


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("files/edit.yaml", None),
        ("a-b/c_d/edit.yaml", None),
        ("type/edit.yaml", None),  # a soft keyword is a fine package
        ("class/edit.yaml", "bad-group"),
        ("a/import/edit.yaml", "bad-group"),
        ("1a/edit.yaml", "bad-group"),
        ("a b/edit.yaml", "bad-group"),
        ("é/edit.yaml", "bad-group"),
        ("a.b/edit.yaml", "bad-group"),
        ("registry/edit.yaml", "bad-group"),
        ("Models/edit.yaml", "bad-group"),
        ("a/models/edit.yaml", None),
        ("schemas.yaml", "bad-name"),
        ("a/schemas.yaml", None),
        ("my tool.yaml", "bad-name"),
        ("-x.yaml", "bad-name"),
    ],
)
def test_paths(path: str, code: str | None) -> None:
    _, found = tool(HEAD, path)
    assert [each.code for each in found] == ([code] if code else [])
    assert all(each.line == 1 for each in found)


@pytest.mark.parametrize("text", ["[]", "a", "1", "~"])
def test_a_spec_is_a_mapping(text: str) -> None:
    assert places(tool(text)[1]) == [("wrong-type", 1, 1)]


def test_every_problem_of_a_spec() -> None:
    text = "name: 1\ncolour: x\npermission: all\nparameters: {type: array}\nannotations: {title: 1}\n"
    _, found = tool(text)
    codes = [each.code for each in found]
    assert codes == [
        *["missing-key"] * 2,
        "wrong-type",
        "unknown-key",
        "bad-permission",
        "not-an-object",
        "wrong-type",
    ]


def test_many_unknown_keys_are_summed_up() -> None:
    _, found = tool(HEAD + "".join(f"k{n}: 1\n" for n in range(5_000)))
    assert len(found) == 51
    assert "4950 more keys" in found[-1].message


def test_many_wrong_names_are_reported() -> None:
    """Each is reported; only the first get a suggestion, because comparing names takes time."""
    names = [f"name_{n}" for n in range(3_000)]
    properties = ", ".join(f"{name}x: {{}}" for name in names)
    text = f"{HEAD.replace('[]', str(names))}parameters: {{type: object, properties: {{{properties}}}}}\n"
    _, found = tool(text)
    assert len(found) == 3_000


def test_repeated_secrets() -> None:
    text = HEAD.replace("[]", "[ab, ab, b, ab]") + "parameters: {type: object, properties: {abc: {}}}"
    _, found = tool(text)
    assert [each.code for each in found] == ["unknown-parameter", "repeated", "unknown-parameter", "repeated"]
    assert found[0].hint == "did you mean `abc`?"


def test_text_stays_on_one_printable_line() -> None:
    _, [found] = tool(HEAD + '"a\\nb\\e[0m' + "x" * 500 + '": 1\n')
    assert "\n" not in found.message
    assert "\x1b" not in found.message
    assert len(found.message) < 120
