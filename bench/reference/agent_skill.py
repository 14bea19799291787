"""The files of `skills/`: an agent skill about toolcast, which a target makes of one example spec."""

from __future__ import annotations

from pathlib import Path

import toolcast
from toolcast.spec.keys import KEYS
from toolcast.targets.target import TargetFolder, load_target
from toolcast.toml_tables import Locator, TableReader

FOLDER = Path(__file__).parents[2] / "skills"
ALL = "**/*.md"
_TARGET = Path(__file__).parent / "skill"


def agent_skill() -> dict[str, str]:
    """The text of each file by its path below `FOLDER`. Raises ValueError where the target is refused."""
    keys = [{"name": key.name, "text": key.text, "default": key.default} for key in KEYS.values()]
    where = TargetFolder(
        id="agent-skill", folder=_TARGET, shown=_TARGET.name, built_in=False, stated={"spec_keys": keys}
    )
    target, problems = load_target(where, TableReader(Locator("", ""), ("targets", "agent-skill")))
    if target is None:
        raise ValueError(problems[0].message)
    spec = (_TARGET / "forecast.yaml.jinja").read_bytes()
    made = toolcast.compile({"weather/forecast.yaml": spec}, providers=["openai"], targets=[target])
    if made.failed:
        raise ValueError("; ".join(each.message for each in made.diagnostics))
    root = f"targets/{target.id}/"
    return {
        path.removeprefix(root): content.decode()
        for path, content in made.files.items()
        if path.startswith(root)
    }
