"""Causes of drift as diagnostics: one for each, at the place of what somebody did."""

from ..config import Config, show
from ..diagnostics import Diagnostic
from ..spec.tool_names import shown
from .output.drift import Cause
from .output.manifest import NAME

ATTRIBUTES = "`toolcast init --add gitattributes` keeps git from changing them"


def drift_diagnostic(cause: Cause, config: Config, repair: str) -> Diagnostic:
    """One cause for a user; `repair` is the command that makes the output anew."""
    output, spec = show(config.output), shown(show(config.specs), cause.unit)
    path, kind = next(iter(cause.files.items()))
    file, line, hint = spec, 1, f"run `{repair}`"
    match cause.reason:
        case "spec" | "type":
            what = "spec" if cause.reason == "spec" else "shared type"
            message = f"{_outputs(cause)} not what this {what} says{_users(cause)}"
            if path == NAME:
                message = f"{output}/{NAME} was written for another content of this {what}"
        case "deleted":
            left = [kind for kind in cause.files.values() if kind == "orphaned"]
            line, message = 0, f"this spec is gone, but {_count(len(left))} still there"
        case "lost":
            message = "its former output cannot be used, so its tool is not in the registry"
            hint = "correct the spec, or restore its output"
        case "edited":
            file = f"{output}/{path}"
            message = f"this output {_DONE[kind]}"
            if kind == "changed":
                message += f": {spec} says something else" if cause.unit else ", or git merged its lines"
        case "merge":
            file = f"{output}/{path}"
            message = f"{_outputs(cause)} out of order: git merged the lines of two branches"
        case "endings":
            file = f"{output}/{NAME}"
            message = f"{_outputs(cause)} different in line endings only"
            hint += f"; {ATTRIBUTES}"
        case "configuration":
            file, line = _table(config)
            changes = ", ".join(
                (
                    *(f"provider {id} was added" for id in cause.added),
                    *(f"provider {id} was removed" for id in cause.removed),
                )
            )
            other = " (or a template, a profile, toolcast or black is another one)"
            message = (
                f"{_outputs(cause)} not what the configuration makes{f': {changes}' if changes else other}"
            )
        case _:
            file, message = f"{output}/{NAME}", f"the manifest {_DONE[kind]}"
    return Diagnostic(file=file, line=line, code=f"drift-{cause.reason}", message=message, hint=hint)


_DONE = {"missing": "is missing", "changed": "was edited", "orphaned": "should not be there"}


def _outputs(cause: Cause) -> str:
    return _count(len(cause.files))


def _count(number: int) -> str:
    return "1 output is" if number == 1 else f"{number} outputs are"


def _users(cause: Cause) -> str:
    """How many specs use a shared type, of those whose outputs are concerned."""
    number = len({*cause.units} - {cause.unit}) if cause.reason == "type" else 0
    return f" ({number} spec{'s use' if number > 1 else ' uses'} it)" if number else ""


def _table(config: Config) -> tuple[str, int]:
    """The place of the configuration; without a file of it, that of the project."""
    if config.file is None:
        return show(config.base), 0
    try:
        lines = config.file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    found = (number for number, text in enumerate(lines, 1) if text.strip().startswith("[tool.toolcast"))
    return show(config.file), next(found, 1)
