"""Keys that an import writes: `source`, and what MCP clients alone are sent."""

import json

import pytest
import toolcast
from toolcast.spec.imported_fields import is_icon

from tests.spec.helper import read, tool

HEAD = "description: Does it.\npermission: read\nsecrets: []\n"
ICON = "{src: 'https://a.example/i.png', mimeType: image/png, sizes: [48x48], theme: dark}"


def test_they_are_read() -> None:
    source = "source: {kind: mcp, name: a.b, from: git}\n"
    spec, found = tool(f"{HEAD}icons: [{ICON}]\nmeta: {{k: [1]}}\n{source}")
    assert found == ()
    assert spec is not None
    assert spec.icons[0]["sizes"] == ["48x48"]
    assert spec.meta == {"k": [1]}
    assert spec.source is not None
    assert (spec.source.kind, spec.source.name, spec.source.label) == ("mcp", "a.b", "git")


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("source: mcp", ["wrong-type"]),
        ("source: {kind: mcp, name: x}", ["missing-key"]),
        ("source: {kind: soap, name: x, from: y}", ["bad-source"]),
        ("source: {kind: mcp, name: '', from: y}", ["empty-text"]),
        ("source: {kind: mcp, name: x, from: y, at: z}", ["unknown-key"]),
        ("mcp: {icons: []}", ["unknown-key"]),
        ("_meta: {}", ["unknown-key"]),
        ("icons: {}", ["wrong-type"]),
        ("meta: 1", ["wrong-type"]),
    ],
)
def test_anything_else_is_refused(text: str, codes: list[str]) -> None:
    spec, found = tool(f"{HEAD}{text}\n")
    assert spec is None
    assert [each.code for each in found] == codes


def test_the_former_key_is_refused_with_what_to_write() -> None:
    _, found = tool(f"{HEAD}mcp: {{icons: [{ICON}]}}\n")
    assert [(each.code, each.line, each.column) for each in found] == [("unknown-key", 4, 1)]
    assert "`icons:` and `meta:`" in found[0].hint


@pytest.mark.parametrize(
    ("icon", "code"),
    [
        ("{mimeType: image/png}", "missing-key"),
        ("{src: 'javascript:alert(1)'}", "bad-icon"),
        ("{src: 'file:///etc/passwd'}", "bad-icon"),
        ("{src: 'https://a.example', theme: pink}", "bad-icon"),
        ("{src: 'https://a.example', sizes: 48x48}", "wrong-type"),
        ("{src: 'https://a.example', sizes: [1]}", "wrong-type"),
        ("{src: 'https://a.example', mimeType: ''}", "empty-text"),
        ("{src: 1}", "wrong-type"),
        ("{src: 'https://a.example', href: x}", "unknown-key"),
        ("text", "wrong-type"),
    ],
)
def test_an_icon_leads_to_an_image(icon: str, code: str) -> None:
    _, found = tool(f"{HEAD}icons: [{icon}]\n")
    assert [each.code for each in found] == [code]
    assert not is_icon(read(icon).data)


def test_mcp_clients_alone_are_sent_them() -> None:
    text = f"{HEAD}icons: [{ICON}]\nmeta: {{k: v}}\n"
    providers = ("mcp", "mcp-2025-11-25", "mcp-2025-06-18", "openai", "anthropic")
    made = toolcast.compile({"a.yaml": text.encode()}, providers=providers)
    sent = {name: json.loads(made.files[f"schemas/{name}/a.json"]) for name in providers}
    icons = json.loads(json.dumps(read(ICON).data))
    assert (sent["mcp"]["icons"], sent["mcp"]["_meta"]) == ([icons], {"k": "v"})
    assert (sent["mcp-2025-11-25"]["icons"], sent["mcp-2025-11-25"]["_meta"]) == ([icons], {"k": "v"})
    assert "icons" not in sent["mcp-2025-06-18"]
    assert sent["mcp-2025-06-18"]["_meta"] == {"k": "v"}
    assert b"a.example" not in made.files["schemas/openai/a.json"] + made.files["schemas/anthropic/a.json"]
