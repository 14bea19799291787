"""A spec with an error keeps its former output, whatever else is lost."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from toolcast.config import Config
from toolcast.project.former import find_former
from toolcast.project.generate import Report, build
from toolcast.project.output.manifest import UNKNOWN, parse_manifest
from toolcast.project.output.output_tree import Tree
from toolcast.project.state.cache import Cache
from toolcast.project.state.index import Index, up_to_date
from toolcast.project.worker import FRONTEND

from tests.project.fake import FAKE, config_of, project, put, tree

ROOT = Path(__file__).parents[2]
SPECS = {
    "a.yaml": "uses: _types/t.yaml\nloss: pattern",
    "g/b.yaml": "",
    "c.yaml": "",
    "_types/t.yaml": "",
}


@pytest.fixture
def config(tmp_path: Path) -> Config:
    config = project(tmp_path, SPECS)
    assert not build(config, FAKE).failed
    return config


def failing(report: Report) -> list[str]:
    return sorted(
        {each.file.rpartition("specs/")[2] for each in report.diagnostics if each.severity == "error"}
    )


def stale(report: Report) -> dict[str, str]:
    return {each.spec.rpartition("specs/")[2]: each.flaw for each in report.stale}


def forget(config: Config) -> None:
    shutil.rmtree(config.state)


def test_it_stays_and_others_are_built(config: Config) -> None:
    before = tree(config.output)
    put(config.specs / "a.yaml", "bad")
    put(config.specs / "c.yaml", "new")
    report = build(config, FAKE)
    after = tree(config.output)
    assert report.failed
    assert (report.tools, report.refused, failing(report), stale(report)) == (
        3,
        1,
        ["a.yaml"],
        {"a.yaml": ""},
    )
    changed = {path for path in before if before[path] != after[path]}
    assert after.keys() == before.keys()
    assert changed == {"c.py", "contracts/c.json", *_schemas("c"), "manifest.txt"}
    assert _line(before, "a.yaml") == _line(after, "a.yaml")
    assert report.stale[0].outputs == ("a.py", "contracts/a.json", "ledger/a.json", *_schemas("a"))
    assert up_to_date(str(config.base)) is None
    assert build(config, FAKE).plan.empty


@pytest.mark.parametrize("lost", ["", "cache", "other output"])
def test_a_clean_clone_is_red_with_the_error_alone(config: Config, lost: str) -> None:
    put(config.specs / "a.yaml", "bad")
    if lost == "cache":
        forget(config)
    for mode in ("check", "diff", "write"):
        report = build(config, FAKE, mode=mode)
        assert report.plan.empty
        assert failing(report) == ["a.yaml"]
        assert stale(report) == {"a.yaml": ""}
    put(config.specs / "a.yaml", SPECS["a.yaml"])
    report = build(config, FAKE)
    assert not report.failed
    assert report.plan.empty
    assert not report.stale


def test_users_of_a_shared_type_are_stale_with_it(config: Config) -> None:
    put(config.specs / "_types/t.yaml", "bad")
    report = build(config, FAKE)
    assert report.plan.empty
    assert stale(report) == {"_types/t.yaml": "", "a.yaml": ""}
    assert (report.tools, report.refused) == (3, 1)


def test_only_a_deleted_spec_deletes(config: Config) -> None:
    put(config.specs / "a.yaml", "bad")
    build(config, FAKE)
    (config.specs / "a.yaml").unlink()
    report = build(config, FAKE)
    assert not report.failed
    assert {each.path for each in report.plan.deletes} == {
        "a.py",
        "contracts/a.json",
        "ledger/a.json",
        *_schemas("a"),
    }


@pytest.mark.parametrize("with_cache", [True, False])
def test_a_renamed_spec_is_a_deleted_one_and_a_new_one(config: Config, with_cache: bool) -> None:
    (config.specs / "a.yaml").rename(config.specs / "z.yaml")
    put(config.specs / "z.yaml", "bad")
    if not with_cache:
        forget(config)
    report = build(config, FAKE)
    assert failing(report) == ["z.yaml"]
    assert not report.stale
    assert not (config.output / "a.py").exists()


@pytest.mark.parametrize("new", ["0.yaml", "z.yaml"])
def test_of_two_specs_with_one_name_neither_takes_the_others_place(config: Config, new: str) -> None:
    before = tree(config.output)
    put(config.specs / new, "name: c")
    report = build(config, FAKE)
    assert failing(report) == sorted(["c.yaml", new])
    assert stale(report) == {"c.yaml": ""}
    assert tree(config.output) == before
    put(config.specs / "g/b.yaml", "name: c")
    report = build(config, FAKE)
    assert stale(report) == {"c.yaml": "", "g/b.yaml": ""}
    assert tree(config.output) == before


def test_without_former_output_it_is_refused(config: Config) -> None:
    before = tree(config.output)
    put(config.specs / "new.yaml", "bad")
    report = build(config, FAKE)
    assert (report.refused, report.stale) == (1, ())
    assert tree(config.output) == before
    put(config.specs / "a.yaml", "bad")
    shutil.rmtree(config.output)
    report = build(config, FAKE)
    assert not report.stale
    assert not (config.output / "a.py").exists()


MARKS = b"<<<<<<< HEAD\n%b=======\n>>>>>>> other\n"


@pytest.mark.parametrize("with_cache", [True, False])
@pytest.mark.parametrize(
    ("output", "edit", "flaw"),
    [
        ("a.py", lambda old: old + b"# a remark\n", ""),
        ("contracts/a.json", lambda _old: b'{"edited": 1}\n', ""),
        ("a.py", lambda old: MARKS % old, "a.py was edited, and cannot be read any more"),
        ("a.py", lambda old: b"\n" + old, "a.py was edited, and cannot be read any more"),
        ("a.py", lambda _old: b"# Generated by toolcast\n", "a.py was edited, and does not define A any"),
        ("schemas/mcp/a.json", lambda old: MARKS % old, "schemas/mcp/a.json was edited, and cannot be read"),
        ("schemas/mcp/a.json", lambda _old: b"[" * 100_000, "schemas/mcp/a.json was edited, and cannot be"),
        ("a.py", lambda _old: b"# Generated by toolcast\n" + b"(" * 100_000, "a.py was edited"),
        ("a.py", None, "a.py is gone"),
    ],
)  # fmt: skip
def test_what_was_edited_is_neither_corrected_nor_trusted(
    config: Config, with_cache: bool, output: str, edit: Callable[[bytes], bytes] | None, flaw: str
) -> None:
    target = config.output / output
    if edit is None:
        target.unlink()
    else:
        target.write_bytes(edit(target.read_bytes()))
    before = tree(config.output)
    put(config.specs / "a.yaml", "bad")
    if not with_cache:
        forget(config)
    report = build(config, FAKE)
    assert stale(report)["a.yaml"].startswith(flaw)
    assert bool(stale(report)["a.yaml"]) == bool(flaw)
    after = tree(config.output)
    registered = b"# a\n" in after["registry.py"]
    assert registered == (not flaw)
    assert {path for path in before if before[path] != after.get(path)} <= {"registry.py"}
    assert _line(before, "a.yaml") == _line(after, "a.yaml")
    assert build(config, FAKE).plan.empty
    put(config.specs / "a.yaml", SPECS["a.yaml"])
    assert not build(config, FAKE).failed
    assert b"# a\n" in tree(config.output)["registry.py"]


def test_both_sides_of_a_merge_in_the_manifest(config: Config) -> None:
    manifest = config.output / "manifest.txt"
    text = manifest.read_text()
    lines = text.splitlines()
    line = lines[lines.index("a.yaml") + 1]
    other = f"  from {'0' * 16}"
    manifest.write_text(text.replace(line, f"<<<<<<< HEAD\n{line}\n=======\n{other}\n>>>>>>> topic"))
    put(config.specs / "a.yaml", "bad")
    forget(config)
    report = build(config, FAKE)
    assert stale(report) == {"a.yaml": ""}
    assert _line(tree(config.output), "a.yaml") == (
        UNKNOWN,
        ("a.py", "contracts/a.json", "ledger/a.json", *_schemas("a")),
    )


def test_what_compiles_goes_first(config: Config) -> None:
    put(config.specs / "c.yaml", "bad")
    put(config.specs / "g/b.yaml", "name: c")
    report = build(config, FAKE)
    assert failing(report) == ["c.yaml"]
    assert "contracts/c.json is an output of" in stale(report)["c.yaml"]
    assert (config.output / "c.py").exists()
    assert (config.output / "g/c.py").exists()
    assert _names(config) == ["a", "c"]
    forget(config)
    assert build(config, FAKE).plan.empty
    put(config.specs / "g/b.yaml", "")
    build(config, FAKE)
    assert _names(config) == ["a", "b"]


def test_another_generator_and_other_providers(config: Config) -> None:
    put(config.specs / "a.yaml", "bad")
    manifest = config.output / "manifest.txt"
    manifest.write_text(manifest.read_text().replace("toolcast ", "toolcast 0.0.", 1))
    put(config.base / "pyproject.toml", '[tool.toolcast]\nproviders = ["anthropic"]\n')
    forget(config)
    before = tree(config.output)
    report = build(config_of(config.base), FAKE)
    after = tree(config.output)
    assert stale(report) == {"a.yaml": ""}
    assert all(after[path] == before[path] for path in report.stale[0].outputs)
    assert "schemas/mcp/c.json" not in after
    assert "schemas/anthropic/a.json" not in after


def test_a_spec_that_cannot_be_looked_at_is_not_deleted(config: Config) -> None:
    spec = config.specs / "g/b.yaml"
    spec.unlink()
    spec.symlink_to("/etc/hostname")
    report = build(config, FRONTEND, mode="check")
    assert "g/b.yaml" in stale(report)
    assert not any(each.path == "g/b.py" for each in report.plan.deletes)


def test_a_manifest_of_a_stranger_leads_nowhere(config: Config) -> None:
    """What a checkout brings: lines about specs that are no specs, names that are no names."""
    put(config.base / "outside/x.py", "precious")
    manifest = config.output / "manifest.txt"
    lines = [
        "../outside/x.py\t-\t../outside/x.py",
        "_types\t-\tregistry.py",
        "a.yaml\t-\tregistry.py manifest.txt contracts/a%22.json ../outside/x.py /etc/passwd c.py",
        "g/b.yaml/../b.yaml\t-\tg/b.py",
    ]
    text = manifest.read_text()
    manifest.write_text(
        "\n".join([*(line for line in text.splitlines() if "a.yaml" not in line), *lines, ""])
    )
    put(config.specs / "a.yaml", "bad")
    forget(config)
    report = build(config, FAKE)
    assert not report.plan.blocked
    assert _names(config) == ["b", "c"]
    assert (config.base / "outside/x.py").read_text() == "precious"
    assert {"registry.py", "manifest.txt", "c.py"} <= tree(config.output).keys()


def test_entries_follow_from_the_manifest(tmp_path: Path) -> None:
    """What the cache would say, the manifest and the outputs say, too."""
    for part in ("_types", "data", "files", "shell"):
        shutil.copytree(ROOT / "specs" / part, tmp_path / "specs" / part)
    put(tmp_path / "pyproject.toml", '[tool.toolcast]\nproviders = ["mcp"]\n')
    config = config_of(tmp_path)
    entries = {entry.path: entry for entry in build(config, FRONTEND).entries}
    tree_ = Tree(config.output, Index(config.base, load=False))
    former = find_former({}, tree=tree_, cache=Cache(), exists=lambda _path: True)
    assert len(entries) > 8
    for path, entry in entries.items():
        found = former[path].unit.entry
        assert found is not None
        names = ("path", "name", "group", "module", "constant", "keyword", "params", "handler", "external")
        assert [getattr(found, name) for name in names] == [getattr(entry, name) for name in names]
        assert not former[path].flaw


def test_an_external_tool_stays_one(tmp_path: Path) -> None:
    """The module says so, where neither the spec nor the cache does."""
    tool = "description: Does it.\npermission: read\nsecrets: []\n"
    config = project(tmp_path, {"g/ask.yaml": f"{tool}external: true\n", "edit.yaml": tool})
    assert not build(config, FRONTEND).failed
    before = (config.output / "registry.py").read_bytes()
    assert b'external=("ask",)' in before
    for path in ("g/ask.yaml", "edit.yaml"):
        put(config.specs / path, "bad")
    forget(config)
    assert build(config, FRONTEND).failed
    assert (config.output / "registry.py").read_bytes() == before


TYPE = "type: object\nproperties: {a: {type: string}}\n"
TOOL = """\
description: Does it.
permission: read
secrets: []
parameters: {type: object, properties: {t: {$ref: _types/t.yaml}}}
"""


def test_a_deleted_type_stays_while_a_stale_module_imports_it(tmp_path: Path) -> None:
    config = project(tmp_path, {"x.yaml": TOOL, "y.yaml": TOOL, "_types/t.yaml": TYPE, "_types/u.yaml": TYPE})
    assert not build(config, FRONTEND).failed
    before = tree(config.output)
    for name in ("t", "u"):
        (config.specs / f"_types/{name}.yaml").unlink()
    for _ in range(2):
        report = build(config, FRONTEND)
        assert [(each.spec.rpartition("specs/")[2], each.deleted) for each in report.stale] == [
            ("_types/t.yaml", True),
            ("x.yaml", False),
            ("y.yaml", False),
        ]
        left = before.keys() - tree(config.output).keys()
        assert left == {"_types/u.py", "contracts/_types/u.json"}
        forget(config)
    (config.output / "_types/t.py").unlink()
    flaws = stale(build(config, FRONTEND))
    assert flaws == {
        "_types/t.yaml": "_types/t.py is gone",
        "x.yaml": "it imports _types/t.py, which is gone",
        "y.yaml": "it imports _types/t.py, which is gone",
    }
    for name in ("x", "y"):
        put(config.specs / f"{name}.yaml", TOOL.replace("$ref: _types/t.yaml", "type: string"))
    report = build(config, FRONTEND)
    assert not report.failed
    assert not (config.output / "contracts/_types").exists()


def test_the_package_still_works(tmp_path: Path) -> None:
    """The tool with the error can be registered and called as before."""
    config = project(tmp_path, {"x.yaml": TOOL, "y.yaml": TOOL, "_types/t.yaml": TYPE})
    build(config, FRONTEND)
    put(config.specs / "x.yaml", TOOL.replace("object", "objekt"))
    put(config.specs / "y.yaml", TOOL.replace("Does it", "Does more"))
    forget(config)
    assert build(config, FRONTEND).failed
    program = (
        "from generated.registry import BINDINGS\n"
        "print(BINDINGS['x'].decode(b'{\"t\": {\"a\": \"b\"}}'), BINDINGS['y'].description)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "XParams(t=T(a='b')) Does more.\n"


def _schemas(name: str) -> tuple[str, ...]:
    return f"schemas/mcp/{name}.json", f"schemas/openai/{name}.json"


def _line(files: dict[str, bytes], path: str) -> tuple[str, tuple[str, ...]]:
    manifest = parse_manifest(files["manifest.txt"])
    return manifest.units[path].source, manifest.units[path].outputs


def _names(config: Config) -> list[str]:
    text = (config.output / "registry.py").read_text()
    return sorted(line.removeprefix("# ") for line in text.splitlines()[1:])
