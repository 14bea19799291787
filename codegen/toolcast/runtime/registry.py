"""The tools a program offers, and their execution."""

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar, cast, overload

from .binding import AnyBinding, ToolBinding
from .context import ToolContext
from .errors import DuplicateToolError, FrozenRegistryError
from .executor import Executor
from .failure_results import MAX_ATTEMPTS, MaxAttempts, checked_attempts
from .handlers import Handler, Precheck, Refuses, Returns, defer, find_precheck, release
from .log_records import WARNING, log
from .middleware.guard import Guard
from .snapshot import Entry, LazyBindings, LazyTool, Snapshot, require_engine
from .view import ToolView
from .workers import Workers

if TYPE_CHECKING:
    from .middleware.events import Hooks
    from .middleware.policy.policy import Policy
    from .middleware.secrets.secrets import Resolver, Secrets
    from .wire.guesses import Guesses

P = TypeVar("P")
R = TypeVar("R")


class RefusedRegistration(NamedTuple):
    """A registration that came too late: whose, and who has the name."""

    name: str
    refused: str
    kept: str


class ToolRegistry(ToolView):
    """Tools by name, and their execution. The first registration of a name wins.

    Registration takes a lock and may come from any thread; a reader sees all of a registration or none.
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
        check_results: bool | None = None,
        max_attempts: MaxAttempts = MAX_ATTEMPTS,
        workers: Workers | None = None,
    ) -> None:
        """Make an empty registry.

        Args:
            on_duplicate: "refuse" logs a second registration of a name and lists it in `refused`; "raise"
                raises.
            guesses: guesses that may be applied to arguments that a contract refuses; None for none.
            secrets: resolves `<secret_ref:NAME>`: a `Secrets`, or a function from a name to its value or
                None.
            policy: decides which calls may run; None lets all of them run.
            hooks: one object or several that observe every step of a call.
            timeout: seconds for the precheck and for the handler each: one number, or a number by tool name.
            output_limit: characters of text that a result may have; longer text is cut in its middle.
            check_results: how typed results are held to their contracts; one that does not fit becomes a
                failed result. None: the data must be there, not text or nothing in its place. True: it is
                validated, too. False: neither; text may take the place of data, except over MCP.
            max_attempts: attempts at what a handler asks for again (`RetryError`) before a run tells the
                model to stop: one number, or a number by tool name, 3 for others.
            workers: threads for plain handlers; the registry has its own by default.

        Raises:
            ValueError: a value is out of range.
            TypeError: a hook has no method `on`.
        """
        if on_duplicate not in ("refuse", "raise"):
            raise ValueError(f"on_duplicate must be 'refuse' or 'raise', not {on_duplicate!r}.")
        self._on_duplicate = on_duplicate
        self._lock = threading.Lock()
        self._entries: dict[str, Entry | LazyTool] = {}  # in order of arrival; only touched under the lock
        self._prechecks: dict[str, Precheck] = {}  # as `_entries`
        self._sorted: Snapshot | None = None  # for readers; made anew after a registration
        self._refused: tuple[RefusedRegistration, ...] = ()
        self._frozen = False
        guard = Guard(secrets, policy, hooks, timeout, output_limit)
        threads = Workers() if workers is None else workers
        self._executor = Executor(
            guard,
            threads,
            check_results=check_results,
            guesses=guesses,
            max_attempts=checked_attempts(max_attempts),
        )

    @property
    def check_results(self) -> bool | None:
        """The check of results by their contracts: it shows a handler's fault where it is, not at the client
        or in the model's next answer. May be set at any time; selections follow."""
        return self._executor.check_results

    @check_results.setter
    def check_results(self, check: bool | None) -> None:
        self._executor.check_results = check

    @property
    def workers(self) -> Workers:
        """The threads in which plain handlers run."""
        return self._executor.workers

    @overload
    def register(
        self,
        binding: ToolBinding[P, R],
        handler: Callable[[P, ToolContext], Returns[R]],
        *,
        precheck: Callable[[P, ToolContext], Refuses] | None = None,
    ) -> bool: ...

    @overload
    def register(
        self, binding: ToolBinding[P, R], *, precheck: Callable[[P, ToolContext], Refuses] | None = None
    ) -> bool: ...

    def register(
        self,
        binding: ToolBinding[P, R],
        handler: Callable[[P, ToolContext], Returns[R]] | None = None,
        *,
        precheck: Callable[[P, ToolContext], Refuses] | None = None,
    ) -> bool:
        """Register a tool.

        Args:
            binding: the generated binding.
            handler: a function or callable object, sync or async, that takes the binding's parameters and the
                context and returns its result. Every tool but an external one has one.
            precheck: a function, sync or async, that takes the same and returns why the call is refused, or
                None. It runs before an approval is asked for. By default the handler's attribute `precheck`,
                also of what a `functools.partial`, a decorator with `functools.wraps`, or a bound `__call__`
                stands for.

        Returns:
            False if the name is taken: then only `refused` and the log change.

        Raises:
            DuplicateToolError: the name is taken, and the registry was made with `on_duplicate="raise"`.
            FrozenRegistryError: after `freeze()` or `aclose()`.
            ImportError: the tool has a grammar, and llguidance is missing (`toolcast[grammars]`).
            TypeError: the handler or the precheck is not callable, or there are two prechecks; the handler is
                missing, or is for an external tool.
        """
        own = _handler_of(binding.name, binding.external, handler)
        return self._add(binding.name, _entry_of(binding, own), _precheck_of(binding.name, own, precheck))

    def register_later(
        self,
        bindings: Mapping[str, AnyBinding],
        name: str,
        handler: Handler | None = None,
        *,
        precheck: Precheck | None = None,
    ) -> bool:
        """Register a tool of a generated package; its module is imported when the tool is first called, or
        when more than its full definition is read.

        Args:
            bindings: BINDINGS of a generated package.
            name: name of the tool.
            handler: as for `register`.
            precheck: as for `register`.

        Returns:
            False if the name is taken: then only `refused` and the log change.

        Raises:
            KeyError: `bindings` has no such name.
            DuplicateToolError: as for `register`.
            FrozenRegistryError: as for `register`.
            TypeError: as for `register`.
        """
        if name not in bindings:
            raise KeyError(name)
        lazy = bindings if isinstance(bindings, LazyBindings) else None
        own = _handler_of(name, name in lazy.external if lazy else bindings[name].external, handler)
        entry = LazyTool(lazy, name, own) if lazy else _entry_of(bindings[name], own)
        return self._add(name, entry, _precheck_of(name, own, precheck))

    def _add(self, name: str, entry: Entry | LazyTool, precheck: Precheck | None) -> bool:
        with self._lock:
            if self._frozen:
                raise FrozenRegistryError(
                    f"Tool {name!r} came after {'aclose' if self._executor.closed else 'freeze'}(). "
                    "Register every tool before the first round."
                )
            present = self._entries.get(name)
            if present is None:
                self._keep(name, entry, precheck)
                return True
            refused = RefusedRegistration(name, _origin(entry), _origin(present))
            self._refused = (*self._refused, refused)
        self._report(refused)
        return False

    @overload
    def replace(
        self,
        binding: ToolBinding[P, R],
        handler: Callable[[P, ToolContext], Returns[R]],
        *,
        precheck: Callable[[P, ToolContext], Refuses] | None = None,
    ) -> None: ...

    @overload
    def replace(
        self, binding: ToolBinding[P, R], *, precheck: Callable[[P, ToolContext], Refuses] | None = None
    ) -> None: ...

    def replace(
        self,
        binding: ToolBinding[P, R],
        handler: Callable[[P, ToolContext], Returns[R]] | None = None,
        *,
        precheck: Callable[[P, ToolContext], Refuses] | None = None,
    ) -> None:
        """Replace the tool of the same name: for definitions that are read at run time and may change.

        A policy forgets its approvals for calls of that name: they were for the other tool.

        Args:
            binding: the new binding.
            handler: as for `register`.
            precheck: as for `register`.

        Raises:
            UnknownToolError: there is no tool of that name.
            FrozenRegistryError: after `freeze()` or `aclose()`.
            TypeError: as for `register`.
        """
        own = _handler_of(binding.name, binding.external, handler)
        check = _precheck_of(binding.name, own, precheck)
        self.get(binding.name)
        with self._lock:
            if self._frozen:
                raise FrozenRegistryError(f"Tool {binding.name!r} cannot change after freeze() or aclose().")
            self._keep(binding.name, _entry_of(binding, own), check)
            policy = self._executor.guard.policy
            if policy is not None:
                policy.forget(binding.name)

    def _keep(self, name: str, entry: Entry | LazyTool, precheck: Precheck | None) -> None:
        """Keep a registration. The caller holds the lock."""
        self._entries[name] = entry
        self._prechecks.pop(name, None)
        if precheck is not None:
            self._prechecks[name] = precheck
        self._sorted = None

    def _report(self, refused: RefusedRegistration) -> None:
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
        """Return all tools between two registrations; the same object until the next one.

        Its `entries` are sorted by name.
        """
        snapshot = self._sorted
        if snapshot is None:
            with self._lock:
                snapshot = self._sorted
                if snapshot is None:
                    snapshot = self._sorted = Snapshot(self._entries, {**self._prechecks})
        return snapshot

    def freeze(self) -> None:
        """Refuse further registrations."""
        with self._lock:
            self._frozen = True

    @property
    def frozen(self) -> bool:
        """True after `freeze()`."""
        return self._frozen

    @property
    def refused(self) -> tuple[RefusedRegistration, ...]:
        """Registrations that lost, in their order."""
        return self._refused

    async def aclose(self) -> None:
        """Release handlers that have `aclose` or `close`: each object once, the last registered first; for a
        bound method, its object.

        Calls are refused from then on; a second `aclose` does nothing. Every handler is released, whatever
        others raise.

        Raises:
            ExceptionGroup: some handlers could not be released; each exception notes its tool.
        """
        with self._lock:
            if self._executor.closed:
                return
            self._executor.closed = self._frozen = True
            handlers = [(name, entry.handler) for name, entry in reversed(self._entries.items())]
        await release(handlers)

    def close(self) -> None:
        """Release handlers as `aclose` does, in the event loop of `execute_sync`, and end that loop.

        Raises:
            ExceptionGroup: as for `aclose`.
            RuntimeError: an event loop runs in this thread; there, use `aclose`.
        """
        try:
            self.run_sync(self.aclose())
        finally:
            self._executor.loop_thread.stop()

    def __enter__(self) -> "ToolRegistry":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    async def __aenter__(self) -> "ToolRegistry":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()


def _entry_of(binding: AnyBinding, handler: Handler) -> Entry:
    require_engine(binding)
    return Entry(binding, handler)


def _handler_of(name: str, external: bool, handler: Handler | None) -> Handler:
    """Return the handler of a tool as the registry keeps it. Raises TypeError if it is no callable, or is
    there or missing against the spec."""
    if external:
        if handler is not None:
            raise TypeError(
                f"Tool {name!r} takes no handler: its spec says `external: true`, so its calls are carried "
                "out outside of this program. Register it without one."
            )
        return defer
    if handler is None:
        raise TypeError(
            f"Tool {name!r} needs a handler. Only a tool whose spec says `external: true` has none."
        )
    if not callable(handler):
        raise TypeError(f"The handler of {name!r} is not callable: {type(handler).__name__}.")
    return handler


def _precheck_of(name: str, handler: Handler, precheck: Precheck | None) -> Precheck | None:
    chosen: object = find_precheck(handler)
    if precheck is not None and chosen is not None:
        raise TypeError(f"The handler of {name!r} has a precheck of its own: leave out precheck=.")
    chosen = precheck if chosen is None else chosen
    if chosen is not None and not callable(chosen):
        raise TypeError(f"The precheck of {name!r} is not callable: {type(chosen).__name__}.")
    return cast("Precheck | None", chosen)


def _origin(entry: Entry | LazyTool) -> str:
    handler: object = entry.handler
    named = handler if hasattr(handler, "__qualname__") else type(handler)
    module = entry.module if isinstance(entry, LazyTool) else entry.binding.module
    return f"{module} with {named.__module__}.{named.__qualname__}"
