"""`toolcast.analysis.probe` against servers that behave as a profile says, and as it does not.

They run in process, by httpx's own transport, and answer in the forms of the providers' own texts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from toolcast.analysis.probe import (
    Answers,
    Finding,
    ProbeError,
    Prober,
    Question,
    Target,
    findings_of,
    place_of,
    questions_of,
    renewed,
    target_of,
)
from toolcast.providers import available, load_profile, load_profile_file, profile_texts
from toolcast.providers.rule_vectors import vectors_of

from tests.optional import load

PROBED = [id for id in available() if load_profile(id).probe is not None]
KEY = "sk-probe-0123456789abcdef"
ENVIRONMENT = {"AWS_REGION": "eu-central-1", "AZURE_OPENAI_ENDPOINT": "https://acme.openai.azure.com/"}


def said(message: str, **more: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", **more}}


ROOT = "input_schema does not support oneOf, allOf, or anyOf at the top level"
LOCATION = "GenerateContentRequest.tools[0].function_declarations[0].parameters.required[0]"
OPENAI = said(
    "Invalid schema for function 'look': In context=('properties', 'v'), 'x' is not permitted.",
    param="tools[0].function.parameters",
    code="invalid_function_parameters",
)
GEMINI = {"error": {"code": 400, "message": f"* {LOCATION}: property is not defined\n"}}
GROQ = said("invalid JSON schema for tool look, tools[0].function.parameters: 'properties' is missing")
MOONSHOT = said("tools.function.parameters is not a valid moonshot flavored json schema, details: <x>")
XAI = {"code": "Client specified an invalid argument", "error": "Invalid JSON schema of a tool"}
UNMARSHAL = "json: cannot unmarshal bool into Go struct field .tools of type api.ToolProperty"
XGRAMMAR = "The provided JSON schema contains features not supported by xgrammar."
CHAT = {"id": "1", "choices": [{"message": {"role": "assistant", "content": "a"}}], "usage": {}}
MESSAGE = {"id": "1", "message": {"role": "assistant", "content": "a"}}
USED = {"candidates": [], "usageMetadata": {"totalTokenCount": 9}}
ANSWERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "anthropic": ({"type": "message", "content": []}, said(f"tools.0.custom.input_schema: {ROOT}")),
    "bedrock": ({"output": {}}, {"message": f"The model returned: tools.0.custom.input_schema: {ROOT}"}),
    "gemini": (USED, GEMINI),
    "vertex": (USED, GEMINI),
    "cohere": (MESSAGE, {"message": "invalid request: tools[0] has an invalid JSON schema"}),
    "ollama": (MESSAGE, {"error": UNMARSHAL}),
    "groq": (CHAT, GROQ),
    "mistral": (CHAT, {"object": "error", "message": "Invalid tool schema: {'type': 'object'} is not valid"}),
    "moonshot": (CHAT, MOONSHOT),
    "xai": (CHAT, XAI),
    "deepseek": (CHAT, said("Invalid schema for function look")),
    "llama-cpp": (CHAT, said("JSON schema conversion failed:\nUnrecognized schema: true")),
    "vllm-xgrammar": (CHAT, {"object": "error", "message": XGRAMMAR}),
    "openai-responses": ({"object": "response", "output": []}, OPENAI),
    "openai": (CHAT, OPENAI),
    "azure": (CHAT, OPENAI),
}
"""By the longest beginning of an id: the answers to a tool that is taken, and to one that is not."""

Handler = Callable[[Any], Any]


def shapes(id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return ANSWERS[max((name for name in ANSWERS if id.startswith(name)), key=len)]


def target(id: str, key: str = KEY) -> Target:
    made = target_of(load_profile(id), "some-model", "", ENVIRONMENT, built_in=True)
    if made.rules.key:
        made.set_key(key)
    return made


def questions(one: Target) -> tuple[Question, ...]:
    return questions_of(one, vectors_of(one.profile))


def rules_alone(one: Target) -> tuple[Question, ...]:
    """The questions without that of the plainest tool."""
    return tuple(each for each in questions(one) if each.vector.rule != "envelope")


class Clock:
    """Time that passes by waiting only."""

    def __init__(self) -> None:
        self.now, self.waits = 0.0, list[float]()

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.waits.append(seconds)


def ask(
    one: Target, wanted: tuple[Question, ...], handler: Handler, folder: Path, clock: Clock | None = None
) -> Answers:
    httpx = load("httpx")
    clock = clock or Clock()

    async def run() -> Answers:
        async with httpx.AsyncClient(transport=httpx.MockTransport(handler)) as client:
            answers = Answers(folder / "probe.json")
            prober = Prober(one, client, clock.sleep, clock)
            await prober.ask(wanted, answers, lambda _done, _total: None)
            return answers

    return asyncio.run(run())


def scripted(id: str, refused: set[bytes]) -> Handler:
    """A server that refuses some bodies, in the provider's words."""
    httpx, rules = load("httpx"), load_profile(id).probe
    taken, error = shapes(id)

    def answer(request: Any) -> Any:
        assert rules is not None
        assert KEY in "".join(request.headers.values()) or not rules.key
        wrong = request.content in refused
        return httpx.Response(400 if wrong else 200, json=error if wrong else taken)

    return answer


def refusals(wanted: tuple[Question, ...]) -> set[bytes]:
    return {each.body for each in wanted if each.expected == "refused"}


def verdicts(findings: tuple[Finding, ...], verdict: str) -> set[str]:
    return {each.vector.id for each in findings if each.verdict == verdict}


@pytest.mark.parametrize("id", PROBED)
def test_a_provider_that_behaves_as_its_profile_says_agrees(id: str, tmp_path: Path) -> None:
    one = target(id)
    wanted = questions(one)
    findings = findings_of(wanted, ask(one, wanted, scripted(id, refusals(wanted)), tmp_path))
    assert verdicts(findings, "contradicted") | verdicts(findings, "undecided") == set()
    unknown = {each.vector.id for each in wanted if each.expected is None}
    assert verdicts(findings, "found") == unknown


def test_each_of_many_rules_that_do_not_hold_is_found(tmp_path: Path) -> None:
    flipped = 0
    for id in PROBED:
        one = target(id)
        wanted = questions(one)
        known = list({each.body: None for each in wanted if each.expected is not None})
        chosen = set(known[1::2][:16])  # without the plainest tool
        answers = ask(one, wanted, scripted(id, refusals(wanted) ^ chosen), tmp_path / id)
        affected = {each.vector.id for each in wanted if each.body in chosen and each.expected is not None}
        assert verdicts(findings_of(wanted, answers), "contradicted") == affected, id
        flipped += len(chosen)
    assert flipped >= 200


def test_a_request_is_the_cheapest_one_with_the_tool() -> None:
    bodies = {id: json.loads(questions(target(id))[0].body) for id in PROBED}
    assert bodies["openai"]["max_completion_tokens"] == 1
    assert bodies["openai"]["tool_choice"] == "none"
    assert bodies["openai-responses"]["max_output_tokens"] == 16
    assert bodies["anthropic"]["max_tokens"] == 1
    assert bodies["cohere"]["strict_tools"] is True
    assert bodies["gemini"]["tools"][0]["functionDeclarations"][0]["name"] == "look"
    assert bodies["bedrock"]["toolConfig"]["tools"][0]["toolSpec"]["name"] == "look"
    assert target("bedrock").server == "https://bedrock-runtime.eu-central-1.amazonaws.com"
    assert target("bedrock").path == "/model/some-model/converse"


def test_a_server_is_asked_again_when_it_wants_it_and_not_for_ever(tmp_path: Path) -> None:
    httpx, one, clock = load("httpx"), target("openai"), Clock()
    wanted, sent = questions(one)[:1], 0

    def busy(_request: Any) -> Any:
        nonlocal sent
        sent += 1
        if sent == 1:
            return httpx.Response(429, headers={"Retry-After": "20"}, json={})
        if sent == 2:
            return httpx.Response(503, json={})
        return httpx.Response(200, json=CHAT)

    answers = ask(one, wanted, busy, tmp_path, clock)
    assert answers.get(wanted[0].digest).outcome == "accepted"  # type: ignore[union-attr]
    assert 20 <= clock.waits[0] <= 21
    assert 4 <= clock.waits[1] <= 8
    for header in ("86400", "Fri, 31 Dec 2100 23:59:59 GMT"):
        later = lambda _, header=header: httpx.Response(429, headers={"Retry-After": header})  # noqa: E731
        with pytest.raises(ProbeError, match="asks to wait"):
            ask(one, questions(one)[1:2], later, tmp_path / header[:3])
    always = ask(one, questions(one)[:1], lambda _: httpx.Response(429), tmp_path / "always", clock)
    assert always.get(wanted[0].digest).outcome == "undecided"  # type: ignore[union-attr]


def test_a_run_that_ends_goes_on_where_it_was(tmp_path: Path) -> None:
    httpx, one = load("httpx"), target("openai")
    wanted = questions(one)
    bodies = list({each.body for each in wanted})
    good, sent = scripted("openai", refusals(wanted)), list[bytes]()

    def fails(request: Any) -> Any:
        sent.append(request.content)
        return good(request) if len(sent) <= 10 else httpx.Response(401, json={})

    with pytest.raises(ProbeError, match="401"):
        ask(one, wanted, fails, tmp_path)
    assert len(sent) == 11
    rest = list[bytes]()

    def records(request: Any) -> Any:
        rest.append(request.content)
        return good(request)

    answers = ask(one, wanted, records, tmp_path)
    assert sorted(sent[:10] + rest) == sorted(bodies)  # each once
    assert verdicts(findings_of(wanted, answers), "contradicted") == set()
    (tmp_path / "probe.json").write_bytes(b'{"torn')
    assert Answers(tmp_path / "probe.json").get(wanted[0].digest) is None


@pytest.mark.parametrize(
    ("status", "body", "outcome"),
    [
        (400, {"error": {"message": "Unsupported parameter: 'max_completion_tokens'"}}, "undecided"),
        (400, said("Could not finish: max_tokens or model output limit was reached."), "accepted"),
        (500, OPENAI, "undecided"),
        (200, {"error": "no such thing"}, "undecided"),
        (200, "<html>log in</html>", "undecided"),
        (400, [[[]]], "undecided"),
        (404, {}, "404"), (402, {}, "402"), (403, {}, "403"),
    ],
)  # fmt: skip
def test_what_is_not_about_the_schema_decides_nothing(
    status: int, body: Any, outcome: str, tmp_path: Path
) -> None:
    one = target("openai")
    wanted = questions(one)[:1]
    answer = load("httpx").Response(status, json=body)
    if outcome.isdigit():
        with pytest.raises(ProbeError, match=outcome):
            ask(one, wanted, lambda _: answer, tmp_path)
    else:
        found = ask(one, wanted, lambda _: answer, tmp_path).get(wanted[0].digest)
        assert found is not None
        assert found.outcome == outcome


def test_a_run_stops_where_nothing_is_decided(tmp_path: Path) -> None:
    sent = 0

    def down(_request: Any) -> Any:
        nonlocal sent
        sent += 1
        return load("httpx").Response(500, json={"error": {"message": "down"}})

    one = target("openai")
    with pytest.raises(ProbeError, match=r"5 answers in a row decide nothing; the last: 500: down"):
        ask(one, questions(one), down, tmp_path)
    assert sent == 5


def test_nothing_follows_where_the_plainest_tool_is_refused(tmp_path: Path) -> None:
    error = said("'some-model' does not support tools")
    one = target("anthropic")
    for _ in range(2):  # such an answer is not kept
        with pytest.raises(ProbeError, match="the plainest tool is refused, so nothing follows: 'some"):
            ask(one, questions(one), lambda _: load("httpx").Response(400, json=error), tmp_path)


def test_a_contradicted_rule_has_its_line() -> None:
    for id in ("azure-openai", "gemini", "groq", "openai"):
        one, texts = target(id), profile_texts(id)
        for vector in vectors_of(one.profile):
            path, line = place_of(vector, texts)
            text = path.read_text("utf-8").splitlines()[line - 1]
            name = vector.rule.partition(".")[2]
            if vector.rule.startswith("limits."):
                assert text.startswith(f"{name} =") or f'"{vector.rule}"' in text, (vector.id, path, line)
    one, texts = target("openai"), profile_texts("openai")
    found = {each.rule: place_of(each, texts) for each in vectors_of(one.profile)}
    lines = found["strict.uniqueItems"][0].read_text("utf-8").splitlines()
    assert '"uniqueItems"' in lines[found["strict.uniqueItems"][1] - 1]
    assert lines[found["strict.closed"][1] - 1] == "closed = true"


PROFILE = """\
# Ours.
base = "openai"   # nearest
id = "acme"
dated = '2026-01-01'  # when
sources = ["x"]

[probe]
server = "https://api.acme.example"
key = "ACME_API_KEY"

# of one
[[rules]]
names = ["strict.uniqueItems"]
confidence = "documented"
dated = "2026-02-02" # that

[[rules]]
names = ["strict.not", "strict.if"]
source = 'dated = "2020-01-01"'
"""


def test_dates_and_confidence_alone_are_written(tmp_path: Path) -> None:
    file = tmp_path / "acme.toml"
    file.write_text(PROFILE, "utf-8")
    profile = load_profile_file(file)
    one = target_of(profile, "m", "", {}, built_in=False)
    one.set_key(KEY)
    wanted = questions(one)
    refused = refusals(wanted)
    findings = findings_of(wanted, ask(one, wanted, scripted("openai", refused), tmp_path / "all"))
    expected = PROFILE.replace('"2026-02-02"', '"2026-11-29"').replace('"documented"', '"probed"')
    assert renewed(PROFILE, findings, "2026-11-29", whole=False) == expected
    assert renewed(PROFILE, findings, "2026-11-29", whole=True) == expected.replace(
        "'2026-01-01'", '"2026-11-29"'
    )
    broken = next(
        each.body
        for each in wanted
        if each.vector.rule == "strict.uniqueItems" and each.expected == "refused"
    )
    findings = findings_of(wanted, ask(one, wanted, scripted("openai", refused - {broken}), tmp_path / "one"))
    assert renewed(PROFILE, findings, "2026-11-29", whole=True) == PROFILE


def test_a_profile_says_itself_where_its_tools_are_sent(tmp_path: Path) -> None:
    file = tmp_path / "acme.toml"
    file.write_text(PROFILE.partition("[probe]")[0], "utf-8")
    assert load_profile_file(file).probe is None
    file.write_text(PROFILE.replace("ACME_API_KEY", "OPENAI_API_KEY"), "utf-8")
    with pytest.raises(ProbeError, match=r"OPENAI_API_KEY is not for https://api.acme.example"):
        target_of(load_profile_file(file), "m", "", {}, built_in=False)
    assert target_of(load_profile_file(file), "m", "https://api.acme.example", {}, built_in=False).path
    file.write_text(PROFILE.replace("api.acme", "$SECRET.acme"), "utf-8")
    with pytest.raises(ProbeError, match="SECRET is not for"):
        target_of(load_profile_file(file), "m", "", {"SECRET": "1"}, built_in=False)
