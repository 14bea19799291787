"""What a binding reads of its provider's files, and what it says when its own parts disagree."""

from typing import Protocol

from .errors import ArgumentError, MissingDataError, UnknownProviderError
from .resources import list_folders, read_resource


class Named(Protocol):
    """What is asked of a binding here: whose it is, and where its files lie."""

    @property
    def module(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def schemas(self) -> str: ...


def read_definition(binding: Named, provider: str) -> bytes:
    """The tool object as it was generated. Raises UnknownProviderError."""
    # The name becomes part of a path, and may come from a request: only what a profile may be called passes.
    if provider.replace("-", "").replace("_", "").isalnum():
        try:
            return read_resource(binding.module, f"{binding.schemas}/{provider}/{binding.name}.json")
        except MissingDataError as problem:
            known = list_folders(binding.module, binding.schemas)
            if provider in known or not known:
                raise UnknownProviderError(str(problem)) from problem
    known = list_folders(binding.module, binding.schemas)
    generated = f" Generated: {', '.join(known)}." if known else ""
    raise UnknownProviderError(
        f"Tool {binding.name!r} has no definition for provider {provider[:64]!r}.{generated} "
        "Add the provider to [tool.toolcast] and run `toolcast generate`."
    )


def disagree(binding: Named, problem: Exception) -> ArgumentError:
    """The contract accepts what the Struct refuses: a bug of the generator's, and no fault of the model's."""
    from .log_records import WARNING, log

    log(
        WARNING,
        "Tool %r (%s): its contract accepts a value that its Struct refuses (%s). "
        "This is a bug in the generated code; run `toolcast verify`.",
        binding.name,
        binding.module,
        problem,
        event="disagreement",
        tool=binding.name,
        error_type=type(problem).__name__,
    )
    return ArgumentError(binding.name, f"{problem}.")
