"""What a generated module says of its tool, and the one decoder for its arguments."""

from collections.abc import Mapping
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Struct

from .brief import cut_definition
from .checked import decode_hook, trusted_hook
from .encode import to_builtins, with_defaults, without_defaults
from .errors import LIMIT, ArgumentError, MissingDataError, UnknownProviderError
from .home import list_folders, read_resource
from .keys import count_colons, has_colon_escapes, is_deep
from .node import Node
from .parse import Arguments, as_text, parse
from .plan import Plan
from .schema.values import too_deep

P = TypeVar("P")
H = TypeVar("H")
Level = Literal["full", "brief"]
_encode = msgspec.json.encode
_decode_any = msgspec.json.Decoder().decode


class _Lazy:
    """What a binding makes at first use and keeps. Two threads at once make the same thing twice."""

    __slots__ = ("decode", "definitions", "faithful", "keys", "parameters", "plan", "result", "short")

    def __init__(self) -> None:
        # The next four are the plan's, one attribute nearer. No text is as short as -1, so the first call
        # of all makes the plan.
        self.decode: Any = None
        self.faithful = False
        self.keys = -1
        self.short = -1
        self.plan: Plan | None = None
        self.definitions: dict[tuple[str, str], bytes] = {}
        self.parameters: Node | None = None
        self.result: Node | None = None


class ToolBinding(Struct, Generic[P, H], frozen=True, kw_only=True, eq=False):
    """One tool: its names, its types, its files. P is the parameters' type, H the handler's Protocol.

    `module` is the generated module's `__name__`; `contract` and `schemas` are paths from its folder.
    `exact` is false where the Struct alone would take more than the contract does: then every value is
    validated before it is converted. `wire` is what to decode with where a marker (`checked`, `one_of`,
    `open_object`) stands before `params`.
    """

    module: str
    name: str
    group: str
    params: type[P]
    permission: str
    secrets: tuple[str, ...]
    summary: str
    description: str
    contract: str
    schemas: str
    result: Any = None
    annotations: Mapping[str, Any] = {}
    runtime_enums: Mapping[str, str] = {}
    exact: bool = True
    wire: Any = None
    _lazy: _Lazy = msgspec.field(default_factory=_Lazy)

    def decode(self, arguments: Arguments, provider: str | None = None) -> P:
        """The typed parameters for a call's arguments: JSON text, or a mapping that was parsed already.

        `provider` names the dialect they were written in. Blank text means no arguments. Raises
        ArgumentError naming every violation, UnknownProviderError where nothing was generated for it.
        """
        if provider is not None and self._must_undo(provider):
            return self._decode_checked(way_back(parse(self.name, arguments), self, provider))
        # Short text that the Struct takes, with as many keys as it requires: the plain path. Every step here
        # counts, so its parts are spelt out.
        lazy = self._lazy
        text: Any = arguments
        kind = type(text)
        if (kind is bytes or kind is str) and len(text) <= lazy.short:
            try:
                params: P = lazy.decode(text)
                if kind is bytes:
                    colons = text.count(b":")
                    if colons == lazy.keys:
                        return params
                    # No backslash (92), no colon in disguise.
                    if lazy.faithful and 92 not in text and _encode(params).count(b":") == colons:
                        return params
                else:
                    colons = text.count(":")
                    if colons == lazy.keys:
                        return params
                if self._has_each_once(text, params, colons):
                    return params
            except (msgspec.MsgspecError, UnicodeError, RecursionError):
                pass  # the slow path knows why, and what the two allowances make of it
        elif self.exact:
            return self._decode_other(arguments)
        return self._decode_checked(parse(self.name, arguments))

    def _decode_other(self, arguments: Arguments) -> P:
        """The first call, mappings, blank text, and text that is long enough to nest too deeply."""
        plan = self._lazy.plan or self._make_plan()
        text = as_text(self.name, arguments)
        value = None if text is not None else parse(self.name, arguments)
        params: P
        try:
            if text is None:
                if not too_deep(value):
                    params = msgspec.convert(value, self._shape(), dec_hook=decode_hook)
                    return params
            elif len(text) <= plan.short or not is_deep(text):
                params = plan.decode(text)
                colons = count_colons(text)
                if colons == plan.keys or self._has_each_once(text, params, colons):
                    return params
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            pass
        return self._decode_checked(parse(self.name, arguments) if value is None else value)

    def _has_each_once(self, text: bytes | str, params: P, colons: int) -> bool:
        """Whether every property in `text` stands there once, as far as can be told quickly; `params` is
        what it was decoded to."""
        if has_colon_escapes(text):
            return False
        if self._lazy.faithful and _encode(params).count(b":") == colons:
            return True
        # Defaults that were spelt out, properties that the Struct does not know.
        return _encode(_decode_any(text)).count(b":") == colons and not is_deep(text)

    def encode(self, params: P) -> bytes:
        """JSON text that the contract accepts: absent stays absent, further properties in their place."""
        validator = self._parameters().validator()
        plain = validator.settle(to_builtins(params))
        if not validator.accepts(plain):
            # A default that was left out may be what tells two branches apart; one that was written (msgspec
            # writes a default list or object) may be what another keyword forbids.
            others = (validator.settle(form(params)) for form in (with_defaults, without_defaults))
            plain = next((other for other in others if validator.accepts(other)), plain)
        return msgspec.json.encode(plain)

    def encode_result(self, value: Any) -> bytes:
        """JSON text for a handler's value; in the form of the result's contract where there is one."""
        plain = to_builtins(value)
        if self.result is not None:
            plain = self._result().validator().settle(plain)
        return msgspec.json.encode(plain)

    def schema(self) -> dict[str, Any]:
        """The parameters' contract in normal form, a copy of its own each time."""
        # References inside it count from the contract file's root; `definition` has them as providers want.
        document = msgspec.json.decode(read_resource(self.module, self.contract))
        parameters: dict[str, Any] = document["parameters"]
        return parameters

    def definition(self, provider: str, level: Level = "full") -> bytes:
        """The tool object as that provider wants it: compact JSON, the same bytes each time.

        `brief` has the summary for a description, and a parameter schema cut to names and types.
        Raises UnknownProviderError where nothing was generated for `provider`.
        """
        if level not in ("full", "brief"):
            raise ValueError(f"level must be 'full' or 'brief', not {level!r}.")
        ready = self._lazy.definitions.get((provider, level))
        if ready is None:
            ready = self._raw_definition(provider)
            if level == "brief":
                cut = cut_definition(msgspec.json.decode(ready), self.name, self.summary)
                ready = msgspec.json.encode(cut)
            self._lazy.definitions[provider, level] = ready
        return ready

    def _raw_definition(self, provider: str) -> bytes:
        ready = self._lazy.definitions.get((provider, "full"))
        if ready is None:
            raw = _read_definition(self, provider)
            ready = self._lazy.definitions[provider, "full"] = msgspec.json.format(raw, indent=-1)
        return ready

    def _make_plan(self) -> Plan:
        lazy = self._lazy
        plan = lazy.plan = Plan(self._shape())
        lazy.decode, lazy.keys, lazy.faithful = plan.decode, plan.keys, plan.faithful
        lazy.short = plan.short  # last: it opens the way for other threads
        return plan

    def _must_undo(self, provider: str) -> bool:
        """Whether arguments for `provider` need `way_back`. Raises UnknownProviderError."""
        if (provider, "full") not in self._lazy.definitions:
            self._raw_definition(provider)
        return has_dialect(self, provider)

    def _shape(self) -> Any:
        return self.params if self.wire is None else self.wire

    def _parameters(self) -> Node:
        node = self._lazy.parameters
        if node is None:
            node = self._lazy.parameters = Node(self.module, f"{self.contract}#/parameters")
        return node

    def _result(self) -> Node:
        node = self._lazy.result
        if node is None:
            node = self._lazy.result = Node(self.module, f"{self.contract}#/result")
        return node

    def _decode_checked(self, value: Any) -> P:
        """Settle, validate, convert: exact, and with every violation at once."""
        validator = self._parameters().validator()
        try:
            settled = validator.settle(value)
            violations = validator.violations(settled, limit=LIMIT)
            if violations:
                raise ArgumentError(self.name, violations=violations)
            converted: P = msgspec.convert(settled, self._shape(), dec_hook=trusted_hook)
        except RecursionError:
            raise ArgumentError(self.name, "they are nested too deeply. Send a flatter value.") from None
        except msgspec.ValidationError as problem:
            raise _disagree(self, problem) from problem
        return converted


def has_dialect(binding: "ToolBinding[Any, Any]", provider: str | None) -> bool:
    """Whether arguments must go through `way_back` before the Struct may look at them.

    No profile has an encoding to undo yet: where one makes optional fields nullable, settling undoes it.
    """
    del binding, provider
    return False


def way_back(value: Any, binding: "ToolBinding[Any, Any]", provider: str | None) -> Any:
    """Undo a provider's dialect: from what its schema made the model write to what the spec means."""
    del binding, provider
    return value


def _disagree(binding: ToolBinding[Any, Any], problem: Exception) -> ArgumentError:
    """The contract accepts what the Struct refuses: a bug of the generator's, and no fault of the model's."""
    import logging

    logging.getLogger("toolwright.runtime").warning(
        "Tool %r (%s): its contract accepts a value that its Struct refuses (%s). "
        "This is a bug in the generated code; run `toolwright verify`.",
        binding.name,
        binding.module,
        problem,
    )
    return ArgumentError(binding.name, f"{problem}.")


def _read_definition(binding: ToolBinding[Any, Any], provider: str) -> bytes:
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
        "Add the provider to [tool.toolwright] and run `toolwright generate`."
    )
