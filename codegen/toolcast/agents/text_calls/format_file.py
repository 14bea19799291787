"""Text formats in files: read, and checked, or refused with every problem, its place and a remedy."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from ...diagnostics import Diagnostic
from ...jsonschema.json_values import JsonObject
from ...text_formats.text_format import CallForm, Markers, Prompt, Response, TextFormat
from ...toml_tables import find_place, split_fault
from .reading.marker_patterns import HOLES

_MAX_FILE = 256 * 1024
"""Bytes of a file."""
_Keys = tuple[str | int, ...]
"""The way to a value: keys of tables, indices of lists."""
_MAX_MARKER = 256
"""Characters of one marker."""
_MAX_MARKERS = 2048
"""Markers of one format."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,63}")
_HOLE = re.compile(r"\{(\w+)\}")
_WITH_NAME = ("json-arguments", "parameters", "braces")
_WITHOUT_NAME = ("json-calls", "python", "words")
_CLOSED = ("parameters", "elements", "words")
"""Contents that do not show their own end."""
_ONLY = {
    "parameters": ("parameters",),
    "again": _WITH_NAME,
    "quote": ("braces",),
    "prefix": ("elements",),
    "exact": ("json-calls",),
    "names": ("json-calls",),
    "arguments": ("json-calls",),
}
"""Keys of a form that have a meaning for some contents only."""
_PEEKED = ("json-calls", "python", "elements", "words")
_WHOLE = ("json-calls", "python", "words")
_UNSEARCHED = ("start", "whole")


class _Finding(NamedTuple):
    """A problem of a format: its kind, what is wrong, what to change, and where."""

    code: str
    message: str
    hint: str
    keys: _Keys


class FormatError(ValueError):
    """A text format that cannot be read, or makes no sense.

    Attributes:
        diagnostics: everything that is wrong with it, with file, line and column.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(map(_line, self.diagnostics)))

    def __reduce__(self) -> tuple[type["FormatError"], tuple[tuple[Diagnostic, ...]]]:
        return type(self), (self.diagnostics,)


def _line(problem: Diagnostic) -> str:
    place = f":{problem.line}:{problem.column}" if problem.line else ""
    hint = f" ({problem.hint})" if problem.hint else ""
    return f"{problem.file}{place}: {problem.message}{hint}"


def read_format(source: str | Path) -> TextFormat:
    """Read a text format from a TOML file, and check it.

    Args:
        source: the file's path.

    Returns:
        The format; pass it to `parse`.

    Raises:
        FormatError: the file cannot be read, is no TOML, or states no valid format; it has every problem.
    """
    path = Path(source)
    text, data = _toml(path)
    findings = [*_misfits(data, TextFormat, ())]
    if not findings:
        format = msgspec.convert(data, TextFormat)
        findings = _find_contradictions(format)
        if not findings:
            return format
    raise FormatError([_diagnostic(each, str(source), text) for each in findings])


def check_format(format: TextFormat) -> tuple[Diagnostic, ...]:
    """Check a format that no file states.

    Args:
        format: the format.

    Returns:
        Its problems, with its id for the file; none for a format that can be read with.
    """
    return tuple(_diagnostic(each, f"text format {format.id!r}", "") for each in _find_contradictions(format))


@lru_cache(maxsize=64)
def checked_format(format: TextFormat) -> TextFormat:
    """Return the format itself. Raises FormatError where it makes no sense."""
    problems = check_format(format)
    if problems:
        raise FormatError(problems)
    return format


def _toml(path: Path) -> tuple[str, JsonObject]:
    line = column = 0
    text = ""
    try:
        if not path.is_file():  # a pipe would be waited for
            message = "is no regular file" if path.exists() else "there is no such file"
        elif (size := path.stat().st_size) > _MAX_FILE:
            message = f"the file has {size:,} bytes, of at most {_MAX_FILE:,}"
        else:
            text = path.read_bytes().decode("utf-8")
            return text, tomllib.loads(text)
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError as error:
        message = f"is no UTF-8: {error.reason} at byte {error.start}"
    except RecursionError:
        message = "nests too deeply"
    except tomllib.TOMLDecodeError as error:
        message, line, column = split_fault(str(error), text)
        message = f"is no TOML: {message}"
    raise FormatError(
        [Diagnostic(file=str(path), line=line, column=column, code="unreadable-file", message=message)]
    )


def _diagnostic(finding: _Finding, file: str, text: str) -> Diagnostic:
    line, column = find_place(text, finding.keys)
    where = _dotted(finding.keys)
    message = finding.message if not where or where in finding.message else f"{where}: {finding.message}"
    return Diagnostic(
        file=file, line=line, column=column, code=finding.code, message=message, hint=finding.hint
    )


def _misfits(value: object, kind: object, keys: _Keys) -> Iterator[_Finding]:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        yield from _misfits(value, next(each for each in arguments if each is not NoneType), keys)
    elif isinstance(kind, type) and issubclass(kind, Struct):
        yield from _table_misfits(value, kind, keys)
    elif origin is tuple and isinstance(value, list):
        for at, each in enumerate(value):
            yield from _misfits(each, arguments[0], (*keys, at))
    elif origin is Literal and isinstance(value, str) and value not in arguments:
        yield _Finding(
            "unknown-value", f"{_dotted(keys)} is {value!r}", _near(value, arguments, "allowed"), keys
        )
    else:
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError as problem:
            yield _Finding(
                "wrong-type",
                f"{_dotted(keys)}: {problem}",
                "docs/reference/text-calls.md lists the keys",
                keys,
            )


def _table_misfits(value: object, kind: type[Struct], keys: _Keys) -> Iterator[_Finding]:
    where = _dotted(keys) or "a format"
    if not isinstance(value, dict):
        yield _Finding("wrong-type", f"{where} must be a table", "write it as {key = value}", keys)
        return
    found = [*_field_misfits(value, kind, keys)]
    yield from found
    if not found:
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError as problem:  # what the type itself demands of its fields
            yield _Finding(
                "wrong-value", f"{where}: {problem}", "docs/reference/text-calls.md lists the keys", keys
            )


def _field_misfits(value: JsonObject, kind: type[Struct], keys: _Keys) -> Iterator[_Finding]:
    where = _dotted(keys) or "a format"
    hints = get_type_hints(kind)
    types = {field.encode_name: hints[field.name] for field in msgspec.structs.fields(kind)}
    for key, inner in value.items():
        if key in types:
            yield from _misfits(inner, types[key], (*keys, key))
        else:
            yield _Finding(
                "unknown-key",
                f"{where} has no key {key!r}",
                _near(key, types.keys() - value.keys(), "known"),
                (*keys, key),
            )
    for field in msgspec.structs.fields(kind):
        if field.required and field.encode_name not in value:
            yield _Finding("missing-key", f"{where} needs {field.encode_name!r}", "add it", keys)


def _find_contradictions(format: TextFormat) -> list[_Finding]:
    """Find values of the right type that make no sense, and forms that are never tried."""
    return [
        *_names(format),
        *_size(format),
        *(each for at, form in enumerate(format.calls) for each in _form(form, ("calls", at))),
        *_enclosures(format),
        *_loose(format),
        *_asked(format),
        *_unreachable(format.calls),
    ]


def _dotted(keys: _Keys) -> str:
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")


def _near(wrong: str, known: Iterable[str], what: str) -> str:
    names = sorted(known)
    close = get_close_matches(wrong, names, 1)
    return (f"did you mean {close[0]!r}? " if close else "") + f"{what}: {', '.join(names)}"


def _names(format: TextFormat) -> Iterator[_Finding]:
    for keys, name in (
        (("id",), format.id),
        *((("aliases", at), name) for at, name in enumerate(format.aliases)),
    ):
        if name == "auto" or not _ID.fullmatch(name):
            hint = "use up to 64 letters, digits, `.`, `_`, `/` and `-`; `auto` is taken"
            yield _Finding("unusable-name", f"{name!r} cannot name a format", hint, keys)
    for name, count in Counter((format.id, *format.aliases)).items():
        if count > 1:
            yield _Finding(
                "repeated-name",
                f"{name!r} stands {count} times among the names",
                "once is enough",
                ("aliases",),
            )
    if not format.title.strip():
        yield _Finding("empty-title", "the title is empty", "write the family's name for people", ("title",))
    if not format.calls:
        yield _Finding("no-calls", "the format has no form of calls", "add one [[calls]]", ())


def _size(format: TextFormat) -> Iterator[_Finding]:
    markers = sum(
        len(form.open) + len(form.close) + sum(len(each.open) + len(each.close) for each in form.parameters)
        for form in format.calls
    )
    enclosing = (*format.sections, *format.thoughts, *format.results)
    markers += 2 * len(enclosing) + len(format.dropped) + len(format.ends) + len(format.starts)
    if markers > _MAX_MARKERS:
        message = f"the format has {markers:,} markers, of at most {_MAX_MARKERS:,}"
        yield _Finding("too-many-markers", message, "split it into several formats", ())


def _form(form: CallForm, keys: _Keys) -> Iterator[_Finding]:
    for at, template in enumerate(form.open):
        yield from _opening(template, (*keys, "open", at), searched=form.place not in _UNSEARCHED)
        yield from _name_hole(form, template, (*keys, "open", at))
        yield from _id_holes(form, template, keys)
        if template.startswith(("```", "~~~")) and not form.fence:
            message = f"{template!r} opens a block of Markdown, where calls are examples beside other text"
            yield _Finding("unmarked-fence", message, "add fence = true", (*keys, "open", at))
    if not form.open:
        yield _Finding(
            "no-marker", "a form of calls needs an opening marker", "add it to `open`", (*keys, "open")
        )
    for at, marker in enumerate(form.close):
        yield from _closing(marker, (*keys, "close", at))
    for at, template in enumerate(form.again):
        yield from _opening(template, (*keys, "again", at), searched=False)
        yield from _name_hole(form, template, (*keys, "again", at))
    for at, template in enumerate(form.begins):
        yield from _opening(template.lstrip(), (*keys, "begins", at), searched=False)
    if not form.close and (form.content in _CLOSED or form.exact) and form.place != "whole":
        message = f"content {form.content!r} does not show its own end, and `close` is empty"
        yield _Finding("no-marker", message, "add the closing marker to `close`", (*keys, "close"))
    yield from _meaningless(form, keys)
    yield from _places(form, keys)
    for at, parameter in enumerate(form.parameters):
        below = (*keys, "parameters", at)
        for number, template in enumerate(parameter.open):
            yield from _opening(template, (*below, "open", number), holes=("key", "number"))
            if "{key}" not in template:
                hint = "put `{key}` where the parameter's name stands"
                yield _Finding("missing-hole", f"{template!r} has no {{key}}", hint, (*below, "open", number))
        for number, marker in enumerate(parameter.close):
            yield from _closing(marker, (*below, "close", number))
        for key in ("open", "close"):
            if not getattr(parameter, key):
                message = "a form of parameters needs an opening and a closing marker"
                yield _Finding("no-marker", message, f"add it to `{key}`", (*below, key))


def _opening(
    template: str, keys: _Keys, *, holes: tuple[str, ...] = ("name", "id", "number"), searched: bool = True
) -> Iterator[_Finding]:
    """Check a template in which only `holes` have a meaning."""
    yield from _marker(template, keys)
    found = _HOLE.findall(template)
    for hole in dict.fromkeys(found):
        if hole not in holes:
            hint = _near(hole, holes, "holes of this marker")
            yield _Finding("unknown-hole", f"{template!r} has the hole {{{hole}}}", hint, keys)
        elif found.count(hole) > 1:
            hint = "once: a second one would have to repeat its text"
            yield _Finding("repeated-hole", f"{template!r} has {{{hole}}} more than once", hint, keys)
    if searched and re.match(r"\{\w+\}|\s", template):
        hint = "begin with a character that stands in the text: the reader searches for it"
        yield _Finding("no-literal", f"{template!r} begins with a hole or white space", hint, keys)
    if re.search(r"\}\s*\{\w+\}", _HOLE.sub(lambda hole: hole[0] if hole[1] in HOLES else "", template)):
        hint = "put a character between them that neither can hold"
        yield _Finding("adjacent-holes", f"in {template!r} nothing divides two holes", hint, keys)


def _marker(marker: str, keys: _Keys) -> Iterator[_Finding]:
    if not marker:
        yield _Finding(
            "empty-marker", f"the marker {marker!r} is empty", "write the characters that it has", keys
        )
    if len(marker) > _MAX_MARKER:
        message = f"the marker has {len(marker):,} characters, of at most {_MAX_MARKER}"
        yield _Finding("long-marker", message, "a shorter beginning of it will do", keys)


def _closing(marker: str, keys: _Keys) -> Iterator[_Finding]:
    yield from _marker(marker, keys)
    for hole in _HOLE.findall(marker):
        if hole in HOLES:
            hint = "list each closing marker as it stands in the text"
            yield _Finding(
                "hole-in-close", f"the closing marker {marker!r} has the hole {{{hole}}}", hint, keys
            )


def _name_hole(form: CallForm, template: str, keys: _Keys) -> Iterator[_Finding]:
    if form.content in _WITH_NAME and "{name}" not in template:
        hint = "put `{name}` where the tool's name stands"
        yield _Finding(
            "missing-hole",
            f"{template!r} has no {{name}}, and content {form.content!r} names no tool",
            hint,
            keys,
        )
    if form.content in _WITHOUT_NAME and not form.peek and "{name}" in template:
        hint = "leave it out, or choose another content"
        yield _Finding(
            "meaningless-key",
            f"{{name}} in {template!r} is not used: content {form.content!r} names the tool",
            hint,
            keys,
        )


def _id_holes(form: CallForm, template: str, keys: _Keys) -> Iterator[_Finding]:
    there = {*_HOLE.findall(template)}
    for hole in _HOLE.findall(form.id):
        if hole not in there:
            message = f"`id` has the hole {{{hole}}}, which the opening marker {template!r} does not have"
            yield _Finding("unknown-hole", message, "use the holes of the opening markers", (*keys, "id"))
    if re.search(r"[{}]", _HOLE.sub("", form.id)):
        yield _Finding(
            "unknown-hole",
            f"`id` is {form.id!r}, with a single brace",
            "braces enclose holes only",
            (*keys, "id"),
        )


def _meaningless(form: CallForm, keys: _Keys) -> Iterator[_Finding]:
    defaults = {field.name: field.default for field in msgspec.structs.fields(CallForm)}
    for key, contents in _ONLY.items():
        if getattr(form, key) != defaults[key] and form.content not in contents:
            message = f"`{key}` means nothing for content {form.content!r}"
            yield _Finding("meaningless-key", message, f"it is for {', '.join(contents)}", (*keys, key))
    if form.content == "parameters" and not form.parameters:
        hint = 'add parameters = [{open = ["<parameter={key}>"], close = ["</parameter>"]}]'
        yield _Finding(
            "no-parameters", "content 'parameters' needs forms of parameters", hint, (*keys, "content")
        )
    if form.content == "braces" and not form.quote.strip():
        yield _Finding("empty-marker", "`quote` is empty", "write what encloses strings", (*keys, "quote"))
    if form.content == "json-calls" and not form.names and form.arguments:
        hint = "give the key of the tool's name, or leave `arguments` empty, too"
        yield _Finding("no-name", "no key of the JSON has the tool's name", hint, (*keys, "names"))


def _places(form: CallForm, keys: _Keys) -> Iterator[_Finding]:
    if form.peek and form.content not in _PEEKED:
        message = f"content {form.content!r} cannot begin with its own opening marker"
        yield _Finding("meaningless-key", message, f"`peek` is for {', '.join(_PEEKED)}", (*keys, "peek"))
    if form.place == "whole" and (form.content not in _WHOLE or not form.peek):
        message = "a text that is nothing but calls is JSON, Python or lines, read from its start"
        hint = 'place = "whole" goes with peek = true and content "json-calls", "python" or "words"'
        yield _Finding("meaningless-key", message, hint, (*keys, "place"))


def _enclosures(format: TextFormat) -> Iterator[_Finding]:
    groups: Mapping[str, tuple[Markers, ...]] = {
        "sections": format.sections,
        "thoughts": format.thoughts,
        "results": format.results,
    }
    for group, several in groups.items():
        for at, each in enumerate(several):
            keys = (group, at)
            yield from _opening(each.open, (*keys, "open"))
            yield from _closing(each.close, (*keys, "close"))
            if each.open == each.close:
                hint = "nobody can tell a second opening from the end"
                yield _Finding("equal-markers", f"{each.open!r} opens and closes", hint, keys)


def _asked(format: TextFormat) -> Iterator[_Finding]:
    """Find prompts and responses for names that the format does not have."""
    names = (format.id, *format.aliases)
    groups: Mapping[str, tuple[Prompt | Response, ...]] = {
        "prompts": format.prompts,
        "responses": format.responses,
    }
    for group, several in groups.items():
        for at, each in enumerate(several):
            for number, alias in enumerate(each.aliases):
                if alias not in names:
                    yield _Finding(
                        "unknown-alias",
                        f"the format has no alias {alias!r}",
                        "add it to the format's `aliases`",
                        (group, at, "aliases", number),
                    )


def _loose(format: TextFormat) -> Iterator[_Finding]:
    openings = {template for form in format.calls for template in form.open} | {
        each.open for each in format.sections
    }
    for at, marker in enumerate(format.starts):
        yield from _closing(marker, ("starts", at))
    for key, markers in (("dropped", format.dropped), ("ends", format.ends)):
        for at, marker in enumerate(markers):
            yield from _opening(marker, (key, at))
            if marker in openings:
                hint = "take it out of one of the two"
                yield _Finding("two-meanings", f"{marker!r} also opens a call or a section", hint, (key, at))
    for key, several in (("thoughts", format.thoughts), ("results", format.results)):
        for at, each in enumerate(several):
            if each.open in openings:
                hint = "take it out of one of the two"
                yield _Finding(
                    "two-meanings", f"{each.open!r} also opens a call or a section", hint, (key, at)
                )


def _unreachable(forms: tuple[CallForm, ...]) -> Iterator[_Finding]:
    """Find forms after one that is tried first, begins alike, and reads or refuses their texts."""
    seen: dict[tuple[str, str, bool], list[tuple[int, CallForm]]] = {}
    for at, form in enumerate(forms):
        for number, template in enumerate(form.open):
            before = seen.setdefault((template, form.content, form.place == "whole"), [])
            for earlier, other in before:
                if not form.aliases and _covers(other, form):  # else grammars write it
                    where = f"calls[{earlier}]"
                    hint = f"merge it with {where}, or put it first"
                    message = (
                        f"the marker {template!r} is never tried here: {where} has it with the same content"
                    )
                    yield _Finding("unreachable-form", message, hint, ("calls", at, "open", number))
                    break
            before.append((at, form))


def _covers(first: CallForm, second: CallForm) -> bool:
    if first.place != second.place and first.place != "anywhere":
        return False
    if first.begins and not (second.begins and {*second.begins} <= {*first.begins}):
        return False
    if first.content in ("elements", "words", "python"):  # where the first cannot read a text, the second may
        return first == second
    opening = {template for each in first.parameters for template in each.open}
    return opening >= {template for each in second.parameters for template in each.open}
