"""How the laws see a tool whose program fills in parameters (`inject`): a call of it comes in two parts."""

from collections.abc import Mapping
from typing import Any

import msgspec

from ..runtime.arguments import parse_arguments
from ..runtime.errors import ArgumentError, InjectionError
from ..runtime.hidden_parameters import without_parameters
from ..runtime.injection import SentInjectedError
from .equivalence import as_text
from .verified_tool import Binding


class WholeCalls:
    """Decodes values of the whole contract: what models send, and what the program fills in."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self.encode = binding.encode

    def decode(self, arguments: Any, provider: str | None = None) -> Any:
        """As the binding's. Raises ArgumentError, also for a value of the program's that is refused."""
        value = parse_arguments(self._binding.name, arguments)
        inject = self._binding.inject
        if not isinstance(value, dict):
            return self._binding.decode(value, provider)
        sent = {name: item for name, item in value.items() if name not in inject}
        injected = {name: item for name, item in value.items() if name in inject}
        try:
            return self._binding.decode(sent, provider, injected=injected)
        except InjectionError as problem:
            raise ArgumentError(self._binding.name, problem.reason) from None


class OfferedCalls:
    """Decodes what models send, to plain data."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding

    def decode(self, arguments: Any, provider: str | None = None) -> dict[str, Any]:
        """As `decode_offered` of the binding."""
        return self._binding.decode_offered(arguments, provider)

    def encode(self, params: dict[str, Any]) -> bytes:
        """Plain data is written as it is."""
        return msgspec.json.encode(params)


def offered_document(contract: Mapping[str, Any], inject: Mapping[str, str]) -> dict[str, Any]:
    """A contract file as models are offered it."""
    return {**contract, "parameters": without_parameters(contract["parameters"], inject)}


def sets_injected(binding: Binding, value: Any, provider: str | None = None) -> bool:
    """Whether a model that sends `value` sets what only the program sets: of an open object no definition can
    say that, so that no law is about it."""
    try:
        binding.decode_offered(as_text(value), provider)
    except SentInjectedError:
        return True
    except ArgumentError:
        return False
    return False


def offered_part(value: Any, inject: Mapping[str, str]) -> Any:
    """What a model sends of a call."""
    if not isinstance(value, dict):
        return value
    return {name: item for name, item in value.items() if name not in inject}
