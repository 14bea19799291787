"""Text that does nothing to whoever looks at it."""


def escaped(text: str, keep: str = "") -> str:
    """`text` with nothing that a terminal acts on: line breaks, control characters, escapes, and characters
    that turn or hide what stands beside them are written as `\\x1b`, `\\u202e`; all but those in `keep`."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in keep else letter.encode("unicode_escape").decode()
        for letter in text
    )
