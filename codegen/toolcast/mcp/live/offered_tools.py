"""The tools that a live server offers as bindings, as they were approved, and reasons why not the others."""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
from msgspec import Struct

from ...hidden_characters import without_hidden
from ...jsonschema.json_values import JsonMapping, JsonObject
from ...jsonschema.validator import Validator
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
from ...runtime.errors import FrozenRegistryError, UnknownProviderError
from ...runtime.handlers import Handler
from ...runtime.hidden_parameters import hiding_problem, without_parameters
from ...runtime.registry import ToolRegistry
from ...runtime.request_rules import RequestRules
from ...runtime.resources import ContractFile, ContractNode
from .server_tool import LiveTool, UnfitError, read_tool, usable
from .terms import Terms, offered_name

if TYPE_CHECKING:
    from ...runtime.wire.decoder import WireDecoder
    from ...runtime.wire.guesses import Guesses

OTHERWISE = "go on without, or tell the user."
_LOG = logging.getLogger("toolcast.mcp")
_MAX_WARNINGS = 20
"""Warnings about one tool."""
_encode = msgspec.json.Encoder(order="sorted").encode


class RefusedTool(Struct, frozen=True):
    """A tool that cannot be called.

    Attributes:
        name: its name in the registry.
        tool: the server's name for it.
        reason: why it cannot be called.
    """

    name: str
    tool: str
    reason: str


class LockFinding(Struct, frozen=True, kw_only=True):
    """A way in which a tool differs from its lock, as `toolcast lock --check` reports it.

    Attributes:
        rule: the rule of `toolcast diff`.
        audience: who notices it, such as "calls".
        level: "error", "warning" or "note".
        message: the difference, in a sentence.
        fingerprint: what `toolcast lock --accept` takes.
        witness: a call or result that one side accepts and the other refuses; None without one.
    """

    rule: str
    audience: str
    level: str
    message: str
    fingerprint: str
    witness: Any = None


class LockVerdict(Struct, frozen=True, kw_only=True):
    """A lock's answer about a tool that its server lists.

    Attributes:
        definition: the tool to offer, as MCP lists it; None where none is.
        reason: why none is offered.
        findings: how the tool differs from the lock.
    """

    definition: Mapping[str, Any] | None = None
    reason: str = ""
    findings: tuple[LockFinding, ...] = ()


class ToolLock(Protocol):
    """Tools of a server as they were locked; `toolcast.analysis.diff.lock.ServerLock` is one."""

    @property
    def names(self) -> Collection[str]:
        """The server's names of the locked tools."""
        ...

    def judge(self, tool: LiveTool) -> LockVerdict:
        """Compare a listed tool with its locked form; called in a worker thread.

        Args:
            tool: the tool, as its server lists it.

        Returns:
            What to offer, or why nothing; and the differences.
        """
        ...


class _Offer(Struct):
    """A registered tool, as it was approved; `reason` says why it cannot be called now."""

    name: str
    parts: Mapping[str, bytes]
    output: Validator | None
    loosened: tuple[str, ...] = ()
    reason: str = ""


class Offers:
    """The tools of one server in one registry, by the server's names. `handler` makes the handler of one.
    Without `lock`, the first listing is approved, and no later one.
    """

    def __init__(
        self, registry: ToolRegistry, terms: Terms, lock: ToolLock | None, handler: Callable[[str], Handler]
    ) -> None:
        self._lock = lock
        self._registry = registry
        self._server = terms.server
        self._terms = terms
        self._trusting = lock is None
        self._handler = handler
        self._normalizer = Normalizer(terms.limits.tools * 4)
        self._offers: dict[str, _Offer] = {}
        self._listed: dict[str, LiveTool] = {}
        self._approved: dict[str, Mapping[str, bytes]] = {}  # as this program saw them
        self._verdicts: Mapping[str, LockVerdict] = {}
        self._owners: dict[str, list[str]] = {}  # by public name
        self._refused: dict[str, str] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted(offer.name for offer in self._offers.values() if not offer.reason))

    @property
    def refused(self) -> tuple[RefusedTool, ...]:
        late = {tool: offer.reason for tool, offer in self._offers.items() if offer.reason}
        reasons = {**self._refused, **late}
        made = (RefusedTool(self._public(tool), tool, reason) for tool, reason in reasons.items())
        return tuple(sorted(made, key=lambda refused: (refused.name, refused.tool)))

    @property
    def loosened(self) -> dict[str, tuple[str, ...]]:
        """Return parts of schemas that cannot be checked, in words, by the name of their tool."""
        return {each.name: each.loosened for each in self._offers.values() if each.loosened}

    @property
    def findings(self) -> dict[str, tuple[LockFinding, ...]]:
        verdicts = self._verdicts.items()
        return {self._public(name): verdict.findings for name, verdict in verdicts if verdict.findings}

    def reason(self, tool: str) -> str | None:
        """Return why a registered tool cannot be called; None where it can."""
        return self._offers[tool].reason or None

    def output(self, tool: str) -> Validator | None:
        return self._offers[tool].output

    def judged(self, listed: Mapping[str, LiveTool]) -> dict[str, LockVerdict]:
        """Return the lock's verdicts about a listing. Safe in another thread."""
        if self._lock is None:
            return {}
        return {name: self._lock.judge(tool) for name, tool in listed.items() if self._terms.wants(name)}

    def update(
        self, listed: Mapping[str, LiveTool], unfit: Mapping[str, str], verdicts: Mapping[str, LockVerdict]
    ) -> None:
        """Take a whole listing: tools, reasons why others cannot be used, and the lock's verdicts."""
        self._listed = {name: tool for name, tool in listed.items() if self._terms.wants(name)}
        for name, verdict in verdicts.items():
            if verdict.findings and verdict.definition is not None and verdict != self._verdicts.get(name):
                words = _shown("; ".join(each.message for each in verdict.findings))
                _LOG.warning("Tool %r of MCP server %r differs from its lock: %s.", name, self._server, words)
        self._verdicts = verdicts
        self._owners = {}
        for name in self._listed:
            self._owners.setdefault(self._public(name), []).append(name)
        known = {*self._offers, *(() if self._lock is None else self._lock.names)}
        gone = {name for name in known - listed.keys() - unfit.keys() if self._terms.wants(name)}
        kept = self._listed.keys() | gone
        self._refused = {name: reason for name, reason in self._refused.items() if name in kept}
        for name, reason in unfit.items():
            if self._terms.wants(name):
                self._refuse(name, reason)
        for name, tool in self._listed.items():
            self._take(name, tool)
        self._trusting = False
        for name in sorted(gone):
            self._refuse(name, "its server does not list it any more")

    def approve(self, tools: tuple[str, ...]) -> None:
        """Approve the last listing: these tools, by either name, or all. Raises ValueError for tools that are
        not listed, and for a name that several tools have.
        """
        chosen = [self._own(name) for name in tools] if tools else [*self._listed]
        for name in chosen:
            self._approved[name] = _parts_of(self._listed[name])
            self._take(name, self._listed[name])

    def _own(self, name: str) -> str:
        """The server's name of the one tool that has the name `name`. Raises ValueError."""
        having: set[str] = {*self._owners.get(name, ()), *({name} & self._listed.keys())}
        if not having:
            raise ValueError(f"MCP server {self._server!r} lists no tool {name!r}.")
        if len(having) > 1:
            raise ValueError(
                f"MCP server {self._server!r} lists several tools with the name {name!r}: "
                f"{', '.join(map(repr, sorted(having)))}. Use a name that only one of them has, or take only "
                "one of them with names=."
            )
        return having.pop()

    def _take(self, name: str, tool: LiveTool) -> None:
        offer = self._offers.get(name)
        try:
            tool = self._approved_form(name, tool)
            parts = _parts_of(tool)
            if offer is not None and offer.parts == parts:
                offer.reason = ""
            else:
                self._register(name, tool, parts)
        except UnfitError as problem:
            self._refuse(name, str(problem))
        except FrozenRegistryError:
            self._refuse(name, "the registry is frozen, so it is there after the next start")

    def _approved_form(self, name: str, tool: LiveTool) -> LiveTool:
        """Return a listed tool as it was approved. Raises UnfitError where it is another one now."""
        approved, verdict = self._approved.get(name), self._verdicts.get(name)
        if approved is None and verdict is not None:
            if verdict.definition is None:
                raise UnfitError(verdict.reason)
            return read_tool(self._server, {**verdict.definition}, self._terms.limits)[0]
        parts = _parts_of(tool)
        if approved is None:
            if not self._trusting:
                raise UnfitError("it is new: it was not approved yet")
            return tool
        if changed := [part for part in parts if parts[part] != approved[part]]:
            raise UnfitError(f"it changed since it was approved: {', '.join(changed)}")
        return tool

    def _register(self, name: str, tool: LiveTool, parts: Mapping[str, bytes]) -> None:
        found = usable(tool, self._normalizer, self._terms.limits)
        public, offer = self._public(name), self._offers.get(name)
        twins = [own for own in self._owners[public] if own != name]
        if twins and offer is None:  # neither is taken: which one would be depends on the server's order
            raise UnfitError(f"its name becomes {public!r}, as that of {', '.join(map(repr, twins))} does")
        group, terms = f"mcp/{self._server}", self._terms
        binding = bind(
            found.tool,
            public,
            group,
            terms.permission_of(tool),
            terms.secrets_of(tool),
            self._normalizer,
            terms.injected_of(name),
        )
        handler = self._handler(name)
        if offer is not None:
            self._registry.replace(binding, handler)
        elif not self._registry.register(binding, handler):
            raise UnfitError(f"the name {public!r} is taken in the registry")
        for words in found.left_out[:_MAX_WARNINGS]:
            _LOG.warning(
                "Tool %r of MCP server %r is used without a part of %s.", name, self._server, _shown(words)
            )
        self._offers[name] = _Offer(
            public, parts, found.output, tuple(_shown(words) for words in found.loosened)
        )
        self._refused.pop(name, None)
        if self._trusting:
            self._approved[name] = parts

    def _refuse(self, name: str, reason: str) -> None:
        reason = _shown(reason)
        offer = self._offers.get(name)
        if offer is not None:
            before = offer.reason
            offer.reason = f"Tool {offer.name!r} cannot be called, since {reason}: {OTHERWISE}"
            known = before == offer.reason
        else:
            known = self._refused.get(name) == reason
            self._refused[name] = reason
        if not known:
            _LOG.warning("Tool %r of MCP server %r is refused: %s.", name, self._server, reason)

    def _public(self, name: str) -> str:
        return offered_name(self._server, name)


def _parts_of(tool: LiveTool) -> dict[str, bytes]:
    """Return a server's statements about a tool, by name; the order of properties does not count."""
    parts = {
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": tool.annotations,
    }
    return {name: _encode(value) for name, value in sorted(parts.items())}


def _shown(words: str) -> str:
    return without_hidden(words)[:500]


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
    offered: bytes  # the schema of the parameters that models are offered, as JSON
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
            schema=self.offered,
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
                description = f"{description}\nParameters, as a JSON Schema: {self.offered.decode()}".strip()
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
            return self.normalizer.normalize(self.offered, provider)
        except (SchemaError, RecursionError):
            return None

    def _wire_decoder(self, provider: str) -> "WireDecoder | None":
        if self._normalized(provider) is None:
            return None
        return self.normalizer.prepare(self.offered, provider).wire_decoder()

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
        offered=msgspec.json.encode(offered),
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
