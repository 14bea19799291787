"""Asks a provider's API whether it takes what its profile says: each vector of a rule is one request.

A key is in the headers of requests and in the redactor, and nowhere else: what a server answers is searched
for it before anything is cut, kept or shown.
"""

import asyncio
import hashlib
import random
import re
import time
import tomllib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..console import cut
from ..hidden_characters import without_hidden
from ..http.client import EncodingError, HttpAnswer, OversizedError, UnreachableError, send
from ..http.http_request import HttpRequest
from ..jsonschema.json_values import JsonObject
from ..jsonschema.pointers import resolve
from ..providers import (
    Normalized,
    ProbeRules,
    Profile,
    ToolInfo,
    available,
    load_profile,
    tool_object,
)
from ..providers.rule_vectors import Vector
from ..replace_file import replace_file
from ..runtime.bounded_json import UnreadableJSONError, read_json
from ..runtime.middleware.secrets.redactor import Redactor
from ..toml_tables import find_place

MOST_REQUESTS: Final = 1_000
MOST_DOLLARS: Final = 1.0
MOST_TOKENS: Final = 400_000  # read and written, where no price is known
_SECONDS: Final = 60.0  # for one answer
_WHOLE: Final = 1_800.0  # for all of them, with waits
_BYTES: Final = 256 * 1024  # of one answer
_WORDS: Final = 2_000  # characters of an answer that are kept
_TRIES: Final = 4
_LONGEST: Final = 120.0  # seconds that a server may ask to wait
_PATIENCE: Final = 5  # requests in a row that decide nothing
_KEPT: Final = timedelta(days=1)  # an answer counts so long
_STATE: Final = 8 * 1024 * 1024
_WAITING: Final = (429, 503, 529)
_URL: Final = re.compile(r"(https?)://([A-Za-z0-9.-]{1,253}|\[::1\])(:\d{1,5})?(/[\w./-]*)?", re.ASCII)
_LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
_MOST_WRITTEN: Final = r'"(?:max_?(?:completion_|output_)?[tT]okens|maxOutputTokens|num_predict)":(\d+)'
_KEY: Final = re.compile(r"[\x21-\x7e]{8,4096}")

Outcome = Literal["accepted", "refused", "undecided"]
Verdict = Literal["agreed", "contradicted", "undecided", "found"]


class ProbeError(Exception):
    """A reason why no request, or no further one, is made, with a remedy. Holds no key."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class Answer(Struct, frozen=True, kw_only=True):
    """The outcome of a request; `text` is what the server said, `asked` the time in UTC."""

    outcome: Outcome
    status: int
    text: str
    asked: str


class Question(Struct, frozen=True, kw_only=True):
    """One request of a vector. `expected` is None where the profile does not know."""

    vector: Vector
    expected: Outcome | None
    body: bytes
    digest: str


class Finding(Struct, frozen=True, kw_only=True):
    """The verdict on a vector, with its requests and their answers. `found`: the profile does not know what
    was answered."""

    vector: Vector
    verdict: Verdict
    answers: tuple[tuple[Question, Answer], ...]


class Target:
    """The API that is asked, with the key. It has no representation that could show one."""

    def __init__(self, profile: Profile, rules: ProbeRules, model: str, server: str) -> None:
        self.profile, self.rules, self.model, self.server = profile, rules, model, server
        self.path = rules.path.replace("$model", quote(model, safe=""))
        self.headers: tuple[tuple[str, str], ...] = tuple(rules.headers.items())
        self.redactor = Redactor()

    def set_key(self, key: str) -> None:
        """Send `key`, and search for it in all that comes back. Raises ProbeError, without it."""
        if not _KEY.fullmatch(key):
            hint = "a key has 8 to 4096 characters of ASCII, without spaces"
            raise ProbeError("the key cannot be sent in a header", hint)
        self.redactor.add(self.rules.key, key)
        self.headers = tuple((name, value.replace("$key", key)) for name, value in self.headers)


def target_of(
    profile: Profile, model: str, base_url: str, environment: Mapping[str, str], *, built_in: bool
) -> Target:
    """Return the API of a provider; no key is set yet. Raises ProbeError where there is none to be asked."""
    rules = profile.probe
    if rules is None:
        able = ", ".join(id for id in available() if load_profile(id).probe is not None)
        hint = f"probe one that has: {able}; or state [probe] in a profile of your own"
        raise ProbeError(f"{profile.id!r} has no HTTP API that takes tool objects", hint)
    if not (model or rules.model):
        raise ProbeError("no model is known", "name one with --model")
    if not built_in and not base_url and (foreign := _foreign(rules)):
        raise ProbeError(f"{foreign} is not for {rules.server}", "name the server with --base-url, if it is")
    server = base_url or _with_variables(rules.server, environment)
    url = _URL.fullmatch(server)
    if url is None or (url[1] == "http" and url[2] not in _LOOPBACK):
        hint = "correct --base-url, or `server` of the profile"
        raise ProbeError("the server is no address of https, or of this machine", hint)
    return Target(profile, rules, model or rules.model, server.rstrip("/"))


def _foreign(rules: ProbeRules) -> str:
    """Return the variable that a profile of a project must not have sent to where it says: a key of another
    provider, and what would be part of a host."""
    probes = [probe for id in available() if (probe := load_profile(id).probe)]
    if any((each.server, each.key) == (rules.server, rules.key) for each in probes):
        return ""
    variables = re.findall(r"\$[A-Z0-9_]+", rules.server)
    keys = [f"${each.key}" for each in probes if each.key and each.key == rules.key]
    return next(iter((*variables, *keys)), "")


def _with_variables(server: str, environment: Mapping[str, str]) -> str:
    def fill(found: re.Match[str]) -> str:
        value = environment.get(found[1], "")
        if not value:
            raise ProbeError(f"${found[1]} is not set", "set it, or name the server with --base-url")
        if found[0] != server and not re.fullmatch(r"[A-Za-z0-9-]{1,63}", value):
            raise ProbeError(f"${found[1]} is no part of a host", "correct it")
        return value

    return re.sub(r"\$([A-Z][A-Z0-9_]*)", fill, server)


def questions_of(target: Target, vectors: Sequence[Vector]) -> tuple[Question, ...]:
    """Return the requests of vectors, that of the plainest tool first: where it is refused, no other answer
    tells anything. Equal ones have one digest, and are sent once.
    """
    plainest_first = sorted(vectors, key=lambda vector: vector.rule != "envelope")
    return tuple(question for vector in plainest_first for question in _questions(target, vector))


def _questions(target: Target, vector: Vector) -> Iterator[Question]:
    profile = replace(target.profile, omit_empty_parameters=False)
    strict = None if profile.strict is None else vector.rule.startswith("strict.")
    differs: Outcome | None = None if vector.status == "unknown" else "accepted"

    def one(schema: JsonObject, name: str = "look", about: str = "Look at a thing.") -> JsonObject:
        sent = Normalized(schema=schema, strict=strict, ledger=())
        return tool_object(ToolInfo(name=name, description=about), profile, sent)

    schemas: list[tuple[JsonObject | None, Outcome | None]] = [
        (vector.accepts, "accepted"), (vector.refuses, "refused"), (vector.differs, differs),
        (vector.sent, "accepted"),
    ]  # fmt: skip
    sides: list[tuple[list[JsonObject], Outcome | None]] = []
    for schema, wanted in schemas:
        if schema is not None:
            sides.append(([one(schema)], wanted))
    if vector.tool is not None:
        sides.append(([vector.tool], "accepted"))
    if isinstance(vector.most, int) and vector.counts in ("tools", "name-length", "description-length"):
        more: Outcome | None = "refused" if vector.status == "refused" else differs
        sizes: list[tuple[int, Outcome | None]] = [(vector.most, "accepted"), (vector.most + 1, more)]
        for size, wanted in sizes:
            many = size if vector.counts == "tools" else 1
            long = {vector.counts.removesuffix("-length"): "a" * size}
            names = [long.get("name", f"look_{index}") for index in range(many)]
            about = long.get("description", "Look at a thing.")
            sides.append(([one(_TEXT, name, about) for name in names], wanted))
    for tools, wanted in sides:
        members = _filled(target.rules.body, {"$model": [target.model], "$tool": tools})
        body = msgspec.json.encode({**members, **profile.request.strict})
        digest = hashlib.sha256(f"{target.server}{target.path}\n".encode() + body).hexdigest()
        yield Question(vector=vector, expected=wanted, body=body, digest=digest)


_TEXT: Final[JsonObject] = {
    "type": "object", "properties": {"v": {"type": "string"}}, "required": ["v"],
    "additionalProperties": False,
}  # fmt: skip


def _filled(template: Any, values: Mapping[str, list[Any]]) -> Any:
    """Fill a template; in a list, all values of a placeholder take its place."""
    if isinstance(template, dict):
        return {key: _filled(item, values) for key, item in template.items()}
    if isinstance(template, list):
        return [each for item in template for each in (_named(item, values) or [_filled(item, values)])]
    return (_named(template, values) or [template])[0]


def _named(item: object, values: Mapping[str, list[Any]]) -> list[Any] | None:
    return values.get(item) if isinstance(item, str) else None


def cost_of(target: Target, questions: Sequence[Question]) -> tuple[int, int, float | None]:
    """Return upper bounds: tokens read, tokens written, and dollars where the price of the model is known. A
    token has at least one byte, and what a provider adds around tools is at most 1,000 tokens. Raises
    ProbeError for a body of a profile that does not bound what is written.
    """
    most = re.findall(_MOST_WRITTEN, msgspec.json.encode(target.rules.body).decode())
    if not most:
        hint = "write the least that the API takes into `body` of [probe], such as max_tokens = 1"
        raise ProbeError("requests would not bound what a model writes", hint)
    written = len(questions) * max(map(int, most))
    read = sum(len(each.body) + 1_000 for each in questions)
    price = target.rules.price if target.model == target.rules.model else ()
    return read, written, (read * price[0] + written * price[1]) / 1e6 if price else None


class Answers:
    """The answers so far, in a file that is replaced after each one: a run that ends goes on where it was."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[str, Answer] = {}
        try:
            if path.is_file() and path.stat().st_size <= _STATE:
                self._kept = msgspec.json.decode(path.read_bytes(), type=dict[str, Answer])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            self._kept = {}  # what is no state of ours is asked again, and replaced
        since = (datetime.now(UTC) - _KEPT).isoformat()
        self._kept = {digest: each for digest, each in self._kept.items() if each.asked >= since}

    def get(self, digest: str) -> Answer | None:
        """Return the answer to a request, if it has one."""
        return self._kept.get(digest)

    def add(self, digest: str, answer: Answer) -> None:
        """Keep an answer; in the file, if it decides something. Raises OSError."""
        self._kept[digest] = answer
        self._path.parent.mkdir(parents=True, exist_ok=True)
        decided = {key: each for key, each in self._kept.items() if each.outcome != "undecided"}
        replace_file(self._path, msgspec.json.encode(decided), follow=False)


class Prober:
    """Sends requests one after the other, within the provider's rate and the bounds above."""

    def __init__(
        self,
        target: Target,
        client: Any = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`client` is an `httpx.AsyncClient`; None for one of each request."""
        self._target, self._client, self._sleep, self._clock = target, client, sleep, clock
        self._about = re.compile(target.rules.about)
        self._passed = re.compile(target.rules.passed or r"\Z.")

    async def ask(
        self, questions: Sequence[Question], answers: Answers, progress: Callable[[int, int], None]
    ) -> None:
        """Ask what has no answer yet. Raises ProbeError where the provider will answer nothing else, OSError,
        and HttpxMissingError.
        """
        end = self._clock() + _WHOLE
        left: dict[str, Question] = {}
        for each in questions:
            if answers.get(each.digest) is None:
                left.setdefault(each.digest, each)
        nothing = 0
        for index, question in enumerate(left.values()):
            progress(index, len(left))
            answer = await self._answer(question, end)
            if question.vector.rule == "envelope" and answer.outcome == "refused":
                hint = "name another model with --model"
                raise ProbeError(
                    f"the plainest tool is refused, so nothing follows: {cut(answer.text, 300)}", hint
                )
            answers.add(question.digest, answer)
            nothing = nothing + 1 if answer.outcome == "undecided" else 0
            if nothing == _PATIENCE and index + 1 < len(left):
                raise ProbeError(
                    f"{nothing} answers in a row decide nothing; the last: {cut(answer.text, 300)}", _LATER
                )

    async def _answer(self, question: Question, end: float) -> Answer:
        target = self._target
        request = HttpRequest(
            method="POST", path=target.path, headers=target.headers, content=question.body,
            media_type="application/json",
        )  # fmt: skip
        for attempt in range(1, _TRIES + 1):
            if self._clock() > end:
                raise ProbeError(f"the run has taken more than {_WHOLE:.0f} seconds", _LATER)
            try:
                answer = await send(self._client, target.server, request, _SECONDS, _BYTES)
            except (TimeoutError, UnreachableError, OversizedError, EncodingError) as problem:
                if isinstance(problem, UnreachableError) and not problem.sent and attempt < _TRIES:
                    await self._sleep(_backoff(attempt))
                    continue
                kind = problem.kind if isinstance(problem, UnreachableError) else type(problem).__name__
                return _undecided(0, f"no answer that could be read: {kind}")
            if answer.status not in _WAITING or attempt == _TRIES:
                return self._judged(answer)
            await self._sleep(_wait(answer, attempt))
        raise AssertionError("the last attempt returns")

    def _judged(self, answer: HttpAnswer) -> Answer:
        """Return what an answer means. Raises ProbeError for one that all requests would get."""
        status, rules = answer.status, self._target.rules
        if answer.location:
            raise ProbeError(
                "the server redirects to another one, which gets no key", "name the server with --base-url"
            )
        if status in _ENDING:
            raise ProbeError(f"the server answered {status}: {_ENDING[status][0]}", _ENDING[status][1])
        try:
            data = read_json(answer.content)
            texts = [found for found in (_at(data, pointer) for pointer in rules.errors) if found]
            taken = 200 <= status < 300 and _at(data, rules.taken) is not None
        except (UnreadableJSONError, RecursionError):
            return _undecided(status, f"{status}, and no JSON")
        text = self._target.redactor.text("\n".join(texts))
        text = without_hidden(text)[:_WORDS]
        if taken or self._passed.search(text):
            return replace(_undecided(status, text), outcome="accepted")
        if status in rules.statuses and self._about.search(text):
            return replace(_undecided(status, text), outcome="refused")
        return _undecided(status, f"{status}: {text or 'no text where one was expected'}")


_LATER: Final = "run the command again: it goes on from here"
_ENDING: Final = {
    401: ("the key is missing or not valid", "set another key"),
    402: ("the account has no credit", "add some, and run the command again"),
    403: ("the key does not allow this", "use a key that may call the model"),
    404: (
        "there is no such model or path",
        "name another model with --model, or another server with --base-url",
    ),
    407: ("a proxy wants to know who asks", "correct the settings of the proxy"),
}


def _undecided(status: int, text: str) -> Answer:
    return Answer(outcome="undecided", status=status, text=text, asked=datetime.now(UTC).isoformat())


def _at(data: object, pointer: str) -> str | None:
    """Return what stands at a pointer, as text; None for nothing."""
    try:
        found = resolve(data, pointer)
    except LookupError:
        return None
    return found if isinstance(found, str) or found is None else msgspec.json.encode(found).decode()


def _backoff(attempt: int) -> float:
    return float(2**attempt) * (1 + random.random())  # not all clients come back at once


def _wait(answer: HttpAnswer, attempt: int) -> float:
    """Return the seconds after which a server wants to be asked again. Raises ProbeError for too many."""
    stated = answer.headers.get("retry-after", "")[:60]
    seconds = _backoff(attempt)
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", stated):
        seconds = max(float(stated), 1) + random.random()
    elif stated:
        try:
            seconds = max((parsedate_to_datetime(stated) - datetime.now(UTC)).total_seconds(), 1)
        except (TypeError, ValueError, OverflowError):
            seconds = _backoff(attempt)
    if seconds > _LONGEST:
        raise ProbeError(f"the provider asks to wait {seconds:.0f} seconds", _LATER)
    return seconds


def findings_of(questions: Sequence[Question], answers: Answers) -> tuple[Finding, ...]:
    """Return the verdict on each vector that has requests."""
    by_vector: dict[str, list[tuple[Question, Answer]]] = {}
    for each in questions:
        answer = answers.get(each.digest) or _undecided(0, "not asked")
        by_vector.setdefault(each.vector.id, []).append((each, answer))
    return tuple(
        Finding(vector=pairs[0][0].vector, verdict=_verdict(pairs), answers=tuple(pairs))
        for pairs in by_vector.values()
    )


def _verdict(pairs: Sequence[tuple[Question, Answer]]) -> Verdict:
    outcomes = [(question.expected, answer.outcome) for question, answer in pairs]
    if any(wanted is not None and got not in (wanted, "undecided") for wanted, got in outcomes):
        return "contradicted"
    if any(got == "undecided" for _, got in outcomes):
        return "undecided"
    return "found" if any(wanted is None for wanted, _ in outcomes) else "agreed"


def place_of(vector: Vector, texts: Sequence[tuple[Path, str]]) -> tuple[Path, int]:
    """Return the file and line of the rule that a vector is about; `texts` are those of the profile and its
    bases (`profile_texts`). Where none is found, it is the line of the table, or the id, in the profile.
    """
    table, _, name = vector.rule.partition(".")
    tables = ["strict", "dialect"] if table == "strict" else [table]
    order = [*tables, "rules"] if vector.status == "refused" else ["rules", *tables]  # evidence states it
    own = rf'\s*{re.escape(name)}\s*=|[^#]*"({re.escape(name)}|{re.escape(vector.rule)})"'
    stated = re.compile(own if name else rf"\[{table}\]")
    for path, text in texts:
        within, found = "", dict[str, int]()
        for number, line in enumerate(text.splitlines(), 1):
            within = line.strip("[] ") if line.startswith("[") else within
            if within in order and stated.match(line):
                found.setdefault(within, number)
        if found:
            return path, found[min(found, key=order.index)]
    path, text = texts[0]
    return path, find_place(text, (table, name))[0] or find_place(text, ("id",))[0]


def renewed(text: str, findings: Sequence[Finding], today: str, *, whole: bool) -> str:
    """Return the text of a profile with the date and confidence of each entry of `rules` whose rules were
    all agreed with, where it states them; with `whole`, also those that are about all rules, if none was
    contradicted or left undecided. Nothing else changes. Raises ProbeError where the text is written so that
    this is not certain.
    """
    agreed = {each.vector.rule for each in findings if each.verdict == "agreed"}
    agreed -= {each.vector.rule for each in findings if each.verdict != "agreed"}
    whole = whole and all(each.verdict in ("agreed", "found") for each in findings)
    wanted = tomllib.loads(text)
    places: list[tuple[tuple[str | int, ...], JsonObject]] = [((), wanted)] if whole else []
    for index, entry in enumerate(wanted.get("rules", ())):
        names = entry.get("names", ())
        if agreed.issuperset(names) if names else whole:
            places.append((("rules", index), entry))
    lines = text.splitlines(keepends=True)
    for place, table in places:
        for key in ("dated", "confidence") if place else ("dated",):
            if key in table:
                table[key] = today if key == "dated" else "probed"
                line, column = find_place(text, (*place, key))
                head, rest = lines[line - 1][: column - 1], lines[line - 1][column - 1 :]
                value = rf'\g<1>"{table[key]}"'
                lines[line - 1] = head + re.sub(r'(=\s*)(?:"[^"]*"|\'[^\']*\')', value, rest, count=1)
    if tomllib.loads("".join(lines)) != wanted:
        raise ProbeError("the profile is not written as dates can be set in it", "set them by hand")
    return "".join(lines)
