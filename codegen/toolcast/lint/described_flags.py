"""Flag arguments that only the descriptions give away: "Only used when method is 'create'"."""

import re
from collections.abc import Mapping
from typing import Any, Final

from .words import among, name_words

_DECIDERS: Final = among("action method mode operation command op subcommand")
_BELONGS: Final = re.compile(r"\b(?:only|required|used|use|when|if|for|needed|applies)\b", re.IGNORECASE)
_QUOTED: Final = re.compile(r"""(?P<quote>['"`])(?P<value>[^'"`\n]{1,60})(?P=quote)""")
_EXCEPT: Final = re.compile(r"\b(?:except|unless|not|but|ignored)\b", re.IGNORECASE)


def told(root: Mapping[str, Any]) -> tuple[str, dict[str, frozenset[str]]] | None:
    """The parameter that decides, and by its values the parameters that each alone uses; None if none does.

    A parameter belongs to a value if its description quotes that value and no other one, with a word such as
    "only" or "required". At least two values must have parameters of their own.
    """
    properties = root.get("properties", {})
    for name, schema in properties.items():
        enum = schema.get("enum") if isinstance(schema, Mapping) else None
        if not isinstance(enum, list) or not _DECIDERS & set(name_words(name)[-1:]):
            continue
        values = {value for value in enum if isinstance(value, str)}
        own: dict[str, set[str]] = {}
        for other, each in properties.items():
            text = each.get("description") if isinstance(each, Mapping) and other != name else None
            value = _belongs(text, values) if isinstance(text, str) else ""
            if value:
                own.setdefault(value, set()).add(other)
        if len(own) > 1:
            return name, {value: frozenset(own[value]) for value in enum if value in own}
    return None


def _belongs(text: str, values: set[str]) -> str:
    """The one value that a description quotes as its condition; empty if it quotes none, or several."""
    quoted = {found["value"] for found in _QUOTED.finditer(text)} & values
    if len(quoted) != 1 or not _BELONGS.search(text) or _EXCEPT.search(text):
        return ""
    return quoted.pop()
