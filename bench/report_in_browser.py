"""How fast a report's page is in Chromium: first paint, search, opening a tool."""

import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tests.report.browser.chromium import chromium, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

RUNS = 5
QUERIES = (
    "a",
    "re",
    "file",
    "create issue",
    "no such words",
    "",
    "tool_0",
    "number",
    "list",
    "get",
    "x",
    "in",
)
_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
_SEARCH = """query => {
  const box = document.getElementById("search");
  const started = performance.now();
  box.value = query;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  document.body.offsetHeight; // the layout, which the next frame would need
  return performance.now() - started;
}"""
_OPEN = """async (route) => {
  const started = performance.now();
  location.hash = route;
  const main = document.querySelector("main");
  while (main.dataset.route !== route) await new Promise((done) => setTimeout(done));
  document.body.offsetHeight;
  return performance.now() - started;
}"""


class Times(Struct, frozen=True):
    """Milliseconds, each run's. `search_processor` is time of the page's thread, without other processes'."""

    paint: list[float]
    search: list[float]
    search_processor: list[float]
    open_tool: list[float]

    def rows(self) -> list[tuple[str, float, float]]:
        """What was measured, with median and worst."""
        named = {
            "first contentful paint": self.paint,
            "search, a key until the layout is done": self.search,
            "search, processor": self.search_processor,
            "a tool opens": self.open_tool,
        }
        return [(name, statistics.median(each), max(each)) for name, each in named.items()]


def measure(file: Path, tools: int) -> Times:
    """Open a page some times, search in it, and open tools, each of another compressed chunk."""
    with chromium() as browser:
        paint = [_paint(browser, file) for _ in range(RUNS)]
        with opened(browser, file) as report:
            page = report.go("#/tools")
            session = page.context.new_cdp_session(page)
            session.send("Performance.enable", {"timeDomain": "threadTicks"})
            search, processor = [], []
            for query in QUERIES:
                before = _processor(session)
                search.append(float(page.evaluate(_SEARCH, query)))
                processor.append(1000 * (_processor(session) - before))
            named = [f"tool_{number:04}" for number in range(0, tools, max(1, tools // 20))]
            open_tool = [float(page.evaluate(_OPEN, f"#/tool/{name}")) for name in named]
    return Times(paint, search, processor, open_tool)


def _paint(browser: "Browser", file: Path) -> float:
    with opened(browser, file) as report:
        report.page.goto(file.as_uri())
        return float(report.page.wait_for_function(_PAINT).json_value())


def _processor(session: Any) -> float:
    found = session.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in found if each["name"] == "TaskDuration"))
