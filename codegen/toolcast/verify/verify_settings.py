"""What a project and a spec decide about the findings of verification: levels, and suppressions.

A law that is suppressed is held all the same; its counterexamples are counted and not reported.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Final

from msgspec.structs import replace

from ..command_settings import Level
from ..config import Config, setting_problem
from ..diagnostics import Diagnostic, Severity
from ..spec.parsed_document import diagnose
from ..spec.suppressions import VERIFY_CODES, in_force
from ..spec.tool_spec import ToolSpec
from ..toml_tables import suggestion
from .verify_report import TITLES, ToolReport

SECOND_OPINION: Final = "second-opinion"
LEVELS: Final[Mapping[str, Level]] = {
    **dict.fromkeys(TITLES, "error"),
    "few-instances": "warning",
    "not-verified": "warning",
    SECOND_OPINION: "note",
}
"""The severities that count without settings."""


def unknown_levels(config: Config) -> Iterator[Diagnostic]:
    """Codes in `[tool.toolcast.verify.levels]` that verification does not know."""
    for code in config.verify.levels:
        if code not in VERIFY_CODES:
            hint = suggestion(code, VERIFY_CODES, "the codes are")
            path = ("verify", "levels", code)
            yield setting_problem(config, path, "unknown-code", f"{code!r} is not a code of verify", hint)


def ended(tool: ToolSpec, today: date) -> Iterator[Diagnostic]:
    """Suppressions of a tool whose last day is over."""
    for code, each in tool.verify_ignore.items():
        if each.until is not None and each.until < today:
            message = f"the suppression of {code!r} ended on {each.until}: it suppresses nothing"
            hint = "correct what is found, or decide anew and change `until`"
            path = ("verify", "ignore", code, "until")
            yield diagnose(tool.document, path, "ended-ignore", message, hint, severity="warning")


def judged(report: ToolReport, tool: ToolSpec, levels: Mapping[str, Level], today: date) -> ToolReport:
    """A report with the project's severities, without what is off and what the spec suppresses.

    Args:
        report: what verification found, with the severities of `LEVELS`.
        tool: the tool that it is about.
        levels: the project's severities, by code.
        today: the date on which suppressions are in force or not.

    Returns:
        The report; `suppressed` counts what the spec suppresses.
    """
    chosen: dict[str, Level] = {**LEVELS, **levels}
    severities: dict[str, Severity] = {}
    for code, level in chosen.items():
        if level != "off":
            severities[code] = level
    ignored = in_force(tool.verify_ignore, today).keys() & severities.keys()
    hidden = ignored | (chosen.keys() - severities.keys())
    opinions = report.second_opinion
    codes = [each.law for each in report.counterexamples], [each.code for each in report.warnings]
    found = [*codes[0], *codes[1], *(SECOND_OPINION for _ in opinions or ())]
    if opinions and SECOND_OPINION in hidden:
        opinions = None  # none at all would say that the models agree
    return replace(
        report,
        counterexamples=tuple(
            replace(each, severity=severities[each.law])
            for each in report.counterexamples
            if each.law not in hidden
        ),
        warnings=tuple(
            replace(each, severity=severities.get(each.code, each.severity))
            for each in report.warnings
            if each.code not in hidden
        ),
        second_opinion=opinions
        and tuple(replace(each, severity=severities[SECOND_OPINION]) for each in opinions),
        suppressed=sum(code in ignored for code in found),
    )
