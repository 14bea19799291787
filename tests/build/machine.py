"""Laws L7 and L9 over random edits: whatever happened, `generate` leaves what a clean build would leave.

`make machine` runs it for long (`endless.py`); `test_machine.py` for a few seconds.
"""

import errno
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from toolwright.build import fingerprint
from toolwright.build.frontend import Frontend
from toolwright.build.generate import Report, build
from toolwright.build.manifest import parse_manifest
from toolwright.build.tree import TEMPORARY
from toolwright.build.unchanged import unchanged

from tests.build.fake import FAKE, config_of, put, tree
from tests.build.seams import At, Killed, Refusing, die, die_really, run_in_fork, seams

STEMS = [f"{group}{name}" for group in ("", "a/", "b/c/") for name in ("x", "y", "z")]
TYPES = ["_types/t", "_types/u"]
FOREIGN = [
    "notes.txt",
    "x.py",
    "a/y.py",
    "contracts/y.json",
    "schemas/openai/z.json",
    "a/mine.json",
    "b/empty/own.py",
    os.fsdecode(b"schemas/caf\xe9.json"),
    os.fsdecode(b"caf\xe9.py"),
]
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # a disk would take the time
OUTPUTS = ["generated", "out/gen"]
PROVIDERS = ['["openai"]', '["openai", "mcp"]', '"all"']
FAULTS = [errno.ENOSPC, errno.EACCES, errno.EIO, errno.EROFS]

_clean: dict[object, tuple[dict[str, bytes], frozenset[str]]] = {}  # a clean build depends on nothing else
held = 0  # for people: how many builds were held to a clean one


class Machine(RuleBasedStateMachine):
    """A project, what is in it that is not ours, and whether something was lost that only a person knows."""

    frontend: ClassVar[Frontend] = FAKE
    really: ClassVar[float] = 0.2
    """The share of kills that end a real process."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="toolwright-", dir=MEMORY))
        self.base, self.outside = self.folder / "one", self.folder / "outside"
        self.output, self.providers = OUTPUTS[0], PROVIDERS[1]
        self.foreign: dict[Path, bytes] = {}
        self.obstacles: set[Path] = set()
        self.lost: set[str] = set()  # output folders where who wrote what can no longer be known
        self.unfinished: set[str] = set()  # output folders that a killed run left so
        self.saved: Path | None = None
        self.here = Path.cwd()
        put(self.outside / "x.py", "precious")
        put(self.outside / "deep/y.json", "precious")
        self.generator = self.folder / "generator"
        put(self.generator / "g.py", "1")
        self.real_generator = fingerprint.PACKAGE
        if self.frontend is FAKE:  # which a short one stands for
            fingerprint.PACKAGE = self.generator
        self.base.mkdir()
        os.chdir(self.base)

    def teardown(self) -> None:
        os.chdir(self.here)
        fingerprint.PACKAGE = self.real_generator
        shutil.rmtree(self.folder)

    # what the front end reads

    def text(self, stem: str, version: int, uses: list[str], flaw: str) -> str:
        lines = [f"name: {stem.replace('/', '_')}" if flaw != "clash" else "name: same", f"v{version}"]
        lines += [f"uses: {name}.yaml" for name in uses]
        lines += [f"loss: {version}"] if version % 2 else []
        lines += ["odd"] if flaw == "odd" else []
        return "\n".join([*(["bad"] if flaw == "bad" else []), *lines, ""])

    @property
    def out(self) -> Path:
        return self.base / self.output

    @property
    def disowned(self) -> bool:
        """True if a person may have to help."""
        return self.output in self.lost

    def disown(self, *, everywhere: bool = False) -> None:
        self.lost |= set(OUTPUTS) if everywhere else {self.output}

    def specs(self) -> list[Path]:
        return sorted((self.base / "specs").rglob("*.yaml"))

    def outputs(self) -> list[Path]:
        """Files that we wrote, but for the manifest."""
        own = {self.out / path for path in self.listed()}
        return sorted(path for path in own - set(self.foreign) if self.is_file(path))

    def is_file(self, path: Path) -> bool:
        """True for a file that no link leads to."""
        parts = [path, *list(path.parents)[: len(path.parts) - len(self.base.parts) - 1]]
        return path.is_file() and not any(part.is_symlink() for part in parts)

    def listed(self) -> frozenset[str]:
        manifest = self.out / "manifest.txt"
        return parse_manifest(manifest.read_bytes()).files if self.is_file(manifest) else frozenset()

    def one(self, paths: list[Path], number: int) -> Path | None:
        return paths[number % len(paths)] if paths else None

    # edits of specs

    @initialize(number=st.integers(0, 5))
    def start(self, number: int) -> None:
        self.configure(OUTPUTS[0], PROVIDERS[1])
        put(self.base / "specs/_types/t.yaml", self.text("_types/t", 0, [], ""))
        for stem in STEMS[:number]:
            put(self.base / f"specs/{stem}.yaml", self.text(stem, 0, ["_types/t"], ""))

    @rule(
        stem=st.sampled_from(STEMS + TYPES),
        version=st.integers(0, 3),
        uses=st.lists(st.sampled_from(TYPES), unique=True),
        flaw=st.sampled_from(["", "", "", "", "bad", "clash", "odd"]),
        ending=st.sampled_from(["\n", "\n", "\r\n", "\r"]),
    )
    def write_spec(self, stem: str, version: int, uses: list[str], flaw: str, ending: str) -> None:
        text = self.text(stem, version, uses if stem in STEMS else [], flaw)
        put(self.base / f"specs/{stem}.yaml", text.replace("\n", ending))

    @rule(number=st.integers(0, 20))
    def delete_spec(self, number: int) -> None:
        if path := self.one(self.specs(), number):
            path.unlink()

    @rule(number=st.integers(0, 20), stem=st.sampled_from(STEMS))
    def rename_spec(self, number: int, stem: str) -> None:
        path = self.one(self.specs(), number)
        if path is not None and "_types" not in path.parts:
            target = self.base / f"specs/{stem}.yaml"
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)

    @rule(number=st.integers(0, 20))
    def touch_spec(self, number: int) -> None:
        if path := self.one(self.specs(), number):
            os.utime(path)

    # edits of outputs

    @rule(number=st.integers(0, 200), how=st.sampled_from(["empty", "edit", "quiet", "crlf", "half"]))
    def damage(self, number: int, how: str) -> None:
        path = self.one(self.outputs(), number)
        if path is None:
            return
        state, content = path.stat(), path.read_bytes()
        changed = {
            "empty": b"",
            "edit": b"edited by hand",
            "quiet": content[:-2] + b"?\n",
            "crlf": content.replace(b"\n", b"\r\n"),
            "half": content[: len(content) // 2],
        }[how]
        path.write_bytes(changed)
        if how == "quiet":
            os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        if self.output in self.unfinished:
            self.disown()  # only its bytes told that an unfinished run had written it

    @rule(number=st.integers(0, 200))
    def lose(self, number: int) -> None:
        if path := self.one(self.outputs(), number):
            path.unlink()

    @rule(folder=st.sampled_from(["a", "schemas", "contracts", "schemas/mcp", "."]))
    def lose_folder(self, folder: str) -> None:
        place = self.out / folder
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
            self.forget_below(place)
            if folder == ".":
                self.disown()

    @rule(number=st.integers(0, 200))
    def bytecode(self, number: int) -> None:
        path = self.one([path for path in self.outputs() if path.suffix == ".py"], number)
        if path is not None:
            put(path.parent / f"__pycache__/{path.stem}.cpython-311.pyc", "x")

    @rule(how=st.sampled_from(["crlf", "conflict", "line", "tail", "half", "garbage", "lose"]))
    def edit_manifest(self, how: str) -> None:
        path = self.out / "manifest.txt"
        if not self.is_file(path) or path in self.foreign:
            return
        content = path.read_bytes()
        lines = content.split(b"\n")
        middle = len(lines) // 2
        conflict = [
            b"<<<<<<< HEAD",
            *lines[:1],
            b"=======",
            b"# Generated by toolwright 9.9.",
            b">>>>>>> other",
        ]
        if how == "lose":
            path.unlink()
        else:
            edited = {
                "crlf": content.replace(b"\n", b"\r\n"),
                "conflict": b"\n".join([*conflict, *lines[1:]]),
                "line": b"\n".join(lines[:middle] + lines[middle + 1 :]),
                "tail": content + b"evil\t-\t../outside/x.py ../../outside/deep/y.json /etc/passwd\n",
                "half": content[: len(content) // 2],
                "garbage": b"garbage",
            }[how]
            path.write_bytes(edited)
        if how not in ("crlf", "conflict", "tail"):
            self.disown()

    # what is not ours

    @rule(path=st.sampled_from(FOREIGN))
    def put_foreign(self, path: str) -> None:
        target = self.out / path
        if path in self.listed() or os.path.lexists(target) or not self.way_is_free(target):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        self.foreign[target] = b"not yours\n"
        target.write_bytes(b"not yours\n")

    @rule(
        number=st.integers(0, 200), how=st.sampled_from(["link", "dangling", "loop", "folder", "folder link"])
    )
    def obstruct(self, number: int, how: str) -> None:
        path = self.one(self.outputs(), number)
        if path is None or (how == "folder link" and path.parent == self.out):
            return
        if how == "folder link":
            path = path.parent
            shutil.rmtree(path)
            self.forget_below(path)
            path.symlink_to(self.outside)
        else:
            path.unlink()
            if how == "folder":
                put(path / "keep.txt", "mine")
            else:
                path.symlink_to(
                    {"link": self.outside / "x.py", "dangling": "nowhere", "loop": path.name}[how]
                )
        self.obstacles.add(path)

    def way_is_free(self, target: Path) -> bool:
        return all(
            part.is_dir() and not part.is_symlink()
            for part in target.parents
            if self.base in part.parents and os.path.lexists(part)
        )

    def forget_below(self, folder: Path) -> None:
        self.foreign = {path: data for path, data in self.foreign.items() if folder not in path.parents}
        self.obstacles = {path for path in self.obstacles if folder not in path.parents and path != folder}

    # what the machine remembers

    @rule(what=st.sampled_from(["all", "cache", "index", "journal", "halves", "lock"]))
    def lose_state(self, what: str) -> None:
        state = self.base / ".toolwright"
        if what == "all":
            shutil.rmtree(state, ignore_errors=True)
        elif what == "halves":
            for path in state.glob("*"):
                if path.is_file():
                    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        else:
            for path in state.glob(f"{what}*"):
                path.unlink()
        if what in ("all", "halves", "journal"):
            self.lost |= self.unfinished

    @rule()
    def save(self) -> None:
        """As a version control system or a build server would."""
        self.saved = self.folder / "saved"
        shutil.rmtree(self.saved, ignore_errors=True)
        shutil.copytree(self.base, self.saved, symlinks=True)

    @rule(what=st.sampled_from(["specs", "generated", ".toolwright"]))
    def restore(self, what: str) -> None:
        if self.saved is None or not (self.saved / what).is_dir() or (self.base / what).is_symlink():
            return
        target = self.base / what
        shutil.rmtree(target, ignore_errors=True)
        if what == "generated":
            self.forget_below(target)
        shutil.copytree(self.saved / what, target, symlinks=True)
        if what == "generated":
            self.adopt(target)
        if what != "specs":
            self.disown(everywhere=True)

    def adopt(self, folder: Path) -> None:
        """After a restore: what the manifest does not list is somebody's own."""
        manifest = folder / "manifest.txt"
        listed = parse_manifest(manifest.read_bytes()).files if self.is_file(manifest) else frozenset()
        for path in folder.rglob("*"):
            if path.is_symlink() or path.name == "keep.txt":
                self.obstacles.add(path.parent if path.name == "keep.txt" else path)
            elif path.relative_to(folder).as_posix() not in listed and _is_foreign(path):
                self.foreign[path] = b"not yours\n"

    @rule(output=st.sampled_from(OUTPUTS), providers=st.sampled_from(PROVIDERS))
    def configure(self, output: str, providers: str) -> None:
        self.output, self.providers = output, providers
        put(
            self.base / "pyproject.toml", f'[tool.toolwright]\noutput = "{output}"\nproviders = {providers}\n'
        )

    @rule(version=st.integers(1, 3))
    def upgrade(self, version: int) -> None:
        put(self.generator / "g.py", str(version))

    # runs

    @rule(step=st.integers(0, 120), really=st.floats(0, 1))
    def kill(self, step: int, really: float) -> None:
        """End a run at any step; L9."""
        (self.base / "specs").mkdir(exist_ok=True)
        before, (expected, _) = tree(self.out), self.clean()
        config = config_of(self.base)
        if really < self.really and hasattr(os, "fork"):

            def work() -> None:
                with seams(At(step, die_really)):
                    build(config, self.frontend)

            ended = run_in_fork(work)
            assert ended in (0, 9), ended
            killed = ended == 9
        else:
            killed = False
            try:
                with seams(At(step, die)):
                    build(config, self.frontend)
            except Killed:
                killed = True
        if killed:
            self.unfinished.add(self.output)
        self.hold_whole(before, expected)

    @rule(step=st.integers(0, 120), fault=st.sampled_from(FAULTS))
    def refuse(self, step: int, fault: int) -> None:
        """Let the disk refuse any one step: told, and nothing torn."""
        (self.base / "specs").mkdir(exist_ok=True)
        before, (expected, _) = tree(self.out), self.clean()
        at = Refusing(step, fault)
        with seams(at):
            report = build(config_of(self.base), self.frontend)
        if at.count > step:
            self.unfinished.add(self.output)
        self.hold_whole(before, expected)
        if not any(each.code in ("io-error", "not-remembered") for each in report.diagnostics):
            self.hold_if_well(report)

    def hold_if_well(self, report: Report) -> None:
        if not report.failed and not self.disowned:
            self.help(report)
            self.hold_clean()

    @rule(preview=st.sampled_from(["", "", "diff", "check"]), jobs=st.sampled_from([None, 1]))
    def generate(self, preview: Any, jobs: int | None) -> None:
        self.generate_now(preview, jobs)

    def generate_now(self, preview: Any, jobs: int | None) -> None:
        (self.base / "specs").mkdir(exist_ok=True)
        if unchanged(str(self.base)) is not None:  # nothing would even be looked at
            self.tidy()
            self.hold_clean()
            return
        for _ in range(4):
            before = tree(self.out)
            told = build(config_of(self.base), self.frontend, mode=preview, jobs=jobs) if preview else None
            assert tree(self.out) == before
            report = build(config_of(self.base), self.frontend, jobs=jobs)
            if preview == "diff":
                assert told is not None
                assert told.plan == report.plan
            if report.plan.blocked:
                assert tree(self.out) == before
                if self.frontend is FAKE and preview == "check":
                    assert told is not None
                    assert told.plan.blocked
            elif not self.disowned:
                break
            if not self.help(report):
                break
        assert not report.plan.blocked, report.plan.diagnostics
        self.lost.discard(self.output)
        self.unfinished.discard(self.output)
        self.help(report)
        self.hold_clean()
        assert not list(self.out.rglob(TEMPORARY))
        check = build(config_of(self.base), self.frontend, mode="check", jobs=jobs)
        assert check.plan.empty
        assert not check.plan.blocked

    @rule(jobs=st.sampled_from([None, 1]))
    def generate_plainly(self, jobs: int | None) -> None:
        """Of many kinds of edits each would else be followed by few runs."""
        self.generate_now("", jobs)

    @rule(preview=st.sampled_from(["diff", "check"]))
    def generate_as_told(self, preview: Any) -> None:
        self.generate_now(preview, 1)

    def help(self, report: Report) -> bool:
        """Do by hand what the run asked for; True if there was something. It asks only where it must."""
        did = False
        for problem in report.diagnostics:
            place = self.base / problem.file
            if problem.code in ("foreign-file", "kept-file", "stray-output", "link-in-the-way", "not-a-file"):
                known = place in self.foreign or place in self.obstacles
                edited = problem.code == "kept-file"
                assert known or edited or self.disowned, problem
                if place.is_dir() and not place.is_symlink():
                    shutil.rmtree(place)
                elif os.path.lexists(place):
                    place.unlink()
                self.foreign.pop(place, None)
                self.obstacles.discard(place)
                did = True
        return did or (not report.plan.blocked and self.tidy())

    def tidy(self) -> bool:
        """Remove by hand what nobody could know to be ours; True if there was something."""
        left = self.extra(self.clean()[0]) if self.disowned else []
        for path in left:
            path.unlink()
        return bool(left)

    def extra(self, expected: Mapping[str, bytes]) -> list[Path]:
        """Files in the output folder that neither a clean build nor somebody else put there."""
        aside = [path for path in self.obstacles if path.is_dir()]
        return [
            path
            for path in sorted(self.out.rglob("*"))
            if self.is_file(path)
            and path.relative_to(self.out).as_posix() not in expected
            and path not in self.foreign
            and "__pycache__" not in path.parts
            and not any(place in path.parents for place in aside)
        ]

    # laws

    def clean(self) -> tuple[dict[str, bytes], frozenset[str]]:
        """What a clean build of the same specs leaves, and the codes of what it tells."""
        specs = {path.relative_to(self.base).as_posix(): path.read_bytes() for path in self.specs()}
        key = (self.frontend is FAKE, self.providers, *sorted(specs.items()))
        if key not in _clean:
            twin = self.folder / "twin"
            shutil.rmtree(twin, ignore_errors=True)
            (twin / "specs").mkdir(parents=True)
            put(twin / "pyproject.toml", f"[tool.toolwright]\nproviders = {self.providers}\n")
            for path, content in specs.items():
                put(twin / path, "")
                (twin / path).write_bytes(content)
            report = build(config_of(twin), self.frontend, jobs=1)
            codes = frozenset(problem.code for problem in report.diagnostics)
            _clean[key] = (tree(twin / "generated"), codes)
        return _clean[key]

    def hold_clean(self) -> None:
        """L7, and nothing foreign was touched."""
        global held
        held += 1
        self.hold_foreign()
        expected, _ = self.clean()
        found = {path: data for path, data in tree(self.out).items() if path in expected}
        assert found == expected
        assert self.extra(expected) == []

    def hold_whole(self, before: Mapping[str, bytes], expected: Mapping[str, bytes]) -> None:
        """L9: every file is as it was, or as a clean build has it."""
        self.hold_foreign()
        for path, content in tree(self.out).items():
            if not path.endswith(TEMPORARY):
                assert content in (before.get(path), expected.get(path)), path

    def hold_foreign(self) -> None:
        for path, content in self.foreign.items():
            assert path.read_bytes() == content, path
        assert tree(self.outside) == {"x.py": b"precious", "deep/y.json": b"precious"}


def _is_foreign(path: Path) -> bool:
    return path.is_file() and path.read_bytes() == b"not yours\n"


def run(machine: type[Machine], *, examples: int, length: int) -> None:
    """Run a machine; raises what a law raises, after shrinking."""
    own = settings(
        max_examples=examples,
        stateful_step_count=length,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=own)  # type: ignore[no-untyped-call]
