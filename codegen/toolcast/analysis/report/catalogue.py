"""A report as Markdown, for a wiki or a pull request. No text of a spec is markup there."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ...console import cut
from ...jsonschema.pointers import resolve
from ...markdown_text import code, escaped
from ..diff.places import compact
from .report_model import Loss, Report, ToolDetail, ToolRow

_LONGEST: Final = 300
"""Characters of a parameter's description; a tool's may have four times as many."""
_MOST_OF_A_COMMENT: Final = 60_000
"""Characters of a catalogue with differences: GitHub takes comments of up to 65,536."""
_FOLDED: Final = 5
"""A longer list of losses is folded."""
_BLOCK: Final = re.compile(r"^[=:]")
"""Characters that could make a heading or a table of the line before."""

_Entry = tuple[ToolRow, ToolDetail]
_LOSING: Final = ("lost", "changed", "reject")
_MOST: Final = 6
"""Values of an enum that are shown."""
_DEEPEST: Final = 4
"""Levels of arrays and unions of which a type is made."""


def catalogue(report: Report, differences: Iterable[str] = ()) -> Iterator[str]:
    """Write the tools of a report as Markdown.

    Args:
        report: the report. With differences to another state, only the tools that differ are described, as
            far as a comment in a review can hold them.
        differences: lines with the differences of `report.diff`; they stand above the tools.

    Yields:
        The lines. The first is a comment that names what wrote them.
    """
    changed = None if report.diff is None else {each.tool for each in report.diff.changes}
    entries = [
        (row, detail)
        for row, detail in zip(report.tools, report.details, strict=True)
        if changed is None or row.name in changed
    ]
    lines = [*_head(report), *differences, *_providers(report), *_list(report, [row for row, _ in entries])]
    yield from lines
    described = entries
    if changed is not None:
        left = _MOST_OF_A_COMMENT - sum(len(line) + 1 for line in lines)
        described = list(_fitting(entries, left))
    for group in sorted({row.group for row, _ in described}):
        yield from ("", f"## {escaped(group) or 'Without a group'}")
        for row, detail in described:
            if row.group == group:
                yield from ("", *_tool(row, detail))
    if missing := len(entries) - len(described):
        noun = "tool that differs is" if missing == 1 else "tools that differ are"
        yield from ("", f"{missing} more {noun} not described: a comment could not hold more.")


def _fitting(entries: Iterable[_Entry], left: int) -> Iterator[_Entry]:
    for row, detail in entries:
        left -= sum(len(line) + 1 for line in ("", f"## {row.group}", "", *_tool(row, detail)))
        if left < 0:
            return
        yield row, detail


def _head(report: Report) -> Iterator[str]:
    count = len(report.tools)
    yield "<!-- toolcast report -->"
    yield f"# Tools of {escaped(report.title)}"
    yield ""
    yield f"{count} tool{'s'[: count != 1]}. Tokens are {escaped(report.note)}."
    for problem in report.diagnostics:
        if problem.severity == "error":
            place = f"{problem.file}:{problem.line}" if problem.line else problem.file
            yield from ("", f"❌ {code(place)}: {escaped(problem.message)}")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _cell_code(text: str) -> str:
    """Return a code span of a table, where a bar would end the cell."""
    return code(text).replace("|", "\\|")


def _providers(report: Report) -> Iterator[str]:
    if not report.providers:
        return
    yield from ("", "## Providers", "")
    yield _row("Provider", "Tools", "Strict", "Tokens", "Tokens, brief", "Lost", "Limits")
    yield _row(*("---" for _ in range(7)))
    for info, each in zip(report.providers, report.sets, strict=True):
        limits = ", ".join(
            f"{'**' if use.exceeded else ''}{use.used} of {use.allowed} {use.noun}"
            f"{' (advised)' if use.advised else ''}{'**' if use.exceeded else ''}"
            for use in each.limits
        )
        strict = "no mode" if info.strict == "none" else f"{each.strict_tools}"
        yield _row(
            f"{_cell_code(info.id)} {escaped(info.title)}",
            f"{each.tools}",
            strict,
            f"{each.tokens:,}",
            f"{each.brief:,}",
            f"{each.lost}",
            limits or "none known",
        )


def _list(report: Report, rows: Sequence[ToolRow]) -> Iterator[str]:
    if not rows:
        return
    yield from ("", "## All tools" if report.diff is None else "## Tools that differ", "")
    yield _row("Tool", "Group", "Permission", "Tokens", "Findings", "Summary")
    yield _row(*("---" for _ in range(6)))
    for row in rows:
        costs = [cell.tokens for cell in row.cells if cell.tokens is not None]
        span = "-" if not costs else f"{min(costs):,}" if min(costs) == max(costs) else _span(costs)
        yield _row(
            _cell_code(row.name),
            _cell_code(row.group) if row.group else "-",
            row.permission,
            span,
            _found(row) or "-",
            escaped(cut(row.summary, _LONGEST)),
        )


def _span(costs: list[int]) -> str:
    return f"{min(costs):,} to {max(costs):,}"


def _found(row: ToolRow) -> str:
    counts = {"error": row.errors, "warning": row.warnings, "note": row.notes}
    return ", ".join(f"{count} {noun}{'s'[: count != 1]}" for noun, count in counts.items() if count)


def _tool(row: ToolRow, detail: ToolDetail) -> Iterator[str]:
    yield f"### {code(row.name)}"
    yield ""
    yield _lines(detail.description)
    yield ""
    facts = [f"permission {row.permission}", f"spec {code(row.file)}"]
    facts += [f"secrets {', '.join(map(code, row.secrets))}"] if row.secrets else []
    facts += [", ".join(row.tags)] if row.tags else []
    yield f"{'; '.join(facts)}."
    if row.deprecated is not None:
        yield from ("", f"**{escaped(row.deprecated)}**")
    properties = _properties(detail)
    if properties:
        yield from ("", _row("Parameter", "Type", "Required", "Description"))
        yield _row(*("---" for _ in range(4)))
        required = detail.contract["parameters"].get("required", ())
        for name, schema in properties.items():
            yield _row(
                _cell_code(name),
                _cell_code(_type(schema, detail.contract)),
                "filled in" if name in detail.check.injected else "yes" if name in required else "",
                escaped(cut(_described(schema), _LONGEST)),
            )
    if detail.findings:
        yield ""
    for each in detail.findings:
        yield f"- {each.severity} {code(each.code)}: {escaped(each.message)}"
    yield from _losses(detail)


def _lines(text: str) -> str:
    most = 4 * _LONGEST
    shown = text if len(text) <= most else text[: most - 1] + "…"
    escapes = (escaped(line) for line in shown.splitlines())
    return "\\\n".join(_BLOCK.sub(r"\\\g<0>", each) for each in escapes if each)


def _properties(detail: ToolDetail) -> Mapping[str, object]:
    parameters = detail.contract["parameters"]
    found: Mapping[str, object] = parameters.get("properties", {}) if isinstance(parameters, dict) else {}
    return found


def _described(schema: object) -> str:
    text = schema.get("description", "") if isinstance(schema, dict) else ""
    parts = [text] if isinstance(text, str) and text else []
    if isinstance(schema, dict) and "default" in schema:
        parts.append(f"Default: {compact(schema['default'])}.")
    return " ".join(parts)


def _type(schema: object, contract: object, depth: int = 0) -> str:
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return "any value"
    if isinstance(reference := schema.get("$ref"), str):
        try:
            return _type(resolve(contract, reference.removeprefix("#")), contract, depth + 1)
        except LookupError:
            return "any value"
    if isinstance(values := schema.get("enum"), list):
        shown = " | ".join(map(compact, values[:_MOST]))
        return shown if len(values) <= _MOST else f"{shown} | {len(values) - _MOST} more"
    if "const" in schema:
        return compact(schema["const"])
    for word in ("anyOf", "oneOf"):
        if isinstance(branches := schema.get(word), list):
            types = dict.fromkeys(_type(each, contract, depth + 1) for each in branches[:_MOST])
            return " or ".join(types)
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind] if isinstance(kind, str) else []
    if kinds == ["array"] and "items" in schema:
        return f"array of {_type(schema['items'], contract, depth + 1)}"
    return " or ".join(map(str, kinds)) or "any value"


def _losses(detail: ToolDetail) -> Iterator[str]:
    by_sentence: dict[str, tuple[Loss, list[str]]] = {}
    for provider in detail.providers:
        for loss in provider.losses:
            if loss.severity in _LOSING:
                by_sentence.setdefault(loss.sentence, (loss, []))[1].append(provider.id)
    if not by_sentence:
        return
    folded = len(by_sentence) > _FOLDED
    title = "What providers' definitions lack"
    if folded:
        yield from ("", f"<details><summary>{title} ({len(by_sentence)})</summary>", "")
    else:
        yield from ("", f"{title}:", "")
    for sentence, (loss, providers) in by_sentence.items():
        place = f"{loss.file}:{loss.line}"
        yield f"- {', '.join(map(code, providers))}: {escaped(sentence)} ({code(place)})"
    if folded:
        yield from ("", "</details>")
