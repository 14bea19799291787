"""Judges text formats by other parsers' test texts; writes docs/reports/text-formats.md.

    python -m bench.text_formats --write docs/reports/text-formats.md --tables docs/reference/text-calls.md

`make text-formats` runs it. `--tables` writes the known formats, and the keys of a format, into a page.
Without `--write` the report goes to standard output. The exit status is 1 where a call runs that no text
asks for, or a family has no format.
"""

import argparse
import os
import sys
from pathlib import Path

from toolcast.agents.text_calls import known_formats

from ..marked import write
from .format_keys import keys_list
from .formats_table import formats_table
from .judge import judge_all
from .malformed import malformed
from .page import page, unsupported
from .parsers import missing, parsers
from .texts import load

ROOT = Path(__file__).resolve().parents[2]


def report(shared: Path) -> tuple[str, list[str]]:
    """The page, and what is worst: wrong executions, and families without a format.

    Args:
        shared: the folder of shared suites and corpora.
    """
    texts = load(shared)
    named, auto = judge_all(texts, auto=False), judge_all(texts, auto=True)
    wrong = [
        f"{each.text.file}:{each.text.line}: {each.text.family}: a call that is not asked for"
        for each in (*named, *auto)
        if each.verdict == "wrong"
    ]
    wrong += [f"there is no format of the family {family}" for family in unsupported(texts)]
    wrong += [f"there is no format of the parser {name}" for name in missing()]
    return page(texts, named, auto, (malformed(shared), parsers(texts))), wrong


def tables() -> dict[str, str]:
    """The parts of docs/reference/text-calls.md that are made of the formats: by name."""
    return {"formats": formats_table(known_formats().values()), "keys": keys_list()}


def main(arguments: list[str] | None = None) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench.text_formats")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page here")
    parser.add_argument(
        "--tables", type=Path, metavar="FILE", help="write the formats and the keys into this page"
    )
    given = parser.parse_args(arguments)
    if given.tables is not None:
        for name, body in tables().items():
            write(given.tables, name, body)
    shared = Path(os.environ.get("TOOLCAST_SHARED", ROOT.parent / "shared"))
    if not shared.is_dir():
        print(f"the shared suites are not at {shared}; set TOOLCAST_SHARED", file=sys.stderr)
        return 2
    text, wrong = report(shared)
    if given.write is None:
        sys.stdout.write(text)
    else:
        given.write.parent.mkdir(parents=True, exist_ok=True)
        given.write.write_text(text, encoding="utf-8", newline="\n")
    for line in wrong:
        print(line, file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
