"""Profiles of installed packages: found without running their code, and never in place of another."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from toolcast.config import Config, load_config
from toolcast.project.generate import build
from toolcast.project.profiles import profiles_of
from toolcast.project.worker import FRONTEND
from toolcast.providers import ProfileError, load_profile, normalize
from toolcast.providers.profiles.load_profiles import installed_file, installed_ids

SPEC = """
permission: read
secrets: []
description: A.
parameters: {type: object, properties: {a: {type: string}}}
"""


def install(site: Path, package: str, id: str, *, text: str | None = None, value: str | None = None) -> Path:
    """A package with a profile; importing it would fail."""
    folder = site / package / "profiles"
    folder.mkdir(parents=True)
    (site / package / "__init__.py").write_text("raise SystemExit('this must not run')\n")
    file = folder / f"{id}.toml"
    file.write_text(f'base = "openai"\nid = "{id}"\n[limits]\ntools = 7\n' if text is None else text)
    about = site / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[toolcast.profiles]\n{id} = {value or f'{package}.profiles'}\n")
    return file


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return folder


def project(folder: Path, table: str) -> Config:
    (folder / "specs").mkdir()
    (folder / "specs/one.yaml").write_text(SPEC)
    (folder / "pyproject.toml").write_text(f"[tool.toolcast]\n{table}\n")
    config, problems = load_config(folder)
    assert config is not None, problems
    return config


def test_it_is_found_by_its_id(site: Path) -> None:
    file = install(site, "inst_one", "inst-a")
    assert installed_ids()["inst-a"] == "inst_one"
    assert installed_file("inst-a") == file
    assert load_profile("inst-a").limits.tools == 7
    assert normalize({"type": "object"}, "inst-a").strict is False
    assert "inst_one" not in sys.modules


def test_two_packages_of_one_id_are_refused(site: Path) -> None:
    install(site, "inst_two", "inst-b")
    install(site, "inst_three", "inst-b")
    with pytest.raises(ProfileError, match="offered by inst_three and inst_two"):
        installed_file("inst-b")


@pytest.mark.parametrize("value", ["inst_four.elsewhere", "inst_nowhere", "inst_four.profiles:attribute"])
def test_a_package_without_the_file_is_refused(site: Path, value: str) -> None:
    install(site, "inst_four", "inst-c", value=value)
    with pytest.raises(
        ProfileError, match=r"inst_four offers the profile 'inst-c', but .* holds no inst-c\.toml"
    ):
        installed_file("inst-c")


def test_its_id_is_that_of_the_entry_point(site: Path) -> None:
    install(site, "inst_five", "inst-d", text='base = "openai"\nid = "other"\n')
    with pytest.raises(ProfileError, match="the id is not 'inst-d'"):
        installed_file("inst-d")


def test_it_replaces_no_built_in_one(site: Path) -> None:
    install(site, "inst_six", "openai")
    load_profile.cache_clear()
    assert load_profile("openai").limits.tools == 128


def test_a_project_uses_one_that_it_names(site: Path, tmp_path: Path) -> None:
    file = install(site, "inst_seven", "inst-e")
    config = project(tmp_path, 'providers = ["mcp", "inst-e"]')
    profiles, problems = profiles_of(config)
    assert (profiles.files, problems) == ((str(file),), ())
    assert build(config, FRONTEND).diagnostics == ()
    out = config.output / "schemas/inst-e/one.json"
    assert '"strict"' in out.read_text()
    # Its content is part of the fingerprint.
    file.write_text(
        'base = "openai"\nid = "inst-e"\nwithout = ["strict"]\n[envelope]\nn = "$name"\np = "$parameters"\n'
    )
    assert build(config, FRONTEND).diagnostics == ()
    assert '"strict"' not in out.read_text()


def test_a_project_that_names_none_looks_for_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("installed packages were searched")

    monkeypatch.setattr("importlib.metadata.entry_points", never)
    config = project(tmp_path, 'providers = "all"')
    profiles, problems = profiles_of(config)
    assert (profiles.files, problems) == ((), ())


def test_a_name_that_nobody_offers_is_unknown(tmp_path: Path) -> None:
    config = project(tmp_path, 'providers = ["inst-nowhere"]')
    assert [each.code for each in build(config, FRONTEND).diagnostics] == ["unknown-provider"]


def test_a_files_problems_have_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.toml").write_text('base = "openai"\nid = "bad"\n[dialect]\nref = 1\n')
    config = project(tmp_path, 'profiles = ["bad.toml"]')
    found = build(config, FRONTEND).diagnostics
    assert [(each.file, each.line, each.code) for each in found] == [("bad.toml", 4, "bad-profile")]
    assert found[0].hint.startswith("did you mean 'refs'?")
