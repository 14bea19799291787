"""SARIF 2.1.0, which code hosts and editors read: findings of lint, changes of diff."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec import Struct

from ..analysis.diff.rules import RULES as DIFF_RULES
from ..analysis.lint.finding import RULES
from ..analysis.lint.finding import Finding as LintFinding
from ..diagnostics import Diagnostic
from ..jsonschema.json_values import JsonMapping, JsonObject
from ..version import __version__

if TYPE_CHECKING:
    from ..analysis.diff.outcome import DiffFinding

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


class _Explained(Struct, frozen=True):
    """The meaning of a rule, and its level where nobody changes it."""

    title: str
    about: str
    level: str


class Result(Struct, frozen=True, kw_only=True):
    """One result; without a line it is about the file."""

    code: str
    level: str
    text: str
    file: str
    line: int
    column: int
    properties: JsonMapping = {}


def sarif(findings: Sequence[LintFinding], refused: Iterable[Diagnostic]) -> JsonObject:
    """Return the findings of lint."""
    rules = {code: _Explained(rule.title, rule.about, rule.severity) for code, rule in RULES.items()}
    return log(map(_of_lint, findings), refused, rules)


def diff_sarif(findings: "Sequence[DiffFinding]", problems: Iterable[Diagnostic]) -> JsonObject:
    """Return the changes of a comparison."""
    rules = {id: _Explained(rule.title, rule.about, rule.level) for id, rule in DIFF_RULES.items()}
    return log(map(_of_diff, findings), problems, rules)


def log(
    results: Iterable[Result], refused: Iterable[Diagnostic], rules: Mapping[str, _Explained]
) -> JsonObject:
    """Return one run; specs that do not compile are results, too, under the compiler's own codes."""
    rows = [*(_diagnostic(each) for each in refused), *(_result(each) for each in results)]
    codes = sorted({each["ruleId"] for each in rows})
    index = {code: position for position, code in enumerate(codes)}
    for each in rows:
        each["ruleIndex"] = index[each["ruleId"]]
    driver = {
        "name": "toolcast",
        "semanticVersion": __version__,
        "rules": [_rule(code, rules.get(code)) for code in codes],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": rows}]}


def _rule(code: str, rule: _Explained | None) -> JsonObject:
    if rule is None:
        return {"id": code}
    return {
        "id": code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.about},
        "defaultConfiguration": {"level": "none" if rule.level == "off" else rule.level},
    }


def _of_lint(each: LintFinding) -> Result:
    text = ". ".join(part for part in (each.message, each.answer, each.fix and f"Fix: {each.fix}") if part)
    about = {"tool": each.tool, "providers": list(each.providers), "answer": each.answer, "fix": each.fix}
    return Result(
        code=each.code,
        level=each.severity,
        text=f"{each.tool}: {text}" if each.tool else text,
        file=each.file,
        line=each.line,
        column=each.column,
        properties={key: value for key, value in about.items() if value},
    )


def _of_diff(each: "DiffFinding") -> Result:
    change = each.change
    text = ". ".join(part for part in (change.message, change.hint and f"Hint: {change.hint}") if part)
    about = {
        "tool": change.tool,
        "audience": change.audience,
        "providers": list(change.providers),
        "witness": None
        if change.witness is None
        else {"value": change.witness.value, "refusal": change.witness.refusal},
        "undecided": change.undecided,
        "recorded": change.recorded,
    }
    return Result(
        code=change.rule,
        level=each.level,
        text=f"{change.tool}: {text}" if change.tool else text,
        file=change.file,
        line=0 if change.old else change.line,  # a line of the old state is none of the file that is there
        column=change.column,
        properties={key: value for key, value in about.items() if value},
    )


def _diagnostic(each: Diagnostic) -> JsonObject:
    text = f"{each.message} ({each.hint})" if each.hint else each.message
    return _result(
        Result(
            code=each.code,
            level=each.severity,
            text=text,
            file=each.file,
            line=each.line,
            column=each.column,
        )
    )


def _result(each: Result) -> JsonObject:
    physical: JsonObject = {"artifactLocation": {"uri": quote(each.file)}}
    if each.line:
        physical["region"] = {"startLine": each.line, "startColumn": max(1, each.column)}
    return {
        "ruleId": each.code,
        "level": each.level,
        "message": {"text": each.text},
        "locations": [{"physicalLocation": physical}],
        **({"properties": dict(each.properties)} if each.properties else {}),
    }
