"""Words of texts and of queries, for SQLite's FTS5: what is indexed, and queries that have no syntax."""

import re
import unicodedata
from itertools import pairwise
from typing import Final

from toolcast.runtime.unicode_text import UNSPACED

TOKENIZER: Final = "porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
"""The `tokenize` option of an FTS5 table, to stand in double quotes: words in any script, without accents,
and English words by their stem ("prefers" finds "preferred")."""
MAX_TERMS: Final = 64
"""Different words of a query that are searched for; what follows them is ignored."""

# Those of Apache Lucene's EnglishAnalyzer, and words that begin questions: in a small collection they would
# weigh as much as any.
_STOP_WORDS: Final = frozenset(
    ("a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no",
     "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to",
     "was", "will", "with", "did", "do", "does", "how", "what", "when", "where", "which", "who", "whose",
     "why")
)  # fmt: skip

_CHARACTER: Final = re.compile(f"[{UNSPACED}]")
_RUN: Final = re.compile(f"[{UNSPACED}]+|[^{UNSPACED}]+")
_WORDS: Final = frozenset("LNM")


def indexed_text(text: str) -> str:
    """Return a text as it is indexed, with compatibility forms replaced (NFKC). Each character of a
    script without spaces is a word of its own: a query finds any two neighbours.

    Args:
        text: any text.
    """
    return _CHARACTER.sub(r" \g<0> ", unicodedata.normalize("NFKC", text))


def query_terms(query: str) -> list[str]:
    """Return the words of a query, each as an FTS5 phrase: quoted phrases, each once, at most `MAX_TERMS`: a
    word; or two neighbours of a script without spaces. Words like "the" are left out where there are
    others. Empty where the query has no letter and no digit.

    Args:
        query: plain words in any script. Nothing in it is syntax.
    """
    normal = unicodedata.normalize("NFKC", query)
    plain = "".join(char if _is_word(char) else " " for char in normal)
    terms: dict[str, str] = {}
    for word in plain.split():
        for run in _RUN.findall(word):
            terms.update({phrase.casefold(): phrase for phrase in _phrases(run)})
    found = [phrase for key, phrase in terms.items() if key not in _STOP_WORDS] or list(terms.values())
    return [f'"{phrase}"' for phrase in found[:MAX_TERMS]]


def _phrases(run: str) -> list[str]:
    if not _CHARACTER.match(run):
        # A mark alone is no word: FTS5 finds nothing by it.
        return [run] if any(unicodedata.category(char)[0] != "M" for char in run) else []
    if len(run) == 1:
        return [run]
    return [f"{first} {second}" for first, second in pairwise(run)]


def _is_word(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] in _WORDS or category == "Co"
