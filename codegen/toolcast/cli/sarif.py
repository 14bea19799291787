"""Findings as SARIF 2.1.0, which code hosts and editors read."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..diagnostics import Diagnostic
from ..lint.finding import RULES, Finding
from ..version import __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif(findings: Sequence[Finding], refused: Iterable[Diagnostic]) -> dict[str, Any]:
    """One run. Specs that do not compile are results too, under the compiler's own codes."""
    results = [*(_diagnostic(each) for each in refused), *(_finding(each) for each in findings)]
    codes = sorted({each["ruleId"] for each in results})
    index = {code: position for position, code in enumerate(codes)}
    for each in results:
        each["ruleIndex"] = index[each["ruleId"]]
    driver = {
        "name": "toolcast",
        "semanticVersion": __version__,
        "rules": [_rule(code) for code in codes],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _rule(code: str) -> dict[str, Any]:
    rule = RULES.get(code)
    if rule is None:
        return {"id": code}
    return {
        "id": code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.about},
        "defaultConfiguration": {"level": rule.severity},
    }


def _finding(each: Finding) -> dict[str, Any]:
    text = ". ".join(part for part in (each.message, each.answer, each.fix and f"Fix: {each.fix}") if part)
    about = {"tool": each.tool, "providers": list(each.providers), "answer": each.answer, "fix": each.fix}
    return {
        **_result(each.code, each.severity, f"{each.tool}: {text}" if each.tool else text, each),
        "properties": {key: value for key, value in about.items() if value},
    }


def _diagnostic(each: Diagnostic) -> dict[str, Any]:
    text = f"{each.message} ({each.hint})" if each.hint else each.message
    return _result(each.code, each.severity, text, each)


def _result(code: str, level: str, text: str, finding: Finding | Diagnostic) -> dict[str, Any]:
    from urllib.parse import quote

    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(finding.file)}}
    if finding.line:
        physical["region"] = {"startLine": finding.line, "startColumn": max(1, finding.column)}
    return {
        "ruleId": code,
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": physical}],
    }
