"""A project under random edits: what is known of it, and the laws that it is held to."""

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from hypothesis.stateful import RuleBasedStateMachine
from toolcast.project.generate import Report, build
from toolcast.project.output.manifest import parse_manifest
from toolcast.project.output.output_tree import TEMPORARY
from toolcast.project.state import fingerprint
from toolcast.project.worker import Frontend

from tests.project.fake import FAKE, config_of, put, tree
from tests.project.law import hold_lines, lawful

OUTPUTS = ["generated", "out/gen"]
PROVIDERS = ['["openai"]', '["openai", "mcp"]', '["anthropic", "gemini", "mcp"]']
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # a disk would take the time

_clean: dict[object, tuple[dict[str, bytes], frozenset[str]]] = {}  # a clean build depends on nothing else
held = 0  # for people: how many builds were held to a clean one


class Subject(RuleBasedStateMachine):
    """A project, what is in it that is not ours, and whether something was lost that only a person knows."""

    frontend: ClassVar[Frontend] = FAKE
    really: ClassVar[float] = 0.2
    """The share of kills that end a real process."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="toolcast-", dir=MEMORY))
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
        lines += ["external"] if version == 2 else []
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
        parts = [path, *list(path.parents)[: len(path.parts) - len(self.base.parts) - 1]]
        return path.is_file() and not any(part.is_symlink() for part in parts)

    def listed(self) -> frozenset[str]:
        manifest = self.out / "manifest.txt"
        return parse_manifest(manifest.read_bytes()).files if self.is_file(manifest) else frozenset()

    def one(self, paths: list[Path], number: int) -> Path | None:
        return paths[number % len(paths)] if paths else None

    def help(self, report: Report, expected: Mapping[str, bytes]) -> bool:
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
        return did or (not report.plan.blocked and self.tidy(expected))

    def tidy(self, expected: Mapping[str, bytes]) -> bool:
        """Remove by hand what nobody could know to be ours; True if there was something."""
        left = self.extra(expected) if self.disowned else []
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
            put(twin / "pyproject.toml", f"[tool.toolcast]\nproviders = {self.providers}\n")
            for path, content in specs.items():
                put(twin / path, "")
                (twin / path).write_bytes(content)
            report = build(config_of(twin), self.frontend, jobs=1)
            codes = frozenset(problem.code for problem in report.diagnostics)
            _clean[key] = (tree(twin / "generated"), codes)
        return _clean[key]

    def lawful(self, before: Mapping[str, bytes], report: Report) -> dict[str, bytes]:
        """What L7 says of a run that found `before`; see `law`."""
        expected = lawful(
            before,
            self.clean()[0],
            report.stale,
            specs=[path.relative_to(self.base / "specs").as_posix() for path in self.specs()],
            frontend=self.frontend,
            providers=json.loads(self.providers),
            trusted=not self.disowned,
        )
        return {"manifest.txt": b"", **expected}  # `hold_lines` holds it, where something is stale

    def hold_lawful(self, before: Mapping[str, bytes], report: Report) -> None:
        """L7, and nothing foreign was touched."""
        global held
        held += 1
        self.hold_foreign()
        expected, after = self.lawful(before, report), self.files()
        if report.stale:
            hold_lines(before, self.clean()[0], after, report.stale, trusted=not self.disowned)
            expected["manifest.txt"] = after["manifest.txt"]
        assert {path: data for path, data in after.items() if path in expected} == expected
        assert self.extra(expected) == []

    def files(self) -> dict[str, bytes]:
        found = tree(self.out)
        return {path: data for path, data in found.items() if self.is_file(self.out / path)}

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
