"""The strategies draw JSON Schema, whatever tests do with what they drew."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.providers.passes.strategies import schemas
from tests.providers.strategies import contracts


def spoil(value: Any) -> None:
    if isinstance(value, dict):
        for below in [*value.values()]:
            spoil(below)
        value["type"] = {"spoilt": True}
    elif isinstance(value, list):
        for below in value:
            spoil(below)


@pytest.mark.parametrize("strategy", [contracts(), schemas()], ids=["contracts", "schemas"])
@given(data=st.data())
def test_a_changed_draw_changes_no_other(strategy: st.SearchStrategy[Any], data: st.DataObject) -> None:
    schema = data.draw(strategy)
    assert jsonschema_rs.meta.is_valid(schema)
    spoil(schema)
