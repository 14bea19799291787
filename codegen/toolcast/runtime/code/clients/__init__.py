"""Clients inside of a sandbox, which make a request of `files.edit(…)`: plain files without dependencies."""

from importlib.resources import files

from ...declaration_text.names import Language

_FILES: dict[Language, str] = {"python": "client.py", "typescript": "client.mjs"}


def client_source(language: Language) -> bytes:
    """Return the client for a sandbox: the content of one file, `toolcast_client.py` or
    `toolcast_client.mjs`.

    Args:
        language: "python" for Python 3.9 or later; "typescript" for Node.js 18 or later, and Deno.

    Raises:
        ValueError: there is no client for that language.
    """
    if language not in _FILES:
        raise ValueError(f"There are clients for typescript and python, not for {language!r}.")
    return files(__name__).joinpath(_FILES[language]).read_bytes()
