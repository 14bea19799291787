"""Older drafts raised: what says which draft a schema is of."""

from __future__ import annotations

import jsonschema_rs
import pytest
from toolcast.providers import normalize


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("draft", ["draft-04/", "draft-06/", "draft-07/", "draft/2019-09/", ""])
@pytest.mark.parametrize("end", ["", "#"])
def test_what_was_raised_no_longer_says_it_is_of_an_older_draft(scheme: str, draft: str, end: str) -> None:
    """Who obeys `$schema` would read `items: false` beside `prefixItems` as no item at all."""
    schema = {
        "$schema": f"{scheme}://json-schema.org/{draft}schema{end}",
        "type": "object",
        "properties": {"t": {"type": "array", "items": [{"type": "integer"}], "additionalItems": False}},
    }
    result = normalize(schema, "mcp")
    assert result.schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert jsonschema_rs.validator_for(result.schema).is_valid({"t": [1]})
    assert not jsonschema_rs.validator_for(result.schema).is_valid({"t": [1, 2]})
    reported = next(entry for entry in result.ledger if entry.keyword == "$schema")
    assert (reported.path, reported.action, reported.severity) == ("", "rewritten", "kept elsewhere")
    assert normalize(result.schema, "mcp").schema == result.schema


@pytest.mark.parametrize("stated", ["https://json-schema.org/draft/2020-12/schema", "urn:mine"])
def test_other_dialects_stay_as_they_are(stated: str) -> None:
    schema = {"$schema": stated, "type": "object", "properties": {"a": {"type": "string"}}}
    assert normalize(schema, "mcp").schema == schema


def test_where_schema_is_dropped_the_ledger_says_so_once() -> None:
    result = normalize({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}, "gemini")
    assert "$schema" not in result.schema
    assert [entry.action for entry in result.ledger if entry.keyword == "$schema"] == ["dropped"]
