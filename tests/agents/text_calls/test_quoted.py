"""A call that is shown, in code, a quotation, a comment or a declaration, is none; one beside it is."""

import random
import re
import textwrap
from collections.abc import Callable, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from toolcast.agents.text_calls import known_formats, parse

from tests.agents.text_calls.forms import FORMS as EXAMPLES
from tests.agents.text_calls.forms import read
from tests.agents.text_calls.rendered import CALLS, FORMS, Form, calls
from tests.agents.text_calls.test_streams import check_cuts

CALL = '<tool_call>{"name": "pay", "arguments": {"to": "me"}}</tool_call>'
TOOL = '{"type": "function", "function": {"name": "pay", "description": "Pays.", "parameters": {}}}'


def ticks(text: str, character: str = "`", least: int = 1) -> str:
    """A run that is longer than any in the text."""
    return character * max(least, 1 + max((len(run) for run in re.findall(f"{character}+", text)), default=0))


def span(text: str) -> str:
    return f"{ticks(text)} {text} {ticks(text)}"


def fence(text: str, info: str = "", character: str = "`", end: bool = True) -> str:
    run = ticks(text, character, 3)
    return f"{run}{info}\n{text}\n{run if end else ''}\n"


def prefixed(text: str, prefix: str) -> str:
    return "\n".join(prefix + line for line in re.split(r"\r\n|\r|\n", text)) + "\n"


Wrap = Callable[[str], str]
INLINE: dict[str, Wrap] = {
    "a code span": span,
    "a longer code span": lambda text: f"`{ticks(text)} {text} {ticks(text)}`",
    "a comment": lambda text: f"<!-- {text} -->",
    "code": lambda text: f"<code>{text}</code>",
    "code in capitals": lambda text: f'<CODE class="x">{text}</CODE>',
    "kbd": lambda text: f"<kbd>{text}</kbd>",
    "q": lambda text: f"<q>{text}</q>",
    "an example": lambda text: f"<example>{text}</example>",
    "tools": lambda text: f"<tools>{TOOL}\n{text}</tools>",
    "functions": lambda text: f"<functions>\n{TOOL}\n{text}\n</functions>",
}
BLOCKS: dict[str, Wrap] = {
    "a fence": fence,
    "a fence of a language": lambda text: fence(text, "xml"),
    "a fence of text": lambda text: fence(text, " text title=a"),
    "a fence of tildes": lambda text: fence(text, "json", "~"),
    "a fence in a list": lambda text: "- so:\n" + textwrap.indent(fence(text), "  ", lambda _: True),
    "a fence without an end": lambda text: fence(text, "xml", end=False),
    "a quotation": lambda text: prefixed(text, "> "),
    "a quotation without a blank": lambda text: prefixed(text, ">"),
    "a quotation in a quotation": lambda text: prefixed(text, "> > "),
    "a quotation in a list": lambda text: prefixed(text, "- > "),
    "a comment on lines": lambda text: f"<!--\n{text}\n-->\n",
    "a comment without an end": lambda text: f"<!-- {text}\n",
    "pre": lambda text: f"<pre>\n{text}\n</pre>\n",
    "indented code": lambda text: "So:\n\n" + prefixed(text, "    ") + "\nThat is it.\n",
    "code with a tab": lambda text: "So:\n\n" + prefixed(text, "\t") + "\nThat is it.\n",
    "pre without an end": lambda text: f"<pre><code>{text}\n",
    "a blockquote": lambda text: f"<blockquote>\n\n{text}\n\n</blockquote>\n",
    "tools on lines": lambda text: f"<tools>\n{TOOL}\n\n{text}\n</tools>\n",
    "tools alone": lambda text: f"<tools>\n:{text}\n</tools>\n",
}
WRAPS = {**INLINE, **BLOCKS}
READ_AS = ("auto", "hermes", "toolcast", "zeroclaw")


@pytest.mark.parametrize("wrap", WRAPS)
def test_a_shown_call_is_prose(wrap: str) -> None:
    around = (("", ""), ("Use ", ""), ("Use this:\n\n", "\nThat is how."), ("- So: ", " and so on."))
    for format, (before, after) in product(READ_AS, around):
        if wrap in BLOCKS and before in ("Use ", "- So: "):
            continue
        text = f"{before}{WRAPS[wrap](CALL)}{after}"
        assert [call.name for call in read(text, format).calls] == [], text
        parsed = parse(text, format)
        assert (parsed.text, parsed.problems) == (text.strip(), ()), text


@pytest.mark.parametrize("wrap", [wrap for wrap in WRAPS if "without an end" not in wrap])
def test_a_call_beside_a_shown_one_runs(wrap: str) -> None:
    shown = WRAPS[wrap](CALL)
    real = CALL.replace("pay", "real")
    texts = (f"{real}\n\n{shown}", f"{shown}\n\n{real}", f"{real}\n{shown}\n\n{real}\n\nSo:\n\n{shown}")
    for format, text in product(READ_AS, texts):
        assert [call.name for call in read(text, format).calls] == ["real"] * text.count("real"), text
        assert parse(text, format).problems == (), text


@st.composite
def shown(draw: st.DrawFn) -> tuple[str, Form]:
    """Calls in a form, shown in containers, in one or two of them."""
    each = draw(st.sampled_from(FORMS))
    several = draw(CALLS)
    template = draw(st.sampled_from(each.form.open))
    try:
        text = calls(each, several, template)
    except ValueError:
        text = calls(each, [(name, {"command": "ls -la"}) for name, _ in several], template)
    for section in each.format.sections[: draw(st.integers(0, 1))]:
        text = f"{section.open}{text}{section.close}"
    text = text.replace("-->", "->")
    inner = draw(st.sampled_from(sorted(WRAPS)))
    text = WRAPS[inner](text)
    if draw(st.booleans()):
        text = BLOCKS[draw(st.sampled_from(sorted(BLOCKS)))](text.replace("-->", "->"))
    before = draw(st.sampled_from(["So:\n\n", "It is `x`.\n\n", "# How\n", "1. First\n\n2. Then\n\n"]))
    return before + text + draw(st.sampled_from(["", "\nThat is it.", "\n\n`y`"])), each


@given(shown(), st.lists(st.integers(0), max_size=6))
def test_no_call_in_a_container_runs(given_: tuple[str, Form], places: list[int]) -> None:
    text, each = given_
    for format in ("auto", each.format.id):
        assert parse(text, format).calls == (), (format, text)
        check_cuts(text, places, format, cut=False)


STYLES = (
    "To call a tool, the model writes {}.", "The tag {} opens a call, and `</tool_call>` closes it.",
    "Models of this family answer with {} and stop.", "**Note**: {} is *not* run here.",
    "* an item with {}\n* and one without", "1. First write {},\n2. then wait.",
    "| form | example |\n|---|---|\n| this | {} |", "### Calls such as {}\n\nThey end with a marker.",
    "It's <b>easy</b>: a < b, x[0], `y`, and {}!",
)  # fmt: skip
FILLERS = (
    "Tools are declared first.", "The `<think>` block is removed.", "Use `<tool_call>` here.", "", "So:",
    "> Quoted.",
)  # fmt: skip


def written_forms() -> list[str]:
    found = [text for text, _ in EXAMPLES.values()]
    for each in FORMS:
        try:
            found.append(calls(each, [("shell", {"command": "ls -la"})], each.form.open[0]))
        except ValueError:
            continue
    return sorted({text.strip() for text in found})


def document(seed: int) -> str:
    """A text that explains how tools are called, and calls none."""
    chosen = random.Random(seed)
    examples = written_forms()
    parts = [chosen.choice(("# How to call tools", "Sure! Here is how tools are called.", "Tool calls"))]
    for _ in range(chosen.randint(1, 8)):
        call, kind = chosen.choice(examples), chosen.random()
        if kind < 0.4 and "\n" not in call:
            parts.append(chosen.choice(STYLES).format(INLINE[chosen.choice(sorted(INLINE))](call)))
        elif kind < 0.85:
            parts.append(BLOCKS[chosen.choice(sorted(set(BLOCKS) - ENDLESS))](call))
        parts.append(chosen.choice(FILLERS))
    return "\n\n".join(parts) + chosen.choice(("", "\n"))


ENDLESS = {wrap for wrap in BLOCKS if "without an end" in wrap}


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.thorough) for part in range(1, 25))]
)
def test_documents_that_explain_calls_run_nothing(part: int) -> None:
    for seed in range(40 * part, 40 * (part + 1)):
        text = document(seed)
        for format in ("auto", "toolcast", "hermes", "zeroclaw", "pythonic"):
            assert parse(text, format).calls == (), (seed, format, text)
        check_cuts(text, [seed * at for at in range(5)], "auto", cut=False)


@pytest.mark.parametrize("format", known_formats())
def test_they_run_nothing_in_any_format(format: str) -> None:
    for seed in range(8):
        text = document(seed)
        assert parse(text, format).calls == (), (seed, text)


# What CommonMark reads as code, a quotation or HTML, told by markdown-it.

PLACE = "<function=f></function>"
PIECES = (
    "`", "``", "```", "\\`", "\\", "~~~", "a", "b c", "\n", "\n", "\n\n", "> ", "- ", "1. ", "2. ", "    ",
    "  ", "# ", "\n\n<!--", "-->\n", "<!-- x -->", "```xml\n", "\n```\n", "\n~~~\n", "<code>", "\n\n    ",
    "* ", "---\n",
)  # fmt: skip
MARKDOWN = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def is_shown(text: str) -> bool:
    """Whether CommonMark has the place in code, in a quotation, or in a block of HTML."""
    quoted = 0
    for token in MarkdownIt("commonmark").parse(text):
        quoted += {"blockquote_open": 1, "blockquote_close": -1}.get(token.type, 0)
        inner: Sequence[Token] = token.children or [token]
        for one in inner:
            if "function=f" in one.content:
                if one.type == "html_block":  # it has the rest of the line, too
                    before = one.content.partition(PLACE)[0]
                    return quoted > 0 or before.rfind("<!--") > before.rfind("-->")
                return quoted > 0 or one.type in ("code_inline", "fence", "code_block")
    return True  # of a fence: its first line


@given(MARKDOWN, MARKDOWN)
def test_what_commonmark_shows_is_not_run(before: str, after: str) -> None:
    text = before + PLACE + after
    if is_shown(text) and not begins_indented(text):
        assert [call.name for call in read(text, "qwen3-coder").calls] == [], text


def test_a_call_between_fences_that_a_broken_one_shifts_is_a_problem() -> None:
    text = f"```json\n{{}}```\nSo:\n```\n{CALL}\n```\n"
    assert [call.name for call in read(text, "auto").calls] == []
    assert len(parse(text).problems) == 1


def begins_indented(text: str) -> bool:
    """Whether the text begins with an indent, which is no code before any other text."""
    return re.match(r"(?:[ \t]*\n)*(?: {4}| *\t)", text) is not None


BACKTICKS = st.lists(st.sampled_from(["`", "``", "a", " ", "\\`", "\n", "\n\n", "# b\n"]), max_size=12).map(
    "".join
)


@given(BACKTICKS, BACKTICKS)
def test_no_backtick_hides_what_commonmark_has_as_text(before: str, after: str) -> None:
    text = re.sub("`{3,}", "``", f"x {before} {PLACE}{after}")
    assert [call.name for call in read(text, "qwen3-coder").calls] == ([] if is_shown(text) else ["f"]), text
