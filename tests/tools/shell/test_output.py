"""Output that is kept: all of it, or its beginning and its end."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast_tools.shell.output import Output

CHUNKS = st.lists(
    st.binary(max_size=9)
    | st.text("aé€😀\n", max_size=4).map(str.encode)
    | st.text("é€😀").map(lambda text: text.encode()[:-1]),
    max_size=12,
)
LINE = re.compile(r"\n\[… (\d+) bytes are left out here …\]\n")


@given(chunks=CHUNKS, reads=st.sets(st.integers(0, 11)))
def test_reads_together_are_the_text(chunks: list[bytes], reads: set[int]) -> None:
    output = Output(1000)
    text = ""
    for number, chunk in enumerate(chunks):
        output.add(chunk)
        if number in reads:
            text += output.take(final=False)[0]
    assert text + output.take(final=True)[0] == b"".join(chunks).decode("utf-8", "replace")
    assert output.take(final=True) == ("", 0)


@given(chunks=CHUNKS, limit=st.integers(1, 40), final=st.booleans())
def test_the_beginning_and_the_end_stay(chunks: list[bytes], limit: int, final: bool) -> None:
    output = Output(limit)
    for chunk in chunks:
        output.add(chunk)
    whole = b"".join(chunks)
    text, missing = output.take(final=final)
    rest, more = output.take(final=True)
    if len(whole) <= limit:
        assert missing == more == 0
        assert text + rest == whole.decode("utf-8", "replace")
        return
    found = LINE.search(text)
    assert found is not None
    assert int(found[1]) == missing
    head, tail = text[: found.start()], text[found.end() :] + LINE.sub("", rest)
    assert whole.decode("utf-8", "replace").startswith(head)
    assert (
        whole[-(limit - int(limit * 0.7)) :].decode("utf-8", "replace").endswith(tail.lstrip("\ufffd") or "")
    )
    assert len(whole) - missing <= limit


@given(text=st.text("aé€😀", min_size=20), limit=st.integers(12, 40))
def test_no_character_is_cut(text: str, limit: int) -> None:
    output = Output(limit)
    for byte in text.encode():
        output.add(bytes([byte]))
    assert "\ufffd" not in output.take(final=True)[0]


@pytest.mark.parametrize("size", [1, 17, 65536])
def test_memory_is_bounded_however_much_is_written(size: int) -> None:
    output = Output(100_000)
    for _ in range(20_000_000 // max(size, 4096)):
        output.add(b"x" * size)
    held = len(output._head) + sum(map(len, output._tail))
    assert held <= 100_000
    assert len(output._tail) <= 30_000 // size + 2
