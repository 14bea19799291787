"""Small projects with git, and `toolcast diff` in them."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from toolcast.cli.main import cli

EDIT: dict[str, Any] = {
    "description": "Replace one exact string in a file.",
    "permission": "write",
    "secrets": [],
    "parameters": {
        "type": "object",
        "additionalProperties": False,
        "required": ["path"],
        "properties": {
            "path": {"type": "string", "description": "Where the file is."},
            "mode": {"enum": ["a", "b"], "description": "How."},
        },
    },
}
"""A spec that tests change."""

Command = Callable[..., Result]


def changed(data: Mapping[str, Any], **keys: Any) -> dict[str, Any]:
    return {key: value for key, value in {**data, **keys}.items() if value is not None}


def with_properties(data: Mapping[str, Any], **named: Any) -> dict[str, Any]:
    """A spec with further or other parameters; one that is None is left out."""
    parameters = data["parameters"]
    properties = {**parameters["properties"], **named}
    kept = {name: schema for name, schema in properties.items() if schema is not None}
    required = [name for name in parameters["required"] if name in kept]
    return {**data, "parameters": {**parameters, "properties": kept, "required": required}}


class Repository:
    """A folder with git, set up as no user's configuration could change it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str, check: bool = True) -> str:
        environment = {
            **os.environ,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _PERSON},
        }
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *words],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=check,
        )
        return done.stdout.strip()

    def write(self, specs: Mapping[str, Any], settings: str = "") -> None:
        """Make the specs folder hold these specs, by path without ending; a text is written as it is."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "pyproject.toml").write_text(f"[tool.toolcast]\n{settings}", encoding="utf-8")
        for old in sorted((self.folder / "specs").rglob("*.*")):
            if old.is_file() or old.is_symlink():
                old.unlink()
        for path, data in specs.items():
            file = self.folder / "specs" / (path if "." in path else f"{path}.json")
            file.parent.mkdir(parents=True, exist_ok=True)
            text = data if isinstance(data, str) else json.dumps(data, indent=1)
            file.write_text(text, encoding="utf-8")
        (self.folder / "specs").mkdir(exist_ok=True)

    def commit(self, specs: Mapping[str, Any], settings: str = "") -> str:
        self.write(specs, settings)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "state")
        return self.git("rev-parse", "HEAD")


_PERSON = (("NAME", "A"), ("EMAIL", "a@example.org"), ("DATE", "2026-01-01T00:00:00Z"))


def toolcast(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, prog_name="toolcast")


def diff(*arguments: str) -> dict[str, Any]:
    """What `toolcast diff --format json` answers, which must not crash."""
    result = toolcast("diff", *arguments, "--format", "json")
    assert result.exit_code in (0, 1), result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    assert answer["failed"] == bool(result.exit_code)
    return answer


def rules(answer: Mapping[str, Any], *audiences: str) -> list[tuple[str, str]]:
    """(tool, rule) of each change for these audiences, by default those of calls and results, in order."""
    wanted = audiences or ("calls", "results")
    return [(each["tool"], each["rule"]) for each in answer["changes"] if each["audience"] in wanted]
