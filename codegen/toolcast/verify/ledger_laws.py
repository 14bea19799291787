"""L4 and L5: nothing that a contract says is lost without an entry, and normalising twice changes nothing."""

import copy
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..jsonschema.pointers import escape
from ..providers import LedgerEntry, Profile, normalize
from .schema_document import places
from .verify_report import Failure

_BRANCH = re.compile(r"/(?:anyOf|allOf)/[0-9]+")


def silent_losses(
    contract: Mapping[str, Any], emitted: Mapping[str, Any], ledger: Sequence[LedgerEntry]
) -> Iterator[Failure]:
    """L4: keywords of the contract that `emitted` lacks at their place and no entry covers.

    An entry covers its keyword and all below it. What has moved into a branch is not missing.
    """
    present = set(_keywords(emitted))
    present |= {(_BRANCH.sub("", path), keyword) for path, keyword in present}
    covered = {f"{entry.path}/{escape(entry.keyword)}" for entry in ledger}
    for path, keyword in _keywords(contract):
        if (path, keyword) in present or (_BRANCH.sub("", path), keyword) in present:
            continue
        place = f"{path}/{escape(keyword)}"
        steps = place.split("/")
        if not any("/".join(steps[:count]) in covered for count in range(2, len(steps) + 1)):
            yield Failure(
                "L4",
                f"`{keyword}` stands in the schema or in the ledger",
                "it stands in neither",
                place=place,
            )


def _keywords(schema: Any) -> Iterator[tuple[str, str]]:
    for path, node in places(schema):
        for keyword in node:
            yield path, keyword


def fixpoint(contract: Mapping[str, Any], profile: Profile, strict: bool | None) -> Iterator[Failure]:
    """L5: the input stays as it was, and the result normalised again is the result.

    The second time in the mode that the first one came to: what kept it from being strict may be said in
    words by then, and is not read.
    """
    given = copy.deepcopy(dict(contract))
    before = copy.deepcopy(given)
    once = normalize(given, profile, strict=strict)
    if given != before:
        yield Failure("L5", "the input is left alone", "normalising changes it")
    kept = copy.deepcopy(once.schema)
    twice = normalize(once.schema, profile, strict=False if once.strict is False else strict)
    if _text(twice.schema) != _text(kept) or twice.strict != once.strict:
        place = next((path for path in _differing(kept, twice.schema)), "")
        yield Failure("L5", "normalising twice changes nothing", "the second time changes it", place=place)
    if _text(once.schema) != _text(kept):
        yield Failure("L5", "the input is left alone", "normalising the result changes it")


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _differing(one: Any, other: Any) -> Iterator[str]:
    known = dict(places(other))
    for path, node in places(one):
        shallow = {key: value for key, value in node.items() if not isinstance(value, (dict, list))}
        if path not in known or any(known[path].get(key) != value for key, value in shallow.items()):
            yield path
