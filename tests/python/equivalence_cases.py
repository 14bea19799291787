# ruff: noqa: E501  # the cases read best one to a line
"""One package that holds every awkward construct at once: its decoders are tried, its types are checked."""

from typing import Any

ODD_NAMES = [
    "class", "x-y", "__init__", "__post_init__", "__struct_fields__", "ﬁ", "fi", "²", "2fa", "list", "str", "type",
    "id", "dict", "self", "msgspec", "Any", "a b", "a-b", "a_b", "a_b_2", "", "_", "__", "None", "True", "UNSET",
    "Meta", "int", "float", "bool", "tuple", "object", "Literal", "Annotated", "ClassVar", "Struct", "checked",
    "property", "lambda", "match", "NamesParams", "NamesParamsNested", "µ", "𝐱", "x", "a.b", 'q"', "l\nf", "\\",
    "additional_properties", "field", "é", "e\u0301", "$ref", "items", "print", "super", "\u0000", "名前",
]  # fmt: skip
"""Keywords, dashes, dunders, equal under NFKC, digits first, builtins, equal after cleaning, empty, and more."""


def closed(properties: dict[str, Any], required: list[str] | None = None, **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "additionalProperties": False, **more}
    return {**schema, "required": required} if required else schema


TEXT, WHOLE = {"type": "string"}, {"type": "integer"}

NAMES = closed(
    {
        **dict.fromkeys(ODD_NAMES, TEXT),
        "nested": closed({"list": WHOLE, "values": {"type": "array", "items": WHOLE}, "str": TEXT}),
    }
)

DEFAULTS = closed(
    {
        "text": {"type": "string", "default": 'it\'s "x"'},
        "whole": {"type": "integer", "default": 5.0},
        "real": {"type": "number", "default": 1},
        "flag": {"type": "boolean", "default": False},
        "empty": {"type": "array", "items": TEXT, "default": []},
        "some": {"type": "array", "items": TEXT, "default": ["a"]},
        "map": {"type": "object", "additionalProperties": WHOLE, "default": {"a": 1}},
        "nested": {**closed({"a": WHOLE}), "default": {"a": 1}},
        "pair": {
            "type": "array",
            "prefixItems": [WHOLE, TEXT],
            "items": False,
            "minItems": 2,
            "default": [1, "a"],
        },
        "choice": {"enum": ["a", "b"], "default": "a"},
        "mixed": {"enum": [1, "a", None, 1.5, True], "default": None},
        "nullable": {"type": ["string", "null"]},
        "nullable_default": {"type": ["string", "null"], "default": "x"},
        "null_default": {"type": ["string", "null"], "default": None},
        "unique": {"type": "array", "items": WHOLE, "uniqueItems": True, "default": [1, 2]},
        "objects": {"type": "array", "items": closed({"a": WHOLE}), "default": [{"a": 1}]},
    }
)

RECURSIVE = {
    **closed(
        {
            "children": {"type": "array", "items": {"$ref": "#"}},
            "tree": {"$ref": "#/$defs/Tree"},
            "json": {"$ref": "#/$defs/Json"},
            "even": {"$ref": "#/$defs/Even"},
            "loop": {"$ref": "../_types/left.json"},
        }
    ),
    "$defs": {
        "Tree": closed(
            {"value": WHOLE, "left": {"$ref": "#/$defs/Tree"}, "right": {"$ref": "#/$defs/Tree"}}, ["value"]
        ),
        "Json": {
            "anyOf": [
                {"type": ["null", "boolean", "number", "string"]},
                {"type": "array", "items": {"$ref": "#/$defs/Json"}},
                {"type": "object", "additionalProperties": {"$ref": "#/$defs/Json"}},
            ]
        },
        "Even": {"type": "array", "items": {"$ref": "#/$defs/Odd"}},
        "Odd": {"type": "array", "items": {"$ref": "#/$defs/Even"}, "maxItems": 1},
    },
}

TAGGED = {
    **closed(
        {
            "one": {"oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]},
            "many": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]}},
            "by_name": {
                "type": "object",
                "additionalProperties": {
                    "oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}, {"type": "null"}]
                },
            },
            "alone": {"$ref": "#/$defs/Cat"},
            "numbered": {
                "oneOf": [
                    closed({"v": {"const": 1}, "a": TEXT}, ["v", "a"]),
                    closed({"v": {"const": 2}, "b": TEXT}, ["v", "b"]),
                ]
            },
            "untagged": {"anyOf": [closed({"a": WHOLE}, ["a"]), closed({"b": TEXT}, ["b"])]},
            "lists": {"anyOf": [{"type": "array", "items": WHOLE}, {"type": "array", "items": TEXT}]},
            "exclusive": {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 10}]},
        }
    ),
    "$defs": {
        "Cat": closed({"kind": {"const": "cat"}, "lives": WHOLE}, ["kind"]),
        "Dog": closed({"kind": {"const": "dog"}, "name": TEXT}, ["kind", "name"]),
    },
}

SCALARS = closed(
    {
        "huge": {"type": "integer", "minimum": -(2**70), "maximum": 2**70},
        "edge": {"type": "integer", "exclusiveMaximum": 2**63, "minimum": -(2**63)},
        "fraction": {"type": "integer", "minimum": 0.5, "exclusiveMaximum": 9.5},
        "tenth": {"type": "number", "multipleOf": 0.1},
        "precise": {"type": "number", "minimum": 2**53 + 1},
        "mixed": {"enum": [1, "a", None, 1.5, True, {"a": [1]}]},
        "numbers": {"enum": [1, 2.5]},
        "unique": {"type": "array", "uniqueItems": True},
        "pair": {"type": "array", "prefixItems": [WHOLE, TEXT], "items": False, "minItems": 2},
        "none": {"type": "null"},
        "sizes": {
            "type": "array",
            "items": {"type": "string", "pattern": "^a", "maxLength": 3},
            "minItems": 1,
        },
        "keys": {"type": "object", "propertyNames": {"pattern": "^k"}, "additionalProperties": WHOLE},
        "extra": {"type": "object", "properties": {"a": WHOLE}, "additionalProperties": TEXT},
        "open": {"type": "object", "properties": {"a": WHOLE}},
        "patterns": {"type": "object", "patternProperties": {"^n": WHOLE}, "additionalProperties": TEXT},
        "hostile": {"enum": ['"""', "\\", "'; import os", "{{ x }}", "\u2028"], "description": 'Ends """ \\'},
    }
)

TOOLS: dict[str, Any] = {
    "odd/names.json": NAMES,
    "odd/defaults.json": DEFAULTS,
    "odd/recursive.json": RECURSIVE,
    "odd/tagged.json": TAGGED,
    "odd/scalars.json": SCALARS,
}
TYPES: dict[str, Any] = {
    "_types/left.json": closed({"right": {"$ref": "right.json"}, "many": {"type": "array", "items": {"$ref": "#"}}}),
    "_types/right.json": closed({"left": {"$ref": "left.json"}, "lefts": {"$ref": "#/$defs/Lefts"}}, **{
        "$defs": {"Lefts": {"type": "array", "items": {"$ref": "left.json"}}},
    }),
}  # fmt: skip
