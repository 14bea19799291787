"""`make rules`: the whole of the shared corpora under every profile, as a table. Exits with 1 if any tool
would be refused for another reason than a known defect."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from toolcast.providers import available, load_profile

from tests.providers.known import REJECTED, beyond

from . import CHECKERS
from .survey import CORPORA, SUITE, survey

COLUMNS = ("provider", "tools", "unreadable", "strict", "encoded", "rejected", "over limit", "doubted",
           "partly ignored")  # fmt: skip


def main() -> int:
    root = Path(__file__).resolve().parents[3]
    shared = Path(os.environ.get("TOOLCAST_SHARED", root.parent / "shared"))
    print("".join(f"{column:>20}" if i else f"{column:<20}" for i, column in enumerate(COLUMNS)))
    findings: list[str] = []
    unknown: list[str] = []
    for provider in available():
        profile = load_profile(provider)
        found = [survey(shared, corpus, profile) for corpus in (*CORPORA, SUITE)]
        findings += [f"{provider}: {line}" for each in found for line in each.rejected]
        for each in found:
            unknown += beyond(each.rejected, REJECTED.get((provider, each.corpus), ()))
        row = [
            sum(getattr(each, name) for each in found)
            for name in ("tools", "unreadable", "strict", "encoded")
        ]
        row.append(sum(len(each.rejected) for each in found))
        row += [sum(each.counts[name] for each in found) for name in COLUMNS[6:]]
        print(f"{provider:<20}" + "".join(f"{number:>20}" for number in row))
    print(
        *(f"\nno profile yet: {id}" for id in sorted(CHECKERS.keys() - set(available()))), *findings, sep="\n"
    )
    return bool(unknown)


if __name__ == "__main__":
    sys.exit(main())
