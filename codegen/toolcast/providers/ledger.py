"""The ledger that the passes of one walk write.

An entry is a difference between a tool and its definition for a provider.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal, get_args

from ..jsonschema.formats import FORMATS
from ..jsonschema.keywords import CONSTRAINTS
from ..jsonschema.schema_node import Action, Path, Schema, SchemaChange, Severity, changes_of, pointer
from .constraint_texts import phrase

Part = Literal["parameters", "result", "spec"]
"""The document that a path leads into: the schema of the parameters, that of results, or the spec."""
PARTS: Final[tuple[Part, ...]] = get_args(Part)


class LedgerEntry(SchemaChange, frozen=True, kw_only=True, omit_defaults=True):
    """One difference between the contract and a provider's schema, or one thing that parsing a schema
    changed.

    Attributes:
        of: what `path` leads into; in the spec, `keyword` is a key of it.
    """

    of: Part = "parameters"

    @property
    def _place(self) -> str:
        if self.of == "spec":
            return "of the spec"
        return super()._place + (" of the result" if self.of == "result" else "")


def entry_of(change: SchemaChange) -> LedgerEntry:
    """Return a change of the schema of parameters, as an entry."""
    return LedgerEntry(
        path=change.path,
        keyword=change.keyword,
        action=change.action,
        severity=change.severity,
        reason=change.reason,
    )


_EVALUATING = frozenset(
    (
        *("properties", "patternProperties", "additionalProperties", "prefixItems", "items", "contains"),
        *("$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"),
    )
)
"""Keywords that evaluate keys and items, which unevaluatedProperties and unevaluatedItems then leave out."""

IDLE = "is left out, because this value constrains nothing"
DEFAULT_STATED = "is left out, because the description states it already"
CHECKED = "; decoding still checks it"
NOT_STRICT = "rules out strict mode, which "
"""How the reason of a blocker starts where the mode was given up."""
NO_VALUE = "is left out, because it accepts no value, which the provider cannot express" + CHECKED
FORBIDDEN_PROPERTY = (
    "is left out with the property that it forbids, because the provider cannot express a schema that "
    "accepts no value; decoding still refuses the property"
)
UNEVALUATED = (
    "is left out, because keywords that evaluate properties or items are not sent unchanged" + CHECKED
)
NO_FURTHER_ITEMS = (
    "is replaced by `maxItems`, because the provider cannot express a schema that accepts no value"
)
ONLY_BRANCH = "is replaced by its only branch"
IMPLIED_TYPE = (
    "is set to the type to which the other keywords apply, because the provider requires a type; values of "
    "other types cannot be sent"
)
_MOST_NAMES = 80
"""Characters of the names that one reason lists."""


class Ledger:
    """The differences that the passes of one walk have noted. It only grows.

    Attributes:
        entries: by path, keyword, action and reason.
        blockers: why the mode cannot be used, each as an entry.
        changes: how many entries changed a meaning. Where it grew while a subschema was rewritten, the result
            does not accept exactly what the subschema accepts.
        evaluation: how many changed which keys or items are evaluated.
        depth: how many schemas are being walked, each inside the one before.
        schemas: how many schemas the output has.
        compared: schemas whose rewriting rests on definitions being unchanged.
    """

    __slots__ = ("blockers", "changes", "compared", "depth", "entries", "evaluation", "schemas")

    def __init__(self, changes: Iterable[SchemaChange] = ()) -> None:
        self.entries = changes_of(map(entry_of, changes))
        self.blockers: list[LedgerEntry] = []
        self.changes = 0
        self.evaluation = 0
        self.depth = 0
        self.schemas = 0
        self.compared: list[Schema] = []

    def note(self, path: Path, keyword: str, action: Action, severity: Severity, reason: str) -> None:
        """Add an entry. A definition that is inlined twice is changed twice in one way: that is one entry."""
        if severity in ("lost", "changed") or action == "described":
            self.changes += 1
            self.evaluation += action != "rewritten" and keyword in _EVALUATING
        entry = LedgerEntry(
            path=pointer(path), keyword=keyword, action=action, severity=severity, reason=reason
        )
        self.entries.setdefault((entry.path, keyword, action, reason), entry)

    def described(self, path: Path, keyword: str, value: object, cause: str) -> tuple[str, ...]:
        """Note that a keyword is not sent because of `cause`, a clause; return the sentence for the
        description, if there is one: without it the keyword is lost.
        """
        sentence = phrase(keyword, value)
        end = f", because {cause}{checked(keyword, value)}"
        if sentence:
            self.note(path, keyword, "described", "kept elsewhere", "is stated in the description" + end)
            return (sentence,)
        self.note(path, keyword, "dropped", "lost", "is left out" + end)
        return ()

    def block(self, path: Path, keyword: str, reason: str) -> None:
        """Note why the mode cannot be used: `reason` is a predicate of the mode. The walk goes on, so that
        every reason is reported."""
        entry = LedgerEntry(
            path=pointer(path), keyword=keyword, action="widened", severity="lost", reason=reason
        )
        self.blockers.append(entry)


def checked(keyword: str, value: object = None) -> str:
    """Return the end of a reason: that decoding checks a keyword which is not sent; empty for one that no
    decoder checks.
    """
    if keyword == "format":
        return CHECKED if isinstance(value, str) and value in FORMATS else ""
    return CHECKED if keyword in CONSTRAINTS else ""


def names_in_words(names: Iterable[str]) -> str:
    """Names in a reason: `a`, `b` and `c`; shortened where they are many or long."""
    every = list(names)
    shown: list[str] = []
    for name in every:
        short = name if len(name) <= _MOST_NAMES // 2 else name[: _MOST_NAMES // 2] + "…"
        if shown and len(", ".join((*shown, short))) > _MOST_NAMES:
            shown.append(f"{len(every) - len(shown)} more")
            break
        shown.append(f"`{short}`")
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]


def child(path: Path, *segments: Any) -> Path:
    """Return the path of something below a path."""
    for segment in segments:
        path = path, str(segment)
    return path
