"""Generated JavaScript: what its modules say, and that their types fit what their contracts accept."""

import json
import random
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import Oracle, OracleError
from toolcast.contract.build import Built
from toolcast.jsonschema.json_values import equal, nested_objects
from toolcast.jsonschema.validator import Validator
from toolcast.jsonschema.validator_errors import UnsupportedSchema
from toolcast.languages.python.structs.module import tool_module
from toolcast.languages.python.structs.python_names import class_name
from toolcast.languages.typescript.modules import literal
from toolcast.languages.typescript.type_texts import default_plans
from toolcast.package_files import PACKAGE
from toolcast.runtime import ArgumentError
from toolcast.runtime.injection import folded_name

from bench.corpora.compile import CORPORA
from bench.fuzz import overlaps, schemas
from bench.fuzz.literals import LITERALS
from tests.python.compiled import RefusedError, spec
from tests.python.compiled import package as python_package
from tests.sampled import sampled

from .projects import package, type_problems
from .tools import run_node, tsc
from .validators import Judge, answered, built, judging, whole

HERE = Path(__file__).parent
SPECS = PACKAGE.parent.parent / "specs"


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with judging() as found:
        yield found


def contents(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run_node(HERE / "package.mjs", str(folder / "index.js")))
    return found


def everything(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.d.ts"))


def test_the_reference_toolset(tmp_path: Path) -> None:
    tools, types = {}, {}
    for path in sorted(SPECS.rglob("*.yaml")):
        name = path.relative_to(SPECS).as_posix()
        (types if name.startswith("_types/") else tools)[name] = path.read_text("utf-8")
    folder = package(tmp_path, tools, types)
    found = contents(folder)
    assert len(found) == len(tools)
    edit = found["edit"]
    assert edit["group"] == "files"
    assert edit["permission"] == "write"
    assert edit["annotations"]["destructiveHint"] is True
    assert edit["parameters"]["required"] == ["file_path", "old_string", "new_string"]
    program = folder / "program.ts"
    program.write_text(
        'import { tools, edit, ContractError, type EditParams } from "./index.js";\n'
        'import { filter, type Filter } from "./_types/filter.js";\n'
        'const given = { file_path: "a", old_string: "b", new_string: "" };\n'
        "const params: EditParams = edit.parameters.parse(given);\n"
        "const all: boolean = params.replace_all;\n"
        'const name: "edit" extends keyof typeof tools ? true : false = true;\n'
        "const tree: Filter = filter.parse({ all: [] });\n"
        'import type { EditParamsInput } from "./files/edit.js";\n'
        'const sent: EditParamsInput = { file_path: "a", old_string: "b", new_string: "" };\n'
        "// @ts-expect-error\nconst wrong: EditParamsInput = { ...sent, file_path: 1 };\n"
        "// @ts-expect-error\nparams.nothing;\n"
        "export { ContractError, all, name, tree, wrong };\n"
    )
    assert type_problems(program, *everything(folder)) == []


def test_the_documented_program(tmp_path: Path) -> None:
    """The first lines of docs/reference/typescript.md, as strict as the compiler can be, and by each way
    to modules."""
    page = (PACKAGE.parent.parent / "docs/reference/typescript.md").read_text("utf-8")
    (documented,) = re.findall(r"```ts\n(.*?)```", page, re.DOTALL)
    parameters = {
        "type": "object",
        "properties": {"n": {"type": "integer", "default": 1}, "o": {"type": "string"}},
    }
    package(tmp_path / "generated", {"edit.json": spec(parameters)})
    program = tmp_path / "program.ts"
    program.write_text(
        'import type { Violation } from "./generated/typescript/index.js";\n'
        "declare const text: string;\n"
        "declare function show(violations: readonly Violation[]): void;\n" + documented
    )
    strict = ("--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--target", "es2022")
    strict += ("--isolatedModules", "--verbatimModuleSyntax", "--noPropertyAccessFromIndexSignature")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    for modules in (("nodenext",), ("esnext", "--moduleResolution", "bundler")):
        assert tsc(program, options=(*strict, "--module", *modules)) == []
    (tmp_path / "plain.mjs").write_text(
        'import { edit, tools } from "./generated/typescript/index.js";\n'
        "console.log(edit.parameters.parse({}).n, tools.edit === edit, tools.constructor, tools.__proto__);\n"
    )
    assert run_node(tmp_path / "plain.mjs") == "1 true undefined undefined\n"


NASTY = "*/ `${x}` \" ' \\ \n // @ts-ignore \u2028 \u202e </script>"


def nasty_spec() -> dict[str, Any]:
    names = [
        "__proto__",
        "constructor",
        "a-b",
        "a b",
        "'",
        '"',
        "`",
        "\n",
        "*/",
        "\u2028",
        "await",
        "default",
        "1",
        "",
    ]
    schema = {
        "type": "object",
        "properties": {name: {"type": "string", "description": NASTY, "default": NASTY} for name in names},
        "required": ["toString"],
        "additionalProperties": False,
        "$defs": {"*/x": {"type": "object", "properties": {"v": {"$ref": "#/$defs/*~1x"}}}},
    }
    schema["properties"]["toString"] = {"$ref": "#/$defs/*~1x", "description": NASTY}
    schema["properties"]["big"] = {"enum": [2**63, NASTY, {"__proto__": [NASTY]}, 1e300]}
    return spec(
        schema,
        description=NASTY + " and the rest of the text.",
        annotations={"title": "*/"},
        result={"type": "object", "properties": {"await": {"const": NASTY}}},
    )


def test_no_text_of_a_spec_leaves_its_place(tmp_path: Path) -> None:
    tools = {
        f"{group}{name}.json": nasty_spec()
        for group in ("", "class/")
        for name in ("delete", "eval_", "arguments")
    }
    tools = {
        path: {**each, "name": path.removesuffix(".json").replace("/", "_")} for path, each in tools.items()
    }
    folder = package(tmp_path, {path.replace("class", "klass"): each for path, each in tools.items()})
    assert type_problems(*everything(folder)) == []
    text = "".join(path.read_text("utf-8") for path in folder.rglob("*.js"))
    assert "\u2028" not in text
    assert "\u202e" not in text
    probe = tmp_path / "probe.mjs"
    probe.write_text(
        'const { tools, delete$ } = await import("./typescript/index.js");\n'
        "const schema = delete$.parameters.schema;\n"
        "const names = Object.keys(schema.properties);\n"
        "console.log(JSON.stringify([Object.keys(tools), delete$.description, names,\n"
        "  schema.properties.big.enum, Object.hasOwn(schema.properties, '__proto__')],\n"
        "  (_, value) => (typeof value === 'bigint' ? String(value) : value)));\n"
    )
    names, description, properties, members, own = json.loads(run_node(probe))
    assert sorted(names) == sorted(each["name"] for each in tools.values())
    assert description == nasty_spec()["description"]
    assert set(properties) == set(nasty_spec()["parameters"]["properties"])
    assert members == [str(2**63), NASTY, {"__proto__": [NASTY]}, 1e300]
    assert own


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda below: st.lists(below) | st.dictionaries(st.text(), below),
)


def test_literals_are_the_values(tmp_path: Path) -> None:
    """One program prints all examples."""
    values: list[Any] = []
    exact = "typeof item === 'bigint' ? { bigint: String(item) } : item"
    lines = [f"const print = (value) => console.log(JSON.stringify(value, (_, item) => ({exact})));"]

    @given(JSON)
    def write(value: Any) -> None:
        source = literal({"value": value})
        assert source.isprintable() or "\n" in source
        values.append(value)
        lines.append(f"print({source});")

    write()
    file = tmp_path / "values.mjs"
    file.write_text("\n".join(lines), "utf-8")
    for value, printed in zip(values, run_node(file).split("\n")[:-1], strict=True):
        assert equal(answered(json.loads(printed))["value"], value)


ADDRESS = {
    "type": "object",
    "description": "Where somebody lives.",
    "properties": {"street": {"type": "string"}, "country": {"type": "string", "default": "DE"}},
    "required": ["street"],
    "additionalProperties": False,
    "$defs": {"Zone": {"enum": ["a", "b"]}},
}
SHIP = {
    "type": "object",
    "properties": {
        "to": {"$ref": "_types/address.yaml"},
        "also": {"type": "array", "items": {"$ref": "_types/address.yaml"}},
        "zone": {"$ref": "_types/address.yaml#/$defs/Zone", "default": "a"},
        "address": {"$ref": "#/$defs/Address"},
    },
    "required": ["to"],
    "$defs": {"Address": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Address"}}}},
}


def test_shared_types_are_declared_once(tmp_path: Path) -> None:
    tools = {
        "ship.json": spec(SHIP),
        "a/b/send.json": json.loads(json.dumps(spec(SHIP)).replace("_types/", "../../_types/")),
    }
    folder = package(tmp_path, tools, {"_types/address.yaml": ADDRESS})
    declared = "".join(path.read_text("utf-8") for path in everything(folder))
    assert declared.count("Where somebody lives.") == 2  # with the defaults, and without
    program = folder / "program.ts"
    program.write_text(
        'import { ship, type ShipParams } from "./index.js";\n'
        'import { address, type Address, type AddressInput, type Zone } from "./_types/address.js";\n'
        'const given: AddressInput = { street: "x" };\n'
        "const params: ShipParams = ship.parameters.parse({ to: given });\n"
        "const country: string = params.to.country;\n"
        "const one: Address = address.parse(given);\n"
        "const zone: Zone = params.zone;\n"
        '// @ts-expect-error\nconst lacking: Address = { street: "x" };\n'
        "export { country, one, zone, lacking };\n"
    )
    assert type_problems(program, *everything(folder)) == []
    probe = tmp_path / "probe.mjs"
    probe.write_text(
        'import { ship } from "./typescript/index.js";\n'
        'import { address, zone } from "./typescript/_types/address.js";\n'
        'console.log(JSON.stringify([ship.parameters.parse({ to: { street: "x" } }),\n'
        '  address.parse({ street: "y" }), zone.accepts("c")]));\n'
    )
    assert json.loads(run_node(probe)) == [
        {"to": {"street": "x", "country": "DE"}, "zone": "a"},
        {"street": "y", "country": "DE"},
        False,
    ]


INJECTED = spec(
    {
        "type": "object",
        "properties": {
            "user_id": {"type": "integer", "minimum": 1},
            "page": {"type": "integer", "default": 1},
        },
        "required": ["user_id"],
    },
    inject={"user_id": "context.user.id"},
)


SPELLINGS = (
    *("userId", "user_id ", "us\u00ader_id", "\u0001user_id", "user%5fid", "user%255Fid", "\uff55ser_id"),
    *(
        "%75%C2%AD%73er_id",
        "user_id\ufe0f",
        "\u3164user_id",
        "user_id[]",
        "uſer+id",
        "user\u0301_id",
        "users_id",
        "id",
    ),
)


def test_spellings_of_an_injected_name_are_those_of_python(tmp_path: Path) -> None:
    package(tmp_path, {"list.json": INJECTED})
    probe = tmp_path / "probe.mjs"
    probe.write_text(
        'import { list } from "./typescript/index.js";\n'
        f"const found = {json.dumps(SPELLINGS)}.map((name) => list.parameters.accepts({{ [name]: 1 }}));\n"
        "console.log(JSON.stringify(found));\n"
    )
    refused = [not accepted for accepted in json.loads(run_node(probe))]
    assert refused == [folded_name(name) == folded_name("user_id") for name in SPELLINGS]
    assert refused == [True] * (len(SPELLINGS) - 3) + [False] * 3


def test_what_the_program_fills_in_is_refused_and_not_shown(tmp_path: Path) -> None:
    folder = package(tmp_path, {"list.json": INJECTED})
    assert "user_id" not in json.dumps(contents(folder)["list"]["parameters"])
    program = folder / "program.ts"
    program.write_text(
        'import { list, type ListParams } from "./index.js";\n'
        "const sent: ListParams = list.parameters.parse({});\n"
        "const all = list.complete.parse({ ...sent, user_id: 7 });\n"
        "const id: number = all.user_id;\n"
        "// @ts-expect-error\nsent.user_id;\n"
        "export { id };\n"
    )
    assert type_problems(program, *everything(folder)) == []
    probe = tmp_path / "probe.mjs"
    probe.write_text(
        'import { list } from "./typescript/index.js";\n'
        "const { parameters, complete } = list;\n"
        'const sent = [{ user_id: 1 }, { "USER_ID": null, page: "x" }, { other: 1 }];\n'
        "const found = sent.map((value) => parameters.violations(value));\n"
        "console.log(JSON.stringify([found, complete.parse({ user_id: 2 }), complete.accepts({})]));\n"
    )
    found, complete, lacking = json.loads(run_node(probe))
    assert complete == {"user_id": 2, "page": 1}
    assert not lacking
    with python_package({"list.json": INJECTED}) as bindings:
        for sent, theirs in zip(({"user_id": 1}, {"USER_ID": None, "page": "x"}), found[:2], strict=True):
            with pytest.raises(ArgumentError) as refusal:
                bindings["list"].decode(sent, injected={"user_id": 1})
            ours = [(each.path, each.message, each.keyword) for each in refusal.value.violations]
            assert [(each["path"], each["message"], each["keyword"]) for each in theirs] == ours
    assert found[2] == []


def plain(value: Any) -> Any:
    """A decoded value with all its fields, those with defaults too; without absent ones, which are None."""
    if isinstance(value, msgspec.Struct):
        further = getattr(type(value), "__toolcast_extra__", None)
        fields = {each.name: each.encode_name for each in msgspec.structs.fields(value)}
        named = {wire: getattr(value, name) for name, wire in fields.items() if name != further}
        value = {**(getattr(value, further) if further else {}), **named}
    if isinstance(value, Mapping):
        known = {name: item for name, item in value.items() if item is not None and item is not msgspec.UNSET}
        return {name: plain(item) for name, item in known.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


DEFAULTS = {
    "type": "object",
    "properties": {
        "page": {"type": "integer", "default": 1},
        "sort": {
            "type": "object",
            "properties": {"by": {"type": "string"}, "up": {"type": "boolean", "default": True}},
        },
        "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        "first": {"$ref": "#/$defs/Item", "default": {"id": 7}},
        "either": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"a": {"const": 1}, "x": {"type": "integer", "default": 3}},
                    "required": ["a"],
                },
                {
                    "type": "object",
                    "properties": {"b": {"const": 2}, "y": {"type": "integer", "default": 4}},
                    "required": ["b"],
                },
            ]
        },
        "plain": {  # a Struct and checks of other types: decoding keeps what came
            "type": ["object", "string"],
            "properties": {"a": {"type": "integer", "default": 5}},
            "propertyNames": {"maxLength": 3},
        },
        "map": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Item"}},
        "own": {
            "$ref": "#/$defs/Item",
            "type": "object",
            "properties": {"tags": {"type": "array", "default": ["own"]}},
        },
        "absent": {"type": "string", "default": None},
        "null": {"type": ["string", "null"], "default": None},
    },
    "$defs": {
        "Item": {
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                "tags": {"type": "array", "items": {"type": "string"}, "default": []},
            },
        }
    },
}


def test_defaults_are_those_of_the_struct(judge: Judge) -> None:
    values: list[Any] = [
        {}, {"page": 2}, {"sort": {}}, {"items": [{}, {"id": 1, "tags": ["a"]}]}, {"either": {"a": 1}},
        {"plain": {"b": 1}}, {"either": {"b": 2}}, {"map": {"k": {}}}, {"absent": None},
        {"page": None, "sort": {"up": None}}, {"own": {}}, {"own": {"id": 1}},
    ]  # fmt: skip
    assert filled(judge, DEFAULTS, values) == []


@given(st.integers(0, 10**6), st.sampled_from([schemas.compose, overlaps.compose]))
def test_defaults_of_composed_schemas(judge: Judge, seed: int, compose: Any) -> None:
    schema = with_defaults(compose(random.Random(seed)), random.Random(seed))
    made = built(schema)
    if made is None:
        return
    try:
        values = list(instances(Oracle(made.normal.contract_file(), "/parameters"), random.Random(seed), 20))
    except OracleError:
        return
    assert filled(judge, schema, values) == []


def with_defaults(schema: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A schema of which some properties have a default that their own schema accepts."""
    below = [node for node in nested_objects(schema) if isinstance(node.get("properties"), dict)]
    for properties in [node["properties"] for node in below]:
        for name, sub in properties.items():
            if isinstance(sub, dict) and "default" not in sub and rng.random() < 0.5:
                with suppress(UnsupportedSchema):
                    judge = Validator(sub, root=schema, formats=True)
                    accepted = [value for value in LITERALS if judge.accepts(value)]
                    if accepted:
                        properties[name] = {**sub, "default": rng.choice(accepted)}
    return schema


def filled(judge: Judge, schema: Any, values: list[Any]) -> list[str]:
    """Where `parse` returns something else than decoding does."""
    made = built(schema)
    assert made is not None
    normal, values = whole(made.normal.standalone("parameters")), whole(values)
    wrong: list[str] = []
    with python_package({"tool.json": spec(schema)}) as bindings:
        answers = judge.ask("parse", normal, values, options=options_of(made))
        for value, found in zip(values, answers, strict=True):
            if isinstance(value, dict) and "value" in found:
                ours = plain(bindings["tool"].decode(value))
                theirs = plain(answered(found["value"]))
                if not same(ours, theirs, plain(value)):
                    wrong.append(f"{json.dumps(value)}: {ours} is {found['value']}")
    return wrong


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from numbers(item)
    elif isinstance(value, int | float):
        yield abs(value)


def options_of(made: Built) -> dict[str, Any]:
    assert made.contract is not None
    plain = tool_module(made, name="tool", module=("tool",))[0].plain_unions
    return {"defaults": default_plans(made.contract, "parameters", plain)}


def same(decoded: Any, parsed: Any, sent: Any) -> bool:
    """Whether what was parsed is what was decoded, and what was sent undeclared, which a Struct drops."""
    if isinstance(decoded, dict) and isinstance(parsed, dict):
        before = sent if isinstance(sent, dict) else parsed
        return all(name in decoded or name in before for name in parsed) and all(
            name in parsed and same(item, parsed[name], before.get(name)) for name, item in decoded.items()
        )
    if isinstance(decoded, list) and isinstance(parsed, list):
        before = sent if isinstance(sent, list) and len(sent) == len(parsed) else parsed
        return len(decoded) == len(parsed) and all(map(same, decoded, parsed, before))
    return equal(decoded, parsed)


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", sampled(CORPORA, ("github-mcp-server",)))
def test_types_fit_what_contracts_accept(shared_dir: Path, tmp_path: Path, corpus: str) -> None:
    """Every call that a real tool's contract accepts, once defaults are filled in, has the tool's type."""
    found: dict[str, Any] = {}
    with (shared_dir / "corpora" / f"{corpus}.jsonl").open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % 4 == 0 and built(parameters := json.loads(line)["parameters"]) is not None:
                found[f"tool_{number}"] = parameters
    try:
        folder = package(tmp_path, {f"{name}.json": spec(schema) for name, schema in found.items()})
    except RefusedError as refused:
        raise AssertionError(refused) from None
    assert typed_calls(folder, found, 20) > 50


PARTS = {
    "type": "object",
    "properties": {
        "twice": {"$ref": "#/$defs/A", "properties": {"a": {"maximum": 9}}},
        "merged": {
            "allOf": [{"$ref": "#/$defs/A"}, {"properties": {"b": {"type": "string", "default": ""}}}]
        },
        "first": {"allOf": [{"properties": {"a": {"type": "integer"}}}, {"$ref": "#/$defs/A"}]},
        "plain": {"$ref": "#/$defs/A", "description": "Only described."},
        "any": {"anyOf": [{"$ref": "#/$defs/B"}, {"$ref": "#/$defs/A"}]},
    },
    "$defs": {
        "A": {"type": "object", "properties": {"a": {"type": "integer", "default": 5}}},
        "B": {"allOf": [{"$ref": "#/$defs/A"}, {"required": ["x"], "properties": {"x": {"type": "string"}}}]},
    },
}


def test_types_promise_what_is_filled_in(tmp_path: Path) -> None:
    """Where parts of a value declare one property, a type requires it only where decoding fills it in."""
    found: dict[str, Any] = {"parts": PARTS}
    for seed in range(30):
        rng = random.Random(seed)
        schema = with_defaults(overlaps.compose(rng), rng)
        if built(schema) is not None:
            found[f"tool_{seed}"] = schema
    folder = package(tmp_path, {f"{name}.json": spec(schema) for name, schema in found.items()})
    assert typed_calls(folder, found, 10) > 50
    program = folder / "promised.ts"
    program.write_text(
        'import { parts } from "./index.js";\n'
        "const { merged, plain } = parts.parameters.parse({ merged: {}, plain: {} });\n"
        "export const all: number[] = [merged!.a, plain!.a];\n"
    )
    assert type_problems(program, *everything(folder)) == []


def typed_calls(folder: Path, found: Mapping[str, Any], count: int) -> int:
    """Check that what `parse` returns for accepted values has the tool's type; return how many there are."""
    rows: list[str] = []
    checked = 0
    with judging(folder / "toolcast") as judge:
        for name, schema in found.items():
            made = built(schema)
            assert made is not None
            normal = whole(made.normal.standalone("parameters"))
            rng = random.Random(name)
            values = whole(list(instances(Oracle(made.normal.contract_file(), "/parameters"), rng, count)))
            values = [value for value in values if max(numbers(value), default=0) < 2**53]
            params = class_name(name, "Params")
            rows.append(f'import type {{ {params} }} from "./{name}.js";')
            answers = judge.ask("parse", normal, values, options=options_of(made))
            for number, answer in enumerate(answers):
                if "value" in answer and max(numbers(answered(answer["value"])), default=0) < 2**53:
                    checked += 1
                    made_by = f"v{number}_{name}"
                    rows.append(f"const {made_by} = {literal(answer['value'])} as const;")
                    rows.append(f"export const t{made_by}: Open<{params}> = {made_by};")
    rows.append("type Open<T> = T extends readonly (infer I)[] ? readonly Open<I>[]")
    rows.append("  : T extends object ? { readonly [K in keyof T]: Open<T[K]> } & Others : T;")
    # An object that has nothing but undeclared properties is suspect to TypeScript, not wrong.
    rows.append("type Others = { readonly [name: string]: unknown };")
    program = folder / "program.ts"
    program.write_text("\n".join(rows), "utf-8")
    assert type_problems(program, *everything(folder))[:10] == []
    return checked
