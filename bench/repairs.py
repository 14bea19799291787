"""Malformed arguments of json_repair's own tests: which are read, which are refused.

    python -m bench.repairs [--shared FOLDER] [--write docs/reference/arguments.md]        (FOLDER: default
    ../shared)

Judged are the texts that are no JSON and for which json_repair's tests expect an object with members, as the
arguments of a call are. Where these tests expect what the text does not say, REASONS has why, by the digest
of the text; such texts count apart. Contracts are derived from what is expected: `closed` has every property
with its type and no other, `open` is any object.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from toolcast.providers import decode
from toolcast.runtime import ArgumentError, Guesses

from .marked import write

SUITE = Path("suites/malformed-arguments/cases.jsonl")
LEAST = 0.9
"""Of what json_repair reads right, the part that is to be read under the strict contract."""

REASONS: dict[str, str] = {
    "2249a9aa": "drops an empty array",
    "2136d1cf": "invents a value",
    "b59c1a64": "drops a line break, or not, as an option says",
    "4963a63b": "takes a cut string apart, or not, as an option says",
    "3d475b71": "takes an array for complete that ends after a comma",
    "736b525d": "invents a bracket",
    "12a5d5a0": "drops a property with the comment before it",
    "41405804": "reads on within a comment",
    "56cbcae6": "makes a string of two numbers",
    "ff6c7960": "drops a letter of a number",
    "cfd9797f": "drops a word",
    "265a2394": "drops words",
    "b547eb35": "drops an object",
    "bd58e8d4": "drops a value",
    "7698369c": "drops words of a string",
    "13e674c9": "merges arrays",
    "958002ca": "merges arrays",
    "4e2a231c": "makes a property of an array",
    "4f2e0bfd": "drops backslashes",
    "40083689": "invents a value",
    "e1a10d69": "drops a property given twice",
    "0c4b02cb": "invents a value",
    "af910463": "drops an empty array",
    "02bdf27c": "drops an empty object",
    "f158b8a2": "drops a line break",
    "ff8f88b2": "makes an object of a string",
    "9e6bc02e": "drops a value",
    "67ef730f": "invents values",
    "3f281ffc": "invents a value",
    "3b00ad21": "invents values",
    "7cbaa9d2": "invents a value",
    "b15358c2": "makes two items of a string",
}


class Case(NamedTuple):
    """A text, and what json_repair's tests expect of it: more than one value where options differ."""

    text: str
    expected: list[Any]

    @property
    def reason(self) -> str:
        """Why the expectation is not what the text says; "" where it is."""
        return REASONS.get(digest(self.text), "")


class Verdict(NamedTuple):
    """How many texts were read as expected, refused, or read as something else."""

    right: int
    refused: int
    others: list[tuple[str, Any]]


def digest(text: str) -> str:
    """What a text is known by here."""
    return sha256(text.encode()).hexdigest()[:8]


def cases(shared: Path) -> list[Case]:
    """The texts of the suite that are judged, in its order."""
    found: dict[str, Case] = {}
    for line in (shared / SUITE).read_text("utf-8").splitlines():
        record = json.loads(line)
        text, expected = record["input"], _value(record["expected"])
        if _value(text) is text and isinstance(expected, dict) and expected:
            case = found.setdefault(text, Case(text, []))
            case.expected.append(expected)
    return [*found.values()]


def _value(text: Any) -> Any:
    """The JSON value of a text; the text itself where it is none, as a value is."""
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def closed(value: Any) -> dict[str, Any]:
    """A contract for values of the very form of `value`."""
    if isinstance(value, dict):
        properties = {name: closed(item) for name, item in value.items()}
        return {
            "type": "object",
            "properties": properties,
            "required": [*properties],
            "additionalProperties": False,
        }
    if isinstance(value, list):
        forms = {json.dumps(closed(item)): None for item in value}
        return {"type": "array", "items": {"anyOf": [json.loads(form) for form in forms]} if forms else {}}
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
    return {"type": kinds[type(value)]}


def judge(judged: Sequence[Case], guesses: Guesses, contract: str) -> Verdict:
    """Read every text under the contract of that name."""
    right, refused, others = 0, 0, []
    for case in judged:
        read = [*_readings(case, guesses, contract)]
        if any(value in case.expected for value in read):
            right += 1
        elif not read:
            refused += 1
        others += [(case.text, value) for value in read if value not in case.expected]
    return Verdict(right, refused, others)


def _readings(case: Case, guesses: Guesses, contract: str) -> Iterator[Any]:
    for expected in case.expected if contract == "closed" else case.expected[:1]:
        schema = json.dumps(closed(expected) if contract == "closed" else {"type": "object"})
        try:
            yield decode(case.text, "mcp", schema=schema, guesses=guesses)
        except ArgumentError:
            continue


ALL = Guesses("all")
WITH_CUT = Guesses([*ALL.allow, "cut-value"])


class Row(NamedTuple):
    """Figures of one table row."""

    texts: str
    contract: str
    guesses: str
    verdict: Verdict


def rows(every: Sequence[Case]) -> list[Row]:
    """Every figure."""
    right = [case for case in every if not case.reason]
    others = [case for case in every if case.reason]
    made: list[Row] = []
    for judged, name in ((right, "right"), (others, "not right")):
        for contract in ("closed", "open"):
            for guesses, allowed in ((ALL, "`all`"), (WITH_CUT, "`all` and `cut-value`")):
                made.append(Row(name, contract, allowed, judge(judged, guesses, contract)))
        with mock.patch.dict(sys.modules, {"json_repair": None}):
            made.append(Row(name, "closed", "`all`, without json_repair", judge(judged, ALL, "closed")))
    return made


def table(every: Sequence[Case], found: Sequence[Row]) -> str:
    """The figures in Markdown."""
    right = sum(not case.reason for case in every)
    lines = [
        f"Of {len(every)} texts that are no JSON, json_repair's tests expect an object with members. For",
        f"{right} that is what the text says; for the others they invent a value, drop one, or merge two",
        "(`REASONS` in bench/repairs.py).",
        "",
        "| json_repair reads | contract | guesses | read as expected | refused | read as something else |",
        "|---|---|---|---|---|---|",
    ]
    for row in found:
        figures = f"{row.verdict.right} | {row.verdict.refused} | {len(row.verdict.others)}"
        lines.append(f"| {row.texts} | {row.contract} | {row.guesses} | {figures} |")
    return "\n".join(lines)


def good(found: Sequence[Row]) -> bool:
    """Whether enough is read, and nothing wrong. Where the expectation is not what the text says, only a
    closed contract can tell what is wrong."""
    main = next(row.verdict for row in found if row.guesses == "`all` and `cut-value`")
    wrong = [
        row for row in found if row.verdict.others and (row.texts, row.contract) != ("not right", "open")
    ]
    return not wrong and main.right >= LEAST * (main.right + main.refused)


def main() -> int:
    """Print or write the figures; 1 where they are not good enough."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    every = cases(options.shared)
    found = rows(every)
    text = table(every, found)
    if options.write is None:
        print(text)
    else:
        write(options.write, "repairs", text)
    return 0 if good(found) else 1


if __name__ == "__main__":
    sys.exit(main())
