"""The definitions of tools as the list of a request to a provider, and members of the request beside it."""

from typing import TYPE_CHECKING, cast

import msgspec

from ..jsonschema.json_values import JsonObject
from .binding import AnyBinding, Level
from .definitions import DefinitionBytes, allows_strict, is_language
from .errors import MissingDataError
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
from .snapshot import LazyTool, Snapshot

if TYPE_CHECKING:
    from .declaration_text.names import Language


class DefinitionLists:
    """The definitions of all tools of a snapshot, in the lists that providers take."""

    def snapshot(self) -> Snapshot:
        """Return all tools between two registrations; the same object until the next one.

        Its `entries` are sorted by name.
        """
        raise NotImplementedError

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
