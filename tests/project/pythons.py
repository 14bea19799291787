"""`make pythons`: an environment for each other Python of this machine, below `.venv-pythons/`."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.14t")
"""Versions of Python; `t` is a build without the GIL."""
PLACE = Path(__file__).resolve().parents[2] / ".venv-pythons"
_VERSION = (
    "import sys, sysconfig; "
    "free = 't' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''; "
    "print(f'{sys.version_info[0]}.{sys.version_info[1]}{free}')"
)


def python_of(version: str) -> str | None:
    """The interpreter that runs, or that of an environment which `make pythons` has set up; None for none."""
    python = PLACE / version / "bin/python"
    if _version(Path(sys.executable)) == version:
        return sys.executable
    return str(python) if python.exists() else None


def interpreters() -> Iterator[tuple[str, Path]]:
    """(version, interpreter), from the path and from pyenv; a version may come twice."""
    for version, python in _named():
        if _version(python) == version:
            yield version, python


def _version(python: Path) -> str:
    """Some names on the path only say that the version is not chosen, or are those of another build."""
    return subprocess.run([python, "-c", _VERSION], capture_output=True, text=True).stdout.strip()


def _named() -> Iterator[tuple[str, Path]]:
    for version in VERSIONS:
        if found := shutil.which(f"python{version}"):
            yield version, Path(found)
    for folder in sorted(Path.home().glob(".pyenv/versions/3.*"), reverse=True):
        found = re.fullmatch(r"(3\.\d+)\.\d+(t?)", folder.name)
        if found and found[1] + found[2] in VERSIONS:
            yield found[1] + found[2], folder / "bin/python"


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
    for version in VERSIONS:
        if python_of(version) is None:
            print(
                f"{version}: skipped, for there is no python{version} on PATH, nor one of pyenv", flush=True
            )


if __name__ == "__main__":
    main()
