"""A live server's tool as a binding: its schema is read, normalised and checked at run time."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from ...jsonschema.json_values import JsonMapping, JsonObject
from ...providers import (
    Normalized,
    Normalizer,
    Profile,
    ProfileError,
    SchemaError,
    ToolInfo,
    available,
    decode,
    envelope_pointers,
    load_profile,
    placeholders,
    tool_object,
)
from ...runtime.arguments import Arguments
from ...runtime.binding import ToolBinding
from ...runtime.errors import UnknownProviderError
from ...runtime.hidden_parameters import hiding_problem, without_parameters
from ...runtime.request_rules import RequestRules
from ...runtime.resources import ContractFile, ContractNode
from .server_tool import LiveTool, UnfitError

if TYPE_CHECKING:
    from ...runtime.wire.decoder import WireDecoder
    from ...runtime.wire.guesses import Guesses


_SUMMARY = 160
_OPEN = b'{"type":"object"}'


class _Envelopes(Mapping[str, tuple[str, str]]):
    """`ToolBinding.envelopes` for every provider there is, each looked up when it is asked for."""

    def __getitem__(self, provider: str) -> tuple[str, str]:
        try:
            pointers = envelope_pointers(load_profile(provider))
        except ProfileError:
            pointers = None
        if pointers is None:
            raise KeyError(provider)
        return pointers

    def __iter__(self) -> Iterator[str]:
        return (provider for provider in available() if provider in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


_ENVELOPES = _Envelopes()


def _has_structured_results(profile: Profile) -> bool:
    """False for a provider that gets the text beside it, which the output schema does not describe."""
    return any(name in ("$result", "$result_object") for name, _ in placeholders(profile.envelope))


class _LiveBinding(ToolBinding[JsonObject, Any], frozen=True, kw_only=True, eq=False):
    """The binding of a tool that was met at run time; parameters are plain data that its schema accepts."""

    tool: LiveTool
    text: bytes  # the schema of the parameters that models are offered, as JSON
    normalizer: Normalizer

    def decode(
        self,
        arguments: Arguments,
        provider: str | None = None,
        guesses: "Guesses | None" = None,
        injected: JsonMapping | None = None,
    ) -> JsonObject:
        """Validate arguments against the server's schema. Raises ArgumentError, naming every violation,
        InjectionError and UnknownProviderError.
        """
        if self.inject or injected:
            return super().decode(arguments, provider, guesses, injected=injected)
        dialect = "mcp" if provider is None or self._normalized(provider) is None else provider
        return decode(
            arguments,
            dialect,
            schema=self.text,
            guesses=guesses,
            tool=self.name,
            normalizer=self.normalizer,
        )

    def decode_offered(
        self, arguments: Arguments, provider: str | None = None, guesses: "Guesses | None" = None
    ) -> JsonObject:
        """Do the same without injected parameters, held to the schema that models are offered."""
        if self.inject:
            return super().decode_offered(arguments, provider, guesses)
        return self.decode(arguments, provider, guesses)

    def schema(self) -> JsonObject:
        """Return the parameters' schema in normal form, as models are offered it; a copy each time."""
        offered = self._without_injected(self._contract())
        copy: JsonObject = msgspec.json.decode(msgspec.json.encode(offered))
        return copy

    def prepare_result(self, provider: str | None = None) -> None: ...

    def encode_result(self, value: object, provider: str | None = None) -> bytes:
        """Return the server's answer as JSON text, with nothing added and nothing left out."""
        del provider
        return msgspec.json.encode(value)

    def _raw_definition(self, provider: str) -> bytes:
        ready = self._lazy.definitions.get((provider, "full"))
        if ready is None:
            profile = self._profile(provider)
            made = self._normalized(provider)
            tool, description = self.tool, self.description
            if made is None:
                # Never stricter than the contract: any object is accepted, and the description has the
                # schema.
                made = self.normalizer.normalize(_OPEN, profile)
                description = f"{description}\nParameters, as a JSON Schema: {self.text.decode()}".strip()
            info = ToolInfo(
                name=self.name,
                description=description,
                title=tool.title,
                read_only=tool.hint("readOnlyHint"),
                destructive=tool.hint("destructiveHint"),
                idempotent=tool.hint("idempotentHint"),
                open_world=tool.hint("openWorldHint"),
                result_schema=tool.output_schema if _has_structured_results(profile) else None,
            )
            ready = msgspec.json.encode(tool_object(info, profile, made))
            self._lazy.definitions[provider, "full"] = ready
        return ready

    def request_rules(self, provider: str) -> RequestRules:
        """Return a provider's rules for requests, from its profile. Raises UnknownProviderError."""
        return self._profile(provider).request

    def _generated(self) -> tuple[str, ...]:
        return available()

    def _profile(self, provider: str) -> Profile:
        try:
            return load_profile(provider)
        except ProfileError as problem:
            raise UnknownProviderError(str(problem)) from None

    def _normalized(self, provider: str) -> Normalized | None:
        self._profile(provider)
        try:
            return self.normalizer.normalize(self.text, provider)
        except (SchemaError, RecursionError):
            return None

    def _wire_decoder(self, provider: str) -> "WireDecoder | None":
        if self._normalized(provider) is None:
            return None
        return self.normalizer.prepare(self.text, provider).wire_decoder()

    def _contract(self) -> JsonObject:
        return _in_normal_form(self.tool.input_schema, self.normalizer)

    def _defaults(self) -> bytes:
        """None: plain data leaves nothing out when it is encoded."""
        return b"[]"

    def _parameters(self) -> ContractNode:
        node = self._lazy.parameters
        if node is None:
            node = self._lazy.parameters = ContractNode(
                ContractFile(self.module, "schema", self._contract()), ""
            )
        return node


def bind(
    tool: LiveTool,
    name: str,
    group: str,
    permission: str,
    secrets: tuple[str, ...],
    normalizer: Normalizer,
    inject: Mapping[str, str] = {},
) -> _LiveBinding:
    """Return the binding under which a tool is registered; the model reads it without hidden characters.

    Raises UnfitError where the program cannot fill in a parameter of `inject`.
    """
    shown = tool.shown()
    offered = shown.input_schema
    if inject:
        contract = _in_normal_form(offered, normalizer)
        for parameter in inject:
            problem = "it may carry secrets" if parameter in secrets else ""
            if not problem and (found := hiding_problem(contract, parameter)) is not None:
                problem = found[1]
            if problem:
                raise UnfitError(f"the program cannot fill in its parameter {parameter!r}: {problem}")
        offered = without_parameters(contract, inject)
    return _LiveBinding(
        module=f"MCP server {tool.server}",
        name=name,
        group=group,
        params=JsonObject,
        permission=permission,
        secrets=secrets,
        summary=_summary(shown),
        description=shown.description or shown.title or tool.name,
        contract="",
        schemas="",
        annotations={},
        envelopes=_ENVELOPES,
        tool=shown,
        text=msgspec.json.encode(offered),
        normalizer=normalizer,
        inject={**inject},
    )


def _in_normal_form(schema: JsonMapping, normalizer: Normalizer) -> JsonObject:
    contract = normalizer.normalize(msgspec.json.encode(schema), "mcp").schema
    return {key: item for key, item in contract.items() if key != "$schema"}


def _summary(tool: LiveTool) -> str:
    words = " ".join((tool.description or tool.title or tool.name).split())
    sentence = words.partition(". ")[0].removesuffix(".")
    return sentence if len(sentence) <= _SUMMARY else sentence[: _SUMMARY - 1].rstrip() + "…"
