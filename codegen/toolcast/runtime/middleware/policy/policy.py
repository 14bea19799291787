"""Rules for calls, rate limits, and an approver."""

import math
import threading
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from ....permissions import PERMISSIONS, Permission
from ...binding import AnyBinding
from ...context import Framework, ToolContext
from ...handlers import call, is_async
from ...workers import Workers, abandoned
from .approval import (
    FREEDOMS,
    Answer,
    ApprovalRequest,
    Approver,
    Freedom,
    Shape,
    checked_answer,
    not_approved,
    shape_of,
    words_of,
)


class RateLimit(Struct, frozen=True):
    """A limit on calls: of one tool, or of all tools together.

    Attributes:
        calls: calls allowed in `seconds`, evenly distributed.
        seconds: length of the period.
        burst: calls allowed at once; as many as `calls` by default.

    Raises:
        ValueError: a value is not positive.
    """

    calls: int
    seconds: float = 60.0
    burst: int | None = None

    def __post_init__(self) -> None:
        if self.calls < 1 or not self.seconds > 0 or (self.burst is not None and self.burst < 1):
            raise ValueError(f"A rate limit counts at least one call in a positive time, not {self}.")


class Bucket:
    """A token bucket: full to begin with, filled at an even pace. Thread-safe."""

    __slots__ = ("_at", "_capacity", "_left", "_lock", "_pace")

    def __init__(self, limit: RateLimit, now: float) -> None:
        self._capacity = float(limit.calls if limit.burst is None else limit.burst)
        self._pace = limit.calls / limit.seconds
        self._left = self._capacity
        self._at = now
        self._lock = threading.Lock()

    def take(self, now: float) -> float:
        """Take one token: return 0.0 for one, else the seconds until there is one. A clock that goes back
        counts as one that stands."""
        with self._lock:
            self._left = min(self._capacity, self._left + max(0.0, now - self._at) * self._pace)
            self._at = max(self._at, now)
            if self._left >= 1 - 1e-9:
                self._left = max(0.0, self._left - 1)
                return 0.0
            return (1 - self._left) / self._pace

    def give_back(self) -> None:
        """Give back a token of a call that does not run."""
        with self._lock:
            self._left = min(self._capacity, self._left + 1)


Autonomy: TypeAlias = Literal["read_only", "supervised", "full"]
"""A program's rights without approval: read and nothing else, read, or everything."""

_CHANGING: Final[tuple[Permission, ...]] = ("write", "execute", "network")
"""The permissions that supervised mode asks for by default: they change something, or reach a network."""


class Decision(Struct, frozen=True):
    """A decision on one call.

    Attributes:
        allowed: whether it may run.
        by: the rule that decided.
        error: text for the model if it may not.
        remembered: text for a person: the later calls that an *always* covers.
    """

    allowed: bool
    by: str
    error: str = ""
    remembered: str = ""


_FULL = Decision(True, "full")
_READ = Decision(True, "read_only")
_SUPERVISED = Decision(True, "supervised")
_AUTO = Decision(True, "auto_approve")
_SESSION = Decision(True, "session")
_FRAMEWORK = Decision(True, "framework")


class Policy:
    """Rules for calls. What a policy remembers is its own: there is no global state.

    The first rule that fits decides:

    1. autonomy `full` approves;
    2. autonomy `read_only` denies every tool whose permission is not `read`;
    3. a tool in `always_ask` is asked for, and *always* means yes, this once;
    4. a tool in `auto_approve` is approved;
    5. a call of a shape that was answered *always* is approved;
    6. autonomy `read_only` approves (only tools that read reach this rule), and autonomy `supervised`
       approves a tool whose permission is not among `asks`: by default one that reads;
    7. everything else is asked for; without an approver it is denied, or waits (`run_tools`).

    A framework that makes calls (`toolcast.bridges`) may bring an approver where the policy has none, or the
    approval itself.

    A call that the rules do not deny counts towards the tool's rate limit and the limit of all tools, and is
    denied past one of them, before anybody is asked; a call that the framework's approver is asked for counts
    when it comes back approved.
    """

    def __init__(
        self,
        autonomy: Autonomy = "supervised",
        *,
        always_ask: Collection[str] = (),
        auto_approve: Collection[str] = (),
        approver: Approver | None = None,
        asks: Collection[Permission] = _CHANGING,
        rate_limits: Mapping[str, RateLimit] | None = None,
        total_limit: RateLimit | None = None,
        shapes: Mapping[str, Mapping[str, Freedom]] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Make a policy.

        Args:
            autonomy: "read_only", "supervised" or "full".
            always_ask: names of tools that are asked for each time.
            auto_approve: names of tools that are approved.
            approver: a function from an ApprovalRequest to "yes", "no", "always" or an Answer. A plain one
                runs in a worker thread, one request at a time; an async one runs in the event loop.
            asks: permissions of the tools that autonomy "supervised" asks for. A permission that no spec can
                state is always asked for.
            rate_limits: limits by tool name; "*" is the limit of each other tool.
            total_limit: the limit of all tools together, beside those of each; None for none.
            shapes: by tool and parameter, how far a later value may differ under an *always*: "exact" (the
                default), "folder" (a path in the same folder or below) or "any", also left out. Free are
                parameters that only bound a call, such as a time limit.
            clock: seconds, never decreasing.

        Raises:
            ValueError: `autonomy`, a permission in `asks` or a freedom in `shapes` is not valid.
            TypeError: `always_ask`, `auto_approve` or `asks` is one text.
        """
        if autonomy not in ("read_only", "supervised", "full"):
            raise ValueError(f"autonomy must be 'read_only', 'supervised' or 'full', not {autonomy!r}.")
        for name, tools in (("always_ask", always_ask), ("auto_approve", auto_approve), ("asks", asks)):
            if isinstance(tools, str):
                raise TypeError(f"{name} must be a collection of names, not one text.")
        for permission in asks:
            if permission not in PERMISSIONS:
                raise ValueError(f"asks: {permission!r} is no permission; there are {sorted(PERMISSIONS)}.")
        for tool, freedoms in (shapes or {}).items():
            for parameter, freedom in freedoms.items():
                if freedom not in FREEDOMS:
                    raise ValueError(
                        f"shapes: {tool}.{parameter} must be one of {FREEDOMS}, not {freedom!r}."
                    )
        self.autonomy: Autonomy = autonomy
        self._always_ask = frozenset(always_ask)
        self._auto_approve = frozenset(auto_approve)
        self._approver = approver
        self._unasked = frozenset(PERMISSIONS) - {*asks}
        self._limits = dict(rate_limits or {})
        self._total = None if total_limit is None else Bucket(total_limit, clock())
        self._total_limit = total_limit
        self._shapes = {tool: dict(freedoms) for tool, freedoms in (shapes or {}).items()}
        self._clock = clock
        self._lock = threading.Lock()
        self._asking = threading.Lock()
        self._buckets: dict[str, Bucket] = {}
        self._session: tuple[Shape, ...] = ()
        self._forgotten = 0
        # Of its own: questions that wait for a person take no thread from handlers, however long.
        self._workers = Workers(64, patience=math.inf)

    @property
    def remembered(self) -> tuple[Shape, ...]:
        """The calls that were answered *always*, in the order of the answers."""
        return self._session

    @property
    def forgotten(self) -> int:
        """The number of calls of `forget`: an *always* for a call that began before is not remembered."""
        return self._forgotten

    @property
    def approver(self) -> Approver | None:
        """The policy's approver; None for nobody."""
        return self._approver

    def forget(self, tool: str | None = None) -> None:
        """Forget approvals that were answered *always*.

        Calls that run already may still be asked for; an *always* for them is not remembered.

        Args:
            tool: name of a tool; None for all tools.
        """
        with self._lock:
            self._session = tuple(shape for shape in self._session if tool not in (None, shape.tool))
            self._forgotten += 1

    def rule(
        self, binding: AnyBinding, params: object, framework: Framework | None = None
    ) -> Decision | None:
        """Return the decision of the rules and the rate limit on a call of `binding` with typed `params`;
        None if an approver must be asked. Counts as a call unless the rules deny it. `framework` has the
        decisions of the framework that makes the call."""
        decision = self._ruled(binding, params)
        if decision is None and framework is not None and framework.approved:
            decision = self._framework_approved(binding, params, framework)
        if decision is None and self._approver is None:
            if framework is not None and framework.approver is not None:
                return None
            decision = _nobody(binding.name)
        if (self._limits or self._total is not None) and (decision is None or decision.allowed):
            return self._limited(binding.name) or decision
        return decision

    def _framework_approved(self, binding: AnyBinding, params: object, framework: Framework) -> Decision:
        """Return the decision for a call that was approved through the framework."""
        if framework.remember and binding.name not in self._always_ask:
            shape = self._shape(binding, params)
            if self._remember(shape, self._forgotten):
                return Decision(True, _FRAMEWORK.by, remembered=str(shape))
        return _FRAMEWORK

    def asks(self, binding: AnyBinding, params: object) -> bool:
        """Tell whether a call of `binding` with typed `params` needs an approval, and the policy has no
        approver: a framework that makes the call then has to ask. Counts as no call."""
        return self._approver is None and self._ruled(binding, params) is None

    def _ruled(self, binding: AnyBinding, params: object) -> Decision | None:
        if self.autonomy == "full":
            return _FULL
        name = binding.name
        if self.autonomy == "read_only" and binding.permission != "read":
            return Decision(
                False,
                "read_only",
                f"Tool {name!r} may not run: only tools that read are allowed now, and its permission is "
                f"{binding.permission!r}. Go on without it, or tell the user what you would change.",
            )
        if name not in self._always_ask:
            if name in self._auto_approve:
                return _AUTO
            if self._session and self._is_remembered(self._shape(binding, params)):
                return _SESSION
            if self.autonomy == "read_only":
                return _READ
            if binding.permission in self._unasked:
                return _SUPERVISED
        return None

    def _limited(self, name: str) -> Decision | None:
        """Return the denial of a call past a limit; else take a token of each."""
        limit, now = self._limits.get(name) or self._limits.get("*"), self._clock()
        total, bucket = self._total, None
        if limit is not None:
            bucket = self._bucket(name, limit, now)
            wait = bucket.take(now)
            if wait > 0:
                return _too_often(f"Tool {name!r} was", limit, wait)
        if total is not None and self._total_limit is not None:
            wait = total.take(now)
            if wait > 0:
                if bucket is not None:
                    bucket.give_back()
                return _too_often("All tools together were", self._total_limit, wait)
        return None

    def _bucket(self, name: str, limit: RateLimit, now: float) -> Bucket:
        bucket = self._buckets.get(name)
        if bucket is None:
            with self._lock:
                bucket = self._buckets.setdefault(name, Bucket(limit, now))
        return bucket

    def _shape(self, binding: AnyBinding, params: object) -> Shape:
        return shape_of(binding, params, self._shapes.get(binding.name, {}))

    def _is_remembered(self, shape: Shape) -> bool:
        return any(known.covers(shape) for known in self._session)

    async def ask(
        self,
        binding: AnyBinding,
        params: Any,
        context: ToolContext,
        since: int,
        framework: Framework | None = None,
    ) -> Decision:
        """Return the approver's decision, after `rule` returned None. What the approver raises passes
        through.

        Args:
            binding: binding of the tool.
            params: typed parameters.
            context: circumstances of the call.
            since: value of `forgotten` when `rule` was called.
            framework: as for `rule`.

        Raises:
            RuntimeError: there is no approver, so `rule` did not return None.
        """
        name, approver = binding.name, self._approver
        if approver is None and framework is not None:
            approver = framework.approver
        if approver is None:
            raise RuntimeError("ask() is for calls of which rule() said None.")
        must_ask = name in self._always_ask
        shape = self._shape(binding, params)
        request = ApprovalRequest(
            tool=name,
            summary=binding.summary,
            permission=binding.permission,
            params=params,
            shape=None if must_ask else shape,
            call_id=context.call_id,
            words=words_of(binding, params),
            injected=tuple(binding.inject),
        )
        if is_async(approver):
            response: Any = await approver(request)  # type: ignore[misc]  # `is_async` holds
        else:
            response = await call(self._workers, self._ask_in_turn, approver, since, request)
        if isinstance(response, Decision):
            return response
        answer = checked_answer(response)
        if answer.verdict == "no":
            return Decision(False, "approver", not_approved(name, answer.reason))
        if answer.verdict == "yes" or must_ask:
            return Decision(True, "approver")
        kept = self._remember(shape, since)
        return Decision(True, "approver", remembered=str(shape) if kept else "")

    def _remember(self, shape: Shape, since: int) -> bool:
        """Keep an *always*, unless `forget` was called while the approver was asked."""
        with self._lock:
            if self._forgotten != since:
                return False
            if not self._is_remembered(shape):
                self._session = (*self._session, shape)
            return True

    def _ask_in_turn(self, approver: Approver, since: int, request: ApprovalRequest) -> object:
        """Ask one question at a time: an answer may settle those that wait."""
        while not self._asking.acquire(timeout=0.1):
            if abandoned():
                return "no"
        try:
            if request.shape is not None and self._is_remembered(request.shape):
                return _SESSION
            if abandoned():
                return "no"
            response = approver(request)
            if isinstance(response, (str, Answer)) and request.shape is not None:
                answer = checked_answer(response)
                if answer.verdict == "always":
                    self._remember(request.shape, since)
            return response
        finally:
            self._asking.release()


def _too_often(who: str, limit: RateLimit, wait: float) -> Decision:
    return Decision(
        False,
        "rate_limit",
        f"{who} called too often: {limit.calls} calls in {limit.seconds:g} s are allowed. Call it again in "
        f"{wait:.1f} s, or go on without it.",
    )


def _nobody(name: str) -> Decision:
    return Decision(
        False,
        "no approver",
        f"Tool {name!r} needs somebody's approval, and there is nobody to ask. Go on without it, or "
        "tell the user what you would do with it.",
    )
