"""The report on declarations, as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .measurement import Row


def page(rows: Sequence[Row]) -> str:
    """The report."""
    lines = [
        "# Declarations of real tools",
        "",
        "**A tool declared as a typed function takes fewer tokens than its JSON, and means the same.**",
        "",
        "| corpus | tools | OpenAI JSON | TypeScript | fewer | Python | fewer |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    whole = tuple(sum(row.tokens[i] for row in rows) for i in range(3))
    every = [(row.corpus, row.tools, row.tokens) for row in rows]
    every.append(("all", sum(row.tools for row in rows), (whole[0], whole[1], whole[2])))
    for corpus, tools, (base, typescript, python) in every:
        lines.append(
            f"| {corpus} | {tools} | {base:,} | {typescript:,} | {1 - typescript / base:.1%} "
            f"| {python:,} | {1 - python / base:.1%} |"
        )
    lines += [
        "",
        "Tokens are those of o200k_base (gpt-tokenizer), for compact JSON of the profile `openai`. A",
        "declaration also has the type of the result, where a tool states one; that JSON does not.",
        "`make declarations` writes this page, for every tool of the shared corpora.",
        "",
        "`tsc --strict` and pyright in strict mode accept every declaration. They judge generated calls",
        "as the contract does, except for constraints that types cannot express; of those, a comment",
        "or the ledger states each that a call violates.",
        "",
        "| language | calls | valid | agree | types cannot express | disagree |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    totals: list[Counter[str]] = []
    for place, language in enumerate(("TypeScript", "Python")):
        found = [row.agreements[place] for row in rows]
        apart = sum((one.apart for one in found), Counter[str]())
        totals.append(apart)
        lines.append(
            f"| {language} | {sum(one.calls for one in found):,} | {sum(one.valid for one in found):,} "
            f"| {sum(one.agree for one in found):,} | {apart.total():,} "
            f"| {sum(len(one.disagreements) for one in found):,} |"
        )
    lines += ["", "| what types cannot express | TypeScript | Python |", "|---|---:|---:|"]
    for reason in sorted(totals[0] | totals[1], key=lambda one: (-totals[0][one] - totals[1][one], one)):
        lines.append(f"| {reason} | {totals[0][reason]:,} | {totals[1][reason]:,} |")
    constraints = sum(sum(row.constraints) for row in rows)
    lost = sum(len(row.unstated) for row in rows)
    lines += [
        "",
        f"Of {constraints:,} constraints of the contracts in both languages (bounds, lengths, patterns,",
        f"formats, listed values, required keys), {lost} are in neither the declaration nor the ledger; each",
        "is searched for by its value in the text.",
    ]
    return "\n".join(lines) + "\n"
