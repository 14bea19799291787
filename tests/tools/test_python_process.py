"""Processes for work on data of strangers."""

import subprocess
from pathlib import Path

import pytest
from toolcast_tools.python_process import python_command, python_environment


def test_no_bytecode_is_written_that_a_limit_could_cut_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work_of_a_test.py").write_text("def main():\n    print('done')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    command = python_command("work_of_a_test")
    done = subprocess.run(command, env=python_environment(), capture_output=True, text=True, check=True)
    assert done.stdout == "done\n"
    assert [each.name for each in tmp_path.iterdir()] == ["work_of_a_test.py"]
