"""What a search for a pattern costs is known before it is made, and no text makes it cost more."""

import gc
import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any
from weakref import ref

import jsonschema_rs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from toolcast.contract.schema_mistakes import is_always_fast, slow_pattern_reason
from toolcast.jsonschema import search as searching
from toolcast.jsonschema.automaton import STEPS, fast_steps
from toolcast.jsonschema.ecma import analyse, exact_automaton, is_fast, translate
from toolcast.jsonschema.regex_cache import MAX_CACHED_LENGTH, in_one_call
from toolcast.jsonschema.search import Search, Searches, Simulation, _Reader
from toolcast.jsonschema.validator import Validator
from toolcast.jsonschema.validator_errors import SearchTooLong, UnsupportedSchema

from tests.counting import lines_executed
from tests.jsonschema.backtracking import ALPHABET, Engine, Part, TooManyStepsError, patterns

EXPLOSIVE = [
    ("^(a+)+$", "a", "!"),
    ("^(a*)*$", "a", "!"),
    ("^(a{1,2})*$", "a", "!"),
    ("^(a|aa)+$", "a", "!"),
    ("^(a|a)*$", "a", "!"),
    (r"^(\w+\s?)*$", "a", "!"),
    (r"^(\w{1,3}[- ]?)+$", "a", "!"),
    ("^((a)|[ab])*$", "a", "!"),
    (r"^([a-z]+(\.[a-z]+)*)+$", "a", "!"),
    (r"^(?:(?:a{1,}b?){2,30})$", "a", "!"),
    ("^(?:a{0,9}){0,9}b", "a", "!"),
    ("(?:a{0,9}){0,9}b", "a", "!"),
    ("^(?:a?){40}a{40}$", "a", ""),
    ("^(?:(?:(?:a{0,5}){0,5}){0,5})b$", "a", "!"),
    ("^(?:|){40}b", "a", ""),
    ("^(?:a?|b?){40}c", "", ""),
    ("^" + "(?:a|a)" * 36 + "$", "a", "!"),
    (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a", "!"),
    (r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$", "a", "!"),
    ("(.*a){20}", "a", "!"),
    ("(x+x+)+y", "x", ""),
    (r"^(?:(?:\d+,?)+;?)+$", "1", "!"),
]

POLYNOMIAL = [
    ("^a*a*a*$", "a", "!"),
    ("a*a*b", "a", ""),
    (r"\s*\s*x", " ", ""),
    (r"^\s*\s*$", " ", "!"),
    ("^.*foo.*bar$", "foo", ""),
    ("foo.*bar", "foo", ""),
    ("^(ab)*(ab)*c$", "ab", ""),
    ("^a*b?a*c$", "a", ""),
    (r"^\w+\d+x$", "1", ""),
    (r"x\w+y", "x", ""),
    ("^(?:a*){2}b$", "a", ""),
    (r"[^@\s]+@[^@\s]+\.[^@\s]+$", ".", "@"),
    ("^.+/.+$", "/", "\n"),
    ("^.*.*.*=$", "a", ""),
    (r"^\s*(.*)\s*;$", " ", ""),
    ("(?:a|b){1,500}c", "a", ""),
]

INEXACT = [
    ("^(?:(?:(?:a{0,30}){0,30}){0,30})b$", "a", "!"),
    ("^(?=(a+)+$)a*!", "a", "!"),
    (r"^(?!(\w+\s?)*$)", "a", "!"),
    (r"^(\w+\b\s?)*$", "a", "!"),
    (r"^(a)(\1+)+$", "a", "!"),
    ("(?<=(?:a|a)(?:a|a))(?:a|a)*b", "a", "!"),
    ("^(?=.*a.*a.*a.*a.*b)", "a", "!"),
]

LINEAR = [
    "^[a-zA-Z0-9_-]+$",
    r"^([a-z]+\.)*[a-z]+$",
    "^(a+b)+$",
    "^(/[^/]+)+$",
    "^(ab|cd)*$",
    r"^\d{4}(-\d\d){2}$",
    r'^"(?:[^"\\]|\\.)*"$',
    "^(?:[0-9a-f]{2}:)*[0-9a-f]{2}$",
    "^(a+)?$",
    r"^(?:\s*,\s*\w+)*$",
    r"^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$",
    r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$",
    r"^https?://.+$",
    r"^/.*$",
    r"^(?=.*[A-Z])(?=.*\d).{8,}$",
    r"^arn:aws:[a-z0-9-]+:[a-z0-9-]*:\d{12}:.+$",
    r"^[a-z0-9]+(-[a-z0-9]+)*$",
    r"\s+$",
    r"[a-z]+",
    r"\d+px",
    r"^[^/]+/[^/]+$",
    r"^.*\.json$",
    r"^\{.*\}$",
    r"^[\s\S]*$",
    r"^-?\d+(\.\d+)?([eE][+-]?\d+)?$",
    r"^a*a*",  # nothing behind it can fail
    "(a+)+",
    r"^(\d{1,3}\.){3}\d{1,3}$",
    r"^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$",
    "^.{1,4000}$",
    r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
]

HEAVY = [
    r"^\w{1,64}\w{1,64}$",
    "a{1,64}b",
    "^(" + "|".join(f"country-{index}" for index in range(100)) + ")$",
]
"""Linear, with many steps for each character: an automaton takes fewer."""


@pytest.mark.parametrize("pattern", HEAVY)
def test_a_pattern_with_many_steps_for_each_character_has_an_automaton(pattern: str) -> None:
    assert not is_always_fast(pattern)
    assert slow_pattern_reason(pattern) is None
    assert Search(pattern).simulation is not None


@pytest.mark.parametrize("pattern", LINEAR)
def test_ordinary_patterns_go_the_ordinary_way(pattern: str) -> None:
    assert is_always_fast(pattern)
    assert slow_pattern_reason(pattern) is None


@pytest.mark.parametrize("case", [*EXPLOSIVE, *POLYNOMIAL, *INEXACT], ids=lambda case: case[0][:40])
def test_a_slow_pattern_is_warned_of(case: tuple[str, str, str]) -> None:
    assert not is_always_fast(case[0])
    assert "millions of steps" in str(slow_pattern_reason(case[0]))


def test_a_short_text_is_no_reason_to_warn() -> None:
    assert slow_pattern_reason("a*a*b", 1_000) is None
    assert slow_pattern_reason("^.*.*.*=$", 1_000) is not None
    assert slow_pattern_reason("^.*.*.*=$", 100) is None
    assert slow_pattern_reason("(a+)+b", 64) is not None
    assert slow_pattern_reason("(a+)+b", 12) is None
    assert slow_pattern_reason("a*a*b", "1000") is not None
    assert "slower way" in str(slow_pattern_reason("a*a*b"))
    assert "are refused" in str(slow_pattern_reason("^(?=.*a.*b)"))


JUDGE = """
import json, sys
from toolcast.jsonschema.validator import Validator

for pattern, text in json.load(sys.stdin):
    value = {"a": text}
    own = Validator({"properties": {"a": {"pattern": pattern}}})
    negated = Validator({"properties": {"a": {"not": {"pattern": pattern}}}})
    keys = Validator({"patternProperties": {pattern: False}})
    said = [one.message for one in own.violations(value)]
    print(json.dumps([own.accepts(value), negated.accepts(value), keys.accepts({text: 1}), said]), flush=True)
"""


def judged(cases: list[tuple[str, str]], *, seconds: int = 120) -> list[Any]:
    """The verdicts of a process of its own, which may not take for ever."""
    run = subprocess.run(
        [sys.executable, "-c", JUDGE],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.parametrize("length", [12, 40, 2_000, pytest.param(100_000, marks=pytest.mark.thorough)])
def test_hostile_text_gets_the_right_verdict_in_bounded_time(length: int) -> None:
    cases = [
        (pattern, pump * (length // max(1, len(pump))) + end)
        for pattern, pump, end in (*EXPLOSIVE, *POLYNOMIAL)
    ]
    for (pattern, text), (own, negated, keys, stated) in zip(cases, judged(cases), strict=True):
        found = jsonschema_rs.is_valid({"pattern": pattern}, text)
        assert (own, negated, keys) == (found, not found, not found), pattern
        assert bool(stated) == (not found)
        assert not any("too many steps" in one for one in stated)


@pytest.mark.parametrize("length", [2_000, 100_000])
def test_what_cannot_be_judged_in_time_is_refused_by_name(length: int) -> None:
    cases = [(pattern, pump * length + end) for pattern, pump, end in INEXACT]
    for (pattern, text), (own, negated, keys, stated) in zip(cases, judged(cases), strict=True):
        assert not own, pattern
        assert not negated, "not to be known is no match"
        assert not keys
        assert len(stated) == 1
        assert f"a text of {len(text)} characters matches the pattern `{pattern}`" in stated[0]
        assert "too many steps; send a shorter text" in stated[0]


def test_many_texts_cost_no_more_than_one() -> None:
    code = """
from toolcast.jsonschema.validator import Validator
for pattern in ["^(a+)+$", "^(?=(a+)+$)a*!"]:
    judge = Validator({"items": {"pattern": pattern}})
    texts = ["a" * 20 + str(index) for index in range(4_000)]
    print(judge.accepts(texts), len(judge.violations(texts)) > 0, judge.settle(texts) is texts)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.stdout.splitlines() == ["False True True"] * 2, run.stderr


GROWING = [
    "(?:a{1,50}){1,50}b",
    "[ab]*a[ab]{200}c",
    r"[\s\S]*a[\s\S]{900}b",
    "(?:(?:a{1,10}){1,10}){1,10}b",
    "(?:ab|a|b){0,300}(?:ab|a|b){0,300}c",
    r"(?:[^\x00-\x7f]|\p{L}|[a-z]){1,400}x",
    "(?:" + "|".join(f"[a-{end}]{{1,{turns}}}b" for turns, end in enumerate("bcdefghijklm", 3)) + ")*!",
    "(?:" + "|".join(f"[{begin}-z]*x" for begin in "abcdefghijklmnop") + ")*y",
    "^(?:" + "|".join(f"w{number}" for number in range(300)) + ")*$",
    *(pattern for pattern, _, _ in EXPLOSIVE[::4]),
]
"""Sets of states that are large, many, or both."""
_random = Random(7)
LONG_TEXTS = [
    "a" * 50_000,
    "ab" * 25_000,
    "".join(_random.choices("ab", k=50_000)),
    "".join(_random.choices("abcdefghijklmnopqrstuvwxyz", k=50_000)),
    "".join(map(chr, range(0x3400, 0x3400 + 20_000))) * 2,
    "".join(map(chr, range(0x20000, 0x20000 + 20_000))) * 2,
    *(f"w{number}" * 9_000 for number in (0, 299)),
]


@pytest.mark.parametrize("pattern", GROWING, ids=lambda pattern: pattern[:40])
def test_no_text_takes_more_than_the_steps_of_a_call(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step is at most a line; to read a text costs steps even where the states are known."""
    monkeypatch.setattr(searching, "STEPS", 200_000)
    search = Search(pattern)
    for text in LONG_TEXTS:
        shared = Searches()

        def work(shared: Searches = shared, text: str = text) -> None:
            with suppress(SearchTooLong):
                for end in range(100):
                    shared.finds(search, f"{text}{end}")

        assert lines_executed(work) < 200_000


def test_a_fast_search_of_all_that_a_call_may_have_is_within_its_steps() -> None:
    assert fast_steps(4 * 1024 * 1024 - len('{"a":""}')) <= STEPS == 2**26
    assert Search(r"[^a]x").steps("😀" * 9) == fast_steps(4 * 9)


@pytest.mark.parametrize(
    ("pattern", "compared"), [(r"\P{L}x", 1), (r"\P{L}{3}x", 3), (r"[\p{L}\p{N}]+$", 1), (r"(?=\P{L}x)", 1)]
)
def test_a_comparison_past_the_table_of_re_counts_its_ranges(pattern: str, compared: int) -> None:
    """`re` compares a character past U+FFFF with the ranges of a class one after the other."""
    search, size = Search(pattern), 1_000
    classes = re.findall(r"\[(?:[^\\\]]|\\.)+\]", translate(pattern))
    ranges = max(len(re.findall(r"\\U[0-9a-f]{8}(?:-\\U[0-9a-f]{8})?", each)) for each in classes)
    assert ranges > 200
    assert search.steps("😀" * size) >= fast_steps(4 * size) + size * compared * (ranges // 6)
    assert search.steps("字é" * size) == fast_steps(5 * size)
    assert Searches().finds(search, "😀" * 20_000) == (
        re.search(search.re_search.__self__, "😀" * 9) is not None
    )
    with pytest.raises(SearchTooLong):
        Searches().finds(search, "😀" * 262_144)


def test_of_a_slow_pattern_each_comparison_counts_its_ranges() -> None:
    search = Search(r"^(?=[^b]*\P{L}[^b]*\P{L}x)")
    assert search.simulation is None
    length = int(search.fast_length) + 100
    assert search.steps("😀" + "a" * length) > 40 * search.steps("aa" + "a" * (length - 1))


def test_the_validators_of_one_call_share_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "STEPS", 200_000)
    judge = Validator({"type": "array", "items": {"allOf": [{"pattern": each} for each in GROWING[:4]]}})
    texts = [f"{'ab' * 50}{number}" for number in range(1_000)]

    @in_one_call
    def judged() -> list[bool]:
        return [judge.accepts([text]) for text in texts]

    assert lines_executed(judged) < 300_000
    assert "too many steps; send a shorter text" in judge.violations(texts)[0].message


@given(patterns(), st.text(ALPHABET, max_size=12), st.sampled_from([500, 2_000, 1 << 24]))
def test_the_automaton_decides_as_re_does(part: Part, text: str, kept: int) -> None:
    automaton = exact_automaton(str(part))
    assume(automaton is not None)
    assert automaton is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "_KEPT", kept)  # what is forgotten is computed again
        reader = _Reader(Simulation(automaton))
        for each in (text, text * 3, text[1:]):
            read = reader.find(each, STEPS)
            assert read is not None
            assert read[0] == (re.search(translate(str(part)), each) is not None), each


@given(patterns(looking=True), st.text(ALPHABET, max_size=10))
def test_no_search_takes_more_steps_than_are_counted(part: Part, text: str) -> None:
    found = analyse(str(part)).cost
    most = found.sums[min(len(text), len(found.sums) - 1)]
    if len(text) >= len(found.sums):
        assume(found.more is not None)
        most += (len(text) - len(found.sums) + 1) * (found.more or 0)
    engine = Engine(text, min(most, 300_000))
    try:
        verdict = engine.search(part)
    except TooManyStepsError:
        assert most > 300_000, f"more than {most} steps for {part} in {text!r}"
        return
    except RecursionError:
        return
    assert (re.search(translate(str(part)), text) is not None) == verdict


@given(
    patterns(), st.text(ALPHABET, min_size=1, max_size=4), st.integers(1, 30), st.text(ALPHABET, max_size=2)
)
def test_slow_patterns_are_judged_as_by_another_engine(part: Part, pump: str, times: int, end: str) -> None:
    pattern, text = f"{part}(?:{part})*a?(?:{part})+$", pump * times + end
    assume(not is_always_fast(pattern))
    try:
        judge = jsonschema_rs.validator_for({"pattern": pattern})
    except jsonschema_rs.ValidationError:  # it knows no `(?:)*`
        return
    ours = Validator({"pattern": pattern})
    stated = [one.message for one in ours.violations(text)]
    assert stated == [] or "must match" in stated[0], "no pattern without conditions is too hard"
    assert ours.accepts(text) == judge.is_valid(text)


@pytest.mark.corpora
def test_no_pattern_of_the_corpora_is_refused(shared_dir: Path) -> None:
    found: set[str] = set()
    waiting: list[Any] = []
    for file in (shared_dir / "corpora").rglob("*.json*"):
        text = file.read_text("utf-8")
        documents = text.splitlines() if file.suffix == ".jsonl" else [text]
        waiting += [json.loads(each) for each in documents if "pattern" in each]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            found.update(each for each in (node.get("pattern"),) if isinstance(each, str))
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
        elif isinstance(node, str) and '"pattern"' in node:  # a document as text
            with suppress(ValueError):
                waiting.append(json.loads(node))
    assert len(found) > 30
    slow = [pattern for pattern in found if not is_always_fast(pattern)]
    assert len(slow) < len(found) / 4
    for pattern in slow:
        text = "/branches/v1.0.0/apis/" + "a-long-name-of-a-file" * 50 + ".json!"
        judge = Validator({"pattern": pattern})
        assert judge.accepts(text) == jsonschema_rs.is_valid({"pattern": pattern}, text), pattern


LARGE = [
    "^(" + "|".join(f"[a-z]*{i}[a-z]*" for i in range(400)) + ")*$",
    "^" + r"[a-z]*\d?" * 60 + "$",
    "^(?:(?:(?:a{999}){999}){999})$",
    "(?:a?){900}" * 20,
    "(" * 90 + "a" + "{2})" * 90,
    "(?:" * 90 + r"\p{L}" + ")?" * 90,
    r"(?:\p{L}|\p{Lu}|\p{Ll}|\p{N}|\p{P}|\p{S}|\p{Z}|\p{M})" * 20,
    "(?=" * 50 + "(a|a)*" + ")" * 50,
    "(?<=" + "(?:a|a)" * 900 + ")b",
    "a" * 15_000,
    "|".join(["a*"] * 5_000),
]


@pytest.mark.thorough
def test_a_large_pattern_is_analysed_in_bounded_time() -> None:
    """In a process of its own, so that an analysis without an end fails."""
    code = """
import json, sys
from toolcast.contract.schema_mistakes import slow_pattern_reason
from toolcast.jsonschema.validator import Validator
for pattern in json.load(sys.stdin):
    slow_pattern_reason(pattern)
    Validator({"pattern": pattern}).accepts("a" * 100)
"""
    subprocess.run([sys.executable, "-c", code], input=json.dumps(LARGE), text=True, timeout=120, check=True)


def test_a_very_long_pattern_is_refused() -> None:
    """The analysis of 100,000 alternatives took half a minute."""
    pattern = "|".join(f"w{number}" for number in range(100_000))
    with pytest.raises(
        UnsupportedSchema, match="at most 20,000 characters; for many alternatives, use `enum`"
    ):
        Validator({"pattern": pattern})


def test_too_long_a_text_is_not_searched() -> None:
    """Explaining names each violation, but a search that maxLength was to keep short stays out."""
    validator = Validator({"type": "string", "maxLength": 10, "pattern": "^a*a*a*a*b$"})
    assert [one.keyword for one in validator.violations("a" * 12)] == ["maxLength", "pattern"]
    assert [one.keyword for one in validator.violations("a" * 100_000)] == ["maxLength"]


@pytest.mark.parametrize("ask", [translate, analyse, lambda pattern: is_fast(pattern, 9)])
def test_long_patterns_are_not_kept_alive(ask: Callable[[str], object]) -> None:
    class Pattern(str):
        __slots__ = ("__weakref__",)

    short, long = Pattern("^[ab]$"), Pattern("^" + "a" * MAX_CACHED_LENGTH + "$")
    assert ask(short) == ask("^[ab]$")
    assert ask(long) == ask("^" + "a" * MAX_CACHED_LENGTH + "$")
    seen = ref(long)
    del long
    gc.collect()
    assert seen() is None
