"""The text of an OpenAPI document → its data, version and positions."""

import re
from pathlib import Path as FilePath
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from ...diagnostics import Diagnostic
from ...spec.json_reader import parse_json
from ...spec.parsed_document import Path
from ...spec.positions import Node, locate
from ...spec.read_file import decode
from ...spec.reader_problems import Limits, Problem, RefusedError, quoted
from ...spec.yaml_reader import read_yaml
from .download import DownloadError, download, without_credentials
from .json_positions import JsonPositions

MAX_BYTES: Final = 64 * 1024 * 1024
"""Largest document, in bytes; api.github.com's has 13 MB."""
LIMITS: Final = Limits(depth=200, values=2_000_000, lone_surrogates=True)

Version = Literal["3.0", "3.1", "3.2"]
VERSIONS: Final[tuple[Version, ...]] = ("3.0", "3.1", "3.2")
_VERSION = re.compile(r"(3\.[0-2])\.\d+(?:-[0-9A-Za-z.-]{1,40})?")
_JSON = re.compile(r"\s*\{\s*[\"}]")
_WHOLE = re.compile(r"3\.[0-2]")


class OpenApiDocument:
    """One OpenAPI document.

    Attributes:
        file: path or address as shown in diagnostics, without credentials.
        data: the document, plain JSON values. Parts that YAML repeats by alias are one object.
        version: of OpenAPI.
        address: where it was downloaded from; empty for a file.
    """

    def __init__(
        self,
        file: str,
        data: dict[str, Any],
        version: Version,
        positions: "JsonPositions | Node",
        address: str,
    ) -> None:
        self.file = file
        self.data = data
        self.version: Version = version
        self.address = address
        self._positions = positions

    def locate(self, path: Path, *, key: bool = False) -> tuple[int, int]:
        """Line and column (from 1) of the value at `path`, or of its key; the nearest parent if absent."""
        if isinstance(self._positions, JsonPositions):
            return self._positions.locate(path, key=key)
        return locate(self._positions, path, key=key)


def read_source(source: str) -> OpenApiDocument | tuple[Diagnostic, ...]:
    """Read a file, or download an address.

    Args:
        source: path of a file, or an address that starts with `http://` or `https://`.

    Returns:
        The document, or the diagnostics of why it cannot be read.
    """
    if _scheme(source) in ("http", "https"):
        shown = without_credentials(source)
        try:
            found = download(source, MAX_BYTES)
        except DownloadError as error:
            message = f"cannot be downloaded: {error}"
            hint = "download it yourself, and import the file"
            return (Diagnostic(file=shown, code="import-unreadable", message=message, hint=hint),)
        # The label is what was asked for: where a redirect leads may change from one day to the next.
        return parse_openapi(found.content, shown, address=found.address)
    shown = FilePath(source).as_posix()
    try:
        with FilePath(source).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        message = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        hint = "name a file, or an address that starts with https://"
        return (Diagnostic(file=shown, code="import-unreadable", message=message, hint=hint),)
    return parse_openapi(content, shown)


def _scheme(source: str) -> str:
    """The scheme of an address in small letters; empty where there is none."""
    try:
        return urlsplit(source).scheme.lower()
    except ValueError:
        return ""


def parse_openapi(
    content: bytes, file: str, *, address: str = ""
) -> OpenApiDocument | tuple[Diagnostic, ...]:
    """Parse the bytes of an OpenAPI document: JSON where they begin with `{"`, else YAML.

    Args:
        content: the bytes.
        file: path or address in diagnostics.
        address: where it was downloaded from; relative server addresses start there.

    Returns:
        The document, or the diagnostics of every problem.
    """
    if len(content) > MAX_BYTES:
        message = f"is larger than {MAX_BYTES // 2**20} MiB"
        return (Diagnostic(file=file, code="too-large", message=message, hint="split it"),)
    try:
        text = decode(content)
    except RefusedError as error:
        return (_diagnostic(file, error.problem),)
    positions: JsonPositions | Node | None
    if _JSON.match(text):
        data, problems = parse_json(text, LIMITS)
        positions = JsonPositions(text)
    else:
        data, positions, problems = read_yaml(text, LIMITS)
    if problems or positions is None:
        return tuple(sorted(_diagnostic(file, problem) for problem in problems))
    problem = _version_problem(data)
    if problem is not None:
        key, message, hint = problem
        at = (
            positions.locate(key)
            if isinstance(positions, JsonPositions)
            else locate(positions, key, key=False)
        )
        return (
            Diagnostic(
                file=file, line=at[0], column=at[1], code="openapi-version", message=message, hint=hint
            ),
        )
    version: Version = next(known for known in VERSIONS if str(data["openapi"]).startswith(known))
    return OpenApiDocument(file, data, version, positions, address)


def _version_problem(data: Any) -> tuple[Path, str, str] | None:
    """Where and why `data` is no OpenAPI document of a version that can be read, and the remedy."""
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
