"""Texts in every form, each with the calls that it is: (name, arguments). Arguments are parsed."""

import json
from typing import Any

from hypothesis import strategies as st
from toolcast.agents.text_calls import Call, Parsed, TextFormat, TextStream, collect, parse

LS: list[tuple[str, Any]] = [("shell", {"command": "ls"})]
J = '{"name": "shell", "arguments": {"command": "ls"}}'
TAGS = (
    "tool_call", "tool_calls", "toolcall", "tool-call", "tools", "invoke", "minimax:tool_call",
    "minimax:toolcall",
)  # fmt: skip

FORMS: dict[str, tuple[str, list[tuple[str, Any]]]] = {
    **{f"json in {tag}": (f"<{tag}>{J}</{tag}>", LS) for tag in TAGS},
    **{f"{tag} closed by another": (f"<{tag}>{J}</toolcall>", LS) for tag in TAGS},
    "several in one tag": (f"<tool_call>{J}\n{J}, {J}</tool_call>", LS * 3),
    "an array in a tag": (f"<tool_calls>[{J}, {J}]</tool_calls>", LS * 2),
    "parameters": ('<tool_call>{"name":"shell","parameters":{"command":"ls"}}</tool_call>', LS),
    "a function inside": (
        '<tool_call>{"function":{"name":"shell","arguments":{"command":"ls"}}}</tool_call>',
        LS,
    ),
    "no arguments": ('<tool_call>{"name":"now"}</tool_call>', [("now", {})]),
    "null arguments": ('<tool_call>{"name":"now","arguments":null}</tool_call>', [("now", {})]),
    "a fence in a tag": (f"<tool_call>\n```json\n{J}\n```\n</tool_call>", LS),
    "whole object": (f"  {J}\n", LS),
    "whole array": (f"[{J},{J}]", LS * 2),
    "whole answer": (
        '{"content":null,"tool_calls":[{"id":"c","type":"function",'
        '"function":{"name":"shell","arguments":"{\\"command\\":\\"ls\\"}"}}]}',
        LS,
    ),
    "whole after thoughts": (f"<think>{J}</think>\n{J}", LS),
    "invoke": ('<invoke name="shell"><parameter name="command">ls</parameter></invoke>', LS),
    "invoke, single quotes": ("<invoke name='shell'><parameter name='command'>ls</parameter></invoke>", LS),
    "invoke in a tag": (
        '<tool_call>\n<invoke name="shell">\n<parameter name="command">ls</parameter>\n</invoke>\n'
        "</tool_call>",
        LS,
    ),
    "invoke with JSON": ('<invoke name="shell">{"command": "ls"}</invoke>', LS),
    "invoke with elements": ('<invoke name="shell"><command>ls</command></invoke>', LS),
    "invoke without arguments": ('<invoke name="now"></invoke>', [("now", {})]),
    "nested tags": (f"<tool_calls><tool_call>{J}</tool_call><tool_call>{J}</tool_call></tool_calls>", LS * 2),
    "named elements": (
        "<tool_call><name>shell</name><arguments><command>ls</command></arguments></tool_call>",
        LS,
    ),
    "named elements, JSON": (
        '<tool_call><name>shell</name><arguments>{"command":"ls"}</arguments></tool_call>',
        LS,
    ),
    "elements": ("<tool_call><shell><command>ls</command></shell></tool_call>", LS),
    "several elements": (
        "<tool_call><a><x>1</x></a><b><x>1</x><x>2</x></b></tool_call>",
        [("a", {"x": "1"}), ("b", {"x": ["1", "2"]})],
    ),
    "short": ("<tool_call>shell>ls -la</tool_call>", [("shell", "ls -la")]),
    "short, JSON": ('<tool_call>shell>{"command":"ls"}</tool_call>', LS),
    "short, attributes": ('<tool_call>shell>command="ls"</tool_call>', LS),
    "short, lines": (
        "<tool_call>shell>\ncommand: ls\ncwd: /\n</tool_call>",
        [("shell", {"command": "ls", "cwd": "/"})],
    ),
    "attributes": ('<tool_call>shell command="ls"</tool_call>', LS),
    "attributes, quotes": (
        '<tool_call>shell command="echo \\"a\\"" cwd=\'/x\'</tool_call>',
        [("shell", {"command": 'echo "a"', "cwd": "/x"})],
    ),
    "lines": ("<tool_call>\nname: shell\narguments:\n  command: ls\n</tool_call>", LS),
    "lines under a name": ("<tool_call>\nshell\ncommand: 'ls'\n</tool_call>", LS),
    "function": ('<tool_call>shell(command="ls")</tool_call>', LS),
    "function, literals": (
        "<tool_call>f(a=1, b=-2.5, c=True, d=None, e=['x', {'y': 1}], g='it\\'s')</tool_call>",
        [("f", {"a": 1, "b": -2.5, "c": True, "d": None, "e": ["x", {"y": 1}], "g": "it's"})],
    ),
    "a name alone": ("<tool_call>now</tool_call>", [("now", {})]),
    "keys and values": (
        "<tool_call>shell\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>",
        LS,
    ),
    "fence tool_call": (f"```tool_call\n{J}\n```", LS),
    "fence tool_call closed by a tag": (f"```tool_call\n{J}\n</tool_call>", LS),
    "fence invoke": (f"```invoke\n{J}\n```", LS),
    "fence invoke, tag": (
        '```invoke\n<invoke name="shell"><parameter name="command">ls</parameter></invoke>\n```',
        LS,
    ),
    "fence with a name": ('```tool shell\n{"command": "ls"}\n```', LS),
    "arrow": ('TOOL_CALL\n{tool => "shell", args => {\n  --command "ls"\n}}\n/TOOL_CALL', LS),
    "arrow, brackets": ('[TOOL_CALL]\n{tool => "shell", args => { command => "ls" }}\n[/TOOL_CALL]', LS),
    "arrow, no arguments": ('TOOL_CALL{tool => "now"}/TOOL_CALL', [("now", {})]),
    "FunctionCall": ("<FunctionCall>\nshell\n<code>command>ls</code>\n</FunctionCall>", LS),
    "FunctionCall, JSON": (f"<FunctionCall>{J}</FunctionCall>", LS),
    "function=": ("<function=shell>\n<parameter=command>\nls\n</parameter>\n</function>", LS),
    "model tokens, list": ('<|tool_call_start|>[shell(command="ls")]<|tool_call_end|>', LS),
    "model tokens, JSON": (f"<|python_tag|>{J};{J}", LS * 2),
    "mistral": (f"[TOOL_CALLS] [{J}]", LS),
    "mistral, compact": ('[TOOL_CALLS]shell[ARGS]{"command":"ls"}', LS),
    "two blocks": (f"<tool_call>{J}</tool_call>\n<invoke>{J}</invoke>", LS * 2),
}
"""Every form, whole."""

WITHOUT_END: dict[str, tuple[str, list[tuple[str, Any]]]] = {
    **{f"json in unclosed {tag}": (f"<{tag}>\n{J}", LS) for tag in TAGS},
    "function, unclosed": ("<tool_call>now()", [("now", {})]),
    "fence tool_call, unclosed": (f"```tool_call\n{J}", LS),
}
"""Calls that show their own end, and lack the closing marker."""

UNREAD: dict[str, str] = {
    "invoke, unclosed": '<invoke name="shell"><parameter name="command">ls</parameter>',
    "invoke, parameter unclosed": '<invoke name="shell"><parameter name="command">ls</invoke>',
    "invoke, an attribute more": '<invoke name="now" at="now"></invoke>',
    "attributes, unclosed": '<tool_call>shell command="ls"',
    "short, unclosed": "<tool_call>shell>rm -rf /tm",
    "lines, unclosed": "<tool_call>\nname: shell\ncommand: rm -rf /tm",
    "elements, unclosed": "<tool_call><shell><command>ls</command></shell>",
    "arrow, unclosed": 'TOOL_CALL{tool => "shell", args => { command => "ls" }}',
    "a tag that holds words": "<tool_call>not any form of a call</tool_call>",
    "a special token before words": "[TOOL_CALLS] and so on",
}
"""Begins like a call, and is none that is known, or not whole."""

PIECES = [
    *("<tool_call>", "</tool_call>", '<invoke name="a">', "</invoke>", '<parameter name="k">'),
    *("</parameter>", "<think>", "</think>", "<tool_result>", "</tool_result>", "```tool_call\n"),
    *("```", "```tool x\n", "<x>", "</x>", "<function=f>", "<parameter=k>", "<FunctionCall>", "<code>"),
    *("TOOL_CALL", '{tool => "x", args => {', "[TOOL_CALLS]", "<arg_key>", "</arg_key>", "<arg_value>"),
    *("</arg_value>", "f(", 'a="', "='", ")", "shell>", "name: x", "<tools>", "{", "}", "[", "]", '"', "'"),
    *("\\", ",", ":", "\n", " ", J, "<|python_tag|>", "<|tool_call_start|>", "[ARGS]", "é\ud800"),
]
ANY = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=60).map("".join)
"""Pieces of every form in any order, and other characters between them."""


def read(text: str, format: str | TextFormat = "auto", *, cut: bool = False) -> Parsed:
    """The whole text, and the same character by character."""
    parsed = parse(text, format, cut=cut)
    stream = TextStream(format)
    events = [event for character in text for event in stream.feed(character)]
    assert collect([*events, *stream.finish(cut=cut)]) == parsed, text
    return parsed


def plain(calls: tuple[Call, ...]) -> list[tuple[str, Any]]:
    """Names and arguments, JSON text parsed."""
    return [
        (call.name, call.arguments if call.textual else json.loads(str(call.arguments))) for call in calls
    ]
