"""The README: its commands and programs are executed, and package indexes show all of it."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.clients.conftest import Client
from tests.docs.links import DOCS, REPOSITORY, ROOT, SITE, links
from tests.docs.pages import run_page
from tests.docs.scripted_models import scripted_models

README = ROOT / "README.md"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_model_calls_the_tool(client: Client, tmp_path: Path) -> None:
    client("openai")
    for_users, _, _ = README.read_text("utf-8").partition("\n## Change toolcast\n")
    # The spec is what `toolcast init` writes: a reader changes nothing in it.
    shown = re.compile(r'^```yaml title="(specs/.*?)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
    [(path, spec)] = shown.findall(for_users)
    page = tmp_path / "README.md"
    page.write_text(shown.sub("", for_users), "utf-8")
    asked = ("count_words", {"text": "to be or not to be", "min_length": None})
    with scripted_models([asked], [], text='"To be or not to be" has six words.') as models:
        run_page(page, tmp_path / "project", environment=models.environment)
    first, second = models.requests["openai"]
    assert [tool["function"]["name"] for tool in first["tools"]] == ["count_words"]
    assert json.loads(second["messages"][-1]["content"]) == {"count": 6}
    written = yaml.safe_load((tmp_path / "project" / path).read_text("utf-8"))
    excerpt = yaml.safe_load(spec)
    assert excerpt == {key: written[key] for key in excerpt}
    assert {"permission", "parameters", "result"} < excerpt.keys()


def test_commands_for_contributors_are_targets_of_make() -> None:
    _, _, after = README.read_text("utf-8").partition("\n## Change toolcast\n")
    targets = re.findall(r"^make (\w+)", after, re.MULTILINE)
    assert targets == ["generate", "test"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


def test_links_are_few_and_mean_the_same_on_a_package_index() -> None:
    text = README.read_text("utf-8")
    assert len(text.splitlines()) <= 120
    found = [target for _, target in links(text)]
    assert all(target.startswith("https://") for target in found)
    assert len([target for target in found if not target.endswith(".svg")]) == 5


def test_package_indexes_render_it() -> None:
    markdown = pytest.importorskip("readme_renderer.markdown")
    html = markdown.render(README.read_text("utf-8"), variant="GFM")
    assert html is not None
    assert 'src="https://raw.githubusercontent.com/' in html
    assert html.count("<pre") == README.read_text("utf-8").count("\n```") / 2


def test_the_project_names_its_places() -> None:
    urls = PROJECT["urls"]
    assert urls["Documentation"] == SITE
    assert urls["Source"] == REPOSITORY
    assert {"Changelog", "Issues"} < urls.keys()


def test_the_picture_loads_nothing_and_is_safe_to_show() -> None:
    picture = (DOCS / "images/outputs.svg").read_text("utf-8")
    assert re.findall(r"<script|href=|url\((?!#)|@import", picture) == []


def test_every_extra_is_explained() -> None:
    page = (DOCS / "reference/installing.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert listed == PROJECT["optional-dependencies"].keys()
