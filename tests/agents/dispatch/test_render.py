"""Results as the next messages, and the model's own turn before them."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.dispatch import Call, Content, DispatchError, assistant_messages, parse, render
from toolcast.agents.dispatch.wire_formats import FORMATS
from toolcast.runtime import ToolResult

from tests.agents.dispatch.answers import ANSWERS, MCP, Asked, answered, id_for
from tests.agents.dispatch.judges import as_object, judge_of
from tests.clients.conftest import Client
from tests.runtime.sample.files.edit import EditResult

PNG = Content.image(b"\x89PNG\r\n", "image/png")
WAV = Content.audio(b"RIFF", "audio/wav")
PDF = Content.file(b"%PDF", "application/pdf", "a report.v2!.pdf")
MP4 = Content.file(b"mp4", "video/mp4", "v.mp4")
TIFF = Content.image(b"II*", "image/tiff")
TXT = Content.file("é".encode(), "text/plain", "a.txt")
BIN = Content.file(b"\xff\x00", "application/octet-stream")
CONTENT = (Content.of("caption"), Content.of(""), PNG, WAV, PDF, MP4, TIFF, TXT, BIN)

RESULTS = [
    ToolResult.ok("sunny"),
    ToolResult.ok('{"replaced":2}', EditResult(replaced=2)),
    ToolResult.ok("[1,2]", [1, 2]),
    ToolResult.ok(),
    ToolResult.failed("There is no such city."),
    ToolResult(success=False, output="half of it", error="It broke off."),
    ToolResult(success=False),
    ToolResult.ok("5", EditResult(replaced=2)),
    ToolResult.ok("5", "5"),
    ToolResult.ok('{"replaced": [… cut …]', EditResult(replaced=2)),
    ToolResult.ok("see", content=CONTENT),
    ToolResult.ok(content=CONTENT),
    ToolResult(success=False, error="no", content=(PNG, Content.of("why"))),
    ToolResult.ok("odd", object()),
    ToolResult(True, '{"replaced":2}', EditResult(replaced=2), own_text=True),
]


def some_calls(n: int) -> list[Call]:
    return [Call(id=f"abc{i:06}", name=f"tool_{i % 2}", arguments="{}", index=i) for i in range(n)]


@pytest.mark.parametrize("format", [*ANSWERS, *MCP])
def test_every_result_is_a_message_that_the_client_takes(format: str, client: Client) -> None:
    judge = judge_of(format, client)
    for result in RESULTS:
        for message in render(some_calls(1), [result], format):
            judge(message)
    whole = render(some_calls(len(RESULTS)), RESULTS, format)
    for message in whole:
        judge(message)
    if format not in MCP:
        found = answered(format, whole)
        assert [id for id, _ in found] == [call.id for call in some_calls(len(RESULTS))]
        assert len(whole) == (1 if format in ("anthropic", "gemini", "bedrock") else len(RESULTS))


@pytest.mark.parametrize("format", [*ANSWERS, "mcp"])
def test_the_judges_can_refuse(format: str, client: Client) -> None:
    (message,) = render(some_calls(1), [RESULTS[0]], format)
    judge = judge_of(format, client)
    if format != "ollama":
        with pytest.raises(Exception, match=r"toolcast|[Ee]xtra|permitted"):
            judge({**message, "toolcast": 1})
    key = next(key for key in ("content", "output", "parts") if key in message)
    with pytest.raises(Exception, match=r".+"):
        judge({**message, key: 5})


@pytest.mark.parametrize("format", ANSWERS)
def test_the_models_turn_is_one_that_the_client_takes(format: str, client: Client) -> None:
    asked = [
        Asked(id_for(format, i), f"t{i}", text) for i, text in enumerate(['{"a": null}', "", "[1]", "{}"])
    ]
    if FORMATS[format].objects or format == "mistral":
        asked = [call._replace(text='{"a": null}') for call in asked]
    answer = ANSWERS[format](asked)
    judge = judge_of(format, client)
    for each in (answer, as_object(format, answer, client)):
        messages = assistant_messages(each, format)
        assert messages
        for message in messages:
            judge(message)
        # It can be read again, and holds the same calls.
        again: Any = {"output": messages} if format == "openai-responses" else messages[0]
        if format != "ollama":
            assert [(call.id, call.name) for call in parse(again, format)] == [(c.id, c.name) for c in asked]


@pytest.mark.parametrize("format", [*ANSWERS, *MCP])
def test_what_has_no_place_is_described(format: str) -> None:
    stated = repr(render(some_calls(1), [ToolResult.ok("see", content=CONTENT)], format))
    assert "see" in stated
    assert "caption" in stated
    for piece in CONTENT:
        if piece.kind == "text":
            continue
        sent = piece.base64 in stated or repr(piece.data) in stated or (piece is TXT and "'é'" in stated)
        described = f"{piece.media_type}, {len(piece.data)} bytes: left out" in stated
        assert sent is not described
    if format in ("openai", "cohere"):
        assert stated.count("left out") == 7
    if format in MCP:
        assert "left out" not in stated


def block(format: str, result: ToolResult) -> Any:
    return answered(format, render(some_calls(1), [result], format))[0][1]


def test_images() -> None:
    result = ToolResult.ok("see", content=(PNG,))
    data = PNG.base64
    url = f"data:image/png;base64,{data}"
    assert block("openai-responses", result) == [
        {"type": "input_text", "text": "see"},
        {"type": "input_image", "image_url": url, "detail": "auto"},
    ]
    source = {"type": "base64", "media_type": "image/png", "data": data}
    assert block("anthropic", result)["content"][1] == {"type": "image", "source": source}
    assert block("gemini", result)["parts"] == [{"inlineData": {"mimeType": "image/png", "data": data}}]
    image = {"format": "png", "source": {"bytes": PNG.data}}
    assert block("bedrock", result)["content"] == [{"text": "see"}, {"image": image}]
    assert block("mistral", result)[1] == {"type": "image_url", "image_url": url}
    assert block("ollama", result)["images"] == [data]
    (answer,) = render(some_calls(1), [result], "mcp")
    assert answer["content"][1] == {"type": "image", "data": data, "mimeType": "image/png"}


def test_failures_are_marked() -> None:
    failed = ToolResult.failed("Say which city.")
    assert block("anthropic", failed)["is_error"] is True
    assert "is_error" not in block("anthropic", RESULTS[0])
    assert block("bedrock", failed)["status"] == "error"
    assert block("bedrock", RESULTS[0])["status"] == "success"
    assert block("gemini", failed)["response"] == {"error": "Say which city."}
    for format in ("openai", "openai-responses", "mistral"):
        assert block(format, failed) == "Error: Say which city."
    assert block("ollama", failed)["content"] == "Error: Say which city."
    assert block("cohere", failed) == [
        {"type": "document", "document": {"data": {"error": "Say which city."}}}
    ]
    both = ToolResult(success=False, output="half", error="It broke off.")
    assert block("anthropic", both)["content"] == "It broke off.\nhalf"


def test_gemini_wraps_and_keeps_the_id_only_where_there_was_one() -> None:
    def answer(value: ToolResult, id: str = "") -> Any:
        (message,) = render([Call(id=id, name="t", arguments={}, index=0)], [value], "gemini")
        assert message["role"] == "user"
        return message["parts"][0]["functionResponse"]

    assert answer(ToolResult.ok("hi")) == {"name": "t", "response": {"output": "hi"}}
    assert answer(ToolResult.ok("[1]", [1]), "x") == {"id": "x", "name": "t", "response": {"output": [1]}}
    assert answer(ToolResult.ok("7", 7))["response"] == {"output": 7}
    assert answer(ToolResult.ok("7", "7"))["response"] == {"output": "7"}
    stated = answer(ToolResult.ok("hi", content=(Content.of("more"), WAV)))
    assert stated["response"]["content"][0] == "more"
    assert "parts" not in stated


def test_bedrock_sends_objects_as_json_and_never_blank_text() -> None:
    assert block("bedrock", RESULTS[1])["content"] == [{"json": {"replaced": 2}}]
    assert block("bedrock", ToolResult.ok("[1]", [1]))["content"] == [{"text": "[1]"}]
    assert block("bedrock", ToolResult.ok())["content"] == [{"text": "(no output)"}]
    name = block("bedrock", ToolResult.ok(content=(PDF,)))["content"][0]["document"]["name"]
    assert name == "a report v2 pdf"


@pytest.mark.parametrize("format", MCP)
def test_structured_content(format: str) -> None:
    def stated(result: ToolResult) -> Any:
        (answer,) = render(some_calls(1), [result], format)
        return answer

    assert stated(RESULTS[1])["structuredContent"] == {"replaced": 2}
    # The text was cut: the data is whole.
    assert stated(RESULTS[9])["structuredContent"] == {"replaced": 2, "note": None}
    assert stated(RESULTS[7])["structuredContent"] == {"replaced": 2, "note": None}
    # The text is JSON of the members that models read.
    assert stated(RESULTS[14])["structuredContent"] == {"replaced": 2, "note": None}
    # The text is JSON, and of another value: FastMCP sends a list, and the object that wraps it.
    for data in (EditResult(replaced=2), {"replaced": 2, "note": None}):
        answer = stated(ToolResult.ok("[2]", data))
        assert answer["content"] == [{"type": "text", "text": "[2]"}]
        assert answer["structuredContent"] == {"replaced": 2, "note": None}
    assert ("structuredContent" in stated(RESULTS[2])) is (format == "mcp")
    assert "structuredContent" not in stated(RESULTS[0])
    assert "structuredContent" not in stated(RESULTS[13])
    assert stated(RESULTS[4]) == {
        "content": [{"type": "text", "text": "There is no such city."}],
        "isError": True,
        **({"resultType": "complete"} if format == "mcp" else {}),
    }


def test_as_many_results_as_calls() -> None:
    with pytest.raises(ValueError, match="2 calls, and 1"):
        render(some_calls(2), [ToolResult.ok()], "openai")
    assert render([], [], "anthropic") == []


# Ids


def openai_with(*ids: Any) -> dict[str, Any]:
    function = {"name": "t", "arguments": "{}"}
    listed = [{"id": id, "type": "function", "function": function} for id in ids]
    return {"id": "r1", "choices": [{"message": {"role": "assistant", "tool_calls": listed}}]}


@given(st.lists(st.sampled_from(["a", "b", "", None, "call_1"]), min_size=1, max_size=6))
def test_missing_and_doubled_ids(ids: list[Any]) -> None:
    answer = openai_with(*ids)
    found = parse(answer, "openai")
    assert found == parse(json.dumps(answer), "openai")
    names = [call.id for call in found]
    assert len(set(names)) == len(ids)
    assert all(names)
    for i, id in enumerate(ids):
        if id and id not in ids[:i]:
            assert names[i] == id
    (message,) = assistant_messages(answer, "openai")
    assert [call["id"] for call in message["tool_calls"]] == names
    rendered = render(found, [ToolResult.ok()] * len(found), "openai")
    assert [each["tool_call_id"] for each in rendered] == names


def test_made_up_ids_differ_from_round_to_round() -> None:
    first, second = openai_with(None), {**openai_with(None), "id": "r2"}
    assert parse(first, "openai")[0].id != parse(second, "openai")[0].id


RULES = {format: known.ids for format, known in FORMATS.items() if known.ids is not None}


@given(
    st.lists(st.text(min_size=1, max_size=80) | st.from_regex(r"[a-zA-Z0-9]{9}", fullmatch=True), max_size=8)
)
def test_foreign_ids_fit_and_have_a_way_back(ids: list[str]) -> None:
    from toolcast.agents.dispatch.call import wire_ids

    for rule in RULES.values():
        sent = wire_ids(ids, rule)
        assert sent == wire_ids(list(ids), rule)
        assert all(rule.fits(id) for id in sent.values())
        back = {wire: id for id, wire in sent.items()}
        assert {back[sent[id]] for id in ids} == set(ids)
        assert all(sent[id] == id for id in ids if rule.fits(id))


def test_two_foreign_ids_that_meet() -> None:
    from toolcast.agents.dispatch.call import IdRule, wire_ids

    rule = IdRule(r"[0-9A-Za-z]", 1, "")
    ids = [f"id {i}" for i in range(62)]
    assert len(set(wire_ids(ids, rule).values())) == 62


def test_mistral_takes_nine_letters_only() -> None:
    foreign = [
        Call(id="call_AbC", name="t", arguments="{}", index=0),
        Call(id="toolu_01", name="t", arguments="{}", index=1),
    ]
    messages = render(foreign, [ToolResult.ok("a"), ToolResult.ok("b")], "mistral")
    sent = [message["tool_call_id"] for message in messages]
    assert len(set(sent)) == 2
    assert all(len(id) == 9 and id.isalnum() and id.isascii() for id in sent)
    # The history's turn and its results agree.
    listed = [{"id": c.id, "function": {"name": "t", "arguments": "{}"}} for c in foreign]
    (message,) = assistant_messages({"role": "assistant", "tool_calls": listed}, "mistral")
    assert [call["id"] for call in message["tool_calls"]] == sent
    # What Mistral's client has for an id that did not come.
    listed = [{"id": "null", "function": {"name": "t", "arguments": "{}"}}] * 2
    found = parse({"role": "assistant", "tool_calls": listed}, "mistral")
    assert len({call.id for call in found} - {"null"}) == 2


def test_signatures_survive_the_client(client: Client) -> None:
    asked = [Asked("x", "t", "{}"), Asked("y", "t", "{}")]
    types = client("google.genai.types")
    given = as_object("gemini", ANSWERS["gemini"](asked), client)
    (message,) = assistant_messages(given, "gemini")
    back = types.Content.model_validate(message)
    assert back == given.candidates[0].content
    assert back.parts[1].thought_signature


def test_invalid_arguments_go_back_as_an_object() -> None:
    content = [{"type": "tool_use", "id": "x", "name": "t", "input": '{"a": '}]
    (message,) = assistant_messages({"role": "assistant", "content": content}, "anthropic")
    assert message["content"][0]["input"] == {"INVALID_JSON": '{"a": '}


def test_blank_text_does_not_go_back() -> None:
    content = [{"type": "text", "text": ""}, {"type": "tool_use", "id": "x", "name": "t", "input": {}}]
    (message,) = assistant_messages({"role": "assistant", "content": content}, "anthropic")
    assert [block["type"] for block in message["content"]] == ["tool_use"]


# Content


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"kind": "film", "media_type": "video/mp4"}, "kind"),
        ({"kind": "image", "media_type": "png"}, "media_type"),
        ({"kind": "image", "media_type": "image/png;base64,x"}, "media_type"),
        ({"kind": "image", "media_type": "image/png\n"}, "media_type"),
        ({"kind": "image", "data": "aGk="}, "from_base64"),
        ({"kind": "text", "text": 5}, "str"),
    ],
)
def test_content_is_checked(given: Any, error: str) -> None:
    with pytest.raises((ValueError, TypeError), match=error):
        Content(**given)


def test_content_from_base64() -> None:
    assert Content.from_base64("image", PNG.base64, "image/png") == PNG
    with pytest.raises(ValueError, match="not base64"):
        Content.from_base64("image", "a b", "image/png")
    assert "PNG" not in repr(PNG)
    assert msgspec.json.decode(msgspec.json.encode(PNG), type=Content) == PNG


def test_a_stranger_in_the_format(client: Client) -> None:
    with pytest.raises(DispatchError):
        parse(as_object("openai", ANSWERS["openai"]([]), client), "anthropic")


def test_what_a_result_must_repeat(client: Client) -> None:
    caller = {"type": "program", "caller_id": "ps_1"}
    call = {"type": "function_call", "call_id": "c", "name": "t", "arguments": "{}", "caller": caller}
    (item,) = render(parse({"output": [call]}, "openai-responses"), [ToolResult.ok("x")], "openai-responses")
    assert item["caller"] == caller
    judge_of("openai-responses", client)(item)
    used = {"type": "tool_use", "id": "c", "name": "t", "input": {}, "toolset_name": "browser"}
    answer = {"role": "assistant", "content": [used]}
    (message,) = render(parse(answer, "anthropic"), [ToolResult.ok("x")], "anthropic")
    assert message["content"][0]["toolset_name"] == "browser"
    judge_of("anthropic", client)(message)
    (message,) = assistant_messages(answer, "anthropic")
    judge_of("anthropic", client)(message)


def test_an_embedded_resource_keeps_its_uri_and_its_text() -> None:
    pieces = (
        Content.resource("notes://today/a%20b", "remember ✓", "text/markdown"),
        Content.resource("data://x", '{"a": 1}', "application/json"),
        Content.resource("img://logo", b"\x89PNG", "image/png"),
        Content.resource("bad://text", b"\xff", "text/plain"),
        Content.resource("plain://", "lone \ud800"),
    )
    (answer,) = render(some_calls(1), [ToolResult.ok("", None, pieces)], "mcp")
    assert answer["content"] == [
        {"type": "resource", "resource": resource}
        for resource in (
            {"uri": "notes://today/a%20b", "mimeType": "text/markdown", "text": "remember ✓"},
            {"uri": "data://x", "mimeType": "application/json", "text": '{"a": 1}'},
            {"uri": "img://logo", "mimeType": "image/png", "blob": "iVBORw=="},
            {"uri": "bad://text", "mimeType": "text/plain", "blob": "/w=="},
            {"uri": "plain://", "mimeType": "text/plain", "text": "lone ?"},
        )
    ]
    assert [piece.name for piece in pieces[:2]] == ["a%20b", "x"]
    # Where there are no files, a model reads the text all the same.
    (chat,) = render(some_calls(1), [ToolResult.ok("", None, pieces[:3])], "openai")
    texts = [block["text"] for block in chat["content"]]
    assert texts[0] == "[resource: notes://today/a%20b]\nremember ✓"
    assert texts[1] == '[resource: data://x]\n{"a": 1}'
    assert "left out" in texts[2]
    with pytest.raises(TypeError, match="uri"):
        Content.resource(5, "x")  # type: ignore[arg-type]  # what a program may give
    with pytest.raises(TypeError):
        Content.resource("x://y", 5)  # type: ignore[arg-type]  # what a program may give
