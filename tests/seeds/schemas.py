"""What the statements about schemas share: one tool with one parameter, normalised for one provider."""

from typing import Any

from toolcast.providers import LedgerEntry, normalize


def of(schema: Any, *, required: bool = True, **root: Any) -> dict[str, Any]:
    """Parameters with one property, `a`."""
    return {
        "type": "object",
        "properties": {"a": schema},
        **({"required": ["a"]} if required else {}),
        **root,
    }


def sent(schema: Any, provider: str, **options: Any) -> Any:
    """The whole schema as `provider` is sent it."""
    return normalize(schema, provider, **options).schema


def sent_a(schema: Any, provider: str, *, required: bool = True, **root: Any) -> Any:
    """The property `a` as `provider` is sent it."""
    return sent(of(schema, required=required, **root), provider)["properties"]["a"]


def lost(schema: Any, provider: str) -> list[tuple[str, str]]:
    """The ledger's entries, each as keyword and action."""
    entries: tuple[LedgerEntry, ...] = normalize(schema, provider).ledger
    return [(entry.keyword, entry.action) for entry in entries]
