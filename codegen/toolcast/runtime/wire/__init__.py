"""From a provider's dialect back to the contract. Needs msgspec only."""

from .wire_form import WireBranch as WireBranch
from .wire_form import WireForm as WireForm
from .wire_form import WireForms as WireForms
