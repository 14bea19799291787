"""An OpenAPI document: read from a file or over HTTP, positions of its values, and targets of references.

A download is bounded in size and time. A position is found when it is asked for, by skipping values beside
its path: a fraction of a second in 13 MB, where positions of all values would take a minute. A `$ref` leads
nowhere outside of a document.
"""

import html
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import lru_cache, partial
from http.client import HTTPMessage
from pathlib import Path as FilePath
from typing import IO, Any, Final, Literal, Protocol
from urllib.parse import unquote, urlsplit, urlunsplit

from msgspec import Struct

from ...diagnostics import Diagnostic
from ...jsonschema.json_values import JsonObject
from ...jsonschema.pointers import child
from ...jsonschema.pointers import split as split_pointer
from ...spec.json_reader import parse_json
from ...spec.parsed_document import Lines, Path, locate
from ...spec.read_file import decode
from ...spec.spec_checker import Limits, Problem, RefusedError, quoted
from ...spec.yaml_reader import read_yaml


class UnreadableError(Exception):
    """A part of the document, at `path`, that cannot become a tool, or a part of one."""

    def __init__(self, path: Path, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.path = path
        self.code = code
        self.message = message
        self.hint = hint


_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_Entry = tuple[int, int]
"""Offsets of a member's key and of its value; of an item, its own twice."""


class JsonPositions:
    """Positions in a text that was parsed before: it is JSON, and not nested too deeply."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = Lines(text)
        self._entries: dict[int, dict[str | int, _Entry]] = {}

    def locate(self, path: Path, *, key: bool = False) -> tuple[int, int]:
        """Return line and column (from 1) of the value at `path`, or of its key; of the nearest parent if
        absent.
        """
        entry = (self._skip(0),) * 2
        for step in path:
            found = self._below(entry[1]).get(step)
            if found is None:
                break
            entry = found
        return self._lines.position(entry[0] if key else entry[1])

    def _below(self, offset: int) -> dict[str | int, _Entry]:
        known = self._entries.get(offset)
        if known is None:
            kind = self._text[offset : offset + 1]
            pairs = self._members(offset) if kind == "{" else self._items(offset) if kind == "[" else ()
            known = self._entries[offset] = dict(pairs)
        return known

    def _members(self, offset: int) -> Iterator[tuple[str | int, _Entry]]:
        at = self._skip(offset + 1)
        while self._text[at] != "}":
            name, after = _DECODER.raw_decode(self._text, at)
            value = self._skip(self._skip(after) + 1)
            yield name, (at, value)
            at = self._past(value)

    def _items(self, offset: int) -> Iterator[tuple[str | int, _Entry]]:
        at, index = self._skip(offset + 1), 0
        while self._text[at] != "]":
            yield index, (at, at)
            at, index = self._past(at), index + 1

    def _past(self, value: int) -> int:
        _, after = _DECODER.raw_decode(self._text, value)
        at = self._skip(after)
        return self._skip(at + 1) if self._text[at] == "," else at

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return found.end() if found else at


_SECONDS: Final = 60.0
_IDLE_SECONDS: Final = 15.0
_PIECE: Final = 65_536


class DownloadError(Exception):
    """An unreadable address; the message completes "cannot be downloaded: …"."""


class _Downloaded(Struct, frozen=True):
    content: bytes
    address: str


def without_credentials(address: str) -> str:
    """Return `address` without user, password, query and fragment."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def download(address: str, limit: int) -> _Downloaded:
    """Read at most `limit` bytes of an address over HTTP. Redirects are followed to HTTP only.

    Raises DownloadError: the address is malformed, has a user or password, cannot be reached, or answers with
    an error, more than `limit` bytes, or too slowly.
    """
    if "@" in urlsplit(address).netloc:
        raise DownloadError("no user and password are sent")
    until = time.monotonic() + _SECONDS
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirects(),
    ):
        opener.add_handler(handler)
    try:
        request = urllib.request.Request(
            address, headers={"Accept": "application/json, application/yaml, */*", "User-Agent": "toolcast"}
        )
        with opener.open(request, timeout=_IDLE_SECONDS) as answer:
            content = bytearray()
            while piece := answer.read(_PIECE):
                content += piece
                if len(content) > limit:
                    raise DownloadError(f"it is larger than {limit // 2**20} MiB")
                if time.monotonic() > until:
                    raise DownloadError(f"it takes longer than {_SECONDS:.0f} seconds")
            return _Downloaded(bytes(content), answer.geturl())
    except urllib.error.HTTPError as error:
        raise DownloadError(f"the server answers {error.code} {error.reason!s:.80}".rstrip()) from None
    except urllib.error.URLError as error:
        raise DownloadError(f"{error.reason!s:.200}") from None
    except (OSError, ValueError, EOFError) as error:
        raise DownloadError(f"{str(error) or type(error).__name__:.200}") from None


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to HTTP only, and never from HTTPS to HTTP."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        scheme = urlsplit(newurl).scheme.lower()
        if scheme not in ("http", "https") or (req.type == "https" and scheme == "http"):
            shown = without_credentials(newurl)
            raise DownloadError(f"it redirects to another kind of address, {shown:.100}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


_MAX_BYTES: Final = 64 * 1024 * 1024
"""Largest document, in bytes; api.github.com's has 13 MB."""
_LIMITS: Final = Limits(depth=200, values=2_000_000, lone_surrogates=True)

_Version = Literal["3.0", "3.1", "3.2"]
_VERSIONS: Final[tuple[_Version, ...]] = ("3.0", "3.1", "3.2")
_VERSION = re.compile(r"(3\.[0-2])\.\d+(?:-[0-9A-Za-z.-]{1,40})?")
_JSON = re.compile(r"\s*\{\s*[\"}]")
_WHOLE = re.compile(r"3\.[0-2]")


class _Locate(Protocol):
    def __call__(self, path: Path, *, key: bool = False) -> tuple[int, int]: ...


class OpenApiDocument(Struct, frozen=True, eq=False):
    """One OpenAPI document.

    `file` is shown in diagnostics, without credentials; `address` is where it was downloaded from, empty for
    a file. `data` are plain JSON values, where parts that YAML repeats by alias are one object. `locate`
    finds line and column (from 1) of the value or key at a path, or of its nearest parent.
    """

    file: str
    data: JsonObject
    version: _Version
    locate: _Locate
    address: str


def read_source(source: str) -> OpenApiDocument | tuple[Diagnostic, ...]:
    """Read a file, or download an address that starts with `http://` or `https://`."""
    if _scheme(source) in ("http", "https"):
        shown = without_credentials(source)
        try:
            found = download(source, _MAX_BYTES)
        except DownloadError as error:
            message = f"cannot be downloaded: {error}"
            hint = "download it yourself, and import the file"
            return (Diagnostic(file=shown, code="import-unreadable", message=message, hint=hint),)
        # The label is the address that was asked for: the target of a redirect may change any day.
        return parse_openapi(found.content, shown, address=found.address)
    shown = FilePath(source).as_posix()
    try:
        with FilePath(source).open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        message = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        hint = "name a file, or an address that starts with https://"
        return (Diagnostic(file=shown, code="import-unreadable", message=message, hint=hint),)
    return parse_openapi(content, shown)


def _scheme(source: str) -> str:
    try:
        return urlsplit(source).scheme.lower()
    except ValueError:
        return ""


def parse_openapi(
    content: bytes, file: str, *, address: str = ""
) -> OpenApiDocument | tuple[Diagnostic, ...]:
    """Parse the bytes of an OpenAPI document: JSON where they begin with `{"`, else YAML. Relative server
    addresses start at `address`.
    """
    if len(content) > _MAX_BYTES:
        message = f"is larger than {_MAX_BYTES // 2**20} MiB"
        return (Diagnostic(file=file, code="too-large", message=message, hint="split it"),)
    try:
        text = decode(content)
    except RefusedError as error:
        return (_diagnostic(file, error.problem),)
    place: _Locate | None = None
    if _JSON.match(text):
        data, problems = parse_json(text, _LIMITS)
        place = JsonPositions(text).locate
    else:
        data, root, problems = read_yaml(text, _LIMITS)
        place = None if root is None else partial(locate, root, key=False)
    if problems or place is None:
        return tuple(sorted(_diagnostic(file, problem) for problem in problems))
    problem = _version_problem(data)
    if problem is not None:
        key, message, hint = problem
        return (_diagnostic(file, Problem(*place(key), "openapi-version", message, hint)),)
    version: _Version = next(known for known in _VERSIONS if str(data["openapi"]).startswith(known))
    return OpenApiDocument(file, data, version, place, address)


def _version_problem(data: object) -> tuple[Path, str, str] | None:
    if not isinstance(data, dict):
        return (
            (),
            "is no OpenAPI document: it holds no object",
            "name a document that starts with `openapi: 3.…`",
        )
    if "openapi" not in data and "swagger" in data:
        hint = "convert it to OpenAPI 3, for example with `npx swagger2openapi`, and import the result"
        return ("swagger",), f"is a Swagger {data['swagger']!s:.20} document, not OpenAPI 3", hint
    if "openapi" not in data:
        hint = "name a document that starts with `openapi: 3.…`"
        return (), "is no OpenAPI document: it has no key `openapi`", hint
    named = data["openapi"]
    # YAML without quotes makes a number of `3.0` and `3.1`; patch versions are text.
    text = str(named) if isinstance(named, str | float) and not isinstance(named, bool) else ""
    if not _VERSION.fullmatch(text) and not _WHOLE.fullmatch(text):
        hint = "convert it to one of these versions"
        return (
            ("openapi",),
            f"has the OpenAPI version {quoted(str(named))}; 3.0, 3.1 and 3.2 can be read",
            hint,
        )
    return None


def _diagnostic(file: str, problem: Problem) -> Diagnostic:
    return Diagnostic(
        file=file,
        line=problem.line,
        column=problem.column,
        code=problem.code,
        message=problem.message,
        hint=problem.hint,
    )


_MAX_CHAIN: Final = 32
"""Most references that lead from one to the next."""
_BUNDLE = "bundle the document first, for example with `npx @redocly/cli bundle`"


def value_at(root: Any, path: Path) -> object:
    """Return the value at a path that is there."""
    for step in path:
        root = root[step]
    return root


def target(root: JsonObject, reference: object, path: Path) -> tuple[Any, Path]:
    """Return the value that a `$ref` of the object at `path` names, and its path. Raises UnreadableError
    where it is no reference inside of the document, or leads nowhere.
    """
    at = (*path, "$ref")
    if not isinstance(reference, str):
        raise UnreadableError(at, "openapi-reference", "`$ref` must be text", "write `#/components/…`")
    own = root.get("$self")  # the document's own address, since 3.2
    if isinstance(own, str) and own and reference.startswith(f"{own}#"):
        reference = reference.removeprefix(own)
    if not reference.startswith("#/"):
        message = f"the reference {quoted(reference)} leads out of the document, and is not followed"
        raise UnreadableError(at, "openapi-external-reference", message, _BUNDLE)
    found: object = root
    steps: list[str | int] = []
    for segment in split_pointer(unquote(reference)):  # a fragment may be percent-encoded (RFC 3986, 3.5)
        steps.append(int(segment) if isinstance(found, list) and segment.isdecimal() else segment)
        try:
            found = child(found, segment)
        except LookupError:
            message = f"the reference {quoted(reference)} leads nowhere: there is no {quoted(segment)}"
            raise UnreadableError(
                at, "openapi-reference", message, "correct it, or add what it names"
            ) from None
    return found, tuple(steps)


def resolved(root: JsonObject, value: object, path: Path) -> tuple[JsonObject, Path]:
    """Return an object, or what its chain of references names, and its path. `summary` and `description`
    beside a `$ref` win.

    Raises UnreadableError: a reference is wrong, the chain has no end, or there is no object.
    """
    beside: JsonObject = {}
    for _ in range(_MAX_CHAIN):
        if not isinstance(value, dict):
            message = f"an object must stand here, not {quoted(str(value))}"
            raise UnreadableError(path, "openapi-shape", message, "correct the document")
        if "$ref" not in value:
            return ({**value, **beside} if beside else value), path
        beside = {
            **{key: value[key] for key in ("summary", "description") if isinstance(value.get(key), str)},
            **beside,
        }
        value, path = target(root, value["$ref"], path)
    message = f"references lead from one to the next without an end, or more than {_MAX_CHAIN} times"
    raise UnreadableError(path, "openapi-reference", message, "correct the document")


# Descriptions without markup: HTML tags, links, headings and emphasis go, their text and all code stays.
# Markdown is plain text by design: a parser and renderer (markdown-it-py, BeautifulSoup) would change lines,
# too. The rules are few and local, each bounded; code is left alone.

MAX_LENGTH: Final = 1_024
"""Longest description, in characters: what every provider takes."""
MORE: Final = " [...]"
_MAX_READ = 50_000

_CODE = re.compile(
    r"^(```|~~~)[^\n]*\n.*?^\1[ \t]*$|(?<!`)(`++)[^\n]{1,2000}?(?<!`)\2(?!`)", re.DOTALL | re.MULTILINE
)
_COMMENT = re.compile(r"<!--.{0,5000}?-->", re.DOTALL)
_TAGS = (
    "a abbr b blockquote br button center code dd del details div dl dt em font h1 h2 h3 h4 h5 h6 hr i iframe"
    " img ins kbd li mark ol p pre s script section small span strike strong style sub summary sup table"
    " tbody td tfoot th thead tr tt u ul var"
)
_TAG = re.compile(rf"<(/?)({'|'.join(_TAGS.split())})(?:\s[^<>]{{0,2000}})?/?>", re.IGNORECASE)
_INVISIBLE = re.compile(r"<(script|style)\b[^<>]{0,500}>.{0,5000}?</\1\s*>", re.DOTALL | re.IGNORECASE)
_BREAKS = frozenset(
    {"br", "p", "div", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "hr", "pre"}
)
_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,500})\](?:\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})?\)|\[[^\[\]\n]{0,200}\])"
)
_ADDRESS = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,2000})>")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$", re.MULTILINE)
_QUOTE = re.compile(r"^ {0,3}>[ \t]?", re.MULTILINE)
_NOTE = re.compile(r"^\[!([A-Z]{3,12})\][ \t]*\n?", re.MULTILINE)
_STRONG = re.compile(r"\*\*(?=\S)([^*\n]{1,1000})(?<=\S)\*\*")
_MARKS = re.compile("[\ue000\ue001]")
"""Characters for private use: around the number of a piece of code while the rest is read."""
_KEPT = re.compile("\ue000([0-9]+)\ue001")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")


@lru_cache(maxsize=1_024)
def plain_text(text: str) -> str:
    """Return `text` without markup. Code, and what only looks like markup, stays as it is."""
    text = _MARKS.sub("", text[:_MAX_READ].replace("\r\n", "\n").replace("\r", "\n"))
    codes: list[str] = []

    def keep(code: re.Match[str]) -> str:
        codes.append(code.group())
        return f"\ue000{len(codes) - 1}\ue001"

    plain = _plain(_CODE.sub(keep, text))
    plain = _KEPT.sub(lambda kept: codes[int(kept.group(1))], plain)
    lines = plain.split("\n")
    joined = "\n".join(line.rstrip() for line in lines)
    return re.sub(r"\n{3,}", "\n\n", joined).strip()


def shortened(text: str, limit: int = MAX_LENGTH) -> str:
    """Return `text`, or its first sentences with a mark that more followed; at most `limit` characters."""
    if len(text) <= limit:
        return text
    room = text[: limit - len(MORE) + 1]
    ends = [found.end() for found in _SENTENCE_END.finditer(room)]
    if ends and ends[-1] > limit // 4:
        return room[: ends[-1]].rstrip() + MORE
    words = room.rsplit(None, 1)
    in_a_word = len(words) == 2 and not room[-1].isspace()
    return (words[0] if in_a_word else room[:-1]).rstrip() + MORE


def _plain(text: str) -> str:
    """Return text without markup; pieces of code are marks that stay."""
    if "<" in text:
        text = _COMMENT.sub("", text)
        text = _INVISIBLE.sub("", text)
        text = _ADDRESS.sub(r"\1", text)
        text = _TAG.sub(_without_tag, text)
    if "[" in text:
        text = _LINK.sub(r"\1", _LINK.sub(r"\1", text))  # twice: an image may be the text of a link
    if ">" in text:
        text = _QUOTE.sub("", text)
    text = _NOTE.sub(lambda note: f"{note.group(1).capitalize()}: ", text)
    text = _HEADING.sub(r"\1", text)
    text = _STRONG.sub(r"\1", text)
    return html.unescape(text) if "&" in text else text


def _without_tag(tag: re.Match[str]) -> str:
    name = tag.group(2).lower()
    if name in ("code", "kbd", "tt", "var"):
        return "`"
    if name == "li":
        return "" if tag.group(1) else "\n- "
    return "\n" if name in _BREAKS else " " if name in ("td", "th") else ""
