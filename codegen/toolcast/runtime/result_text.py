"""Texts of typed results for models: the members that paths name, or a template that is filled in.

    paths     items[].id             {"items": [{"id": 1}, {"id": 2}]}
    template  - {items[].id}         - 1
                                     - 2

In a path, `[]` stands for each element of a list, and `*` for each member of a map. A line of a template
whose places go through a list is written once for each element, together with the lines after it that go
through the same list. All places of a line go through the same lists, so that no value is written more often
than the template names it. Nothing is evaluated: a place is a path, and the rest is text.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

MAX_PATHS: Final = 100
"""Paths of a list, or places of a template."""
MAX_TEMPLATE: Final = 4_000
MAX_TEXT: Final = 4_194_304
"""Characters of a template, and of what it makes."""

ELEMENTS: Final = "[]"
MEMBERS: Final = ".*"
Steps: TypeAlias = tuple[str, ...]
"""Steps of a path: a name as `.name`, ELEMENTS or MEMBERS."""

_NAME = r"[^.*\[\]{}\r\n]+"
_PATH: Final = re.compile(rf"(?:\.\*|\.{_NAME}|\[\]){{1,64}}")
_STEP: Final = re.compile(r"\[\]|\.[^.\[]+")
_BRACES: Final = re.compile(r"\{\{|\}\}|\{([^{}\r\n]*)\}|[{}]")
_HINT: Final = (
    "write at most 64 names with dots between, `[]` for each element of a list, `*` for each member of a map"
)


class Place(Struct, frozen=True):
    """A path as it is written, at the `index` of a list or the `offset` of a template, and its steps."""

    path: str
    index: int = 0
    offset: int = 0
    steps: Steps = ()


class ResultTextError(ValueError):
    """The reason why a path or a template cannot be used, and what to write, for people; at a place."""

    def __init__(self, reason: str, hint: str, place: Place = Place("")) -> None:  # noqa: B008 - frozen
        super().__init__(reason)
        self.reason, self.hint, self.place = reason, hint, place


class ResultText(Struct, frozen=True):
    """A way to write results: `write` makes the text of plain JSON data; `places` are its paths."""

    write: Callable[[Any], str]
    places: tuple[Place, ...]


def result_text(stated: Sequence[str] | str) -> ResultText:
    """Read paths, or a template. Raises ResultTextError."""
    if isinstance(stated, str):
        found = _template(stated)
    else:
        places = tuple(_read(Place(path, index)) for index, path in enumerate(stated))
        kept = _tree(places, 0)
        found = ResultText(lambda value: _json(_keep(value, kept)), places)
    if len(found.places) > MAX_PATHS:
        reason, hint = f"there are more than {MAX_PATHS} paths", "name members further up"
        raise ResultTextError(reason, hint, found.places[MAX_PATHS])
    return found


def is_name(text: str) -> bool:
    """Return whether a path can name a member of this name."""
    return re.fullmatch(_NAME, text) is not None


def written(steps: Iterable[str]) -> str:
    """Return steps as a path."""
    return "".join(steps).removeprefix(".")


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _read(place: Place) -> Place:
    whole = place.path if place.path.startswith(ELEMENTS) else f".{place.path}"
    if not _PATH.fullmatch(whole):
        raise ResultTextError(f"{place.path!r:.80} is not a path of members", _HINT, place)
    return replace(place, steps=tuple(_STEP.findall(whole)))


_Kept: TypeAlias = "dict[str | None, _Kept] | None"
"""The kept parts of a value: by name, by MEMBERS, or by None for elements; None for all of it."""


def _tree(places: Iterable[Place], depth: int) -> _Kept:
    below: dict[str, list[Place]] = {}
    for place in places:
        if len(place.steps) == depth:
            return None
        below.setdefault(place.steps[depth], []).append(place)
    if MEMBERS in below and len(below.keys() - {ELEMENTS}) > 1:  # to join what both keep could take for ever
        reason = f"`{below[MEMBERS][0].path}` is about each member, and another path about one of them"
        raise ResultTextError(reason, "write `*` alone, or names", below[MEMBERS][0])
    keys = {step: None if step == ELEMENTS else step if step == MEMBERS else step[1:] for step in below}
    return {keys[step]: _tree(found, depth + 1) for step, found in below.items()}


def _keep(value: Any, kept: _Kept) -> Any:
    """Return what is kept of a value. What is neither an object nor a list has no parts, and stays."""
    if kept is None:
        return value
    if isinstance(value, dict):
        if MEMBERS in kept:
            return {name: _keep(item, kept[MEMBERS]) for name, item in value.items()}
        return {name: _keep(item, kept[name]) for name, item in value.items() if name in kept}
    if isinstance(value, list):
        return [_keep(item, kept[None]) for item in value] if None in kept else []
    return value


class _Line(Struct, frozen=True):
    """A line: texts, and names that lead to values. `loops` has the steps to each list that they are in."""

    loops: tuple[Steps, ...]
    parts: tuple[str | Steps, ...]


def _template(text: str) -> ResultText:
    if len(text) > MAX_TEMPLATE:
        raise ResultTextError(f"a template has at most {MAX_TEMPLATE:,} characters", "write a shorter one")
    places: list[Place] = []
    lines: list[_Line] = []
    offset = 0
    for line in text.removesuffix("\n").split("\n"):
        parts = list(_parts(line, offset))
        places += (part for part in parts if isinstance(part, Place))
        lines.append(_line(parts))
        offset += len(line) + 1
    if not places:
        reason = "the template has no place, so its text would be the same for all results"
        raise ResultTextError(reason, "write `{member}` where a member is to stand, or list paths")
    return ResultText(lambda value: _filled(lines, value), tuple(places))


def _parts(line: str, start: int) -> Iterator[str | Place]:
    end = 0
    for found in _BRACES.finditer(line):
        yield line[end : found.start()]
        end = found.end()
        place = Place((found[1] or "").strip(), offset=start + found.start())
        if found[1] is None and len(found[0]) == 1:
            hint = "write `{member}` for a place, and `{{` or `}}` for a brace of the text"
            raise ResultTextError(f"this `{found[0]}` belongs to no place", hint, place)
        yield found[0][0] if found[1] is None else _read(place)
    yield line[end:]


def _line(parts: Sequence[str | Place]) -> _Line:
    places = [part for part in parts if isinstance(part, Place)]
    loops = [_loops(place.steps) for place in places]
    for place, others in zip(places, loops, strict=True):
        if others != loops[0]:
            reason = f"`{places[0].path}` and `{place.path}` of one line do not go through the same lists"
            raise ResultTextError(reason, "write a line for each", place)
    outer = loops[0] if loops else ()
    within = sum(map(len, outer))
    return _Line(outer, tuple(part if isinstance(part, str) else part.steps[within:] for part in parts))


def _loops(steps: Steps) -> tuple[Steps, ...]:
    ends = [index for index, step in enumerate(steps, 1) if step in (ELEMENTS, MEMBERS)]
    return tuple(steps[begin:end] for begin, end in zip([0, *ends], ends, strict=False))


def _filled(lines: Sequence[_Line], value: object) -> str:
    texts: list[str] = []
    left = MAX_TEXT
    for text in _texts(lines, 0, value):
        texts.append(text[:left])
        left -= len(text)
        if left < 0:
            return f"{''.join(texts)}\n[… the rest is left out: a text has at most {MAX_TEXT:,} characters …]"
    return "".join(texts).rstrip("\n")


def _texts(lines: Iterable[_Line], depth: int, value: object) -> Iterator[str]:
    for loop, group in groupby(lines, lambda line: line.loops[depth : depth + 1]):
        within = tuple(group)
        if loop:
            found = _at(value, loop[0][:-1])
            if loop[0][-1] == MEMBERS:
                found = [*found.values()] if isinstance(found, dict) else ()
            for each in found if isinstance(found, list) else ():
                yield from _texts(within, depth + 1, each)
            continue
        for line in within:
            values = [_at(value, part) for part in line.parts if not isinstance(part, str)]
            if not values or any(each is not None for each in values):
                left = iter(values)
                yield from (part if isinstance(part, str) else _shown(next(left)) for part in line.parts)
                yield "\n"


def _at(value: Any, steps: Steps) -> Any:
    for step in steps:
        value = value.get(step[1:]) if isinstance(value, dict) else None
    return value


def _shown(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else _json(value)
