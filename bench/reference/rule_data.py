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
from toolcast.providers import available, load_profile
from toolcast.providers.provider_rules import document_of, due_rules
from toolcast.providers.rule_vectors import vectors_of

FOLDER = Path(__file__).parents[2] / "codegen" / "toolcast" / "providers"
"""The folder in which the data is shipped."""
VECTORS = "vectors/*.jsonl"


def data_files() -> dict[str, str]:
    """The text of each file by its path below `FOLDER`."""
    profiles = {id: load_profile(id) for id in available()}
    lines = {
        id: b"\n".join(map(msgspec.json.encode, vectors_of(profile))).decode() + "\n"
        for id, profile in profiles.items()
    }
    document = document_of(profiles)
    return {
        "provider-rules.json": json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n",
        **{f"vectors/{id}.jsonl": text for id, text in lines.items()},
    }


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
