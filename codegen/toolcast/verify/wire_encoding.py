"""The encoder of values in the form that a provider is sent, with jsonschema-rs as the judge of schemas."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..instances.oracle import Oracle
from ..instances.schema_tree import Schema
from ..providers import wire_encoding
from ..runtime.wire import WireForms


class _OracleJudge:
    """The oracle as the encoder asks it."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self.start = oracle.tree.start
        self.find = oracle.tree.find

    def accepts_part(self, part: Schema, value: Any) -> bool:
        return bool(self._oracle.part(part).is_valid(value))


def encode(value: Any, wire_forms: WireForms | None, schema: Schema) -> Any:
    """`value`, which the contract accepts, as `schema` wants it: what `wire_forms` decodes.

    `schema` is the provider's parameter schema, as JSON Schema. What has no encoding stays as it is.
    """
    return WireEncoder(Oracle(schema), wire_forms).encoded(value)


class WireEncoder(wire_encoding.WireEncoder):
    """The encoder of one tool for one provider."""

    def __init__(self, oracle: Oracle, wire_forms: WireForms | None, *, closes: bool = False) -> None:
        """`closes`: keys without a declared meaning may be left out, because the ledger says that objects
        were closed."""
        super().__init__(_OracleJudge(oracle), wire_forms, closes=closes)
        self.oracle = oracle

    def refusals(self, path: Sequence[str | int], value: Any) -> Iterator[tuple[Any, list[Any]]]:
        """What is sent as `value`, which the union at `path` of the schema takes in no form: as encoded for
        each branch, as far as it goes, and what that branch has against it. For what was encoded last."""
        branches: Any = self.oracle.tree.document
        for step in path:
            branches = branches[step]
        for branch, tried in self.tries(branches, value):
            yield tried, list(self.oracle.part(branch).iter_errors(tried))
