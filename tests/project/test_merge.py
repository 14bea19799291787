"""Branches that touch different tools merge without a conflict into what a clean build makes."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from toolcast.project.core.compiled import Options
from toolcast.project.core.compiler import compile_package
from toolcast.project.core.tool_entry import entry_of
from toolcast.project.frontend import FRONTEND
from toolcast.project.generate import build
from toolcast.project.merge_outputs import NotMergedError, merge_file
from toolcast.project.output.manifest import NAME, Record, render_manifest
from toolcast.project.output.plan import Plan
from toolcast.python.structs.python_names import class_name
from toolcast.typescript.package import CODE, TYPES, index_file

from tests.project.fake import config_of, put, tree
from tests.project.repository import Repository

Change = Mapping[str, str | None]
GIT = pytest.mark.skipif(shutil.which("git") is None, reason="asks git")

# the files about all tools, without git

NAMES = st.from_regex(r"[a-c][a-c0-9_]{0,2}", fullmatch=True)
GROUPS = st.sampled_from(["", "g", "g/h", "k"])
TOOLS = st.dictionaries(NAMES, GROUPS, max_size=6)


def registry(tools: Mapping[str, str], providers: tuple[str, ...] = ("openai",)) -> bytes:
    """The tools of the group `k` are external."""
    entries = [
        replace(entry_of(f"{group}/{name}.yaml".lstrip("/"), name), external=group == "k")
        for name, group in tools.items()
    ]
    return compile_package(entries, (), Options(providers=providers))["registry.py"]


def code(tools: Mapping[str, str]) -> bytes:
    return index(CODE, tools)


def types(tools: Mapping[str, str]) -> bytes:
    return index(TYPES, tools)


def index(name: str, tools: Mapping[str, str]) -> bytes:
    """The tools of the group `k` have a typed result."""
    entries = [
        replace(
            entry_of(f"{group}/{tool}.yaml".lstrip("/"), tool),
            result=class_name(tool, "Result") if group == "k" else "",
        )
        for tool, group in tools.items()
    ]
    return index_file(name, entries)


def manifest(tools: Mapping[str, str]) -> bytes:
    def record(name: str, text: str) -> Record:
        digest = text.encode().hex().ljust(16, "0")[:16]
        return Record(source=digest, made=digest, by={"toolcast": f"1.{len(text)}"}, outputs=(f"{name}.py",))

    whole = Record(made="0" * 16, by={"toolcast": "1"}, outputs=("registry.py",))
    return render_manifest(
        {"*": whole, **{f"{name}.yaml": record(name, text) for name, text in tools.items()}}
    )


def edited(base: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    return {name: text for name, text in {**base, **changes}.items() if text is not None}


@given(TOOLS, st.dictionaries(NAMES, st.tuples(st.booleans(), st.none() | GROUPS), max_size=6), st.booleans())
@pytest.mark.parametrize(
    ("name", "written"), [("registry.py", registry), (NAME, manifest), (CODE, code), (TYPES, types)]
)
def test_sets_of_tools_merge(
    name: str,
    written: Callable[[Mapping[str, str]], bytes],
    base: dict[str, str],
    changes: dict[str, tuple[bool, str | None]],
    unrelated: bool,
) -> None:
    base = {} if unrelated else base
    ours, theirs = (
        {tool: text for tool, (own, text) in changes.items() if own is side} for side in (True, False)
    )
    start = b"" if unrelated else written(base)
    merged = merge_file(name, start, written(edited(base, ours)), written(edited(base, theirs)))
    assert merged == written(edited(edited(base, ours), theirs))


@settings(max_examples=40)
@given(TOOLS, TOOLS, TOOLS)
def test_a_merge_is_what_one_branch_made_or_none(
    base: dict[str, str], ours: dict[str, str], theirs: dict[str, str]
) -> None:
    expected = {}
    for tool in sorted({**base, **ours, **theirs}):
        one, other, before = ours.get(tool), theirs.get(tool), base.get(tool)
        if one != other and before not in (one, other):
            with pytest.raises(NotMergedError, match=f"both branches changed {tool}"):
                merge_file("registry.py", registry(base), registry(ours), registry(theirs))
            return
        expected[tool] = other if one == before else one
    merged = merge_file("registry.py", registry(base), registry(ours), registry(theirs))
    assert merged == registry(edited(expected, {}))


PROVIDERS = ("openai", "mcp")


def test_providers_are_merged_too() -> None:
    base, ours = registry({"a": ""}), registry({"a": ""}, PROVIDERS)
    merged = merge_file("registry.py", base, ours, registry({"a": "", "b": ""}))
    assert merged == registry({"a": "", "b": ""}, PROVIDERS)
    with pytest.raises(NotMergedError, match="both branches changed providers"):
        merge_file("registry.py", base, ours, registry({"a": ""}, ("gemini",)))


def test_names_that_become_one_in_python_are_no_merge() -> None:
    with pytest.raises(NotMergedError, match="clash"):
        merge_file("registry.py", registry({}), registry({"a-b": ""}), registry({"a_b": ""}))


SOUND = registry({"a": "", "b": "g"})
HOSTILE = [
    b"",
    b"import os; os.system('x')",
    SOUND.replace(b"BINDINGS", b"BINDING"),
    SOUND.replace(b'".a"', b"__import__('os').system('x')"),
    SOUND.replace(b"    a: ", b"    (a.b): "),
    SOUND + b"\nimport os\n",
    SOUND.replace(b"\n", b"\r\n"),
    b"<<<<<<< HEAD\n" + SOUND,
    b"x = " + b"(" * 100_000,
    b"x = " + b"-" * 100_000 + b"1",
    b"\x00\xff",
]


INDEX = types({"a": "", "b": "k"})


@pytest.mark.parametrize(
    "content", [*HOSTILE, INDEX.replace(b"BResult", b"AResult"), INDEX + b"import 'x';\n"]
)
@pytest.mark.parametrize("name", ["registry.py", NAME, CODE, TYPES])
def test_what_we_did_not_write_is_left_alone(name: str, content: bytes) -> None:
    mine = {
        "registry.py": SOUND, NAME: manifest({"a": "1"}), CODE: code({"a": ""}), TYPES: INDEX
    }[name]  # fmt: skip
    for versions in ((content, mine, mine), (mine, content, mine), (mine, mine, content)):
        if content == b"" and versions[0] == b"":
            continue
        with pytest.raises(NotMergedError):
            merge_file(name, *versions)


# git

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
def branches(draw: st.DrawFn) -> tuple[dict[str, str], Change, Change]:
    """Specs, and what two branches do to different ones of them."""
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


def planned(repository: Repository) -> Plan:
    report = build(config_of(repository.base), FRONTEND, mode="check", jobs=1)
    assert not report.failed, report.diagnostics
    return report.plan


def started(folder: str, specs: Mapping[str, str], *, driver: bool) -> Repository:
    made = Repository(Path(folder) / "r", FRONTEND)
    targets = 'targets = ["typescript"]\n' if driver else ""
    made.start(specs, attributes=driver, driver=driver, toml=targets)
    return made


def small(count: int) -> settings:
    return settings(
        max_examples=count,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


ADDED = (KEPT, {"g/m1.yaml": SPEC.format(text="m")}, {"g/m2.yaml": SPEC.format(text="m")})


def merges_into_what_a_build_makes(drawn: tuple[dict[str, str], Change, Change]) -> None:
    base, ours, theirs = drawn
    with TemporaryDirectory() as folder:
        repository = started(folder, base, driver=True)
        repository.commit("ours", ours)
        repository.commit("theirs", theirs)
        one, two = (repository.git("rev-parse", branch).strip() for branch in ("ours", "theirs"))
        repository.git("merge", "-q", "--no-edit", one)
        assert planned(repository).empty
        merged = repository.git("rev-parse", "HEAD:generated")
        repository.git(
            "checkout", "-q", "--detach", one
        )  # the other way round, and one commit upon the other
        repository.git("merge", "-q", "--no-edit", two)
        assert repository.git("rev-parse", "HEAD:generated") == merged
        repository.git("checkout", "-q", "--detach", one)
        repository.git("cherry-pick", "--allow-empty", two)
        assert repository.git("rev-parse", "HEAD:generated") == merged


ONE_CLASS = (KEPT, {"g/a_.yaml": SPEC.format(text="m")}, {"g/a.yaml": SPEC.format(text="m")})
"""Two tools whose parameters have one name of a type."""


@GIT
@small(1)
@example(ADDED)
@example(ONE_CLASS)
@given(branches())
def test_branches_that_touch_different_tools_merge(drawn: tuple[dict[str, str], Change, Change]) -> None:
    merges_into_what_a_build_makes(drawn)


@GIT
@pytest.mark.thorough
@small(40)
@given(branches())
def test_many_branches_that_touch_different_tools_merge(drawn: tuple[dict[str, str], Change, Change]) -> None:
    merges_into_what_a_build_makes(drawn)


def merges_by_lines_or_stops_there(drawn: tuple[dict[str, str], Change, Change]) -> None:
    """Without attributes and driver: git stops at the files about all tools, and nowhere else; a run
    settles that. If it does not stop, nothing is left to do."""
    base, ours, theirs = drawn
    with TemporaryDirectory() as folder:
        repository = started(folder, base, driver=False)
        repository.commit("ours", ours)
        repository.commit("theirs", theirs)
        repository.git("merge", "-q", "--no-edit", "ours", check=False)
        stopped = repository.conflicts()
        assert stopped <= {"generated/manifest.txt", "generated/registry.py"}
        if not any(
            text is None or path not in base for side in (ours, theirs) for path, text in side.items()
        ):
            assert not stopped  # edits alone never meet
        if stopped:
            repository.build()
            repository.save("settled")
        assert planned(repository).empty


@GIT
@small(2)
@example(
    (
        {**KEPT, **ADDED[1], **ADDED[2]},
        *({path: f"{SPEC.format(text='n')}" for path in side} for side in ADDED[1:]),
    )
)
@example(ADDED)
@given(branches())
def test_git_alone_stops_nowhere_else(drawn: tuple[dict[str, str], Change, Change]) -> None:
    merges_by_lines_or_stops_there(drawn)


@GIT
@pytest.mark.thorough
@small(40)
@given(branches())
def test_git_alone_stops_nowhere_else_in_many(drawn: tuple[dict[str, str], Change, Change]) -> None:
    merges_by_lines_or_stops_there(drawn)


@GIT
def test_many_branches_at_one_place_in_any_order(tmp_path: Path) -> None:
    repository = started(str(tmp_path), KEPT, driver=True)
    names = ("n1", "n0", "n3")
    for name in names:
        repository.commit(name, {f"new/{name}.yaml": SPEC.format(text=name)})
    found = set()
    for order in (names, tuple(reversed(names))):
        repository.git("checkout", "-q", "-B", "all", "main")
        for name in order:
            repository.git("merge", "-q", "--no-edit", name)
        found.add(repository.git("rev-parse", "HEAD:generated"))
    assert len(found) == 1
    repository.git("checkout", "-q", "-B", "rebased", "n3")
    repository.git("rebase", "-q", "n0")
    assert planned(repository).empty


@GIT
def test_both_sides_of_one_tool_are_a_conflict_that_is_told(tmp_path: Path) -> None:
    repository = started(str(tmp_path), {**KEPT, "g/a.yaml": SPEC.format(text="a")}, driver=True)
    repository.commit("one", {"g/a.yaml": SPEC.format(text="one")})
    repository.commit("two", {"g/a.yaml": SPEC.format(text="two"), "g/b.yaml": SPEC.format(text="b")})
    stated = repository.git("merge", "--no-edit", "one", check=False)
    assert (
        "toolcast: generated/manifest.txt is left to git's own merge: both branches changed g/a.yaml"
        in stated
    )
    assert "conflict in generated/manifest.txt: merge the specs, run `toolcast generate`" in stated
    assert "generated/registry.py" not in repository.conflicts()
    assert {"specs/g/a.yaml", "generated/g/a.py", "generated/manifest.txt"} <= repository.conflicts()
    put(repository.base / "specs/g/a.yaml", SPEC.format(text="both"))
    repository.build()
    repository.save("merged")
    assert planned(repository).empty
    assert b"<<<<<<<" not in b"".join(tree(repository.base / "generated").values())


@GIT
def test_a_group_that_one_branch_empties_and_the_other_fills(tmp_path: Path) -> None:
    """The one case in which git leaves something to do: the marker of a package is deleted on one side, and
    the other side has no reason to touch it. A run puts it back."""
    only = {"lone/a.yaml": SPEC.format(text="a")}
    repository = started(str(tmp_path), {**KEPT, **only}, driver=True)
    repository.commit("one", {"lone/a.yaml": None})
    different = "description: Quite another one.\npermission: execute\nsecrets: []\n"
    repository.commit("two", {"lone/b.yaml": different})
    repository.git("merge", "-q", "--no-edit", "one", check=False)
    assert [(each.path, each.kind) for each in planned(repository).writes] == [("lone/__init__.py", "new")]


@GIT
def test_a_driver_that_cannot_help_leaves_gits_own_merge(tmp_path: Path) -> None:
    """With a template of the project's own, for instance: there may be no conflict all the same."""
    (tmp_path / "w").mkdir()
    texts = {side: "".join(f"{line}\n" for line in range(9)) for side in ("base", "ours", "theirs")}
    texts["ours"], texts["theirs"] = f"one\n{texts['ours']}", f"{texts['theirs']}two\n"
    words = [sys.executable, "-m", "toolcast", "merge-driver", *texts, "generated/registry.py"]

    def run() -> tuple[int, str, str]:
        for side, text in texts.items():
            put(tmp_path / "w" / side, text)
        done = subprocess.run(words, cwd=tmp_path / "w", capture_output=True, text=True, check=False)
        return done.returncode, (tmp_path / "w/ours").read_text(), done.stderr

    status, merged, _ = run()
    assert (status, merged) == (0, f"one\n{texts['base']}two\n")
    texts["theirs"] = "three\n" + texts["theirs"]
    status, merged, stated = run()
    assert status == 1
    assert merged.startswith("<<<<<<< ours\none\n=======\nthree\n>>>>>>> theirs\n")
    assert "conflict in generated/registry.py" in stated
    assert re.search("git's own merge: a version of it", stated)
