"""One analysis, from a request to a reply: what the process of an analysis does."""

import math
import os
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from decimal import Decimal
from importlib import import_module
from typing import Any, Final

from msgspec import Struct
from toolcast.runtime.errors import RefusalError

from ..generated.data.data_analysis import (
    DataAnalysisChart,
    DataAnalysisParams,
    DataAnalysisSourceFile,
    DataAnalysisSourceInline,
)
from .engine import Connection, bound, connect, describe, refusal_of, run, sql
from .sources import (
    Format,
    descriptor_path,
    file_table,
    read_workbook,
    result_table,
    rows_table,
    write_rows,
)
from .steps import Binder, apply_step
from .table import Column, Table, position

_LONGEST = 2000
"""Characters of one cell; longer text is cut."""
_TEXT = 1_000_000
"""Characters of all cells of a result."""

_JsonCell = str | int | float | bool | None


def _read_rows(
    connection: Connection, path: str, columns: Sequence[Column], most: int, decimals: int
) -> tuple[list[list[_JsonCell]], bool]:
    """Read the first rows of a stored result. Returns the rows, and whether rows were left out because their
    text is too long.
    """
    shown = ", ".join(_shown(f"c{n}", column) for n, column in enumerate(columns))
    query = sql(f"SELECT {shown} FROM read_parquet({{}}) LIMIT {most}", bound(path))
    rows: list[list[_JsonCell]] = []
    size = 0
    for row in run(connection, query):
        cells = [to_json(cell, decimals) for cell in row]
        size += sum(len(cell) if isinstance(cell, str) else 8 for cell in cells)
        if size > _TEXT:
            return rows, True
        rows.append(cells)
    return rows, False


def _read_summary(
    connection: Connection, path: str, columns: Sequence[Column], decimals: int
) -> dict[str, dict[str, int | float | None]]:
    """Compute statistics of each column of a stored result.

    Returns by column the numbers of its cells, missing ones and different values; of numbers also mean,
    standard deviation, minimum, quartiles and maximum, and of booleans how many are true.
    """
    found: dict[str, dict[str, int | float | None]] = {}
    for index, column in enumerate(columns):
        wanted = _statistics(f"c{index}", column)
        listed = ", ".join(wanted.values())
        values = run(connection, sql(f"SELECT {listed} FROM read_parquet({{}})", bound(path)))[0]
        found[column.name] = {
            name: _number(value, decimals) for name, value in zip(wanted, values, strict=True)
        }
    return found


def to_json(cell: object, decimals: int) -> _JsonCell:
    """A cell as JSON has it.

    Args:
        cell: what the database gives.
        decimals: digits after the decimal point.
    """
    if isinstance(cell, Decimal):
        cell = float(cell)
    if isinstance(cell, float):
        if math.isnan(cell):
            return None
        if math.isinf(cell):
            return "Infinity" if cell > 0 else "-Infinity"
        return round(cell, decimals) + 0.0  # no negative zero
    if isinstance(cell, int) and not isinstance(cell, bool) and not -(2**63) <= cell < 2**64:
        return float(cell)
    if isinstance(cell, str):
        return cell if len(cell) <= _LONGEST else cell[:_LONGEST] + "…"
    return cell if cell is None or isinstance(cell, (bool, int)) else str(cell)[:_LONGEST]


def _shown(name: str, column: Column) -> str:
    """Return a column, in a type that JSON has. Long cells are cut before they are read."""
    match column.kind:
        case "boolean" | "number":
            return name
        case "integer":
            return f"CAST({name} AS HUGEINT)"
        case "string":
            return f"left({name}, {_LONGEST + 1})"
        case "bytes":
            return f"left(to_base64({name}), {_LONGEST + 1})"
        case "datetime":
            return f"replace(CAST({name} AS VARCHAR), ' ', 'T')"
        case "date" | "time":
            return f"CAST({name} AS VARCHAR)"
        case _ if column.type in ("JSON", "UUID"):
            return f"left(CAST({name} AS VARCHAR), {_LONGEST + 1})"
        case _:
            return f"left(CAST(to_json({name}) AS VARCHAR), {_LONGEST + 1})"


def _statistics(name: str, column: Column) -> dict[str, str]:
    counted = {
        "count": f"count({name})",
        "missing": f"count(*) - count({name})",
        "distinct": f"count(DISTINCT {name})",
    }
    if column.kind == "boolean":
        return {**counted, "true": f"count_if({name})"}
    if not column.numeric:
        return counted
    # An infinity among them has no mean.
    number = f"CAST({name} AS DOUBLE)"
    finite = f"CASE WHEN isfinite({number}) THEN {number} END"
    return {
        **counted,
        "mean": f"avg({finite})",
        "std": f"stddev_samp({finite})",
        "min": f"min({number})",
        "q1": f"quantile_cont({finite}, 0.25)",
        "median": f"median({finite})",
        "q3": f"quantile_cont({finite}, 0.75)",
        "max": f"max({number})",
    }


def _number(value: object, decimals: int) -> int | float | None:
    cell = to_json(value, decimals)
    return None if isinstance(cell, str) else cell


_MAX_POINTS: Final = 5000
"""Rows that a chart draws at most."""
_BARS: Final = 200
_LABEL: Final = 60
_SIZE: Final = (800, 500)


def _draw(chart: DataAnalysisChart, columns: Sequence[Column], rows: Sequence[Sequence[_JsonCell]]) -> str:
    """Draw a chart. Raises RefusalError: a column is not there, holds no numbers, or there is nothing to
    draw.
    """
    pygal = import_module("pygal")  # it has no types
    across = position(columns, chart.x)
    drawn = [position(columns, name) for name in chart.y]
    if not rows:
        raise RefusalError("There are no rows to draw. Filter less.")
    width, height = chart.size or _SIZE
    options: dict[str, object] = {
        "width": width,
        "height": height,
        "explicit_size": True,
        "js": (),
        "title": _label(chart.title) if chart.title else None,
        "x_title": _label(chart.x),
        "show_legend": chart.type != "histogram",
        "x_label_rotation": 30 if chart.type in ("line", "bar") else 0,
        "truncate_label": _LABEL,
    }
    if chart.type == "histogram":
        return _without_scripts(_histogram(pygal, options, columns[across], [row[across] for row in rows]))
    for index in drawn:
        if not columns[index].numeric:
            raise RefusalError(
                f"Column {columns[index].name!r:.120} holds values of type {columns[index].kind}, and only "
                "numbers can be drawn. Name another one in y."
            )
    if chart.type == "scatter":
        if not columns[across].numeric:
            raise RefusalError(f"A scatter chart needs numbers in x, and {chart.x!r:.120} holds others.")
        made = pygal.XY(stroke=False, **options)
        for index in drawn:
            points = [(_drawable(row[across]), _drawable(row[index])) for row in rows]
            made.add(_label(columns[index].name), [each for each in points if None not in each])
        return _without_scripts(made)
    if chart.type == "bar" and len(rows) > _BARS:
        raise RefusalError(
            f"A bar chart draws {_BARS} rows, and there are {len(rows)}. Group or limit first."
        )
    made = (
        pygal.Line(show_dots=len(rows) <= _BARS, **options) if chart.type == "line" else pygal.Bar(**options)
    )
    made.x_labels = [_label(row[across]) for row in rows]
    if len(rows) > 20:
        made.show_minor_x_labels = False
        made.x_labels_major_count = 10
    for index in drawn:
        made.add(_label(columns[index].name), [_drawable(row[index]) for row in rows])
    return _without_scripts(made)


def _label(value: _JsonCell) -> str:
    """Return a text of a chart: one line, without what XML cannot hold, and cut where it is long."""
    text = "" if value is None else str(value)
    text = re.sub("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text)
    text = " ".join(text.split())
    return text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"


def _histogram(pygal: Any, options: dict[str, Any], column: Column, cells: Sequence[_JsonCell]) -> Any:
    """Count values: numbers in classes of equal width, others by value."""
    if not column.numeric:
        counted = Counter(_label(cell) for cell in cells if cell is not None).most_common(_BARS)
        made = pygal.Bar(**options)
        made.x_labels = [name for name, _ in counted]
        made.add(_label(column.name), [count for _, count in counted])
        return made
    numbers = [number for cell in cells if (number := _drawable(cell)) is not None]
    if not numbers:
        raise RefusalError(f"Column {column.name!r:.120} has no numbers to draw.")
    low, high = min(numbers), max(numbers)
    classes = min(50, max(1, math.ceil(math.log2(len(numbers))) + 1)) if high > low else 1  # Sturges
    width = (high - low) / classes or 1.0
    if not math.isfinite(width):
        raise RefusalError(f"The numbers of column {column.name!r:.120} are too far apart to draw.")
    counts = Counter(min(int((number - low) / width), classes - 1) for number in numbers)
    made = pygal.Histogram(**options)
    made.add(
        _label(column.name),
        [(counts[n], low + n * width, low + (n + 1) * width) for n in range(classes)],
    )
    return made


def _drawable(cell: _JsonCell) -> float | int | None:
    """Return a number that a chart can place."""
    if isinstance(cell, bool) or not isinstance(cell, (int, float)):
        return None
    return cell if abs(cell) < 1e15 else float(cell) if abs(cell) < 1e100 else None


def _without_scripts(made: Any) -> str:
    """Return the document, without the scripts that pygal adds: a viewer is to run nothing."""
    from xml.etree import ElementTree as ET

    root = ET.fromstring(made.render())  # pygal wrote it a moment ago
    for parent in list(root.iter()):
        for child in list(parent):
            if isinstance(child.tag, str) and child.tag.rpartition("}")[2] == "script":
                parent.remove(child)
    ET.register_namespace("", "http://www.w3.org/2000/svg")
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    return ET.tostring(root, encoding="unicode")


_SAMPLE = 20480
"""Rows of a CSV or JSON file from which types are inferred first."""


class Request(Struct, frozen=True, kw_only=True):
    """A call with its source.

    Attributes:
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
    """The outcome of a request.

    Attributes:
        refusal: why there is no result; "" where there is one.
        rows: the first rows, where they were asked for.
        summary: statistics, where they were asked for.
        chart: the SVG document, where a chart was asked for.
        truncated: whether there are more rows than were returned.
    """

    refusal: str = ""
    columns: tuple[Column, ...] = ()
    row_count: int = 0
    rows: list[list[_JsonCell]] | None = None
    summary: dict[str, dict[str, int | float | None]] | None = None
    chart: str | None = None
    truncated: bool = False


class _Detected(Exception):  # noqa: N818 - no error: another attempt follows
    """Types that were inferred from the first rows do not hold for all of them."""


def analyse(request: Request) -> Reply:
    """Carry out a request. Returns the reply; what a file or the steps can cause is a refusal in it."""
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
    """Return the descriptor of the source; and names and rows where they come from the call, or from a
    workbook.
    """
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
            rows, cut = _read_rows(connection, output, columns, params.max_rows, params.decimals)
            return Reply(
                columns=columns, row_count=count, rows=rows, truncated=cut or count > params.max_rows
            )
        case "summary":
            summary = _read_summary(connection, output, columns, params.decimals)
            return Reply(columns=columns, row_count=count, summary=summary)
        case "chart":
            if params.chart is None:
                raise RefusalError('Output "chart" needs chart: its type, x and y.')
            if count > _MAX_POINTS:
                raise RefusalError(
                    f"A chart draws {_MAX_POINTS} rows, and there are {count}. Group or limit first."
                )
            rows, cut = _read_rows(connection, output, columns, _MAX_POINTS, params.decimals)
            if cut:
                raise RefusalError("The rows have too much text to draw. Select the columns to draw first.")
            return Reply(columns=columns, row_count=count, chart=_draw(params.chart, columns, rows))
        case _:
            return reply


def _named(request: Request) -> str:
    """Return the source as an error names it."""
    source = request.params.source
    return repr(source.file_path[:200]) if isinstance(source, DataAnalysisSourceFile) else "the source"
