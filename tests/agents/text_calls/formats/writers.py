"""How each family writes calls, after its vendor's chat template."""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Calls = Sequence[tuple[str, dict[str, Any]]]


class Family(NamedTuple):
    """One family.

    Attributes:
        write: writes calls as the template does.
        close: what ends the last call, or the list of calls: words before it leave something unread.
        thought: encloses a thought.
        end: what the model writes last.
        value: how a value of the arguments is written, where all of them are text.
        one: whether an answer has one call only.
    """

    write: Callable[[Calls], str]
    close: str
    thought: str = "<think>{}</think>"
    end: str = ""
    value: Callable[[Any], str] | None = None
    one: bool = False


def to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def raw_or_json(value: Any) -> str:
    """A string as it is, anything else as JSON."""
    return value if isinstance(value, str) else to_json(value)


def raw_or_python(value: Any) -> str:
    """A string as it is, anything else as Python prints it."""
    return str(value)


def _each(template: str, join: str = "") -> Callable[[Calls], str]:
    def write(calls: Calls) -> str:
        return join.join(
            template.replace("NAME", name).replace("NUMBER", str(number)).replace("JSON", to_json(arguments))
            for number, (name, arguments) in enumerate(calls)
        )

    return write


def _listed(before: str, item: str, after: str, join: str = ", ") -> Callable[[Calls], str]:
    return lambda calls: f"{before}[{_each(item, join)(calls)}]{after}"


def _parameters(
    call: str, parameter: str, value: Callable[[Any], str], join: str = ""
) -> Callable[[Calls], str]:
    """A block for each call, with a piece for each parameter where PARAMETERS stands."""

    def one(name: str, arguments: dict[str, Any]) -> str:
        pieces = (
            parameter.replace("KEY", key).replace("VALUE", value(each)) for key, each in arguments.items()
        )
        return call.replace("NAME", name).replace("PARAMETERS", "".join(pieces))

    return lambda calls: join.join(one(name, arguments) for name, arguments in calls)


def _enclosed(before: str, write: Callable[[Calls], str], after: str) -> Callable[[Calls], str]:
    return lambda calls: f"{before}{write(calls)}{after}"


def _braces(before: str, quote: str, after: str) -> Callable[[Calls], str]:
    def braces(value: Any) -> str:
        if isinstance(value, str):
            return f"{quote}{value}{quote}"
        if isinstance(value, dict):
            return "{" + ",".join(f"{key}:{braces(value[key])}" for key in sorted(value)) + "}"
        if isinstance(value, list):
            return "[" + ",".join(braces(item) for item in value) + "]"
        return to_json(value)

    return lambda calls: "".join(
        f"{before}call:{name}{braces(arguments)}{after}" for name, arguments in calls
    )


def _minicpm5(value: Any) -> str:
    text = raw_or_python(value)
    return f"<![CDATA[{text}]]>" if isinstance(value, str) and any(mark in text for mark in "<&\n") else text


def _kimi_k3(calls: Calls) -> str:
    types = {"str": "string", "bool": "boolean", "int": "number", "float": "number", "NoneType": "null"}
    types |= {"list": "array", "dict": "object"}
    written = ""
    for number, (name, arguments) in enumerate(calls, 1):
        written += f'<|open|>call tool="{name}" index="{number}"<|sep|>'
        for key, value in arguments.items():
            head = f'<|open|>argument key="{key}" type="{types[type(value).__name__]}"<|sep|>'
            written += f"{head}{raw_or_json(value)}<|close|>argument<|sep|>"
        written += "<|close|>call<|sep|>"
    return written


def _gcml(calls: Calls) -> str:
    written = ""
    for name, arguments in calls:
        written += f'<｜GCML｜invoke name="{name}">\n'
        for key, value in arguments.items():
            text = "true" if isinstance(value, str) else "false"
            head = f'<｜GCML｜parameter name="{key}" string="{text}">'
            written += f"{head}{raw_or_json(value)}</｜GCML｜parameter>\n"
        written += "</｜GCML｜invoke>\n"
    return written


_OBJECT = '{"name": "NAME", "arguments": JSON}'
_HERMES = _each(f"<tool_call>\n{_OBJECT}\n</tool_call>", "\n")
_GLM_PAIR = "<arg_key>KEY</arg_key>\n<arg_value>VALUE</arg_value>\n"
_QWEN_CALL = "<function=NAME>\nPARAMETERS</function>"
_HY = ":opensource>"

FAMILIES: dict[str, Family] = {
    "gemma4": Family(
        _braces("<|tool_call>", '<|"|>', "<tool_call|>"),
        "<tool_call|>",
        "<|channel>thought\n{}<channel|>",
        "<|tool_response>",
    ),
    "functiongemma": Family(
        _braces("<start_function_call>", "<escape>", "<end_function_call>"),
        "<end_function_call>",
        end="<start_function_response>",
    ),
    "harmony": Family(
        _each(
            "<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>JSON<|call|>",
            "<|start|>assistant",
        ),
        "<|call|>",
        "<|channel|>analysis<|message|>{}<|end|><|start|>assistant",
    ),
    "granite3": Family(_listed("<|tool_call|>", _OBJECT, ""), "]", end="<|end_of_text|>"),
    "granite-20b": Family(_each(f"<function_call> {_OBJECT}", "\n"), "}}", end="<|endoftext|>"),
    "granite4": Family(_HERMES, "</tool_call>", end="<|end_of_text|>"),
    "gigachat3": Family(_each(f"<|function_call|>{_OBJECT}<|message_sep|>"), "<|message_sep|>", one=True),
    "cohere": Family(
        _listed(
            "<|START_ACTION|>",
            '\n    {"tool_call_id": "NUMBER", "tool_name": "NAME", "parameters": JSON}',
            "<|END_ACTION|>",
            ",",
        ),
        "<|END_ACTION|>",
        "<|START_THINKING|>{}<|END_THINKING|>",
        "<|END_OF_TURN_TOKEN|>",
    ),
    "step3": Family(
        _enclosed(
            "<｜tool_calls_begin｜>\n",
            _parameters(
                "<｜tool_call_begin｜>function<｜tool_sep｜>"
                '<steptml:invoke name="NAME">\nPARAMETERS</steptml:invoke><｜tool_call_end｜>\n',
                '<steptml:parameter name="KEY">VALUE</steptml:parameter>\n',
                raw_or_json,
            ),
            "<｜tool_calls_end｜>",
        ),
        "</steptml:invoke>",
        end="<|EOT|>",
        value=raw_or_json,
    ),
    "step3p5": Family(
        _parameters(
            f"<tool_call>\n{_QWEN_CALL}\n</tool_call>",
            "<parameter=KEY>\nVALUE\n</parameter>\n",
            raw_or_python,
        ),
        "</function>",
        end="<|im_end|>",
        value=raw_or_python,
    ),
    "minicpm5": Family(
        _parameters(
            '<function name="NAME">PARAMETERS</function>', '<param name="KEY">VALUE</param>', _minicpm5, "\n"
        ),
        "</function>",
        end="<|im_end|>",
        value=raw_or_python,
    ),
    "apertus": Family(
        _listed("<|tools_prefix|>", '{"NAME": JSON}', "<|tools_suffix|>"),
        "<|tools_suffix|>",
        "<|inner_prefix|>{}<|inner_suffix|>",
        "<|assistant_end|>",
    ),
    "internlm2": Family(
        _each('<|action_start|><|plugin|>\n{"name": "NAME", "parameters": JSON}<|action_end|>'),
        "<|action_end|>",
        end="<|im_end|>",
    ),
    "glm4": Family(
        _parameters("<tool_call>NAME\nPARAMETERS</tool_call>", _GLM_PAIR, raw_or_json, "\n"),
        "</tool_call>",
        end="<|observation|>",
        value=raw_or_json,
    ),
    "glm47": Family(
        _parameters("<tool_call>NAMEPARAMETERS</tool_call>", _GLM_PAIR.replace("\n", ""), raw_or_json),
        "</tool_call>",
        end="<|observation|>",
        value=raw_or_json,
    ),
    "poolside": Family(
        _parameters("<tool_call>NAME\nPARAMETERS</tool_call>\n", _GLM_PAIR, raw_or_json),
        "</tool_call>",
        end="</assistant>",
        value=raw_or_json,
    ),
    "hunyuan-v3": Family(
        _enclosed(
            f"<tool_calls{_HY}\n",
            _parameters(
                f"<tool_call{_HY}NAME<tool_sep{_HY}\nPARAMETERS</tool_call{_HY}\n",
                f"<arg_key{_HY}KEY</arg_key{_HY}\n<arg_value{_HY}VALUE</arg_value{_HY}\n",
                raw_or_json,
            ),
            f"</tool_calls{_HY}",
        ),
        f"</tool_call{_HY}",
        f"<think{_HY}{{}}</think{_HY}",
        "<｜hy_eos:opensource｜>",
        raw_or_json,
    ),
    "hy_v4": Family(
        _enclosed(
            f"<tool_calls{_HY}",
            _parameters(
                f"<tool_call{_HY}NAMEPARAMETERS</tool_call{_HY}",
                f"<arg_key{_HY}KEY</arg_key{_HY}<arg_value{_HY}VALUE</arg_value{_HY}",
                raw_or_json,
            ),
            f"</tool_calls{_HY}",
        ),
        f"</tool_call{_HY}",
        f"<think{_HY}{{}}</think{_HY}",
        "<｜hy_eos:opensource｜>",
        raw_or_json,
    ),
    "solar-open2": Family(
        _parameters(
            "<|tool_call:start|>NAME\nPARAMETERS<|tool_call:end|>",
            "<|tool_arg:start|>KEY<|tool_arg:value|>VALUE<|tool_arg:end|>\n",
            raw_or_json,
            "\n",
        ),
        "<|tool_call:end|>",
        "<|think:start|>{}<|think:end|>",
        "<|im:end|>",
        raw_or_json,
    ),
    "iquest": Family(
        _parameters(
            "<iquest_tool_call>NAMEPARAMETERS</iquest_tool_call>", _GLM_PAIR.replace("\n", ""), raw_or_json
        ),
        "</iquest_tool_call>",
        end="<|iquest_end|>",
        value=raw_or_json,
    ),
    "gigachat35": Family(
        _enclosed("<｜GCML｜tool_calls>\n", _gcml, "</｜GCML｜tool_calls>"),
        "</｜GCML｜invoke>",
        end="</s>",
        value=lambda value: value,
    ),
    "kimi-k2": Family(
        _enclosed(
            "<|tool_calls_section_begin|>",
            _each(
                "<|tool_call_begin|>functions.NAME:NUMBER<|tool_call_argument_begin|>JSON<|tool_call_end|>"
            ),
            "<|tool_calls_section_end|>",
        ),
        "<|tool_call_end|>",
        end="<|im_end|>",
    ),
    "jamba": Family(
        _listed("<tool_calls>", f"\n    {_OBJECT}", "</tool_calls>", ","), "</tool_calls>", end="<|eom|>"
    ),
    "ernie45": Family(_HERMES, "</tool_call>", end="\n<|im_end|>"),
    "seed-oss": Family(
        _parameters(
            f"<seed:tool_call>\n{_QWEN_CALL}\n</seed:tool_call>",
            "<parameter=KEY>VALUE</parameter>\n",
            raw_or_python,
            "\n",
        ),
        "</function>",
        "<seed:think>{}</seed:think>",
        "<seed:eos>",
        raw_or_python,
    ),
    "phi4-mini": Family(_listed("functools", _OBJECT, ""), "]", end="<|end|>"),
    "inkling": Family(
        _each(
            '<|content_invoke_tool_json|>{"name": "NAME", "args": JSON}<|end_message|>', "<|message_model|>"
        ),
        "<|end_message|>",
        "<|content_thinking|>{}<|end_message|><|message_model|>",
    ),
    "kimi-k3": Family(
        _enclosed("<|open|>tools<|sep|>", _kimi_k3, "<|close|>tools<|sep|>"),
        "<|close|>call<|sep|>",
        "<|open|>think<|sep|>{}<|close|>think<|sep|>",
    ),
    "dots": Family(
        _enclosed(
            "<dots_function_call>\n",
            _parameters(
                '<invoke name="NAME">\nPARAMETERS</invoke>\n',
                '<parameter name="KEY">VALUE</parameter>\n',
                raw_or_json,
            ),
            "</dots_function_call>",
        ),
        "</invoke>",
        value=raw_or_json,
    ),
    "calling-tool": Family(_each("[Calling tool: NAME(JSON)]", "\n"), ")]"),
}
