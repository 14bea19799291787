"""Folders of specs: what is found, what is refused, and that one bad file hides no other."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from toolcast.spec.discovery import discover
from toolcast.spec.load import load_library, load_tool, load_type, name_position

from tests.spec.helper import PROVIDERS, places, write

TOOL = "description: x\npermission: read\nsecrets: []\n"


def test_discover(tmp_path: Path) -> None:
    names = ["b/x.yml", "b/_draft/y.yaml", ".hid/z.yaml", "a.json", "_types/t.yaml", "_types/geo/_u.json"]
    names += ["b/_types/v.yaml", "b/notes.md", "_one.yaml", ".#a.yaml", "b.yaml", "b/c/d/e.yaml", "b-c.yaml"]
    found = discover(write(tmp_path, dict.fromkeys(names, "")))
    assert found.tools == ("_one.yaml", "a.json", "b-c.yaml", "b.yaml", "b/c/d/e.yaml", "b/x.yml")
    assert found.types == ("_types/geo/_u.json", "_types/t.yaml")
    assert found.diagnostics == ()


def test_discover_refuses(tmp_path: Path) -> None:
    outside = write(tmp_path / "out", {"x.yaml": TOOL, "f/y.yaml": TOOL})
    root = write(
        tmp_path / "specs",
        {"a/in.yaml": TOOL, "a/same.json": "", "a/same.yaml": "", "b.YAML": "", "d.yaml/x": ""},
    )
    (root / "leaves.yaml").symlink_to(outside / "x.yaml")
    (root / "nowhere.yaml").symlink_to("none")
    (root / "stays.yaml").symlink_to("a/in.yaml")
    (root / "folder").symlink_to(outside / "f")
    (root / "loop").symlink_to(root)
    (root / "self").symlink_to("self")
    found = discover(root, shown_root="my/specs")
    assert found.tools == ("a/in.yaml", "a/same.json", "stays.yaml")
    assert [(each.file, each.code) for each in found.diagnostics] == [
        ("my/specs/a/same.yaml", "same-stem"),
        ("my/specs/b.YAML", "file-name"),
        ("my/specs/d.yaml", "file-name"),
        ("my/specs/folder", "link"),
        ("my/specs/leaves.yaml", "link"),
        ("my/specs/loop", "link"),
        ("my/specs/nowhere.yaml", "link"),
    ]


def test_files_that_are_not_read_are_named(tmp_path: Path) -> None:
    names = ("a.yaml", "b/x.jsonc", "b/y.yaml.txt", "c.TOML", ".d.toml", "_e/f.toml", "README.md", "z.py")
    found = discover(write(tmp_path, dict.fromkeys(names, "")))
    told = [(each.file, each.code, each.severity) for each in found.diagnostics]
    assert told == [
        (f"specs/{name}", "not-read", "warning") for name in ("b/x.jsonc", "b/y.yaml.txt", "c.TOML")
    ]


def test_a_folder_without_specs_is_a_warning(tmp_path: Path) -> None:
    found = discover(write(tmp_path, {"_drafts/a.yaml": "", "b/README.md": ""}))
    [problem] = found.diagnostics
    assert (problem.file, problem.code, problem.severity) == ("specs", "no-tools", "warning")
    assert "`_drafts` is passed over" in problem.message
    assert "set `specs`" in problem.hint
    assert discover(write(tmp_path, {"_types/a.yaml": ""})).diagnostics == ()


def test_a_linked_types_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "out", {"t.yaml": "{}"})
    root = write(tmp_path / "specs", {"a.yaml": TOOL})
    (root / "_types").symlink_to(tmp_path / "out")
    found = discover(root)
    assert (found.types, [each.code for each in found.diagnostics]) == ((), ["link"])


def test_names_that_are_no_text(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"\xff.yaml")).write_text(TOOL)
    except OSError:
        pytest.skip("this file system allows only UTF-8 names")
    found = discover(tmp_path)
    assert (found.tools, [each.code for each in found.diagnostics]) == ((), ["file-name"])
    assert found.diagnostics[0].file.isprintable()


def test_deep_folders(tmp_path: Path) -> None:
    found = discover(write(tmp_path, {"a/" * 40 + "x.yaml": TOOL}))
    assert (found.tools, [each.code for each in found.diagnostics]) == ((), ["too-deep"])


def test_no_folder(tmp_path: Path) -> None:
    found = discover(tmp_path / "none", shown_root="specs")
    assert [(each.file, each.code) for each in found.diagnostics] == [("specs", "no-specs")]


def test_load_tool(tmp_path: Path) -> None:
    write(tmp_path, {"a/x.yaml": TOOL, "a/y.json": '{"description": "x",\n "permission": "raed"}'})
    spec, found = load_tool(tmp_path, "a/x.yaml", shown_root="specs", known_providers=PROVIDERS)
    assert found == ()
    assert spec is not None
    assert (spec.path, spec.document.file) == ("a/x.yaml", "specs/a/x.yaml")
    spec, found = load_tool(tmp_path, "a/y.json", shown_root="specs/", known_providers=PROVIDERS)
    assert spec is None
    assert places(found) == [("missing-key", 1, 1), ("bad-permission", 2, 16)]
    assert {each.file for each in found} == {"specs/a/y.json"}
    spec, found = load_tool(tmp_path, "none.yaml", shown_root="", known_providers=PROVIDERS)
    assert (spec, [(each.file, each.code) for each in found]) == (None, [("none.yaml", "cannot-read")])


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        ("_types/address.yaml", "type: object", None),
        ("_types/geo-data/v1.point.json", "{}", None),
        ("_types/a.yaml", "[]", "wrong-type"),
        ("_types/a.yaml", "a: [", "syntax"),
        ("_types/class.yaml", "{}", "bad-name"),
        ("_types/1/a.yaml", "{}", "bad-name"),
        ("_types/a b.yaml", "{}", "bad-name"),
    ],
)
def test_load_type(tmp_path: Path, path: str, text: str, code: str | None) -> None:
    document, found = load_type(write(tmp_path, {path: text}), path, shown_root="specs")
    assert (document is None) == (code is not None)
    assert [(each.file, each.code) for each in found] == ([(f"specs/{path}", code)] if code else [])
    assert document is None or document.file == f"specs/{path}"


def test_library(tmp_path: Path) -> None:
    """One run reports everything, and keeps what is good."""
    files = {
        "a/good.yaml": TOOL,
        "a/json.json": '{"description": "x", "permission": "read", "secrets": []}',
        "a/syntax.yaml": "a: [",
        "b/twin.yaml": TOOL + "name: good\n",
        "c/wrong.yaml": TOOL + "name: taken\nextra: 1\n",
        "d/taken.yaml": TOOL,
        "class/x.yaml": TOOL,
        "_types/t.yaml": "type: string",
        "_types/u.yaml": "1",
        "_types/t-.yaml": "{}",
        "_types/t_.json": "{}",
        "e/f.yaml": TOOL,
        "e/f.yml": TOOL,
    }
    library = load_library(write(tmp_path, files), shown_root="specs", known_providers=PROVIDERS)
    assert [tool.path for tool in library.tools] == ["a/json.json", "e/f.yaml"]
    assert list(library.types) == ["_types/t-.yaml", "_types/t.yaml"]
    assert [(d.file, d.line, d.column, d.code) for d in library.diagnostics] == [
        ("specs/_types/t_.json", 0, 0, "module-clash"),
        ("specs/_types/u.yaml", 1, 1, "wrong-type"),
        ("specs/a/good.yaml", 1, 1, "duplicate-name"),
        ("specs/a/syntax.yaml", 1, 5, "syntax"),
        ("specs/b/twin.yaml", 4, 7, "duplicate-name"),
        ("specs/c/wrong.yaml", 4, 7, "duplicate-name"),
        ("specs/c/wrong.yaml", 5, 1, "unknown-key"),
        ("specs/class/x.yaml", 1, 1, "bad-group"),
        ("specs/d/taken.yaml", 1, 1, "duplicate-name"),
        ("specs/e/f.yml", 0, 0, "same-stem"),
    ]
    assert name_position(tmp_path, "b/twin.yaml") == (4, 7)
    assert name_position(tmp_path, "a/syntax.yaml") == (0, 0)


def test_json_specs_never_load_yaml(tmp_path: Path) -> None:
    root = write(tmp_path, {"a.json": '{"description": "x", "permission": "read", "secrets": []}'})
    program = (
        "import sys, pathlib, toolcast.spec.load as s\n"
        f"lib = s.load_library(pathlib.Path({str(root)!r}), shown_root='', known_providers=frozenset())\n"
        "assert len(lib.tools) == 1, lib.diagnostics\n"
        "lib.tools[0].document.locate(('name',))\n"
        "assert not {'yaml', 'difflib'} & set(sys.modules)\n"
    )
    source = Path(__file__).parents[2] / "codegen"
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "PYTHONPATH": str(source)})
