"""The page in a browser: what people see and do, by mouse and by keys, and what it must never do."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from toolcast.analysis.diff.rules import Witness
from toolcast.analysis.report.report_model import Report

from bench.corpora.compile import CORPORA, import_corpus
from tests.lint.projects import spec, write
from tests.report.reports import report_of
from tests.sampled import sampled

from .chromium import PHONE, WIDE, axe, opened, write_page
from .conftest import TRICKS, with_changes

if TYPE_CHECKING:
    from playwright.sync_api import Browser

VIEWS = (
    "#/", "#/tools", "#/tools?q=file", "#/tool/edit/openai", "#/tool/knowledge_search/typescript",
    "#/providers/cohere", "#/changes/calls", "#/tool/none",
)  # fmt: skip
LOOKS = ("wide light", "phone dark", "wide dark", "phone light")


@pytest.mark.parametrize("look", sampled(LOOKS, ["wide light", "phone dark"]))
def test_axe_finds_nothing(browser: "Browser", reference_page: Path, look: str) -> None:
    size, scheme = look.split()
    with opened(browser, reference_page, WIDE if size == "wide" else PHONE, scheme) as report:
        found = {route: axe(report.go(route)) for route in VIEWS}
        report.page.keyboard.press("?")
        found["help"] = axe(report.page)
        assert {route: problems for route, problems in found.items() if problems} == {}
        assert report.problems() == []


def test_no_view_is_wider_than_the_screen(browser: "Browser", reference_page: Path) -> None:
    with opened(browser, reference_page) as report:
        for width, height in ((320, 640), PHONE, (768, 1024), WIDE, (2560, 1300)):
            report.page.set_viewport_size({"width": width, "height": height})
            for route in VIEWS:
                page = report.go(route)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (route, width)


def test_hostile_text_stays_text(browser: "Browser", hostile_page: Path) -> None:
    with opened(browser, hostile_page) as report:
        for route in ("#/", "#/tools", "#/providers", "#/changes", "#/tool/hostile"):
            page = report.go(route)
            assert (
                page.locator("main img, main script, main svg[onload], main b, main [onmouseover]").count()
                == 0
            )
            assert page.locator("a[href^='javascript']").count() == 0
        page = report.go("#/tool/hostile")
        tabs = page.get_by_role("tablist", name="Provider").get_by_role("tab")
        for number in range(tabs.count()):
            tabs.nth(number).click()
            shown = page.locator("main").inner_text()
            assert "<img src=x onerror=alert(1)>" in shown
            assert "U+202E" in shown
            assert "\u202e" not in page.evaluate("document.title + document.querySelector('main').innerHTML")
        box = page.get_by_label("Arguments, as JSON")
        for trick in TRICKS:
            box.fill(json.dumps({"kind": 3, trick + "!": trick}))
            assert "Refused" in page.get_by_role("status").inner_text()
        assert report.problems() == []


def test_nothing_is_loaded(browser: "Browser", reference_page: Path) -> None:
    with opened(browser, reference_page) as report:
        for route in VIEWS:
            report.go(route)
        assert report.problems() == []
        policy = report.page.locator("meta[http-equiv]").get_attribute("content")
        assert policy is not None
        assert "default-src 'none'" in policy


def test_search_filters_and_order(browser: "Browser", reference_page: Path) -> None:
    with opened(browser, reference_page) as report:
        page = report.go("#/")
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "search"
        names = page.locator("tbody .name")
        everything = names.all_inner_texts()
        page.keyboard.type("old_string")  # a parameter
        assert names.all_inner_texts() == ["edit"]
        assert page.get_by_role("status").inner_text() == f"1 of {len(everything)} tools"
        page.keyboard.press("Escape")
        assert names.all_inner_texts() == everything
        page.get_by_label("Permission").select_option("network")
        assert names.all_inner_texts() == ["http_request"]
        assert "permission=network" in page.url
        page.get_by_label("Permission").select_option("")
        page.get_by_role("columnheader", name="gemini").get_by_role("button").click()
        cells = page.locator("tbody tr").evaluate_all(
            "rows => rows.map(row => row.cells[4].querySelector('.tokens').textContent)"
        )
        tokens = [int(cell.replace(",", "")) for cell in cells]
        assert tokens == sorted(tokens, reverse=True)
        assert len(tokens) == len(everything)
        page.reload()
        assert names.first.inner_text() == "knowledge_search"  # the address keeps the order
        assert report.problems() == []


def test_a_walk_by_keys(browser: "Browser", reference_page: Path) -> None:
    with opened(browser, reference_page) as report:
        page = report.go("#/tools")
        focused = "document.activeElement.getAttribute('href')"
        page.keyboard.press("/")
        page.keyboard.press("ArrowDown")
        assert page.evaluate(focused) == "#/tool/edit"
        for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
            page.keyboard.press(key)
        assert page.evaluate(focused) == "#/tool/file_read/bedrock"
        page.keyboard.press("Enter")
        page.wait_for_selector("h1:text-is('file_read')")
        assert page.evaluate("document.activeElement.tagName") == "H1"
        assert page.get_by_role("tab", selected=True).first.inner_text().startswith("bedrock")
        page.keyboard.press("]")
        page.wait_for_selector("h1:text-is('file_write')")
        page.keyboard.press("Escape")
        page.wait_for_selector(".matrix")
        page.go_back()
        page.wait_for_selector("h1:text-is('file_write')")
        page.keyboard.press("?")
        assert page.get_by_role("dialog").is_visible()
        page.keyboard.press("Escape")
        assert not page.get_by_role("dialog").is_visible()
        page.keyboard.press("1")
        page.wait_for_selector(".cards")
        assert report.problems() == []


def test_a_loss_is_shown_in_every_text(browser: "Browser", reference_page: Path) -> None:
    with opened(browser, reference_page) as report:
        page = report.go("#/tool/edit/openai-responses")
        losses = page.locator(".loss")
        assert losses.count() == 4
        losses.nth(1).click()
        chosen = {
            pane.locator(".pane-head").inner_text().split()[0]: pane.locator(".line.chosen").all_inner_texts()
            for pane in page.locator(".panes .pane").all()
        }
        assert ["required" in line for line in chosen["Spec"]] == [True]
        assert ["EditParams" in line for line in chosen["Python"]] == [True]
        assert ["required" in line for line in chosen["Provider"]] == [True]
        page.get_by_role("button", name="Loss 1 in Provider").click()
        assert "chosen" in (page.locator(".losses > li").first.get_attribute("class") or "")
        assert report.problems() == []


def test_the_box_for_arguments(browser: "Browser", reference_page: Path) -> None:
    with opened(browser, reference_page) as report:
        page = report.go("#/tool/edit")
        verdict, output = page.locator(".verdict"), page.locator(".output pre")
        assert "Accepted" in verdict.inner_text()  # the spec's example
        assert json.loads(output.inner_text())["replace_all"] is False  # a default
        page.get_by_label("Arguments, as JSON").fill('{"file_path": ""}')
        assert "Refused" in verdict.inner_text()
        text = output.inner_text()
        assert text.startswith(
            "Invalid arguments for tool 'edit', 3 problems:\n- $: missing required property"
        )
        page.get_by_role("button", name="Reset").click()
        assert "Accepted" in verdict.inner_text()
        assert report.problems() == []


def test_the_map_of_tokens(browser: "Browser", reference_page: Path) -> None:
    with opened(browser, reference_page) as report:
        page = report.go("#/providers/openai")
        names = page.locator(".treemap a title").all_text_contents()
        page.get_by_text("The same as a table").click()
        rows = page.locator("details tbody tr")
        assert len(names) == rows.count() == 8
        areas = page.locator(".treemap a rect").evaluate_all(
            "boxes => boxes.map(box => ['x', 'y', 'width', 'height'].map(name => box.getBBox()[name]))"
        )
        for at, (x, y, width, height) in enumerate(areas):
            assert width > 0
            assert height > 0
            for x2, y2, width2, height2 in areas[:at]:
                assert x + width <= x2 or x2 + width2 <= x or y + height <= y2 or y2 + height2 <= y
        page.locator(".treemap a").first.focus()
        page.keyboard.press("ArrowRight")
        label = page.evaluate("document.activeElement.firstElementChild.textContent")
        assert label == names[1]
        page.keyboard.press("Enter")
        page.wait_for_selector(f"h1:text-is('{label.partition(':')[0]}')")
        assert report.problems() == []


def test_changes_by_audience(browser: "Browser", reference_page: Path) -> None:
    with opened(browser, reference_page) as report:
        page = report.go("#/changes")
        assert page.locator(".change").count() == 1
        assert ", refused in the work tree:" in page.locator(".change").inner_text()
        page.get_by_role("tab", name="results").click()
        assert "Accepted in the work tree, refused in " in page.locator(".change").inner_text()
        page.get_by_role("tab", name="cache").click()
        assert page.locator(".change.note").count() == 1
        assert page.url.endswith("#/changes/cache")
        assert report.problems() == []


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", sampled(CORPORA, ("tau-bench",)))
def test_every_real_tool_opens(browser: "Browser", shared_dir: Path, tmp_path: Path, corpus: str) -> None:
    lines = shared_dir / "corpora" / f"{corpus}.jsonl"
    providers = ("openai", "anthropic", "gemini", "cohere", "mcp", "typescript")
    imported = import_corpus(lines, tmp_path / "project", providers=providers)
    assert imported.returncode == 0, imported.stderr
    report = report_of(tmp_path / "project")
    assert [each for each in report.diagnostics if each.severity == "error"] == []
    assert len(report.tools) == len(lines.read_text("utf-8").splitlines())
    file = write_page(report, tmp_path / "report.html")
    accepted = 0
    with opened(browser, file) as seen:
        for tool in report.tools:
            page = seen.go(f"#/tool/{tool.name}")
            assert page.locator("h1").inner_text() == tool.name
            assert page.locator(".panes .pane").count() == 3
            verdict = page.locator(".verdict").inner_text()
            assert "Not judged" not in verdict, tool.name
            accepted += "Accepted" in verdict
        assert seen.problems() == []
    print(
        f"{corpus}: {len(report.tools)} tools; the box begins with arguments that are accepted in {accepted}"
    )
    assert accepted > 0.9 * len(report.tools)


def test_a_provider_without_a_strict_mode_has_no_share_of_strict_tools(
    browser: "Browser", tmp_path: Path
) -> None:
    write(tmp_path, {"find": spec()}, 'providers = ["openai", "mistral"]\n')
    with opened(browser, write_page(report_of(tmp_path), tmp_path / "report.html")) as report:
        rows = report.go("#/").get_by_role("region", name="Providers").locator("tbody tr")
        assert [row.split("\t")[1].strip() for row in rows.all_inner_texts()] == ["1 of 1", "–"]
        for id, share in (("openai", "1 of 1"), ("mistral", "–")):
            cards = report.go(f"#/providers/{id}").locator(".cards .card").all_inner_texts()
            shown = dict(card.lower().split("\n", 1) for card in cards)
            assert shown["strict"] == share


def test_no_link_leads_to_a_tool_that_is_not_shown(browser: "Browser", tmp_path: Path) -> None:
    twin = spec(description="Counts the words of a text that a person wrote.")
    write(tmp_path, {"count": twin, "count_words": twin}, 'providers = ["openai"]\n')
    shown = report_of(tmp_path, tools=("count",))
    with opened(browser, write_page(shown, tmp_path / "report.html")) as report:
        assert report.go("#/tools").locator("a", has_text="count").count() > 0
        for route in ("#/", "#/tools", "#/tool/count/openai"):
            page = report.go(route)
            assert page.locator("a", has_text="count_words").count() == 0, route


def test_changes_stand_above_what_is_not_compared(browser: "Browser", tmp_path: Path) -> None:
    write(tmp_path, {"count": spec(), "wrong": spec(permission="fly")}, 'providers = ["openai"]\n')
    report = with_changes(report_of(tmp_path))
    assert report.diff is not None
    diff = msgspec.structs.replace(report.diff, diagnostics=report.diagnostics)
    file = write_page(msgspec.structs.replace(report, diff=diff), tmp_path / "report.html")
    with opened(browser, file) as shown:
        page = shown.go("#/changes")
        problem = page.get_by_text("specs/wrong.yaml")
        assert not problem.is_visible()
        page.get_by_text("not compared").click()
        assert problem.is_visible()
        cards = shown.go("#/").locator(".cards .card").all_inner_texts()
        assert dict(card.lower().split("\n", 1) for card in cards)["groups"] == "0"


def _with_tools(report: Report, count: int) -> Report:
    """The report with its first tool under many names."""
    row, shown = report.tools[0], report.details[0]
    names = [f"tool_{number:03}" for number in range(count)]
    return msgspec.structs.replace(
        report,
        tools=tuple(msgspec.structs.replace(row, name=name) for name in names),
        details=tuple(msgspec.structs.replace(shown, name=name) for name in names),
    )


def test_the_way_back_leads_to_the_tool_in_the_list(
    browser: "Browser", reference_report: Report, tmp_path: Path
) -> None:
    report = _with_tools(reference_report, 120)
    with opened(browser, write_page(report, tmp_path / "report.html")) as shown:
        page = shown.go("#/tools?q=tool")
        shown.go("#/tool/tool_090")
        for back in (page.go_back, lambda: page.keyboard.press("Escape")):
            back()
            page.wait_for_selector(".matrix")
            assert page.evaluate("document.activeElement.textContent") == "tool_090"
            assert page.locator("a.name", has_text="tool_090").is_visible()
            assert page.url.endswith("#/tools?q=tool")
            shown.go("#/tool/tool_090")
        page.keyboard.press("]")
        page.wait_for_selector("h1:text-is('tool_091')")
        page.emulate_media(media="print")
        shown.go("#/tools")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("tbody tr").count() == 120
        assert shown.problems() == []


def test_a_level_stays_chosen(browser: "Browser", reference_page: Path) -> None:
    with opened(browser, reference_page) as report:
        page = report.go("#/tool/edit/openai")
        page.get_by_role("tab", name="Brief").click()
        page.get_by_role("tab", name="gemini").first.click()
        assert page.url.endswith("#/tool/edit/gemini?view=brief")
        page.reload()
        page.wait_for_selector("h1:text-is('edit')")
        page.keyboard.press("]")
        page.wait_for_selector("h1:text-is('file_read')")
        chosen = page.get_by_role("tab", selected=True).all_inner_texts()
        assert [each.split()[0] for each in chosen] == ["gemini", "Brief"]
        assert report.problems() == []


def test_arguments_last_until_they_are_reset(browser: "Browser", reference_page: Path) -> None:
    with opened(browser, reference_page) as report:
        page = report.go("#/tool/edit")
        box = page.get_by_label("Arguments, as JSON")
        example = box.input_value()
        box.fill('{"file_path": 3}')
        page.reload()
        assert box.input_value() == '{"file_path": 3}'
        assert "Refused" in page.locator(".verdict").inner_text()
        report.go("#/tool/multi_edit")
        assert box.input_value() not in ('{"file_path": 3}', example)
        report.go("#/tool/edit")
        page.get_by_role("button", name="Reset").click()
        page.reload()
        assert box.input_value() == example
        assert report.problems() == []


def test_a_search_without_a_result_says_so(browser: "Browser", reference_page: Path) -> None:
    with opened(browser, reference_page) as report:
        page = report.go("#/tools?q=nothing+like+this&permission=write")
        assert page.get_by_text("No tool fits the search and the filters.").is_visible()
        page.get_by_role("link", name="Show all 8").click()
        page.wait_for_selector("tbody tr")
        assert page.locator("tbody tr").count() == 8
        assert page.get_by_label("Search tools").input_value() == ""


def test_a_project_without_a_tool(browser: "Browser", tmp_path: Path) -> None:
    write(tmp_path, {}, 'providers = ["openai"]\n')
    (tmp_path / "specs").mkdir(exist_ok=True)
    with opened(browser, write_page(report_of(tmp_path), tmp_path / "report.html")) as report:
        for route, words in (
            ("#/", "There is no tool yet."),
            ("#/tools", "The report has no tool."),
            ("#/providers", "It gets no tool."),
        ):
            assert words in report.go(route).locator("main").inner_text()
        assert report.problems() == []


def test_long_lists_of_changes_grow_and_long_witnesses_are_folded(
    browser: "Browser", reference_report: Report, tmp_path: Path
) -> None:
    report = with_changes(reference_report)
    assert report.diff is not None
    first = msgspec.structs.replace(
        report.diff.changes[0],
        message="the description: [-Old <b>words-] {+New `words`+} end",
        witness=Witness(value="a" * 5000, refusal="too long"),
    )
    diff = msgspec.structs.replace(report.diff, changes=(first,) * 260)
    shown = msgspec.structs.replace(report, diff=diff)
    with opened(browser, write_page(shown, tmp_path / "report.html")) as seen:
        page = seen.go("#/changes")
        changes = page.locator(".change")
        counts = [changes.count()]
        for button in ("Show 100 more of 210", "Show 100 more of 110", "Show all 260"):
            page.get_by_role("button", name=button).click()
            counts.append(changes.count())
            assert page.evaluate("document.activeElement.className") == "change error"
        assert counts == [50, 150, 250, 260]
        assert not changes.first.locator("pre", has_text="aaaa").is_visible()
        assert changes.first.get_by_text("too long").is_visible()
        assert changes.first.locator("del").inner_text() == "Old <b>words"
        assert changes.first.locator("ins").inner_text() == "New `words`"
        assert seen.problems() == []


def test_the_overview_has_the_figures_of_the_set(browser: "Browser", tmp_path: Path) -> None:
    names = [f"find_{word}" for word in ("cities", "rivers", "people", "songs", "books")]
    write(
        tmp_path,
        {f"{name}_{n}": spec() for name in names for n in range(5)},
        'providers = ["openai", "cohere"]\n',
    )
    report = report_of(tmp_path)
    assert [each for each in report.findings if "cohere" in each.providers]
    with opened(browser, write_page(report, tmp_path / "report.html")) as shown:
        rows = shown.go("#/").get_by_role("region", name="Providers").locator("tbody tr").all_inner_texts()
        for row, own in zip(rows, report.sets, strict=True):
            cells = [cell.strip() for cell in row.split("\t")]
            findings = sum(own.id in each.providers for each in report.findings) + sum(
                own.id in each.providers for detail in report.details for each in detail.findings
            )
            assert cells[2] == f"{own.tokens:,}"
            assert cells[5] == str(findings)
