"""docs/reports/deviations.md, from the cases as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.providers.known import CASES_LOST, CASES_REFUSED

from .cases import TARGETS, Case
from .classes import CLASSES
from .judge import EQUAL, MODES, REORDERED, sorted_into

HEAD = """\
# Deviations from another normaliser

**Of {count} answers of another normaliser {same} equal ours; each of the {different} others differs for a \
reason that a rule states.**
"""
METHOD = """
`make deviations` measures it again, and a test holds the page to what the code does.

## Method

oh-my-pi 18.0.0 normalises tool schemas for the same providers. Its recorded answers to {inputs} inputs for
{targets} targets are compared with ours for the nearest profile. The order of `required` and the text of
descriptions count as differences; the order of keys does not. Every difference must belong to one of
the classes below, each a rule over the input and both answers: a difference of a new kind fails the test.

Each of our answers is judged for itself, too: what the input accepts has a form that our schema accepts
(`jsonschema-rs`) and that decodes to it, and the provider's published rules refuse nothing in it.

## The classes

A case may be of several classes.
"""


def page(cases: Sequence[Case]) -> str:
    counts = {target: Counter[str]() for target in TARGETS}
    for case in cases:
        counts[case.target].update(sorted_into(case)[0])
    same = sum(each[EQUAL] + each[REORDERED] for each in counts.values())
    parts = [HEAD.format(count=f"{len(cases):,}", same=f"{same:,}", different=f"{len(cases) - same:,}")]
    parts.append("| target | profile | cases | equal | equal but for key order | different |")
    parts.append("|---|---|--:|--:|--:|--:|")
    for target, (profile, _) in TARGETS.items():
        total = sum(case.target == target for case in cases)
        equal, moved = counts[target][EQUAL], counts[target][REORDERED]
        parts.append(f"| {target} | `{profile}` | {total} | {equal} | {moved} | {total - equal - moved} |")
    parts.append(METHOD.format(inputs=len({case.id for case in cases}), targets=len(TARGETS)))
    parts.append("| class | cases | why |\n|---|---|---|")
    reasons = {**MODES, **{each.name: each.reason for each in CLASSES}}
    order = sorted(reasons, key=lambda name: -sum(each[name] for each in counts.values()))
    for name in order:
        figures = [f"{target} {each[name]}" for target, each in counts.items() if each[name]]
        if figures:
            parts.append(f"| {name} | {', '.join(figures)} | {reasons[name]} |")
    if known := (*CASES_REFUSED, *CASES_LOST):
        parts.append("\nDefects of ours that these cases show, and that still stand:\n")
        parts += [f"* `{part}`" for part in known]
    return "\n".join(parts) + "\n"
