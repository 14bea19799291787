"""Arguments that the program fills in (`inject` of a spec): the source of their values, kept from models.

A model is offered the contract without them. Its arguments are judged before they are added, so that nothing
that it writes can take their place.
"""

# What a binding reads from its files is for the modules of a call alone.
# pyright: reportPrivateUsage=false

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, TypeVar
from unicodedata import category, normalize
from urllib.parse import unquote_plus

import msgspec

from ..hidden_characters import may_hide
from ..jsonschema.json_values import JsonMapping, JsonObject
from ..jsonschema.messages import member
from ..jsonschema.regex_cache import in_one_call
from ..jsonschema.validator_errors import Violation
from .arguments import Arguments, copy_plain, parse_arguments
from .codec import convert_settled, in_own_form, settle
from .context import ToolContext
from .errors import LIMIT, ArgumentError, InjectionError
from .tool import AnyTool, Tool

if TYPE_CHECKING:  # most calls need none of them
    from .wire.decoder import WireDecoder
    from .wire.guesses import Guesses

P = TypeVar("P")

_PREFIX = "context."
_PERCENT: Final = re.compile("%(?:25)+")
_LEVELS: Final = 4
"""Nested percent-encodings that are decoded in a name."""


def injected_values(tool: str, inject: Mapping[str, str], context: ToolContext) -> JsonObject:
    """Return the values of the parameters that the program fills in, as plain JSON data. `inject` maps a
    parameter to a path such as `context.user.id`: a key of `extra`, then keys of mappings or public
    attributes. Raises InjectionError where a path leads to nothing, or to what has no JSON form.
    """
    return {name: _plain(tool, name, path, _at(tool, name, path, context)) for name, path in inject.items()}


def injected_digest(injected: JsonMapping) -> str:
    """Return a digest of what the program filled in, which holds an approval to it without keeping the
    values. A reader of the digest can try values, so it hides no more than they are hard to guess."""
    return sha256(json.dumps(injected, sort_keys=True).encode()).hexdigest()[:32]


def _at(tool: str, name: str, path: str, context: ToolContext) -> Any:
    value: Any = context.extra
    for step in path.removeprefix(_PREFIX).split("."):
        try:
            value = value[step] if isinstance(value, Mapping) else getattr(value, step)
        except (LookupError, AttributeError):
            reason = f"the program fills it in from `{path}`, and the call's context has no {step!r} there"
            raise InjectionError(tool, name, reason) from None
    return value


def _plain(tool: str, name: str, path: str, value: object) -> object:
    """Return the value as JSON: identifiers, dates and Structs are written as msgspec does."""
    try:
        return copy_plain(msgspec.to_builtins(value, str_keys=True))
    except (TypeError, ValueError, RecursionError) as problem:
        # Not its text: that may hold the value.
        reason = f"the value at `{path}`, a Python {type(value).__name__}, has no JSON form"
        raise InjectionError(tool, name, reason) from problem


@in_one_call
def decode_injected(
    tool: Tool[P],
    arguments: Arguments,
    wire_decoder: "WireDecoder | None",
    guesses: "Guesses | None",
    injected: JsonMapping,
) -> P:
    """Return the typed parameters of a model's arguments and the program's `injected` values. Raises
    ArgumentError for the former, InjectionError for the latter."""
    for name in injected:
        if name not in tool.inject:
            raise InjectionError(tool.name, name, "it is no parameter that the program fills in (`inject`)")
    value = decode_offered(tool, arguments, wire_decoder, guesses)
    try:
        settled, violations = settle(tool._parameters(), {**value, **injected}, encoded=False)
        if violations:  # the model's part is valid, so they are the program's
            raise _refused(tool.name, violations)
        return convert_settled(tool, settled)
    except RecursionError:
        name = next(iter(injected), "")
        raise InjectionError(tool.name, name, "the program's value is nested too deeply") from None


@in_one_call
def decode_offered(
    tool: AnyTool, arguments: Arguments, wire_decoder: "WireDecoder | None", guesses: "Guesses | None"
) -> JsonObject:
    """Return a model's arguments in the contract's form, held to its offer. Raises ArgumentError."""
    judge = tool._offered()
    try:
        value = in_own_form(tool, parse_arguments(tool.name, arguments), wire_decoder)
        sent = _sent(tool, value)
        rest = {name: item for name, item in value.items() if name not in sent} if sent else value
        settled, violations = settle(judge, rest, encoded=wire_decoder is not None and not sent)
        if sent:  # no guess: it could only drop them in silence
            raise SentInjectedError(tool.name, sent, violations)
        if not violations:
            offered: JsonObject = settled  # the judge accepts objects only
            return offered
        raise ArgumentError(tool.name, violations=violations)
    except RecursionError:
        raise ArgumentError(tool.name, "they are nested too deeply. Send a flatter value.") from None
    except SentInjectedError:
        raise
    except ArgumentError as problem:
        if guesses is not None and guesses.allow:
            guessed = _guessed(tool, arguments, wire_decoder, guesses, problem)
            if guessed is not None:
                return guessed
        raise


class SentInjectedError(ArgumentError):
    """A model sent what only the program sets."""

    def __init__(self, tool: str, names: Collection[str], others: "Iterable[Violation]" = ()) -> None:
        """Add `others`, the violations of the other arguments."""
        own = [
            Violation(member("$", name), f"{set_by_program(name)}; leave it out", "inject", name)
            for name in names
        ]
        super().__init__(tool, violations=[*own, *others][:LIMIT])


def set_by_program(name: str) -> str:
    """Return the clause for a model about a name that stands for an injected parameter."""
    shown = name if len(name) <= 100 else name[:100] + "…"
    return f"`{shown}` is filled in by the program and cannot be set"


def _guessed(
    tool: AnyTool,
    arguments: Arguments,
    wire_decoder: "WireDecoder | None",
    guesses: "Guesses",
    problem: ArgumentError,
) -> JsonObject | None:
    """Return the arguments that guesses lead to; None for none. Raises ArgumentError for several, or if one
    sets what only the program sets: another reading, without it, would drop it in silence."""
    from .wire.guesses import GuessError, guess, with_reason

    def checked(value: Any) -> Any:
        for name in _sent(tool, value):
            raise GuessError(f"{set_by_program(name)}.")
        return value

    def read(text: Any) -> Any:
        return checked(in_own_form(tool, parse_arguments(tool.name, text), wire_decoder))

    try:
        guessed: JsonObject | None = guess(arguments, read, tool._offered().validator(), guesses)
        return guessed if guessed is None else checked(guessed)
    except GuessError as reason:
        raise with_reason(problem, reason) from None


def _sent(tool: AnyTool, value: object) -> tuple[str, ...]:
    """Return names in a model's arguments that stand for injected parameters. A reader behind a handler may
    take another spelling for the name itself, so one counts, too, unless it is a parameter of its own."""
    if type(value) is not dict:
        return ()
    known = tool._offered_properties()
    if not (unknown := [name for name in value if name not in known]):
        return ()
    folded = {folded_name(name) for name in tool.inject}
    return tuple(name for name in unknown if name in tool.inject or folded_name(name) in folded)


def folded_name(name: str) -> str:
    """Fold the spellings of a name that some reader may take for one; the name itself where nothing would be
    left. These are case, compatibility forms, percent-encoding, and all but letters, marks, digits and
    symbols, which parsers trim or replace."""
    text = normalize("NFKC", name)
    for _ in range(_LEVELS):
        if "%" not in text:
            break
        text = normalize("NFKC", unquote_plus(_PERCENT.sub("%", text)))
    return _written(normalize("NFKC", _written(text).casefold())) or name


def _written(text: str) -> str:
    return "".join(
        letter for letter in text if category(letter)[0] in "LMNS" and letter != "+" and not may_hide(letter)
    )


def _refused(tool: str, violations: "Sequence[Violation]") -> InjectionError:
    first = violations[0]
    if first.keyword == "required" and first.path == "$":
        return InjectionError(tool, first.expected, "it is required, and the program has no value for it")
    name = first.path.removeprefix("$").removeprefix(".")
    return InjectionError(tool, name, f"the contract refuses the program's value by `{first.keyword}`")
