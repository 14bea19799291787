"""Models that try to see or set what only the program fills in (`inject`), by every way that a call has."""

import asyncio
import json
import logging
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.disclosure import LEVELS, Disclosure
from toolcast.agents.text_calls import instructions, known_formats
from toolcast.runtime import ArgumentError, Guesses, InjectionError, ToolBinding, ToolContext
from toolcast.runtime.middleware.policy import Policy
from toolcast.runtime.standalone_schema import standalone_schema

from tests.injected import CALL, INJECT, PROVIDERS, SCHEMA, USER, compiled, registered

Binding = ToolBinding[Any, Any]
VALUES = {"user_id": 7, "region": "eu"}
OPEN = {**SCHEMA, "additionalProperties": True}
HIDDEN = ("user_id", "region", "zebra", "user.id")
"""What no model may read."""


@pytest.fixture(scope="module")
def inbox() -> Iterator[Binding]:
    with compiled() as binding:
        yield binding


@pytest.fixture(scope="module")
def open_inbox() -> Iterator[Binding]:
    with compiled(OPEN) as binding:
        yield binding


def shows_nothing(text: str) -> None:
    for word in HIDDEN:
        assert word not in text


def refusal(binding: Binding, arguments: Any, provider: str | None = None, **options: Any) -> ArgumentError:
    with pytest.raises(ArgumentError) as caught:
        binding.decode(arguments, provider, injected=VALUES, **options)
    return caught.value


@pytest.mark.parametrize("provider", PROVIDERS)
def test_no_definition_shows_an_injected_parameter(provider: str, inbox: Binding) -> None:
    registry, _ = registered(inbox)
    for level in ("full", "brief"):
        shows_nothing(inbox.definition(provider, level).decode())
        shows_nothing(registry.definitions(provider, level).decode())
    for level in LEVELS:
        shows_nothing(Disclosure(registry, provider, level=level).definitions().decode())


def test_no_schema_or_prompt_shows_an_injected_parameter(inbox: Binding) -> None:
    registry, _ = registered(inbox)
    shows_nothing(json.dumps([inbox.schema(), standalone_schema(inbox)]))
    shown = 0
    for form in known_formats():
        with suppress(ValueError):  # a format whose models know no text that shows tools
            shows_nothing(instructions(registry, format=form))
            shown += 1
    assert shown > 5


@pytest.mark.parametrize("provider", [None, *PROVIDERS])
def test_no_error_about_missing_arguments_shows_an_injected_parameter(
    provider: str | None, inbox: Binding
) -> None:
    registry, seen = registered(inbox)
    result = asyncio.run(registry.execute("inbox", {}, provider, ToolContext(extra=USER)))
    assert not result.success
    assert "folder" in result.error
    assert result.data.missing == ("folder",)
    shows_nothing(result.error + json.dumps(result.data.schema))
    assert seen.params == []


@pytest.mark.parametrize("value", [8, 7, None, "7", ""])
@pytest.mark.parametrize("tool", ["inbox", "open_inbox"])
def test_a_model_cannot_set_an_injected_parameter(
    tool: str, value: Any, request: pytest.FixtureRequest
) -> None:
    for provider in (None, *PROVIDERS):
        cannot_be_set(request.getfixturevalue(tool), value, provider)


def cannot_be_set(binding: Binding, value: Any, provider: str | None) -> None:
    for arguments in ({**CALL, "user_id": value}, json.dumps({"user_id": value, **CALL})):
        problem = refusal(binding, arguments, provider)
        assert "`user_id` is filled in by the program and cannot be set; leave it out" in str(problem)
        assert problem.violations[0].keyword == "inject"
        assert problem.violations[0].path == "$.user_id"
    registry, seen = registered(binding)
    sent = {**CALL, "user_id": value}
    result = asyncio.run(registry.execute("inbox", sent, provider, ToolContext(extra=USER)))
    assert not result.success
    assert seen.params == []


@pytest.mark.parametrize(
    "name",
    [
        *(
            "User_ID",
            "USER_ID",
            "ｕser_id",
            "uſer_id",
            "user_id ",
            "us\u00ader_id",
            "\u0001user_id",
            "user_id\0",
        ),
        *("userId", "user-id", "user%5fid", "user%255Fid", "\u200buser_id", "user_id\u3000", "user_id\ufe0f"),
    ],
)
def test_another_spelling_of_an_injected_name_is_refused(name: str, open_inbox: Binding) -> None:
    problem = refusal(open_inbox, {**CALL, name: 8})
    assert f"`{name}` is filled in by the program" in str(problem)


def test_a_parameter_of_its_own_may_have_a_similar_name() -> None:
    properties = {"ID": {"type": "integer"}, "id": {"type": "integer"}}
    with compiled({"type": "object", "properties": properties}, inject={"id": "context.id"}) as binding:
        params = binding.decode({"ID": 1}, injected={"id": 2})
        assert json.loads(binding.encode(params)) == {"ID": 1, "id": 2}


ATTEMPTS = [
    '{"folder": "in", "user_id": 8',  # cut
    '```json\n{"folder": "in", "user_id": 8}\n```',
    '{"folder": "in" "user_id": 8}',
    "{'folder': 'in', 'user_id': 8}",
    '{"folder": "in", "user_id": "8",}',
    'Here: {"folder": "in", "user_id": 8} done',
    json.dumps(json.dumps({**CALL, "user_id": 8})),
    {"folder": "in", "limit": "5", "user_id": 8},
    {"arguments": {"folder": "in", "user_id": 8}},
    {"inbox": {"folder": "in", "user_id": 8}},
    [{"folder": "in", "user_id": 8}],
    '{"folder": "in", "user_id": 8, "user_id": 7}',
]


@pytest.mark.parametrize("arguments", ATTEMPTS)
@pytest.mark.parametrize("tool", ["inbox", "open_inbox"])
def test_no_guess_sets_or_drops_an_injected_parameter(
    tool: str, arguments: Any, request: pytest.FixtureRequest
) -> None:
    binding: Binding = request.getfixturevalue(tool)
    guesses = Guesses(("cut-value", *Guesses("all").allow))
    refusal(binding, arguments, guesses=guesses)
    refusal(binding, arguments, "openai", guesses=guesses)


def test_a_guess_still_repairs_what_models_may_send(inbox: Binding) -> None:
    params = inbox.decode('```json\n{"folder": "in"}\n```', guesses=Guesses("all"), injected=VALUES)
    assert params.user_id == 7


@pytest.mark.parametrize("provider", PROVIDERS)
def test_no_encoding_of_further_properties_sets_an_injected_parameter(
    provider: str, open_inbox: Binding
) -> None:
    """A dialect may send undeclared properties as a list of pairs, or as JSON text, in one property."""
    schema = msgspec.json.decode(open_inbox.definition(provider))
    names = set(_names(schema)) - {"folder", "limit", "tags"}
    pairs = [{"key": "user_id", "value": 8}]
    wordings = [pairs, {"user_id": 8}, json.dumps({"user_id": 8}), [{"key": "user_id", "value": "8"}]]
    for name in names:
        for held in wordings:
            sent = {**CALL, "limit": None, "tags": None, name: held}
            try:
                params = open_inbox.decode(sent, provider, injected=VALUES)
            except ArgumentError:
                continue
            assert params.user_id == 7


def _names(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from (schema.get("properties") or {} if isinstance(schema.get("properties"), dict) else {})
        for each in schema.values():
            yield from _names(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from _names(each)


@given(
    st.dictionaries(
        st.sampled_from([*SCHEMA["properties"], "User_id", "x", "arguments", "rest"]),
        st.sampled_from([8, "us", None, "in", 1, {"user_id": 8}, [{"key": "user_id", "value": 8}], "{}"]),
        max_size=5,
    ),
    st.sampled_from([None, *PROVIDERS]),
    st.booleans(),
)
def test_whatever_is_sent_the_program_sets_the_value(
    inbox: Binding, sent: Any, provider: str | None, guess: bool
) -> None:
    guesses = Guesses("all") if guess else None
    try:
        params = inbox.decode(json.dumps(sent), provider, guesses, injected=VALUES)
    except ArgumentError:
        return
    assert (params.user_id, params.region) == (7, "eu")
    assert not {"user_id", "region", "User_id"} & sent.keys()


def test_a_value_of_one_call_is_not_that_of_another(inbox: Binding) -> None:
    registry, seen = registered(inbox)

    async def calls() -> None:
        contexts = [ToolContext(extra={"user": {"id": id}, "region": "us"}) for id in range(1, 40)]
        await asyncio.gather(*(registry.execute("inbox", CALL, context=each) for each in contexts))

    asyncio.run(calls())
    assert sorted(each.user_id for each in seen.params) == list(range(1, 40))


@pytest.mark.parametrize(
    "extra",
    [
        {},
        {"user": {}, "region": "eu"},
        {"user": None, "region": "eu"},
        {"user": {"id": 0}, "region": "eu"},
        {"user": {"id": "seven-secret"}, "region": "eu"},
        {"user": {"id": object()}, "region": "eu"},
        {"user": {"id": float("nan")}, "region": "eu"},
        {"user": {"id": None}, "region": "eu"},
    ],
)
def test_a_missing_value_blames_the_program_and_runs_nothing(
    extra: Any, inbox: Binding, caplog: pytest.LogCaptureFixture
) -> None:
    registry, seen = registered(inbox)
    with caplog.at_level(logging.ERROR):
        result = asyncio.run(registry.execute("inbox", CALL, context=ToolContext(extra=extra)))
    assert not result.success
    assert seen.params == []
    assert "This is a fault of the program, not of the arguments" in result.error
    shows_nothing(result.error)
    assert "seven-secret" not in result.error
    assert any("InjectionError" in (each.exc_text or "") + each.getMessage() for each in caplog.records)


def test_without_a_context_nothing_runs(inbox: Binding) -> None:
    registry, seen = registered(inbox)
    assert "fault of the program" in asyncio.run(registry.execute("inbox", CALL)).error
    assert "fault of the program" in registry.preview("inbox", CALL).error
    assert seen.params == []


def test_a_policy_and_an_approval_see_the_injected_value(inbox: Binding) -> None:
    asked: list[Any] = []

    async def approve(request: Any) -> str:
        asked.append(request)
        return "always"

    registry, seen = registered(inbox, policy=Policy("supervised", asks=("read",), approver=approve))

    def call(id: int) -> None:
        context = ToolContext(extra={"user": {"id": id}, "region": "eu"})
        assert asyncio.run(registry.execute("inbox", CALL, context=context)).success

    for id in (7, 7, 8):
        call(id)
    # An *always* for the one user is none for the other.
    assert [each.params.user_id for each in asked] == [7, 8]
    assert len(seen.params) == 3


def test_values_of_other_parameters_are_no_values_of_the_programs(inbox: Binding) -> None:
    with pytest.raises(InjectionError, match="no parameter that the program fills in"):
        inbox.decode({}, injected={"folder": "in", **VALUES})
    assert set(inbox.inject) == set(INJECT)
