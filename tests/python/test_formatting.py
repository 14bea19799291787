"""Generated modules pass the checks of black and ruff in a project that configures neither."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import black
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ruff import find_ruff_bin
from toolcast.contract.build import build_tool
from toolcast.spec.load import load_tool

from tests.python import stages
from tests.sampled import sampled

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
@example(
    properties={"_p": ({"default": "a b " * 40}, "")},
    description="a field with another name",
    name="C",
    title="t",
)
@example(
    properties={"p": ({"enum": ["\u4e2d\u6587" * 20, "a"]}, "")},
    description="wide characters",
    name="C",
    title="t",
)
@example(properties={}, description="6e4 in a name is no number", name="tG0U6e4y", title="t")
def test_any_module_passes(
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
    source = stages.python(stages.compiled(tool))
    (folder / "tool.py").write_text(source, "utf-8")
    assert black.format_str(source, mode=black.Mode()) == source
    judge(folder, "tool.py", commands=RUFF)


@pytest.mark.parametrize("definition", ['start: "a"', 'start: "a"' + ' | "b"' * 30])
def test_a_grammar_of_any_length_passes(tmp_path: Path, definition: str) -> None:
    stated = {"grammar": "lark", "definition": definition}
    tool = {"description": "A tool.", "permission": "read", "secrets": [], "input": stated}
    source = stages.python(stages.compiled(stages.spec(tmp_path, json.dumps(tool))))
    assert black.format_str(source, mode=black.Mode()) == source


BLACK = ((sys.executable, "-m", "black", "--check", "--quiet", "--diff"),)
RUFF = (
    (find_ruff_bin(), "format", "--check", "--no-cache", "--diff"),
    (find_ruff_bin(), "check", "--select", "I", "--no-cache", "--diff"),
)


def judge(project: Path, *paths: str, commands: tuple[tuple[str, ...], ...] = BLACK + RUFF) -> None:
    """The checks that a project downstream runs, each with its defaults."""
    for command in commands:
        done = subprocess.run([*command, *paths], cwd=project, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"


def generate(project: Path, settings: str = "") -> None:
    head = '[project]\nname = "downstream"\nversion = "1"\nrequires-python = ">=3.11"\n'
    (project / "pyproject.toml").write_text(
        head + '[tool.toolcast]\nproviders = ["mcp"]\n' + settings, "utf-8"
    )
    command = [sys.executable, "-m", "toolcast", "generate"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert (project / "generated" / "registry.py").is_file(), done.stdout + done.stderr


@pytest.mark.parametrize("every", sampled([4, 1], [4]))
def test_the_reference_toolset_passes_in_a_project(tmp_path: Path, every: int) -> None:
    root = Path(stages.__file__).resolve().parents[2]
    for number, path in enumerate(sorted((root / "specs").rglob("*.yaml"))):
        if "_types" in path.parts or number % every == 0:
            copy = tmp_path / path.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    generate(tmp_path, 'models = ["pydantic", "dataclass", "typeddict"]\n')
    judge(tmp_path, "generated")


@pytest.mark.corpora
def test_real_tools_pass_in_a_project(tmp_path: Path, shared_dir: Path) -> None:
    """One tool in sixteen of each corpus; names in every style, and numbers in them."""
    for corpus in sorted((shared_dir / "corpora").glob("*.jsonl")):
        folder = tmp_path / "specs" / corpus.stem.replace("-", "_")
        folder.mkdir(parents=True)
        for number, line in enumerate(corpus.read_text("utf-8").splitlines()[::16]):
            write_spec(folder / f"tool_{number}.json", json.loads(line))
    for name in ("page_2", "page_10", "Page_3", "page_03", "PAGE4"):
        record = {"name": name, "description": "A page.", "parameters": {"type": "object"}}
        write_spec(tmp_path / "specs" / f"{name}.json", record)
    generate(tmp_path)
    judge(tmp_path, "generated")


def write_spec(path: Path, record: dict[str, Any]) -> None:
    stated = {key: record.get(key) or "?" for key in ("name", "description", "parameters")}
    path.write_text(json.dumps({**stated, "permission": "read", "secrets": []}), "utf-8")
