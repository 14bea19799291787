"""The page of what each provider takes, from its rules."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from toolcast.jsonschema.keywords import KEYWORDS
from toolcast.providers import Profile, available, load_profile
from toolcast.providers.provider_rules import STATEMENTS, ProviderRule, rules_of

from .markdown import table

_SIGNS = {"accepted": "✓", "ignored": "○", "refused": "✗", "rewritten": "≈", "unknown": "?"}
_SOURCE = "https://github.com/toolcast/toolcast/blob/main/codegen/toolcast/providers"
_HEAD = f"""\
# What each provider takes

What a provider does with each keyword of JSON Schema, and with constructs of several: ✓ accepted, ○
ignored, ✗ refused, ≈ taken in another meaning, ? not known. `strict` after a name is strict mode, a flag
of a tool. The rules are those of the [profiles](provider-profiles.md); each has a source, a date and a
confidence: *documented*, seen in a client's or the provider's code (*client-code*), or in answers
(*probed*).

The same as data: [provider-rules.json]({_SOURCE}/provider-rules.json), its
[schema]({_SOURCE}/provider-rules.schema.json), and [vectors]({_SOURCE}/vectors): for each rule a schema
of parameters that is taken and one that is refused, and for each wire form an argument and its decoded
value. A port to another language is judged by them; `tests/providers/read_vectors.mjs` is such a reader,
in JavaScript.

<div id="rules" markdown>

On the [site](https://toolcast.github.io/toolcast/reference/compatibility/), all rules can be searched
here, with their sources and vectors.

</div>
"""
_RENEWED = """\
## Checked anew

Rules whose source was read again after the rest of their profile, where sources disagree or clients have
changed; the last ones first.
"""
_CONSTRUCTS = """\
## Constructs

What holds of a schema that is taken. The sign says what a provider does with one that breaks it; ✓ where
it has no such rule.
"""


def compatibility() -> str:
    """The page."""
    parts = [_HEAD, "## Keywords\n"]
    modes = list(_modes())
    head = ["", *(name for name, _ in modes)]
    rows = [[f"`{key}`", *(_sign(rules, key) for _, rules in modes)] for key in _keywords(modes)]
    parts.append(table(head, rows))
    parts.append(_CONSTRUCTS)
    parts.append(table(["construct", "rule"], ([f"`{key}`", text] for key, text in STATEMENTS.items())))
    rows = [[f"`{key}`", *(_sign(rules, key) for _, rules in modes)] for key in STATEMENTS]
    parts.append(table(head, rows))
    parts.append(_RENEWED)
    parts.append(table(["provider", "rules", "status", "source", "checked", "known"], _renewed()))
    return "\n".join(parts)


def _renewed() -> list[list[str]]:
    """Rules with a later date than that of their profile, by source."""
    found: dict[tuple[str, ...], list[str]] = {}
    for id in available():
        profile = load_profile(id)
        for rule in rules_of(profile):
            if rule.dated > profile.dated:
                about = (rule.dated, id, rule.status, "; ".join(rule.sources), rule.confidence)
                found.setdefault(about, []).append(f"`{rule.key}`")
    return [
        [id, ", ".join(keys), status, source, dated, known]
        for (dated, id, status, source, known), keys in sorted(
            found.items(), key=lambda item: (-date.fromisoformat(item[0][0]).toordinal(), item[0])
        )
    ]


_Mode = tuple[str, dict[str, ProviderRule]]


def _modes() -> Iterator[_Mode]:
    """Each provider's modes, with their rules by name."""
    for id in available():
        profile: Profile = load_profile(id)
        for mode in ("dialect", "strict"):
            found = {rule.name: rule for rule in rules_of(profile) if rule.table == mode}
            if found:
                yield f"{id} strict" if mode == "strict" else id, found


def _keywords(modes: list[_Mode]) -> list[str]:
    """The keywords of which a mode has a rule, as JSON Schema lists them; then those of providers."""
    named = {name for _, rules in modes for name, rule in rules.items() if rule.kind == "keyword"}
    return [*(key for key in KEYWORDS if key in named), *sorted(named - KEYWORDS.keys())]


def _sign(rules: dict[str, ProviderRule], name: str) -> str:
    rule = rules.get(name)
    if rule is None:
        return _SIGNS["accepted"] if name in STATEMENTS else _SIGNS[rules["other"].status]
    return _SIGNS[rule.status]
