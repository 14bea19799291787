"""What a spec hides from its reader stands as escapes in generated code."""

import pytest
from toolcast.hidden_characters import hidden_offsets
from toolcast.project.core.compiled import Options

from tests.python.compiled import RefusedError, binding, bound, compile_files, source, spec


def test_no_character_hides_in_generated_python() -> None:
    """Neither in docstrings nor in literals and names, of Structs and of every model family."""
    named = "a\u202eb\u2066c\U000e0041d\u200be\u034fh\u200fi"
    text = "a\u202eb\u2066c\U000e0041d\u200be\u2028f\u3164g\u034fh\u200fi"
    inner = {"z": {"pattern": f"^{text}"}}
    parameters = {
        "type": "object",
        "title": text,
        "description": text,
        "properties": {
            "p": {"type": "string", "description": text, "enum": [text], "default": text},
            f"q{named}": {"type": "object", "description": text, "properties": inner},
        },
    }
    options = Options(providers=(), models=("pydantic", "dataclass", "typeddict"))
    tool = spec(parameters, summary=text, annotations={"title": text})
    files, entries, _ = compile_files({"tool.json": {**tool, "description": text}}, {}, options)
    sources = {path: data.decode() for path, data in files.items() if path.endswith(".py")}
    assert len([path for path in sources if path.endswith("tool.py")]) == 4
    for path, source_text in sources.items():
        assert hidden_offsets(source_text) == (), path
    with bound(files, entries[0]) as tool_binding:
        assert tool_binding.description == text
        assert tool_binding.decode({}).p == text
        assert tool_binding.encode(tool_binding.decode({f"q{named}": {"z": 1}})) != b"{}"


def test_a_filler_in_a_name_parts_the_words_of_a_field_and_refused_by_model_families() -> None:
    parameters = {"type": "object", "properties": {"a\u3164b": {"type": "integer"}}}
    assert hidden_offsets(source(parameters)) == ()
    with binding(parameters) as tool:
        assert tool.decode({"a\u3164b": 1}).a_b == 1
    with pytest.raises(RefusedError, match=r"U\+3164 HANGUL FILLER") as refused:
        compile_files({"tool.json": spec(parameters)}, {}, Options(providers=(), models=("pydantic",)))
    assert refused.value.codes == ["model-family"]
