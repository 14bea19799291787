"""What documents say: headings, paragraphs, fields and links of each format; nothing is lost in passages."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast_tools.knowledge.blocks import (
    PASSAGE,
    Block,
    Heading,
    html_text,
    links_in,
    markdown_blocks,
    outline,
    passages,
)
from toolcast_tools.knowledge.documents import read_document


def test_markdown_headings() -> None:
    text = """# One #
text
Two
===
more
text
---
## Three

```
# no heading
```
#hashtag
~~~ x
# none either
```
"""
    assert [(block.level, block.text) for block in markdown_blocks(text)] == [
        (1, "One"), (0, "text\nTwo\n===\nmore\ntext\n---"), (2, "Three"),
        (0, "```\n# no heading\n```"), (0, "#hashtag"), (0, "~~~ x\n# none either\n```"),
    ]  # fmt: skip
    assert markdown_blocks("Title\n=====\n\nSub\n---\n") == [Block("Title", 1), Block("Sub", 2)]


def test_html_text() -> None:
    found = html_text(
        b"<html lang=en><head><title> A  b </title><meta name=author content='Ada'>"
        b"<meta property='article:modified_time' content='2025-01-02'><script>evil()</script></head>"
        b"<body><h2>T <b>x</b></h2><p>para <a href='https://x.example/z'>link</a> tail<!-- c --> more</p>"
        b"loose<pre> a\n  b</pre><style>p {}</style>after"
        b"<a href='javascript:evil()'>j</a><a href='/rel'>r</a></body>"
    )
    assert found.blocks == [
        Block("T x", 2), Block("para link tail more"), Block("loose"), Block(" a\n  b"), Block("afterjr"),
    ]  # fmt: skip
    assert found.links == ["https://x.example/z"]
    assert found.fields == {"title": "A b", "author": "Ada", "updated": "2025-01-02", "language": "en"}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("<p>Grüße</p>".encode(), "Grüße"),
        ('<meta charset="iso-8859-1"><p>Grüße</p>'.encode("latin-1"), "Grüße"),
        ("\ufeff<p>x</p>".encode("utf-16-le"), "x"),
    ],
)
def test_encodings_of_html(data: bytes, expected: str) -> None:
    assert [block.text for block in html_text(data).blocks] == [expected]


WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=40)
BLOCKS = st.lists(
    st.tuples(
        st.lists(WORDS, min_size=1, max_size=120).map(" ".join), st.sampled_from([0, 0, 0, 1, 2, 3, 6])
    ).map(lambda pair: Block(*pair)),
    max_size=12,
)


@given(BLOCKS)
def test_every_word_of_a_paragraph_is_in_a_passage_of_its_section(blocks: list[Block]) -> None:
    blocks = [Block(f"#{block.text}", block.level) if block.level else block for block in blocks]
    found = passages(blocks)
    assert all(len(passage.text) <= PASSAGE + 2 * 12 for passage in found)  # empty lines between paragraphs
    kept = "".join(passage.text for passage in found if not passage.text.startswith("#"))
    assert re.sub(r"\s", "", kept) == re.sub(
        r"\s", "", "".join(block.text for block in blocks if not block.level)
    )
    below = ""
    expected = []
    for block in blocks:
        if block.level:
            below = block.text[:300]
        else:
            expected += [(below, word) for word in block.text.split()]
    sections = [(passage.section.split(" > ")[-1], passage.text) for passage in found]
    assert all(
        any(title == section and word in text for section, text in sections) for title, word in expected
    )


def test_a_text_without_spaces_is_cut() -> None:
    found = passages([Block("字" * 5000)])
    assert "".join(passage.text for passage in found) == "字" * 5000
    assert max(len(passage.text) for passage in found) == PASSAGE


@given(st.lists(st.integers(1, 6), max_size=20), st.integers(1, 3))
def test_an_outline_has_its_headings_in_order(levels: list[int], depth: int) -> None:
    found = [Heading(level, str(number)) for number, level in enumerate(levels)]

    def flat(sections: list, level: int = 1) -> list[tuple[int, str]]:  # type: ignore[type-arg]
        return [pair for each in sections for pair in [(level, each.title), *flat(each.sections, level + 1)]]

    # The depth of a heading: how many headings before it enclose it.
    expected = []
    for number, level in enumerate(levels):
        enclosing, least = 1, level
        for before in reversed(levels[:number]):
            if before < least:
                enclosing, least = enclosing + 1, before
        if enclosing <= depth:
            expected.append((enclosing, str(number)))
    assert flat(outline(found, depth)) == expected


def test_links() -> None:
    text = "See [a](https://a.example/x?y=1#z), <https://b.example>. And http://c.example/d_e_! javascript:x ftp://y"
    assert links_in(text) == ["https://a.example/x?y=1#z", "https://b.example", "http://c.example/d_e"]


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ("Ada", {"name": "Ada"}),
        ("Ada <ada@example.com>", {"name": "Ada", "email": "ada@example.com"}),
        ("{name: Ada, email: no address}", {"name": "Ada"}),
        ("[Ada, Grace]", {"name": "Ada"}),
        ("[{name: Ada}]", {"name": "Ada"}),
        ("{email: ada@example.com}", None),
        ("12", None),
        ("''", None),
    ],
)
def test_authors(author: str, expected: dict[str, str] | None) -> None:
    document = read_document("a.md", f"---\nauthor: {author}\n---\nx".encode(), 0.0)
    assert document.record.get("author") == expected


def test_titles_and_dates_have_defaults() -> None:
    document = read_document("deep/my-notes.txt", b"x", 1_800_000_000.5)
    assert document.record == {
        "title": "my-notes", "kind": "text",
        "created": "2027-01-15T08:00:00.500000Z", "updated": "2027-01-15T08:00:00.500000Z",
    }  # fmt: skip
    assert read_document("a.md", b"## Two\n\n# One\n", 0.0).record["title"] == "One"
    strange = read_document("a.md", b"---\ntitle: 7\ndate: tomorrow\nkind: []\n---\n", 1e18).record
    assert (strange["title"], strange["created"], strange["kind"]) == ("a", "9999-12-31T23:59:59Z", "page")
    assert (
        read_document("a.md", b"---\nlastmod: 2025-01-02 03:04\n---\n", 0.0).record["updated"]
        == "2025-01-02T03:04:00Z"
    )
