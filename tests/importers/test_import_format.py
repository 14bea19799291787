"""`toolcast import format`: response templates that families ship, read as transformers reads them.

The templates are those of transformers 5.24 (documentation, tests, `cli/serving/utils.py`) and of trl 1.16
(`chat_template_utils.py`). The calls beside each text are those that `parse_response` of transformers 5.24
returned; where that is installed, it is asked again.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from toolcast.agents.text_calls import parse, read_format
from toolcast.cli.main import import_group
from toolcast.importers.response_template import read_response_template

from tests.agents.text_calls.formats.writers import FAMILIES

Calls = list[tuple[str, dict[str, Any]]]

THINK = {"open": "<think>", "close_pattern": r"</think>\s*"}
BARE = {"type": "function", "function": "{content}"}
NAMED = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
EACH = {"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}}
IM_END = {"close_pattern": r"<\|im_end\|>\s*", "content": "text"}
XML = {
    "open_pattern": r"<tool_call>\s*<function=(?P<name>[^\n>]+)>",
    "close_pattern": r"</tool_call>\s*",
    "repeats": True,
    "content": "xml-inline",
    "content_args": {
        "tag_pattern": r"<parameter=(?P<key>[^>\n]+)>\s*(?P<value>.*?)\s*</parameter>",
        "value_parser": {"name": "text"},
    },
    "transform": NAMED,
}
HERMES = {
    "open": "<tool_call>",
    "close": "</tool_call>",
    "repeats": True,
    "content": "json",
    "transform": BARE,
}


class Family(NamedTuple):
    """A family's template without its anchor, our format of the family, and texts with their calls."""

    format: str
    fields: dict[str, Any]
    texts: dict[str, Calls]
    anchor: str = "<|im_start|>assistant\n"


PARIS: Calls = [("get_weather", {"city": "Paris"})]
TWO: Calls = [*PARIS, ("ping", {})]
CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>'
PING = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'
TAGS = "<parameter=city>\na <b>\nc\n</parameter>\n<parameter=days>\n3\n</parameter>\n"
HEADER = "<|channel|>analysis<|message|>hm<|end|><|start|>assistant"
IN_THOUGHT = f"<think>\nI may write {CALL}\n</think>\n\n"
TEMPLATES = {
    "qwen3": Family(
        "hermes",
        {
            "reasoning_content": THINK,
            "tool_calls": {**HERMES, "open_pattern": r"\s*<tool_call>", "open": None},
            "content": {"close_pattern": r"\s*(?:<\|im_end\|>|<\|endoftext\|>|<\|eot_id\|>)"},
        },
        {
            f"{CALL}<|im_end|>": PARIS,
            f"{IN_THOUGHT}I look.\n{CALL}\n{PING}": TWO,
            f"{IN_THOUGHT}No.<|im_end|>": [],
        },
    ),
    "smollm3": Family(
        "hermes",
        {
            "thinking": {"open": "<think>", "close": "</think>"},
            "tool_calls": HERMES,
            "content": {"close": "<|im_end|>"},
        },
        {f"{IN_THOUGHT}{CALL}": PARIS, "None.<|im_end|>": []},
    ),
    "ernie": Family(
        "ernie45",
        {
            "thinking": {"open_pattern": r"(?:^|<think>\s*)", "close": "</think>"},
            "content": {"open": "<response>\n", "close_pattern": r"\n?</response>"},
            "tool_calls": HERMES,
        },
        {f"hm\n</think>\n\n{CALL}\n</s>": PARIS, "hm</think>\n\n<response>\nHello.\n</response>\n</s>": []},
    ),
    "qwen3.5": Family(
        "qwen3-coder",
        {"reasoning_content": THINK, "tool_calls": XML, "content": IM_END},
        {
            "<tool_call><function=ping></function></tool_call>": TWO[1:],
            f"<tool_call>\n<function=get_weather>\n{TAGS}</function>\n</tool_call>\n"
            "<tool_call>\n<function=ping>\n</function>\n</tool_call><|im_end|>": [
                ("get_weather", {"city": "a <b>\nc", "days": "3"}),
                ("ping", {}),
            ],
        },
    ),
    "nemotron3": Family(
        "nemotron",
        {
            "reasoning_content": {"open_pattern": r"(?=[\s\S]*?</think>)", "close_pattern": r"</think>\s*"},
            "tool_calls": XML,
            "content": IM_END,
        },
        {
            "hm\n</think>\n<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n"
            "</tool_call>\n": PARIS,
        },
        "<|im_start|>assistant\n<think>\n",
    ),
    "glm4": Family(
        "glm4",
        {
            "reasoning_content": THINK,
            "tool_calls": {
                **XML,
                "open_pattern": r"<tool_call>(?P<name>\S+)\n?",
                "content_args": {
                    "tag_pattern": r"<arg_key>(?P<key>[^<]+)</arg_key>\s*\n"
                    r"<arg_value>(?P<value>.*?)</arg_value>",
                    "value_parser": {"name": "text"},
                },
            },
            "content": {"close_pattern": r"<\|user\|>\s*|$"},
        },
        {FAMILIES["glm4"].write(TWO): TWO},
        "<|assistant|>",
    ),
    "llama3": Family(
        "llama3-json",
        {
            "tool_calls": {
                "open_pattern": r'\{"name":\s*"(?P<name>[^"]+)",\s*"parameters":\s*',
                "close_pattern": r"\}<\|eot_id\|>\s*",
                "repeats": True,
                "content": "json",
                "transform": NAMED,
            },
            "content": {"close_pattern": r"<\|eot_id\|>\s*"},
        },
        {'{"name": "get_weather", "parameters": {"city": "Paris"}}<|eot_id|>': PARIS, "Hello.<|eot_id|>": []},
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
    "gpt-oss": Family(
        "harmony",
        {
            "thinking": {"open": "<|channel|>analysis<|message|>", "close_pattern": r"<\|end\|>\s*"},
            "content": {"open": "<|channel|>final<|message|>", "close_pattern": r"<\|return\|>\s*"},
            "tool_calls": {
                "open_pattern": r"to=functions\.(?P<name>\S+?)<\|channel\|>commentary\s+json<\|message\|>",
                "close_pattern": r"<\|call\|>\s*",
                "repeats": True,
                "content": "json",
                "transform": NAMED,
            },
        },
        {
            f"{HEADER} to=functions.get_weather<|channel|>commentary "
            'json<|message|>{"city": "Paris"}<|call|>': PARIS,
            f"{HEADER}<|channel|>final<|message|>4<|return|>": [],
        },
        "<|start|>assistant",
    ),
    "gemma4": Family(
        "gemma4",
        {
            "reasoning_content": {"open": "<|channel>thought\n", "close": "<channel|>"},
            "tool_calls": {
                "open_pattern": r"<\|tool_call>call:(?P<name>\w+)",
                "close": "<tool_call|>",
                "repeats": True,
                "content": "json",
                "content_args": {"unquoted_keys": True, "string_delims": [['<|"|>', '<|"|>']]},
                "transform": NAMED,
            },
            "content": {"close": ["<turn|>", "<|tool_response>", "<eos>"]},
        },
        {
            "<|channel>thought\nhm<channel|>"
            '<|tool_call>call:get_weather{deep:{a:[<|"|>x, y<|"|>,true,null]}}<tool_call|>'
            "<|tool_call>call:ping{}<tool_call|><|tool_response>": [
                ("get_weather", {"deep": {"a": ["x, y", True, None]}}),
                ("ping", {}),
            ],
            "Hello.<turn|>": [],
        },
        "<|turn>model\n",
    ),
    "cohere": Family(
        "cohere",
        {
            "content": {"open": "<|START_RESPONSE|>", "close_pattern": r"(?:<\|END_RESPONSE\|>|$)"},
            "thinking": {"open": "<|START_THINKING|>", "close_pattern": r"(?:<\|END_THINKING\|>|$)"},
            "tool_calls": {
                "open": "<|START_ACTION|>",
                "close_pattern": r"(?:<\|END_ACTION\|>|$)",
                "content": "json",
                "transform_each": True,
                "transform": {
                    "type": "function",
                    "function": {"name": "{tool_name}", "arguments": "{parameters}"},
                },
            },
        },
        {
            f"<|START_THINKING|>hm<|END_THINKING|>{FAMILIES['cohere'].write(TWO)}": TWO,
            "<|START_RESPONSE|>Hello.<|END_RESPONSE|>": [],
        },
        "<|CHATBOT_TOKEN|>",
    ),
    "lfm2.5": Family(
        "lfm2",
        {
            "thinking": THINK,
            "tool_calls": {
                "open": "<|tool_call_start|>",
                "close": "<|tool_call_end|>",
                "content": "python-call-list",
                "transform_each": True,
                "transform": EACH,
            },
            "content": IM_END,
        },
        {"I look.<|tool_call_start|>[get_weather(city='Paris'), ping()]<|tool_call_end|><|im_end|>": TWO},
    ),
}
TEMPLATES["qwen3"].fields["tool_calls"].pop("open")
TEXTS = [(name, text) for name, family in TEMPLATES.items() for text in family.texts]


def config(folder: Path, fields: dict[str, Any], anchor: str = "a", **more: Any) -> Path:
    """Write the configuration of a tokenizer."""
    made = {
        "model_max_length": 10**30,
        "response_template": {"start_anchor": anchor, "fields": fields},
        **more,
    }
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps(made, indent=1, ensure_ascii=False), encoding="utf-8")
    return path


def imported(folder: Path, path: Path) -> Path:
    text = read_response_template(path, path.name)
    assert isinstance(text, str), text
    out = folder / "imported.toml"
    out.write_text(text, encoding="utf-8")
    return out


def calls(text: str, format: Any) -> Calls:
    read = ((call.name, call.arguments) for call in parse(text, format).calls)
    return [(name, json.loads(found) if isinstance(found, (str, bytes)) else found) for name, found in read]


@pytest.mark.parametrize(("name", "text"), TEXTS)
def test_the_imported_format_reads_the_calls_that_transformers_reads(
    name: str, text: str, tmp_path: Path
) -> None:
    family = TEMPLATES[name]
    path = config(tmp_path, family.fields, family.anchor)
    assert calls(text, read_format(imported(tmp_path, path))) == family.texts[text]
    assert calls(text, family.format) == family.texts[text]


@pytest.mark.parametrize(("name", "text"), TEXTS)
def test_transformers_reads_what_stands_here(name: str, text: str) -> None:
    chat_parsing = pytest.importorskip("transformers.utils.chat_parsing", reason="pip install transformers")
    family = TEMPLATES[name]
    begun = f"{family.anchor}<think>\n" if "</think>" in text and "<think>" not in text else ""
    template = {"start_anchor": family.anchor, "fields": family.fields}
    found = chat_parsing.parse_response(text, template, prefix=begun if name != "ernie" else "").get(
        "tool_calls", []
    )
    assert [(call["function"]["name"], call["function"]["arguments"]) for call in found] == family.texts[text]


@pytest.mark.parametrize(
    ("name", "writer", "written"),
    [
        # `parse_response` strips every value: the family writes this one with its blanks.
        ("glm4", "glm4", [("get_weather", {"city": "  two  "})]),
        # GLM 4.7 has no line breaks: trl's `\\S+` takes all up to the next blank for the tool's name.
        ("glm4", "glm47", PARIS),
        # The recipient behind the channel, as gpt-oss writes it, too: no call for trl's template.
        ("gpt-oss", "harmony", PARIS),
    ],
)
def test_where_our_format_differs_it_reads_what_the_family_wrote(
    name: str, writer: str, written: Calls, tmp_path: Path
) -> None:
    family, text = TEMPLATES[name], FAMILIES[writer].write(written)
    assert calls(text, family.format) == written
    path = config(tmp_path, family.fields, family.anchor)
    format = read_format(imported(tmp_path, path))
    told = parse(text, format)
    if name == "gpt-oss":
        assert not told.calls
        assert told.problems  # transformers says nothing
    elif writer == "glm4":
        assert calls(text, format) == [("get_weather", {"city": "two"})]


def test_ernie_writes_its_answer_between_marks() -> None:
    assert parse("hm\n</think>\n\n<response>\nHello.\n</response>", "ernie45").text.strip() == "Hello."


def test_the_file_says_what_the_template_does_not(tmp_path: Path) -> None:
    tokens = {"1": {"content": "<tool_call>", "special": True}, "2": {"content": "<think>", "special": False}}
    fields = TEMPLATES["qwen3.5"].fields
    path = config(tmp_path, fields, added_tokens_decoder=tokens)
    result = CliRunner().invoke(import_group, ["format", str(path)])
    assert (result.exit_code, result.stderr) == (0, "")
    assert (
        result.stdout
        == r"""# Imported from the response template of a tokenizer.
# not stated by the template: how the family is called, and its models (`id`, `title`, `models`)
# not stated by the template: the marks of results and of declarations of tools (`results`)
# not stated by the template: the system prompt, and how results go back (`prompts`, `responses`)
# not stated by the template: whether the prompt begins a thought (`prefilled`)
# not stated by the template: what ends the element of the name (`</function>`)

id = "imported"
title = "Imported"
thoughts = [{open = "<think>", close = "</think>", prefilled = true}]
ends = ["<|im_end|>"]

[[calls]]
open = ["<tool_call> <function={name}>"]
close = ["</function></tool_call>", "</function>\n</tool_call>", "</function> </tool_call>", "</tool_call>"]
content = "parameters"
parameters = [{open = ["<parameter={key}>"], close = ["</parameter>"], trim = "blanks"}]
"""
    )
    unmarked = imported(tmp_path, config(tmp_path, fields)).read_text(encoding="utf-8")
    assert '\nmark = "tag"\n' in unmarked
    assert "whether prose may have the markers of calls (`mark`)" in unmarked


def test_a_vocabulary_of_thousands_of_tokens_is_no_reason_to_refuse(tmp_path: Path) -> None:
    flags = dict.fromkeys(("lstrip", "normalized", "rstrip", "single_word", "special"), False)
    tokens = {str(at): {"content": f"<unused{at}>", **flags} for at in range(7_000)}
    path = config(tmp_path, TEMPLATES["qwen3"].fields, added_tokens_decoder=tokens)
    assert path.stat().st_size > 2**20  # as of Gemma 3
    assert read_format(imported(tmp_path, path))


def call(**changes: Any) -> dict[str, Any]:
    """A template whose calls have the form of Qwen's, with some keys changed."""
    return {"tool_calls": {**HERMES, **changes}}


def pattern(expression: str) -> dict[str, Any]:
    made = call(open_pattern=expression, transform=NAMED)
    del made["tool_calls"]["open"]
    return made


def tag(expression: str, **more: Any) -> dict[str, Any]:
    return {"tool_calls": {**XML, "content_args": {"tag_pattern": expression, **more}}}


@pytest.mark.parametrize(
    ("fields", "key", "message"),
    [
        (pattern(r"to=functions\.(?P<name>\w+).*?<\|message"), "open_pattern", r"`.*?<\|message` fits more"),
        (pattern(r"<(?P<name>\w+)\w*>"), "open_pattern", r"`\w*>` fits more than a literal"),
        (pattern(r"<(?P<name>\w+)[xy]>"), "open_pattern", "`[xy]>` fits more"),
        (pattern(r"<(?P<name>a|b)>"), "open_pattern", "fits more"),
        (pattern(r"<(?P<other>\w+)>(?P<name>\w+):"), "open_pattern", r"`(?P<other>\w+)` is no name"),
        (pattern(r"<x+(?P<name>\w+)>"), "open_pattern", "`<x+` repeats a literal"),
        (pattern(r"(?=<)(?P<name>\w+)>"), "open_pattern", "fits more"),
        (pattern(r"(?:<|$<)(?P<name>\w+)>"), "open_pattern", "it may fit nothing"),
        (pattern(r"(<(?P<name>\w+)>)?"), "open_pattern", "it may fit nothing"),
        (pattern("(?:a?){9}" + "(?:a|b)" * 7), "open_pattern", "repeats a literal"),
        (pattern("(?:a|b)" * 7), "open_pattern", "more than 64 markers"),
        (pattern("(" * 490 + ")" * 490), "open_pattern", "it may fit nothing"),
        (pattern("(" * 3), "open_pattern", "has no end"),
        (pattern("<a>)"), "open_pattern", "`)` at character 4 ends no group"),
        (pattern("x" * 2000), "open_pattern", "more than 1,000 characters"),
        (pattern("<{name}>"), "open_pattern", "what is a hole in a marker"),
        (call(open="<{name}>"), "open", "is blank, or has a hole"),
        (call(open=" "), "open", "is blank, or has a hole"),
        (call(open=5), "tool_calls", "Expected `str | array | null`"),
        (call(opens="<"), "tool_calls", "unknown field `opens`"),
        (call(content="kv-lines"), "content", "no 'kv-lines'"),
        (call(content_args={"allow_non_json": True}), "content", "these `content_args`"),
        (call(transform=None), "transform", "not all named"),
        (call(transform={"function": {"name": "f", "arguments": "{content}", "x": 1}}), "transform", "not a"),
        (tag(r"<(?P<key>\w+)>(?P<value>[^<]*)<"), "tag_pattern", r"`(?P<value>[^<]*)` is no name, id"),
        (tag(r"(?P<key>\w+)=(?P<value>'[^']*'|[^,)]*)"), "tag_pattern", "fits more"),
        (tag(r"<v>(?P<value>.*?)</v>"), "tag_pattern", "its key, then its value"),
        (tag("<", value_parser={"name": "int"}), "value_parser", "text or JSON"),
        (tag("<", merge_duplicates=True), "content", "these `content_args`"),
        ({**call(), "citations": {"open": "<c>", "close": "</c>"}}, "citations", "has no text 'citations'"),
        ({**call(), "thinking": {"open": "<t>"}}, "thinking", "a closing marker"),
        ({**call(), "thinking": {"open_pattern": "(?=.*x)", "close": "</t>"}}, "open_pattern", "fits more"),
        ({"content": {"close": "<e>"}}, "response_template", "no form of calls"),
    ],
)  # fmt: skip
def test_what_a_format_cannot_say_is_refused_with_its_place(
    fields: dict[str, Any], key: str, message: str, tmp_path: Path
) -> None:
    path = config(tmp_path, fields)
    problems = read_response_template(path, path.name)
    assert not isinstance(problems, str)
    assert message in problems[0].message
    assert problems[0].hint == "write the format by hand: docs/how-to/own-text-format.md"
    line = path.read_text(encoding="utf-8").splitlines()[problems[0].line - 1]
    assert line[problems[0].column - 1 :].startswith(f'"{key}"')


def test_every_problem_is_told_and_the_command_fails(tmp_path: Path) -> None:
    path = config(tmp_path, {**pattern("."), "citations": {}, "thinking": {"open": ""}})
    result = CliRunner().invoke(import_group, ["format", str(path), "--format", "json"])
    assert result.exit_code == 1
    assert [each["code"] for each in json.loads(result.stdout)["diagnostics"]] == ["import-format"] * 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "the file has no `response_template`"),
        ("[]", "the file has no `response_template`"),
        ('{"response_schema": {"x-regex": "(a*)*b"}}', "which transformers reads no more"),
        ('{"response_template": 5}', "response_template is none of transformers: Expected `object`"),
        ('{"response_template": {"fields": {}, "version": 2}}', "Invalid enum value 2"),
        ('{"response_template": {"fields": {}, "version": 1, "x": 1}}', "unknown field `x`"),
        ("{", "never closed"),
        ("[" * 100_000, "nest"),
        ('{"a": "' + "x" * 4_200_000 + '"}', "larger than"),
    ],
)
def test_a_file_without_a_template(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer_config.json"
    path.write_text(text, encoding="utf-8")
    problems = read_response_template(path, path.name)
    assert not isinstance(problems, str)
    assert message in problems[0].message
    assert problems[0].file == "tokenizer_config.json"


PIECES = st.sampled_from(
    [
        *"()|?*+[]{}^$.\\<>/=:\"' \n",
        "(?:",
        "(?P<name>",
        r"\w+)",
        "[^>]+)",
        r"\s*",
        r"\n?",
        "(?=",
        "tool",
        "\x02",
        "\x7f",
        "é",
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join), st.lists(PIECES, max_size=6).map("".join))
def test_any_expression_is_a_format_that_can_be_read_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, open: str, close: str
) -> None:
    folder = tmp_path_factory.mktemp("any")
    fields = {"tool_calls": {**XML, "open_pattern": open, "close_pattern": close}}
    path = config(folder, fields)
    found = read_response_template(path, path.name)
    if isinstance(found, str):
        read_format(imported(folder, path))
    else:
        assert all(each.line and each.column for each in found)


def test_groups_of_a_marker_are_the_name_the_id_and_digits(tmp_path: Path) -> None:
    fields = call(
        open_pattern=r'(?:<call|<do) id="(?P<id>[^"]+)" #(?P<n>\d+):\s+(?P<name>[\w.-]+)>\n?',
        transform={**NAMED, "id": "{id}"},
        close_pattern=r"</call>|</do>\s*|\Z",
    )
    del fields["tool_calls"]["open"], fields["tool_calls"]["close"]
    format = read_format(imported(tmp_path, config(tmp_path, fields)))
    (found,) = parse('<do id="a-7" #12:\nping>{"a": 1}</do>', format).calls
    assert (found.name, found.id, json.loads(found.arguments)) == ("ping", "a-7", {"a": 1})
