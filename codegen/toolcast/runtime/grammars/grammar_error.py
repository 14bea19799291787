"""What is wrong with a grammar."""


class GrammarError(ValueError):
    """A grammar that cannot be used.

    Attributes:
        reason: what is wrong, as one sentence without a full stop.
        offset: where, in characters from the start of the definition.
        hint: how to correct it.
    """

    def __init__(self, reason: str, offset: int = 0, hint: str = "") -> None:
        """Make an error for one place of a definition.

        Args:
            reason: what is wrong, as one sentence without a full stop.
            offset: where, in characters from the start of the definition.
            hint: how to correct it.
        """
        super().__init__(reason, offset, hint)
        self.reason = reason
        self.offset = offset
        self.hint = hint

    def __str__(self) -> str:
        """The reason, the offset and the hint."""
        return f"{self.reason}, at offset {self.offset}{self.hint and f'; {self.hint}'}"
