"""What tool schemas say, construct by construct, each with arguments that it accepts and that it refuses.

Every property that is not itself the point is required, so that no construct is judged for two things. What
is forbidden is forbidden by the schema; keys that nobody declared occur only where maps and open objects are
the point: strict modes close every object, which is no one's mistake.
"""

from __future__ import annotations

from .construct import TEXT, WHOLE, Construct, nested, one, record, root, spoiled

_DEEP, _DEEP_VALUE = nested(11)
_CAT = {
    "type": "object",
    "properties": {"kind": {"const": "cat"}, "lives": WHOLE},
    "required": ["kind", "lives"],
}
_DOG = {
    "type": "object",
    "properties": {"kind": {"const": "dog"}, "name": TEXT},
    "required": ["kind", "name"],
}
_TREE = {
    "type": "object",
    "properties": {"label": TEXT, "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
    "required": ["label", "children"],
}
_LEAF = {"label": "leaf", "children": []}
_JSON = {
    "anyOf": [
        TEXT,
        {"type": "number"},
        {"type": "array", "items": {"$ref": "#/$defs/Json"}},
    ]
}

CONSTRUCTS: tuple[Construct, ...] = (
    root(
        "optional properties",
        {
            "type": "object",
            "properties": {"path": TEXT, "limit": WHOLE, "note": TEXT},
            "required": ["path"],
        },
        [{"path": "a"}, {"path": "a", "limit": 3}, {"path": "a", "limit": 3, "note": "n"}],
        [{}, {"path": 1}, {"path": "a", "limit": "three"}],
    ),
    one(
        "map of numbers",
        {"type": "object", "additionalProperties": {"type": "number"}},
        [{}, {"a": 1}, {"a": 1.5, "b": 2}],
        ["a", {"a": "one"}],
    ),
    one(
        "map beside properties",
        {**record(name=TEXT), "additionalProperties": WHOLE},
        [{"name": "n"}, {"name": "n", "extra": 3}],
        [{"extra": 3}, {"name": "n", "extra": "three"}],
    ),
    one("free-form object", {"type": "object"}, [{}, {"any": ["thing", 1]}], ["text", [1]]),
    one(
        "object with additionalProperties true",
        {**record(name=TEXT), "additionalProperties": True},
        [{"name": "n"}, {"name": "n", "more": [1]}],
        [{}, {"name": 1}],
    ),
    one(
        "closed object",
        {**record(name=TEXT), "additionalProperties": False},
        [{"name": "n"}],
        [{}, {"name": "n", "more": 1}],
    ),
    root("no parameters", {"type": "object", "properties": {}}, [{}], [[], "x"]),
    one(
        "allOf with one reference",
        {"allOf": [{"$ref": "#/$defs/Name"}], "description": "Who."},
        ["n"],
        [1],
        {"Name": TEXT},
    ),
    one(
        "allOf of two objects",
        {"allOf": [record(a=TEXT), record(b=WHOLE)]},
        [{"a": "x", "b": 1}],
        [{"a": "x"}, {"b": 1}, {"a": 1, "b": 1}],
    ),
    one("oneOf of two types", {"oneOf": [TEXT, WHOLE]}, ["a", 1], [1.5, [], None]),
    one(
        "oneOf of two objects", {"oneOf": [record(a=TEXT), record(b=WHOLE)]}, [{"a": "x"}, {"b": 1}], [{}, 3]
    ),
    one(
        "discriminated union",
        {
            "oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
            "discriminator": {
                "propertyName": "kind",
                "mapping": {"cat": "#/$defs/Cat", "dog": "#/$defs/Dog"},
            },
        },
        [{"kind": "cat", "lives": 9}, {"kind": "dog", "name": "Rex"}],
        [{"kind": "cow", "name": "x"}, {"kind": "cat", "lives": "nine"}, {}],
        {"Cat": _CAT, "Dog": _DOG},
    ),
    one("anyOf with null", {"anyOf": [TEXT, {"type": "null"}]}, ["a", None], [1, []]),
    one(
        "anyOf beside properties",
        {
            "type": "object",
            "properties": {"a": TEXT, "b": TEXT},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        [{"a": "x"}, {"b": "y"}, {"a": "x", "b": "y"}],
        [{}, {"a": 1}],
    ),
    one(
        "anyOf inside anyOf",
        {"anyOf": [{"anyOf": [TEXT, WHOLE]}, {"type": "boolean"}]},
        ["a", 1, True],
        [[], None],
    ),
    one(
        "recursion",
        {"$ref": "#/$defs/Tree"},
        [
            _LEAF,
            {"label": "root", "children": [_LEAF]},
            {"label": "r", "children": [{"label": "m", "children": [_LEAF]}]},
        ],
        [{"label": "root"}, {"label": "root", "children": [1]}],
        {"Tree": _TREE},
    ),
    one(
        "recursion through a union of scalars and lists",
        {"$ref": "#/$defs/Json"},
        ["a", 1.5, ["a", 1], ["a", ["b", [1]]]],
        [True, {"a": 1}],
        {"Json": _JSON},
    ),
    one(
        "mutual recursion",
        {"$ref": "#/$defs/Folder"},
        [
            {"files": []},
            {"files": [{"name": "f", "inside": None}]},
            {"files": [{"name": "f", "inside": {"files": []}}]},
        ],
        [{}, {"files": [{"name": 1, "inside": None}]}],
        {
            "Folder": record(files={"type": "array", "items": {"$ref": "#/$defs/File"}}),
            "File": record(name=TEXT, inside={"anyOf": [{"$ref": "#/$defs/Folder"}, {"type": "null"}]}),
        },
    ),
    one("const string", {"const": "on"}, ["on"], ["off", 1]),
    one("const integer", {"type": "integer", "const": 7}, [7], [8, "7"]),
    one("enum of integers", {"type": "integer", "enum": [1, 2, 3]}, [1, 3], [4, "1"]),
    one("enum of mixed types", {"enum": ["auto", 1, True, None]}, ["auto", 1, True, None], ["1", 2, False]),
    one("enum with an empty string", {"type": "string", "enum": ["", "a"]}, ["", "a"], ["b", 1]),
    one(
        "large enum",
        {"type": "string", "enum": [f"choice-{i}" for i in range(300)]},
        ["choice-0", "choice-299"],
        ["choice-300", 1],
    ),
    one("type array with null", {"type": ["string", "null"]}, ["a", None], [1, []]),
    one("type array of scalars", {"type": ["string", "integer"]}, ["a", 1], [1.5, None, []]),
    one(
        "nullable object by type array",
        {**record(a=TEXT), "type": ["object", "null"]},
        [{"a": "x"}, None],
        [{}, {"a": 1}, "x"],
    ),
    one("nullable of OpenAPI 3.0", {"type": "string", "nullable": True}, ["a", None], [1, []]),
    one(
        "tuple, closed",
        {"type": "array", "prefixItems": [TEXT, WHOLE], "items": False, "minItems": 2},
        [["a", 1]],
        [["a"], [1, "a"], ["a", 1, 2]],
    ),
    one(
        "tuple, open",
        {"type": "array", "prefixItems": [TEXT, WHOLE], "minItems": 2},
        [["a", 1], ["a", 1, "more"]],
        [["a"], [1, "a"]],
    ),
    one(
        "tuple of draft 7",
        {"type": "array", "items": [TEXT, WHOLE], "additionalItems": False},
        [["a", 1], ["a"], []],
        [[1, "a"], ["a", 1, 2]],
        draft=7,
    ),
    one("array without items", {"type": "array"}, [[], [1, "a"]], ["a", {}]),
    one(
        "reference with siblings",
        {"$ref": "#/$defs/Name", "description": "Who asks.", "maxLength": 3},
        ["abc"],
        ["abcd", 1],
        {"Name": TEXT},
    ),
    root(
        "references to definitions (draft 7)",
        {
            "type": "object",
            "properties": {"value": {"$ref": "#/definitions/Name"}},
            "required": ["value"],
            "definitions": {"Name": {"type": "string", "minLength": 1}},
        },
        [{"value": "a"}],
        [{"value": ""}, {"value": 1}, {}],
        draft=7,
    ),
    one("escaped reference", {"$ref": "#/$defs/a~1b%20c"}, [1], ["a"], {"a/b c": WHOLE}),
    root(
        "reference to a property",
        {
            "type": "object",
            "properties": {"first": record(a=TEXT), "second": {"$ref": "#/properties/first"}},
            "required": ["first", "second"],
        },
        [{"first": {"a": "x"}, "second": {"a": "y"}}],
        [{"first": {"a": "x"}}, {"first": {"a": "x"}, "second": {"a": 1}}],
    ),
    root(
        "properties named like keywords",
        {
            "type": "object",
            "properties": {"strict": {"type": "boolean"}, "title": TEXT, "pattern": TEXT, "type": TEXT},
            "required": ["strict", "title", "pattern", "type"],
        },
        [{"strict": True, "title": "t", "pattern": "p", "type": "x"}],
        [
            {"strict": True, "title": "t", "pattern": "p"},
            {"strict": 1, "title": "t", "pattern": "p", "type": "x"},
        ],
    ),
    one("eleven levels deep", _DEEP, [_DEEP_VALUE], [spoiled(_DEEP_VALUE), {}]),
    one("format uri", {"type": "string", "format": "uri"}, ["https://example.com/a"], [1]),
    one("format date-time", {"type": "string", "format": "date-time"}, ["2026-01-02T03:04:05Z"], [1]),
    one("bounds of numbers", {"type": "integer", "minimum": 1, "maximum": 10}, [1, 10], [0, 11, "1"]),
    one(
        "exclusive bounds and multiples",
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 10, "multipleOf": 0.5},
        [0.5, 9.5],
        [0, 10, 0.3, "1"],
    ),
    one(
        "length of text", {"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "abc"], ["a", "abcd", 1]
    ),
    one(
        "length of lists",
        {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 2},
        [["a"], ["a", "b"]],
        [[], ["a", "b", "c"], [1]],
    ),
    one("pattern", {"type": "string", "pattern": "^[a-z]+$"}, ["abc"], ["ABC", "", 1]),
    one("pattern with lookaround", {"type": "string", "pattern": "^(?!/)[a-z/]+$"}, ["a/b"], ["/a", 1]),
    one("uniqueItems", {"type": "array", "items": WHOLE, "uniqueItems": True}, [[1, 2]], [[1, 1], ["a"]]),
    one(
        "minProperties and maxProperties",
        {"type": "object", "additionalProperties": WHOLE, "minProperties": 1, "maxProperties": 2},
        [{"a": 1}, {"a": 1, "b": 2}],
        [{}, {"a": 1, "b": 2, "c": 3}, {"a": "x"}],
    ),
    one(
        "patternProperties",
        {"type": "object", "patternProperties": {"^x-": WHOLE}, "additionalProperties": False},
        [{}, {"x-a": 1}],
        [{"x-a": "one"}, {"y": 1}],
    ),
    one(
        "propertyNames",
        {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "additionalProperties": WHOLE},
        [{}, {"a": 1}],
        [{"A": 1}, {"a": "x"}],
    ),
    one("not", {"type": "string", "not": {"enum": ["root"]}}, ["guest"], ["root", 1]),
    one(
        "if, then, else",
        {
            "type": "object",
            "properties": {"mode": {"type": "string", "enum": ["url", "file"]}, "url": TEXT, "file": TEXT},
            "required": ["mode"],
            "if": {"properties": {"mode": {"const": "url"}}},
            "then": {"required": ["url"]},
            "else": {"required": ["file"]},
        },
        [{"mode": "url", "url": "u"}, {"mode": "file", "file": "f"}],
        [{"mode": "url"}, {"mode": "file", "url": "u"}, {"mode": "ftp", "file": "f"}],
    ),
    one(
        "dependentRequired",
        {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "dependentRequired": {"a": ["b"]}},
        [{}, {"b": "y"}, {"a": "x", "b": "y"}],
        [{"a": "x"}, {"b": 1}],
    ),
    root(
        "default",
        {"type": "object", "properties": {"limit": {"type": "integer", "default": 10}}},
        [{}, {"limit": 3}],
        [{"limit": "three"}],
    ),
    root(
        "boolean schemas",
        {"type": "object", "properties": {"any": True, "never": False}, "required": ["any"]},
        [{"any": 1}, {"any": "x"}, {"any": [1]}],
        [{}, {"any": 1, "never": 2}],
    ),
    one("untyped value", {"description": "Any JSON."}, ["a", 1, None, {"a": 1}, [[1]]], []),
    one(
        "vendor keys",
        {"type": "string", "x-order": 1, "x-enum-names": ["A"], "markdownDescription": "**m**"},
        ["a"],
        [1],
    ),
    root(
        "anyOf at the root",
        {
            "type": "object",
            "properties": {"id": TEXT, "name": TEXT},
            "anyOf": [{"required": ["id"]}, {"required": ["name"]}],
        },
        [{"id": "i"}, {"name": "n"}],
        [{}, {"id": 1}],
    ),
    root(
        "reference at the root",
        {"$ref": "#/$defs/Input", "$defs": {"Input": {**record(path=TEXT), "description": "Where."}}},
        [{"path": "p"}],
        [{}, {"path": 1}],
    ),
)
