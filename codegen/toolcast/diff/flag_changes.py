"""Keys of a spec that ask for something or do not, and whose rule of `diff` stands beside them."""

from collections.abc import Iterator

from ..spec.keys import KEYS, Key
from ..spec.tool_spec import ToolSpec


def flag_changes(old: ToolSpec, new: ToolSpec) -> Iterator[tuple[str, str, Key]]:
    """Compare the keys that have a rule.

    Args:
        old: the tool in the old state.
        new: the tool in the new state.

    Returns:
        For each key that asks for something in one state alone: the id of the rule, the message, the key.
    """
    for key in KEYS.values():
        asks = key.asks_for(key.value_in(new)) if key.rule else None
        if key.rule and asks != key.asks_for(key.value_in(old)):
            yield key.rule.id, key.rule.asked if asks else key.rule.dropped, key
