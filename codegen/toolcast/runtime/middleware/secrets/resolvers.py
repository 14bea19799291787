"""Where secrets come from. A resolver is any callable, also an async one: name in, value or None out."""

import os
from pathlib import Path

from .secret_references import NAME

_LARGEST = 64 * 1024


class EnvironmentSecrets:
    """Secrets from environment variables: `NAME` is the variable `prefix + NAME`.

    The prefix is what keeps a model from asking for any variable there is, so it has no default; "" is for
    programs whose whole environment may be asked for.
    """

    def __init__(self, *, prefix: str) -> None:
        self._prefix = prefix

    def __call__(self, name: str) -> str | None:
        """The value, read anew each time; None where the variable is not set."""
        return os.environ.get(self._prefix + name)


class FileSecrets:
    """Secrets from a folder with one file each, as Docker and Kubernetes mount them."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)

    def __call__(self, name: str) -> str | None:
        """The file's text without a last line break, read anew each time; None where there is no such file.

        Raises ValueError for a file that is too large or not UTF-8, OSError for one that cannot be read.
        """
        if not NAME.fullmatch(name):
            return None
        try:
            with (self._folder / name).open("rb") as file:
                data = file.read(_LARGEST + 1)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None
        if len(data) > _LARGEST:
            raise ValueError(f"The secret {name!r} is longer than {_LARGEST} bytes.")
        try:
            return data.decode().removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError:
            raise ValueError(f"The secret {name!r} is not UTF-8 text.") from None
