"""What a provider would say, from the texts of its profile, with places in its own way of writing them."""

import re
from collections.abc import Callable
from typing import Final

from ..jsonschema.pointers import join
from ..providers import Profile
from ..spec.model import Path

_PLACEHOLDER: Final = re.compile(r"\{\{|\}\}|\{(tool|index|name|path|value|limit|length|count)\}")
PATHS: Final = "paths"
"""The entry of `answers` that names a style of `STYLES`; without it a JSON pointer is written."""


def answer(profile: Profile, rule: str, path: Path = (), **values: object) -> str:
    """The provider's own words to a breach of `rule`, introduced by its name; empty where none are known.

    `{tool}` is the tool's name, `{index}` its place in a request of all tools, from 0, `{name}` a parameter's
    name, `{path}` a place in the schema, `{value}` what is wrong, `{length}` and `{count}` how much there is.
    `{{` and `}}` are braces. A placeholder without a value stays as it is written.
    """
    text = profile.answers.get(rule)
    if text is None:
        return ""
    style = STYLES.get(profile.answers.get(PATHS, ""), join)
    known = {**values, "path": style(path)}

    def filled(found: re.Match[str]) -> str:
        return str(known.get(found[1], found[0])) if found[1] else found[0][0]

    return f"{profile.title or profile.id} would answer: {_PLACEHOLDER.sub(filled, text)}"


def tuple_of(path: Path) -> str:
    """`('properties', 'a', 'items')`: how Python prints a tuple, as OpenAI's answers do."""
    return repr(tuple(str(step) for step in path))


def dotted(path: Path) -> str:
    """`.properties.a.items`: Anthropic's and Bedrock's answers continue their prefix so."""
    return "".join(f".{step}" for step in path)


def bracketed(path: Path) -> str:
    """`.properties[a].items`: Gemini's answers name properties in brackets, and count branches in them."""
    out, named = "", False
    for step in path:
        brackets = named or isinstance(step, int)
        out += f"[{step}]" if brackets else f".{_camel(str(step))}"
        named = not brackets and step in ("properties", "$defs")
    return out


def _camel(step: str) -> str:
    """Gemini answers in the names of its protocol: `anyOf` is `any_of`."""
    return re.sub(r"(?<=[a-z])([A-Z])", lambda found: "_" + found[1].lower(), step)


STYLES: Final[dict[str, Callable[[Path], str]]] = {
    "brackets": bracketed,
    "dots": dotted,
    "pointer": join,
    "tuple": tuple_of,
}
"""How a provider writes a place: `answers.paths` of its profile."""
