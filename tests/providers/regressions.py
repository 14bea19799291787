"""Contracts that once broke a law."""

from pathlib import Path
from typing import Any

import yaml

REGRESSIONS: dict[str, dict[str, dict[str, Any]]] = yaml.safe_load(
    Path(__file__).with_suffix(".yaml").read_text("utf-8")
)
