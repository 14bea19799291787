"""The published schema of the lines, and what is read and written: a validator of others compares them."""

import asyncio
import json
from importlib.resources import files
from typing import Any, get_args

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime.code import CodeLimits, ErrorKind
from toolcast.runtime.code.protocol import LineTooLongError, RequestError, read_lines, read_request

from tests.runtime.code.sandboxes import GOOD, Sandbox, note, registry, run_program
from tests.runtime.code.test_attacks import NO_REQUESTS, WRONG_ARGUMENTS

SCHEMA = json.loads(files("toolcast.runtime.code").joinpath("lines.schema.json").read_text("utf-8"))


def judge(name: str) -> Any:
    return jsonschema_rs.Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{name}"})


REQUEST, ANSWER, NAMES = judge("request"), judge("answer"), judge("names")

keys = st.sampled_from(["id", "call", "arguments", "list", "describe", "extra"])
values = st.one_of(
    st.integers(-1, 3),
    st.sampled_from([2**53 - 1, 2**53, 1.0, 0.5, True, None, [], {}, {"a": 1}]),
    st.text(max_size=3),
)


@given(st.one_of(values, st.dictionaries(keys, values, max_size=4)))
def test_what_is_read_is_what_the_schema_says(value: Any) -> None:
    line = json.dumps(value).encode()
    try:
        request = read_request(line)
    except RequestError:
        # Schema says that 1.0 is an integer; a line may say so, and is refused: an id is repeated as it came.
        is_float = isinstance(value, dict) and isinstance(value.get("id"), float)
        assert is_float or not REQUEST.is_valid(value)
    else:
        assert REQUEST.is_valid(value)
        assert request.id == value["id"]


def test_every_answer_fits_the_schema() -> None:
    seen: list[Any] = []
    lines: list[bytes | dict[str, Any]] = [
        note(1),
        {"id": 2, "call": "files.edit", "arguments": GOOD},
        {"id": 3, "call": "nothing"},
        {"id": 4, "list": ""},
        {"id": 5, "list": "nothing"},
        {"id": 6, "describe": ""},
        {"id": 6, "describe": "nothing"},
        *(line + b"\n" for line in NO_REQUESTS.values()),
        *(b'{"id": 3, "call": "misc.note", "arguments": %s}\n' % text for text in WRONG_ARGUMENTS.values()),
    ]

    async def program(sandbox: Sandbox) -> None:
        for line in lines:
            seen.append(await sandbox.ask(line))

    async def too_much(sandbox: Sandbox) -> None:
        seen.append(await sandbox.ask(note(1)))
        seen.append(await sandbox.ask(note(1)))

    run_program(program)
    run_program(too_much, registry(), CodeLimits(requests=1))
    for answer in seen:
        ANSWER.validate(answer)
    NAMES.validate(next(each["result"] for each in seen if each["id"] == 4))
    assert seen[-1]["error"]["kind"] == "ended"


def test_the_kinds_of_the_schema_are_those_of_the_code() -> None:
    kinds = SCHEMA["$defs"]["answer"]["oneOf"][1]["properties"]["error"]["properties"]["kind"]["enum"]
    assert tuple(kinds) == get_args(ErrorKind)


class Chunks:
    """A reader that gives what it was made with."""

    def __init__(self, chunks: list[bytes]) -> None:
        self._chunks = [*chunks]

    async def read(self, _: int, /) -> bytes:
        return self._chunks.pop(0) if self._chunks else b""


@given(st.lists(st.binary(min_size=1, max_size=12), max_size=8), st.integers(1, 20))
def test_lines_are_those_of_the_bytes(chunks: list[bytes], limit: int) -> None:
    """Split at line feeds alone, however the bytes arrive, and none longer than the limit is given."""

    async def main() -> tuple[list[bytes], bool]:
        found = []
        try:
            async for line in read_lines(Chunks(chunks), limit):
                found.append(line)
        except LineTooLongError:
            return found, True
        return found, False

    found, cut = asyncio.run(main())
    *lines, rest = b"".join(chunks).split(b"\n")
    assert found == lines[: len(found)]
    assert all(len(line) <= limit for line in found)
    longest = lines[len(found)] if len(found) < len(lines) else rest
    assert cut == (len(longest) > limit)


@pytest.mark.parametrize("problem", [ConnectionResetError(), BrokenPipeError(), OSError(5, "x"), EOFError()])
def test_a_reader_that_fails_has_ended(problem: Exception) -> None:
    class Broken:
        async def read(self, _: int, /) -> bytes:
            raise problem

    async def main() -> list[bytes]:
        return [line async for line in read_lines(Broken(), 10)]

    assert asyncio.run(main()) == []
