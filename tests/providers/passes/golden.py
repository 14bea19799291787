"""Golden cases of passes: a file per pass in `cases/`, a list of these in YAML.

    - name: what the case shows
      dialect: {all-of: merge}                 # the axes that differ from the default
      before: {"allOf": [{"type": "string"}, {"maxLength": 5}]}
      after: {"type": "string", "maxLength": 5}
      ledger:                                  # path below the schema, keyword, action, severity
        - ["", allOf, rewritten, kept elsewhere]

A case without `after` changes nothing. Further keys, where they are needed:

* `root: true`: `before` is the root; else it is the property `a` of a closed object, which requires it.
* `definitions`, `definitions-after`: the root's `$defs`.
* `walked: true`: keywords that hold no schema are treated as the dialect says, too.
* `levels`: how many levels of values may be nested below the root.
* `beside`: the names of passes that act as well, because this one finishes what they have begun.
* `wire`: the wire form of the schema, in JSON; `blockers`: reasons against the mode: path and keyword.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import yaml
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace
from toolcast.providers.ledger import LedgerEntry
from toolcast.providers.profiles.dialect import Dialect

from tests.providers.passes.single import Applied, apply_alone

CASES = Path(__file__).parent / "cases"
Entry = tuple[str, str, str, str]


class Case(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab", omit_defaults=True):
    """One golden case of a pass."""

    name: str
    dialect: Dialect
    before: Any
    after: Any | UnsetType = UNSET
    ledger: tuple[Entry, ...] = ()
    blockers: tuple[tuple[str, str], ...] = ()
    wire: Any = None
    definitions: dict[str, Any] = {}
    definitions_after: dict[str, Any] | UnsetType = UNSET
    root: bool = False
    walked: bool = False
    beside: tuple[str, ...] = ()
    levels: int | None = None

    @property
    def schema(self) -> dict[str, Any]:
        if self.root:
            return {**self.before, "$defs": self.definitions} if self.definitions else dict(self.before)
        out: dict[str, Any] = {
            "type": "object",
            "properties": {"a": self.before},
            "required": ["a"],
            "additionalProperties": False,
        }
        return {**out, "$defs": self.definitions} if self.definitions else out

    def applied(self, name: str) -> Applied:
        return apply_alone(
            name, self.schema, self.dialect, walked=self.walked, levels=self.levels, beside=self.beside
        )


class Outcome(Struct, frozen=True, eq=True):
    after: Any
    definitions: dict[str, Any]
    ledger: tuple[Entry, ...]
    blockers: tuple[tuple[str, str], ...]
    wire: Any


def expected(case: Case) -> Outcome:
    return Outcome(
        after=case.before if case.after is UNSET else case.after,
        definitions=case.definitions if case.definitions_after is UNSET else case.definitions_after,
        ledger=case.ledger,
        blockers=case.blockers,
        wire=case.wire,
    )


def outcome(case: Case, applied: Applied) -> Outcome:
    """The result of a pass, as a case states it."""
    schema, forms = dict(applied.schema), applied.wire_forms
    definitions = schema.pop("$defs", {})
    wire = None if forms is None else msgspec.json.decode(msgspec.json.encode(forms.root))
    if not case.root:
        schema = schema["properties"].get("a")
        wire = None if wire is None else wire.get("properties", {}).get("a", wire)
    return Outcome(
        after=schema,
        definitions=definitions,
        ledger=tuple((_below(one, case), one.keyword, one.action, one.severity) for one in applied.ledger),
        blockers=tuple((_below(one, case), one.keyword) for one in applied.blockers),
        wire=wire,
    )


def _below(entry: LedgerEntry, case: Case) -> str:
    if case.root:
        return entry.path
    return entry.path.removeprefix("/properties/a") if entry.path else ".."


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Each worker reads all cases: by libyaml, where it is there."""


@cache
def cases_of(name: str) -> tuple[Case, ...]:
    """The cases of a pass. Raises `FileNotFoundError` where it has no file."""
    found = yaml.load((CASES / f"{name}.yaml").read_text(encoding="utf-8"), LOADER)
    return tuple(msgspec.convert(each, Case, strict=False) for each in found)


WIDTH = 110
ORDER = (
    *("dialect", "root", "beside", "walked", "levels", "definitions", "before", "after"),
    *("definitions-after", "ledger", "blockers", "wire"),
)
"""The keys of a case below its name, as they are written."""


def written(cases: tuple[Case, ...]) -> str:
    return "\n".join(map(_written, cases))


def with_outcome(case: Case, result: Outcome) -> Case:
    same = result.definitions == case.definitions
    return replace(
        case,
        after=UNSET if json.dumps(result.after) == json.dumps(case.before) else result.after,
        definitions_after=UNSET if same else result.definitions,
        ledger=result.ledger,
        blockers=result.blockers,
        wire=result.wire,
    )


def _written(case: Case) -> str:
    stated: dict[str, Any] = msgspec.to_builtins(case)
    default: dict[str, Any] = msgspec.to_builtins(Dialect())
    name = stated["name"]
    lines = [f"- name: {json.dumps(name, ensure_ascii=False) if ': ' in name else name}"]
    for key in [key for key in ORDER if key in stated]:
        value = stated[key]
        if key == "dialect":
            axes = [f"{_plain(axis)}: {_axis(one)}" for axis, one in value.items() if one != default[axis]]
            lines.append(f"  {key}: {{{', '.join(axes)}}}")
        elif key in ("ledger", "blockers"):
            lines.append(f"  {key}:")
            lines += [f"    - [{', '.join(map(_plain, one))}]" for one in value]
        else:
            lines.append(f"  {key}: {_json(value, 4 + len(key))}")
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    if not text or ": " in text or " #" in text:
        return json.dumps(text, ensure_ascii=False)
    with suppress(yaml.YAMLError):
        if yaml.safe_load(f"[{text}]") == [text]:
            return text
    return json.dumps(text, ensure_ascii=False)


def _axis(value: Any) -> str:
    return _plain(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _json(value: Any, column: int) -> str:
    """JSON on one line where it fits; else an item of the outermost container on each."""
    whole = json.dumps(value, ensure_ascii=False)
    if len(whole) + column <= WIDTH or not isinstance(value, dict | list):
        return whole
    at = " " * (column + 1 if column < 16 else 6)
    if isinstance(value, dict):
        inner = [
            f"{json.dumps(key, ensure_ascii=False)}: {_json(item, len(at) + len(key) + 4)}"
            for key, item in value.items()
        ]
    else:
        inner = [_json(item, len(at)) for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + f",\n{at}".join(inner) + closing
