"""Unions of every two constructs, compiled, and decoded with each version of msgspec under a memory checker.

    python -m bench.unions                     # pairs, in `anyOf` and as a list of types; what CI runs
    python -m bench.unions --forms all         # pairs in every form, some five minutes
    python -m bench.unions --size 3 --step 7   # every seventh union of three
    python -m bench.unions --valgrind          # slowly: every read and write
    python -m bench.unions --raw 3             # which unions of msgspec's own types kill a process, too

The exit status is 1 where what the compiler writes kills a process, or judges a value otherwise than
jsonschema-rs does. What only msgspec's own types do (`--raw`) is told, and no failure.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from .constructs import FORMS, unions
from .processes import Event, events
from .raw import combinations
from .versions import environments


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench.unions", description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=2, help="constructs in a union (default: 2)")
    parser.add_argument("--step", type=int, default=1, help="take every so many of them (default: 1)")
    parser.add_argument("--forms", default="anyOf,types", help=f"some of {','.join(FORMS)}, or all of them")
    parser.add_argument("--raw", type=int, default=0, help="types in a raw union (default: none are tried)")
    parser.add_argument("--valgrind", action="store_true", help="decode under valgrind")
    given = parser.parse_args(arguments)
    pythons = environments()
    given.forms = ",".join(FORMS) if given.forms == "all" else given.forms
    names = [name for name, _ in unions(given.size, given.step, given.forms.split(","))]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for title, event in compiled_and_decoded(Path(folder), pythons, given):
            failed = True
            print(f"{title}: {names[event.number] if event.number >= 0 else 'some union'}: {event.what}")
        count = len(list(Path(folder, "cases").iterdir()))
    print(f"{count} unions, msgspec {', '.join(pythons)}: {'findings' if failed else 'no finding'}")
    for version, python in pythons.items() if given.raw else ():
        raw = combinations(given.raw)
        died = [raw[event.number] for event in events(python, "raw", [str(given.raw)])]
        print(f"msgspec {version}: {len(died)} of {len(raw)} unions of its own types kill a process")
        for types in died:
            print(f"  {' | '.join(types)}")
    return int(failed)


def compiled_and_decoded(
    folder: Path, pythons: dict[str, Path], given: argparse.Namespace
) -> Iterator[tuple[str, Event]]:
    """What goes wrong, and where."""
    written = [str(folder), str(given.size), str(given.step), given.forms]
    for event in events(sys.executable, "writing", written):
        yield "compiled", event
    for version, python in pythons.items():
        for event in events(python, "decoding", [str(folder)], valgrind=given.valgrind):
            yield f"msgspec {version}", event


if __name__ == "__main__":
    sys.exit(main())
