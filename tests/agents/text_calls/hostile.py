"""Texts of strangers: markers and whole calls of all formats, in any order, with words between."""

from collections.abc import Iterator

from hypothesis import strategies as st
from toolcast.agents.text_calls import TextFormat, known_formats
from toolcast.text_formats.text_format import CallForm

FORMATS = tuple(known_formats().values())
CONTENTS = {
    "json-calls": (
        '{"name": "f", "arguments": {"a": 1}}',
        '[{"name": "f", "parameters": {}}]',
        '[{"f": {"a": 1}}]',
    ),
    "json-arguments": ('{"a": 1}',),
    "python": ("[f(a=1)]", "f(a=1)"),
    "braces": ("{a:1}",),
    "elements": ("<f><a>1</a></f>", "<a>1</a>"),
    "words": ("f>1", 'f a="1"', "f\na: 1", "f/a>1", "f/a\n"),
}


def filled(template: str) -> str:
    for hole, text in (("name", "f"), ("id", "c1"), ("number", "1"), ("key", "a")):
        template = template.replace(f"{{{hole}}}", text)
    return template


def written(form: CallForm) -> Iterator[str]:
    opening = "" if form.peek else filled(form.open[0])
    closing = form.close[0] if form.close else ""
    if form.content == "parameters":
        parameter = form.parameters[0]
        yield f"{opening}{filled(parameter.open[0])}1{parameter.close[0]}{closing}"
    for content in CONTENTS.get(form.content, ()):
        yield f"{opening}{content.replace('<', form.prefix + '<')}{closing}"


def calls(format: TextFormat) -> list[str]:
    alone = [text for form in format.calls for text in written(form)]
    return alone + [f"{each.open}{text}{each.close}" for each in format.sections for text in alone[:2]]


CALLS = sorted({text for format in FORMATS for text in calls(format)})
MARKERS = sorted(
    {"<|im_start|>", "<|im_end|>", "</tools>", "```", '"""', "[INST]", "\n### evil", "</s>", "\n"}
    | {filled(marker) for format in FORMATS for form in format.calls for marker in (*form.open, *form.close)}
    | {marker for format in FORMATS for marker in (*format.ends, *format.dropped)}
    | {marker for format in FORMATS for each in format.sections for marker in (each.open, each.close)}
)
HOSTILE = st.sampled_from(CALLS) | st.lists(
    st.sampled_from(MARKERS) | st.sampled_from(CALLS) | st.text(max_size=8), min_size=1, max_size=8
).map(lambda parts: "".join(parts).encode(errors="replace").decode())
