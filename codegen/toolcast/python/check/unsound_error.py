"""The one error of this package."""


class UnsoundError(Exception):
    """A generated module differs from its contract; the message says where."""
