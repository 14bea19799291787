"""What each provider is told of real tools: strict or not, and what becomes of every constraint.

    python -m bench.providers --write docs/reference/providers.md

Reads the shared corpora where they are (`TOOLCAST_SHARED`, or `../shared`) and normalises every tool for
every built-in profile. Writes the part of the page between the marks of `coverage`, or to standard output.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from toolcast.analysis.instances.oracle import subschemas_of
from toolcast.jsonschema.pointers import escape
from toolcast.providers import (
    LedgerEntry,
    Normalized,
    Profile,
    SchemaError,
    available,
    load_profile,
    normalize,
)
from toolcast.providers.ledger import NOT_STRICT
from toolcast.runtime.wire import WireForm

from .marked import write
from .peers.table import table

_CORPORA = Path(os.environ.get("TOOLCAST_SHARED", Path(__file__).parents[2] / "shared")) / "corpora"
CONSTRAINTS = frozenset(
    (
        *("type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "not", "if", "then", "else"),
        *("required", "properties", "patternProperties", "additionalProperties", "propertyNames"),
        *("minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties"),
        *("items", "prefixItems", "contains", "minContains", "maxContains", "unevaluatedItems"),
        *("minItems", "maxItems", "uniqueItems", "minLength", "maxLength", "pattern", "format"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    )
)
KEPT, WORDS, WIDER, LEDGER = "kept", "in words", "wider", "ledger only"
_TEXT = """\
`python -m bench.providers --write docs/reference/providers.md` sends the {tools:,} tools of the shared
corpora, with
{constraints:,} keywords that constrain, through every profile.

* **kept**: stated as it is or in other words that mean the same.
* **in words**: stated in the description; decoding still holds the model to it.
  **wider**: stated less exactly. **ledger only**: left out. The ledger has entries for all three.
* **places encoded**: sent in another form, such as a map as a list of pairs, and undone by decoding.
* **refused**, where there are any: tools that cannot be read as parameters.

"""


class Coverage(Struct):
    """One profile over all tools. `constraints` counts keywords by what became of them."""

    id: str
    tools: int = 0
    refused: int = 0
    strict: int = 0
    has_strict: bool = False
    encoded: int = 0  # places that decoding undoes
    constraints: Counter[str] = Counter()


def covered(profile: Profile, schemas: Iterable[Any]) -> Coverage:
    """What `profile` makes of all `schemas`."""
    found = Coverage(profile.id, has_strict=profile.strict is not None, constraints=Counter())
    for schema in schemas:
        found.tools += 1
        try:
            made = normalize(schema, profile)
        except SchemaError:
            found.refused += 1
            continue
        found.strict += made.strict is True
        found.encoded += _encoded(made)
        found.constraints.update(fates(schema, made))
    return found


def fates(schema: Any, made: Normalized) -> Iterator[str]:
    """What became of each constraint of `schema`, one word each."""
    entries = {
        f"{entry.path}/{escape(entry.keyword)}": entry
        for entry in made.ledger
        if not entry.reason.startswith(NOT_STRICT)  # why the mode is given up: nothing that was lost
    }
    for path, node in subschemas_of(schema):
        for keyword in node:
            if keyword in CONSTRAINTS:
                yield _fate(f"{path}/{keyword}", entries)


def _fate(place: str, entries: Mapping[str, LedgerEntry]) -> str:
    """By the entry for this keyword, or for the nearest one around it: an entry covers what is below."""
    while place:
        entry = entries.get(place)
        if entry is not None:
            if entry.action == "described":
                return WORDS
            if entry.action == "widened" or entry.severity == "changed":
                return WIDER
            return LEDGER if entry.severity in ("lost", "reject") else KEPT
        place = place.rpartition("/")[0]
    return KEPT


def _encoded(made: Normalized) -> int:
    if made.wire_forms is None:
        return 0
    return sum(map(_acts, (made.wire_forms.root, *made.wire_forms.definitions.values())))


def _acts(form: WireForm | None) -> int:
    """How many places a way undoes something at."""
    if form is None:
        return 0
    below = (*form.properties.values(), form.items, form.values, *(choice.form for choice in form.choices))
    return bool(form.encoding or form.names or form.rest or form.nulls) + sum(map(_acts, below))


def page(found: Sequence[Coverage]) -> str:
    """The table, with what its columns mean."""
    head = [
        "provider",
        "sent strict",
        "constraints kept",
        "in words",
        "wider",
        "ledger only",
        "places encoded",
        "refused",
    ]
    rows = [_row(each) for each in found]
    tools = max((each.tools for each in found), default=0)
    constraints = max((each.constraints.total() for each in found), default=0)
    return _TEXT.format(tools=tools, constraints=constraints) + "\n".join(table([head, *rows]))


def _row(each: Coverage) -> list[str]:
    total = max(1, each.constraints.total())
    numbers = (each.constraints[WORDS], each.constraints[WIDER], each.constraints[LEDGER], each.encoded)
    return [
        f"`{each.id}`",
        f"{each.strict:,}" if each.has_strict else "–",
        f"{int(1000 * each.constraints[KEPT] / total) / 10:.1f} %",  # never rounded up
        *(f"{number:,}" if number else "" for number in numbers),
        str(each.refused or ""),
    ]


def schemas(corpora: Path) -> list[Any]:
    """The parameters of every tool of the corpora."""
    files = sorted(corpora.glob("*.jsonl"))
    return [
        json.loads(line)["parameters"]
        for file in files
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.providers", description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table between the page's marks")
    given = parser.parse_args()
    listed = schemas(_CORPORA)
    if not listed:
        sys.stderr.write(f"no corpora in {_CORPORA}; set TOOLCAST_SHARED\n")
        return 1
    text = page([covered(load_profile(id), listed) for id in available()])
    if given.write is None:
        sys.stdout.write(text + "\n")
    else:
        write(given.write, "coverage", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
