"""What other systems promise, and the tests that hold it here; writes docs/reports/seeds.md.

    python -m bench.seeds --write docs/reports/seeds.md

Each test of `tests/seeds` holds one statement. Its docstring is the statement; `Source:` lines say which
section and which words of the list of statements it is from, and `Better:` or `Differs:` what is done here
instead. Without `--write` the page goes to standard output; `--check FILE` compares it with the page, and the
exit status is 1 where it differs.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests" / "seeds"
PAGES = (
    ("oh-my-pi", "test_oh_my_pi.py"),
    ("zeroclaw", "test_zeroclaw.py"),
    ("WeKnora", "test_weknora.py"),
    ("Loopal", "test_loopal.py"),
    ("RRClaw", "test_rrclaw.py"),
    ("Where they are wrong", "test_defects.py"),
    ("What their users ask for", "test_wishes.py"),
)
_SOURCE = re.compile(r'(\d+), "(.+)"')
_STANCES = ("held", "better", "differs")
_FIELD = re.compile(r"^(Source|Better|Differs): ", re.MULTILINE)
_HEAD = """\
# What other systems promise

**Of {all} statements about five other systems {held} hold here, too, {better} are exceeded, and {differs} \
differ for a stated reason.**

"""
_METHOD = """
`pytest tests/seeds` checks every statement by the test behind it. It holds here, unless the line says
*Better* (it is true, and more is done) or *Differs* (something else is done on purpose).

The systems turn tools into what models read: [oh-my-pi](https://github.com/can1357/oh-my-pi),
[zeroclaw](https://github.com/zeroclaw-labs/zeroclaw), [WeKnora](https://github.com/Tencent/WeKnora),
[Loopal](https://github.com/AgentsMesh/Loopal) and [RRClaw](https://github.com/yzzting/RRClaw). Two more lists
are defects of theirs, and wishes of their users. `python -m bench.seeds --write docs/reports/seeds.md` writes
this page from `tests/seeds`.
"""


class Source(Struct, frozen=True):
    """The sentence that a statement is from.

    Attributes:
        section: number of the section.
        words: words that the sentence has.
    """

    section: int
    words: str


class Statement(Struct, frozen=True):
    """One statement and the test that holds it.

    Attributes:
        text: the statement.
        test: name of the test.
        stance: "held", "better" or "differs".
        reason: what is done here instead, or beyond it.
        sources: the sentences that it is from.
    """

    text: str
    test: str
    stance: str
    reason: str
    sources: tuple[Source, ...]


def statements(file: Path) -> Iterator[Statement]:
    """Read the statements of one module of tests, in their order.

    Args:
        file: the module's path.

    Yields:
        Each statement.

    Raises:
        ValueError: a test has no docstring, or a field of one has another form.
    """
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield _statement(file, node)


def _statement(file: Path, node: ast.FunctionDef) -> Statement:
    text = ast.get_docstring(node)
    if text is None:
        raise ValueError(f"{file.name}:{node.lineno}: {node.name} has no docstring, so it states nothing")
    first, *parts = _FIELD.split(text)
    sources: list[Source] = []
    stance, reason = "held", ""
    for name, value in zip(parts[::2], parts[1::2], strict=True):
        value = " ".join(value.split())
        if name == "Source":
            found = _SOURCE.fullmatch(value)
            if found is None:
                raise ValueError(f'{file.name}:{node.lineno}: write Source: 1, "words of the sentence"')
            sources.append(Source(int(found[1]), found[2]))
        else:
            stance, reason = name.lower(), value
    return Statement(" ".join(first.split()), node.name, stance, reason, tuple(sources))


def page() -> str:
    """Write the page.

    Returns:
        The text of docs/reports/seeds.md.
    """
    groups = [(title, name, list(statements(TESTS / name))) for title, name in PAGES]
    return _summary(groups) + _METHOD + "".join(_list(*group) for group in groups)


def _summary(groups: Sequence[tuple[str, str, list[Statement]]]) -> str:
    lines = ["| | statements | held | better | differs |\n|---|--:|--:|--:|--:|\n"]
    totals = dict.fromkeys(("all", *_STANCES), 0)
    for title, _, found in groups:
        counts = {stance: sum(each.stance == stance for each in found) for stance in _STANCES}
        row = {"all": len(found), **counts}
        totals = {name: total + row[name] for name, total in totals.items()}
        lines.append(f"| {title} | {' | '.join(map(str, row.values()))} |\n")
    return _HEAD.format(**totals) + "".join(lines)


def _list(title: str, name: str, found: Sequence[Statement]) -> str:
    lines = [f"\n## {title}\n\nTests: `tests/seeds/{name}`.\n\n"]
    for each in found:
        stance = f" *{each.stance.capitalize()}*: {each.reason}" if each.reason else ""
        lines.append(f"* {each.text}{stance} `{each.test}`\n")
    return "".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the page.

    Args:
        arguments: of the command line.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--write", metavar="FILE", type=Path)
    chosen.add_argument("--check", metavar="FILE", type=Path)
    options = parser.parse_args(arguments)
    text = page()
    if options.write is not None:
        options.write.write_text(text, "utf-8")
    elif options.check is not None:
        if options.check.read_text("utf-8") != text:
            print(f"{options.check} is out of date; to repair it, write it with --write", file=sys.stderr)
            return 1
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
