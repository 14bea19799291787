"""Hidden characters and orders to a model in texts of a source, for a person to read before a model does.

Whoever writes a tool's description can write orders in it ("tool poisoning"), also after it was approved (a
"rug pull"). The rules are regular expressions over the visible text: silence proves nothing.
"""

import re
from collections.abc import Iterator

from msgspec import UNSET, Struct, UnsetType

from ..diagnostics import Diagnostic
from ..hidden_characters import (
    describe_character,
    escape_hidden,
    hidden_offsets,
    is_deceptive,
    without_hidden,
)
from ..jsonschema.pointers import join
from .import_tools import Draft, TypeDraft
from .merge import Digests, NameSet, Node, Path, digests_of, fields_of, schema_fields

_PLACE = 160
"""Characters of a name or a path that are shown."""
_LONGEST = 100_000
"""Characters of one text that are searched."""


class _Rule(Struct, frozen=True):
    """A kind of order: its name, its meaning in words, and the pattern that finds it in small letters."""

    name: str
    meaning: str
    pattern: re.Pattern[str]


def _rule(name: str, meaning: str, pattern: str) -> _Rule:
    return _Rule(name, meaning, re.compile(pattern))


RULES = (
    _rule(
        "override",
        "asks a model to drop its instructions",
        r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}"
        r"\b(?:previous|prior|above|earlier|preceding|system|original|safety|other)\b[^.\n]{0,30}"
        r"\b(?:instructions?|prompts?|rules|messages|guidelines|directives|constraints)\b",
    ),
    _rule(
        "markup",
        "imitates the marks of a prompt",
        r"<\s*/?\s*(?:important|system|instructions?|secret|hidden|admin|assistant|developer|critical)\s*>"
        r"|<\|[a-z_]{2,20}\|>|\[/?inst\]|<</?sys>>|^\s*(?:system|assistant)\s*:",
    ),
    _rule(
        "secrecy",
        "asks a model to keep something from its user",
        r"\b(?:do not|don't|dont|never|must not|should not|without|avoid)\b[^.\n]{0,30}"
        r"\b(?:tell|mention|inform|reveal|disclos|notif|alert|warn|show)\w*\b[^.\n]{0,40}"
        r"\b(?:users?|humans?|operators?|anyone)\b",
    ),
    _rule(
        "secret-file",
        "names a file that holds secrets",
        r"~/\.ssh\b|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws/credentials|/etc/(?:passwd|shadow)\b|\.netrc\b"
        r"|\.git-credentials\b|\.cursor/mcp\.json|claude_desktop_config\.json|\.kube/config\b",
    ),
    _rule(
        "transcript",
        "asks for the conversation or the prompt itself",
        r"\b(?:entire|full|whole|complete|all|previous|verbatim)\b[^.\n]{0,20}"
        r"\b(?:conversation|chat|message)\s+(?:history|transcript|context|log)\b"
        r"|\b(?:your|the) system prompt\b",
    ),
    _rule(
        "precedence",
        "orders a model to act around other tools",
        r"\b(?:before|after|whenever|instead of|prior to)\b[^.\n]{0,20}\b(?:using|calling|invoking|running)\b"
        r"[^.\n]{0,20}\b(?:any|every|all|other|another)\b[^.\n]{0,20}\btools?\b",
    ),
)
"""In the order of the warnings."""


def suspicious(draft: Draft | TypeDraft, base: Digests | UnsetType, place: str) -> list[Diagnostic]:
    """Find suspicious texts of a draft that are new or changed since `base`, the digests that a person has
    seen: a warning at `place` for each field and suspicion.
    """
    found: list[Diagnostic] = []
    node: Node
    texts: list[tuple[Path, str]] = []
    if isinstance(draft, TypeDraft):
        owner, node = f"type {draft.path}", schema_fields(draft.schema)
    else:
        owner, node = f"tool {draft.original!a}", fields_of(draft.data)
        texts += [((), draft.original)] if base is UNSET else []
    for path, text in [*texts, *_fresh((), node, base)]:
        where = f"{owner[:_PLACE]}, {escape_hidden(join(path).removeprefix('/'))[:_PLACE] or 'its name'}"
        found += [
            Diagnostic(file=place, severity="warning", code=code, message=f"{where}: {message}", hint=hint)
            for code, message, hint in problems_of(text)
        ]
    return found


def problems_of(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield code, message and hint for each suspicion about one text."""
    hidden = [index for index in hidden_offsets(text) if text[index] != "\r"]
    if hidden:
        first = next((index for index in hidden if is_deceptive(text[index])), hidden[0])
        more = f", and {len(hidden) - 1} more" if len(hidden) > 1 else ""
        message = f"holds {describe_character(text[first])}, character {first + 1}{more}, which nobody sees"
        yield "import-hidden", message, "take it out of the spec; a model reads it"
    visible = without_hidden(text[:_LONGEST]).lower()
    for rule in RULES:
        match = rule.pattern.search(visible)
        if match is not None:
            quote = " ".join(match[0].split())[:80]
            message = f"{rule.meaning} ({rule.name}): {escape_hidden(quote)!r}"
            yield (
                "import-instruction",
                message,
                "read it before a model does",
            )


def _fresh(path: Path, node: Node, base: Digests | UnsetType) -> Iterator[tuple[Path, str]]:
    """Yield every text and key below `node` that differs from the base, with the path of its field."""
    if base is not UNSET and digests_of(node) == base:
        return
    if isinstance(node, dict):
        below = base if isinstance(base, dict) else {}
        for key, item in node.items():
            if key not in below:
                yield (*path, key), key
            yield from _fresh((*path, key), item, below.get(key, UNSET))
        return
    for text in _texts(list(node.names) if isinstance(node, NameSet) else node.value):
        yield path, text


def _texts(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting += [*item.values(), *item]
        elif isinstance(item, list):
            waiting += item
