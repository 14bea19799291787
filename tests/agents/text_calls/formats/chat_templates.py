"""The calls of a turn as the chat templates of families write them."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

Calls = list[tuple[str, dict[str, Any]]]
NS = "]<]minimax[>["


class Template(Struct, frozen=True):
    """What a chat template writes.

    Attributes:
        write: the calls of a turn.
        format: the text format that reads them.
        bare: whether the calls are the whole turn, read only where the format is named.
        several: whether a turn may have more than one call.
        unsafe: what a string cannot hold, because nothing escapes it there.
        end: what stands behind the turn.
    """

    write: Callable[[Calls], str]
    format: str
    bare: bool = False
    several: bool = True
    unsafe: tuple[str, ...] = ()
    end: str = ""


def dumps(value: object) -> str:
    """JSON as `tojson` and the vendors' encoders write it."""
    return json.dumps(value, ensure_ascii=False)


def objects(calls: Calls, arguments: str = "arguments") -> list[str]:
    return [dumps({"name": name, arguments: given}) for name, given in calls]


def blocks(open: str, close: str, between: str = "") -> Callable[[Calls], str]:
    return lambda calls: between.join(f"{open}{each}{close}" for each in objects(calls))


def listed(open: str, close: str) -> Callable[[Calls], str]:
    return lambda calls: f"{open}[{', '.join(objects(calls))}]{close}"


def raw(value: object) -> str:
    return value if isinstance(value, str) else dumps(value)


def qwen3_coder(calls: Calls) -> str:
    """Strings as they are, all else as JSON; the value on lines of its own."""
    out = []
    for name, given in calls:
        values = "".join(f"<parameter={key}>\n{raw(value)}\n</parameter>\n" for key, value in given.items())
        out.append(f"<tool_call>\n<function={name}>\n{values}</function>\n</tool_call>")
    return "\n".join(out)


def mimo(calls: Calls) -> str:
    """Qwen3-Coder's form, with the value between its markers."""
    out = []
    for name, given in calls:
        values = "".join(f"<parameter={key}>{raw(value)}</parameter>\n" for key, value in given.items())
        out.append(f"<tool_call>\n<function={name}>\n{values}</function>\n</tool_call>")
    return "\n".join(out)


def k2_horizon(calls: Calls) -> str:
    out = ""
    for name, given in calls:
        pairs = "".join(
            f"<ifm|arg_key>{key}</ifm|arg_key>\n<ifm|arg_value>{raw(value)}</ifm|arg_value>\n"
            for key, value in given.items()
        )
        out += f"<ifm|tool_call>{name}\n{pairs}</ifm|tool_call>\n"
    return f"<ifm|tool_calls>\n{out}</ifm|tool_calls>"


def minimax_m2(calls: Calls) -> str:
    out = ""
    for name, given in calls:
        values = "".join(
            f'<parameter name="{key}">{raw(value)}</parameter>\n' for key, value in given.items()
        )
        out += f'<invoke name="{name}">\n{values}</invoke>\n'
    return f"\n<minimax:tool_call>\n{out}</minimax:tool_call>"


def muse(calls: Calls) -> str:
    """A message for each call; its header names the tool, too."""
    out = []
    for name, given in calls:
        values = "".join(
            f'<atem:parameter name="{key}">{raw(value)}</atem:parameter>\n' for key, value in given.items()
        )
        block = f'<atem:invoke name="{name}">\n{values}</atem:invoke>'
        header = f"<|start|>assistant to={name}<|message|>"
        out.append(f"{header}<atem:function_calls>\n{block}\n</atem:function_calls>")
    return "<|eom|>".join(out)


def _m3_value(value: object) -> str:
    if isinstance(value, dict):
        return "".join(_m3_element(key, each) for key, each in value.items())
    if isinstance(value, list):
        return "".join(_m3_element("item", each) for each in value)
    return raw(value)


def _m3_element(key: str, value: object) -> str:
    return f"{NS}<{key}>{_m3_value(value)}{NS}</{key}>"


def minimax_m3(calls: Calls) -> str:
    out = "".join(f'{NS}<invoke name="{name}">{_m3_value(given)}{NS}</invoke>\n' for name, given in calls)
    return f"{NS}<tool_call>\n{out}{NS}</tool_call>"


def deepseek_v3(calls: Calls) -> str:
    inner = "\n".join(
        f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{dumps(given)}\n```<｜tool▁call▁end｜>"
        for name, given in calls
    )
    return f"<｜tool▁calls▁begin｜>{inner}<｜tool▁calls▁end｜>"


def deepseek_v31(calls: Calls) -> str:
    inner = "".join(
        f"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{dumps(given)}<｜tool▁call▁end｜>" for name, given in calls
    )
    return f"<｜tool▁calls▁begin｜>{inner}<｜tool▁calls▁end｜>"


def dsml(block: str, blank: str = "") -> Callable[[Calls], str]:
    """DeepSeek's markup; V4.1 has a blank before each word."""
    mark = f"｜DSML｜{blank}"

    def write(calls: Calls) -> str:
        out = ""
        for name, given in calls:
            values = "\n".join(
                f'<{mark}parameter name="{key}" string="{str(isinstance(value, str)).lower()}">'
                f"{raw(value)}</{mark}parameter>"
                for key, value in given.items()
            )
            out += f'<{mark}invoke name="{name}">\n{values}\n</{mark}invoke>\n'
        return f"\n\n<{mark}{block}>\n{out}</{mark}{block}>"

    return write


def longcat_lite(calls: Calls) -> str:
    out = ""
    for name, given in calls:
        pairs = "".join(
            f"<longcat_arg_key>{key}</longcat_arg_key>\n<longcat_arg_value>{raw(value)}</longcat_arg_value>\n"
            for key, value in given.items()
        )
        out += f"<longcat_tool_call>functions.{name}\n{pairs}</longcat_tool_call>\n"
    return out


def python(calls: Calls) -> list[str]:
    return [
        f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})" for name, given in calls
    ]


def olmo3(calls: Calls) -> str:
    lines = [
        f"{name}({', '.join(f'{key}={dumps(value)}' for key, value in given.items())})"
        for name, given in calls
    ]
    return "<function_calls>" + "\n".join(lines) + "</function_calls>"


def _plamo(word: str) -> str:
    return f"<|plamo:{word}:plamo|>"


def plamo3(calls: Calls) -> str:
    inner = "".join(
        f"{_plamo('begin_tool_request')}{_plamo('begin_tool_name')}{name}{_plamo('end_tool_name')}"
        f"{_plamo('begin_tool_arguments')}<|plamo:constrain|>json<|plamo:msg|>{dumps(given)}"
        f"{_plamo('end_tool_arguments')}{_plamo('end_tool_request')}"
        for name, given in calls
    )
    return f"{_plamo('begin_tool_requests')}{inner}{_plamo('end_tool_requests')}"


def _each(write: Callable[[str, str], str]) -> Callable[[Calls], str]:
    return lambda calls: "".join(write(name, dumps(given)) for name, given in calls)


TEMPLATES: Mapping[str, Template] = {
    "hermes": Template(blocks("<tool_call>\n", "\n</tool_call>", "\n"), "hermes", end="<|im_end|>"),
    "qwen25": Template(blocks("<tool_call>\n", "\n</tool_call>", "\n"), "qwen25", end="<|im_end|>\n"),
    "qwen3-coder": Template(
        qwen3_coder, "qwen3-coder", unsafe=("</parameter>", "<parameter="), end="<|im_end|>\n"
    ),
    "nemotron3": Template(qwen3_coder, "nemotron3", unsafe=("</parameter>", "<parameter=")),
    "nemotron": Template(listed("<TOOLCALL>", "</TOOLCALL>"), "nemotron", end="\n<SPECIAL_12>\n"),
    "llama3-json": Template(
        lambda calls: objects(calls, "parameters")[0],
        "llama3-json",
        bare=True,
        several=False,
        end="<|eot_id|>",
    ),
    "llama3-python-tag": Template(
        lambda calls: "<|python_tag|>" + "; ".join(objects(calls, "parameters")),
        "llama3-json",
        end="<|eom_id|>",
    ),
    "llama3-function": Template(
        _each(lambda name, given: f"<function={name}>{given}</function>"), "llama3-function", end="<|eom_id|>"
    ),
    "functionary-v3.1": Template(
        _each(lambda name, given: f"<function={name}>{given}</function>"), "functionary", end="<|eom_id|>"
    ),
    "functionary-v3.2": Template(
        lambda calls: ">>>".join(f"{name}\n{dumps(given)}" for name, given in calls),
        "functionary-v3.2",
        bare=True,
        end="<|eot_id|>",
    ),
    "llama4-pythonic": Template(
        lambda calls: f"[{', '.join(python(calls))}]", "llama4-pythonic", bare=True, end="<|eot|>"
    ),
    "llama4-marked": Template(
        lambda calls: f"<|python_start|>[{', '.join(python(calls))}]<|python_end|>", "pythonic", end="<|eot|>"
    ),
    "mistral-v3": Template(
        lambda calls: (
            "[TOOL_CALLS]"
            + dumps([{"name": name, "arguments": given, "id": "abcdefgh0"} for name, given in calls])
        ),
        "mistral-v3",
        end="</s>",
    ),
    "mistral-v11": Template(
        _each(lambda name, given: f"[TOOL_CALLS]{name}[CALL_ID]abcdefgh0[ARGS]{given}"),
        "mistral-v11",
        end="</s>",
    ),
    "mistral-v13": Template(
        _each(lambda name, given: f"[TOOL_CALLS]{name}[ARGS]{given}"), "mistral", end="</s>"
    ),
    "minimax-m1": Template(
        lambda calls: "<tool_calls>\n" + "\n".join(objects(calls)) + "\n</tool_calls>",
        "minimax-m1",
        end="<end_of_sentence>\n",
    ),
    "minimax-m2": Template(
        minimax_m2, "minimax-m2", unsafe=("</parameter>", "<parameter name="), end="[e~[\n"
    ),
    "minimax-m3": Template(minimax_m3, "minimax-m3", unsafe=("]<]minimax[>[",), end="[e~[\n"),
    "deepseek-v3": Template(deepseek_v3, "deepseek-v3", end="<｜end▁of▁sentence｜>"),
    "deepseek-v31": Template(deepseek_v31, "deepseek-v31", end="<｜end▁of▁sentence｜>"),
    "deepseek-v32": Template(dsml("function_calls"), "deepseek-dsml", unsafe=("｜DSML｜",)),
    "deepseek-v4": Template(dsml("tool_calls"), "deepseek-v4", unsafe=("｜DSML｜",)),
    "deepseek-v41": Template(dsml("calls", " "), "deepseek-v4.1", unsafe=("｜DSML｜",)),
    "lfm2": Template(
        lambda calls: f"<|tool_call_start|>[{', '.join(python(calls))}]<|tool_call_end|>",
        "lfm2",
        end="<|im_end|>\n",
    ),
    "lfm2-json": Template(listed("<|tool_call_start|>", "<|tool_call_end|>"), "lfm2-json"),
    "olmo3": Template(olmo3, "olmo3", end="<|im_end|>\n"),
    "xlam": Template(listed("", ""), "xlam", bare=True, end="<|im_end|>"),
    "longcat": Template(
        blocks("<longcat_tool_call>\n", "\n</longcat_tool_call>"), "longcat", end="</longcat_s>"
    ),
    "longcat-lite": Template(longcat_lite, "longcat-lite", unsafe=("</longcat_arg_value>",)),
    "hunyuan-a13b": Template(listed("<tool_calls>", "</tool_calls>"), "hunyuan-a13b", end="<|eos|>"),
    "muse": Template(muse, "muse", unsafe=("</atem:parameter>", "<atem:parameter name="), end="<|eot|>"),
    "mimo": Template(mimo, "mimo", unsafe=("</parameter>", "<parameter="), end="<|im_end|>"),
    "k2-horizon": Template(k2_horizon, "k2-horizon", unsafe=("</ifm|arg_value>", "<ifm|arg_key>")),
    "plamo3": Template(plamo3, "plamo3", end="<|plamo:tag|>"),
}
MARKED = {name: each for name, each in TEMPLATES.items() if not each.bare}
SEVERAL = {name: each for name, each in TEMPLATES.items() if each.several}
