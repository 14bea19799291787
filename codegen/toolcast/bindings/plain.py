"""The built-in templates as functions. They hold little more than loops, and Jinja takes longer to load than
a changed spec takes to compile; so the part of its language that they use is translated here.

    {{ name }}  {{ item.name }}                     str() of a value
    {% for x in names %}  {% for x, y in pairs %}   with loop.first
    {% if a %}  {% elif a.b or not c %}  {% else %}
    {% include "other.jinja" %}

Blanks are trimmed as by Jinja's `trim_blocks` and `lstrip_blocks`. An unknown variable raises KeyError or
AttributeError. The tests hold each template to what Jinja itself makes of it.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

Render = Callable[[Mapping[str, Any]], str]
_MARK = re.compile(r"\{\{ (.+?) \}\}|(?:(?<=\n)[ \t]+|(?<![\s\S])[ \t]+)?\{% (.+?) %\}\n?")
_FOR = re.compile(r"for (\w+(?:, \w+)*) in ([\w.]+)")
_INCLUDE = re.compile(r'include "([\w.]+)"')
_CONDITION = re.compile(r"(?:not )?[\w.]+(?: (?:and|or) (?:not )?[\w.]+)*")
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_WORDS = ("and", "or", "not")


def translate(name: str, read: Callable[[str], str]) -> Render:
    """The function that renders template `name`; `read` gives the text of a template by name.

    Raises ValueError for what is not of the language above.
    """
    source = _Source(read)
    source.template(read(name))
    if source.scopes:
        raise ValueError(f"{name}: a block is not closed")
    code = "\n".join(["def render(values):", " out = []", " add = out.append", *source.lines])
    scope: dict[str, Any] = {}
    exec(compile(f"{code}\n return ''.join(out)\n", f"<{name}>", "exec"), scope)  # names were checked
    render: Render = scope["render"]
    return render


class _Source:
    """Python source in the making. `scopes` are the open blocks: the names that each brought."""

    def __init__(self, read: Callable[[str], str]) -> None:
        self.read = read
        self.lines: list[str] = []
        self.scopes: list[tuple[str, ...]] = []

    def line(self, text: str, depth: int = 0) -> None:
        self.lines.append(" " * (len(self.scopes) + 1 + depth) + text)

    def template(self, text: str) -> None:
        at = 0
        for mark in _MARK.finditer(text):
            self.text(text[at : mark.start()])
            if mark[1] is not None:
                self.line(f"add(str({self.value(mark[1])}))")
            else:
                self.statement(mark[2])
            at = mark.end()
        self.text(text[at:])

    def text(self, text: str) -> None:
        if "{%" in text or "{{" in text or "{#" in text:
            raise ValueError(f"not in the language of the built-in templates: {text!r}")
        if text:
            self.line(f"add({text!r})")

    def statement(self, text: str) -> None:
        word = text.partition(" ")[0]
        if match := _FOR.fullmatch(text):
            names = tuple(match[1].split(", "))
            self.line(f"for loop, {self.target(names)} in enumerate({self.value(match[2])}):")
            self.scopes.append(names)
            self.line("pass")
        elif word in ("if", "elif"):
            if word == "elif":
                self.close()
            self.line(f"{word} {self.condition(text.removeprefix(word)[1:])}:")
            self.scopes.append(())
            self.line("pass")
        elif text == "else":
            self.close()
            self.line("else:")
            self.scopes.append(())
            self.line("pass")
        elif text in ("endif", "endfor"):
            self.close()
        elif match := _INCLUDE.fullmatch(text):
            self.template(self.read(match[1]))
        else:
            raise ValueError(f"not in the language of the built-in templates: {text!r}")

    def close(self) -> None:
        if not self.scopes:
            raise ValueError("a block is closed that was not opened")
        self.scopes.pop()

    def target(self, names: tuple[str, ...]) -> str:
        shown = [f"its_{name}" for name in names]
        return shown[0] if len(shown) == 1 else f"({', '.join(shown)})"

    def condition(self, text: str) -> str:
        if not _CONDITION.fullmatch(text):
            raise ValueError(f"not in the language of the built-in templates: {text!r}")
        return " ".join(word if word in _WORDS else self.value(word) for word in text.split(" "))

    def value(self, path: str) -> str:
        if not _NAME.fullmatch(path):
            raise ValueError(f"not in the language of the built-in templates: {path!r}")
        if path == "loop.first":
            return "loop == 0"
        name, dot, rest = path.partition(".")
        known = any(name in names for names in self.scopes)
        return (f"its_{name}" if known else f"values[{name!r}]") + dot + rest
