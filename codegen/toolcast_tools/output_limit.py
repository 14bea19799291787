"""The length of a result's text that reaches a model by default."""

from typing import Final

OUTPUT_LIMIT: Final = 24_000
"""Characters of text that a result may have. Of longer text 70 % are kept from its beginning, 30 % from its
end."""
