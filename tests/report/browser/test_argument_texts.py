"""The box for arguments shows what a model reads of a refused call, and the value of an accepted one."""

import asyncio
import json
import random
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import Oracle, OracleError
from toolcast.contract.build import build_tool
from toolcast.jsonschema.json_values import equal
from toolcast.languages.python.structs.module import tool_module
from toolcast.languages.typescript.modules import slow_patterns
from toolcast.languages.typescript.type_texts import default_plans
from toolcast.runtime import ToolRegistry
from toolcast.runtime.codec import with_defaults
from toolcast.runtime.failure_results import schema_text
from toolcast.spec.spec_reader import read_tool

from bench.corpora.compile import CORPORA
from tests.python.compiled import Binding, RefusedError, document, package, spec
from tests.sampled import sampled
from tests.typescript.tools import node
from tests.typescript.validators import answered

from .bundle import bundle

HERE = Path(__file__).parent
Answers = list[dict[str, Any]]


class Box:
    """The page's judge of arguments in one Node.js process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def answers(self, check: Mapping[str, Any], texts: Sequence[str]) -> Answers:
        """What it shows for each text."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"check": check, "texts": list(texts)}) + "\n")
        self._process.stdin.flush()
        found: Answers = json.loads(self._process.stdout.readline())
        return found


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    script = tmp_path_factory.mktemp("box") / "box.mjs"
    script.write_bytes(bundle(HERE / "arguments.mjs", "--format=esm", "--platform=node"))
    with subprocess.Popen(
        (node(), "--disallow-code-generation-from-strings", str(script)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        try:
            yield Box(process)
        finally:
            process.kill()


def check_of(content: Any, binding: Binding) -> dict[str, Any]:
    """What the page has of a tool."""
    tool, _, _ = read_tool(document(content, f"{binding.name}.json"), f"{binding.name}.json", frozenset())
    assert tool is not None
    built = build_tool(tool, {})
    assert built.contract is not None
    plain = tool_module(built, name=tool.name, module=(tool.name,))[0].plain_unions
    options: dict[str, Any] = {"slowPatterns": slow_patterns(built.normal.offered(tool.inject))}
    if plans := default_plans(built.contract, "parameters", plain, tuple(tool.inject)):
        options["defaults"] = plans
    if tool.empty_is_absent:
        options["emptyIsAbsent"] = list(tool.empty_is_absent)
    if tool.inject:
        options["injected"] = list(tool.inject)
    return {"name": tool.name, "schema": schema_text(binding, None).decode(), "options": options}


def program_answer(binding: Binding, text: str) -> dict[str, Any]:
    """The text that a model reads of a call, or the parameters as data."""
    registry = ToolRegistry()
    registry.register(binding, lambda _params, _context: "done")
    result = asyncio.run(registry.execute(binding.name, text))
    if result.success:
        return {"accepted": True, "value": with_defaults(binding.decode(text))}
    return {"accepted": False, "text": result.error}


def wrong(box: Box, content: Any, binding: Binding, texts: Sequence[str]) -> tuple[list[str], int]:
    """Texts that the box answers otherwise than the program; and how many are accepted."""
    found, accepted = [], 0
    for text, shown in zip(texts, box.answers(check_of(content, binding), texts), strict=True):
        real = program_answer(binding, text)
        accepted += shown["accepted"]
        if shown.keys() == real.keys() and shown["accepted"] == real["accepted"]:
            if shown["accepted"] and same(real["value"], answered(shown["value"]), _sent(text)):
                continue
            if not shown["accepted"] and in_javascript(shown["text"], text) == in_javascript(
                real["text"], text
            ):
                continue
        found.append(f"{binding.name}: {text[:300]}\n  program: {real}\n  page: {shown}")
    return found, accepted


def same(decoded: Any, shown: Any, sent: Any) -> bool:
    """Whether what is shown is what was decoded, and what was sent undeclared, which a Struct drops."""
    if isinstance(decoded, dict) and isinstance(shown, dict):
        before = sent if isinstance(sent, dict) else shown
        known = decoded.keys() | before.keys()
        return all(name in known or shown[name] is None for name in shown) and all(
            name in shown and same(item, shown[name], before.get(name)) for name, item in decoded.items()
        )
    if isinstance(decoded, list) and isinstance(shown, list):
        before = sent if isinstance(sent, list) and len(sent) == len(shown) else shown
        return len(decoded) == len(shown) and all(map(same, decoded, shown, before))
    return equal(decoded, shown)


def in_javascript(text: str, arguments: str) -> str:
    """A text as JavaScript can have it: it knows no 1.0 and no -0, and members whose names are whole numbers
    come first in its objects."""
    whole = re.sub(r"(?<![\w.])(-?\d+)\.0(?![\d.eE])", r"\1", text)
    whole = re.sub(r"(?<![\w.])-0(?![\d.eE])", "0", whole)
    ordered = sorted(whole.split("\n")) if re.search(r'"\d+":', arguments) else [whole]
    return "\n".join(ordered)


def _sent(text: str) -> Any:
    return json.loads(text) if text.strip() else {}


EDIT = spec(
    {
        "type": "object",
        "additionalProperties": False,
        "required": ["path", "é"],
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "é": {"type": "number", "maximum": 1.0},
            "count": {"type": "integer", "default": 3},
            "edits": {
                "type": "array",
                "items": {"type": "object", "required": ["a"], "properties": {"a": {"type": "null"}}},
            },
        },
    }
)
TEXTS = (
    "",
    " \n",
    "null",
    '""',
    '" "',
    "[]",
    "1",
    '"{}"',
    '"[1]"',
    '"x"',
    "{}",
    '{"path": "a", "é": 1}',
    '{"path": "a", "é": 1, "count": 4.0}',
    '{"path": "", "é": 1.5}',
    '{"path": "a", "é": 1, "b": 2}',
    '{"path": "a", "path": "b", "é": 1}',
    '{"edits": [{"a": null, "a": null, "x y": {"b": 1, "b": 2}}]}',
    "{",
    "[",
    '{"path"',
    '{"path":',
    '{"path": ',
    '{"path": "a',
    '{"path": "a"',
    '{"path": "a";',
    '{"path": tru}',
    "{'path': 1}",
    '{"path": "a\nb"}',
    '{"path": "\\x"}',
    '{"path": "\\u12"}',
    '{"path": "\\ud800"}',
    "\ufeff{}",
    '{"é": NaN}',
    '{"é": -Infinity}',
    "{} {}",
    '{"é": 01}',
    '{"é": 1.}',
    '{"é": -}',
    '{"é": 1e400}',
    "[1, 2",
    "[1 2]",
    '{"path": "😀", x}',
    '{\n  "path": "😀"\n  "é": 1}',
    "//",
    "nul",
    '{"é": 123456789012345678901234567890}',
    '{"count": 12345678901234567890123, "path": "a", "é": 0}',
    "[" * 300 + "]" * 300,
    "{}\x0c",
    "\u2003",
)


def test_texts_that_are_no_arguments(box: Box) -> None:
    with package({"edit.json": EDIT}) as bindings:
        found, accepted = wrong(box, EDIT, bindings["edit"], TEXTS)
    assert "\n".join(found) == ""
    assert 3 <= accepted < len(TEXTS)


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", sampled(CORPORA, ("tau-bench",)))
def test_instances_of_real_tools(box: Box, shared_dir: Path, corpus: str) -> None:
    lines = (shared_dir / "corpora" / f"{corpus}.jsonl").read_text("utf-8").splitlines()
    found: list[str] = []
    judged = accepted = 0
    for number, line in enumerate(lines):
        content = spec(json.loads(line)["parameters"])
        try:
            with package({f"tool_{number}.json": content}) as bindings:
                binding = bindings[f"tool_{number}"]
                schema = msgspec.json.decode(schema_text(binding, None))
                texts = [json.dumps(each) for each in _instances(schema, number)]
                more, taken = wrong(box, content, binding, texts)
        except (RefusedError, OracleError):
            continue
        found += more
        judged += len(texts)
        accepted += taken
    print(f"{corpus}: {judged} texts, {accepted} accepted")
    assert "\n".join(found) == ""
    assert 0 < accepted < judged


def _instances(schema: Any, seed: int) -> list[Any]:
    return list(instances(Oracle(schema), random.Random(seed), 20))
