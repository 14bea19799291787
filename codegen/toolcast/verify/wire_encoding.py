"""The forward encoding: a value of the contract as a provider's schema wants it, guided by the way back.

`encoding` encodes one value; here stand the forms that it may be sent in, and what was against each branch.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from ..jsonschema.equality import equal
from ..runtime.wire import WireForms
from .encoding import Run, UnfitError, Untaken
from .judging_schemas import Places
from .oracle import Oracle
from .schema_document import Schema


def encode(value: Any, wire_forms: WireForms | None, schema: Schema) -> Any:
    """`value`, which the contract accepts, as `schema` wants it: what `wire_forms` would undo.

    `schema` is the provider's parameter schema, as JSON Schema. What has no encoding stays as it is.
    """
    return Forward(Oracle(schema), wire_forms).encoded(value)


class Forward:
    """The encoder of one tool for one provider."""

    def __init__(self, oracle: Oracle, wire_forms: WireForms | None, *, closes: bool = False) -> None:
        """`closes`: keys without a declared meaning may be left out, because the ledger says that objects
        were closed."""
        self.oracle = oracle
        self.places = Places(oracle.tree, wire_forms)
        self.closes = closes
        self.untaken: dict[int, list[Untaken]] = {}  # by the `id` of a union's branches

    def encoded(self, value: Any) -> Any:
        """See `encode`."""
        return next(self.all_encoded(value))

    def all_encoded(self, value: Any) -> Iterator[Any]:
        """Every form that `value` may be sent in, the likeliest first. Where a schema that was changed takes
        no null, an optional null may be left out, or sent so that it is the change that refuses it."""
        for nulls in (False, True):
            self.untaken = {}
            run = self._run(strict=True, nulls=nulls)
            try:
                yield run.at(self.places.tree.start, self.places.root, value, 0)
            except UnfitError:  # what the contract refuses is encoded as far as it goes
                run = self._run(strict=False, nulls=nulls)
                yield run.at(self.places.tree.start, self.places.root, value, 0)
            if not run.left_out:
                return

    def refusals(self, path: Sequence[str | int], value: Any) -> Iterator[tuple[Any, list[Any]]]:
        """What is sent as `value`, which the union at `path` of the schema takes in no form: as encoded for
        each branch, as far as it goes, and what that branch has against it. For what was encoded last."""
        branches: Any = self.places.tree.document
        for step in path:
            branches = branches[step]
        found = [each for each in self.untaken.get(id(branches), ()) if equal(each.sent, value)]
        for each in found:
            for branch, way in each.tries:
                tried = self._run(strict=False).at(branch, way, each.value, 0)
                yield tried, list(self.oracle.part(branch).iter_errors(tried))

    def _run(self, *, strict: bool, nulls: bool = False) -> Run:
        return Run(self.oracle, self.places, self.untaken, strict=strict, closes=self.closes, nulls=nulls)
