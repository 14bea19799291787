"""`python -m bench.baseline.answers PROJECT CORPUS`: what the decoders of a generated package answer.

A process of its own, since the package is called `generated` in every project. Each tool decodes its recorded
calls and values near the border of its schema, for the contract and for every provider with a wire form of
its own. An answer is the encoded value, or the text of the error.
"""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolcast.runtime import ArgumentError

from ..corpora.probes import bent, sample

_PER_VALUE = 40


def main() -> int:
    """Print one line for each answer."""
    project, corpus = map(Path, sys.argv[1:])
    sys.path.insert(0, str(project))
    bindings = importlib.import_module("generated.registry").BINDINGS
    records = {record["name"]: record for record in map(json.loads, corpus.read_text("utf-8").splitlines())}
    for name in sorted(bindings):
        binding = bindings[name]
        for value in _values(binding.schema(), records.get(name, {})):
            for provider in (None, *binding.wire_forms):
                print(json.dumps([name, provider, _answer(binding, json.dumps(value), provider)]))
    return 0


def _values(schema: Any, record: dict[str, Any]) -> Iterator[Any]:
    built = [sample(schema, full=False), sample(schema, full=True), *record.get("calls", [])[:2]]
    for base in built:
        yield base
        yield from bent(base, _PER_VALUE)
    yield from (bad["arguments"] for bad in record.get("bad_calls", []))


def _answer(binding: Any, text: str, provider: str | None) -> str:
    try:
        encoded: bytes = binding.encode(binding.decode(text, provider))
    except ArgumentError as problem:
        return f"refused: {problem}"
    return encoded.decode()


if __name__ == "__main__":
    sys.exit(main())
