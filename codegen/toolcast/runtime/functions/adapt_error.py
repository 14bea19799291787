"""The exception of `adapt`."""


class AdaptError(TypeError):
    """A function does not fit the contract of the tool that it is to carry out.

    Attributes:
        function: its name.
        tool: name of the tool.
        differences: every difference, in words.
    """

    def __init__(self, function: str, tool: str, differences: tuple[str, ...]) -> None:
        """Make an error for one function.

        Args:
            function: its name.
            tool: name of the tool.
            differences: every difference, in words.
        """
        super().__init__(function, tool, differences)
        self.function = function
        self.tool = tool
        self.differences = differences

    def __str__(self) -> str:
        """All differences, one per line, and what to do about them."""
        lines = "\n".join(f"- {each}" for each in self.differences)
        return (
            f"{self.function} does not fit tool {self.tool!r}:\n{lines}\n"
            "Change the function or the spec, or write a handler that translates."
        )
