"""The conformance suite of MCP against a registry's server and client; writes a part of
docs/reference/mcp.md.

    python -m bench.mcp_conformance --write docs/reference/mcp.md

The suite is the npm package `@modelcontextprotocol/conformance` (`make mcp-servers` installs it, pinned). It
talks to `tests/mcp/conformance/server.py` over HTTP, and starts `tests/mcp/conformance/client.py` for those
scenarios of clients that concern tools. Without `--write` the part goes to standard output; `--check FILE`
compares it with the page. The exit status is 1 where a scenario fails or is warned of, or the page differs.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO

from msgspec import Struct

from .marked import replaced, write

ROOT = Path(__file__).resolve().parents[1]
SUITE = ROOT / ".mcp-servers" / "node_modules" / "@modelcontextprotocol" / "conformance"
FILES = ROOT / "tests" / "mcp" / "conformance"
PART = "mcp-conformance"
CLIENT_SCENARIOS = ("initialize", "tools_call", "sse-retry")
"""Scenarios of clients that `mcp_tools` has a part in."""
NOT_RUN: Mapping[str, str] = {
    "elicitation-sep1034-client-defaults": "the program that connects answers questions, not the registry",
    "auth/": "signing in is the SDK's client's, before `mcp_tools` has it",
}
"""Scenarios that do not apply, or what their names begin with, and why."""


class SuiteMissingError(Exception):
    """The suite, or Node.js, is not installed."""


class Outcome(Struct, frozen=True):
    """How one scenario went: checks that passed, and what its failures and warnings say."""

    scenario: str
    passed: int
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
def scenarios() -> dict[str, list[str]]:
    """The suite's scenarios for servers and for clients."""
    listed = subprocess.run(command("list"), capture_output=True, text=True, check=True, timeout=60).stdout
    servers, clients = listed.split("Client scenarios")
    names = re.compile(r"^  - (\S+)", re.MULTILINE)
    return {"server": names.findall(servers), "client": names.findall(clients)}


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


def run_servers() -> list[Outcome]:
    """Run every scenario for servers, in the suite's order. Raises SuiteMissingError."""
    with tempfile.TemporaryDirectory() as folder, served() as url:
        _suite("server", "--url", url, "--suite", "all", "-o", folder)
        applying = [scenario for scenario in scenarios()["server"] if _reason(scenario) is None]
        return [_outcome(Path(folder), "server", scenario) for scenario in applying]


def run_clients() -> list[Outcome]:
    """Run the scenarios for clients that apply. Raises SuiteMissingError."""
    client = f"{sys.executable} -m tests.mcp.conformance.client"
    with tempfile.TemporaryDirectory() as folder:
        for scenario in CLIENT_SCENARIOS:
            _suite("client", "--command", client, "--scenario", scenario, "-o", folder)
        return [_outcome(Path(folder), "client", scenario) for scenario in CLIENT_SCENARIOS]


def left_out() -> dict[str, list[str]]:
    """Scenarios that are not run, by the key of `NOT_RUN`; "" for those without a reason."""
    found: dict[str, list[str]] = {}
    for scenario in (*scenarios()["server"], *scenarios()["client"]):
        key = _reason(scenario)
        if key is not None:
            found.setdefault(key, []).append(scenario)
        elif scenario in scenarios()["client"] and scenario not in CLIENT_SCENARIOS:
            found.setdefault("", []).append(scenario)
    return found


def _reason(scenario: str) -> str | None:
    """The key of `NOT_RUN` for a scenario; None where it applies."""
    return next((start for start in NOT_RUN if scenario.startswith(start)), None)


def _suite(*arguments: str) -> None:
    """Run the suite; its verdicts are in the files that it writes."""
    subprocess.run(command(*arguments), cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)


def _outcome(folder: Path, side: str, scenario: str) -> Outcome:
    name = re.escape(f"server-{scenario}" if side == "server" else scenario)
    found = [path for path in folder.iterdir() if re.fullmatch(rf"{name}-\d{{4}}-.*", path.name)]
    if len(found) != 1:
        return Outcome(scenario, 0, ("the suite reported nothing",))
    checks = json.loads((found[0] / "checks.json").read_text("utf-8"))
    wrong = [
        f"{check['name']}: {check.get('errorMessage', check['description'])}"
        for check in checks
        if check["status"] in ("FAILURE", "WARNING")
    ]
    return Outcome(scenario, sum(check["status"] == "SUCCESS" for check in checks), tuple(wrong))


def row(outcome: Outcome) -> str:
    """A row of the table."""
    verdict = "; ".join(outcome.wrong).replace("|", "\\|") or "passes"
    return f"| {outcome.scenario} | {outcome.passed} | {verdict} |"


def part(servers: Sequence[Outcome], clients: Sequence[Outcome]) -> str:
    """The part of the page."""
    lines = [
        f"`@modelcontextprotocol/conformance` {version()}, all scenarios for servers, and those for clients",
        "that concern tools. A scenario passes where none of its checks fails or warns.",
    ]
    for what, outcomes in (("A registry as a server", servers), ("A server's tools in a registry", clients)):
        passed = sum(not each.wrong for each in outcomes)
        lines += ["", f"**{what}**: {passed} of {len(outcomes)} scenarios pass."]
        lines += ["", "| scenario | checks | |", "|---|---|---|", *map(row, outcomes)]
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
    return int(any(each.wrong for each in (*servers, *clients)))


if __name__ == "__main__":
    sys.exit(main())
