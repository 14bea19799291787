"""The check before publishing can fail: what does not run, and what a template changed, is refused."""

import json
import sys
from pathlib import Path

import pytest
from toolcast.contract.build import build_tool
from toolcast.languages.python.bindings.render_module import parsed
from toolcast.languages.python.check import UnsoundError, require_definitions
from toolcast.languages.python.structs.module import tool_module
from toolcast.project.core.compiler import Options, check_tool, compile_tool, tool_module_run, tool_names

from tests.python import stages
from tests.python.binding_check import unlike_its_spec

SPEC = {
    "name": "tool",
    "summary": "A summary.",
    "description": "A description.",
    "permission": "read",
    "secrets": ["key"],
    "annotations": {"title": "A title", "idempotent": True},
    "parameters": {
        "type": "object",
        "description": "The parameters.",
        "required": ["key"],
        "additionalProperties": False,
        "properties": {
            "key": {"type": "string", "pattern": "^k", "maxLength": 7, "description": "The key."},
            "a-b": {"type": "integer", "minimum": 3, "default": 5},
            "mode": {"enum": ["on", "off"], "default": "on"},
            "rate": {"type": "integer", "multipleOf": 4},
            "list": {"type": "array", "items": {"type": "string", "pattern": "^i"}, "default": ["ix"]},
            "mixed": {"enum": [True, 1.5, "z"]},
            "tree": {"$ref": "#/$defs/tree"},
            "shape": {
                "anyOf": [
                    {"type": "object", "required": ["kind"], "properties": {"kind": {"const": kind}}}
                    for kind in ("round", "flat")
                ]
            },
            "count": {"enum": [1, 2.5, 3]},
            "names": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
            "day": {"type": "string", "format": "date"},
            "either": {
                "oneOf": [
                    {"type": "object", "required": [name], "properties": {name: {"type": "string"}}}
                    for name in ("a", "b")
                ]
            },
            "sizes": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2},
        },
        "$defs": {
            "tree": {"type": "object", "properties": {"child": {"$ref": "#/$defs/tree"}}, "minProperties": 1}
        },
    },
}
CHANGES = {
    "a pattern": ('self.key, "^k"', 'self.key, "^j"'),
    "a pattern of items": ('pattern="^i"', 'pattern="^j"'),
    "a pattern that is a format": (
        'check_pattern("key", self.key, "^k")',
        'check_format("key", self.key, "^k")',
    ),
    "a length": ("max_length=7", "max_length=8"),
    "a bound": ("ge=3", "ge=2"),
    "a default": ("default=5", "default=6"),
    "a default of another type": ("default=5", "default=True"),
    "a mutable default": ('["ix"]', '["iy"]'),
    "an enum member": ('Literal["on", "off"]', 'Literal["on", "of"]'),
    "the order of members": ('Literal["on", "off"]', 'Literal["off", "on"]'),
    "a checked member": ('(True, 1.5, "z")', '(True, 1.0, "z")'),
    "a step": ('"rate", self.rate, 4', '"rate", self.rate, 2'),
    "a checked field": ('"rate", self.rate', '"rates", self.rate'),
    "a wire name": ('name="a-b"', 'name="a_b"'),
    "a tag": ('tag="round"', 'tag="square"'),
    "a tag's constant": ('] = "round"', '] = "flat"'),
    "a tag's field": ('tag_field="kind"', 'tag_field="type"'),
    "a description": ('"""The key."""', '"""Any key."""'),
    "a class's description": ('"""The parameters."""', '"""The parameter."""'),
    "a lost description": ('    """The key."""\n', ""),
    "the binding's name": ('name="tool"', 'name="fool"'),
    "the binding's text": ("A description.", "Another one."),
    "the binding's summary": ('summary="A summary."', 'summary="None."'),
    "the permission": ('permission="read"', 'permission="write"'),
    "the secrets": ('secrets=("key",)', "secrets=()"),
    "an annotation": ('"idempotent": True', '"idempotent": False'),
    "a pointer": ("#/$defs/tree", "#/$defs/bush"),
    "the parameters": ("params=ToolParams,", "params=Tree,"),
    "the contract's file": ('contract="contracts/tool', 'contract="contracts/fool'),
    "the schemas' folder": ('schemas="schemas"', 'schemas="contracts"'),
    "what is exact": ("    schemas=", "    exact=False,\n    schemas="),
    "the parameters' form": ("    schemas=", '    params_form="exact",\n    schemas='),
    "the result's form": ("    schemas=", '    result_form="exact",\n    schemas='),
    "what is decoded": ("    schemas=", "    wire=CheckedTree,\n    schemas="),
    "the result": ("    schemas=", "    result=ToolParams,\n    schemas="),
    "an optional field": ("rate: int | None = None", "rate: int"),
    "a lost option": (", forbid_unknown_fields=True", ""),
    "a lost field": ("    rate: int | None = None\n", ""),
    "a statement in a class": ("    rate: int", "    print()\n    rate: int"),
    "a call": ("self.rate, 4", "self.rate, eval('4')"),
    "an expression": ("default=5", "default=5 + 0"),
    "a name for another": ("    Any,\n", "    Final as Any,\n"),
    "a lost check": ('        check_pattern("key", self.key, "^k")\n', ""),
    "a lost check of an optional field": (
        '        if self.rate is not None:\n            check_multiple_of("rate", self.rate, 4)\n',
        "",
    ),
    "a lost argument of a check": (', (True, 1.5, "z"))', ")"),
    "a check of another value": ('check_pattern("key", self.key', 'check_pattern("key", self.mode'),
    "a check's condition": ("if self.rate is not None", "if self.mixed is not None"),
    "a check that always holds": ("if self.rate is not None", "if self is not None"),
    "another check": ('check_unique("names"', 'check_properties("names"'),
    "checks under another name": ("def __post_init__", "def __init_post__"),
    "a type": ("rate: int | None", "rate: str | None"),
    "a wider type": ("rate: int | None", "rate: int | str | None"),
    "a type of items": ("names: list[str]", "names: list[int]"),
    "a lost constraint": ("Annotated[int, Meta(ge=3)]", "int"),
    "a constraint elsewhere": ("sizes: Annotated[dict", "sizes: list[dict[str, int]] | Annotated[dict"),
    "another union": ("ToolShapeRound | ToolShapeFlat", "ToolShapeRound | ToolEither"),
    "a lost branch": ('        ("/oneOf/1", lambda: CheckedToolEitherOption2),\n', ""),
    "a branch's type": (
        '"/oneOf/1", lambda: CheckedToolEitherOption2',
        '"/oneOf/1", lambda: CheckedToolEitherOption1',
    ),
    "a branch's place": ('"/oneOf/1"', '"/oneOf/0"'),
    "a marker": ("ToolCount = checked(", "ToolCount = one_of("),
    "a marker's place": ("#/parameters/properties/count", "#/parameters/properties/rate"),
    "a marker's file": ("contracts/tool.json#/parameters/properties/count", "contracts/t.json#/parameters"),
    "a marker's type": ("lambda: int | float", "lambda: int"),
    "what type checkers see": ("ToolCount: TypeAlias = int | float", "ToolCount: TypeAlias = str"),
    "where further properties go": (
        'lambda: Tree,\n        "additional',
        'lambda: Tree,\n        "x_additional',
    ),
    "what says where they go": ('ClassVar[str] = "additional', 'ClassVar[str] = "x_additional'),
    "their type": ("additional_properties: dict[str, Any]", "additional_properties: dict[str, str]"),
    "a lost unset": ("rate: int | None = None", "rate: int | None = UNSET"),
    "a factory": ("default_factory=lambda: [", "default=["),
}


OF_THE_BINDING = (
    "the binding's name",
    "the binding's text",
    "the binding's summary",
    "the permission",
    "the secrets",
    "an annotation",
    "the parameters",
    "the contract's file",
    "the schemas' folder",
    "what is exact",
    "the result's form",
    "what is decoded",
    "the result",
)
NOT_RUN = {
    "a statement": ("class ToolHandler", "print()\n\n\nclass ToolHandler"),
    "a function of Python": ("default=5", 'default=eval("5")'),
    "an import": ("import msgspec\n", "import msgspec\nimport os\n"),
    "a foreign name": ("from msgspec import Meta", "from os import path as Meta"),
    "an unknown type": ("rate: int", "rate: integer"),
    "what msgspec cannot decode": (
        "rate: int |",
        "rate: str | Literal['on'] | list[int] | tuple[int, ...] |",
    ),
    "no Python": ("class ToolHandler", "class"),
}


class Made:
    def __init__(self, folder: Path) -> None:
        self.tool = stages.spec(folder, json.dumps(SPEC))
        self.built = build_tool(self.tool, {})
        self.names = tool_names(self.tool)
        _, self.roots = tool_module(self.built, name=self.tool.name, module=self.names.module)
        self.text = stages.python(stages.compiled(self.tool))

    def changed(self, old: str, new: str) -> str:
        assert old in self.text, self.text
        return self.text.replace(old, new, 1)

    def check(self, text: str) -> None:
        check_tool(text.encode(), self.built, self.roots, self.names)

    def unlike(self, text: str) -> list[str]:
        with tool_module_run(text.encode(), self.built, self.names) as module:
            return unlike_its_spec(module, self.names.constant, self.tool, self.roots)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("specs"))


@pytest.mark.parametrize("change", NOT_RUN)
def test_a_module_that_does_not_run_is_refused(made: Made, change: str) -> None:
    made.check(made.text)
    with pytest.raises((UnsoundError, ValueError)):
        made.check(made.changed(*NOT_RUN[change]))


@pytest.mark.parametrize("change", OF_THE_BINDING)
def test_a_binding_of_another_tool_is_found(made: Made, change: str) -> None:
    assert made.unlike(made.text) == []
    assert made.unlike(made.changed(*CHANGES[change])) != []


@pytest.mark.parametrize("change", CHANGES)
def test_a_template_may_not_change_a_definition_or_the_binding(made: Made, change: str) -> None:
    require_definitions(made.text, made.text)
    with pytest.raises(UnsoundError):
        require_definitions(made.changed(*CHANGES[change]), made.text)


def test_nothing_stays_behind(tmp_path: Path) -> None:
    before = set(sys.modules)
    stages.compiled(stages.spec(tmp_path, json.dumps(SPEC)))
    assert not [name for name in set(sys.modules) - before if "proof" in name]


def test_an_overriding_template_may_add_but_not_change(tmp_path: Path) -> None:
    templates = tmp_path / "templates"
    templates.mkdir()
    built_in = Path(stages.__file__).resolve().parents[2] / "templates" / "tool.py.jinja"
    source = built_in.read_text("utf-8")
    tool = stages.spec(tmp_path / "specs", json.dumps(SPEC))
    options = Options(providers=("mcp",), templates=str(templates))
    added = """
OWNER = 'us'
{% for item in definitions if item.is_class %}
{{ item.name }}_TITLE = {{ item.doc or '""' }}
{% endfor %}
{% for name, value in binding if name == "permission" and value != '"read"' %}
AUDITED = True
{% endfor %}
"""
    (templates / "tool.py.jinja").write_text(source + added, "utf-8")
    outcome = compile_tool(tool, {}, options)
    assert b'OWNER = "us"' in outcome.files["tool.py"]
    assert b'ToolParams_TITLE = """The parameters."""' in outcome.files["tool.py"]
    assert b"AUDITED" not in outcome.files["tool.py"]
    parsed(outcome.files["tool.py"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("={{ value }}", "={{ value | upper }}"),
        ("{{ mark }}", "{{ mark }}\n{{ binding[7][1][1:-1] }}"),
        ("{{ mark }}", "{{ mark }}\n{{ 'import os' if 'sys' in binding[7][1] }}"),
    ],
    ids=["a changed text", "a text as statement", "a statement by a text"],
)
def test_a_template_that_makes_more_than_literals_of_texts_is_refused(
    tmp_path: Path, old: str, new: str
) -> None:
    built_in = Path(stages.__file__).resolve().parents[2] / "templates" / "tool.py.jinja"
    source = built_in.read_text("utf-8")
    (tmp_path / "tool.py.jinja").write_text(source.replace(old, new), "utf-8")
    tool = stages.spec(tmp_path / "specs", json.dumps({**SPEC, "description": "import sys"}))
    outcome = compile_tool(tool, {}, Options(providers=("mcp",), templates=str(tmp_path)))
    assert not outcome.files
    errors = [problem.code for problem in outcome.diagnostics if problem.severity == "error"]
    assert errors == ["unsound-module"]


def test_a_binding_says_that_its_struct_is_not_exact(tmp_path: Path) -> None:
    parameters = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "dependentRequired": {"a": ["b"]},
    }
    tool = stages.spec(tmp_path, json.dumps({**SPEC, "parameters": parameters, "secrets": []}))
    built, names = build_tool(tool, {}), tool_names(tool)
    _, roots = tool_module(built, name=tool.name, module=names.module)
    text = stages.python(stages.compiled(tool))
    assert "    exact=False,\n" in text
    with tool_module_run(text.encode(), built, names) as module:
        assert unlike_its_spec(module, names.constant, tool, roots) == []
    with tool_module_run(text.replace("    exact=False,\n", "").encode(), built, names) as module:
        assert unlike_its_spec(module, names.constant, tool, roots) == ["exact"]
