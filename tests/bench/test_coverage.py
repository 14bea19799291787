"""What the coverage table counts."""

from __future__ import annotations

from collections import Counter

from toolcast.providers import LedgerEntry, Normalized
from toolcast.providers.ledger import NOT_STRICT

from bench.providers import Coverage, fates, page

SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "string", "pattern": "^a$", "minLength": 1}, "b": {"oneOf": [{"const": 1}]}},
}


def _entry(path: str, keyword: str, action: str, severity: str, reason: str = "why") -> LedgerEntry:
    return LedgerEntry(path=path, keyword=keyword, action=action, severity=severity, reason=reason)  # type: ignore[arg-type]


def _counted(*entries: LedgerEntry) -> Counter[str]:
    return Counter(fates(SCHEMA, Normalized(schema={}, strict=False, ledger=entries)))


def test_without_entries_all_is_kept() -> None:
    assert _counted() == {"kept": 7}


def test_an_entry_decides_for_its_keyword_and_for_all_below() -> None:
    described = _entry("/properties/a", "pattern", "described", "kept elsewhere")
    dropped = _entry("/properties/a", "minLength", "dropped", "lost")
    widened = _entry("/properties/b", "oneOf", "widened", "lost")
    assert _counted(described, dropped, widened) == {"kept": 3, "in words": 1, "ledger only": 1, "wider": 2}


def test_what_is_expressed_otherwise_is_kept_and_reasons_against_strict_are_no_losses() -> None:
    inlined = _entry("/properties/b", "oneOf", "inlined", "kept elsewhere")
    reason = _entry("/properties/a", "pattern", "widened", "lost", NOT_STRICT)
    assert _counted(inlined, reason) == {"kept": 7}


def test_shares_are_never_rounded_up() -> None:
    found = Coverage("p", tools=1, constraints=Counter(kept=1999, wider=1))
    assert "99.9 %" in page([found])
