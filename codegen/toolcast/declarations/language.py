"""The languages in which tools are declared."""

from typing import Literal

Language = Literal["typescript", "python"]
"""A language; in definitions, in decoding and in `generated/`, its name is that of a provider."""
