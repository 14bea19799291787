"""`toolcast doctor`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from ..config import Config, show
from ..console import inert_json, one_line, paint, wants_colour, write_line
from ..spec.tool_names import shown
from .complete_values import complete_tools
from .options import config_option, configuration, examples, json_option

if TYPE_CHECKING:
    from ..doctor.explain import Explanation

Form = Literal["text", "json"]
_STYLES = {"well": "plain", "note": "warning", "broken": "error"}
_SHOWN = 8
"""Names that are listed before it becomes a number."""


@click.command(
    "doctor",
    epilog=examples(
        "toolcast doctor                  what is installed, what is configured, what is wrong",
        "toolcast doctor --explain edit   why a tool was built, and whether it would be again",
        "toolcast doctor --format json    for programs",
    ),
)
@click.option(
    "--explain", "tool", metavar="TOOL", shell_complete=complete_tools,
    help="Say why this tool was built: its name, or a spec's path.",
)  # fmt: skip
@json_option()
@config_option
def command(tool: str | None, form: Form, config_file: Path | None) -> int:
    """Examine the installation, the project and its cache.

    Nothing is compiled or written, but for one small entry that tries a shared cache. The exit status is 1 if
    something is broken.
    """
    if tool is not None:
        return _explain(configuration(config_file), tool, form)

    from ..doctor.examine import examine

    found = examine(Path.cwd(), config_file)
    broken = sum(each.state == "broken" for each in found)
    if form == "json":
        rows = [
            {"topic": each.topic, "state": each.state, "text": each.text, "fix": each.fix} for each in found
        ]
        click.echo(inert_json(json.dumps({"findings": rows, "broken": broken}, indent=2, ensure_ascii=False)))
        return int(broken > 0)
    colour = wants_colour(sys.stdout)
    width = max(len(each.topic) for each in found)
    for each in found:
        state = paint(f"{each.state:6}", _STYLES[each.state], colour)
        click.echo(f"{state}  {each.topic:{width}}  {one_line(each.text)}", color=colour)
        if each.fix:
            click.echo(f"{'':{width + 10}}{paint('fix:', 'hint', colour)} {one_line(each.fix)}", color=colour)
    notes = sum(each.state == "note" for each in found)
    click.echo(f"toolcast: {broken} broken, {notes} worth a note, {len(found) - broken - notes} well")
    return int(broken > 0)


def _explain(config: Config, name: str, form: Form) -> int:
    from ..doctor.explain import describe_reason, explain
    from ..project.worker import Task
    from ..spec.discovery import kind_of

    path = _find(config, name)
    explanation = explain(config, Task(path, kind_of(path) or "tool"))
    specs, output = show(config.specs), show(config.output)
    now = [describe_reason(reason, specs=specs, output=output) for reason in explanation.now]
    before = [describe_reason(reason, specs=specs, output=output) for reason in explanation.before]
    if form == "json":
        answer = {
            "spec": path,
            "gone": explanation.gone,
            "stale": bool(now),
            "now": [{"reason": code, "text": text} for code, text in zip(explanation.now, now, strict=True)],
            "before": [
                {"reason": code, "text": text} for code, text in zip(explanation.before, before, strict=True)
            ],
            "fetched": explanation.fetched,
            "uses": explanation.uses,
            "outputs": explanation.outputs,
            "generator": explanation.generator,
        }
        click.echo(inert_json(json.dumps(answer, indent=2, ensure_ascii=False)))
        return 0
    for line in _explanation_lines(explanation, shown(specs, path), now, before):
        write_line(line)
    return 0


def _find(config: Config, name: str) -> str:
    """The spec that a name or path means: one of the last run, or one that is there now."""
    from ..project.frontend import FRONTEND
    from ..project.profiles import profiles_of
    from ..project.state.cache import load_cache
    from ..project.type_packages import find_types
    from .show import find_spec

    root = show(config.specs)
    path = name.removeprefix(f"{root}/")
    units = {key: unit for key, unit in load_cache(config.state).units.items() if not key.startswith("*")}
    named = [key for key, unit in units.items() if unit.entry is not None and unit.entry.name == name]
    if path in units or named:
        return path if path in units else named[0]
    found = FRONTEND.discover(config.specs, shown_root=root, folders=find_types(config)[0])
    for each in (*units, *found.types, *found.tools):
        if name in (each, shown(root, each)):
            return each
    profiles, _ = profiles_of(config)
    return find_spec(str(config.specs), root, found.tools, profiles.known, name)


def _explanation_lines(
    explanation: "Explanation", shown: str, now: list[str], before: list[str]
) -> list[str]:
    if explanation.gone:
        lines = [f"{shown} is gone: the next run deletes what it became."]
    elif not now:
        lines = [f"{shown} stands as the last run left it: nothing that it was made from has changed."]
    else:
        lines = [f"{shown} would be built by the next run, because", *_listed(now)]
    if explanation.generator:
        lines.append(f"Changed files of toolcast: {_few(explanation.generator)}.")
    if explanation.outputs:
        how = "It was fetched from the shared cache" if explanation.fetched else "It was compiled"
        lines += [f"{how} when it was last built, because", *_listed(before)]
    if explanation.uses:
        lines.append(f"It refers to {_few(explanation.uses)}.")
    if explanation.outputs:
        lines.append(f"It became {_few(explanation.outputs)}.")
    return lines


def _listed(sentences: list[str]) -> list[str]:
    more = len(sentences) - _SHOWN
    rest = [f"  and {more} more reasons"] if more > 0 else []
    return [f"  {sentence}" for sentence in sentences[:_SHOWN]] + rest


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
