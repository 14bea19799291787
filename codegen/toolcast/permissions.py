"""The permissions of tools, and the scopes of their callers."""

import re
from typing import Final, Literal, get_args

Permission = Literal["read", "write", "execute", "network"]
"""The most that a tool may do, as its spec states it."""

PERMISSIONS: Final[tuple[Permission, ...]] = get_args(Permission)

SCOPE: Final = re.compile(r"[\x21\x23-\x5B\x5D-\x7E]+")
"""A scope (RFC 6749, 3.3): one word without quotes and backslashes. For `fullmatch`."""
