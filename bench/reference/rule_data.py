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


def outdated(folder: Path = FOLDER) -> list[str]:
    """The files that are not what the profiles say, and vectors of profiles that are gone."""
    made = data_files()
    wrong = [path for path, text in made.items() if _read(folder / path) != text]
    gone = [f"vectors/{each.name}" for each in (folder / "vectors").glob("*.jsonl")]
    return sorted({*wrong, *(path for path in gone if path not in made)})


def write(folder: Path = FOLDER) -> list[str]:
    """Write the files that differ, delete those that are no longer made; their paths."""
    made = data_files()
    changed = outdated(folder)
    for path in changed:
        if path in made:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(made[path], encoding="utf-8", newline="\n")
        else:
            (folder / path).unlink()
    return changed


def _read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.is_file() else None


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
