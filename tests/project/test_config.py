"""`[tool.toolcast]`: defaults, refusals with places, and where the file is found."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.command_settings import DiffSettings, LintSettings, TokenBudgets, VerifySettings
from toolcast.config import KEYS, load_config, setting_problem


def write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "pyproject.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_defaults_hold_without_a_file(tmp_path: Path) -> None:
    config, problems = load_config(tmp_path)
    assert problems == ()
    assert config is not None
    assert config.specs == tmp_path / "specs"
    assert config.output == tmp_path / "generated"
    assert config.providers == ("openai", "openai-responses", "anthropic", "gemini", "mcp")
    assert (config.models, config.templates, config.profiles) == ((), None, ())


def test_the_nearest_configured_file_counts(tmp_path: Path) -> None:
    file = write(tmp_path, '[tool.toolcast]\nspecs = "tools"\nproviders = "all"\nprofiles = ["p/a.toml"]\n')
    write(tmp_path / "member", "[project]\nname = 'x'\n")
    config, _ = load_config(tmp_path / "member")
    assert config is not None
    assert config.file == file
    assert config.specs == tmp_path / "tools"
    assert config.providers is None
    assert config.profiles == (tmp_path / "p/a.toml",)


def test_a_file_may_be_named_by_a_path_that_goes_up(tmp_path: Path) -> None:
    write(tmp_path / "other", "[tool.toolcast]\n")
    (tmp_path / "here").mkdir()
    config, problems = load_config(tmp_path / "here", Path("../other/pyproject.toml"))
    assert problems == ()
    assert config is not None
    assert config.state == tmp_path / "other/.toolcast"


@pytest.mark.parametrize(
    ("text", "place", "code", "word"),
    [
        ('[tool.toolcast]\n\n  ouptut = "x"\n', (3, 3), "unknown-key", "output"),
        ("[tool.toolcast]\nspecs = 1\n", (2, 1), "config-type", "specs"),
        ('[tool.toolcast]\nspecs = ""\n', (2, 1), "config-type", "specs"),
        ('[tool.toolcast]\ndefaults = "all"\n', (2, 1), "config-type", "include"),
        ("[tool.toolcast]\ndefaults = true\n", (2, 1), "config-type", "include"),
        ('[tool.toolcast]\nproviders = "openai"\n', (2, 1), "config-type", "all"),
        ('[tool.toolcast]\nproviders = [\n  "a",\n  1,\n]\n', (2, 1), "config-type", "list"),
        ('[tool.toolcast]\nmodels = ["pydantik"]\n', (2, 1), "unknown-model", "pydantic"),
        ('[tool.toolcast]\nspecs = "a"\noutput = "a"\n', (3, 1), "config-overlap", "specs"),
        ('[tool.toolcast]\noutput = "."\n', (2, 1), "config-overlap", "specs"),
        ('[tool.toolcast]\noutput = "specs/out"\n', (2, 1), "config-overlap", "specs"),
        ("[tool]\ntoolcast = 3\n", (2, 1), "config-type", "table"),
        ("[tool.other]\nspecs = 1\n[ tool . 'toolcast' ]\n'specs' = 1\n", (4, 1), "config-type", "specs"),
        ("[tool.toolcast]\n[tool.toolcast.extra]\na = 1\n", (2, 2), "unknown-key", "extra"),
        ("[tool.toolcast.lint]\nlevel = {}\n", (2, 1), "unknown-key", "'levels'"),
        ("[tool.toolcast]\nlint.level = {}\n", (2, 1), "unknown-key", "[tool.toolcast.lint]"),
        ("[tool.toolcast]\nlint = {losses = true, level = {}}\n", (2, 24), "unknown-key", "'levels'"),
        ("[tool.toolcast]\nlint = 1\n", (2, 1), "config-type", "a table"),
        ("[tool.toolcast.lint]\nlevels = ['depth']\n", (2, 1), "config-type", "a table"),
        ("[tool.toolcast.lint]\nlevels = {a = 'off', depth = 'no'}\n", (2, 22), "config-type", '"off"'),
        ("[tool.toolcast.lint.levels]\n# x\n'depth' = 1\n", (3, 1), "config-type", '"off"'),
        ("[tool.toolcast.lint]\nmax_severity = 'error'\n", (2, 1), "config-type", '"warning"'),
        ("[tool.toolcast.lint.max_tokens]\ntool = 0\n", (2, 1), "config-type", "from 1 to"),
        ("[tool.toolcast.lint.max_tokens]\nset = true\n", (2, 1), "config-type", "whole number"),
        ("[tool.toolcast.lint.max_tokens.groups]\n'a/b' = 1.5\n", (2, 1), "config-type", "whole number"),
        ("[tool.toolcast.lint.max_tokens]\ntools = 9\n", (2, 1), "unknown-key", "'tool'"),
        ("[tool.toolcast.verify]\nexamples = 0\n", (2, 1), "config-type", "from 1 to 1000000"),
        ("[tool.toolcast.verify]\nseed = -1\n", (2, 1), "config-type", "from 0 to"),
        ("[tool.toolcast.verify]\nlaws = {}\n", (2, 1), "unknown-key", "known keys: examples"),
        ("[tool.toolcast.diff]\nagainst = ''\n", (2, 1), "config-type", "origin/main"),
        ("[tool.toolcast.diff]\nlevels.model = 'loud'\n", (2, 1), "config-type", '"note"'),
        ("[tool.toolcast\n", (1, 15), "config-unreadable", "TOML"),
        (
            "[tool.toolcast]\n<<<<<<< HEAD\nspecs = 'a'\n=======\n",
            (2, 1),
            "config-unreadable",
            "git's conflict",
        ),
    ],
)
def test_refusals_name_the_place(
    tmp_path: Path, text: str, place: tuple[int, int], code: str, word: str
) -> None:
    write(tmp_path, text)
    config, problems = load_config(tmp_path)
    assert config is None
    found = next(problem for problem in problems if problem.code == code)
    assert (found.file, found.line, found.column) == ("pyproject.toml", *place)
    assert word in found.message + found.hint


def test_a_misspelt_table_is_not_passed_by(tmp_path: Path) -> None:
    write(tmp_path, '[tool.black]\n[tool.toolcats]\nspecs = "a"\n')
    config, [problem] = load_config(tmp_path)
    assert config is None
    assert (problem.line, problem.hint) == (2, "did you mean [tool.toolcast]?")
    write(tmp_path, "[tool.towncrier]\n[tool.toolchain]\n")
    assert load_config(tmp_path)[1] == ()


COMMANDS = """\
[tool.toolcast.lint]
max_severity = "note"
levels = {depth = "off", "lossy" = "error"}
[tool.toolcast.lint.max_tokens]
tool = 800
set = 20_000
providers = {openai = 12_000}
groups."a/b" = 4_000
[tool.toolcast.verify]
examples = 500
seed = 1
levels.second-opinion = "warning"
[tool.toolcast.diff]
against = "origin/main"
[tool.toolcast.diff.levels]
model = "warning"
"""


def test_settings_of_commands(tmp_path: Path) -> None:
    write(tmp_path, COMMANDS)
    config, problems = load_config(tmp_path)
    assert problems == ()
    assert config is not None
    budgets = TokenBudgets(tool=800, set=20_000, providers={"openai": 12_000}, groups={"a/b": 4_000})
    assert config.lint == LintSettings(
        levels={"depth": "off", "lossy": "error"}, max_severity="note", max_tokens=budgets
    )
    assert config.verify == VerifySettings(examples=500, seed=1, levels={"second-opinion": "warning"})
    assert config.diff == DiffSettings(against="origin/main", levels={"model": "warning"})


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("lint.levels.lossy", (3, 26)),
        ("lint.max_tokens.providers.openai", (7, 14)),
        ("lint.max_tokens.groups.a/b", (8, 1)),
        ("diff.levels.model", (16, 1)),
        ("diff.levels.absent", (15, 2)),
        ("lint.levels.absent", (3, 1)),
        ("specs", (1, 2)),
    ],
)
def test_the_place_of_a_setting(tmp_path: Path, path: str, place: tuple[int, int]) -> None:
    write(tmp_path, COMMANDS)
    config, _ = load_config(tmp_path)
    assert config is not None
    found = setting_problem(config, path.split("."), "unknown-code", "m", "h")
    assert (Path(found.file).name, found.line, found.column) == ("pyproject.toml", *place)


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    write(tmp_path, '[tool.toolcast]\nspecs = 1\nnonsense = 2\nmodels = ["x"]\n')
    _, problems = load_config(tmp_path)
    assert [problem.line for problem in problems] == [2, 3, 4]


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    config, problems = load_config(tmp_path, Path("other.toml"))
    assert config is None
    assert problems[0].code == "config-unreadable"


@given(st.text(), st.sampled_from([*KEYS, "other"]), st.sampled_from(["{}", '"{}"', '["{}"]', "[[{}]]"]))
def test_no_text_makes_it_raise(
    tmp_path_factory: pytest.TempPathFactory, text: str, key: str, form: str
) -> None:
    folder = tmp_path_factory.getbasetemp() / "any"
    folder.mkdir(exist_ok=True)
    content = f"[tool.toolcast]\n{key} = {form.format(text)}\n"
    (folder / "pyproject.toml").write_bytes(content.encode("utf-8", "surrogatepass"))
    config, problems = load_config(folder)
    assert (config is None) == bool(problems)
