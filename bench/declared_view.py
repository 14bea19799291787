"""Tools that are declared and never run, as a view: from a schema instead of from generated code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from toolcast.providers import Normalized, SchemaNormalizer, ToolInfo, load_profile, tool_object
from toolcast.runtime import ToolBinding
from toolcast.runtime.snapshot import Entry, Snapshot


class DeclaredView:
    """A view of bindings."""

    def __init__(self, bindings: Sequence[ToolBinding[Any, Any]]) -> None:
        """`bindings`: one for each tool, of any order."""
        self._snapshot = Snapshot({one.name: Entry(one, _unused) for one in bindings}, {})

    def snapshot(self) -> Snapshot:
        """All tools."""
        return self._snapshot


def binding(
    name: str,
    parameters: Mapping[str, Any],
    *,
    group: str = "",
    description: str = "",
    result: Mapping[str, Any] | None = None,
    **stated: Any,
) -> ToolBinding[Any, Any]:
    """A binding with the definitions for both languages and for OpenAI. Raises SchemaError."""
    made: ToolBinding[Any, Any] = ToolBinding(
        module=__name__,
        name=name,
        group=group,
        params=dict[str, Any],
        permission="read",
        secrets=(),
        summary=description.partition("\n")[0],
        description=description,
        contract="",
        schemas="",
        **stated,
    )
    info = ToolInfo(
        name=name, description=description, result_schema=None if result is None else dict(result)
    )
    for provider, normalized in normalized_for(parameters).items():
        whole = tool_object(info, load_profile(provider), normalized)
        made._lazy.definitions[provider, "full"] = msgspec.json.encode(whole)
    return made


def normalized_for(parameters: Mapping[str, Any]) -> dict[str, Normalized]:
    """A schema for both languages and for OpenAI. Raises SchemaError."""
    normalizer = SchemaNormalizer(dict(parameters))
    return {one: normalizer.normalize(one) for one in ("typescript", "python", "openai", "mcp")}


def _unused(*_: Any) -> str:
    raise NotImplementedError
