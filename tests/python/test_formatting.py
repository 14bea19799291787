"""What our templates print comes out with the bytes that black leaves, though black sees little of it."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toolcast.contract.build import build_tool
from toolcast.python.bindings.format import blacken, formatted
from toolcast.spec.load import load_tool

from tests.python import stages

ROOT = Path(__file__).resolve().parents[2]
NAMES = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=40).filter(lambda n: n.strip("_") != "")
TEXTS = st.text(max_size=300) | st.lists(st.text("ab \"'\\\n-*.", max_size=60)).map(" ".join)
LEAVES = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["string", "integer", "boolean", "number", "array"])}),
    st.fixed_dictionaries({"enum": st.lists(TEXTS | st.integers(), min_size=1, max_size=12, unique_by=repr)}),
    st.fixed_dictionaries({"type": st.just("string"), "pattern": st.from_regex(r"\A[a-z :/\"'^$]{0,80}\Z")}),
    st.fixed_dictionaries(
        {"type": st.just("number"), "minimum": st.floats(-1e300, 0), "maximum": st.floats(0, 1e300)}
    ),
    st.fixed_dictionaries({"default": st.none() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS}),
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"type": st.just("array"), "items": inner, "maxItems": st.integers(1, 9)}),
        st.fixed_dictionaries({"type": st.just("object"), "additionalProperties": inner}),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=4)}),
        st.fixed_dictionaries(
            {
                "type": st.just("object"),
                "description": TEXTS,
                "properties": st.dictionaries(NAMES, inner, max_size=3),
                "additionalProperties": st.booleans(),
            }
        ),
    ),
    max_leaves=8,
)


@given(
    properties=st.dictionaries(NAMES, st.tuples(SCHEMAS, TEXTS), max_size=4),
    description=TEXTS.filter(lambda text: text.strip() != ""),
    name=st.from_regex(r"\A[A-Za-z_][A-Za-z0-9_]{0,63}\Z"),
    title=TEXTS.filter(lambda text: text.strip() != ""),
)
@example(  # cut in pieces, each in the quotes that suit it, it fits on one line after all
    properties={},
    description="""\
 \\*\\\\'" b"\n\\ - \\a a*\\a-\\ **a -.\\   \n.\\'' a  *    aa\\*' .-\\b \\\\\\b*a """,
    name="C",
    title="t",
)
@example(  # a default that is too long for any line is put in parentheses all the same
    properties={"p": ({"default": "a" * 150}, "")}, description="d", name="C", title="t"
)
@example(properties={}, description="6e4 in a name is no number", name="tG0U6e4y", title="t")
def test_what_templates_print_is_as_black_leaves_it(
    tmp_path_factory: pytest.TempPathFactory,
    properties: dict[str, tuple[dict[str, object], str]],
    description: str,
    name: str,
    title: str,
) -> None:
    parameters = {
        "type": "object",
        "properties": {key: {**schema, "description": text} for key, (schema, text) in properties.items()},
    }
    folder = tmp_path_factory.getbasetemp() / "shape"
    whole = {
        "name": name,
        "description": description,
        "permission": "read",
        "secrets": [],
        "annotations": {"title": title, "destructive": True},
        "parameters": parameters,
    }
    folder.mkdir(exist_ok=True)
    (folder / "tool.json").write_text(json.dumps(whole), "utf-8")
    tool, _ = load_tool(folder, "tool.json", shown_root="specs", known_providers=frozenset())
    if tool is None or build_tool(tool, {}).contract is None:
        return  # what specs must not say is another room's to test
    source = stages.rendered(tool)
    assert formatted(source, ours=True).decode() == blacken(source)


def test_the_reference_toolset_is_as_black_leaves_it() -> None:
    files = [path for path in (ROOT / "generated").rglob("*.py") if "models" not in path.parts]
    assert len(files) > 25
    for path in files:
        text = path.read_text("utf-8")
        assert blacken(text) == text, path
