"""What a spec states for clients of MCP: hints about behaviour that directories of servers ask for, and the
keys of its `meta`."""

from collections.abc import Iterator
from typing import Final

from ..providers import Profile, placeholders
from ..spec.imported_fields import is_reserved_meta_key
from ..spec.tool_spec import Annotations
from .finding import Finding
from .linted_tool import Subject

HINTS: Final = Annotations.__struct_fields__
"""Those that a spec states; `readOnlyHint` follows from its permission."""


def unstated_annotations(subject: Subject, profile: Profile) -> Iterator[Finding]:
    """One finding for all annotations that a provider's tool object could have and the spec does not state.

    Unstated, they mean MCP's defaults: destructive, not idempotent, and open to the world.
    """
    carried = {name for name, _ in placeholders(profile.envelope)}
    missing = [
        name for name in HINTS if f"${name}" in carried and getattr(subject.tool.annotations, name) is None
    ]
    if not missing:
        return
    names = ", ".join(f"`{name}`" for name in missing)
    message = f"the annotations do not state {names}"
    fix = f"write `annotations: {{{', '.join(f'{name}: …' for name in missing)}}}`"
    yield subject.finding("unstated-annotation", message, fix, at=("annotations",), providers=(profile.id,))


def reserved_meta_keys(subject: Subject) -> Iterator[Finding]:
    """One finding for each key of `meta` that MCP keeps for itself."""
    for key in subject.tool.meta:
        if is_reserved_meta_key(key):
            message = f"{key!r} is a key of `meta` that is reserved for MCP"
            fix = (
                "take a prefix of your own, such as `com.example/`, or ignore this where MCP defines the key"
            )
            yield subject.finding("reserved-meta-key", message, fix, at=("meta", key))
