"""Bounded decompression, against gzip and zlib of the standard library."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.http.client import Decompressor, EncodingError

CONTENTS = st.binary(max_size=300) | st.builds(
    lambda unit, times: unit * times, st.binary(min_size=1, max_size=4), st.integers(0, 5_000)
)


def raw(content: bytes) -> bytes:
    """Deflate without the head of zlib, as some servers send it."""
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(content) + compressor.flush()


ENCODERS = {
    "": bytes,
    "identity": bytes,
    "gzip": gzip.compress,
    "X-GZIP": gzip.compress,
    "deflate": zlib.compress,
    "deflate ": raw,
}


@given(CONTENTS, st.sampled_from(sorted(ENCODERS)), st.integers(1, 400), st.integers(0, 12_000))
def test_the_beginning_of_any_body_is_kept(content: bytes, encoding: str, size: int, limit: int) -> None:
    body = Decompressor(encoding, limit)
    encoded = ENCODERS[encoding](content)
    for start in range(0, len(encoded), size):
        body.feed(encoded[start : start + size])
    assert body.content == content[:limit]
    assert body.full == (len(content) > limit)
    assert body.complete == (len(content) <= limit)


@given(st.binary(min_size=1, max_size=200), st.sampled_from(["gzip", "deflate"]))
def test_what_is_not_encoded_so_is_refused_or_incomplete(content: bytes, encoding: str) -> None:
    body = Decompressor(encoding, 1_000)
    try:
        body.feed(content)
    except EncodingError:
        return
    expected = zlib.decompressobj(zlib.MAX_WBITS | 32)
    try:
        assert body.content == expected.decompress(content)
    except zlib.error:
        assert encoding == "deflate"  # without the head of zlib


@pytest.mark.parametrize("encoding", ["br", "zstd", "compress", "gzip, gzip", "deflate, br"])
def test_encodings_that_were_not_asked_for_are_refused(encoding: str) -> None:
    with pytest.raises(EncodingError, match="not asked for"):
        Decompressor(encoding, 10)
