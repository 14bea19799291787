"""Characters of a spec that its reader does not see: where they stand, and which may stay."""

from pathlib import Path

import pytest

from tests.lint.projects import found, run, spec, write

PLACES = ("description", "summary", "property", "parameter", "title", "enum", "default", "example", "result")


def _with(place: str, hidden: str) -> dict[str, object]:
    text = f"Counts {hidden}words of a text for those who ask."
    parameter = {"type": "string", "description": "Any text at all."}
    if place in ("description", "summary"):
        return spec(**{place: text})
    if place == "property":
        return spec(properties={f"te{hidden}xt": parameter})
    if place == "example":
        return spec(properties={"text": parameter}, examples=[{"text": text}])
    if place == "result":
        return spec(result={"type": "object", "description": text})
    changes = {"parameter": {"description": text}, "enum": {"enum": [text, "a"]}}
    return spec(properties={"text": {**parameter, **changes.get(place, {place: text})}})


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("hidden", ["\u202e", "\u2066", "\U000e0041"])
def test_text_that_deceives_is_an_error_wherever_it_stands(tmp_path: Path, place: str, hidden: str) -> None:
    findings = found(write(tmp_path, {"count_words": _with(place, hidden)}), "hidden-text")
    (only,) = findings
    assert only.severity == "error"
    assert f"U+{ord(hidden):04X}" in only.message
    assert only.line > 0
    assert "take it out" in only.fix


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("hidden", ["\u200b", "\u3164", "\u2800", "\u034f", "\u2028", "\u200d\u200d"])
def test_a_character_that_nobody_sees_is_a_warning(tmp_path: Path, place: str, hidden: str) -> None:
    (only,) = found(write(tmp_path, {"count_words": _with(place, hidden)}), "hidden-character")
    assert only.severity == "warning"
    assert f"U+{ord(hidden[0]):04X}" in only.message


def test_a_shared_type_is_looked_through_and_its_file_named(tmp_path: Path) -> None:
    shared = 'type: object\ndescription: "Two\\u202e numbers."\n'
    tool = spec(properties={"at": {"$ref": "_types/place.yaml", "description": "Where to count."}})
    folder = write(tmp_path, {"count_words": tool, "_types/place": shared})
    (only,) = found(folder, "hidden-text")
    assert (only.file.endswith("_types/place.yaml"), only.line) == (True, 2)


@pytest.mark.parametrize("text", ["می\u200cخواهم", "👩\u200d❤\ufe0f\u200d👨 1\ufe0f⃣", "क्\u200dष"])
def test_joiners_and_selectors_that_writing_needs_are_no_finding(tmp_path: Path, text: str) -> None:
    tool = spec(description=f"Counts the words of {text} and returns how many there are.")
    codes = {each.code for each in run(write(tmp_path, {"count_words": tool})).findings}
    assert not codes & {"hidden-text", "hidden-character"}


@pytest.mark.parametrize(
    ("key", "written"),
    [("größe\u202e", r"größe\u202e"), ("名\u200b前", r"名\u200b前"), ("größe\n\u2800", r"größe\n\u2800")],
)
def test_a_key_is_named_as_it_is_written_with_escapes_for_what_nobody_sees(
    tmp_path: Path, key: str, written: str
) -> None:
    tool = spec(properties={key: {"type": "string", "description": "Any text at all."}})
    findings = run(write(tmp_path, {"count_words": tool})).findings
    messages = [each.message for each in findings if each.code in ("hidden-text", "hidden-character")]
    assert messages
    assert all(f"`parameters.properties.{written}`" in message for message in messages), messages
