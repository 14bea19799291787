"""One tool behind every kind of registry, and what may not happen there."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from toolcast.analysis.instances.edits import instances
from toolcast.analysis.instances.oracle import Oracle, OracleError, asserted_formats
from toolcast.analysis.verify.provider_laws import Dialect
from toolcast.analysis.verify.verified_tool import VerifiedTool
from toolcast.runtime import Guesses, ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.events import Decoded, Event
from toolcast.runtime.middleware.policy import Policy

from .meaning import NOTHING, UNCLEAR, meaning
from .texts import hostile

SECRETS = {"A": "the-value-of-secret-A", "B": "<secret_ref:A> is not looked at"}
TIMEOUT = 60.0
"""Seconds for each step of a guarded call: far more than one may need."""


class Finding(Struct, frozen=True, kw_only=True):
    """What happened and may not; the seed and the round make it again."""

    round: int
    tool: str
    registry: str
    provider: str | None
    arguments: str
    what: str


class Round(Struct):
    """What a round came to; `handled` calls reached the handler."""

    calls: int = 0
    handled: int = 0
    findings: list[Finding] = []


class _Watch:
    """Parameters as the contract judged them: with references, before secrets are filled in."""

    def __init__(self) -> None:
        self.decoded: list[Any] = []

    def on(self, event: Event) -> None:
        if isinstance(event, Decoded):
            self.decoded.append(event.params)


class Ground:
    """A tool with its registries: `plain`, `guessing` (every guess), `guarded` (all that can stand around a
    call) and both."""

    def __init__(self, subject: VerifiedTool, number: int) -> None:
        """Raises OracleError where jsonschema-rs cannot compile what the tool says."""
        self.subject = subject
        self.number = number
        self.oracle = Oracle(subject.contract, "/parameters", asserted_formats())
        self.watch = _Watch()
        self.called: list[Any] = []
        self.asked = 0
        around: dict[str, Any] = {
            "secrets": self._resolve,
            "policy": Policy("full"),
            "hooks": self.watch,
            "timeout": TIMEOUT,
            "output_limit": 50,
        }
        self.registries = {
            "plain": ToolRegistry(),
            "guessing": ToolRegistry(guesses=Guesses("all")),
            "guarded": ToolRegistry(**around),
            "guarded, guessing": ToolRegistry(**around, guesses=Guesses("all")),
        }
        for registry in self.registries.values():
            registry.register(subject.binding, self._handler)
        self._sides = dict(self._dialects())

    def _dialects(self) -> Iterator[tuple[str, Oracle]]:
        for id, schema in self.subject.emitted.items():
            try:
                yield id, Dialect(id, schema, self.subject.ledger.get(id, ())).oracle
            except OracleError:
                continue  # its arguments are made from the contract alone

    def _resolve(self, name: str) -> str | None:
        self.asked += 1
        return SECRETS.get(name)

    async def _handler(self, params: Any, context: ToolContext) -> str:
        self.called.append(params)
        return f"{context.call_id} {params!r}"

    async def calls(self, rng: random.Random, each: int) -> Round:
        """`each` values for every provider and for none, each in another form for every registry."""
        done = Round()
        for provider in (None, *self.subject.profiles):
            own = self._sides.get(provider or "")
            made = list(instances(self.oracle, rng, each - (each // 2 if own else 0)))
            if own is not None:
                made += instances(own, rng, each // 2)
            for value in made:
                for registry in self.registries:
                    arguments = hostile(rng, value)
                    what = await self._call(registry, provider, arguments)
                    done.calls += 1
                    done.handled += bool(self.called)
                    if what is not None:
                        done.findings.append(self._finding(registry, provider, arguments, what))
        return done

    def _finding(self, registry: str, provider: str | None, arguments: Any, what: str) -> Finding:
        name = self.subject.tool.name
        shown = repr(arguments)[:2000]
        return Finding(
            round=self.number, tool=name, registry=registry, provider=provider, arguments=shown, what=what
        )

    async def _call(self, registry: str, provider: str | None, arguments: Any) -> str | None:
        """What is wrong with a call, if anything."""
        self.called.clear()
        self.watch.decoded.clear()
        self.asked = 0
        context = ToolContext(call_id=f"{registry} {provider}")
        name = self.subject.tool.name
        try:
            result = await self.registries[registry].execute(name, arguments, provider, context)
        except KeyboardInterrupt:
            raise
        except BaseException as problem:
            return f"raises {type(problem).__name__}: {problem}"
        called = bool(self.called)
        if not isinstance(result, ToolResult) or result.success != (result.error == ""):
            return f"no sound result: {result!r:.300}"
        if "internal error" in result.error:
            return result.error[:300]
        if len(self.called) > 1 or called != result.success:
            return f"the handler was called {len(self.called)} times: {result!r:.300}"
        told = provider is not None or "guessing" in registry
        wrong = None if told else self._against(arguments, registry, called)
        return wrong or self._refused()

    def _refused(self) -> str | None:
        """A handler must not get what the spec refuses; a reference is judged, not what it is replaced by."""
        given = self.called if self.asked == 0 else self.watch.decoded[-1:]
        for params in given:
            try:
                again = json.loads(self.subject.binding.encode(params))
            except Exception as problem:
                return f"the handler got {params!r:.300}, and encoding that raises {problem!r:.300}"
            if self.oracle.refuses(again):
                return f"the handler got {again!r:.300}, which the spec refuses"
        return None

    def _against(self, arguments: Any, registry: str, called: bool) -> str | None:
        """The spec's own verdict, where the arguments came in its form and were not guessed at."""
        value = meaning(arguments)
        if value is UNCLEAR:
            return None
        if value is NOTHING:
            return "the handler was called with what says nothing" if called else None
        try:
            verdict = self.oracle.verdict(value)
        except (RecursionError, ValueError):
            return None  # too deep or too large for the judge
        if verdict is False and called:
            return "the handler was called with what the spec refuses"
        if verdict is True and not called and registry == "plain" and not _is_deep(value):
            return "the spec accepts it, and the handler was not called"
        return None


def _is_deep(value: Any, left: int = 60) -> bool:
    """Whether it is nested so deeply that the runtime may refuse it for that."""
    if not isinstance(value, (dict, list)):
        return False
    children = value.values() if isinstance(value, dict) else value
    return left == 0 or any(_is_deep(child, left - 1) for child in children)
