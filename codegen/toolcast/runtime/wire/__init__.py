"""From a provider's dialect back to the contract. Depends on msgspec only."""

from .way import Choice as Choice
from .way import Way as Way
from .way import Ways as Ways
