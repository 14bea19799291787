"""Decoding of the reference toolset's example calls: generated code beside four others.

    python -m bench.decode [--quick]

Every contestant gets the same JSON bytes. `raw` is msgspec over hand-written Structs without any check
(`bench.plain_structs`); pydantic's models are those that `toolcast generate` writes; jsonschema-rs and
fastjsonschema judge what `json.loads` made and leave it untyped. A figure is the median over the rounds of
the processor time for all examples of a tool, divided by their number, in nanoseconds; in each round
everyone has a lap in turn. A dash is for one that cannot compile the schema, or refuses an example though
it is valid.
"""

import argparse
import gc
import json
import re
import statistics
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from time import process_time_ns
from typing import Any, NamedTuple

import jsonschema_rs
import msgspec
import yaml

from bench.marked import write
from bench.plain_structs import STRUCTS

_ROOT = Path(__file__).resolve().parents[1]
CONTESTANTS = ("toolcast", "raw", "pydantic", "jsonschema-rs", "fastjsonschema")
LAP = 5e5
"""Nanoseconds, about: short, so that few laps are interrupted."""
Decode = Callable[[bytes], Any]

_CHECKS = re.compile(r'"(min|max|exclusive|pattern|multipleOf|uniqueItems|contains|not|if|oneOf|dependent)')


class Row(NamedTuple):
    """One tool: nanoseconds a call by contestant, None where one cannot take part."""

    tool: str
    calls: int
    checks: bool
    times: dict[str, float | None]

    def ratio(self, other: str = "raw") -> float | None:
        """The time of generated code over that of `other`."""
        ours, theirs = self.times["toolcast"], self.times[other]
        return ours / theirs if ours and theirs else None


def examples() -> dict[str, list[bytes]]:
    """The example calls of every tool, as JSON."""
    found = {}
    for path in sorted((_ROOT / "specs").rglob("*.yaml")):
        spec = yaml.safe_load(path.read_text("utf-8"))
        if "parameters" in spec:
            name = spec.get("name", path.stem)
            found[name] = [json.dumps(call, ensure_ascii=False).encode() for call in spec["examples"]]
    return found


def contestants(binding: Any) -> dict[str, Decode | None]:
    """Everyone who decodes this tool's arguments."""
    contract = json.loads((_ROOT / "generated/contracts" / f"{binding.name}.json").read_text("utf-8"))
    schema = {"$ref": "#/parameters", **contract}
    is_valid = jsonschema_rs.Draft202012Validator(schema).is_valid
    model = getattr(
        import_module(f"generated.models.pydantic.{binding.group}.{binding.name}"), binding.params.__name__
    )
    loads = json.loads
    return {
        "toolcast": binding.decode,
        "raw": msgspec.json.Decoder(STRUCTS[binding.name]).decode,
        "pydantic": model.model_validate_json,
        "jsonschema-rs": lambda text: is_valid(loads(text)),
        "fastjsonschema": _fastjsonschema(schema),
    }


def _fastjsonschema(schema: dict[str, Any]) -> Decode | None:
    import fastjsonschema

    # It knows draft 7, so what it does not see costs it nothing; it may refuse what it cannot compile.
    try:
        validate = fastjsonschema.compile(schema, use_default=False)
    except fastjsonschema.JsonSchemaDefinitionException:
        return None
    loads = json.loads
    return lambda text: validate(loads(text))


def measure(binding: Any, calls: list[bytes], rounds: int) -> Row:
    """Time one tool. Who refuses one of its examples, which are all valid, takes no part."""
    everyone = {
        name: decode
        for name, decode in contestants(binding).items()
        if decode is not None and all(_takes(decode, call) for call in calls)
    }
    spent: dict[str, list[float]] = {name: [] for name in everyone}
    loops = {}
    for name, decode in everyone.items():
        _lap(decode, calls, 20)  # warm: what is made at first use is no part of a call
        # Laps last about as long for each, so that none begins with caches that another filled.
        loops[name] = max(1, int(LAP / min(_lap(decode, calls, 20) for _ in range(3)) / len(calls)))
    gc.collect()
    gc.freeze()  # what libraries left behind is not looked through in anyone's lap
    for _ in range(rounds):
        for name, times in spent.items():
            times.append(_lap(everyone[name], calls, loops[name]))
    medians = {name: statistics.median(spent[name]) if name in spent else None for name in CONTESTANTS}
    contract = (_ROOT / "generated/contracts" / f"{binding.name}.json").read_text("utf-8")
    parameters = json.dumps(json.loads(contract)["parameters"])
    checks = bool(_CHECKS.search(parameters) or "#/$defs" in parameters)
    return Row(binding.name, len(calls), checks, medians)


def _takes(decode: Decode, call: bytes) -> bool:
    try:
        return decode(call) is not False
    except ValueError:
        return False


def _lap(decode: Decode, calls: list[bytes], loops: int) -> float:
    """Nanoseconds of processor time a call: other work on the machine is not counted."""
    begun = process_time_ns()
    for _ in range(loops):
        for call in calls:
            decode(call)
    return (process_time_ns() - begun) / (loops * len(calls))


def run(quick: bool = False) -> list[Row]:
    """Measure every tool of the reference toolset; `quick` takes a few seconds in all."""
    if str(_ROOT) not in sys.path:
        sys.path.insert(0, str(_ROOT))
    bindings = import_module("generated.registry").BINDINGS
    calls = examples()
    return [measure(bindings[name], calls[name], 7 if quick else 75) for name in sorted(bindings)]


def table(rows: list[Row]) -> str:
    """The figures as Markdown."""
    lines = [
        "| tool | calls | checks | " + " | ".join(CONTESTANTS) + " | ÷ raw | ÷ fastest other |",
        "|---|---|---|" + "---:|" * (len(CONTESTANTS) + 2),
    ]
    for row in rows:
        times = [f"{time:,.0f}" if (time := row.times[name]) else "–" for name in CONTESTANTS]
        others = [ratio for name in CONTESTANTS[2:] if (ratio := row.ratio(name)) is not None]
        ratios = f"{row.ratio():.2f} | {max(others):.2f}"
        lines.append(
            f"| {row.tool} | {row.calls} | {'yes' if row.checks else 'no'} | {' | '.join(times)} | {ratios} |"
        )
    return "\n".join(lines)


def summary(rows: list[Row]) -> str:
    """How the median tool compares with raw msgspec and with pydantic's models, and what is wanted."""
    beside = {
        name: [found for row in rows if (found := row.ratio(name)) is not None]
        for name in ("raw", "pydantic")
    }
    middle = {name: statistics.median(ratios) for name, ratios in beside.items()}
    met = "met" if middle["pydantic"] < 1 else "**not met**"
    faster = sum(ratio < 1 for ratio in beside["pydantic"])
    return (
        f"The median tool takes {middle['pydantic']:.2f} of the time of pydantic's model (wanted: below 1, "
        f"{met}; {faster} of {len(rows)} tools are faster) and {middle['raw']:.1f} times that of raw msgspec."
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.decode", description="Time decoding beside others."
    )
    parser.add_argument("--quick", action="store_true", help="a few seconds in all")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the tables between the page's marks")
    options = parser.parse_args()
    rows = run(options.quick)
    text = f"{table(rows)}\n\n{summary(rows)}"
    print(text)
    if options.write is not None:
        write(options.write, "decode", text)


if __name__ == "__main__":
    main()
