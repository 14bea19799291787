"""The circumstances of a call, for its handler."""

from collections.abc import Awaitable, Callable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from msgspec import Struct

from ..jsonschema.json_values import JsonMapping
from .errors import is_from_outside
from .log_records import WARNING, log
from .unicode_text import is_encodable, replace_surrogates

Report: TypeAlias = Callable[[float, float | None, str], object]
"""A receiver of progress: work done, total work (None where it is unknown), and a message. Called
from whatever thread the handler runs in; it must not block."""


LogLevel: TypeAlias = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
"""Severities of RFC 5424, the least first."""
LOG_LEVELS: tuple[LogLevel, ...] = (
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency",
)  # fmt: skip

_LogReceiver: TypeAlias = Callable[[LogLevel, Any, str], object]
"""A receiver of log messages: severity, a text or JSON data, and the name of a logger or "". Called from
whatever thread the handler runs in; it must not block."""

if TYPE_CHECKING:  # loaded where a handler asks
    from .questions import Asker, Elicited, Message, Root, RootLister, Sampled, Sampler

T = TypeVar("T")


class Principal(Struct, frozen=True, kw_only=True):
    """The identity behind a call: the key `principal` of its context's `extra`.

    Attributes:
        id: identifies it among all that whoever verifies tokens knows; with several issuers, the issuer is a
            part of it. A session over HTTP belongs to the id that opened it.
        scopes: what its token permits; a scope that implies others stands beside them.
        expires_at: seconds since 1970 after which the token is refused; None where the verifier says when.
        claims: whatever else the program wants to know in a handler.
    """

    id: str
    scopes: tuple[str, ...] = ()
    expires_at: float | None = None
    claims: JsonMapping = {}


def missing_scopes(scopes: Sequence[str], principal: object) -> list[str]:
    """Return those of a tool's scopes that a principal lacks, which is anybody who is no `Principal`; none
    where there is no principal (None).
    """
    if principal is None:
        return []
    held = principal.scopes if isinstance(principal, Principal) else ()
    return [each for each in scopes if each not in held]


class Framework(Struct, frozen=True, kw_only=True):
    """Decisions that a framework makes for a call; `toolcast.bridges` sets it. Handlers do not get it: an
    approval is for one call, not for what its handler calls.

    Attributes:
        approved: whether a person approved the call through the framework. The policy then asks nobody; what
            it forbids stays forbidden.
        approved_for: digest of the injected values at the approval: with others, the call is not approved.
            None where nobody compares them.
        remember: whether the policy also approves later calls of that shape, as after an *always*.
        approver: asked if the policy has no approver of its own.
        passes: exceptions of a handler, a precheck, the approver or `begin` that pass through `execute`: the
            framework's own, for calls that it defers or interrupts.
        attempt: number of the attempt, from 1, at what its handler asks for again (`RetryError`); None where
            nobody counts.
        in_part: whether the model was shown less than the full definition. An error of arguments then has the
            rest.
        observer: called with each event of the call (`middleware.events`), beside the registry's hooks.
        begin: awaited right before the handler is called, for a framework that stores which calls were begun;
            not for external tools.
    """

    approved: bool = False
    approved_for: str | None = None
    remember: bool = False
    approver: Callable[..., Any] | None = None
    passes: tuple[type[BaseException], ...] = ()
    attempt: int | None = None
    in_part: bool = False
    observer: Callable[[Any], object] | None = None
    begin: Callable[[], Awaitable[None]] | None = None


class ToolContext(Struct, frozen=True, kw_only=True):
    """The circumstances of one call, for its handler.

    The registry fills in `tool` and `provider` if the caller left them empty.

    Attributes:
        tool: name of the tool.
        call_id: the provider's id of the call, or "".
        provider: id of the provider whose wire form the arguments have; None for the contract's own form.
        extra: the program's own values: a session, a user, a working directory. The runtime reads only those
            that tools `inject`, and the scopes of `principal`.
        approved: whether somebody approved this call, for a handler that defers calls until then. The
            registry sets it.
        attempt: number of the attempt, from 1, at what its handler asks for again; None where nobody counts,
            outside of a run. The registry sets it.
        report: receives progress: work done, total work or None, and a message.
        receive_log: receives log messages for whoever made the call.
        asker: asks the user; None where nobody can be asked.
        sampler: asks a model; None where there is none.
        root_lister: asks for the roots; None where there are none.
        framework: decisions of a framework that makes the call; None in a handler's own context.
    """

    tool: str = ""
    call_id: str = ""
    provider: str | None = None
    extra: JsonMapping = {}
    approved: bool = False
    attempt: int | None = None
    report: Report | None = None
    receive_log: _LogReceiver | None = None
    asker: "Asker | None" = None
    sampler: "Sampler | None" = None
    root_lister: "RootLister | None" = None
    framework: Framework | None = None

    def progress(self, done: float, total: float | None = None, message: str | None = "") -> None:
        """Report progress, if the context has a `report`. For sync and async handlers.

        What `report` raises is logged and changes nothing, and so are values of other types.

        Args:
            done: work done so far, a finite number that should grow.
            total: all work in the same unit; None where it is not known.
            message: text for a person; None for none.
        """
        if self.report is None:
            return
        try:
            self.report(_finite(done), None if total is None else _finite(total), _text(message))
        except BaseException as problem:  # a receiver's
            self._not_sent("Progress", "progress_failed", problem)

    def log(self, level: LogLevel, data: Any, logger: str | None = "") -> None:
        """Send a log message to whoever made the call, if the context has a `receive_log`, whose exceptions
        are logged and change nothing. The program's own log is Python's `logging`. For sync and async
        handlers.

        Args:
            level: "debug", "info", "notice", "warning", "error", "critical", "alert" or "emergency".
            data: a text, or data that has a JSON form.
            logger: name of the part of the program that logs; None for none.

        Raises:
            ValueError: there is no such level.
        """
        if level not in LOG_LEVELS:
            raise ValueError(f"level must be one of {', '.join(LOG_LEVELS)}, not {level!r}.")
        if self.receive_log is None:
            return
        try:
            self.receive_log(level, _text(data) if isinstance(data, str) else data, _text(logger))
        except BaseException as problem:  # a receiver's
            self._not_sent("A log message", "log_failed", problem)

    @property
    def can_ask(self) -> bool:
        """True if `ask` reaches somebody."""
        return self.asker is not None

    @property
    def can_sample(self) -> bool:
        """True if `sample` reaches a model."""
        return self.sampler is not None

    @property
    def can_list_roots(self) -> bool:
        """True if `roots` reaches somebody."""
        return self.root_lister is not None

    async def ask(self, message: str, form: type[T], *, key: str = "") -> "Elicited[T]":
        """Ask the user to fill in a form. For async handlers; the handler's time does not run meanwhile.

        Args:
            message: the question and its reason.
            form: a msgspec Struct of texts, numbers, booleans, choices of texts, and lists of choices; a
                field with a default is optional, and shown with it.
            key: name of the question among those of the call, which MCP clients answer it by; "" for a
                number. A client that knows the key may send the answer with its call.

        Returns:
            `action`: "accept", "decline" or "cancel"; and `data`, the filled-in form.

        Raises:
            RefusalError: nobody can be asked, or the answer does not fit the form.
            TypeError: the form has a field of another type, or `message` is no text.
        """
        from .questions import ElicitationRequest, ask

        return await ask(self.asker, self.tool, ElicitationRequest(message=message, key=key), form)

    async def ask_to_visit(self, message: str, url: str, *, key: str = "") -> "Elicited[None]":
        """Ask the user to visit a page, for what must not pass through client or model: a login, a payment.

        Args:
            message: the reason.
            url: address of the page, of http or https.
            key: as that of `ask`.

        Returns:
            `action`: "accept" if the user agreed to visit the page, whatever becomes of it there.

        Raises:
            RefusalError: nobody can be asked so.
            ValueError: `url` is no address of a page.
            TypeError: `message` or `url` is no text.
        """
        from .questions import ElicitationRequest, ask_to_visit

        return await ask_to_visit(
            self.asker, self.tool, ElicitationRequest(message=message, url=url, key=key)
        )

    async def sample(
        self,
        messages: "str | Sequence[Message]",
        *,
        max_tokens: int,
        system: str = "",
        temperature: float | None = None,
        stop: Sequence[str] = (),
        models: Sequence[str] = (),
        key: str = "",
    ) -> "Sampled":
        """Ask the model of whoever made the call. For async handlers; the handler's time does not run
        meanwhile.

        Args:
            messages: a text of the user, or a conversation.
            max_tokens: most tokens of the answer.
            system: the system prompt.
            temperature: randomness of the answer; None for the model's own.
            stop: texts at which the answer ends.
            models: names of models, or parts of them, the preferred first; whoever is asked decides.
            key: as that of `ask`.

        Returns:
            The answer: a stranger's text.

        Raises:
            RefusalError: there is no model to ask, or it was refused.
            ValueError: there is no message, or `max_tokens` is below 1.
            TypeError: an argument has another type.
        """
        from .questions import request, sample

        asked = request(
            messages=messages,
            max_tokens=max_tokens,
            system=system,
            temperature=temperature,
            stop=stop,
            models=models,
            key=key,
        )
        return await sample(self.sampler, self.tool, asked)

    async def roots(self, *, key: str = "") -> "tuple[Root, ...]":
        """Ask whoever made the call for the folders and files that it works in. MCP 2026-07-28 deprecates
        roots: take such folders as parameters where you can.

        Args:
            key: as that of `ask`.

        Returns:
            The roots: a stranger's addresses, which permit nothing.

        Raises:
            RefusalError: whoever made the call names no roots, or does not answer.
        """
        from .questions import list_roots

        return await list_roots(self.root_lister, self.tool, key)

    def _not_sent(self, what: str, event: str, problem: BaseException) -> None:
        if is_from_outside(problem):
            raise problem

        # The kind alone: its text may repeat the message.
        kind = type(problem).__name__
        log(
            WARNING,
            "%s of tool %r was not reported: %s.",
            what,
            self.tool,
            kind,
            event=event,
            tool=self.tool,
            call_id=self.call_id,
            error_type=kind,
        )


def _finite(number: float) -> float:
    if not isfinite(number):
        raise ValueError("a finite number was expected")
    return number


def _text(text: str | None) -> str:
    """Return a text without lone surrogates; "" for None. Raises TypeError."""
    if text is None:
        return ""
    if not isinstance(text, str):
        raise TypeError(f"a text was expected, not {type(text).__name__}")
    return text if is_encodable(text) else replace_surrogates(text)
