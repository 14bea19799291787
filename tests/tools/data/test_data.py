"""Tables of files, rows and earlier results; outputs; limits."""

import asyncio
import errno
import json
import math
import os
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from toolcast_tools.data import Data
from toolcast_tools.data.analysis import to_json
from toolcast_tools.workspace import Workspace

from tests.held import descriptors
from tests.tools.data.analyst import Analyst, analysed, inline

SALES = "region,amount,day\nEMEA,150.5,2024-01-02\nUS,99,2024-01-03\nEMEA,,2024-02-29\n"
ROWS = [["EMEA", 150.5, "2024-01-02"], ["US", 99.0, "2024-01-03"], ["EMEA", None, "2024-02-29"]]
TYPES = [("region", "string"), ("amount", "number"), ("day", "date")]


def write_parquet(path: Path, query: str) -> None:
    import duckdb

    duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")


def write_xlsx(path: Path, rows: list[list[Any]]) -> None:
    """A workbook with one sheet of inline texts and numbers."""
    import zipfile
    from xml.sax.saxutils import escape

    def cell(value: Any) -> str:
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
        return "<c/>" if value is None else f"<c><v>{value}</v></c>"

    body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override '
            'PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.'
            'spreadsheetml.sheet.main+xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}"><Relationship Id="rId1" '
            f'Type="{relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets>'
            '<sheet name="Q3" sheetId="1" r:id="rId1"/></sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}"><Relationship Id="rId1" '
            f'Type="{relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/worksheets/sheet1.xml", f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>'
        )


def write_files(folder: Path) -> None:
    (folder / "sales.csv").write_text(SALES)
    (folder / "sales.tsv").write_text(SALES.replace(",", "\t"))
    records = [dict(zip(("region", "amount", "day"), row, strict=True)) for row in ROWS]
    (folder / "sales.json").write_text(json.dumps(records))
    (folder / "sales.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    write_parquet(folder / "sales.parquet", f"SELECT * FROM read_csv('{folder}/sales.csv')")
    write_xlsx(folder / "sales.xlsx", [["region", "amount", "day"], *ROWS])


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl", "parquet", "xlsx"])
def test_every_format_gives_the_same_table(analyst: Analyst, ending: str) -> None:
    write_files(analyst.folder)
    result = analyst(f"sales.{ending}")
    assert result.success, result.error
    types = [(column.name, column.type) for column in result.data.columns]
    assert types == (TYPES if ending != "xlsx" else [*TYPES[:2], ("day", "string")])
    assert result.data.rows == ROWS
    assert not result.data.truncated
    stated = {"kind": "file", "file_path": str(analyst.folder / f"sales.{ending}"), "format": ending}
    assert analyst.rows(stated) == ROWS


def test_a_result_is_the_source_of_a_later_call(contained: Analyst) -> None:
    (contained.folder / "sales.csv").write_text(SALES)
    sort = {"op": "sort", "keys": [{"column": "amount", "descending": True}]}
    first = contained("sales.csv", sort, output="schema")
    assert first.data.rows is None
    (contained.folder / "sales.csv").unlink()
    source = {"kind": "result", "result_id": first.data.result_id}
    assert contained.rows(source) == ROWS
    assert contained.rows(source, {"op": "limit", "count": 1, "offset": 2}) == ROWS[2:]


@pytest.mark.usefixtures("in_process")
def test_the_oldest_result_goes_first(tmp_path: Path) -> None:
    analyst = Analyst(tmp_path, max_results=2)
    ids = [analyst(inline(["a"], [[number]])).data.result_id for number in range(2)]
    assert analyst.rows({"kind": "result", "result_id": ids[0]}) == [[0]]  # this is a result, too
    assert "no result" in analyst.error({"kind": "result", "result_id": ids[1]})
    analyst.close()


def test_order_is_kept_over_many_groups_of_rows(analyst: Analyst) -> None:
    """Threads share the work: rows, ties and fills keep the order of the file."""
    lines = (f"{n},{n % 7},{n if n % 1000 == 0 else ''}" for n in range(400_000))
    (analyst.folder / "many.csv").write_text("n,k,f\n" + "\n".join(lines))
    fill = {"op": "fill", "column": "f", "value": None}
    sort = {"op": "sort", "keys": [{"column": "k", "descending": True}]}
    offset = {"op": "limit", "count": 3, "offset": 200_000}
    keys = sorted(range(400_000), key=lambda n: -(n % 7))[200_000:200_003]
    assert analyst.rows("many.csv", fill, sort, offset) == [[n, n % 7, n // 1000 * 1000] for n in keys]


def test_types_that_later_rows_refute_are_inferred_from_all_rows(analyst: Analyst) -> None:
    (analyst.folder / "late.csv").write_text("n\n" + "1\n" * 300_000 + "x\n")
    count = {"op": "group", "by": ["n"], "aggregates": [{"function": "count", "column": "n", "as": "c"}]}
    assert analyst.rows("late.csv", count) == [["1", 300_000], ["x", 1]]


def test_summary(analyst: Analyst) -> None:
    rows = [[1, "a", True], [2, "b", None], [4, "a", False], [None, None, True]]
    result = analyst(inline(["n", "t", "b"], rows), output="summary", decimals=2)
    assert result.data.summary == {
        "n": {
            "count": 3, "missing": 1, "distinct": 3, "mean": 2.33, "std": 1.53, "min": 1, "q1": 1.5,
            "median": 2, "q3": 3, "max": 4,
        },
        "t": {"count": 3, "missing": 1, "distinct": 2},
        "b": {"count": 3, "missing": 1, "distinct": 2, "true": 2},
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["line", "bar", "scatter", "histogram"])
def test_a_chart_is_an_image_that_runs_and_loads_nothing(analyst: Analyst, kind: str) -> None:
    rows = [[number, number * number, f"<script>{number}</script>"] for number in range(10)]
    title = '"><script>alert(1)</script>\x00\x1b[2J'
    result = analyst(
        inline(["x", "y", "l"], rows),
        output="chart",
        chart={"type": kind, "x": "x", "y": ["y"], "title": title, "size": [300, 200]},
    )
    assert result.success, result.error
    text = Path(result.data.chart_path).read_text()
    root = ET.fromstring(text)
    assert (root.get("width"), root.get("height")) == ("300", "200")
    assert not [each for each in root.iter() if str(each.tag).lower().endswith("script")]
    assert not [key for each in root.iter() for key in each.attrib if key.lower().startswith("on")]
    links = [value for each in root.iter() for key, value in each.attrib.items() if key.endswith("href")]
    assert all(link.startswith("#") for link in links)
    assert "\x1b" not in text
    assert "@import" not in text
    assert "alert(1)" in "".join(root.itertext())  # as text


@pytest.mark.usefixtures("in_process")
def test_charts_past_the_limit_are_removed_and_the_rest_with_the_handler(tmp_path: Path) -> None:
    analyst = Analyst(tmp_path, max_charts=2)
    chart = {"type": "line", "x": "x", "y": ["x"]}
    paths = [
        Path(analyst(inline(["x"], [[1], [2]]), output="chart", chart=chart).data.chart_path)
        for _ in range(3)
    ]
    assert [path.exists() for path in paths] == [False, True, True]
    analyst.close()
    assert not paths[0].parent.exists()


@pytest.mark.usefixtures("in_process")
def test_a_chart_that_cannot_be_removed_takes_no_new_one_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "charts"
    folder.mkdir()
    analyst = Analyst(tmp_path, charts=folder, max_charts=1)
    chart = {"type": "line", "x": "x", "y": ["x"]}
    first = Path(analyst(inline(["x"], [[1], [2]]), output="chart", chart=chart).data.chart_path)
    first.unlink()
    first.mkdir()
    second = analyst(inline(["x"], [[1], [2]]), output="chart", chart=chart)
    assert second.success, second.error
    assert Path(second.data.chart_path).is_file()
    analyst.close()


@pytest.mark.usefixtures("in_process")
def test_charts_in_a_folder_of_the_program_stay(tmp_path: Path) -> None:
    folder = tmp_path / "charts"
    folder.mkdir()
    analyst = Analyst(tmp_path, charts=folder)
    chart = {"type": "bar", "x": "x", "y": ["x"]}
    path = Path(analyst(inline(["x"], [[1], [2]]), output="chart", chart=chart).data.chart_path)
    analyst.close()
    assert path.parent == folder
    assert path.exists()


def test_cells_become_json(analyst: Analyst) -> None:
    cells = (
        "1.25::DECIMAL(9,2) AS d", "'nan'::DOUBLE AS nan", "'-inf'::DOUBLE AS inf",
        "TIMESTAMP '2024-01-02 03:04:05' AS at", "TIME '01:02:03' AS t", "'\\xFF'::BLOB AS b",
        "{'k': [1, NULL]} AS s", "170141183460469231731687::HUGEINT AS h", "INTERVAL 2 DAY AS i",
        "'00000000-0000-0000-0000-000000000001'::UUID AS u", "18446744073709551615::UBIGINT AS big",
        "0.123456789 AS x", "-0.00001::DOUBLE AS zero",
    )  # fmt: skip
    write_parquet(analyst.folder / "cells.parquet", f"SELECT {', '.join(cells)}")
    result = analyst("cells.parquet")
    assert result.success, result.error
    assert result.data.rows == [
        [
            1.25, None, "-Infinity", "2024-01-02T03:04:05", "01:02:03", "/w==", '{"k":[1,null]}',
            pytest.approx(1.7014118346046923e23), "2 days", "00000000-0000-0000-0000-000000000001",
            18446744073709551615, 0.1235, 0,
        ]
    ]  # fmt: skip
    assert math.copysign(1, result.data.rows[0][-1]) == 1
    kinds = [column.type for column in result.data.columns]
    assert kinds[:5] == ["number", "number", "number", "datetime", "string"]


def test_long_cells_and_long_results_are_cut(analyst: Analyst) -> None:
    (analyst.folder / "long.csv").write_text("a\n" + "\n".join("x" * 100_000 for _ in range(20)))
    assert all(len(row[0]) == 2001 for row in analyst.rows("long.csv"))
    (analyst.folder / "wide.csv").write_text("a\n" + "\n".join("y" * 2000 for _ in range(1000)))
    result = analyst("wide.csv", max_rows=1000)
    assert result.data.truncated
    assert len(result.data.rows) == 500
    assert result.data.row_count == 1000


def test_dates_compare_as_dates(analyst: Analyst) -> None:
    (analyst.folder / "sales.csv").write_text(SALES)

    def kept(**condition: Any) -> list[list[Any]]:
        return analyst.rows(
            "sales.csv", {"op": "filter", "filter": {"where": [{"field": "day", **condition}]}}
        )

    assert kept(op="ge", value="2024-01-03") == ROWS[1:]
    assert kept(op="lt", value="2024-01-03T12:00:00") == ROWS[:2]
    assert kept(op="in", value=["2024-02-29"]) == ROWS[2:]
    wrong = {"field": "day", "op": "eq", "value": "yesterday"}
    assert "ISO 8601" in analyst.error("sales.csv", {"op": "filter", "filter": {"where": [wrong]}})


def test_dots_reach_into_records(analyst: Analyst) -> None:
    (analyst.folder / "r.json").write_text(
        '[{"author": {"name": "ann"}, "a.b": 1}, {"author": {"name": "bob"}, "a.b": 2}]'
    )

    def named(field: str, value: Any) -> dict[str, Any]:
        return {"op": "filter", "filter": {"where": [{"field": field, "op": "eq", "value": value}]}}

    assert analyst.rows("r.json", named("author.name", "bob")) == [['{"name":"bob"}', 2]]
    assert analyst.rows("r.json", named("a.b", 1)) == [['{"name":"ann"}', 1]]


STEPS: list[tuple[dict[str, Any], str]] = [
    ({"op": "select", "columns": ["N"]}, "Did you mean 'n'?"),
    ({"op": "select", "columns": ["zzz"]}, "The columns are: 'n', 't'."),
    ({"op": "select", "columns": ["n", "t"], "rename": {"n": "t"}}, "would be named 't'"),
    ({"op": "filter", "filter": {"where": [{"field": "n", "op": "eq", "value": "1"}]}}, "must be a number"),
    ({"op": "filter", "filter": {"where": [{"field": "n", "op": "in", "value": 1}]}}, "takes a list"),
    ({"op": "filter", "filter": {"where": [{"field": "n", "op": "eq"}]}}, "must be a number"),
    ({"op": "filter", "filter": {"where": [{"field": "n", "op": "contains", "value": "1"}]}}, "must be text"),
    ({"op": "fill", "column": "n", "value": "none"}, "Give a value of that type."),
    ({"op": "group", "by": [], "aggregates": [{"function": "sum", "column": "t"}]}, "sum needs numbers"),
    ({"op": "derive", "column": "x", "expression": "n +"}, "cannot be read"),
    ({"op": "derive", "column": "x", "expression": "m + 1"}, "There is no column 'm'"),
    ({"op": "derive", "column": "x", "expression": "lower(n, 2)"}, "lower takes 1 arguments"),
    ({"op": "derive", "column": "x", "expression": "t * 2"}, "Step 1 (derive)"),
    ({"op": "sql", "query": "SELECT m FROM data"}, "m"),
]  # fmt: skip


@pytest.mark.parametrize(("step", "words"), STEPS)
def test_a_step_that_does_not_fit_is_refused_in_words(step: dict[str, Any], words: str) -> None:
    refusal = analysed(inline(["n", "t"], [[1, "a"]]), step).refusal
    assert refusal.startswith("Step 1 (")
    assert words in refusal
    assert "/dev/fd" not in refusal


def test_a_division_by_zero_is_a_missing_cell() -> None:
    step = {"op": "derive", "column": "x", "expression": "n % 0"}
    assert analysed(inline(["n"], [[1]]), step).rows == [[1, None]]


FILES: list[tuple[str, bytes, str]] = [
    ("broken.parquet", b"PAR1 and no more", "'broken.parquet'"),
    ("broken.xlsx", b"PK\x03\x04 and no more", "workbook"),
    ("broken.json", b'{"a": ', "'broken.json'"),
    ("table.txt", b"a,b", "State the format"),
    ("binary.csv", b"a,b\n\xff\xfe\x00,1\n", "not utf-8"),
]


@pytest.mark.parametrize(("name", "content", "words"), FILES)
def test_a_file_that_is_no_table_is_refused(analyst: Analyst, name: str, content: bytes, words: str) -> None:
    (analyst.folder / name).write_bytes(content)
    error = analyst.error(name)
    assert words in error
    assert "/dev/fd" not in error
    assert "/proc" not in error


def test_a_missing_file_is_named_as_the_model_wrote_it(analyst: Analyst) -> None:
    assert "'sub/none.csv'" in analyst.error("sub/none.csv")


def test_a_sheet_that_is_missing_is_named(analyst: Analyst) -> None:
    write_xlsx(analyst.folder / "b.xlsx", [["a"], [1]])
    error = analyst.error({"kind": "file", "file_path": "b.xlsx", "sheet": "Q4"})
    assert "no sheet 'Q4'" in error
    assert "'Q3'" in error


def test_a_column_of_different_types_becomes_text() -> None:
    rows = [[1, 1, True, 2.5], ["", None, 1, 3], [2.5, 2, None, None]]
    reply = analysed(inline(["a", "b", "c", "d"], rows))
    assert reply.rows == [["1", 1, "true", 2.5], ["", None, "1", 3], ["2.5", 2, None, None]]
    assert [column.kind for column in reply.columns] == ["string", "integer", "string", "number"]


def test_rows_that_are_too_short_are_refused(analyst: Analyst) -> None:
    assert "Row 2 has 1 cells" in analyst.error(inline(["a", "b"], [[1, 2], [3]]))


def test_calls_at_once_keep_their_results(tmp_path: Path) -> None:
    analyst = Analyst(tmp_path, max_running=2)

    async def main() -> list[Any]:
        return await asyncio.gather(*(analyst.call(inline(["a"], [[number]])) for number in range(4)))

    results = asyncio.run(main())
    assert [result.data.rows for result in results] == [[[number]] for number in range(4)]
    assert len({result.data.result_id for result in results}) == 4
    analyst.close()


def test_after_aclose_calls_are_refused(contained: Analyst) -> None:
    contained.close()
    contained.close()
    assert "ending" in contained.error(inline(["a"], [[1]]))


def test_limits_must_be_above_0(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="above 0"):
        Data(Workspace(tmp_path), timeout=0)
    with pytest.raises(ValueError, match="no folder"):
        Data(Workspace(tmp_path), charts=tmp_path / "none")


def test_a_missing_library_is_named_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ImportError, match=r"toolcast\[tools\]"):
        Data(Workspace(tmp_path))


def test_no_descriptor_is_left_open(contained: Analyst) -> None:
    (contained.folder / "sales.csv").write_text(SALES)
    contained("sales.csv")
    contained.data._results.clear()
    before = descriptors()
    contained("sales.csv")
    contained.error("none.csv")
    contained.error(inline(["a"], [[1]]), {"op": "select", "columns": ["none"]})
    contained.data._results.clear()
    assert descriptors() <= before


@pytest.mark.parametrize(
    ("cell", "shown"), [(2**64, 1.8446744073709552e19), (-(2**63), -(2**63)), (True, True), ("é", "é")]
)
def test_integers_past_64_bits_are_numbers(cell: Any, shown: Any) -> None:
    assert to_json(cell, 4) == shown


def test_a_process_that_ended_is_waited_for_once(
    contained: Analyst, caplog: pytest.LogCaptureFixture
) -> None:
    """A signal to a process that has just ended would take its status from the event loop."""
    for number in range(2):
        assert contained.rows(inline(["a"], [[number]])) == [[number]]
    assert "Unknown child process" not in caplog.text


def test_what_the_system_lacks_is_refused_in_words(analyst: Analyst, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr("toolcast_tools.data.data.carry_out", fail)
    result = analyst(inline(["a"], [[1]]))
    assert result.error == (
        "The analysis could not be carried out: Too many open files. Try again later, or tell the user."
    )


def test_rows_that_do_not_fit_on_the_disk_are_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("toolcast_tools.data.analysis.write_rows", fail)
    reply = analysed(inline(["a"], [[1]]))
    assert reply.refusal == "The analysis failed: No space left on device. Try again later, or tell the user."
