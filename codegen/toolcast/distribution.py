"""The installed distribution that the running package belongs to."""

import importlib.metadata
import json
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from msgspec import Struct

from .package_files import PACKAGE
from .version import __version__

NAME = "toolcast"
"""The name of the distribution on a package index."""


class _Distribution(Struct, frozen=True):
    """A distribution named `toolcast` that is installed in this environment. `version` is the one in its
    metadata, `location` the folder that holds its import package. `editable`: that folder is a source
    checkout. `running`: the imported package is the one of this distribution.
    """

    version: str
    location: Path
    editable: bool
    running: bool


def _installed_distribution() -> _Distribution | None:
    """The installed distribution `toolcast`; None if the package runs without one, from source. The checkout
    of an editable install is read from `direct_url.json` (PEP 610).
    """
    try:
        found = importlib.metadata.distribution(NAME)
    except importlib.metadata.PackageNotFoundError:
        return None
    checkout = _editable_checkout(found)
    if checkout is not None:
        running = PACKAGE.is_relative_to(checkout)
        return _Distribution(found.version, checkout, editable=True, running=running)
    folder = Path(str(found.locate_file(""))).resolve()
    return _Distribution(found.version, folder, editable=False, running=PACKAGE.parent == folder)


def describe() -> str:
    """One line that names the running package and the distribution it comes from."""
    found = _installed_distribution()
    if found is None:
        return f"{NAME} {__version__}, run from source at {PACKAGE}; no distribution is installed"
    kind = "editable install of" if found.editable else "installed in"
    line = f"distribution {NAME} {found.version}, {kind} {found.location}"
    if not found.running:
        return f"{NAME} {__version__}, run from {PACKAGE}; not the {line}"
    return f"{NAME} {__version__} ({line})"


def requirement(extra: str) -> str:
    """Return the requirement of this version with an extra: `toolcast[build]==0.1.0`."""
    return f"{NAME}[{extra}]=={__version__}"


def _editable_checkout(found: importlib.metadata.Distribution) -> Path | None:
    text = found.read_text("direct_url.json")
    if text is None:
        return None
    try:
        origin = json.loads(text)
        editable, url = origin.get("dir_info", {}).get("editable"), origin.get("url", "")
    except (ValueError, AttributeError):
        return None
    parts = urlsplit(url) if isinstance(url, str) else None
    if not editable or parts is None or parts.scheme != "file":
        return None
    return Path(url2pathname(parts.path)).resolve()
