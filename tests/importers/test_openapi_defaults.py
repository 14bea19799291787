"""Defaults of an OpenAPI document are the server's: a spec says them, and no request states them."""

import json
from pathlib import Path
from typing import Any

from toolcast.importers.openapi.read_openapi import read_openapi


def parameters(folder: Path, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties}
    body = {"content": {"application/json": {"schema": schema}}}
    page = {
        "name": "page",
        "in": "query",
        "description": "A page",
        "schema": {"type": "integer", "default": 1},
    }
    operation = {"operationId": "a", "parameters": [page], "requestBody": body, "responses": {}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "A", "version": "1"},
        "paths": {"/a": {"patch": operation}},
    }
    (folder / "a.json").write_text(json.dumps(document))
    found = read_openapi(str(folder / "a.json"))
    assert found.diagnostics == ()
    made: dict[str, Any] = found.tools[0].parameters["properties"]
    return made


def test_a_default_is_said_and_not_sent(tmp_path: Path) -> None:
    nested = {"type": "object", "properties": {"deep": {"type": "string", "default": "x"}}}
    found = parameters(
        tmp_path,
        private={
            "type": "boolean",
            "default": False,
            "description": "Either `true` or `false`. Default: `false`",
        },
        plain={"type": "boolean", "default": True},
        nested=nested,
        large={"type": "array", "items": {}, "default": ["x" * 200]},
    )
    assert found["page"] == {"type": "integer", "description": "A page. Default: `1`."}
    assert found["private"] == {
        "type": "boolean",
        "description": "Either `true` or `false`. Default: `false`",
    }
    assert found["plain"] == {"type": "boolean", "description": "Default: `true`."}
    assert found["nested"]["properties"]["deep"] == {"type": "string", "description": 'Default: `"x"`.'}
    assert found["large"] == {"type": "array", "items": {}}


def test_a_property_called_default_stays(tmp_path: Path) -> None:
    found = parameters(tmp_path, default={"type": "string"})
    assert found["default"] == {"type": "string"}
