"""The findings of lint as values, and the rules by code. `toolcast lint --list` prints the rules.

A project gives codes severities of its own in `[tool.toolcast.lint.levels]`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ...command_settings import Level
from ...config import Config, setting_problem
from ...diagnostics import Diagnostic, Severity
from ...toml_tables import suggestion

RANKS: dict[Severity, int] = {"note": 0, "warning": 1, "error": 2}


class Finding(Struct, frozen=True, kw_only=True, order=True):
    """One finding at one place; without `tool` of the whole set, without `providers` of each. `answer` is a
    provider's known reply, with its name; `fix` is a way out.
    """

    file: str
    line: int = 0
    column: int = 0
    code: str
    severity: Severity
    tool: str = ""
    providers: tuple[str, ...] = ()
    message: str
    answer: str = ""
    fix: str = ""


def merged(findings: list[Finding]) -> list[Finding]:
    """Return findings sorted, and those that differ only by provider as one, with the first one's answer and
    fix.
    """
    by: dict[tuple[object, ...], list[Finding]] = {}
    for each in sorted(findings):
        key = (each.file, each.line, each.column, each.code, each.severity, each.tool, each.message)
        by.setdefault(key, []).append(each)
    return [
        replace(
            group[0],
            providers=tuple(dict.fromkeys(id for each in group for id in each.providers)),
            answer=next((each.answer for each in group if each.answer), ""),
        )
        for group in by.values()
    ]


class LintRule(Struct, frozen=True):
    """One code. `whole` rules check the set, so no single spec can ignore them."""

    severity: Severity
    title: str
    about: str
    whole: bool = False


RULES: Final[dict[str, LintRule]] = {
    "name-pattern": LintRule(
        "error",
        "A provider refuses the tool's name",
        "The name must match the provider's pattern as a whole.",
    ),
    "name-length": LintRule(
        "error",
        "The tool's name is too long",
        "The name is longer than a provider accepts.",
    ),
    "advised-name-length": LintRule(
        "warning",
        "The tool's name is long",
        "Some deployments of a provider still have a lower limit.",
    ),
    "name-collision": LintRule(
        "warning",
        "Two names are nearly the same",
        "Two names are equal without case, `_`, `-`: models confuse them, and programs that clean"
        " names make one of them.",
    ),
    "property-name": LintRule(
        "error",
        "A provider refuses a parameter's name",
        "Names of parameters must match the provider's pattern as a whole.",
    ),
    "schema-warning": LintRule(
        "warning",
        "The compiler warns of a schema",
        "A schema compiles and hardly means what it says; the code of `toolcast generate` is in the message.",
    ),
    "refused-calls": LintRule(
        "note",
        "Models get a parameter wrong",
        "With `--calls`: recorded calls that the contract refuses, by parameter and keyword, with the values "
        "that models sent most.",
    ),
    "tools": LintRule(
        "error",
        "Too many tools",
        "More tools than one request of the provider may hold.",
        whole=True,
    ),
    "advised-tools": LintRule(
        "note",
        "Many tools",
        "The provider works worse with so many tools in one request.",
        whole=True,
    ),
    "deferred-tools": LintRule(
        "error",
        "Too many tools that are loaded on demand",
        "More tools with `defer` than one request of the provider may hold.",
        whole=True,
    ),
    "all-deferred": LintRule(
        "warning",
        "Every tool is loaded on demand",
        "A model begins with the search for tools alone; a list of tools without it is refused.",
        whole=True,
    ),
    "search-name": LintRule(
        "error",
        "Name of the search for tools",
        "Where a tool has `defer`, the provider's search is in the list; no two may have one name.",
    ),
    "stale-rules": LintRule(
        "note",
        "Rules of a provider are old",
        "Rules of a profile of the project's own (`profiles`) were last checked more than 180 days ago.",
        whole=True,
    ),
    "strict-tools": LintRule(
        "error",
        "Too many strict tools",
        "More strict tools than one request of the provider may hold.",
        whole=True,
    ),
    "mixed-strict": LintRule(
        "error",
        "Strict tools beside others",
        "The provider takes requests in which all tools are strict, or none.",
        whole=True,
    ),
    "all-properties": LintRule(
        "error",
        "Too many parameters together",
        "All tools of one request together have too many properties.",
        whole=True,
    ),
    "optional": LintRule(
        "error",
        "Too many optional parameters together",
        "Optional parameters at any depth, summed over all strict tools of a request.",
        whole=True,
    ),
    "unions": LintRule(
        "error",
        "Too many unions together",
        "Parameters that are unions (anyOf, or a list of types), summed over all strict tools of a request.",
        whole=True,
    ),
    "advised-optional": LintRule(
        "warning",
        "Many optional parameters in one tool",
        "A strict tool with so many optional parameters may fail to compile at the provider.",
    ),
    "advised-unions": LintRule(
        "warning",
        "Many unions in one tool",
        "A strict tool with so many unions may fail to compile at the provider.",
    ),
    "description-length": LintRule(
        "error",
        "The description is too long",
        "The tool's description has more characters than a provider accepts.",
    ),
    "depth": LintRule(
        "error",
        "The schema is nested too deeply",
        "Levels of objects and arrays below the root, references followed.",
    ),
    "properties": LintRule(
        "error",
        "Too many properties in one tool",
        "Properties of all objects of one tool, at any depth.",
    ),
    "enum-values": LintRule(
        "error",
        "Too many enum values in one tool",
        "Enum values of one tool, summed.",
    ),
    "hidden-text": LintRule(
        "error",
        "A text deceives its reader",
        "Characters that show text in another order than it has (U+202A to U+202E, U+2066 to U+2069), or that"
        " can spell text which nobody sees (tags, further variation selectors).",
    ),
    "hidden-character": LintRule(
        "warning",
        "A text holds a character that nobody sees",
        "Control and format characters, fillers, blanks, and joiners or variation selectors where no script"
        " and no emoji needs one.",
    ),
    "long-enum": LintRule(
        "warning",
        "An enum is long",
        "One enum has more values than works, or its texts are too long together.",
    ),
    "string-chars": LintRule(
        "error",
        "Names and values are too long together",
        "Characters of property names, definition names, enum and const values of one tool.",
    ),
    "required-at-least": LintRule(
        "error",
        "Too few required parameters",
        "The provider wants each tool to require at least so many parameters.",
    ),
    "rejected": LintRule(
        "error",
        "A provider would refuse the tool",
        "The ledger says that the request would fail.",
    ),
    "not-strict": LintRule(
        "note",
        "The tool is not strict",
        "The provider has a strict mode that this tool falls out of; the ledger says why.",
    ),
    "lossy": LintRule(
        "note",
        "A provider's schema says less",
        "Constraints that a provider's schema lacks; only with --losses.",
    ),
    "tokens": LintRule(
        "error",
        "The definition costs too many tokens",
        "More than `tool` in [tool.toolcast.lint.max_tokens], as estimated.",
    ),
    "set-tokens": LintRule(
        "error",
        "All tools together cost too many tokens",
        "More than `set`, or than the provider's entry of `providers`, in [tool.toolcast.lint.max_tokens].",
        whole=True,
    ),
    "group-tokens": LintRule(
        "error",
        "The tools of a group cost too many tokens",
        "More than the entry of `groups` in [tool.toolcast.lint.max_tokens].",
        whole=True,
    ),
    "missing-description": LintRule(
        "warning",
        "Parameters are not described",
        "Top-level parameters, and properties of objects below, without a description.",
    ),
    "vague-description": LintRule(
        "warning",
        "The description says nothing",
        "It is a placeholder, has fewer than three words, or only repeats words of the name.",
    ),
    "vague-parameter": LintRule(
        "note",
        "A parameter's description says nothing",
        "It is a placeholder or only repeats words of the parameter's name, and no enum, format, "
        "pattern, bound, default or example tells more.",
    ),
    "duplicate-description": LintRule(
        "warning",
        "Two tools have the same description",
        "Equal but for case, order, punctuation, endings and small words: a model cannot choose "
        "between them.",
    ),
    "imperative-text": LintRule(
        "note",
        "A description orders a model about",
        "It sets other instructions aside, hides something from the user, orders when a tool is called, "
        "addresses the model or shouts: English patterns, a heuristic.",
    ),
    "flag-argument": LintRule(
        "warning",
        "One tool is several",
        "Its parameters fall into groups that exclude each other, so the model must learn which "
        "belong together.",
    ),
    "secret-parameter": LintRule(
        "warning",
        "A parameter looks like a secret",
        "Its name ends in a word such as password, api_key or secret, it takes text, and "
        "`secrets` does not list it.",
    ),
    "unresolved-secrets": LintRule(
        "note",
        "An external tool lists secrets",
        "Its calls leave the program with `<secret_ref:NAME>` in them: who carries them out has to resolve "
        "the references.",
    ),
    "unstated-annotation": LintRule(
        "note",
        "A tool does not state all annotations",
        "Directories of MCP servers want `title`, `destructive`, `idempotent` and `open_world` stated. "
        "Otherwise clients take a tool for destructive and open to the world.",
    ),
    "reserved-meta-key": LintRule(
        "warning",
        "`meta` has a key that is reserved for MCP",
        "Clients may take the value for protocol data: prefixes such as `io.modelcontextprotocol/` and "
        "`dev.mcp/`, and the names of trace contexts, are MCP's own.",
    ),
    "unknown-replacement": LintRule(
        "warning",
        "A deprecated tool names no tool to use instead",
        "`deprecated.use` has the form of a tool's name, and no tool is called so, or that tool is"
        " deprecated, too.",
    ),
    "past-removal": LintRule(
        "warning",
        "A deprecated tool is still there",
        "The day of `deprecated.remove_after` has passed. A version is not looked at.",
    ),
    "destructive-read": LintRule(
        "warning",
        "A destructive tool says `permission: read`",
        "Its name, or the first word of its description, is a verb such as delete, drop or overwrite.",
    ),
    "unused-ignore": LintRule(
        "warning",
        "A suppression suppresses nothing",
        "`lint.ignore` of a spec names a code that was not found there.",
    ),
    "ended-ignore": LintRule(
        "warning",
        "A suppression has ended",
        "The last day (`until`) of an entry of `lint.ignore` is over.",
    ),
}
"""By code."""


def unknown_levels(
    config: Config, command: str, levels: Iterable[str], codes: Collection[str]
) -> Iterator[Diagnostic]:
    """Report names in the table `levels` of a command that are none of its codes."""
    for code in levels:
        if code not in codes:
            hint = suggestion(code, codes, "the codes are")
            path = (command, "levels", code)
            yield setting_problem(config, path, "unknown-code", f"{code!r} is not a code of {command}", hint)


def leveled(found: Sequence[Finding], levels: Mapping[str, Level]) -> list[Finding]:
    """Return the findings with the project's severities, without those of codes that are off."""
    made: list[Finding] = []
    for each in found:
        level = levels.get(each.code, each.severity)
        if level != "off":
            made.append(each if level == each.severity else replace(each, severity=level))
    return made
