"""The commands with the real compiler, in the order in which a newcomer gives them."""

import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import Command


def test_a_newcomers_way(run: Command, empty: Path) -> None:
    def toolcast(*arguments: str) -> str:
        done = run(*arguments)
        assert done.exit_code == 0, done.output
        return done.stdout

    toolcast("init")
    toolcast("new", "files/edit")
    spec = empty / "specs/files/edit.yaml"
    decisions = {"description: TODO": "description: Edits a text.", "permission: TODO": "permission: write"}
    text = (
        spec.read_text().replace("secrets: TODO", "secrets: []").replace("required: []", "required: [text]")
    )
    for open_one, decided in decisions.items():
        text = text.replace(open_one, decided)
    spec.write_text(text.replace("properties: {}", "properties: {text: {type: string}}"))
    assert "2 tools: 2 rebuilt" in toolcast("generate")
    assert "2 unchanged" in toolcast("generate")
    toolcast("generate", "--check")
    toolcast("stubs")
    assert '"name": "edit"' in toolcast("show", "edit", "--provider", "anthropic")
    code = (
        "import asyncio; from generated.registry import BINDINGS; from handlers.files.edit import edit\n"
        "from toolcast.runtime import ToolRegistry\n"
        "registry = ToolRegistry(); registry.register(BINDINGS['edit'], edit)\n"
        """print(asyncio.run(registry.execute('edit', '{"text": "a b"}')).error)"""
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=empty, capture_output=True, text=True, check=False
    )
    assert done.stdout == "not implemented yet\n", done.stderr
    toolcast("clean")
    assert not (empty / "generated/registry.py").exists()
    assert not (empty / ".toolcast").exists()
