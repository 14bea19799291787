"""Which cache a run uses: the environment overrides the configuration."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ...config import Config, show
from ...diagnostics import Diagnostic
from ..sharing import WHERE
from .folder import Folder
from .store import Store

if TYPE_CHECKING:
    from .remote import Address

AUTHORIZATION = "TOOLCAST_CACHE_AUTH"
WRITE = "TOOLCAST_CACHE_WRITE"
_NO = ("0", "false", "no", "off")


class CacheLocation(Struct, frozen=True):
    """A cache, and whether a run may add to it. `named` is the file or variable that named it; `withheld`
    is the reason why the credential of the environment is not sent to it."""

    store: Store
    write: bool
    named: str
    withheld: Diagnostic | None = None


def is_url(text: str) -> bool:
    """True for a text that begins as a URL."""
    return text.lower().startswith(("http://", "https://"))


def locate_cache(
    config: Config, environment: Mapping[str, str] = os.environ
) -> tuple[CacheLocation | None, Diagnostic | None]:
    """The cache of a project; None if it has none, or with the reason why it cannot be used.

    `TOOLCAST_CACHE` beats `cache`; empty, it turns the cache off. `TOOLCAST_CACHE_AUTH` belongs to the URL in
    `TOOLCAST_CACHE` and goes nowhere else: a configuration is part of the checkout, and whoever wrote that
    would choose who receives it.
    """
    named = show(config.file) if config.file is not None else "pyproject.toml"
    text = config.cache or ""
    if (override := environment.get(WHERE)) is not None:
        named = WHERE
        text = override if not override or is_url(override) else str(Path(override).expanduser().absolute())
    if not text:
        return None, None
    write = config.cache_write and environment.get(WRITE, "1").lower() not in _NO
    if not is_url(text):
        return _folder(config, Path(os.path.normpath(text)), write, named)
    from .remote import Remote, read_address  # loads a TLS library

    authorization, withheld = environment.get(AUTHORIZATION, ""), None
    try:
        address = read_address(text)
        if authorization:
            withheld = _withheld(address, named)
            address = address if withheld else read_address(text, authorization)
    except ValueError as error:
        hint = f"put secrets into {AUTHORIZATION}, the value of an Authorization header"
        return None, Diagnostic(file=named, code="cache-place", message=str(error), hint=hint)
    return CacheLocation(Remote(address), write, named, withheld), None


def _withheld(address: "Address", named: str) -> Diagnostic | None:
    """Why the credential must not be sent to `address`; None where it may be."""
    if named != WHERE:
        why = f"a project's configuration names that address, and the credential belongs to {WHERE}"
        hint = f"if that server may have it, set {WHERE}={address.shown} in the environment"
    elif not address.secure and not address.loopback:
        why = "everyone on the way could read it"
        hint = f"set {WHERE} to an https URL"
    else:
        return None
    message = f"{AUTHORIZATION} is not sent to {address.shown}: {why}"
    return Diagnostic(file=named, code="cache-auth-withheld", message=message, hint=hint, severity="warning")


def _folder(
    config: Config, path: Path, write: bool, named: str
) -> tuple[CacheLocation | None, Diagnostic | None]:
    owned = {"specs": config.specs, "output": config.output, "templates": config.templates}
    for name, other in owned.items():
        if other is not None and (path == other or other in path.parents or path in other.parents):
            message = f"the cache ({show(path)}) and the {name} folder overlap"
            hint = "give the cache a folder of its own, for example one in your home"
            return None, Diagnostic(file=named, code="cache-place", message=message, hint=hint)
    return CacheLocation(Folder(path, show(path), config.cache_size), write, named), None
