"""L2 and L3: a value that the contract accepts passes a provider's schema, and a value of that schema comes
back.

The encoder of values in the form that a provider is sent has jsonschema-rs as the judge of schemas.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jsonschema_rs

from ...providers import LedgerEntry, wire_encoding
from ...providers.schema_judge import as_json_schema
from ...runtime.wire import WireForms
from ...runtime.wire.decoder import WireDecoder
from ..instances.oracle import Oracle, Schema, path_of
from ..instances.shrink import Path, at, differences, inside, replaced
from .equivalence import ACCEPTED, as_text, decoded, differing
from .ledger_laws import ToolLedger
from .verified_tool import Decoder, Failure


class _OracleJudge:
    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self.start = oracle.tree.start
        self.find = oracle.tree.find

    def accepts_part(self, part: Schema, value: object) -> bool:
        return bool(self._oracle.part(part).is_valid(value))


def encode(value: object, wire_forms: WireForms | None, schema: Schema) -> Any:
    """Encode `value`, which the contract accepts, as the provider's `schema` wants it; one without an
    encoding stays as it is.
    """
    return WireEncoder(Oracle(schema), wire_forms).encoded(value)


class WireEncoder(wire_encoding.WireEncoder):
    def __init__(self, oracle: Oracle, wire_forms: WireForms | None, *, closes: bool = False) -> None:
        """`closes`: keys without a declared meaning may be left out, since the ledger says that objects were
        closed.
        """
        super().__init__(_OracleJudge(oracle), wire_forms, closes=closes)
        self.oracle = oracle

    def refusals(self, path: Sequence[str | int], value: Any) -> Iterator[tuple[object, list[object]]]:
        """Return the value encoded last, which the union at `path` takes in no form, as encoded for each
        branch, and the violations of that branch.
        """
        branches: Any = self.oracle.tree.document
        for step in path:
            branches = branches[step]
        for branch, tried in self.tries(branches, value):
            yield tried, list(self.oracle.part(branch).iter_errors(tried))


_NO_BRANCH = (jsonschema_rs.ValidationErrorKind.AnyOf, jsonschema_rs.ValidationErrorKind.OneOfNotValid)


class Dialect:
    """One provider's side of one tool."""

    def __init__(
        self,
        provider: str,
        emitted: Mapping[str, object],
        ledger: Sequence[LedgerEntry],
        formats: frozenset[str] = frozenset(),
        wire_forms: WireForms | None = None,
    ) -> None:
        """Assert `formats`. Raises OracleError where jsonschema-rs cannot compile what was emitted."""
        self.provider = provider
        self.oracle = Oracle(as_json_schema(dict(emitted)), formats=formats)
        self.ledger = ToolLedger(ledger, wire_forms)
        closes = any(
            entry.keyword == "additionalProperties" and entry.severity != "kept elsewhere" for entry in ledger
        )
        self._wire_encoder = WireEncoder(self.oracle, wire_forms, closes=closes)
        self._wire_decoder = None if wire_forms is None else WireDecoder(wire_forms, emitted)

    def encoded(self, value: object) -> Any:
        """Encode a value of the contract as this provider's schema wants it."""
        return self._wire_encoder.encoded(value)

    def decode_wire(self, sent: object) -> Any:
        return sent if self._wire_decoder is None else self._wire_decoder(sent)

    # -- L2 -----------------------------------------------------------------------------------

    def lock_out(self, binding: Decoder, contract: Oracle, value: object) -> Failure | None:
        """Decide L2 for one value, if the contract accepts it: it can be sent, and comes back as it was."""
        if not contract.surely_accepts(value) or self.ledger.claims_key(value):
            return None
        failure: Failure | None = None
        for sent in self._wire_encoder.all_encoded(value):
            failure = self.refusal(contract, value, sent) or self._lossy(binding, contract, value, sent)
            if failure is None:
                return None
        return failure

    def refusal(self, contract: Oracle, value: object, sent: object) -> Failure | None:
        """Return why `value` cannot be sent as `sent`, unless the ledger has an entry for it."""
        problem = next(self.oracle.problems(sent), None)
        if problem is None or self._is_recorded(contract, problem, sent):
            return None
        actual = f"{self.provider}'s schema refuses it ({_short(sent)}): {problem.message[:300]}"
        return Failure("L2", "the contract accepts it", actual, value)

    def _is_recorded(self, contract: Oracle, problem: Any, sent: object) -> bool:
        """Return whether the ledger has an entry for a violation; of a union, for all violations of one
        branch.
        """
        path = path_of(problem, sent)
        if self.ledger.changed(contract, path, sent):
            return True
        if not isinstance(problem.kind, _NO_BRANCH):
            return False
        branches = [branch for branch in problem.kind.context if branch]
        if any(all(self._is_recorded(contract, each, sent) for each in branch) for branch in branches):
            return True
        return any(
            all(
                self._is_recorded_below(contract, path, each, replaced(sent, path, tried))
                for each in refusals
            )
            for tried, refusals in self._wire_encoder.refusals(problem.schema_path, problem.instance)
        )

    def _is_recorded_below(self, contract: Oracle, path: Path, problem: Any, sent: object) -> bool:
        """Decide the same for one branch by a value that was encoded for it. Of unions inside, a change below
        is enough: a value that no branch of theirs takes is not encoded for any.
        """
        location = (*path, *path_of(problem, at(sent, path)))
        if self.ledger.changed(contract, location, sent):
            return True
        if not isinstance(problem.kind, _NO_BRANCH):
            return False
        below = (each for each, _ in inside(problem.instance) if each)
        return any(self.ledger.changed(contract, (*location, *each), sent) for each in below)

    def _lossy(self, binding: Decoder, contract: Oracle, value: object, sent: object) -> Failure | None:
        if not self.oracle.accepts(sent):
            return None  # the ledger has an entry
        expected = f"the contract accepts it; it can be sent to {self.provider}, and comes back as it was"
        verdict, params = decoded(binding, as_text(sent), self.provider)
        if verdict != ACCEPTED:
            plain = self.decode_wire(sent)
            settled = contract.settled(plain)
            first = next(contract.problems(settled), None)
            if first is not None and self.ledger.changed(contract, path_of(first, settled)):
                return None
            # It may be refused for what stands inside.
            changes = list(differences(contract.settled(value), contract.settled(plain)))
            if changes and all(self.ledger.changed(contract, each) for each in changes):
                return None
            return Failure("L2", expected, f"sent as {_short(sent)}, the decoder {verdict}", value)
        try:
            again = json.loads(binding.encode(params))
        except Exception as fault:  # any failure to write what was read is a counterexample
            return Failure("L2", expected, f"encoding fails with {type(fault).__name__}: {fault}", value)
        found = differing(contract, value, again, blurred=True)
        if found is None or self.ledger.changed(contract, found[0]):
            return None
        location = "/".join(map(str, found[0])) or "the whole"
        actual = f"sent as {_short(sent)}, it comes back as {_short(again)}: {location} is {found[1]}"
        return Failure("L2", expected, actual, value)

    # -- L3 -----------------------------------------------------------------------------------

    def check_decoding(self, binding: Decoder, contract: Oracle, value: Any) -> Failure | None:
        """Decide L3 for one value, if this provider's schema accepts it."""
        if not self.oracle.surely_accepts(value):
            return None
        expected = f"{self.provider}'s schema accepts it, and the ledger names no constraint that it breaks"
        verdict, params = decoded(binding, as_text(value), self.provider)
        if verdict == ACCEPTED:
            try:
                again = json.loads(binding.encode(params))
            except Exception as fault:  # any failure to write what was read is a counterexample
                return Failure("L3", expected, f"encoding fails with {type(fault).__name__}: {fault}", value)
            if not contract.refuses(again):
                return None
            return Failure(
                "L3", expected, f"it decodes to {_short(again)}, which the contract refuses", value
            )
        if verdict.startswith("refuses"):
            hidden = self.unexplained(contract, value)
            if not hidden and not contract.surely_accepts(self.decode_wire(value)):
                return None
            location = "/" + "/".join(map(str, hidden[0].schema_path)) if hidden else ""
            return Failure("L3", expected, f"the decoder {verdict}", value, location)
        return Failure("L3", expected, f"the decoder {verdict}", value)

    def unexplained(self, contract: Oracle, sent: object) -> list[Any]:
        """Yield the violations of `contract` by `sent`, once decoded, for which the ledger has no entry."""
        plain = self.decode_wire(sent)
        hidden = [each for each in _violations(contract, plain) if not self.ledger.lost(contract, each, sent)]
        if not hidden:
            return []
        # A null that counts as absent may be missed elsewhere; at its own location the entry states that it
        # was removed.
        wrong = list(contract.problems(plain))
        ledger = all(self.ledger.lost(contract, each, sent, absent=False) for each in wrong)
        return [] if wrong and ledger else hidden


def _short(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)[:300]


def _violations(contract: Oracle, value: object) -> Iterator[object]:
    yield from contract.problems(contract.settled(value))
