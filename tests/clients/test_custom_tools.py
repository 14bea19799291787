"""Tools whose argument is one text are what the types of OpenAI's client call custom tools."""

from typing import Any

import msgspec
import pytest
from toolcast.analysis.verify.verified_tool import subject
from toolcast.project.core.compiled import Options

from tests.clients.conftest import Client
from tests.spec.helper import tool

HEAD = "name: x\ndescription: Does it.\npermission: read\nsecrets: []\n"
TYPES = {
    "openai": ("openai.types.chat", "ChatCompletionCustomToolParam"),
    "openai-responses": ("openai.types.responses", "CustomToolParam"),
}
INPUTS = (
    "text",
    "{grammar: regex, definition: '[a-z]+'}",
    "{grammar: lark, definition: 'start: /[a-z]+/'}\ncallers: [model, code]\ndefer: true\nblocking: false",
)


def definition(written: str, provider: str) -> Any:
    spec, found = tool(f"{HEAD}input: {written}\n", "x.yaml")
    assert spec is not None, found
    with subject(spec, {}, Options(providers=(provider,))) as made:
        return msgspec.json.decode(made.binding.definition(provider))


@pytest.mark.parametrize("provider", TYPES)
@pytest.mark.parametrize("written", INPUTS)
def test_the_type_of_the_client_takes_them(written: str, provider: str, client: Client) -> None:
    module, name = TYPES[provider]
    adapter = client("pydantic").TypeAdapter(getattr(client(module), name))
    made = definition(written, provider)
    assert made["type"] == "custom"
    adapter.validate_python(made, strict=True, extra="forbid")
    with pytest.raises(Exception, match="toolcast"):
        adapter.validate_python({**made, "toolcast": 1}, strict=True, extra="forbid")
