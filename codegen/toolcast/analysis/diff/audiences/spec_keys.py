"""For callers and readers: keys of a spec that decide what a call or a result means, beside the schemas."""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from ....jsonschema.json_values import JsonObject
from ....runtime.grammars import TextGrammar, TextInput, grammar_of
from ....spec.keys import KEYS, Key
from ....spec.text_input import PARAMETER
from ....spec.tool_spec import Caller, ToolSpec
from ...instances.pattern_texts import grammar_texts
from ..pairs import Context, Pair
from ..rules import Change, Witness

_TRIED: Final = 200
"""Texts that are derived from the old grammar."""
_FREE: Final = ("", "a", "1", "\x00")
"""Texts that are tried where any was valid; few grammars have all of them."""


class _LostText(Struct, frozen=True):
    text: str
    refusal: str


def _lost_text(old: TextInput | None, new: TextInput, examples: Sequence[object]) -> _LostText | None:
    """Return the shortest text found, also of `examples`, that the old grammar has (None: any text) and the
    new one lacks.
    """
    after = _stated_grammar(new)
    before = None if old is None else _stated_grammar(old)
    tried: list[str] = [each[PARAMETER] for each in examples if isinstance(each, dict) and _is_text(each)]
    tried = [text for text in tried if before is None or before.problem(text) is None]
    if before is None:
        tried += _FREE
    else:
        tried += grammar_texts(before, random.Random(0), _TRIED)
    for text in sorted(set(tried), key=lambda text: (len(text), text)):
        refusal = after.problem(text)
        if refusal is not None:
            return _LostText(text, refusal)
    return None


def _stated_grammar(stated: TextInput) -> TextGrammar:
    assert stated.grammar is not None
    return grammar_of(stated.grammar, stated.definition)


def _is_text(example: JsonObject) -> bool:
    return isinstance(example.get(PARAMETER), str)


CALLERS: Final[Mapping[Caller, str]] = {"model": "the model itself", "code": "code that the model writes"}
"""Who may call a tool, in words."""


def spec_keys(pair: Pair, context: Context) -> tuple[Change, ...]:
    """Return the changes of keys such as `empty_is_absent`, `callers` and `defaults`; none of a list of
    tools, which does not state them all, and of a tool that was added or removed.
    """
    if pair.old is None or pair.new is None or context.old.listed or context.new.listed:
        return ()
    old, new = pair.old.tool, pair.new.tool
    return (
        *_grammar(pair, old, new),
        *_empty(pair, old, new),
        *_bounded(pair, old, new),
        *_callers(pair, old, new),
        *_scopes(pair, old, new),
        *_timing(pair, old, new),
        *_defaults(pair, old, new, context),
        *_text(pair, old, new),
    )


def flag_changes(old: ToolSpec, new: ToolSpec) -> Iterator[tuple[str, str, Key]]:
    """Yield (rule id, message, key) for each key that asks for something in one state alone."""
    for key in KEYS.values():
        asks = key.asks_for(key.value_in(new)) if key.rule else None
        if key.rule and asks != key.asks_for(key.value_in(old)):
            yield key.rule.id, key.rule.asked if asks else key.rule.dropped, key


def may_call(tool: ToolSpec) -> frozenset[Caller]:
    """Return who may call a tool: by default the model and its code."""
    return frozenset(CALLERS if tool.callers is None else tool.callers)


def _callers(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    for caller in sorted(may_call(old) - may_call(new)):
        message = f"{CALLERS[caller]} may no longer call the tool"
        yield pair.change("callers-narrowed", message, at=("callers",))


def _scopes(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    for index, scope in enumerate(new.scopes):
        if scope not in old.scopes:
            message = f"the token of whoever calls the tool needs the scope `{scope}` now"
            yield pair.change("scopes-added", message, at=("scopes", index))


def _timing(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    for rule, message, key in flag_changes(old, new):
        if key.audience:
            yield pair.change(rule, message, at=(key.name,), old=key.name not in _keys(new))
    before, after = (each.task_support or "forbidden" for each in (old, new))
    if before != after:
        message = f"to run a call as a task was {before} and is {after}, for clients of MCP"
        at = ("execution", "task_support")
        yield pair.change("results-timing", message, at=at, old="execution" not in _keys(new))


def _grammar(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    before, after = (each.input if each.input and each.input.grammar else None for each in (old, new))
    if before == after or not _was_parameter(pair, PARAMETER) or not is_parameter(pair, PARAMETER):
        return
    if after is None:
        message = "more calls are valid: `input` has no grammar any more"
        yield pair.change("calls-widened", message, at=("input",), old=new.input is None)
        return
    lost = _lost_text(before, after, (*old.examples, *new.examples))
    if lost is None:
        message = (
            "the grammar of `input` is another one: no text was found that it refuses and the old one had"
        )
        yield pair.change("grammar-undecided", message, at=("input",), undecided=True)
    else:
        message = "a text of `input` is refused that was valid"
        witness = Witness(value={PARAMETER: lost.text}, refusal=lost.refusal)
        yield pair.change("grammar-narrowed", message, at=("input",), witness=witness)


def _empty(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    former = {pair.renamed_parameters.get(name, name): name for name in new.empty_is_absent}
    for name in old.empty_is_absent:
        if name not in former and is_parameter(pair, name):
            message = f'`{name}: ""` meant that it was left out, and is a value now'
            yield pair.change("empty-is-value", message, at=("empty_is_absent",))
    for name, now in former.items():
        if name not in old.empty_is_absent and _was_parameter(pair, name):
            message = f'`{now}: ""` means that it was left out, and was a value'
            yield pair.change("empty-is-absent", message, at=("empty_is_absent",))


def _bounded(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    for name, source in new.runtime_enums.items():
        former = pair.renamed_parameters.get(name, name)
        if former not in old.runtime_enums and _was_parameter(pair, former):
            message = f"values of `{name}` are those of {source!r} when the program runs, and were any"
            yield pair.change("values-bounded", message, at=("runtime_enums", name))


def _defaults(pair: Pair, old: ToolSpec, new: ToolSpec, context: Context) -> Iterator[Change]:
    """Yield changes of `defaults`; by default, receivers that see the schema of results get none, all others
    do.
    """
    if old.result is None or new.result is None:
        return
    before, after = (each.defaults or context.config.defaults for each in (old, new))
    if before == after:
        return
    if after == "include" or (after is None and before == "omit"):
        yield pair.change(
            "defaults-included", "results hold members that equal their default", at=("defaults",)
        )
    else:
        message = "results no longer hold members that equal their default"
        if after is None:
            message += ", for receivers that see the schema of results"
        yield pair.change("defaults-omitted", message, at=("defaults",), old="defaults" not in _keys(new))


def _text(pair: Pair, old: ToolSpec, new: ToolSpec) -> Iterator[Change]:
    if old.text != new.text and old.result is not None and new.result is not None:
        message = "models read another text of the same results"
        yield pair.change("result-text-changed", message, at=("text",), old="text" not in _keys(new))


def _keys(tool: ToolSpec) -> frozenset[str]:
    return frozenset(tool.document.data)


def is_parameter(pair: Pair, former: str) -> bool:
    """Return whether a parameter of the old state is still there, by whatever name."""
    assert pair.new is not None
    now = {before: after for after, before in pair.renamed_parameters.items()}.get(former, former)
    return now in _declared(pair.new.built.normal.roots["parameters"])


def _was_parameter(pair: Pair, former: str) -> bool:
    assert pair.old is not None
    return former in _declared(pair.old.built.normal.roots["parameters"])


def _declared(schema: object) -> frozenset[str]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return frozenset(properties) if isinstance(properties, dict) else frozenset()
