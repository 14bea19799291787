"""`toolcast pack`."""

import hashlib
import io
import json
import os
import tomllib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from ..config import Config, show
from ..console import count, write_line
from ..distribution import requirement
from ..jsonschema.json_values import JsonObject
from ..output_layout import TARGETS
from .options import config_option, configuration, disk_problem, examples, refuse
from .program import module_of

_MCPB: Final = "mcpb"
_MOST_FILES: Final = 60_000
"""Nearly what an archive holds whose reader knows the first form of ZIP only."""
_MOST_BYTES: Final = 512 * 1024 * 1024


@click.command(
    "pack",
    epilog=examples(
        "toolcast pack mcpb                          write NAME-VERSION.mcpb",
        "toolcast pack mcpb --file dist/orders.mcpb",
    ),
)
@click.argument("kind", type=click.Choice((_MCPB,)))
@click.option(
    "--file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Write here (default: NAME-VERSION.mcpb beside the configuration).",
)  # fmt: skip
@config_option
def command(kind: str, file: Path | None, config_file: Path | None) -> int:
    """Pack an MCP bundle: manifest, server, the project's own modules, and its dependencies by version.

    The target `mcpb` is configured, and the output is up to date. The packages of the output folder, of the
    handlers and of the served module are packed, with what the target includes; no hidden file is. The
    versions are those of this environment. The same files and versions give the same bytes.
    """
    from ..project.profiles import targets_of
    from ..replace_file import replace_file
    from .building import generate

    config = configuration(config_file)
    if kind not in [each.id for each in config.targets]:
        hint = f"add [tool.toolcast.targets.{kind}], then run: toolcast generate"
        raise refuse(config.file or "pyproject.toml", "no-target", f"the target {kind!r} is not chosen", hint)
    if config.providers is not None and "mcp" not in config.providers:
        raise _refuse(config.file, "the server has no definitions", 'add "mcp" to `providers`')
    if status := generate(config_file, wanted="check"):
        return status
    chosen = next(each.options for each in targets_of(config)[0] if each.id == kind)
    path = file or config.base / f"{chosen['name']}-{chosen['version']}.mcpb"
    try:
        content = _archive(_files(config, chosen))
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content)
    except OSError as error:
        raise disk_problem(error, path) from None
    size = count(len(content), "byte")
    write_line(f"toolcast: {show(path)}: {size}, sha256 {hashlib.sha256(content).hexdigest()}")
    return 0


def _refuse(place: Path | None, message: str, hint: str) -> click.exceptions.Exit:
    return refuse(place or "pyproject.toml", "not-packed", message, hint)


def _archive(files: Mapping[str, bytes]) -> bytes:
    """Store files without times. They are not compressed: libraries of other machines do that otherwise."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, files[name])
    return made.getvalue()


def _files(config: Config, chosen: JsonObject) -> dict[str, bytes]:
    """Return the files of a bundle by path."""
    targets = config.output / TARGETS
    found = {path.name: path for path in _below(targets / _MCPB, targets)}
    for root, part in _parts(config, chosen):
        for path in _below(part, targets):
            name = f"src/{path.relative_to(root).as_posix()}"
            if found.setdefault(name, path) != path:
                hint = "give one of them another name: what they are in is imported from two folders"
                raise _refuse(path, f"is imported by the same name as {show(found[name])}", hint)
    for name in filter(None, (chosen["icon"], chosen["wheels"])):
        for path in _below(_inside(config, name), targets):
            found[name if name == chosen["icon"] else f"wheels/{path.name}"] = path
    size = sum(path.stat().st_size for path in found.values())
    if len(found) > _MOST_FILES or size > _MOST_BYTES:
        message = f"{len(found)} files of {size} bytes are more than {_MOST_FILES} and {_MOST_BYTES}"
        raise _refuse(config.file, message, "move what the server does not need out of its packages")
    content = {name: path.read_bytes() for name, path in found.items()}
    return {**content, "pyproject.toml": _declaration(config, wheels=chosen["wheels"] is not None).encode()}


def _parts(config: Config, chosen: JsonObject) -> Iterator[tuple[Path, Path]]:
    """Yield each module, package and included path, after the folder from which it is imported."""
    roots = [config.base]
    for folder in (config.output, config.stubs):
        root, package = module_of(folder)
        if not root.is_relative_to(config.base):
            hint = "pack from a folder that has the output in it and is no package itself"
            raise _refuse(folder, "is not imported from the folder of the configuration", hint)
        roots.append(root)
        if folder.is_dir():
            yield root, root / package.partition(".")[0]
    first = chosen["server"].partition(":")[0].partition(".")[0]
    places = [(root, root / name) for root in roots for name in (first, f"{first}.py") if first]
    served = next((each for each in places if each[1].exists()), None)
    if served is None:
        hint = "correct the option `server` of the target, which is MODULE:ATTRIBUTE"
        raise _refuse(config.file, f"the project has no module of {chosen['server']!r}", hint)
    yield served
    for name in chosen["include"]:
        path = _inside(config, name)
        yield next(root for root in sorted(roots, reverse=True) if path.is_relative_to(root)), path


def _inside(config: Config, name: str) -> Path:
    """Return a file or folder of the project."""
    path = Path(os.path.normpath(config.base / name))
    inside = path.is_relative_to(config.base) and path.resolve().is_relative_to(config.base.resolve())
    if not inside or path == config.base or not path.exists():
        raise _refuse(config.file, f"the project has no {name!r}", "correct the options of the target")
    return path


def _below(part: Path, without: Path) -> Iterator[Path]:
    """Yield the files of a module or package, without hidden and compiled ones, and other bundles."""
    if part.is_symlink():
        raise _refuse(part, "is a link", "put what it leads to in its place: a bundle has no links")
    if not part.is_dir():
        yield part
    elif part != without and part.name != "__pycache__":
        for path in part.iterdir():
            if not path.name.startswith(".") and path.suffix != ".mcpb":
                yield from _below(path, without)


def _declaration(config: Config, *, wheels: bool) -> str:
    """Write the requirements of the server, and their versions in this environment."""
    assert config.file is not None
    project = tomllib.loads(config.file.read_text(encoding="utf-8")).get("project", {})
    if "dependencies" in project.get("dynamic", ()):
        hint = "state `dependencies` in [project]"
        raise _refuse(config.file, "the dependencies are known only when the project is built", hint)
    needs = [*project.get("dependencies", ()), requirement("mcp")]
    versions = sorted(_versions(needs, config))
    return f"""\
# Generated by toolcast; do not edit.
[project]
name = "toolcast-bundle"
version = "0"
requires-python = {json.dumps(project.get("requires-python", ">=3.11"))}
dependencies = {json.dumps(needs, indent=4)}

[tool.uv]
package = false
find-links = {'["wheels"]' if wheels else "[]"}
constraint-dependencies = {json.dumps(versions, indent=4)}
"""


def _versions(needs: Sequence[str], config: Config) -> set[str]:
    """Return the versions of what requirements install here, at any depth."""
    from importlib.metadata import PackageNotFoundError, distribution

    from packaging.requirements import InvalidRequirement, Requirement

    found: set[str] = set()
    waiting: list[tuple[str, tuple[str, ...]]] = [(each, ("",)) for each in needs]
    visited: set[tuple[str, tuple[str, ...]]] = set()
    while waiting:
        visited.add(each := waiting.pop())
        try:
            need = Requirement(each[0])
            if need.marker is not None and not any(need.marker.evaluate({"extra": name}) for name in each[1]):
                continue
            installed = distribution(need.name)
        except InvalidRequirement as error:
            raise _refuse(config.file, f"{each[0]!r}: {error}", "correct the requirement") from None
        except PackageNotFoundError:
            hint = "install the project with its dependencies, and pack with the toolcast of that environment"
            raise _refuse(config.file, f"{each[0]!r} is not installed here", hint) from None
        if need.url is not None and need.url.startswith("file:"):
            hint = "require it without the address, and put its wheel into the folder `wheels` of the target"
            raise _refuse(config.file, f"{each[0]!r} is at a place of this machine", hint)
        found.add(f"{need.name}=={installed.version}")
        below = ((text, ("", *sorted(need.extras))) for text in installed.requires or ())
        waiting += [each for each in below if each not in visited]
    return found
