"""The OpenAPI document of tools: read by validators, generators and the import of OpenAPI, which agree."""

import json
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from datamodel_code_generator import DataModelType, InputFileType, generate
from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.containment.compare import compare
from toolcast.contract.build import Built
from toolcast.importers.declared_tools import Declared
from toolcast.importers.openapi.document import OpenApiDocument, parse_openapi
from toolcast.importers.openapi.read_openapi import declarations_of
from toolcast.importers.spec_text import declared_keys
from toolcast.targets.openapi import About, Operation, openapi_document
from toolcast.targets.render import set_outputs

from tests.optional import load
from tests.sampled import sampled
from tests.targets.models import (
    Tools,
    built_in,
    corpus_tools,
    model_of,
    python_client,
    reference_tools,
    together,
)
from tests.targets.test_targets import HOSTILE

TARGET = built_in("openapi", title="Tools", version="1.0")
ABOUT = About(title="Tools", version="1.0")
COMPONENT = st.sampled_from(["a", "A", "a_b", "a-b", "a.b", "é", "1", "a_parameters", "tool_error", "/", "~"])


def content_of(tools: Tools) -> bytes:
    (content,) = set_outputs(TARGET, together(tools)).values()
    return content


@pytest.fixture(scope="module", params=["reference", pytest.param("corpora", marks=pytest.mark.corpora)])
def tools(request: pytest.FixtureRequest) -> Tools:
    if request.param == "reference":
        return reference_tools()
    found = corpus_tools(request.getfixturevalue("shared_dir"))
    assert len(found) == 200
    return found


def imported(content: bytes) -> dict[str, Declared]:
    document = parse_openapi(content, "openapi.json")
    assert isinstance(document, OpenApiDocument), document
    found = declarations_of(document)
    assert found.diagnostics == ()
    return {each.name: each for each in found.tools}


@cache
def published() -> Any:
    """The published schema of OpenAPI 3.1."""
    folder = Path(load("openapi_spec_validator").__file__).parent / "resources/schemas/v3.1"
    return jsonschema_rs.Draft202012Validator(json.loads((folder / "schema.json").read_bytes()))


def official(document: Any) -> None:
    """Hold a document to the published schema, and its schemas to that of JSON Schema."""
    published().validate(document)
    for component in document["components"]["schemas"].values():
        jsonschema_rs.meta.validate({**component, "$schema": "https://json-schema.org/draft/2020-12/schema"})


def test_independent_validators_accept_it(tools: Tools) -> None:
    document = json.loads(content_of(tools))
    assert len(document["paths"]) == len(tools)
    official(document)
    load("openapi_pydantic").OpenAPI.model_validate(document)


@pytest.mark.parametrize("tools", sampled(["reference", "corpora"], ["reference"]), indirect=True)
def test_the_validator_of_python_s_openapi_tools_accepts_it(tools: Tools) -> None:
    document = json.loads(content_of(tools))
    load("openapi_spec_validator").OpenAPIV31SpecValidator(document).validate()


def test_imported_again_the_contracts_are_equal(tools: Tools) -> None:
    """An import closes the object of arguments, for what is not declared has no place in a request; results
    it takes wider, as it does all of them.
    """
    found = imported(content_of(tools))
    assert found.keys() == {model.names.wire for model, _ in tools}
    for model, built in tools:
        each = found[model.names.wire]
        spread = each.http["in"].get("body") != {"in": "body", "whole": True}
        parameters = each.parameters if spread else whole_body(each)
        again = contract_of({"parameters": parameters, "result": each.result})
        before = (
            contract_of({"parameters": {**model.parameters, "additionalProperties": False}})
            if spread
            else built
        )
        pairs = ((before, again, "parameters"), (again, before, "parameters"), (built, again, "result"))
        for old, new, root in pairs:
            comparison = compare(old, new, root)
            assert comparison.verdict == "contained", (model.names.wire, root, comparison)
        assert (each.result is None) == (model.result is None)


def whole_body(tool: Declared) -> dict[str, Any]:
    """The arguments of a tool that sends a whole body."""
    definitions = {"$defs": tool.parameters["$defs"]} if "$defs" in tool.parameters else {}
    return {**tool.parameters["properties"]["body"], **definitions}


def contract_of(spec: dict[str, Any]) -> Built:
    found = model_of("again", {key: value for key, value in spec.items() if value is not None})
    assert found is not None, spec
    return found[1]


def test_a_generator_of_models_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    load("email_validator")  # for addresses, by pydantic
    made = generate(
        content_of(reference_tools()).decode(),
        input_file_type=InputFileType.OpenAPI,
        output_model_type=DataModelType.PydanticV2BaseModel,
        formatters=[],
    )
    module = ModuleType("made_models")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # pydantic looks there
    exec(compile(str(made), "models.py", "exec"), module.__dict__)
    arguments = module.GlobParameters(pattern="x")
    assert arguments.model_dump(exclude_unset=True) == {"pattern": "x"}


@pytest.mark.corpora
@pytest.mark.thorough
def test_a_generator_of_clients_reads_it(shared_dir: Path, tmp_path: Path) -> None:
    python_client(content_of(corpus_tools(shared_dir)), tmp_path, "client")
    assert len([*(tmp_path / "client/api").glob("*/[!_]*.py")]) == 200


def tool(name: str, **changes: Any) -> Operation:
    texts = dict.fromkeys(("group", "summary", "description"), "")
    return Operation(
        **{"name": name, **texts, "deprecated": False, "parameters": {}, "result": None, **changes}
    )


def with_definitions(name: str, definitions: dict[str, Any]) -> Operation:
    properties = {f"p{at}": {"$ref": f"#/$defs/{pointer(each)}"} for at, each in enumerate(definitions)}
    return tool(name, parameters={"type": "object", "properties": properties, "$defs": definitions})


def pointer(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def test_what_tools_share_is_one_component() -> None:
    shared, own = {"type": "string"}, {"type": "integer"}
    document = openapi_document(
        [with_definitions("a", {"x": shared, "y": own}), with_definitions("b", {"x": shared, "y": shared})],
        ABOUT,
    )
    assert [*document["components"]["schemas"]] == [
        "a_parameters",
        "a_y",
        "b_parameters",
        "b_y",
        "tool_error",
        "x",
    ]


def test_a_definition_that_refers_to_others_is_shared_with_all_of_them() -> None:
    chain = {
        "x": {"items": {"$ref": "#/$defs/y"}},
        "y": {"items": {"$ref": "#/$defs/x"}},
        "z": {"items": {"$ref": "#"}},
    }
    other = {**chain, "y": {"type": "null"}}
    names = openapi_document([with_definitions("a", chain), with_definitions("b", chain)], ABOUT)
    assert {"x", "y", "a_z", "b_z"} <= names["components"]["schemas"].keys()
    names = openapi_document([with_definitions("a", chain), with_definitions("b", other)], ABOUT)
    assert {"a_x", "a_y", "b_x", "b_y"} <= names["components"]["schemas"].keys()


@given(
    tools=st.dictionaries(
        COMPONENT.filter(str.isidentifier),
        st.dictionaries(COMPONENT, st.sampled_from(["string", "null"]), max_size=4),
    )
)
def test_names_of_components_never_clash(tools: dict[str, dict[str, str]]) -> None:
    """Every reference leads to what it named, and no two names are one to a generator."""
    operations = [
        with_definitions(name, {each: {"type": kind, "title": each} for each, kind in found.items()})
        for name, found in tools.items()
    ]
    document = openapi_document(operations, ABOUT)
    official(document)
    schemas = document["components"]["schemas"]
    assert len({name.lower().replace("_", "").replace("-", "") for name in schemas}) == len(schemas)
    for name, found in tools.items():
        body = document["paths"][f"/tools/{name}"]["post"]["requestBody"]["content"]["application/json"][
            "schema"
        ]
        properties = schemas[body["$ref"].rpartition("/")[2]].get("properties", {})
        for at, (definition, kind) in enumerate(found.items()):
            reached = schemas[properties[f"p{at}"]["$ref"].rpartition("/")[2]]
            assert reached == {"type": kind, "title": definition}


def test_what_the_program_fills_in_and_carries_out_elsewhere_is_left_out() -> None:
    properties = {"user": {"type": "string"}, "text": {"type": "string"}}
    parameters = {"type": "object", "required": ["user", "text"], "properties": properties}
    spec = {"parameters": parameters, "inject": {"user": "context.user"}}
    found = [model_of("told", spec), model_of("external", {**spec, "external": True})]
    document = json.loads(content_of(tuple(each for each in found if each is not None)))
    assert [*document["paths"]] == ["/tools/told"]
    assert "user" not in json.dumps(document)


@pytest.mark.parametrize("bearer", [True, False])
def test_scopes_are_the_security_of_an_operation_and_are_imported_again(bearer: bool) -> None:
    found = [model_of("plain", {}), model_of("scoped", {"scopes": ["orders:read", "orders"]})]
    target = built_in("openapi", title="Tools", version="1.0", bearer=bearer)
    models = together(tuple(each for each in found if each is not None))
    (content,) = set_outputs(target, models).values()
    document = json.loads(content)
    load("openapi_spec_validator").OpenAPIV31SpecValidator(document).validate()
    official(document)
    assert document.get("security") == ([{"bearer": []}] if bearer else None)
    stated = {path: each["post"].get("security") for path, each in document["paths"].items()}
    assert stated == {"/tools/plain": None, "/tools/scoped": [{"bearer": ["orders:read", "orders"]}]}
    again = imported(content)
    assert {name: each.scopes for name, each in again.items()} == {
        "plain": (),
        "scoped": ("orders:read", "orders"),
    }
    data = declared_keys(again["scoped"], "scoped", 0)
    model = model_of("scoped", {key: data[key] for key in ("scopes", "parameters")})
    assert model is not None
    (once_more,) = set_outputs(target, together((model,))).values()
    assert json.loads(once_more)["paths"]["/tools/scoped"]["post"]["security"] == stated["/tools/scoped"]


def test_keywords_to_which_openapi_gives_another_meaning_are_left_out() -> None:
    properties = {
        "id": {"type": "string", "readOnly": True, "xml": {"name": "x"}, "nullable": True, "default": None},
        "pair": {
            "prefixItems": [True],
            "items": False,
            "discriminator": {"propertyName": "k"},
        },
    }
    given = tool("a", parameters={"type": "object", "required": ["id"], "properties": properties})
    content = msgspec.json.encode(openapi_document([given], ABOUT))
    again = imported(content)["a"].parameters["properties"]
    assert again == {
        "id": {"type": "string"},
        "pair": {"prefixItems": [{}], "items": {"not": {}}},
    }


@given(texts=st.lists(HOSTILE, min_size=8, max_size=8))
def test_no_text_changes_the_document(texts: list[str]) -> None:
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    name, description, member, default, title, group, summary, example = texts
    schema = {
        "type": "object",
        "description": description,
        "properties": {name: {"enum": [member], "default": default}},
    }
    given = tool(
        "a", parameters=schema, group=group, summary=summary, description=title, examples=({name: example},)
    )
    document = msgspec.json.decode(msgspec.json.encode(openapi_document([given], ABOUT)))
    official(document)
    assert document["components"]["schemas"]["a_parameters"] == schema
    operation = document["paths"]["/tools/a"]["post"]
    assert (operation.get("summary", ""), operation.get("description", "")) == (summary, title)


def test_it_is_the_same_in_any_order() -> None:
    tools = reference_tools()
    assert content_of(tools) == content_of(tools[::-1])
