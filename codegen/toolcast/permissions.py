"""The permissions of tools."""

from typing import Final, Literal, get_args

Permission = Literal["read", "write", "execute", "network"]
"""The most that a tool may do, as its spec states it."""

PERMISSIONS: Final[tuple[Permission, ...]] = get_args(Permission)
