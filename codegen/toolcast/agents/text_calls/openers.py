"""The marks at which a call may begin or end."""

import re

from .text_source import Source

ALIASES = (
    r"(?:｜DSML｜)?(?:function_calls|tool_calls?|toolcall|tool-call|tools|invoke|minimax:tool_?call)"
    r"(?![\w:.-])"
)
NAME = r"[A-Za-z_][\w.:/-]{0,127}"

_MODEL_TOKENS = (
    r"\|python_tag\|>",
    r"\|python_start\|>",
    r"\|tool_call_start\|>",
    r"\|message_sep\|>\s{0,8}function call<\|role_sep\|>",
    r"\|tool_call_begin\|>\s{0,8}(?:functions\.)?(?P<kimi>[\w.-]+)(?P<number>:\d+)?\s{0,8}<\|tool_call_argument_begin\|>",
    r"｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>(?P<deep>[\w.-]+)\s{0,8}```json"
    r"|(?P<deeper>[\w.-]+)<｜tool▁sep｜>)",
)
_MODEL_CLOSERS = (
    r"\|python_end\|>",
    r"\|tool_call_end\|>",
    r"\|tool_calls?_section_(?:begin|end)\|>",
    r"｜tool▁calls?▁(?:begin|end)｜>",
)

_ANGLE = (
    r"<(?=[/|F｜fimt])(?:"
    r"(?P<think>think(?:ing)?>)"
    r"|(?P<thought>/think(?:ing)?>)"
    r"|(?P<result>tool_result(?=[\s>]))"
    rf"|(?P<tag>{ALIASES})(?P<attributes>[^<>]*)>"
    rf"|function=\"?(?P<function>{NAME})\"?\s{{0,8}}>"
    r"|(?P<call>FunctionCall)>"
    rf"|(?P<token>{'|'.join(_MODEL_TOKENS)})"
    rf"|(?P<stray>/(?:{ALIASES}|FunctionCall|function)\s{{0,8}}>|{'|'.join(_MODEL_CLOSERS)})"
    r")"
)
_FENCE = rf"```(?P<fence>tool_calls?|invoke|tool[ \t]{{1,8}}(?P<fenced>{NAME}))[ \t]{{0,8}}\r?\n"
_WORD = (
    r"(?P<arrow>\[?TOOL_CALL\]?(?=\s{0,8}\{))"
    rf"|(?P<mistral>\[TOOL_CALLS\](?:\s{{0,8}}(?P<compact>{NAME})\[ARGS\])?)"
)
OPENER = re.compile(f"{_ANGLE}|{_FENCE}|{_WORD}")
"""Every mark. Counts are bounded and classes end at `<`, so a failed try costs a constant, or what lies
between two brackets, once."""

# Each begins with letters that `re` looks for at the speed of memchr; all in one expression would be several
# times slower on plain prose.
_SEARCHES = (re.compile(_ANGLE), re.compile(_FENCE), re.compile(r"TOOL_CALL(?:S\]|\]?(?=\s{0,8}\{))"))


def next_mark(source: Source, start: int) -> re.Match[str] | None:
    """The first mark at or after `start`."""
    at = start
    while True:
        found = [mark.start() for search in _SEARCHES if (mark := source.search(search, at)) is not None]
        if not found:
            return None
        at = min(found)
        if at > start and source.text[at - 1] == "[" and source.text.startswith("TOOL_CALL", at):
            at -= 1
        mark = source.match(OPENER, at)
        if mark is not None:
            return mark
        at += 2  # past the bracket that was stepped back over


CLOSER = re.compile(rf"</(?:{ALIASES}|FunctionCall|function)\s{{0,8}}>")
"""The end of a block: any alias closes any other."""

BODY_END = re.compile(rf"</?(?:{ALIASES}|function=|FunctionCall>|function>)|```")
ATTRIBUTE_NAME = re.compile(r"""(?<![\w-])name\s{0,8}=\s{0,8}(?:"([^"]{1,256})"|'([^']{1,256})')""")
ATTRIBUTE_ID = re.compile(
    r"""(?<![\w-])(?:id|tool_call_id|call_id)\s{0,8}=\s{0,8}(?:"([^"]{1,256})"|'([^']{1,256})')"""
)
FENCE_END = re.compile(r"\s*```(?=[ \t]*(?:\r?\n|\Z))")
ARROW_END = re.compile(r"\s*(?:\[/TOOL_CALL\]|/TOOL_CALL\b)")
SPACE = re.compile(r"\s*")
JSON_FENCE = re.compile(r"```(?:json)?[ \t]*\r?\n\s*")
ENDS = ("</s>", "<|im_end|>", "<|eot_id|>")
"""What a model writes behind its last word."""
