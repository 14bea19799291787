"""Branches that touch different tools merge without a conflict, and `generate` puts the lists in order."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toolcast.cli.main import run
from toolcast.project.generate import build
from toolcast.project.worker import FRONTEND

from tests.project.fake import config_of, put, tree
from tests.project.repository import Repository

Change = Mapping[str, str | None]
Drawn = tuple[dict[str, str], Change, Change]
"""Specs, and what two branches do to different ones of them."""
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="asks git")

LISTS = {"generated/manifest.txt", "generated/registry.py"} | {
    f"generated/typescript/index.{suffix}" for suffix in ("js", "d.ts")
}
SPEC = """description: Does {text}.
permission: read
secrets: []
parameters:
  type: object
  properties:
    x: {{type: string, default: "{text}", pattern: "^{text}"}}
"""
KEPT = {f"{folder}keep.yaml": SPEC.format(text="it") for folder in ("",)} | {
    f"{group}/keep_{group}.yaml": SPEC.format(text="it") for group in ("g", "k")
}
SHARED = "type: object\nproperties:\n  {text}: {{type: string}}\n"
USING = "description: Uses it.\npermission: read\nsecrets: []\nparameters: {{$ref: ../_types/{name}.yaml}}\n"


def paths(name: str) -> str:
    """Where a tool's spec is: neighbours lie together, and some in groups that are new."""
    return f"{'gkn'[sum(map(ord, name)) % 3]}/{name}.yaml"


@st.composite
def branches(draw: st.DrawFn) -> Drawn:
    names = draw(
        st.lists(st.from_regex(r"[ab][a-c0-9_]{0,2}", fullmatch=True), min_size=2, max_size=7, unique=True)
    )
    base: dict[str, str] = {**KEPT}
    sides: tuple[dict[str, str | None], dict[str, str | None]] = ({}, {})
    for name in names:
        kind = draw(st.sampled_from(["add", "edit", "remove", "leave", "add type"]))
        side = sides[draw(st.booleans())]
        text = SPEC.format(text=name)
        if kind in ("edit", "remove", "leave"):
            base[paths(name)] = text
        if kind in ("add", "edit"):
            side[paths(name)] = text + f"# {name}\nsummary: In short, {name}.\n"
        if kind == "remove":
            side[paths(name)] = None
        if kind == "add type":
            side[f"_types/{name}.yaml"] = SHARED.format(text=name)
            side[paths(name)] = USING.format(name=name)
    # A group that one branch empties and the other fills is a case of its own, below.
    base["n/keep_n.yaml"] = SPEC.format(text="it")
    return base, *sides


def started(folder: str, specs: Mapping[str, str], *, attributes: bool = True) -> Repository:
    made = Repository(Path(folder) / "r", FRONTEND)
    made.start(specs, attributes=attributes, toml='targets = ["typescript"]\n')
    return made


def differing(repository: Repository) -> set[str]:
    report = build(config_of(repository.base), FRONTEND, mode="check", jobs=1)
    assert not report.failed, report.diagnostics
    plan = report.plan
    return {f"generated/{each.path}" for each in (*plan.writes, *plan.deletes)}


def clean_build(repository: Repository, folder: str) -> dict[str, bytes]:
    other = Path(folder) / "clean"
    shutil.copytree(repository.base, other, ignore=shutil.ignore_patterns(".git", ".toolcast", "generated"))
    assert not build(config_of(other), FRONTEND, jobs=1).failed
    return tree(other / "generated")


Way = tuple[str, str, str]
WAYS: tuple[Way, ...] = (
    ("ours", "theirs", "merge"),
    ("theirs", "ours", "merge"),
    ("ours", "theirs", "cherry-pick"),
)


def merges_into_what_a_build_makes(drawn: Drawn, ways: Sequence[Way]) -> None:
    """A branch and what is merged into it, or picked, in a fresh clone."""
    base, ours, theirs = drawn
    with TemporaryDirectory() as folder:
        origin = started(folder, base)
        origin.commit("ours", ours)
        origin.commit("theirs", theirs)
        expected: dict[str, bytes] = {}
        for number, (one, two, command) in enumerate(ways):
            clone = Repository(Path(folder) / f"c{number}", FRONTEND)
            origin.git("clone", "-q", "--branch", one, str(origin.base), str(clone.base))
            option = "--no-edit" if command == "merge" else "--allow-empty"
            clone.git(command, option, f"origin/{two}")
            assert differing(clone) <= LISTS
            clone.build()
            assert differing(clone) == set()
            expected = expected or clean_build(clone, folder)
            assert tree(clone.base / "generated") == expected


ADDED = (KEPT, {"g/m1.yaml": SPEC.format(text="m")}, {"g/m2.yaml": SPEC.format(text="m")})
ONE_CLASS = (KEPT, {"g/a_.yaml": SPEC.format(text="m")}, {"g/a.yaml": SPEC.format(text="m")})
"""Two tools whose parameters have one name of a type."""
REPLACED = (
    {**KEPT, "g/m1.yaml": SPEC.format(text="m")},
    {"g/m1.yaml": None},
    {"g/m2.yaml": SPEC.format(text="m")},
)
"""One branch removes a tool beside the one that the other adds."""


@pytest.mark.parametrize(("drawn", "way"), [(ADDED, WAYS[0]), (ONE_CLASS, WAYS[1]), (REPLACED, WAYS[2])])
def test_branches_that_touch_different_tools_merge(drawn: Drawn, way: Way) -> None:
    merges_into_what_a_build_makes(drawn, [way])


@pytest.mark.thorough
@settings(max_examples=40)
@example(ADDED)
@example(ONE_CLASS)
@example(REPLACED)
@given(branches())
def test_many_branches_that_touch_different_tools_merge(drawn: Drawn) -> None:
    merges_into_what_a_build_makes(drawn, WAYS)


@pytest.mark.parametrize("drawn", [ADDED, REPLACED])
def test_check_says_in_one_sentence_that_the_lists_are_made_anew(
    drawn: Drawn,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    repository = started(str(tmp_path), drawn[0])
    repository.commit("one", drawn[1])
    repository.commit("two", drawn[2])
    repository.git("merge", "-q", "--no-edit", "one")
    wrong = differing(repository)
    assert {"generated/registry.py"} <= wrong <= LISTS
    monkeypatch.chdir(repository.base)
    shutil.rmtree(".toolcast")
    assert run(["generate", "--check"]) == 1
    head, *files, last = capsys.readouterr().out.splitlines()
    shown = f"{len(wrong)} outputs are out of order: git merged the lines of two branches"
    assert head == f"{min(wrong)}:1: {shown}"
    assert {line.removeprefix("  changed  ") for line in files} == wrong
    assert last == (
        f"toolcast: generated is out of date: {len(wrong)} changed, 0 missing, 0 orphaned (1 cause); "
        "to repair it, run: toolcast generate"
    )
    assert run(["generate"]) == 0
    assert run(["generate", "--check"]) == 0
    assert tree(repository.base / "generated") == clean_build(repository, str(tmp_path))


def test_git_without_attributes_stops_nowhere_else(tmp_path: Path) -> None:
    """A run settles that, too."""
    repository = started(str(tmp_path), ADDED[0], attributes=False)
    repository.commit("ours", ADDED[1])
    repository.commit("theirs", ADDED[2])
    repository.git("merge", "-q", "--no-edit", "ours", check=False)
    assert repository.conflicts() == LISTS
    repository.build()
    repository.save("settled")
    assert differing(repository) == set()


def test_many_branches_at_one_place_in_any_order(tmp_path: Path) -> None:
    """Lists that nobody put in order between two merges or picks."""
    repository = started(str(tmp_path), KEPT)
    names = ("n1", "n0", "n3")
    for name in names:
        repository.commit(name, {f"new/{name}.yaml": SPEC.format(text=name)})
    found = set()
    for order in (names, tuple(reversed(names))):
        repository.git("checkout", "-q", "-B", "all", "main")
        for name in order:
            repository.git("merge", "-q", "--no-edit", name)
        repository.build()
        repository.save("generated")
        found.add(repository.git("rev-parse", "HEAD:generated"))
    assert len(found) == 1
    repository.git("checkout", "-q", "-B", "rebased", "n3")
    repository.git("rebase", "-q", "n0")
    repository.build()
    assert differing(repository) == set()


def test_both_sides_of_one_tool_are_a_conflict_in_its_own_files(tmp_path: Path) -> None:
    repository = started(str(tmp_path), {**KEPT, "g/a.yaml": SPEC.format(text="a")})
    repository.commit("one", {"g/a.yaml": SPEC.format(text="one")})
    repository.commit("two", {"g/a.yaml": SPEC.format(text="two"), "g/b.yaml": SPEC.format(text="b")})
    repository.git("merge", "--no-edit", "one", check=False)
    assert {"specs/g/a.yaml", "generated/g/a.py"} <= repository.conflicts()
    assert not repository.conflicts() & LISTS
    put(repository.base / "specs/g/a.yaml", SPEC.format(text="both"))
    repository.build()
    repository.save("merged")
    assert differing(repository) == set()
    assert b"<<<<<<<" not in b"".join(tree(repository.base / "generated").values())


def test_a_group_that_one_branch_empties_and_the_other_fills(tmp_path: Path) -> None:
    """The marker of a package is deleted on one side, and the other side has no reason to touch it. A run
    puts it back."""
    only = {"lone/a.yaml": SPEC.format(text="a")}
    repository = started(str(tmp_path), {**KEPT, **only})
    repository.commit("one", {"lone/a.yaml": None})
    different = "description: Quite another one.\npermission: execute\nsecrets: []\n"
    repository.commit("two", {"lone/b.yaml": different})
    repository.git("merge", "-q", "--no-edit", "one", check=False)
    assert differing(repository) - LISTS == {"generated/lone/__init__.py"}
    repository.build()
    assert differing(repository) == set()
