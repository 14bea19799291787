"""A text format: how the models of one family write calls, as data. One TOML file each, in `formats/`.

    id = "qwen3-coder"
    title = "Qwen3-Coder"
    models = ["Qwen/Qwen3-Coder-*"]
    sources = ["https://…/chat_template.jinja"]
    sections = [{open = "<tool_call>", close = "</tool_call>"}]

    [[calls]]
    open = ["<function={name}>"]
    close = ["</function>"]
    content = "parameters"
    parameters = [{open = ["<parameter={key}>"], close = ["</parameter>"]}]

Markers are templates: `{name}` stands for the tool's name, `{id}` for the call's id, `{number}` for digits,
`{key}` for a parameter's name, and white space for any white space, or none.
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

NAME: Final = r"[^\s\W\d][\w./-]{0,127}(?::[^\W\d][\w./-]{0,127}){0,3}"
"""A tool's name in a marker. A colon is part of it only before a letter: digits behind one are a number.
White space, the most frequent other character, is named: to find it takes no look at Unicode's tables.
"""
KEY: Final = r"[^<>\"'=\r\n]{1,256}"
"""A parameter's name in a marker."""
HOLE: Final = re.compile(r"\{(name|id|number|key)\}|(\s+)")
"""A hole of a marker, or white space."""

Content: TypeAlias = Literal[
    "json-calls", "json-arguments", "parameters", "python", "braces", "elements", "words"
]
"""The content between the markers of a call.

* `json-calls`: JSON objects that name their tools, one after the other or in an array.
* `json-arguments`: one JSON object, the arguments; the opening marker has the name.
* `parameters`: a marked value for each parameter; the opening marker has the name.
* `python`: calls as Python writes them, `tool(key="v")`, one after the other or in a list.
* `braces`: `{key:value}` as Gemma writes it, with strings between `quote`; the opening marker has the name.
* `elements`: an element for each parameter, `<key>value</key>`, that may nest; the name stands in the opening
  marker, or is the outer element's.
* `words`: `tool>value`, `tool key="v"`, or a line `key: value` for each parameter.
"""

Mark: TypeAlias = Literal["token", "tag", "word"]
"""The certainty with which an opening marker begins a call.

* `token`: nothing else is written so: a call that cannot be read is a problem.
* `tag`: prose may mention it: a problem only where a closing marker follows.
* `word`: prose may well have it: never a problem by itself.
"""


class _Data(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    pass


class Markers(_Data, frozen=True, kw_only=True):
    """Two markers that enclose something.

    Attributes:
        open: template of the opening marker.
        close: the closing marker, without holes.
        mark: how surely the opening marker begins a section of calls.
        fence: whether a section is a block of Markdown: read only where the answer is nothing but calls.
        prefilled: whether a thought may begin in the prompt, so that its closing marker stands alone.
        calls: whether calls end a thought that has no end of its own. Else they are a problem.
        aliases: of a section: names of the format under which grammars write it, in place of the first.
    """

    open: str
    close: str
    mark: Mark = "token"
    fence: bool = False
    prefilled: bool = False
    calls: bool = False
    aliases: tuple[str, ...] = ()


class ParameterForm(_Data, frozen=True, kw_only=True):
    """The written form of one parameter.

    Attributes:
        open: templates of what stands before the value, with `{key}`.
        close: what ends the value, without holes.
        value: `text`, whose type the tool's contract decides, or `json`, a JSON value, and text where it is
            none.
        trim: white space around the value that is not part of it: one line break on each side, all, or none.
        verbatim: whether the value may hold the opening of a parameter. Else one there is a value without its
            end, and a problem.
    """

    open: tuple[str, ...]
    close: tuple[str, ...]
    value: Literal["text", "json"] = "text"
    trim: Literal["newline", "blanks", "none"] = "newline"
    verbatim: bool = False


class CallForm(_Data, frozen=True, kw_only=True):
    """One form of calls.

    Attributes:
        open: templates of the opening marker. One of a `bare` form may be what the call itself begins with.
        close: closing markers, without holes; none where the content shows its own end.
        content: what stands between them.
        begins: templates of which one must follow the opening marker, as part of the content. By default all
            that such a content may begin with.
        again: templates of what begins another call before the closing marker.
        mark: how surely the opening marker begins a call.
        id: the call's id, with the opening template's holes.
        peek: whether the opening template belongs to the content, which is read from its start.
        place: where the call may begin: anywhere, or at the start of the text. `whole`: the text is nothing
            but calls in this form.
        bare: whether such a call looks like prose or data: read only where the caller names the format,
            and not behind a call with marks.
        fence: whether the form is a block of Markdown: read only where the answer is nothing but calls.
        exact: `json-calls` with exactly `name` and `arguments`, one object, closed.
        names: keys of the tool's name in JSON.
        arguments: keys of the arguments in JSON. Empty: the one key is the name, and its value the arguments.
        parameters: forms of parameters.
        quote: what encloses strings in `braces`.
        prefix: what stands before each tag of `elements`.
        aliases: names of the format under which grammars write this form, in place of the first.
    """

    open: tuple[str, ...]
    close: tuple[str, ...] = ()
    content: Content
    begins: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    mark: Mark = "token"
    id: str = ""
    peek: bool = False
    place: Literal["anywhere", "start", "whole"] = "anywhere"
    bare: bool = False
    fence: bool = False
    exact: bool = False
    names: tuple[str, ...] = ("name",)
    arguments: tuple[str, ...] = ("arguments", "parameters")
    parameters: tuple[ParameterForm, ...] = ()
    quote: str = '"'
    prefix: str = ""
    aliases: tuple[str, ...] = ()


class TypeScript(_Data, frozen=True, kw_only=True):
    """The written form of a tool as a TypeScript type.

    Attributes:
        indent: blanks before the lines of parameters.
        nested: blanks that an object within an object has more; 0 for as many as `indent`.
        last_comma: whether a comma follows the last parameter, too.
        bounds: whether comments have the parameter's bounds, pattern and format, and a line tells that there
            may be further parameters of any type.
        sentences: whether default, format and bounds stand behind the description, as `Default=1. Minimum=1`.
    """

    indent: int = 0
    nested: int = 0
    last_comma: bool = True
    bounds: bool = False
    sentences: bool = False


TOOL_HOLES = (
    "openai",
    "function",
    "name",
    "description",
    "parameters",
    "name-json",
    "description-json",
    "typescript",
    "elements",
    "declaration",
    "python",
    "signature",
)
"""Holes of the template of one tool, as in `{function}`."""


class Prompt(_Data, frozen=True, kw_only=True):
    """The system prompt for a model of the family, as the vendor's chat template writes it.

    Holes of `tool`:

    * `{openai}`: `{"type": "function", "function": …}` in JSON; `{function}`: the inner object alone.
    * `{name}`, `{description}`: text; `{name-json}`, `{description-json}`: JSON strings.
    * `{parameters}`: the JSON Schema of the arguments.
    * `{typescript}`: a type with comments; `{elements}`: XML elements; `{declaration}`: Gemma's braces, with
      strings between the `quote` of the format's calls; `{python}`: a function with its docstring;
      `{signature}`: its first line and docstring as a JSON string.

    Attributes:
        aliases: names of the format under which models expect this text; none for all other names.
        text: the text; `{tools}` stands for the list of tools.
        tool: template of one tool.
        join: what stands between two tools.
        indent: blanks for each level of JSON; 0 for JSON on one line.
        margin: blanks before each line of a tool but the first.
        compact: whether JSON has no blanks between its parts.
        tokens: special tokens of the family beside the markers of its calls. No tool can hold one.
        typescript: details of `{typescript}`.
        empty_descriptions: whether `{declaration}` states an empty description, too.
    """

    aliases: tuple[str, ...] = ()
    text: str
    tool: str = "{openai}"
    join: str = "\n"
    indent: int = 0
    margin: int = 0
    compact: bool = False
    tokens: tuple[str, ...] = ()
    typescript: TypeScript = TypeScript()
    empty_descriptions: bool = False

    def __post_init__(self) -> None:
        if self.text.count("{tools}") != 1:
            raise ValueError("A prompt's text has {tools} once, where the list of tools stands")
        if not any(f"{{{hole}}}" in self.tool for hole in TOOL_HOLES):
            holes = ", ".join(f"{{{hole}}}" for hole in TOOL_HOLES)
            raise ValueError(f"A prompt's tool has at least one of {holes}")


class Response(_Data, frozen=True, kw_only=True):
    """The form of results for a model of the family, where marks enclose them.

    Holes of `result`:

    * `{content}`: the result's text; `{content-json}`: the same as a JSON string.
    * `{name}`, `{id}`: the call's; `{id-json}` as a JSON string, `{id-attribute}`: ` id="…"`, or nothing.
    * `{status}`: `ok` or `error`. Without it the text of a failure begins with `Error: `.

    Attributes:
        aliases: names of the format under which models expect this form; none for all other names.
        text: what encloses the results; `{results}` stands for all of them.
        result: template of one result.
        join: what stands between two results.
        again: what a model is asked for where a call could not be read.
    """

    aliases: tuple[str, ...] = ()
    text: str = "{results}"
    result: str
    join: str = "\n"
    again: str = "Write it again, in the form that you were asked for."

    def __post_init__(self) -> None:
        if self.text.count("{results}") != 1:
            raise ValueError("A response's text has {results} once, where the results stand")
        if "{content}" not in self.result and "{content-json}" not in self.result:
            raise ValueError("A response's result has {content} or {content-json}")


T = TypeVar("T", Prompt, Response)


class TextFormat(_Data, frozen=True, kw_only=True):
    """The way in which the models of one family write calls.

    Attributes:
        id: the name that `parse` and `instructions` take.
        title: the family, for people.
        models: patterns of model names, as `fnmatch` reads them.
        sources: where the vendor documents the form: the chat template, or its renderer.
        aliases: other names of the format.
        bare: whether all forms of calls are `bare`.
        precedence: of several formats with one form of calls, "auto" takes the one with the highest number.
        calls: forms of calls, the first that fits counts.
        sections: markers around calls. Between them stand calls and white space only.
        thoughts: what is removed, and calls nothing.
        results: echoes of results, and of declarations of tools: their text stays, and calls nothing.
        starts: what a model may write before its first word, without meaning for the reader.
        dropped: markers without meaning for the reader.
        ends: what a model writes behind its last word.
        prompts: what the system prompt says; none where the family has no text of its own.
        responses: how results go back; none where they have no marks, but a turn of their own.
    """

    id: str
    title: str
    models: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    bare: bool = False
    precedence: int = 0
    calls: tuple[CallForm, ...] = ()
    sections: tuple[Markers, ...] = ()
    thoughts: tuple[Markers, ...] = ()
    results: tuple[Markers, ...] = ()
    starts: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    responses: tuple[Response, ...] = ()

    def prompt(self, name: str) -> Prompt | None:
        """The prompt for a name of the format.

        Args:
            name: its id, or an alias.

        Returns:
            The prompt of that name, or else the first; None where the format has none.
        """
        return _named(self.prompts, name)

    def response(self, name: str) -> Response | None:
        """The form of results for a name of the format.

        Args:
            name: its id, or an alias.

        Returns:
            The form of that name, or else the first; None where the format has none.
        """
        return _named(self.responses, name)

    def written_as(self, name: str) -> "TextFormat":
        """The format with the forms of calls and sections of a name first, as grammars write it.

        Args:
            name: its id, or an alias.

        Returns:
            The format, which reads the same texts.
        """
        calls = sorted(self.calls, key=lambda each: name not in each.aliases)
        sections = sorted(self.sections, key=lambda each: name not in each.aliases)
        return replace(self, calls=tuple(calls), sections=tuple(sections))


def _named(several: tuple[T, ...], name: str) -> T | None:
    return next((each for each in several if name in each.aliases), several[0] if several else None)


AUTO = "auto"
"""All known formats whose marks tell them from prose."""


@cache
def known_formats() -> Mapping[str, TextFormat]:
    """List the formats that come with the package.

    Returns:
        The formats by id.
    """
    return {id: _read(path) for id, path in _files().items()}


def known_format(id: str) -> TextFormat | None:
    """Return the format of an id, or None. No other format is read."""
    path = _files().get(id)
    return None if path is None else _read(path)


def find_format(name: str) -> TextFormat:
    """Find a known format by its id or an alias. Raises ValueError, and names the formats that there are."""
    if (found := known_format(name)) is not None:
        return found
    known = known_formats()
    found = next((each for each in known.values() if name in each.aliases), None)
    if found is None:
        near = get_close_matches(
            name.lower(), [AUTO, *known, *(one for each in known.values() for one in each.aliases)], 1
        )
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"There is no text format {name!r}. {hint}Formats: {AUTO}, {', '.join(known)}.")
    return found


@cache
def _files() -> Mapping[str, Path]:
    return {path.stem: path for path in sorted((Path(__file__).parent / "formats").glob("*.toml"))}


@cache
def _read(path: Path) -> TextFormat:
    return msgspec.toml.decode(path.read_bytes(), type=TextFormat)
