"""Names under which a live server's tools are offered: `server__tool`."""

import re
from hashlib import sha256

LONGEST = 64
"""What every provider takes; as for specs, so that a name never depends on the provider."""
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]+")
_SERVER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,31}")


def offered_name(server: str, tool: str) -> str:
    """A name of letters, digits, `_` and `-`. One that is too long ends in a digest of the whole, so two that
    begin alike stay apart."""
    name = f"{server}__{_FOREIGN.sub('_', tool)}"
    if len(name) <= LONGEST:
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
