"""Where a tool object has its parameters is known for every profile: there brief definitions are cut."""

from typing import Any

import pytest
from toolcast.providers import (
    Profile,
    ToolInfo,
    available,
    envelope_pointers,
    load_profile,
    normalize,
    pointer_to,
    tool_object,
)
from toolcast.runtime.definitions import cut_definition
from toolcast.runtime.resources import follow

from tests.runtime.wire.conftest import ACME

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "description": "A name."}},
    "required": ["name"],
}


@pytest.mark.parametrize("profile", [*map(load_profile, available()), ACME], ids=lambda profile: profile.id)
def test_every_envelope(profile: Profile) -> None:
    parameters = normalize(SCHEMA, profile)
    info = ToolInfo(name="tool", description="Long.", title="Tool", result_schema=SCHEMA)
    whole: Any = tool_object(info, profile, parameters)
    at = pointer_to("$parameters", profile)
    about = pointer_to("$description", profile)
    assert at is not None
    assert about is not None
    assert follow(whole, at) == parameters.schema
    brief = cut_definition(whole, "tool", "Short.", envelope_pointers(profile))
    assert follow(brief, about) == "Short."
    assert "description" not in str(follow(brief, at))
    assert follow(brief, at)["properties"].keys() == {"name"}
    assert pointer_to("$nothing", profile) is None


def test_only_unknown_envelopes_are_reported() -> None:
    assert envelope_pointers(load_profile("mcp")) is None
    assert envelope_pointers(ACME) == ("/spec/args/schema", "/spec/about")
