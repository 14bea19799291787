"""Run a toolcast command line, and write down what it asks of the operating system.

    python audited.py LOG ARGUMENT…

Each line of LOG is a JSON list: the kind of access ("read", "write", "run", "connect"), and to what.
"""

# Links are kept as they are named.
# ruff: noqa: PTH100, PTH114
import json
import os
import sys
from typing import Any

_CHANGES = {
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
    "os.chown", "os.utime", "shutil.rmtree", "shutil.move",
}  # fmt: skip
_RUNS = {
    "os.system",
    "subprocess.Popen",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "pty.spawn",
}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def main() -> int:
    log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(kind: str, *words: object) -> None:
        plain = [os.fsdecode(word) if isinstance(word, (str, bytes)) else str(word) for word in words]
        os.write(log, json.dumps([kind, *plain]).encode("ascii") + b"\n")

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
            if arguments[2] & os.O_NOFOLLOW and os.path.islink(arguments[0]):
                return  # it is refused
            note("write" if arguments[2] & _WRITES else "read", os.path.abspath(os.fsdecode(arguments[0])))
        elif event in ("os.listdir", "os.scandir") and isinstance(arguments[0], (str, bytes, os.PathLike)):
            note("read", os.path.abspath(os.fsdecode(arguments[0])))
        elif event in _CHANGES:
            for place in arguments[: 2 if event in ("os.rename", "os.link", "shutil.move") else 1]:
                if isinstance(place, (str, bytes, os.PathLike)):
                    note("write", os.path.abspath(os.fsdecode(place)))
        elif event in _RUNS:
            note("run", arguments[0], arguments[1] if len(arguments) > 1 else "")
        elif event == "socket.connect":
            note("connect", arguments[1])

    from toolcast.cli.main import run

    sys.addaudithook(hook)
    return run(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
