"""A checked contract's output files."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from msgspec.structs import asdict

from ...contract.build import Built
from ...diagnostics import Diagnostic
from ...providers import LedgerEntry, SchemaError, SchemaNormalizer, unseen_places
from ...python.bindings.format import formatted, parsed, require_python
from ...python.bindings.render_module import (
    NO_PROVIDER_FILES,
    ProviderFiles,
    ToolNames,
    keyword_of,
    mark,
    registry_text,
    tool_text,
    type_text,
)
from ...python.bindings.templates import Overrides, TemplateFailedError, Templates
from ...python.check.errors import UnsoundError
from ...python.check.executable import checked_statements, without_protocol
from ...python.check.isolate import Isolated, build_decoders, check_binding
from ...python.check.module_check import check_module
from ...python.structs.module import Roots, module_path, tool_module, type_module
from ...python.structs.module_model import Module
from ...python.structs.python_names import class_name, constant_name, module_name
from ...spec.model import Document, ToolSpec, diagnose
from .compiled import Compiled, Options, ToolEntry, losses_text, pretty, profile_of
from .tool_definitions import definition, tool_info


def _templates(overrides: Overrides | None) -> Templates:
    """The templates. Read again when a file of the user's changed: a process may outlive an edit."""
    return _read_templates(overrides, _states(overrides) if isinstance(overrides, str) else ())


@lru_cache(maxsize=4)
def _read_templates(overrides: Overrides | None, _states: tuple[tuple[str, int, int], ...]) -> Templates:
    return Templates(overrides or ())


def _states(folder: str) -> tuple[tuple[str, int, int], ...]:
    if not Path(folder).is_dir():  # reading it says so
        return ()
    found = [(path.name, path.stat()) for path in Path(folder).iterdir() if path.is_file()]
    return tuple(sorted((name, state.st_mtime_ns, state.st_size) for name, state in found))


_REMEDY = "correct the template, or remove it: the built-in one of that name is used then"


def emit_tool(tool: ToolSpec, built: Built, options: Options) -> Compiled:
    """All files of one tool; a module that is not sound refuses the tool."""
    names = tool_names(tool)
    path = names.module
    module, roots = tool_module(built, name=tool.name, module=path)
    contract = built.normal.contract_file()
    schemas: dict[str, bytes] = {}
    ledger: dict[str, tuple[LedgerEntry, ...]] = {}
    undone: list[str] = []
    envelopes: dict[str, tuple[str, str]] = {}
    info = tool_info(tool, built.normal)
    normalizer = SchemaNormalizer(built.normal.standalone("parameters"), checked=True)
    for id in options.providers:
        profile = profile_of(id, options)
        try:
            parameters = normalizer.normalize(profile, strict=tool.providers.get(id, {}).get("strict"))
        except SchemaError as problem:
            return _refused(
                tool,
                built,
                "provider-schema",
                f"{id} cannot be told of {problem.path or 'these parameters'}: {problem.message}",
                problem.hint or "simplify the schema there, or leave this provider out of the configuration",
            )
        made = definition(info, profile, parameters)
        schemas[f"schemas/{id}/{tool.name}.json"] = made.content
        if made.ways is not None:
            schemas[f"ways/{id}/{tool.name}.json"] = made.ways
            undone.append(id)
        if (places := unseen_places(profile)) is not None:
            envelopes[id] = places
        if made.ledger:
            ledger[id] = made.ledger
    provider_files = ProviderFiles(ways=tuple(undone), envelopes=envelopes)
    files: dict[str, bytes] = {}
    try:
        source = tool_text(tool, names, module, roots, _templates(options.templates), provider_files)
        files["/".join(path) + ".py"] = python = formatted(source, ours=options.templates is None)
        check_tool(python, tool, built, module, roots, names, options, provider_files)
    except TemplateFailedError as problem:
        return _refused(tool, built, "template-failed", str(problem), _REMEDY)
    except (ValueError, UnsoundError) as problem:
        return _refused(
            tool,
            built,
            "unsound-module",
            f"the generated module is not sound: {problem}",
            "this is a bug in toolcast or in an overriding template; please report it with this spec",
        )
    files[f"contracts/{tool.name}.json"] = pretty(contract)
    files.update(schemas)
    try:
        files.update(_models(tool, built, names, options))
    except UnsoundError as problem:
        return _refused(
            tool,
            built,
            "model-family",
            f"another model family cannot say these parameters: {problem}",
            "simplify the schema, or take the family out of `models` in the configuration",
        )
    entry = ToolEntry(
        path=tool.path,
        name=tool.name,
        group=tool.group,
        module=".".join(path),
        constant=names.constant,
        keyword=keyword_of(tool.name),
        params=roots.params,
        handler=names.handler,
        ledger=losses_text(ledger),
    )
    return Compiled(
        path=tool.path, files=files, diagnostics=built.diagnostics, uses=built.normal.uses, entry=entry
    )


def tool_names(tool: ToolSpec) -> ToolNames:
    """What a tool's module, binding and handler type are called."""
    group = tuple(part.replace("-", "_") for part in tool.group.split("/")) if tool.group else ()
    return ToolNames(
        module=(*group, module_name(tool.name)),
        constant=constant_name(tool.name),
        handler=class_name(tool.name, "Handler"),
    )


def check_tool(
    python: bytes,
    tool: ToolSpec,
    built: Built,
    module: Module,
    roots: Roots,
    names: ToolNames,
    options: Options,
    provider_files: ProviderFiles = NO_PROVIDER_FILES,
) -> None:
    """Raise UnsoundError or ValueError unless the module is sound: its literals (L8), its decoder (L10)."""
    assert built.contract is not None
    tree, ours = parsed(python), options.templates is None
    tail = (names.handler, names.constant)
    check_module(tree, module, built.contract, python=python, tail=tail, ours=ours)
    dotted = ".".join(names.module)
    run = without_protocol(tree) if ours else checked_statements(tree, _defined(module), names.constant)
    with Isolated({dotted: run, **_shared_sources(built)}) as isolated:
        check_binding(isolated.load(dotted), names.constant, tool, roots, asdict(provider_files))


def _defined(module: Module) -> frozenset[str]:
    return frozenset(each.name for each in (*module.definitions, *module.late_definitions))


def _shared_sources(built: Built) -> dict[str, str]:
    """The modules of the shared types in use, by dotted name, as the built-in templates print them: nothing
    that a template of the project adds is run. Not formatted, as nobody reads them."""
    templates = _templates(None)
    return {
        ".".join(module_path(file)): type_text(file, "", type_module(built, file), templates)
        for file in built.normal.uses
    }


def _models(tool: ToolSpec, built: Built, names: ToolNames, options: Options) -> dict[str, bytes]:
    if not options.models:
        return {}
    from ...models import FAMILIES, ModelError, generate_models

    files: dict[str, bytes] = {}
    for family in FAMILIES:
        if family in options.models:
            try:
                text = generate_models(
                    built.normal.standalone("parameters"),
                    family,
                    class_name=class_name(tool.name, "Params"),
                    source=tool.path,
                )
            except ModelError as problem:
                raise UnsoundError(f"{family}: {problem}") from problem
            files[f"models/{family}/" + "/".join(names.module) + ".py"] = formatted(text)
    return files


def _refused(tool: ToolSpec, built: Built, code: str, message: str, hint: str) -> Compiled:
    diagnostic = diagnose(tool.document, ("parameters",), code, message, hint)
    return Compiled(
        path=tool.path, files={}, diagnostics=(*built.diagnostics, diagnostic), uses=built.normal.uses
    )


def emit_type(path: str, document: Document, built: Built, options: Options) -> Compiled:
    """All files of one shared type file."""
    module = type_module(built, path)
    place = module_path(path)
    described = document.data.get("description") if isinstance(document.data, dict) else None
    uses = tuple(file for file in built.normal.uses if file != path)
    try:
        source = type_text(path, str(described or ""), module, _templates(options.templates))
        python = formatted(source, ours=options.templates is None)
        _check_type(python, path, built, module, options)
    except (ValueError, UnsoundError) as problem:
        failed = isinstance(problem, TemplateFailedError)
        code, hint = ("template-failed", _REMEDY) if failed else ("unsound-module", "")
        found: Diagnostic = diagnose(document, (), code, str(problem), hint)
        return Compiled(path=path, files={}, diagnostics=(*built.diagnostics, found), uses=uses)
    files = {
        "/".join(place) + ".py": python,
        "contracts/" + "/".join(place) + ".json": pretty(built.normal.contract_file(path)),
    }
    return Compiled(path=path, files=files, diagnostics=built.diagnostics, uses=uses)


def _check_type(python: bytes, path: str, built: Built, module: Module, options: Options) -> None:
    assert built.contract is not None
    tree, ours = parsed(python), options.templates is None
    check_module(tree, module, built.contract, python=python, ours=ours)
    dotted = ".".join(module_path(path))
    run = python.decode() if ours else checked_statements(tree, _defined(module))
    with Isolated({**_shared_sources(built), dotted: run}) as isolated:
        defined = (*module.definitions, *module.late_definitions)
        build_decoders(isolated.load(dotted), tuple(definition.name for definition in defined))


def emit_package(entries: Sequence[ToolEntry], folders: Sequence[str], options: Options) -> dict[str, bytes]:
    """Registry and package markers."""
    templates = _templates(options.templates)
    tools = [
        {
            "name": e.name,
            "module": e.module,
            "constant": e.constant,
            "keyword": e.keyword,
            "handler": e.handler,
        }
        for e in entries
    ]
    ours = options.templates is None
    marker = formatted(templates.render("package.py.jinja", mark=mark("all specs")), ours=ours)
    files = {f"{folder}/__init__.py".lstrip("/"): marker for folder in folders}
    registry = formatted(registry_text(tools, templates), ours=ours)
    require_python(registry, ours=ours)
    files["registry.py"] = registry
    return files
