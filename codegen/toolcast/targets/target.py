"""A target, read from its folder.

    title = "Go structs"                # target.toml
    escape = "go"                       # how the text of a spec prints in a template
    keys = ["annotations", "result"]    # the keys of specs that have a place here

    [options.package]
    about = "The package of the files."
    default = "tools"                   # "$project.version" is that of the project; `optional`: there is none
    schema = {maxLength = 20}           # a JSON Schema that the value must satisfy

    [[outputs]]
    each = "tool"                       # or "set": one file about all tools; "group": one about each group
    path = "{tool.names.snake}/types.go"
    template = "types.go.jinja"         # or NAME.json: a document whose strings `$…` are replaced
    schema = "judge.json"               # a JSON Schema that the output must satisfy

Nothing in a folder is code. A built-in target may name a `function` of this package, whose values templates
see as `more`.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from ..diagnostics import Diagnostic
from ..jsonschema.json_values import JsonObject
from ..jsonschema.validator import Validator
from ..jsonschema.validator_errors import UnsupportedSchema
from ..package_files import target_folder, target_ids
from ..toml_tables import (
    Key,
    Locator,
    TableReader,
    flag,
    names,
    one_of,
    split_fault,
    suggestion,
    table,
    text,
    whole,
)
from .escapes import ESCAPES
from .model import VERSION

DESCRIPTION: Final = "target.toml"
REPORTED: Final = (
    "annotations", "blocking", "callers", "deprecated", "defer", "examples", "execution", "icons", "input",
    "meta", "result", "stream_arguments",
)  # fmt: skip
"""The keys of specs that some surfaces have a place for; a key that one lacks is an entry of the ledger."""
_PROJECT: Final = "$project."
"""The beginning of an option that is a text of the project."""
_MAX_FILE: Final = 1024 * 1024
"""Bytes of one file."""
_MAX_FILES: Final = 64
_MAX_OUTPUTS: Final = 32


class Output(Struct, frozen=True, kw_only=True):
    """One output. `path` is below the folder of the target; names in braces are looked up in the model."""

    each: Literal["tool", "set", "group"]
    path: str
    template: str
    schema: str = ""


class Target(Struct, frozen=True, kw_only=True):
    """A target with the values of its options, and the texts of its folder by file name. `place` names its
    description in diagnostics, `needs` other targets, whose outputs its own import.
    """

    id: str
    title: str
    escape: str
    keys: tuple[str, ...]
    outputs: tuple[Output, ...]
    needs: tuple[str, ...] = ()
    function: str = ""
    options: JsonObject = {}
    texts: Mapping[str, str] = {}
    place: str = ""

    @property
    def about_all(self) -> bool:
        """Return whether an output is about more than one tool."""
        return any(output.each != "tool" for output in self.outputs)


def _outputs(value: Any) -> tuple[str, str] | None:
    fine = isinstance(value, list) and len(value) <= _MAX_OUTPUTS and all(isinstance(x, dict) for x in value)
    return None if fine else (f"at most {_MAX_OUTPUTS} tables", "write [[outputs]] and keys below it")


def _default(value: object) -> tuple[str, str] | None:
    fine = isinstance(value, (str, bool, int, list, dict))
    return None if fine else ("a text, a whole number, true or false, a list or a table", "")


_KEYS: Final = {
    "title": Key(text("one line of text", "Go structs"), ""),
    "model": Key(whole(1, VERSION), VERSION),
    "escape": Key(one_of(tuple(ESCAPES)), "json"),
    "keys": Key(names, ()),
    "needs": Key(names, ()),
    "function": Key(text("the name of a module of toolcast", "openapi"), ""),
    "options": Key(table, {}),
    "outputs": Key(_outputs, ()),
}
_OPTION: Final = {
    "about": Key(text("a sentence", "The package."), ""),
    "default": Key(_default, None),
    "optional": Key(flag, False),
    "schema": Key(table, {}),
}
_FILE_NAME: Final = text("the name of a file of this folder", "types.go.jinja")
_OUTPUT: Final = {
    "each": Key(one_of(("tool", "set", "group")), "tool"),
    "path": Key(text("a path below the folder of the target", "{tool.names.snake}.go"), ""),
    "template": Key(_FILE_NAME, ""),
    "schema": Key(_FILE_NAME, ""),
}


class TargetFolder(Struct, frozen=True, kw_only=True):
    """The folder of a target, and what the configuration says of it. `shown` is the folder in diagnostics;
    `project` has name, version, description and first author of the project, which options may take.
    """

    id: str
    folder: Path
    shown: str
    built_in: bool
    stated: JsonObject = {}
    project: Mapping[str, str] = {}


def load_target(
    where: TargetFolder, reader: TableReader, *, staged: bool = False
) -> tuple[Target | None, tuple[Diagnostic, ...]]:
    """Read a target.

    Args:
        where: its folder, and the options that are stated.
        reader: the table of the configuration that states them.
        staged: whether links may lead out of the folder: a build engine made them.

    Returns:
        The target; None with an error among the problems.
    """
    place = f"{where.shown}/{DESCRIPTION}"
    texts, problem = _read_folder(where, staged=staged)
    if problem is not None:
        return None, (problem,)
    content = texts.pop(DESCRIPTION, None)
    if content is None:
        message = f"there is no {DESCRIPTION}, which would make this folder a target"
        return None, (_problem(where.shown, message, "write it, or correct `folder` of the target"),)
    own = TableReader(Locator(place, content), ())
    try:
        values, problems = own.read(tomllib.loads(content), _KEYS)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message, line, column = split_fault(str(error), content)
        fault = Diagnostic(
            file=place, line=line, column=column, code="bad-target", message=f"not TOML: {message}"
        )
        return None, (fault,)
    outputs: list[Output] = []
    for number, stated in enumerate(values["outputs"]):
        output, wrong = own.below("outputs", number).read(stated, _OUTPUT)
        problems += wrong or _wrong_output(own.below("outputs", number), output, texts)
        outputs.append(Output(**output))
    for key in values["keys"]:
        if key not in REPORTED:
            hint = suggestion(key, REPORTED, "keys that a surface may have a place for")
            problems.append(own.problem("keys", "bad-target", f"unknown key {key!r}", hint))
    if values["function"] and not where.built_in:
        problems.append(own.problem("function", "bad-target", "a project's target runs no code"))
    options, wrong = _options(where, values["options"], own, reader)
    if problems := [*problems, *wrong]:
        return None, tuple(sorted(set(problems)))
    del values["model"]
    fields: JsonObject = {
        **values,
        "keys": tuple(values["keys"]),
        "needs": tuple(values["needs"]),
        "outputs": tuple(outputs),
        "options": options,
    }
    target = Target(
        **fields,
        id=where.id,
        texts=texts,
        place=place,
    )
    return target, ()


def built_in_target(id: str) -> Target:
    """Read a built-in target with the defaults of its options. Raises ValueError."""
    if id not in target_ids():
        raise ValueError(f"there is no target {id!r}; {suggestion(id, target_ids(), 'targets')}")
    where = TargetFolder(id=id, folder=target_folder(id), shown=f"targets/{id}", built_in=True)
    target, problems = load_target(where, TableReader(Locator("", ""), ("targets", id)))
    if target is None:
        raise ValueError(problems[0].message)
    return target


def _wrong_output(reader: TableReader, output: JsonObject, texts: Mapping[str, str]) -> list[Diagnostic]:
    problems: list[Diagnostic] = []
    for key in ("path", "template"):
        if not output[key]:
            problems.append(reader.problem("", "bad-target", f"an output needs {key!r}"))
    for key, endings in (("template", (".jinja", ".json")), ("schema", (".json",))):
        name = output[key]
        if name and (name not in texts or not name.endswith(endings)):
            hint = f"name a file of this folder that ends with {' or '.join(endings)}"
            problems.append(reader.problem(key, "bad-target", f"there is no {key} {name!r}", hint))
        elif name.endswith(".json"):
            try:
                msgspec.json.decode(texts[name])
            except (msgspec.DecodeError, RecursionError) as error:
                problems.append(reader.problem(key, "bad-target", f"{name} is not JSON: {error}"))
    return problems


def _options(
    where: TargetFolder, known: Any, own: TableReader, reader: TableReader
) -> tuple[JsonObject, list[Diagnostic]]:
    """Return the values of the options, and problems."""
    problems: list[Diagnostic] = []
    values: JsonObject = {}
    hint = f"set it in [{'.'.join(map(str, reader.path))}]"
    for name, described in known.items():
        place = name if name in where.stated else ""
        option, wrong = own.below("options", name).read(described, _OPTION)
        problems += wrong
        default, fault = option["default"], ""
        stated = where.stated.get(name, default)
        try:
            values[name] = _with_project(stated, where.project)
        except KeyError as error:
            values[name] = None
            fault = f"takes {error}, which is not in [project]"
        if stated is None and not option["optional"]:
            fault = "has to be stated"
        elif stated is not None and (kind := _default(stated)):
            fault = f"must be {kind[0]}"
        elif default is not None and type(stated) is not type(default):
            fault = f"must be of type {type(default).__name__}"
        if fault := fault or _fault(option["schema"], values[name]):
            message = f"the option {name!r} of the target {where.id!r} {fault}"
            problems.append(reader.problem(place, "target-option", message, hint))
    for name in where.stated.keys() - known.keys():
        message = f"the target {where.id!r} has no option {name!r}"
        problems.append(reader.problem(name, "unknown-key", message, suggestion(name, known, "its options")))
    return values, problems


def _with_project(value: Any, project: Mapping[str, str]) -> Any:
    """Return a value with texts of the project in place of `$project.…`. Raises KeyError."""
    if isinstance(value, str) and value.startswith(_PROJECT):
        return project[value.removeprefix(_PROJECT)]
    if isinstance(value, list):
        return [_with_project(each, project) for each in value]
    if isinstance(value, dict):
        return {name: _with_project(each, project) for name, each in value.items()}
    return value


def _fault(schema: JsonObject, value: object) -> str:
    """Say how a value breaks a schema; nothing where there is none, or it does not."""
    try:
        found = [] if value is None else Validator(schema).violations(value, 1)
    except UnsupportedSchema as error:
        return f"has a schema that is no judge: {error}"
    return " ".join(f"is refused: {each.message}" for each in found)


def _read_folder(where: TargetFolder, *, staged: bool) -> tuple[dict[str, str], Diagnostic | None]:
    """Read the description, the templates and the JSON documents of a folder, or say why not."""
    if not where.folder.is_dir():
        message = f"there is no folder {where.shown!r} of a target"
        return {}, _problem(where.shown, message, "make the folder, or correct `folder` of the target")
    paths = sorted(each for each in where.folder.iterdir() if each.suffix in (".jinja", ".json", ".toml"))
    if len(paths) > _MAX_FILES:
        return {}, _problem(where.shown, f"holds more than {_MAX_FILES} templates")
    root = os.path.realpath(where.folder)
    texts: dict[str, str] = {}
    for path in paths:
        shown, real = f"{where.shown}/{path.name}", os.path.realpath(path)
        if not staged and not real.startswith(root + os.sep):
            return {}, _problem(shown, "this link leads out of the folder of the target")
        if not Path(real).is_file():
            return {}, _problem(shown, "is no file")
        try:
            with open(real, "rb") as file:  # noqa: PTH123 - beside `realpath`
                data = file.read(_MAX_FILE + 1)
            texts[path.name] = data.decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            return {}, _problem(shown, f"cannot be read: {error}")
        if len(data) > _MAX_FILE:
            return {}, _problem(shown, f"larger than {_MAX_FILE} bytes")
    return texts, None


def _problem(file: str, message: str, hint: str = "") -> Diagnostic:
    return Diagnostic(file=file, code="bad-target", message=message, hint=hint)
