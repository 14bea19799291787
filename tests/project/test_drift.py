"""One cause for each thing that somebody did, however many outputs it concerns."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from toolcast.cli.main import run
from toolcast.config import Config
from toolcast.project import worker as frontend
from toolcast.project.generate import build
from toolcast.project.output.drift import drift_diagnostic
from toolcast.project.worker import FRONTEND

from tests.project.fake import FAKE, config_of, project, put, tree
from tests.sampled import sampled

SPECS = {
    "a.yaml": "uses: _types/t.yaml",
    "b.yaml": "uses: _types/t.yaml\nuses: _types/u.yaml",
    "g/c.yaml": "",
    "_types/t.yaml": "",
    "_types/u.yaml": "",
}


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.chdir(tmp_path)
    config = project(tmp_path, SPECS)
    assert not build(config, FAKE).failed
    return config


def causes(config: Config) -> list[tuple[str, str, int]]:
    """Code, place, and number of outputs of each cause; every file of the plan is in one of them."""
    report = build(config, FAKE, mode="check")
    touched = {write.path for write in report.plan.writes} | {each.path for each in report.plan.deletes}
    listed = [path for cause in report.causes for path in cause.files]
    assert len(listed) == len(set(listed))
    assert touched - {"manifest.txt"} == set(listed) - {"manifest.txt"}
    assert bool(report.causes) == (not report.plan.empty)
    found = [(cause, drift_diagnostic(cause, config, "toolcast generate")) for cause in report.causes]
    return [(each.code, f"{each.file}:{each.line}", len(cause.files)) for cause, each in found]


def retyped(config: Config) -> None:
    put(config.specs / "_types/t.yaml", "2")


def renamed(config: Config) -> None:
    put(config.specs / "aa.yaml", SPECS["a.yaml"] + "\nname: a")
    (config.specs / "a.yaml").unlink()


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda _: None, []),
        (
            lambda c: put(c.specs / "a.yaml", SPECS["a.yaml"] + "\nv2\nloss: pattern"),
            [("spec", "a.yaml:1", 5)],
        ),
        (lambda c: put(c.specs / "g/new.yaml", ""), [("spec", "g/new.yaml:1", 5)]),
        (lambda c: put(c.specs / "a.yaml", SPECS["a.yaml"] + "\nname: z"), [("spec", "a.yaml:1", 9)]),
        (lambda c: (c.specs / "g/c.yaml").unlink(), [("deleted", "g/c.yaml:0", 6)]),
        (renamed, [("spec", "aa.yaml:1", 4)]),
        (retyped, [("type", "_types/t.yaml:1", 10)]),
        (
            lambda c: (retyped(c), put(c.specs / "_types/u.yaml", "2")),
            [("type", "_types/t.yaml:1", 10), ("type", "_types/u.yaml:1", 2)],
        ),
    ],
    ids=["none", "edited", "new", "renamed tool", "deleted", "renamed", "type", "two types"],
)
def test_a_cause_is_at_its_spec(
    config: Config, edit: Callable[[Config], object], expected: list[tuple[str, str, int]]
) -> None:
    edit(config)
    assert causes(config) == [
        (f"drift-{reason}", f"specs/{place}", count) for reason, place, count in expected
    ]


def test_outputs_that_were_edited_or_deleted_by_hand(config: Config) -> None:
    for name in ("a.py", "registry.py"):
        (config.output / name).write_text((config.output / name).read_text() + "# mine\n")
    (config.output / "schemas/mcp/b.json").unlink()
    assert causes(config) == [
        ("drift-edited", "generated/a.py:1", 1),
        ("drift-edited", "generated/schemas/mcp/b.json:1", 1),
        ("drift-edited", "generated/registry.py:1", 1),
    ]


def test_line_endings_are_one_cause(config: Config) -> None:
    count = 0
    for path in config.output.rglob("*.*"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        count += 1
    assert causes(config) == [("drift-endings", "generated/manifest.txt:1", count)]


def test_the_configuration(config: Config) -> None:
    put(
        config.base / "pyproject.toml",
        '[build-system]\n\n[tool.toolcast]\nproviders = ["openai", "gemini"]\n',
    )
    config = config_of(config.base)
    assert causes(config) == [("drift-configuration", "pyproject.toml:3", 6)]
    (cause,) = build(config, FAKE, mode="check").causes
    assert (cause.added, cause.removed) == (("gemini",), ("mcp",))
    message = drift_diagnostic(cause, config, "x").message
    assert "provider gemini was added, provider mcp was removed" in message


def test_several_at_once(config: Config) -> None:
    put(config.specs / "a.yaml", "v3")
    (config.specs / "g/c.yaml").unlink()
    (config.output / "b.py").unlink()
    put(config.specs / "new.yaml", "bad")
    assert [code for code, _, _ in causes(config)] == ["drift-spec", "drift-edited", "drift-deleted"]


def test_a_lost_or_edited_manifest(config: Config) -> None:
    manifest = config.output / "manifest.txt"
    text = manifest.read_text()
    manifest.write_text(text + "# mine\n")
    assert causes(config) == [("drift-manifest", "generated/manifest.txt:1", 1)]
    shutil.rmtree(config.output)
    assert {code for code, _, _ in causes(config)} <= {"drift-spec", "drift-type"}


def test_former_output_that_is_lost(config: Config) -> None:
    put(config.specs / "a.yaml", "bad")
    (config.output / "a.py").unlink()
    assert causes(config) == [("drift-lost", "specs/a.yaml:1", 1)]


TOOL = """\
description: Does {}.
permission: read
secrets: []
parameters: {{type: object, properties: {{x: {{type: string}}}}}}
"""


@pytest.mark.parametrize("count", sampled([12, 200], [12]))
def test_many_tools_one_error_one_edit(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a platform team sees of it: two annotations, at the two specs."""
    monkeypatch.chdir(tmp_path)
    specs = {f"g{n % 7}/t{n}.yaml": TOOL.format(n) for n in range(count)}
    project(tmp_path, specs)
    put(tmp_path / "pyproject.toml", '[tool.toolcast]\nproviders = ["mcp"]\n')
    config = config_of(tmp_path)
    assert not build(config, FRONTEND).failed
    shutil.rmtree(config.state)
    put(config.specs / "g3/t3.yaml", TOOL.format(3).replace("read", "reed"))
    put(config.specs / "g4/t4.yaml", TOOL.format("4 and more"))
    assert run(["generate", "--check", "--format", "github"]) == 1
    first, second = sorted(line for line in capsys.readouterr().out.splitlines() if line.startswith("::"))
    assert "file=specs/g3/t3.yaml,line=2,col=13," in first
    assert "file=specs/g4/t4.yaml,line=1,title=drift-spec::2 outputs are not what this spec says" in second
    assert run(["generate"]) == 1
    written = capsys.readouterr()
    assert "3 files written, 0 deleted" in written.out
    assert "stale: g3/t3.py (specs/g3/t3.yaml has errors)\n" in written.err


@pytest.mark.parametrize("path", ["a.yaml", "_types/t.yaml"])
def test_an_edit_of_comments_and_form_alone_is_no_drift(tmp_path: Path, path: str) -> None:
    user = TOOL.format("it").replace("{type: string}", "{$ref: _types/t.yaml}")
    config = project(tmp_path, {"a.yaml": user, "b.yaml": TOOL.format(2), "_types/t.yaml": "type: object\n"})
    assert not build(config, FRONTEND).failed
    before = tree(config.output)
    text = (config.specs / path).read_text()
    put(config.specs / path, f"# A comment.\n\n{text.replace(': ', ':   ', 1)}# The end.\n")
    report = build(config, FRONTEND, mode="check")
    assert report.plan.empty
    assert report.causes == ()
    assert not build(config, FRONTEND).failed
    assert tree(config.output) == before
    put(config.specs / "b.yaml", f"secrets: []\n{TOOL.format(2).replace('secrets: []', '')}")
    (cause,) = build(config, FRONTEND, mode="check").causes  # the order of keys is no comment
    assert (cause.reason, cause.unit, cause.files) == ("spec", "b.yaml", {"manifest.txt": "changed"})
    put(config.specs / path, text + "title: T\n" if path != "a.yaml" else text.replace("Does", "Did"))
    assert len(build(config, FRONTEND, mode="check").causes) == 2


def test_as_json(config: Config, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(frontend, "FRONTEND", FAKE)
    put(config.specs / "a.yaml", SPECS["a.yaml"] + "\nv2")
    put(config.specs / "g/c.yaml", "bad")
    assert run(["generate", "--check", "--format", "json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert [each["code"] for each in answer["diagnostics"]] == ["bad", "drift-spec"]
    assert [each["spec"] for each in answer["stale"]] == ["specs/g/c.yaml"]
    (cause,) = answer["drift"]
    assert (cause["reason"], cause["file"], cause["specs"]) == ("spec", "specs/a.yaml", ["a.yaml"])
    assert {"path": "generated/a.py", "kind": "changed"} in cause["files"]


@pytest.mark.parametrize("text", ["a: [", "type: objekt\n", "properties: 3\n"])
def test_an_error_in_a_shared_type_is_reported_there_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    user = TOOL.format("it").replace("{type: string}", "{$ref: _types/t.yaml}")
    specs = {f"t{n}.yaml": user for n in range(3)}
    config = project(
        tmp_path, {**specs, "_types/t.yaml": "type: object\n", "_types/u.yaml": "type: object\n"}
    )
    build(config, FRONTEND)
    put(config.specs / "_types/t.yaml", text)
    assert run(["generate", "--check", "--format", "github"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert "file=specs/_types/t.yaml,line=1" in line or "file=specs/_types/t.yaml,line=2" in line
    put(config.specs / "_types/u.yaml", "$ref: t.yaml\n")
    assert run(["generate", "--check", "--format", "github"]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 1
