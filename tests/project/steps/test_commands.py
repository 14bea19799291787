"""The commands that engines run: what they read is what they name, and nothing else is touched."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.project.steps.helper import CONFIG, HEAD, SPECS, TOOLCAST, generated, put, run, toolcast, tree


@pytest.fixture
def base(tmp_path: Path) -> Path:
    put(tmp_path / "p", SPECS)
    return tmp_path / "p"


def compile_(base: Path, *words: str, ok: bool = True) -> str:
    return toolcast(base, "compile", *words, ok=ok)


def test_compile_and_assemble_leave_what_generate_leaves(base: Path, tmp_path: Path) -> None:
    (base / "shard.txt").write_text("specs/geo/go.yaml\nspecs/geo/stay.yaml\n", encoding="utf-8")
    compile_(base, "@shard.txt", "-o", "b/one")
    compile_(base, "specs/_types/place.yaml", "specs/top.yaml", "--out", "b/two")
    compile_(base, "specs/files/edit.yaml", "specs/files/read.yaml", "--out", "b/three")
    toolcast(base, "assemble", "b/one", "b/two/units.json", "b/three", "--out", "generated")
    assert tree(base / "generated") == generated(tmp_path / "g", SPECS)
    assert not (base / ".toolcast").exists()
    toolcast(base, "generate", "--check")


def test_a_disk_that_refuses_is_reported_with_the_remedy(base: Path) -> None:
    (base / "file").write_text("mine", encoding="utf-8")
    reported = compile_(base, "specs/top.yaml", "--out", "file/b", ok=False)
    assert "file/b" in reported
    assert "error[io-error]: cannot read or write: Not a directory" in reported
    assert "move what stands there elsewhere" in reported
    compile_(base, "specs/top.yaml", "--out", "b")
    (base / "b" / "files" / "top.py").unlink()
    reported = toolcast(base, "assemble", "b", "--out", "generated", ok=False)
    assert "b/files/top.py: error[damaged]: is gone, or not what the compile step wrote" in reported
    assert not (base / "generated").exists()


def test_a_spec_with_errors_is_reported_by_both_steps(base: Path) -> None:
    (base / "specs" / "bad.yaml").write_text("permission: read\n", encoding="utf-8")
    assert "specs/bad.yaml:1:1" in compile_(base, "specs/bad.yaml", "specs/top.yaml", "--out", "b", ok=False)
    reported = toolcast(base, "assemble", "b", "--out", "generated", "--stamp", "stamp", ok=False)
    assert "specs/bad.yaml:1:1" in reported
    assert (base / "generated" / "top.py").exists()
    assert not (base / "stamp").exists()


def test_assemble_keeps_the_former_output_of_a_spec_with_errors(base: Path) -> None:
    specs = [f"specs/{path}" for path in SPECS]
    compile_(base, *specs, "--out", "b")
    toolcast(base, "assemble", "b", "--out", "generated")
    before = tree(base / "generated")
    (base / "specs" / "files" / "edit.yaml").write_text("permission: read\n", encoding="utf-8")
    (base / "specs" / "_types" / "place.yaml").write_text("type: objekt\n", encoding="utf-8")
    compile_(base, *specs, "--out", "b", ok=False)
    reported = toolcast(base, "assemble", "b", "--out", "generated", "--stamp", "s", ok=False)
    assert "stale: files/edit.py (specs/files/edit.yaml has errors)\n" in reported
    assert "stale: geo/go.py (specs/geo/go.yaml has errors)\n" in reported
    assert tree(base / "generated") == before
    assert not (base / "s").exists()
    (base / "specs" / "files" / "edit.yaml").unlink()
    specs.remove("specs/files/edit.yaml")
    compile_(base, *specs, "--out", "b", ok=False)
    toolcast(base, "assemble", "b", "--out", "generated", ok=False)
    assert not (base / "generated" / "files" / "edit.py").exists()
    assert (base / "generated" / "geo" / "go.py").exists()


@pytest.mark.parametrize(
    ("words", "stated"),
    [
        (["specs/none.yaml", "--out", "b"], "no such file"),
        (["pyproject.toml", "--out", "b"], "not a spec"),
        (["@none.txt", "--out", "b"], "none.txt cannot be read"),
        (["specs/top.yaml", "--out", "specs"], "no compile step left it"),
    ],
)
def test_wrong_words_are_reported(base: Path, words: list[str], stated: str) -> None:
    assert stated in compile_(base, *words, ok=False)


def test_assemble_wants_folders_of_compile(base: Path) -> None:
    assert "cannot be read" in toolcast(base, "assemble", "none", "--out", "g", ok=False)
    compile_(base, "specs/top.yaml", "--out", "b")
    put(base, {}, CONFIG.replace("mcp", "gemini"))
    reported = toolcast(base, "assemble", "b", "--out", "g", ok=False)
    assert "another configuration" in reported
    assert not (base / "g").exists()


def test_several_folders_make_up_one(base: Path, tmp_path: Path) -> None:
    """Specs that another step wrote lie beside those that are checked in."""
    made = base / "made" / "specs" / "auto" / "send.yaml"
    made.parent.mkdir(parents=True)
    text = HEAD.format("Sends.") + "parameters:\n  $ref: '../_types/place.yaml'\n"
    made.write_text(text, encoding="utf-8")
    specs = [str(path.relative_to(base)) for path in sorted((base / "specs").rglob("*.yaml"))]
    roots = ("--root", "specs", "--root", "made/specs")
    compile_(base, *specs, "made/specs/auto/send.yaml", "--out", "b", *roots)
    toolcast(base, "assemble", "b", "--out", "generated")
    assert tree(base / "generated") == generated(tmp_path / "g", {**SPECS, "auto/send.yaml": text})


def dependencies(depfile: Path) -> tuple[str, set[str]]:
    rule = depfile.read_text(encoding="utf-8").replace("\\\n", " ").partition("\n")[0]
    target, _, names = rule.partition(":")
    return target, set(names.split())


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_what_compile_opens_is_what_the_depfile_names(base: Path, tmp_path: Path) -> None:
    templates = base / "own"
    templates.mkdir()
    source = Path(__file__).parent.parent.parent.parent / "templates" / "type.py.jinja"
    (templates / "type.py.jinja").write_text(
        source.read_text(encoding="utf-8") + "# Ours.\n", encoding="utf-8"
    )
    (base / "acme.toml").write_text('id = "acme"\nbase = "mcp"\n', encoding="utf-8")
    more = 'templates = "own"\nprofiles = ["acme.toml"]\n'
    put(base, {}, CONFIG.replace('"mcp"', '"acme"') + more)
    log = tmp_path / "log"
    words = ("compile", "specs/geo/go.yaml", "--out", "b/go", "--depfile", "b/go.d")
    what = "trace=open,openat,execve,connect"
    run(base, "strace", "-f", "-e", what, "-o", log, TOOLCAST, *words)
    calls = log.read_text(errors="replace")
    opened = re.findall(r'open(?:at)?\((?:AT_FDCWD, )?"([^"]+)", O_[^\n]*\) = \d', calls)
    paths = {Path(base, path) for path in opened}
    own = {path.relative_to(base).as_posix() for path in paths if path.is_relative_to(base)}
    target, inputs = dependencies(base / "b" / "go.d")
    assert target == "b/go/units.json"
    named = {path for path in inputs if not Path(path).is_absolute()}
    assert named == {
        "specs/geo/go.yaml",
        "specs/_types/place.yaml",
        "own",
        "own/type.py.jinja",
        "acme.toml",
        "pyproject.toml",
    }
    assert {path for path in own if not f"{path}/".startswith("b/")} == named  # which is written, not read
    assert ".toolcast/" not in calls
    assert "connect(" not in calls
    assert calls.count("execve(") == 1
    packages = Path(sys.prefix)
    sources = {Path(path) for path in inputs if Path(path).is_absolute()}
    assert any(path.name == "compiler.py" for path in sources)
    assert any(path.name == "METADATA" and packages in path.parents for path in sources)


def test_a_type_that_is_not_used_is_reported(base: Path) -> None:
    put(base, {"_types/lone.yaml": "type: string\n"})
    (base / "types").write_text("specs/_types/lone.yaml\nspecs/_types/place.yaml\n", encoding="utf-8")
    compile_(base, "specs/geo/go.yaml", "--out", "b", "--type=@types", "--unused", "unused")
    assert (base / "unused").read_text(encoding="utf-8") == "specs/_types/lone.yaml\n"


def test_a_type_that_is_not_used_is_not_read(base: Path) -> None:
    compile_(base, "specs/top.yaml", "--out", "b/top", "--depfile", "b/top.d")
    _, inputs = dependencies(base / "b" / "top.d")
    assert {path for path in inputs if path.startswith("specs/")} == {"specs/top.yaml"}
