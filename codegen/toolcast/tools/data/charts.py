"""Charts of a result, as SVG without scripts."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

from ...runtime.errors import RefusalError
from ..generated.data.data_analysis import DataAnalysisChart
from .cells import JsonCell
from .columns import Column, position

MAX_POINTS: Final = 5000
"""Rows that a chart draws at most."""
_BARS: Final = 200
_LABEL: Final = 60
_SIZE: Final = (800, 500)


def draw(chart: DataAnalysisChart, columns: Sequence[Column], rows: Sequence[Sequence[JsonCell]]) -> str:
    """Draw a chart.

    Args:
        chart: how to draw.
        columns: the columns of the result.
        rows: its rows.

    Returns:
        The SVG document.

    Raises:
        RefusalError: a column is not there, holds no numbers, or there is nothing to draw.
    """
    pygal = import_module("pygal")  # it has no types
    across = position(columns, chart.x)
    drawn = [position(columns, name) for name in chart.y]
    if not rows:
        raise RefusalError("There are no rows to draw. Filter less.")
    width, height = chart.size or _SIZE
    options: dict[str, Any] = {
        "width": width,
        "height": height,
        "explicit_size": True,
        "js": (),
        "title": label(chart.title) if chart.title else None,
        "x_title": label(chart.x),
        "show_legend": chart.type != "histogram",
        "x_label_rotation": 30 if chart.type in ("line", "bar") else 0,
        "truncate_label": _LABEL,
    }
    if chart.type == "histogram":
        return _without_scripts(_histogram(pygal, options, columns[across], [row[across] for row in rows]))
    for index in drawn:
        if not columns[index].numeric:
            raise RefusalError(
                f"Column {columns[index].name!r:.120} holds values of type {columns[index].kind}, and only "
                "numbers can be drawn. Name another one in y."
            )
    if chart.type == "scatter":
        if not columns[across].numeric:
            raise RefusalError(f"A scatter chart needs numbers in x, and {chart.x!r:.120} holds others.")
        made = pygal.XY(stroke=False, **options)
        for index in drawn:
            points = [(_drawable(row[across]), _drawable(row[index])) for row in rows]
            made.add(label(columns[index].name), [each for each in points if None not in each])
        return _without_scripts(made)
    if chart.type == "bar" and len(rows) > _BARS:
        raise RefusalError(
            f"A bar chart draws {_BARS} rows, and there are {len(rows)}. Group or limit first."
        )
    made = (
        pygal.Line(show_dots=len(rows) <= _BARS, **options) if chart.type == "line" else pygal.Bar(**options)
    )
    made.x_labels = [label(row[across]) for row in rows]
    if len(rows) > 20:
        made.show_minor_x_labels = False
        made.x_labels_major_count = 10
    for index in drawn:
        made.add(label(columns[index].name), [_drawable(row[index]) for row in rows])
    return _without_scripts(made)


def label(value: JsonCell) -> str:
    """A text of a chart: one line, without what XML cannot hold, and cut where it is long."""
    text = "" if value is None else str(value)
    text = re.sub("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text)
    text = " ".join(text.split())
    return text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"


def _histogram(pygal: Any, options: dict[str, Any], column: Column, cells: Sequence[JsonCell]) -> Any:
    """How often values occur: numbers in classes of equal width, others by value."""
    if not column.numeric:
        counted = Counter(label(cell) for cell in cells if cell is not None).most_common(_BARS)
        made = pygal.Bar(**options)
        made.x_labels = [name for name, _ in counted]
        made.add(label(column.name), [count for _, count in counted])
        return made
    numbers = [number for cell in cells if (number := _drawable(cell)) is not None]
    if not numbers:
        raise RefusalError(f"Column {column.name!r:.120} has no numbers to draw.")
    low, high = min(numbers), max(numbers)
    classes = min(50, max(1, math.ceil(math.log2(len(numbers))) + 1)) if high > low else 1  # Sturges
    width = (high - low) / classes or 1.0
    if not math.isfinite(width):
        raise RefusalError(f"The numbers of column {column.name!r:.120} are too far apart to draw.")
    counts = Counter(min(int((number - low) / width), classes - 1) for number in numbers)
    made = pygal.Histogram(**options)
    made.add(
        label(column.name),
        [(counts[n], low + n * width, low + (n + 1) * width) for n in range(classes)],
    )
    return made


def _drawable(cell: JsonCell) -> float | int | None:
    """A number that a chart can place."""
    if isinstance(cell, bool) or not isinstance(cell, (int, float)):
        return None
    return cell if abs(cell) < 1e15 else float(cell) if abs(cell) < 1e100 else None


def _without_scripts(made: Any) -> str:
    """The document, without the scripts that pygal adds: a viewer is to run nothing."""
    from xml.etree import ElementTree as ET

    root = ET.fromstring(made.render())  # pygal wrote it a moment ago
    for parent in list(root.iter()):
        for child in list(parent):
            if isinstance(child.tag, str) and child.tag.rpartition("}")[2] == "script":
                parent.remove(child)
    ET.register_namespace("", "http://www.w3.org/2000/svg")
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    return ET.tostring(root, encoding="unicode")
