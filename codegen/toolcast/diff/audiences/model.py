"""For models: every place that reads differently in some provider's definition, with both texts in short."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from ...runtime.definitions import EXAMPLES
from ...spec.keys import KEYS
from ...spec.tool_spec import ToolSpec
from ..change import Change
from ..pairs import Pair
from ..schema_texts import differences
from ..sent_definitions import SentPair
from ..short_texts import words_changed
from .spec_keys import flag_changes

_KEY: Final = EXAMPLES.encode()
_MOST: Final = 100
"""Places of one tool that are named one by one."""


def model_changes(sent: SentPair) -> tuple[Change, ...]:
    """What models read differently of a tool.

    Args:
        sent: a tool of both states, as providers are sent it; one that was added or removed has no such
            changes.

    Returns:
        The changes, by place of the contract; none where every provider's definition, full and brief, is what
        it was. Each names the providers whose definition of the tool differs, nobody where all of them do.
    """
    pair = sent.pair
    if pair.old is None or pair.new is None or sent.old is None or sent.new is None:
        return ()
    differing = sent.differing(brief=True)
    if not differing:
        return ()
    providers = () if len(differing) == len(sent.new.definitions) else differing
    found = [
        *_texts(pair, pair.old.tool, pair.new.tool, providers),
        *_client_data(sent, differing),
        *_examples(sent, differing),
        *_schemas(pair, providers),
    ]
    if not found and not _is_explained(pair.old.tool, pair.new.tool):
        id = differing[0]
        before, after = (each.definitions.get(id, b"").decode() for each in (sent.old, sent.new))
        message = f"the definition: {words_changed(before, after)}"
        found.append(pair.change("definition-read", message, providers=providers))
    return tuple(found)


def _is_explained(old: ToolSpec, new: ToolSpec) -> bool:
    """Whether other audiences are told why a definition differs: by hints, strict mode and the like."""
    return any(key.value_in(old) != key.value_in(new) for key in KEYS.values() if key.audience)


def _texts(pair: Pair, old: ToolSpec, new: ToolSpec, providers: tuple[str, ...]) -> Iterator[Change]:
    if old.name != new.name:
        message = f"models call the tool `{new.name}`, and called it `{old.name}`"
        yield pair.change("name-read", message, at=("name",), providers=providers)
    stated = new.document.data if isinstance(new.document.data, dict) else {}
    if old.description != new.description:
        at = "description" if "description" in stated else "summary"
        message = f"the description: {words_changed(old.description, new.description)}"
        yield pair.change("description-read", message, at=(at,), providers=providers)
    if old.summary != new.summary and ("summary" in stated or old.description == new.description):
        message = f"the summary: {words_changed(old.summary, new.summary)}"
        yield pair.change("summary-read", message, at=("summary",), providers=providers)
    for rule, message, key in flag_changes(old, new):
        if not key.audience:
            yield pair.change(rule, message, at=(key.name,), providers=providers)


def _client_data(sent: SentPair, differing: Sequence[str]) -> Iterator[Change]:
    """What clients are sent beside what models read: each for the providers whose tool objects have it."""
    assert sent.old is not None
    assert sent.new is not None
    old, new = sent.old.subject.tool, sent.new.subject.tool
    titles = [each.annotations.title or "" for each in (old, new)]
    for rule, message, at, values in (
        ("title-read", f"the title: {words_changed(*titles)}", ("annotations", "title"), titles),
        ("client-data", "`icons` differs", ("icons",), [old.icons, new.icons]),
        ("client-data", "`meta` differs", ("meta",), [old.meta, new.meta]),
    ):
        before, after = map(msgspec.json.encode, values)
        stated = [
            (sides.definitions, text)
            for sides, value, text in zip((sent.old, sent.new), values, (before, after), strict=True)
            if value
        ]
        providers = [id for id in differing if any(text in known.get(id, b"") for known, text in stated)]
        if before != after and providers:
            every = len(providers) == len(sent.new.definitions)
            yield sent.pair.change(rule, message, at=at, providers=() if every else tuple(providers))


def _examples(sent: SentPair, differing: Sequence[str]) -> Iterator[Change]:
    """Calls that definitions show as examples."""
    shown = [
        {id: _shown(text) for id, text in each.definitions.items()}
        for each in (sent.old, sent.new)
        if each is not None
    ]
    providers = tuple(id for id in differing if shown[0].get(id) != shown[1].get(id))
    if providers:
        yield sent.pair.change(
            "examples-read", "other calls are shown as examples", at=("examples",), providers=providers
        )


def _shown(definition: bytes) -> Any:
    """The examples in a tool object; None without them, and for declarations of functions."""
    if _KEY not in definition or not definition.startswith(b"{"):
        return None
    return msgspec.json.decode(definition).get(EXAMPLES)


def _schemas(pair: Pair, providers: tuple[str, ...]) -> Iterator[Change]:
    assert pair.old is not None
    assert pair.new is not None
    if pair.old.built is pair.new.built:
        return
    count = 0
    for each in differences(pair.old.built.document, pair.new.built.document, pair.renamed_parameters):
        count += 1
        if count <= _MOST:
            yield pair.change(
                each.rule, each.message, pointer=each.pointer, old=each.old, providers=providers
            )
    if count > _MOST:
        message = f"{count - _MOST} more places of the schema read differently"
        yield pair.change("constraint-read", message, at=("parameters",), providers=providers)
