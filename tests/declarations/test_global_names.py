"""Names of tools and types against what programs find at the top."""

import builtins
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime.code import client_source
from toolcast.runtime.declaration_text.names import (
    CLIENT,
    ECMASCRIPT,
    PYTHON,
    FreeNames,
    Language,
    function_names,
)
from toolcast.runtime.declarations import declare

from bench.declared_view import DeclaredView, binding
from tests.counting import grows_linearly
from tests.typescript.tools import MODULES, run_node, tsc

LIBRARY = ("--strict", "--lib", "esnext")
STATED = re.compile(
    r"^(?:declare (?:var|let|const|function|namespace|class|type)|interface|type) (\w+)", re.M
)


def test_the_names_of_typescript_are_those_that_it_declares() -> None:
    files = [
        one for one in MODULES.glob("@typescript/*/lib/lib.*.d.ts") if re.match(r"lib\.(es|dec)", one.name)
    ]
    found = {name for file in files for name in STATED.findall(file.read_text(encoding="utf-8"))}
    if not found:
        pytest.skip("the TypeScript compiler is not installed; `make typescript-tools` installs it")
    assert found <= ECMASCRIPT


@pytest.mark.parametrize("grouped", [False, True])
def test_tools_and_groups_with_names_of_the_library_compile(grouped: bool, tmp_path: Path) -> None:
    tools = [binding(f"run_{name}" if grouped else name, {}, group=name * grouped) for name in ECMASCRIPT]
    file = tmp_path / "declared.d.ts"
    file.write_text(declare(DeclaredView(tools), "typescript"), encoding="utf-8")
    assert tsc(file, options=LIBRARY) == []


def test_types_with_names_of_the_library_compile(tmp_path: Path) -> None:
    node = {
        name: {"type": "object", "properties": {"next": {"$ref": f"#/$defs/{name}"}}} for name in ECMASCRIPT
    }
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: {"$ref": f"#/$defs/{name}"} for name in node},
        "$defs": node,
    }
    file = tmp_path / "declared.d.ts"
    file.write_text(declare(DeclaredView([binding("run", schema)]), "typescript"), encoding="utf-8")
    assert tsc(file, options=LIBRARY) == []


def test_no_tool_at_the_top_has_the_name_of_a_global(tmp_path: Path) -> None:
    script = tmp_path / "names.mjs"
    script.write_text("console.log(Object.getOwnPropertyNames(globalThis).join(' '))", encoding="utf-8")
    hosted = set(run_node(script).split())
    assert not hosted & function_names(dict.fromkeys(hosted, ""), "typescript").keys()
    own = {name for name in dir(builtins) if not name.startswith("_")}
    assert not own & function_names(dict.fromkeys(own | PYTHON, ""), "python").keys()
    assert function_names({"print": "files"}, "python") == {"files.print": "print"}


def test_no_tool_at_the_top_hides_what_clients_put_there() -> None:
    languages: tuple[Language, ...] = ("python", "typescript")
    for language in languages:
        assert not CLIENT & function_names(dict.fromkeys(CLIENT, ""), language).keys()
    sources = client_source("python") + client_source("typescript")
    assert all(re.search(rf"\b{name}\b".encode(), sources) for name in CLIENT)


NAMES = st.lists(
    st.sampled_from(["a", "a2", "a_2", "a22", "b", "a_"]) | st.text("ab2_", max_size=3), max_size=30
)


@given(taken=NAMES, wanted=NAMES, separator=st.sampled_from(["", "_"]))
def test_each_name_is_the_first_that_is_free(taken: list[str], wanted: list[str], separator: str) -> None:
    free, used = FreeNames(taken), set(taken)
    for name in wanted:
        expected = next(
            one for one in (name, *(f"{name}{separator}{i}" for i in range(2, 100))) if one not in used
        )
        assert free.take(name, separator) == expected
        used.add(expected)


def test_many_equal_names_are_numbered_in_linear_time() -> None:
    def make(size: int) -> Any:
        tools = {f"a{'-' * (i % 50)}{chr(0x4E00 + i)}"[:60]: f"g{chr(0x5E00 + i)}" for i in range(200 * size)}
        return lambda: function_names({**tools, **{f"{one}.": "" for one in tools}}, "python")

    assert grows_linearly(make)
