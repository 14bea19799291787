"""`[tool.toolcast]`: defaults, refusals with places, and where the file is found."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.config import KEYS, load_config


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


@pytest.mark.parametrize(
    ("text", "place", "code", "word"),
    [
        ('[tool.toolcast]\n\n  ouptut = "x"\n', (3, 3), "unknown-key", "output"),
        ("[tool.toolcast]\nspecs = 1\n", (2, 1), "config-type", "specs"),
        ('[tool.toolcast]\nspecs = ""\n', (2, 1), "config-type", "specs"),
        ("[tool.toolcast]\ncache = 1\n", (2, 1), "config-type", "folder or a URL"),
        ('[tool.toolcast]\ncache_write = "no"\n', (2, 1), "config-type", "true or false"),
        ("[tool.toolcast]\ncache_size = 1000\n", (2, 1), "config-type", '"2 GB"'),
        ('[tool.toolcast]\ncache_size = "2 KB"\n', (2, 1), "config-type", '"2 GB"'),
        ('[tool.toolcast]\ndefaults = "all"\n', (2, 1), "config-type", "include"),
        ("[tool.toolcast]\ndefaults = true\n", (2, 1), "config-type", "include"),
        ('[tool.toolcast]\nproviders = "openai"\n', (2, 1), "config-type", "all"),
        ('[tool.toolcast]\nproviders = [\n  "a",\n  1,\n]\n', (2, 1), "config-type", "list"),
        ('[tool.toolcast]\nmodels = ["pydantik"]\n', (2, 1), "unknown-model", "pydantic"),
        ('[tool.toolcast]\nspecs = "a"\noutput = "a"\n', (3, 1), "config-overlap", "specs"),
        ('[tool.toolcast]\noutput = "."\n', (2, 1), "config-overlap", "specs"),
        ('[tool.toolcast]\noutput = "specs/out"\n', (2, 1), "config-overlap", "specs"),
        ("[tool]\ntoolcast = 3\n", (1, 1), "config-type", "table"),
        ("[tool.other]\nspecs = 1\n[ tool . 'toolcast' ]\n'specs' = 1\n", (4, 1), "config-type", "specs"),
        ("[tool.toolcast]\n[tool.toolcast.extra]\na = 1\n", (2, 2), "unknown-key", "extra"),
        ("[tool.toolcast\n", (1, 15), "config-unreadable", "TOML"),
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


def test_the_shared_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for text, expected in (
        ("http://host/x", "http://host/x"),
        ("HTTPS://host", "HTTPS://host"),
        ("../shared", str(tmp_path / "shared")),
        ("~/shared", str(tmp_path / "home/shared")),
    ):
        write(tmp_path / "p", f"[tool.toolcast]\ncache = '{text}'\ncache_size = '30MB'\n")
        config, _ = load_config(tmp_path / "p")
        assert config is not None
        assert (config.cache, config.cache_write, config.cache_size) == (expected, True, 30_000_000)


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
