"""The site in Chromium: axe-core finds nothing in pages of each kind, and none is wider than the screen."""

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.report.browser.chromium import PHONE, WIDE, axe, chromium
from tests.sampled import sampled

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = (
    "", "tutorial/first-tool/", "how-to/openai/", "reference/specs/", "reference/providers/",
    "reference/compatibility/", "reference/names/runtime/", "reports/performance/",
)  # fmt: skip
TABLES = "reports/performance/"
CODE = "tutorial/first-tool/"
LOOKS = ("phone dark", "wide light", "phone light", "wide dark")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The address of the built site, served on the loopback interface."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as found:
        yield found


@pytest.fixture
def page(browser: "Browser", look: str) -> "Iterator[Page]":
    """An empty page of one size and colour scheme."""
    size, scheme = look.split()
    width, height = {"wide": WIDE, "phone": PHONE}[size]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    yield context.new_page()
    context.close()


@pytest.mark.parametrize(
    ("look", "path"),
    [
        pytest.param(look, path, marks=[] if look == LOOKS[at % len(LOOKS)] else [pytest.mark.thorough])
        for at, path in enumerate(PAGES)
        for look in LOOKS
    ],
)
def test_axe_finds_nothing_and_no_page_is_wider_than_its_screen(
    page: "Page", address: str, path: str
) -> None:
    page.goto(address + path)
    assert page.viewport_size is not None
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    assert axe(page) == []


@pytest.mark.parametrize("look", sampled(LOOKS, ["phone dark", "wide light"]))
def test_axe_finds_nothing_in_the_search(page: "Page", address: str) -> None:
    page.goto(address)
    page.keyboard.press("/")
    page.get_by_role("textbox", name="Search").press_sequentially("strict mode")
    page.locator(".md-search-result__link").first.wait_for()
    assert axe(page) == []


def test_the_search_finds_words_of_headings_first(browser: "Browser", address: str) -> None:
    wanted = {
        "renaming a tool": "how-to/review-a-change/#rename-a-tool",
        "rename tool": "how-to/review-a-change/#rename-a-tool",
        "change a default": "how-to/review-a-change/#change-a-default",
        "large api": "how-to/migrate-from-openapi/#import-a-large-api",
        "TestModel": "how-to/pydantic-ai/#test-with-testmodel",
        "images": "how-to/images/",
        "precheck": "how-to/approvals/#refuse-a-call-before-anybody-is-asked-precheck",
        "strict mode": "reference/providers/#without-strict-mode",
    }
    page, found = browser.new_page(), {}
    for query in wanted:
        page.goto(f"{address}?q={query}")
        first = page.locator(".md-search-result__item").first
        first.wait_for()
        links = first.locator("a.md-search-result__link")
        found[query] = [str(each.get_attribute("href")) for each in links.all()]
    page.close()
    for query, target in wanted.items():
        assert target in [re.sub(r"\?[^#]*", "", link.removeprefix(address)) for link in found[query]], query


def test_the_rules_of_providers_are_searched_and_lead_to_their_vectors(
    browser: "Browser", address: str
) -> None:
    page = browser.new_page()
    page.goto(f"{address}reference/compatibility/")
    field = page.get_by_role("searchbox", name="Search the rules")
    field.fill("strict.pattern")
    assert page.get_by_role("status").filter(has_text="rules").inner_text() == "0 rules"
    field.fill("uniqueitems openai-responses")
    line = page.locator("#rules tbody tr").first
    assert line.locator("td").all_inner_texts()[:4] == [
        "uniqueItems",
        "openai-responses",
        "strict",
        "refused",
    ]
    assert "toStrictJsonSchema" in line.inner_text()
    line.get_by_role("link").click()
    assert '"uniqueItems": true' in line.locator("pre").inner_text()
    sign = page.get_by_role("link", name="multipleOf, gemini: refused")
    assert "content.proto" in str(sign.get_attribute("title"))
    sign.click()
    line = page.locator("#rules tbody tr").first
    line.locator("pre").wait_for()
    assert '"id": "gemini/dialect.multipleOf"' in line.locator("pre").inner_text()
    page.close()


@pytest.mark.parametrize("look", sampled(["phone dark", "phone light"], ["phone dark"]))
def test_axe_finds_nothing_in_the_menu_of_a_phone(page: "Page", address: str) -> None:
    page.goto(address)
    page.locator("label.md-header__button[for=__drawer]").click()
    page.wait_for_function(
        "document.querySelector('.md-sidebar--primary').getBoundingClientRect().left === 0"
    )
    assert axe(page) == []


def test_the_keyboard_scrolls_tables_that_are_wider_than_their_boxes(
    browser: "Browser", address: str
) -> None:
    scrolls = "boxes => boxes.filter(box => box.scrollWidth > box.clientWidth).length"
    page = browser.new_page(viewport={"width": PHONE[0], "height": PHONE[1]})
    page.goto(address + TABLES)
    tables, boxes = page.get_by_role("group", name="Table"), page.locator(".md-typeset__scrollwrap")
    narrow = tables.count()
    assert narrow == boxes.evaluate_all(scrolls) > 0
    tables.first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    page.wait_for_function(
        "narrow => document.querySelectorAll('.md-typeset__scrollwrap[tabindex]').length < narrow", arg=narrow
    )
    assert tables.count() == boxes.evaluate_all(scrolls)
    page.close()


def test_copy_buttons_are_no_landmarks(browser: "Browser", address: str) -> None:
    page = browser.new_page(viewport={"width": WIDE[0], "height": WIDE[1]})
    page.goto(address + CODE)
    page.locator(".md-code__nav").first.wait_for(state="attached")
    landmarks = page.get_by_role("navigation").evaluate_all("all => all.map(each => each.className)")
    assert landmarks
    assert "md-code__nav" not in landmarks
    page.close()
