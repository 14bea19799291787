"""`make deviations`: writes docs/reports/deviations.md. Exits with 1 if something is of no class, refused
or lost,
and not among the known defects."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.providers.known import CASES_LOST, CASES_REFUSED, beyond

from .cases import cases
from .judge import lost_values, refused, sorted_into
from .report import page

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "reports" / "deviations.md"


def main() -> int:
    found = cases(Path(os.environ.get("TOOLCAST_SHARED", ROOT.parent / "shared")))
    PAGE.write_text(page(found), encoding="utf-8")
    wrong = [line for case in found for line in (*sorted_into(case)[1], *refused(case))]
    wrong += lost_values(found)
    print(*wrong, sep="\n")
    return bool(beyond(wrong, (*CASES_REFUSED, *CASES_LOST)))


if __name__ == "__main__":
    sys.exit(main())
