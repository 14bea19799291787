"""The tool parsers of vLLM and SGLang, our formats of their names, and what judges each format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from toolcast.agents.text_calls import TextFormat, known_formats
from toolcast.jsonschema.json_values import JsonObject
from toolcast.text_formats.call_grammar import CallsAllowed, call_grammar

from tests.agents.text_calls.formats.chat_templates import TEMPLATES
from tests.agents.text_calls.formats.writers import FAMILIES

from ..peers.table import table
from .texts import Text

SERVERS: Mapping[str, tuple[str, ...]] = {
    "vLLM": (
        *("apertus", "cohere_command3", "cohere_command4", "deepseek_v3", "deepseek_v31", "deepseek_v32"),
        *("deepseek_v4", "ernie45", "functiongemma", "gemma4", "gigachat3", "glm45", "glm47", "granite"),
        *("granite-20b-fc", "granite4", "hermes", "hunyuan_a13b", "hy_v3", "hy_v4", "inkling", "internlm"),
        *("jamba", "kimi_k2", "kimi_k3", "lfm2", "llama3_json", "llama4_json", "llama4_pythonic", "longcat"),
        *("mimo", "minicpm5", "minimax_m2", "minimax_m3", "mistral", "olmo3", "openai", "phi4_mini_json"),
        *("poolside_v1", "pythonic", "qwen3_coder", "qwen3_xml", "seed_oss", "solar_open2", "step3"),
        *("step3p5", "xlam"),
    ),
    "SGLang": (
        *("apertus2509", "cohere_command4", "deepseekv3", "deepseekv31", "deepseekv32", "deepseekv4"),
        *("dots", "gemma4", "gigachat3", "gigachat35", "glm", "glm45", "glm47", "gpt-oss", "hermes"),
        *("hunyuan", "inkling", "interns1", "k2_horizon", "kimi_k2", "kimi_k3", "lfm2", "ling3", "llama3"),
        *("mimo", "minicpm5", "minimax-m2", "minimax-m3", "mistral", "muse", "poolside_v1", "pythonic"),
        *("qwen", "qwen25", "qwen3_coder", "spark25", "step3", "step3p5", "trinity"),
    ),
}
"""Names of `--tool-call-parser`, as of November 2026: of `vllm/tool_parsers/__init__.py` and its open pull
requests, and `ToolCallParserEnum` of `sglang/srt/function_call/function_call_parser.py`."""

TOOL: JsonObject = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
    "required": ["path"],
    "additionalProperties": False,
}

HEAD = """\
## Parsers of vLLM and SGLang

Each name that `--tool-call-parser` takes, as of November 2026. toolcast takes the same names.

* *prompt*: the vendor's own words for tools, or toolcast's, where the family has none.
* *grammar*: whether `registry.grammar` writes its calls for engines that constrain a model.
* *judge*: what holds the format to the family. *template*: tests write calls as the vendor's chat template
  does. A number: texts of other parsers' tests, above."""


def parsers(texts: Iterable[Text]) -> str:
    """Make the part of the page.

    Args:
        texts: all texts of other parsers' tests.
    """
    judged = Counter(text.family for text in texts)
    rows = []
    for id, format in known_formats().items():
        names = [", ".join(f"`{name}`" for name in _of(format, served)) for served in SERVERS.values()]
        if any(names):
            prompt = "vendor's" if format.prompts else "toolcast's"
            rows.append([f"`{id}`", *names, prompt, _grammar(id), _judge(format, judged[id])])
    return HEAD + "\n\n" + "\n".join(table([("format", *SERVERS, "prompt", "grammar", "judge"), *rows]))


def missing() -> list[str]:
    """Parsers of these servers whose name no format has."""
    known = {name for each in known_formats().values() for name in _names(each)}
    return [f"{server}: {name}" for server, served in SERVERS.items() for name in served if name not in known]


def _of(format: TextFormat, served: tuple[str, ...]) -> Iterator[str]:
    names = _names(format)
    return (name for name in served if name in names)


def _names(format: TextFormat) -> frozenset[str]:
    return frozenset((format.id, *format.aliases))


def _grammar(id: str) -> str:
    """Whether there are grammars of the format's calls."""
    try:
        call_grammar(id, "xgrammar", {"read": TOOL}, CallsAllowed())
    except ValueError:
        return "no"
    return "yes"


def _judge(format: TextFormat, texts: int) -> str:
    written = {each.format for each in TEMPLATES.values()} | {*FAMILIES}
    judges = ["template"] if written & _names(format) else []
    return ", ".join([*judges, *([f"{texts} texts"] if texts else [])])
