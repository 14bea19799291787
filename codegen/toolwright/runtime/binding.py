"""What a generated module says of its tool, and the one decoder for its arguments."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Struct

from .brief import cut_definition
from .checked import decode_hook, trusted_hook
from .definitions import disagree, read_definition
from .encode import to_builtins, with_defaults, without_defaults
from .errors import LIMIT, ArgumentError, EncodeError
from .home import read_resource
from .keys import count_colons, has_colon_escapes, has_empty, is_deep, is_short
from .node import Node
from .parse import Arguments, as_text, parse
from .plan import Plan
from .schema.values import too_deep

if TYPE_CHECKING:  # most calls need none of them
    from .ways.guesses import Guesses
    from .ways.undo import Undo

P = TypeVar("P")
H = TypeVar("H")
Level = Literal["full", "brief"]
_encode = msgspec.json.encode
_decode_any = msgspec.json.Decoder().decode


class _Lazy:
    """What a binding makes at first use and keeps. Two threads at once make the same thing twice."""

    __slots__ = (
        "decode",
        "definitions",
        "faithful",
        "given",
        "inside",
        "keys",
        "parameters",
        "plan",
        "result",
        "short",
        "straight",
        "undo",
    )

    def __init__(self) -> None:
        # The next six are the plan's, one attribute nearer. No text is as short as -1, so the first call
        # of all makes the plan.
        self.decode: Any = None
        self.faithful = False
        self.given: Any = None
        self.inside: Any = None
        self.keys = -1
        self.short = -1
        self.plan: Plan | None = None
        self.definitions: dict[tuple[str, str], bytes] = {}
        self.parameters: Node | None = None
        self.result: Node | None = None
        self.straight: set[str] = set()  # providers to which nothing is sent in another form
        self.undo: dict[str, Undo] = {}


class ToolBinding(Struct, Generic[P, H], frozen=True, kw_only=True, eq=False):
    """One tool: its names, its types, its files. P is the parameters' type, H the handler's Protocol.

    `module` is the generated module's `__name__`; `contract` and `schemas` are paths from its folder.
    `exact` is false where the Struct alone would take more than the contract does: then every value is
    validated before it is converted. `wire` is what to decode with where a marker (`checked`, `one_of`,
    `open_object`) stands before `params`.

    `ways` are the providers to which something is sent in another form than the contract's; their files
    stand beside those of `schemas`. `envelopes` says where a provider's tool object has its parameters and
    its description, where that cannot be seen. `empty_is_absent` are optional parameters for which "" means
    that they were left out.
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
    ways: tuple[str, ...] = ()
    envelopes: Mapping[str, tuple[str, str]] = {}
    empty_is_absent: tuple[str, ...] = ()
    exact: bool = True
    wire: Any = None
    _lazy: _Lazy = msgspec.field(default_factory=_Lazy)

    def decode(
        self, arguments: Arguments, provider: str | None = None, guesses: "Guesses | None" = None
    ) -> P:
        """The typed parameters for a call's arguments: JSON text, or a mapping that was parsed already.

        `provider` names the dialect they were written in. Blank text means no arguments. `guesses` are made
        at arguments that the contract refuses, none by default. Raises ArgumentError naming every violation,
        UnknownProviderError where nothing was generated for `provider`, MissingDataError for files that are
        not as they were generated.
        """
        if provider is not None and provider not in self._lazy.straight:
            undo = self._lazy.undo.get(provider) or self._find_undo(provider)
            if undo is not None:
                return self._decode_undone(arguments, undo, guesses)
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
                    if lazy.given is not None:
                        least = lazy.given(params)
                        if least == colons or (92 not in text and least + lazy.inside(params) == colons):
                            return params
                    if lazy.faithful and 92 not in text and _encode(params).count(b":") == colons:
                        return params
                else:
                    colons = text.count(":")
                    if colons == lazy.keys or (lazy.given is not None and lazy.given(params) == colons):
                        return params
                if self._has_each_once(text, params, colons):
                    return params
            except (msgspec.MsgspecError, UnicodeError, RecursionError):
                pass  # the slow path knows why, and what the two allowances make of it
        elif self.exact:
            return self._decode_other(arguments, guesses)
        return self._decode_slowly(arguments, guesses)

    def _decode_other(self, arguments: Arguments, guesses: "Guesses | None") -> P:
        """The first call, mappings, blank text, text that is long enough to nest too deeply, and any for a
        tool to which "" may mean that a parameter was left out."""
        plan = self._lazy.plan or self._make_plan()
        text = as_text(self.name, arguments)
        if self.empty_is_absent and (text is None or has_empty(text)):
            return self._decode_slowly(arguments, guesses)
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
        return self._decode_slowly(arguments, guesses)

    def _decode_undone(self, arguments: Arguments, undo: "Undo", guesses: "Guesses | None") -> P:
        """Arguments in the dialect of a provider to which something was sent in another form."""
        try:
            value = undo(parse(self.name, arguments))
            if self.empty_is_absent:
                value = self._without_empty(value)
        except ArgumentError:
            if guesses is None:
                raise
            return self._decode_slowly(arguments, guesses, undo)
        if self.exact:
            try:
                # The way back adds no levels to what a text may have, save those of a schema's own literals.
                if is_short(arguments) or not too_deep(value):
                    params: P
                    if (self._lazy.plan or self._make_plan()).marked:
                        params = msgspec.convert(value, self._shape(), dec_hook=decode_hook)
                    else:
                        params = msgspec.convert(value, self.params)  # keywords cost as much as the rest
                    return params
            except (msgspec.MsgspecError, UnicodeError, RecursionError):
                pass
        return self._decode_slowly(arguments, guesses, undo)

    def _decode_slowly(
        self, arguments: Arguments, guesses: "Guesses | None", undo: "Undo | None" = None
    ) -> P:
        """Exact, with every violation named, and with guesses where they are asked for."""
        try:
            value = self._read(arguments, undo)
            return self._decode_checked(value, undone=undo is not None)
        except ArgumentError:
            if guesses is not None and guesses.allow:
                guessed = self._guessed(arguments, guesses, undo)
                if guessed is not None:
                    return guessed
            raise

    def _read(self, arguments: Arguments, undo: "Undo | None") -> Any:
        """Plain data in the contract's form. Raises ArgumentError for what is not JSON."""
        value = parse(self.name, arguments)
        return self._without_empty(value if undo is None else undo(value))

    def _without_empty(self, value: Any) -> Any:
        """`value` without the parameters whose "" means that they were left out."""
        names = self.empty_is_absent
        if not names or type(value) is not dict or not any(value.get(name) == "" for name in names):
            return value
        return {name: item for name, item in value.items() if item != "" or name not in names}

    def _guessed(self, arguments: Arguments, guesses: "Guesses", undo: "Undo | None") -> P | None:
        """The parameters that refused arguments may have meant; None where no guess leads to any."""
        from .ways.guessing import guess

        def read(text: Any) -> Any:
            return self._read(text, undo)

        found = guess(arguments, read, self._parameters().validator(), guesses)
        if found is None:
            return None
        value, used = found
        params = self._decode_checked(value)
        guesses.count(used)
        return params

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
        """JSON text that the contract accepts: absent stays absent, further properties in their place.

        Raises EncodeError where the contract refuses `params` in any form.
        """
        validator = self._parameters().validator()
        plain = validator.settle(to_builtins(params))
        if not validator.accepts(plain):
            # A default that was left out may be what tells two branches apart; one that was written (msgspec
            # writes a default list or object) may be what another keyword forbids.
            others = (validator.settle(form(params)) for form in (with_defaults, without_defaults))
            fitting = next((other for other in others if validator.accepts(other)), None)
            if fitting is None:
                raise EncodeError(self.name, validator.violations(plain, limit=LIMIT))
            plain = fitting
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

    def specialise(self, /, **values: Sequence[str]) -> "ToolBinding[P, H]":
        """The tool with values for its `runtime_enums`, in definitions and decoding. Raises ValueError."""
        from .specialise import specialise

        return specialise(self, values)

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
                whole = msgspec.json.decode(ready)
                cut = cut_definition(whole, self.name, self.summary, self.envelopes.get(provider))
                ready = msgspec.json.encode(cut)
            self._lazy.definitions[provider, level] = ready
        return ready

    def _raw_definition(self, provider: str) -> bytes:
        ready = self._lazy.definitions.get((provider, "full"))
        if ready is None:
            raw = read_definition(self, provider)
            ready = self._lazy.definitions[provider, "full"] = msgspec.json.format(raw, indent=-1)
        return ready

    def _make_plan(self) -> Plan:
        lazy = self._lazy
        plan = lazy.plan = Plan(self._shape())
        lazy.decode, lazy.keys, lazy.faithful = plan.decode, plan.keys, plan.faithful
        lazy.given, lazy.inside = plan.given, plan.inside
        # Last: it opens the way for other threads. It stays shut where "" needs a look.
        lazy.short = -1 if self.empty_is_absent else plan.short
        return plan

    def _find_undo(self, provider: str) -> "Undo | None":
        """What undoes another form that arguments for `provider` may be in; None where there is none.
        Raises UnknownProviderError."""
        if (provider, "full") not in self._lazy.definitions:
            self._raw_definition(provider)
        if provider not in self.ways:
            self._lazy.straight.add(provider)
            return None
        return self._make_undo(provider)

    def _make_undo(self, provider: str) -> "Undo":
        from .ways.load import load_undo

        path = f"{self.schemas}/../ways/{provider}/{self.name}.json"
        undo = load_undo(self.module, path, self._raw_definition(provider))
        self._lazy.undo[provider] = undo
        return undo

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

    def _decode_checked(self, value: Any, *, undone: bool = False) -> P:
        """Settle, validate, convert: exact, and with every violation at once. `undone` says that `value` was
        sent in another form."""
        validator = self._parameters().validator()
        try:
            settled = validator.settle(value)
            violations = validator.violations(settled, limit=LIMIT)
            if violations:
                if undone:
                    from .ways.hints import explained

                    raise ArgumentError(self.name, violations=explained(violations, settled))
                raise ArgumentError(self.name, violations=violations)
            converted: P = msgspec.convert(settled, self._shape(), dec_hook=trusted_hook)
        except RecursionError:
            raise ArgumentError(self.name, "they are nested too deeply. Send a flatter value.") from None
        except msgspec.ValidationError as problem:
            raise disagree(self, problem) from problem
        return converted
