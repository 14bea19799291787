"""Compile one spec to its output files: the pure core of the build."""

import ast
import weakref
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache, partial
from pathlib import Path
from types import ModuleType

import msgspec
from msgspec.structs import replace

from ...contract.build import Built, Together, build_tool, build_type, build_types
from ...diagnostics import Diagnostic
from ...languages.python.bindings.render_module import (
    ProviderFiles,
    ToolNames,
    formatted,
    laid_out,
    mark,
    parsed,
    registry_text,
    require_python,
    tool_text,
    type_text,
)
from ...languages.python.bindings.templates import Overrides, TemplateFailedError, Templates
from ...languages.python.check import (
    Isolated,
    UnsoundError,
    WithoutTexts,
    build_decoders,
    require_definitions,
    require_own_statements,
    without_protocol,
)
from ...languages.python.structs.module import Roots, module_path, tool_module, type_module, type_modules
from ...languages.python.structs.module_model import Module
from ...languages.python.structs.python_names import class_name, constant_name
from ...output_layout import (
    REGISTRY,
    REQUESTS,
    TARGETS,
    TYPESCRIPT,
    contract_path,
    grammar_paths,
    ledger_path,
    marker_path,
    model_path,
    python_path,
    schema_path,
    wire_form_path,
)
from ...providers import LedgerEntry, SchemaError, SchemaNormalizer, envelope_pointers, profile_for
from ...runtime.request_rules import RequestRules
from ...spec.parsed_document import Document, SharedTypes, diagnose
from ...spec.spec_checker import SpecChecker, quoted
from ...spec.tool_spec import ToolSpec
from ...targets.model import TargetError, ToolModel
from .compiled import (
    Compiled,
    Options,
    ToolEntry,
    entry_of,
    ledger_file,
    module_parts,
    pretty,
    profile_of,
)
from .tool_definitions import definition, offered_to, tool_info, wanted_strict


class _RefusedError(Exception):
    """A contract that cannot be compiled: message, code and hint of a diagnostic about a key of the spec."""

    def __init__(self, message: str, code: str, hint: str, key: str = "parameters") -> None:
        super().__init__(message)
        self.code, self.hint, self.key = code, hint, key


def compile_tool(tool: ToolSpec, types: Mapping[str, Document], options: Options) -> Compiled:
    """Compile one tool from its arguments and the templates that `options` names; no files with an error."""
    built = build_tool(tool, types)
    compiled = Compiled(
        path=tool.path,
        files={},
        diagnostics=built.diagnostics,
        uses=built.normal.uses,
        missing=built.normal.missing,
    )
    if built.contract is None:
        return compiled
    if unread := _unread_texts(tool, options):
        return replace(compiled, diagnostics=(*built.diagnostics, *unread))
    try:
        files, entry = _tool_files(tool, built, options)
        more, left_out = _javascript(tool, built, types, options)
    except _RefusedError as refusal:
        problem = diagnose(tool.document, (refusal.key,), refusal.code, str(refusal), refusal.hint)
        return replace(compiled, diagnostics=(*built.diagnostics, problem))
    if left_out is not None:
        entry = replace(entry, without=(TYPESCRIPT,))
        compiled = replace(compiled, diagnostics=(*built.diagnostics, left_out))
    return replace(compiled, files={**files, **more}, entry=entry)


def _unread_texts(tool: ToolSpec, options: Options) -> list[Diagnostic]:
    """Report texts for providers of which the project makes no JSON."""
    checker, made = SpecChecker(tool.document), options.configured or options.providers
    for id in dict.fromkeys((*tool.overrides("description"), *tool.overrides("parameters"))):
        if id not in made:
            hint, _ = checker.suggest(id, made, "those of the project are")
            message = f"{quoted(id)} has texts here, and is not among the `providers` of the project"
            checker.report(("providers", id), "unread-text", message, hint, key=True)
    return checker.found


def compile_type(path: str, types: Mapping[str, Document], options: Options) -> Compiled:
    """Compile one shared type file to its module."""
    built = build_type(path, types)
    uses = tuple(file for file in built.normal.uses if file != path)
    missing = built.normal.missing
    compiled = Compiled(path=path, files={}, diagnostics=built.diagnostics, uses=uses, missing=missing)
    if built.contract is None:
        return compiled
    document, module, place = types[path], type_module(built, path), module_path(path)
    described = document.data.get("description") if isinstance(document.data, dict) else None
    try:
        python, built_in = _module_text(
            lambda templates: type_text(path, str(described or ""), module, templates), options
        )
        _check_type(built_in, path, built, module)
    except (ValueError, UnsoundError) as problem:
        failed = isinstance(problem, TemplateFailedError)
        code, hint = ("template-failed", _REMEDY) if failed else ("unsound-module", "")
        found = diagnose(document, (), code, str(problem), hint)
        return replace(compiled, diagnostics=(*built.diagnostics, found))
    contract = pretty(built.normal.contract_file(path))
    files = {python_path(place): python, contract_path("/".join(place)): contract}
    if options.typescript:
        from ...languages.typescript.modules import type_modules

        try:
            files |= type_modules(path, built, types)
        except SchemaError as problem:
            found = diagnose(
                document, (), "typescript-types", f"no type says this: {problem.message}", _FLATTER
            )
            return replace(compiled, diagnostics=(*built.diagnostics, found))
    return replace(compiled, files=files)


def compile_package(
    entries: Sequence[ToolEntry], folders: Sequence[str], options: Options
) -> dict[str, bytes]:
    """Make the registry, the rules of requests to each provider, and package markers for `folders`."""
    templates = _templates(options.templates)
    tools = [
        {
            "name": entry.name,
            "module": entry.module,
            "constant": entry.constant,
            "keyword": entry.keyword,
            "handler": entry.handler,
            "external": entry.external,
        }
        for entry in sorted(entries, key=lambda entry: entry.name)
    ]
    layout = laid_out if options.templates is None else formatted
    marker = layout(templates.render("package.py.jinja", mark=mark("all specs")))
    registry = layout(registry_text(tools, templates, options.providers))
    require_python(registry)
    rules = {id: profile_of(id, options).request for id in sorted(options.providers)}
    requests = {id: request for id, request in rules.items() if request != RequestRules()}
    markers = {marker_path(folder): marker for folder in folders}
    files = {**markers, REGISTRY: registry, REQUESTS: pretty(requests)}
    if options.typescript:
        from ...languages.typescript.modules import package_modules

        files |= package_modules([entry for entry in entries if TYPESCRIPT not in entry.without])
    if any(target.about_all for target in options.targets):
        from ...targets.make_model import set_model
        from ...targets.render import set_outputs

        model = set_model(entry.model for entry in entries if entry.model is not None)
        for target in options.targets:
            files |= set_outputs(target, model)
    for format, engine in options.grammars if entries else ():
        files |= _grammar_files(format, engine, entries)
    return files


def _grammar_files(format: str, engine: str, entries: Sequence[ToolEntry]) -> dict[str, bytes]:
    """Make the grammar of all tools, and the ledger of what it does not say. Raises TargetError."""
    from ...text_formats.call_grammar import ENDINGS, CallsAllowed, call_grammar

    schemas = {entry.name: entry.model.parameters for entry in entries if entry.model is not None}
    try:
        made = call_grammar(format, engine, schemas, CallsAllowed())
    except ValueError as problem:
        hint = f"change the tool, or take '{format}:{engine}' out of `grammars` in the configuration"
        raise TargetError(str(problem), hint) from problem
    grammar, ledger = grammar_paths(format, engine, ENDINGS[engine])
    head = "" if grammar.endswith(".json") else f"{mark('all specs')}\n"
    files = {grammar: f"{head}{made.text}".encode()}
    return files | ({ledger: pretty(made.losses)} if made.losses else {})


def decoding_files(
    tool: ToolSpec, built: Built, types: Mapping[str, Document]
) -> tuple[dict[str, bytes], str, str]:
    """Return the modules, not formatted, that decoding a tool's arguments needs, its dotted name and that of
    its binding; they can be imported from memory.
    """
    names, options = tool_names(tool), Options(providers=())
    module, roots = tool_module(built, name=tool.name, module=names.module)
    source = tool_text(tool, names, module, roots, _templates(None))
    files = {
        python_path(names.module): source.encode(),
        contract_path(tool.name): pretty(built.normal.contract_file()),
    }
    for path in built.normal.uses:
        files.update(compile_type(path, types, options).files)
    return files, ".".join(names.module), names.constant


def tool_names(tool: ToolSpec) -> ToolNames:
    """Return the names of a tool's module, binding and handler type."""
    return ToolNames(
        module=module_parts(tool.name, tool.group),
        constant=constant_name(tool.name),
        handler=class_name(tool.name, "Handler"),
    )


def _tool_files(tool: ToolSpec, built: Built, options: Options) -> tuple[dict[str, bytes], ToolEntry]:
    """Make all files of one tool, and its entry. Raises _RefusedError."""
    names = tool_names(tool)
    if tool.defaults is None:
        tool = replace(tool, defaults=options.defaults)
    module, roots = tool_module(built, name=tool.name, module=names.module)
    contract = pretty(built.normal.contract_file())
    definitions, ledger, provider_files = _definitions(tool, built, options)
    surfaces, model = _surfaces(tool, built, definitions, ledger, options)
    try:
        python, built_in = _module_text(
            lambda templates: tool_text(tool, names, module, roots, templates, provider_files), options
        )
        check_tool(built_in, built, roots, names)
    except TemplateFailedError as problem:
        raise _RefusedError(str(problem), "template-failed", _REMEDY) from problem
    except (ValueError, UnsoundError) as problem:
        message = f"the generated module is not sound: {problem}"
        hint = "this is a bug in toolcast or in an overriding template; please report it with this spec"
        raise _RefusedError(message, "unsound-module", hint) from problem
    files = {
        python_path(names.module): python,
        contract_path(tool.name): contract,
        **definitions,
        **({ledger_path(tool.name): ledger_file(ledger)} if ledger else {}),
        **_models(tool, built, names, options),
        **surfaces,
    }
    entry = replace(
        entry_of(tool.path, tool.name),
        params=roots.params,
        result="" if roots.result == "None" else roots.result,
        source=tool.source,
        http=tool.http is not None,
        external=tool.external,
        model=model,
    )
    return files, entry


def model_of(tool: ToolSpec, built: Built, files: Mapping[str, bytes], options: Options) -> ToolModel:
    """Return the model of a tool that the templates of targets read; `files` has its definitions."""
    from ...targets.make_model import tool_model

    names = tool_names(tool)
    made = {id: msgspec.json.decode(files[schema_path(id, tool.name)]) for id in options.providers}
    return tool_model(tool, built, ".".join(names.module), names.constant, made)


def _surfaces(
    tool: ToolSpec,
    built: Built,
    definitions: Mapping[str, bytes],
    ledger: dict[str, tuple[LedgerEntry, ...]],
    options: Options,
) -> tuple[dict[str, bytes], ToolModel | None]:
    """Make the files of targets about one tool, and its model for files about all; add to `ledger` what the
    targets lack. Raises _RefusedError.
    """
    targets = [target for target in options.targets if target.outputs]
    if not targets and not options.grammars:
        return {}, None
    from ...targets.render import target_ledger, tool_outputs

    model = model_of(tool, built, definitions, options)
    files: dict[str, bytes] = {}
    for target in targets:
        if tool.text is not None and TYPESCRIPT in target.needs:
            message = f"{target.title} has no way to write results as `text` says"
            hint = f"remove `text`, or leave the target {target.id!r} out of the configuration"
            raise _RefusedError(message, "target-text", hint, "text")
        try:
            files |= tool_outputs(target, model)
        except TargetError as problem:
            raise _RefusedError(str(problem), "target-output", problem.hint) from problem
        if entries := target_ledger(target, tool):
            ledger[f"{TARGETS}/{target.id}"] = entries
    about_all = options.grammars or any(target.about_all for target in targets)
    return files, replace(model, definitions={}) if about_all else None


def _definitions(
    tool: ToolSpec, built: Built, options: Options
) -> tuple[dict[str, bytes], dict[str, tuple[LedgerEntry, ...]], ProviderFiles]:
    """Make the files for each provider, their losses, and what of them the module has to name."""
    files: dict[str, bytes] = {}
    ledger: dict[str, tuple[LedgerEntry, ...]] = {}
    encoded: list[str] = []
    envelopes: dict[str, tuple[str, str]] = {}
    info = tool_info(tool, built.normal)
    normalizer, texts = SchemaNormalizer(built.normal.offered(tool.inject)), tool.overrides("parameters")
    for id in options.providers:
        profile = profile_of(id, options)
        try:
            own = SchemaNormalizer(offered_to(tool, built.normal, id)) if id in texts else normalizer
            parameters = own.normalize(profile, strict=wanted_strict(tool, profile))
        except SchemaError as problem:
            message = f"{id} cannot be told of {problem.path or 'these parameters'}: {problem.message}"
            hint = "simplify the schema there, or leave this provider out of the configuration"
            raise _RefusedError(message, "provider-schema", problem.hint or hint) from problem
        made = definition(info, profile, parameters)
        files[schema_path(id, tool.name)] = made.content
        if made.wire_forms is not None:
            files[wire_form_path(id, tool.name)] = made.wire_forms
            encoded.append(id)
        if (places := envelope_pointers(profile_for(info, profile))) is not None:
            envelopes[id] = places
        if made.ledger:
            ledger[id] = made.ledger
    return files, ledger, ProviderFiles(wire_forms=tuple(encoded), envelopes=envelopes)


def _module_text(render: Callable[[Templates], str], options: Options) -> tuple[bytes, bytes]:
    """Return a module as published, and as it may be run: without statements of project templates. Raises
    UnsoundError or ValueError where such a template changes definitions, or prints texts of the spec as
    statements.
    """
    templates = _templates(options.templates)
    source = render(templates)
    if options.templates is None:
        python = laid_out(source)
        return python, python
    python = formatted(source)
    built_in = render(_templates(None))
    require_python(python)
    require_own_statements(source, render(WithoutTexts(templates)))
    require_definitions(source, built_in)
    return python, built_in.encode()


def check_tool(python: bytes, built: Built, roots: Roots, names: ToolNames) -> None:
    """Check law L10: the module runs, and its decoders can be built. Raises UnsoundError or ValueError."""
    with tool_module_run(python, built, names) as module:
        types = (roots.params, roots.wire, roots.result)
        build_decoders(module, tuple(name for name in types if name not in ("", "None")))


@contextmanager
def tool_module_run(python: bytes, built: Built, names: ToolNames) -> Generator[ModuleType]:
    """Run the module of a tool apart, without its Protocol. Raises UnsoundError or ValueError."""
    dotted = ".".join(names.module)
    with _isolated({dotted: without_protocol(parsed(python))}, built) as isolated:
        yield isolated.load(dotted)


def _check_type(python: bytes, path: str, built: Built, module: Module) -> None:
    dotted = ".".join(module_path(path))
    with _isolated({dotted: python.decode()}, built) as isolated:
        defined = tuple(each.name for each in (*module.definitions, *module.late_definitions))
        build_decoders(isolated.load(dotted), defined)


@contextmanager
def _isolated(sources: Mapping[str, str | ast.Module], built: Built) -> Generator[Isolated]:
    """Yield modules, with those of the shared types in use: they run once for all units of a set of types."""
    shared: Isolated | None = None
    with ExitStack() as stack:
        if built.normal.uses:
            together = built.together or build_types(built.normal.uses, built.documents)
            shared = together.made.get("modules")
            if shared is None:
                shared = together.made["modules"] = Isolated(_shared_sources(together))
                close = partial(shared.__exit__, None, None, None)
                if isinstance(built.documents, SharedTypes):
                    weakref.finalize(built.documents, close)
                else:
                    stack.callback(close)
        yield stack.enter_context(Isolated(sources, shared))


def _shared_sources(together: Together) -> dict[str, str]:
    """Return the modules of shared types, by the built-in templates: a project's are not run."""
    templates, built = _templates(None), replace(together.built, together=together)
    return {
        ".".join(module_path(file)): type_text(file, "", module, templates)
        for file, module in type_modules(built, together.needs).items()
    }


def _models(tool: ToolSpec, built: Built, names: ToolNames, options: Options) -> dict[str, bytes]:
    if not options.models:
        return {}
    from ...languages.models import FAMILIES, ModelError, generate_models

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
                message = f"another model family cannot say these parameters: {family}: {problem}"
                hint = "simplify the schema, or take the family out of `models` in the configuration"
                raise _RefusedError(message, "model-family", hint) from problem
            files[model_path(family, names.module)] = formatted(text)
    return files


def _javascript(
    tool: ToolSpec, built: Built, types: Mapping[str, Document], options: Options
) -> tuple[dict[str, bytes], Diagnostic | None]:
    """Make the modules in JavaScript, or say why this tool has none. Raises _RefusedError."""
    if not options.typescript:
        return {}, None
    from ...languages.typescript.modules import tool_modules

    if tool.input is not None and tool.input.grammar:
        message = "the target typescript is without this tool: JavaScript does not check grammars"
        hint = "write `input: text`, and check the text in the handler"
        place = ("input", "grammar")
        return {}, diagnose(tool.document, place, "typescript-grammar", message, hint, severity="warning")
    try:
        return tool_modules(tool, built, tool_names(tool).module, types), None
    except SchemaError as problem:
        message = f"TypeScript has no type for {problem.path or 'this contract'}: {problem.message}"
        raise _RefusedError(message, "typescript-types", _FLATTER) from problem


_FLATTER = "make the schema flatter, or take typescript out of `targets` in the configuration"
_REMEDY = "correct the template, or remove it: the built-in one of that name is used then"


def _templates(overrides: Overrides | None) -> Templates:
    """Return the templates, read again when one of the user's changed: a process may outlive an edit."""
    return _read_templates(overrides, _states(overrides) if isinstance(overrides, str) else ())


@lru_cache(maxsize=4)
def _read_templates(overrides: Overrides | None, _states: tuple[tuple[str, int, int], ...]) -> Templates:
    return Templates(overrides or ())


def _states(folder: str) -> tuple[tuple[str, int, int], ...]:
    if not Path(folder).is_dir():  # reading it says so
        return ()
    found = [(path.name, path.stat()) for path in Path(folder).iterdir() if path.is_file()]
    return tuple(sorted((name, state.st_mtime_ns, state.st_size) for name, state in found))
