"""The table of known formats in docs/reference/text-calls.md: names, models, and what a call looks like."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from toolcast.agents.text_calls import TextFormat
from toolcast.text_formats.text_format import CallForm, ParameterForm

NAME, KEY, VALUE = "read", "path", "a.md"
_HOLES = {"name": NAME, "id": "call_1", "number": "0", "key": KEY}


def formats_table(formats: Iterable[TextFormat]) -> str:
    """Write the table.

    Args:
        formats: the formats, in the order of the table.

    Returns:
        Markdown.
    """
    lines = ["| format | other names | models | a call |", "|---|---|---|---|"]
    for each in formats:
        aliases = ", ".join(f"`{name}`" for name in each.aliases)
        sign = " (bare)" if each.bare or all(form.bare for form in each.calls) else ""
        lines.append(f"| `{each.id}`{sign} | {aliases} | {_cell(each.title)} | {_code(sample_call(each))} |")
    return "\n".join(lines)


def sample_call(format: TextFormat) -> str:
    """A call of `read` with the path `a.md`, in the first form of a format.

    Args:
        format: the format.

    Returns:
        The text; the format reads it as that call.
    """
    form = format.calls[0]
    opening = form.open[0]
    text = "" if form.peek else _filled(opening, end="\n" if opening.endswith("\n") else "")
    text += _content(form)
    text += "".join(form.close[:1])
    section = next((each for each in format.sections if not each.fence), None)
    if section is not None and form.content != "json-calls" and section.open not in form.open:
        return f"{_filled(section.open)}{text}{section.close}"
    return text


def _filled(template: str, *, end: str = "") -> str:
    """A template with its holes filled. White space stands only before words."""
    filled = re.sub(r"\{(\w+)\}", lambda hole: _HOLES.get(hole[1], hole[0]), template)
    return re.sub(r"(?<![\w\"])\s+|\s+(?!\w)", "", filled) + end


def _content(form: CallForm) -> str:
    arguments = json.dumps({KEY: VALUE})
    contents: Mapping[str, str] = {
        "json-calls": _json_call(form, arguments),
        "json-arguments": arguments,
        "parameters": "".join(_parameter(each) for each in form.parameters[:1]),
        "python": f'[{NAME}({KEY}="{VALUE}")]' if _is_list(form) else f'{NAME}({KEY}="{VALUE}")',
        "braces": f"{{{KEY}:{form.quote}{VALUE}{form.quote}}}",
        "elements": f"{form.prefix}<{KEY}>{VALUE}{form.prefix}</{KEY}>",
        "words": f"{NAME}>{VALUE}",
    }
    return contents[form.content]


def _json_call(form: CallForm, arguments: str) -> str:
    if not form.arguments:
        call = f'{{"{NAME}": {arguments}}}'
    else:
        call = f'{{"{form.names[0]}": "{NAME}", "{form.arguments[0]}": {arguments}}}'
    return f"[{call}]" if _is_list(form) else call


def _is_list(form: CallForm) -> bool:
    """Whether the content begins with a bracket."""
    begins = form.begins or (form.open if form.peek else ())
    return bool(begins) and all(each.lstrip().startswith("[") for each in begins)


def _parameter(form: ParameterForm) -> str:
    value = VALUE if form.value == "text" else json.dumps(VALUE)
    return f"{_filled(form.open[0])}{value}{form.close[0]}"


def _code(text: str) -> str:
    """Text as code in a cell of a table."""
    shown = text.replace("\n", "↵").replace("|", "\\|")
    mark = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    blank = " " if len(mark) > 1 else ""
    return f"{mark}{blank}{shown}{blank}{mark}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
