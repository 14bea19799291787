"""Servers that `toolcast probe` asks, and that want the key, the terminal or the memory of whoever asks."""

import base64
import json
import logging
import traceback
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from toolcast.analysis.probe import ProbeError, target_of
from toolcast.providers import load_profile

from tests.optional import load
from tests.providers.test_probe import KEY, OPENAI, PROBED, ask, questions, rules_alone, shapes, target

FORMS = {
    "plain": KEY,
    "base64": base64.b64encode(f"user:{KEY}".encode()).decode(),
    "percent": "".join(f"%{ord(letter):02x}" for letter in KEY),
    "escaped": "".join(f"\\u{ord(letter):04x}" for letter in KEY),
    "hex": KEY.encode().hex(),
    "invisible": "\u200b".join(KEY),
    "late": "a" * 1_990 + KEY,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("id", ["openai", "anthropic", "gemini", "mistral", "xai"])
def test_a_key_that_is_echoed_is_never_kept_or_shown(
    id: str, form: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    one = target(id)
    wanted = rules_alone(one)[:3]
    error = json.loads(
        json.dumps(shapes(id)[1]).replace("Invalid", "Invalid HERE").replace("tools", "tools HERE")
    )
    shown = json.dumps(error).replace("HERE", json.dumps(FORMS[form])[1:-1])

    def echo(request: Any) -> Any:
        headers = json.dumps({f"x-{name}": value for name, value in request.headers.items()})
        return load("httpx").Response(400, content=shown.encode(), headers={"x-echo": quote(headers)})

    answers = ask(one, wanted, echo, tmp_path)
    found = [answers.get(each.digest) for each in wanted]
    texts = [each.text for each in found if each is not None] + [(tmp_path / "probe.json").read_text("utf-8")]
    texts += [repr(found), repr(wanted), repr(one), caplog.text]
    for text in texts:
        assert not hidden(text), text
    if form != "late":  # the mark stands where the text is cut
        assert all("[redacted" in each.text for each in found if each is not None)


def hidden(text: str) -> bool:
    """Return whether a part of the key that is long enough to matter stands in a text, in some form."""
    plain = text.replace("\u200b", "").lower()
    parts = [KEY[start : start + 10] for start in range(3, len(KEY) - 10)]
    forms = [
        form
        for part in parts
        for form in (part, part.encode().hex(), "".join(f"%{ord(c):02x}" for c in part))
    ]
    return (
        any(form.lower() in plain for form in forms) or base64.b64encode(KEY.encode()).decode()[4:20] in text
    )


@pytest.mark.parametrize("id", PROBED)
def test_errors_that_end_a_run_hold_no_word_of_the_server(id: str, tmp_path: Path) -> None:
    one = target(id)
    for status in (401, 403):
        wrong = {"error": {"message": f"Incorrect API key provided: {KEY[:8]}***{KEY[-4:]}"}}
        with pytest.raises(ProbeError) as caught:
            ask(one, questions(one), lambda _, s=status, w=wrong: load("httpx").Response(s, json=w), tmp_path)
        told = "".join(traceback.format_exception(caught.value)) + caught.value.hint
        assert KEY[:8] not in told.replace("KEY =", "")
        assert "***" not in str(caught.value)


def test_no_key_goes_to_where_a_server_redirects(tmp_path: Path) -> None:
    hosts: list[str] = []

    def redirect(request: Any) -> Any:
        hosts.append(request.url.host)
        return load("httpx").Response(307, headers={"Location": f"https://evil.example/{KEY}"})

    one = target("openai")
    with pytest.raises(ProbeError, match="redirects to another one, which gets no key") as caught:
        ask(one, questions(one), redirect, tmp_path)
    assert {*hosts} == {"api.openai.com"}
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 200_000,
        b'{"choices": ' * 50_000,
        b'{"error": {"message": "' + b"a" * 1_000_000 + b'"}}',
        b'{"error": {"message": "\xff\xfe"}}',
        b"",
        b"null",
    ],
    ids=["deep", "deep-objects", "long", "no-utf-8", "empty", "null"],
)
def test_what_is_too_large_or_no_json_decides_nothing(content: bytes, tmp_path: Path) -> None:
    one = target("openai")
    wanted = rules_alone(one)[:1]
    for status in (200, 400):
        answer = ask(one, wanted, lambda _, s=status: load("httpx").Response(s, content=content), tmp_path)
        found = answer.get(wanted[0].digest)
        assert found is not None
        assert found.outcome == "undecided"
        assert len(found.text) <= 2_100


def test_an_answer_steers_no_terminal(tmp_path: Path) -> None:
    one = target("openai")
    wanted = rules_alone(one)[:1]
    text = "Invalid schema for function \x1b[2Jx\u202eyz\x07"
    error = {"error": {**OPENAI["error"], "message": text}}
    found = ask(one, wanted, lambda _: load("httpx").Response(400, json=error), tmp_path).get(
        wanted[0].digest
    )
    assert found is not None
    assert found.outcome == "refused"
    assert not {"\x1b", "\u202e", "\x07"} & {*found.text}


@pytest.mark.parametrize(
    "key", ["short", "two words 123456", "line\nX-Other: 1234567", "schlüssel-123456", "a" * 5_000]
)
def test_a_key_that_no_header_may_have_is_refused_without_it(key: str) -> None:
    with pytest.raises(ProbeError) as caught:
        target("openai", key)
    assert key not in "".join(traceback.format_exception(caught.value)) + caught.value.hint


def test_a_variable_leads_to_no_other_host() -> None:
    rules = load_profile("bedrock")
    for value in ("evil.example/#", "eu@evil.example", "eu.evil.example?", "a" * 64):
        with pytest.raises(ProbeError):
            target_of(rules, "m", "", {"AWS_REGION": value}, built_in=True)
    for value in ("http://evil.example", "https://a@evil.example", "//evil.example", "file:///etc/passwd"):
        with pytest.raises(ProbeError):
            target_of(load_profile("azure-openai"), "m", "", {"AZURE_OPENAI_ENDPOINT": value}, built_in=True)
    path = target_of(rules, "../../x?y#z", "https://h.example", {}, built_in=True).path
    assert path == "/model/..%2F..%2Fx%3Fy%23z/converse"
