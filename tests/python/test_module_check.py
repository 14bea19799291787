"""The proof before publishing can fail: a module that says anything else than its spec is refused."""

import json
import sys
from pathlib import Path

import pytest
from toolcast.contract.build import build_tool
from toolcast.project.core.compiler import Options, check_tool, compile_tool, tool_names
from toolcast.python.bindings.format import parsed
from toolcast.python.check.unsound_error import UnsoundError
from toolcast.python.structs.module import tool_module

from tests.python import stages

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
    "what is decoded": ("    schemas=", "    wire=CheckedTree,\n    schemas="),
    "the result": ("    schemas=", "    result=ToolParams,\n    schemas="),
    "an optional field": ("rate: int | None = None", "rate: int"),
    "a lost option": (", forbid_unknown_fields=True", ""),
    "a lost field": ("    rate: int | None = None\n", ""),
    "a statement": ("class ToolHandler", "print()\n\n\nclass ToolHandler"),
    "a statement in a class": ("    rate: int", "    print()\n    rate: int"),
    "a call": ("self.rate, 4", "self.rate, eval('4')"),
    "an expression": ("default=5", "default=5 + 0"),
    "an import": ("import msgspec\n", "import msgspec\nimport os\n"),
    "a name for another": ("    Any,\n", "    Final as Any,\n"),
    "a foreign name": ("from msgspec import Meta", "from os import path as Meta"),
    "an unknown type": ("rate: int", "rate: integer"),
    "the handler's base": ("ToolHandler(Protocol)", "ToolHandler(Struct)"),
    "a keyword of the handler": ("ToolHandler(Protocol)", "ToolHandler(Protocol, metaclass=type)"),
    "what the handler takes": ("params: ToolParams", "params: Unknown"),
    "what the handler takes beside": ("context: ToolContext, /\n", "context: ToolContext, /, *more: int\n"),
    "a default of the handler": ("context: ToolContext, /\n", "context: ToolContext = print(), /\n"),
    "what the handler returns": ("-> Returns[str | None]", "-> Returns[print()]"),
    "what the handler does": ("]: ...\n", "]: print()\n"),
    "the binding's type": ("Final[ToolBinding[", "Final[print()["),
    "what msgspec cannot decode": (
        "rate: int |",
        "rate: str | Literal['on'] | list[int] | tuple[int, ...] |",
    ),
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
    "no Python": ("class ToolHandler", "class"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_module_is_refused(tmp_path: Path, change: str) -> None:
    tool = stages.spec(tmp_path, json.dumps(SPEC))
    built = build_tool(tool, {})
    names = tool_names(tool)
    module, roots = tool_module(built, name=tool.name, module=names.module)
    text = stages.python(stages.compiled(tool))
    check_tool(text.encode(), tool, built, module, roots, names, stages.OPTIONS)
    old, new = CHANGES[change]
    assert old in text, text
    with pytest.raises((UnsoundError, ValueError)):
        check_tool(text.replace(old, new, 1).encode(), tool, built, module, roots, names, stages.OPTIONS)


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
    (templates / "tool.py.jinja").write_text(source + "\nOWNER = 'us'\n", "utf-8")
    outcome = compile_tool(tool, {}, options)
    assert b'OWNER = "us"' in outcome.files["tool.py"]
    parsed(outcome.files["tool.py"])


def test_a_template_that_changes_a_text_is_refused(tmp_path: Path) -> None:
    built_in = Path(stages.__file__).resolve().parents[2] / "templates" / "tool.py.jinja"
    source = built_in.read_text("utf-8")
    (tmp_path / "tool.py.jinja").write_text(source.replace("={{ value }}", "={{ value | upper }}"), "utf-8")
    tool = stages.spec(tmp_path / "specs", json.dumps(SPEC))
    outcome = compile_tool(tool, {}, Options(providers=("mcp",), templates=str(tmp_path)))
    assert not outcome.files
    assert [problem.code for problem in outcome.diagnostics] == ["unsound-module"]


def test_a_binding_says_that_its_struct_is_not_exact(tmp_path: Path) -> None:
    parameters = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "dependentRequired": {"a": ["b"]},
    }
    tool = stages.spec(tmp_path, json.dumps({**SPEC, "parameters": parameters, "secrets": []}))
    built, names = build_tool(tool, {}), tool_names(tool)
    module, roots = tool_module(built, name=tool.name, module=names.module)
    text = stages.python(stages.compiled(tool))
    assert "    exact=False,\n" in text
    changed = text.replace("    exact=False,\n", "").encode()
    with pytest.raises(UnsoundError, match="the exact of its binding is not the spec's"):
        check_tool(changed, tool, built, module, roots, names, stages.OPTIONS)
