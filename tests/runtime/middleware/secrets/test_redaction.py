"""Values stay inside: planted everywhere, in every form, and looked for in everything that comes out."""

# ruff: noqa: ARG001, ARG002, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import base64
import dataclasses
import datetime
import json
import logging
import random
import subprocess
import sys
import textwrap
import urllib.parse
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError, ToolRegistry, ToolResult
from toolcast.runtime.middleware.secrets import Secrets
from toolcast.runtime.middleware.secrets.redactor import WITHHELD, Redactor

from generated.web.http_request import HTTP_REQUEST
from tests.counting import grows_linearly
from tests.runtime.helpers import Watch

SECRET = 'p@ss/w+rd "ü" %41\\n'
ARGUMENTS = {"url": "https://example.org/", "headers": {"A": "<secret_ref:KEY>"}}


def quoted_every_byte(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "base64 after one byte": lambda s: base64.b64encode(b"u" + s.encode() + b":tail").decode(),
    "base64 after two bytes": lambda s: base64.b64encode(b"us" + s.encode() + b"t").decode(),
    "url-safe base64": lambda s: base64.urlsafe_b64encode(b"user:" + s.encode()).decode(),
    "base64 without padding": lambda s: base64.b64encode(s.encode()).decode().rstrip("="),
    "base64 in lines": lambda s: "\n".join(textwrap.wrap(base64.b64encode(s.encode()).decode(), 6)),
    "base64 in a URL": lambda s: urllib.parse.quote(base64.b64encode(s.encode()).decode(), safe=""),
    "URL": lambda s: urllib.parse.quote(s, safe=""),
    "URL path": lambda s: urllib.parse.quote(s),
    "URL form": lambda s: urllib.parse.urlencode({"k": s}),
    "URL twice": lambda s: urllib.parse.quote(urllib.parse.quote(s)),
    "URL, every byte": quoted_every_byte,
    "JSON": json.dumps,
    "JSON in UTF-8": lambda s: json.dumps(s, ensure_ascii=False),
    "JSON in JSON": lambda s: json.dumps({"a": json.dumps([s])}),
    "Python": repr,
    "hexadecimal": lambda s: s.encode().hex(),
    "hexadecimal, upper": lambda s: s.encode().hex().upper(),
    "hexadecimal in groups": lambda s: s.encode().hex(" ", 2),
    "coloured": "\x1b[0;31m\x1b[0m".join,
    "zero-width": "\u200b".join,
    "indented": lambda s: textwrap.indent(s, "    "),
}
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
VALUES = st.one_of(
    st.text(st.sampled_from("abcXYZ019+/=_-%&\\\"'<> \n\tüß€😀"), min_size=8, max_size=40),
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=8, max_size=20),
    st.binary(min_size=12, max_size=30).map(lambda data: base64.b64encode(data).decode()),
)


def redactor(value: str) -> Redactor:
    made = Redactor()
    made.add("KEY", value)
    return made


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_found(form: str) -> None:
    for value in (SECRET, "hunter2-hunter2", "aaaaaaaa", "key=1&b=2"):
        text = redactor(value).text(f"<<{FORMS[form](value)}>>")
        assert "[redacted:KEY]" in text
        assert text.startswith("<<")
        assert text.endswith(">>")
        assert FORMS[form](value) not in text
        assert redactor(value).text(FORMS[form](value)) != FORMS[form](value)  # nothing around it


@given(value=VALUES, form=st.sampled_from(sorted(FORMS)), before=TEXT, after=TEXT)
@example(value="00000000%", form="URL", before="", after="")
@example(value="%41%41%41%41", form="URL", before="", after="")
@example(value="&amp;&amp;\\n\\n", form="JSON", before="\\", after="")
@example(value="0000000\U00018cd6", form="Python", before="", after="")
@example(value="abcdefg\xadhijk", form="Python", before="", after="")
@example(value="abcdefg\nh", form="indented", before="", after="")
@example(value="abcdefgh\xad", form="zero-width", before="", after="")
@example(value="a-b_c\nd e\rfgh", form="indented", before="", after="")
def test_random_values_in_random_text_are_found(value: str, form: str, before: str, after: str) -> None:
    assume(len("".join(value.split())) >= 4)
    wanted = FORMS[form](value)
    assume(wanted not in before + after)
    # What stands around must not run into the form: an escape, a longer base64 text.
    text = redactor(value).text(f"{before.rstrip(chr(92))} {wanted} {after}")
    assert wanted not in text
    assert len("".join(wanted.split())) < 8 or "".join(wanted.split()) not in "".join(text.split())


@given(
    value=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=30),
    before=st.binary(max_size=7),
    after=st.binary(max_size=7),
)
def test_base64_keeps_no_bit_of_a_value(value: str, before: bytes, after: bytes) -> None:
    """What is left of the text would be the same for the value with every bit turned."""
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = encode(before + value.encode() + after).decode()
        turned = encode(before + bytes(255 - byte for byte in value.encode()) + after).decode()
        head, mark, rest = redactor(value).text(text).partition("[redacted:KEY]")
        assert mark
        assert turned.startswith(head)
        assert turned.endswith(rest.rpartition("]")[2])


@given(value=VALUES, text=TEXT)
def test_text_without_the_value_stays_as_it_is(value: str, text: str) -> None:
    assume(len("".join(value.split())) >= 8)
    assume(value.strip() not in text)
    assert redactor(value).text(text) == text


def test_overlapping_values_leave_no_rest() -> None:
    made = Redactor()
    for name, value in {"A": "abcdef", "B": "efghij", "C": "abcdefgh"}.items():
        made.add(name, value)
    assert made.text("-abcdefghij-") == "-[redacted:C]-"
    assert made.text("aaaa") == "aaaa"
    made.add("D", "aaaa")
    assert made.text("aaaaaa b") == "[redacted:D] b"


def test_lines_of_a_long_value_are_found_alone() -> None:
    key = (
        "-----BEGIN KEY-----\n"
        + "\n".join(f"{n}MIIEvQIBADANBgkqhkiG" for n in range(5))
        + "\n-----END KEY-----"
    )
    made = redactor(key)
    assert made.text("line 3: 3MIIEvQIBADANBgkqhkiG.") == "line 3: [redacted:KEY]."
    assert made.text("-----BEGIN KEY-----") == "-----BEGIN KEY-----"


@pytest.mark.parametrize("value", ["redacted", "[redacted:KEY]", "****", "KEY]"])
def test_the_mark_is_never_the_value(value: str) -> None:
    assert value not in redactor(value).text(f"x {value} y")


class Inner(msgspec.Struct, frozen=True):
    text: str
    count: int = 1


@dataclasses.dataclass
class Plain:
    text: str


class Opaque:
    def __init__(self, text: str) -> None:
        self.text = text


def test_values_in_data_are_found_at_any_depth() -> None:
    made = redactor("12345678")
    clean = {"a": [1, 2.5, None, True, (1,), b"x", datetime.date(2020, 1, 1), Inner("x"), Plain("y"), {1}]}
    assert made.value(clean) is clean
    assert made.value({"12345678": [Inner("a12345678", 12345678)], "t": ("x", "12345678")}) == {
        "[redacted:KEY]": [Inner("a[redacted:KEY]", "[redacted:KEY]")],  # type: ignore[arg-type]
        "t": ("x", "[redacted:KEY]"),
    }
    assert made.value([b"\xff12345678", bytearray(b"12345678")]) == [b"\xff[redacted:KEY]", b"[redacted:KEY]"]
    assert made.value([12345678, 12345678.0, Plain("12345678"), Opaque("")]) == [
        "[redacted:KEY]",
        "[redacted:KEY].0",
        {"text": "[redacted:KEY]"},
        WITHHELD,
    ]
    loop: list[Any] = []
    loop.append(loop)
    assert made.value(loop) == WITHHELD


# --- through a registry


def everything_out(
    handler: Any, value: str, caplog: pytest.LogCaptureFixture, **options: Any
) -> tuple[ToolResult, str]:
    """The result, and one text of all that came out: result, events, log with tracebacks."""
    caplog.clear()
    watch = Watch()
    registry = ToolRegistry(secrets=lambda name: value, hooks=watch, **options)
    registry.register(HTTP_REQUEST, handler)
    with caplog.at_level(logging.DEBUG):
        result = asyncio.run(registry.execute("http_request", ARGUMENTS))
    logged = [
        f"{record.getMessage()} {record.args} {record.exc_info} {record.exc_text}"
        for record in caplog.records
    ]
    return result, "\n".join([repr(result), *map(repr, watch.events), *logged, caplog.text])


async def in_output(params: Any, context: Any) -> Any:
    return f"sent {params.headers['A']}"


async def in_result(params: Any, context: Any) -> Any:
    return ToolResult.ok("sent", {"deep": [params.headers]})


async def in_typed(params: Any, context: Any) -> Any:
    return {"status": 200, "headers": params.headers, "body": params.headers["A"]}


async def in_error(params: Any, context: Any) -> Any:
    return ToolResult.failed(f"401 for {params.headers['A']}")


async def in_bug(params: Any, context: Any) -> Any:
    raise ValueError(params.headers["A"]) from KeyError(json.dumps(params.headers))


async def in_refusal(params: Any, context: Any) -> Any:
    raise RefusalError(f"not {params.headers['A']}")


async def in_params(params: Any, context: Any) -> Any:
    return params


async def in_no_result(params: Any, context: Any) -> Any:
    return type("X", (), {"value": params.headers["A"]})()


class InPrecheck:
    def precheck(self, params: Any, context: Any) -> str:
        return f"bad: {params.headers['A']}"

    def __call__(self, params: Any, context: Any) -> str:
        return "done"


HANDLERS = [
    in_output,
    in_result,
    in_typed,
    in_error,
    in_bug,
    in_refusal,
    in_params,
    in_no_result,
    InPrecheck(),
]


@pytest.mark.parametrize("handler", HANDLERS)
@pytest.mark.parametrize("value", ["hunter2-hunter2", SECRET])
def test_no_way_out(handler: Any, value: str, caplog: pytest.LogCaptureFixture) -> None:
    _, text = everything_out(handler, value, caplog)
    for form in ("as it is", "JSON", "Python"):
        assert FORMS[form](value).strip("'\"") not in text


def test_what_a_person_is_asked_holds_the_reference() -> None:
    from toolcast.runtime.middleware.policy import Policy

    asked: list[Any] = []

    def approve(request: Any) -> str:
        asked.append(request)
        return "always"

    policy = Policy(approver=approve)
    registry = ToolRegistry(secrets=lambda name: "hunter2-hunter2", policy=policy)
    registry.register(HTTP_REQUEST, in_output)
    assert asyncio.run(registry.execute("http_request", ARGUMENTS)).output == "sent [redacted:KEY]"
    assert asked[0].params.headers == {"A": "<secret_ref:KEY>"}
    assert "<secret_ref:KEY>" in str(policy.remembered[0])
    assert "hunter2" not in repr((asked, policy.remembered))


def test_a_cut_never_leaves_half_a_value(caplog: pytest.LogCaptureFixture) -> None:
    value = "0123456789abcdefghij"

    for offset in range(60):

        async def handler(params: Any, context: Any, offset: int = offset) -> Any:
            return "-" * offset + params.headers["A"] + "-" * (100 - offset)

        result, _ = everything_out(handler, value, caplog, output_limit=40)
        assert not any(value[at : at + 4] in result.output for at in range(len(value) - 3))


def test_a_value_stays_hidden_in_later_calls_and_of_other_registries() -> None:
    secrets = Secrets({"KEY": "hunter2-hunter2"}.get)
    first, second = ToolRegistry(secrets=secrets), ToolRegistry(secrets=secrets)
    first.register(HTTP_REQUEST, in_output)
    second.register(HTTP_REQUEST, lambda params, context: "it was hunter2-hunter2")
    assert (
        asyncio.run(second.execute("http_request", {"url": "https://x.org"})).output
        == "it was hunter2-hunter2"
    )
    asyncio.run(first.execute("http_request", ARGUMENTS))
    assert (
        asyncio.run(second.execute("http_request", {"url": "https://x.org"})).output
        == "it was [redacted:KEY]"
    )
    wrong = asyncio.run(second.execute("http_request", {"url": 7, "hunter2-hunter2": 1}))
    assert "hunter2" not in wrong.error
    assert "hunter2" not in asyncio.run(second.execute("hunter2-hunter2", {})).error


def test_a_value_that_the_model_writes_out_is_in_no_event() -> None:
    from toolcast.runtime.middleware.policy import Policy

    secrets, watch = Secrets(lambda name: None), Watch()
    secrets.hide("KEY", "hunter2-hunter2")
    registry = ToolRegistry(secrets=secrets, hooks=watch, policy=Policy(approver=lambda request: "always"))
    registry.register(HTTP_REQUEST, in_output)
    arguments = {"url": "https://x.org", "headers": {"A": "hunter2-hunter2"}}
    assert asyncio.run(registry.execute("http_request", arguments)).output == "sent [redacted:KEY]"
    assert len(watch.events) == 4
    assert "hunter2" not in repr(watch.events)


def test_a_value_may_be_hidden_beforehand() -> None:
    secrets = Secrets(lambda name: None)
    secrets.hide("ENV", "hunter2-hunter2")
    assert secrets.redact_text("a hunter2-hunter2") == "a [redacted:ENV]"
    with pytest.raises(ValueError, match="too short"):
        secrets.hide("PIN", " 1 2 3 ")


def test_typed_output_stays_json(caplog: pytest.LogCaptureFixture) -> None:
    async def number(params: Any, context: Any) -> Any:
        return {"status": 200, "headers": {}, "body": None, "id": int(params.headers["A"])}

    result, text = everything_out(number, "12345678", caplog)
    assert json.loads(result.output)["id"] == "[redacted:KEY]"
    assert "12345678" not in text


@pytest.mark.parametrize("text", ["prose", "json", "hexadecimal", "base64", "code"])
def test_ordinary_text_stays_as_it_is_at_scale(text: str) -> None:
    numbers = random.Random(7)
    words = ["".join(numbers.choices("etaoinshrdlu", k=numbers.randint(2, 9))).title() for _ in range(2_000)]
    ordinary = {
        "prose": " ".join(numbers.choices(words, k=20_000)),
        "json": json.dumps([{"id": n, "name": f'{words[n]} "ä" & 50% \\'} for n in range(2_000)]),
        "hexadecimal": numbers.randbytes(60_000).hex(" "),
        "base64": base64.encodebytes(numbers.randbytes(90_000)).decode(),
        "code": "\n".join(f"x{n} = '\\\\x41\\n' # &amp; %20 =3D" for n in range(3_000)),
    }[text]
    made = Redactor()
    for number in range(20):
        made.add(f"K{number}", base64.b64encode(numbers.randbytes(6)).decode())
    assert made.text(ordinary) == ordinary


@pytest.mark.parametrize("value", ["1234567", "pass", "abc  def", "a\u200bb\u200bc\u200bd\u200be\u200bf"])
def test_a_value_that_can_be_guessed_is_refused(value: str) -> None:
    secrets = Secrets(lambda name: value)
    with pytest.raises(ValueError, match="too short to be hidden: under 8 characters"):
        secrets.hide("PIN", value)
    registry = ToolRegistry(secrets=secrets)
    registry.register(HTTP_REQUEST, in_output)
    result = asyncio.run(registry.execute("http_request", ARGUMENTS))
    assert not result.success
    assert "fewer than 8 characters" in result.error


HOSTILE = {
    "percent in percent": "%2525252541" * 5_000,
    "escapes in escapes": "\\\\\\\\u0041" * 5_000,
    "entities": "&amp;amp;amp;#65;" * 5_000,
    "all families": "%5C%26amp;=3D\\x25" * 5_000,
    "one letter": "a" * 50_000,
    "zero-width": "a\u200b" * 25_000,
    "escape characters": "\x1b]" * 25_000,
    "digits": "0123456789abcdef" * 5_000,
    "names": "\\N{" * 12_500,
    "zeros": "&#" + "0" * 50_000,
    "beyond ASCII": "漢字" * 12_500,
}


def test_hostile_output_is_searched_in_bounded_time() -> None:
    """In a process of its own, so that a search without an end fails."""
    code = (
        "import json, sys\nfrom toolcast.runtime.middleware.secrets import Secrets\n"
        "secrets = Secrets(lambda name: None)\n"
        "secrets.hide('A', 'a' * 9)\nsecrets.hide('B', 'hunter2-hunter2')\n"
        "for text in json.load(sys.stdin):\n"
        "    assert 'hunter2' not in secrets.redact_text(text)\n"
    )
    texts = json.dumps([f"{text} hunter2-hunter2" for text in HOSTILE.values()])
    subprocess.run([sys.executable, "-c", code], input=texts.encode(), check=True, timeout=240)


def test_redaction_is_linear() -> None:
    made = Redactor()
    for number in range(10):
        made.add(f"K{number}", f"value number {number} " * 3)

    def work(size: int) -> Callable[[], str]:
        text = '{"a": "\\u00e4 %C3%A4 &amp; value number + more"}\n' * 10 * size
        assert made.text(text) == text
        return lambda: made.text(text)

    assert grows_linearly(work)


@pytest.mark.parametrize("form", [str, lambda value: value.encode().hex(), lambda value: f"%73{value[1:]}"])
def test_a_value_is_found_wherever_it_stands_in_a_long_text(form: Callable[[str], str]) -> None:
    made, value = Redactor(), "sk-0123456789-abcdef"
    made.add("KEY", value)
    shown = form(value)
    for before in (131_071, 131_072 - len(shown) // 2, 163_840 - len(shown) // 2):
        text = ("no value \n" * 20_000)[:before] + shown + "\n" + "no value \n" * 100
        assert made.text(text) == text.replace(shown, "[redacted:KEY]")
