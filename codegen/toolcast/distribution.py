"""The installed distribution that the running package belongs to."""

import importlib.metadata
import json
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from .package_files import PACKAGE
from .version import __version__

NAME = "toolcast"
"""The name of the distribution on a package index."""


def describe() -> str:
    """Return one line that names the running package and the distribution it comes from."""
    try:
        found = importlib.metadata.distribution(NAME)
    except importlib.metadata.PackageNotFoundError:
        return f"{NAME} {__version__}, run from source at {PACKAGE}; no distribution is installed"
    checkout = _editable_checkout(found)
    if checkout is not None:
        running = PACKAGE.is_relative_to(checkout)
        place = f"editable install of {checkout}"
    else:
        folder = Path(str(found.locate_file(""))).resolve()
        running = PACKAGE.parent == folder
        place = f"installed in {folder}"
    line = f"distribution {NAME} {found.version}, {place}"
    if not running:
        return f"{NAME} {__version__}, run from {PACKAGE}; not the {line}"
    return f"{NAME} {__version__} ({line})"


def requirement(extra: str) -> str:
    """Return the requirement of this version with an extra: `toolcast[build]==0.1.0`."""
    return f"{NAME}[{extra}]=={__version__}"


def _editable_checkout(found: importlib.metadata.Distribution) -> Path | None:
    """Return the checkout of an editable install, of which `direct_url.json` tells (PEP 610)."""
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
