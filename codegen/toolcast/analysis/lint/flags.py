"""Tools that are several tools: groups of parameters of which a call may use only one."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from msgspec import Struct

from ...contract.normal_form import definition_name
from ...diagnostics import did_you_mean
from ...jsonschema.json_values import JsonMapping
from ...spec.deprecation import removal_date, replacement
from ...spec.tool_spec import ToolSpec
from .descriptions import among, name_words
from .finding import Finding
from .linted_tool import LintedTool

_DECIDERS: Final = among("action method mode operation command op subcommand")
_BELONGS: Final = re.compile(r"\b(?:only|required|used|use|when|if|for|needed|applies)\b", re.IGNORECASE)
_QUOTED: Final = re.compile(r"""(?P<quote>['"`])(?P<value>[^'"`\n]{1,60})(?P=quote)""")
_EXCEPT: Final = re.compile(r"\b(?:except|unless|not|but|ignored)\b", re.IGNORECASE)


def _described_flags(root: JsonMapping) -> tuple[str, dict[str, frozenset[str]]] | None:
    """Return the parameter that decides, and by its values the parameters that each alone uses; None if none
    does.

    A parameter belongs to a value if its description quotes that value alone, with a word such as "only" or
    "required". At least two values must have parameters of their own.
    """
    properties = root.get("properties", {})
    for name, schema in properties.items():
        enum = schema.get("enum") if isinstance(schema, Mapping) else None
        if not isinstance(enum, list) or not _DECIDERS & set(name_words(name)[-1:]):
            continue
        values = {value for value in enum if isinstance(value, str)}
        own: dict[str, set[str]] = {}
        for other, each in properties.items():
            text = each.get("description") if isinstance(each, Mapping) and other != name else None
            value = _belongs(text, values) if isinstance(text, str) else ""
            if value:
                own.setdefault(value, set()).add(other)
        if len(own) > 1:
            return name, {value: frozenset(own[value]) for value in enum if value in own}
    return None


def _belongs(text: str, values: set[str]) -> str:
    """Return the one value that a description quotes as its condition; an empty text for none or several."""
    quoted = {found["value"] for found in _QUOTED.finditer(text)} & values
    if len(quoted) != 1 or not _BELONGS.search(text) or _EXCEPT.search(text):
        return ""
    return quoted.pop()


_MOST: Final = 6  # proposed tools named one by one


class _Half(Struct, frozen=True):
    """One alternative: the value that chooses it (empty without one), and the parameters only it has."""

    value: str
    names: frozenset[str]


def flags(subject: LintedTool) -> Iterator[Finding]:
    """Yield a finding where the parameters' alternatives exclude each other and share no parameter."""
    found = alternatives(subject.parameters)
    if found is None:
        return
    by, halves = found
    names = [_name(subject.tool.name, half) for half in halves]
    proposed = ", ".join(names[:_MOST]) + (", …" if len(names) > _MOST else "")
    groups = " | ".join(", ".join(sorted(half.names)) or "none" for half in halves[:_MOST])
    how = f"`{by}` decides which parameters belong" if by else "groups of parameters exclude each other"
    message = f"one tool is {len(halves)}: {how} ({groups})"
    yield subject.finding("flag-argument", message, f"split it: {proposed}", schema=())


def alternatives(root: Mapping[str, object]) -> tuple[str, Sequence[_Half]] | None:
    """Return the parameter that decides ("" if none does) and the alternatives; None if the tool is one."""
    for branches, exclusive in _choices(root):
        halves = [_half(branch, root) for branch in branches]
        if len(halves) < 2 or any(half is None for half in halves):
            continue
        known = [half for half in halves if half is not None]
        by = _discriminator([chosen for chosen, _ in known])
        shared = frozenset.intersection(*(names for _, names in known))
        groups = [_Half(chosen.get(by, ""), names - shared - {by}) for chosen, names in known]
        if by:
            groups = _joined(groups)
        if _apart(groups) and (by or exclusive or any(len(each.names) > 1 for each in groups)):
            return by, groups
    from_descriptions = _described_flags(root)
    if from_descriptions is None:
        return None
    return from_descriptions[0], [_Half(value, names) for value, names in from_descriptions[1].items()]


def _choices(root: JsonMapping) -> Iterator[tuple[Sequence[object], bool]]:
    """Yield lists of branches at the root, and whether a value may match only one of them."""
    nodes = [root, *(each for each in root.get("allOf", ()) if isinstance(each, Mapping))]
    for node in nodes:
        for key in ("oneOf", "anyOf"):
            if isinstance(node.get(key), list):
                yield node[key], key == "oneOf"
    conditions = [_conditional(node) for node in nodes if "if" in node and "then" in node]
    if len(conditions) > 1:
        yield conditions, True


def _conditional(node: Mapping[str, object]) -> Mapping[str, object]:
    """Return `if` this value, `then` these parameters, as a branch."""
    condition, then = node["if"], node["then"]
    if not isinstance(condition, Mapping) or not isinstance(then, Mapping):
        return {}
    chosen = {k: v for k, v in condition.get("properties", {}).items() if _value(v)}
    return {
        "properties": {**then.get("properties", {}), **chosen},
        "required": [*condition.get("required", ()), *then.get("required", ())],
    }


def _half(branch: Any, root: JsonMapping) -> tuple[dict[str, str], frozenset[str]] | None:
    """Return the values that choose a branch, by parameter, and its parameters; None if it has none."""
    name = definition_name(branch["$ref"]) if isinstance(branch, Mapping) and "$ref" in branch else None
    if name is not None:
        branch = root.get("$defs", {}).get(name)
    if not isinstance(branch, Mapping):
        return None
    properties = branch.get("properties", {})
    chosen = {key: value for key, schema in properties.items() if (value := _value(schema))}
    names = frozenset(properties) | frozenset(branch.get("required", ()))
    return (chosen, names) if names else None


def _value(schema: object) -> str:
    if not isinstance(schema, Mapping):
        return ""
    enum = schema.get("enum")
    only = schema.get("const", enum[0] if isinstance(enum, list) and len(enum) == 1 else "")
    return only if isinstance(only, str) else ""


def _discriminator(chosen: Sequence[Mapping[str, str]]) -> str:
    for key in chosen[0]:
        values = [each.get(key, "") for each in chosen]
        if all(values) and len(set(values)) > 1:
            return key
    return ""


def _joined(groups: Sequence[_Half]) -> list[_Half]:
    by: dict[str, frozenset[str]] = {}
    for each in groups:
        by[each.value] = by.get(each.value, frozenset()) | each.names
    return [_Half(value, names) for value, names in by.items()]


def _apart(groups: Sequence[_Half]) -> bool:
    if len(groups) < 2 or sum(not each.names for each in groups) > 1:
        return False
    return sum(len(each.names) for each in groups) == len(frozenset().union(*(each.names for each in groups)))


def _name(tool: str, half: _Half) -> str:
    """Name a tool for an alternative: value `add` of `cron` → cron_add, parameter `url` → cron_by_url; a
    value of several words is a name.
    """
    if half.value:
        words = name_words(half.value) or (half.value,)
        return "_".join(words if len(words) > 1 else (tool, *words))
    return f"{tool}_by_{'_'.join(name_words(min(half.names)))}" if half.names else f"{tool}_plain"


def deprecations(
    subject: LintedTool, tools: Mapping[str, ToolSpec], others: Collection[str], today: date
) -> Iterator[Finding]:
    """Yield findings about `deprecated`.

    All `tools` that compile count, and names of `others`; `today` is compared with `remove_after`.
    """
    deprecation = subject.tool.deprecated
    if deprecation is None:
        return
    name = replacement(deprecation)
    if name is not None and name not in others:
        at = ("deprecated", "use")
        if name not in tools:
            fix = did_you_mean(name, sorted(tools), "name a tool of this set, or write a sentence")
            message = f"models are told to use {name!r} instead, which is no tool here"
            yield subject.finding("unknown-replacement", message, fix, at=at)
        elif (next_one := tools[name].deprecated) is not None:
            message = f"models are told to use {name!r} instead, which is deprecated, too"
            last = replacement(next_one)
            fix = "name the tool that stays" if last is None else f"name {last!r}"
            yield subject.finding("unknown-replacement", message, fix, at=at)
    day = removal_date(deprecation)
    if day is not None and today > day:
        message = f"the tool was to be removed after {day.isoformat()}"
        fix = "remove the spec, or state another day"
        yield subject.finding("past-removal", message, fix, at=("deprecated", "remove_after"))
