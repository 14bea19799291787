"""From a provider's dialect back to the contract. Depends on msgspec only."""

from .wire_form import Choice as Choice
from .wire_form import Way as Way
from .wire_form import Ways as Ways
