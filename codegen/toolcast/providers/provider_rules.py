"""Lists what a provider takes, rule by rule, from its profile: the data that others build upon."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from functools import lru_cache
from typing import Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from ..jsonschema.keywords import KEYWORDS
from .profiles.dialect import Dialect, disposition
from .profiles.profile import Confidence, Evidence, Limits, Profile, Status

MAX_AGE: Final = timedelta(days=180)
"""The time after which a rule is to be checked again: providers change without a word."""
Kind = Literal["keyword", "construct", "limit"]
_LISTS = ("keep", "describe", "drop", "block")
_OWN = frozenset((*_LISTS, "other", "recursion", "exclusive", "other-formats", "const", "one-of", "all-of"))
"""Axes that say what the walk does, or what the rules of keywords say already."""
_OVERRULED = {"oneOf": "one_of", "allOf": "all_of", "const": "const", "$ref": "refs", "$defs": "refs"}
"""Axes whose values other than `keep` rewrite a keyword."""
_WITHIN = {
    "formats": "format",
    **dict.fromkeys(
        ("patterns", "lookaround", "word-boundary", "backreferences", "unicode-classes", "pattern-alone"),
        "pattern",
    ),
    **dict.fromkeys(("ref-targets", "ref-siblings", "cycles", "prune-definitions"), "$ref"),
}
"""By construct, the keyword of which it is a rule."""
_ADVICE = "advised-"
STATEMENTS: Final = {
    "formats": "`format` has one of these values",
    "patterns": "a pattern is written for this flavour of regular expressions",
    "lookaround": "a pattern has no look-around",
    "word-boundary": "a pattern has neither `\\b` nor `\\B`",
    "backreferences": "a pattern has no backreferences",
    "unicode-classes": "a pattern has no `\\p{…}`",
    "pattern-alone": "`pattern` and `format` do not stand beside `minLength` and `maxLength`",
    "integers-only": "these keywords stand beside the type `integer` only",
    "at-most": "these keywords have no larger values",
    "type-arrays": "`type` is one name",
    "null": "no value is null",
    "typed": "every schema states a type, `anyOf` or `$ref`",
    "untyped": "no schema accepts values of any type",
    "booleans": "no schema is `true` or `false`, but `additionalProperties`",
    "enums": "the values of an `enum` are of this kind",
    "max-enum": "an `enum` has no more values",
    "any-of": "what may stand beside `anyOf`",
    "max-branches": "an `anyOf` has no more branches",
    "refs": "no schema is referred to",
    "ref-targets": "a `$ref` leads to the root's `$defs`",
    "ref-siblings": "nothing stands beside `$ref`",
    "cycles": "no definition contains itself",
    "prune-definitions": "every definition is used",
    "maps": "no object is a map: `additionalProperties` is no schema",
    "tuples": "no array is a tuple",
    "items-required": "every array states `items`",
    "property-names": "the whole name of a property matches this pattern",
    "properties-required": "every object states `properties`",
    "empty-objects": "every object below the root has a property",
    "closed": "every object states `additionalProperties: false`",
    "open": "an object without `additionalProperties` is closed",
    "optional": "every property is required; one that may be left out accepts null",
    "declared-required": "`required` names declared properties only",
    "empty-required": "`required` is not empty",
    "root-forbid": "the root has none of these keywords",
}
"""By construct, what holds of a schema that the provider takes."""


class ProviderRule(Struct, frozen=True, kw_only=True):
    """One rule of a provider.

    Attributes:
        table: `dialect`, `strict` or `limits`: where the profile states it.
        name: a keyword, `other` for all keywords without a rule, a construct or a limit.
        kind: which of them.
        status: what the provider does with the keyword; of a construct or a limit, with what breaks it.
        sent: whether toolcast sends the keyword; of a construct or a limit, whether it sends what breaks it.
        value: the value of a construct or a limit; None for a keyword.
        sources: the texts that state it.
        dated: ISO date on which it was last checked.
        confidence: how it is known.
    """

    table: Literal["dialect", "strict", "limits"]
    name: str
    kind: Kind
    status: Status
    sent: bool = False
    value: object = None
    sources: tuple[str, ...]
    dated: str
    confidence: Confidence

    @property
    def key(self) -> str:
        """The name of the rule in `rules` of a profile."""
        return f"{self.table}.{self.name}"


def rules_of(profile: Profile) -> tuple[ProviderRule, ...]:
    """List the rules of a provider.

    Args:
        profile: its profile.

    Returns:
        The rules of each dialect, keywords first, then the limits.
    """
    return tuple(_rules(profile))


def due_rules(profile: Profile, today: date) -> tuple[ProviderRule, ...]:
    """List the rules of a provider that are to be checked again, the oldest first.

    Args:
        profile: its profile.
        today: the day on which that is asked.

    Returns:
        The rules that were last checked more than `MAX_AGE` before `today`.
    """
    due = [each for each in rules_of(profile) if today - date.fromisoformat(each.dated) > MAX_AGE]
    return tuple(sorted(due, key=lambda each: each.dated))


def is_rule(key: str) -> bool:
    """Return whether a key of `rules` in a profile may name a rule."""
    table, _, name = key.partition(".")
    if table == "limits":
        return name in _names(Limits)
    return table in ("dialect", "strict") and (name == "other" or name in KEYWORDS or name in STATEMENTS)


@lru_cache(maxsize=4)
def _names(kind: type[Struct]) -> dict[str, object]:
    """Return the axes of a table and their defaults."""
    return {field.encode_name: field.default for field in msgspec.structs.fields(kind)}


def _rules(profile: Profile) -> Iterator[ProviderRule]:
    for table, dialect in (("dialect", profile.dialect), ("strict", profile.strict)):
        if dialect is None:
            continue
        named = [name for group in _LISTS for name in getattr(dialect, group)]
        named += [name for name, axis in _OVERRULED.items() if getattr(dialect, axis) != "keep"]
        for name in dict.fromkeys((*named, "other")):
            kept = (dialect.other if name == "other" else disposition(dialect, name)) == "keep"
            kept = kept and getattr(dialect, _OVERRULED.get(name, "other")) in ("keep", dialect.other)
            yield _rule(profile, table, name, "keyword", "accepted" if kept else None)
        for name, value in _stated(dialect):
            if name not in _OWN and _applies(name, dialect):
                yield _rule(profile, table, name, "construct", None, value)
    for name, value in _stated(profile.limits):
        yield _rule(profile, "limits", name, "limit", "accepted" if name.startswith(_ADVICE) else None, value)


def _applies(name: str, dialect: Dialect) -> bool:
    """Return whether a construct can stand in what the provider takes: its keyword is taken."""
    keyword = _WITHIN.get(name)
    return keyword is None or (
        disposition(dialect, keyword) == "keep" and (keyword != "$ref" or dialect.refs == "keep")
    )


def _stated(table: Dialect | Limits) -> Iterator[tuple[str, object]]:
    """Yield the axes that differ from JSON Schema without limits."""
    made = msgspec.to_builtins(table)
    for name, default in _names(type(table)).items():
        if made[name] != msgspec.to_builtins(default):
            yield name, made[name]


def _rule(
    profile: Profile, table: str, name: str, kind: Kind, status: Status | None, value: object = None
) -> ProviderRule:
    keys = {f"{table}.{name}", f"{'dialect' if table == 'strict' else table}.{name}"}
    own = Evidence(status=status)
    for each in profile.rules:
        if not each.names:
            own = replace(each, status=status or each.status)
        elif keys.intersection(each.names):
            own = replace(own, **{key: value for key, value in asdict(each).items() if value})
    return ProviderRule(
        table=table,  # type: ignore[arg-type]
        name=name,
        kind=kind,
        status=own.status or "unknown",
        value=value,
        sent=kind == "keyword" and status == "accepted",
        sources=(own.source,) if own.source else profile.sources,
        dated=own.dated or profile.dated,
        confidence=own.confidence or "documented",
    )
