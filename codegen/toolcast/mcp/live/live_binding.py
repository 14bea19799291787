"""A live server's tool as a binding: its schema is read, normalised and checked at run time."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

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
    tool_object,
)
from ...runtime.arguments import Arguments
from ...runtime.binding import ToolBinding
from ...runtime.contract_node import Node
from ...runtime.errors import UnknownProviderError
from ...runtime.request_rules import RequestRules
from .server_tool import LiveTool

if TYPE_CHECKING:
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


class LiveBinding(ToolBinding[dict[str, Any], Any], frozen=True, kw_only=True, eq=False):
    """The binding of a tool that was met at run time; parameters are plain data that its schema accepts."""

    tool: LiveTool
    text: bytes  # the schema of the parameters, as JSON
    normalizer: Normalizer

    def decode(
        self, arguments: Arguments, provider: str | None = None, guesses: "Guesses | None" = None
    ) -> dict[str, Any]:
        """Arguments in the form of the server's schema, validated against it. Raises ArgumentError, naming
        every violation, and UnknownProviderError."""
        dialect = "mcp" if provider is None or self._normalized(provider) is None else provider
        return decode(
            arguments,
            dialect,
            schema=self.text,
            guesses=guesses,
            tool=self.name,
            normalizer=self.normalizer,
        )

    def schema(self) -> dict[str, Any]:
        """The parameters' schema in normal form, a copy of its own each time."""
        copy: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self._contract()))
        return copy

    def encode_result(self, value: Any, provider: str | None = None) -> bytes:
        """JSON text for what the server answered, with nothing added and nothing left out."""
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
                result_schema=tool.output_schema,
            )
            ready = msgspec.json.encode(tool_object(info, profile, made))
            self._lazy.definitions[provider, "full"] = ready
        return ready

    def request_rules(self, provider: str) -> RequestRules:
        """What a provider takes in a request, from its profile. Raises UnknownProviderError."""
        return self._profile(provider).request

    def _generated(self) -> tuple[str, ...]:
        return available()

    def _profile(self, provider: str) -> Profile:
        try:
            return load_profile(provider)
        except ProfileError as problem:
            raise UnknownProviderError(str(problem)) from None

    def _normalized(self, provider: str) -> Normalized | None:
        """The schema for a provider; None where that provider has no form for it at all."""
        self._profile(provider)
        try:
            return self.normalizer.normalize(self.text, provider)
        except (SchemaError, RecursionError):
            return None

    def _contract(self) -> dict[str, Any]:
        contract = self.normalizer.normalize(self.text, "mcp").schema
        return {key: item for key, item in contract.items() if key != "$schema"}

    def _defaults(self) -> bytes:
        """None: plain data leaves nothing out when it is encoded."""
        return b"[]"

    def _parameters(self) -> Node:
        node = self._lazy.parameters
        if node is None:
            node = self._lazy.parameters = Node(self.module, "schema", self._contract())
        return node


def bind(
    tool: LiveTool,
    name: str,
    group: str,
    permission: str,
    secrets: tuple[str, ...],
    normalizer: Normalizer,
) -> LiveBinding:
    """The binding under which a tool is registered. What the model reads of it hides nothing."""
    shown = tool.shown()
    return LiveBinding(
        module=f"MCP server {tool.server}",
        name=name,
        group=group,
        params=dict[str, Any],
        permission=permission,
        secrets=secrets,
        summary=_summary(shown),
        description=shown.description or shown.title or tool.name,
        contract="",
        schemas="",
        annotations={},
        envelopes=_ENVELOPES,
        tool=shown,
        text=msgspec.json.encode(shown.input_schema),
        normalizer=normalizer,
    )


def _summary(tool: LiveTool) -> str:
    """The first sentence of its description, cut where it is long."""
    words = " ".join((tool.description or tool.title or tool.name).split())
    sentence = words.partition(". ")[0].removesuffix(".")
    return sentence if len(sentence) <= _SUMMARY else sentence[: _SUMMARY - 1].rstrip() + "…"
