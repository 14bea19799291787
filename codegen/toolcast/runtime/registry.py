"""The tools a program offers, and their execution."""

import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from .binding import ToolBinding
from .errors import DuplicateToolError, FrozenRegistryError
from .executor import Executor
from .handlers import Handler
from .lazy_bindings import Later, LazyBindings
from .middleware.guard import Guard
from .view import Entry, Snapshot, ToolView
from .workers import Workers

if TYPE_CHECKING:
    from .middleware.events import Hooks
    from .middleware.policy.policy import Policy
    from .middleware.secrets.secrets import Resolver, Secrets
    from .wire.guesses import Guesses

P = TypeVar("P")
H = TypeVar("H")


class Refused(NamedTuple):
    """A registration that came too late: whose, and who has the name."""

    name: str
    refused: str
    kept: str


class ToolRegistry(ToolView):
    """Tools by name; the first registration of a name wins.

    Registration is guarded by a lock and may come from any thread; a reader sees all of it or none.
    """

    def __init__(
        self,
        *,
        on_duplicate: Literal["refuse", "raise"] = "refuse",
        guesses: "Guesses | None" = None,
        secrets: "Secrets | Resolver | None" = None,
        policy: "Policy | None" = None,
        hooks: "Hooks | Iterable[Hooks] | None" = None,
        timeout: float | Mapping[str, float] | None = None,
        output_limit: int | None = None,
        check_results: bool = False,
        workers: Workers | None = None,
    ) -> None:
        """`guesses` are made at arguments that a contract refuses, whatever the tool; none by default.

        `secrets` resolves `<secret_ref:NAME>`, `policy` decides which calls may run, `hooks` (one or
        several) see every step.
        `timeout` is in seconds, for the precheck and for the handler each: one for all, or by tool name. Text
        of results longer than `output_limit` characters is cut. `check_results` holds typed results to their
        contracts: one that breaks its own is a failed result. `workers` are the threads of plain handlers, of
        the registry's own unless given. Raises ValueError for values out of range.
        """
        if on_duplicate not in ("refuse", "raise"):
            raise ValueError(f"on_duplicate must be 'refuse' or 'raise', not {on_duplicate!r}.")
        self._on_duplicate = on_duplicate
        self._lock = threading.Lock()
        self._entries: dict[str, Entry | Later] = {}  # in order of arrival; only touched under the lock
        self._sorted: Snapshot | None = None  # for readers; made anew after a registration
        self._refused: tuple[Refused, ...] = ()
        self._frozen = False
        guard = Guard(secrets, policy, hooks, timeout, output_limit)
        threads = Workers() if workers is None else workers
        self._executor = Executor(guard, threads, check_results=check_results, guesses=guesses)

    @property
    def check_results(self) -> bool:
        """Whether results are held to the contracts of their tools: a handler's fault shows where it is, not
        at the client or in the model's next answer. May be set at any time; selections follow."""
        return self._executor.check_results

    @check_results.setter
    def check_results(self, check: bool) -> None:
        self._executor.check_results = check

    @property
    def workers(self) -> Workers:
        """The threads in which plain handlers run."""
        return self._executor.workers

    def register(self, binding: ToolBinding[P, H], handler: H) -> bool:
        """Offer a tool. False where its name is taken: then nothing changes but `refused`, and the log.

        Raises DuplicateToolError instead where the registry was made so, FrozenRegistryError after
        `freeze()` and `aclose()`, and TypeError for a handler that cannot be called.
        """
        given: Any = handler
        return self._add(binding.name, Entry(binding, given))

    def register_later(
        self, bindings: Mapping[str, ToolBinding[Any, Any]], name: str, handler: Handler
    ) -> bool:
        """As `register(bindings[name], handler)`, for a generated package's BINDINGS: but the tool's module
        is imported when the tool is first called, or more than its full definition is asked for.

        Raises KeyError for a name that is not in `bindings`, and what `register` raises.
        """
        if name not in bindings:
            raise KeyError(name)
        if isinstance(bindings, LazyBindings):
            return self._add(name, Later(bindings, name, handler))
        return self._add(name, Entry(bindings[name], handler))

    def _add(self, name: str, entry: Entry | Later) -> bool:
        if not callable(entry.handler):
            raise TypeError(f"The handler of {name!r} is not callable: {type(entry.handler).__name__}.")
        with self._lock:
            if self._frozen:
                raise FrozenRegistryError(
                    f"Tool {name!r} came after {'aclose' if self._executor.closed else 'freeze'}(). "
                    "Register every tool before the first round."
                )
            present = self._entries.get(name)
            if present is None:
                self._entries[name] = entry
                self._sorted = None
                return True
            refused = Refused(name, _origin(entry), _origin(present))
            self._refused = (*self._refused, refused)
        self._tell(refused)
        return False

    def replace(self, binding: ToolBinding[P, H], handler: H) -> None:
        """Put a tool in the place of the one of its name: for definitions met at run time, which may change.

        What a policy was answered *always* for calls of that name is forgotten: it was for the other tool.
        Raises UnknownToolError where there is none, FrozenRegistryError after `freeze()` and `aclose()`, and
        TypeError for a handler that cannot be called.
        """
        if not callable(handler):
            raise TypeError(f"The handler of {binding.name!r} is not callable: {type(handler).__name__}.")
        self.get(binding.name)
        with self._lock:
            if self._frozen:
                raise FrozenRegistryError(f"Tool {binding.name!r} cannot change after freeze() or aclose().")
            self._entries[binding.name] = Entry(binding, handler)
            self._sorted = None
            policy = self._executor.guard.policy
            if policy is not None:
                policy.forget(binding.name)

    def _tell(self, refused: Refused) -> None:
        from .log_records import WARNING, log

        log(
            WARNING,
            "Tool %r is registered already: refused %s, kept %s.",
            *refused,
            event="duplicate",
            tool=refused.name,
        )
        if self._on_duplicate == "raise":
            raise DuplicateToolError(
                f"Tool {refused.name!r} is registered already: {refused.refused} came after {refused.kept}. "
                "Give one of them another name."
            )

    def snapshot(self) -> Snapshot:
        """All tools between two registrations; the same object until the next one."""
        snapshot = self._sorted
        if snapshot is None:
            with self._lock:
                snapshot = self._sorted
                if snapshot is None:
                    snapshot = self._sorted = Snapshot(self._entries)
        return snapshot

    def freeze(self) -> None:
        """Take no further registrations."""
        with self._lock:
            self._frozen = True

    @property
    def frozen(self) -> bool:
        """Whether `freeze()` was called."""
        return self._frozen

    @property
    def refused(self) -> tuple[Refused, ...]:
        """Registrations that lost, in the order they came."""
        return self._refused

    async def aclose(self) -> None:
        """Release handlers that have `aclose` or `close`: each object once, the last registered first.

        From here on calls are refused; a second `aclose` does nothing. Every handler is tried, whatever the
        others do; then an ExceptionGroup is raised with all that failed, each noting its tool.
        """
        with self._lock:
            if self._executor.closed:
                return
            self._executor.closed = self._frozen = True
            handlers = [(name, entry.handler) for name, entry in reversed(self._entries.items())]
        from .handlers import release

        await release(handlers)

    async def __aenter__(self) -> "ToolRegistry":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()


def _origin(entry: Entry | Later) -> str:
    """Where a registration comes from: the binding's module and the handler's."""
    handler: Any = entry.handler
    named = handler if hasattr(handler, "__qualname__") else type(handler)
    module = entry.module if isinstance(entry, Later) else entry.binding.module
    return f"{module} with {named.__module__}.{named.__qualname__}"
