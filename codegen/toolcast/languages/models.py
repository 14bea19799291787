"""Other model families, written by datamodel-code-generator from a contract's normal form.

The library is called in process with every option that matters given, so that neither its defaults nor
the user's files decide: no formatter (ours runs later), no settings from a pyproject.toml, no timestamp,
no remote or file reference.

It acts upon far more than JSON Schema: it imports what `customTypePath`, `customBasePath`, `x-python-type`
and `x-python-import` name, reads files and URLs that `$ref`, `$id` and `$dynamicRef` point to, obeys
`x-enum-varnames`, `x-is-base-class`, `x-propertyNames`, OpenAPI's `discriminator` and `nullable`, its own
`default_factory` and `is_classvar`, and more with every release. So keywords are allowed by name, not
refused by name. Names of properties and literals are no keywords; they stay.

A module that it returns may import from a few modules, bind names, and call a few constructors. Whatever
else stands in it came from a schema's text and is refused before it can run (L8). Then the module is built
once, so that a model that cannot be imported is refused here and not in the user's program (L10).
"""

import ast
import io
import keyword
import re
import sys
import tokenize
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from ..hidden_characters import describe_character, hidden_offsets
from ..jsonschema.json_values import JsonObject
from ..jsonschema.keywords import ASSERTIONS, SCHEMA, SCHEMA_LIST, SCHEMA_MAP
from ..jsonschema.pointers import unescape
from .python.structs.source_literals import LINE_LENGTH

# `format` and `content…` are annotations in 2020-12: they refuse nothing. The library makes them types that
# do, and that change the value (a date for a string) or need further packages (`email`): they stay out.
# So does `deprecated`, which becomes a decorator from a further package.
_LITERALS = (ASSERTIONS - {"format"}) | {"default", "examples", "description"}
_CLASS_TITLE = re.compile(r"[A-Z][A-Za-z0-9]{0,63}")  # may name a class; other titles are prose
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_REFERENCE = re.compile(r"#(?:/\$defs/([^/]+))?")

_MAX_DEPTH = 100


class ModelError(ValueError):
    """No exact model can be generated from a schema, for the reason in the message."""


def plain_schema(schema: Mapping[str, object], class_name: str = "") -> JsonObject:
    """Reduce a schema to JSON Schema 2020-12 alone, with identifiers as names of its definitions. Idempotent.

    Args:
        schema: a contract's normal form, which is not changed.
        class_name: name of the schema itself: no title or definition has it.

    Returns:
        A new schema.

    Raises:
        ModelError: a reference is neither `#` nor `#/$defs/Name`, or leads nowhere; the schema is nested too
            deeply.
    """
    definitions = schema.get("$defs", {})
    names = _names(definitions, class_name) if isinstance(definitions, Mapping) else {}
    titles = _titles(class_name)
    result = _plain(schema, lambda reference: _local(reference, names), titles, 0)
    if not isinstance(result, dict):
        raise ModelError("the schema is not an object")
    result.pop("title", None)
    if isinstance(result.get("$defs"), dict):
        result["$defs"] = {names[name]: value for name, value in result["$defs"].items()}
    return result


def _plain(
    schema: object, refer: Callable[[object], str], titles: Callable[[object], bool], depth: int
) -> object:
    if depth > _MAX_DEPTH:
        raise ModelError(f"the schema is nested deeper than {_MAX_DEPTH} levels")
    if isinstance(schema, bool):
        return schema
    if not isinstance(schema, Mapping):
        raise ModelError(f"a schema is {type(schema).__name__}, expected an object or a boolean")
    result: JsonObject = {}
    for key, value in schema.items():
        if key == "$ref":
            result[key] = refer(value)
        elif key in SCHEMA_MAP and isinstance(value, Mapping) and (key != "$defs" or depth == 0):
            result[key] = {name: _plain(child, refer, titles, depth + 1) for name, child in value.items()}
        elif key in SCHEMA_LIST and isinstance(value, list):
            result[key] = [_plain(child, refer, titles, depth + 1) for child in value]
        elif key in SCHEMA and key != "contentSchema":
            result[key] = _plain(value, refer, titles, depth + 1)
        elif key in _LITERALS or (key == "title" and titles(value)):
            result[key] = value
    if result.get("items") is False and "prefixItems" in result:
        # The same said once more: by its length the library knows a tuple.
        length = len(result["prefixItems"])
        result["maxItems"] = min(length, result.get("maxItems", length))
    return result


def _titles(class_name: str) -> Callable[[object], bool]:
    """Tell whether a title may name a class: it reads like one and is not taken."""
    return lambda title: (
        isinstance(title, str) and title != class_name and _CLASS_TITLE.fullmatch(title) is not None
    )


def _local(reference: Any, names: Mapping[str, str]) -> str:
    match = _REFERENCE.fullmatch(reference) if isinstance(reference, str) else None
    if match is None:
        raise ModelError(f"reference {str(reference)[:200]!r} is not local to the schema")
    if match[1] is None:
        return "#"
    name = unescape(match[1])
    if name not in names:
        raise ModelError(f"reference {reference[:200]!r} reaches nothing")
    return "#/$defs/" + names[name]


def _names(definitions: Mapping[str, object], class_name: str) -> dict[str, str]:
    """An identifier for each definition; identifiers keep their names, others are numbered in order."""
    names = {name: name for name in definitions if _IDENTIFIER.fullmatch(name) and name != class_name}
    for name in definitions:
        if name not in names:
            base = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:80]
            base = base if base[:1].isalpha() else f"Type{base}"
            number, candidate = 1, base
            while candidate == class_name or candidate in names or candidate in names.values():
                number += 1
                candidate = f"{base}_{number}"
            names[name] = candidate
    return names


_STANDARD = {
    "__future__": {"annotations"},
    "builtins": None,  # re-bound types, where a field is called `str`
    "dataclasses": {"dataclass", "field"},
    "enum": {"Enum", "IntEnum", "StrEnum"},
    "re": {"compile"},
    "typing": None,
    "typing_extensions": None,
}
_PYDANTIC = {**_STANDARD, "pydantic": None, "decimal": {"Decimal"}}
_ALLOWED = {"pydantic": _PYDANTIC, "dataclass": _STANDARD, "typeddict": _STANDARD}
_TYPES = frozenset({"str", "int", "float", "bool", "list", "dict", "set", "tuple", "object", "type", "bytes"})
_CALLED = frozenset(
    {
        *("ConfigDict", "Field", "Discriminator", "Tag", "StringConstraints", "TypeAliasType", "TypedDict"),
        *("dataclass", "field", "compile", "Decimal"),
    }
)
_TYPE_TEXT = re.compile(r"[\w\[\], |]*")
_METHODS = frozenset({"model_rebuild", "model_validate"})
_STATEMENTS = (ast.ImportFrom, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Expr, ast.Pass)


def check_module(text: str, family: str, class_name: str) -> None:
    """Raise ModelError unless a text defines models, `class_name` among them, and can be imported."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ModelError(f"the generated module does not parse: {error}") from None
    imported = _imports(module, family)
    classes = {node.name for node in module.body if isinstance(node, ast.ClassDef)}
    defined = classes | _bound(module)
    for node in ast.walk(module):
        if isinstance(node, ast.stmt) and not isinstance(node, _STATEMENTS):
            raise ModelError(f"the generated module has a {type(node).__name__} statement")
        if isinstance(node, ast.Call):
            _check_call(node, imported, classes)
        if isinstance(node, ast.AnnAssign):
            _check_annotation(node.annotation, imported)
        if isinstance(node, ast.ClassDef):
            _check_decorators(node, imported)
        if isinstance(node, ast.Attribute) and node.attr not in _METHODS:
            raise ModelError(f"the generated module uses the attribute {node.attr!r}")
    if class_name not in defined:
        raise ModelError(f"the generated module has no {class_name}, but {', '.join(sorted(defined)[:10])}")
    _build(text)


def _imports(module: ast.Module, family: str) -> dict[str, str]:
    """Imported names by local name, all of them allowed."""
    found: dict[str, str] = {}
    allowed = _ALLOWED[family]
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            source = node.module or ""
            names = allowed.get(source, frozenset[str]())
            for alias in node.names:
                permitted = source in allowed and (names is None or alias.name in names)
                if node.level or not permitted or (source == "builtins" and alias.name not in _TYPES):
                    raise ModelError(f"the generated module imports {alias.name} from {source or '.'}")
                found[alias.asname or alias.name] = alias.name
    return found


def _bound(module: ast.Module) -> set[str]:
    targets = [target for node in module.body if isinstance(node, ast.Assign) for target in node.targets]
    targets += [node.target for node in module.body if isinstance(node, ast.AnnAssign)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _check_call(node: ast.Call, imported: dict[str, str], classes: set[str]) -> None:
    function = node.func
    if isinstance(function, ast.Name) and (imported.get(function.id) in _CALLED or function.id in classes):
        return  # a constructor, or a default made of another model
    owner = function.value if isinstance(function, ast.Attribute) and function.attr in _METHODS else None
    if isinstance(owner, ast.Name) and owner.id in classes:
        return
    raise ModelError(f"the generated module calls {ast.unparse(function)[:100]}")


def _check_decorators(node: ast.ClassDef, imported: dict[str, str]) -> None:
    for item in node.decorator_list:  # a call is checked where it stands
        plain = isinstance(item, ast.Name) and imported.get(item.id) == "dataclass"
        if not plain and not isinstance(item, ast.Call):
            raise ModelError(f"the generated module decorates with {ast.unparse(item)[:100]}")


def _check_annotation(node: ast.AST, imported: dict[str, str]) -> None:
    """Refuse a string in an annotation that is no type: whoever reads it evaluates it."""
    text = node.value if isinstance(node, ast.Constant) else None
    if isinstance(text, str) and not _TYPE_TEXT.fullmatch(text):
        raise ModelError(f"the generated module has the annotation {text[:100]!r}")
    generic = node.value if isinstance(node, ast.Subscript) else None
    literal = isinstance(generic, ast.Name) and imported.get(generic.id) == "Literal"
    if literal or isinstance(node, ast.Call):
        return  # what stands inside are values, and so are the arguments of Field
    for child in ast.iter_child_nodes(node):
        _check_annotation(child, imported)


def _build(text: str) -> None:
    module = ModuleType("")
    module.__name__ = f"_toolcast_models_{id(module)}"
    sys.modules[module.__name__] = module  # where dataclasses and pydantic look annotations up
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, module.__name__, "exec", dont_inherit=True), module.__dict__)
    except (
        Exception
    ) as error:  # whatever building a class raises: a pattern no engine knows, a clash of names
        raise ModelError(f"the generated module cannot be imported: {_last_line(error)}") from None
    finally:
        del sys.modules[module.__name__]


def _last_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[-1].strip()[:300]}"


Family = Literal["pydantic", "dataclass", "typeddict"]
FAMILIES: tuple[Family, ...] = ("pydantic", "dataclass", "typeddict")


def generate_models(schema: Mapping[str, object], family: Family, *, class_name: str, source: str) -> str:
    """Generate the models of a contract as Python source, which depends on the arguments alone.

    It imports only the standard library and the family's own package, and is not formatted.

    Args:
        schema: the contract's normal form.
        family: "pydantic", "dataclass" or "typeddict".
        class_name: name of the model of the whole schema.
        source: the source that the first line names.

    Returns:
        The source text, which ends in a newline.

    Raises:
        ModelError: the name is no identifier, or the family has no models for the schema.
    """
    if not class_name.isidentifier() or keyword.iskeyword(class_name):
        raise ModelError(f"{class_name!r} cannot name a class")
    header = f"# Generated by toolcast from {_one_line(source)}; do not edit."
    body = _call(plain_schema(schema, class_name), family, class_name)
    check_module(body, family, class_name)
    return f"{header}\n\n{_prepared(body).strip()}\n"


def _call(schema: JsonObject, family: Family, class_name: str) -> str:
    from datamodel_code_generator import InputFileType, LiteralType, PythonVersion, generate
    from datamodel_code_generator.enums import DataclassArguments, DataModelType, StrictTypes

    models = {
        "pydantic": DataModelType.PydanticV2BaseModel,
        "dataclass": DataModelType.DataclassesDataclass,
        "typeddict": DataModelType.TypingTypedDict,
    }
    strict = [StrictTypes.str, StrictTypes.int, StrictTypes.float, StrictTypes.bool]
    arguments: DataclassArguments = {"kw_only": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice about options, for its own command line
        try:
            result = generate(
                schema,
                input_file_type=InputFileType.JsonSchema,
                input_filename="schema",
                output=None,
                output_model_type=models[family],
                target_python_version=PythonVersion.PY_311,
                class_name=class_name,
                allow_leading_underscore_class_name=True,
                custom_file_header="# -",
                disable_timestamp=True,
                enable_version_header=False,
                enable_command_header=False,
                # A postponed annotation hides NotRequired from `__required_keys__`.
                disable_future_imports=family == "typeddict",
                formatters=[],
                encoding="utf-8",
                # Nothing from outside the schema.
                allow_remote_refs=False,
                settings_path=Path(_NOWHERE),
                lockfile=Path(_NOWHERE),  # unless told, it opens one in the working directory
                treat_dot_as_module=False,
                use_type_alias=family == "pydantic",
                # Names: wire names stay by alias.
                snake_case_field=False,
                use_title_as_name=True,
                allow_population_by_field_name=False,
                # Types as exact as the family allows.
                strict_types=strict if family == "pydantic" else None,
                strict_nullable=True,
                enum_field_as_literal=LiteralType.All,
                field_constraints=family == "pydantic",
                use_annotated=family == "pydantic",
                use_tuple_for_fixed_items=True,
                use_closed_typed_dict=False,
                dataclass_arguments=arguments if family == "dataclass" else None,
                use_standard_collections=True,
                use_union_operator=True,
                # Text.
                use_schema_description=True,
                use_field_description=True,
            )
        except RecursionError:
            raise ModelError("the schema is nested too deeply") from None
        except Exception as error:  # a library of 95,000 lines: whatever it raises, this tool is refused
            raise ModelError(
                f"datamodel-code-generator: {type(error).__name__}: {str(error)[:500]}"
            ) from error
    if not isinstance(result, str):
        raise ModelError("datamodel-code-generator wrote several modules")
    return _printable(result.removeprefix("# -"))


def _prepared(source: str) -> str:
    """`source` with its imports in the order of ruff's isort, and in the one layout on which black and ruff
    agree: an annotation before an empty default has a row for each argument.
    """
    imports = [node for node in ast.parse(source).body if isinstance(node, ast.ImportFrom)]
    lines = source.split("\n")
    groups: dict[str, list[str]] = {"__future__": [], "standard": [], "third-party": []}
    for node in sorted(imports, key=lambda node: str(node.module)):
        module = str(node.module)
        own = "standard" if module in sys.stdlib_module_names else "third-party"
        groups[module if module in groups else own].append(ast.unparse(node))
        lines[node.lineno - 1 : node.end_lineno] = [""] * (int(node.end_lineno or 0) - node.lineno + 1)
    head = "\n\n".join("\n".join(rows) for rows in groups.values() if rows)
    body = _EMPTY_DEFAULT.sub(lambda found: f"{found[1]},{found[2]}", "\n".join(lines).strip())
    return f"{head}\n\n{body}"


_EMPTY_DEFAULT = re.compile(
    rf"^(?=.{{{LINE_LENGTH + 1},}}$)( +\w+: Annotated\[.*[^,\[])(\](?: \| None)? = (?:\[\]|\{{\}}))$",
    re.MULTILINE,
)


def _printable(source: str) -> str:
    """`source` with hidden characters of strings escaped. Raises ModelError for names that have some."""
    if not hidden_offsets(source):
        return source
    lines = source.split("\n")
    tokens = tokenize.generate_tokens(io.StringIO(source, newline="\n").readline)
    for token in reversed([token for token in tokens if hidden_offsets(token.string)]):
        if token.type == tokenize.NAME:
            letter = token.string[hidden_offsets(token.string)[0]]
            raise ModelError(
                f"a name holds {describe_character(letter)}, which nobody would see in the model"
            )
        if token.type != tokenize.STRING:
            continue
        (first, start), (last, end) = token.start, token.end
        raw = "r" in token.string[: token.string.find(token.string[-1])].lower()
        text = repr(ast.literal_eval(token.string)) if raw else _escaped(token.string)
        made = lines[first - 1][:start] + text + lines[last - 1][end:]
        lines[first - 1 : last] = made.split("\n")
    return "\n".join(lines)


def _escaped(literal: str) -> str:
    places = frozenset(hidden_offsets(literal))
    return "".join(ascii(char)[1:-1] if place in places else char for place, char in enumerate(literal))


_NOWHERE = "/nonexistent/toolcast"  # no settings: no pyproject.toml stands above it


def _one_line(text: str) -> str:
    """`text` for a comment: what is not printable is escaped."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
