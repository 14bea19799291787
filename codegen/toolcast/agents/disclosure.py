"""Tools shown in part until a call needs the full definition: fewer tokens in each request.

Every definition keeps its position for a whole session, and new ones only come after the last. A tool that is
upgraded is replaced at its position. Any list with one definition for each tool differs from the list of the
round before at the latest from that tool on, so no order of them would share more; moving it to the end would
also give up the full definitions behind it at the next upgrade. Where definitions must not change at all,
`upgrade="answer"` leaves the full definition to the answer.

For models without tool calling the provider is "text": `instructions` writes the block of their prompt, with
as much of each tool.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal, get_args

import msgspec

from ..jsonschema.json_values import JsonObject
from ..runtime.binding import AnyBinding
from ..runtime.context import Framework, ToolContext
from ..runtime.definitions import DefinitionBytes, bare_definition, cut_definition
from ..runtime.errors import ArgumentError, UnknownProviderError
from ..runtime.failure_results import ArgumentHint
from ..runtime.request_rules import (
    Cache,
    RequestRules,
    RequestTool,
    check_cache,
    mark_loaded,
    request_tools,
)
from ..runtime.result import ToolResult
from ..runtime.snapshot import Entry
from ..runtime.view import Caller, CallRequest, RedirectedView, ToolView
from .run_state import Shown
from .tool_search import SEARCH, found_as_tools, found_in_words, index_of, search_definition

TEXT = "text"
"""The provider of models without tool calling, as `run_tools(format="text")` has it."""

Level = Literal["summary", "brief", "full"]
LEVELS: tuple[Level, ...] = get_args(Level)
_STUB = "(Shown in part: a call whose arguments do not fit is answered with the full schema.)"


class Disclosure(Caller):
    """The view of a registry's tools that one session has for one provider, and its calls.

    One object serves one conversation, in one thread.

    Attributes:
        registry: the registry or selection.
        tools: the same tools with calls through this session, for a dispatcher.
        provider: id of the provider; "text" for models without tool calling.
    """

    def __init__(
        self,
        registry: ToolView,
        provider: str,
        *,
        level: Level | None = None,
        levels: Mapping[str, Level] | None = None,
        eager: Collection[str] = (),
        keep: bool = False,
        native: bool | RequestRules | None = None,
        search: Literal["provider", "program"] = "provider",
        upgrade: Literal["definition", "answer"] = "definition",
    ) -> None:
        """Start a session.

        Args:
            registry: a registry, or a selection of one.
            provider: id of the provider of the definitions; "text" for models without tool calling.
            level: "summary" shows names and summaries; "brief" also the parameters' names and types, and
                which are required; "full" everything. None is "brief"; where specs say `defer`, for those
                tools, and "full" for the others. Providers that load tools get all of them in full.
            levels: other levels by group; a group covers all groups below it.
            eager: names of tools that are always full.
            keep: whether upgraded tools stay full in later turns.
            native: whether the provider loads tools on demand: it gets tools with `defer`, or all where none
                has it, in full and marked. None where its profile can and no level is given, False never,
                True or rules of its requests always.
            search: who searches those tools: the provider, or with "program" a tool `tool_search` that this
                object answers. Then requests leave them out; a tool that was found is in them, in full, from
                the next round to the end of the session.
            upgrade: "definition" puts the full definition into the next round, "answer" into the failed
                answer.

        Raises:
            ValueError: a level, `search` or `upgrade` does not exist; native loading is demanded beside
                levels, or of a provider that cannot; the program is to search beside levels, for a provider
                of your own whose profile does not say how, or beside a tool with the name of the search.
        """
        given = [*([] if level is None else [level]), *(levels or {}).values()]
        for one in given:
            if one not in LEVELS:
                raise ValueError(f"There is no level {one!r}. Choose among {', '.join(LEVELS)}.")
        if search not in ("provider", "program"):
            raise ValueError(f"search must be 'provider' or 'program', not {search!r}.")
        if upgrade not in ("definition", "answer"):
            raise ValueError(f"upgrade must be 'definition' or 'answer', not {upgrade!r}.")
        self.registry = registry
        self._program_searches = search == "program"
        own = Entry(SEARCH, self._search) if self._program_searches else None
        self.tools: ToolView = RedirectedView(registry, self, own)
        self.provider = provider
        self._level: Level | None = level
        self._levels: dict[str, Level] = dict(levels or {})
        self._eager = frozenset([eager] if isinstance(eager, str) else eager)
        self._keep = keep
        if provider == TEXT and native:
            raise ValueError("Text has no tool objects that could be marked to be loaded: leave out native.")
        if given and self._program_searches:
            raise ValueError(
                "A tool that the program finds is shown in full, so a level has no effect. Leave out search, "
                "or level and levels."
            )
        self._asked = _checked_native(native, levels=bool(given))
        self._rules: RequestRules | None = None  # of the provider, once there is a tool
        self._deferred: frozenset[str] | None = None  # tools whose specs say so, once something is shown
        self._grouped = 0  # tools of the first round: later ones come after their namespaces, not into them
        if native is True and not self._loads:
            raise ValueError(
                f"{provider!r} is not known to load tools on demand, or there is no tool yet. Pass "
                "native=RequestRules(…) with what its requests take, or leave it out."
            )
        if self._program_searches and provider != TEXT:
            self._search_definition()
        self._check_name()
        self._upgrade = upgrade
        self._order: dict[str, None] = {}  # tools shown so far; only appended to
        self._wanted: set[str] | None = None  # tools that were routed to; None for all
        self._full: set[str] = set()
        self._answered: set[str] = set()  # in this turn
        self._made: dict[tuple[bytes, Level], bytes] = {}  # stubs

    def route(self, text: str, keywords: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
        """Show the groups that a user's text mentions, and all groups where it mentions none.

        Call it before the turn's first `definitions`. A session never shows fewer tools than before.

        Args:
            text: what the user wrote.
            keywords: keywords by group; one matches where it begins a word of `text`, in any case.

        Returns:
            The groups that match.

        Raises:
            ValueError: a keyword is blank, or a group has one string in place of a list.
        """
        groups = match_groups(text, keywords)
        if groups:
            self.choose(groups=groups)
        else:
            self.choose_all()
        return groups

    def choose(
        self, *, groups: str | Collection[str] | None = None, names: str | Collection[str] | None = None
    ) -> None:
        """Show these tools, with those shown or chosen before.

        Args:
            groups: groups, each with all groups below it.
            names: names of tools.
        """
        chosen: set[str] = set()
        if groups is not None:
            chosen.update(self.registry.select(groups=groups))
        if names is not None:
            chosen.update(self.registry.select(names=names))
        if self._wanted is None:
            # Nothing was shown yet: this is the first choice. Else all were, and all stay.
            self._wanted = None if self._order else chosen
        else:
            self._wanted |= chosen

    def choose_all(self) -> None:
        """Show every tool from here on."""
        self._wanted = None

    def disclose(self, *names: str) -> None:
        """Show these tools in full from the next round to the end of the session.

        Args:
            *names: names of tools.

        Raises:
            UnknownToolError: there is no such tool.
        """
        for name in names:
            self.registry.get(name)
        self._eager |= {*names}

    def definitions(self, *, cache: Cache | None = None) -> bytes:
        """Return the tool objects of the next request.

        Args:
            cache: "last" marks the last tool that is part of the prompt, as for a registry.

        Returns:
            A JSON array. Iterating its bytes raises TypeError.

        Raises:
            UnknownProviderError: nothing was generated for the provider, or it is "text".
            MissingDataError: `cache` is set, and the rules of the provider's requests are missing.
            ValueError: `cache` is neither "last" nor None.
        """
        check_cache(cache)
        if self.provider == TEXT:
            raise UnknownProviderError(
                "Text has no tool objects: instructions(disclosure) writes the block for the system prompt."
            )
        if cache is not None:
            self.registry.request_rules(self.provider, required=True)
        rules = self.request_rules
        search = () if self._program_searches else rules.search_tools
        return DefinitionBytes(request_tools(self._request(), rules, search, cache))

    def shown(self) -> tuple[tuple[AnyBinding, Level], ...]:
        """List the tools of the next request.

        Returns:
            Each tool with how much of it is shown, in order; the search of the program first.

        Raises:
            ValueError: a tool has the name of the search since.
        """
        self._check_name()
        chosen = [name for name in self.registry if self._wanted is None or name in self._wanted]
        late = {name for name in chosen if self._program_searches and self._is_late(name)}
        self._order |= {name: None for name in chosen if name not in late}
        self._grouped = self._grouped or len(self._order)
        listed: tuple[tuple[AnyBinding, Level], ...] = tuple(
            (self.registry.get(name).binding, self.level_of(name)) for name in self._order
        )
        return ((SEARCH, "full"), *listed) if late else listed

    def definition_objects(self, *, cache: Cache | None = None) -> list[JsonObject]:
        """Return `definitions` as parsed objects.

        Args:
            cache: as for `definitions`.

        Returns:
            New objects each time.
        """
        objects: list[JsonObject] = msgspec.json.decode(self.definitions(cache=cache))
        return objects

    @property
    def names(self) -> tuple[str, ...]:
        """The tools shown so far, in their order."""
        return tuple(self._order)

    def level_of(self, name: str) -> Level:
        """Return how much of a tool the next round shows.

        Args:
            name: name of the tool.

        Returns:
            "summary", "brief" or "full".

        Raises:
            UnknownToolError: there is no such tool.
        """
        binding = self.registry.get(name).binding
        if name in self._full or name in self._eager:
            return "full"
        if self._program_searches:
            return "summary" if self._is_late(name) and name not in self._order else "full"
        if self._loads:
            return "full"
        group = binding.group
        while group and group not in self._levels:
            group = group.rpartition("/")[0]
        return self._levels.get(group, self._level or ("brief" if self._is_late(name) else "full"))

    @property
    def state(self) -> Shown:
        """The names of tools that this session has shown, for the state of a run."""
        return Shown(
            order=tuple(self._order),
            grouped=self._grouped,
            chosen=None if self._wanted is None else tuple(sorted(self._wanted)),
            full=tuple(sorted(self._full)),
            always=tuple(sorted(self._eager)),
            answered=tuple(sorted(self._answered)),
        )

    def restore(self, shown: Shown) -> None:
        """Go on within a turn of another session, without tools that are gone.

        Args:
            shown: its `state`.
        """
        self._order = {name: None for name in shown.order if name in self.registry}
        self._grouped = sum(name in self._order for name in shown.order[: shown.grouped])
        self._wanted = None if shown.chosen is None else {*shown.chosen}
        self._full = {*shown.full}
        self._eager |= {*shown.always}
        self._answered = {*shown.answered}

    def next_turn(self) -> None:
        """Begin a turn of the user: without `keep`, upgraded tools are cut again, to the same bytes."""
        self._answered.clear()
        if not self._keep:
            self._full.clear()

    async def carry_out(self, request: CallRequest) -> ToolResult:
        """Carry out a call as the registry does; arguments without a provider are of the session's own.

        The first wrong call in a turn of a tool that was shown in part is answered with every violation, the
        description and the full schema, if the registry's output limit has room. Its definition is full
        from the next round on, unless `upgrade` is "answer". So is a call of a tool that was not shown.

        Args:
            request: the call.

        Returns:
            The result.
        """
        name, context = request.name, request.context
        if self._program_searches and self.tools.resolve(name) == SEARCH.name:
            try:
                query = SEARCH.decode(request.arguments, None, request.guesses or self.registry.guesses)
            except ArgumentError as problem:
                return ToolResult.failed(str(problem))
            return self._search(query, None)
        dialect = request.provider
        if dialect is None and self.provider != TEXT:
            dialect = self.provider
        known = self.registry.resolve(name)
        first = known is not None and known not in self._answered and self._in_part(known)
        if first:
            context = context or ToolContext()
            framework = msgspec.structs.replace(context.framework or Framework(), in_part=True)
            context = msgspec.structs.replace(context, framework=framework)
        result = await self.registry.execute(name, request.arguments, dialect, context, request.guesses)
        hint = result.data
        if first and not result.success and isinstance(hint, ArgumentHint) and hint.tool == known:
            self._answered.add(hint.tool)
            if self._upgrade == "definition":
                self._full.add(hint.tool)
                if self._program_searches:
                    self._order.setdefault(hint.tool)
        return result

    def _search(self, params: Any, _: ToolContext | None) -> ToolResult:
        """Find tools that are left out of requests, and have the next one hold them."""
        index = index_of(self.registry.snapshot())
        names = index.find(params.query, fits=self._is_searched)
        found = [self.registry.get(name).binding for name in names]
        self._order |= dict.fromkeys(names)
        if not self._loads or not found:
            return found_in_words(found, params.query)
        rules, listed = self.request_rules, found
        if rules.namespace:  # its name and its description are of all tools of a group
            searched = filter(self._is_searched, index.names)
            listed = [self.registry.get(name).binding for name in searched]
        tools = [
            RequestTool(
                each.name,
                each.definition(self.provider) if each.name in names else b"",
                True,
                each.group,
                each.summary,
            )
            for each in listed
        ]
        return found_as_tools(names, tools, rules)

    def _search_definition(self) -> bytes:
        rules = self.request_rules
        is_tool = "$name" in rules.client_search.values()
        return search_definition(self.provider, rules if is_tool or self._loads else RequestRules())

    def _is_searched(self, name: str) -> bool:
        return self._is_late(name) and (self._wanted is None or name in self._wanted)

    def _in_part(self, name: str) -> bool:
        """Tell whether a tool is shown in part; False for one that cannot be loaded: its call says so."""
        try:
            return self.level_of(name) != "full"
        except Exception:  # whatever a module raises when it is imported
            return False

    @property
    def request_rules(self) -> RequestRules:
        """Rules of the provider's requests; empty for "text", and as long as there are no tools."""
        if isinstance(self._asked, RequestRules):
            return self._asked
        if self.provider == TEXT:
            return RequestRules()
        if self._rules is None:
            rules = self.registry.request_rules(self.provider)
            if not len(self.registry):
                return rules
            self._rules = rules
        return self._rules

    @property
    def _loads(self) -> bool:
        """True where the provider loads tools on demand in this session."""
        if self._asked is False or (self._program_searches and not self.request_rules.client_search):
            return False
        return isinstance(self._asked, RequestRules) or self.request_rules.loads_tools

    def _check_name(self) -> None:
        if self._program_searches and SEARCH.name in self.registry:
            raise ValueError(f"A tool is called {SEARCH.name!r}, as the search for tools is. Rename it.")

    def _is_late(self, name: str) -> bool:
        """Tell whether a tool is shown in part or loaded on demand: as specs say, all where none says it."""
        if self._deferred is None:
            self._deferred = frozenset(each for each in self.registry if self._says_defer(each))
        return name not in self._eager and (not self._deferred or name in self._deferred)

    def _says_defer(self, name: str) -> bool:
        try:
            return self.registry.get(name).binding.defer
        except Exception:  # whatever a module raises when it is imported: a call of it says so
            return False

    def _request(self) -> list[RequestTool]:
        rules = self.request_rules
        # A search that is no tool, but an item of a type of its own: the answer to it holds the definitions.
        answered = self._program_searches and self._loads and "$name" not in rules.client_search.values()
        return [
            self._request_tool(binding, level, at < self._grouped)
            for at, (binding, level) in enumerate(self.shown())
            if binding is SEARCH or not (answered and self._is_late(binding.name))
        ]

    def _request_tool(self, binding: AnyBinding, level: Level, grouped: bool) -> RequestTool:
        name = binding.name
        if binding is SEARCH:
            return RequestTool(name, self._search_definition())
        if self._loads and self._is_late(name):
            definition = binding.definition(self.provider)
            return RequestTool(name, definition, True, binding.group if grouped else "", binding.summary)
        return RequestTool(name, mark_loaded(self._definition(binding, level), self.request_rules))

    def _definition(self, binding: AnyBinding, level: Level) -> bytes:
        whole = binding.definition(self.provider)
        shown = binding.definition(self.provider, "brief") if level == "brief" else whole
        if level == "full" or (level == "brief" and shown == whole):
            return whole
        made = self._made.get((shown, level))
        if made is None:
            name, envelope = binding.name, binding.envelopes.get(self.provider)
            summary = stub_text(binding.summary)
            cut = (
                bare_definition(msgspec.json.decode(shown), name, summary, envelope)
                if level == "summary"
                else cut_definition(
                    msgspec.json.decode(shown), name, summary, envelope, lambda schema: schema
                )
            )
            made = self._made[shown, level] = msgspec.json.encode(cut)
        return made


def stub_text(summary: str) -> str:
    return f"{summary} {_STUB}".lstrip()


def _checked_native(native: bool | RequestRules | None, *, levels: bool) -> bool | RequestRules | None:
    """Return what was asked for; False beside levels. Raises ValueError where both are demanded."""
    if levels and native:
        raise ValueError(
            "A provider that loads tools by itself gets all of them in full, so a level has no effect. Leave "
            "out native for stubs, or level and levels."
        )
    return False if levels else native


# What continues a word to its left. Scripts without spaces do not count: a keyword may follow any of their
# characters. So a text may match more than it means; that offers a tool too many, never one too few.
_INSIDE = "(?<![0-9a-z_])"


def match_groups(text: str, keywords: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Return the groups of which a keyword begins a word of `text` in any case: `file` in "Files", not
    "profile".

    Raises ValueError for a blank keyword, or a string in the place of a list.
    """
    folded = text.casefold()
    return tuple(group for group, words in keywords.items() if _matches(folded, group, words))


def _matches(folded: str, group: str, words: Iterable[str]) -> bool:
    listed = [words] if isinstance(words, str) else list(words)
    if isinstance(words, str) or not all(word.strip() for word in listed):
        raise ValueError(f"The keywords of group {group!r} must be a list of words, none of them blank.")
    return any(re.search(_INSIDE + re.escape(word.strip().casefold()), folded) for word in listed)
