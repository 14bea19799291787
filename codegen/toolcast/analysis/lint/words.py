"""Words of names and descriptions, made comparable, in time linear in the length of the text."""

import re
from functools import partial
from typing import Final

from ...jsonschema.regex_cache import cache_short_texts

_NAME: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_]+")
_TEXT: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_DENSE: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)


def among(words: str) -> frozenset[str]:
    """Return the words of a list written as text."""
    return frozenset(words.split())


SMALL: Final = among(
    "a an the of for to in on at by from with into and or is are be was it its this that these those given "
    "specified provided as"
)
"""Words without meaning of their own. Negations and numbers are not among them."""

EMPTY: Final = among(
    "tool function method api call endpoint operation action thing stuff something various misc helper "
    "utility do perform handle use using used which will can"
)
"""Words that every description of a tool could hold."""

KINDS: Final = EMPTY | among(
    "parameter param argument arg value field input data string text number integer boolean object list "
    "array name"
)
"""Words that every description of a parameter could hold."""

PLACEHOLDERS: Final = re.compile(
    r"\W*(?:todo|tbd|fixme|xxx|n/?a|none|null|undefined|description|lorem ipsum\b.*|no description\b.*|"
    r"(?:add|write|insert) (?:a |your )?description.*|placeholder.*|none given)\W*",
    re.IGNORECASE | re.DOTALL,
)


@partial(cache_short_texts, size=4096)
def name_words(name: str) -> tuple[str, ...]:
    """Return the words of an identifier in lower case: `getAPIKey2` → get, api, key, 2."""
    return tuple(word.lower() for word in _NAME.findall(name))


def text_words(text: str) -> list[str]:
    """Return the words of a text in lower case, as they stand."""
    return [word.lower() for word in _TEXT.findall(text)]


_IRREGULAR: Final = {
    "calories": "calorie",
    "cookies": "cookie",
    "movies": "movie",
    "series": "series",
    "species": "species",
}
"""Words in "ies" whose singular does not end in "y"."""


@partial(cache_short_texts, size=4096)
def stem(word: str) -> str:
    """Return a word without the ending of a plural or a third person: lists → list, queries → query, fetches
    → fetch.
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def content(text: str) -> list[str]:
    """Return the stems that carry meaning, in order."""
    return [stem(word) for word in text_words(text) if word not in SMALL]


def is_dense(text: str) -> bool:
    """Return whether words are not separated by spaces, so that they cannot be counted."""
    return _DENSE.search(text) is not None
