"""An output folder that the configuration no longer names: told of once, and removed when asked."""

from pathlib import Path

import pytest
from toolcast.config import Config, load_config
from toolcast.project.clean import clean
from toolcast.project.generate import build
from toolcast.project.previous_outputs import previous_outputs
from toolcast.project.state import fingerprint

from tests.project.fake import FAKE, config_of, project, put, states, tree


@pytest.fixture
def config(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Config:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        fingerprint, "PACKAGE", tmp_path_factory.getbasetemp() / "none"
    )  # digested by each run
    config = project(tmp_path, {"a.yaml": "1", "g/b.yaml": "1"})
    assert build(config, FAKE).diagnostics == ()
    return config


def _moved(config: Config, output: str) -> Config:
    put(
        config.base / "pyproject.toml",
        f'[tool.toolcast]\noutput = "{output}"\nproviders = ["openai", "mcp"]\n',
    )
    return config_of(config.base)


def test_the_run_that_moves_says_what_stays_behind(config: Config) -> None:
    before = tree(config.output)
    moved = _moved(config, "new")
    for mode in ("diff", "write"):
        (problem,) = build(moved, FAKE, mode=mode).diagnostics  # type: ignore[arg-type]
        assert (problem.code, problem.severity, problem.file) == ("former-output", "warning", "generated")
        assert "new" in problem.message
        assert "toolcast clean --former" in problem.hint
    assert tree(config.output) == before
    assert tree(moved.output).keys() == before.keys()
    assert build(moved, FAKE).diagnostics == ()  # once is enough
    assert previous_outputs(moved) == (config.output,)


def test_what_was_left_behind_is_removed_when_asked(config: Config) -> None:
    put(config.output / "mine.txt", "mine")
    moved = _moved(config, "new")
    build(moved, FAKE)
    before = states(config.base)
    ((folder, files),) = clean(moved, dry_run=True, only_former=True).former
    assert folder == config.output
    assert {"g/b.py", "manifest.txt", "contracts/a.json"} <= set(files)
    assert states(config.base) == before
    assert clean(moved, dry_run=False, only_former=True).diagnostics == ()
    assert tree(config.output) == {"mine.txt": b"mine"}
    assert (moved.output / "g/b.py").exists()
    assert previous_outputs(moved) == ()
    assert build(moved, FAKE).plan.empty
    assert build(moved, FAKE).rebuilt == 0  # what was remembered of the present output still is


def test_clean_removes_all_of_them(config: Config) -> None:
    for name in ("one", "deep/two", "three"):
        config = _moved(config, name)
        build(config, FAKE)
    report = clean(config, dry_run=False)
    assert report.diagnostics == ()
    assert len(report.former) == 3
    assert {path.name for path in config.base.iterdir()} == {"pyproject.toml", "specs", "deep"}
    assert not config.state.exists()


def test_a_folder_that_is_named_again_is_no_former_one(config: Config) -> None:
    moved = _moved(config, "new")
    build(moved, FAKE)
    back = _moved(config, "generated")
    (problem,) = build(back, FAKE).diagnostics
    assert problem.file == "new"
    assert previous_outputs(back) == (moved.output,)
    clean(back, dry_run=False, only_former=True)
    assert not moved.output.exists()
    assert (back.output / "g/b.py").exists()


def test_two_configurations_in_one_folder_do_not_take_each_others(config: Config) -> None:
    put(config.base / "other.toml", '[tool.toolcast]\noutput = "other"\n')
    other, _ = load_config(config.base, Path("other.toml"))
    assert other is not None
    for _ in range(2):
        assert build(other, FAKE).diagnostics == ()
        assert build(config, FAKE).diagnostics == ()
        assert previous_outputs(other) == previous_outputs(config) == ()
    put(config.base / "other.toml", '[tool.toolcast]\noutput = "generated"\n')
    other, _ = load_config(config.base, Path("other.toml"))
    assert other is not None
    assert [each.file for each in build(other, FAKE).diagnostics] == ["other"]
    moved = _moved(config, "new")
    assert build(moved, FAKE).diagnostics == ()  # the other configuration builds there


def test_without_our_manifest_there_is_nothing_to_tell(config: Config) -> None:
    (config.output / "manifest.txt").write_text("mine", "utf-8")
    moved = _moved(config, "new")
    assert build(moved, FAKE).diagnostics == ()
    assert clean(moved, dry_run=False, only_former=True).former == ()
    assert (config.output / "a.py").exists()


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b'[["x"], ["", ""]]', b'{"other": 1}', b'[["a\\u0000", "b"]]', b"[" * 9999]
)
def test_a_damaged_record_is_none(config: Config, content: bytes) -> None:
    (config.state / "outputs").write_bytes(content)
    moved = _moved(config, "new")
    assert build(moved, FAKE).diagnostics == ()
    assert not [each for each in previous_outputs(moved) if each != config.base]
    build(moved, FAKE)
    assert [each.file for each in build(_moved(config, "newer"), FAKE).diagnostics] == ["new"]


def test_a_project_that_was_moved_knows_its_own_folder(config: Config, tmp_path: Path) -> None:
    moved = _moved(config, "new")
    build(moved, FAKE)
    (tmp_path / "elsewhere").mkdir()
    for path in [path for path in tmp_path.iterdir() if path.name != "elsewhere"]:
        path.rename(tmp_path / "elsewhere" / path.name)
    assert previous_outputs(config_of(tmp_path / "elsewhere")) == (tmp_path / "elsewhere/generated",)
