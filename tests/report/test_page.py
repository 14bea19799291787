"""The page: its data is read back unchanged, and no text of a spec is markup or code in it."""

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from toolcast.analysis.report.page import CHUNK, embedded, render_page
from toolcast.analysis.report.report_model import Report, ToolDetail

from tests.lint.projects import GOOD, write
from tests.report.hostile import TEXTS
from tests.report.reports import report_of


class _Elements(HTMLParser):
    """The elements of a page, with their attributes and the text in them, as a browser reads them."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.comments: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), []))

    def handle_data(self, data: str) -> None:
        if self.found:
            self.found[-1][2].append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def text(self, id: str) -> str:
        (found,) = ["".join(text) for _, attributes, text in self.found if attributes.get("id") == id]
        return found


def _details(elements: _Elements) -> list[Any]:
    data = json.loads(elements.text("details"))
    assert data["size"] == CHUNK
    return [each for chunk in data["chunks"] for each in json.loads(gzip.decompress(base64.b64decode(chunk)))]


def test_the_data_of_a_page_is_the_report(hostile: Report, own: Report) -> None:
    for report in (hostile, own):
        elements = _Elements(render_page(report).decode())
        index = json.loads(elements.text("index"))
        index["details"] = _details(elements)
        assert index == json.loads(msgspec.json.encode(report))


def test_no_text_of_a_spec_is_an_element_or_an_attribute(hostile: Report) -> None:
    harmless = _Elements(render_page(msgspec.structs.replace(hostile, tools=(), details=())).decode())
    elements = _Elements(render_page(hostile).decode())
    assert [(tag, attributes) for tag, attributes, _ in elements.found] == [
        (tag, attributes) for tag, attributes, _ in harmless.found
    ]
    assert elements.comments == []


def test_no_byte_of_a_text_is_markup(hostile: Report) -> None:
    page = render_page(hostile).decode()
    start = page.index('id="index">') + len('id="index">')
    data = page[start : page.index("</script>", start)]
    assert "alert(1)" in data
    assert not set(data) & set("<>&\u2028\u2029")
    assert page.count("</script") == page.count("<script")


def test_the_title_of_a_project_is_text(own: Report) -> None:
    title = '</title><script>alert("1")</script>'
    report = msgspec.structs.replace(own, title=title, details=(), tools=())
    elements = _Elements(render_page(report).decode())
    (shown,) = ["".join(text) for tag, _, text in elements.found if tag == "title"]
    assert shown.strip() == f"{title}: tools"


def _policy(elements: _Elements) -> dict[str, list[str]]:
    (policy,) = [
        str(attributes["content"])
        for _, attributes, _ in elements.found
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    return {words[0]: words[1:] for words in (rule.split() for rule in policy.split(";"))}


def test_the_policy_allows_the_scripts_and_the_style_alone(hostile: Report) -> None:
    page = render_page(hostile).decode()
    policy = _policy(_Elements(page))
    assert policy["default-src"] == ["'none'"]
    assert policy["connect-src"] == ["'none'"]
    for directive, tag in (("script-src", "script"), ("style-src", "style")):
        bodies = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digests = [base64.b64encode(hashlib.sha256(body.encode()).digest()).decode() for body in bodies]
        assert policy[directive] == [f"'sha256-{digest}'" for digest in digests]
    assert len(policy["script-src"]) == 1


def test_a_page_names_nothing_to_load(hostile: Report) -> None:
    elements = _Elements(render_page(hostile).decode())
    loading = {"src", "href", "srcset", "action", "data", "poster"}
    assert [tag for tag, attributes, _ in elements.found if loading & attributes.keys()] == []


def test_equal_reports_give_equal_pages(hostile: Report) -> None:
    again = msgspec.json.decode(msgspec.json.encode(hostile), type=Report)
    assert render_page(again) == render_page(hostile)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(), below, max_size=4),
    max_leaves=20,
)


@given(JSON | st.sampled_from(TEXTS))
def test_embedded_json_means_the_same_and_holds_no_markup(value: Any) -> None:
    text = embedded(value)
    assert json.loads(text) == value
    assert not set(text) & set("<>&\u2028\u2029")


def test_many_tools_are_in_chunks(tmp_path: Path) -> None:
    write(tmp_path, {"count": GOOD}, 'providers = ["mcp"]\n')
    report = report_of(tmp_path)
    (one,) = report.details
    details = tuple(msgspec.structs.replace(one, name=f"count_{number}") for number in range(2 * CHUNK + 1))
    elements = _Elements(render_page(msgspec.structs.replace(report, details=details)).decode())
    assert len(json.loads(elements.text("details"))["chunks"]) == 3
    read = [msgspec.convert(each, ToolDetail, strict=False) for each in _details(elements)]
    assert tuple(each.name for each in read) == tuple(each.name for each in details)
