"""A project under git, with branches that change specs and check their output in."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from toolcast.cli.init import OFFERS, text_of
from toolcast.project.generate import build
from toolcast.project.worker import Frontend

from tests.project.fake import FAKE, config_of, project, put


class Repository:
    """A project under git, alone with its own configuration."""

    def __init__(self, base: Path, frontend: Frontend = FAKE) -> None:
        self.base, self.frontend = base, frontend
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }

    def git(self, *words: str, check: bool = True) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.base, env=self.environment, capture_output=True, text=True, check=False
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def start(self, specs: Mapping[str, str], *, attributes: bool = False, toml: str = "") -> None:
        """Check in a project on `main`, with what `toolcast init --add gitattributes` writes."""
        project(self.base, specs, toml)
        if attributes:
            offer = OFFERS["gitattributes"]
            put(self.base / offer.path, text_of(offer, "generated", "toolcast[build]"))
        self.git("init", "-q", "-b", "main")
        self.build()
        self.save("main")

    def build(self) -> None:
        report = build(config_of(self.base), self.frontend, jobs=1)
        assert not report.failed, report.diagnostics

    def save(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def commit(
        self, branch: str, specs: Mapping[str, str | None], gone: str = "", start: str = "main"
    ) -> None:
        """On a branch from `start`: change specs (None deletes), build, commit all."""
        self.git("checkout", "-q", "-B", branch, start)
        for path, text in {**specs, **({gone: None} if gone else {})}.items():
            if text is None:
                (self.base / "specs" / path).unlink()
            else:
                put(self.base / "specs" / path, text)
        self.build()
        self.save(branch)

    def conflicts(self) -> set[str]:
        return set(self.git("diff", "--name-only", "--diff-filter=U").split())
