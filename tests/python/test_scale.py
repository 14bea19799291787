"""Large contracts: bounded time, and a module that grows with its spec and no faster."""

from typing import Any

import pytest

from tests.python.compiled import compile_files, package, spec


def properties(count: int) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            f"p{i}": {"type": "string", "enum": ["a", f"b{i}"], "default": "a"} for i in range(count)
        },
    }


def objects(count: int) -> dict[str, Any]:
    ring = {
        f"D{i}": {"type": "object", "properties": {"next": {"$ref": f"#/$defs/D{(i + 1) % count}"}}}
        for i in range(count)
    }
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/D0"}}, "$defs": ring}


def arrays(count: int) -> dict[str, Any]:
    """A ring of arrays: none of them has a Struct to stop at."""
    ring = {
        f"D{i}": {"type": "array", "items": {"$ref": f"#/$defs/D{(i + 1) % count}"}} for i in range(count)
    }
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/D0"}}, "$defs": ring}


def extensions(count: int) -> dict[str, Any]:
    """Each definition extends the one before, and holds it: flattening copies."""
    chain: dict[str, Any] = {"D0": {"type": "object", "properties": {"x": {"type": "integer"}}}}
    for i in range(1, count):
        below = {"$ref": f"#/$defs/D{i - 1}"}
        chain[f"D{i}"] = {"allOf": [below, {"properties": {f"p{i}": below}}]}
    return {"type": "object", "properties": {"a": {"$ref": f"#/$defs/D{count - 1}"}}, "$defs": chain}


def size(parameters: Any) -> int:
    files, _, _ = compile_files({"tool.json": spec(parameters)})
    return len(files["tool.py"])


@pytest.mark.parametrize("schema", [properties, objects, arrays])
def test_the_module_grows_with_the_spec(schema: Any) -> None:
    small, large = size(schema(50)), size(schema(200))
    assert large < 4.5 * small


@pytest.mark.parametrize(("schema", "count"), [(properties, 1000), (objects, 100), (arrays, 300)])
def test_large(schema: Any, count: int) -> None:
    with package({"tool.json": spec(schema(count))}) as found:
        assert found["tool"].decode(b"{}") is not None


def test_extensions_of_extensions_end() -> None:
    with package({"tool.json": spec(extensions(40))}) as found:
        assert found["tool"].decode({"a": {"x": 1, "p1": {"x": 2}}}).a.x == 1
