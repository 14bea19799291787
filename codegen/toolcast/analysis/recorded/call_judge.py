"""Recorded calls, decoded under one contract as the runtime does it, without guesses."""

from collections.abc import Callable
from typing import Final

from ...contract.build import Built, offered
from ...jsonschema.validator_errors import Violation
from ...project.core.tool_definitions import wanted_strict
from ...project.profiles import Profiles
from ...providers import SchemaError, SchemaNormalizer, load_profile
from ...runtime.arguments import parse_arguments
from ...runtime.errors import LIMIT, ArgumentError
from ...runtime.grammars import text_violations
from ...runtime.wire.decoder import WireDecoder, explain_wire_form
from ...spec.text_input import PARAMETER
from ...spec.tool_spec import ToolSpec
from .call_files import RecordedCall

Decode = Callable[[object], object]
_NOTHING: Final[tuple[Violation, ...]] = ()


class CallJudge:
    """The verdicts of one tool's contract; what it takes to decode a provider's form is built once."""

    def __init__(self, tool: ToolSpec, built: Built, profiles: Profiles) -> None:
        self._tool = tool
        self._profiles = profiles
        self._parameters = built.normal.offered(tool.inject)
        self._validator = offered(built, tool.inject).validator("/parameters")
        self._decoders: dict[str, Decode | None] = {}

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
            return _NOTHING
        return text_violations({"grammar": stated.grammar, "definition": stated.definition}, value[PARAMETER])

    def _decoder(self, provider: str | None) -> Decode | None:
        if provider is None or provider not in self._profiles.known:
            return None
        if provider not in self._decoders:
            self._decoders[provider] = self._made(provider)
        return self._decoders[provider]

    def _made(self, provider: str) -> Decode | None:
        profile = self._profiles.own.get(provider) or load_profile(provider)
        try:
            strict = wanted_strict(self._tool, profile)
            made = SchemaNormalizer(self._parameters).normalize(profile, strict=strict)
        except SchemaError:
            return None
        return None if made.wire_forms is None else WireDecoder(made.wire_forms, made.schema)
