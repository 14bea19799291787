"""The shared cache with the real compiler, and with what chance makes of projects and servers."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from toolcast.project.artifacts.remote import Remote, Timeouts, read_address
from toolcast.project.artifacts.store import BadEntryError, StoreError
from toolcast.project.frontend import FRONTEND
from toolcast.project.generate import build

from tests.project.fake import FAKE, config_of, put, tree
from tests.project.test_incremental import STEPS, Life

ROOT = Path(__file__).parents[3]


def test_real_tools_come_back_as_they_were(tmp_path: Path) -> None:
    """Every byte, the order of the ledger's providers too."""
    for name, cache in (("clean", ""), ("one", "cache = '../shared'\n"), ("two", "cache = '../shared'\n")):
        for group in ("_types", "agents", "data", "files"):
            if (ROOT / "specs" / group).is_dir():
                shutil.copytree(ROOT / "specs" / group, tmp_path / name / "specs" / group)
        put(tmp_path / name / "pyproject.toml", f"[tool.toolcast]\n{cache}")
    for name in ("clean", "one"):
        assert not build(config_of(tmp_path / name), FRONTEND).failed
    idle = structs.replace(FRONTEND, compile_tool=None, compile_type=None, load_tool=None)
    report = build(config_of(tmp_path / "two"), idle)
    assert report.rebuilt == 0
    assert report.fetched == report.tools > 3
    assert tree(tmp_path / "two/generated") == tree(tmp_path / "clean/generated")
    assert tree(tmp_path / "one/generated") == tree(tmp_path / "clean/generated")


class Shared(Life):
    """A life with a cache that others write to as well; the twin is built without."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self.shared, self.fetched = folder / "shared", 0

    def elsewhere(self) -> None:
        """Somebody else compiles the same project, and goes away."""
        other = self.base.with_name("other")
        shutil.copytree(self.base, other, ignore=shutil.ignore_patterns("generated", ".toolcast"))
        self.run(other)
        shutil.rmtree(other)

    def damage_cache(self) -> None:
        entries = sorted(path for path in self.shared.rglob("*") if path.is_file())
        if entries:
            path = self.random.choice(entries)
            content = path.read_bytes()
            path.write_bytes(self.random.choice([b"", content[:-1], content[::-1], content + b"x"]))

    def lose_shared(self) -> None:
        shutil.rmtree(self.shared, ignore_errors=True)

    def run(self, base: Path) -> None:
        os.environ["TOOLCAST_CACHE"] = str(self.shared)
        try:
            report = build(config_of(base), FAKE)
        finally:
            del os.environ["TOOLCAST_CACHE"]
        self.fetched += report.fetched
        for problem in report.diagnostics:
            if problem.code == "kept-file":  # hand-written by now, so a person must remove it
                Path(os.path.relpath(problem.file)).unlink()

    def check(self) -> None:
        self.run(self.base)
        super().check()


@pytest.mark.parametrize("seed", range(3))
def test_any_life_with_a_cache_ends_in_a_clean_build(tmp_path: Path, seed: int) -> None:
    life = Shared(tmp_path, seed)
    steps = [
        *STEPS,
        Shared.elsewhere,
        Shared.elsewhere,
        Shared.damage_cache,
        Shared.lose_shared,
        Life.lose_cache,
    ]
    for _ in range(10):
        for _ in range(life.random.randrange(1, 5)):
            life.random.choice(steps)(life)  # type: ignore[operator]
        life.check()
    assert life.fetched


def test_a_run_without_a_cache_loads_nothing_of_it(tmp_path: Path) -> None:
    put(tmp_path / "pyproject.toml", "[tool.toolcast]\n")
    put(tmp_path / "specs/a.yaml", "")
    code = (
        "import sys, pathlib, tests.project.fake as f; from toolcast.project.generate import build\n"
        "assert not build(f.config_of(pathlib.Path.cwd()), f.FAKE).failed\n"
        "print([name for name in sys.modules if 'artifacts' in name or name in ('http.client', 'ssl')])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "codegen")])}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "[]\n", done.stderr


@contextlib.contextmanager
def saying(answers: list[bytes]) -> Iterator[str]:
    """A server that reads a little, says what it is told to, and hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for answer in answers:
            with contextlib.suppress(OSError):
                connection, _ = listener.accept()
                with connection:
                    connection.settimeout(1)
                    connection.recv(65536)
                    connection.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()
        thread.join(2)


HEADS = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 404 Not Found\r\n",
        b"HTTP/9.9 999 \xff\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"",
    ]
)


@given(HEADS, st.binary(max_size=60), st.booleans())
def test_no_answer_makes_anything_but_an_answer_or_a_reported_failure(
    head: bytes, rest: bytes, put: bool
) -> None:
    with saying([head + rest]) as url:
        session = Remote(read_address(url), Timeouts(1, 1)).session()
        with contextlib.closing(session), contextlib.suppress(StoreError, BadEntryError):
            if put:
                session.put("ac", "a" * 64, b"data")
            else:
                got = session.get("ac", "a" * 64, 50)
                assert got is None or len(got) <= 50
