"""Keys that an import writes: `source`, and what MCP clients alone are sent."""

import json

import pytest
import toolcast
from toolcast.spec.fields import is_reserved_meta_key
from toolcast.spec.read_by_schema import is_icon

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


@pytest.mark.parametrize(
    "source",
    ["https://a.example/i", "HTTPS://a.example/i", "Http://a", "DATA:image/png;base64,", "data:IMAGE/png,"],
)
def test_schemes_are_the_same_in_capitals(source: str) -> None:
    spec, found = tool(f"{HEAD}icons: [{{src: '{source}'}}]\n")
    assert found == ()
    assert spec is not None
    assert is_icon(spec.icons[0])


# MCP 2026-07-28, basic, General fields: `_meta`.
META_KEYS = {
    "team": True, "a": True, "a.b_c-d": True, "1": True, "com.example/": True, "com.example/team": True,
    "example/9": True, "a-b.c1/x": True, "io.modelcontextprotocol/related-task": True, "traceparent": True,
    "_team": False, "team_": False, "-": False, "a b": False, "é": False, "a/b/c": False, "/a": False,
    "1com.example/a": False, "com..example/a": False, "com-/a": False, "-com/a": False, "com_x/a": False,
    "com.example/-a": False, "a\n": False, "\u0661": False,
}  # fmt: skip


@pytest.mark.parametrize(("key", "fits"), META_KEYS.items())
def test_keys_of_meta_have_the_format_of_mcp(key: str, fits: bool) -> None:
    spec, found = tool(f"{HEAD}meta: {{k: 1, {json.dumps(key)}: 2}}\n")
    assert (spec is not None) == fits
    assert [(each.code, each.line) for each in found] == ([] if fits else [("bad-meta-key", 4)])
    assert all("com.example/team" in each.hint for each in found)


@pytest.mark.parametrize(
    ("key", "reserved"),
    [
        # The examples of MCP 2025-11-25 and later
        ("io.modelcontextprotocol/a", True), ("dev.mcp/", True), ("org.modelcontextprotocol.api/a", True),
        ("com.mcp.tools/a", True), ("com.example.mcp/a", False),
        # those of 2025-06-18
        ("modelcontextprotocol.io/a", True), ("mcp.dev/a", True), ("api.modelcontextprotocol.org/a", True),
        ("tools.mcp.com/a", True),
        ("mcp/a", False), ("mcp", False), ("com.example/mcp.dev", False), ("traceparent", True),
        ("baggage", True), ("com.example/traceparent", False),
    ],
)  # fmt: skip
def test_keys_that_mcp_reserves(key: str, reserved: bool) -> None:
    assert is_reserved_meta_key(key) == reserved


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
