"""The bar of long runs."""

import io
import sys
from types import SimpleNamespace

import pytest
from toolcast.cli import terminal as progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_it_says_the_rate_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 2.0, 2.0, 2.0])
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    with progress.Bar() as bar:
        bar(0, 4100)
        assert "0/4100" in shown.getvalue()
        assert "left" not in shown.getvalue()
        bar(100, 4100)
    assert "100/4100" in shown.getvalue()
    assert "50/s, 1:20 left" in shown.getvalue()


def test_it_is_silent_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_DELAY", 0)
    monkeypatch.setattr(sys, "stderr", shown := io.StringIO())
    with progress.Bar() as bar:
        bar(1, 2)
    assert shown.getvalue() == ""


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.2, "0 s"), (59.4, "59 s"), (59.6, "1:00"), (3599, "59:59"), (3725, "1:02:05")]
)
def test_spans_are_short(seconds: float, shown: str) -> None:
    assert progress._span(seconds) == shown
