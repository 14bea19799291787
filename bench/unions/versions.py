"""Environments with msgspec alone: the oldest and the newest that are supported, and the newest of all."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from .processes import ROOT

PLACE = ROOT / ".venv-msgspec"
UV = Path(sys.executable).with_name("uv")


def supported() -> str:
    """What pyproject.toml says of msgspec: `msgspec>=0.20,<0.23`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return next(each for each in project["dependencies"] if each.startswith("msgspec"))


def environments() -> dict[str, Path]:
    """Interpreters by msgspec's version. Raises CalledProcessError where one cannot be set up."""
    oldest = re.sub(r">=([0-9.]+).*", r"==\1", supported())
    found: dict[str, Path] = {}
    for name, requirement in (("oldest", oldest), ("supported", supported()), ("newest", "msgspec")):
        folder = PLACE / name
        python = folder / "bin/python"
        if not python.exists():
            subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, folder], check=True)
        # Without the configuration, which passes over releases of the last week.
        install = ("pip", "install", "--quiet", "--no-config", "--upgrade", "--python", python, requirement)
        subprocess.run([UV, *install], check=True)
        found.setdefault(_version(python), python)
    return found


def _version(python: Path) -> str:
    command = [python, "-c", "import msgspec; print(msgspec.__version__)"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
