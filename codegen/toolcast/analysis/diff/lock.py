"""A lock: the tools of others as they were, the sources that list them, and changes that a person accepted.

A lock is also an answer of `tools/list`, so that `toolcast diff --against tools.lock` reads it. Of its
sources it holds what is needed to ask them again, and no secret: a variable by its name alone, a header with
`$NAME` in place of its secret part.
"""

import os
import re
import string
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...config import Config, load_config, show
from ...diagnostics import Diagnostic, has_errors
from ...importers.declared_tools import HINTS, Declarations, Declared, ShapeError, read_shape
from ...importers.import_tools import read_tools
from ...importers.mcp_server import ServerAddress, read_server
from ...importers.openapi.read_openapi import read_openapi
from ...importers.python_objects import read_python
from ...importers.tool_lists import Element
from ...jsonschema.json_values import JsonObject
from ...mcp.live.offered_tools import LockFinding, LockVerdict
from ...mcp.live.server_tool import LiveTool
from ...spec.tool_spec import SourceKind
from .compare_states import compare_states, diff_profiles
from .outcome import Choice, DiffFinding, DiffOutcome, Version
from .states import State, UnreadableStateError, listed_state, unreadable

MAX_BYTES: Final = 256 * 1024 * 1024
_FORMAT: Final = 1
_OBJECT: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_SECRET: Final = re.compile(r"auth|cookie|token|secret|key|password|session", re.IGNORECASE)
_HINT_OF: Final = {name: hint for hint, name in HINTS.items()}
_encode: Final = msgspec.json.Encoder(order="sorted").encode


class Source(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Names where tools come from.

    Attributes:
        kind: as `toolcast import` calls it.
        words: a command with its arguments; else one address, file or `MODULE:NAME`.
        env: variables for a command: `NAME`, taken from the environment, or `NAME=VALUE`.
        headers: headers for an address; `$NAME` in a value is taken from the environment.
        version: version of the set, changed with each lock by what changed.
        tools: how many tools it has.
        digest: SHA-256 over the digests of its tools.
    """

    kind: SourceKind
    words: tuple[str, ...]
    env: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    version: str = "1.0.0"
    tools: int = 0
    digest: str = ""


class Accepted(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change that a person accepted, and why."""

    source: str
    tool: str
    message: str
    reason: str


class LockedTool(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One tool as MCP lists it, with its source and the SHA-256 of all other members."""

    source: str
    name: str
    description: str
    inputSchema: Any  # noqa: N815 - MCP's name
    outputSchema: Any = None  # noqa: N815
    annotations: JsonObject = {}
    digest: str = ""

    @classmethod
    def of(cls, tool: Declared, source: str) -> "LockedTool":
        """Return a declaration in this form, whatever it was read from. Raises ShapeError."""
        hints = {_HINT_OF.get(name, name): value for name, value in tool.annotations.items()}
        if tool.read_only is not None:
            hints["readOnlyHint"] = tool.read_only
        found = cls(
            source=source,
            name=tool.name,
            description=tool.description,
            inputSchema=tool.parameters,
            outputSchema=tool.result,
            annotations=hints,
        )
        try:
            return replace(found, digest=_digest(replace(found, source="")))
        except (UnicodeEncodeError, RecursionError):  # half a character; more levels than JSON can have
            raise ShapeError("cannot be written as JSON") from None


class Lock(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A lock file. A value: every change makes another one.

    Attributes:
        lock: version of the format.
        sources: by name.
        accepted: by fingerprint.
        tools: of all sources, sorted by source and name.
    """

    lock: int = _FORMAT
    sources: Mapping[str, Source] = {}
    accepted: Mapping[str, Accepted] = {}
    tools: tuple[LockedTool, ...] = ()

    def of(self, source: str) -> tuple[LockedTool, ...]:
        """Return the tools of a source."""
        return tuple(each for each in self.tools if each.source == source)

    def with_source(self, name: str, source: Source, tools: Sequence[LockedTool]) -> "Lock":
        """Return the lock with a source as it is now; what was accepted of its changes is part of that."""
        digest = _digest([each.digest for each in tools])
        kept = [each for each in self.tools if each.source != name]
        return replace(
            self,
            sources={**self.sources, name: replace(source, digest=digest, tools=len(tools))},
            accepted={key: each for key, each in self.accepted.items() if each.source != name},
            tools=tuple(sorted([*kept, *tools], key=lambda each: (each.source, each.name))),
        )

    def written(self) -> bytes:
        """Return the bytes of the file; properties of schemas stay in their order, which models read."""
        lock = replace(self, sources=dict(sorted(self.sources.items())))
        return msgspec.json.format(msgspec.json.encode(lock), indent=2) + b"\n"


def read_lock(file: Path, shown_file: str) -> Lock:
    """Read a lock; an empty one where there is no file. Raises UnreadableStateError."""

    def unfit(message: str, hint: str = "restore it, or delete it and lock anew") -> UnreadableStateError:
        return unreadable(shown_file, "lock-unreadable", message, hint)

    try:
        with file.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return Lock()
    except OSError as error:
        raise unfit(f"cannot be read: {error.strerror}") from None
    if len(raw) > MAX_BYTES:
        raise unfit(f"is larger than {MAX_BYTES // 2**20} MiB")
    try:
        lock = msgspec.json.decode(raw, type=Lock)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        words = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        if raw.lstrip().startswith(b"<<<<<<<"):
            words = "it has conflict markers of git"
        raise unfit(f"holds no lock: {words}") from None
    if lock.lock != _FORMAT:
        message = f"has format {lock.lock}, and this toolcast reads {_FORMAT}"
        raise unreadable(
            shown_file, "lock-unreadable", message, "use the toolcast that wrote it, or lock anew"
        )
    return lock


def kind_of_source(words: Sequence[str]) -> SourceKind:
    """Return what a source is: an address or file of OpenAPI, a list of tools, `MODULE:NAME`, else an MCP
    server, by its address or command.
    """
    word = words[0]
    is_url = word.startswith(("http://", "https://"))
    if len(words) > 1 or (is_url and not word.endswith((".json", ".yaml", ".yml"))):
        return "mcp"
    if is_url or word.endswith((".yaml", ".yml")):
        return "openapi"
    file = Path(word)
    if file.is_file() and not os.access(file, os.X_OK):
        with file.open("rb") as stream:
            start = stream.read(4096)
        return "openapi" if re.search(rb'"(?:openapi|swagger)"\s*:', start) else "tools"
    return "python" if _OBJECT.fullmatch(word) else "mcp"


def stated_secret(source: Source) -> str | None:
    """Return the name of a variable or header whose value must not be written to a file; None without one."""
    for stated, mark in ((source.env, "="), (source.headers, ":")):
        for each in stated:
            name, found, value = each.partition(mark)
            if found and "$" not in value and _SECRET.search(name):
                return name
    return None


def ask(source: Source, label: str, seconds: float) -> Declarations:
    """Ask a source for its tools, as `toolcast import` does: a command runs, an address is asked, a module is
    imported in a process of its own. What is wrong is among the diagnostics.

    Raises McpMissingError: MCP's SDK is not installed. KeyError: a variable is not set.
    """
    if source.kind == "mcp":
        is_url = source.words[0].startswith(("http://", "https://"))
        headers = [each.partition(":") for each in source.headers]
        env = [each.partition("=") for each in source.env]
        address = ServerAddress(
            command=() if is_url else source.words,
            url=source.words[0] if is_url else "",
            env={name: value if found else os.environ[name] for name, found, value in env},
            headers={name.strip(): _filled(value.strip()) for name, _, value in headers},
            seconds=seconds,
        )
        return read_server(address, label=label)
    if source.kind == "openapi":
        return read_openapi(source.words[0])
    if source.kind == "python":
        return read_python(source.words, timeout=seconds)[0]
    return read_tools([Path(source.words[0])])


def _filled(value: str) -> str:
    return string.Template(value).substitute(os.environ)


def locked_state(tools: Sequence[LockedTool], label: str, problems: Sequence[Diagnostic] = ()) -> State:
    """Return tools as a side of a comparison."""
    declared: list[Declared] = []
    wrong = list(problems)
    for each in tools:
        element = Element(file=label, line=0, location=f"tool {each.name!r}", data=_listed(each))
        try:
            declared.append(read_shape(element))
        except ShapeError as error:
            message = f"tool {each.name!r} {error}"
            wrong.append(Diagnostic(file=label, code="import-shape", message=message))
    names = frozenset(each.name for each in tools)
    listed = Declarations(tools=tuple(declared), diagnostics=tuple(wrong), label=label, present=names)
    return listed_state(listed, label, frozenset())


class SourceNow(Struct, frozen=True):
    """A source as it is now; `problems` are about tools that it does not have in a form that can be used."""

    name: str
    source: Source
    tools: tuple[LockedTool, ...]
    problems: tuple[Diagnostic, ...] = ()
    refused: frozenset[str] = frozenset()


def compare_source(config: Config, lock: Lock, now: SourceNow, shown_file: str) -> DiffOutcome:
    """Compare a source with the lock. What is wrong with tools that are not locked is no error here."""
    before = lock.of(now.name)
    same = {(each.name, each.digest) for each in before} & {(each.name, each.digest) for each in now.tools}
    names = tuple(sorted(name for name, _ in same))
    old = locked_state([each for each in before if each.name not in names], shown_file)
    locked = {each.name for each in before} | old.tools.keys() | old.refused  # also by the names of specs
    new = locked_state([each for each in now.tools if each.name not in names], now.name, now.problems)
    wrong = tuple(each for each in old.diagnostics if each.severity == "error")
    refused = new.refused | now.refused
    problems = new.diagnostics
    if refused.isdisjoint(locked):
        problems = tuple(replace(each, severity="warning") for each in problems)
    states = (
        replace(old, unchanged=names, diagnostics=wrong),
        replace(new, unchanged=names, refused=refused, diagnostics=problems),
    )
    reasons = {key: each.reason for key, each in lock.accepted.items() if each.source == now.name}
    profiles, _ = diff_profiles(config, ("mcp",))
    choice = Choice(today=date.today(), audiences=("calls", "results", "model", "trust"), accepted=reasons)
    return compare_states(config, profiles, states, choice)


def _listed(tool: LockedTool) -> JsonObject:
    """Return a tool as MCP lists it."""
    data = msgspec.to_builtins(tool, builtin_types=())
    return {key: value for key, value in data.items() if key not in ("source", "digest")}


def next_version(version: str, change: Version) -> str:
    """Return a version after a change of it, as Semantic Versioning has it."""
    numbers = [int(each) for each in version.split(".")]
    major, minor, patch = numbers
    if change == "major":
        return f"{major + 1}.0.0"
    if change == "minor":
        return f"{major}.{minor + 1}.0"
    return f"{major}.{minor}.{patch + (change == 'patch')}"


def accept(lock: Lock, source: str, findings: Sequence[DiffFinding], reason: str) -> Lock:
    """Return the lock with some findings about a source accepted."""
    more = {
        each.change.fingerprint: Accepted(
            source=source, tool=each.change.tool, message=each.change.message, reason=reason
        )
        for each in findings
    }
    return replace(lock, accepted={**lock.accepted, **more})


def _digest(value: object) -> str:
    return sha256(_encode(value)).hexdigest()


class LockError(ValueError):
    """A lock that cannot be read, or has no tools of the server; nothing is approved by it."""


class ServerLock:
    """The tools of one source of a lock, for `mcp_tools(lock=…)`. Needs `toolcast[build]`."""

    def __init__(self, lock: Lock, source: str, config: Config) -> None:
        """Made by `read`.

        Args:
            lock: the lock.
            source: the server's name in it.
            config: the levels and accepted changes of a project.
        """
        self._lock = lock
        self._source = source
        self._config = config
        self._tools = {each.name: each for each in lock.of(source)}
        self._verdicts: dict[str, tuple[str, LockVerdict]] = {}  # with the digest that was judged

    @classmethod
    def read(cls, file: str | Path, source: str = "") -> "ServerLock":
        """Read a lock that `toolcast lock` wrote. Levels and accepted changes of the project that it lies in
        count, as they do for `toolcast lock --check`.

        Args:
            file: path of the lock.
            source: the server's name in the lock; not needed where the lock has one source.

        Returns:
            The locked tools of the server.

        Raises:
            LockError: the file is missing or no lock, or has no such source.
        """
        path = Path(file)
        config, problems = load_config(path.absolute().parent)
        try:
            lock = read_lock(path, show(path))
        except UnreadableStateError as error:
            lock, problems = Lock(), (error.problem,)
        if config is None or has_errors(problems):
            raise LockError("; ".join(f"{each.file}: {each.message}" for each in problems))
        if not source and len(lock.sources) == 1:
            (source,) = lock.sources
        if source not in lock.sources:
            known = ", ".join(map(repr, sorted(lock.sources))) or "none: run `toolcast lock`"
            raise LockError(f"{show(path)}: has no source {source!r}; there are: {known}")
        return cls(lock, source, config)

    @property
    def names(self) -> Collection[str]:
        """The server's names of the locked tools."""
        return self._tools.keys()

    def judge(self, tool: LiveTool) -> LockVerdict:
        """Compare a listed tool with its locked form.

        It is offered as it was locked where no change breaks its calls or results, as it is now where a
        person accepted every change, and otherwise not.

        Args:
            tool: the tool, as its server lists it.

        Returns:
            What to offer, or why nothing; and the differences.
        """
        locked = self._tools.get(tool.name)
        if locked is None:
            return LockVerdict(reason="it is new: the lock does not have it")
        element = Element(file=self._source, line=0, location=f"tool {tool.name!r}", data=tool.raw)
        try:
            now = LockedTool.of(read_shape(element), self._source)
        except ShapeError as error:
            return LockVerdict(reason=f"it {error}")
        digest, verdict = self._verdicts.get(tool.name, ("", LockVerdict()))
        if digest != now.digest:
            verdict = self._compared(locked, now)
            self._verdicts[tool.name] = now.digest, verdict
        return verdict

    def _compared(self, locked: LockedTool, now: LockedTool) -> LockVerdict:
        lock = replace(self._lock, tools=(locked,))
        source = self._lock.sources[self._source]
        outcome = compare_source(self._config, lock, SourceNow(self._source, source, (now,)), "the lock")
        findings = tuple(_published(each) for each in outcome.findings)
        if outcome.suppressed and not outcome.findings:
            return LockVerdict(definition=_listed(now))
        # Where a broken call was accepted, and other words were not, neither form can be offered.
        # Models read the reason, so it has no words of the server.
        rules = {each.change.rule for each in (*outcome.findings, *outcome.suppressed) if _breaks(each)}
        if rules:
            reason = f"it changed since it was locked: {', '.join(sorted(rules))}"
            return LockVerdict(reason=reason, findings=findings)
        return LockVerdict(definition=_listed(locked), findings=findings)


def _breaks(found: DiffFinding) -> bool:
    """Tell whether locked calls may be refused, results may be others than promised, or more is allowed."""
    change = found.change
    wider = change.audience == "results" and found.level == "warning"
    return found.level == "error" or change.undecided or wider


def _published(found: DiffFinding) -> LockFinding:
    change = found.change
    return LockFinding(
        rule=change.rule,
        audience=change.audience,
        level=found.level,
        message=change.message,
        fingerprint=change.fingerprint,
        witness=None if change.witness is None else change.witness.value,
    )
