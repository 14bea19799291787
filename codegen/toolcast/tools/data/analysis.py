"""One analysis, from a request to a reply: what the process of an analysis does."""

import os
from collections.abc import Sequence
from contextlib import ExitStack

from msgspec import Struct

from ...runtime.errors import RefusalError
from ..generated.data.data_analysis import (
    DataAnalysisParams,
    DataAnalysisSourceFile,
    DataAnalysisSourceInline,
)
from .cells import JsonCell, read_rows, read_summary
from .charts import MAX_POINTS, draw
from .columns import Column
from .engine import Connection, connect, describe, refusal_of, run
from .sources import (
    Format,
    descriptor_path,
    file_table,
    read_workbook,
    result_table,
    rows_table,
    write_rows,
)
from .sql import sql
from .steps import Binder, apply_step
from .table import Table

_SAMPLE = 20480
"""Rows of a CSV or JSON file from which types are inferred first."""


class Request(Struct, frozen=True, kw_only=True):
    """What is to be done, with what.

    Attributes:
        params: the parameters of the call.
        source: descriptor of the file or of the earlier result; None for rows of the call.
        format: how the file is written; None for an earlier result.
        columns: the columns of the earlier result.
        output: descriptor of the file that the result is stored in.
        memory: bytes that the database may use.
        threads: threads that it may use.
    """

    params: DataAnalysisParams
    output: int
    memory: int
    threads: int
    source: int | None = None
    format: Format | None = None
    columns: tuple[Column, ...] = ()


class Reply(Struct, frozen=True, kw_only=True):
    """What came of it.

    Attributes:
        refusal: why there is no result; "" where there is one.
        columns: the columns of the result.
        row_count: its rows.
        rows: the first rows, where they were asked for.
        summary: statistics, where they were asked for.
        chart: the SVG document, where a chart was asked for.
        truncated: whether there are more rows than were returned.
    """

    refusal: str = ""
    columns: tuple[Column, ...] = ()
    row_count: int = 0
    rows: list[list[JsonCell]] | None = None
    summary: dict[str, dict[str, int | float | None]] | None = None
    chart: str | None = None
    truncated: bool = False


class _Detected(Exception):  # noqa: N818 - no error: another attempt follows
    """Types that were inferred from the first rows do not hold for all of them."""


def analyse(request: Request) -> Reply:
    """Carry out a request.

    Args:
        request: the request.

    Returns:
        The reply; what a file or the steps can cause is a refusal in it.
    """
    try:
        try:
            return _analysed(request, _SAMPLE)
        except _Detected:
            os.ftruncate(request.output, 0)
            return _analysed(request, -1)
    except RefusalError as problem:
        return Reply(refusal=str(problem))
    except OSError as problem:
        what = problem.strerror or "the system refuses"
        return Reply(refusal=f"The analysis failed: {what}. Try again later, or tell the user.")
    except (MemoryError, RecursionError):
        return Reply(refusal="The analysis needs more memory than it may use. Filter and select earlier.")


def _analysed(request: Request, sample: int) -> Reply:
    import duckdb

    output = descriptor_path(request.output)
    with ExitStack() as stack:
        source, names, rows = _rows_of(request, stack)
        path = descriptor_path(request.output if source is None else source)
        connection = connect((path, output), request.memory, request.threads)
        stack.callback(connection.close)
        try:
            table = _table(request, connection, path, sample, names, rows)
            binder = Binder(connection, lambda query: describe(connection, query))
            for number, step in enumerate(request.params.steps, start=1):
                try:
                    table = apply_step(table, step, binder)
                except RefusalError as problem:
                    raise RefusalError(f"Step {number} ({step.op}): {problem}") from problem
                except duckdb.Error as problem:
                    refused = refusal_of(problem, "the file")
                    raise RefusalError(f"Step {number} ({step.op}): {refused}") from problem
            count = _store(connection, table, output)
            return _reply(request.params, connection, output, table.columns, count)
        except duckdb.Error as problem:
            detected = request.format in ("csv", "tsv", "json", "jsonl") and sample != -1
            if detected and type(problem) in (duckdb.ConversionException, duckdb.InvalidInputException):
                raise _Detected from problem
            raise refusal_of(problem, _named(request)) from problem


def _rows_of(
    request: Request, stack: ExitStack
) -> tuple[int | None, Sequence[str], Sequence[Sequence[object]]]:
    """The descriptor of the source; and names and rows where they come from the call, or from a workbook."""
    source = request.params.source
    if isinstance(source, DataAnalysisSourceInline):
        names, rows = source.columns, source.rows
    elif isinstance(source, DataAnalysisSourceFile) and request.format == "xlsx":
        assert request.source is not None
        with os.fdopen(os.dup(request.source), "rb") as file:
            names, rows = read_workbook(file, source.sheet)
    else:
        return request.source, (), ()
    written = stack.enter_context(write_rows(rows, names))
    return written.fileno(), names, rows


def _table(
    request: Request,
    connection: Connection,
    path: str,
    sample: int,
    names: Sequence[str],
    rows: Sequence[Sequence[object]],
) -> Table:
    if names:
        return rows_table(connection, names, rows, path)
    if request.format is not None:
        return file_table(connection, request.format, path, sample)
    return result_table(path, request.columns)


def _store(connection: Connection, table: Table, output: str) -> int:
    """Compute a table, into a file of Parquet. Gives its rows."""
    # In place of the file, not beside it: only this path may be opened.
    where = "(FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)"
    done = run(connection, sql(f"COPY ({{}}) TO '{output}' {where}", table.statement()))
    return int(done[0][0])


def _reply(
    params: DataAnalysisParams,
    connection: Connection,
    output: str,
    columns: tuple[Column, ...],
    count: int,
) -> Reply:
    reply = Reply(columns=columns, row_count=count)
    match params.output:
        case "rows":
            rows, cut = read_rows(connection, output, columns, params.max_rows, params.decimals)
            return Reply(
                columns=columns, row_count=count, rows=rows, truncated=cut or count > params.max_rows
            )
        case "summary":
            summary = read_summary(connection, output, columns, params.decimals)
            return Reply(columns=columns, row_count=count, summary=summary)
        case "chart":
            if params.chart is None:
                raise RefusalError('Output "chart" needs chart: its type, x and y.')
            if count > MAX_POINTS:
                raise RefusalError(
                    f"A chart draws {MAX_POINTS} rows, and there are {count}. Group or limit first."
                )
            rows, cut = read_rows(connection, output, columns, MAX_POINTS, params.decimals)
            if cut:
                raise RefusalError("The rows have too much text to draw. Select the columns to draw first.")
            return Reply(columns=columns, row_count=count, chart=draw(params.chart, columns, rows))
        case _:
            return reply


def _named(request: Request) -> str:
    """The source as an error names it."""
    source = request.params.source
    return repr(source.file_path[:200]) if isinstance(source, DataAnalysisSourceFile) else "the source"
