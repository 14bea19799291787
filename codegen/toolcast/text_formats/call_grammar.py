"""Grammars of what a model of a text format may write: free text and thoughts, then calls of tools.

Calls are written in the family's own form, the first of the format or that of the alias, within its section.
Each is the marker with a tool's name, and arguments that the tool's contract takes, in the order of its
properties.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from ..contract.build import contract_of
from ..contract.tree import Contract
from ..diagnostics import did_you_mean
from ..jsonschema.json_values import JsonObject
from .call_arguments import CallArguments
from .engines import TURNS, Engine, write
from .expressions import Expression, Grammar, Repeat, Rule, Rules, Text, choice, optional, sequence
from .restricted_text import Ending, behind, factored, without
from .scalars import ANY_TEXT
from .spellings import GAP, ID, SPACES, literal_of, pattern, written
from .text_format import AUTO, NAME, CallForm, Markers, TextFormat, find_format
from .values import GrammarLoss, UnwritableError

_BLANK: Final = optional(Text(" "))
_COMMA: Final = sequence(GAP, Text(","), GAP)
_THINK: Final = tuple(Markers(open=f"<{name}>", close=f"</{name}>") for name in ("think", "thinking"))
_NAME: Final = re.compile(NAME)
TAG: Final = "xgrammar-tag"
ENDINGS: Final = {"gbnf": "gbnf", "xgrammar": "ebnf", TAG: "json", "llguidance": "lark"}
"""The engines, with the ending of their grammars' files."""
_ENGINES: Final = f"the engines are {', '.join(ENDINGS)}"
_ELEMENT: Final = re.compile(r"[^\W\d][\w.-]{0,127}")


class CallsAllowed(Struct, frozen=True, kw_only=True):
    """The calls that a grammar allows.

    Attributes:
        required: whether a model must call, and writes nothing beside but thoughts.
        parallel: whether it may call more than once.
    """

    required: bool = False
    parallel: bool = True


class CallRules:
    """Writes the rules of one format for some tools.

    Attributes:
        losses: what the rules do not say of the tools' contracts.
    """

    def __init__(
        self, format: TextFormat, tools: Mapping[str, JsonObject], allowed: CallsAllowed, turns: int
    ) -> None:
        """Prepare for tools by name, each with the schema of its arguments. Raises ValueError for a schema or
        a format that no grammar says.
        """
        self._format = format
        self._allowed = allowed
        self._rules = Rules(turns)
        self._contracts = {name: self._read(name, schema) for name, schema in sorted(tools.items())}
        self._main, self._start = _forms(format)
        self._thoughts = (*format.thoughts, *_THINK)
        longest = [
            each for each in format.dropped if sum(one.startswith(each) for one in format.dropped) == 1
        ]
        dropped = [
            sequence(written(each, name=name), GAP)
            for each in longest
            for name in (self._contracts if "{name}" in each else ("",))
        ]
        self._dropped = dropped
        self._join = sequence(GAP, Repeat(choice(dropped), 0, 2)) if dropped else GAP
        self._bodies: dict[tuple[str, str], Rule] = {}
        self.losses: list[GrammarLoss] = []

    def grammar(self) -> Grammar:
        """Write the grammar. Raises ValueError for a tool that cannot be called in the format."""
        if not self._allowed.required:
            return self._rules.grammar(self._text())
        begin = self._rules.reserve("begin")
        ways = [sequence(self._thought(each), begin) for each in self._thoughts]
        ways += [self._blocks(form) for form in (self._start, self._main) if form is not None]
        self._rules.define(begin, self._behind_dropped(ways))
        return self._rules.grammar(begin)

    def told(self) -> tuple[GrammarLoss, ...]:
        """Tell what the rules do not say of the contracts, and how they differ from what is read."""
        markers = "has no marker that begins calls in any form, or results; none stands behind calls"
        reasons = [
            ("text", markers, True),
            ("calls", "are written in one form, where others are read as well", True),
            ("properties", "are written in their order, and behind them those without a schema", True),
        ]
        if any(form.parameters for form in (self._main, self._start) if form is not None):
            values = "hold none of their own markers, also not from one string of JSON to the next"
            reasons.append(("parameters", values, True))
        if self._allowed.required:
            reasons.append(("thought", "that the prompt began is not said: begin behind it", True))
        else:
            reasons.append(
                ("text", "may leave code, a quotation or an element open, which shows a call", False)
            )
        own = (GrammarLoss("", "", keyword, reason, stricter) for keyword, reason, stricter in reasons)
        return (*own, *self.losses)

    def _behind_dropped(self, ways: Sequence[Expression]) -> Expression:
        """Write one of some ways, behind at most two markers without meaning: each character decides."""
        found = factored(self._rules, "marker", ways)
        for _ in range(2 if self._dropped else 0):
            after = self._rules.add("ways", found)
            dropped = [sequence(each, after) for each in self._dropped]
            found = factored(self._rules, "marker", [*ways, *dropped])
        return sequence(GAP, found)

    def _thought(self, thought: Markers) -> Expression:
        end = Ending(Text(thought.close), Text(""))
        return sequence(written(thought.open), without(self._rules, "thinking", ANY_TEXT, [end], final=False))

    def _text(self) -> Expression:
        """Write free text that ends, or goes on with calls, or with thoughts and more text."""
        text = self._rules.reserve("text")
        after: dict[str, list[Expression]] = {}
        for thought in self._thoughts:
            literal = self._shortest(literal_of(thought.open))
            after.setdefault(literal, []).append(sequence(self._thought(thought), text))
        if self._main is not None:
            calls = self._blocks(self._main)
            after.setdefault(self._trigger(self._main), []).append(calls)
        for form in self._format.calls:
            for template in form.open:
                if form.mark == "token" and self._is_dropped(literal_of(template)):
                    after.setdefault(literal_of(template), [])
        for marker in self._format.dropped:
            for literal, several in after.items():
                if marker.startswith(literal) and "{" not in marker:
                    several.append(sequence(written(marker), text))
        endings = [
            Ending(Text(literal), self._behind(several, literal, text))
            for literal, several in sorted(after.items())
        ]
        endings += [*self._beginnings(), *self._forbidden(tuple(after))]
        leads = self._format.starts if self._start is not None and self._start.place == "start" else ()
        free = sequence(choice(Text(each) for each in leads), ANY_TEXT) if leads else ANY_TEXT
        self._rules.define(text, without(self._rules, "text", free, endings))
        return text

    def _behind(self, several: list[Expression], literal: str, text: Rule) -> Expression | None:
        """Write what follows a literal with which several markers begin."""
        left = [behind(self._rules, each, literal) for each in several]
        if text in left:
            return text  # it has the longer markers, too
        return factored(self._rules, "marker", left) if left else None

    def _beginnings(self) -> Iterator[Ending]:
        """Give calls that begin a text, or are all of it."""
        if self._start is None:
            return
        calls = self._blocks(self._start)
        if self._start.place == "start":
            heads = [f"{name}\n" for name in self._contracts]
        elif self._start.fence:
            heads = [literal_of(self._start.open[0])]
        else:
            heads = [each for each in "[{" if any(one.startswith(each) for one in self._start.open)]
        for head in heads:
            yield Ending(sequence(SPACES, Text(head)), behind(self._rules, calls, head), anchored=True)

    def _forbidden(self, allowed: tuple[str, ...]) -> Iterator[Ending]:
        """Give what free text does not have: what begins a call in any form, or an echo of results."""
        for marker in (*self._format.sections, *self._format.results):
            if not literal_of(marker.open).startswith(allowed):
                yield Ending(Text(literal_of(marker.open)))
        for form in self._format.calls:
            for template in form.open:
                literal = literal_of(template)
                if literal and literal.startswith(allowed):
                    continue
                if form.place == "whole":
                    yield Ending(sequence(SPACES, pattern(template)), anchored=True)
                elif literal and form.place == "start":
                    yield Ending(sequence(SPACES, Text(literal)), anchored=True)
                elif literal and form.mark != "word":
                    yield Ending(Text(literal))
                elif literal:
                    yield from (Ending(pattern(template + each)) for each in form.begins or ("",))

    def _is_dropped(self, literal: str) -> bool:
        return any(each.startswith(literal) for each in self._format.dropped)

    def _trigger(self, form: CallForm) -> str:
        """Return the literal that begins calls: of the section around them, or of the first."""
        section = self._section(form)
        return self._shortest(literal_of(form.open[0] if section is None else section.open))

    def _shortest(self, literal: str) -> str:
        """Return the least beginning of a literal with which surely a call begins."""
        forms = (form for form in self._format.calls if form.mark == "token")
        tokens = {literal_of(each) for form in forms for each in form.open} - {""}
        return min(filter(literal.startswith, sorted(tokens)), key=len, default=literal)

    def _section(self, form: CallForm) -> Markers | None:
        """Return the markers around calls. JSON that names its tools stands without."""
        return self._format.sections[0] if self._format.sections and form.content != "json-calls" else None

    def _blocks(self, form: CallForm) -> Expression:
        """Write calls with all that stands around and behind them."""
        parallel = self._allowed.parallel
        section = self._section(form)
        call = self._rules.add("call", self._call(form))
        several = parallel and form.place != "whole"
        block = sequence(call, Repeat(sequence(self._join, call)) if several else Text(""))
        if section is not None:
            more = self._rules.reserve("more")
            ways = [Text(section.close), *([sequence(call, more)] if several else [])]
            self._rules.define(more, self._behind_dropped(ways))
            block = sequence(written(section.open), self._behind_dropped([call]), more)
            block = self._rules.add("calls", block)
            block = sequence(block, Repeat(sequence(self._join, block)) if parallel else Text(""))
        if form.place == "start" and self._main is not None and parallel:
            block = sequence(call, self._join, optional(self._blocks(self._main)))
        return sequence(block, self._join)

    def _call(self, form: CallForm) -> Expression:
        """Write an opening marker, a call or several, and the end."""
        close = sequence(GAP, Text(form.close[0])) if form.close else Text("")
        if not form.peek and "{name}" in form.open[0]:
            self._check_names(_NAME)
            return choice(self._marked(name, form, close) for name in self._contracts)
        return sequence(Text("") if form.peek else written(form.open[0]), GAP, self._several(form), close)

    def _marked(self, name: str, form: CallForm, close: Expression) -> Expression:
        """Write a call behind the first marker, or another that is the beginning of it."""
        first = form.open[0]
        opens = [first, *(each for each in form.open[1:] if first.startswith(each))]
        body = self._body(name, form)
        ways = [sequence(written(each, name=name), body, close) for each in opens]
        return factored(self._rules, "marker", ways)

    def _read(self, name: str, schema: JsonObject) -> Contract:
        try:
            return contract_of(schema)
        except ValueError as problem:
            raise self._refused(name, problem) from None

    def _refused(self, name: str, problem: ValueError) -> ValueError:
        return ValueError(
            f"Tool {name!r} cannot be called in the text format {self._format.id!r}: {problem}."
        )

    def _check_names(self, names: re.Pattern[str]) -> None:
        for name in self._contracts:
            if names.fullmatch(name) is None or name.strip() != name:
                raise ValueError(
                    f"Tool {name!r} cannot be called in the text format {self._format.id!r}: its name has no "
                    "form there. Give it another name, or leave it out with `tools`."
                )

    def _several(self, form: CallForm) -> Expression:
        """Write calls that name their tools: one, or a list; in Python also one after the other."""
        item: Expression = self._rules.add(
            "named", choice(self._item(name, form) for name in self._contracts)
        )
        begins = {each.lstrip()[:1] for each in (form.open if form.peek else form.begins)} or {"[", "{"}
        more = Repeat(sequence(_COMMA, item)) if self._allowed.parallel else Text("")
        several = sequence(Text("["), GAP, item, more, GAP, Text("]"))
        if form.exact or begins == {"{"}:
            return item
        if self._allowed.parallel:
            between = GAP if form.content == "python" else sequence(optional(Text(";")), GAP)
            item = sequence(item, Repeat(sequence(between, item)))
        return several if begins == {"["} else choice([several, item])

    def _item(self, name: str, form: CallForm) -> Expression:
        body = self._body(name, form)
        if form.content == "json-calls":
            self._check_names(re.compile(r"(?s).+"))
            return _object_call(name, form, body)
        if form.content == "python":
            self._check_names(_NAME)
            return sequence(Text(f"{name}("), body, Text(")"))
        self._check_names(_ELEMENT)
        return sequence(Text(f"{form.prefix}<{name}>"), body, Text(f"{form.prefix}</{name}>"))

    def _body(self, name: str, form: CallForm) -> Expression:
        """Write the arguments of a tool."""
        known = self._bodies.get((name, form.content))
        if known is not None:
            return known
        arguments = CallArguments(name, self._contracts[name], form, self._rules)
        try:
            made = arguments.written()
        except UnwritableError as problem:
            raise self._refused(name, problem) from None
        self.losses += arguments.losses
        if form.content == "json-arguments":
            fenced = sequence(Text("```json\n"), GAP, made, GAP, Text("```"))
            made = sequence(GAP, choice([made, fenced]))
        elif form.content == "braces":
            made = sequence(GAP, made)
        rule = self._bodies[name, form.content] = self._rules.add(name, made)
        return rule


def _forms(format: TextFormat) -> tuple[CallForm | None, CallForm | None]:
    """Return the form in which calls are written behind text, and that in which they begin a text."""
    first = format.calls[0] if format.calls else None
    if first is None or first.content == "words":
        raise ValueError(
            f"No grammar says the calls of the text format {format.id!r}: words have no form of their own. "
            "Name a format whose calls are JSON, marked parameters, Python, braces or elements."
        )
    alike = [form for form in format.calls if form.content == first.content]
    if first.place == "start":
        return next((form for form in alike if form.place == "anywhere"), None), first
    if first.place == "whole" or first.fence:
        return None, first
    return first, next((form for form in alike if form.place == "whole"), None)


def _object_call(name: str, form: CallForm, arguments: Expression) -> Expression:
    """Write a call as a JSON object that names its tool."""
    if not form.arguments:
        return sequence(_key(name), arguments, GAP, Text("}"))
    id = sequence(choice([_member("id"), _member("tool_call_id")]), Text('"'), ID, Text('"'))
    comma = sequence(Text(","), _BLANK)
    called, given = sequence(_member(form.names[0]), Text(_quoted(name))), _member(form.arguments[0])
    named = sequence(called, comma, given, arguments)
    either = choice([sequence(id, comma, named), sequence(named, optional(sequence(comma, id)))])
    members = named if form.exact else either
    return sequence(Text("{"), GAP, members, GAP, Text("}"))


def _key(name: str) -> Expression:
    return sequence(Text("{"), GAP, _member(name))


def _member(name: str) -> Expression:
    return sequence(Text(f"{_quoted(name)}:"), _BLANK)


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode()


class CallGrammar(Struct, frozen=True, kw_only=True):
    """A grammar of what a model may write, for an engine that constrains it.

    Attributes:
        text: the grammar in the engine's syntax.
        format: the id of the text format, by which `parse` reads what the model wrote.
        engine: the engine.
        losses: what the grammar does not say of the tools' contracts, where it is looser: decoding refuses
            such a value; and which values it does not let a model write, where it is stricter.
    """

    text: str
    format: str
    engine: str
    losses: tuple[GrammarLoss, ...]

    def members(self, server: str) -> JsonObject:
        """Return the members of a request to a server's API of Chat Completions that have it constrain, and
        leave markers that are tokens of their own in the text.

        Args:
            server: "vllm", "sglang", "tensorrt-llm" or "llama.cpp".

        Raises:
            ValueError: the server does not take grammars of the engine, or is unknown.
        """
        found = _MEMBERS.get((server, self.engine))
        if found is None:
            taken = ", ".join(engine for name, engine in _MEMBERS if name == server)
            raise ValueError(
                f"{server!r} takes grammars for {taken}."
                if taken
                else f"There is no server {server!r}: {', '.join(sorted({name for name, _ in _MEMBERS}))}."
            )
        value: object = msgspec.json.decode(self.text) if found == ("response_format",) else self.text
        kind = {"type": found[1]} if found[0] == "response_format" and len(found) > 1 else {}
        markers = {} if server == "llama.cpp" else {"skip_special_tokens": False}
        return {found[0]: value if len(found) == 1 else {**kind, found[1]: value}, **markers}


_MEMBERS: Final = {
    ("vllm", "xgrammar"): ("structured_outputs", "grammar"),
    ("vllm", TAG): ("structured_outputs", "structural_tag"),
    ("vllm", "llguidance"): ("structured_outputs", "grammar"),
    ("sglang", "xgrammar"): ("ebnf",),
    ("sglang", TAG): ("response_format",),
    ("sglang", "llguidance"): ("ebnf",),
    ("tensorrt-llm", "xgrammar"): ("response_format", "ebnf"),
    ("tensorrt-llm", TAG): ("response_format",),
    ("tensorrt-llm", "llguidance"): ("response_format", "ebnf"),
    ("llama.cpp", "gbnf"): ("grammar",),
}
"""The members, one in the other, that hold a grammar in a request to a server."""


def check_names(format: str, engine: str) -> TextFormat:
    """Return the text format of an id or an alias. Raises ValueError where it, or the engine, is unknown."""
    if engine not in ENDINGS:
        hint = did_you_mean(engine, ENDINGS, _ENGINES)
        raise ValueError(f"There is no engine {engine!r}. {hint[0].upper()}{hint[1:]}")
    if format == AUTO:
        raise ValueError(f"A grammar has one text format. Name that of the model's family, not {AUTO!r}.")
    return find_format(format)


def call_grammar(
    format: str, engine: str, tools: Mapping[str, JsonObject], allowed: CallsAllowed
) -> CallGrammar:
    """Write what a model may write.

    Args:
        format: the text format in which the model calls: its id, or an alias, which may choose a form.
        engine: the engine that constrains it, one of `ENDINGS`.
        tools: the schemas of the tools' arguments in normal form, by name.
        allowed: whether the model must call, and may call more than once.

    Returns:
        The grammar, the same for the same tools.

    Raises:
        ValueError: there is no such format or engine, or no tool; or something has no form in the format.
    """
    chosen = check_names(format, engine)
    if not tools:
        raise ValueError("There are no tools to call: a grammar needs at least one.")
    syntax: Engine = "xgrammar" if engine == TAG else engine  # type: ignore[assignment]
    rules = CallRules(chosen.written_as(format), tools, allowed, TURNS[syntax])
    text = write(rules.grammar(), syntax)
    if engine == TAG:
        whole = {"type": "structural_tag", "format": {"type": "grammar", "grammar": text}}
        text = msgspec.json.encode(whole).decode()
    return CallGrammar(text=text, format=chosen.id, engine=engine, losses=tuple(dict.fromkeys(rules.told())))
