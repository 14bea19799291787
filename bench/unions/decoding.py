"""Decode the cases of compiled tools with whatever msgspec this Python has. Needs msgspec only."""

import gc
import importlib
import json
import sys
from pathlib import Path

from toolcast.runtime import ArgumentError, EncodeError

TOGETHER = 20
"""Tools that are freed at once: classes are in circles, and looking for those takes long."""


def differences(folder: Path, number: int) -> list[str]:
    """Cases that a tool judges otherwise than it should. Nothing holds the tool at the end."""
    module = importlib.import_module(f"tool_{number}.tool")
    found: list[str] = []
    for text, accepted in json.loads((folder / "cases" / f"{number}.json").read_bytes()):
        arguments = text if number % 2 else json.loads(text)  # either way leads to msgspec
        try:
            module.TOOL.encode(module.TOOL.decode(arguments))
        except EncodeError as problem:
            found.append(f"{text} is decoded to what cannot be encoded: {str(problem).splitlines()[-1]}")
        except ArgumentError:
            if accepted:
                found.append(f"{text} is refused")
        else:
            if not accepted:
                found.append(f"{text} is accepted")
    del module
    for name in [name for name in sys.modules if name.partition(".")[0] == f"tool_{number}"]:
        del sys.modules[name]
    return found


def main(folder: str, start: str) -> None:
    """All tools of the folder. Says each number before it is looked at, from `start` on."""
    sys.path.insert(0, folder)
    gc.freeze()  # only what the tools bring is looked through
    numbers = sorted(int(path.stem) for path in Path(folder, "cases").iterdir())
    for count, number in enumerate(number for number in numbers if number >= int(start)):
        print(number, flush=True)
        if count % TOGETHER == TOGETHER - 1:
            gc.collect()
        for difference in differences(Path(folder), number):
            print(f"{number} {difference}", flush=True)
    gc.collect()
    print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
