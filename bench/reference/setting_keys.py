"""The keys of `[tool.toolcast]` for docs/reference/configuration.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from toolcast.command_settings import BUDGET_KEYS, DIFF_KEYS, LINT_KEYS, VERIFY_KEYS
from toolcast.config import KEYS
from toolcast.toml_tables import Key

from .markdown import fenced, table

TABLES: Final[Mapping[str, Mapping[str, Key]]] = {
    "tool.toolcast": KEYS,
    "tool.toolcast.lint": LINT_KEYS,
    "tool.toolcast.lint.max_tokens": BUDGET_KEYS,
    "tool.toolcast.verify": VERIFY_KEYS,
    "tool.toolcast.diff": DIFF_KEYS,
}
"""Every table of the configuration, by its name in pyproject.toml."""


def setting_keys() -> str:
    """One section for each table."""
    return "\n".join(_section(name, keys) for name, keys in TABLES.items())


def example(name: str) -> str:
    """A table with the example of each key, in TOML; without those that have a table of their own."""
    keys = {key: each for key, each in TABLES[name].items() if f"{name}.{key}" not in TABLES}
    return f"[{name}]\n" + "".join(f"{key} = {each.example}\n" for key, each in keys.items())


def _section(name: str, keys: Mapping[str, Key]) -> str:
    rows = [[f"`{key}`", _value(key, each), _default(each.default), each.about] for key, each in keys.items()]
    parts = [
        f"## `[{name}]`\n",
        table(["key", "value", "default", "meaning"], rows),
        fenced(example(name), "toml"),
    ]
    return "\n".join(parts)


def _value(name: str, key: Key) -> str:
    """What the reader of the configuration says of a wrong value."""
    wrong = key.kind(object())
    assert wrong is not None, name
    return wrong[0]


def _default(value: Any) -> str:
    if value is None:
        return "not set"
    if value == {}:
        return "empty"
    return f"`{json.dumps(value)}`"
