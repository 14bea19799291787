"""Samples of arguments become a spec that accepts all of them."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import yaml
from hypothesis import given
from hypothesis import strategies as st
from toolcast.importers.import_tools import import_sample, infer

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_samples_of_all_files_count(tmp_path: Path) -> None:
    files = [
        write(tmp_path / "one.json", '{"city": "Paris", "days": 3, "tags": ["a"]}'),
        write(tmp_path / "many.json", '[{"city": "Rome", "days": 1.5}, {"city": "Oslo", "near": {"a": 1}}]'),
        write(tmp_path / "lines.jsonl", '{"city": null}\n'),
    ]
    imported = import_sample(files, name="get.weather")
    assert imported.diagnostics == ()
    (path,) = imported.specs
    spec = yaml.safe_load(imported.specs[path])
    assert path == "get_weather.yaml"
    assert imported.renamed == (("get.weather", "get_weather"),)
    assert spec["permission"] == spec["secrets"] == "TODO"
    assert spec["parameters"]["required"] == ["city"]
    properties = spec["parameters"]["properties"]
    assert properties["days"] == {"type": "number"}
    assert properties["city"] == {"type": ["null", "string"]}
    assert properties["near"]["required"] == ["a"]
    assert len(spec["examples"]) == 3


def test_what_is_no_sample_is_refused(tmp_path: Path) -> None:
    cases = {"[1]": "sample 1 is not an object", "[]": "holds no sample", "{": "is not JSON"}
    for text, message in cases.items():
        imported = import_sample([write(tmp_path / "s.json", text)], name="x")
        assert dict(imported.specs) == {}
        assert message in imported.diagnostics[0].message


def test_depth_is_bounded(tmp_path: Path) -> None:
    text = '{"a":' * 190 + "1" + "}" * 190
    imported = import_sample([write(tmp_path / "s.json", text)], name="x")
    assert len(imported.specs) + len(imported.diagnostics) == 1


@given(st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=3), min_size=1, max_size=4))
def test_inferred_schema_accepts_every_sample(samples: list[dict[str, Any]]) -> None:
    schema = json.loads(json.dumps(infer(samples)))
    jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
    validator = jsonschema_rs.Draft202012Validator(schema)
    assert all(validator.is_valid(sample) for sample in samples)
