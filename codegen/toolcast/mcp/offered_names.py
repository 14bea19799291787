"""Names under which a live server's tools are offered: `server__tool`."""

import re
from hashlib import sha256

LONGEST = 64
"""What every provider takes; as for specs, so that a name never depends on the provider."""
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]+")
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_MARKED = re.compile(r"_[0-9a-f]{8}\Z")
_SERVER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,31}")


def offered_name(server: str, tool: str) -> str:
    """A name of letters, digits, `_` and `-`, at most LONGEST of them: `server__tool` where that is one.

    Any other name is cleaned, cut, and ends in `_` and eight hex digits of the SHA-256 of `tool`, so that
    tools stay apart and each has the same name whatever other tools the server lists. A name that ends
    like that already gets digits, too: no server can list a name that another one's is changed to.
    """
    name = f"{server}__{_FOREIGN.sub('_', tool)}"
    if len(name) <= LONGEST and _PLAIN.fullmatch(tool) and not _MARKED.search(tool):
        return name
    mark = sha256(tool.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[: LONGEST - len(mark) - 1]}_{mark}"


def check_server(name: str) -> str:
    """`name`, fit to stand before a tool's. Raises ValueError."""
    if not _SERVER.fullmatch(name) or "__" in name:
        raise ValueError(
            f"{name!r} is no name for a server: up to 32 letters, digits, '-' and single '_', no digit first."
        )
    return name
