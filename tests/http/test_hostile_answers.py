"""Whatever a server answers is a result, bounded and in words."""

from base64 import b64encode
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from toolcast.http.client import Answer
from toolcast.http.response import to_result, without_values
from toolcast.runtime import ToolBinding

SCHEMALESS: ToolBinding[Any, Any] = ToolBinding(
    module="",
    name="tool",
    group="",
    params=dict,
    permission="network",
    secrets=(),
    summary="",
    description="",
    contract="",
    schemas="",
)
TYPES = st.sampled_from(
    ["application/json", "text/html; charset=utf-16", "image/png", "application/problem+json", "a/b; c"]
)
HEADERS = st.dictionaries(
    st.sampled_from(["content-type", "content-disposition", "retry-after", "location"]),
    st.text(max_size=30) | TYPES,
)
BODIES = st.binary(max_size=200) | st.text(max_size=200).map(
    lambda text: text.encode("utf-8", "surrogatepass")
)


@given(st.integers(100, 999), HEADERS, BODIES, st.sampled_from(["GET", "POST", "HEAD"]))
def test_any_answer_is_a_result(status: int, headers: dict[str, str], content: bytes, method: str) -> None:
    answer = Answer(status=status, headers=headers, content=content)
    result = to_result(SCHEMALESS, "api.example.com", method, answer)
    assert result.success is (not result.error)
    assert status < 400 or not result.success
    assert result.success or status >= 400 or headers.get("content-type", "").endswith("json")
    assert len(result.error) < 3_000
    msgspec.json.encode(result.output)


@given(
    st.text(st.characters(codec="utf-8"), min_size=8, max_size=20),
    st.text(max_size=30),
    st.integers(200, 599),
)
def test_no_answer_repeats_a_credential(value: str, around: str, status: int) -> None:
    content = f"{around}{value}{around}".encode("utf-8", "surrogatepass")
    answer = without_values(Answer(status=status, headers={}, content=content), (value,))
    assert value.encode() not in answer.content or value in "[redacted]"


def test_a_long_error_ends_with_no_part_of_a_credential() -> None:
    value = "credential-0123456789"
    encoded = b64encode(value.encode())
    for shown in (12, 16, 20):
        content = b" " * (8_000 - shown) + encoded
        answer = Answer(status=401, headers={"content-type": "text/plain"}, content=content)
        error = to_result(SCHEMALESS, "api.example.com", "GET", without_values(answer, (value,))).error
        assert encoded[:12].decode() not in error
