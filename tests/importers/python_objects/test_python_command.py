"""`toolcast import python` runs modules apart; what they do is told in words."""

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from toolcast.cli.main import import_group
from toolcast.diagnostics import Diagnostic
from toolcast.importers.python_objects import read_python
from toolcast.importers.python_objects.read_object import read_object

TOOL = 'def get_forecast(city: str, days: int = 3) -> str:\n    """Get the forecast."""\n    return city\n'
NUMBERS = itertools.count()


def write(folder: Path, source: str) -> str:
    name = f"toolcast_tested_app_{next(NUMBERS)}"
    (folder / f"{name}.py").write_text(source, "utf-8")
    return name


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return tmp_path


def problem(target: str) -> Diagnostic:
    found = read_object(target)
    assert found.tools == ()
    (diagnostic,) = found.diagnostics
    return diagnostic


def test_writes_specs_and_says_that_it_runs_the_module(tmp_path: Path) -> None:
    noise = 'import os\nprint("from print")\nos.write(1, b"from below\\n")\nos.system("echo from a child")\n'
    waits = "import threading, time\nthreading.Thread(target=time.sleep, args=(300,)).start()\n"
    (tmp_path / "app.py").write_text(noise + waits + TOOL, "utf-8")
    command = [sys.executable, "-m", "toolcast", "import", "python", "app:get_forecast", "app:missing"]
    choices = ["--into", "specs", "--permission", "read", "--secrets", "none"]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [*command, *choices],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith("toolcast: running app\n")
    for each in ("from print", "from below", "from a child"):
        assert each in done.stderr
        assert each not in done.stdout
    assert "app.py: error[import-python-name]: app has no 'missing'" in done.stderr
    assert done.stdout.startswith("1 spec written to specs")
    spec = yaml.safe_load((tmp_path / "specs" / "get_forecast.yaml").read_text("utf-8"))
    assert spec["description"] == "Get the forecast."
    assert spec["parameters"]["required"] == ["city"]


def test_each_object_is_a_source_of_its_own(here: Path) -> None:
    """Importing one again says nothing about tools of others."""
    more = "def alone(city: str) -> str: ...\ndef second(city: str) -> str: ...\n"
    for tools in ("[second, get_forecast]", "[get_forecast]"):
        (here / "app.py").write_text(f"{TOOL}{more}TOOLS = {tools}\n", "utf-8")
        for target in ("app:TOOLS", "app:alone"):
            arguments = ["python", target, "--into", "specs", "--permission", "read", "--secrets", "none"]
            done = CliRunner().invoke(import_group, arguments)
            assert done.exit_code == 0, done.output
            told = [line for line in done.output.splitlines() if line.startswith("gone")]
            is_gone = target == "app:TOOLS" and tools == "[get_forecast]"
            assert len(told) == is_gone, done.output
            assert not told or "app:second" in told[0]
    names = sorted(path.stem for path in (here / "specs").glob("*.yaml"))
    assert names == ["alone", "get_forecast", "second"]


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("import sys\n\nsys.exit(3)\n", 3, "failed: SystemExit: 3"),
        ("\n\nraise ValueError('x')\n", 3, "failed: ValueError: x"),
        ("def f(:\n", 1, "failed: SyntaxError"),
        ("import missing_library\n", 1, "No module named 'missing_library'"),
        ("raise KeyboardInterrupt\n", 1, "failed: KeyboardInterrupt"),
        ("def f():\n    raise KeyError('k')\n\nf()\n", 2, "failed: KeyError: 'k'"),
        ("def __getattr__(name): raise RuntimeError('no')\n", 0, "cannot be read: RuntimeError: no"),
    ],
)
def test_what_a_module_raises(here: Path, source: str, line: int, words: str) -> None:
    module = write(here, source)
    told = problem(f"{module}:get_forecast")
    assert (told.file, told.line) == (f"{module}.py", line)
    assert words in told.message


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import os\nos._exit(7)\n", "ended the process (exit status 7)"),
        ("while True: pass\n", "did not finish within 2 s and was stopped"),
    ],
)
def test_what_only_another_process_survives(here: Path, source: str, words: str) -> None:
    target = f"{write(here, source)}:get_forecast"
    (found,) = read_python([target], timeout=2 if "while" in source else 60)
    assert found.tools == ()
    (told,) = found.diagnostics
    assert words in told.message
    assert '`if __name__ == "__main__":`' in told.hint


def test_wrong_targets(here: Path) -> None:
    module = write(here, TOOL)
    hints = {
        f"{module}.py:get_forecast": f"write the module's name instead of its file: {module}:get_forecast",
        f"{module}:get_forcast": f"did you mean {module}:get_forecast?",
        module: "write MODULE:NAME",
        f"{module}:a-b": "write MODULE:NAME",
        f"{module}:": "write MODULE:NAME",
        "toolcast_nowhere:x": "run this in the folder",
    }
    for target, hint in hints.items():
        assert hint in problem(target).hint


def test_a_type_that_raises_while_it_is_read(here: Path) -> None:
    source = (
        "import pydantic\n"
        "class Odd(pydantic.BaseModel):\n"
        "    @classmethod\n"
        "    def __get_pydantic_json_schema__(cls, schema, handler):\n"
        "        raise OSError('disk')\n"
        "def f(odd: Odd) -> None: ...\n"
        "class Tool:\n"
        "    @property\n"
        "    def __doc__(self):\n"
        "        raise OSError('disk')\n"
        "    def __call__(self, city: str) -> None: ...\n"
        "TOOL = Tool()\n"
    )
    module = write(here, source)
    assert "disk" in problem(f"{module}:f").message
    found = read_object(f"{module}:TOOL")
    assert all("disk" in each.message for each in found.diagnostics)
