"""The report's page in Chromium, which `make browser` installs."""

import importlib.util
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolcast.analysis.report.page import render_page
from toolcast.analysis.report.report_model import Report

from tests.typescript.tools import MODULES, missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDE, PHONE = (1440, 900), (360, 740)
PATIENCE = 120_000
"""Milliseconds after which a browser that does not get on has failed, however busy the machine is."""
# Notes what a script in a spec would do; it runs before the page's own script.
WATCH = """
window.__ran = [];
window.alert = window.confirm = window.prompt = (text) => window.__ran.push(`dialog ${text}`);
document.addEventListener("securitypolicyviolation", (event) =>
  window.__ran.push(`${event.violatedDirective} ${event.blockedURI} line ${event.lineNumber}`));
"""


def program() -> str:
    """The browser; without it, or without Playwright, a test is skipped, in CI it fails."""
    if importlib.util.find_spec("playwright") is None:
        missing("Playwright is not installed; `make browser` installs it")
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    return found or missing("Chromium is not installed; `make browser` installs it")


@contextmanager
def chromium() -> Iterator["Browser"]:
    """A headless browser."""
    found = program()
    from playwright.sync_api import sync_playwright

    root = getattr(os, "geteuid", lambda: 1)() == 0  # Chromium has no sandbox for root
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found, args=["--no-sandbox"] if root else [], timeout=PATIENCE
        )
        try:
            yield browser
        finally:
            browser.close()


def write_page(report: Report, file: Path) -> Path:
    file.write_bytes(render_page(report))
    return file


class Opened:
    """A page in the browser: what it did that a report must not do is in `faults`."""

    def __init__(self, page: "Page", file: Path) -> None:
        self.page = page
        self.file = file
        self.faults: list[str] = []
        page.on("console", lambda message: self._told(message.type, message.text))
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: self._requested(request.url))
        page.add_init_script(WATCH)

    def _told(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.faults.append(f"{kind}: {text}")

    def _requested(self, url: str) -> None:
        if url.partition("#")[0] != self.file.as_uri():
            self.faults.append(f"request: {url}")

    def go(self, route: str) -> "Page":
        """Open an address of the page, such as `#/tools`, as if it had been followed there."""
        if self.page.url.partition("#")[0] != self.file.as_uri():
            self.page.goto(self.file.as_uri() + route)
        else:
            self.page.evaluate("route => { location.hash = route; }", route)
        self.page.wait_for_function(
            "route => document.querySelector('main').dataset.route === (route || '#/')", arg=route
        )
        return self.page

    def problems(self) -> list[str]:
        """Everything that it must not have done until now."""
        ran: list[str] = self.page.evaluate("window.__ran")
        return self.faults + ran


@contextmanager
def opened(
    browser: "Browser", file: Path, size: tuple[int, int] = WIDE, scheme: Any = "light"
) -> Iterator[Opened]:
    """A page of its own, until the block ends."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE)
    try:
        yield Opened(context.new_page(), file)
    finally:
        context.close()


def axe(page: "Page") -> list[str]:
    """What axe-core finds: rule, element, why."""
    script = MODULES / "axe-core" / "axe.min.js"
    if not script.is_file():
        missing("axe-core is not installed; `make typescript-tools` installs it")
    if not page.evaluate("'axe' in window"):
        page.evaluate(script.read_text("utf-8") + "\n;0")
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{rule['id']}: {node['html'][:200]}: {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]
