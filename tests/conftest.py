"""Fixtures shared by every test."""

import faulthandler
import gc
import hashlib
import logging
import os
import secrets
import signal
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from hypothesis import HealthCheck, settings
from toolcast.project.state import fingerprint
from toolcast.project.state.index import Index

HERE = Path(__file__).resolve().parent
ASKING = ("agents", "bridges", "clients", "http", "mcp", "security")
"""Folders of tests that make HTTP clients, and download nothing."""

# In CI a change fails for its own reasons: property tests run the same examples every time, and `seed` is the
# same. Elsewhere they are fewer, and new in each run, and what they find becomes a test case. `make nightly`
# runs many times as many.
# Neither the time that an example takes nor how many a strategy rejects is a matter of a test.
settings.register_profile(
    "default", max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)
settings.register_profile("ci", settings.get_profile("default"), max_examples=15, derandomize=True)
settings.register_profile("nightly", settings.get_profile("default"), max_examples=400)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(scope="session", autouse=True)
def _compiler_digested_once() -> Iterator[None]:
    """Read the compiler's own files once in a process: no test edits them, and each build digests them."""
    package, contents = fingerprint.PACKAGE, fingerprint._contents
    read = fingerprint.Sources(Index("", load=False), {})
    found: list[tuple[str, str]] = []

    def kept(folder: Path, suffixes: tuple[str, ...], sources: fingerprint.Sources) -> list[tuple[str, str]]:
        if folder is not package or package.is_relative_to(sources.index.base):
            return contents(folder, suffixes, sources)
        found[:] = found or contents(folder, suffixes, read)
        sources.digests.update(read.digests)
        for key, row in read.index._inputs.items():
            path = os.fsdecode(key)
            if path in read.digests:
                sources.index._inputs[key] = row
            else:  # a folder, which bytecode changes
                sources.index.input_unchanged(path)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprint, "_contents", kept)
        yield


@pytest.fixture(autouse=True)
def _log_levels_restored() -> Iterator[None]:
    """Undo what a command sets that a test runs in this process: others read the log."""
    loggers = [logging.getLogger(name) for name in ("", "toolcast", "mcp")]
    levels = [logger.level for logger in loggers]
    yield
    for logger, level in zip(loggers, levels, strict=True):
        if logger.level != level:
            logger.setLevel(level)


@pytest.fixture(scope="session", autouse=True)
def _interruptible() -> None:
    """Heed SIGINT, which shells ignore for what they start in the background: tests' programs inherit it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module", autouse=True)
def _endless_named(pytestconfig: pytest.Config) -> Iterator[None]:
    """Show the stack of a module that does not end. To watch each test would cost more than most tests do."""
    faulthandler.dump_traceback_later(600, file=pytestconfig.stash[fault_handler_stderr_fd_key])
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="session")
def _certificate(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """A file with one of the certificates that the system trusts; None where it trusts none."""
    trusted = ssl.create_default_context().get_ca_certs(binary_form=True)
    file = tmp_path_factory.mktemp("certificates") / "one.pem"
    file.write_text("".join(map(ssl.DER_cert_to_PEM_cert, trusted[:1])), "utf-8")
    return file if trusted else None


@pytest.fixture(scope="module", autouse=True)
def _one_certificate(request: pytest.FixtureRequest, _certificate: Path | None) -> Iterator[None]:
    """Let HTTP clients of the folders that make many read one certificate. All of the system's take 28 ms for
    each client, and these tests ask servers on the loopback interface, without TLS."""
    with pytest.MonkeyPatch.context() as patch:
        if _certificate is not None and request.path.relative_to(HERE).parts[0] in ASKING:
            patch.setenv("SSL_CERT_FILE", str(_certificate))
        yield


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of shared corpora and suites; its absence skips, and in CI fails."""
    root = Path(__file__).resolve().parent.parent
    shared = Path(os.environ.get("TOOLCAST_SHARED", root.parent / "shared"))
    if shared.is_dir():
        return shared
    reason = f"shared corpora not found at {shared}; set TOOLCAST_SHARED"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def seed() -> int:
    """The seed of random choices that hypothesis does not make: in CI the same, elsewhere new in each run."""
    return 1 if os.environ.get("CI") else secrets.randbelow(2**32)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--sample", type=int, metavar="N", help="run only N of the selected tests, the same each time"
    )
    parser.addoption(
        "--update-cases", action="store_true", help="rewrite the expected output of golden tests"
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the sample that `--sample` asks for, of what `-m` and `-k` selected."""
    size = config.getoption("--sample")
    if size is None:
        return
    by_digest = sorted(items, key=lambda item: hashlib.sha256(item.nodeid.encode()).digest())
    config.hook.pytest_deselected(items=by_digest[size:])
    kept = {item.nodeid for item in by_digest[:size]}
    items[:] = [item for item in items if item.nodeid in kept]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Freeze what collection makes: modules and thousands of tests, which stay until the end.

    A full garbage collection looks through all of it otherwise. Some tests ask for one before and after
    themselves, and collection itself causes many. Official clients are imported later: collections that
    nobody asks for are rarer than they are by default, for each looks through those.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000, 20, 20)
        gc.enable()


@pytest.fixture
def update_cases(request: pytest.FixtureRequest) -> bool:
    """Whether golden tests rewrite what they expect."""
    return bool(request.config.getoption("--update-cases"))
