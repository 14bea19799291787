"""An analysis in this process, or as a model's call, for tests."""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from toolcast.runtime import ToolRegistry, ToolResult
from toolcast_tools.data import Data
from toolcast_tools.data.analysis import Reply, Request, analyse
from toolcast_tools.data.process_main import ProcessLimits
from toolcast_tools.generated.data.data_analysis import DATA_ANALYSIS, DataAnalysisParams
from toolcast_tools.workspace import Workspace

MEMORY = 256 * 1024 * 1024


def analysed(source: dict[str, Any], *steps: dict[str, Any], **params: Any) -> Reply:
    params = {"source": source, "steps": [*steps], **params}
    with tempfile.TemporaryFile() as output:
        decoded = msgspec.convert(params, DataAnalysisParams)
        return analyse(Request(params=decoded, output=output.fileno(), memory=MEMORY, threads=2))


async def carried_out_here(
    request: Request,
    limits: ProcessLimits,
    descriptors: Sequence[int],
    running: set[asyncio.subprocess.Process],
) -> Reply:
    """What `carry_out` does in a process of its own, in this one: without its limits, in less time."""
    del limits, descriptors, running
    received = msgspec.json.decode(msgspec.json.encode(request), type=Request)
    reply = await asyncio.to_thread(analyse, received)
    return msgspec.json.decode(msgspec.json.encode(reply), type=Reply)


def inline(columns: list[str], rows: list[list[Any]]) -> dict[str, Any]:
    return {"kind": "inline", "columns": columns, "rows": rows}


class Analyst:
    """A handler with a workspace, called as a model calls it; each call in an event loop of its own."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder = folder
        self.data = Data(Workspace(folder), **options)
        self.registry = ToolRegistry(check_results=True)
        self.registry.register(DATA_ANALYSIS, self.data.data_analysis)

    def __call__(self, source: Any, *steps: Any, **params: Any) -> ToolResult:
        return asyncio.run(self.call(source, *steps, **params))

    async def call(self, source: Any, *steps: Any, **params: Any) -> ToolResult:
        if isinstance(source, str):
            source = {"kind": "file", "file_path": source}
        return await self.registry.execute("data_analysis", {"source": source, "steps": [*steps], **params})

    def rows(self, source: Any, *steps: Any, **params: Any) -> list[list[Any]]:
        result = self(source, *steps, **params)
        assert result.success, result.error
        rows: list[list[Any]] = result.data.rows
        return rows

    def error(self, source: Any, *steps: Any, **params: Any) -> str:
        result = self(source, *steps, **params)
        assert not result.success
        return result.error

    def close(self) -> None:
        asyncio.run(self.data.aclose())
