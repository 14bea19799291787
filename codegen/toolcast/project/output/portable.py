"""Which output paths every machine can hold: generated files are checked in, and others check them out."""

import re

LONGEST = 255
"""Bytes of one name: the bound of nearly every file system."""

_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[<>:"|?*\\\x00-\x1f]|[. ]$')


def path_problem(path: str) -> tuple[str, str] | None:
    """Why some machine cannot hold the output `path`, as code and message; None if all can."""
    for part in path.split("/"):
        if _DEVICES.match(part):
            device = part.partition(".")[0]
            return (
                "windows-name",
                f"its output {path!r} cannot exist on Windows, where {device!r} is a device",
            )
        if _FORBIDDEN.search(part):
            return "windows-name", f"its output {path!r} cannot exist on Windows, which forbids {part!r}"
        if len(part.encode("utf-8", "surrogateescape")) > LONGEST:
            return "long-name", f"its output {path!r} has a name of more than {LONGEST} bytes"
    return None
