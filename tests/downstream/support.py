"""Running other tools on copies of small projects, as their users would."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECTS = Path(__file__).parent / "projects"


def run(*command: str | Path, cwd: Path, fails: bool = False, **environment: str) -> str:
    """Run a command without this checkout on any path; what it said on both streams."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV", "GIT_"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**kept, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert (done.returncode != 0) == fails, f"{command} in {cwd}: {done.returncode}\n{done.stdout}"
    return done.stdout


def copy(name: str, folder: Path) -> Path:
    target = folder / name
    shutil.copytree(PROJECTS / name, target, ignore=shutil.ignore_patterns("__pycache__", ".toolcast"))
    return target


def git(*arguments: str, cwd: Path, fails: bool = False) -> str:
    """git, as somebody whose own configuration does not matter."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    return run("git", *who, *arguments, cwd=cwd, fails=fails, GIT_CONFIG_GLOBAL=os.devnull)


def commit_all(project: Path, message: str) -> None:
    git("add", "--all", cwd=project)
    git("commit", "--quiet", "--no-verify", "--message", message, cwd=project)


def edit(project: Path) -> Path:
    """Change the spec, and nothing else; the spec."""
    spec = project / "specs" / "weather" / "forecast.yaml"
    spec.write_text(spec.read_text("utf-8").replace("maximum: 10", "maximum: 14"), "utf-8")
    return spec
