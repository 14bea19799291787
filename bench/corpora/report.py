"""What was measured, as the page `docs/reports/corpora.md`. Says nothing that differs from run to run."""

from collections.abc import Sequence
from math import floor

from .measure import REASONS, Measured, reasons

_CLAIM = """\
# Real tool definitions

**Of {tools:,} published tools {compiled:,} compile, and their decoders differ from jsonschema-rs in \
{disagreements:,} of {probes:,} values.**

<!-- Written by `make corpora`; do not edit. -->
"""

_COMMAND = """\
`make corpora` measures it again, and fails where a tool is neither compiled nor refused for a confirmed
reason, or where a judge disagrees.
"""

_JUDGES = """\
* **Imported**: packages that Python imports, with the decoder of each tool's parameters and result built.
* **Recorded calls** decode, and encode to a value that the schema accepts and that says the same. Of {bad}
  recorded bad calls {refused} are refused; {allowed} have a `null` for an optional parameter, which counts
  as absent.
* **Probes** are argument objects near the border of a schema: a smallest and a fullest object made from it,
  recorded calls, and each of these bent in one place (another type, an empty value, a property left out or
  added). **Disagreements** are probes of which the generated decoder and jsonschema-rs say different things,
  beyond the [two allowances](../explanation/decoding.md#the-two-allowances).{unprobed}
* **Strict** counts the tools that OpenAI's strict mode takes; the others go to OpenAI with `strict: false`.
* **Findings** are violations of the providers' published rules in the files made for them. The rules
  (`tests/providers/rules/`) do not know the code that wrote the files.
"""

_METHOD = """\
## Method

Every tool of the shared corpora is imported with `toolcast import tools`, and compiled with
`toolcast generate` for {providers} providers. The generated packages are imported, and judged by libraries
that know nothing of the compiler; jsonschema-rs reads each schema as it was published. The corpora are read
from `TOOLCAST_SHARED`, or `../shared`.
"""


def page(all_measured: Sequence[Measured], providers: int) -> str:
    """The whole page, in Markdown."""
    verdicts = [each.verdict for each in all_measured]
    unprobed = sum(each.imported - each.probed for each in verdicts)
    refusals = any(each.refusals for each in all_measured)
    return "\n".join(
        [
            _CLAIM.format(
                tools=sum(each.tools for each in all_measured),
                compiled=sum(each.compiled for each in all_measured),
                disagreements=sum(len(each.disagreements) for each in verdicts),
                probes=sum(each.probes for each in verdicts),
            ),
            *_compiled(all_measured),
            "",
            _COMMAND,
            "## What the judges say",
            "",
            *_judged(all_measured),
            "",
            _JUDGES.format(
                bad=sum(each.bad_calls + each.allowed for each in verdicts),
                refused=sum(each.bad_calls for each in verdicts),
                allowed=sum(each.allowed for each in verdicts),
                unprobed=f"\n  For {unprobed} tools no valid object was found to start from."
                if unprobed
                else "",
            ),
            *(["## Refused", "", *_refused(all_measured)] if refusals else []),
            _METHOD.format(providers=_word(providers)),
            "## Changed on import",
            "",
            *_changed(all_measured),
            *_problems(all_measured),
        ]
    )


def _compiled(all_measured: Sequence[Measured]) -> list[str]:
    codes = sorted(reasons([r for each in all_measured for r in each.refusals]))
    rows = [["corpus", "tools", "compiled", "", *(f"`{code}`" for code in codes)]]
    for each in all_measured:
        counts = reasons(list(each.refusals))
        rows.append(_row(each.corpus, each.tools, each.compiled, [counts[code] for code in codes]))
    total = reasons([r for each in all_measured for r in each.refusals])
    tools, compiled = sum(e.tools for e in all_measured), sum(e.compiled for e in all_measured)
    return _table([*rows, _row("all", tools, compiled, [total[code] for code in codes])])


def _row(name: str, tools: int, compiled: int, refused: list[int]) -> list[str]:
    percent = floor(1000 * compiled / max(1, tools)) / 10  # never rounded up
    return [
        name,
        _number(tools),
        _number(compiled),
        f"{percent:.1f} %",
        *(str(count or "") for count in refused),
    ]


def _judged(all_measured: Sequence[Measured]) -> list[str]:
    head = [
        "corpus",
        "imported",
        "recorded calls",
        "probes",
        "disagreements",
        "strict",
        "findings in provider files",
    ]
    rows = [
        [
            each.verdict.imported,
            each.verdict.calls,
            each.verdict.probes,
            len(each.verdict.disagreements),
            each.strict,
            len(each.findings),
        ]
        for each in all_measured
    ]
    totals = [sum(column) for column in zip(*rows, strict=True)]
    names = [*(each.corpus for each in all_measured), "all"]
    body = [[name, *map(_number, row)] for name, row in zip(names, [*rows, totals], strict=True)]
    return _table([head, *body])


def _refused(all_measured: Sequence[Measured]) -> list[str]:
    found = [(each.corpus, refusal) for each in all_measured for refusal in each.refusals]
    lines = [
        "Each refusal is confirmed by something that is not the compiler; all other tools compile.",
        "",
    ]
    for code, count in sorted(reasons([refusal for _, refusal in found]).items()):
        noun = "tool" if count == 1 else "tools"
        lines += [f"### `{code}`: {count} {noun}", "", REASONS.get(code, "Not confirmed."), ""]
        lines += [f"* {corpus}, {r.tool}: {r.message}" for corpus, r in found if r.code == code]
        lines.append("")
    return lines


def _changed(all_measured: Sequence[Measured]) -> list[str]:
    every = [(each.corpus, change) for each in all_measured for change in each.changes]
    found = [(corpus, change) for corpus, change in every if change.code == "import-default"]
    defects = [(corpus, change) for corpus, change in every if change.code == "import-defect"]
    undescribed = sum(each.undescribed for each in all_measured)
    lines = [
        f"{undescribed} definitions have no description: their specs have the name in words for a summary,",
        "and a comment that asks for more.",
        "",
        f'{len(found)} defaults contradict their own schemas, such as the text `"false"` for a boolean. A',
        "typed field cannot have such a default, and a default decides about no value; so the import leaves",
        "it out, and says so in a warning and in the spec. A spec that states one is refused.",
        "",
    ]
    lines += [*(f"* {corpus}, {change.tool}: {_place(change.message)}" for corpus, change in found), ""]
    noun = "schema has a part" if len(defects) == 1 else "schemas have parts"
    lines += [
        f"{len(defects)} published {noun} that cannot be used. It is left out, with a warning and a comment;",
        "no judge reads the schema as it was published, so the probes leave the tool out.",
        "",
    ]
    return [*lines, *(f"* {corpus}, {change.tool}: {change.message}" for corpus, change in defects), ""]


def _place(message: str) -> str:
    return message.partition("does not fit its own schema: ")[2].partition(";")[0] or message


def _problems(all_measured: Sequence[Measured]) -> list[str]:
    problems = [f"* {each.corpus}: {problem}" for each in all_measured for problem in each.problems]
    return ["## Problems", "", *problems, ""] if problems else []


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(_pad(cell, widths[i], i) for i, cell in enumerate(row)) + " |" for row in rows]
    rule = (
        "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    )
    return [lines[0], rule, *lines[1:]]


def _pad(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column == 0 else cell.rjust(width)


def _number(value: int) -> str:
    return f"{value:,}"


def _word(number: int) -> str:
    return {5: "five"}.get(number, str(number))
