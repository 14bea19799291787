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

**Each difference from another normaliser belongs to a class that has a reason.**

`make deviations` writes this page, and a test holds it to what the code does.

oh-my-pi 18.0.0 normalises tool schemas for the same providers; {count} recorded answers of its functions, to
{inputs} inputs for {targets} targets, stand beside ours for the nearest profile. Where the two differ, every
single difference belongs to one of the classes below. A class is a rule over the input and both answers, so a
difference of a new kind fails the test.

Every one of our answers is judged for itself, too: what the input accepts has a form that our schema accepts
(`jsonschema-rs`) and that decodes to what the input accepts, and the provider's published rules refuse
nothing in it; exceptions stand below. The order of `required` and the text of descriptions count as
differences; the order of keys does not.
"""


def page(cases: Sequence[Case]) -> str:
    """The whole page, in Markdown."""
    inputs = len({case.id for case in cases})
    parts = [HEAD.format(count=f"{len(cases):,}", inputs=inputs, targets=len(TARGETS))]
    counts = {target: Counter[str]() for target in TARGETS}
    for case in cases:
        counts[case.target].update(sorted_into(case)[0])
    parts.append("| target | profile | cases | equal | equal but for key order | different |")
    parts.append("|---|---|--:|--:|--:|--:|")
    for target, (profile, _) in TARGETS.items():
        total = sum(case.target == target for case in cases)
        equal, moved = counts[target][EQUAL], counts[target][REORDERED]
        parts.append(f"| {target} | `{profile}` | {total} | {equal} | {moved} | {total - equal - moved} |")
    parts.append("\nThe classes; figures are cases, and a case may be of several.\n")
    parts.append("| class | " + " | ".join(TARGETS) + " | why |\n|---|" + "--:|" * len(TARGETS) + "---|")
    reasons = {**MODES, **{each.name: each.reason for each in CLASSES}}
    order = sorted(reasons, key=lambda name: -sum(each[name] for each in counts.values()))
    for name in order:
        figures = [str(each[name] or "") for each in counts.values()]
        if any(figures):
            parts.append(f"| {name} | " + " | ".join(figures) + f" | {reasons[name]} |")
    if known := (*CASES_REFUSED, *CASES_LOST):
        parts.append("\nDefects of ours that these cases show, and that still stand:\n")
        parts += [f"* `{part}`" for part in known]
    return "\n".join(parts) + "\n"
