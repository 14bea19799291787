"""The reference in Markdown, as a renderer reads it: links and blocks that hold, and inert texts."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec import structs
from toolcast.project.output.manifest import is_ours
from toolcast.targets.make_model import set_model
from toolcast.targets.model import ToolModel
from toolcast.targets.render import set_outputs, tool_outputs

from tests.report.hostile import TEXTS
from tests.targets.models import Tools, built_in, corpus_tools, model_of, reference_tools, together
from tests.targets.test_targets import HOSTILE

TARGET = built_in("reference")
FOLDER = "targets/reference/"
MARKUP = {"html_inline", "image", "code_block", "hr", "blockquote_open", "ordered_list_open"}


def parsed(text: str) -> list[Token]:
    found = MarkdownIt("commonmark").enable("table").parse(text)
    return found + [below for each in found for below in each.children or ()]


def page(model: ToolModel) -> str:
    ((path, content),) = tool_outputs(TARGET, model).items()
    assert path == f"{FOLDER}tools/{model.names.wire}.md"
    assert is_ours(content)
    return content.decode()


def index(models: list[ToolModel]) -> str:
    ((path, content),) = set_outputs(TARGET, set_model(models)).items()
    assert path == f"{FOLDER}index.md"
    assert is_ours(content)
    return content.decode()


def rows(tokens: list[Token]) -> Iterator[list[str]]:
    row: list[str] = []
    for token, after in pairwise(tokens):
        if token.type in ("td_open", "th_open"):
            row.append("".join(below.content for below in after.children or ()))
        elif token.type == "tr_close":
            yield row
            row = []


@pytest.mark.parametrize("which", ["reference", pytest.param("corpora", marks=pytest.mark.corpora)])
def test_links_blocks_and_tables_hold(which: str, request: pytest.FixtureRequest) -> None:
    tools: Tools = (
        reference_tools() if which == "reference" else corpus_tools(request.getfixturevalue("shared_dir"))
    )
    assert len(tools) == {"reference": 19, "corpora": 200}[which]
    models = [model for model, _ in tools]
    listed = parsed(index(models))
    targets = [token.attrs["href"] for token in listed if token.type == "link_open"]
    assert sorted(map(str, targets)) == sorted(f"tools/{model.names.wire}.md" for model in models)
    for model in models:
        tokens = parsed(page(model))
        kinds = {token.type for token in tokens}
        assert not kinds & (MARKUP | {"link_open"})
        assert sum(token.type == "html_block" for token in tokens) == 1
        fences = [json.loads(token.content) for token in tokens if token.type == "fence"]
        assert fences == list(model.examples)
        found = list(rows(tokens))
        assert {len(row) for row in found} <= {4}
        named = [row[0] for row in found if row[0] != "Name"]
        assert len(named) == sum(len(each.properties) for each in model.types)


def test_what_a_page_says() -> None:
    parameters = {
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": {"enum": ["x", "y|z", 3]},
            "b": {"type": "array", "items": {"type": ["string", "null"]}},
            "c": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "d": True,
            "e": {"type": "integer", "default": 3, "description": "How many."},
            "f": {"enum": [*range(8)]},
            "g": {"type": "object", "properties": {"h": {"type": "boolean"}}},
        },
    }
    text = page(made("count", {"description": "Counts.\n\n- First.\n- Then.", "parameters": parameters}))
    found = {row[0]: row[1:] for row in rows(parsed(text))}
    assert found["a"] == ['"x" | "y|z" | 3', "yes", ""]
    assert found["b"][0] == "array of string or null"
    assert found["c"][0] == "integer or string"
    assert found["d"][0] == "any value"
    assert found["e"] == ["integer", "", "How many. Default: 3."]
    assert found["f"][0] == "0 | 1 | 2 | 3 | 4 | 5 | 2 more"
    assert found["g"][0] == "ParamsG"
    assert "## `ParamsG`" in text
    shown = MarkdownIt("commonmark").render(text)
    assert "Counts.<br />\n- First.<br />\n- Then.</p>" in shown


def made(name: str, spec: dict[str, Any]) -> ToolModel:
    found = model_of(name, spec)
    assert found is not None
    return found[0]


def hostile(text: str) -> ToolModel:
    """A tool of which every text is `text`."""
    inner = {"x": {"type": "string"}}
    properties = {
        "p": {"type": "string", "description": text, "default": text},
        "kind": {"enum": [text, "other"], "description": text},
        re.sub(r'["\\\x00-\x1f]', "", f"n{text}"): {
            "type": "object",
            "description": text,
            "properties": inner,
        },
    }
    spec = {
        "description": f"Tool {text}", "summary": f"Tool {text}", "annotations": {"title": f"T{text}"},
        "parameters": {"type": "object", "properties": properties}, "examples": [{"p": text}],
    }  # fmt: skip
    model = made("tool", {**spec, "summary": " ".join(f"Tool {text}".split())})
    return structs.replace(model, group=text, spec=f"{text}/tool.yaml", secrets=(f"s{text}",))


def structure(model: ToolModel) -> list[tuple[str, str]]:
    """The kinds of blocks of a tool's page and of the index, and what is markup within them."""
    blocks = [(token.type, token.tag) for token in MarkdownIt().parse(page(model) + index([model]))]
    inline = {token.type for token in parsed(page(model)) + parsed(index([model]))}
    assert not inline & MARKUP
    return blocks


PLAIN = structure(hostile("plain"))


@pytest.mark.parametrize("text", TEXTS)
def test_no_text_of_a_spec_is_markup(text: str) -> None:
    assert structure(hostile(text)) == PLAIN
    content = page(hostile(text)) + index([hostile(text)])
    assert not [letter for letter in content if letter in "\u200b\u202e\u2066\u2028\U000e0041"]


@given(st.lists(HOSTILE, max_size=4).map("".join))
def test_no_composed_text_is_markup(text: str) -> None:
    text = "a" + text.encode("utf-8", "replace").decode().replace("\0", "")
    assert structure(hostile(text)) == PLAIN


@given(st.text("=-:|#>`*_1.) +~<&[]\\ab \n\u2028", max_size=60))
def test_a_description_of_any_lines_is_one_paragraph(text: str) -> None:
    model = reference_tools()[0][0]
    expected = [token.type for token in MarkdownIt().parse(page(structs.replace(model, description="Text.")))]
    found = [token.type for token in MarkdownIt().parse(page(structs.replace(model, description=text)))]
    assert found == expected or not text.strip()


def test_it_is_the_same_in_any_order() -> None:
    tools = reference_tools()
    assert set_outputs(TARGET, together(tools)) == set_outputs(TARGET, together(tools[::-1]))
