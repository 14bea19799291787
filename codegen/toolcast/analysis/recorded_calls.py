"""Recorded calls: read from files, and decoded under a contract as the runtime does it, without guesses.

Files are lines of `record_calls`, spans of OpenTelemetry, and logs of providers' messages: one JSON document
or JSON lines. Calls are found anywhere in them, by their shape; what cannot be read costs itself. Nothing of
a file is trusted: its size, its depth and every shape are bounded.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, Struct

from ..agents.dispatch import DispatchError
from ..agents.dispatch.parse_answer import call_shape, read_calls
from ..agents.dispatch.wire_formats import FORMATS
from ..contract.build import Built, offered
from ..diagnostics import Diagnostic
from ..jsonschema.json_values import JsonMapping
from ..jsonschema.validator_errors import Violation
from ..project.core.tool_definitions import wanted_strict
from ..project.profiles import Profiles
from ..providers import SchemaError, SchemaNormalizer, load_profile
from ..runtime.arguments import parse_arguments
from ..runtime.bounded_json import UnreadableJSONError, read_json
from ..runtime.errors import LIMIT, ArgumentError
from ..runtime.grammars import text_violations
from ..runtime.middleware.record import RecordedLine
from ..runtime.wire.decoder import WireDecoder, explain_wire_form
from ..spec.text_input import PARAMETER
from ..spec.tool_spec import ToolSpec

MAX_BYTES: Final = 256 * 1024 * 1024
_LISTS: Final = {
    "tool_calls": "openai",
    "output": "openai-responses",
    "input": "openai-responses",
    "content": "anthropic",
    "parts": "gemini",
}
"""Keys of lists in which calls stand, in requests and answers, and their format."""
_TOOL: Final = "gen_ai.tool.name"
_ARGUMENTS: Final = "gen_ai.tool.call.arguments"
_MESSAGES: Final = "gen_ai.output.messages"
_Decode = Callable[[object], object]


class UnreadableCallsError(ValueError):
    """A file cannot be read at all; the text completes "the file …"."""


class RecordedCall(NamedTuple):
    """The arguments of a call: their JSON text as it was written, and the provider whose wire form they may
    have.
    """

    provider: str | None
    text: str | bytes


class RecordedCalls(Struct, frozen=True, kw_only=True):
    """The calls of some files.

    Attributes:
        by_tool: how often each call was made, by the name of the tool.
        problems: what was not read.
    """

    by_tool: Mapping[str, Mapping[RecordedCall, int]]
    problems: tuple[Diagnostic, ...] = ()


def read_files(files: Sequence[Path]) -> RecordedCalls:
    """Read the calls of some files. Raises UnreadableCallsError."""
    found: defaultdict[str, Counter[RecordedCall]] = defaultdict(Counter)
    problems: list[Diagnostic] = []
    for file in files:
        reader = _Reader(found)
        try:
            with file.open("rb") as stream:
                data = stream.read(MAX_BYTES + 1)
        except OSError as problem:
            raise UnreadableCallsError(f"{file} cannot be read: {problem.strerror}") from None
        if len(data) > MAX_BYTES:
            raise UnreadableCallsError(f"{file} is larger than {MAX_BYTES // 2**20} MiB")
        reader.read(data)
        problems += reader.problems(str(file))
    return RecordedCalls(by_tool=found, problems=tuple(problems))


class _Reader:
    def __init__(self, found: defaultdict[str, Counter[RecordedCall]]) -> None:
        self.found = found
        self.calls = self.in_part = self.unreadable = 0
        self.first = ""
        self.line = 1
        self._ids: set[tuple[str, str]] = set()  # a history repeats calls in every request

    def read(self, data: bytes) -> None:
        """Read a file: one document, or a document on each line."""
        try:
            self._read_document(read_json(data))
        except UnreadableJSONError:
            for number, line in enumerate(data.split(b"\n"), 1):
                self.line = number
                if line.strip():
                    try:
                        self._read_document(read_json(line))
                    except UnreadableJSONError as problem:
                        self._refuse(f"is {problem}")

    def problems(self, file: str) -> Iterator[Diagnostic]:
        """Yield a warning for each kind of loss."""
        told = []
        if self.unreadable:
            told.append(
                f"lines or calls that cannot be read: {self.unreadable}; the first is line {self.first}"
            )
        if self.in_part:
            told.append(f"calls that are not judged, as they were cut or redacted: {self.in_part}")
        if not self.calls and not told:
            told.append("no call of a tool was found")
        for message in told:
            yield Diagnostic(file=file, code="recorded-calls", message=message, severity="warning")

    def _refuse(self, reason: str) -> None:
        self.unreadable += 1
        self.first = self.first or f"{self.line}: it {reason}"[:300]

    def _read_document(self, document: object) -> None:
        waiting = [document]
        while waiting:
            node = waiting.pop()
            if isinstance(node, list):
                waiting += node
            elif isinstance(node, dict):
                try:
                    waiting += self._read_object(node)
                except (DispatchError, UnreadableJSONError, msgspec.ValidationError) as problem:
                    self._refuse(f"has {problem}")
                except RecursionError:
                    self._refuse("is nested too deeply")

    def _read_object(self, node: JsonMapping) -> list[object]:
        """Read the calls of an object, and return the values in which to look for more."""
        if "verdict" in node and "arguments" in node:
            self._add_line(msgspec.convert(node, RecordedLine))
            return []
        attributes = _attributes(node.get("attributes"))
        if _TOOL in attributes and _ARGUMENTS in attributes:
            self._add_call(attributes.get("gen_ai.tool.call.id"), attributes[_TOOL], attributes[_ARGUMENTS])
        if (messages := attributes.get(_MESSAGES)) is not None:
            self._read_document(read_json(messages) if isinstance(messages, str) else messages)
        rest: list[object] = []
        for key, value in node.items():
            if key in _LISTS and isinstance(value, list):
                rest += [each for each in value if not self._is_call(key, each)]
            elif key != "attributes" and isinstance(value, (dict, list)):
                rest.append(value)
        return rest

    def _is_call(self, key: str, item: Any) -> bool:
        """Tell whether an item of a list is a call, and count it."""
        if not isinstance(item, dict):
            return False
        if key == "parts" and item.get("type") == "tool_call":  # as OpenTelemetry writes messages
            self._add_call(item.get("id"), item.get("name"), item.get("arguments"))
            return True
        format = FORMATS["bedrock" if key == "content" and "toolUse" in item else _LISTS[key]]
        try:
            if call_shape(item, format) is None:
                return False
            for call in read_calls({format.calls[-1][-1]: [item]}, format):
                if not call.search:
                    id = item.get(format.id)
                    arguments = {PARAMETER: call.arguments} if call.custom else call.arguments
                    self._add_call(id, call.name, arguments, format.name)
        except DispatchError as problem:
            self._refuse(f"has {problem}")
        return True

    def _add_line(self, line: RecordedLine) -> None:
        if line.cut is not UNSET or line.redacted is True:
            self.in_part += 1
        else:
            self._add_call(None, line.tool, line.arguments, line.provider)

    def _add_call(self, id: object, tool: object, arguments: object, provider: str | None = None) -> None:
        if not isinstance(tool, str) or not tool:
            self._refuse("has a call without the name of a tool")
            return
        if isinstance(id, str) and id:
            if (tool, id) in self._ids:
                return
            self._ids.add((tool, id))
        text = arguments if isinstance(arguments, (str, bytes)) else msgspec.json.encode(arguments)
        self.calls += 1
        self.found[tool][RecordedCall(provider, text)] += 1


def _attributes(stated: object) -> JsonMapping:
    """Return the attributes of a span: a list of keys and values in OTLP, an object as SDKs print them."""
    if isinstance(stated, dict):
        return stated
    pairs = stated if isinstance(stated, list) else ()
    return {
        each["key"]: _any_value(each.get("value"))
        for each in pairs
        if isinstance(each, dict) and isinstance(each.get("key"), str) and each["key"].startswith("gen_ai.")
    }


def _any_value(value: object) -> object:
    """Return what an `AnyValue` of OTLP holds."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    ((kind, held),) = value.items()
    if kind == "intValue" and isinstance(held, str):  # 64 bits are text in JSON
        return read_json(held, limit=20)
    listed = held.get("values") if isinstance(held, dict) else None
    inner = listed if isinstance(listed, list) else []
    if kind == "arrayValue":
        return [_any_value(each) for each in inner]
    if kind == "kvlistValue":
        pairs = [each for each in inner if isinstance(each, dict) and isinstance(each.get("key"), str)]
        return {each["key"]: _any_value(each.get("value")) for each in pairs}
    return held


class CallJudge:
    """The verdicts of one tool's contract; what it takes to decode a provider's form is built once."""

    def __init__(self, tool: ToolSpec, built: Built, profiles: Profiles) -> None:
        self._tool = tool
        self._profiles = profiles
        self._parameters = built.normal.offered(tool.inject)
        self._validator = offered(built, tool.inject).validator("/parameters")
        self._decoders: dict[str, _Decode | None] = {}

    def value(self, call: RecordedCall) -> object:
        """Return the arguments in the contract's form. Raises ArgumentError where they are not JSON."""
        value = parse_arguments(self._tool.name, call.text)
        decoder = self._decoder(call.provider)
        value = value if decoder is None else decoder(value)
        names = self._tool.empty_is_absent
        if names and isinstance(value, dict):
            value = {name: item for name, item in value.items() if item != "" or name not in names}
        return value

    def violations(self, call: RecordedCall) -> tuple[Violation, ...]:
        """Return why the contract refuses a call; nothing where it accepts it."""
        try:
            value = self.value(call)
        except ArgumentError as error:
            return error.violations or (Violation("$", error.problem, "json"),)
        except RecursionError:
            return (Violation("$", "they are nested too deeply", "depth"),)
        if not self._validator.accepts(value):
            value = self._validator.settle(value)
            found = self._validator.violations(value, limit=LIMIT)
            if found:
                encoded = self._decoder(call.provider) is not None
                return explain_wire_form(found, value) if encoded else tuple(found)
        stated = self._tool.input
        if stated is None or stated.grammar is None or not isinstance(value, dict):
            return ()
        return text_violations({"grammar": stated.grammar, "definition": stated.definition}, value[PARAMETER])

    def _decoder(self, provider: str | None) -> _Decode | None:
        if provider is None or provider not in self._profiles.known:
            return None
        if provider not in self._decoders:
            self._decoders[provider] = self._made(provider)
        return self._decoders[provider]

    def _made(self, provider: str) -> _Decode | None:
        profile = self._profiles.own.get(provider) or load_profile(provider)
        try:
            strict = wanted_strict(self._tool, profile)
            made = SchemaNormalizer(self._parameters).normalize(profile, strict=strict)
        except SchemaError:
            return None
        return None if made.wire_forms is None else WireDecoder(made.wire_forms, made.schema)
