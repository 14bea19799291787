"""The whole tool object that a provider is sent."""

from typing import Any

from ..providers import Profile, ToolInfo, tool_object
from .subject import Subject


def definition(subject: Subject, profile: Profile) -> dict[str, Any]:
    """As the build writes it to `schemas/<provider>/<tool>.json`."""
    tool, roots = subject.tool, subject.normal.roots
    result = subject.normal.standalone("result") if "result" in roots else None
    info = ToolInfo(
        name=tool.name,
        description=tool.description,
        title=tool.annotations.title,
        read_only=True if tool.permission == "read" else None,
        destructive=tool.annotations.destructive,
        idempotent=tool.annotations.idempotent,
        open_world=tool.annotations.open_world,
        result_schema=result if isinstance(result, dict) else None,
    )
    return tool_object(info, profile, subject.emitted[profile.id].normalized)
