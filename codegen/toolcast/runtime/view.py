"""Tools by name, in requests and in calls: the common part of a registry and a selection of its tools."""

from collections.abc import Collection, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import msgspec
from msgspec import Struct

from ..jsonschema.json_values import JsonObject
from ..permissions import PERMISSIONS, Permission
from .arguments import Arguments
from .binding import AnyBinding, Level
from .call_steps import FILLING_IN, fill_in, run_call
from .context import ToolContext
from .definitions import DefinitionBytes, allows_strict, is_language, providers_without_strict
from .errors import ArgumentError, InjectionError, MissingDataError
from .executor import Executor, refuse_in_event_loop
from .request_rules import (
    Cache,
    RequestRules,
    RequestTool,
    check_cache,
    is_deferred,
    mark_loaded,
    merged,
    request_tools,
)
from .result import ToolResult
from .snapshot import Entry, LazyTool, Snapshot, find_entry, make_ready_or_fail, unknown_tool

if TYPE_CHECKING:
    from ..text_formats.call_grammar import CallGrammar
    from .declaration_text.names import Language
    from .middleware.events import Stage
    from .middleware.policy.policy import Policy
    from .wire.guesses import Guesses

T = TypeVar("T")


class Preview(NamedTuple):
    """The outlook of a call.

    `error` is the text for the model if its arguments do not fit or there is no such tool, else ""; `params`
    are its typed parameters; `asks` says whether it needs an approval for which the policy has no approver.
    """

    error: str
    params: Any = None
    asks: bool = False


class CallRequest(Struct, frozen=True):
    """The arguments of `execute`, for what carries out calls."""

    name: str
    arguments: Arguments
    provider: str | None = None
    context: ToolContext | None = None
    guesses: "Guesses | None" = None


class Caller:
    """Anything that carries out calls by name."""

    def execute(
        self,
        name: str,
        arguments: Arguments,
        provider: str | None = None,
        context: ToolContext | None = None,
        guesses: "Guesses | None" = None,
    ) -> Coroutine[Any, Any, ToolResult]:
        """Carry out a call. All but a cancellation of this task, and the end of the program, becomes a
        ToolResult.

        Args:
            name: name of the tool, as the model wrote it; see `resolve`.
            arguments: the provider's JSON text, or a parsed mapping.
            provider: id of the provider whose wire form the arguments have; None for the contract's own form.
            context: circumstances of the call; `tool` and `provider` are filled in.
            guesses: guesses in place of the registry's own.

        Returns:
            The result.
        """
        return self.carry_out(CallRequest(name, arguments, provider, context, guesses))

    def carry_out(self, request: CallRequest) -> Coroutine[object, object, ToolResult]:
        """Return the result of `request`, as `execute` does."""
        raise NotImplementedError


class ToolView(Caller):
    """Reading and calling tools: the common part of a registry and its selections.

    Safe from many threads and tasks: all that is read was registered at one moment.
    """

    _executor: Executor

    def snapshot(self) -> Snapshot:
        """Return all tools between two registrations; the same object until the next one.

        Its `entries` are sorted by name.
        """
        raise NotImplementedError

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all tools, sorted."""
        return tuple(self.snapshot().entries)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.snapshot().entries

    def __len__(self) -> int:
        return len(self.snapshot().entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    @property
    def guesses(self) -> "Guesses | None":
        """The guesses that may be applied to refused arguments, unless a call has others."""
        return self._executor.guesses

    @property
    def policy(self) -> "Policy | None":
        """The policy of calls; None if all may run."""
        return self._executor.guard.policy

    def resolve(self, name: str) -> str | None:
        """Return the tool's own name for a name that a model wrote, as `execute` reads it; None for no tool,
        or several.

        A name that no tool has is read without what models write around names: `functions.`, `default_api:`
        or `tools/` before it, a number as in `:0` or control tokens after it.
        """
        return self.snapshot().resolve(name)

    def redact(self, value: T) -> T:
        """Take values of secrets out of anything else that leaves the program, as out of results.

        Args:
            value: text, bytes, or data.

        Returns:
            A redacted copy; the same object if nothing was found.
        """
        secrets = self._executor.guard.secrets
        return value if secrets is None else secrets.redact(value)

    def get(self, name: str) -> Entry:
        """Return the binding and handler of a tool by its own name, as a named tuple.

        Raises:
            UnknownToolError: there is no such tool; the message has the nearest names.
        """
        return find_entry(self.snapshot(), name)

    def select(
        self,
        *,
        groups: str | Collection[str] | None = None,
        names: str | Collection[str] | None = None,
        permission: Permission | Collection[Permission] | None = None,
    ) -> "Selection":
        """Select tools that fit all of the conditions.

        The selection follows later registrations. A name that no tool has is no error, since some tools are
        registered on conditions.

        Args:
            groups: groups, each with all groups below it; None for all.
            names: names of tools; None for all.
            permission: permissions; None for all.

        Returns:
            A view with the same methods for reading and calling.

        Raises:
            ValueError: a permission is none of "read", "write", "execute", "network".
        """
        return Selection(self, _set(groups), _set(names), _permissions(permission))

    async def carry_out(self, request: CallRequest) -> ToolResult:
        name, provider, context = request.name, request.provider, request.context
        snapshot = self.snapshot()
        executor = self._executor
        found = snapshot.ready.get(name) if isinstance(name, str) else None
        if found is None:
            # What is cut is redacted before: half a secret would not be found any more.
            shown = executor.redact_name(name)
            first = make_ready_or_fail(executor, snapshot, name, shown, context)
            if isinstance(first, ToolResult):
                stage: Stage = "loading" if snapshot.resolve(name) is not None else "lookup"
                return executor.refuse(stage, shown, provider, context, first)
            found = first
        tool = found.binding.name
        if executor.closed:
            refused = ToolResult.failed(f"Tool {tool!r} cannot be called: the program is closing its tools.")
            return executor.refuse("closing", tool, provider, context, refused)
        if context is None:
            context = ToolContext(tool=tool, provider=provider)
        else:
            try:
                context = msgspec.structs.replace(
                    context,
                    tool=context.tool or tool,
                    provider=context.provider if provider is None else provider,
                )
            except Exception as problem:  # a context's fields may compute
                return executor.guard.report_fault(tool, "", "reading the context", problem)[0]
        guesses = executor.guesses if request.guesses is None else request.guesses
        return await run_call(executor, found, request.arguments, context, guesses)

    def definitions(
        self,
        provider: str,
        level: Level = "full",
        *,
        strict: bool | None = None,
        cache: Cache | None = None,
    ) -> bytes:
        """Return the tool objects of all tools, for a request to a provider; or their declarations, for code.

        If a tool states `defer` and the provider loads tools on demand, the objects of its search come first,
        and such tools are in namespaces by group, if the provider has these.

        Args:
            provider: id of the provider, or the language of the code, "typescript" or "python".
            level: "full" or "brief".
            strict: False sets the flags of a strict mode to false; None follows the environment variable
                TOOLCAST_NO_STRICT.
            cache: "last" marks the last tool that is part of the prompt, so that a prompt cache holds all of
                them; nothing for a provider without such a mark.

        Returns:
            A JSON array, sorted by name; `[]` without tools. For code, the text of
            `toolcast.runtime.declarations.declare`. The same bytes until the next registration, so that
            prompt caches hold. Iterating them raises TypeError: a client that takes a list of tools needs
            `definition_objects`.

        Raises:
            UnknownProviderError: nothing was generated for `provider`.
            MissingDataError: `cache` is set, and the rules of the provider's requests are missing.
            ValueError: `level` is neither "full" nor "brief", or `cache` neither "last" nor None.
        """
        snapshot = self.snapshot()
        flags = allows_strict(provider, strict)
        ready = snapshot.definitions.get((provider, level, flags, cache))
        if ready is None:
            check_cache(cache)
            ready = DefinitionBytes(
                self._declared(provider, level)
                if is_language(provider)
                else self._requested(provider, level, strict, cache)
            )
            snapshot.definitions[provider, level, flags, cache] = ready
        return ready

    def _declared(self, language: "Language", level: Level) -> bytes:
        from .declarations import declare

        return declare(self, language, level).encode()

    def _requested(self, provider: str, level: Level, strict: bool | None, cache: Cache | None) -> bytes:
        entries = [
            entry if isinstance(entry, LazyTool) else entry.binding
            for entry in self.snapshot().entries.values()
        ]
        if strict is None and not providers_without_strict():
            strict = True  # the environment is read once
        made = [(entry, entry.definition(provider, level, strict=strict)) for entry in entries]
        rules = self.request_rules(provider, required=cache is not None)
        tools = [_request_tool(entry, definition, rules) for entry, definition in made]
        return request_tools(tools, rules, rules.search_tools, cache)

    def request_rules(self, provider: str, *, required: bool = False) -> RequestRules:
        """Return what a provider takes in a request beside tool objects: the rules of the first tool, empty
        without tools.

        Args:
            required: whether missing rules are an error.

        Raises:
            MissingDataError: the rules are required and missing.
        """
        for entry in self.snapshot().entries.values():
            source = entry if isinstance(entry, LazyTool) else entry.binding
            try:
                return source.request_rules(provider)
            except MissingDataError:  # a package of before: it has no tool that is loaded on demand
                if required:
                    raise
                break
        return RequestRules()

    def request_members(self, provider: str, *, strict: bool | None = None) -> JsonObject:
        """Return the members of a request beside `tools` that concern all of them.

        Strict mode, of a provider that has it for all tools of a request and no flag of each (Gemini's mode
        VALIDATED, Cohere's `strict_tools`): if the spec of one tool or more asks for it under `providers`,
        and none gives it up. Arguments that are streamed as they are written (Vertex AI): if a tool states
        `stream_arguments`.

        Args:
            provider: id of the provider.
            strict: as for `definitions`.

        Returns:
            New objects each time; `{}` for most providers.

        Raises:
            UnknownProviderError: nothing was generated for `provider`.
            MissingDataError: the rules of the provider's requests are missing.
        """
        rules = self.request_rules(provider, required=True)
        entries = self.snapshot().entries.values()
        if not rules.strict and not rules.stream_arguments:
            for entry in list(entries)[:1]:  # an id that no tool knows has no rules, either
                (entry if isinstance(entry, LazyTool) else entry.binding).definition(provider, "full")
            return {}
        bindings = [entry.binding for entry in entries]
        modes = {binding.strict[provider] for binding in bindings if provider in binding.strict}
        enforced = modes == {True} and allows_strict(provider, strict)
        streamed = any(binding.stream_arguments for binding in bindings)
        return merged(rules.strict if enforced else {}, rules.stream_arguments if streamed else {})

    def definition_objects(
        self,
        provider: str,
        level: Level = "full",
        *,
        strict: bool | None = None,
        cache: Cache | None = None,
    ) -> list[JsonObject]:
        """Return `definitions` as new parsed objects, for clients that take those. It takes the same
        `provider`, `level`, `strict` and `cache`.

        Raises:
            UnknownProviderError: nothing was generated for `provider`.
            ValueError: `provider` is a language, whose declarations are text.
        """
        if is_language(provider):
            raise ValueError(f"The definitions for {provider!r} are declarations in text: use definitions().")
        definitions = self.definitions(provider, level, strict=strict, cache=cache)
        return cast("list[JsonObject]", msgspec.json.decode(definitions))

    def grammar(
        self,
        format: str,
        engine: str,
        *,
        tools: Collection[str] | None = None,
        parallel: bool = True,
        choice: str = "auto",
    ) -> "CallGrammar":
        """Return a grammar of what a model may write that calls these tools in text, for the engine that
        constrains it: free text and thoughts, then calls in the family's form, with arguments that the
        contracts take.

        Args:
            format: the text format in which the model calls: its id, or an alias, which may
                choose a form.
            engine: "gbnf" (llama.cpp); "xgrammar", "xgrammar-tag" or "llguidance" (vLLM, SGLang,
                TensorRT-LLM).
            tools: the names of the tools that the model may call; None for all.
            parallel: whether it may call more than once.
            choice: "auto"; "required" for at least one call, and no text but thoughts; or the name of the one
                of these tools that it must call.

        Returns:
            The grammar, and what it does not say of the contracts: the same for the same tools.

        Raises:
            ValueError: there is no such format, engine or tool, or something has no form in the format.
        """
        from ..diagnostics import did_you_mean
        from ..text_formats.call_grammar import CallsAllowed, call_grammar
        from .standalone_schema import standalone_schema

        offered = self.names if tools is None else (tools,) if isinstance(tools, str) else tuple(tools)
        for name in offered:
            if name not in self:
                raise ValueError(
                    f"There is no tool {name!r}: {did_you_mean(name, self.names, 'name one of the registry')}"
                )
        if choice not in ("auto", "required", *offered):
            hint = did_you_mean(choice, (*offered, "auto", "required"), "name one of these tools")
            raise ValueError(f"{choice!r} is no choice among these tools: {hint}")
        chosen = offered if choice in ("auto", "required") else (choice,)
        schemas = {name: standalone_schema(self.get(name).binding) for name in chosen}
        allowed = CallsAllowed(required=choice != "auto", parallel=parallel)
        return call_grammar(format, engine, schemas, allowed)

    def accept(self, name: str, value: Any, provider: str | None = None, call_id: str = "") -> ToolResult:
        """Make the result of a call that was carried out elsewhere, as if a handler had returned `value`.

        Secrets are redacted and text is cut, as in results of calls. A typed value is held to the contract of
        the tool's results; text in its place is refused unless `check_results` is False.

        Args:
            name: name of the tool.
            value: a ToolResult, text, or a value of the type of the tool's results.
            provider: id of the provider that the result goes to.
            call_id: the provider's id of the call.

        Raises:
            UnknownToolError: there is no such tool.
            ValueError: the value does not fit the contract.
            TypeError: a value has no JSON form.
        """
        return self._executor.accept(self.get(name).binding, value, provider, call_id)

    def preview(
        self,
        name: str,
        arguments: Arguments,
        provider: str | None = None,
        context: ToolContext | None = None,
    ) -> "Preview":
        """Return a preview of a call by `name`, `arguments` and `provider`, which `execute` describes:
        nothing runs and nobody is asked. Counts as no call. The values that the program fills in come from
        `context`.
        """
        executor = self._executor
        try:
            ready = self.snapshot().make_ready(name)
        except Exception as problem:  # whatever a module raises when it is imported
            known = self.resolve(name) or ""
            return Preview(executor.guard.report_fault(known, "", "loading its module", problem)[0].error)
        if ready is None:
            return Preview(unknown_tool(executor.redact_name(name), self.names))
        try:
            injected = fill_in(ready.binding, context)
            params = ready.binding.decode(arguments, provider, executor.guesses, injected)
        except InjectionError as problem:
            tool = ready.binding.name
            return Preview(executor.guard.report_fault(tool, "", FILLING_IN, problem)[0].error)
        except ArgumentError as problem:
            return Preview(executor.guard.redact_text(str(problem)))
        policy = executor.guard.policy
        return Preview("", params, policy is not None and policy.asks(ready.binding, params))

    def execute_sync(
        self,
        name: str,
        arguments: Arguments,
        provider: str | None = None,
        context: ToolContext | None = None,
        guesses: "Guesses | None" = None,
    ) -> ToolResult:
        """Return the result of a call in a program without an event loop. It takes the same `name`,
        `arguments`, `provider`, `context` and `guesses` as `execute`.

        All calls of a registry and its selections share one event loop, in a thread of its own; calls from
        several threads run at the same time. Ctrl-C cancels the call.

        Raises:
            RuntimeError: an event loop runs in this thread; there, await `execute`.
        """
        return self.run_sync(self.execute(name, arguments, provider, context, guesses))

    def run_sync(self, work: Coroutine[object, object, T]) -> T:
        """Return the value of a coroutine that calls these tools, or raise its exception; it runs in the
        event loop of `execute_sync`.

        Args:
            work: such as `run_tools(…)`.

        Raises:
            RuntimeError: an event loop runs in this thread; there, await the coroutine.
        """
        try:
            refuse_in_event_loop()
        except RuntimeError:
            work.close()
            raise
        return self._executor.loop_thread.run(work)


class Selection(ToolView):
    """Some tools of a registry: a view, made by `select`."""

    def __init__(
        self,
        base: ToolView,
        groups: frozenset[str] | None,
        names: frozenset[str] | None,
        permissions: frozenset[str] | None,
    ) -> None:
        self._base = base
        self._groups = groups
        self._chosen = names
        self._permissions = permissions
        self._executor = base._executor
        self._made: tuple[Snapshot, Snapshot] | None = None  # the base's, and what is left of it

    def snapshot(self) -> Snapshot:
        whole = self._base.snapshot()
        made = self._made
        if made is None or made[0] is not whole:
            left = {name: entry for name, entry in whole.entries.items() if self._fits(name, entry)}
            made = self._made = (whole, Snapshot(left, whole.prechecks))
        return made[1]

    def _fits(self, name: str, entry: "Entry | LazyTool") -> bool:
        if self._chosen is not None and name not in self._chosen:
            return False
        if self._permissions is None and self._groups is None:
            return True
        binding = entry.binding
        if self._permissions is not None and binding.permission not in self._permissions:
            return False
        parts = binding.group.split("/")
        above = ("/".join(parts[: length + 1]) for length in range(len(parts)))
        return self._groups is None or any(group in self._groups for group in above)


class RedirectedView(ToolView):
    """The tools of `base`, with one of the program's own; `caller` carries out their calls."""

    def __init__(self, base: ToolView, caller: Caller, own: Entry | None = None) -> None:
        self._base = base
        self._executor = base._executor
        self._caller = caller
        self._own = own
        self._made: tuple[Snapshot, Snapshot] | None = None  # the base's, and the one with the program's tool

    def snapshot(self) -> Snapshot:
        whole = self._base.snapshot()
        if self._own is None:
            return whole
        if self._made is None or self._made[0] is not whole:
            entries = {**whole.entries, self._own.binding.name: self._own}
            self._made = (whole, Snapshot(entries, whole.prechecks))
        return self._made[1]

    def request_rules(self, provider: str, *, required: bool = False) -> RequestRules:
        return self._base.request_rules(provider, required=required)

    async def carry_out(self, request: CallRequest) -> ToolResult:
        return await self._caller.carry_out(request)


def _set(values: str | Collection[str] | None) -> frozenset[str] | None:
    if values is None:
        return None
    return frozenset([values]) if isinstance(values, str) else frozenset(values)


def _permissions(values: str | Collection[str] | None) -> frozenset[str] | None:
    chosen = _set(values)
    for one in sorted(chosen or ()):
        if one not in PERMISSIONS:
            raise ValueError(f"There is no permission {one!r}. Choose among {', '.join(PERMISSIONS)}.")
    return chosen


def _request_tool(entry: "LazyTool | AnyBinding", definition: bytes, rules: RequestRules) -> RequestTool:
    """Return a tool as a request has it. The definition says whether it is loaded on demand; the module is
    imported only if its group counts."""
    deferred = is_deferred(definition, rules) if isinstance(entry, LazyTool) else entry.defer
    if not rules.loads_tools or not deferred:
        return RequestTool(entry.name, mark_loaded(definition, rules))
    if not rules.namespace:
        return RequestTool(entry.name, definition, deferred=True)
    binding = entry.binding if isinstance(entry, LazyTool) else entry
    return RequestTool(entry.name, definition, True, binding.group, binding.summary)
