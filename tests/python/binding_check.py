"""A module's binding against its spec: what the built-in templates print is compared over real tools."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import msgspec
from msgspec.structs import fields
from toolcast.languages.python.structs.module import Roots
from toolcast.output_layout import SCHEMAS, contract_path
from toolcast.runtime.tool import Tool
from toolcast.spec.deprecation import shown_description, shown_summary
from toolcast.spec.keys import KEYS
from toolcast.spec.tool_spec import ToolSpec

_DEFAULTS = {field.name: field.default for field in fields(Tool)}
_ANNOTATIONS = ("title", "destructive", "idempotent", "open_world")


def unlike_its_spec(module: ModuleType, constant: str, tool: ToolSpec, roots: Roots) -> list[str]:
    """The attributes of a binding that are not the spec's."""
    binding = getattr(module, constant)
    up = "../" * (module.__name__.count(".") - 1)
    annotations = {name: v for name in _ANNOTATIONS if (v := getattr(tool.annotations, name)) is not None}
    stated = (
        ("name", tool.name),
        ("group", tool.group),
        ("permission", tool.permission),
        ("secrets", tuple(tool.secrets)),
        ("summary", shown_summary(tool)),
        ("description", shown_description(tool)),
        ("annotations", annotations),
        ("runtime_enums", dict(tool.runtime_enums)),
        ("empty_is_absent", tool.empty_is_absent),
        ("described_by", tool.described_by),
        ("inject", dict(tool.inject)),
        ("http", tool.http),
        ("deprecated", None if tool.deprecated is None else tool.deprecated.as_written()),
        ("source", None if tool.source is None else tool.source.as_written()),
        ("input", None if tool.input is None else tool.input.as_written()),
        *_bound(tool),
        ("strict", tool.overrides("strict")),
        ("contract", up + contract_path(tool.name)),
        ("schemas", up + SCHEMAS),
        ("exact", roots.exact),
        ("params_form", roots.params_form),
        ("params_form", _form(binding.params)),
        ("result_form", roots.result_form),
        ("params", _type(module, roots.params)),
        ("result", _type(module, roots.result)),
        ("wire", _type(module, roots.wire or "None")),
    )
    return [name for name, expected in stated if getattr(binding, name) != expected]


def _form(params: type) -> str | None:
    """Facts that msgspec meets on its way through the types: a marker, and whether it makes defaults anew."""
    waiting: list[Any] = [msgspec.inspect.type_info(params)]
    seen: list[Any] = []
    form = "exact"
    while waiting:
        found = waiting.pop()
        if isinstance(found, msgspec.inspect.CustomType):
            return None
        if isinstance(found, (list, tuple)):
            waiting += found
        elif isinstance(found, msgspec.inspect.Field):
            waiting.append(found.type)
            if found.default_factory not in (msgspec.NODEFAULT, list, dict):
                form = "defaults"
        elif isinstance(found, msgspec.inspect.Type) and not any(found is each for each in seen):
            seen.append(found)
            waiting += (getattr(found, name) for name in found.__struct_fields__)
    return form


def _bound(tool: ToolSpec) -> Iterator[tuple[str, object]]:
    for key in KEYS.values():
        if key.bound:
            value = key.value_in(tool)
            name = key.field or key.name
            yield name, _DEFAULTS[name] if value is None else value


def _type(module: ModuleType, name: str) -> object:
    return None if name == "None" else getattr(module, name)
