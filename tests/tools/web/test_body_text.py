"""Text of bodies: no media type, charset or byte makes it fail."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from toolcast_tools.web.body_text import MediaType, media_type, text_of

CHARSETS = st.sampled_from(
    [
        *(
            "utf-8", "UTF-16", "utf_16_le", "latin1", "windows-1252", "Shift_JIS", "gb18030", "iso-2022-jp",
            "big5",
        ),
        *(
            "hex", "rot13", "zlib", "unicode_escape", "raw_unicode_escape", "idna", "punycode", "utf-7",
            "mbcs",
        ),
        *("undefined", "", "\0", "x" * 1_000, "..", "ü", "utf-32", "cp037"),
    ]
)  # fmt: skip
KINDS = st.sampled_from(
    ["text/plain", "text/html", "application/json", "application/octet-stream", "image/png"]
)


@given(st.text(max_size=60) | st.builds(lambda kind, name: f"{kind}; charset={name}", KINDS, CHARSETS))
def test_any_content_type_is_a_media_type(value: str) -> None:
    media = media_type(value)
    assert media.name == media.name.lower()
    assert (media.name == "") == (not value.strip())


@given(
    st.binary(max_size=200) | st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.builds(MediaType, KINDS | st.just(""), CHARSETS),
    st.booleans(),
)
def test_any_body_is_text_or_binary(content: bytes, media: MediaType, whole: bool) -> None:
    text = text_of(content, media, whole=whole)
    if text is not None:
        assert msgspec.json.decode(msgspec.json.encode(text)) == text


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"), max_size=80), st.integers(0, 3))
def test_utf8_without_a_charset_is_read_as_it_is(text: str, cut: int) -> None:
    content = text.encode()
    assert text_of(content, MediaType("text/plain")) == text
    cut_short = text_of(content[: len(content) - cut], MediaType("text/plain"), whole=False)
    assert cut_short is not None
    assert text.startswith(cut_short)
