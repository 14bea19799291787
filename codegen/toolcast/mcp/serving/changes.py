"""Changes of what a program offers, for the servers that offer it."""

from collections.abc import Callable

Listener = Callable[[str | None], None]
"""Called, from any thread, with the URI of a resource whose content changed; with None where a list did."""


class Changes:
    """Who is to be told of changes: the servers that run."""

    def __init__(self) -> None:
        self._listeners: dict[object, Listener] = {}

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tell `listener` from now on; gives the function that ends it."""
        token = object()
        self._listeners[token] = listener

        def end() -> None:
            self._listeners.pop(token, None)

        return end

    def tell(self, uri: str | None = None) -> None:
        """Tell every listener."""
        for listener in [*self._listeners.values()]:
            listener(uri)
