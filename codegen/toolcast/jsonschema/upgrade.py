"""Upgrades one schema object to JSON Schema 2020-12: older drafts, and other spellings of its keywords.

Contracts and the definitions of providers are both made of what `upgrade` returns, so that an older form
means the same in both. Rules:

* A keyword that the declared draft does not have constrains nothing, as in every validator of that draft.
  Without `$schema`, the draft is 2020-12. Annotations stay: they constrain nothing in any draft.
* Drafts 4 to 7 ignore the siblings of `$ref` (JSON Schema draft 7, section 8.3).
* Forms that only an older draft allows (array `items`, `dependencies`, boolean `exclusiveMinimum`) are read
  whatever `$schema` names, since people paste schemas without it.
* A keyword in snake_case (`any_of`), as SDKs in Python print their schema objects, is that keyword. Where
  both spellings stand in one schema, the snake_case one wins.
* The type `any` of draft 3 is no constraint.

Sources: the migration notes of drafts 6, 7, 2019-09 and 2020-12, and their meta-schemas.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, Literal

from msgspec import Struct

from .json_values import JsonObject
from .keywords import CONSTRAINTS

_SNAKE: Final[Mapping[str, str]] = {
    re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), keyword): keyword
    for keyword in sorted({*CONSTRAINTS, "propertyOrdering"})
    if not keyword.islower()
}
_CAMEL: Final = {keyword: snake for snake, keyword in _SNAKE.items()}
_BOUND_OF: Final = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_FLAG_OF: Final = {bound: flag for flag, bound in _BOUND_OF.items()}
_ANY_TYPE: Final = "is left out, because `any` is not a type, and without `type` any value is accepted"
_NAMES: Final = {4: "draft 4", 6: "draft 6", 7: "draft 7", 2019: "draft 2019-09", 2020: "draft 2020-12"}


class KeywordRow(Struct, frozen=True):
    """One keyword of the upgraded schema."""

    keyword: str
    value: Any  # as written: schemas in it are not upgraded
    source: tuple[str, ...]  # path of the value below the schema as written
    moved_members: Mapping[str, tuple[str, ...]] = {}  # members of the value that are written elsewhere

    def member(self, name: str) -> tuple[str, ...]:
        """The path of a member of the value, below the schema as written."""
        return self.moved_members.get(name, (*self.source, name))


class KeywordChange(Struct, frozen=True):
    """One upgraded keyword: what replaces it, and the diagnostic for its author."""

    keyword: str  # as written
    into: str  # the keyword that replaces it; "" for none
    reason: str  # a predicate of the keyword, for ledgers and diagnostics
    code: str = ""  # of the diagnostic for its author; "" where the form is right in some draft
    hint: str = ""
    severity: Literal["error", "warning"] = "warning"


class _Upgrade(Struct, frozen=True):
    """The keywords of an upgraded schema, and the changes."""

    rows: tuple[KeywordRow, ...]
    changes: tuple[KeywordChange, ...]  # at least one


def named_draft(declared: object) -> int | None:
    """Return the draft that a `$schema` names by the address of its meta-schema: 4, 6, 7, 2019 or 2020; else
    None.
    """
    if not isinstance(declared, str):
        return None
    found = re.fullmatch(
        r"https?://json-schema\.org/(?:draft-0([467])|draft/(2019)-09|draft/(2020)-12)/schema#?", declared
    )
    return int(found[1] or found[2] or found[3]) if found else None


def outdated(declared: object) -> bool:
    """Return whether a `$schema` names a draft before 2020-12, or the address without a draft."""
    return isinstance(declared, str) and (
        re.fullmatch(r"https?://json-schema\.org/(?:draft-0[3467]/|draft/2019-09/|)schema#?", declared)
        is not None
    )


def draft_of(schema: object) -> int:
    """Return the draft of a schema by its `$schema`; 2020 also where that is absent or names no draft."""
    return named_draft(schema.get("$schema") if isinstance(schema, dict) else None) or 2020


def upgrade(node: Mapping[str, object], draft: int) -> _Upgrade | None:
    """Upgrade one schema object to the keywords of 2020-12, without its subschemas. Returns the keywords in
    their order, with all changes; None where there is nothing to upgrade.
    """
    if not screen(node, watched(draft)):
        return None
    changes: list[KeywordChange] = []
    written = _effective_keywords(node, draft, changes)
    rows: list[KeywordRow] = []
    for keyword in written:
        rows += _rows(written, keyword, draft, changes)
    return _Upgrade(tuple(rows), tuple(changes)) if changes else None


def rows_of(node: Mapping[str, object], draft: int) -> tuple[KeywordRow, ...]:
    """Return one row for each keyword of a schema object as 2020-12 writes it; values are not upgraded."""
    found = upgrade(node, draft)
    return as_written(node) if found is None else found.rows


def as_written(node: Mapping[str, object]) -> tuple[KeywordRow, ...]:
    """Return one row for each keyword of a schema object that needs no upgrade."""
    return tuple([KeywordRow(keyword, value, (keyword,)) for keyword, value in node.items()])


def screen(node: Mapping[str, object], watched: frozenset[str]) -> bool:
    """Return whether `upgrade` may change a schema object; an object of names may give a false True.
    `watched`: the keywords to look for, from `watched(draft)`.
    """
    if not watched.isdisjoint(node):
        found = watched & node.keys()
        if found - _BOUND_OF.keys() or any(isinstance(node[keyword], bool) for keyword in found):
            return True
    kind = node.get("type")
    if kind == "any" or (isinstance(kind, list) and "any" in kind):
        return True
    return node.get("items").__class__ is list


@lru_cache(maxsize=8)
def _lacking(draft: int) -> frozenset[str]:
    return frozenset(keyword for keyword, first in CONSTRAINTS.items() if first > draft)


@lru_cache(maxsize=8)
def watched(draft: int) -> frozenset[str]:
    """Return keywords by which `screen` recognises a schema object that needs an upgrade."""
    older = {"definitions", "dependencies", "additionalItems", *_BOUND_OF}
    older |= {"$ref"} if draft <= 7 else set()
    older |= {"id"} if draft <= 4 else set()
    return frozenset(older | _lacking(draft) | _SNAKE.keys())


_Written = dict[str, tuple[str, Any]]
"""By keyword: the key as it is written, and its value."""


def _effective_keywords(node: Mapping[str, object], draft: int, changes: list[KeywordChange]) -> _Written:
    """The keywords of `node` that have an effect, in JSON Schema's spelling."""
    found: _Written = {}
    lacking = _lacking(draft)
    only_reference = draft <= 7 and "$ref" in node
    for key, value in node.items():
        keyword = _SNAKE.get(key, key)
        if _CAMEL.get(key) in node:
            reason = f"has no effect beside `{_CAMEL[key]}`, which is the same keyword and has precedence"
            changes.append(KeywordChange(key, "", reason, "snake-case-keyword", "keep one of the two"))
        elif keyword in lacking:
            reason = f"has no effect, because `$schema` names {_NAMES[draft]}, which lacks the keyword"
            first = _NAMES[CONSTRAINTS[keyword]]
            hint = f"remove `$schema`, or name a draft that has `{keyword}`: {first} or later"
            changes.append(KeywordChange(key, "", reason, "newer-keyword", hint))
        elif only_reference and keyword in CONSTRAINTS:
            reason = (
                f"has no effect, because {_NAMES[draft]}, which `$schema` names, ignores it beside `$ref`"
            )
            hint = "remove `$schema`, or put both into an allOf"
            changes.append(KeywordChange(key, "", reason, "beside-reference", hint))
        else:
            if keyword != key:
                reason = f"is read as `{keyword}`, its name in JSON Schema"
                changes.append(
                    KeywordChange(key, keyword, reason, "snake-case-keyword", f"write `{keyword}`")
                )
            found[keyword] = key, value
    return found


def _rows(written: _Written, keyword: str, draft: int, changes: list[KeywordChange]) -> list[KeywordRow]:
    """One row, none, or two where `dependencies` holds both names and schemas."""
    key, value = written[keyword]
    if keyword == "type" and (value == "any" or (isinstance(value, list) and "any" in value)):
        hint = "leave `type` out: any value is allowed then"
        changes.append(KeywordChange(key, "", _ANY_TYPE, "any-type", hint))
        return []
    if keyword == "id" and draft <= 4:
        changes.append(KeywordChange(key, "$id", "is read as `$id`, its name since draft 6"))
        return [KeywordRow("$id", value, (key,))]
    if keyword == "definitions":
        changes.append(KeywordChange(key, "$defs", "is read as `$defs`, its name since draft 2019-09"))
        return [] if "$defs" in written else [KeywordRow("$defs", value, (key,))]
    if keyword == "$defs" and "definitions" in written:
        return [_merged_row(written, keyword, "definitions", written["definitions"][1])]
    if keyword == "dependencies":
        return _dependencies(written, changes)
    if keyword in ("dependentRequired", "dependentSchemas") and "dependencies" in written:
        names, schemas = _split_dependencies(written["dependencies"][1])
        return [
            _merged_row(
                written, keyword, "dependencies", names if keyword == "dependentRequired" else schemas
            )
        ]
    if keyword == "items" and isinstance(value, list):
        return _positions(written, changes)
    if keyword == "additionalItems":
        has_positions = isinstance(written.get("items", ("", None))[1], list)
        reason = "is read as `items`, its name since draft 2020-12"
        if not has_positions:
            reason = "has no effect, because `items` is not an array"
        changes.append(KeywordChange(key, "items" if has_positions else "", reason))
        return []
    if keyword in _BOUND_OF and isinstance(value, bool):
        return _flag(written, keyword, changes)
    if keyword in _FLAG_OF and written.get(_FLAG_OF[keyword], ("", None))[1] is True:
        changes.append(
            KeywordChange(
                key,
                _FLAG_OF[keyword],
                f"is read as `{_FLAG_OF[keyword]}`, because the flag of that name is true",
            )
        )
        return []
    return [KeywordRow(keyword, value, (key,))]


def _merged_row(written: _Written, keyword: str, older: str, members: object) -> KeywordRow:
    """The row of a keyword merged with an older one for members of the same map. A name in both is that of
    the newer keyword, and of the older one where both constrain.
    """
    key, own = written[keyword]
    if not isinstance(own, dict) or not isinstance(members, dict):
        return KeywordRow(keyword, own, (key,))
    joined = {**members, **own}
    at = written[older][0]
    moved_members: dict[str, tuple[str, ...]] = {name: (at, name) for name in members if name not in own}
    for name in members.keys() & own.keys():
        if keyword == "dependentSchemas":
            joined[name] = {"allOf": [members[name], own[name]]}
        elif keyword == "dependentRequired" and isinstance(own[name], list):
            joined[name] = list(dict.fromkeys([*members[name], *own[name]]))
    return KeywordRow(keyword, joined, (key,), moved_members)


def _split_dependencies(value: object) -> tuple[JsonObject, object]:
    """`dependencies` as `dependentRequired` and `dependentSchemas`; a value that is no map is the latter."""
    if not isinstance(value, dict):
        return {}, value
    names = {name: item for name, item in value.items() if isinstance(item, list)}
    return names, {name: item for name, item in value.items() if not isinstance(item, list)}


def _dependencies(written: _Written, changes: list[KeywordChange]) -> list[KeywordRow]:
    """The rows of `dependencies` whose keyword the schema itself lacks."""
    key, value = written["dependencies"]
    reason = "is read as `dependentRequired` and `dependentSchemas`, its names since draft 2019-09"
    changes.append(KeywordChange(key, "dependentRequired", reason))
    both = zip(("dependentRequired", "dependentSchemas"), _split_dependencies(value), strict=True)
    return [
        KeywordRow(keyword, members, (key,))
        for keyword, members in both
        if members != {} and keyword not in written
    ]


def _positions(written: _Written, changes: list[KeywordChange]) -> list[KeywordRow]:
    """The rows of a list of item schemas, and of the schema of the items after them."""
    key, value = written["items"]
    rows: list[KeywordRow] = []
    if "prefixItems" in written:
        reason = f"has no effect beside `{written['prefixItems'][0]}`, which holds the same schemas"
        hint = "keep `prefixItems`, and one schema in `items`"
        changes.append(KeywordChange(key, "", reason, "conflicting-items", hint))
    else:
        reason = "is read as `prefixItems`, the name of an array of item schemas since draft 2020-12"
        changes.append(KeywordChange(key, "prefixItems", reason))
        rows += [KeywordRow("prefixItems", value, (key,))] if value else []
    if "additionalItems" in written:
        rest, schema = written["additionalItems"]
        rows.append(KeywordRow("items", schema, (rest,)))
    return rows


def _flag(written: _Written, keyword: str, changes: list[KeywordChange]) -> list[KeywordRow]:
    """The row of a bound that is a flag of another one."""
    key, value = written[keyword]
    bound = _BOUND_OF[keyword]
    if value and bound not in written:
        reason = f"has no effect, because true is a flag of `{bound}`, which is absent"
        hint = f"write the bound itself: `{keyword}: 0`"
        changes.append(KeywordChange(key, "", reason, "malformed-schema", hint, "error"))
        return []
    reason = f"is read as the bound `{bound}`, because true was its flag in draft 4"
    if not value:
        reason = f"has no effect, because false was a flag of `{bound}` in draft 4"
    changes.append(KeywordChange(key, keyword if value else "", reason))
    return [KeywordRow(keyword, written[bound][1], (written[bound][0],))] if value else []
