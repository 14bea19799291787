"""`x-python`: strings held as Python values, exactly as far as the schema lets them."""

import datetime
import decimal
import uuid
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import ArgumentError

from tests.python.compiled import package, refusal, source, spec


def _schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


WHOLE = _schema(
    when={"type": "string", "x-python": "datetime"},
    day={"type": "string", "format": "date", "x-python": "date", "default": "2024-02-29"},
    id={"type": ["string", "null"], "x-python": "uuid"},
    price={"type": "string", "x-python": "decimal"},
    many={"type": "array", "items": {"type": "string", "x-python": "date"}},
)


def test_values_are_python_values_and_come_back_as_text() -> None:
    value = {
        "when": "2024-02-29T12:30:00+02:00",
        "day": "2023-01-31",
        "id": "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
        "price": "10.50",
        "many": ["0001-01-01", "9999-12-31"],
    }
    with package({"tool.json": spec(WHOLE)}, {}) as bindings:
        tool = bindings["tool"]
        found = tool.decode(value)
        assert found.when.utcoffset() == datetime.timedelta(hours=2)
        assert found.day == datetime.date(2023, 1, 31)
        assert found.id == uuid.UUID(value["id"])
        assert found.price == decimal.Decimal("10.50")
        assert found.many == [datetime.date.min, datetime.date.max]
        assert tool.decode(b'{"id": null}').id is None
        assert tool.decode(b"{}").day == datetime.date(2024, 2, 29)
        assert msgspec.json.decode(tool.encode(found)) == value
        assert tool.decode(tool.encode(found)) == found


NASTY = [
    "2024-02-30T00:00:00Z",
    "2024-01-01T23:59:60Z",
    "0000-01-01T00:00:00Z",
    "2024-01-01",
    "2024-01-01T00:00:00",
    "-0",
    "00.1",
    "1.",
    "1e5",
    "2024-01-01T00:00:00.1234567Z",
    "2024-01-01t00:00:00z",
    "9999-12-31T23:59:59-23:59",
    "0001-01-01T00:00:00+23:59",
    "2024-01-01T00:00:00+24:00",
    "NaN",
    "Infinity",
    "٣",
    "2EB8AA08-AA98-11EA-B4AA-73B441D16380",
    "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}",
]
NASTY += ["", "\n", "2024-01-01\n", "2024-01-01 00:00:00Z"]


@given(
    st.sampled_from(["when", "day", "id", "price"]),
    st.sampled_from(NASTY)
    | st.datetimes(timezones=st.timezones()).map(datetime.datetime.isoformat)
    | st.dates().map(str)
    | st.decimals(allow_nan=False).map(str)
    | st.uuids().map(str)
    | st.text(max_size=6),
)
def test_the_schema_is_the_judge(tools: Any, name: str, text: str) -> None:
    tool, judge = tools
    expected = judge.is_valid({name: text})
    try:
        found = tool.decode(msgspec.json.encode({name: text}))
    except ArgumentError:
        assert not expected, text
        return
    assert expected, text
    again = tool.decode(tool.encode(found))
    assert again == found


@pytest.fixture(scope="module")
def tools() -> Any:
    with package({"tool.json": spec(WHOLE)}, {}) as bindings:
        tool = bindings["tool"]
        yield tool, jsonschema_rs.Draft202012Validator(tool.schema(), validate_formats=True)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "x-python": "time"},
        {"type": "integer", "x-python": "decimal"},
        {"type": "string", "format": "email", "x-python": "uuid"},
        {"type": "string", "pattern": "^a", "x-python": "decimal"},
        {"type": "string", "enum": ["2024-01-01"], "x-python": "date"},
        {"x-python": "date"},
    ],
)
def test_what_no_type_could_hold_is_refused(schema: dict[str, Any]) -> None:
    assert refusal(_schema(value=schema)).codes == ["python-type"]


def test_a_property_of_that_name_is_only_a_property() -> None:
    text = source(
        _schema(**{"x-python": {"type": "string"}, "datetime": {"type": "string", "format": "date"}})
    )
    assert "import datetime" not in text
