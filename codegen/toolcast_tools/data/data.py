"""The handler of data_analysis: runs each analysis in a process, and keeps results and charts."""

import asyncio
import os
import secrets
import shutil
import tempfile
import threading
from collections import OrderedDict, deque
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Literal, TypeAlias

import msgspec
from msgspec import Struct
from toolcast.runtime.context import ToolContext
from toolcast.runtime.errors import RefusalError

from ..generated.data.data_analysis import (
    DataAnalysisParams,
    DataAnalysisResult,
    DataAnalysisResultColumnsItem,
    DataAnalysisSourceFile,
    DataAnalysisSourceResult,
)
from ..libraries import require
from ..python_process import python_command, python_environment
from ..workspace import Workspace, path_errors
from .analysis import Reply, Request
from .process_main import ProcessLimits
from .sources import Format, format_of
from .table import Column, Kind

_REPLY = 64 * 1024 * 1024
"""Bytes of a reply at most."""
_PROGRAM = "toolcast_tools.data.process_main"


async def carry_out(
    request: Request,
    limits: ProcessLimits,
    descriptors: Sequence[int],
    running: set[asyncio.subprocess.Process],
) -> Reply:
    """Carry out a request in a process of its own.

    Cancelled, it kills the process, and waits for its end.

    Raises RefusalError: the process ended without a reply; OSError: the system starts no process.

    Args:
        limits: what the system holds the process to.
        descriptors: the descriptors that the process gets, which the request names.
        running: processes that run; this one is among them meanwhile.
    """
    process = await asyncio.create_subprocess_exec(
        *python_command(_PROGRAM),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        pass_fds=tuple(descriptors),
        env=python_environment(),
        cwd="/",
        start_new_session=True,
    )
    running.add(process)
    try:
        answer = await _exchanged(process, request, limits)
        await process.wait()
    except BaseException:
        with suppress(ProcessLookupError):
            process.kill()
        # Shielded: a process that is not waited for stays in the table of processes.
        await asyncio.shield(asyncio.ensure_future(process.wait()))
        raise
    finally:
        running.discard(process)
    if not answer:
        raise RefusalError(
            "The analysis was stopped: it needs more memory or processor time than it may use, or the "
            "file is damaged. Filter and select earlier, or use a smaller file."
        )
    return msgspec.json.decode(answer, type=Reply)


async def _exchanged(process: asyncio.subprocess.Process, request: Request, limits: ProcessLimits) -> bytes:
    """Send the request; gives the reply, or nothing where the process ended before."""
    assert process.stdin is not None
    assert process.stdout is not None
    encode = msgspec.json.encode
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(encode(limits) + b"\n" + encode(request) + b"\n")
        await process.stdin.drain()
    # Standard input stays open: the process ends with it.
    parts: list[bytes] = []
    size = 0
    while part := await process.stdout.read(1 << 16):
        size += len(part)
        if size > _REPLY:
            raise RefusalError("The result is too large. Ask for fewer rows, or select fewer columns.")
        parts.append(part)
    return b"".join(parts)


class _StoredResult(Struct, frozen=True):
    """A result that is kept.

    Attributes:
        file: its rows as Parquet, in a file without a name: it goes with its descriptor.
        size: bytes of the file.
    """

    file: IO[bytes]
    columns: tuple[Column, ...]
    size: int


class _StoredResults:
    """The last results, within limits. The one that was not used for longest goes first."""

    def __init__(self, most: int, most_bytes: int) -> None:
        """Make an empty store."""
        self._most = most
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _StoredResult] = OrderedDict()

    def keep(self, result: _StoredResult) -> str:
        """Keep a result. Returns its id, which nobody can guess: results of other conversations stay
        theirs.
        """
        name = f"res_{secrets.token_hex(16)}"
        with self._lock:
            self._kept[name] = result
            while len(self._kept) > self._most or self.size > self._most_bytes:
                _, gone = self._kept.popitem(last=False)
                gone.file.close()
        return name

    def open(self, name: str) -> tuple[IO[bytes], tuple[Column, ...]] | None:
        """Open a result: another descriptor of its file, for the caller to close. Returns the file and the
        columns; None where it is not kept any more.
        """
        import os

        with self._lock:
            result = self._kept.get(name)
            if result is None:
                return None
            self._kept.move_to_end(name)
            return os.fdopen(os.dup(result.file.fileno()), "rb"), result.columns

    @property
    def size(self) -> int:
        """Bytes of all results."""
        return sum(result.size for result in self._kept.values())

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            while self._kept:
                self._kept.popitem()[1].file.close()


def _new_file() -> IO[bytes]:
    """Return a file without a name, for one result."""
    return tempfile.TemporaryFile(prefix="toolcast-")


class _ChartFiles:
    """Writes charts, and removes the oldest of its own past a limit."""

    def __init__(self, folder: Path | None, most: int) -> None:
        """Make a writer.

        Args:
            folder: the folder; None for a temporary one, made with the first chart.
        """
        self._folder = folder
        self._most = most
        self._temporary: Path | None = None
        self._written: deque[Path] = deque()
        self._lock = threading.Lock()
        self._closed = False

    def write(self, svg: str) -> Path:
        """Write a chart. Returns its path. Raises RefusalError: the folder cannot be written to, or
        the program is ending.
        """
        with self._lock:
            if self._closed:
                raise RefusalError("The program is ending: no chart is written any more.")
            try:
                path = self._where() / f"chart_{secrets.token_hex(8)}.svg"
                with path.open("x", encoding="utf-8") as file:
                    file.write(svg)
            except OSError as problem:
                raise RefusalError(
                    f"The chart could not be written: {problem.strerror}. Ask for rows, and tell the user."
                ) from problem
            self._written.append(path)
            while len(self._written) > self._most:
                with suppress(OSError):  # removed or replaced by the program; the new chart is written
                    self._written.popleft().unlink()
            return path

    def close(self) -> None:
        """Remove the temporary folder. Charts in a folder of the program stay."""
        with self._lock:
            self._closed = True
            if self._temporary is not None:
                with suppress(FileNotFoundError):
                    shutil.rmtree(self._temporary)
                self._temporary = None

    def _where(self) -> Path:
        if self._folder is not None:
            return self._folder
        if self._temporary is None:
            self._temporary = Path(tempfile.mkdtemp(prefix="toolcast-charts-"))
        return self._temporary


_Type: TypeAlias = Literal["string", "integer", "number", "boolean", "date", "datetime"]
_TURN = 0.02
_LONGEST_TURN = 0.5
"""Seconds between two looks for a free place: more each time, so that many that wait cost little."""
_HEADROOM = 256 * 1024 * 1024
"""Bytes that Python and DuckDB need for themselves."""
_TYPES: dict[Kind, _Type] = {
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "date": "date",
    "datetime": "datetime",
}


class Data:
    """Tables, read and transformed by DuckDB: each call in a process of its own, within limits.

    The process gets the source and an empty file for its result, both open already, and nothing of the
    program's environment. SQL of a model reaches the table of its step, and no other. POSIX only.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        memory_limit: int = 512 * 1024 * 1024,
        timeout: float = 30.0,
        threads: int = 2,
        max_running: int = 4,
        max_results: int = 32,
        max_result_bytes: int = 256 * 1024 * 1024,
        charts: str | Path | None = None,
        max_charts: int = 100,
    ) -> None:
        """Make the handler.

        Args:
            workspace: the folder whose files can be read. Whoever opened it closes it, after this object.
            memory_limit: bytes that the database of one analysis may use; nothing is spilled to disk. The
                process as a whole is held to twice as many and 256 MiB (by Linux).
            timeout: seconds that one call may take, with the wait for a free place.
            threads: threads of one analysis.
            max_running: analyses that run at once; others wait.
            max_results: results that are kept for later calls.
            max_result_bytes: bytes that one result may have, and all that are kept.
            charts: the folder that charts are written to; by default a temporary one of its own, which
                `aclose` removes.
            max_charts: charts that are kept; the oldest of this object go first.

        Raises:
            ImportError: duckdb, pygal or python-calamine is not installed.
            ValueError: a limit is not above 0, or `charts` is no folder.
        """
        limits = (memory_limit, timeout, threads, max_running, max_results, max_result_bytes, max_charts)
        if not all(limit > 0 for limit in limits):
            raise ValueError("Every limit must be above 0.")
        if charts is not None and not Path(charts).is_dir():
            raise ValueError(f"charts: {str(charts)!r} is no folder.")
        require("Data", "duckdb", "pygal", "python_calamine")
        self._workspace = workspace
        self._memory = memory_limit
        self._timeout = timeout
        self._threads = threads
        self._max_running = max_running
        self._max_result_bytes = max_result_bytes
        self._results = _StoredResults(max_results, max_result_bytes)
        self._charts = _ChartFiles(None if charts is None else Path(charts).resolve(), max_charts)
        self._running: set[asyncio.subprocess.Process] = set()
        self._places = 0
        self._lock = threading.Lock()
        self._closed = False

    async def data_analysis(self, params: DataAnalysisParams, context: ToolContext) -> DataAnalysisResult:
        """Carry out a call of data_analysis.

        Args:
            params: the parameters.
            context: circumstances of the call.

        Returns:
            The result.

        Raises:
            RefusalError: the source cannot be read, the steps do not fit it, or a limit was reached.
        """
        del context
        if params.output == "chart" and params.chart is None:
            raise RefusalError('Output "chart" needs chart: its type, x and y.')
        clock = asyncio.timeout(self._timeout)
        try:
            async with clock:
                await self._enter()
                try:
                    return await self._analysed(params)
                finally:
                    with self._lock:
                        self._places -= 1
        except TimeoutError:
            if not clock.expired():
                raise
            raise RefusalError(
                f"The analysis was stopped after {self._timeout:g} seconds. Filter and select earlier, or do "
                "it in several calls."
            ) from None
        except OSError as problem:  # no descriptor, process, or space for a temporary file
            raise RefusalError(
                f"The analysis could not be carried out: {problem.strerror or 'the system refuses'}. Try "
                "again later, or tell the user."
            ) from problem

    async def aclose(self) -> None:
        """End analyses that run, and release results and the temporary folder of charts."""
        self._closed = True
        for process in tuple(self._running):
            with suppress(ProcessLookupError):
                process.kill()
        self._results.clear()
        await asyncio.to_thread(self._charts.close)

    async def _enter(self) -> None:
        """Wait for a free place. Any event loop may ask, so no lock of one serves."""
        pause = _TURN
        while True:
            self._check_open()
            with self._lock:
                if self._places < self._max_running:
                    self._places += 1
                    return
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_TURN)

    def _check_open(self) -> None:
        if self._closed:
            raise RefusalError("The program is ending: no analysis is carried out any more.")

    async def _analysed(self, params: DataAnalysisParams) -> DataAnalysisResult:
        output = _new_file()
        try:
            reply = await self._replied(params, output)
            self._check_open()
            if reply.refusal:
                raise RefusalError(reply.refusal)
            chart = None if reply.chart is None else await asyncio.to_thread(self._charts.write, reply.chart)
        except BaseException:
            output.close()
            raise
        name = self._results.keep(_StoredResult(output, reply.columns, os.fstat(output.fileno()).st_size))
        if self._closed:
            self._results.clear()
        return _result(name, reply, chart)

    async def _replied(self, params: DataAnalysisParams, output: IO[bytes]) -> Reply:
        limits = ProcessLimits(
            memory=2 * self._memory + _HEADROOM,
            cpu=int(self._timeout * self._threads) + 2,
            file=self._max_result_bytes,
        )
        with ExitStack() as sources:
            request = self._request(params, output, sources)
            descriptors = [each for each in (request.source, request.output) if each is not None]
            return await carry_out(request, limits, descriptors, self._running)

    def _request(self, params: DataAnalysisParams, output: IO[bytes], sources: ExitStack) -> Request:
        """Make the request for the process. The source is open already: no later change of a path leads
        elsewhere.
        """
        source: int | None = None
        format: Format | None = None
        columns: tuple[Column, ...] = ()
        match params.source:
            case DataAnalysisSourceFile(file_path=path):
                format = format_of(path, params.source.format)
                with path_errors(path):
                    file = sources.enter_context(self._workspace.open(path, "rb"))
                source = file.fileno()
            case DataAnalysisSourceResult(result_id=name):
                found = self._results.open(name)
                if found is None:
                    raise RefusalError(
                        f"There is no result {name!r:.60} any more. Load the data anew, and repeat the steps."
                    )
                source, columns = sources.enter_context(found[0]).fileno(), found[1]
            case _:  # rows of the call
                pass
        return Request(
            params=params,
            source=source,
            format=format,
            columns=columns,
            output=output.fileno(),
            memory=self._memory,
            threads=self._threads,
        )


def _result(name: str, reply: Reply, chart: Path | None) -> DataAnalysisResult:
    return DataAnalysisResult(
        result_id=name,
        columns=[
            DataAnalysisResultColumnsItem(name=column.name, type=_TYPES.get(column.kind, "string"))
            for column in reply.columns
        ],
        row_count=reply.row_count,
        rows=reply.rows,
        summary=reply.summary,
        chart_path=None if chart is None else str(chart),
        truncated=reply.truncated,
    )
