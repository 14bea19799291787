"""What engines are asked about: tools whose schemas are enforced, and values for them."""

import json
import random
from collections.abc import Iterator
from typing import Any

from toolwright.contract.build import build_tool
from toolwright.providers import available, load_profile, normalize
from toolwright.spec import SourceDocument, parse_document, read_tool
from toolwright.verify.dialect import Dialect
from toolwright.verify.hold import asserted_formats
from toolwright.verify.instances import instances
from toolwright.verify.oracle import Oracle, OracleError

from tests.clients.emitted import Emitted, Told, emitted

VALUES = 20


def enforced(provider: str) -> bool:
    profile = load_profile(provider)
    return profile.always_strict or profile.strict is not None


ENFORCED = [provider for provider in available() if enforced(provider)]


def strict_ones(tools: tuple[Told, ...], provider: str) -> list[Emitted]:
    every = load_profile(provider).always_strict
    return [each for each in emitted(tools, provider) if every or each.strict]


def raised(tools: tuple[Told, ...]) -> Iterator[Told]:
    """Contracts in normal form: some are published in older drafts, which the oracle would misread."""
    for told in tools:
        content = {"description": "A tool.", "permission": "read", "secrets": [], "parameters": told.contract}
        document = parse_document(json.dumps(content).encode(), "tool.json", "json")
        spec = (
            read_tool(document, "tool.json", frozenset())[0] if isinstance(document, SourceDocument) else None
        )
        built = build_tool(spec, {}) if spec is not None else None
        if built is not None and built.contract is not None:
            yield Told(info=told.info, contract=built.normal.standalone("parameters"), calls=told.calls)


def has_flag(provider: str) -> bool:
    """Whether its strict schemas are for engines of llguidance's kind. A provider that enforces every schema
    has an engine of its own, which may take what llguidance refuses, loudly."""
    return not load_profile(provider).always_strict


class Case:
    """One tool for one provider, with its judges."""

    def __init__(self, each: Emitted) -> None:
        profile = load_profile(each.provider)
        formats = asserted_formats()
        ledger = normalize(each.contract, profile, strict=each.strict).ledger
        self.each = each
        self.contract = Oracle(each.contract, "", formats)
        self.dialect = Dialect(each.provider, each.schema, ledger, formats, each.ways)
        self.random = random.Random(f"{each.provider}:{each.tool}")

    def valid(self) -> Iterator[Any]:
        made = (*self.each.calls, *instances(self.contract, self.random, VALUES))
        return (value for value in made if self.contract.accepts(value))


def cases(tools: list[Emitted]) -> Iterator[Case]:
    for each in tools:
        try:
            yield Case(each)
        except OracleError:
            continue  # two of a thousand published schemas, in what no dialect changes


def whole(value: Any) -> Any:
    """Whole floats as integers: 1.0 is one of JSON Schema's integers, but no grammar writes it so."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: whole(item) for name, item in value.items()}
    return [whole(item) for item in value] if isinstance(value, list) else value
