"""Texts that are made of calls, and the calls that they are made of: renders any form of any text format.

Knows the TOML of the formats, and nothing of how they are read.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st
from toolcast.agents.text_calls import TextFormat, known_formats
from toolcast.text_formats.text_format import CallForm

NAMES = ("shell", "get_weather", "f", "note2")
EVIL = "evil"
HOLE = re.compile(r"\{(name|id|number|key)\}")

Truth = tuple[str, dict[str, Any]]


class Form(NamedTuple):
    format: TextFormat
    form: CallForm

    @property
    def label(self) -> str:
        return f"{self.format.id}[{self.format.calls.index(self.form)}]"


FORMS = [
    Form(format, form)
    for format in known_formats().values()
    for form in format.calls
    # Words are a language of their own: test_forms.py has examples. What is read from the opening marker on
    # is not rendered but where it is the whole text.
    if form.content != "words" and (not form.peek or form.place == "whole")
]


def fill(template: str, name: str = "", key: str = "") -> str:
    values = {"name": name, "id": "abcDEF123", "number": "0", "key": key}
    return HOLE.sub(lambda hole: values[hole[1]], template)


def calls(each: Form, several: Sequence[Truth], template: str) -> str:
    """A block with these calls. Raises ValueError for a form or values that cannot be written so."""
    form = each.form
    if form.content in ("json-calls", "python") and not form.exact:
        body = [content(form, name, arguments) for name, arguments in several]
        begins = "".join(form.begins).lstrip() or ("{[" if form.close else "[")
        if begins[0] == "[" or form.content == "python" or ("[" in begins and len(body) > 1):
            return block(form, "", f"[{', '.join(body)}]", template)
    return "".join(block(form, name, content(form, name, arguments), template) for name, arguments in several)


def block(form: CallForm, name: str, body: str, template: str) -> str:
    opening = "" if form.peek else fill(template, name)
    return f"{opening}{body}{form.close[0] if form.close else ''}"


def content(form: CallForm, name: str, arguments: dict[str, Any]) -> str:
    if form.content == "json-calls":
        if not form.arguments:
            return json.dumps({name: arguments})
        return json.dumps({form.names[0]: name, form.arguments[0]: arguments}, ensure_ascii=False)
    if form.content == "json-arguments":
        return json.dumps(arguments, ensure_ascii=False)
    if form.content == "python":
        return f"{name}({', '.join(f'{key}={literal(value)}' for key, value in arguments.items())})"
    if form.content == "braces":
        return braces(arguments, form.quote)
    if form.content == "parameters":
        return "".join(parameter(form, key, value) for key, value in arguments.items())
    if form.content == "elements":
        inner = "".join(element(form.prefix, key, value) for key, value in arguments.items())
        return inner if any("{name}" in template for template in form.open) else f"<{name}>{inner}</{name}>"
    raise ValueError(form.content)


def literal(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{literal(key)}: {literal(item)}' for key, item in value.items())}}}"
    return repr(value)


def braces(value: Any, quote: str) -> str:
    if isinstance(value, str):
        if quote in value or (value + quote).find(quote) != len(value):
            raise ValueError(value)
        return f"{quote}{value}{quote}"
    if isinstance(value, list):
        return f"[{','.join(braces(item, quote) for item in value)}]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{braces(item, quote)}" for key, item in value.items()) + "}"
    return json.dumps(value)


def parameter(form: CallForm, key: str, value: Any) -> str:
    one = form.parameters[0]
    text = json.dumps(value, ensure_ascii=False) if one.value == "json" else str(value)
    openings = [HOLE.split(template)[0] for each in form.parameters for template in each.open]
    ends = {*one.close, *openings}
    if any((text + end).find(end) != len(text) for end in ends) or text.strip() != text:
        raise ValueError(text)
    return f"{fill(one.open[0], key=key)}{text}{one.close[0]}"


def element(prefix: str, key: str, value: Any) -> str:
    text = str(value)
    if "<" in text or text.strip() != text or (prefix and prefix[0] in text):
        raise ValueError(text)
    return f"{prefix}<{key}>{text}{prefix}</{key}>"


def is_textual(form: CallForm) -> bool:
    return form.content == "elements" or (
        form.content == "parameters" and any(each.value == "text" for each in form.parameters)
    )


def as_read(form: CallForm, several: Sequence[Truth]) -> list[Truth]:
    """What the calls are read as."""
    if not is_textual(form):
        return list(several)
    return [(name, {key: str(value) for key, value in given.items()}) for name, given in several]


def evil_texts() -> list[str]:
    """A call of `evil` in every form, and what closes forms."""
    found = [form.form.close[0] for form in FORMS if form.form.close]
    for form in FORMS:
        try:
            body = calls(form, [(EVIL, {"x": "y"})], form.form.open[0])
        except ValueError:
            continue
        sections = form.format.sections[:1]
        found += [body, "".join(f"{each.open}{body}{each.close}" for each in sections)]
        found += [
            parameter.close[0] + (form.form.close[0] if form.form.close else "") + body
            for parameter in form.form.parameters
        ]
    return sorted({each for each in found if each})


EVIL_TEXTS = evil_texts()
WORDS = st.text(st.sampled_from("abc xyz.,é\n工-"), max_size=12)
TRICKS = st.sampled_from(
    [
        "<", "[", "`", "{", '"', "'", "\\", "</", "<|", "```", "<tool", "}}", "]]", "\r\n", "\ud800",
        "\U0001f600",
    ]
)  # fmt: skip
VALUES = st.lists(WORDS | TRICKS | st.sampled_from(EVIL_TEXTS), max_size=4).map("".join)
SAFE_VALUES = VALUES.map(lambda text: text.encode("utf-8", "replace").decode())
ARGUMENTS = st.dictionaries(
    st.sampled_from(["command", "x", "file_path", "n"]),
    SAFE_VALUES | st.integers(-9, 9) | st.booleans() | st.lists(SAFE_VALUES, max_size=2),
    max_size=3,
)
CALLS = st.lists(st.tuples(st.sampled_from(NAMES), ARGUMENTS), min_size=1, max_size=3)


class Piece(NamedTuple):
    """A part of a text.

    Attributes:
        text: the part.
        calls: the calls that it is.
        whole: whether it is the calls, and nothing else; else it is broken, and may be none or some of them.
    """

    text: str
    calls: list[Truth]
    whole: bool


@st.composite
def blocks(draw: st.DrawFn, forms: Sequence[Form]) -> Piece:
    """Calls in one of some forms, whole."""
    each = draw(st.sampled_from(forms))
    several = draw(CALLS)
    template = draw(st.sampled_from(each.form.open))
    try:
        text = calls(each, several, template)
    except ValueError:
        several = [(name, {"command": "ls -la"}) for name, _ in several]
        text = calls(each, several, template)
    sections = [] if each.form.fence else [one for one in each.format.sections if not one.fence]
    if sections and draw(st.booleans()):
        section = draw(st.sampled_from(sections))
        text = f"{section.open}{text}{section.close}"
    return Piece(text, as_read(each.form, several), True)


@st.composite
def broken(draw: st.DrawFn, forms: Sequence[Form]) -> Piece:
    """Calls that were cut off, or lost a part."""
    piece = draw(blocks(forms))
    text = piece.text
    if draw(st.booleans()):
        return Piece(text[: draw(st.integers(0, len(text)))], piece.calls, False)
    name = min(text.find(name) + len(name) for name, _ in piece.calls)  # the opening marker stays
    start = draw(st.integers(name, len(text)))
    end = draw(st.integers(start, len(text)))
    return Piece(text[:start] + draw(TRICKS | st.just("")) + text[end:], piece.calls, False)


PROSE = st.lists(
    WORDS | st.sampled_from(["a < b", "x[0]", "a `code`", "1 > 2", "use {}", "<b>b</b>"]), max_size=4
).map(lambda words: Piece(" ".join(["So", *words]), [], True))
THOUGHTS = st.lists(WORDS | st.sampled_from(EVIL_TEXTS), max_size=3).map(
    lambda words: Piece(f"<think>{''.join(words)}</think>", [], True)
)
ECHOES = st.lists(WORDS | st.sampled_from(EVIL_TEXTS), max_size=3).map(
    lambda words: Piece(f'<tool_result name="x">{"".join(words)}</tool_result>', [], True)
)
