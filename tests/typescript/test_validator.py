"""The validator that is shipped with generated JavaScript decides as the contract does, word for word."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import Oracle, OracleError
from toolcast.jsonschema.automaton import STEPS
from toolcast.jsonschema.json_values import equal
from toolcast.jsonschema.search import Search, Searches
from toolcast.jsonschema.validator import Validator
from toolcast.jsonschema.validator_errors import SearchTooLong, UnsupportedSchema

from bench.corpora.compile import CORPORA
from bench.fuzz import overlaps, schemas
from tests.jsonschema.backtracking import Part, patterns
from tests.jsonschema.test_safety import GROWING, LONG_TEXTS
from tests.jsonschema.test_suite import asserted
from tests.python.test_suite import TRUE_REASONS
from tests.sampled import sampled

from .tools import run_node
from .validators import SUPPORT, Judge, answered, built, decided, differences, judging


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with judging() as found:
        yield found


def test_the_validator_makes_no_code_from_text() -> None:
    for file in SUPPORT.glob("*.js"):
        text = file.read_text("utf-8")
        assert not re.search(r"\beval\b|\bFunction\s*\(|\bimport\s*\(", text), file.name
        assert not re.findall(r"from \"(?!\./)", text), f"{file.name} needs a library"


@pytest.mark.corpora
def test_the_official_suite(shared_dir: Path, judge: Judge) -> None:
    text = (shared_dir / "suites/json-schema-test-suite/draft2020-12.jsonl").read_text("utf-8")
    records = [json.loads(line) for line in text.split("\n") if line]
    refused: Counter[str] = Counter()
    wrong: list[str] = []
    checked = 0
    for record in records:
        source, schema = record["source"].partition("tests/")[2], record["parameters"]
        isolated = {"_types/value.json": schema} if isinstance(schema, dict) else {}
        value = {"$ref": "_types/value.json"} if isolated else schema
        parameters = {"type": "object", "required": ["value"], "properties": {"value": value}}
        made = built(parameters, isolated)
        if made is None:
            assert record["needs_remote"] or any(
                word in json.dumps(schema) for words in TRUE_REASONS.values() for word in words
            ), source
            refused[source] += 1
            continue
        normal = made.normal.standalone("parameters")
        cases = [(call, True) for call in record["calls"]]
        cases += [(case["arguments"], False) for case in record["bad_calls"]]
        values = [{"value": call} for call, _ in cases]
        wrong += [f"{source}: {each}" for each in differences(judge, normal, values)]
        if not asserted(record["source"]) or re.search(r"2020-12/format", source):
            continue  # the suite's main part denies formats, which the contract asserts
        for (call, good), found in zip(cases, judge.violations(normal, values, exact=True), strict=True):
            checked += 1
            if (found == []) != good:
                wrong.append(f"{source}: {record['description']}: {call!r} should be {good}")
    print(f"{checked} verdicts of the suite; refused: {dict(refused)}")
    assert wrong == []
    assert checked > 1200
    assert refused.total() < 0.2 * len(records)


def tools(file: Path, every: int) -> Iterator[tuple[int, Any]]:
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % every == 0:
                yield number, json.loads(line)["parameters"]


def law_instances(parameters: Any, seed: str, count: int) -> tuple[Any, list[Any]]:
    """The normal form of a tool's parameters, and values: valid, at an edge, one edit from valid."""
    made = built(parameters)
    if made is None:
        return {}, []
    try:
        oracle = Oracle(made.normal.contract_file(), "/parameters")
        return made.normal.standalone("parameters"), list(instances(oracle, random.Random(seed), count))
    except OracleError:
        return {}, []


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", sampled(CORPORA, ("github-mcp-server",)))
def test_real_tools(shared_dir: Path, judge: Judge, corpus: str) -> None:
    judged = 0
    for number, parameters in tools(shared_dir / "corpora" / f"{corpus}.jsonl", 3):
        schema, values = law_instances(parameters, f"{corpus}:{number}", 40)
        judged += len(values)
        assert differences(judge, schema, values) == []
    assert judged > 300


@given(st.integers(0, 10**6), st.sampled_from([schemas.compose, overlaps.compose]))
def test_composed_schemas(judge: Judge, seed: int, compose: Any) -> None:
    schema, values = law_instances(compose(random.Random(seed)), str(seed), 40)
    assert differences(judge, schema, values) == []


INNER = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "array", "prefixItems": [True], "unevaluatedItems": INNER}, [{"a": None}, {"a": None}]),
        ({"type": "object", "properties": {"k": True}, "unevaluatedProperties": INNER}, {"n": {"a": None}}),
    ],
)
def test_a_null_in_place_of_absence_in_what_nothing_evaluates(judge: Judge, schema: Any, value: Any) -> None:
    parameters = {"type": "object", "properties": {"v": schema}}
    assert decided(Validator(parameters), {"v": value}) == []
    assert differences(judge, parameters, [{"v": value}]) == []


NUMBERS = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 2**63 - 1}}}


def test_integers_past_2_to_53_are_read_exactly(judge: Judge) -> None:
    texts = [f'{{"n": {number}}}' for number in (2**53 + 1, 2**63 - 1, 2**63, 10**400, "1e400", "1e3")]
    *found, large, out, double = judge.ask("text", NUMBERS, texts)
    assert found == [
        {"value": {"n": {"bigint": str(2**53 + 1)}}},
        {"value": {"n": {"bigint": str(2**63 - 1)}}},
        {"violations": decided(Validator(NUMBERS), {"n": 2**63})},
    ]
    assert large == {"violations": decided(Validator(NUMBERS), {"n": 10**400})}
    assert "out of range" in out["violations"][0][1]
    assert double == {"value": {"n": 1000}}


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0.1, 3, 0.0001, 1e-7, 10]))
def test_numbers_and_their_texts(judge: Judge, number: float, step: float) -> None:
    schema = {"properties": {"n": {"type": "number", "multipleOf": step, "exclusiveMaximum": 7}}}
    assert differences(judge, schema, [{"n": number}, {"n": [number]}]) == []


@given(st.text(), st.text(max_size=20), st.lists(st.text(max_size=20), max_size=8))
def test_texts_and_suggestions(judge: Judge, text: str, name: str, known: list[str]) -> None:
    schema = {
        "properties": {"t": {"enum": known or ["x"]}, "s": {"minLength": 3, "maxLength": 5, "type": "string"}}
        | dict.fromkeys(known, True),
        "additionalProperties": False,
    }
    values = [{name: 1}, {"t": text}, {"s": text}, {"s": text[:4]}, *({"t": each[:-1]} for each in known)]
    assert differences(judge, schema, values) == []


NAMES = st.text("abcdef_-", min_size=1, max_size=30)


@given(NAMES, st.lists(NAMES, max_size=20, unique=True))
def test_the_nearest_name(judge: Judge, name: str, known: list[str]) -> None:
    schema = {"properties": dict.fromkeys(known, True), "additionalProperties": False}
    assert differences(judge, schema, [{name: 1}, {name * 8: 1}]) == []


PATTERNS = [
    r"^\d{3}-[\w.]+$", "{", "a{,3}}", "]", r"\-\_\@", r"[\w-.]", r"[a-\d]", r"[-a]", r"[a-]", r"[^]a]",
    "(?=a)*b", r"\u{1F600}+", r"\ud83d\ude00", "😀{2}", "^[😀-😂]$", r"\p{Lu}", r"\P{L}+", r"\s+$", "a+$",
    r"[ab]{2,}c", "^|a+b", r"(?<x>a)\k<x>", r"(a|b)\1", r"\bfoo\b", r"\cA", r"\x41\/", r"(?<!a)b",
    "(a+)+$", "^(a|aa)+$", ".*.*=.*",
]  # fmt: skip
TEXTS = [
    "", "123-a.b", "{", "a{,3}}", "]", "-_@", "w-", ".", "-", "a", "5", "b", "ab", "😀", "😀😀", "😁", "É",
    "é", "x  ", "aaa", "abc", "bbac", "aa", "aba", "a foo b", "\x01", "A/", "cb", "aaaa!", "a=b", "\ud7ff",
    "\n", "=",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns(judge: Judge, pattern: str) -> None:
    schema = {"properties": {"t": {"pattern": pattern}}, "patternProperties": {pattern: {"type": "integer"}}}
    try:
        Validator(schema)
    except UnsupportedSchema:
        pytest.skip("the contract refuses it")
    values = [{"t": text} for text in TEXTS] + [{text: None} for text in TEXTS]
    assert differences(judge, schema, values) == []


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|aa)*$", "(x+x+)+y", r"^(\w+\s?)*$", "^(?=(a+)+$)a*b"])
def test_slow_patterns_end(judge: Judge, pattern: str) -> None:
    schema = {"properties": {"t": {"type": "string", "pattern": pattern}}}
    values = [{"t": letter * count + "!"} for letter in "ax" for count in (30, 3_000, 100_000)]
    assert differences(judge, schema, values) == []


@pytest.mark.parametrize(
    ("patterns", "letters", "length"),
    [
        (["[ab]*a[ab]{200}c"], "ab", 2_000),
        ([r"[\s\S]*a[\s\S]{60}x", "(?:ab|a|b){0,90}(?:aa|a|b){0,90}c"], "ab", 3_000),
        ([f"^(a|b+)+{end}" for end in "cdefghij"], "ab", 20_000),
        (["^(?=.*a.*b!)", "^(?=.*b.*a!)"], "ab", 700),
        ([r"\P{L}x", r"[\p{L}\p{N}]+y"], "😀𠀀é", 8_000),
        ([r"^(?=.*\P{L}.*\P{N}!)"], "😀a", 200),
    ],
)
def test_both_count_the_same_steps(judge: Judge, patterns: list[str], letters: str, length: int) -> None:
    """Of many texts that share the steps of a call, the same one is too much in both languages."""
    searches, shared, chosen = [Search(each) for each in patterns], Searches(), random.Random(3)
    texts: list[str] = []
    with suppress(SearchTooLong):
        while len(texts) < 1_000:
            texts.append("".join(chosen.choices(letters, k=length)))
            for each in searches:
                shared.finds(each, texts[-1])
    assert 10 < len(texts) < 1_000
    schema = {"items": {"allOf": [{"not": {"pattern": each}} for each in patterns]}}
    assert judge.violations(schema, [texts[:-1]]) == [[]]
    assert Validator(schema).accepts(texts[:-1])
    assert differences(judge, schema, [texts]) == []
    assert "too many steps" in judge.violations(schema, [texts])[0][0][1]


@given(patterns(looking=True), st.text("ab!é😀", min_size=1, max_size=6), st.integers(1, 400), st.booleans())
def test_random_patterns_and_texts(judge: Judge, part: Part, text: str, times: int, slow: bool) -> None:
    pattern = f"(?:{part})+(?:{part})*a?(?:{part})+$" if slow else str(part)
    schema = {"items": {"pattern": pattern}}
    assert differences(judge, schema, [[text, text * times, text * times * 10 + "!"]]) == []


@pytest.mark.parametrize("pattern", GROWING[:7])
def test_no_text_is_more_work_than_the_steps_of_a_call(judge: Judge, pattern: str) -> None:
    """A set of states that is met again is not computed again, and a large one counts as large."""
    texts = [f"{text}{end}" for text in LONG_TEXTS for end in range(2)]
    (work,) = judge.ask("work", {"items": {"pattern": pattern}}, [texts])
    assert 100_000 < work < STEPS // 14


HOSTILE = {
    "type": "object",
    "properties": {"__proto__": {"type": "integer"}, "constructor": {"type": "null"}, "a": {"const": 1}},
    "required": ["toString"],
    "additionalProperties": {"type": "boolean"},
}


def test_names_of_javascript_mean_nothing(judge: Judge) -> None:
    values: list[Any] = [
        {}, {"toString": True}, {"toString": True, "__proto__": 1}, {"toString": True, "__proto__": "x"},
        {"toString": True, "constructor": None}, {"toString": True, "constructor": 1, "valueOf": 3},
    ]  # fmt: skip
    assert differences(judge, HOSTILE, values) == []
    assert judge.ask("parse", HOSTILE, values[2:3]) == [{"value": values[2]}]


@pytest.mark.parametrize("depth", [199, 200, 201, 5_000])
def test_deep_values(judge: Judge, depth: int) -> None:
    schema = {
        "type": "object",
        "properties": {"v": {"$ref": "#/$defs/list"}},
        "$defs": {"list": {"items": {"$ref": "#/$defs/list"}}},
    }
    text = '{"v": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}"
    (found,) = judge.ask("text", schema, [text])
    if depth <= 200:
        assert found == {"value": json.loads(text)}
    else:
        assert [each[2] for each in found["violations"]] == ["depth"]


def test_many_branches_are_refused_as_the_contract_does(judge: Judge) -> None:
    tree: dict[str, Any] = {"type": "null"}
    branch = {"type": "object", "properties": {"a": {"$ref": "#/$defs/t"}, "b": {"$ref": "#/$defs/t"}}}
    schema = {"$ref": "#/$defs/t", "$defs": {"t": {"anyOf": [{**branch, "required": ["x"]}, branch, tree]}}}
    value: Any = None
    for _ in range(60):
        value = {"a": value, "b": 1}
    assert differences(judge, schema, [value]) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"n": 1, "n": 2}', "duplicate property `n`; send it once"),
        ('{"a": {"n": 1, "n": 2}}', "duplicate property `n` in `a`; send it once"),
        ('{"n": 1,}', "not valid JSON"),
        ('{"n": 01}', "not valid JSON"),
        ('{"n": NaN}', "not valid JSON"),
        ('{"n": "\\ud800"}', "half of a surrogate pair"),
        ("", "not valid JSON"),
        ('{"n": 1} x', "not valid JSON"),
    ],
)
def test_texts_that_are_no_json(judge: Judge, text: str, words: str) -> None:
    (found,) = judge.ask("text", {}, [text])
    assert [words in message for _, message, _ in found["violations"]] == [True], found


SCALARS = st.none() | st.booleans() | st.integers() | st.text()
NUMBERS_TOO = SCALARS | st.floats(allow_nan=False, allow_infinity=False)


@given(st.recursive(NUMBERS_TOO, lambda below: st.lists(below) | st.dictionaries(st.text(), below)))
def test_json_texts_are_read_as_they_are(judge: Judge, value: Any) -> None:
    (found,) = judge.ask("text", True, [json.dumps(value)])
    assert equal(answered(found["value"]), value)


def test_what_is_no_json_is_refused_and_undefined_is_absent(tmp_path: Path) -> None:
    script = tmp_path / "values.mjs"
    script.write_text(
        f'import {{ Contract }} from "{(SUPPORT / "index.js").as_uri()}";\n'
        'const schema = { type: "object", properties: { a: { type: "string", default: "x" } } };\n'
        'const contract = new Contract(schema, { emptyIsAbsent: ["a"], injected: ["i"],\n'
        '  defaults: { "": { defaults: { a: "x" } } } });\n'
        "const circle = {};\n"
        "circle.one = circle.other = circle;\n"
        "const values = [new Map(), new Date(), () => 1, Symbol(), { b: [NaN] }, { b: -Infinity }, circle,\n"
        "  { b: new Proxy(class {}, {}) }, undefined, { b: ['\\ud83d'] }, JSON.parse('{\"\\\\udc00\":1}')];\n"
        "const found = values.map((value) => contract.violations(value).map(({ keyword }) => keyword));\n"
        "const bare = Object.create(null);\n"
        "const parsed = [{ a: undefined }, bare, { a: '', '\\ud83d\\ude00': 1 },\n"
        "  { b: [undefined && 1, 2n ** 64n] }];\n"
        "console.log(JSON.stringify([found, parsed.slice(0, 3).map((value) => contract.parse(value)),\n"
        "  contract.violations(parsed[3]).length, contract.violations({ b: 2n ** 64n }).length]));\n",
        "utf-8",
    )
    found, parsed, holes, large = json.loads(run_node(script))
    assert found == [["json"]] * 6 + [["depth"]] + [["json"]] * 4
    assert parsed == [{"a": "x"}, {"a": "x"}, {"a": "x", "\N{GRINNING FACE}": 1}]
    assert (holes, large) == (1, 0)


def test_values_that_share_parts_and_odd_objects(tmp_path: Path) -> None:
    script = tmp_path / "odd.mjs"
    script.write_text(
        f'import {{ Contract }} from "{(SUPPORT / "index.js").as_uri()}";\n'
        "let shared = [1];\n"
        "for (let level = 0; level < 60; level++) shared = [shared, shared];\n"
        'const any = new Contract({ type: "object" });\n'
        "const long = [];\n"
        "long.length = 2 ** 32 - 1;\n"
        "const values = [{ shared }, { long }, { a: [1, , 2] }, { a: new String('x') }, \n"
        "  { a: new Uint8Array(3) },\n"
        "  { toJSON() {} }, { a: 10n ** 100_000n }, { a: -0 }, { [Symbol('s')]: 1 }];\n"
        "const found = values.map((value) => any.violations(value).map(({ message }) => message));\n"
        'const text = \'{"__proto__": {"n": null, "p": 1}, "constructor": {"prototype": {"p": 1}}}\';\n'
        "const names = JSON.parse(text);\n"
        'const inner = { type: "object", properties: { n: { type: "string" }, x: { default: 1 } } };\n'
        'const proto = new Contract({ type: "object", properties: { ["__proto__"]: inner } },\n'
        '  { defaults: { "": { properties: { ["__proto__"]: { defaults: { x: 1 } } } } } });\n'
        "const parsed = proto.parse(names);\n"
        "console.log(JSON.stringify([found, parsed, Object.getPrototypeOf(parsed) === Object.prototype,\n"
        "  ({}).p === undefined && ({}).x === undefined]));\n",
        "utf-8",
    )
    found, parsed, own, clean = json.loads(run_node(script, timeout=60))
    assert "too large: more than 4194304 values inside" in found[0][0]
    assert [len(each) for each in found] == [1] * 6 + [0] * 3
    assert parsed == {"__proto__": {"p": 1, "x": 1}, "constructor": {"prototype": {"p": 1}}}
    assert own
    assert clean


LONG = [
    ("uri", "http://a/" + "/b" * 100_000 + " "),
    ("uri-reference", "b" * 300_000),
    ("json-pointer", "/a~0" * 100_000 + "~"),
    ("date-time", "2020-01-01T00:00:00." + "1" * 300_000 + "Z"),
    ("ipv6", ":" * 100_000),
    ("duration", "P" + "1" * 300_000),
    ("email", "a@[" + "1" * 300_000 + "]"),
    ("hostname", "a." * 100_000),
    ("regex", "(" * 10_000 + ")" * 10_000),
]


@pytest.mark.parametrize(("name", "text"), LONG)
def test_long_texts_of_a_format(judge: Judge, name: str, text: str) -> None:
    assert differences(judge, {"type": "string", "format": name}, [text, text + "x", text[:-1]]) == []


def test_long_json_texts(judge: Judge, tmp_path: Path) -> None:
    escapes = '"' + "\\n" * 400_000
    found = judge.ask("text", True, [escapes + '"', escapes, "[" + "1," * 200_000 + "1]"])
    assert found[0] == {"value": "\n" * 400_000}
    assert "not valid JSON" in found[1]["violations"][0][1]
    assert len(found[2]["value"]) == 200_001
    script = tmp_path / "large.mjs"
    script.write_text(
        f'import {{ readJson }} from "{(SUPPORT / "index.js").as_uri()}";\n'
        'console.log(readJson(" ".repeat(2 ** 22) + "1").problem.message);\n'
    )
    assert "too large" in run_node(script)
