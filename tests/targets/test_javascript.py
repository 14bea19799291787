"""The targets for JavaScript, by the official packages that take them, in Node.js and in Chromium."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from toolcast.project.generate import build
from toolcast.project.worker import FRONTEND

from tests.project.fake import config_of, put
from tests.report.browser.chromium import chromium, program
from tests.targets.surfaces import corpus_model
from tests.typescript.projects import type_problems
from tests.typescript.tools import MODULES, ROOT, node, run_node

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

HOSTILE = """\
description: "*/ `${x}` </script>\\u2028 \\\\"
permission: read
secrets: []
parameters:
  type: object
  required: ["a\\"b"]
  properties:
    "a\\"b": {type: array, prefixItems: [{type: integer}, {enum: [9007199254740993]}], items: false}
    __proto__: {$ref: "#/$defs/p", description: A reference with something beside it.}
  dependentRequired: {__proto__: ["a\\"b"]}
  $defs: {p: {type: string, minLength: 2}}
"""
VERDICTS = [
    {},
    {'a"b': [1]},
    {'a"b': [1, 2]},
    {'a"b': ["1"]},
    {'a"b': [1], "__proto__": "x"},
    {'a"b': [1], "__proto__": "xy"},
    {'a"b': 1},
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of the reference tools, and of a hostile one, as a package that finds what it imports."""
    node()
    folder = tmp_path_factory.mktemp("javascript")
    shutil.copytree(ROOT / "specs", folder / "specs")
    put(folder / "specs/__proto__.yaml", HOSTILE)
    targets = '["typescript", "standard-schema", "webmcp"]'
    put(folder / "pyproject.toml", f'[tool.toolcast]\nproviders = ["mcp"]\ntargets = {targets}\n')
    report = build(config_of(folder), FRONTEND)
    assert not report.failed, report.diagnostics
    put(folder / "generated/package.json", '{"type": "module"}')
    (folder / "generated/node_modules").symlink_to(MODULES)
    return folder / "generated"


def script(made: Path, text: str, name: str = "script.mjs", **data: Any) -> Any:
    put(made / name, text)
    return json.loads(run_node(made / name, text=json.dumps(data)))


READ = 'import { readFileSync } from "node:fs";\nconst given = JSON.parse(readFileSync(0, "utf8"));\n'


def test_the_declarations_are_those_of_the_standards(made: Path) -> None:
    put(
        made / "uses.ts",
        """\
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { generateObject, type ToolSet } from "ai";
import type { EditParams } from "./typescript/index.js";
import { aiTools } from "./targets/standard-schema/ai.js";
import { schemas } from "./targets/standard-schema/index.js";
import { register } from "./targets/webmcp/register.js";

const standard: StandardSchemaV1 & StandardJSONSchemaV1 = schemas.edit.parameters;
const inferred: StandardSchemaV1.InferOutput<typeof schemas.edit.parameters> = {} as EditParams;
const tools: ToolSet = aiTools({ edit: (params) => params.file_path.length, grep: async () => "none" });
const asked = generateObject({ model: "none", prompt: "", schema: schemas.edit.parameters });
asked.then((it) => it.object.old_string);
register({ edit: ({ old_string }) => old_string }, { signal: new AbortController().signal });
// @ts-expect-error - no such tool
aiTools({ edlt: () => "" });
// @ts-expect-error - no such parameter
register({ edit: ({ old }) => old });
console.log(standard, inferred, tools);
""",
    )
    assert [
        each for each in type_problems(made / "uses.ts") if "/uses.ts" in each or "/targets/" in each
    ] == []


def test_a_standard_schema_decides_as_json_schema_does(made: Path) -> None:
    answers = script(
        made,
        READ
        + """\
import { schemas } from "./targets/standard-schema/index.js";
const { validate, jsonSchema } = schemas["__proto__"].parameters["~standard"];
const results = given.verdicts.map((value) => validate(value));
const older = jsonSchema.input({ target: "draft-07" });
const newest = jsonSchema.output({ target: "draft-2020-12" });
let refused = "";
try { jsonSchema.input({ target: "openapi-3.0" }); } catch (error) { refused = error.message; }
const issues = results.map((each) => each.issues ?? null);
console.log(JSON.stringify({ issues, older, newest, refused, names: Object.keys(schemas) }));
""",
        verdicts=VERDICTS,
    )
    assert "__proto__" in answers["names"]
    assert "draft-07" in answers["refused"]
    for validator, schema in (
        (jsonschema_rs.Draft202012Validator, answers["newest"]),
        (jsonschema_rs.Draft7Validator, answers["older"]),
    ):
        judge = validator(schema)
        for value, issues in zip(VERDICTS, answers["issues"], strict=True):
            assert judge.is_valid(value) == (issues is None), (value, issues)
    assert answers["issues"][3][0]["path"] == ['a"b', 0]


def test_every_tool_has_a_schema_in_draft_7(made: Path) -> None:
    contracts = {path.stem: json.loads(path.read_bytes()) for path in (made / "schemas/mcp").glob("*.json")}
    answers = script(
        made,
        """\
import { schemas } from "./targets/standard-schema/index.js";
const drafts = Object.create(null);
for (const [name, { parameters }] of Object.entries(schemas)) {
  try { drafts[name] = parameters["~standard"].jsonSchema.input({ target: "draft-07" }); }
  catch (error) { drafts[name] = error.message; }
}
console.log(JSON.stringify(drafts));
""",
    )
    assert contracts.keys() - answers.keys() <= {"apply_patch"}  # JavaScript checks no grammar
    assert len(answers) >= 19
    assert not [name for name, draft in answers.items() if isinstance(draft, str)]
    for draft in answers.values():
        assert jsonschema_rs.meta.is_valid({"$schema": "http://json-schema.org/draft-07/schema#", **draft})


@pytest.mark.corpora
def test_real_schemas_mean_the_same_in_draft_7(made: Path, shared_dir: Path) -> None:
    """200 tools of the corpora: one verdict in both drafts, or the keyword that draft 7 lacks."""
    schemas = [tool.parameters for tool in corpus_model(shared_dir).tools]
    assert len(schemas) >= 200
    drafts = script(
        made,
        READ
        + """\
import { standardSchema } from "./targets/standard-schema/index.js";
const older = (schema) => {
  const { jsonSchema } = standardSchema({ schema, parse: (value) => value })["~standard"];
  try { return jsonSchema.input({ target: "draft-07" }); } catch (error) { return error.message; }
};
console.log(JSON.stringify(given.schemas.map(older)));
""",
        schemas=schemas,
    )
    lacking = [draft for draft in drafts if isinstance(draft, str)]
    assert all(re.fullmatch(r"draft-07 has no \S+", each) for each in lacking)
    assert len(lacking) < 5
    for schema, draft in zip(schemas, drafts, strict=True):
        if isinstance(draft, str):
            continue
        newest = jsonschema_rs.Draft202012Validator(schema, validate_formats=False)
        older = jsonschema_rs.Draft7Validator(draft, validate_formats=False)
        names = schema.get("properties", {})
        values = [{}, *({name: value} for name in names for value in (None, "", 0, 1.5, True, [], {}, ["a"]))]
        for value in values:
            assert newest.is_valid(value) == older.is_valid(value), (schema, value)


def test_the_ai_sdk_calls_a_tool(made: Path) -> None:
    answers = script(
        made,
        READ
        + """\
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV4 as Mock } from "ai/test";
import { aiTools } from "./targets/standard-schema/ai.js";
const calls = [];
const tools = aiTools({ edit: (params) => (calls.push(params), "done") });
let sent, asked = 0;
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const model = new Mock({
  doGenerate: async (options) => {
    sent = options;
    const input = given.inputs[asked++];
    const content = input === undefined
      ? [{ type: "text", text: "end" }]
      : [{ type: "tool-call", toolCallId: `c${asked}`, toolName: "edit", input: JSON.stringify(input) }];
    const unified = input === undefined ? "stop" : "tool-calls";
    return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
  },
});
const { text } = await generateText({ model, prompt: "go", tools, stopWhen: stepCountIs(5) });
console.log(JSON.stringify({ calls, text, tool: sent.tools[0], prompt: sent.prompt }));
""",
        inputs=[
            {"file_path": "/a", "old_string": ""},
            {"file_path": "/a", "old_string": "x", "new_string": "y"},
        ],
    )
    assert answers["calls"] == [
        {"file_path": "/a", "old_string": "x", "new_string": "y", "replace_all": False}
    ]
    assert answers["text"] == "end"
    sent = answers["tool"]["inputSchema"]
    mcp = json.loads((made / "schemas/mcp/edit.json").read_bytes())["inputSchema"]
    assert {**sent, "$schema": ""} == {**mcp, "$schema": ""}
    refused = json.dumps(answers["prompt"])
    assert "new_string" in refused
    assert "old_string" in refused


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    program()
    with chromium() as found:
        yield found


def untitled(schema: Any) -> Any:
    """A schema without titles: MCP is sent none that repeats a name, and a page has the contract as it is."""
    if isinstance(schema, list):
        return [untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = schema.items()
    return {key: untitled(item) for key, item in kept if key != "title" or not isinstance(item, str)}


def test_a_page_offers_its_tools(made: Path, browser: "Browser") -> None:
    """By the reference polyfill of `document.modelContext`."""
    polyfill = (MODULES / "@mcp-b/webmcp-polyfill/dist/index.iife.js").read_text()
    page = browser.new_page()

    def answer(route: "Route") -> None:
        path = route.request.url.removeprefix("http://localhost/")
        if path == "":
            route.fulfill(body="<!doctype html><title>page</title>", content_type="text/html")
        else:
            route.fulfill(path=os.fspath(made / path), content_type="text/javascript")

    page.route("http://localhost/**", answer)
    page.goto("http://localhost/")
    page.add_script_tag(content=polyfill)
    found = page.evaluate(
        """async () => {
  const { register } = await import("/targets/webmcp/register.js");
  const { tools: all } = await import("/typescript/index.js");
  const given = [], stop = new AbortController(), context = document.modelContext;
  const edit = (params) => (given.push(params), { replacements: 1, snippet: "" });
  await register({ edit, grep: () => "none" }, { signal: stop.signal });
  const tools = await context.getTools();
  const call = (name, input) =>
    context.executeTool(tools.find((tool) => tool.name === name), JSON.stringify(input)).then(JSON.parse);
  const wrong = await call("edit", { file_path: "/a", old_string: "", new_string: "" });
  const right = await call("edit", { file_path: "/a", old_string: "x", new_string: "" });
  const text = await call("grep", { pattern: "a" });
  const unknown = await register({ nothing: edit }).catch((error) => error.message);
  stop.abort();
  const left = (await context.getTools()).length;
  await register(Object.fromEntries(Object.keys(all).map((name) => [name, () => "done"])));
  const schemas = JSON.stringify((await context.getTools()).map((tool) => [tool.name, tool.inputSchema]));
  return { given, tools, wrong, right, text, unknown, left, schemas };
}"""
    )
    page.close()
    assert [tool["name"] for tool in found["tools"]] == ["edit", "grep"]
    assert found["given"] == [{"file_path": "/a", "old_string": "x", "new_string": "", "replace_all": False}]
    assert found["wrong"]["isError"]
    assert "old_string" in found["wrong"]["content"][0]["text"]
    assert found["right"]["structuredContent"] == {"replacements": 1, "snippet": ""}
    assert found["text"]["content"] == [{"type": "text", "text": "none"}]
    assert "nothing" in found["unknown"]
    assert found["left"] == 0
    registered = dict(json.loads(found["schemas"]))
    assert len(registered) >= 19
    del registered["__proto__"]  # its number past 2**53 is the nearest that JavaScript can write
    for name, schema in registered.items():
        sent = json.loads((made / f"schemas/mcp/{name}.json").read_bytes())["inputSchema"]
        assert {**untitled(schema), "$schema": ""} == {**untitled(sent), "$schema": ""}
