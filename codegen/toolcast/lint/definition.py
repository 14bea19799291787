"""The whole tool object that a provider is sent."""

from typing import Any

from ..project.core.tool_definitions import tool_info
from ..providers import Profile, tool_object
from .linted_tool import Subject


def definition(subject: Subject, profile: Profile) -> dict[str, Any]:
    """As the build writes it to `schemas/<provider>/<tool>.json`."""
    info = tool_info(subject.tool, subject.normal)
    return tool_object(info, profile, subject.emitted[profile.id].normalized)
