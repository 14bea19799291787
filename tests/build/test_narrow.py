"""A plan of what was made now, against the plan by a look at everything."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolcast.build import generate as generate_module
from toolcast.build.generate import build
from toolcast.build.narrow import narrow_plan
from toolcast.build.output.manifest import amend_manifest, render_manifest
from toolcast.build.output.plan import Plan
from toolcast.build.state.presumed import presume
from toolcast.build.state.unchanged import unchanged

from .fake import FAKE, config_of, project, put, tree

SPECS = {"a.yaml": "1", "g/b.yaml": "uses: _types/t.yaml", "c.yaml": "loss: pattern", "_types/t.yaml": "t"}
NAMES = st.sampled_from(sorted(SPECS))
EDITS = st.one_of(
    st.tuples(
        st.just("spec"),
        NAMES,
        st.sampled_from(["1", "2", "loss: pattern", "uses: _types/t.yaml", "bad", "odd", "name: other"]),
    ),
    st.tuples(st.just("new"), st.sampled_from(["d.yaml", "g/e.yaml"]), st.sampled_from(["1", "2"])),
    st.tuples(st.just("gone"), NAMES, st.just("")),
    st.tuples(
        st.sampled_from(["edited", "deleted"]),
        st.sampled_from(
            ["a.py", "contracts/a.json", "schemas/mcp/c.json", "manifest.txt", "registry.py", "ledger.json"]
        ),
        st.just(""),
    ),
    st.tuples(st.just("journal"), st.just(""), st.just("")),
)


def edit(base: Path, kind: str, path: str, text: str) -> None:
    match kind:
        case "spec" | "new":
            put(base / "specs" / path, text)
        case "gone":
            (base / "specs" / path).unlink(missing_ok=True)
        case "edited" if (base / "generated" / path).exists():
            put(base / "generated" / path, "edited by hand")
        case "deleted":
            (base / "generated" / path).unlink(missing_ok=True)
        case "edited":
            """Nothing is there to be edited."""
        case _:
            put(next((base / ".toolcast").glob("journal-*"), base / ".toolcast/journal-0"), "torn")


class Twice:
    """Stands in for `narrow_plan`: keeps what that says, and lets the run look at everything."""

    def __init__(self) -> None:
        self.narrow: Plan | None = None

    def __call__(self, *arguments: Any) -> None:
        self.narrow = narrow_plan(*arguments)


@settings(max_examples=60)
@given(st.lists(st.lists(EDITS, max_size=2), max_size=4))
def test_it_is_the_plan_by_a_look_at_everything(turns: list[list[tuple[str, str, str]]]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        base = Path(folder)
        project(base, SPECS)
        build(config_of(base), FAKE)
        for edits in turns:
            for each in edits:
                edit(base, *each)
            twice = Twice()
            patch.setattr(generate_module, "narrow_plan", twice)
            report = build(config_of(base), FAKE)
            if twice.narrow is not None:
                assert twice.narrow == report.plan


@pytest.mark.parametrize("path", sorted(SPECS))
def test_a_changed_spec_is_planned_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """So the property above is about something."""
    project(tmp_path, SPECS)
    build(config_of(tmp_path), FAKE)
    put(tmp_path / "specs" / path, SPECS[path] + "\nmore")
    twice = Twice()
    monkeypatch.setattr(generate_module, "narrow_plan", twice)
    plan = build(config_of(tmp_path), FAKE).plan
    assert plan.writes
    assert twice.narrow == plan


def test_a_manifest_that_was_edited_is_no_ground_for_the_next(tmp_path: Path) -> None:
    """Its lines would be kept as they are, and remembered as right."""
    project(tmp_path, SPECS)
    build(config_of(tmp_path), FAKE)
    manifest = tmp_path / "generated/manifest.txt"
    content = manifest.read_bytes()
    manifest.write_bytes(content.replace(b"\n", b"\r\n"))
    build(config_of(tmp_path), FAKE, looked=presume(str(tmp_path)))
    build(config_of(tmp_path), FAKE)
    assert manifest.read_bytes() == content


def test_an_output_that_a_manifest_disowns_is_not_taken_to_stand(tmp_path: Path) -> None:
    """A run that looks at inputs only sees then that it was edited, and must not remember it as right."""
    project(tmp_path, SPECS)
    build(config_of(tmp_path), FAKE)
    output, manifest = tmp_path / "generated/registry.py", tmp_path / "generated/manifest.txt"
    before = tree(tmp_path / "generated")
    output.write_bytes(b"")
    lines = manifest.read_bytes().splitlines(keepends=True)
    manifest.write_bytes(b"".join(line for line in lines if b"registry.py" not in line))
    build(config_of(tmp_path), FAKE, looked=presume(str(tmp_path)))
    assert unchanged(str(tmp_path)) is None
    report = build(config_of(tmp_path), FAKE)
    if report.plan.blocked:  # an empty file bears no mark
        output.unlink()
        build(config_of(tmp_path), FAKE)
    assert tree(tmp_path / "generated") == before


UNITS = st.dictionaries(
    st.text("ab%é \t./-", min_size=1),
    st.tuples(st.text("0f", min_size=1), st.lists(st.text("xy%é /."), max_size=3).map(tuple)),
)


@given(UNITS, st.data())
def test_an_amended_manifest_is_the_one_that_would_be_rendered(
    units: dict[str, tuple[str, tuple[str, ...]]], data: st.DataObject
) -> None:
    versions, package = {"toolcast": "1", "black": "2"}, ("registry.py",)
    content = render_manifest(versions, units, package)
    chosen = data.draw(st.sets(st.sampled_from(sorted(units)))) if units else set[str]()
    others = {unit: ("new", (*units[unit][1], "another")) for unit in chosen}
    assert amend_manifest(content, others) == render_manifest(versions, {**units, **others}, package)
    assert amend_manifest(content, {**others, "z": ("new", ())}) is None
