"""A project's settings of `lint`, `verify` and `diff`, so that every caller runs the same.

    [tool.toolcast.lint]
    max_severity = "note"
    levels = {vague-parameter = "off", missing-description = "error"}
    max_tokens = {tool = 800, set = 20_000, providers = {openai = 12_000}, groups = {files = 4_000}}

    [tool.toolcast.verify]
    examples = 500
    seed = 1
    levels = {second-opinion = "warning"}

    [tool.toolcast.diff]
    against = "origin/main"
    levels = {model = "warning", tool-removed = "error"}
    accepted = {3f1c0a9b27de = "no caller sends it"}

Which codes and rules there are is known to each command, which reports the others.
"""

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from .diagnostics import Diagnostic
from .toml_tables import Key, TableReader, flag, one_of, table, text, whole

Level = Literal["error", "warning", "note", "off"]
"""The severity of what a rule finds; "off": it is not reported."""

_LEVELS: Final[tuple[Level, ...]] = ("error", "warning", "note", "off")
_TOLERATED: Final = ("none", "note", "warning")


class TokenBudgets(Struct, frozen=True, kw_only=True):
    """The most tokens that definitions may cost, in full. None: any number. `set` is about all tools in one
    request, whatever the provider; `providers` names those with a limit of their own instead. `groups` are
    limits of the tools of one group and those below it.
    """

    tool: int | None = None
    set: int | None = None
    providers: Mapping[str, int] = {}
    groups: Mapping[str, int] = {}


class LintSettings(Struct, frozen=True, kw_only=True):
    """`[tool.toolcast.lint]`. `levels` are by code."""

    levels: Mapping[str, Level] = {}
    max_severity: Literal["none", "note", "warning"] = "warning"
    losses: bool = False
    max_tokens: TokenBudgets = TokenBudgets()


class VerifySettings(Struct, frozen=True, kw_only=True):
    """`[tool.toolcast.verify]`. `levels` are by law or code. Without `seed`, chance starts anew each time."""

    examples: int = 200
    seed: int | None = None
    second_opinion: bool = False
    levels: Mapping[str, Level] = {}


class DiffSettings(Struct, frozen=True, kw_only=True):
    """`[tool.toolcast.diff]`. `levels` are by rule or audience, the reasons of `accepted` by fingerprint."""

    against: str | None = None  # a git reference, a folder or a file
    levels: Mapping[str, Level] = {}
    accepted: Mapping[str, str] = {}


MOST_EXAMPLES: Final = 1_000_000
_MOST_SEED: Final = 2**63 - 1  # the largest integer that TOML promises
_LEVEL: Final = one_of(_LEVELS)
_TOKENS: Final = whole(1)
_REASON: Final = text("a sentence that says why", "no caller sends it")

LINT_KEYS: Final = {
    "levels": Key(
        table,
        {},
        "The severity of findings, by code: error, warning, note or off.",
        '{vague-parameter = "off"}',
    ),
    "max_severity": Key(
        one_of(_TOLERATED), "warning", "The worst finding that does not fail a run.", '"note"'
    ),
    "losses": Key(
        flag, False, "Whether losses of providers' schemas are findings, as with `--losses`.", "true"
    ),
    "max_tokens": Key(table, {}, "Budgets of tokens, as estimated.", "{tool = 800}"),
}
BUDGET_KEYS: Final = {
    "tool": Key(_TOKENS, None, "Of each tool, for any provider.", "800"),
    "set": Key(_TOKENS, None, "Of all tools in one request, for any provider.", "20_000"),
    "providers": Key(table, {}, "Of all tools, for one provider, instead of `set`.", "{openai = 12_000}"),
    "groups": Key(table, {}, "Of the tools of a group, and of those below it.", "{files = 4_000}"),
}
VERIFY_KEYS: Final = {
    "examples": Key(whole(1, MOST_EXAMPLES), 200, "How many instances are made for each tool.", "500"),
    "seed": Key(whole(0, _MOST_SEED), None, "The start of chance; without it, each run has its own.", "1"),
    "second_opinion": Key(
        flag,
        False,
        "Whether to list what models of pydantic would not check, as `--second-opinion` does.",
        "true",
    ),
    "levels": Key(
        table, {}, "The severity of a law or code: error, warning, note or off.", '{second-opinion = "error"}'
    ),
}
DIFF_KEYS: Final = {
    "against": Key(
        text("a git reference, a folder or a file", "origin/main"),
        None,
        "The old state; without it, the last commit.",
        '"origin/main"',
    ),
    "levels": Key(
        table, {}, "The level of a rule or an audience: error, warning, note or off.", '{model = "note"}'
    ),
    "accepted": Key(
        table,
        {},
        "Changes that somebody accepted: the reason of each, by its fingerprint.",
        '{3f1c0a9b27de = "no caller sends it"}',
    ),
}


def read_lint(value: object, reader: TableReader) -> tuple[LintSettings, list[Diagnostic]]:
    """Read the table of lint; a default stands in place of each wrong value."""
    values, problems = reader.read(value, LINT_KEYS)
    levels, wrong = reader.below("levels").entries(values["levels"], _LEVEL)
    budgets = reader.below("max_tokens")
    limits, wrong_limits = budgets.read(values["max_tokens"], BUDGET_KEYS)
    found = [*problems, *wrong, *wrong_limits]
    for key in ("providers", "groups"):
        limits[key], wrong = budgets.below(key).entries(limits[key], _TOKENS)
        found += wrong
    values |= {"levels": levels, "max_tokens": TokenBudgets(**limits)}
    return LintSettings(**values), found


def read_verify(value: object, reader: TableReader) -> tuple[VerifySettings, list[Diagnostic]]:
    """Read the table of verify, as `read_lint`."""
    values, problems = reader.read(value, VERIFY_KEYS)
    levels, wrong = reader.below("levels").entries(values["levels"], _LEVEL)
    values["levels"] = levels
    return VerifySettings(**values), [*problems, *wrong]


def read_diff(value: object, reader: TableReader) -> tuple[DiffSettings, list[Diagnostic]]:
    """Read the table of diff, as `read_lint`."""
    values, problems = reader.read(value, DIFF_KEYS)
    levels, wrong = reader.below("levels").entries(values["levels"], _LEVEL)
    accepted, more = reader.below("accepted").entries(values["accepted"], _REASON)
    values |= {"levels": levels, "accepted": accepted}
    return DiffSettings(**values), [*problems, *wrong, *more]
