"""Compile specs while everything that the process asks of the world is written down; run as a script.

    python tests/project/traced.py SPECS FAMILY…

Half of the specs in `PARTS` warm the process up, the other half are traced: by Python's audit hook, printed
as JSON, and for a system-call tracer between two look-ups of paths that say so.
"""

import contextlib
import json
import os
import sys
from pathlib import Path

from toolcast.project.core.pure import compile_specs, make_kit

PARTS = ("_types/", "data/", "files/", "shell/")
BEGIN, END = "/toolcast-trace-begins", "/toolcast-trace-ends"
INNER = (
    "compile",
    "exec",
    "marshal.",
    "object.",
    "code.",
    "function.",
    "sys._getframe",
    "builtins.id",
    "gc.",
)
"""What Python reports of its own objects; everything else is about the world outside."""


def mark(path: str) -> None:
    """Show up in a trace of system calls."""
    with contextlib.suppress(OSError):
        os.stat(path)  # noqa: PTH116


def main(root: Path, families: list[str]) -> None:
    """Print {"made": paths, "events": [name, arguments]}."""
    files = [path for path in sorted(root.rglob("*")) if path.suffix in (".yaml", ".yml", ".json")]
    sources = {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
    kit = make_kit(["openai", "gemini", "anthropic", "mcp", "bedrock"], models=families)
    paths = [path for path in sources if path.startswith(PARTS)]
    for _ in compile_specs(paths[::2], sources, kit):
        pass
    events: list[tuple[str, str]] = []
    tracing = False

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if tracing and not event.startswith(INNER):
            events.append((event, repr(arguments)[:300]))

    sys.addaudithook(hook)
    mark(BEGIN)
    tracing = True
    made = list(compile_specs(paths[1::2], sources, kit))
    tracing = False
    mark(END)
    print(json.dumps({"made": [each.path for each in made if each.files], "events": events}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
