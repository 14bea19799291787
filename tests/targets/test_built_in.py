"""The built-in targets over the reference toolset, real tools and hostile texts, by their readers."""

import json
import re
import shlex
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import toolcast
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from toolcast.package_files import target_folder, target_ids
from toolcast.project.steps.assemble import Compilation
from toolcast.targets.target import REPORTED, Target, TargetFolder, load_target
from toolcast.toml_tables import Locator, TableReader

from bench.corpora.compile import CORPORA, import_corpus
from tests.optional import load
from tests.python.compiled import spec
from tests.sampled import fewer, sampled
from tests.targets.test_targets import HOSTILE

ROOT = Path(__file__).resolve().parents[2]
PROJECT = {"name": "acme-tools", "version": "1.2.0", "description": "Tools of Acme.", "author": "Acme"}
SKILL = "targets/skill/acme-tools"
ENTRY = "io.github.acme/tools"


def target(id: str, stated: Mapping[str, Any]) -> Target:
    where = TargetFolder(
        id=id, folder=target_folder(id), shown=id, built_in=True, stated=dict(stated), project=PROJECT
    )
    found, problems = load_target(where, TableReader(Locator("", ""), ("targets", id)))
    if found is None:
        raise ValueError(problems[0].message)
    return found


def compiled(specs: Mapping[str, bytes]) -> Compilation:
    chosen = {"mcpb": {}, "mcp-registry": {"name": ENTRY}, "skill": {}}
    targets: Any = [target(id, stated) for id, stated in chosen.items()]
    return toolcast.compile(specs, providers=["mcp"], targets=targets)


def specs_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.yaml")}


def judge(id: str, schema: str, made: Any) -> None:
    """By the published schema, and a validator that is not ours."""
    text = (target_folder(id) / schema).read_text(encoding="utf-8")
    jsonschema_rs.validator_for(json.loads(text), validate_formats=True).validate(made)


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    head, _, body = text.removeprefix("---\n").partition("\n---\n")
    assert "---" not in head  # some readers look for no more
    return yaml.safe_load(head), body


def hold_to_rules(files: Mapping[str, bytes]) -> None:
    """All that a skill must be, and that its files are about the tools there are."""
    text = files[f"{SKILL}/SKILL.md"].decode()
    head, body = front_matter(text)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", head["name"])
    assert head["name"] == SKILL.rpartition("/")[2]
    assert 1 <= len(head["description"]) <= 1024
    assert head["description"].startswith("Tools of Acme. Tools: ")
    assert not re.search(r"<[^>]*>", head["description"])
    assert head.keys() <= {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
    assert len(head["compatibility"]) <= 500
    links = [
        child.attrs["href"]
        for each in MarkdownIt().parse(body)
        for child in each.children or ()
        if child.attrs
    ]
    pages = {path.removeprefix(f"{SKILL}/") for path in files if path.startswith(f"{SKILL}/references/")}
    assert sorted(map(str, links)) == sorted(pages)
    offered = {
        json.loads(content)["name"] for path, content in files.items() if path.startswith("schemas/mcp/")
    }
    told = [heading for page in pages for heading in headings(files[f"{SKILL}/{page}"].decode())]
    assert sorted(told) == sorted(offered)
    assert set(re.findall(r"^\* `(.+?)`:", body, re.MULTILINE)) == offered


def headings(text: str) -> list[str]:
    tokens = MarkdownIt().parse(text)
    return [
        (tokens[number + 1].children or [])[0].content
        for number, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag == "h2"
    ]


def judge_all(made: Compilation) -> None:
    manifest = json.loads(made.files["targets/mcpb/manifest.json"])
    judge("mcpb", "mcpb-manifest-v0.4.schema.json", manifest)
    offered = [json.loads(content) for path, content in made.files.items() if path.startswith("schemas/mcp/")]
    listed = {tool["name"]: tool["description"] for tool in manifest["tools"]}
    assert listed.keys() == {tool["name"] for tool in offered}
    assert all(tool["description"].startswith(listed[tool["name"]]) for tool in offered)
    judge("mcp-registry", "server.schema.json", json.loads(made.files["targets/mcp-registry/server.json"]))
    hold_to_rules(made.files)


def test_the_reference_tools(tmp_path: Path) -> None:
    specs = specs_in(ROOT / "specs")
    made = compiled(specs)
    assert not made.failed
    judge_all(made)
    assert compiled(dict(reversed(specs.items()))).files == made.files
    for path, content in made.files.items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    assert load("skills_ref").validate(tmp_path / SKILL) == []
    commands = [
        shlex.split(token.content)
        for path in (tmp_path / SKILL).rglob("tools.md")
        for token in MarkdownIt().parse(path.read_text(encoding="utf-8"))
        if token.info == "sh"
    ]
    examples = [each for spec in specs.values() for each in yaml.safe_load(spec).get("examples", ())]
    assert sorted(json.dumps(each) for each in examples) == sorted(
        json.dumps(json.loads(command[3])) for command in commands
    )
    assert {(*command[:2], *command[4:]) for command in commands} == {
        ("toolcast", "call", "--app", "app:registry", "--json")
    }


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", sampled(CORPORA, ("openapi",)))
def test_real_tools(shared_dir: Path, tmp_path: Path, corpus: str) -> None:
    """One of five, which are 232 in all."""
    file = shared_dir / "corpora" / f"{corpus}.jsonl"
    assert import_corpus(file, tmp_path / "project", every=5, providers=["mcp"]).returncode == 0
    judge_all(compiled(specs_in(tmp_path / "project/specs")))


def hostile(text: str) -> bytes:
    """A tool that says one text wherever it may."""
    said = f"Does {text}"
    return json.dumps(
        {
            "description": said,
            "permission": "read",
            "secrets": [],
            "annotations": {"title": said},
            "deprecated": {"use": said},
            "parameters": {
                "type": "object",
                "properties": {"a": {"enum": [said, "x"], "description": said}, "b": {"default": said}},
            },
            "result": {"type": "object", "description": said},
            "examples": [{"a": said, "b": said}],
        }
    ).encode()


def structure(text: str) -> list[tuple[str, str, int]]:
    """The blocks of a page; a text of more than one line is in a block of its own."""

    def kind(token: Token) -> tuple[str, str, int]:
        return token.type, token.info or token.tag, token.level

    tokens = [kind(each) for each in MarkdownIt().parse(text)]
    at = next(number for number, token in enumerate(tokens) if token[:2] == ("heading_close", "h2"))
    said = tokens[at + 1 :]
    return tokens[:at] + (said[1:] if said[0][:2] == ("fence", "text") else said[3:])


@fewer(2)
@given(text=st.lists(HOSTILE, max_size=4).map("".join))
def test_no_text_changes_the_structure_of_a_file(text: str) -> None:
    plain, made = compiled({"a.json": hostile("it")}), compiled({"a.json": hostile(text)})
    assert not plain.failed
    if made.failed:
        assert {each.code for each in made.diagnostics} <= {"lone-surrogate"}
        return
    judge_all(made)
    assert made.files["targets/mcpb/main.py"] == plain.files["targets/mcpb/main.py"]
    assert made.files["targets/mcp-registry/server.json"] == plain.files["targets/mcp-registry/server.json"]
    before, after = (each.files[f"{SKILL}/SKILL.md"].decode() for each in (plain, made))
    assert front_matter(before)[0] == front_matter(after)[0]
    page, plain_page = (each.files[f"{SKILL}/references/tools.md"].decode() for each in (made, plain))
    assert structure(page) == structure(plain_page)
    blocks = [token for token in MarkdownIt().parse(page) if token.type == "fence" and token.info != "text"]
    said = f"Does {text}"
    command, parameters, result = (token.content for token in blocks)
    assert json.loads(shlex.split(command)[3]) == {"a": said, "b": said}
    assert json.loads(parameters)["properties"]["a"]["enum"][0] == said
    assert json.loads(result)["description"] == said


def test_keys_without_a_place_are_in_the_ledger() -> None:
    made = compiled({"a.json": hostile("it")})
    lacks: dict[str, set[str]] = {}
    for entry in json.loads(made.files["ledger/a.json"]):
        for surface in entry["providers"]:
            lacks.setdefault(surface, set()).add(entry["keyword"])
    assert lacks["targets/mcpb"] == {"annotations", "examples", "result"}
    assert lacks["targets/mcp-registry"] == {"annotations", "deprecated", "examples", "result"}
    assert lacks["targets/skill"] == {"annotations"}


@pytest.mark.parametrize(
    ("id", "stated", "words"),
    [
        ("skill", {"name": "Acme"}, "the value must match"),
        ("skill", {"name": "a--b"}, "the value must match"),
        ("skill", {"name": "a" * 65}, "the value must"),
        ("skill", {"description": "Use <b>."}, "the value must match"),
        ("skill", {"description": "x" * 1025}, "the value must"),
        ("mcp-registry", {}, "'name' of the target 'mcp-registry' has to be stated"),
        ("mcp-registry", {"name": "acme"}, "the value must"),
        ("mcp-registry", {"name": ENTRY, "description": "x" * 101}, "the value must"),
        (
            "mcp-registry",
            {"name": ENTRY, "packages": [{"version": "$project.licence"}]},
            "takes 'licence', which is not in",
        ),
        ("mcpb", {"name": "a/b"}, "the value must"),
        ("mcpb", {"icon": "/icon.png"}, "the value must"),
        ("mcpb", {"server": ["app"]}, "must be of type str"),
        ("mcpb", {"include": "app"}, "must be of type list"),
        ("mcpb", {"title": 1.5}, "must be a text"),
        ("mcpb", {"servers": "app"}, "has no option 'servers'"),
    ],
)
def test_an_option_that_the_format_forbids_is_refused(id: str, stated: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        target(id, stated)


PACKAGE = {"registryType": "pypi", "identifier": "$project.name", "version": "$project.version"}


@pytest.mark.parametrize(
    ("stated", "fits"),
    [
        ({"packages": [{**PACKAGE, "transport": {"type": "stdio"}}]}, True),
        ({"packages": [PACKAGE]}, False),
        ({"packages": [{**PACKAGE, "version": "latest", "transport": {"type": "stdio"}}]}, False),
        ({"remotes": [{"type": "streamable-http", "url": "https://acme.example/mcp"}]}, True),
        ({"remotes": [{"type": "stdio"}]}, False),
        ({"repository": {"url": "https://example.com/acme", "source": "github"}}, True),
        ({"repository": {"url": "https://example.com/acme"}}, False),
        ({"title": 5}, False),
    ],
)
def test_an_entry_that_the_registry_refuses_is_not_written(stated: dict[str, Any], fits: bool) -> None:
    entry: Any = target("mcp-registry", {"name": ENTRY, **stated})
    made = toolcast.compile({"a.json": hostile("it")}, providers=["mcp"], targets=[entry])
    assert made.failed is not fits, made.diagnostics
    if fits:
        document = json.loads(made.files["targets/mcp-registry/server.json"])
        judge("mcp-registry", "server.schema.json", document)
        assert "$project" not in json.dumps(document)


def test_the_page_states_options_and_what_has_no_place() -> None:
    text = (ROOT / "docs/reference/targets.md").read_text(encoding="utf-8")
    table = text.partition("## Built-in targets")[2].partition("###")[0]
    rows = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("| `")]
    stated = {id.strip(" `"): [re.findall("`(.+?)`", each) for each in (options, lacks)]
              for id, _, options, _, lacks in rows}  # fmt: skip
    for id in target_ids():
        known = tomllib.loads((target_folder(id) / "target.toml").read_text(encoding="utf-8"))
        options, lacks = stated.pop(id)
        assert sorted(options) == sorted(known.get("options", {}))
        assert lacks == [key for key in REPORTED if key not in known.get("keys", ()) and "outputs" in known]
    assert stated == {}


@pytest.mark.parametrize("id", ["webmcp", "standard-schema"])
def test_what_writes_results_in_javascript_refuses_a_text_of_them(id: str) -> None:
    plain = spec({"type": "object"}, result={"type": "object", "properties": {"n": {"type": "integer"}}})
    tools = {
        "plain.json": json.dumps(plain).encode(),
        "own.json": json.dumps({**plain, "text": ["n"]}).encode(),
    }
    typescript, other = (target(each, {}) for each in ("typescript", id))
    made = toolcast.compile(tools, providers=["mcp"], targets=[typescript, other])
    (problem,) = made.diagnostics
    assert (problem.code, problem.file, problem.severity) == ("target-text", "specs/own.json", "error")
    assert f"leave the target {id!r} out" in problem.hint
    assert "plain.py" in made.files
    assert "own.py" not in made.files
    assert not toolcast.compile(tools, providers=["mcp"], targets=[typescript]).failed
