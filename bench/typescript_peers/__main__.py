"""`make typescript-peers`: asks each way from JSON Schema to a check in JavaScript; writes
docs/reports/peers.md."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from toolcast.languages.typescript.modules import slow_patterns
from toolcast.package_files import PACKAGE

from .cases import Case, Cases, constructs, inlined, real_tools, suite

ROOT = Path(__file__).resolve().parents[2]
MODULES = ROOT / ".typescript-tools" / "node_modules"
WAYS = ("toolcast", "z.fromJSONSchema", "json-schema-to-zod", "quicktype")
PACKAGES = {
    "z.fromJSONSchema": "zod",
    "json-schema-to-zod": "json-schema-to-zod",
    "quicktype": "quicktype-core",
}
EXAMPLES = 6

HEAD = """\
# Ways from JSON Schema to a check in JavaScript

**The JavaScript module of a tool accepts exactly what its schema accepts; other ways to a check do not.**

`make typescript-peers` gives the same schemas and values to the modules that `targets = ["typescript"]`
writes ([tools in JavaScript](../reference/typescript.md)), and to {versions}.
All get the normal form of the contract: draft 2020-12, self-contained; json-schema-to-zod gets it with its
references inlined, as its documentation advises. Values with numbers past 2**53 are left out: `JSON.parse`
reads others.

* **refuses the schema**: no check comes out. **raises**: one does, and fails with another error on a value.
* **too wide**: accepts what the schema refuses. **too narrow**: refuses what it accepts.
* Ours is the validator without allowances for explicit nulls, and without defaults: JSON Schema has neither.

Formats are asserted by ours and by zod; those of the suite are left out, as its main part leaves them open.
"""


def judge(cases: Cases) -> list[dict[str, Any]]:
    """The answers for each case: of each way a verdict for each value, or why there is none."""
    node = shutil.which("node")
    assert node is not None, "Node.js is not installed"
    script = Path(__file__).with_name("judge.mjs")
    support = PACKAGE / "languages" / "typescript" / "support" / "index.js"
    done = subprocess.run(
        (node, str(script), str(support), str(MODULES)),
        input="".join(_task(case) for case in cases.cases),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "NODE_PATH": str(MODULES)},
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(cases.cases)
    return answers


def _task(case: Case) -> str:
    return (
        json.dumps(
            {
                "schema": case.schema,
                "inlined": inlined(case.schema, case.schema.get("$defs", {})),
                "slowPatterns": slow_patterns(case.schema),
                "values": [value for value, _ in case.values],
            }
        )
        + "\n"
    )


def tally(cases: Cases, answers: list[dict[str, Any]], way: str) -> tuple[Counter[str], dict[str, list[str]]]:
    """How often a way does what, and examples."""
    counts: Counter[str] = Counter()
    examples: dict[str, list[str]] = {}
    for case, answer in zip(cases.cases, answers, strict=True):
        found = answer[way]
        if isinstance(found, str):
            counts["refused"] += 1
            examples.setdefault("refuses the schema", []).append(f"{case.name}: {found[:100]}")
            continue
        exact = True
        for (value, due), verdict in zip(case.values, found, strict=True):
            kind = "raises" if isinstance(verdict, str) else "right" if verdict == due else "wrong"
            kind = ("too wide" if verdict else "too narrow") if kind == "wrong" else kind
            counts[kind] += 1
            exact = exact and kind == "right"
            if kind != "right":
                examples.setdefault(kind, []).append(f"{case.name}: {json.dumps(value)[:80]}")
        counts["exact schemas"] += exact
    return counts, examples


def page(sources: list[tuple[Cases, list[dict[str, Any]]]]) -> str:
    """The page of the documentation."""
    packages = {
        name: json.loads((MODULES / name / "package.json").read_text("utf-8")) for name in PACKAGES.values()
    }
    versions = ", ".join(f"{way} ({name} {packages[name]['version']})" for way, name in PACKAGES.items())
    rows = [HEAD.format(versions=versions)]
    for cases, answers in sources:
        values = sum(len(case.values) for case in cases.cases)
        rows.append(f"## {cases.source[0].upper()}{cases.source[1:]}\n")
        codes = ", ".join(f"`{code}` {count}" for code, count in sorted(cases.refused.items()))
        more = f"the contract refuses {sum(cases.refused.values())} more schemas ({codes})"
        rows.append(f"{len(cases.cases):,} schemas, {values:,} values; {more}.\n")
        rows.append(
            "| | schemas exact | refuses the schema | values right | too wide | too narrow | raises |"
        )
        rows.append("|---|---|---|---|---|---|---|")
        for way in WAYS:
            counts, _ = tally(cases, answers, way)
            shown = ("exact schemas", "refused", "right", "too wide", "too narrow", "raises")
            rows.append(f"| {way} | " + " | ".join(f"{counts[key]:,}" for key in shown) + " |")
        rows.append("")
    rows.append("## What is refused\n\nReasons with which no check comes out, and how often:\n")
    for way in WAYS:
        reasons = Counter(
            answer[way].split(": ", 1)[-1][:80]
            for _, answers in sources
            for answer in answers
            if isinstance(answer[way], str)
        )
        shown = "; ".join(
            f"{reason.replace('|', chr(92) + '|')} ({count})"
            for reason, count in reasons.most_common(EXAMPLES)
        )
        rows.append(f"* **{way}**: {shown or 'nothing'}")
    return "\n".join(rows) + "\n"


def main() -> None:
    """Measure, print examples, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--shared", type=Path, default=Path(os.environ.get("TOOLCAST_SHARED", ROOT.parent / "shared"))
    )
    parser.add_argument("--every", type=int, default=4, help="every so many-th tool of the corpora")
    parser.add_argument("--write", type=Path, help="the page to write")
    options = parser.parse_args()
    sources = [
        (each, judge(each))
        for each in (suite(options.shared), constructs(), real_tools(options.shared, options.every, 20))
    ]
    text = page(sources)
    print(text)
    for cases, answers in sources:
        for way in WAYS:
            for kind, found in tally(cases, answers, way)[1].items():
                print(cases.source, way, kind, *found[:EXAMPLES], sep="\n    ")
    if options.write:
        options.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
