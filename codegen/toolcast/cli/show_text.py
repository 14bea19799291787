"""Print for `toolcast show` what one tool compiles to: as JSON, as tables, in steps."""

import difflib
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import click
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..analysis.lint.tokens import ESTIMATED, as_json, estimate
from ..colours import paint, wants_colour
from ..config import Config, show
from ..console import inert_json, json_text, one_line, printable, table, write_line
from ..contract.build import build_tool
from ..contract.spec_references import MAX_DEPTH
from ..diagnostics import did_you_mean
from ..http.http_request import build_request
from ..http_operation import FORM, read_operation
from ..jsonschema.json_values import JsonMapping
from ..jsonschema.pointers import resolve
from ..output_layout import CONTRACTS, schemas_folder
from ..project import worker
from ..project.core.compiled import Options, profile_of
from ..project.core.compiler import model_of
from ..project.core.tool_definitions import offered_to, wanted_strict
from ..project.profiles import profiles_of, suggest_provider, unknown_providers
from ..project.worker import Context, Task, compile_task, load_task, load_types, project_context
from ..providers import (
    LedgerEntry,
    Profile,
    ProfileError,
    Step,
    available,
    load_profile,
    load_profiles,
    normalize,
)
from ..providers import steps as steps_of
from ..runtime.declaration_text import declaration
from ..runtime.errors import RefusalError
from ..runtime.result_text import result_text
from ..spec.deprecation import notice
from ..spec.parsed_document import Document
from ..spec.tool_spec import ToolSpec
from .options import ShowOptions, print_diagnostics, refuse

Row = tuple[str, ...]
_SEVERITIES = {"reject": "error", "changed": "warning", "lost": "warning", "kept elsewhere": "plain"}


class _ProviderRow(Struct, frozen=True, kw_only=True):
    """One provider; `strict` is `always`, `if the contract survives` or `no`."""

    id: str
    title: str
    dated: str
    strict: str
    source: str
    overrides: bool = False  # it stands for a built-in one of the same id


def _provider_rows(config: Config) -> tuple[_ProviderRow, ...]:
    """Return all providers. Raises ProfileError."""
    own = load_profiles(config.profiles)
    files = dict(zip(own, config.profiles, strict=True))
    rows: list[_ProviderRow] = []
    for id in sorted({*available(), *own}):
        profile = own.get(id) or load_profile(id)
        strict = "if the contract survives" if profile.strict is not None else "no"
        rows.append(
            _ProviderRow(
                id=id,
                title=profile.title,
                dated=profile.dated,
                strict="always" if profile.always_strict else strict,
                source=show(files[id]) if id in files else "built-in",
                overrides=id in files and id in available(),
            )
        )
    return tuple(rows)


def _provider_lines(rows: Sequence[_ProviderRow], *, colour: bool) -> Iterator[str]:
    cells: list[Row] = [("ID", "DATED", "STRICT", "FROM", "TITLE")]
    for row in rows:
        source = f"{row.source} (instead of the built-in)" if row.overrides else row.source
        cells.append((row.id, row.dated, row.strict, source, row.title))
    return table(cells, [], colour)


def _ledger_lines(ledger: Mapping[str, Sequence[LedgerEntry]], *, colour: bool) -> Iterator[str]:
    for number, (provider, entries) in enumerate(ledger.items()):
        if number:
            yield ""
        count = f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}"
        yield paint(provider, "bold", colour) + f": {count if entries else 'no entries'}"
        if not entries:
            continue
        yield from (f"  {line}" for line in _entry_lines(entries, colour=colour))


def _entry_lines(entries: Sequence[LedgerEntry], *, colour: bool) -> Iterator[str]:
    cells: list[Row] = [("PATH", "KEYWORD", "ACTION", "SEVERITY", "REASON")]
    cells += [(_place(entry), entry.keyword, entry.action, entry.severity, entry.reason) for entry in entries]
    return table(cells, ["", *(_SEVERITIES[entry.severity] for entry in entries)], colour)


def _place(entry: LedgerEntry) -> str:
    """Return the path of an entry, and what it leads into where that is not the parameters."""
    path = entry.path or "(root)"
    return path if entry.of == "parameters" else f"{entry.of}: {path}"


_DIFF_STYLES = {"+": "add", "-": "del", "@": "hint"}


def _strict_mode(profile: Profile, strict: bool | None) -> str:
    """Say in which mode a schema is sent; empty for a provider without a strict mode."""
    if profile.always_strict:
        return "always strict"
    return "" if strict is None else "in strict mode" if strict else "without strict mode"


def _step_lines(steps: Sequence[Step], *, diff: bool, colour: bool) -> Iterator[str]:
    """Yield the lines of all steps: the first in full, the others with `diff` as changes."""
    before: list[str] = []
    for step in steps:
        schema = json_text(step.schema).split("\n")
        yield ""
        yield f"{paint(one_line(step.name), 'bold', colour)}: {one_line(step.summary)}"
        if schema == before:
            yield "  (the schema stays as it is)"
        elif diff and before:
            for line in list(difflib.unified_diff(before, schema, lineterm="", n=2))[2:]:
                style = _DIFF_STYLES.get(line[:1])
                yield f"  {paint(line, style, colour) if style else line}"
        else:
            yield from (f"  {line}" for line in schema)
        if step.entries:
            yield from (f"  {line}" for line in _entry_lines(step.entries, colour=colour))
        before = schema


def _print_coloured(text: str) -> None:
    """Print JSON to stdout in colours, whatever stdout is; lines are broken at the terminal's width."""
    from pygments.token import (  # type: ignore[import-untyped] # it ships no types; rich depends on it
        Keyword,
        Name,
        Number,
        String,
    )
    from rich.console import Console
    from rich.style import Style
    from rich.syntax import ANSISyntaxTheme, Syntax

    # the terminal's own colours, which its theme adapts to its background; punctuation has none
    colours = ANSISyntaxTheme(
        {
            Name: Style(bold=True),
            String: Style(color="green"),
            Number: Style(color="magenta"),
            Keyword: Style(color="cyan"),
        }
    )
    console = Console(force_terminal=True, color_system="standard")
    console.print(Syntax(text, "json", theme=colours, background_color="default", word_wrap=True))


def show_tool(config: Config, tool: str, options: ShowOptions) -> int:
    """Print what one tool compiles to, and return the exit status."""
    provider = options.provider
    context, path, known = _find(config, tool, provider)
    types = load_types(context)
    compiled = compile_task(context, types, Task(path, "tool"))
    if compiled.entry is None:
        print_diagnostics(compiled.diagnostics)
        return 1
    print_diagnostics(compiled.diagnostics)
    if options.model:
        spec, _ = load_task(context, Task(path, "tool"))
        assert isinstance(spec, ToolSpec)
        model = model_of(spec, build_tool(spec, types), compiled.files, context.options)
        _print(msgspec.json.encode(model))
        return 0
    _notices(context, types, path)
    if provider is None and not options.ledger:
        _request(context, types, path)
    if options.steps and provider is not None:
        _steps(context, types, path, provider, options.form)
        return 0
    if options.ledger:
        losses = compiled.losses
        shown = (provider,) if provider else [id for id in context.options.providers if id in losses]
        _ledger({id: losses.get(id, ()) for id in shown}, options.form)
        return 0
    folder = schemas_folder(provider) if provider else f"{CONTRACTS}/"
    for path, content in sorted(compiled.files.items()):
        if path.startswith(folder):
            _definition(content, provider, context.options, options.form)
            return 0
    hint = suggest_provider(provider or "", known)
    raise refuse(tool, "unknown-provider", f"there is no JSON for the provider {provider!r}", hint)


def _notices(context: Context, types: Mapping[str, Document], path: str) -> None:
    """Print what the spec states beside the contract: deprecation, words for approval, injection, texts."""
    tool, _ = load_task(context, Task(path, "tool"))
    if not isinstance(tool, ToolSpec):
        return
    if tool.deprecated is not None:
        write_line(f"{tool.name}: {notice(tool.deprecated)}", err=True)
    if tool.described_by is not None:
        words = f"`{tool.described_by}` has words for who approves a call; an approval does not depend on it"
        write_line(f"{tool.name}: {words}", err=True)
    for name, source in tool.inject.items():
        write_line(f"{tool.name}: `{name}` is filled in from `{source}`; models do not see it", err=True)
    if tool.text is not None:
        write_line(f"{tool.name}: {_saved(tool, tool.text, types)}", err=True)


def _saved(tool: ToolSpec, text: str | Sequence[str], types: Mapping[str, Document]) -> str:
    """Say how many tokens `text` saves on the examples of results."""
    document = schema = build_tool(tool, types).normal.standalone("result")
    for _ in range(MAX_DEPTH):
        if isinstance(schema, Mapping) and "$ref" in schema and "examples" not in schema:
            schema = resolve(document, schema["$ref"].removeprefix("#"))
    examples = schema.get("examples", ()) if isinstance(schema, Mapping) else ()
    if not examples:
        return "how many tokens `text` saves is not known: `result` has no `examples`"
    write = result_text(text).write
    before, after = (sum(map(estimate, map(make, examples))) for make in (as_json, write))
    count = f"{len(examples)} {'example' if len(examples) == 1 else 'examples'} of results"
    saved = f"{before - after:,} of {before:,} tokens" if after <= before else "no tokens"
    return f"`text` saves {saved} on {count}: {after:,} are left ({ESTIMATED})"


_MOST_LINES = 60
_MOST_VALUES = 1_000


def _request(context: Context, types: Mapping[str, Document], path: str) -> None:
    """Print the request of a tool with `http`, as it is sent, with `…` for values."""
    tool, _ = load_task(context, Task(path, "tool"))
    if not isinstance(tool, ToolSpec) or tool.http is None:
        return
    operation = read_operation(tool.http)
    schema = build_tool(tool, types).normal.standalone("parameters")
    try:
        request = build_request(operation, _sample(schema, schema, iter(range(_MOST_VALUES))))
    except RefusalError as problem:
        write_line(f"{tool.name}: {problem}", err=True)
        return
    media_type = f", {operation.body}" if operation.body else ""
    lines = [f"  ?{name}={unquote(text)}" for name, text in request.query]
    lines += [f"  {name}: {text}" for name, text in (*request.headers, *request.cookies)]
    if request.media_type == FORM:
        lines += [f"  {unquote(pair)}" for pair in (request.content or b"").decode().split("&")]
    lines += [f"  {part.name}={part.content.decode()}" for part in request.parts or ()]
    lines[_MOST_LINES:] = [f"  and {len(lines) - _MOST_LINES} more"] if len(lines) > _MOST_LINES else []
    for line in (f"{request.method} {operation.server}{operation.path}{media_type}", *lines):
        write_line(line, err=True)


def _sample(schema: Any, document: JsonMapping, left: Iterator[int]) -> Any:
    """Return a value in the shape of a schema, while `left` has numbers; `…` stands for scalars."""
    if not isinstance(schema, Mapping) or next(left, None) is None:
        return "…"
    if "$ref" in schema:
        return _sample(resolve(document, schema["$ref"].removeprefix("#")), document, left)
    for branch in (each for keyword in ("allOf", "anyOf", "oneOf") for each in schema.get(keyword, ())):
        found = _sample(branch, document, left)
        if isinstance(found, list | dict):
            return found
    kinds = schema.get("type")
    if kinds == "array" or (isinstance(kinds, list) and "array" in kinds):
        item = _sample(schema.get("items"), document, left)
        return [item] if isinstance(item, list | dict) else [item, item]
    if "properties" in schema or kinds == "object":
        properties = schema.get("properties") or {"NAME": True}
        return {name: _sample(each, document, left) for name, each in properties.items()}
    return "" if "contentEncoding" in schema else "…"


def _ledger(entries: Mapping[str, Sequence[LedgerEntry]], form: str) -> None:
    if form == "json":
        _print(msgspec.json.encode(entries))
        return
    colour = wants_colour(sys.stdout)
    for line in _ledger_lines(entries, colour=colour):
        click.echo(line, color=colour)
    if not entries:
        click.echo("no configured provider's JSON differs from the contract")


def list_providers(config: Config, form: str) -> int:
    """List the providers there are, and return the exit status."""
    _, problems = profiles_of(config)
    if problems:
        print_diagnostics(problems)
        return 1
    try:
        rows = _provider_rows(config)
    except ProfileError as error:
        raise refuse("pyproject.toml", "bad-profile", str(error)) from None
    if form == "json":
        _print(msgspec.json.encode(rows))
        return 0
    colour = wants_colour(sys.stdout)
    for line in _provider_lines(rows, colour=colour):
        click.echo(line, color=colour)
    return 0


def _steps(context: Context, types: Mapping[str, Document], path: str, provider: str, form: str) -> None:
    tool, _ = load_task(context, Task(path, "tool"))
    assert isinstance(tool, ToolSpec)
    profile = profile_of(provider, context.options)
    schema = offered_to(tool, build_tool(tool, types).normal, provider)
    wanted = wanted_strict(tool, profile)
    found, flag = steps_of(schema, profile, strict=wanted), normalize(schema, profile, strict=wanted).strict
    as_text = tool.input is not None and profile.text_envelope is not None
    if as_text:
        found, flag = (), None
    if form == "json":
        data = {"tool": tool.name, "provider": provider, "strict": flag, "steps": found}
        _print(msgspec.json.encode(data))
        return
    colour = wants_colour(sys.stdout)
    if as_text:
        click.echo(f"{tool.name} for {provider}: no schema is sent, since the argument is one text")
        return
    sent = _strict_mode(profile, flag)
    click.echo(f"{tool.name} for {provider}{f', {sent}' if sent else ''}:")
    for line in _step_lines(found, diff=colour or sys.stdout.isatty(), colour=colour):
        click.echo(line, color=colour)


def _find(config: Config, name: str, provider: str | None) -> tuple[Context, str, tuple[str, ...]]:
    """Find the spec of a tool: the context of its compilation, its path, and all providers."""
    profiles, problems = profiles_of(config)
    known = profiles.known
    if problems:
        print_diagnostics(problems)
        raise click.exceptions.Exit(1)
    if provider is not None and provider not in known:
        raise refuse(
            name, "unknown-provider", f"unknown provider {provider!r}", suggest_provider(provider, known)
        )
    providers = (provider,) if provider else profiles.chosen
    wrong = unknown_providers(config, providers, known)
    if wrong:
        print_diagnostics(wrong)
        raise click.exceptions.Exit(1)
    context, found = project_context(config, profiles, worker.FRONTEND)
    context = replace(
        context, options=replace(context.options, providers=providers, configured=profiles.chosen)
    )
    path = _find_spec(context.root, context.shown_root, found.tools, known, name)
    return context, path, known


def _find_spec(root: str, shown_root: str, paths: tuple[str, ...], known: tuple[str, ...], name: str) -> str:
    """Find the spec of a tool: first a file of that name, then a tool."""
    names: list[str] = []
    wanted = name.removesuffix(".yaml").removesuffix(".yml").removesuffix(".json")
    for path in sorted(paths, key=lambda path: (Path(path).stem != name, path)):
        if path.rpartition(".")[0] == wanted or f"{shown_root}/{path}" == name:
            return path
        spec, _ = worker.FRONTEND.load_tool(
            Path(root), path, shown_root=shown_root, known_providers=frozenset(known)
        )
        tool_name = spec.name if isinstance(spec, ToolSpec) else Path(path).stem
        if tool_name == name:
            return path  # where it has errors, compiling reports them
        names.append(tool_name)
    hint = did_you_mean(name, names, f"tools here: {', '.join(sorted(names)[:20]) or 'none'}")
    raise refuse(shown_root, "unknown-tool", f"there is no tool called {name!r}", hint)


def _definition(content: bytes, provider: str | None, options: Options, form: str) -> None:
    language = None if provider is None else profile_of(provider, options).declaration
    if language is None or form == "json":
        _print(content)
    else:
        click.echo(printable(declaration(msgspec.json.decode(content), language)), nl=False)


def _print(content: bytes) -> None:
    text = inert_json(msgspec.json.format(content, indent=2).decode())
    if not wants_colour(sys.stdout):
        click.echo(text)
        return
    _print_coloured(text)
