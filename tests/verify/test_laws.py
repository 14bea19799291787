"""Verification finds bugs that are planted in the compiler, and none where there is none."""

import json
from typing import Any

import msgspec
import pytest
import toolcast.analysis.verify.verified_tool as subject_module
from msgspec import structs
from toolcast.analysis.verify.tool_laws import Effort, check_laws
from toolcast.output_layout import ledger_path
from toolcast.project.core.compiled import Compiled, Options, ledger_file
from toolcast.project.core.compiler import compile_tool
from toolcast.providers import Normalized
from toolcast.runtime.binding import ToolBinding

from tests.verify.conftest import Hold, tool

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "required": ["name", "count"],
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 20},
        "count": {"type": "integer", "minimum": 3, "maximum": 90},
        "level": {"enum": ["low", "high"], "default": "low"},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "part": {"anyOf": [{"$ref": "#/$defs/part"}, {"type": "null"}]},
    },
    "additionalProperties": False,
    "$defs": {
        "part": {
            "type": "object",
            "required": ["x"],
            "properties": {"x": {"type": "number"}, "y": {"type": "string"}},
            "additionalProperties": False,
        }
    },
}


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Change what the compiler returns before verification sees it."""

    def change(edit: Any) -> None:
        def broken(*arguments: Any) -> Compiled:
            return edit(compile_tool(*arguments))

        monkeypatch.setattr(subject_module, "compile_tool", broken)

    return change


def python(old: str, new: str) -> Any:
    def edit(compiled: Compiled) -> Compiled:
        text = compiled.files["tool.py"].decode()
        assert old in text, text
        return structs.replace(compiled, files={**compiled.files, "tool.py": text.replace(old, new).encode()})

    return edit


def emitted(provider: str, change: Any) -> Any:
    def edit(compiled: Compiled) -> Compiled:
        path = f"schemas/{provider}/tool.json"
        definition = msgspec.json.decode(compiled.files[path])
        change(definition)
        return structs.replace(compiled, files={**compiled.files, path: msgspec.json.encode(definition)})

    return edit


def laws(report: Any) -> set[str]:
    return {found.law for found in report.counterexamples}


def test_a_sound_tool_has_no_counterexample(held: Hold) -> None:
    report = held(PARAMETERS)
    assert report.counterexamples == ()
    assert report.warnings == ()
    assert report.instances == 200
    assert report.valid > 60
    assert report.invalid > 40


def test_a_key_that_is_read_as_a_renamed_property_is_no_counterexample(held: Hold) -> None:
    """The ledger says under which key a property is sent; an object that does not declare that key may have
    it, and it is read as the property."""
    renamed = {"type": "object", "properties": {"$a": {"type": "array", "items": {"type": "string"}}}}
    report = held({"type": "object", "properties": {"u-v": renamed}}, providers=("gemini", "vertex"))
    assert report.counterexamples == ()


@pytest.mark.parametrize("seed", range(4))
def test_every_seed_finds_a_bound_that_is_off_by_one(held: Hold, plant: Any, seed: int) -> None:
    plant(python("ge=3", "ge=2"))
    found = held(PARAMETERS, (), seed=seed).counterexamples
    assert [each.law for each in found] == ["L1"]
    value = json.loads(found[0].instance)
    assert value["count"] == 2
    assert value.keys() == {"name", "count"}, "the smallest instance has nothing that is not needed"
    assert len(value["name"]) == 1
    assert "less than the minimum of 3" in found[0].expected
    assert "accepts" in found[0].actual
    assert (found[0].file, found[0].line) == ("specs/tool.json", 19)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("le=90", "le=89"),
        ("min_length=1, ", ""),
        ("max_length=20", "max_length=19"),
        ('Literal["low", "high"]', "str"),
        ('Literal["low", "high"]', 'Literal["low"]'),
        ("dict[str, str]", "dict[str, Any]"),
        ("x: int | float", "x: int"),
        ("forbid_unknown_fields=True", "forbid_unknown_fields=False"),
        ("count: Annotated[int", "count: Annotated[float"),
        ("Part | None", "Part"),
    ],
)
def test_types_too_wide_or_too_narrow_are_found(held: Hold, plant: Any, old: str, new: str) -> None:
    plant(_typed(old, new))
    assert "L1" in laws(held(PARAMETERS, ()))


def _typed(old: str, new: str) -> Any:
    """An edit of the module, which then may need `Any`."""

    def edit(compiled: Compiled) -> Compiled:
        changed = python(old, new)(compiled)
        source = changed.files["tool.py"].decode().replace("from typing import ", "from typing import Any, ")
        return structs.replace(changed, files={**changed.files, "tool.py": source.encode()})

    return edit


def test_a_value_that_is_lost_on_the_way_back_is_found(held: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    encode = ToolBinding.encode

    def forgetful(self: Any, params: Any) -> bytes:
        value = msgspec.json.decode(encode(self, params))
        value.pop("labels", None)
        return msgspec.json.encode(value)

    monkeypatch.setattr(ToolBinding, "encode", forgetful)
    found = held(PARAMETERS, ()).counterexamples
    assert [each.law for each in found] == ["L1"]
    assert "$.labels is lost" in found[0].actual


def test_text_and_mapping_must_agree(held: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    decode = ToolBinding.decode

    def lax(self: Any, arguments: Any, provider: str | None = None) -> Any:
        if isinstance(arguments, dict) and arguments.get("count") == "3":
            arguments = {**arguments, "count": 3}
        if isinstance(arguments, dict) and isinstance(arguments.get("name"), int):
            arguments = {**arguments, "name": str(arguments["name"])}
        return decode(self, arguments, provider)

    monkeypatch.setattr(ToolBinding, "decode", lax)
    found = held(PARAMETERS, (), examples=1000).counterexamples
    assert any("as a mapping" in each.actual for each in found)


def test_a_decoder_that_fails_otherwise_is_found(held: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any) -> Any:
        raise KeyError("x")

    monkeypatch.setattr(ToolBinding, "decode", failing)
    found = held(PARAMETERS, ()).counterexamples
    assert "fails with KeyError" in found[0].actual


def test_a_provider_schema_that_closes_a_map_locks_out(held: Hold, plant: Any) -> None:
    def close(definition: Any) -> None:
        definition["input_schema"]["properties"]["labels"]["additionalProperties"] = False

    plant(emitted("anthropic", close))
    found = held(PARAMETERS, ("anthropic",)).counterexamples
    assert {each.law for each in found} == {"L2", "L4"}
    assert found[0].provider == "anthropic"
    assert len(json.loads(found[0].instance)["labels"]) == 1


def test_a_way_back_that_loses_is_found(held: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a provider's schema takes must come back as it was, not only come back."""
    decode = ToolBinding.decode

    def forgetful(self: Any, arguments: Any, provider: str | None = None) -> Any:
        if provider == "openai":
            arguments = {**json.loads(arguments), "tags": None}
        return decode(self, arguments, provider)

    monkeypatch.setattr(ToolBinding, "decode", forgetful)
    found = held(PARAMETERS, ("openai", "anthropic")).counterexamples
    assert {(each.law, each.provider) for each in found} >= {("L2", "openai")}
    assert {each.provider for each in found} == {"openai"}
    lost = next(each for each in found if each.law == "L2")
    assert "tags is lost" in lost.actual
    assert json.loads(lost.instance)["tags"] == []


def test_a_provider_schema_that_widens_silently_has_no_way_back(held: Hold, plant: Any) -> None:
    def widen(definition: Any) -> None:
        del definition["input_schema"]["properties"]["count"]["maximum"]

    plant(emitted("anthropic", widen))
    found = held(PARAMETERS, ("anthropic",)).counterexamples
    assert {each.law for each in found} == {"L3", "L4"}
    assert all("/properties/count" in each.place for each in found)


@pytest.mark.parametrize(
    ("change", "law"), [(lambda sent: sent[0].update(count=2), "L2"), (lambda sent: sent.pop(), "L4")]
)
def test_an_example_that_does_not_fit_or_is_missing_is_found(plant: Any, change: Any, law: str) -> None:
    def spoil(definition: Any) -> None:
        change(definition["input_examples"])

    more = {"examples": [{"name": "a", "count": 3}], "providers": {"anthropic": {"examples": True}}}
    options, settings = Options(providers=("anthropic",)), Effort(examples=20, seed=1)
    assert check_laws(tool(PARAMETERS, **more), {}, options, settings).counterexamples == ()
    plant(emitted("anthropic", spoil))
    (found,) = check_laws(tool(PARAMETERS, **more), {}, options, settings).counterexamples
    assert (found.law, found.provider) == (law, "anthropic")


def test_a_dropped_ledger_entry_is_found(held: Hold, plant: Any) -> None:
    def forget(compiled: Compiled) -> Compiled:
        assert compiled.entry is not None
        entries = compiled.losses["openai"]
        kept = tuple(entry for entry in entries if entry.keyword != "uniqueItems")
        assert len(kept) < len(entries)
        forgetful = {ledger_path(compiled.entry.name): ledger_file({"openai": kept})}
        return structs.replace(compiled, files={**compiled.files, **forgetful})

    plant(forget)
    strict = {
        **PARAMETERS,
        "properties": {k: v for k, v in PARAMETERS["properties"].items() if k != "labels"},
    }
    found = held(strict, ("openai",)).counterexamples
    assert {each.law for each in found} == {"L3", "L4"}
    assert any(each.place.endswith("/properties/tags/uniqueItems") for each in found)


def test_normalising_that_never_ends_is_found(held: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    import toolcast.analysis.verify.ledger_laws as ledger

    real = ledger.normalize

    def restless(schema: Any, *arguments: Any, **options: Any) -> Normalized:
        result = real(schema, *arguments, **options)
        more = {**result.schema, "description": result.schema.get("description", "") + "!"}
        return structs.replace(result, schema=more)

    monkeypatch.setattr(ledger, "normalize", restless)
    assert laws(held(PARAMETERS, ("mcp",))) == {"L5"}


def test_a_normaliser_that_touches_its_input_is_found(held: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    import toolcast.analysis.verify.ledger_laws as ledger

    real = ledger.normalize

    def clumsy(schema: Any, *arguments: Any, **options: Any) -> Normalized:
        schema["title"] = "mine"
        return real(schema, *arguments, **options)

    monkeypatch.setattr(ledger, "normalize", clumsy)
    assert "L5" in laws(held(PARAMETERS, ("mcp",)))


def test_an_unusual_schema_is_reported_as_such_and_not_passed_over(held: Hold) -> None:
    narrow = {"type": "string", "pattern": "^(?=.*q7Zx4K)[a-zA-Z0-9]{30}$"}
    report = held({"type": "object", "required": ["a"], "properties": {"a": narrow}}, (), examples=20)
    assert [problem.code for problem in report.warnings] == ["few-instances"]
    assert report.warnings[0].severity == "warning"


def test_a_tool_that_does_not_compile_is_reported(held: Hold) -> None:
    report = held({"type": "object", "properties": {"a": {"$ref": "https://example.org/x"}}}, ())
    assert report.instances == 0
    assert [problem.severity for problem in report.warnings] == ["error"]


def test_the_second_opinion_names_what_other_models_miss(held: Hold) -> None:
    report = held(PARAMETERS, (), second_opinion=True)
    assert report.second_opinion is not None
    wide = [each for each in report.second_opinion if each.kind == "accepts what is invalid"]
    assert wide, "datamodel-code-generator's lists do not check uniqueItems"
    assert report.counterexamples == ()
