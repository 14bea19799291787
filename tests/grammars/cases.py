"""What engines are asked about: tools whose schemas are enforced, and values for them."""

import json
import random
from collections.abc import Iterator
from typing import Any

from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import Oracle, OracleError, asserted_formats
from toolcast.analysis.verify.provider_laws import Dialect
from toolcast.contract.build import build_tool
from toolcast.providers import available, load_profile, normalize
from toolcast.spec.read_file import SourceDocument, parse_document
from toolcast.spec.spec_reader import read_tool

from tests.clients.emitted import Emitted, SourceTool, emitted

VALUES = 20
LONGEST = 8000
"""Characters of a text that an engine is asked about; past some 100,000 bytes llguidance gives up."""


GRAMMARS = frozenset(("vllm-xgrammar", "llama-cpp"))
"""Profiles without a strict mode, whose every output an engine turns into a grammar."""


def is_always(provider: str) -> bool:
    """Whether every schema is enforced, with no flag."""
    return provider in GRAMMARS or load_profile(provider).always_strict


ENFORCED = [id for id in available() if is_always(id) or load_profile(id).strict is not None]


def strict_ones(tools: tuple[SourceTool, ...], provider: str) -> list[Emitted]:
    every = is_always(provider)
    return [each for each in emitted(tools, provider) if every or each.strict]


def raised(tools: tuple[SourceTool, ...]) -> Iterator[SourceTool]:
    """Contracts in normal form: some are published in older drafts, which the oracle would misread."""
    for source in tools:
        content = {
            "description": "A tool.",
            "permission": "read",
            "secrets": [],
            "parameters": source.contract,
        }
        document = parse_document(json.dumps(content).encode(), "tool.json", "json")
        spec = (
            read_tool(document, "tool.json", frozenset())[0] if isinstance(document, SourceDocument) else None
        )
        built = build_tool(spec, {}) if spec is not None else None
        if built is not None and built.contract is not None:
            yield SourceTool(
                info=source.info, contract=built.normal.standalone("parameters"), calls=source.calls
            )


def has_flag(provider: str) -> bool:
    """Whether its strict schemas are for engines of llguidance's kind. A provider that enforces every schema
    has an engine of its own, which may take what llguidance refuses, loudly."""
    return not is_always(provider)


class Case:
    def __init__(self, each: Emitted) -> None:
        profile = load_profile(each.provider)
        formats = asserted_formats()
        ledger = normalize(each.contract, profile, strict=each.strict).ledger
        self.each = each
        # As a contract file has it, in whose terms the dialect tells what the ledger covers.
        document = {"$defs": each.contract.get("$defs", {}), "parameters": each.contract}
        self.contract = Oracle(document, "/parameters", formats)
        self.dialect = Dialect(each.provider, each.schema, ledger, formats, each.wire_forms)
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
