"""Declarations of tools → one spec text per tool; samples of arguments → one spec text.

Parameters are inferred from samples by genson, which takes several samples at once; datamodel-code-generator
reads JSON samples with it, too, but takes one, and only hands out models.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import Any

from genson import SchemaBuilder  # type: ignore[import-untyped] # it ships no types
from msgspec import Struct, structs

from ..contract.normal_form import member_places, with_texts
from ..diagnostics import Diagnostic
from ..jsonschema.json_values import JsonObject
from ..jsonschema.keywords import subschemas
from ..jsonschema.pointers import Steps, split, value_at
from ..jsonschema.quarantine import sound_schema
from ..jsonschema.schema_node import LibrarySchemaError, SchemaError
from ..jsonschema.unusable_values import library_schema
from ..permissions import Permission
from ..providers import normalize
from ..runtime.mcp_headers import annotated, without_refused_headers
from ..spec.discovery import TYPES
from ..spec.spec_checker import MAX_BYTES
from .declared_tools import (
    Declarations,
    Declared,
    ShapeError,
    external_references,
    from_gemini,
    read_shape,
    without_bad_defects,
    without_wrong_defaults,
)
from .imported_names import clean, unique
from .merge import SCHEMAS
from .shared_types import SharedTypes, is_plain, share_types, type_folder
from .spec_text import (
    Choices,
    UnwritableError,
    check_writable,
    decided_permission,
    decided_secrets,
    declared_keys,
    dump,
    in_short,
    spec_text,
)
from .tool_lists import Element, JsonDocument, read_documents, read_elements


class Draft(Struct, frozen=True, kw_only=True):
    """One spec as an import would write it.

    `original` is the source's own name of the tool; `data` are the keys that the declaration fills;
    `permission` and `secrets` are None where undecided, `read_only` where not stated, `by_hand`
    as in `Declared`. The path is posix, below the folder of the import.
    """

    path: str
    original: str
    data: JsonObject
    permission: Permission | None
    secrets: list[str] | None
    text: str
    read_only: bool | None = None
    by_hand: str = ""


class TypeDraft(Struct, frozen=True, kw_only=True):
    """One shared type as an import would write it; its path is posix, below the root."""

    path: str
    schema: Any
    text: str


class Imported(Struct, frozen=True, kw_only=True):
    """Texts by posix path below the specs root, problems, names that no spec allows with their replacements,
    and the drafts where the source has a label.
    """

    specs: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]
    renamed: tuple[
        tuple[str, str], ...
    ]  # (original, name in the spec), in input order; of names that no spec allows
    drafts: tuple[Draft, ...] = ()
    types: tuple[TypeDraft, ...] = ()


_NOTHING_CHOSEN = Choices()


def read_tools(files: Sequence[Path]) -> Declarations:
    """Read the tools that `files` list: JSON arrays, JSON lines, or answers of `tools/list`."""
    elements, problems = read_elements(files)
    declared: list[Declared] = []
    for element in elements:
        try:
            declared.append(read_shape(element))
        except ShapeError as error:
            problems.append(_problem(element, "import-shape", str(error)))
    label = ", ".join(sorted({path.name for path in files}))
    return Declarations(tools=tuple(declared), diagnostics=tuple(problems), label=label)


def specs_of(
    declarations: Declarations,
    choices: Choices = _NOTHING_CHOSEN,
    *,
    group: str = "",
    share: bool = False,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Imported:
    """Turn declarations into specs. Pure.

    The compiler judges schemas. Left out, with a warning and a comment in the spec, is only what would cost
    the whole tool: defaults that do not fit, defects, and names of headers that MCP clients refuse. A tool
    with schemas that depend on another document gets no spec. With `share`, definitions that several
    tools have become shared types, where the source has a label; `progress` receives (done, total), two steps
    for each tool.
    """
    problems = list(declarations.diagnostics)
    declared: list[Declared] = []
    steps = 2 * len(declarations.tools)
    sound: frozenset[int] = frozenset()
    for done, tool in enumerate(declarations.tools):
        progress(done, steps)
        if done % _TOGETHER == 0:
            sound |= _sound(declarations.tools, range(done, min(done + _TOGETHER, len(declarations.tools))))
        try:
            if done in sound:
                check_writable([tool.name, tool.description, tool.annotations, *tool.calls, tool.http])
                check_writable([*tool.icons, tool.meta])
                declared.append(tool)
                continue
            check_writable(
                [
                    *(tool.name, tool.description, tool.parameters, tool.result, tool.annotations),
                    *(*tool.calls, tool.http, *tool.icons, tool.meta),
                ]
            )
            external = [
                f"{root}{pointer}: {reference!r:.200}"
                for root, schema in (("parameters", tool.parameters), ("result", tool.result))
                for pointer, reference in external_references(schema)
            ]
            if external:
                text = f"refers to another document, which an import does not read: {', '.join(external[:5])}"
                problems.append(_problem(tool, "import-reference", text, _BUNDLE))
            else:
                declared.append(_cleaned(tool))
        except UnwritableError as error:
            problems.append(_problem(tool, "import-unwritable", f"cannot be written as YAML: {error}"))
        except LibrarySchemaError as error:
            where = error.path or "the root"
            text = f"has no JSON Schema: at {where}, {error.message}"
            problems.append(_problem(tool, "library-schema", text, error.hint))
    declared = _joined(declared)
    for tool in declared:
        problems += _warnings(tool)
    names = unique([tool.spec_name or tool.name for tool in declared])
    pairs = list(zip(declared, names, strict=True))
    folder = f"{TYPES}/{type_folder(declarations.label)}"
    keys = [declared_keys(tool, name, choices.examples) for tool, name in pairs]
    shared = SharedTypes(tuple(keys), {})
    if share and declarations.label:
        shared = share_types(keys, "../" * len(group.split("/") if group else ()) + folder)
    drafts: list[Draft] = []
    for tool, data in zip(declared, shared.specs, strict=True):
        progress(len(declarations.tools) + len(drafts), steps)
        draft = _draft(declarations, tool, data, choices, group)
        if len(draft.text.encode()) > MAX_BYTES:
            words = f"makes a spec of more than {MAX_BYTES:,} bytes, which is too large to be read"
            hint = "leave parts of its schemas out"
            if tool.result is not None:
                hint = "leave its result out (`--no-results` for OpenAPI), or other parts of its schemas"
            problems.append(_problem(tool, "import-too-large", words, hint))
            continue
        drafts.append(draft)
    types = tuple(
        TypeDraft(path=f"{folder}/{stem}.yaml", schema=schema, text=dump(schema))
        for stem, schema in shared.types.items()
    )
    return Imported(
        specs={**{each.path: each.text for each in drafts}, **{each.path: each.text for each in types}},
        diagnostics=tuple(problems),
        renamed=tuple((tool.name, name) for tool, name in pairs if (tool.spec_name or tool.name) != name),
        drafts=tuple(drafts) if declarations.label else (),
        types=types,
    )


def _joined(tools: Sequence[Declared]) -> list[Declared]:
    """Join declarations of one tool for several providers that differ in nothing but texts."""
    made: dict[int, Declared] = {}
    known: dict[str, int] = {}
    for number, tool in enumerate(tools):
        at = known.setdefault(tool.name, number)
        both = None if at == number else _both(made[at], tool) or _both(tool, made[at])
        made[number if both is None else at] = both or tool
    return [*made.values()]


_UNSTATED = Declared(name="", description="", parameters=None)
_TEXTS = ("description", "parameters", "form", "providers", "file", "line", "location", "left_out")
_COMMON = frozenset(Declared.__struct_fields__).difference(_TEXTS)
"""Members that two declarations of one tool have in common, where both state them."""


def _both(main: Declared, other: Declared) -> Declared | None:
    """Return a tool with the texts of `other` for its provider; None where more differs, or what one states
    contradicts the other.
    """
    if not other.form or other.form == main.form or main.providers.get(other.form, {}).keys() - {"strict"}:
        return None
    fields: JsonObject = {}
    for name in _COMMON:
        one, two, unstated = (getattr(each, name) for each in (main, other, _UNSTATED))
        if one != two and unstated not in (one, two):
            return None
        fields[name] = two if one == unstated else one
    texts = _texts_of(main, other)
    if texts is None:
        return None
    own: JsonObject = {"parameters": texts} if texts else {}
    if other.description not in ("", main.description):
        own = {"description": other.description, **own}
    providers = {**main.providers, **other.providers}
    if own:
        providers[other.form] = {**providers.get(other.form, {}), **own}
    left_out = tuple(dict.fromkeys((*main.left_out, *other.left_out)))
    return structs.replace(main, **fields, providers=providers, left_out=left_out)


def _texts_of(main: Declared, other: Declared) -> dict[str, str] | None:
    """Return the texts of parameters by which `other` differs from `main`, or from what its provider is sent
    of `main`; None where more differs.
    """
    strict = other.providers.get(other.form, {}).get("strict")

    def sent(schema: JsonObject) -> Any:
        made: Any = from_gemini(normalize(schema, other.form, strict=strict).schema)
        return sound_schema(made).schema

    try:
        ours, theirs = (sound_schema(each.parameters).schema for each in (main, other))
        named = {name: at for name, at in member_places(ours).items() if at}
        marks = {name: f"Text {number}." for number, name in enumerate(named)}
        for form, places in (
            (copy, {name: (at[0], "") for name, at in named.items()}),
            (sent, _places(sent(with_texts(ours, marks, named)), [*named])),
        ):
            texts: dict[str, str] = {}
            for name, (at, more) in places.items():
                with suppress(LookupError):
                    text = value_at(theirs, (*at, "description"))
                    own = "" if text == more.strip() else text.removesuffix(more)
                    before = value_at(ours, named[name][0])
                    known = None if before is True else before.get("description")
                    if own and own not in (known, f"{known}." if more else known):
                        texts[name] = own
            if form(with_texts(ours, texts, named)) == theirs:
                return texts if all(text.strip() for text in texts.values()) else None
    except SchemaError:
        pass
    return None


_MARK = re.compile(r"Text ([0-9]+)\.")


def _places(schema: JsonObject, names: Sequence[str]) -> dict[str, tuple[Steps, str]]:
    """Return for each name the place of the mark with its number, and what a provider adds to texts there."""
    places: dict[str, tuple[Steps, str]] = {}
    waiting: list[tuple[Steps, Any]] = [((), schema)]
    while waiting:
        steps, node = waiting.pop()
        if isinstance(node, dict):
            mark = _MARK.match(node.get("description", ""))
            if mark is not None:
                places[names[int(mark[1])]] = steps, node["description"][mark.end() :]
            waiting += [((*steps, *below), each) for below, each in subschemas(node)]
    return places


_TOGETHER = 64
"""Tools whose schemas are judged as one document, which has to stay below the parser's bounds."""


def _sound(tools: Sequence[Declared], numbers: Iterable[int]) -> frozenset[int]:
    """Return the numbers of tools with definitions in common whose schemas are right as they are. Judged as
    one document, a definition that many tools have is judged once; the others are judged one by one.
    """
    chosen = [n for n in numbers if any(_has_definitions(tools[n], key) for key in SCHEMAS)]
    unsound: set[int] = set()
    for key in SCHEMAS:
        definitions: JsonObject = {}
        roots: JsonObject = {}
        users: dict[str, list[int]] = {}
        for n in chosen:
            schema = getattr(tools[n], key)
            if schema is None:
                continue
            if not isinstance(schema, dict) or library_schema(schema, root=True) is not None:
                unsound.add(n)
                continue
            own = schema.get("$defs", {})
            if any(definitions.setdefault(name, each) is not each for name, each in own.items()):
                unsound.add(n)  # another schema of that name
                continue
            roots[str(n)] = {name: each for name, each in schema.items() if name != "$defs"}
            for name in own:
                users.setdefault(name, []).append(n)
        whole = {"type": "object", "properties": roots, "$defs": definitions}
        for path in _faults(whole):
            unsound.update(users.get(path[1], ()) if path[0] == "$defs" else (int(path[1]),))
    return frozenset(chosen) - unsound


def _has_definitions(tool: Declared, key: str) -> bool:
    schema = getattr(tool, key)
    return isinstance(schema, dict) and isinstance(schema.get("$defs"), dict)


def _faults(whole: JsonObject) -> set[tuple[str, str]]:
    """Return what is not right in the schemas below `properties` and `$defs`, as their first two steps; all
    of them where they cannot be judged together.
    """
    every = {("properties", name) for name in whole["properties"]}
    try:
        check_writable(whole)
        if not is_plain(whole, "$defs", whole["$defs"]) or next(annotated(whole), None) is not None:
            return every
        sound = sound_schema(whole)
    except (UnwritableError, SchemaError):
        return every
    nullable = [each for each in sound.changes if each.keyword == "nullable" or each not in sound.upgrades]
    faults = [[*split(each.path), each.keyword] for each in nullable]
    faults += [split(pointer) for pointer, _ in without_wrong_defaults(whole)[1]]
    return every if any(len(each) < 2 for each in faults) else {(each[0], each[1]) for each in faults}


def _draft(
    declarations: Declarations, tool: Declared, data: JsonObject, choices: Choices, group: str
) -> Draft:
    name = data["name"]
    source = (declarations.kind, declarations.label) if declarations.label else None
    return Draft(
        path=f"{group}/{name}.yaml" if group else f"{name}.yaml",
        original=tool.name,
        data=data,
        permission=decided_permission(tool, name, choices),
        secrets=decided_secrets(tool, name, choices),
        text=spec_text(tool, data, choices, source),
        read_only=tool.read_only,
        by_hand=tool.by_hand,
    )


def _cleaned(tool: Declared) -> Declared:
    parameters, of_parameters = without_bad_defects(tool.parameters)
    if any((entry.path, entry.keyword, entry.action) == ("", "type", "dropped") for entry in of_parameters):
        parameters = {"type": "object", **parameters}
        of_parameters = tuple(
            structs.replace(entry, action="rewritten", reason=_IS_OBJECT)
            if (entry.path, entry.keyword) == ("", "type")
            else entry
            for entry in of_parameters
        )
    parameters, headers = without_refused_headers(parameters)
    result, of_result = without_bad_defects(tool.result)
    changes = [("parameters", entry) for entry in (*of_parameters, *headers)]
    changes += [("result", entry) for entry in of_result]
    parameters, wrong = without_wrong_defaults(parameters)
    result, wrong_in_result = without_wrong_defaults(result)
    wrong += tuple((f"result{pointer}", default) for pointer, default in wrong_in_result)
    return structs.replace(
        tool, parameters=parameters, result=result, changes=tuple(changes), wrong_defaults=wrong
    )


def _warnings(tool: Declared) -> list[Diagnostic]:
    found: list[tuple[str, str, str]] = []
    for root, entry in tool.changes:
        if entry.keyword != "nullable":
            message = f"has a schema of which a part cannot be used: {in_short(root, entry)}"
            hint = "it is left out of the spec" if entry.action == "dropped" else "the spec has it so"
            found.append(("import-defect", message, f"{hint}; state the right one there"))
    for pointer, _ in tool.wrong_defaults:
        where = pointer or "that of the parameters themselves"
        message = f"has a default that does not fit its own schema: {where}"
        found.append(("import-default", message, "it is left out of the spec; state the right one there"))
    if tool.by_hand:
        message = f"has a function that cannot be made a handler: {tool.by_hand}"
        found.append(("import-python-handler", message, "`toolcast stubs` leaves the handler to you"))
    return [structs.replace(_problem(tool, *each), severity="warning") for each in found]


_IS_OBJECT = "is replaced by object, because it is not a type of JSON Schema, and arguments are an object"
_BUNDLE = "put what it refers to below $defs of the schema, and refer to '#/$defs/Name'; then import it again"


def _problem(origin: Element | Declared, code: str, message: str, hint: str = "") -> Diagnostic:
    text = f"{origin.location} {message}"
    return Diagnostic(file=origin.file, line=origin.line, code=code, message=text, hint=hint)


def import_sample(
    files: Sequence[Path], choices: Choices = _NOTHING_CHOSEN, *, name: str, group: str = ""
) -> Imported:
    """Infer one spec from samples: each file holds an object, an array of objects, or one object per line.

    A parameter is required when every sample has it. The first different samples become examples.
    """
    documents, problems = read_documents(files)
    samples: list[JsonObject] = []
    for document in documents:
        found, bad = _samples(document)
        samples += found
        problems += bad
    specs: dict[str, str] = {}
    chosen = clean(name)
    if samples and not problems:
        try:
            parameters = infer(samples)
            tool = Declared(
                name=name,
                description="TODO: what the tool does.",
                parameters=parameters,
                calls=tuple(samples),
            )
            path = f"{group}/{chosen}.yaml" if group else f"{chosen}.yaml"
            specs[path] = spec_text(tool, declared_keys(tool, chosen, choices.examples), choices, None)
        except (UnwritableError, RecursionError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            problems.append(
                Diagnostic(
                    file=documents[0].file, code="import-unwritable", message=f"cannot be inferred: {reason}"
                )
            )
    elif not problems:
        problems.append(
            Diagnostic(
                file=files[0].as_posix() if files else "",
                code="import-no-samples",
                message="holds no sample",
                hint="expected a JSON object, an array of objects, or one object per line",
            )
        )
    renamed = ((name, chosen),) if specs and name != chosen else ()
    return Imported(specs=specs, diagnostics=tuple(problems), renamed=renamed)


def infer(samples: Sequence[JsonObject]) -> JsonObject:
    """Infer a schema of all `samples` with genson, without its `$schema`."""
    builder = SchemaBuilder()
    for sample in samples:
        builder.add_object(sample)
    schema: JsonObject = builder.to_schema()
    schema.pop("$schema", None)  # names no draft: "http://json-schema.org/schema#"
    return {**schema, "properties": schema.get("properties", {})}


def _samples(document: JsonDocument) -> tuple[list[JsonObject], list[Diagnostic]]:
    items = document.data if isinstance(document.data, list) else [document.data]
    samples: list[JsonObject] = []
    problems: list[Diagnostic] = []
    for index, item in enumerate(items):
        reason = "" if isinstance(item, dict) else "is not an object"
        try:
            check_writable(item)
        except UnwritableError as error:
            reason = f"cannot be written as YAML: {error}"
        if reason:
            message = f"sample {index + 1} {reason}"
            problems.append(
                Diagnostic(file=document.file, line=document.line, code="import-sample", message=message)
            )
        else:
            samples.append(item)
    return samples, problems
