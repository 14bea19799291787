"""Compares a spec's permission and secrets with its names and texts."""

from collections.abc import Iterator, Mapping
from typing import Final

from ...providers import Profile, placeholders
from ...spec.fields import is_reserved_meta_key
from ...spec.parsed_document import Path
from ...spec.tool_spec import Annotations
from .descriptions import properties, readable
from .finding import Finding
from .linted_tool import LintedTool
from .words import among, name_words, stem, text_words

# English names have their head last: an `api_key` is a key, a `password_length` is a length.
_SECRETS: Final = among("password passwd passphrase secret credential apikey jwt otp")
_KEYS: Final = among("api access private secret auth signing encryption ssh session service")
_TOKENS: Final = among(
    "access auth authorization authentication api bearer refresh id session security bot user oauth github "
    "gitlab slack personal csrf jwt device deploy"
)
_TAILS: Final = among("value text string")  # no meaning of their own: a `secret_value` is a secret

_DESTRUCTIVE: Final = among(
    "delete remove kill purge overwrite destroy erase wipe truncate terminate uninstall revoke "
    "unlink shred reset discard"
)
_DROPPED: Final = among("table database db schema index column collection view keyspace partition user role")
"""What `drop` destroys; anything else may be dropped somewhere, such as a file onto a page."""
_HARMLESS: Final = among(
    "get list find search read show check count describe fetch view query lookup calculate compute is has "
    "can preview simulate compare validate verify estimate explain analyze analyse"
)


def policy(subject: LintedTool) -> Iterator[Finding]:
    """Yield findings about undeclared or unresolved secrets, and destruction that calls itself reading."""
    yield from _secrets(subject)
    yield from _unresolved(subject)
    if subject.tool.permission == "read":
        yield from _destruction(subject)


def _secrets(subject: LintedTool) -> Iterator[Finding]:
    for path, name, schema in properties(subject.parameters):
        if not looks_secret(name) or not _takes_text(schema):
            continue
        top = _top(path)
        if top is None or top in subject.tool.secrets:
            continue
        message = f"the parameter {readable(path)!r} looks like a secret, but `secrets` does not list {top!r}"
        fix = f"write `secrets: [{', '.join((*subject.tool.secrets, top))}]`"
        yield subject.finding("secret-parameter", message, fix, schema=path)


def _unresolved(subject: LintedTool) -> Iterator[Finding]:
    tool = subject.tool
    if tool.external and tool.secrets:
        names = ", ".join(map(repr, tool.secrets))
        message = f"the calls are carried out elsewhere, with references in place of secrets in {names}"
        fix = "resolve them there and say so in `lint.ignore`, or write `secrets: []`"
        yield subject.finding("unresolved-secrets", message, fix, at=("secrets",))


def looks_secret(name: str) -> bool:
    """Return whether a name ends in a word for a secret: `client_secret` does, `secret_name` does not."""
    words = name_words(name)
    while len(words) > 1 and words[-1] in _TAILS:
        words = words[:-1]
    if not words:
        return False
    before, last = words[-2:-1], stem(words[-1])
    if last in ("key", "token") and before:
        return before[0] in (_KEYS if last == "key" else _TOKENS)
    return last in _SECRETS or words == ("token",)


def _takes_text(schema: Mapping[str, object]) -> bool:
    if "enum" in schema or "const" in schema:
        return False
    stated = schema.get("type", "string")
    types = stated if isinstance(stated, list) else [stated]
    return any(each in ("string", "object", "array") for each in types)


def _top(path: Path) -> str | None:
    """Return the top-level parameter that `path` lies in; a definition's may lie in several."""
    return str(path[1]) if path[:1] == ("properties",) else None


def _destruction(subject: LintedTool) -> Iterator[Finding]:
    tool = subject.tool
    verb = destructive_verb(tool.name, tool.description)
    if verb:
        message = f"{verb}, but `permission` is read"
        fix = "write `permission: write` (or execute), or say why it does no harm in `lint.ignore`"
        yield subject.finding("destructive-read", message, fix, at=("permission",))


def destructive_verb(name: str, description: str) -> str:
    """Return the evidence that the tool destroys something, else an empty text.

    In a name, the first or the last word counts, unless a harmless verb begins it (`list_drops`); in a text
    the first alone, since the rest may speak of other tools.
    """
    words = name_words(name)
    if words and not (_HARMLESS & {words[0]}):
        for word in dict.fromkeys((words[0], words[-1])):
            if word in _DESTRUCTIVE or (word == "drop" and _DROPPED & set(map(stem, words))):
                return f"the name says {word!r}"
    first_words = text_words(description)[:8]
    if first_words and first_words[0] in ("permanently", "irreversibly"):
        first_words = first_words[1:]
    verb = stem(first_words[0]) if first_words else ""
    if verb in _DESTRUCTIVE or (verb == "drop" and _DROPPED & set(map(stem, first_words))):
        return f"the description says {first_words[0]!r}"
    return ""


_HINTS: Final = Annotations.__struct_fields__
"""Those that a spec states; `readOnlyHint` follows from its permission."""


def unstated_annotations(subject: LintedTool, profile: Profile) -> Iterator[Finding]:
    """Yield one finding for all unstated annotations that a provider's tool object could have; MCP's defaults
    are destructive, not idempotent, and open to the world.
    """
    carried = {name for name, _ in placeholders(profile.envelope)}
    missing = [
        name for name in _HINTS if f"${name}" in carried and getattr(subject.tool.annotations, name) is None
    ]
    if not missing:
        return
    names = ", ".join(f"`{name}`" for name in missing)
    message = f"the annotations do not state {names}"
    fix = f"write `annotations: {{{', '.join(f'{name}: …' for name in missing)}}}`"
    yield subject.finding("unstated-annotation", message, fix, at=("annotations",), providers=(profile.id,))


def reserved_meta_keys(subject: LintedTool) -> Iterator[Finding]:
    """Yield one finding for each key of `meta` that MCP keeps for itself."""
    for key in subject.tool.meta:
        if is_reserved_meta_key(key):
            message = f"{key!r} is a key of `meta` that is reserved for MCP"
            fix = (
                "take a prefix of your own, such as `com.example/`, or ignore this where MCP defines the key"
            )
            yield subject.finding("reserved-meta-key", message, fix, at=("meta", key))
