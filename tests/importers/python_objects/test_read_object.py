"""Functions and classes as declarations: parameters, descriptions, results, and what is refused."""

from typing import Any

import pytest
import yaml
from toolcast.diagnostics import Diagnostic
from toolcast.importers.declared_tools import Declared
from toolcast.importers.import_tools import specs_of
from toolcast.importers.python_objects.read_object import read_object

from tests.importers.python_objects import sample
from tests.python.compiled import package

SAMPLE = "tests.importers.python_objects.sample"
FILE = "tests/importers/python_objects/sample.py"


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> None:
    monkeypatch.chdir(pytestconfig.rootpath)


def declared(name: str) -> Declared:
    found = read_object(f"{SAMPLE}:{name}")
    assert found.diagnostics == ()
    (tool,) = found.tools
    return tool


def problems(name: str) -> list[Diagnostic]:
    found = read_object(f"{SAMPLE}:{name}")
    assert found.tools == ()
    assert {each.severity for each in found.diagnostics} == {"error"}
    return list(found.diagnostics)


def line_of(function: Any) -> int:
    line: int = function.__code__.co_firstlineno
    return line


def test_a_function_in_full() -> None:
    found = read_object(f"{SAMPLE}:get_forecast")
    (tool,) = found.tools
    (warning,) = found.diagnostics
    assert (found.kind, found.label) == ("python", f"{SAMPLE}:get_forecast")
    assert (tool.name, tool.spec_name) == (f"{SAMPLE}:get_forecast", "get_forecast")
    assert (tool.file, tool.line) == (FILE, line_of(sample.get_forecast))
    assert tool.description == "Get the forecast\nof a city.\n\nIt is free."
    assert tool.parameters == {
        "type": "object",
        "required": ["city"],
        "properties": {
            "city": {"type": "string", "description": "Name of the city."},
            "place": {
                "anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}],
                "description": "Where exactly.",
                "default": None,
            },
            "days": {
                "type": "integer", "minimum": 1, "maximum": 7, "description": "How many days.", "default": 3,
            },
            "unit": {"$ref": "#/$defs/Unit", "default": "c"},
            "when": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}], "default": None},
            "mode": {"enum": ["day", "night"], "description": "Which half.", "default": "day"},
        },
        "additionalProperties": {"type": "integer"},
        "$defs": {
            "Place": {
                "title": "Place",
                "description": "A place on the map.",
                "type": "object",
                "required": ["latitude"],
                "properties": {
                    "latitude": {"type": "number", "description": "Degrees north."},
                    "longitude": {"type": "number", "default": 0.0},
                },
            },
            "Unit": {"title": "Unit", "enum": ["c", "f"]},
        },
    }  # fmt: skip
    assert tool.result["$ref"] == "#/$defs/Forecast"
    assert tool.result["description"] == "What is expected."
    forecast = tool.result["$defs"]["Forecast"]
    assert forecast["description"] == "A forecast."
    assert forecast["properties"]["temperature"]["description"] == "In degrees."
    assert warning.severity == "warning"
    assert "parameter `session` has no JSON form" in warning.message


@pytest.mark.parametrize("name", ["numpy_style", "sphinx_style"])
def test_docstrings_of_other_styles(name: str) -> None:
    tool = declared(name)
    properties = tool.parameters["properties"]
    assert properties["city"]["description"] == "Name of the city."
    assert properties["days"] == {"type": "integer", "default": 3, "description": "How many days."}
    assert tool.description == "Get the forecast.\n\nReturns: A sentence."
    assert tool.result is None


def test_defaults() -> None:
    assert declared("implicit_none").parameters["properties"] == {"city": {"type": "string"}}
    days = declared("with_field").parameters
    assert days["properties"]["days"] == {
        "type": "integer", "minimum": 1, "description": "How many.", "default": 2,
    }  # fmt: skip
    assert "required" not in days
    aliased = declared("with_alias").parameters
    assert aliased["properties"]["class"] == {"type": "string", "description": "What it is."}
    assert (aliased["required"], [*aliased["properties"]]) == (["class"], ["class", "days"])
    containers = declared("with_containers").parameters["properties"]
    assert (containers["size"]["default"], containers["tags"]["default"]) == ([1, 2], ["a"])


def test_results() -> None:
    assert declared("awaited").result["items"] == {"$ref": "#/$defs/Forecast"}
    assert declared("with_field").result == {"type": "integer"}
    assert (declared("awaited").keeps_defaults, declared("with_field").keeps_defaults) == (True, False)
    assert declared("no_docstring").result is None
    found = read_object(f"{SAMPLE}:odd_result")
    assert found.tools[0].result is None
    (warning,) = found.diagnostics
    assert (warning.severity, warning.code) == ("warning", "import-python-result")


def test_callables() -> None:
    method, service, partial = (declared(name) for name in ("SERVICE.method", "SERVICE", "numpy_style"))
    assert (method.spec_name, method.description) == ("method", "Call it.")
    assert (service.spec_name, service.description) == ("service", "Call the service.")
    assert list(method.parameters["properties"]) == ["city"] == list(service.parameters["properties"])
    assert partial.description.startswith("Get the forecast.")
    (tool,) = read_object(f"{SAMPLE}:PARTIAL").tools
    assert tool.spec_name == "partial"
    assert tool.parameters["properties"]["days"]["default"] == 5


def test_collections() -> None:
    found = read_object(f"{SAMPLE}:TOOLS")
    assert [(tool.name.removeprefix(SAMPLE), tool.spec_name) for tool in found.tools] == [
        (":no_docstring", "no_docstring"),
        (":numpy_style", "numpy_style"),
        (":TOOLS#tools", "tools"),
        (":TOOLS['more'][2]", "tools"),
        (":GetPlace", "get_place"),
    ]
    (huge,) = problems("HUGE")
    assert "more than 5000 items" in huge.message


def test_a_pydantic_model() -> None:
    tool = declared("GetHTTPForecast")
    assert (tool.spec_name, tool.description) == ("get_http_forecast", "Get a forecast.")
    properties = tool.parameters["properties"]
    assert properties["cityName"] == {
        "title": "Cityname", "type": "string", "description": "Name of the city.",
    }  # fmt: skip
    assert properties["days"]["description"] == "How many days."
    assert properties["near"]["items"] == {"$ref": "#/$defs/GetHTTPForecast"}
    assert "GetHTTPForecast" in tool.parameters["$defs"]


def test_other_classes() -> None:
    place, struct, typed = (declared(name) for name in ("GetPlace", "GetStruct", "GetTyped"))
    assert place.parameters["properties"]["city"] == {
        "type": "string", "description": "Name of the city.",
    }  # fmt: skip
    assert place.parameters["required"] == ["city"]
    assert place.description == ""
    assert struct.parameters["additionalProperties"] is False
    assert struct.parameters["properties"]["cityName"]["description"] == "Name of the city."
    assert typed.parameters["properties"] == {"city": {"type": "string"}}
    assert typed.description == "Get it."
    assert place.parameters["$defs"]["Place"]["properties"]["latitude"]["description"] == "Degrees north."
    assert not typed.parameters["required"]


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("positional", "import-python-signature", "`city` is positional-only"),
        ("unreadable", "import-python-signature", "make it a parameter `cities: list[…]`"),
        ("unresolved", "import-python-signature", "names `Missing`, which its module does not have"),
        ("no_form", "import-python-type", "parameter `session` has no JSON form"),
        ("Session", "import-python-type", "it has no JSON form"),
        ("Unit", "import-python-type", "its values are no JSON objects"),
        ("ARRAY", "import-python-type", "its values are no JSON objects"),
        ("NUMBER", "import-python-tool", "an object of type int declares no tool"),
    ],
)
def test_what_is_refused(name: str, code: str, words: str) -> None:
    found = problems(name)
    assert found[0].code == code
    assert found[0].message.startswith(f"{SAMPLE}:{name}: ")
    assert words in found[0].message
    assert found[0].file == FILE


def test_every_problem_of_a_function() -> None:
    assert ["session" in each.message or "when" in each.message for each in problems("no_form")] == [True] * 2


def test_what_is_imported_compiles() -> None:
    names = [
        *(
            "get_forecast",
            "numpy_style",
            "implicit_none",
            "with_field",
            "with_alias",
            "awaited",
            "SERVICE",
            "TOOLS",
        ),
        *("GetHTTPForecast", "GetPlace", "GetStruct", "GetTyped"),
    ]
    specs: dict[str, str] = {}
    for name in names:
        specs |= specs_of(read_object(f"{SAMPLE}:{name}")).specs
    decided = {
        path: {**yaml.safe_load(text), "permission": "read", "secrets": []} for path, text in specs.items()
    }
    with package(decided) as bindings:
        assert len(bindings) == 14
        params: Any = bindings["get_forecast"].decode({"city": "Rome", "place": {"latitude": 1}, "x": 3})
        assert (params.city, params.days, params.additional_properties) == ("Rome", 3, {"x": 3})
