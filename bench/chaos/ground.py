"""Where the calls work: a folder with a workspace, databases, documents and temporary files; and what answers
them."""

# ruff: noqa: ARG001, ARG002 - agents, resolvers and receivers have fixed signatures

from __future__ import annotations

import asyncio
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from toolcast.runtime import RefusalError, ToolContext, ToolRegistry
from toolcast.runtime.middleware.policy import Policy
from toolcast_tools import TIMEOUTS, toolset
from toolcast_tools.agents import AgentReport, Agents, AgentTask
from toolcast_tools.data import Data
from toolcast_tools.generated.agents.delegate import DELEGATE
from toolcast_tools.memory import Memory
from toolcast_tools.schedule import Schedule
from toolcast_tools.shell import Shell
from toolcast_tools.web import AccessRules, Web, WebLimits
from toolcast_tools.workspace import Workspace

LONGEST = 20.0
"""Seconds that any call may take."""


class Ground:
    """The folder, and the server that is asked."""

    def __init__(self, folder: Path, own_disk: bool) -> None:
        """Lay out `folder`; `own_disk` says that nothing else is on its file system."""
        self.folder = folder
        self.own_disk = own_disk
        self.temporary = Path(tempfile.gettempdir())  # which looks for it once, before there are faults
        self.workspace = folder / "workspace"
        self.documents = folder / "documents"
        self.databases = (folder / "memory.db", folder / "schedule.db")
        self.server = subprocess.Popen(
            [sys.executable, "-m", "bench.chaos.server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.server.stdout is not None
        self.port = int(self.server.stdout.readline())

    def close(self) -> None:
        """End the server."""
        self.server.communicate(timeout=10)

    def reset(self) -> None:
        """Write all files anew, whatever calls and faults have made of them."""
        for folder in (self.workspace, self.documents):
            make_accessible(folder)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        for database in self.databases:
            for path in self.folder.glob(database.name + "*"):
                path.unlink()
        root = self.workspace
        (root / "folder/deep").mkdir(parents=True)
        for name in ("a.txt", "b.txt", "folder/c.txt", "folder/deep/d.py"):
            (root / name).write_text("one\ntwo\nthree four\n" * 5)
        (root / "empty").touch()
        (root / "long.txt").write_text(
            "".join(f"line {n} of a long file with a few words\n" for n in range(3000))
        )
        (root / "binary.bin").write_bytes(bytes(range(256)) * 50)
        (root / "link").symlink_to("folder")
        (root / "table.csv").write_text("a,b\n" + "".join(f"{n},x{n}\n" for n in range(200)))
        (root / "rows.jsonl").write_text('{"a": 1, "b": "x"}\n' * 50)
        (root / "damaged.parquet").write_bytes(b"PAR1" + bytes(200) + b"PAR1")
        for name in ("sky", "table", "report"):
            text = f"---\ntitle: {name}\n---\n# The {name}\n\nThe {name} is blue.\n\n## More\n\nWords [x](http://x.test)\n"
            (self.documents / f"{name}.md").write_text(text * 3)

    def registry(self, rng: random.Random) -> tuple[ToolRegistry, Workspace]:
        """A registry with every tool, and the workspace of some of them, to be closed after it. Raises
        RefusalError where a database cannot be used."""
        workspace = Workspace(self.workspace)
        epoch, begun = time.time(), time.monotonic()

        def soon() -> float:
            """A clock on which a minute takes half a second."""
            return epoch + 120 * (time.monotonic() - begun)

        closing: list[Any] = []
        try:
            closing.append(
                schedule := Schedule(self.databases[1], _run, notify=_notify, poll=0.5, clock=soon)
            )
            closing.append(memory := Memory(self.databases[0], max_memories=500))
            registry = toolset(
                self.workspace,
                policy=Policy("full"),
                timeouts=_timeouts(rng),
                shell=Shell(workspace, grace=0.2, max_timeout=2.0, output_limit=200_000),
                web=Web(
                    rules=AccessRules(allow_addresses=("127.0.0.0/8",)),
                    limits=WebLimits(fetch_seconds=1.0, extraction_seconds=5.0, search_seconds=0.5),
                    search=Engine(rng),
                    resolve=Names(rng),
                ),
                data=Data(workspace, timeout=5.0, max_results=8),
                memory=memory,
                knowledge={"documents": self.documents},
                schedule=schedule,
            )
        except RefusalError:
            for each in closing:
                each.close() if isinstance(each, Memory) else each._table.close()
            workspace.close()
            raise
        agents = Agents(agents_of(registry), workspace=workspace, timeout=1.0, report=_receive)
        registry.register(DELEGATE, agents.delegate)
        schedule.start()
        return registry, workspace


def make_accessible(folder: Path) -> None:
    """Give this user every access to all that is below `folder`."""
    with suppress(OSError):
        folder.chmod(0o700)
    for path, folders, files in os.walk(folder):
        for name in (*folders, *files):
            place = Path(path) / name
            with suppress(OSError):
                if not place.is_symlink():
                    place.chmod(0o700)


def _timeouts(rng: random.Random) -> dict[str, float]:
    """The limits of one registry; those of some tools are over before much has happened."""
    short = rng.random() < 0.6
    return {name: 10 ** rng.uniform(-3, 0) if short and rng.random() < 0.3 else LONGEST for name in TIMEOUTS}


class Names:
    """A resolver that fails, hangs, and gives addresses that refuse or must not be asked."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """The addresses of a name."""
        if host == "private.test":
            return ["10.0.0.1", "127.0.0.1"]
        if host == "none.test" or self._rng.random() < 0.1:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        if host == "slow.test":
            await asyncio.sleep(3)
        return ["127.0.0.2", "127.0.0.1"] if self._rng.random() < 0.3 else ["127.0.0.1"]


class Engine:
    """A search engine that is slow, refuses, or finds a few pages."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    async def search(self, query: Any) -> list[Any]:
        """Search."""
        from toolcast_tools.web import SearchResult

        roll = self._rng.random()
        if roll < 0.05:
            await asyncio.sleep(2)
        if roll < 0.15:
            raise RefusalError("The search engine does not answer. Try again later.")
        url = self._rng.choice(("https://example.com/a", "http://[", "ftp://x/", "https://sub.example.com/"))
        return [SearchResult(url=url, title=query.text * 10, excerpt="Words. " * 300)] * self._rng.randrange(
            5
        )


async def _run(run: Any) -> None:
    await asyncio.sleep(0.05)
    if run.name.endswith("a"):
        raise OSError("The task fails.")


async def _notify(notification: Any) -> None:
    await asyncio.sleep(0.01)


def _receive(report: Any) -> None:
    """Take the report of an agent in the background."""


def agents_of(registry: ToolRegistry) -> dict[str, Any]:
    """Agents that call a tool, take long, and refuse."""

    async def reader(task: AgentTask, context: ToolContext) -> AgentReport:
        result = await registry.execute("file_read", {"file_path": "a.txt"})
        return AgentReport(status="completed", report=result.output or result.error)

    async def sleeper(task: AgentTask, context: ToolContext) -> AgentReport:
        await asyncio.sleep(3)
        return AgentReport(status="completed", report="Slept.")

    async def refuser(task: AgentTask, context: ToolContext) -> AgentReport:
        raise RefusalError("The task cannot be carried out. Do it yourself.")

    return {"reader": reader, "sleeper": sleeper, "refuser": refuser}
