"""Tools of two states side by side: by name, and renamed ones by what they have in common."""

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from difflib import SequenceMatcher
from typing import Final, TypedDict, Unpack

from msgspec import Struct
from msgspec.structs import replace

from ...config import Config
from ...contract.build import Built, build_tool, offered
from ...contract.schema_forms import asserted_keywords
from ...diagnostics import Diagnostic
from ...jsonschema.json_values import JsonObject
from ...jsonschema.keywords import map_subschemas
from ...providers import Profile
from ...spec.parsed_document import Path
from ...spec.tool_spec import ToolSpec
from .rules import RULES, Change, Witness
from .states import State, named


class PairSide(Struct, frozen=True, kw_only=True):
    """A tool in one state. Its contract has been built: `built.contract` is not None."""

    tool: ToolSpec
    built: Built


class _Details(TypedDict, total=False):
    hint: str
    providers: tuple[str, ...]
    witness: Witness | None
    undecided: bool


class Pair(Struct, frozen=True, kw_only=True):
    """A tool in both states; one side is None where it was added or removed.

    `renamed_from` is the tool's former name, else empty; `renamed_parameters` maps new names to old ones.
    """

    old: PairSide | None
    new: PairSide | None
    renamed_from: str = ""
    renamed_parameters: Mapping[str, str] = {}

    @property
    def side(self) -> PairSide:
        """Return the new side; the old one of a removed tool."""
        side = self.new or self.old
        assert side is not None
        return side

    @property
    def name(self) -> str:
        """Return the tool's name in the new state; in the old one where it was removed."""
        return self.side.tool.name

    def change(
        self,
        rule: str,
        message: str,
        *,
        pointer: str = "",
        at: Path | None = None,
        old: bool = False,
        **details: Unpack[_Details],
    ) -> Change:
        """Return a change of this tool, positioned in the spec.

        `pointer` is the place in the contract document; `at`, where it is in no contract, the path of a key
        in the spec; without both it is the start of the spec. `old` takes the place from the old state.
        """
        side = (self.old if old else self.new) or self.side
        if pointer:
            document, path = side.built.normal.locate(pointer)
            line, column = document.locate(path, key=len(path) > 1 and path[-2] == "properties")
        else:
            document = side.tool.document
            line, column = document.locate(at or (), key=bool(at))
        return Change(
            rule=rule,
            tool=self.name,
            pointer=pointer,
            file=document.file,
            line=line,
            column=column,
            old=side is self.old,
            message=message,
            **details,
        )


def offered_pair(pair: Pair) -> Pair:
    """Return the pair with contracts without parameters that the program fills in."""
    sides = (
        None if side is None else replace(side, built=offered(side.built, side.tool.inject))
        for side in (pair.old, pair.new)
    )
    old, new = sides
    return replace(pair, old=old, new=new)


class Context(Struct, frozen=True, kw_only=True):
    """The frame of every comparison: the configuration that reads both states, the providers to compare, the
    day for `remove_after` and `until`, the project's version (None: not stated), and the rules whose changes
    are reported.
    """

    config: Config
    profiles: tuple[Profile, ...]
    old: State
    new: State
    today: datetime.date
    version: str | None = None
    reported: Set[str] = frozenset(RULES)

    def asks(self, pair: Pair, *rules: str) -> bool:
        """Return whether changes of one of these rules are reported, or suppressed by the spec of `pair`."""
        ignored = pair.side.tool.diff_ignore
        return any(rule in self.reported or rule in ignored for rule in rules)


_MOST_COMPARED: Final = 40_000
"""Pairs of a removed and an added name that are compared; of more, no renaming is recognised."""
_LONGEST: Final = 2_000
"""Characters of a description that are compared."""
_NEAR: Final = 0.9
_MOST: Final = 0.8
_HALF: Final = 0.5
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


class _Pairs(Struct, frozen=True, kw_only=True):
    """The pairs in order of name, and why tools of the old and of the new state are missing among them."""

    pairs: tuple[Pair, ...]
    old_problems: tuple[Diagnostic, ...]
    new_problems: tuple[Diagnostic, ...]


def make_pairs(old: State, new: State) -> _Pairs:
    """Pair the tools of two states, without those that do not compile in one of them."""
    sides = _Sides(old, new)
    both = sorted(old.tools.keys() & new.tools.keys())
    pairs = [pair for name in both if (pair := sides.pair(old.tools[name], new.tools[name])) is not None]
    removed = sides.alone(old, _lacking(old, new))
    added = sides.alone(new, _lacking(new, old))
    renamed = _renamed_tools(removed, added)
    for name, side in added.items():
        before = renamed.get(name)
        if before is None:
            pairs.append(Pair(old=None, new=side))
        else:
            pairs.append(_pair(removed[before], side, renamed_from=before))
    gone = removed.keys() - {*renamed.values()}
    pairs += [Pair(old=removed[name], new=None) for name in sorted(gone)]
    return _Pairs(
        pairs=tuple(sorted(pairs, key=lambda pair: pair.name)),
        old_problems=tuple(sorted({*sides.old_problems})),
        new_problems=tuple(sorted({*sides.new_problems})),
    )


def _lacking(state: State, other: State) -> list[str]:
    """Return the tools that the other state has not even as a spec with errors."""
    return sorted(
        name
        for name in state.tools.keys() - other.tools.keys() - {*other.unchanged} - other.refused
        if state.tools[name].path not in other.refused
    )


class _Sides:
    def __init__(self, old: State, new: State) -> None:
        self.old_problems: list[Diagnostic] = []
        self.new_problems: list[Diagnostic] = []
        self._old = old
        self._new = new

    def pair(self, old: ToolSpec, new: ToolSpec) -> Pair | None:
        after = self._side(self._new, new)
        shared = not self._old.types and not self._new.types and _same_schemas(old, new)
        before = PairSide(tool=old, built=after.built) if shared and after else self._side(self._old, old)
        return None if before is None or after is None else _pair(before, after)

    def alone(self, state: State, names: Sequence[str]) -> dict[str, PairSide]:
        found = ((name, self._side(state, state.tools[name])) for name in names)
        return {name: side for name, side in found if side is not None}

    def _side(self, state: State, tool: ToolSpec) -> PairSide | None:
        built = build_tool(tool, state.types)
        if built.contract is not None:
            return PairSide(tool=tool, built=built)
        wrong = tuple(each for each in built.diagnostics if each.severity == "error")
        if state.listed:
            wrong = named(tool.name, wrong)
        (self.new_problems if state is self._new else self.old_problems).extend(wrong)
        return None


def _same_schemas(old: ToolSpec, new: ToolSpec) -> bool:
    """Return whether both have the same contract and examples, and so the same problems."""
    one, other = old.document.data, new.document.data
    return all(one.get(key) == other.get(key) for key in ("parameters", "result", "examples"))


def _pair(old: PairSide, new: PairSide, renamed_from: str = "") -> Pair:
    if old.built is new.built:
        return Pair(old=old, new=new, renamed_from=renamed_from)
    return Pair(
        old=old,
        new=new,
        renamed_from=renamed_from,
        renamed_parameters=_renamed_parameters(old.built, new.built),
    )


def _renamed_tools(removed: Mapping[str, PairSide], added: Mapping[str, PairSide]) -> dict[str, str]:
    if len(removed) * len(added) > _MOST_COMPARED:
        return {}
    gone = [(name, side.tool, _bare_parameters(side.built)) for name, side in removed.items()]
    came = [(name, side.tool, _bare_parameters(side.built)) for name, side in added.items()]
    scores = [
        (-score, before, after)
        for before, old, one in gone
        for after, new, other in came
        if (score := _likeness(old, new, _share(one, other)))
    ]
    return _assigned(scores)


def _assigned(scores: list[tuple[float, str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for _, before, after in sorted(scores):
        if after not in found and before not in found.values():
            found[after] = before
    return found


def _likeness(old: ToolSpec, new: ToolSpec, shared: float) -> float:
    """Return how surely one tool is the other under another name; 0 where that is not sure.

    Tools of one program share parameters, and descriptions but for a noun. So the same file or source has to
    say it, a name in another spelling, or the very same description. `shared` is the share of equal
    parameters.
    """
    text = _text_likeness(old.description, new.description)
    if shared < _HALF and text < _NEAR:
        return 0
    source = old.source is not None and old.source == new.source
    if source or old.path == new.path or _same_words(old.name, new.name):
        return 2 + shared + text
    return shared + text if text >= _NEAR and shared >= _MOST else 0


def _same_words(one: str, other: str) -> bool:
    """Return whether two names have the same words, or one has words before or after those of the other."""
    first, second = _words(one), _words(other)
    if len(first) > len(second):
        first, second = second, first
    if not first:
        return False
    if first == second or (len(first) == 1 and len(second) > 1):
        return first == second
    return second[: len(first)] == first or second[-len(first) :] == first


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]


def _text_likeness(one: str, other: str) -> float:
    one, other = one[:_LONGEST], other[:_LONGEST]
    if one == other:
        return 1.0 if one else 0.0
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.real_quick_ratio() < _NEAR or matcher.quick_ratio() < _NEAR:
        return 0.0
    return float(matcher.ratio())


def _bare_parameters(built: Built) -> JsonObject:
    return {name: _bare(schema) for name, schema in _parameters(built)}


def _share(one: Mapping[str, object], other: Mapping[str, object]) -> float:
    names = one.keys() | other.keys()
    same = [name for name in one if name in other and one[name] == other[name]]
    return len(same) / len(names) if names else 1.0


def _renamed_parameters(old: Built, new: Built) -> dict[str, str]:
    """Map new names of parameters to old ones: equal schemas, and equal descriptions or the same words."""
    one, other = dict(_parameters(old)), dict(_parameters(new))
    removed = [name for name in one if name not in other]
    added = [name for name in other if name not in one]
    if not removed or not added or len(removed) * len(added) > _MOST_COMPARED:
        return {}
    scores: list[tuple[float, str, str]] = []
    for before in removed:
        for after in added:
            if _bare(one[before]) != _bare(other[after]):
                continue
            text = _text_likeness(_description(one[before]), _description(other[after]))
            named = _same_words(before, after)
            if named or text >= _NEAR:
                scores.append((-text - named, before, after))
    return _assigned(scores)


def _parameters(built: Built) -> Iterator[tuple[str, object]]:
    root = built.normal.roots["parameters"]
    if isinstance(root, dict) and isinstance(root.get("properties"), dict):
        yield from root["properties"].items()


def _description(schema: object) -> str:
    text = schema.get("description") if isinstance(schema, dict) else None
    return text if isinstance(text, str) else ""


def _bare(schema: object) -> object:
    if not isinstance(schema, dict):
        return schema
    kept = asserted_keywords(schema)
    below = map_subschemas(schema, _bare)
    return {key: value for key, value in below.items() if key in kept}
