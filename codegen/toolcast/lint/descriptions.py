"""Descriptions that are missing, or without information for a model."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..contract.normal_form import definition_name
from ..hidden_characters import describe_character, escape_hidden, hidden_offsets, is_deceptive
from ..spec.deprecation import shown_description
from ..spec.parsed_document import Path
from .finding import Finding
from .linted_tool import Subject
from .words import EMPTY, KINDS, PLACEHOLDERS, among, content, is_dense, name_words, stem, text_words

_FEW: Final = 3  # fewer words than this cannot describe a tool
_STATED: Final = 5  # parameters named one by one
_NAME_REPEATS: Final = 3  # a name of so many words may be a full description
# One of these describes a parameter as well as a description does.
_INFORMATIVE: Final = among("enum const format pattern examples default minimum maximum minLength")

Properties = list[tuple[Path, str, Mapping[str, Any]]]


def descriptions(subject: Subject) -> Iterator[Finding]:
    """Findings about the tool's description and those of its parameters."""
    problem = vague(subject.tool.name, subject.tool.description)
    if problem:
        key = "description" if "description" in subject.tool.document.data else "summary"
        fix = "say what the tool does, when to use it, and what it gives back"
        yield subject.finding("vague-description", f"the description {problem}", fix, at=(key,))
    missing: list[Path] = []
    empty: list[Path] = []
    listed = properties(subject.parameters)
    for path, name, schema in listed:
        text = _description(schema, subject.parameters)
        if not text:
            if "const" not in schema:
                missing.append(path)
        elif not _INFORMATIVE & schema.keys() and _is_empty_of_content(name, text):
            empty.append(path)
    if missing:
        names, count = _names(missing), len(missing)
        message = (
            f"{count} of {len(listed)} parameters {'has' if count == 1 else 'have'} no description: {names}"
        )
        yield subject.finding("missing-description", message, "describe them", schema=missing[0])
    if empty:
        message = f"the description repeats only the parameter's name: {_names(empty)}"
        fix = "say what it means: its unit, form, source or effect"
        yield subject.finding("vague-parameter", message, fix, schema=empty[0])


def vague(name: str, description: str) -> str:
    """Why a tool's description has no information; empty if it has some.

    It is a placeholder, or has fewer than three words, or its words are all in the name. The last is no fault
    of a name that has three words of meaning itself.
    """
    if PLACEHOLDERS.fullmatch(description):
        return "is a placeholder"
    if is_dense(description):
        return ""  # a script without spaces: neither counting nor comparing words means anything
    own = {stem(word) for word in name_words(name)}
    if len(own) < _NAME_REPEATS and not set(content(description)) - own - EMPTY:
        return "says no more than the name"
    words = len(text_words(description))
    return "" if words >= _FEW else f"has only {words} word{'s'[: words != 1]}"


def _is_empty_of_content(name: str, text: str) -> bool:
    if PLACEHOLDERS.fullmatch(text):
        return True
    if is_dense(text):
        return False
    own = {stem(word) for word in name_words(name)}
    return len(own) < _NAME_REPEATS and not set(content(text)) - own - KINDS


def properties(root: Mapping[str, Any]) -> Properties:
    """Declared properties at any depth, in order, through lists and branches and each definition once."""
    found: Properties = []
    queue: list[tuple[Any, Path]] = [(root, ())]
    while queue:
        node, path = queue.pop()
        if not isinstance(node, Mapping):
            continue
        below: list[tuple[Any, Path]] = []
        for name, each in node.get("properties", {}).items():
            inner = (*path, "properties", name)
            found.append((inner, name, each if isinstance(each, Mapping) else {}))
            below.append((each, inner))
        below.extend((node[key], (*path, key)) for key in ("items", "additionalProperties") if key in node)
        for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            below.extend((each, (*path, key, index)) for index, each in enumerate(node.get(key, ())))
        if not path:
            below.extend((each, ("$defs", name)) for name, each in node.get("$defs", {}).items())
        queue.extend(reversed(below))
    return found


def _description(schema: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    """Its own description, or that of the definition that it refers to, or of its only branch with one."""
    text = schema.get("description")
    if isinstance(text, str) and text.strip():
        return text
    name = definition_name(schema["$ref"]) if "$ref" in schema else None
    if name is not None:
        target = root.get("$defs", {}).get(name)
        return str(target.get("description", "")) if isinstance(target, Mapping) else ""
    for key in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(key, ()):
            if isinstance(each, Mapping) and (text := _description(each, root)):
                return text
    return ""


def _names(paths: list[Path]) -> str:
    names = [readable(path) for path in paths[:_STATED]]
    return ", ".join(names) + (f" and {len(paths) - _STATED} more" if len(paths) > _STATED else "")


def readable(path: Path) -> str:
    """`filter.items[].name`: a place as people write it."""
    out = ""
    position = 0
    while position < len(path):
        step = path[position]
        if step in ("properties", "$defs") and position + 1 < len(path):
            out += f".{path[position + 1]}" if out else str(path[position + 1])
            position += 2
            continue
        out += {"items": "[]", "additionalProperties": ".*"}.get(str(step), "")
        position += 1
    return out


_ENOUGH: Final = 3  # words of meaning that two descriptions must share before being equal means something


def collisions(subjects: Sequence[Subject]) -> Iterator[Finding]:
    """Names that are equal without case and separators, reported at all but the first."""
    first: dict[str, str] = {}
    for subject in subjects:
        name = subject.tool.name
        other = first.setdefault("_".join(name_words(name)).replace("_", ""), name)
        if other != name:
            message = f"the name {name!r} differs from {other!r} only by case or separators"
            yield subject.finding(
                "name-collision", message, "give one of them a name of its own", at=("name",)
            )


def duplicates(subjects: Sequence[Subject]) -> Iterator[Finding]:
    """Descriptions that are equal or nearly so, reported at all but the first."""
    first: dict[tuple[str, ...], Subject] = {}
    for subject in subjects:
        key = likeness(shown_description(subject.tool))
        if len(key) < _ENOUGH:
            continue
        other = first.setdefault(key, subject)
        if other is subject:
            continue
        same = shown_description(subject.tool).strip() == shown_description(other.tool).strip()
        how = "the same as" if same else "nearly the same as"
        message = f"the description is {how} that of {other.tool.name!r}"
        fix = f"say in both when to use {subject.tool.name!r} and when {other.tool.name!r}"
        yield subject.finding("duplicate-description", message, fix, at=("description",))


def likeness(description: str) -> tuple[str, ...]:
    """Equal for descriptions that differ only by case, order, punctuation, endings and small words."""
    if is_dense(description):
        return tuple(description.split()) * _ENOUGH  # words are not separated: only equal texts are alike
    return tuple(sorted(set(content(description))))


_BEFORE = 20
"""Characters of the text that lead to the place."""


def hidden_text(subject: Subject) -> Iterator[Finding]:
    """A finding for each key and text of the spec, and of the shared types that it uses, at its place."""
    for path, text in _texts(subject.tool.document.data):
        for code, message in _problems(path, text):
            yield subject.finding(code, message, _FIX, at=path)
    for name, location in subject.normal.locations.items():
        for path, text in _texts(subject.normal.defs[name]) if location.file else ():
            for code, message in _problems(path, text):
                yield subject.finding(code, message, _FIX, schema=("$defs", name, *path))


_FIX = "take it out: who reads the spec does not see it, and a model reads it"


def _texts(data: Any) -> Iterator[tuple[Path, str]]:
    """Every key and every text below `data`, in order; a key has the path of its value."""
    waiting: list[tuple[Path, Any]] = [((), data)]
    while waiting:
        path, value = waiting.pop()
        below: list[tuple[Path, Any]] = []
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, dict):
            for key, item in value.items():
                yield (*path, key), key
                below.append(((*path, key), item))
        elif isinstance(value, list):
            below = [((*path, index), item) for index, item in enumerate(value)]
        waiting += reversed(below)


def _problems(path: Path, text: str) -> Iterator[tuple[str, str]]:
    """(code, message) of what is hidden in one text."""
    indexes = [index for index in hidden_offsets(text) if text[index] != "\r"]
    for code, grave in (("hidden-text", True), ("hidden-character", False)):
        found = [index for index in indexes if is_deceptive(text[index]) == grave]
        if not found:
            continue
        first = found[0]
        lead = "".join(char for char in text[max(0, first - _BEFORE) : first] if char.isprintable())
        where = f"behind {lead!r}" if lead else "at the beginning"
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        name = ".".join(_visible(str(step)) for step in path)
        yield code, f"`{name}` holds {describe_character(text[first])}, character {first + 1}, {where}{more}"


def _visible(step: str) -> str:
    """A step of a path on one line, with what nobody sees as JSON escapes it."""
    return escape_hidden(json.dumps(step, ensure_ascii=False)[1:-1])
