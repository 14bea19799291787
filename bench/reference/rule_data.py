"""The data of what each provider takes, made from the profiles: one document, and vectors.

    python -m bench.reference.rule_data [YYYY-MM-DD]

lists the rules that are due that day, or today, with their sources.
"""

from __future__ import annotations

import json
import sys
from datetime import date
from pathlib import Path

import msgspec
from toolcast.jsonschema.json_values import JsonObject
from toolcast.providers import available, load_profile
from toolcast.providers.profiles.profile import Profile
from toolcast.providers.provider_rules import ProviderRule, due_rules, rules_of
from toolcast.providers.rule_vectors import vectors_of

FOLDER = Path(__file__).parents[2] / "codegen" / "toolcast" / "providers"
"""The folder in which the data is shipped."""
VECTORS = "vectors/*.jsonl"
VERSION = 1
"""The version of the document; it grows where a reader of the one before would misread it."""


def data_files() -> dict[str, str]:
    """The text of each file by its path below `FOLDER`."""
    profiles = {id: load_profile(id) for id in available()}
    lines = {
        id: b"\n".join(map(msgspec.json.encode, vectors_of(profile))).decode() + "\n"
        for id, profile in profiles.items()
    }
    document = _document_of(profiles)
    return {
        "provider-rules.json": json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n",
        **{f"vectors/{id}.jsonl": text for id, text in lines.items()},
    }


def _document_of(profiles: dict[str, Profile]) -> JsonObject:
    """Put the rules of providers in one document, which `provider-rules.schema.json` describes.

    Args:
        profiles: the profiles by id.

    Returns:
        The document.
    """
    return {"version": VERSION, "providers": {id: _provider(profile) for id, profile in profiles.items()}}


def _provider(profile: Profile) -> JsonObject:
    rules = rules_of(profile)
    sources = list(dict.fromkeys(source for rule in rules for source in rule.sources))
    modes: JsonObject = {
        table: {
            f"{kind}s": {
                rule.name: _entry(rule, sources) for rule in rules if (rule.table, rule.kind) == (table, kind)
            }
            for kind in ("keyword", "construct")
        }
        for table in ("dialect", "strict")
        if table == "dialect" or profile.strict is not None
    }
    whole = msgspec.to_builtins(profile)
    return {
        "title": profile.title or profile.id,
        "dated": profile.dated,
        **({"models": list(profile.models)} if profile.models else {}),
        "sources": sources,
        **{key: whole[key] for key in ("envelope", "text-envelope", "request", "answers") if whole.get(key)},
        "modes": modes,
        "limits": {rule.name: _entry(rule, sources) for rule in rules if rule.kind == "limit"},
    }


def _entry(rule: ProviderRule, sources: list[str]) -> JsonObject:
    made: JsonObject = {} if rule.value is None else {"value": rule.value}
    made |= {key: getattr(rule, key) for key in ("status", "sent", "dated", "confidence")}
    return {**made, "sources": [sources.index(source) for source in rule.sources]}


def due(today: date) -> list[str]:
    """A line for each source of rules that are to be checked again: profile, date, source, rules."""
    by: dict[tuple[str, str, str], list[str]] = {}
    for id in available():
        for rule in due_rules(load_profile(id), today):
            by.setdefault((rule.dated, id, "; ".join(rule.sources)), []).append(rule.key)
    return [
        f"{dated} {id}: {source}\n    {', '.join(names)}" for (dated, id, source), names in sorted(by.items())
    ]


if __name__ == "__main__":
    lines = due(date.fromisoformat(sys.argv[1]) if len(sys.argv) > 1 else date.today())
    print("\n".join(lines) or "no rule is due")
