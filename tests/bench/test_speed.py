"""The benchmark measures what it says: material, fairness checks, tables."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from toolcast.spec.spec_reader import read_tool

from bench.speed.baml import function
from bench.speed.listing import look
from bench.speed.material import Tool, changed, spec_text, tools, write_project, write_schemas
from bench.speed.steps import BAML, BAML_CLI, RIVAL_ALL, STEPS, Ground
from bench.speed.table import RATIOS, as_json, page, ratio, table
from bench.speed.timing import BenchError, Time, environment, median, timed
from tests.spec.helper import PROVIDERS, read

ROOT = Path(__file__).resolve().parents[2]


def test_made_up_tools_are_specs_with_distinct_names(tmp_path: Path) -> None:
    listed, origin = tools(tmp_path, 120)
    assert "made up" in origin
    assert len({tool.name for tool in listed}) == 120
    assert tools(tmp_path, 30)[0] == listed[:30]
    for tool in listed[:50]:
        spec, problems, _ = read_tool(read(spec_text(tool)), f"{tool.name}.yaml", PROVIDERS)
        assert problems == ()
        assert spec is not None
        assert spec.parameters == tool.parameters


@pytest.mark.corpora
def test_real_tools_are_used_where_they_are(shared_dir: Path) -> None:
    listed, origin = tools(shared_dir / "corpora", 1000)
    assert "real tools" in origin
    assert len({tool.name for tool in listed}) == 1000
    assert len({tool.description for tool in listed}) > 500


def test_both_sides_get_the_same_parameters(tmp_path: Path) -> None:
    listed, _ = tools(tmp_path, 60)
    write_project(listed, tmp_path / "project")
    write_schemas(listed, tmp_path / "schemas")
    specs = {file.stem: file for file in (tmp_path / "project" / "specs").rglob("*.yaml")}
    schemas = {file.stem: file for file in (tmp_path / "schemas").iterdir()}
    assert specs.keys() == schemas.keys()
    for name in list(specs)[::7]:
        spec = read(specs[name].read_text(encoding="utf-8")).data
        assert spec["parameters"] == json.loads(schemas[name].read_text(encoding="utf-8"))


def test_a_changed_tool_has_another_parameter_each_turn(tmp_path: Path) -> None:
    tool = tools(tmp_path, 1)[0][0]
    again = changed(changed(tool, 1), 2)
    assert set(again.parameters["properties"]) - set(tool.parameters["properties"]) == {"extra_1", "extra_2"}


def test_a_process_is_timed_with_its_children(tmp_path: Path) -> None:
    busy = "import time\nwhile time.process_time() < 0.2: pass"
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}]); print('done')"
    taken = timed((sys.executable, "-c", nested), tmp_path, "done")
    assert taken.wall >= 0.2
    assert taken.cpu >= 0.2
    waiting = timed((sys.executable, "-c", "import time; time.sleep(1.5)"), tmp_path)
    assert waiting.wall >= 1.5
    assert waiting.cpu < 1  # what beginning takes, on a busy machine


def test_compiled_modules_are_kept_whatever_the_shell_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    (tmp_path / "module.py").write_text("x = 1\n", encoding="utf-8")
    timed((sys.executable, "-c", "import module"), tmp_path, env=environment(tmp_path / "bytecode"))
    assert list((tmp_path / "bytecode").rglob("module.*.pyc"))


@pytest.mark.parametrize("code", ["raise SystemExit(3)", "print('something else')"])
def test_a_command_that_does_not_do_its_work_is_not_timed(tmp_path: Path, code: str) -> None:
    with pytest.raises(BenchError, match="wanted 'done'"):
        timed((sys.executable, "-c", code), tmp_path, "done")


@pytest.mark.thorough
def test_models_that_were_not_written_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ground = Ground(tools(tmp_path, 3)[0], tmp_path / "ground")
    assert ground.steps[RIVAL_ALL]().wall > 0
    monkeypatch.setattr("bench.speed.steps.timed", lambda *_, **__: Time(0.1, 0.1))
    with pytest.raises(BenchError, match="wrote no model"):
        ground.steps[RIVAL_ALL]()


def test_the_least_work_is_a_look_at_every_file(tmp_path: Path) -> None:
    write_project(tools(tmp_path, 60)[0], tmp_path / "project")
    assert look(str(tmp_path / "project" / "specs")) == 60


def test_baml_says_the_same_parameters_and_counts_what_it_cannot() -> None:
    parameters = {
        "type": "object",
        "required": ["a_b", "kind"],
        "properties": {
            "a_b": {
                "type": "array",
                "items": {"enum": ["x", 'y"']},
                "maxItems": 3,
                "description": 'a "#b"# c',
            },
            "kind": {"$ref": "#/$defs/Node"},
            "free": {"type": "object", "additionalProperties": {"type": ["integer", "null"]}},
        },
        "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
    }
    text, left_out = function(Tool("tool_1", "Finds {{ things }}.", parameters))
    assert 'a_b ("x" | "y\\"")[] @description(##"a "#b"# c"##)' in text
    assert 'field_1 Tool1Ref0 @alias("kind")' in text
    assert 'field_0 Tool1Ref0? @alias("next")' in text
    assert 'field_2 map<string, int?>? @alias("free")' in text
    assert "Finds { { things }}." in text
    assert left_out == {"maxItems": 1}


def test_tables_tell_medians_ratios_and_whether_they_are_met() -> None:
    seconds = {step: [Time(1.0, 1.0), Time(9.0, 2.0), Time(2.0, 3.0)] for step in STEPS}
    assert median(seconds[STEPS[0]]) == Time(2.0, 2.0)
    step, beside, _ = RATIOS[0]
    assert ratio(seconds, step, beside) == 1.0
    text = page({20: seconds, 1000: seconds}, "made up", 3)
    assert text.count("≤ 1.5: met") == 1
    assert text.count("missed") == 2
    assert "2.000 (2.000)" in text
    assert "met" not in page({20: seconds}, "made up", 3)
    data = as_json({1000: seconds}, "made up", 3)
    assert data["specs"]["1000"][step]["median"] == {"wall": 2.0, "cpu": 2.0}
    assert len(data["specs"]["1000"][step]["rounds"]) == 3
    assert {each["ratio"] for each in data["ratios"]} == {1.0}


def test_a_table_is_aligned() -> None:
    assert table([["a", "bb"], ["ccc", "1"]]) == ["| a   | bb |", "|-----|---:|", "| ccc |  1 |"]


@pytest.mark.thorough
def test_the_command_measures_all_steps(tmp_path: Path) -> None:
    file = tmp_path / "times.json"
    command = (sys.executable, "-m", "bench", "--sizes", "2", "--rounds", "1", "--json", str(file))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    data = json.loads(file.read_text(encoding="utf-8"))
    steps = [step for step in STEPS if step not in BAML or BAML_CLI.is_file()]
    assert set(data["specs"]["2"]) == set(steps)
    assert all(step in done.stdout for step in steps)
    assert "registry and ledger" in done.stdout
