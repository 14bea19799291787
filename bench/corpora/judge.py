"""Imports one generated package and compares its decoders with the oracle, value by value.

Runs as a process of its own, `python -m bench.corpora.judge PROJECT`: the package is called `generated`
in every project. Reads `[name, record]` pairs as a JSON array from standard input, writes a Verdict as JSON.
"""

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from .oracle import Oracle, is_schema
from .probes import bent, sample

_PER_VALUE = 150
_CALLS_BENT = 2


class Verdict(Struct, kw_only=True):
    """Counts of values, and everything on which a decoder and the oracle disagree."""

    imported: int = 0
    calls: int = 0  # recorded calls that decode
    bad_calls: int = 0  # recorded bad calls that are refused
    allowed: int = 0  # recorded bad calls taken by one of the two allowances
    probed: int = 0  # tools with at least one valid probe
    probes: int = 0
    disagreements: list[str] = []


def main() -> int:
    """Judge the package in the folder named by the first argument."""
    project = Path(sys.argv[1])
    sys.path.insert(0, str(project))
    pairs: list[tuple[str, dict[str, Any]]] = msgspec.json.decode(
        sys.stdin.buffer.read(), type=list[tuple[str, dict[str, Any]]]
    )
    registry = importlib.import_module("generated.registry")
    verdict = Verdict()
    if sorted(registry.BINDINGS) != sorted(name for name, _ in pairs):
        verdict.disagreements.append("the registry does not list the tools that were compiled")
    for name, record in pairs:
        for found in _judge(registry.BINDINGS[name], record, verdict):
            verdict.disagreements.append(f"{name}: {found}")
    sys.stdout.buffer.write(msgspec.json.encode(verdict))
    return 0


def _judge(binding: Any, record: dict[str, Any], verdict: Verdict) -> Iterator[str]:
    """Everything about one tool that is not as the oracle says."""
    from toolcast.runtime.checked_types import decode_hook

    accepts = _decoder(binding)
    accepts({})  # builds the decoder
    if binding.result is not None:
        msgspec.json.Decoder(binding.result, dec_hook=decode_hook)
    verdict.imported += 1
    if not is_schema(
        record["parameters"]
    ):  # the import left a part out, and no oracle reads what was published
        return
    oracle = Oracle(record["parameters"])
    calls = record.get("calls", [])
    for call in calls:
        if accepts(call) and oracle.accepts(call):
            verdict.calls += 1
        else:
            yield f"a recorded call is refused: {_short(call)}"
        yield from _comes_back(binding, oracle, record["parameters"], call)
    for bad in record.get("bad_calls", []):
        taken = accepts(bad["arguments"])
        if taken != oracle.allows(bad["arguments"]):
            yield f"a recorded bad call is {'taken' if taken else 'refused'}: {_short(bad['arguments'])}"
        elif taken:
            verdict.allowed += 1
        else:
            verdict.bad_calls += 1
    yield from _probe(record["parameters"], calls[:_CALLS_BENT], accepts, oracle, verdict)


def _probe(
    schema: Any, calls: list[Any], accepts: Callable[[Any], bool], oracle: Oracle, verdict: Verdict
) -> Iterator[str]:
    built = [sample(schema, full=False), sample(schema, full=True)]
    valid = [value for value in built if oracle.accepts(value)]
    verdict.probed += bool(valid or calls)
    for base in (*built, *calls):
        for value in (base, *bent(base, _PER_VALUE)):
            verdict.probes += 1
            taken = accepts(value)
            if taken != oracle.allows({} if value is None else value):  # null means no arguments
                yield f"a probe is {'taken' if taken else 'refused'}: {_short(value)}"


def _comes_back(binding: Any, oracle: Oracle, schema: Any, call: Any) -> Iterator[str]:
    """What was decoded must encode to a value that the schema accepts and that says what the call said."""
    try:
        again = json.loads(binding.encode(binding.decode(json.dumps(call))))
    except ValueError:
        return
    if not oracle.accepts(again) or not _same(schema, call, again):
        yield f"encoding changes a recorded call: {_short(call)} becomes {_short(again)}"


def _same(schema: Any, old: Any, new: Any) -> bool:
    """Whether `new` says what `old` does.

    A property may be left out where it equals its default, or where the schema does not declare it:
    nothing but the declared properties is promised to a handler.
    """
    schema = schema if isinstance(schema, dict) else {}
    if isinstance(old, dict) and isinstance(new, dict):
        children = schema.get("properties", {})
        kept = all(_same(children.get(name), old[name], new[name]) for name in new if name in old)
        lost = [name for name in old if name not in new and name in children]
        return (
            kept
            and not new.keys() - old.keys()
            and all("default" in children[name] and children[name]["default"] == old[name] for name in lost)
        )
    if isinstance(old, list) and isinstance(new, list):
        items = schema.get("items")
        return len(old) == len(new) and all(_same(items, a, b) for a, b in zip(old, new, strict=True))
    return bool(old == new)


def _decoder(binding: Any) -> Callable[[Any], bool]:
    from toolcast.runtime import ArgumentError

    def accepts(value: Any) -> bool:
        try:
            binding.decode(json.dumps(value))
        except ArgumentError:
            return False
        return True

    return accepts


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else text[:299] + "…"


if __name__ == "__main__":
    sys.exit(main())
