"""The tools of a server that a registry offers, approved as they are, and reasons why not the others."""

import logging
from collections.abc import Callable, Mapping

from msgspec import Struct

from ...hidden_characters import without_hidden
from ...jsonschema.validator import Validator
from ...providers import Normalizer
from ...runtime.errors import FrozenRegistryError
from ...runtime.handlers import Handler
from ...runtime.registry import ToolRegistry
from .live_binding import bind
from .pins import Pin, Pins
from .server_tool import LiveTool, UnfitError, usable
from .terms import Terms, offered_name

OTHERWISE = "go on without, or tell the user."
_LOG = logging.getLogger("toolcast.mcp")
_MAX_WARNINGS = 20
"""Warnings about one tool."""


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


class _Offer(Struct):
    """A registered tool, as it was approved; `reason` says why it cannot be called now."""

    name: str
    pin: Pin
    output: Validator | None
    loosened: tuple[str, ...] = ()
    reason: str = ""


class Offers:
    """The tools of one server in one registry, by the server's names. `handler` makes the handler of one.
    Without `pins`, the first listing is approved, and no later one.
    """

    def __init__(
        self, registry: ToolRegistry, terms: Terms, pins: Pins | None, handler: Callable[[str], Handler]
    ) -> None:
        self.pins = Pins() if pins is None else pins
        self._registry = registry
        self._server = terms.server
        self._terms = terms
        self._trusting = pins is None
        self._handler = handler
        self._normalizer = Normalizer(terms.limits.tools * 4)
        self._offers: dict[str, _Offer] = {}
        self._listed: dict[str, LiveTool] = {}
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
    def listed(self) -> Pins:
        """Return `pins` with the server's last listing, approved or not."""
        before = self.pins.servers.get(self._server, {})
        listed = {name: self._pin(name, tool) for name, tool in self._listed.items()}
        return self.pins.without(self._server, before).with_tools(self._server, listed)

    def reason(self, tool: str) -> str | None:
        """Return why a registered tool cannot be called; None where it can."""
        return self._offers[tool].reason or None

    def output(self, tool: str) -> Validator | None:
        return self._offers[tool].output

    def update(self, listed: Mapping[str, LiveTool], unfit: Mapping[str, str]) -> None:
        """Take a whole listing: tools, and reasons why others cannot be used."""
        self._listed = {name: tool for name, tool in listed.items() if self._terms.wants(name)}
        self._owners = {}
        for name in self._listed:
            self._owners.setdefault(self._public(name), []).append(name)
        self._refused = {name: reason for name, reason in self._refused.items() if name in self._listed}
        for name, reason in unfit.items():
            if self._terms.wants(name):
                self._refuse(name, reason)
        for name, tool in self._listed.items():
            self._take(name, tool)
        self._trusting = False
        for name in self._offers:
            if name not in listed and name not in unfit:
                self._refuse(name, "its server does not list it any more")

    def approve(self, tools: tuple[str, ...]) -> None:
        """Approve the last listing: these tools, by either name, or all. Raises ValueError for tools that are
        not listed, and for a name that several tools have.
        """
        chosen = [self._own(name) for name in tools] if tools else [*self._listed]
        pins = {name: self._pin(name, self._listed[name]) for name in chosen}
        self.pins = self.pins.with_tools(self._server, pins)
        for name in chosen:
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
        pin, approved, offer = (
            self._pin(name, tool),
            self.pins.get(self._server, name),
            self._offers.get(name),
        )
        if approved is None and self._trusting and offer is None:
            approved = pin
        if approved is None:
            self._refuse(name, "it is new: it was not approved yet")
        elif changed := approved.changed(pin):
            self._refuse(name, f"it changed since it was approved: {', '.join(changed)}")
        elif offer is not None and offer.pin == pin:
            offer.reason = ""
        else:
            try:
                self._register(name, tool, pin)
            except UnfitError as problem:
                self._refuse(name, str(problem))
            except FrozenRegistryError:
                self._refuse(name, "the registry is frozen, so it is there after the next start")

    def _register(self, name: str, tool: LiveTool, pin: Pin) -> None:
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
            public, pin, found.output, tuple(_shown(words) for words in found.loosened)
        )
        self._refused.pop(name, None)
        self.pins = self.pins.with_tools(self._server, {name: pin})

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

    def _pin(self, name: str, tool: LiveTool) -> Pin:
        return Pin.of(tool, self._terms.injected_of(name))

    def _public(self, name: str) -> str:
        return offered_name(self._server, name)


def _shown(words: str) -> str:
    return without_hidden(words)[:500]
