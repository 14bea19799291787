"""Text that UTF-8 can encode, and text that does nothing to a terminal."""


def is_encodable(text: str) -> bool:
    """Whether UTF-8 can carry `text`: it has no lone surrogates."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def replace_surrogates(text: str) -> str:
    """`text` with U+FFFD for each lone surrogate; two that make a character become it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def escape_control(text: str, keep: str = "") -> str:
    """`text` with nothing that a terminal acts on: line breaks, control characters, escapes, and characters
    that turn or hide what stands beside them are written as `\\x1b`, `\\u202e`; all but those in `keep`."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in keep else letter.encode("unicode_escape").decode()
        for letter in text
    )
