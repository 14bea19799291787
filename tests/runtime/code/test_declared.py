"""Programs against declarations: names and arguments in the form of a language, decoded by the contract."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from toolcast.project.core.compiled import Options
from toolcast.runtime import ToolContext, ToolRegistry
from toolcast.runtime.code import CodeServer, Language
from toolcast.runtime.declarations import function_names

from tests.python.compiled import package
from tests.runtime.code.processes import run_code
from tests.runtime.code.sandboxes import serving

LANGUAGES = pytest.mark.parametrize("language", ["python", "typescript"])
SPEC: dict[str, Any] = {
    "name": "find-mail",
    "description": "Finds mail.",
    "permission": "read",
    "secrets": [],
    "parameters": {
        "type": "object",
        "additionalProperties": False,
        "required": ["from", "max-count"],
        "properties": {
            "from": {"type": "string", "minLength": 1},
            "max-count": {"type": "integer", "minimum": 1},
            "class": {"type": ["string", "null"]},
        },
    },
    "result": {
        "type": "object",
        "required": ["from", "count"],
        "properties": {"from": {"type": "string"}, "count": {"type": "integer"}},
    },
}

MODEL_ONLY = {**SPEC, "name": "ask-me", "callers": ["model"]}


@pytest.fixture(scope="module")
def tools() -> Iterator[ToolRegistry]:
    files = {f"crm/mail/{SPEC['name']}.json": SPEC, "ask.json": MODEL_ONLY}
    with package(files, options=Options(providers=("python", "typescript"))) as bindings:
        find, ask = bindings["find-mail"], bindings["ask-me"]

        def found(params: Any, _: ToolContext) -> Any:
            sent = msgspec.to_builtins(params)
            return msgspec.convert({"from": sent["from"], "count": sent["max-count"]}, find.result)

        made = ToolRegistry()
        made.register(find, found)
        made.register(ask, lambda *_: "asked")
        yield made


PROGRAMS: dict[Language, str] = {
    "python": """
import crm.mail
done = await crm.mail.find_mail(FROM="a@b", max_count=2)
print(done["from"], done["count"])
for wrong in ({"FROM": "", "max_count": 2}, {"FROM": 1, "max_count": 2}, {"FROM": "a"}, {}):
    try:
        await crm.mail.find_mail(**wrong)
        print("done")
    except ToolError as problem:
        print(problem.kind)
for name in ("ask_me", "crm.mail.ask_me"):
    try:
        await getattr(tools, name)()
    except ToolError as problem:
        print(problem.kind)
print(list_tools())
print(describe("crm.mail") == describe("crm.mail.find_mail") and "find_mail" in describe())
""",
    "typescript": """
const done = await crm.mail.find_mail({ from: "a@b", "max-count": 2 });
console.log(done.from, done.count);
const call = crm.mail.find_mail;
for (const wrong of [{ from: "", "max-count": 2 }, { from_: "a", max_count: 2 }, { from: "a" }, {}]) {
  await call(wrong).then(() => console.log("done"), (problem) => console.log(problem.kind));
}
for (const name of ["ask_me", "crm.mail.ask_me"]) {
  await tools[name]({}).catch((problem) => console.log(problem.kind));
}
const { namespaces, functions } = await listTools();
console.log(`{'namespaces': ['${namespaces.join("', '")}'], 'functions': [${functions}]}`);
const same = (await describe("crm.mail")) === (await describe("crm.mail.find_mail"));
console.log(same && (await describe()).includes("find_mail") ? "True" : "False");
""",
}
PRINTED = """a@b 2
arguments
arguments
arguments
arguments
refused
unknown
{'namespaces': ['crm'], 'functions': []}
True
"""


def name_of_from(tools: ToolRegistry) -> str:
    """What Python calls the parameter `from`, which is a keyword."""
    declared = msgspec.json.decode(tools.get("find-mail").binding.definition("python"))
    name: str = declared["parameters"]["required"][0]
    assert name != "from"
    assert name.isidentifier()
    return name


@LANGUAGES
def test_a_program_calls_what_is_declared(tools: ToolRegistry, language: Language, tmp_path: Path) -> None:
    """A tool for the model alone is refused, and neither listed nor described."""
    program = PROGRAMS[language].replace("FROM", name_of_from(tools))
    ran = run_code(CodeServer(tools, language), tmp_path, language, program)
    assert ran.output == PRINTED


# Names that mean something to a client, a proxy, or the program itself.
ODD = [
    *("a/then", "a/_path", "a/call", "a/constructor", "a/prototype", "a/toString", "a/name", "then/x"),
    *("JSON", "NaN", "Promise", "print", "describe", "list_tools", "ToolError", "calendar/add", "tools"),
]


@LANGUAGES
def test_a_function_of_any_name_is_called(language: Language, tmp_path: Path) -> None:
    nothing = {"type": "object", "additionalProperties": False}
    base = {"description": "Does.", "permission": "read", "secrets": [], "parameters": nothing}
    specs = {f"{name}.json": {**base, "name": name.rpartition("/")[2]} for name in ODD}
    with package(specs, options=Options(providers=("python", "typescript"))) as bindings:
        tools = ToolRegistry()
        for each in bindings.values():
            tools.register(each, lambda _, context: f"did {context.tool}")
        names = function_names(tools, language)
        begin, end = ("print(await ", "())\n") if language == "python" else ("console.log(await ", "({}));\n")
        program = "".join(f"{begin}{name}{end}" for name in names)
        program += "import calendar\nprint(calendar.isleap(2000))\n" if language == "python" else ""
        ran = run_code(CodeServer(tools, language), tmp_path, language, program)
    printed = [f"did {tool}" for tool in names.values()] + ["True"] * (language == "python")
    assert ran.output.splitlines() == printed


@LANGUAGES
def test_text_that_is_no_unicode_fails_one_call_alone(
    tools: ToolRegistry, language: Language, tmp_path: Path
) -> None:
    """Half an emoji, as cutting a text makes it in JavaScript, and names of files do in Python."""
    programs: dict[Language, str] = {
        "python": """
import asyncio
async def one(text):
    try:
        return (await crm.mail.find_mail(FROM=text, max_count=1))["from"]
    except ToolError as problem:
        return problem.kind
print(*await asyncio.gather(*map(one, ["a", "\\ud83d", "b"])))
""",
        "typescript": """
const one = (text) =>
  crm.mail.find_mail({ from: text, "max-count": 1 }).then((done) => done.from, (problem) => problem.kind);
console.log(...(await Promise.all(["a", "\\ud83d", "b"].map(one))));
""",
    }
    program = programs[language].replace("FROM", name_of_from(tools))
    assert run_code(CodeServer(tools, language), tmp_path, language, program).output == "a request b\n"


@LANGUAGES
def test_descriptions_are_those_of_the_definitions(tools: ToolRegistry, language: Language) -> None:
    async def main() -> None:
        async with serving(CodeServer(tools, language)) as (sandbox, _):
            described = (await sandbox.ask({"id": 1, "describe": ""}))["result"]
            assert described == tools.definitions(language).decode()
            assert "find_mail" in described
            assert "ask" not in described
            for name in ("nothing", "ask", "crm.mai", "crm.mail.", "crm.mail.find_mail.x"):
                answer = await sandbox.ask({"id": 1, "describe": name})
                assert answer["error"]["kind"] == "unknown", name

    asyncio.run(main())


def test_tools_that_come_later_are_there(tools: ToolRegistry) -> None:
    later = ToolRegistry()

    async def main() -> None:
        async with serving(CodeServer(later, "python")) as (sandbox, _):
            listed = await sandbox.ask({"id": 1, "list": ""})
            assert listed["result"] == {"namespaces": [], "functions": []}
            entry = tools.get("find-mail")
            later.register(entry.binding, entry.handler)
            listed = await sandbox.ask({"id": 1, "list": "crm"})
            assert listed["result"] == {"namespaces": ["mail"], "functions": []}
            arguments = {name_of_from(tools): "a", "max_count": 1}
            answer = await sandbox.ask({"id": 1, "call": "crm.mail.find_mail", "arguments": arguments})
            assert answer["result"] == {"from": "a", "count": 1}

    asyncio.run(main())


TEXT_SPEC = {
    "name": "calculate",
    "description": "Computes.",
    "permission": "read",
    "secrets": [],
    "input": {"grammar": "lark", "definition": 'start: NUMBER ("+" NUMBER)*\n%import common.NUMBER'},
}
TEXT_PROGRAMS: dict[Language, str] = {
    "python": """
for text in ("1+2", "1+", "", "\\n1", 3, None):
    try:
        print(await calculate(input=text))
    except ToolError as problem:
        print(problem.kind, "grammar" in str(problem))
""",
    "typescript": """
for (const input of ["1+2", "1+", "", "\\n1", 3, null]) {
  await calculate({ input }).then(
    (done) => console.log(done),
    (problem) => console.log(problem.kind, problem.message.includes("grammar") ? "True" : "False"),
  );
}
""",
}


@LANGUAGES
def test_a_text_is_held_to_its_grammar(language: Language, tmp_path: Path) -> None:
    with package(
        {"calculate.json": TEXT_SPEC}, options=Options(providers=("python", "typescript"))
    ) as bindings:
        seen: list[str] = []
        tools = ToolRegistry()
        tools.register(bindings["calculate"], lambda params, _: seen.append(params.input) or "3")
        declared = tools.definitions(language).decode()
        assert "input" in declared
        assert "NUMBER" in declared  # the grammar is in the comment: no type has it
        server = CodeServer(tools, language)
        ran = run_code(server, tmp_path, language, TEXT_PROGRAMS[language])
    assert seen == ["1+2"]
    assert ran.output.splitlines() == ["3", *["arguments True"] * 3, *["arguments False"] * 2]
