"""compile + assemble over any sharding leave what `generate` leaves, byte for byte."""

import os
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from toolcast.config import Config
from toolcast.project.core.pure import Kit, compile_specs
from toolcast.project.generate import build
from toolcast.project.state.cache import Cache, CacheError, decode_cache, encode_cache
from toolcast.project.steps.assemble import DamagedError, assemble, fingerprint_of, publish_set
from toolcast.project.steps.shard import (
    FILES,
    Folders,
    ForeignFolderError,
    output_files,
    read_setting,
    read_shard,
    render_depfile,
    write_shard,
)
from toolcast.project.worker import FRONTEND

from tests.project.fake import config_of, put, tree
from tests.sampled import fewer

HEAD = "description: Does it.\npermission: read\nsecrets: []\n"
CONFIG = '[tool.toolcast]\nproviders = ["openai", "gemini"]\n'
USES = "parameters:\n  type: object\n  properties:\n    at: {$ref: '../_types/place.yaml'}\n"
POOL = {
    "_types/place.yaml": "type: object\nproperties: {x: {type: integer, minimum: 0}}\n",
    "_types/road.yaml": "type: array\nitems: {$ref: 'place.yaml'}\n",
    "_types/place.json": '{"type": "string"}',  # the other one counts
    "_types/bad.yaml": "type: nonsense\n",
    "files/edit.yaml": HEAD,
    "files/read.yaml": HEAD
    + "parameters:\n  type: object\n  properties: {id: {type: integer, default: 3}}\n",
    "geo/go.yaml": HEAD + USES,
    "geo/far.yaml": HEAD + USES.replace("place", "road"),
    "geo/lost.yaml": HEAD + USES.replace("place", "bad"),
    "geo/none.yaml": HEAD + USES.replace("place", "none"),
    "web/edit.yaml": HEAD,  # a name twice
    "web/fetch-it.yaml": HEAD,
    "web/fetch_it.yaml": HEAD,  # one module for both
    "web/Late.json": '{"description": "Does it.", "permission": "read", "secrets": []}',
    "top.yaml": HEAD,
    "top.yml": "name: fetch\n" + HEAD,  # refused for its file, so that another may have its name
    "web/fetch.yaml": HEAD,
    "broken.yaml": "description: [\n",
    "silent.yaml": "permission: read\n",
}


def project(base: Path, specs: Mapping[str, str], config: str = CONFIG) -> Config:
    put(base / "pyproject.toml", config)
    (base / "specs").mkdir(exist_ok=True)
    for path, text in specs.items():
        put(base / "specs" / path, text)
    return config_of(base)


def kit_of(config: Config) -> Kit:
    setting, problems = read_setting(config)
    assert setting is not None, problems
    return setting.kit


def shard(config: Config, paths: list[str], out: Path) -> Cache:
    kit = kit_of(config)
    write_shard(out, compile_specs(sorted(paths), Folders((config.specs,)), kit), kit)
    return read_shard(out)


def put_together(
    config: Config, shards: Mapping[Path, Cache], out: Path
) -> tuple[dict[str, bytes], set[str]]:
    """The output folder, and the files that errors speak of."""
    assembled = assemble({str(folder): units for folder, units in shards.items()}, kit_of(config))
    compiled = output_files(assembled.units, shards)
    found = publish_set(assembled, compiled, out)
    reported = {problem.file for problem in (*assembled.diagnostics, *found)}
    return tree(out), reported


@cache
def generated(names: tuple[str, ...], base: Path) -> tuple[dict[str, bytes], frozenset[str]]:
    """What `generate` leaves of these specs, and the files that its errors speak of."""
    home = base / str(abs(hash(names)))
    config = project(home, {name: POOL[name] for name in names})
    report = build(config, FRONTEND, jobs=1)
    told = [each.file for each in report.diagnostics if each.code != "no-tools"]  # steps read no folder
    reported = {os.path.relpath(file, os.path.relpath(home)) for file in told}
    found = tree(config.output)
    shutil.rmtree(home)
    return found, frozenset(reported)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("steps")


@fewer(4)
@given(data=st.data())
def test_any_sharding_leaves_what_generate_leaves(data: st.DataObject, base: Path) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(POOL)), unique=True, max_size=9), label="specs")
    cuts = [data.draw(st.integers(0, 3), label=name) for name in names]
    expected, reported = generated(tuple(sorted(names)), base)
    home = base / "sharded"
    shutil.rmtree(home, ignore_errors=True)
    config = project(home, {name: POOL[name] for name in names})
    shards: dict[Path, Cache] = {}
    for number in sorted({*cuts, 9}):  # and one with no specs
        paths = [name for name, cut in zip(names, cuts, strict=True) if cut == number]
        shards[home / f"shard {number}"] = shard(config, paths, home / f"shard {number}")
    found, problems = put_together(config, shards, home / "generated")
    assert found == expected
    assert problems >= reported  # of a type that is refused for its file, each user is told
    assert bool(problems) == bool(reported)
    assert not (home / ".toolcast").exists()
    # A second time, over what is there: nothing is touched.
    before = {path: path.stat().st_mtime_ns for path in (home / "generated").rglob("*")}
    put_together(config, shards, home / "generated")
    assert {path: path.stat().st_mtime_ns for path in (home / "generated").rglob("*")} == before


class TestOutput:
    """What is written into a folder that holds an earlier set."""

    @pytest.fixture
    def config(self, tmp_path: Path) -> Config:
        return project(tmp_path, {"files/edit.yaml": HEAD, "top.yaml": HEAD})

    def test_what_is_gone_is_deleted_and_what_is_not_ours_stays(self, config: Config, tmp_path: Path) -> None:
        out = config.output
        put_together(
            config, {tmp_path / "a": shard(config, ["files/edit.yaml", "top.yaml"], tmp_path / "a")}, out
        )
        (out / "mine.txt").write_text("mine", encoding="utf-8")
        found, _ = put_together(config, {tmp_path / "a": shard(config, ["top.yaml"], tmp_path / "a")}, out)
        assert "files/edit.py" not in found
        assert not (out / "files").exists()
        assert found["mine.txt"] == b"mine"
        assert "top.py" in found

    def test_a_foreign_file_stops_everything(
        self, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(config.output.parent)
        config.output.mkdir()
        (config.output / "top.py").write_text("mine = 1\n", encoding="utf-8")
        found, reported = put_together(
            config, {tmp_path / "a": shard(config, ["top.yaml"], tmp_path / "a")}, config.output
        )
        assert found == {"top.py": b"mine = 1\n"}
        assert reported == {"generated/top.py"}

    def test_generate_takes_over_and_gives_back(self, config: Config, tmp_path: Path) -> None:
        shards = {tmp_path / "a": shard(config, ["files/edit.yaml", "top.yaml"], tmp_path / "a")}
        put_together(config, shards, config.output)
        report = build(config, FRONTEND, jobs=1)
        assert report.plan.empty
        (config.specs / "top.yaml").unlink()
        build(config, FRONTEND, jobs=1)
        found, _ = put_together(config, shards, config.output)
        assert "top.py" in found

    def test_a_damaged_file_is_not_published(self, config: Config, tmp_path: Path) -> None:
        units = shard(config, ["top.yaml"], tmp_path / "a")
        (tmp_path / "a" / FILES / "top.py").write_text("evil = 1\n", encoding="utf-8")
        with pytest.raises(DamagedError, match=r"top\.py"):
            put_together(config, {tmp_path / "a": units}, config.output)
        assert not config.output.exists()
        (tmp_path / "a" / FILES / "top.py").unlink()
        with pytest.raises(DamagedError, match=r"top\.py"):
            put_together(config, {tmp_path / "a": units}, config.output)
        assert not config.output.exists()

    @pytest.mark.parametrize("thing", ["a file", "a link"])
    def test_an_output_that_is_a_file_is_reported(
        self, config: Config, tmp_path: Path, thing: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(config.output.parent)
        shards = {tmp_path / "a": shard(config, ["top.yaml"], tmp_path / "a")}
        (tmp_path / "real").mkdir()
        if thing == "a file":
            config.output.write_text("mine", encoding="utf-8")
        else:
            config.output.symlink_to("real")
        _, reported = put_together(config, shards, config.output)
        assert reported == {"generated"}
        assert list((tmp_path / "real").iterdir()) == []

    def test_only_the_files_that_speak_of_all(self, config: Config, tmp_path: Path) -> None:
        """With the shards' own files beside them they make the whole: a union of folders."""
        whole = {
            tmp_path / name: shard(config, [path], tmp_path / name)
            for name, path in (("a", "files/edit.yaml"), ("b", "top.yaml"))
        }
        expected, _ = put_together(config, whole, tmp_path / "all")
        assembled = assemble({str(folder): units for folder, units in whole.items()}, kit_of(config))
        publish_set(assembled, None, tmp_path / "set")
        union = tree(tmp_path / "set")
        assert "top.py" not in union
        for folder in whole:
            union |= tree(folder / FILES)
        assert union == expected


class TestShard:
    def test_it_is_written_only_where_it_differs(self, tmp_path: Path) -> None:
        config = project(tmp_path, {"a.yaml": HEAD, "b.yaml": HEAD})
        shard(config, ["a.yaml", "b.yaml"], tmp_path / "s")
        before = {path: path.stat().st_mtime_ns for path in (tmp_path / "s").rglob("*") if path.is_file()}
        shard(config, ["a.yaml", "b.yaml"], tmp_path / "s")
        after = {path: path.stat().st_mtime_ns for path in (tmp_path / "s").rglob("*") if path.is_file()}
        assert after == before
        shard(config, ["b.yaml"], tmp_path / "s")
        left = tree(tmp_path / "s" / FILES)
        assert {path.rpartition("/")[2].partition(".")[0] for path in left} == {"b"}

    def test_a_folder_of_somebody_else_is_left_alone(self, tmp_path: Path) -> None:
        config = project(tmp_path, {"a.yaml": HEAD})
        for name in ("note.txt", "units.json"):
            folder = tmp_path / f"of {name}"
            folder.mkdir()
            (folder / name).write_text("mine", encoding="utf-8")
            with pytest.raises(ForeignFolderError):
                shard(config, ["a.yaml"], folder)
            assert tree(folder) == {name: b"mine"}

    def test_records_survive_the_file(self, tmp_path: Path) -> None:
        config = project(tmp_path, {"a.yaml": HEAD, "broken.yaml": POOL["broken.yaml"]})
        units = shard(config, ["a.yaml", "broken.yaml"], tmp_path / "s")
        assert decode_cache(encode_cache(units)) == units
        assert [record.failed for record in units.units.values()] == [False, True]
        for content in (b"", b"{}", b"[]", b'{"format":2}', b'{"format":2,"units":{}}', b"\xff"):
            with pytest.raises(CacheError):
                decode_cache(content)


class TestRefusals:
    def test_steps_with_different_settings_do_not_mix(self, tmp_path: Path) -> None:
        config = project(tmp_path, {"a.yaml": HEAD})
        one = shard(config, ["a.yaml"], tmp_path / "s")
        outcome = assemble({"s": replace(one, kit="other")}, kit_of(config))
        assert [problem.code for problem in outcome.diagnostics] == ["other-setting"]
        assert outcome.files == {}

    def test_a_type_that_nobody_compiled(self, tmp_path: Path) -> None:
        config = project(tmp_path, {path: POOL[path] for path in ("_types/place.yaml", "geo/go.yaml")})
        units = shard(config, ["geo/go.yaml"], tmp_path / "s")
        (problem,) = assemble({"s": units}, kit_of(config)).diagnostics
        assert (problem.code, problem.file) == ("not-compiled", "specs/_types/place.yaml")

    def test_one_spec_in_two_steps(self, tmp_path: Path) -> None:
        config = project(tmp_path, {"a.yaml": HEAD})
        one = shard(config, ["a.yaml"], tmp_path / "one")
        project(tmp_path, {"a.yaml": HEAD.replace("Does", "Did")})
        two = shard(config, ["a.yaml"], tmp_path / "two")
        assert not assemble({"one": one, "again": one}, kit_of(config)).diagnostics
        (problem,) = assemble({"one": one, "two": two}, kit_of(config)).diagnostics
        assert problem.code == "compiled-twice"

    def test_the_stamp_distinguishes_sets(self, tmp_path: Path) -> None:
        config = project(tmp_path, {"a.yaml": HEAD, "b.yaml": HEAD})
        both = assemble({"s": shard(config, ["a.yaml", "b.yaml"], tmp_path / "s")}, kit_of(config))
        one = assemble({"s": shard(config, ["a.yaml"], tmp_path / "s")}, kit_of(config))
        assert fingerprint_of(both) != fingerprint_of(one)
        assert len(fingerprint_of(both).splitlines()) == len(both.files) + len(both.digests)


def test_a_depfile_escapes_what_its_readers_split_at() -> None:
    text = render_depfile("out/units.json", ["a b.yaml", "c$d#e.yaml"]).decode()
    assert text == ("out/units.json: \\\n  a\\ b.yaml \\\n  c$$d\\#e.yaml\na\\ b.yaml:\nc$$d\\#e.yaml:\n")
