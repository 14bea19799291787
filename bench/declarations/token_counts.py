"""Tokens of texts, as gpt-tokenizer counts them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / ".typescript-tools" / "node_modules"
_SECONDS = 900
"""After which the tokenizer counts as hung."""


def count_tokens(texts: Sequence[str]) -> list[int]:
    """The tokens of each text in o200k_base."""
    script = (
        'const {encode} = require("gpt-tokenizer/encoding/o200k_base");'
        'const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));'
        "const count = (text) => encode(text, {disallowedSpecial: new Set()}).length;"
        "console.log(JSON.stringify(texts.map(count)));"
    )
    done = subprocess.run(
        ["node", "-e", script],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        env={**os.environ, "NODE_PATH": str(TOOLS)},
        check=True,
    )
    found: list[int] = json.loads(done.stdout)
    return found
