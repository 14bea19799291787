"""The verdicts as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from .constructs import CONSTRUCTS
from .judge import Verdict
from .ours import Results

COLUMNS: tuple[tuple[str, tuple[Verdict, ...]], ...] = (
    ("exact", ("exact",)),
    ("wider", ("wider", "untold")),
    ("says nothing", ("empty",)),
    ("refuses valid", ("refuses", "altered")),
    ("unsatisfiable", ("unsatisfiable",)),
    ("invalid for the provider", ("invalid",)),
    ("raises", ("raises",)),
    ("declines strict", ("declines",)),
)
SIGNS: Mapping[Verdict, str] = {
    "exact": "=",
    "wider": "+",
    "untold": "+?",
    "empty": "0",
    "refuses": "–",
    "altered": "≠",
    "unsatisfiable": "∅",
    "invalid": "✗",
    "raises": "!",
    "declines": "·",
}
WANTED: frozenset[Verdict] = frozenset(("exact", "wider"))

_HEAD = """\
`make peers` puts {count} constructs of tool schemas through our profiles, and through what other Python
packages do for the same providers: {versions}.

Each output is first held to the provider's published rules (`tests/providers/rules`, which know no
transformer), then to what it means: jsonschema-rs judges instances on both sides of each construct, encoded
as the output asks (null for absent properties and, for ours, in wire form), and llguidance makes a
grammar of each strict schema. The worst finding counts.

* **exact**: takes what the schema takes, and nothing else. **wider**: takes more; ours says so in the ledger.
* **says nothing**: a property that was constrained takes anything. **refuses valid**: an instance that the
  schema takes cannot be expressed. **unsatisfiable**: none can.
* **invalid for the provider**: the request would fail. **raises**: no output.
"""
_SIGNED = """\
Construct by construct: `=` exact, `+` wider, `0` says nothing, `–` refuses valid, `∅` unsatisfiable,
`✗` invalid for the provider, `!` raises, `·` declines strict. The last column names the profiles of toolcast
that are wider.
"""


def page(ours: Results, peers: Results, versions: str) -> str:
    """All tables."""
    return "\n".join(
        [
            _HEAD.format(count=len(CONSTRUCTS), versions=versions),
            *_counts(peers),
            "",
            *_failures(ours),
            f"Sent in strict mode: {', '.join(_strict(ours))}.\n",
            _SIGNED,
            *_signs(ours, peers),
        ]
    )


def failures(ours: Results) -> list[str]:
    """What is neither exact nor wider with its entries, one line each."""
    return [
        f"`{id}`, {name}: {SIGNS[each.verdict]} {each.verdict}: {' '.join(each.reason.split())}"
        for id, found in ours.items()
        for name, each in found.items()
        if each.verdict not in WANTED
    ]


def _failures(ours: Results) -> list[str]:
    found = failures(ours)
    if not found:
        return ["Of ours, every output is exact, or wider with its entries in the ledger.", ""]
    return ["Of ours, these are not as they should be:", "", *(f"* {each}" for each in found), ""]


def _strict(ours: Results) -> Iterator[str]:
    """The profiles with a strict mode, each with the constructs that are sent in it."""
    for id, found in ours.items():
        if any(each.strict is not None for each in found.values()):
            yield f"`{id}` {sum(each.strict is True for each in found.values())}"


def _counts(results: Results) -> list[str]:
    head = ["output", *(title for title, _ in COLUMNS)]
    rows = []
    for name, found in results.items():
        counts = Counter(each.verdict for each in found.values())
        rows.append([name, *(str(sum(counts[each] for each in verdicts) or "") for _, verdicts in COLUMNS)])
    return table([head, *rows])


def _signs(ours: Results, peers: Results) -> list[str]:
    rows = []
    for name in (each.name for each in CONSTRUCTS):
        signs = {id: SIGNS[found[name].verdict] for id, found in ours.items()}
        wider = [id if sign == "+" else f"{id} {sign}" for id, sign in signs.items() if sign != "="]
        rows.append([name, *(SIGNS[found[name].verdict] for found in peers.values()), " ".join(wider)])
    return table([["construct", *peers, "toolcast"], *rows])


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as a Markdown table without its empty columns; the first row is the head."""
    used = [i for i in range(len(rows[0])) if i == 0 or any(row[i] for row in rows[1:])]
    rows = [[row[i] for i in used] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(_padded(row, widths)) + " |" for row in rows]
    rule = "".join("-" * (w + 2) + "|" if i == 0 else "-" * (w + 1) + ":|" for i, w in enumerate(widths))
    return [lines[0], f"|{rule}", *lines[1:]]


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
