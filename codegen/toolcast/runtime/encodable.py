"""Text that UTF-8 can carry, and what takes the place of what it cannot."""


def is_encodable(text: str) -> bool:
    """Whether UTF-8 can carry `text`: it has no lone surrogates."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def replaced(text: str) -> str:
    """`text` with U+FFFD for each lone surrogate; two that make a character become it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
