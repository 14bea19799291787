"""Providers to parametrize by, where a test costs too much to run under every one of them by default."""

from typing import Any

import pytest
from toolcast.providers import available

SAMPLE = ("anthropic", "conservative", "gemini", "moonshot", "openai")
"""Dialects that differ most: any schema, the portable core, OpenAPI, definitions with types, closed."""
PROVIDERS: list[Any] = [
    id if id in SAMPLE else pytest.param(id, marks=pytest.mark.thorough) for id in available()
]
"""Every provider; all but the sample are left to `make thorough`."""
