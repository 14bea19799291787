"""`make pythons`: an environment for each other Python of this machine, below `.venv-pythons/`."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
PLACE = Path(".venv-pythons")


def interpreters() -> Iterator[tuple[str, Path]]:
    """(version, interpreter), from the path and from pyenv; a version may come twice."""
    for version, python in _named():
        if _runs(python):
            yield version, python


def _runs(python: Path) -> bool:
    """Some names on the path only say that the version is not chosen."""
    return subprocess.run([python, "-c", "pass"], capture_output=True).returncode == 0


def _named() -> Iterator[tuple[str, Path]]:
    for version in VERSIONS:
        if found := shutil.which(f"python{version}"):
            yield version, Path(found)
    for folder in sorted(Path.home().glob(".pyenv/versions/3.*"), reverse=True):
        found = re.match(r"3\.\d+(?=\.\d+$)", folder.name)
        if found and found[0] in VERSIONS:
            yield found[0], folder / "bin/python"


def main() -> None:
    """Raises CalledProcessError where one cannot be set up."""
    for version, python in interpreters():
        folder = PLACE / version
        stamp = folder / ".installed"
        if stamp.exists() and stamp.stat().st_mtime > Path("pyproject.toml").stat().st_mtime:
            continue
        print(f"{version}: {python}", flush=True)
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", ".[build]"]
        subprocess.run([folder / "bin/python", *install], check=True)
        stamp.touch()


if __name__ == "__main__":
    main()
