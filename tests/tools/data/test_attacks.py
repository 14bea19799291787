"""Ways of a model, or of a file, out of the analysis: each is refused, or ends within limits."""

import asyncio
import gzip
import os
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from toolcast.runtime import RefusalError
from toolcast_tools.data.analysis import Request, analyse
from toolcast_tools.data.engine import Connection, connect
from toolcast_tools.data.steps import check_query
from toolcast_tools.generated.data.data_analysis import DataAnalysisParams

from tests.loops import in_loop
from tests.tools.data.analyst import MEMORY, Analyst, analysed, inline
from tests.tools.data.test_data import write_xlsx

TABLE = inline(["a", "b"], [[1, "x"], [2, "y"]])

QUERIES = {
    "read_csv": "SELECT * FROM read_csv('/etc/passwd')",
    "read_text": "SELECT content FROM read_text('/etc/passwd')",
    "read_blob": "SELECT * FROM read_blob('/etc/passwd')",
    "read_json": "SELECT * FROM read_json('/etc/passwd')",
    "read_parquet": "SELECT * FROM read_parquet('/etc/passwd')",
    "read_duckdb": "SELECT * FROM read_duckdb('/tmp/x.db')",
    "parquet_metadata": "SELECT * FROM parquet_metadata('/etc/passwd')",
    "sniff_csv": "SELECT * FROM sniff_csv('/etc/passwd')",
    "a_file_name_as_a_table": "SELECT * FROM '/etc/passwd'",
    "a_csv_name_as_a_table": "SELECT * FROM '/tmp/x.csv'",
    "own_descriptors": "SELECT content FROM read_text('/dev/fd/0')",
    "a_url": "SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')",
    "a_url_as_a_table": "SELECT * FROM 'https://example.com/x.parquet'",
    "glob": "SELECT * FROM glob('/*')",
    "the_environment": "SELECT getenv('HOME')",
    "settings": "SELECT * FROM duckdb_settings()",
    "a_setting": "SELECT current_setting('allowed_paths')",
    "secrets": "SELECT * FROM duckdb_secrets()",
    "which_secret": "SELECT * FROM which_secret('s3://x', 's3')",
    "a_python_variable": "SELECT * FROM pd",
    "a_pointer_to_an_object": "SELECT * FROM pandas_scan(1)",
    "a_pointer_to_arrow": "SELECT * FROM arrow_scan(1, 2, 3)",
    "a_python_function": "SELECT * FROM python_map_function(1)",
    "the_catalog": "SELECT * FROM information_schema.tables",
    "the_own_catalog": "SELECT * FROM duckdb_tables()",
    "the_master_table": "SELECT * FROM sqlite_master",
    "the_table_of_a_step": "SELECT * FROM s0",
    "a_qualified_table": "SELECT * FROM memory.main.data",
    "a_query_in_a_text": "SELECT * FROM query('SELECT * FROM ''/etc/passwd''')",
    "a_table_in_a_text": "SELECT * FROM query_table(['/etc/passwd'])",
    "a_serialized_query": "SELECT * FROM json_execute_serialized_sql('{}')",
    "in_a_subquery": "SELECT (SELECT content FROM read_text('/etc/passwd'))",
    "in_a_condition": "SELECT * FROM data WHERE a IN (SELECT 1 FROM read_text('/etc/passwd'))",
    "in_a_common_table": "WITH t AS (SELECT * FROM read_text('/etc/passwd')) SELECT * FROM t",
    "in_a_recursion": "WITH RECURSIVE t AS (SELECT 1 UNION SELECT size FROM read_text('/x')) FROM t",
    "in_a_union": "SELECT a FROM data UNION ALL SELECT size FROM read_text('/etc/passwd')",
    "in_a_join": "SELECT * FROM data JOIN read_text('/etc/passwd') ON true",
    "in_a_lateral_join": "SELECT * FROM data, LATERAL (SELECT * FROM read_text('/etc/passwd'))",
    "in_a_pivot": "PIVOT (SELECT * FROM read_text('/etc/passwd')) ON size USING count(*)",
    "in_values": "VALUES ((SELECT content FROM read_text('/etc/passwd')))",
    "in_an_order": "SELECT a FROM data ORDER BY (SELECT size FROM read_text('/etc/passwd'))",
    "in_a_limit": "SELECT a FROM data LIMIT (SELECT 1 FROM read_text('/etc/passwd'))",
    "in_a_window": "SELECT sum(a) OVER (ORDER BY (SELECT size FROM read_text('/etc/passwd'))) FROM data",
    "in_a_lambda": "SELECT list_transform([1], lambda x: (SELECT size FROM read_text('/etc/passwd')))",
    "in_columns": "SELECT COLUMNS(c -> (SELECT true FROM read_text('/etc/passwd'))) FROM data",
    "a_log_entry": "SELECT write_log('x')",
    "sleep": "SELECT sleep_ms(100000)",
    "a_parameter": "SELECT $1",
    "another_parameter": "SELECT ?",
    "describe": "DESCRIBE data",
    "summarize": "SUMMARIZE data",
    "show": "SHOW TABLES",
    "copy": "COPY (SELECT 1) TO '/tmp/toolcast-attack.csv'",
    "copy_from": "COPY data FROM '/etc/passwd'",
    "attach": "ATTACH '/tmp/toolcast-attack.db'",
    "install": "INSTALL httpfs",
    "load": "LOAD '/tmp/x.duckdb_extension'",
    "pragma": "PRAGMA database_list",
    "set": "SET lock_configuration = false",
    "reset": "RESET enable_external_access",
    "call": "CALL pragma_version()",
    "create": "CREATE TABLE x AS SELECT 1",
    "a_macro": "CREATE MACRO m() AS (SELECT 1)",
    "a_secret": "CREATE SECRET s (TYPE s3)",
    "insert": "INSERT INTO data VALUES (1, 'x')",
    "insert_and_return": "WITH t AS (INSERT INTO data VALUES (1, 'x') RETURNING *) SELECT * FROM t",
    "drop": "DROP TABLE data",
    "export": "EXPORT DATABASE '/tmp/toolcast-attack'",
    "explain_analyze": "EXPLAIN ANALYZE SELECT 1",
    "a_second_statement": "SELECT 1; SELECT 2",
    "a_second_statement_in_a_comment": "SELECT 1 /* ; */ ; DROP TABLE data",
    "a_closed_bracket": "SELECT 1) TO '/tmp/toolcast-attack.csv' (FORMAT csv) --",
    "an_open_bracket": "SELECT * FROM data) UNION (SELECT 1, '2'",
    "a_comment": "SELECT 1 /*",
    "nothing": "-- only this",
    "a_zero_byte": "SELECT 1\0; DROP TABLE data",
}


@pytest.fixture(scope="module")
def connection() -> Connection:
    """One for all queries: a connection takes longer than they do."""
    return connect((), MEMORY, 1)


WHOLE = (
    "read_csv",
    "a_csv_name_as_a_table",
    "in_a_subquery",
    "copy",
    "a_second_statement",
    "a_closed_bracket",
)
CASES = [
    *((name, False) for name in QUERIES),
    *(pytest.param(name, True, marks=() if name in WHOLE else pytest.mark.thorough) for name in QUERIES),
]


@pytest.mark.parametrize(("name", "whole"), CASES)
def test_sql_reaches_the_table_of_its_step_and_nothing_else(
    name: str, whole: bool, connection: Connection
) -> None:
    """By the check of the query alone, and in a whole analysis."""
    query = QUERIES[name]
    if not whole:
        with pytest.raises(RefusalError):
            check_query(connection, query)
        return
    reply = analysed(TABLE, {"op": "sql", "query": query})
    assert reply.refusal.startswith("Step 1 (sql): "), (reply.refusal, reply.rows)
    assert not [*Path(tempfile.gettempdir()).glob("toolcast-attack*")]


@pytest.mark.parametrize(
    "query",
    [query for query in QUERIES.values() if query.startswith(("SELECT", "COPY", "ATTACH", "INSTALL", "SET"))],
)
def test_the_database_itself_reaches_nothing_where_the_check_would_fail(
    query: str, connection: Connection
) -> None:
    """The second barrier: settings that are locked. What passes it reads nothing from outside."""
    import duckdb

    connection.execute("CREATE OR REPLACE TABLE data AS SELECT 1 AS a, 'x' AS b")
    if "sleep" in query or "pandas_scan" in query or "arrow_scan" in query or "python_map" in query:
        return
    try:
        rows = connection.execute(query).fetchall()
    except duckdb.Error:
        return
    assert "root:" not in str(rows)
    assert not [*Path(tempfile.gettempdir()).glob("toolcast-attack*")]


EXPRESSIONS = [
    "(SELECT 1)", "read_text('/etc/passwd')", "getenv('HOME')", "current_setting('threads')", "a FROM data",
    "a), (b", "a; DROP TABLE data", "repeat('x', 1000000000)", "list_transform([1], lambda x: x)", "count(a)",
    "sum(a) OVER ()", "*", "COLUMNS(*)", "$1", "?", "a::ENUM('x')", "nextval('x')", "main.abs(a)", "a AS x",
    "abs(DISTINCT a)", "lower(b := 'x')", "[a]", "{'k': a}", "b[1]", "b COLLATE nocase",
    "regexp_matches(b, 'x')", "DEFAULT", "row(a)", "query('SELECT 1')",
]  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_is_arithmetic_and_nothing_else(expression: str) -> None:
    reply = analysed(TABLE, {"op": "derive", "column": "x", "expression": expression})
    assert reply.refusal.startswith("Step 1 (derive): "), (reply.refusal, reply.rows)


@pytest.mark.parametrize(
    "text", ["(" * 900 + "a" + ")" * 900, "-" * 1 + "- " * 900 + "a", "NOT " * 400 + "true"]
)
def test_an_expression_that_is_nested_deep_is_refused_or_computed(text: str) -> None:
    reply = analysed(TABLE, {"op": "derive", "column": "x", "expression": text[:2000]})
    assert reply.rows or reply.refusal


def test_a_query_that_is_nested_deep_is_refused() -> None:
    deep = "SELECT " + "(SELECT " * 800 + "1" + ")" * 800
    assert analysed(TABLE, {"op": "sql", "query": deep}).refusal


def test_a_filter_that_is_nested_deep_is_refused() -> None:
    tree: dict[str, Any] = {"where": [{"field": "a", "op": "eq", "value": 1}]}
    for _ in range(60):
        tree = {"not": tree}
    assert "nested 30 deep" in analysed(TABLE, {"op": "filter", "filter": tree}).refusal


def test_a_path_out_of_the_workspace_is_refused(analyst: Analyst) -> None:
    for path in ("/etc/passwd", "../x.csv", "/proc/self/environ", "/dev/fd/0"):
        source = {"kind": "file", "file_path": path, "format": "csv"}
        assert "workspace" in analyst.error(source) or "steps upwards" in analyst.error(source)


def test_a_link_out_of_the_workspace_is_refused(analyst: Analyst) -> None:
    (analyst.folder / "link.csv").symlink_to("/etc/passwd")
    assert "outside of the workspace" in analyst.error("link.csv")


def test_a_file_that_is_replaced_after_it_was_opened_is_read_as_it_was(tmp_path: Path) -> None:
    """The process gets the descriptor: the name leads elsewhere by then."""
    (tmp_path / "a.csv").write_text("a\n1\n")
    params = msgspec.convert({"source": {"kind": "file", "file_path": "a.csv"}}, DataAnalysisParams)
    with (tmp_path / "a.csv").open("rb") as source, tempfile.TemporaryFile() as output:
        (tmp_path / "a.csv").unlink()
        (tmp_path / "a.csv").symlink_to("/etc/passwd")
        request = Request(
            params=params,
            source=source.fileno(),
            format="csv",
            output=output.fileno(),
            memory=MEMORY,
            threads=1,
        )
        assert analyse(request).rows == [[1]]


def test_a_pipe_is_no_source(analyst: Analyst) -> None:
    os.mkfifo(analyst.folder / "pipe.csv")
    assert "no regular file" in analyst.error("pipe.csv")


def test_a_wildcard_in_a_file_name_is_a_name(analyst: Analyst) -> None:
    (analyst.folder / "other.csv").write_text("secret\n1\n")
    assert "'*.csv'" in analyst.error("*.csv")


def test_a_table_that_names_another_file_does_not_open_it(analyst: Analyst) -> None:
    (analyst.folder / "a.csv").write_text("/etc/passwd\nread_text('/etc/passwd')\n")
    assert analyst.rows("a.csv") == [["read_text('/etc/passwd')"]]


def test_an_id_of_a_result_cannot_be_guessed(analyst: Analyst) -> None:
    first, second = (analyst(TABLE).data.result_id for _ in range(2))
    assert len(first) >= 36
    assert first[:10] != second[:10]
    assert "no result" in analyst.error({"kind": "result", "result_id": "res_000000"})


def test_results_of_other_calls_cannot_be_reached_by_sql(contained: Analyst) -> None:
    other = contained(inline(["secret"], [["s3cret"]])).data.result_id
    for table in (other, f"'{other}'"):  # names inside of its own database: QUERIES
        assert "s3cret" not in contained.error(TABLE, {"op": "sql", "query": f"SELECT * FROM {table}"})


@in_loop
async def test_the_process_has_none_of_the_environment(
    contained: Analyst, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is started is looked at by the system's own means."""
    monkeypatch.setenv("TOOLCAST_ATTACK", "s3cret")
    environments: list[bytes] = []

    if not Path("/proc/self/environ").exists():
        pytest.skip("needs /proc")
    task = asyncio.create_task(contained.call(TABLE, {"op": "sql", "query": ENDLESS}))
    while not contained.data._running:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)
    environments.extend(Path(f"/proc/{each.pid}/environ").read_bytes() for each in contained.data._running)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert len(environments) == 1
    assert b"s3cret" not in environments[0]


ENDLESS = "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t"
MANY = "range(1000000)"
BOMBS = {
    "an_endless_recursion": ENDLESS,
    "a_long_text": "SELECT repeat('a', 4000000000) FROM data",
    "texts_that_double": "WITH RECURSIVE t AS (SELECT 'x' AS s UNION ALL SELECT s || s FROM t) FROM t",
    "a_cross_join": f"SELECT sum(x.range * y.range + z.range) FROM {MANY} x, {MANY} y, {MANY} z",
    "a_cross_join_that_is_kept": f"SELECT hash(x.range) AS a, hash(y.range) AS b FROM {MANY} x, {MANY} y",
    "a_long_list": "SELECT list_sort(range(1000000000)) FROM data",
    "a_sort": f"FROM (SELECT hash(x.range) AS h, repeat('x', 500) AS t FROM {MANY} x, range(20)) ORDER BY h",
}
THOROUGH = [
    pytest.param(query, id=name, marks=() if number < 3 else pytest.mark.thorough)
    for number, (name, query) in enumerate(BOMBS.items())
]


@pytest.mark.parametrize("query", THOROUGH)
def test_a_bomb_ends_within_its_limits(tmp_path: Path, query: str) -> None:
    analyst = Analyst(
        tmp_path, timeout=1.0, memory_limit=128 * 1024 * 1024, max_result_bytes=16 * 1024 * 1024
    )
    result = analyst(TABLE, {"op": "sql", "query": query})
    assert not result.success
    assert any(words in result.error for words in ("stopped after", "memory", "too large", "failed")), (
        result.error
    )
    assert not analyst.data._running
    analyst.data._timeout = 60.0  # on a busy machine a process may need more than that second to begin
    assert analyst.rows(TABLE) == [[1, "x"], [2, "y"]]
    analyst.close()


def test_a_workbook_with_a_cell_far_away_takes_no_more_than_its_limit(contained: Analyst) -> None:
    """A dense table up to the last cell that a sheet can have would hold 17 thousand million cells."""
    write_xlsx(contained.folder / "far.xlsx", [["a"], [1]])
    with zipfile.ZipFile(contained.folder / "far.xlsx") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    far = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = (
        parts[sheet].replace(b"<row><c t", b'<row r="1"><c r="A1" t', 1).replace(b"</sheetData>", far)
    )
    with zipfile.ZipFile(contained.folder / "far.xlsx", "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    assert contained.error("far.xlsx")
    assert contained.rows(TABLE) == [[1, "x"], [2, "y"]]


@pytest.mark.thorough
def test_a_workbook_that_unpacks_to_too_much_takes_no_more_than_its_limit(tmp_path: Path) -> None:
    rows = "<row><c><v>1</v></c></row>" * 100_000
    write_xlsx(tmp_path / "bomb.xlsx", [["a"]])
    with zipfile.ZipFile(tmp_path / "bomb.xlsx") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            if not name.endswith("sheet1.xml"):
                archive.writestr(name, content)
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(
                b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
            )
            for _ in range(100):
                sheet.write(rows.encode())
            sheet.write(b"</sheetData></worksheet>")
    assert (tmp_path / "bomb.xlsx").stat().st_size < 3_000_000
    analyst = Analyst(tmp_path, timeout=5.0, memory_limit=64 * 1024 * 1024)
    assert analyst.error("bomb.xlsx")
    assert not analyst.data._running
    analyst.close()


def test_compressed_files_are_not_unpacked_behind_the_name(contained: Analyst) -> None:
    (contained.folder / "bomb.csv").write_bytes(gzip.compress(b"a\n" + b"1\n" * 2_000_000))
    result = contained("bomb.csv")
    assert not result.success or result.data.row_count < 2_000_000


def test_a_table_that_is_too_large_to_keep_is_refused(tmp_path: Path) -> None:
    analyst = Analyst(tmp_path, max_result_bytes=1024 * 1024)
    query = {"op": "sql", "query": "SELECT hash(range) AS h FROM range(1000000)"}
    assert "too large to be kept" in analyst.error(TABLE, query)
    analyst.close()


@in_loop
async def test_a_call_that_is_cancelled_leaves_no_process(contained: Analyst) -> None:
    task = asyncio.create_task(contained.call(TABLE, {"op": "sql", "query": ENDLESS}))
    while not contained.data._running:
        await asyncio.sleep(0.01)
    started = [each.pid for each in contained.data._running]
    await asyncio.sleep(0.2)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    [pid] = started
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert contained.data._places == 0


def test_aclose_ends_an_analysis_that_runs(contained: Analyst) -> None:
    async def main() -> Any:
        task = asyncio.create_task(contained.call(TABLE, {"op": "sql", "query": ENDLESS}))
        while not contained.data._running:
            await asyncio.sleep(0.01)
        await contained.data.aclose()
        return await task

    assert not asyncio.run(main()).success
    assert not contained.data._running
    assert len(contained.data._results) == 0


def test_the_process_ends_with_the_program_that_started_it(tmp_path: Path) -> None:
    """Also where that is killed: the end of its standard input is all that it needs."""
    program = f"""
import asyncio
from pathlib import Path
from tests.tools.data.analyst import Analyst
from tests.tools.data.test_attacks import ENDLESS, TABLE
analyst = Analyst(Path({str(tmp_path)!r}))
async def main():
    task = asyncio.create_task(analyst.call(TABLE, {{"op": "sql", "query": ENDLESS}}))
    while not analyst.data._running:
        await asyncio.sleep(0.01)
    print(*(each.pid for each in analyst.data._running), flush=True)
    await task
asyncio.run(main())
"""
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and _runs(pid):
        time.sleep(0.05)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    # A process that ended stays until its new parent waits for it.
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")
