"""The languages in which tools are declared."""

from typing import Literal

Language = Literal["typescript", "python"]
"""`"typescript"` or `"python"`. In definitions, in decoding and in `generated/`, it stands in the place of a
provider's id."""
