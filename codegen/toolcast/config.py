"""`[tool.toolcast]` of `pyproject.toml`, read into one resolved `Config`.

What belongs to another user may be there to harm whoever works beside it. The rule is git's
(`safe.directory`): a file counts as the user's own where its owner is the effective user, or for root under
`sudo` the user who called it. Beside that root's files count, since root can change every file anyway. On
Windows a file's owner is not known to Python, and every file counts as the user's own.
"""

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from .command_settings import DiffSettings, LintSettings, VerifySettings, read_diff, read_lint, read_verify
from .diagnostics import Diagnostic, most_similar
from .jsonschema.json_values import JsonObject
from .package_files import target_ids
from .spec.type_folders import PACKAGE, PACKAGE_FOLDER, TYPES, TypeFolder
from .toml_tables import Key, Locator, TableReader, Wrong, names, one_of, split_fault, suggestion, table, text

DEFAULT_PROVIDERS = ("openai", "openai-responses", "anthropic", "gemini", "mcp")
TARGET_ID: Final = re.compile(r"[a-z][a-z0-9-]{0,40}")
_MODEL_FAMILIES = ("pydantic", "dataclass", "typeddict")
_MAX_BYTES = 4 * 1024 * 1024
_FOLDERS = "TOOLCAST_FOLDERS"
"""The environment variable with folders, separated as in PATH, that a configuration may lead into."""


class TargetChoice(Struct, frozen=True, kw_only=True):
    """A target that the configuration names, with its options; `folder` is None for a built-in one."""

    id: str
    folder: Path | None = None
    options: JsonObject = {}


class Config(Struct, frozen=True, kw_only=True):
    """The configuration of a build, with absolute paths; `file` is None if nothing configures it."""

    base: Path  # the folder that paths are relative to; `.toolcast/` lies here
    file: Path | None
    specs: Path
    output: Path
    providers: tuple[str, ...] | None  # None: all that are known
    models: tuple[str, ...]
    targets: tuple[TargetChoice, ...]
    stubs: Path
    templates: Path | None
    profiles: tuple[Path, ...]
    types: tuple[TypeFolder, ...] = ()  # outside the specs folder; packages are searched for by each run
    defaults: Literal["include", "omit"] | None = None  # of results, for specs that do not say
    examples: tuple[str, ...] = ()  # providers that are sent the examples of specs
    grammars: tuple[tuple[str, str], ...] = ()  # text formats and engines
    lint: LintSettings = LintSettings()
    verify: VerifySettings = VerifySettings()
    diff: DiffSettings = DiffSettings()
    project: Mapping[str, str] = {}  # texts of [project] that options of targets may take: name, version, …

    @property
    def state(self) -> Path:
        """The machine-local folder; it can be deleted at any time."""
        return self.base / ".toolcast"


def _providers(value: object) -> Wrong | None:
    wrong = 'a list of non-empty strings, or "all"', 'for example {name} = ["openai"]'
    return None if value == "all" or names(value) is None else wrong


def _targets(value: object) -> Wrong | None:
    if isinstance(value, dict):
        tables = all(isinstance(each, dict) and TARGET_ID.fullmatch(id) for id, each in value.items())
        return None if tables else ("a table for each target", "for example [tool.toolcast.targets.mcpb]")
    return names(value)


_PATH: Final = text("a path, written as a non-empty string", "{name}")
_RESULTS: Final = "include writes members of results that equal their default, omit leaves them out"
KEYS: Final = {
    "specs": Key(_PATH, "specs", "The folder of the specs.", '"specs"'),
    "output": Key(
        _PATH, "generated", "The folder that is written; it holds nothing else.", '"src/acme/generated"'
    ),
    "providers": Key(
        _providers,
        DEFAULT_PROVIDERS,
        "The providers that definitions are made for: ids of profiles, or all that are built in.",
        '["openai", "anthropic"]',
    ),
    "models": Key(
        names, (), "Other families of models to generate: pydantic, dataclass, typeddict.", '["pydantic"]'
    ),
    "targets": Key(
        _targets,
        (),
        "Further surfaces to generate: ids of targets, or a table of each with its options.",
        '["typescript", "mcpb"]',
    ),
    "stubs": Key(
        _PATH, "handlers", "The folder that `toolcast stubs` writes handlers to.", '"src/acme/handlers"'
    ),
    "templates": Key(
        _PATH,
        None,
        "The folder of templates that stand in for built-in ones of the same name.",
        '"templates"',
    ),
    "profiles": Key(names, (), "Profiles of further providers: TOML files.", '["profiles/acme.toml"]'),
    "types": Key(
        names,
        (),
        "Shared types outside of the specs folder: folders called `_types`, or packages (`package:NAME`).",
        '["../common/_types", "package:acme_types"]',
    ),
    "defaults": Key(
        one_of(("include", "omit"), _RESULTS),
        None,
        "Whether results hold members that equal their default, for specs that do not say.",
        '"include"',
    ),
    "examples": Key(names, (), "The providers that are sent the examples of specs.", '["anthropic"]'),
    "grammars": Key(
        names,
        (),
        "Grammars of all tools for engines that constrain a model: a text format and an engine each.",
        '["qwen3-coder:xgrammar"]',
    ),
    "lint": Key(table, {}, "Settings of `toolcast lint`.", '{max_severity = "note"}'),
    "verify": Key(table, {}, "Settings of `toolcast verify`.", "{seed = 1}"),
    "diff": Key(table, {}, "Settings of `toolcast diff`.", '{against = "origin/main"}'),
}
_TABLE: Final = ("tool", "toolcast")


def find_config(start: Path) -> Path | None:
    """Return the nearest `pyproject.toml` from `start` upwards that has a `[tool.toolcast]` table. One that
    cannot be parsed is returned, too: silently passing it by would hide the mistake.
    """
    for folder in (start, *start.parents):
        candidate = folder / "pyproject.toml"
        if not candidate.is_file():
            continue
        raw, problem = _read(candidate)
        if problem is not None or _table(raw) is not None or _misspelt(raw):
            return candidate
    return None


def load_config(
    start: Path, file: Path | None = None, *, staged: bool = False
) -> tuple[Config | None, tuple[Diagnostic, ...]]:
    """Load the configuration for a run started in `start`, or return why there is none.

    Without `file` the nearest configured `pyproject.toml` counts, else the defaults, relative to `start`. One
    in a folder above that belongs to another user is refused: whoever can write there would configure every
    project below. So are templates of another user, unless the environment says to trust them.

    What a configuration names is in its own folder, or in one that the environment names: it came with the
    checkout, and would say where on the machine to read and write. `staged`: a build engine put the inputs
    into place with links, which are not looked at then.
    """
    start = start.absolute()
    chosen = find_config(start) if file is None else Path(os.path.normpath(start / file))
    if chosen is None:
        return _resolve({}, start, None, TableReader(Locator("", ""), _TABLE))
    shown = show(chosen, start)
    if file is None and chosen.parent != start and (found := _foreign((chosen, chosen.parent))) is not None:
        message = f"is in a folder above, and {_owned(found, start)}: it is not used"
        hint = (
            f"if you trust it, name it: --config {shown}; else add [tool.toolcast] to a pyproject.toml here"
        )
        return None, (Diagnostic(file=shown, code="config-foreign", message=message, hint=hint),)
    data, problem = _read(chosen, shown)
    if problem is not None:
        return None, (problem,)
    stated = _table(data)
    reader = TableReader(Locator(shown, chosen.read_text(encoding="utf-8")), _TABLE)
    if stated is None and (name := _misspelt(data)):
        at, message = ("tool", name), f"[tool.{name}] is not read"
        return None, (reader.locator.at(at, "unknown-key", message, "did you mean [tool.toolcast]?"),)
    config, problems = _resolve({} if stated is None else stated, chosen.parent, chosen, reader)
    if config is None:
        return None, problems
    config = replace(config, project=_project(data))
    if refused := _outside(config, reader, staged=staged):
        return None, refused
    if (problem := _missing_templates(config, reader) or _foreign_templates(config, reader)) is not None:
        return None, (problem,)
    return config, problems


def setting_problem(
    config: Config, path: Sequence[str], code: str, message: str, hint: str = ""
) -> Diagnostic:
    """Return a problem of a setting, by its keys below `tool.toolcast`, that only the command can judge."""
    file, line, column = setting_place(config, path)
    return Diagnostic(file=file, line=line, column=column, code=code, message=message, hint=hint)


def setting_place(config: Config, path: Sequence[str]) -> tuple[str, int, int]:
    """Return file, line and column of a setting by its keys; line 0 where no file has it."""
    if config.file is None:
        return "pyproject.toml", 0, 0
    content = config.file.read_text(encoding="utf-8", errors="replace")
    return show(config.file), *Locator(show(config.file), content).find((*_TABLE, *path))


def _outside(config: Config, reader: TableReader, *, staged: bool) -> tuple[Diagnostic, ...]:
    """Find what leads out of the folder of the configuration, by its path or through a link."""
    folders = [Path(each) for each in os.environ.get(_FOLDERS, "").split(os.pathsep) if each]
    roots = [Path(os.path.normpath(config.base)), *(each for each in folders if each.is_absolute())]
    real = [Path(os.path.realpath(root)) for root in roots]
    named = [("specs", config.specs), ("output", config.output), ("stubs", config.stubs)]
    named += [] if config.templates is None else [("templates", config.templates)]
    named += [("profiles", profile) for profile in config.profiles]
    named += [("targets", each.folder) for each in config.targets if each.folder is not None]
    found = list(_types_outside(config.types, config.base, roots, reader, staged=staged))
    for key, path in [*named, ("", config.state)]:
        target = path if staged else Path(os.path.realpath(path))
        inside = any(map(path.is_relative_to, roots)) or any(map(target.is_relative_to, real[1:]))
        if inside and (staged or any(map(target.is_relative_to, real))):
            continue
        what = repr(key) if key else show(path, config.base)
        how = "" if target == path else f" through a link to {show(target, config.base)}"
        message = f"{what} leads out of the folder of the configuration{how}"
        hint = f"name something below that folder, or set {_FOLDERS}={target.parent} in the environment"
        found.append(reader.problem(key, "config-outside", message, hint))
    return tuple(sorted(found))


def _missing_templates(config: Config, reader: TableReader) -> Diagnostic | None:
    if config.templates is None or config.templates.is_dir():
        return None
    message = f"there is no folder {config.templates.name!r} of templates"
    return reader.problem("templates", "templates-missing", message, "make the folder, or leave out the key")


def _foreign_templates(config: Config, reader: TableReader) -> Diagnostic | None:
    named = (config.templates, *(each.folder for each in config.targets))
    folders = [folder for folder in named if folder is not None]
    if not folders or config.file is None or _trusts_templates():
        return None
    files = [file for folder in folders for file in (folder, *sorted(folder.rglob("*.jinja")))]
    found = _foreign((config.file, config.base, *files))
    if found is None:
        return None
    message = f"the project's own templates are not used: {_owned(found, config.base)}"
    hint = f"if you trust them, set {_TRUST_TEMPLATES}=1 in the environment, or make the files yours (chown)"
    return reader.problem("templates", "templates-foreign", message, hint)


def _owned(found: tuple[Path, int], start: Path) -> str:
    path, owner = found
    return f"{show(path, start)} belongs to another user (number {owner})"


def _read(path: Path, shown: str | None = None) -> tuple[object, Diagnostic | None]:
    name = show(path) if shown is None else shown

    def refuse(message: str, hint: str, line: int = 0, column: int = 0) -> tuple[None, Diagnostic]:
        return None, Diagnostic(
            file=name, line=line, column=column, code="config-unreadable", message=message, hint=hint
        )

    try:
        raw = path.read_bytes()
    except OSError as error:
        return refuse(f"cannot read: {error.strerror}", "name an existing file with --config")
    if len(raw) > _MAX_BYTES:
        return refuse(f"larger than {_MAX_BYTES} bytes", "this is no configuration file")
    try:
        return tomllib.loads(raw.decode("utf-8")), None
    except UnicodeDecodeError:
        return refuse("not UTF-8 text", "save the file as UTF-8")
    except RecursionError:
        return refuse("nested too deeply", "this is no configuration file")
    except tomllib.TOMLDecodeError as error:
        message, line, column = split_fault(str(error), raw.decode())
        return refuse(f"not TOML: {message}", "correct the syntax", line, column)


def _tools(data: object) -> JsonObject:
    tool = data.get("tool") if isinstance(data, dict) else None
    return tool if isinstance(tool, dict) else {}


def _table(data: object) -> object:
    return _tools(data).get("toolcast")


def _project(data: object) -> Mapping[str, str]:
    """Return the texts of [project] that describe it."""
    stated = data.get("project") if isinstance(data, dict) else None
    texts: JsonObject = stated if isinstance(stated, dict) else {}
    authors = texts.get("authors")
    author = authors[0] if isinstance(authors, list) and authors and isinstance(authors[0], dict) else {}
    found = {key: texts.get(key) for key in ("name", "version", "description")}
    found["author"] = author.get("name")
    return {key: text for key, text in found.items() if isinstance(text, str)}


def _misspelt(data: object) -> str:
    """Return the name of a table of tools that is nearly ours; empty where none is."""
    return most_similar("toolcast", _tools(data), 0.85)


def _resolve(
    stated: object, base: Path, file: Path | None, reader: TableReader
) -> tuple[Config | None, tuple[Diagnostic, ...]]:
    values, problems = reader.read(stated, KEYS)
    lint, wrong_lint = read_lint(values["lint"], reader.below("lint"))
    verify, wrong_verify = read_verify(values["verify"], reader.below("verify"))
    diff, wrong_diff = read_diff(values["diff"], reader.below("diff"))
    problems += [*wrong_lint, *wrong_verify, *wrong_diff]
    for name in values["models"]:
        if name not in _MODEL_FAMILIES:
            hint = suggestion(name, _MODEL_FAMILIES, "known families")
            problems.append(reader.problem("models", "unknown-model", f"unknown model family {name!r}", hint))
    grammars, wrong_grammars = _read_grammars(values["grammars"], reader)
    problems += wrong_grammars
    targets, wrong_targets = _read_targets(values["targets"], base, reader)
    problems += wrong_targets
    if problems:
        return None, tuple(sorted(problems))

    def below(value: str) -> Path:
        return Path(os.path.normpath(base / value))

    types, problems = _read_types(values["types"], below(values["specs"]), base, reader)
    if problems:
        return None, tuple(problems)
    providers = values["providers"]
    config = Config(
        base=base,
        file=file,
        specs=below(values["specs"]),
        output=below(values["output"]),
        providers=None if providers == "all" else tuple(dict.fromkeys(providers)),
        models=tuple(dict.fromkeys(values["models"])),
        targets=targets,
        stubs=below(values["stubs"]),
        templates=None if values["templates"] is None else below(values["templates"]),
        profiles=tuple(below(profile) for profile in values["profiles"]),
        types=types,
        defaults=values["defaults"],
        examples=tuple(dict.fromkeys(values["examples"])),
        grammars=grammars,
        lint=lint,
        verify=verify,
        diff=diff,
    )
    problems = _overlaps(config, reader)
    return (None, tuple(problems)) if problems else (config, ())


def _overlaps(config: Config, reader: TableReader) -> list[Diagnostic]:
    """Check that the output folder, which is written and deleted in, holds nothing that is read or written by
    hand.
    """
    problems: list[Diagnostic] = []
    for each in config.types:
        if each.folder and config.output in Path(each.folder).parents:
            message = f"{show(Path(each.folder), config.base)!r} in 'types' lies inside the output folder"
            problems.append(reader.problem("types", "config-overlap", message, "name another folder"))
    hint = 'give the output a folder of its own, for example output = "generated"'
    read = {"specs": config.specs, "stubs": config.stubs, "templates": config.templates, "base": config.base}
    read |= {f"target {each.id}": each.folder for each in config.targets}
    for name, path in read.items():
        if path is not None and (path == config.output or config.output in path.parents):
            message = f"'output' ({show(config.output, config.base)}) contains the {name} folder"
            problems.append(reader.problem("output", "config-overlap", message, hint))
    if config.specs in config.output.parents:
        problems.append(
            reader.problem("output", "config-overlap", "'output' lies inside the specs folder", hint)
        )
    if config.output == config.state or config.state in config.output.parents:
        problems.append(reader.problem("output", "config-overlap", "'output' lies inside .toolcast", hint))
    return problems


def _read_targets(
    stated: Sequence[str] | JsonObject, base: Path, reader: TableReader
) -> tuple[tuple[TargetChoice, ...], list[Diagnostic]]:
    """Return the targets that are named, and problems."""
    tables: JsonObject = stated if isinstance(stated, dict) else {id: {} for id in stated}
    found: list[TargetChoice] = []
    problems: list[Diagnostic] = []
    for id, settings in tables.items():
        own, options = reader.below("targets", id), dict(settings)
        folder = options.pop("folder", None)
        if folder is None and id not in target_ids():
            hint = suggestion(id, target_ids(), "known targets; a target of your own needs `folder`")
            problems.append(reader.problem("targets", "unknown-target", f"unknown target {id!r}", hint))
        elif folder is not None and id in target_ids():
            message = f"{id!r} is a built-in target, which has no `folder`"
            problems.append(own.problem("folder", "config-target", message, "give your own another name"))
        elif folder is not None and (wrong := _PATH(folder)):
            problems.append(own.problem("folder", "config-type", f"'folder' must be {wrong[0]}"))
        else:
            place = None if folder is None else Path(os.path.normpath(base / folder))
            found.append(TargetChoice(id=id, folder=place, options=options))
    return tuple(found), problems


def _read_grammars(
    stated: Sequence[str], reader: TableReader
) -> tuple[tuple[tuple[str, str], ...], list[Diagnostic]]:
    """Return the grammars that are named, each as a text format and an engine, and problems."""
    if not stated:
        return (), []
    from .text_formats.call_grammar import check_names  # reads all formats

    found: dict[tuple[str, str], None] = {}
    problems: list[Diagnostic] = []
    for each in stated:
        format, _, engine = each.partition(":")
        try:
            check_names(format, engine)
        except ValueError as problem:
            message, _, hint = str(problem).partition(". ")
            problems.append(reader.problem("grammars", "unknown-grammar", f"{each!r}: {message}", hint))
        found[format, engine] = None
    return tuple(found), problems


_TYPES_HINT: Final = 'for example types = ["../common/_types", "package:acme_types"]'


def _read_types(
    stated: Sequence[str], specs: Path, base: Path, reader: TableReader
) -> tuple[tuple[TypeFolder, ...], list[Diagnostic]]:
    """Return the folders of shared types outside the specs folder, and problems."""
    found: dict[str, TypeFolder] = {}
    problems: list[Diagnostic] = []
    for entry in dict.fromkeys(stated):
        if entry.startswith(PACKAGE):
            made = TypeFolder(entry, "")
            wrong = "" if PACKAGE_FOLDER.fullmatch(entry) else "names no package, nor a folder in one"
        else:
            folder = os.path.normpath(base / entry)
            try:
                made = TypeFolder(Path(os.path.relpath(folder, specs)).as_posix(), folder)
            except ValueError:  # another drive
                made = TypeFolder("", folder)
            wrong = _no_type_folder(made.prefix)
        if wrong:
            message = f"{entry!r} in 'types' {wrong}"
            problems.append(reader.problem("types", "config-types", message, _TYPES_HINT))
        found[made.prefix] = made
    return tuple(found.values()), problems


def _no_type_folder(prefix: str) -> str:
    """Return why no folder of shared types can be at a path from the specs folder; empty if one can."""
    parts = prefix.split("/")
    if parts[0] != "..":
        return (
            f"lies inside the specs folder, where {TYPES}/ needs no entry"
            if prefix
            else "is on another drive"
        )
    if parts[-1] != TYPES or parts.count(TYPES) > 1:
        return f"must be a folder called {TYPES}, below none of that name"
    return "" if prefix.isprintable() and "\\" not in prefix else "has characters that no reference can have"


def _types_outside(
    types: Sequence[TypeFolder], base: Path, roots: Sequence[Path], reader: TableReader, *, staged: bool
) -> Iterator[Diagnostic]:
    """Find folders of shared types that are neither in the repository of the configuration nor in `roots`.
    They are only read. A `staged` build has links everywhere and may have no repository: there an engine
    decides what can be read.
    """
    repository = _find_repository(base)
    roots = [*roots, *([repository] if repository is not None else [])]
    for each in types:
        folder = Path(each.folder)
        if not each.folder or (staged and (repository is None or folder.is_relative_to(repository))):
            continue
        target = Path(os.path.realpath(folder))
        real = [Path(os.path.realpath(root)) for root in roots]
        if any(map(folder.is_relative_to, roots)) and any(map(target.is_relative_to, real)):
            continue
        how = "" if target == folder else f" through a link to {show(target, base)}"
        place = "of the repository"
        if repository is None:
            place = "of the folder of the configuration, which is in no git repository of yours"
        message = f"{show(folder, base)!r} in 'types' leads out {place}{how}"
        hint = f"name a folder of the same repository, or set TOOLCAST_FOLDERS={target} in the environment"
        yield reader.problem("types", "config-outside", message, hint)


def _find_repository(start: Path) -> Path | None:
    """Return the nearest folder upwards with a `.git`; None if there is none, or it is another user's."""
    for folder in (start, *start.parents):
        git = folder / ".git"
        if os.path.lexists(git):
            return None if _foreign((git, folder)) is not None else folder
    return None


_TRUST_TEMPLATES = "TOOLCAST_TRUST_TEMPLATES"
"""The environment variable that lets templates of another user's be used: 1 and nothing else."""


def _foreign(paths: Iterable[Path]) -> tuple[Path, int] | None:
    """Return the first path that belongs to another user, and its owner's number; links are not followed.
    What is not there belongs to nobody.
    """
    own = _own_numbers()
    if own is None:
        return None
    for path in paths:
        try:
            owner = path.lstat().st_uid
        except OSError:
            continue
        if owner not in own:
            return path, owner
    return None


def _trusts_templates() -> bool:
    """Return whether the environment says to use templates whoever owns them."""
    return os.environ.get(_TRUST_TEMPLATES) == "1"


def _own_numbers() -> frozenset[int] | None:
    if not hasattr(os, "geteuid"):
        return None
    user = os.geteuid()
    caller = os.environ.get("SUDO_UID", "") if user == 0 else ""
    return frozenset({0, user, *([int(caller)] if caller.isdecimal() else [])})


def show(path: Path, start: Path | None = None) -> str:
    """Return `path` in posix form as the user would type it from `start` (or the working directory)."""
    base = Path.cwd() if start is None else start
    try:
        relative = os.path.relpath(path, base)
    except ValueError:  # another drive
        return _text(path)
    return _text(path if relative.startswith(f"..{os.sep}..") else Path(relative))


def _text(path: Path) -> str:
    # A file name may hold bytes that are no text; what is shown must be printable.
    return path.as_posix().encode(errors="surrogateescape").decode(errors="replace")
