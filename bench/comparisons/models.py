"""datamodel-code-generator's models of the parameters, and the functions that one would write with them."""

from __future__ import annotations

import inspect
import itertools
import sys
import types
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from datamodel_code_generator import InputFileType, LiteralType, PythonVersion, generate
from datamodel_code_generator.enums import DataModelType, StrictTypes
from pydantic import BaseModel, Field, RootModel

from .contestant import Made
from .values import Tool

_NUMBERS = itertools.count()
_EXACT: dict[str, Any] = {
    "strict_nullable": True,
    "enum_field_as_literal": LiteralType.All,
    "field_constraints": True,
    "use_annotated": True,
    "use_tuple_for_fixed_items": True,
}
_STRICT: dict[str, Any] = {
    "strict_types": [StrictTypes.str, StrictTypes.int, StrictTypes.float, StrictTypes.bool]
}


def model(
    tool: Tool, options: dict[str, Any], family: DataModelType = DataModelType.PydanticV2BaseModel
) -> Any:
    """The class of the tool's parameters. Raises what the generator, Python or the library raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = generate(
            tool.parameters, input_file_type=InputFileType.JsonSchema, output_model_type=family,
            class_name="Params", target_python_version=PythonVersion.PY_311, formatters=[], **options,
        )  # fmt: skip
        name = f"models_{next(_NUMBERS)}"
        module = sys.modules[name] = types.ModuleType(name)
        exec(compile(str(text), name, "exec"), module.__dict__)
    return module.__dict__["Params"]


def pydantic(tool: Tool) -> Made:
    """pydantic models, by the options that the command has when none are given."""
    return _pydantic(model(tool, {}))


def pydantic_exact(tool: Tool) -> Made:
    """pydantic models, by the options that bring them nearest to the schema."""
    return _pydantic(model(tool, _EXACT | _STRICT))


def _pydantic(params: Any) -> Made:
    params.model_rebuild()
    return Made(params.model_validate_json, schema=params.model_json_schema())


def structs(tool: Tool) -> Made:
    """msgspec Structs, by the options that bring them nearest to the schema."""
    return Made(msgspec.json.Decoder(model(tool, _EXACT, DataModelType.MsgspecStruct)).decode)


def function(tool: Tool) -> Callable[..., Any]:
    """An async function with the parameters of the tool: annotations with constraints, literals and models.

    Raises TypeError where the parameters are no list of named ones.
    """
    params = model(tool, _EXACT)
    if not issubclass(params, BaseModel) or issubclass(params, RootModel):
        raise TypeError("a function has named parameters")

    async def call(**arguments: Any) -> None:
        del arguments

    listed = []
    for name, field in params.model_fields.items():
        field_info = Field(alias=field.alias, description=field.description)
        annotation: Any = Annotated[(field.annotation, *field.metadata, field_info)]
        default = (
            inspect.Parameter.empty if field.is_required() else field.get_default(call_default_factory=True)
        )
        listed.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        )
    call.__name__ = call.__qualname__ = tool.name
    call.__doc__ = tool.description
    call.__signature__ = inspect.Signature(listed, return_annotation=None)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in listed} | {"return": None}
    return call
