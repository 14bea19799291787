"""The tools of a view as declarations: namespaces, names, what is left out and what is deferred."""

import builtins
import keyword
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import ToolRegistry
from toolcast.runtime.declaration_text.names import PYTHON, PYTHON_MODULES
from toolcast.runtime.declaration_text.names import function_names as names_of_functions
from toolcast.runtime.declarations import declare, describe, function_names, list_namespaces

from bench.declared_view import DeclaredView, binding
from tests.runtime.sample.files.edit import EDIT
from tests.typescript.tools import tsc

PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
NODE = {
    "type": "object",
    "properties": {"node": {"$ref": "#/$defs/Node"}},
    "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
}


def view(**stated: Any) -> DeclaredView:
    return DeclaredView(
        [
            binding("edit", PATH, group="files", description="Edits a file.", result={"type": "integer"}),
            binding("read", PATH, group="files", **stated),
            binding("find", NODE, group="crm/contacts"),
            binding("merge", NODE, group="crm/contacts"),
            binding("ping", {"type": "object", "additionalProperties": False}),
        ]
    )


def test_groups_are_namespaces_in_typescript() -> None:
    assert declare(view(), "typescript") == (
        "type integer = number;\n"
        "type Open = { [key: string]: unknown };\n"
        "declare function ping(): Promise<string>;\n"
        "\n"
        "declare namespace crm.contacts {\n"
        "type Node = Open & { next?: Node };\n"
        "function find(args?: Open & { node?: Node }): Promise<string>;\n"
        "\n"
        "type Node2 = Open & { next?: Node2 };\n"
        "function merge(args?: Open & { node?: Node2 }): Promise<string>;\n"
        "}\n"
        "\n"
        "declare namespace files {\n"
        "// Edits a file.\n"
        "function edit(args: Open & { path: string }): Promise<integer>;\n"
        "\n"
        "function read(args: Open & { path: string }): Promise<string>;\n"
        "}\n"
    )


def test_groups_are_modules_in_python() -> None:
    assert declare(view(), "python") == (
        "from typing_extensions import Any, Literal, Never, NotRequired, ReadOnly, TypedDict\n"
        "\n"
        "class Open(TypedDict, extra_items=ReadOnly[Any]): ...\n"
        "\n"
        "async def ping() -> str: ...\n"
        "\n"
        "# module crm.contacts\n"
        "\n"
        "class Node(Open):\n"
        " next: NotRequired[Node]\n"
        "\n"
        "async def find(*, node: Node = ..., **others: Any) -> str: ...\n"
        "\n"
        "class Node2(Open):\n"
        " next: NotRequired[Node2]\n"
        "\n"
        "async def merge(*, node: Node2 = ..., **others: Any) -> str: ...\n"
        "\n"
        "# module files\n"
        "\n"
        "async def edit(*, path: str, **others: Any) -> int:\n"
        ' """Edits a file."""\n'
        "\n"
        "async def read(*, path: str, **others: Any) -> str: ...\n"
    )


def test_tools_that_only_the_model_may_call_are_left_out() -> None:
    assert "read" not in declare(view(callers=("model",)), "typescript")
    assert "files.read" not in function_names(view(callers=("model",)), "python")
    assert "files.read" in function_names(view(callers=("code",)), "python")
    assert "files.read" not in function_names(view(external=True), "python")


def test_deferred_functions_are_named_and_described() -> None:
    deferred = view(defer=True)
    text = declare(deferred, "typescript", deferred=["crm"])
    assert '// namespace crm.contacts: 2 functions; describe("crm.contacts")\n' in text
    assert '// not declared yet, describe("files") does: read\n' in text
    assert "function edit(" in text
    described = describe(deferred, "typescript", "files")
    assert described is not None
    assert "function read(" in described
    assert "describe(" not in described


def test_one_function_or_a_namespace_with_those_below_is_described() -> None:
    one = describe(view(), "python", "files.edit")
    assert one is not None
    assert "def edit" in one
    assert "def read" not in one
    outer = describe(view(), "python", "crm")
    assert outer is not None
    assert "def merge" in outer
    assert describe(view(), "python", "") == declare(view(), "python")
    assert describe(view(), "python", "crm.nothing") is None


def test_namespaces_are_listed() -> None:
    assert [(one.name, dict(one.functions)) for one in list_namespaces(view(), "typescript")] == [
        ("", {"ping": "ping"}),
        ("crm.contacts", {"find": "find", "merge": "merge"}),
        ("files", {"edit": "edit", "read": "read"}),
    ]


def test_other_languages_are_refused() -> None:
    with pytest.raises(ValueError, match="not in 'cobol'"):
        declare(view(), "cobol")  # type: ignore[arg-type]


def test_a_registry_gives_the_text_as_definitions() -> None:
    registry = ToolRegistry()
    whole = view().snapshot().entries["edit"].binding
    registry.register(whole, lambda *_: 1)
    text = registry.definitions("typescript")
    assert text.decode() == declare(registry, "typescript")
    assert registry.definitions("typescript") is text
    with pytest.raises(ValueError, match="use definitions"):
        registry.definition_objects("python")


def test_nothing_is_declared_for_a_tool_that_was_not_generated_for_the_language() -> None:
    registry = ToolRegistry()
    registry.register(EDIT, lambda *_: "done")
    with pytest.raises(LookupError, match="typescript"):
        registry.definitions("typescript")


def test_brief_declarations_have_summaries_and_types() -> None:
    described = {"type": "object", "properties": {"path": {"type": "string", "description": "Where."}}}
    brief = declare(DeclaredView([binding("a", described, description="One.\nTwo.")]), "typescript", "brief")
    assert (
        brief == "type integer = number;\ntype Open = { [key: string]: unknown };\n"
        "// One.\ndeclare function a(args?: Open & { path?: string }): Promise<string>;\n"
    )


def test_names_that_mean_something_else_have_a_suffix() -> None:
    tools = {"delete": "", "fetch": "", "list": "a-b", "A-b": "files/in", "A_b": "files/in", "x": "files"}
    assert names_of_functions({**tools, "in": "files"}, "typescript") == {
        "delete_": "delete",
        "fetch_": "fetch",
        "a_b.list": "list",
        "files.in__2": "in",
        "files.x": "x",
        "files.in_.A_b": "A_b",
        "files.in_.A_b_2": "A-b",
    }
    assert names_of_functions({"list": "a", "None": "", "print": "", "fetch": ""}, "python") == {
        "None_": "None",
        "fetch": "fetch",
        "print_": "print",
        "a.list_": "list",
    }


NAMES = st.sampled_from(
    [
        *("delete", "new", "list", "a-b", "a_b", "1", "é", "__proto__", "constructor"),
        *("await", "fetch", "str", "type", "crypto", "namespace", "declare", "async", "of"),
        *("JSON", "NaN", "Promise", "Map", "then", "print", "calendar", "describe", "ToolError", "tools"),
    ]
) | st.text(max_size=4)
GROUPS = st.lists(NAMES.filter(lambda one: one and "/" not in one), max_size=2).map("/".join)
TOOLS = st.dictionaries(NAMES, GROUPS, max_size=12)


@given(tools=TOOLS, language=st.sampled_from(["typescript", "python"]))
def test_names_are_safe_unique_and_the_same_each_time(tools: dict[str, str], language: Any) -> None:
    found = names_of_functions(tools, language)
    assert sorted(found.values()) == sorted(tools)
    namespaces = {name.rpartition(".")[0] for name in found}
    assert not namespaces & found.keys(), "a function is not called as a namespace is"
    for name in found:
        for part in name.split("."):
            assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", part)
            assert language != "python" or not keyword.iskeyword(part)
    assert names_of_functions(dict(reversed(tools.items())), language) == found


@given(tools=TOOLS, language=st.sampled_from(["typescript", "python"]))
def test_no_tool_takes_the_name_that_another_one_has(tools: dict[str, str], language: Any) -> None:
    """A server of tools could else list one whose changed name is that of a tool which programs know."""
    present = {f"tool_{index}": group for index, group in enumerate(sorted(set(tools.values())))}
    plain = {tool: group for tool, group in tools.items() if re.fullmatch(r"[A-Za-z0-9_]*", tool)} | present
    found = names_of_functions({**tools, **present}, language)
    alone = names_of_functions(plain, language)
    assert {name: tool for name, tool in found.items() if tool in plain} == alone


def test_modules_of_python_are_not_hidden() -> None:
    tools = {"add": "calendar", "send": "crm/email", "json": ""}
    assert [*names_of_functions(tools, "python")] == ["json_", "calendar_.add", "crm.email.send"]
    assert [*names_of_functions(tools, "typescript")] == ["json", "calendar.add", "crm.email.send"]
    missing = {name for name in sys.stdlib_module_names if not name.startswith("_")} - PYTHON_MODULES
    assert not missing
    assert {name for name in dir(builtins) if not name.startswith("_")} <= PYTHON | {*keyword.kwlist}


def test_the_compiler_accepts_every_name(tmp_path: Path) -> None:
    """One run for all examples, each in a module of its own; `test_global_names` has names of the library."""
    files: list[Path] = []

    @given(tools=TOOLS)
    def write(tools: dict[str, str]) -> None:
        bindings = [binding(name, PATH, group=group) for name, group in tools.items()]
        files.append(tmp_path / f"names_{len(files)}.d.ts")
        declared = declare(DeclaredView(bindings), "typescript")
        files[-1].write_text(f"{declared}export {{}};\n", encoding="utf-8")

    write()
    assert tsc(*files) == []
