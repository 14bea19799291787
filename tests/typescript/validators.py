"""The validator in JavaScript, in one Node.js process for many schemas, beside the contract's verdicts."""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from toolcast.contract.build import Built, build_tool
from toolcast.jsonschema.validator import Validator
from toolcast.languages.typescript.modules import slow_patterns
from toolcast.package_files import PACKAGE
from toolcast.spec.spec_reader import read_tool

from tests.python.compiled import document, spec

from .tools import node

SUPPORT = PACKAGE / "languages" / "typescript" / "support"
JUDGE = Path(__file__).with_name("judge.mjs")


class Judge:
    """Asks the validator in `folder` what it decides. Strings are not code there: `eval` would fail."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def violations(self, schema: Any, values: Sequence[Any], *, exact: bool = False) -> list[Any]:
        """Of each value (path, message, keyword) of its violations. `exact`: without the two allowances."""
        return self.ask("violations", schema, values, exact=exact)

    def ask(self, ask: str, schema: Any, values: Sequence[Any], **more: Any) -> list[Any]:
        """What the method `ask` answers for each value."""
        options = {"slowPatterns": slow_patterns(schema), **more.pop("options", {})}
        task = {"schema": schema, "options": options, "ask": ask, "values": list(values), **more}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert isinstance(answer, list), answer
        return answer


@contextmanager
def judging(folder: Path = SUPPORT) -> Iterator[Judge]:
    command = (node(), "--disallow-code-generation-from-strings", str(JUDGE), str(folder / "index.js"))
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        try:
            yield Judge(process)
        finally:
            process.kill()


def answered(value: Any) -> Any:
    """A value of an answer: a bigint is an int; a double past 2**53, which has no point there, a float."""
    if isinstance(value, dict) and value.keys() == {"bigint"}:
        return int(value["bigint"])
    if isinstance(value, dict):
        return {name: answered(item) for name, item in value.items()}
    if isinstance(value, int) and abs(value) >= 2**53:
        return float(value)
    return [answered(item) for item in value] if isinstance(value, list) else value


def built(parameters: Any, types: Mapping[str, Any] | None = None) -> Built | None:
    documents = {path: document(content, path) for path, content in (types or {}).items()}
    tool, _, _ = read_tool(document(spec(parameters), "tool.json"), "tool.json", frozenset())
    made = None if tool is None else build_tool(tool, documents)
    return None if made is None or made.contract is None else made


def decided(validator: Validator, value: Any) -> list[list[str]]:
    """What decoding decides: (path, message, keyword) of the violations, with the two allowances."""
    settled = validator.settle(value)
    found = validator.violations(settled, limit=50)
    if found and validator.accepts(value):
        return []
    return [[one.path, one.message, one.keyword] for one in found]


def whole(value: Any) -> Any:
    """A JSON value as JavaScript has it: 1.0 is 1."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {name: whole(item) for name, item in value.items()}
    return [whole(item) for item in value] if isinstance(value, list) else value


def reordered(value: Any) -> bool:
    """Whether JavaScript has members of a value in another order: names such as `1` come first."""
    if isinstance(value, dict):
        return any(name.isascii() and name.isdigit() for name in value) or any(map(reordered, value.values()))
    return isinstance(value, list) and any(map(reordered, value))


def differences(judge: Judge, schema: Any, values: Sequence[Any]) -> list[str]:
    """Where the validator and the contract differ about a value: the verdict, or a word of a violation."""
    schema, values = whole(schema), whole(list(values))
    validator = Validator(schema, formats=True)
    wrong: list[str] = []
    for value, theirs in zip(values, judge.violations(schema, values), strict=True):
        ours = decided(validator, value)
        if reordered(value):  # the order of violations, and of members that are shown
            ours, theirs = (sorted([path, keyword] for path, _, keyword in found) for found in (ours, theirs))
        if ours != theirs:
            wrong.append(f"{json.dumps(value)[:300]}: {ours[:3]} is {theirs[:3]}")
    return wrong
