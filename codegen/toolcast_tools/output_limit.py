"""How much text of a result reaches a model, where the toolset's defaults hold."""

from typing import Final

OUTPUT_LIMIT: Final = 24_000
"""Characters of text that a result may have. Of longer text 70 % are kept from its beginning, 30 % from its
end."""
