"""The hand-written package that stands for generated code, and what the tests ask of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from toolcast.runtime import ToolBinding

from tests.runtime.sample.files.edit import EDIT
from tests.runtime.sample.misc.note import NOTE
from tests.runtime.sample.misc.shapes import SHAPES

SAMPLE = Path(__file__).parent / "sample"


@pytest.fixture
def edit() -> ToolBinding[Any, Any]:
    return EDIT


@pytest.fixture
def note() -> ToolBinding[Any, Any]:
    return NOTE


@pytest.fixture
def shapes() -> ToolBinding[Any, Any]:
    return SHAPES


@pytest.fixture(scope="session")
def oracle() -> Callable[[str], Any]:
    """An independent validator for a sample contract's parameters (or its result)."""

    def build(tool: str, key: str = "parameters") -> Any:
        contract = json.loads((SAMPLE / "contracts" / f"{tool}.json").read_text("utf-8"))
        return jsonschema_rs.Draft202012Validator({"$ref": f"#/{key}", **contract})

    return build
