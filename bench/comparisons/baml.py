"""BAML's parser over the same tools, in a process of its own with the Python of `make peers`.

    PYTHONPATH=codegen .venv-peers/bin/python -m bench.comparisons.baml TOOLS FOLDER

TOOLS is a file with the tools as JSON; the Contestant goes to standard output.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from ..speed.baml import Project
from .contestant import Contestant, Made, contest
from .values import Tool

NAME = "BAML"
_SECONDS = 300


def asked(python: Path, tools: list[Tool], folder: Path) -> Contestant:
    """Ask it in another process. Raises CalledProcessError, TimeoutExpired."""
    folder.mkdir()
    file = folder / "tools.json"
    file.write_bytes(msgspec.json.encode(tools))
    root = Path(__file__).resolve().parents[2]
    settings = {"OPENAI_API_KEY": "none", "BAML_LOG": "off", "RUST_BACKTRACE": "0"}
    done = subprocess.run(
        [python, "-m", "bench.comparisons.baml", file, folder / "project"],
        cwd=root,
        env={**os.environ, **settings, "PYTHONPATH": str(root / "codegen")},
        stdout=subprocess.PIPE,
        timeout=_SECONDS,
        check=True,
    )
    return msgspec.json.decode(done.stdout, type=Contestant)


def main() -> None:
    file, folder = Path(sys.argv[1]), Path(sys.argv[2])
    tools = msgspec.json.decode(file.read_bytes(), type=list[Tool])
    Project(folder, tools)  # type: ignore[arg-type] - both kinds of tool have the three fields that it reads
    command = [Path(sys.executable).parent / "baml-cli", "generate", "--from", folder / "baml_src"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=_SECONDS)
    sys.path.insert(0, str(folder))
    client: Any = importlib.import_module("baml_client").b

    def make(tool: Tool) -> Made:
        name = "".join(part.capitalize() for part in tool.name.split("_"))
        body = getattr(client.request, name)(request="").body.json()
        sent = "".join(part["text"] for message in body["messages"] for part in message["content"])
        return Made(getattr(client.parse, name), sent=sent)

    sys.stdout.buffer.write(msgspec.json.encode(contest(NAME, tools, make)))


if __name__ == "__main__":
    main()
