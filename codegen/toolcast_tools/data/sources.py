"""Sources of tables: a file by its descriptor, rows of the call, or an earlier result."""

import datetime
import os
import tempfile
from collections.abc import Sequence
from typing import IO, Any, Literal, TypeAlias

import msgspec
from toolcast.runtime.errors import RefusalError

from .engine import Connection, Sql, bound, describe, sql
from .table import Column, Table, source_table, unique_names

Format: TypeAlias = Literal["csv", "tsv", "json", "jsonl", "parquet", "xlsx"]

_ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
}
_MOST_COLUMNS = 1000


def format_of(path: str, stated: Format | Literal["auto"]) -> Format:
    """Return the format of a file.

    Raises RefusalError: the ending tells nothing.

    Args:
        stated: the format that it stated, or "auto".
    """
    if stated != "auto":
        return stated
    ending = os.path.splitext(path)[1].lower()  # noqa: PTH122 - the path is a text of the model
    if ending not in _ENDINGS:
        raise RefusalError(
            f"The ending of {path!r:.200} does not tell how the file is written. State the format: csv, tsv, "
            "json, jsonl, parquet or xlsx."
        )
    return _ENDINGS[ending]


def descriptor_path(descriptor: int) -> str:
    """Return the path by which this process opens one of its own descriptors."""
    return f"/dev/fd/{descriptor}"


def file_table(connection: Connection, format: Format, path: str, sample: int) -> Table:
    """Make a table of a file.

    Raises RefusalError: the file has no columns, or too many.

    Args:
        format: how the file is written; no workbook.
        path: path of the open file.
        sample: rows from which types are inferred; -1 for all.
    """
    read = _reader(format, path, sample)
    described = describe(connection, read)
    _check_width(len(described))
    return source_table(read, described, unique_names([name for name, _ in described]))


def result_table(path: str, columns: Sequence[Column]) -> Table:
    """Make a table of an earlier result.

    Args:
        path: path of the open file, as `store` wrote it.
    """
    read = sql("SELECT * FROM read_parquet({})", bound(path))
    described = [(f"c{n}", column.type) for n, column in enumerate(columns)]
    return source_table(read, described, [column.name for column in columns])


def _reader(format: Format, path: str, sample: int) -> Sql:
    where = bound(path)
    if format == "parquet":
        return sql("SELECT * FROM read_parquet({})", where)
    if format in ("csv", "tsv"):
        tab = ", delim = '\\t'" if format == "tsv" else ""
        return sql(f"SELECT * FROM read_csv({{}}, sample_size = {sample}{tab})", where)
    lines = ", format = 'newline_delimited'" if format == "jsonl" else ""
    return sql(f"SELECT * FROM read_json({{}}, sample_size = {sample}{lines})", where)


def read_workbook(file: IO[bytes], sheet: str | None) -> tuple[list[str], list[list[Any]]]:
    """Read a sheet whose first row has the names of the columns.

    Returns the names, and the rows below. Raises RefusalError: the file is no workbook, has no such sheet, or
    the sheet is empty.

    Args:
        sheet: name of the sheet; None for the first one.
    """
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        book = CalamineWorkbook.from_filelike(file)
        names = book.sheet_names
        if not names or (sheet is not None and sheet not in names):
            listed = ", ".join(repr(name) for name in names[:20])
            raise RefusalError(f"There is no sheet {sheet!r:.120}. The workbook has: {listed or 'none'}.")
        cells = book.get_sheet_by_name(sheet or names[0]).to_python(skip_empty_area=True)
    except (CalamineError, OSError, ValueError) as problem:
        raise RefusalError(f"The file cannot be read as a workbook: {problem!s:.200}.") from problem
    if not cells:
        raise RefusalError("The sheet is empty. Name another one.")
    _check_width(len(cells[0]))
    rows = [[None if cell == "" else cell for cell in row] for row in cells[1:]]
    return unique_names([_text(cell) or "" for cell in cells[0]]), rows


def rows_table(
    connection: Connection, names: Sequence[str], rows: Sequence[Sequence[object]], path: str
) -> Table:
    """Make a table of rows that were written with `write_rows`.

    Args:
        names: names of the columns.
        rows: the rows, which decide the types.
        path: path of the file with the rows.
    """
    types = [_type_of([row[n] for row in rows]) for n in range(len(names))]
    stated = ", ".join(f"c{n}: '{type}'" for n, type in enumerate(types))
    read = sql(
        f"SELECT * FROM read_json({{}}, format = 'newline_delimited', columns = {{{{{stated}}}}})",
        bound(path),
    )
    return source_table(read, describe(connection, read), names)


def write_rows(rows: Sequence[Sequence[object]], names: Sequence[str]) -> IO[bytes]:
    """Write rows for `rows_table`, into a file that nothing else can open.

    Raises RefusalError: a row is not as long as the columns.

    Args:
        names: names of the columns.
    """
    short = next((number for number, row in enumerate(rows, 1) if len(row) != len(names)), None)
    if short is not None:
        raise RefusalError(
            f"Row {short} has {len(rows[short - 1])} cells, and there are {len(names)} columns. Give each "
            "row one cell for each column."
        )
    texts = [_type_of([row[n] for row in rows]) == "VARCHAR" for n in range(len(names))]
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    encoder = msgspec.json.Encoder()
    for row in rows:
        cells = {f"c{n}": _text(cell) if texts[n] else _plain(cell) for n, cell in enumerate(row)}
        file.write(encoder.encode(cells) + b"\n")
    file.flush()
    return file


def _type_of(cells: Sequence[Any]) -> str:
    """Return the type that holds all cells; text where they differ."""
    present = [cell for cell in cells if cell is not None]
    kinds = {type(cell) for cell in present}
    if not kinds:
        return "VARCHAR"
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds <= {int, float}:
        integral = all(float(cell).is_integer() and abs(cell) < 2**53 for cell in present)
        if kinds == {int}:
            return "BIGINT" if all(abs(cell) < 2**63 for cell in present) else "DOUBLE"
        # A workbook has no integers of its own.
        return "BIGINT" if integral and kinds == {float} else "DOUBLE"
    if kinds == {datetime.date}:
        return "DATE"
    if kinds <= {datetime.date, datetime.datetime}:
        return "TIMESTAMP"
    return "TIME" if kinds == {datetime.time} else "VARCHAR"


def _plain(cell: object) -> object:
    """Return a cell of a column that holds no texts."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return int(cell)
    return cell.isoformat() if isinstance(cell, (datetime.date, datetime.time)) else cell


def _text(cell: object) -> str | None:
    """Return a cell of a column of texts."""
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, (datetime.date, datetime.time)):
        return cell.isoformat()
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return str(cell)


def _check_width(width: int) -> None:
    if not 1 <= width <= _MOST_COLUMNS:
        raise RefusalError(f"The table has {width} columns; 1 to {_MOST_COLUMNS} can be worked with.")
