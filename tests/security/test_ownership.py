"""What belongs to another user: templates ask for a switch, a configuration above for its name."""

import os
import tempfile
from pathlib import Path

import pytest
from toolcast.config import load_config

from tests.sampled import sampled
from tests.security.conftest import Command, put

OTHER = 54321
pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files to another user"
)
TEMPLATES = '[tool.toolcast]\nproviders = ["mcp"]\ntemplates = "own"\n'


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SUDO_UID", "TOOLCAST_TRUST_TEMPLATES"):
        monkeypatch.delenv(name, raising=False)


def give(path: Path, owner: int = OTHER) -> None:
    for each in (path, *path.rglob("*")):
        os.chown(each, owner, -1, follow_symlinks=False)


def codes(folder: Path) -> list[str]:
    return [problem.code for problem in load_config(folder)[1]]


def test_a_configuration_above_of_another_user_is_refused(checkout: Path, audited: Command) -> None:
    below = checkout / "specs"
    assert codes(below) == []
    give(checkout)
    config, (problem,) = load_config(below)
    assert config is None
    assert (problem.code, problem.file) == ("config-foreign", "../pyproject.toml")
    assert f"belongs to another user (number {OTHER})" in problem.message
    assert "--config ../pyproject.toml" in problem.hint
    done = audited(below, "generate", "--check")
    assert done.status == 1
    assert "config-foreign" in done.output
    assert load_config(below, Path("../pyproject.toml"))[1] == (), "to name it is the way out"
    assert codes(checkout) == [], "in its own folder it is meant"


def test_a_file_of_another_user_in_a_folder_for_all_is_refused(tmp_path: Path) -> None:
    os.chmod(tmp_path, 0o1777)  # noqa: PTH101 - as /tmp
    give(put(tmp_path / "pyproject.toml", "[tool.toolcast]\n"))
    (tmp_path / "mine").mkdir()
    assert codes(tmp_path / "mine") == ["config-foreign"]
    put(tmp_path / "mine" / "pyproject.toml", "[tool.toolcast]\n")
    assert codes(tmp_path / "mine") == []


@pytest.mark.parametrize("part", [".", "pyproject.toml", "own", "own/stub.py.jinja", "own/sub/inner.jinja"])
def test_templates_of_another_user_ask_for_the_switch(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    put(checkout / "pyproject.toml", TEMPLATES)
    put(checkout / "own" / "stub.py.jinja", "x")
    put(checkout / "own" / "sub" / "inner.jinja", "x")
    assert codes(checkout) == []
    os.chown(checkout / part, OTHER, -1)
    config, (problem,) = load_config(checkout)
    assert config is None
    assert (problem.code, problem.line, problem.column) == ("templates-foreign", 3, 1)
    assert "TOOLCAST_TRUST_TEMPLATES=1" in problem.hint
    for value in ("", "0", "no"):
        monkeypatch.setenv("TOOLCAST_TRUST_TEMPLATES", value)
        assert codes(checkout) == ["templates-foreign"]
    monkeypatch.setenv("TOOLCAST_TRUST_TEMPLATES", "1")
    assert codes(checkout) == []


@pytest.mark.parametrize(
    "command", sampled(["generate --check", "show read", "stubs", "verify", "lint"], ["show read", "stubs"])
)
def test_no_command_uses_templates_of_another_user(checkout: Path, audited: Command, command: str) -> None:
    put(checkout / "pyproject.toml", TEMPLATES)
    put(checkout / "own" / "tool.py.jinja", "x")
    give(checkout)
    done = audited(checkout, *command.split())
    assert done.status == 1
    assert "own templates are not used" in " ".join(done.output.split())
    assert not [path for (path,) in done.made("read") if path.endswith("own/tool.py.jinja")]


def test_without_templates_a_checkout_of_another_user_builds(checkout: Path, audited: Command) -> None:
    give(checkout)
    assert audited(checkout, "generate").status == 0
    assert audited(checkout, "generate", "--check").status == 0


def test_root_under_sudo_owns_what_the_calling_user_owns(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(checkout)
    monkeypatch.setenv("SUDO_UID", str(OTHER))
    assert codes(checkout / "specs") == []
    monkeypatch.setenv("SUDO_UID", str(OTHER + 1))
    assert codes(checkout / "specs") == ["config-foreign"]
    monkeypatch.setenv("SUDO_UID", "anyone")
    assert codes(checkout / "specs") == ["config-foreign"]


def test_files_of_root_count_as_everyones() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        put(folder / "pyproject.toml", "[tool.toolcast]\n")
        put(folder / "below" / "file", "")
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.setuid(OTHER)
                status = int(codes(folder / "below") != [])
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
