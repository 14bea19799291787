"""What a handler may know of the call it serves, beside its parameters."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class ToolContext(Struct, frozen=True, kw_only=True):
    """The circumstances of one call.

    The registry fills in `tool` and `provider` where the caller left them empty. `extra` is the program's
    own: a session, a user, a working directory. The runtime never reads it.
    """

    tool: str = ""
    call_id: str = ""
    provider: str | None = None
    extra: Mapping[str, Any] = {}
