"""Law L8: no string of a spec changes the structure of generated code, and each arrives as it was written."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toolcast.spec.load import load_tool

from tests.python import stages

SCRAPS = [
    '"', "'", '"""', "'''", "\\", "\\\\", '\\"', "{", "}", "{{ 7 * 7 }}", "{% for x in y %}", "{# x #}",
    "\n", "\r\n", "\r", "\t", "\x00", "\x1b[31m", "\x0c", "\x85", "\u2028", "\u2029", "\u202e", "\u2066",
    "\ufeff", "# type: ignore", "# fmt: off", "# noqa", "#", "import os", "__import__('os').system('x')",
    "): pass", "eval(x)", "%s", "{0}", "f'{x}'", "𝕏", "é", "e\u0301", "\u00ad", "\N{GRINNING FACE}", ",", "]",
    ")", "Literal[", " ", "  ", "a", "toolcast", "None", "'] | Any", '", name="x', "lambda: 0",
    "\\N{BULLET}", "\\u0041", "\\x41", "-*- coding: latin-1 -*-",
]  # fmt: skip
HOSTILE = st.lists(st.sampled_from(SCRAPS) | st.text(max_size=8), max_size=8).map("".join)
# What msgspec cannot have in a wire name is refused, not renamed.
WIRES = HOSTILE.map(lambda text: re.sub(r'[\x00-\x1f"\\\\]', "", text))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("specs")


def document(text: str, member: str, pattern: str = "^a") -> dict[str, Any]:
    """A spec in which every place that takes free text holds `text`."""
    return {
        "name": "tool",
        "summary": f"S{text}",
        "description": f"D{text}",
        "permission": "read",
        "secrets": [],
        "annotations": {"title": f"T{text}"},
        "parameters": {
            "type": "object",
            "description": f"P{text}",
            "x-vendor": {text: [text]},
            "required": ["chosen"],
            "properties": {
                "plain": {"type": "string", "description": f"F{text}", "default": text},
                "chosen": {"enum": [f"a{member}", "b"]},
                "fixed": {"const": f"c{text}"},
                "mixed": {"enum": [f"m{text}", True, 1.5]},
                "many": {"type": "array", "items": {"enum": [f"i{text}", "j"]}, "default": [f"i{text}"]},
                "typed": {
                    "type": "array",
                    "prefixItems": [{"type": "string"}],
                    "items": False,
                    "minItems": 1,
                },
                "found": {"type": "string", "pattern": pattern, "title": text, "examples": [text]},
                "either": {"anyOf": [{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/y"}]},
            },
            "$defs": {
                tag: {
                    "type": "object",
                    "required": ["kind"],
                    "properties": {"kind": {"const": f"{tag}{text}"}},
                }
                for tag in "xy"
            },
        },
        "examples": [{"chosen": f"a{member}"}],
    }


def load(folder: Path, stated: dict[str, Any]) -> Any:
    return stages.spec(folder, json.dumps(stated))


@given(HOSTILE)
@example('"""\\')
@example("{{ 7 * 7 }}{% endraw %}")
@example("\u2028# type: ignore\n# fmt: off\n\x0c")
def test_text_changes_only_literals(folder: Path, text: str) -> None:
    plain = stages.skeleton(stages.rendered(load(folder, document("t", "t"))))
    module = stages.rendered(load(folder, document(text, text)))
    assert stages.skeleton(module) == plain


@given(HOSTILE)
@example("\r\n \u2029")
@example(f"{'a' * 40}, {'b' * 40}")
def test_text_arrives_exactly(folder: Path, tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    stated = document(text, text)
    outcome = stages.compiled(load(folder, stated))
    with stages.package(stages.whole(outcome), tmp_path_factory.mktemp("out"), "hostile") as registry:
        binding = registry.BINDINGS["tool"]
        assert binding.summary == stated["summary"]
        assert binding.description == stated["description"]
        assert binding.annotations["title"] == stated["annotations"]["title"]
        arguments = {
            "chosen": f"a{text}",
            "fixed": f"c{text}",
            "mixed": f"m{text}",
            "either": {"kind": f"y{text}"},
        }
        params = binding.decode(arguments)
        assert (params.plain, params.chosen, params.many) == (text, f"a{text}", [f"i{text}"])
        assert (params.fixed, params.mixed, params.either.kind) == (f"c{text}", f"m{text}", f"y{text}")
        assert binding.decode(binding.encode(params)) == params
        definition = json.loads(binding.definition("mcp"))
        assert definition["description"] == stated["description"]
        assert definition["inputSchema"]["properties"]["chosen"]["enum"] == [f"a{text}", "b"]


@given(st.lists(WIRES, min_size=1, max_size=5, unique=True))
@example(["", "class", "self", "__init__", "__post_init__", "str", "a-b", "a.b", "a b"])
@example(["Annotated", "Meta", "msgspec", "UNSET", "additional_properties", "__struct_fields__"])
def test_names_stay_wire_names(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    tool = stages.tool(
        folder, {"type": "object", "properties": {name: {"type": "integer", "minimum": 0} for name in names}}
    )
    outcome = stages.compiled(tool)
    tree = ast.parse(stages.python(outcome))
    assert sum(isinstance(node, ast.ClassDef) for node in tree.body) == 2  # the Struct and the Protocol
    with stages.package(stages.whole(outcome), tmp_path_factory.mktemp("out"), "names") as registry:
        binding = registry.BINDINGS["tool"]
        assert list(binding.params.__struct_encode_fields__) == names
        arguments = {name: index for index, name in enumerate(names)}
        params = binding.decode(json.dumps(arguments))
        assert [getattr(params, field) for field in params.__struct_fields__] == list(arguments.values())
        assert json.loads(binding.encode(params)) == arguments


@given(HOSTILE.map(lambda text: "".join(f"\\u{{{ord(ch):x}}}" for ch in text)), HOSTILE)
def test_patterns_stay_patterns(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, escaped: str, text: str
) -> None:
    literal = "".join("\\" + ch if ch in '^$\\.*+?()[]{}|/"' else ch for ch in text)
    tool = load(folder, document("t", "t", pattern=f"^({escaped}|{literal})$"))
    outcome = stages.compiled(tool)
    with stages.package(stages.whole(outcome), tmp_path_factory.mktemp("out"), "patterns") as registry:
        binding = registry.BINDINGS["tool"]
        assert binding.decode({"chosen": "at", "found": text}).found == text


@pytest.mark.parametrize(
    "name", ["../x", "a/b", 'a"b', "a\nb", "", "1a", "a b", "a" * 65, "{{x}}", "é", "a.b"]
)
def test_hostile_tool_names_are_refused(tmp_path: Path, name: str) -> None:
    stated = {**document("t", "t"), "name": name}
    (tmp_path / "tool.json").write_text(json.dumps(stated), "utf-8")
    tool, problems = load_tool(tmp_path, "tool.json", shown_root="specs", known_providers=frozenset())
    assert tool is None
    assert problems


@pytest.mark.parametrize("file", ['a"b.json', "a\nb.json", "{{x}}.json", "a b.json", "é.json", "1.json"])
def test_hostile_file_names_are_refused(tmp_path: Path, file: str) -> None:
    stated = document("t", "t")
    del stated["name"]
    (tmp_path / file).write_text(json.dumps(stated), "utf-8")
    tool, problems = load_tool(tmp_path, file, shown_root="specs", known_providers=frozenset())
    assert tool is None
    assert problems
