"""The official JSON Schema test suite, from spec to generated decoder; writes docs/reports/conformance.md.

    python -m bench.conformance --write docs/reports/conformance.md

Each schema is a shared type file of its own, required as `value` by a tool. Draft 7 is raised first, as for
any spec. Without `--write` the page goes to standard output. The exit status is 1 where a test disagrees, or
a schema is refused for a reason that it does not hold.
"""

import argparse
import collections
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from msgspec import Struct
from toolcast.analysis.instances.oracle import Oracle, OracleError, asserted_formats
from toolcast.analysis.verify.equivalence import ACCEPTED, as_text, decoded
from toolcast.project.pool import processors

from tests.python.compiled import RefusedError, package, spec

from .peers.table import table

DRAFTS = ("2020-12", "7")
REASONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "remote-reference": ("a reference leaves the specs folder", ("$ref", "$schema")),
    "unsupported-keyword": (
        "dynamic references and custom vocabularies have no static type",
        ("$dynamicRef", "$dynamicAnchor", "$vocabulary", "$recursiveRef"),
    ),
    "embedded-id": ("an `$id` inside a schema starts another resource", ("$id",)),
    "missing-reference": ("a reference to another document, or to nothing", ("$ref",)),
    "reference-outside": ("a reference points outside the specs folder", ("$ref",)),
    "unknown-dialect": ("`$schema` names a dialect that is unknown", ("$schema",)),
    "default-mismatch": ("a default does not fit its own schema", ("default",)),
    "unsatisfiable": ("no value fits it", ("false", "not", "enum", "type")),
}
"""Code of a refusal → what it means, and words of which one must stand in a schema refused for it."""


PUNYCODE = "A-label (punycode)"
"""Host names that need the tables of IDNA, which `hostname` does not consult: a stated limit."""


def applies(source: str) -> bool:
    """Whether the schema from `source` says something about us: which formats are asserted is our own choice.

    The required tests of `format` hold for annotations only, the optional ones for those asserted.
    """
    path = source.partition("tests/")[2].partition("#")[0].partition("/")[2].removesuffix(".json")
    if path.startswith("optional/format/"):
        return path.rpartition("/")[2] in asserted_formats()
    return path != ("format" if asserted_formats() else "") and not path.startswith("optional/content")


class Case(Struct, frozen=True):
    """How one schema of the suite fared; the counts are tests. `wrong` are disagreements in words."""

    draft: str
    keyword: str
    agreeing: int = 0
    allowed: int = 0  # accepted by one of the two allowances of L1 where the suite says invalid
    refused: int = 0
    codes: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    untrue: tuple[str, ...] = ()  # refusals without their reason
    remote: bool = False


def records(shared: Path, draft: str) -> list[dict[str, Any]]:
    """The schemas of one draft, with their tests."""
    text = (shared / f"suites/json-schema-test-suite/draft{draft}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def run(record: dict[str, Any]) -> Case:
    """Compile one schema of the suite, and put its tests to the decoder, as text and as a mapping."""
    schema, keyword, draft = record["parameters"], _keyword(record), record["draft"]
    name = f"{keyword}: {record['description']}"
    tests = [(call, True) for call in record["calls"]]
    tests += [(call["arguments"], False) for call in record["bad_calls"]]
    parameters: dict[str, Any] = {
        "type": "object",
        "required": ["value"],
        "properties": {"value": {"$ref": "_types/value.json"}},
        "additionalProperties": False,
    }
    types: dict[str, Any] = {}
    if isinstance(
        schema, dict
    ):  # the root of a file of its own, so that `#` means what it means in the suite
        dialect = {"$schema": "http://json-schema.org/draft-07/schema#"} if draft == "7" else {}
        types["_types/value.json"] = {**dialect, **schema}
    else:
        parameters["properties"]["value"] = schema
    agreeing = allowed = 0
    wrong: list[str] = []
    try:
        with package({"tool.json": spec(parameters)}, types) as bindings:
            binding = bindings["tool"]
            for value, expected in tests:
                verdicts = {
                    decoded(binding, arguments)[0] == ACCEPTED
                    for arguments in (as_text({"value": value}), {"value": value})
                }
                if verdicts == {expected}:
                    agreeing += 1
                elif verdicts == {True} and _allowed(binding.schema(), value):
                    allowed += 1
                else:
                    verdict = (
                        "text and mapping differ" if len(verdicts) > 1 else f"the decoder says {not expected}"
                    )
                    wrong.append(f"{name}: {json.dumps(value)[:200]} should be {expected}; {verdict}")
    except RefusedError as problem:
        text = json.dumps(schema)
        codes = tuple(sorted(set(problem.codes)))
        untrue = [c for c in codes if not any(word in text for word in REASONS.get(c, ("", ()))[1])]
        told = tuple(f"{name}: refused as {code} without that reason" for code in untrue)
        return Case(
            draft, keyword, refused=len(tests), codes=codes, untrue=told, remote=record["needs_remote"]
        )
    return Case(draft, keyword, agreeing, allowed, wrong=tuple(wrong), remote=record["needs_remote"])


def _allowed(schema: Any, value: Any) -> bool:
    """Whether the allowances explain an acceptance. The contract's own references are of no use here, so only
    schemas without any are looked at."""
    try:
        return "$ref" not in json.dumps(schema) and Oracle(schema).verdict({"value": value}) is not False
    except OracleError:
        return False


def _keyword(record: dict[str, Any]) -> str:
    path = record["source"].partition("tests/")[2].partition("#")[0]
    return str(path.partition("/")[2].removesuffix(".json"))


def judged(shared: Path, jobs: int) -> list[Case]:
    """Every schema of both drafts, in the suite's order; those that `applies` leaves out are missing."""
    wanted = [
        record
        for draft in DRAFTS
        for record in records(shared, draft)
        if applies(record["source"]) and PUNYCODE not in record["description"]
    ]
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(run, wanted, chunksize=16))


def page(cases: Iterable[Case]) -> str:
    """The page, as Markdown."""
    found = list(cases)
    files = (line for draft in DRAFTS for line in _draft(draft, found))
    return "\n".join([*_summary(found), *_reasons(found), *_METHOD, *files]) + "\n"


_METHOD = (
    "",
    "## Method",
    "",
    "Each schema of the suite is a required property `value` of a tool. The tool is compiled, its generated",
    "module is imported, and every test is decoded with it twice: as JSON text and as a mapping. Draft 7 is",
    "raised to 2020-12 first, as in any spec. The suite is read from `TOOLCAST_SHARED`, or `../shared`.",
    "",
    "Three parts of the suite are left out:",
    "",
    "* the tests of `format` as an annotation: formats assert here, so their optional tests are in,",
    "* the optional tests of `content…`, which is an annotation here,",
    "* host names in punycode: `hostname` does not consult the tables of IDNA, so these tests would fail.",
    "",
    "`make fuzz` does the same with composed schemas; jsonschema-rs judges the values.",
)
_COLUMNS = ("tests", "agree", "allowed", "disagree", "refused")
_SHARE = "agree, of those that need no other document"


def _summary(cases: list[Case]) -> Iterator[str]:
    """The claim, its table and the command."""
    compiled = sum(_tests(case) - case.refused for case in cases)
    agreeing = sum(case.agreeing for case in cases)
    yield from ("# Conformance", "")
    refused = sum(case.refused for case in cases)
    yield (
        f"**Generated decoders agree with {agreeing:,} of {compiled:,} tests of the official JSON Schema "
        f"suite; the schemas of {refused:,} further tests are refused.**"
    )
    yield from ("", "<!-- Written by `make conformance`; do not edit. -->", "")
    yield f"| draft | schemas | {' | '.join(_COLUMNS)} | {_SHARE} |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for draft in DRAFTS:
        mine = [case for case in cases if case.draft == draft]
        local = [case for case in mine if not case.remote]
        total, agree = sum(map(_tests, local)), sum(case.agreeing for case in local)
        share = f"{100 * agree / total if total else 100.0:.1f} % of {total:,}"
        yield f"| {' | '.join(_row(draft, mine, zero='0'))} | {share} |"
    yield from (
        "",
        "`make conformance` measures it again. The columns count tests:",
        "",
        "* **agree**: the decoder says what the suite says.",
        "* **allowed**: the suite says invalid, and an",
        "  [allowance](../explanation/decoding.md#the-two-allowances) accepts: a `null` for an optional",
        "  property counts as absent.",
        "* **disagree**: anything else.",
        "* **refused**: the schema does not compile, for a reason that stands in it.",
    )


def _draft(draft: str, cases: list[Case]) -> Iterator[str]:
    mine = [case for case in cases if case.draft == draft]
    yield from ("", f"## Draft {draft}, by file", "")
    groups: dict[str, list[Case]] = collections.defaultdict(list)
    for case in mine:
        groups[case.keyword].append(case)
    files = sorted(groups.items(), key=lambda pair: ("/" in pair[0], pair[0]))
    exact = [
        f"`{file}` {sum(map(_tests, group))}"
        for file, group in files
        if all(_tests(case) == case.agreeing for case in group)
    ]
    others = (
        _row(f"`{file}`", group)
        for file, group in files
        if any(_tests(case) != case.agreeing for case in group)
    )
    head = ["file of the suite", "schemas", *_COLUMNS]
    yield from table([head, *others, _row("**all**", mine)])
    yield from ("", f"All tests of the other files agree: {', '.join(exact)}.")


def _tests(case: Case) -> int:
    return case.agreeing + case.allowed + len(case.wrong) + case.refused


def _row(name: str, group: list[Case], zero: str = "") -> list[str]:
    counts = (
        len(group),
        sum(map(_tests, group)),
        sum(case.agreeing for case in group),
        sum(case.allowed for case in group),
        sum(len(case.wrong) for case in group),
        sum(case.refused for case in group),
    )
    return [name, *(f"{count:,}" if count else zero for count in counts)]


def _reasons(cases: list[Case]) -> Iterator[str]:
    yield from (
        "",
        "## Why schemas are refused",
        "",
        "| diagnostic | schemas | what it means |",
        "|---|---:|---|",
    )
    counts = collections.Counter(code for case in cases for code in case.codes)
    for code, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        yield f"| `{code}` | {count:,} | {REASONS.get(code, ('not foreseen',))[0]} |"
    problems = [line for case in cases for line in (*case.wrong, *case.untrue)]
    if problems:
        yield from ("", "## Disagreements", "")
        yield from (f"* {_escaped(line)}" for line in problems)


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("|", "\\|")


def main(arguments: list[str] | None = None) -> int:
    """The command; its exit status."""
    root = Path(__file__).resolve().parents[1]
    parser = argparse.ArgumentParser(prog="python -m bench.conformance")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page here")
    parser.add_argument("--jobs", type=int, default=processors(), help="processes (default: all processors)")
    given = parser.parse_args(arguments)
    shared = Path(os.environ.get("TOOLCAST_SHARED", root.parent / "shared"))
    if not shared.is_dir():
        print(f"the shared suites are not at {shared}; set TOOLCAST_SHARED", file=sys.stderr)
        return 2
    cases = judged(shared, given.jobs)
    text = page(cases)
    if given.write is None:
        sys.stdout.write(text)
    else:
        given.write.write_text(text, encoding="utf-8", newline="\n")
    problems = [line for case in cases for line in (*case.wrong, *case.untrue)]
    for line in problems:
        print(line, file=sys.stderr)
    run_count = sum(map(_tests, cases)) - sum(case.refused for case in cases)
    print(
        f"{run_count} tests run, {sum(case.refused for case in cases)} refused, {len(problems)} problems",
        file=sys.stderr,
    )
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
