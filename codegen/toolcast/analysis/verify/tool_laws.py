"""All laws, held to one tool."""

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...diagnostics import Diagnostic
from ...jsonschema.json_values import JsonMapping, JsonObject
from ...project.core.compiled import Options
from ...project.core.tool_definitions import wanted_strict
from ...providers import LedgerEntry
from ...runtime.arguments import parse_arguments
from ...runtime.errors import ArgumentError, InjectionError
from ...runtime.grammars import TextGrammar, grammar_of
from ...runtime.hidden_parameters import without_parameters
from ...runtime.injection import SentInjectedError
from ...spec.parsed_document import Document
from ...spec.text_input import PARAMETER
from ...spec.tool_spec import ToolSpec
from ..instances.edits import instances
from ..instances.oracle import CHECKS, Oracle, OracleError, asserted_formats
from ..instances.pattern_texts import grammar_texts
from ..instances.shrink import shrink, size
from .equivalence import as_text, equivalence, second_opinion
from .ledger_laws import fixpoint, sent_examples, silent_keys, silent_losses
from .provider_laws import Dialect
from .verified_tool import (
    Binding,
    Counterexample,
    Decoder,
    Failure,
    Law,
    NotCompiledError,
    ToolReport,
    VerifiedTool,
    subject,
)

_GRAMMAR: Final = "text-of-the-grammar"
"""The format that stands for the grammar."""
_GRAMMAR_ENTRY: Final = LedgerEntry(
    path=f"/properties/{PARAMETER}",
    keyword="format",
    action="described",
    severity="lost",
    reason="is the grammar, which the entry of `input` names",
)


class _GrammarFormat(Struct, frozen=True, eq=False):
    """A grammar, and instances of a tool that has it."""

    grammar: TextGrammar

    def accepts(self, text: str) -> bool:
        return self.grammar.problem(text) is None

    def instances(self, rng: random.Random, count: int) -> list[dict[str, str]]:
        texts = list(grammar_texts(self.grammar, rng, (count + 1) // 2))
        return [{PARAMETER: text} for text in (*texts, *(_changed(text, rng) for text in texts))]


def _grammar_format(tool: ToolSpec) -> _GrammarFormat | None:
    if tool.input is None or tool.input.grammar is None:
        return None
    return _GrammarFormat(grammar_of(tool.input.grammar, tool.input.definition))


def _with_format(contract: JsonMapping) -> JsonObject:
    parameters = contract["parameters"]
    text = {**parameters["properties"][PARAMETER], "format": _GRAMMAR}
    return {**contract, "parameters": {**parameters, "properties": {PARAMETER: text}}}


def _changed(text: str, rng: random.Random) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + rng.choice((text[:1], " ", "(", "x", "0", "")) + text[at + rng.randint(0, 1) :]


class _WholeCalls:
    """Decodes values of the whole contract: the arguments of models, and those that the program fills in."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self.encode = binding.encode

    def decode(self, arguments: object, provider: str | None = None) -> Any:
        """Decode as the binding does. Raises ArgumentError, also for a refused value of the program's."""
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


class _OfferedCalls:
    def __init__(self, binding: Binding) -> None:
        self._binding = binding

    def decode(self, arguments: Any, provider: str | None = None) -> JsonObject:
        return self._binding.decode_offered(arguments, provider)

    def encode(self, params: JsonObject) -> bytes:
        return msgspec.json.encode(params)


def _offered_document(contract: JsonMapping, inject: Mapping[str, str]) -> JsonObject:
    return {**contract, "parameters": without_parameters(contract["parameters"], inject)}


def _sets_injected(binding: Binding, value: object, provider: str | None = None) -> bool:
    """Return whether a model that sends `value` sets what only the program sets: no definition of an open
    object can say that, so no law is about it.
    """
    try:
        binding.decode_offered(as_text(value), provider)
    except SentInjectedError:
        return True
    except ArgumentError:
        return False
    return False


def _offered_part(value: object, inject: Mapping[str, str]) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: item for name, item in value.items() if name not in inject}


_FEW = 10
"""Fewer valid instances than this share (one in so many) give a warning."""


_Check = Callable[[Any], Failure | None]


class Effort(Struct, frozen=True, kw_only=True):
    """The effort of a verification."""

    examples: int = 200
    seed: int = 0
    second_opinion: bool = False


def check_laws(
    tool: ToolSpec, types: Mapping[str, Document], options: Options, settings: Effort
) -> ToolReport:
    """Compile one tool and check every law. The report of one that does not compile has its diagnostics."""
    line, column = tool.document.locate(("parameters",))
    base = ToolReport(tool=tool.name, file=tool.document.file, line=line, column=column)
    try:
        with subject(tool, types, options) as found:
            return _Case(found, settings, base).report()
    except NotCompiledError as refused:
        return replace(base, warnings=refused.found)
    except OracleError as problem:
        message = f"the independent validator cannot read this schema: {problem}"
        return replace(base, warnings=(_warn(base, "not-verified", message),))


def _contract(found: VerifiedTool, grammar: _GrammarFormat | None) -> Oracle:
    formats = asserted_formats()
    if grammar is None:
        return Oracle(found.contract, "/parameters", formats)
    check: Callable[[str], bool] = lru_cache(maxsize=4096)(grammar.accepts)  # asked often for the same text
    checks = {**CHECKS, _GRAMMAR: check}
    return Oracle(_with_format(found.contract), "/parameters", formats | {_GRAMMAR}, checks)


def _entries(found: VerifiedTool, provider: str) -> tuple[LedgerEntry, ...]:
    """Return the entry for the format that stands for a grammar, where the ledger names the grammar."""
    return (_GRAMMAR_ENTRY,) if "input" in found.lost_keys.get(provider, ()) else ()


class _Case:
    def __init__(self, found: VerifiedTool, settings: Effort, base: ToolReport) -> None:
        self.subject = found
        self.settings = settings
        self.base = base
        self.grammar = _grammar_format(found.tool)
        self.contract = _contract(found, self.grammar)
        self.binding: Decoder = found.binding
        self.offered = self.contract
        self.offered_binding: Decoder = found.binding
        if inject := found.tool.inject:
            document = _offered_document(found.contract, inject)
            self.offered = Oracle(document, "/parameters", asserted_formats())
            self.binding, self.offered_binding = _WholeCalls(found.binding), _OfferedCalls(found.binding)
        self.warnings: list[Diagnostic] = []
        self.dialects = {
            id: Dialect(
                id,
                schema,
                (*found.ledger.get(id, ()), *_entries(found, id)),
                asserted_formats(),
                found.wire_forms.get(id),
            )
            for id, schema in found.emitted.items()
        }

    def _random(self, purpose: str) -> random.Random:
        return random.Random(f"{self.settings.seed}:{self.subject.tool.name}:{purpose}")

    def report(self) -> ToolReport:
        count = self.settings.examples
        made = list(instances(self.contract, self._random("contract"), count))
        if self.grammar is not None:
            made += self.grammar.instances(self._random("grammar"), count)
            count = len(made)
        if empty := self.subject.tool.empty_is_absent:  # decoding removes it, whatever the schema states
            made = [_without_empty(value, empty) for value in made]
        if inject := self.subject.tool.inject:
            binding = self.subject.binding
            made = [value for value in made if not _sets_injected(binding, _offered_part(value, inject))]
        verdicts = [self.contract.verdict(value) for value in made]
        valid = [value for value, verdict in zip(made, verdicts, strict=True) if verdict]
        found = [*self._equivalence(made), *self._providers(made, valid), *self._ledgers()]
        self._few(len(valid), count, "the contract")
        return replace(
            self.base,
            instances=len(made),
            valid=len(valid),
            invalid=verdicts.count(False),
            open=verdicts.count(None),
            counterexamples=tuple(found),
            warnings=tuple(self.warnings),
            second_opinion=second_opinion(self.subject, self.contract, made)
            if self.settings.second_opinion
            else None,
        )

    def _equivalence(self, made: list[object]) -> Iterator[Counterexample]:
        def check(value: object) -> Failure | None:
            return equivalence(self.binding, self.contract, value)

        for failure in smallest(made, check):
            yield self._counterexample("L1", failure)

    def _providers(self, made: list[object], valid: list[object]) -> Iterator[Counterexample]:
        binding, contract = self.offered_binding, self.offered
        if inject := self.subject.tool.inject:
            made, valid = ([_offered_part(value, inject) for value in each] for each in (made, valid))
        for id, dialect in self.dialects.items():
            for failure in smallest(valid, lambda value, d=dialect: d.lock_out(binding, contract, value)):  # type: ignore[misc]
                yield self._counterexample("L2", failure, id)
            yield from self._examples(id, dialect)
            count = max(1, self.settings.examples // 2)
            sent = list(instances(dialect.oracle, self._random(id), count))
            self._few(sum(map(dialect.oracle.accepts, sent)), count, f"{id}'s schema")
            # What breaks the contract at one place is what a constraint without an entry would let pass.
            sent += [dialect.encoded(value) for value in made]
            if inject:
                sent = [value for value in sent if not _sets_injected(self.subject.binding, value, id)]
            for failure in smallest(sent, partial(dialect.check_decoding, binding, contract)):
                yield self._counterexample("L3", failure, id)

    def _examples(self, id: str, dialect: Dialect) -> Iterator[Counterexample]:
        """Decide L2 for the examples in a tool object: a provider refuses the request with one that does not
        fit.
        """
        found = self.subject
        for sent in sent_examples(found.definitions[id], found.emitted.get(id)):
            problem = next(dialect.oracle.problems(sent), None)
            if problem is not None:
                actual = f"the schema beside it refuses it: {problem.message[:300]}"
                yield self._counterexample("L2", Failure("L2", "the example can be sent", actual, sent), id)

    def _ledgers(self) -> Iterator[Counterexample]:
        found = self.subject
        contract = found.built.normal.offered(found.tool.inject)
        for id, profile in found.profiles.items():
            stated = wanted_strict(found.tool, profile)
            if id in found.emitted:
                for failure in silent_losses(contract, found.emitted[id], found.ledger.get(id, ())):
                    yield self._counterexample("L4", failure, id)
            lost = found.lost_keys.get(id, frozenset())
            for key in silent_keys(found.tool, found.definitions[id], found.emitted.get(id), lost):
                yield self._silent_key(key, id)
            for failure in fixpoint(contract, profile, stated):
                yield self._counterexample("L5", failure, id)

    def _few(self, valid: int, count: int, whose: str) -> None:
        if valid * _FEW < count:
            message = (
                f"only {valid} of {count} instances made for {whose} are valid: the laws are held to little"
            )
            self.warnings.append(_warn(self.base, "few-instances", message))

    def _silent_key(self, key: str, provider: str) -> Counterexample:
        line, column = self.subject.tool.document.locate((key,), key=True)
        return Counterexample(
            law="L4",
            file=self.base.file,
            line=line,
            column=column,
            provider=provider,
            expected=f"`{key}` of the spec stands in the tool object or in the ledger",
            actual="it stands in neither",
            place=f"/{key}",
        )

    def _counterexample(self, law: Law, failure: Failure, provider: str = "") -> Counterexample:
        pointer = failure.place
        if not pointer.startswith(("/parameters", "/$defs")):
            pointer = f"/parameters{pointer}"
        if failure.instance is not None and not failure.place:
            first = next(self.contract.problems(failure.instance), None)
            if first is not None:
                pointer = "/" + "/".join(str(step) for step in first.schema_path)
        try:
            line, column = self.subject.locate(pointer)
        except (LookupError, TypeError, ValueError):
            line, column = self.base.line, self.base.column
        blank = law in ("L4", "L5")
        return Counterexample(
            law=law,
            file=self.base.file,
            line=line,
            column=column,
            provider=provider,
            instance="" if blank else json.dumps(failure.instance, ensure_ascii=False),
            expected=failure.expected,
            actual=failure.actual,
            place=failure.place,
        )


def smallest(made: list[object], check: _Check) -> Iterator[Failure]:
    """Yield one failure of each kind, made as small as it gets."""
    worst: JsonObject = {}
    for value in made:
        failure = check(value)
        if failure is not None and (failure.kind not in worst or size(value) < size(worst[failure.kind])):
            worst[failure.kind] = value
    for kind, value in worst.items():
        small = shrink(value, lambda smaller, k=kind: _kind(check, smaller) == k)  # type: ignore[misc]
        failure = check(small)
        assert failure is not None
        yield failure


def _kind(check: _Check, value: object) -> str | None:
    failure = check(value)
    return failure.kind if failure is not None else None


def _warn(base: ToolReport, code: str, message: str) -> Diagnostic:
    return Diagnostic(
        file=base.file, line=base.line, column=base.column, severity="warning", code=code, message=message,
        hint="examples in the spec, or a schema that says more by `properties` than by `not`, help",
    )  # fmt: skip


def _without_empty(value: object, names: Sequence[str]) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: item for name, item in value.items() if item != "" or name not in names}
