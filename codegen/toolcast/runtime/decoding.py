"""From a call's arguments to a tool's typed parameters: most by one decoder, the others the long way."""

from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from .checked import decode_hook
from .described import Described
from .errors import ArgumentError
from .exactly import decode_exactly, without_empty
from .keys import count_colons, has_colon_escapes, has_empty, is_deep, is_short
from .parse import Arguments, as_text, parse
from .quick import Decode
from .schema.values import too_deep

if TYPE_CHECKING:  # most calls need none of them
    from .ways.guesses import Guesses
    from .ways.undo import Undo

P = TypeVar("P")
_encode = msgspec.json.encode
_decode_any = msgspec.json.Decoder().decode


class Decoding(Described[P], Generic[P], frozen=True, kw_only=True, eq=False):
    """A tool, as `Described` has it, that decodes its arguments."""

    def decode(
        self, arguments: Arguments, provider: str | None = None, guesses: "Guesses | None" = None
    ) -> P:
        """The typed parameters for a call's arguments: JSON text, or a mapping that was parsed already.

        `provider` names the dialect they were written in. Blank text means no arguments. `guesses` are made
        at arguments that the contract refuses, none by default. Raises ArgumentError naming every violation,
        UnknownProviderError where nothing was generated for `provider`, MissingDataError for files that are
        not as they were generated.
        """
        quick = self._lazy.quick or self._make_quick()
        params: P = quick(arguments, provider, guesses)
        return params

    def _make_quick(self) -> Decode:
        """What decodes most calls."""
        if not self.exact or self.empty_is_absent:
            quick: Decode = self._decode_slowly
        else:
            plan = self._lazy.plan or self._make_plan()
            quick = plan.bound(
                straight=self._lazy.straight,
                slowly=self._decode_slowly,
                exactly=self._decode_refused,
                has_each_once=self._has_each_once,
            )
        self._lazy.quick = quick
        return quick

    def _decode_slowly(
        self, arguments: Arguments, provider: str | None = None, guesses: "Guesses | None" = None
    ) -> P:
        """Whatever is no short text in the contract's own form."""
        if provider is not None and provider not in self._lazy.straight:
            sent = self._lazy.sent.get(provider) or self._make_sent(provider)
            if sent is not None:
                params: P = sent(arguments, provider, guesses)
                return params
        if self.exact:
            return self._decode_other(arguments, guesses)
        return decode_exactly(self, arguments, guesses)

    def _make_sent(self, provider: str) -> Decode | None:
        """What decodes the form that is sent to `provider`; None where that is the contract's own."""
        undo = self._lazy.undo.get(provider) or self._find_undo(provider)
        if undo is None:
            return None

        def general(arguments: Arguments, _: str | None, guesses: "Guesses | None") -> P:
            return self._decode_undone(arguments, undo, guesses)

        sent: Decode = general
        if self.exact and self.wire is None and not self.empty_is_absent:
            from .ways.sent import sent_decoder

            sent = sent_decoder(self.params, undo.ways.root, provider, general) or general
        self._lazy.sent[provider] = sent
        return sent

    def _decode_refused(self, text: bytes | str, guesses: "Guesses | None") -> P:
        """Text that the quick way did not take. Some providers send blank text where nothing is required."""
        if len(text) <= 64 and not text.strip():
            return self._decode_other(b"{}", guesses)
        lenient = self._lazy.lenient or self._make_lenient()
        params: P = lenient(text, None, guesses)
        return params

    def _make_lenient(self) -> Decode:
        """What decodes text that has null for properties that are to be absent, as strict modes make a model
        write it."""

        def exactly(arguments: Arguments, _: str | None, guesses: "Guesses | None") -> P:
            return decode_exactly(self, arguments, guesses)

        lenient: Decode = exactly
        if self.wire is None:
            from .ways.sent import lenient_decoder

            lenient = lenient_decoder(self.params, exactly) or exactly
        self._lazy.lenient = lenient
        return lenient

    def _decode_other(self, arguments: Arguments, guesses: "Guesses | None") -> P:
        """Mappings, blank text, text that is long enough to nest too deeply, and any for a tool to which ""
        may mean that a parameter was left out."""
        plan = self._lazy.plan or self._make_plan()
        text = as_text(self.name, arguments)
        if self.empty_is_absent and (text is None or has_empty(text)):
            return decode_exactly(self, arguments, guesses)
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
        return decode_exactly(self, arguments, guesses)

    def _decode_undone(self, arguments: Arguments, undo: "Undo", guesses: "Guesses | None") -> P:
        """Arguments in the dialect of a provider to which something was sent in another form."""
        try:
            value = undo(parse(self.name, arguments))
            if self.empty_is_absent:
                value = without_empty(self, value)
        except ArgumentError:
            if guesses is None:
                raise
            return decode_exactly(self, arguments, guesses, undo)
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
        return decode_exactly(self, arguments, guesses, undo)

    def _has_each_once(self, text: bytes | str, params: P, colons: int) -> bool:
        """Whether every property in `text` stands there once, as far as can be told quickly; `params` is
        what it was decoded to."""
        if has_colon_escapes(text):
            return False
        if (self._lazy.plan or self._make_plan()).faithful and _encode(params).count(b":") == colons:
            return True
        # Defaults that were spelt out, properties that the Struct does not know.
        return _encode(_decode_any(text)).count(b":") == colons and not is_deep(text)
