"""`python -m bench.comparisons --write docs/explanation/comparisons`: writes the tables.

Puts every tool of the shared corpora through toolcast, datamodel-code-generator, FastMCP, pydantic-ai and
BAML, and judges what each decodes by jsonschema-rs over the schema as it was published; then what is sent
to providers, beside pydantic-ai and recorded answers of oh-my-pi. Some three minutes.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from msgspec.structs import replace

from ..declarations.token_counts import count_tokens
from ..marked import write
from ..speed.baml import VERSION
from . import baml, frameworks, models, sent
from .contestant import Contestant, contest
from .ours import toolcast
from .tables import decoding, texts, tokens
from .tables import sent as sent_table
from .values import Value, records, tools

_ROOT = Path(__file__).resolve().parents[2]
_SHARED = Path(os.environ.get("TOOLCAST_SHARED", _ROOT.parent / "shared"))
EXAMPLE = Value(
    '{"minimum_rating": "high", "number_of_players": 2.5}', accepted=False, allowed=False, bent=True
)  # fmt: skip
"""Asked of the first tool, with the required `location` left out; the refusals are shown."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.comparisons", description=__doc__)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take each N-th tool only")
    parser.add_argument(
        "--write", type=Path, metavar="FOLDER", help="put the tables into the pages of this folder"
    )
    parser.add_argument(
        "--python", type=Path, default=_ROOT / ".venv-peers" / "bin" / "python", metavar="FILE",
        help="of the environment of `make peers` (default: .venv-peers/bin/python)",
    )  # fmt: skip
    options = parser.parse_args()
    for name, body in pages(options.every, options.python).items():
        if options.write is None:
            sys.stdout.write(f"## {name}\n\n{body}\n\n")
        else:
            write(options.write / f"{name}.md", "measured", body)
    return 0


def pages(every: int, python: Path) -> dict[str, str]:
    """The measured part of each page, by its name."""
    listed = records(_SHARED / "corpora", every)
    asked = tools(listed)
    asked[0] = replace(asked[0], values=(*asked[0].values, EXAMPLE))
    with tempfile.TemporaryDirectory(prefix="comparisons-") as temporary:
        folder = Path(temporary)
        ours, definitions = toolcast(asked, listed, folder)
        parser = baml.asked(python, asked, folder / "baml")
    functions = contest("pydantic-ai, functions", asked, frameworks.pydantic_ai)
    server = contest("FastMCP", asked, frameworks.fastmcp(strict=False))
    strict_server = contest("FastMCP, strict input", asked, frameworks.fastmcp(strict=True))
    schemas = contest("pydantic-ai, Tool.from_schema", asked, frameworks.pydantic_ai_schema)
    generated = [
        contest("pydantic models, no options", asked, models.pydantic),
        contest("pydantic models, exact options", asked, models.pydantic_exact),
        contest("msgspec Structs, exact options", asked, models.structs),
    ]
    judged = sum(bool(tool.values) for tool in asked)
    head = f"{judged:,} tools with {sum(len(tool.values) for tool in asked):,} values; "

    def part(packages: Mapping[str, str], others: Sequence[Contestant], *more: str) -> str:
        versions = ", ".join(f"{name} {release}" for name, release in packages.items())
        first = f"{head}Python {platform.python_version()}, {versions}."
        return "\n\n".join([first, decoding(asked, [ours, *others]), *more])

    def refusal_texts(*others: Contestant) -> str:
        first = [(each.name, each.answers[asked[0].name]) for each in (ours, *others)]
        return texts(EXAMPLE.text, [(name, answer.refusals[-1]) for name, answer in first if answer])

    openai = {"toolcast, `openai`": definitions.openai}
    return {
        "datamodel-code-generator": part(_versions("datamodel-code-generator", "pydantic"), generated),
        "fastmcp": part(
            _versions("fastmcp"), [server, strict_server],
            tokens(sizes({"toolcast, `mcp`": definitions.mcp, "FastMCP": _sent(server)})),
            refusal_texts(server, strict_server),
        ),
        "pydantic-ai": part(
            _versions("pydantic-ai-slim"), [functions, schemas],
            tokens(sizes({**openai, "pydantic-ai, functions": _sent(functions)})),
            sent_table(sent.real(asked)), refusal_texts(functions),
        ),
        "baml": part(
            {"baml-py": VERSION}, [parser],
            tokens(sizes({**openai, "BAML, prompt": _sent(parser)})), refusal_texts(parser),
        ),
        "oh-my-pi": sent_table(sent.recorded(_SHARED)),
    }  # fmt: skip


def _versions(*packages: str) -> dict[str, str]:
    return {package: version(package) for package in packages}


def _sent(who: Contestant) -> dict[str, str]:
    return {
        name: each.sent for name, each in who.answers.items() if each is not None and each.sent is not None
    }


def sizes(rows: Mapping[str, Mapping[str, str]]) -> list[tuple[str, int, int]]:
    """Tokens in o200k_base of each row's texts, over the tools that all rows have."""
    shared = sorted(set.intersection(*(set(each) for each in rows.values())))
    return [
        (what, len(shared), sum(count_tokens([texts_of[name] for name in shared])))
        for what, texts_of in rows.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
