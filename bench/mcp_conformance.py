"""The conformance suite of MCP against a registry's server and client, for both revisions; writes a part of
docs/reference/mcp.md.

    python -m bench.mcp_conformance --write docs/reference/mcp.md

The suite is the npm package `@modelcontextprotocol/conformance` (`make mcp-servers` installs it, pinned). It
talks to `tests/mcp/conformance/server.py` over HTTP, and starts `tests/mcp/conformance/client.py`. Without
`--write` the part goes to standard output; `--check FILE` compares it with the page. The exit status is 1
where a scenario fails or is warned of, or the page differs.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import chain
from pathlib import Path
from typing import IO

from msgspec import Struct

from .marked import replaced, write

ROOT = Path(__file__).resolve().parents[1]
SUITE = ROOT / ".mcp-servers" / "node_modules" / "@modelcontextprotocol" / "conformance"
FILES = ROOT / "tests" / "mcp" / "conformance"
PART = "mcp-conformance"
REVISIONS = ("2025-11-25", "2026-07-28")
NOT_RUN: Mapping[str, str] = {
    "tasks-mrtr-composition": "its tool asks before it is a task; here its task asks",
    "tasks-status-notifications": "the suite itself skips it",
    "sep-2640-": "the extension of skills is not offered; `generate` writes skills as files",
    "auth/2025-03-26-": "of a revision before these",
    "auth/enterprise-managed-authorization": "an extension that exchanges tokens of an identity provider",
    "auth/dpop": "an extension that the SDK's client does not have",
    "auth/wif-jwt-bearer": "an extension that the SDK's client does not have",
    "authorization-": "for servers that issue tokens",
}
"""Beginnings of the names of scenarios that do not apply, each with the reason."""
EXTENSIONS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("server", "2026-07-28"): ("tasks-",),
    ("client", "2025-11-25"): ("auth/client-credentials-",),
    ("client", "2026-07-28"): ("auth/client-credentials-",),
}
"""Beginnings of the names of scenarios of extensions that run; the suite lists them for no revision."""


class SuiteMissingError(Exception):
    """The suite, or Node.js, is not installed."""


class Outcome(Struct, frozen=True):
    """The outcome of one scenario: the words of its failures and warnings."""

    scenario: str
    wrong: tuple[str, ...] = ()


def command(*arguments: str) -> list[str]:
    """The suite's command line. Raises SuiteMissingError."""
    node, script = shutil.which("node"), SUITE / "dist" / "index.js"
    if node is None or not script.is_file():
        raise SuiteMissingError(
            "the conformance suite, or Node.js 20.18 or newer, is not installed; run: make mcp-servers"
        )
    return [node, "--import", (FILES / "glob_sync.mjs").as_uri(), str(script), *arguments]


def version() -> str:
    """The version of the suite that is installed."""
    found: str = json.loads((SUITE / "package.json").read_text("utf-8"))["version"]
    return found


@cache
def scenarios() -> tuple[str, ...]:
    """Every scenario of the suite, whatever its revision."""
    listed = subprocess.run(command("list"), capture_output=True, text=True, check=True, timeout=60).stdout
    return tuple(re.findall(r"^  - (\S+)", listed, re.MULTILINE))


@cache
def applying(side: str, revision: str) -> tuple[str, ...]:
    """The scenarios for a side, "server" or "client", that are of a revision and run."""
    options = ("list", f"--{side}", "--spec-version", revision)
    listed = subprocess.run(command(*options), capture_output=True, text=True, check=True, timeout=60).stdout
    found = re.findall(r"^  - (\S+)", listed, re.MULTILINE)
    extensions = EXTENSIONS.get((side, revision), ())
    found += [each for each in scenarios() if each.startswith(extensions)]
    return tuple(each for each in found if _reason(each) is None)


@contextmanager
def served() -> Generator[str]:
    """The URL of the server, in a process of its own."""
    module = "tests.mcp.conformance.server"
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen([sys.executable, "-m", module], cwd=ROOT, stderr=log)
        try:
            yield _url(process, log)
        finally:
            process.terminate()
            process.wait(timeout=30)


def _url(process: "subprocess.Popen[bytes]", log: IO[str]) -> str:
    """Where the server says that it serves. Raises RuntimeError with its log where it ends instead."""
    text = ""
    for _ in range(1200):
        ended = process.poll() is not None
        log.seek(0)
        text = log.read()
        if found := re.search(r"serving MCP at (\S+)\n", text):
            return found[1]
        if ended:
            break
        time.sleep(0.05)
    raise RuntimeError(f"the server did not start:\n{text}")


Outcomes = Mapping[str, Sequence[Outcome]]
"""By revision, in the suite's order."""


def run_servers() -> Outcomes:
    """Run every scenario for servers. Raises SuiteMissingError."""
    found: dict[str, list[Outcome]] = {}
    with served() as url:
        for revision in REVISIONS:
            with tempfile.TemporaryDirectory() as folder:
                _suite("server", "--url", url, "--requirements", revision, "-o", folder)
                found[revision] = [_outcome(Path(folder), each) for each in applying("server", revision)]
    return found


def run_clients() -> Outcomes:
    """Run every scenario for clients, as many at once as there are processors. Raises SuiteMissingError."""
    client = f"{sys.executable} -m tests.mcp.conformance.client"
    found: dict[str, list[Outcome]] = {}
    for revision in REVISIONS:
        with tempfile.TemporaryDirectory() as folder:
            options = ("--command", client, "--spec-version", revision, "--force", "-o", folder)
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                for each in applying("client", revision):
                    pool.submit(_suite, "client", *options, "--scenario", each)
            found[revision] = [_outcome(Path(folder), each) for each in applying("client", revision)]
    return found


def left_out() -> dict[str, list[str]]:
    """Scenarios that are not run, by the key of `NOT_RUN`; "" for those without a reason."""
    run = {
        each for side in ("server", "client") for revision in REVISIONS for each in applying(side, revision)
    }
    found: dict[str, list[str]] = {}
    for scenario in scenarios():
        if scenario not in run:
            found.setdefault(_reason(scenario) or "", []).append(scenario)
    return found


def _reason(scenario: str) -> str | None:
    """The key of `NOT_RUN` for a scenario; None where it applies."""
    return next((start for start in NOT_RUN if scenario.startswith(start)), None)


_PATIENCE = ("--timeout", "120000")
"""A client's imports alone may take long on a machine that is shared."""


def _suite(*arguments: str) -> None:
    """Run the suite; its verdicts are in the files that it writes."""
    subprocess.run(command(*arguments, *_PATIENCE), cwd=ROOT, capture_output=True, check=False, timeout=900)


def _outcome(folder: Path, scenario: str) -> Outcome:
    name = re.compile(rf"(server-)?{re.escape(scenario)}-\d{{4}}-[^/]*/checks\.json")
    found = [path for path in folder.rglob("checks.json") if name.fullmatch(str(path.relative_to(folder)))]
    if len(found) != 1:
        return Outcome(scenario, ("the suite reported nothing",))
    checks = json.loads(found[0].read_text("utf-8"))
    wrong = [
        f"{check['name']}: {check.get('errorMessage', check['description'])}"
        for check in checks
        if check["status"] in ("FAILURE", "WARNING")
    ]
    if not wrong and not any(check["status"] == "SUCCESS" for check in checks):
        wrong = ["the suite checked nothing"]
    return Outcome(scenario, tuple(wrong))


def rows(outcomes: Outcomes) -> list[str]:
    """The rows of a table: what is wrong in each revision. The number of checks varies with the machine."""
    cells: dict[str, dict[str, str]] = {}
    for revision, found in outcomes.items():
        for each in found:
            wrong = "; ".join(each.wrong).replace("|", "\\|")
            cells.setdefault(each.scenario, {})[revision] = wrong or "passes"
    return [
        f"| {scenario} | {' | '.join(found.get(revision, '') for revision in REVISIONS)} |"
        for scenario, found in cells.items()
    ]


def part(servers: Outcomes, clients: Outcomes) -> str:
    """The part of the page."""
    lines = [
        f"`@modelcontextprotocol/conformance` {version()}, all scenarios of both revisions that apply. A "
        "scenario",
        "passes where none of its checks fails or warns.",
    ]
    for what, outcomes in (("A registry as a server", servers), ("A server's tools in a registry", clients)):
        counts = [
            f"{sum(not each.wrong for each in found)} of {len(found)} scenarios pass in {revision}"
            for revision, found in outcomes.items()
        ]
        lines += ["", f"**{what}**: {', '.join(counts)}.", ""]
        lines += [f"| scenario | {' | '.join(REVISIONS)} |", "|---|---|---|", *rows(outcomes)]
    lines += ["", "Not run, as they do not apply:", ""]
    for key, names in left_out().items():
        shown = f"`{key}*` ({len(names)} scenarios)" if len(names) > 1 else f"`{names[0]}`"
        lines.append(f"* {shown}: {NOT_RUN[key]}.")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="The conformance suite of MCP.")
    parser.add_argument("--write", type=Path, metavar="FILE", help="the page whose part is written")
    parser.add_argument("--check", type=Path, metavar="FILE", help="the page whose part must be the same")
    chosen = parser.parse_args()
    try:
        servers, clients = run_servers(), run_clients()
    except SuiteMissingError as problem:
        print(problem, file=sys.stderr)
        return 1
    text = part(servers, clients)
    if chosen.write is not None:
        write(chosen.write, PART, text)
    elif chosen.check is None:
        print(text)
    if chosen.check is not None:
        page = chosen.check.read_text(encoding="utf-8")
        if replaced(page, PART, text) != page:
            print(text)
            print(f"{chosen.check} says otherwise; run: make mcp-conformance", file=sys.stderr)
            return 1
    return int(any(each.wrong for outcomes in (servers, clients) for each in chain(*outcomes.values())))


if __name__ == "__main__":
    sys.exit(main())
