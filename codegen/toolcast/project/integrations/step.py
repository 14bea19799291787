"""The step of every packaging hook: verify the checked-in output, or make it anew."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ...config import Config, load_config
from ...console import one_line, render
from ...diagnostics import Diagnostic
from ..generate import Report, build
from ..output.drift import drift_diagnostic
from ..output.manifest import NAME, parse_manifest
from ..worker import FRONTEND

Mode = Literal["verify", "generate"]
_MODES: tuple[Mode, ...] = ("verify", "generate")
_SHOWN = 10
_REPAIR = "run `toolcast generate`, check the result in, then build again"


class StepError(Exception):
    """The build must stop. The message says which files are wrong, and the way out."""


class Project(Struct, frozen=True):
    """A project with toolcast's configuration, and the folders that its source distribution needs."""

    root: Path
    config: Config

    @property
    def inputs(self) -> tuple[Path, ...]:
        """Files and folders below the root that a build from the source distribution reads."""
        config = self.config
        types = (Path(each.folder) for each in config.types if each.folder)
        named = (config.specs, config.templates, *config.profiles, *types)
        return tuple(path for path in named if path is not None and path.is_relative_to(self.root))

    @property
    def outputs(self) -> tuple[str, ...]:
        """Everything that was generated, as posix paths below the root; none if it lies elsewhere."""
        output = self.config.output
        manifest = output / NAME
        if not output.is_relative_to(self.root) or not manifest.is_file():
            return ()
        prefix = output.relative_to(self.root).as_posix()
        files = (*parse_manifest(manifest.read_bytes()).files, NAME)
        return tuple(sorted(f"{prefix}/{file}" for file in files))


def open_project(root: Path) -> Project:
    """Return the project at `root`. Raises StepError if its configuration has errors."""
    config, problems = load_config(root, Path("pyproject.toml"))
    if config is None:
        raise StepError(_text(problems))
    return Project(root, config)


def run_step(project: Project, mode: Mode, *, lenient: bool = False, warn: Callable[[str], None]) -> None:
    """Verify, or generate. Raises StepError on drift and on errors in specs. `lenient` turns drift into a
    warning: an editable install is where specs are being edited.
    """
    if mode == "generate":
        report = build(project.config, FRONTEND, mode="write", waiting=warn)
        if report.failed:
            raise StepError(_text(report.diagnostics))
        return
    report = build(project.config, FRONTEND, mode="check")
    message = _text(report.diagnostics) if report.failed else _drift(report, project)
    if not message:
        return
    if not lenient:
        raise StepError(message)
    warn(message)


def mode_of(value: object, where: str) -> Mode:
    """`value` as a mode. Raises StepError with what may stand there."""
    for mode in _MODES:
        if value == mode:
            return mode
    raise StepError(f"{where}: expected {' or '.join(map(repr, _MODES))}, not {value!r}")


def _drift(report: Report, project: Project) -> str:
    if not report.causes:
        return ""
    output = project.config.output
    place = output.relative_to(project.root) if output.is_relative_to(project.root) else output
    head = f"toolcast: {one_line(place.as_posix())} is not what the specs say:"
    lines: list[str] = []
    for cause in report.causes[:_SHOWN]:
        problem = drift_diagnostic(cause, project.config, "toolcast generate")
        lines.append(f"  {one_line(f'{problem.file}: {problem.message}')}")
        files = [
            f"    {kind:8} {one_line(f'{place.as_posix()}/{path}')}" for path, kind in cause.files.items()
        ]
        lines += files[:_SHOWN]
        lines += [f"    and {len(files) - _SHOWN} more"] if len(files) > _SHOWN else []
    if len(report.causes) > _SHOWN:
        lines.append(f"  and {len(report.causes) - _SHOWN} more causes")
    return "\n".join([head, *lines, _REPAIR])


def _text(problems: tuple[Diagnostic, ...]) -> str:
    text = render(problems, "text", colour=False).rstrip()
    if any(problem.code == "no-specs" for problem in problems):
        text += "\nif this is a source distribution, it was made without the specs: include that folder"
    if any("'types'" in problem.message or problem.code == "no-types" for problem in problems):
        text += (
            "\na source distribution has no folder outside of its project: build the wheel in the repository"
        )
    return text
