"""Two checkouts and one cache: what one compiled, the other does not; and no cache ever changes a byte."""

import os
import shutil
import stat
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from toolcast.project.artifacts import parallel_requests as pool
from toolcast.project.artifacts import remote, shared
from toolcast.project.artifacts.action import decode_action
from toolcast.project.artifacts.cache_location import locate_cache
from toolcast.project.artifacts.remote import Remote
from toolcast.project.generate import Report, build

from tests.project.artifacts.conftest import SPECS, Checkout
from tests.project.artifacts.server import (
    Server,
    cut_short,
    refusing,
    serving,
    silent,
    status,
    trickling,
)
from tests.project.fake import FAKE, config_of, project, put, tree

UNITS = len(SPECS)
TOOLS = UNITS - 1
QUICK = remote.Timeouts(connect=0.3, answer=0.3)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests of slow servers must not be slow."""
    monkeypatch.setattr(remote.Remote.__init__, "__defaults__", (QUICK,))
    monkeypatch.setattr(shared, "_SECONDS", 1.0)


@pytest.fixture(params=["folder", "http"])
def cache(request: pytest.FixtureRequest, tmp_path: Path, server: Server) -> str:
    return str(tmp_path / "shared") if request.param == "folder" else server.url


def clean_build(folder: Path, specs: dict[str, str] = SPECS) -> dict[str, bytes]:
    config = project(folder, specs)
    build(config, FAKE)
    return tree(config.output)


def codes(report: Report) -> list[str]:
    return [problem.code for problem in report.shares.warnings]


def test_the_second_checkout_compiles_nothing(tmp_path: Path, checkout: Checkout, cache: str) -> None:
    first = build(checkout("one", cache), FAKE)
    assert (first.rebuilt, first.fetched, first.shares.stored, codes(first)) == (TOOLS, 0, UNITS, [])
    broken = structs.replace(FAKE, compile_tool=None, compile_type=None, load_tool=None)
    config = checkout("elsewhere/two", cache)
    second = build(config, broken)
    assert (second.rebuilt, second.fetched, second.shares.fetched, codes(second)) == (0, TOOLS, UNITS, [])
    assert second.shares.stored == 0
    assert tree(config.output) == clean_build(tmp_path / "clean")
    assert [problem.code for problem in second.diagnostics] == ["odd"]
    assert second.diagnostics[0].file.endswith("elsewhere/two/specs/b/odd.yaml")
    again = build(config, FAKE)
    assert (again.rebuilt, again.fetched, again.plan.empty) == (0, 0, True)


def test_another_folder_for_specs_and_line_endings_change_nothing(
    tmp_path: Path, checkout: Checkout, cache: str
) -> None:
    build(checkout("one", cache), FAKE)
    config = checkout("two", cache, more='specs = "tools"\n')
    for path, text in SPECS.items():
        put(config.base / "tools" / path, text.replace("\n", "\r\n"))
    report = build(config_of(config.base), FAKE)
    assert (report.rebuilt, report.fetched) == (0, TOOLS)
    assert tree(config.output) == clean_build(tmp_path / "clean")
    assert report.diagnostics[0].file.endswith("two/tools/b/odd.yaml")


def test_what_differs_is_compiled(tmp_path: Path, checkout: Checkout, cache: str) -> None:
    build(checkout("one", cache), FAKE)
    specs = {**SPECS, "_types/t.yaml": "another", "new.yaml": ""}
    config = checkout("two", cache, specs)
    report = build(config, FAKE)
    assert (report.rebuilt, report.fetched) == (2, TOOLS - 1)  # b/c refers to the type
    assert tree(config.output) == clean_build(tmp_path / "clean", specs)


def test_both_states_of_a_type_are_kept(tmp_path: Path, checkout: Checkout, cache: str) -> None:
    """Two branches that differ in a shared type do not push each other out."""
    other = {**SPECS, "_types/t.yaml": "another"}
    build(checkout("one", cache), FAKE)
    build(checkout("two", cache, other), FAKE)
    for name, specs in (("three", SPECS), ("four", other)):
        config = checkout(name, cache, specs)
        report = build(config, FAKE)
        assert (report.rebuilt, report.fetched) == (0, TOOLS)
        assert tree(config.output) == clean_build(tmp_path / f"clean {name}", specs)


def test_other_providers_are_something_else(checkout: Checkout, cache: str) -> None:
    build(checkout("one", cache), FAKE)
    config = checkout("two", cache)
    put(config.base / "pyproject.toml", f"[tool.toolcast]\nproviders = ['gemini']\ncache = '{cache}'\n")
    report = build(config_of(config.base), FAKE)
    assert (report.rebuilt, report.fetched) == (TOOLS, 0)


def test_what_does_not_compile_is_not_shared(checkout: Checkout, server: Server) -> None:
    specs = {"bad.yaml": "bad", "raise.yaml": "raise", "fine.yaml": ""}
    report = build(checkout("one", server.url, specs), FAKE)
    assert report.failed
    assert report.shares.stored == 1
    assert len(server.held) == 2


def test_what_moved_while_it_was_compiled_is_not_shared(checkout: Checkout, server: Server) -> None:
    config = checkout("one", server.url, {"a.yaml": "1", "b.yaml": "1"})

    def editing(tool: Any, *rest: Any) -> Any:
        put(config.specs / "a.yaml", "22")
        return FAKE.compile_tool(tool, *rest)

    report = build(config, structs.replace(FAKE, compile_tool=editing))
    assert report.shares.stored == 1


def test_check_asks_no_cache(checkout: Checkout, server: Server) -> None:
    build(checkout("one", server.url), FAKE)
    server.asked.clear()
    report = build(checkout("two", server.url), FAKE, mode="check")
    assert (report.rebuilt, report.fetched, server.asked) == (TOOLS, 0, [])


def test_a_diff_reads_and_gives_nothing(checkout: Checkout, server: Server) -> None:
    report = build(checkout("one", server.url), FAKE, mode="diff")
    assert (report.rebuilt, server.puts) == (TOOLS, [])
    build(checkout("one", server.url), FAKE)
    server.asked.clear()
    assert build(checkout("two", server.url), FAKE, mode="diff").fetched == TOOLS
    assert server.puts == []


def test_requests_share_connections(checkout: Checkout, server: Server) -> None:
    specs = {f"t{number}.yaml": str(number) for number in range(40)}
    build(checkout("one", server.url, specs), FAKE)
    assert len(server.asked) == 120  # a question and two gifts each
    assert server.connections <= 2 * remote.Remote.threads
    server.asked.clear()
    assert build(checkout("two", server.url, specs), FAKE).fetched == 40
    assert len(server.asked) == 80


def test_entries_are_valid_for_servers_that_look(checkout: Checkout, server: Server) -> None:
    build(checkout("one", server.url), FAKE)
    for (kind, key), data in server.held.items():
        if kind == "ac":
            outputs = decode_action(data).outputs
            assert outputs
            assert all(("cas", each.hash) in server.held for each in outputs)
            assert not any(each.path.startswith("/") for each in outputs)
        else:
            assert shared.digest(data) == key


def test_a_gift_is_given_before_its_entry(checkout: Checkout, server: Server) -> None:
    build(checkout("one", server.url, {"a.yaml": ""}), FAKE)
    assert [line.split("/")[2] for line in server.puts] == ["cas", "ac"]


# the environment


def test_the_environment_beats_the_configuration(
    checkout: Checkout, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(checkout("one", server.url), FAKE)
    monkeypatch.setenv("TOOLCAST_CACHE", str(tmp_path / "other"))
    assert build(checkout("two", server.url), FAKE).fetched == 0
    assert (tmp_path / "other/CACHEDIR.TAG").exists()
    monkeypatch.setenv("TOOLCAST_CACHE", "")
    asked = len(server.asked)
    assert build(checkout("three", server.url), FAKE).fetched == 0
    assert len(server.asked) == asked
    monkeypatch.setenv("TOOLCAST_CACHE", server.url)
    assert build(checkout("four", tmp_path / "nowhere"), FAKE).fetched == TOOLS


def test_a_reader_gives_nothing(checkout: Checkout, cache: str, server: Server, tmp_path: Path) -> None:
    report = build(checkout("one", cache, more="cache_write = false\n"), FAKE)
    assert (report.rebuilt, report.shares.stored, codes(report)) == (TOOLS, 0, [])
    assert not server.puts
    assert not (tmp_path / "shared").exists()


def test_the_environment_makes_readers(
    checkout: Checkout, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLCAST_CACHE_WRITE", "0")
    assert build(checkout("one", server.url), FAKE).shares.stored == 0
    assert server.puts == []


def test_a_header_is_sent_and_never_printed(
    checkout: Checkout, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLCAST_CACHE", server.url)
    monkeypatch.setenv("TOOLCAST_CACHE_AUTH", "Bearer s3cret")
    report = build(checkout("one", server.url), FAKE)
    assert set(server.headers) == {"Bearer s3cret"}
    assert codes(report) == []
    server.fault = status(403)
    report = build(checkout("two", server.url), FAKE)
    assert codes(report) == ["cache-failed"]
    assert "TOOLCAST_CACHE_AUTH" in report.shares.warnings[0].message
    monkeypatch.setenv("TOOLCAST_CACHE_AUTH", "Bearer s3cret\r\nX: y")
    wrong = build(checkout("three", server.url), FAKE)
    assert codes(wrong) == ["cache-place"]
    assert "s3cret" not in repr((report.shares, wrong.shares))


def test_the_credential_is_not_sent_to_a_url_that_the_configuration_names(
    checkout: Checkout, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLCAST_CACHE_AUTH", "Bearer s3cret")
    report = build(checkout("one", server.url), FAKE)
    assert server.headers
    assert set(server.headers) == {None}
    assert report.shares.stored == TOOLS + 1, "the cache is used without the credential"
    (warning,) = report.shares.warnings
    assert (warning.code, warning.severity) == ("cache-auth-withheld", "warning")
    assert warning.file.endswith("one/pyproject.toml")
    assert f"TOOLCAST_CACHE={server.url}" in warning.hint
    assert "s3cret" not in repr(report.shares)
    assert not report.failed


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://cache.example/x", True),
        ("https://127.0.0.1:1/x", True),
        ("http://localhost:1/x", True),
        ("http://127.8.9.1:1/x", True),
        ("http://[::1]:1/x", True),
        ("http://cache.example/x", False),
        ("http://10.0.0.7/x", False),
        ("http://127.0.0.1.evil.example/x", False),
        ("http://localhost.evil.example/x", False),
    ],
)
def test_the_credential_is_sent_over_https_or_within_the_machine(
    checkout: Checkout, url: str, sent: bool
) -> None:
    environment = {"TOOLCAST_CACHE": url, "TOOLCAST_CACHE_AUTH": "Bearer s3cret"}
    place, problem = locate_cache(checkout("one", "unused"), environment)
    assert problem is None
    assert place is not None
    assert isinstance(place.store, Remote)
    assert place.store.address.authorization == ("Bearer s3cret" if sent else "")
    assert (place.withheld is None) is sent


def test_the_credential_does_not_follow_a_redirect(
    checkout: Checkout, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as other:

        def elsewhere(request: BaseHTTPRequestHandler) -> bool:
            request.send_response(307)
            request.send_header("Location", f"{other.url}/{request.path.removeprefix('/base/')}")
            request.send_header("Content-Length", "0")
            request.end_headers()
            return True

        server.fault = elsewhere
        monkeypatch.setenv("TOOLCAST_CACHE", server.url)
        monkeypatch.setenv("TOOLCAST_CACHE_AUTH", "Bearer s3cret")
        report = build(checkout("one", "unused"), FAKE)
        assert codes(report) == ["cache-failed"]
        assert server.headers
        assert not other.asked


@pytest.mark.parametrize(
    "url",
    ["http://me:s3cret@host/", "http://", "https://host/?key=s3cret", "http://host:s3cret/", "http://ho st/"],
)
def test_a_wrong_url_is_reported_without_its_secrets(checkout: Checkout, url: str) -> None:
    report = build(checkout("one", url), FAKE)
    assert codes(report) == ["cache-place"]
    assert "s3cret" not in repr(report.shares)
    assert not report.failed


@pytest.mark.parametrize("where", ["specs/cache", "generated/cache", "generated", "."])
def test_a_cache_in_the_way_is_not_used(checkout: Checkout, where: str) -> None:
    config = checkout("one", where)
    report = build(config, FAKE)
    assert codes(report) == ["cache-place"]
    assert not list(config.base.rglob("CACHEDIR.TAG"))


# what caches do


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "fault",
    [status(500), status(302), status(403), status(204), trickling, cut_short],
    ids=["500", "302", "403", "204", "trickling", "cut short"],
)
def test_servers_that_misbehave_cost_little_and_change_nothing(
    tmp_path: Path, checkout: Checkout, server: Server, fault: Callable[[BaseHTTPRequestHandler], bool]
) -> None:
    build(checkout("one", server.url), FAKE)
    server.fault = fault
    config = checkout("two", server.url)
    report = build(config, FAKE)
    assert not report.failed
    assert report.fetched == 0
    assert codes(report) == (["cache-damaged"] if fault is cut_short else ["cache-failed"])
    assert tree(config.output) == clean_build(tmp_path / "clean")


@pytest.mark.usefixtures("impatient")
def test_nobody_answers(tmp_path: Path, checkout: Checkout) -> None:
    with silent() as url, refusing() as nobody:
        for name, where in (("one", url), ("two", nobody), ("three", "http://cache.invalid/")):
            config = checkout(name, where)
            report = build(config, FAKE)
            assert (report.rebuilt, codes(report)) == (TOOLS, ["cache-failed"])
            assert report.shares.warnings[0].severity == "warning"
            assert tree(config.output) == clean_build(tmp_path / f"clean {name}")


def test_after_the_first_failure_there_are_no_more_tries(
    checkout: Checkout, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote.Remote, "threads", 2)
    server.fault = status(500)
    specs = {f"t{number}.yaml": str(number) for number in range(50)}
    build(checkout("one", server.url, specs), FAKE)
    assert len(server.asked) <= 4
    assert server.puts == []


def test_a_slow_cache_is_given_up(
    tmp_path: Path, checkout: Checkout, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(checkout("one", server.url), FAKE)
    monkeypatch.setattr(shared, "_SECONDS", 0.2)
    monkeypatch.setattr(remote.Remote.__init__, "__defaults__", (remote.Timeouts(60, 60),))
    wake = threading.Event()
    woken: list[bool] = []

    def sleepy(_request: BaseHTTPRequestHandler) -> bool:
        woken.append(wake.wait(60))
        return False

    server.fault = sleepy
    config = checkout("two", server.url)
    report = build(config, FAKE)
    assert woken == []  # no request was waited for
    wake.set()
    assert "too slow" in report.shares.warnings[0].message
    assert tree(config.output) == clean_build(tmp_path / "clean")


@pytest.mark.parametrize("code", [401, 403, 405])
def test_a_server_that_takes_nothing_is_no_trouble(checkout: Checkout, server: Server, code: int) -> None:
    refuse = status(code)
    server.fault = lambda request: request.command == "PUT" and refuse(request)
    report = build(checkout("one", server.url), FAKE)
    assert (report.rebuilt, report.shares.stored, codes(report)) == (TOOLS, 0, [])


def test_a_kept_connection_that_ended_is_opened_again(checkout: Checkout, server: Server) -> None:
    build(checkout("one", server.url), FAKE)

    def hang_up_after(request: BaseHTTPRequestHandler) -> bool:
        request.close_connection = True  # without a word: the next request finds it closed
        return False

    server.fault = hang_up_after
    report = build(checkout("two", server.url), FAKE)
    assert (report.fetched, codes(report)) == (TOOLS, [])


def test_an_unreadable_folder_is_reported(tmp_path: Path, checkout: Checkout) -> None:
    put(tmp_path / "file", "")
    report = build(checkout("one", tmp_path / "file"), FAKE)
    assert codes(report) == ["cache-failed"]
    put(tmp_path / "photos/me.jpg", "precious")
    report = build(checkout("two", tmp_path / "photos"), FAKE)
    assert codes(report) == ["cache-failed"]
    assert "other things" in report.shares.warnings[0].message
    assert tree(tmp_path / "photos") == {"me.jpg": b"precious"}


@pytest.mark.skipif(os.name == "nt", reason="modes say little there")
def test_a_read_only_folder_is_read(
    tmp_path: Path, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(checkout("one", tmp_path / "shared"), FAKE)
    if os.getuid() == 0:  # nothing stops root, so the disk must say it

        def refused(*_args: Any, **_options: Any) -> Any:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "write_bytes", _unless(tmp_path / "shared", Path.write_bytes, refused))
        monkeypatch.setattr(os, "utime", _unless(tmp_path / "shared", os.utime, refused))
    else:
        for path in (tmp_path / "shared").rglob("*"):
            path.chmod(stat.S_IRUSR | (stat.S_IXUSR if path.is_dir() else 0))
    specs = {**SPECS, "new.yaml": ""}
    report = build(checkout("two", tmp_path / "shared", specs), FAKE)
    assert (report.rebuilt, report.fetched, report.shares.stored, codes(report)) == (1, TOOLS, 0, [])


def test_a_full_disk_is_reported_and_leaves_no_half_file(
    tmp_path: Path, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name.startswith(".tag"):
            return real(path, data)
        real(path, data[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", _unless(tmp_path / "shared", real, full))
    report = build(checkout("one", tmp_path / "shared"), FAKE)
    assert (report.failed, report.shares.stored, codes(report)) == (False, 0, ["cache-failed"])
    assert "No space left" in report.shares.warnings[0].message
    assert list(tree(tmp_path / "shared")) == ["CACHEDIR.TAG"]


def _unless(folder: Path, real: Callable[..., Any], instead: Callable[..., Any]) -> Callable[..., Any]:
    def chosen(path: Any, *args: Any, **options: Any) -> Any:
        return (instead if folder in Path(path).parents else real)(path, *args, **options)

    return chosen


# what may stand in them


def damage(data: st.DataObject, content: bytes, others: list[bytes]) -> bytes:
    kind = data.draw(st.sampled_from(["cut", "flip", "noise", "swap", "more", "empty"]))
    if kind == "cut":
        return content[: data.draw(st.integers(0, len(content)))]
    if kind == "flip":
        at = data.draw(st.integers(0, len(content) - 1))
        return content[:at] + bytes([content[at] ^ data.draw(st.integers(1, 255))]) + content[at + 1 :]
    if kind == "swap":
        return data.draw(st.sampled_from(others))
    return {"noise": data.draw(st.binary(max_size=300)), "more": content + b"\0", "empty": b""}[kind]


def test_damaged_entries_never_change_a_byte(tmp_path: Path) -> None:
    toml = "cache = '../shared'\n"
    build(project(tmp_path / "one", SPECS, toml), FAKE)
    files = [path for path in sorted((tmp_path / "shared").rglob("*")) if len(path.name) == 64]
    originals = {path: path.read_bytes() for path in files}
    assert len(files) == 2 * UNITS

    @settings(max_examples=12)
    @given(st.data())
    def hold(data: st.DataObject) -> None:
        for path in files:
            path.write_bytes(originals[path])
        for path in data.draw(st.lists(st.sampled_from(files), min_size=1, max_size=4, unique=True)):
            path.write_bytes(damage(data, originals[path], list(originals.values())))
        config = project(tmp_path / "two", SPECS, toml)
        report = build(config, FAKE)
        assert not report.failed
        assert report.fetched + report.rebuilt == TOOLS
        assert tree(config.output) == tree(tmp_path / "one/generated")
        last = project(tmp_path / "three", SPECS, toml)  # the damage was repaired on the way
        assert build(last, FAKE).fetched == TOOLS
        shutil.rmtree(tmp_path / "two")
        shutil.rmtree(tmp_path / "three")

    hold()


def test_damage_is_reported_once(tmp_path: Path, checkout: Checkout) -> None:
    build(checkout("one", tmp_path / "shared"), FAKE)
    for path in (tmp_path / "shared/cas").rglob("*"):
        if path.is_file():
            path.write_bytes(b"x" * path.stat().st_size)
    report = build(checkout("two", tmp_path / "shared"), FAKE)
    assert codes(report) == ["cache-damaged"]
    assert f"{UNITS} entries" in report.shares.warnings[0].message


def test_pipes_links_and_folders_in_a_cache_do_no_harm(tmp_path: Path, checkout: Checkout) -> None:
    build(checkout("one", tmp_path / "shared"), FAKE)
    entries = [path for path in sorted((tmp_path / "shared/ac").rglob("*")) if path.is_file()]
    for path in entries:
        path.unlink()
    os.mkfifo(entries[0])
    entries[1].symlink_to("/etc/hostname")
    entries[2].mkdir()
    entries[3].symlink_to("/dev/zero")
    config = checkout("two", tmp_path / "shared")
    report = build(config, FAKE)
    assert (report.rebuilt, report.failed) == (TOOLS, False)
    assert tree(config.output) == clean_build(tmp_path / "clean")


def test_what_is_too_large_is_not_read(
    checkout: Checkout, cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(checkout("one", cache), FAKE)
    monkeypatch.setattr(shared, "MAX_ENTRY", 10)
    report = build(checkout("two", cache), FAKE)
    assert (report.fetched, codes(report)) == (0, ["cache-damaged"])


@pytest.mark.parametrize("others", [{"c.yaml": ""}, {"C.yaml": ""}])
def test_one_unit_cannot_speak_for_another(
    tmp_path: Path, checkout: Checkout, others: dict[str, str]
) -> None:
    """A well-formed bundle under the right key, that claims the name of another tool, or its place."""
    specs = {"a.yaml": "1", "b.yaml": "1", **others}
    build(checkout("honest", tmp_path / "shared", others), FAKE)
    forger = structs.replace(FAKE, load_tool=_renaming)
    build(checkout("forger", tmp_path / "shared", {"a.yaml": "1", "b.yaml": "1"}), forger)
    config = checkout("victim", tmp_path / "shared", specs)
    report = build(config, FAKE)
    assert not report.failed, report.diagnostics
    assert codes(report) == ["cache-damaged"]
    assert report.shares.warnings[0].message.startswith("1 entry ")
    assert tree(config.output) == clean_build(tmp_path / "clean", specs)


def test_what_clashes_in_truth_is_no_damage(tmp_path: Path, checkout: Checkout) -> None:
    specs = {"a.yaml": "name: same", "b.yaml": "name: same", "c.yaml": ""}
    first = build(checkout("one", tmp_path / "shared", specs), FAKE)
    second = build(checkout("two", tmp_path / "shared", specs), FAKE)
    assert [each.code for each in first.diagnostics] == [each.code for each in second.diagnostics]
    assert first.failed
    assert codes(second) == []


def _renaming(root: Path, path: str, **named: Any) -> Any:
    tool, problems = FAKE.load_tool(root, path, **named)
    return (tool and structs.replace(tool, name="c") if path == "a.yaml" else tool), problems


def test_no_cache_distrusts_what_was_fetched(tmp_path: Path, checkout: Checkout) -> None:
    """A poisoned cache is believed, as any writer of it is trusted; this is the way back."""
    forger = structs.replace(FAKE, compile_tool=_poisoned)
    build(checkout("forger", tmp_path / "shared"), forger)
    config = checkout("victim", tmp_path / "shared")
    build(config, FAKE)
    assert b"EVIL" in (config.output / "a.py").read_bytes()
    assert "a.py" in {write.path for write in build(config, FAKE, mode="check").plan.writes}
    assert build(config, FAKE).plan.empty
    assert build(config, FAKE, share="leave").plan.empty
    report = build(config, FAKE, share="distrust")
    assert report.rebuilt == TOOLS
    assert tree(config.output) == clean_build(tmp_path / "clean")
    assert build(config, FAKE).plan.empty


def _poisoned(tool: Any, *rest: Any) -> Any:
    made = FAKE.compile_tool(tool, *rest)
    files = {
        path: data.replace(b"BODY", b"EVIL") if path.endswith(".py") else data
        for path, data in made.files.items()
    }
    return structs.replace(made, files=files)


# many at once


def test_many_writers_at_once(tmp_path: Path, checkout: Checkout, cache: str) -> None:
    specs = {**SPECS, **{f"t{number}.yaml": str(number) for number in range(20)}}
    configs = [checkout(f"n{number}", cache, specs) for number in range(6)]
    reports: list[Report] = []
    threads = [
        threading.Thread(target=lambda c: reports.append(build(c, FAKE)), args=(each,)) for each in configs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(not report.failed and not report.shares.warnings for report in reports)
    expected = clean_build(tmp_path / "clean", specs)
    assert all(tree(config.output) == expected for config in configs)
    last = checkout("last", cache, specs)
    assert build(last, FAKE).fetched == len(specs) - 1
    assert not list(tmp_path.joinpath("shared").rglob("*.tmp"))


def test_a_fault_of_ours_is_not_hidden() -> None:
    def broken(_session: Any, _item: int) -> int:
        raise KeyError("a bug")

    with serving() as server, pytest.raises(KeyError, match="a bug"):
        pool.run_parallel(remote.Remote(remote.read_address(server.url)), [1, 2], broken, seconds=5)
