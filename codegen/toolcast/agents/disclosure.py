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

from ..runtime.argument_hint import hint_for, schema_text
from ..runtime.arguments import Arguments
from ..runtime.binding import ToolBinding
from ..runtime.context import ToolContext
from ..runtime.definitions import DefinitionBytes, bare_definition
from ..runtime.errors import ArgumentError, UnknownProviderError
from ..runtime.result import ToolResult
from ..runtime.view import RedirectedView, ToolView
from ..runtime.wire.guesses import Guesses
from .native_loading import Native, deferred, native_for
from .run_state import Shown

TEXT = "text"
"""The provider of models without tool calling, as `run_tools(format="text")` has it."""


# What continues a word to its left. Scripts without spaces do not count: a keyword may follow any of their
# characters. So a text may match more than it means; that offers a tool too many, never one too few.
_INSIDE = "(?<![0-9a-z_])"


def match_groups(text: str, keywords: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """The groups of which a keyword begins a word of `text`, in the order of `keywords`; case counts for
    nothing: `file` matches "Files", not "profile". Raises ValueError for a blank keyword, or one string in
    the place of several."""
    folded = text.casefold()
    return tuple(group for group, words in keywords.items() if _matches(folded, group, words))


def _matches(folded: str, group: str, words: Iterable[str]) -> bool:
    listed = [words] if isinstance(words, str) else list(words)
    if isinstance(words, str) or not all(word.strip() for word in listed):
        raise ValueError(f"The keywords of group {group!r} must be a list of words, none of them blank.")
    return any(_found(word.strip().casefold(), folded) for word in listed)


def _found(word: str, folded: str) -> bool:
    return re.search(_INSIDE + re.escape(word), folded) is not None


Level = Literal["summary", "brief", "full"]
LEVELS: tuple[Level, ...] = get_args(Level)


class Disclosure:
    """What one session shows of a registry's tools to one provider, and its calls.

    `tools` is what a dispatcher takes in place of the registry. One object serves one conversation, in one
    thread.

    Attributes:
        registry: the registry or selection.
        tools: the same tools, whose calls go through this session.
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
        native: bool | Native | None = None,
        upgrade: Literal["definition", "answer"] = "definition",
    ) -> None:
        """Start a session.

        Args:
            registry: a registry, or a selection of one.
            provider: id of the provider of the definitions; "text" for models without tool calling.
            level: "summary" shows names and summaries; "brief" also the parameters' names and types, and
                which are required; "full" everything. None is "brief", unless the provider loads tools.
            levels: other levels by group; a group covers all groups below it.
            eager: names of tools that are always full.
            keep: whether upgraded tools stay full in later turns.
            native: whether the provider loads tools by itself: it then gets all of them in full, marked for
                that. None where that is known of the provider and no level is given, False never, True or a
                `Native` always.
            upgrade: "definition" puts the full definition into the next round; "answer" only into the answer
                of the failed call.

        Raises:
            ValueError: a level or `upgrade` does not exist, native loading is demanded beside levels, or of a
                provider that is not known for it.
        """
        given = [*([] if level is None else [level]), *(levels or {}).values()]
        for one in given:
            if one not in LEVELS:
                raise ValueError(f"There is no level {one!r}. Choose among {', '.join(LEVELS)}.")
        if upgrade not in ("definition", "answer"):
            raise ValueError(f"upgrade must be 'definition' or 'answer', not {upgrade!r}.")
        self.registry = registry
        self.tools: ToolView = RedirectedView(registry, self.execute)
        self.provider = provider
        self._level: Level = level or "brief"
        self._levels: dict[str, Level] = dict(levels or {})
        self._eager = frozenset([eager] if isinstance(eager, str) else eager)
        self._keep = keep
        self._native = native_for(provider, native, levels=bool(given))
        if provider == TEXT and self._native is not None:
            raise ValueError("Text has no tool objects that could be marked to be loaded: leave out native.")
        self._upgrade = upgrade
        self._order: dict[str, None] = {}  # tools shown so far; only appended to
        self._wanted: set[str] | None = None  # tools that were routed to; None for all
        self._full: set[str] = set()
        self._answered: set[str] = set()  # in this turn
        self._made: dict[tuple[str, str], bytes] = {}

    def route(self, text: str, keywords: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
        """Show the groups that a user's text mentions, and all groups where it mentions none.

        Call it before the turn's first `definitions`. What a session has shown stays: a smaller choice needs
        a new session.

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

    def definitions(self) -> bytes:
        """Give the tool objects of the next request.

        Returns:
            A JSON array. Iterating its bytes raises TypeError, as with those of a registry.

        Raises:
            UnknownProviderError: nothing was generated for the provider, or it is "text".
        """
        if self.provider == TEXT:
            raise UnknownProviderError(
                "Text has no tool objects: instructions(disclosure) writes the block for the system prompt."
            )
        return DefinitionBytes(b"[" + b",".join(self._parts()) + b"]")

    def shown(self) -> tuple[tuple[ToolBinding[Any, Any], Level], ...]:
        """Give the tools of the next request, and how much of each it shows.

        Returns:
            Each tool with its level, in their order.
        """
        for name in self.registry:
            if self._wanted is None or name in self._wanted:
                self._order.setdefault(name)
        return tuple((self.registry.get(name).binding, self.level_of(name)) for name in self._order)

    def definitions_raw(self) -> msgspec.Raw:
        """Give the bytes of `definitions` as a value that `msgspec.json.encode` copies unchanged.

        Returns:
            A `msgspec.Raw`.
        """
        return msgspec.Raw(self.definitions())

    def definition_objects(self) -> list[dict[str, Any]]:
        """Give `definitions` as parsed objects.

        Returns:
            New objects each time.
        """
        objects: list[dict[str, Any]] = msgspec.json.decode(self.definitions())
        return objects

    @property
    def names(self) -> tuple[str, ...]:
        """The tools shown so far, in their order."""
        return tuple(self._order)

    def level_of(self, name: str) -> Level:
        """Tell how much of a tool the next round shows.

        Args:
            name: name of the tool.

        Returns:
            "summary", "brief" or "full".

        Raises:
            UnknownToolError: there is no such tool.
        """
        binding = self.registry.get(name).binding
        if name in self._full or name in self._eager or self._native is not None:
            return "full"
        group = binding.group
        while group and group not in self._levels:
            group = group.rpartition("/")[0]
        return self._levels.get(group, self._level)

    @property
    def state(self) -> Shown:
        """What this session has shown, for the state of a run."""
        return Shown(
            order=tuple(self._order),
            chosen=None if self._wanted is None else tuple(sorted(self._wanted)),
            full=tuple(sorted(self._full)),
            always=tuple(sorted(self._eager)),
            answered=tuple(sorted(self._answered)),
        )

    def restore(self, shown: Shown) -> None:
        """Go on within a turn, where another session has shown what it did. Tools that are gone are left out.

        Args:
            shown: what it has shown.
        """
        self._order = {name: None for name in shown.order if name in self.registry}
        self._wanted = None if shown.chosen is None else {*shown.chosen}
        self._full = {*shown.full}
        self._eager |= {*shown.always}
        self._answered = {*shown.answered}

    def next_turn(self) -> None:
        """Begin a turn of the user: upgraded tools are cut again, to the same bytes as before, unless `keep`
        is set.
        """
        self._answered.clear()
        if not self._keep:
            self._full.clear()

    async def execute(
        self,
        name: str,
        arguments: Arguments,
        provider: str | None = None,
        context: ToolContext | None = None,
        guesses: Guesses | None = None,
    ) -> ToolResult:
        """Carry out a call as the registry does.

        The first call in a turn whose arguments do not fit, of a tool that was shown in part, is answered
        with every violation and the tool's full definition, which is full from the next round on.

        Args:
            name: name of the tool, as the model wrote it.
            arguments: the provider's JSON text, or a parsed mapping.
            provider: id of the provider of the arguments; the session's own by default.
            context: circumstances of the call.
            guesses: guesses in place of the registry's own.

        Returns:
            The result.
        """
        dialect = provider
        if provider is None and self.provider != TEXT:
            dialect = self.provider
        known = self.registry.resolve(name)
        in_part = known is not None and self._in_part(known)
        result = await self.registry.execute(name, arguments, dialect, context, guesses)
        if result.success or known is None or not in_part or known in self._answered:
            return result
        problem = self._problem(known, arguments, dialect, guesses)
        if problem is None:
            return result
        self._answered.add(known)
        if self._upgrade == "definition":
            self._full.add(known)
        if problem.missing:  # then the result has the schema already
            return result
        binding = self.registry.get(known).binding
        error = f"{result.error}\nThe full definition of {known!r}: {self._whole(binding)}"
        hint = hint_for(binding, problem, schema_text(binding, dialect))
        return msgspec.structs.replace(result, error=error, data=hint)

    def _in_part(self, name: str) -> bool:
        """Whether less than all of a tool is shown; false for one that cannot be loaded: its call says so."""
        try:
            return self.level_of(name) != "full"
        except Exception:  # whatever a module raises when it is imported
            return False

    def _whole(self, binding: ToolBinding[Any, Any]) -> str:
        """The full definition, in the form of the provider's."""
        if self.provider != TEXT:
            return binding.definition(self.provider).decode()
        function = {"name": binding.name, "description": binding.description}
        whole = {**function, "parameters": msgspec.Raw(schema_text(binding, None))}
        return msgspec.json.encode(whole).decode()

    def _problem(
        self, name: str, arguments: Arguments, provider: str | None, guesses: Guesses | None
    ) -> ArgumentError | None:
        """What is wrong with the arguments of a call that failed, if it was they."""
        chosen = self.registry.guesses if guesses is None else guesses
        # The same guesses, counted apart: the call's own were counted.
        again = None if chosen is None else Guesses(chosen.allow)
        try:
            self.registry.get(name).binding.decode(arguments, provider, again)
        except ArgumentError as problem:
            return problem
        except Exception:
            return None  # not the arguments: the result states the reason
        return None

    def _parts(self) -> list[bytes]:
        parts = [self._definition(binding, level) for binding, level in self.shown()]
        native = self._native
        if native is not None and any(name not in self._eager for name in self._order):
            return [*(msgspec.json.encode(tool) for tool in native.tools), *parts]
        return parts

    def _definition(self, binding: ToolBinding[Any, Any], level: Level) -> bytes:
        name = binding.name
        late = self._native is not None and name not in self._eager
        if not late and level != "summary":
            return binding.definition(self.provider, level)
        kind = "native" if late else level
        made = self._made.get((name, kind))
        if made is None:
            whole = binding.definition(self.provider)
            if late and self._native is not None:
                made = deferred(whole, self._native)
            else:
                pointers = binding.envelopes.get(self.provider)
                bare = bare_definition(msgspec.json.decode(whole), name, binding.summary, pointers)
                made = msgspec.json.encode(bare)
            self._made[name, kind] = made
        return made
