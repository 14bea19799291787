"""Where a loss happened: in the spec, in a provider's tool object, and in the generated module."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ..jsonschema.pointers import join, resolve, split
from ..lint.linted_tool import Subject
from ..project.core.tool_definitions import tool_info, wanted_strict
from ..providers import LedgerEntry, Profile, pointer_to, profile_for
from ..providers.profiles.envelope import CARRIERS
from ..providers.written_at import written_at
from ..python.structs.module_model import ClassDefinition, Module
from ..spec.parsed_document import Path
from .report_model import Loss

Value = TypeVar("Value")

_RESULTS: Mapping[str, str] = {
    **dict.fromkeys(CARRIERS["result"], ""),
    "$result_response": "/properties/output",
}
"""What an envelope calls the schema of results → where that schema stands in it."""

Lines = Mapping[str, int]
"""Lines of a generated module, by pointer into the contract."""


def module_lines(text: str, module: Module) -> Lines:
    """The lines of a generated module.

    Args:
        text: its text; empty for none.
        module: the module that was rendered.

    Returns:
        The line of each class, alias and field, by the pointer of the schema that it was made from.
    """
    definitions = {each.name: each for each in (*module.definitions, *module.late_definitions)}
    lines: dict[str, int] = {}
    for owner, name, line in _definition_lines(ast.parse(text).body):
        definition = definitions.get(owner)
        if definition is not None and not name:
            lines.setdefault(definition.pointer, line)
        elif isinstance(definition, ClassDefinition):
            pointer = next((each.pointer for each in definition.fields if each.name == name), "")
            if pointer:
                lines[pointer] = line
    return lines


def _definition_lines(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str, int]]:
    """Classes and aliases with an empty second name, and fields with the class that owns them."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield node.name, "", node.lineno
            for each in node.body:
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                    yield node.name, each.target.id, each.lineno
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, "", node.lineno
        elif isinstance(node, ast.If):
            yield from _definition_lines(node.body)


def sent_pointers(subject: Subject, profile: Profile) -> Mapping[str, str]:
    """Where the schemas of a tool's parameters are in the schema that a provider gets.

    Args:
        subject: the tool.
        profile: a provider that it has a definition for.

    Returns:
        Pointers into `subject.parameters` → pointers into the provider's schema; of several places the first.
    """
    found: dict[str, str] = {}
    for sent, written in written_at(
        subject.parameters, profile, strict=wanted_strict(subject.tool, profile)
    ).items():
        found.setdefault(written, sent)
    return found


class LossPlaces:
    """Finds the places of the losses of one tool."""

    def __init__(self, subject: Subject, lines: Lines) -> None:
        self._subject, self._lines = subject, lines
        self._info = tool_info(subject.tool, subject.normal)
        self._sent: dict[int, Mapping[str, str]] = {}  # by schema: providers of one dialect share it

    def loss(self, entry: LedgerEntry, profile: Profile, definition: Any) -> Loss:
        """An entry of the ledger with its places.

        Args:
            entry: the entry.
            profile: its provider.
            definition: the tool object, or the text of a declaration.

        Returns:
            The loss.
        """
        pointer = contract_pointer(entry)
        file, line, column = self._written(entry, pointer)
        text = isinstance(definition, str)
        return Loss(
            severity=entry.severity,
            action=entry.action,
            keyword=entry.keyword,
            of=entry.of,
            sentence=entry.sentence,
            pointer=pointer,
            shown_at=None if text else existing(definition, self._shown(entry, profile)),
            file=file,
            line=line,
            column=column,
            struct_line=None if entry.of == "spec" else nearest(self._lines, pointer),
        )

    def _written(self, entry: LedgerEntry, pointer: str) -> tuple[str, int, int]:
        """The file, line and column of the keyword, or of the nearest thing around it."""
        if entry.of == "spec":
            document, path = self._subject.tool.document, tuple[str | int, ...](split(pointer))
        else:
            document, path = self._subject.normal.locate(pointer)
            path = (*path, entry.keyword)
        while (found := _find_path(document.data, path)) is None:
            path = path[:-1]
        return (document.file, *document.locate(found, key=True))

    def _shown(self, entry: LedgerEntry, profile: Profile) -> str:
        """The pointer in the tool object; it may lead to nothing."""
        own = profile_for(self._info, profile)
        if entry.of == "spec":
            return ""
        if entry.of == "result":
            places = ((pointer_to(value, own), below) for value, below in _RESULTS.items())
            start = next((f"{at}{below}" for at, below in places if at is not None), None)
            return "" if start is None else f"{start}{entry.path}/{entry.keyword}"
        at = pointer_to("$parameters", own)
        if at is None:
            return ""
        emitted = self._subject.emitted[profile.id]
        if id(emitted) not in self._sent:
            self._sent[id(emitted)] = sent_pointers(self._subject, profile)
        place = nearest(self._sent[id(emitted)], entry.path)
        exact = self._sent[id(emitted)].get(entry.path)
        return f"{at}{place or ''}" + (join((entry.keyword,)) if exact is not None else "")


def _find_path(data: object, segments: Sequence[str | int]) -> Path | None:
    """The path that the segments of a pointer mean in `data`; None where they lead to nothing."""
    path: list[str | int] = []
    for segment in segments:
        if isinstance(data, Mapping) and segment in data:
            data = data[segment]
            path.append(segment)
        elif isinstance(data, list) and str(segment).isdecimal() and int(segment) < len(data):
            data = data[int(segment)]
            path.append(int(segment))
        else:
            return None
    return tuple(path)


def contract_pointer(entry: LedgerEntry) -> str:
    """The pointer of an entry in the contract document; for one of the spec, in the spec."""
    if entry.of == "spec":
        return entry.path
    return entry.path if entry.path.startswith("/$defs/") else f"/{entry.of}{entry.path}"


def nearest(by_pointer: Mapping[str, Value], pointer: str) -> Value | None:
    """The value of a pointer, or of the nearest one around it; None where there is none."""
    while pointer not in by_pointer and pointer:
        pointer = pointer.rpartition("/")[0]
    return by_pointer.get(pointer)


def existing(value: Any, pointer: str) -> str:
    """The pointer, or the nearest one around it, at which there is something."""
    while pointer:
        try:
            resolve(value, pointer)
            return pointer
        except (LookupError, TypeError):
            pointer = pointer.rpartition("/")[0]
    return ""
