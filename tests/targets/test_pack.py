"""`toolcast pack mcpb`: what is in a bundle, that it serves, and what is not packed."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from toolcast.cli.main import run

from tests.mcp.conftest import NODE_SERVERS
from tests.optional import load, missing
from tests.project.fake import put

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = """\
[project]
name = "orders"
version = "1.2.0"
description = "Sums up orders."
authors = [{name = "Acme"}]
dependencies = ["click>=8", "colorama; sys_platform == 'win32'"]

[tool.toolcast]
providers = ["mcp"]

[tool.toolcast.targets.mcpb]
title = "Orders"
"""
SPEC = """\
description: |-
  Sums up "orders".

  Reads a file.
permission: read
secrets: []
parameters: {type: object, required: [factor], properties: {factor: {type: integer}}}
result: {type: object, required: [sum], properties: {sum: {type: integer}}}
examples: [{factor: 7}]
"""
HANDLER = """\
from pathlib import Path

from generated.total import TotalParams, TotalResult
from toolcast.runtime import ToolContext


async def total(params: TotalParams, context: ToolContext) -> TotalResult:
    amounts = Path(__file__).parent.with_name("data").joinpath("amounts.txt").read_text()
    return TotalResult(sum=params.factor * sum(map(int, amounts.split())))
"""
APP = """\
from generated.registry import register_all
from handlers.total import total
from toolcast.runtime import ToolRegistry

registry = ToolRegistry()
register_all(registry, total=total)
"""
FILES = {
    "pyproject.toml": CONFIGURATION + 'include = ["data"]\n',
    "specs/total.yaml": SPEC,
    "specs/elsewhere.yaml": SPEC + "external: true\n",
    "app.py": APP,
    "handlers/total.py": HANDLER,
    "handlers/.env": "TOKEN=1",
    "handlers/former.mcpb": "",
    "handlers/__pycache__/total.cpython-311.pyc": "",
    "data/amounts.txt": "1 2 3",
    "notes.txt": "none of it",
    "specs/secret.txt": "none of it",
}


@pytest.fixture(autouse=True)
def _with_the_sdk() -> None:
    """The server of a bundle needs the SDK of MCP, whose version is pinned as it is installed."""
    load("mcp")


def project(folder: Path, **changed: str) -> Path:
    for name, text in {**FILES, **changed}.items():
        put(folder / name, text)
    return folder


def pack(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    monkeypatch.chdir(folder)
    assert run(["generate"]) == 0
    assert run(["pack", "mcpb"]) == 0
    with zipfile.ZipFile(folder / "orders-1.2.0.mcpb") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def served(server: Any) -> tuple[Any, list[Any], Any]:
    """The identity, the tools and the result of one call of a server, for the official client."""

    async def session() -> tuple[Any, list[Any], Any]:
        async with asyncio.timeout(300), load("mcp").Client(server) as client:
            tools = (await client.list_tools()).tools
            result = await client.call_tool("total", {"factor": 7})
            return client.server_info, tools, result.structured_content

    return asyncio.run(session())


def judge(served: tuple[Any, list[Any], Any], manifest: Mapping[str, Any]) -> None:
    """The server is what the manifest says, and it works."""
    identity, tools, result = served
    assert (identity.name, identity.version, identity.title) == ("orders", "1.2.0", "Orders")
    assert [{"name": each.name, "description": each.description} for each in tools] == manifest["tools"]
    assert result == {"sum": 42}


def test_a_bundle_has_the_project_and_serves_its_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = pack(project(tmp_path / "here"), monkeypatch)
    own = {name for name in files if not name.startswith("src/generated/")}
    assert own == {
        "manifest.json", "main.py", "pyproject.toml",
        "src/app.py", "src/handlers/total.py", "src/data/amounts.txt",
    }  # fmt: skip
    assert "src/generated/total.py" in files
    assert not [name for name in files if "targets/" in name]
    manifest = json.loads(files["manifest.json"])
    assert manifest["tools"] == [{"name": "total", "description": 'Sums up "orders".\n\nReads a file.'}]
    needs = tomllib.loads(files["pyproject.toml"].decode())
    versions = dict(each.split("==") for each in needs["tool"]["uv"]["constraint-dependencies"])
    assert {"click", "mcp", "msgspec", "toolcast"} <= versions.keys()
    assert "colorama" not in versions
    assert "black" not in versions
    for name, content in files.items():
        place = tmp_path / "there" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    monkeypatch.chdir(tmp_path)
    main = str(tmp_path / "there/main.py")
    judge(served(load("mcp").StdioServerParameters(command=sys.executable, args=[main])), manifest)


def test_the_commands_of_a_skill_call_its_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(project(tmp_path) / "pyproject.toml", FILES["pyproject.toml"] + "[tool.toolcast.targets.skill]\n")
    monkeypatch.chdir(tmp_path)
    assert run(["generate"]) == 0
    page = Path("generated/targets/skill/orders/references/tools.md").read_text(encoding="utf-8")
    [command] = [each.content for each in MarkdownIt().parse(page) if each.info == "sh"]
    monkeypatch.setenv("PATH", os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True, timeout=120)
    assert json.loads(done.stdout)["data"] == {"sum": 42}
    assert "elsewhere" not in page


def test_the_same_files_are_the_same_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Times, places and the folder that packs them change no byte."""
    pack(project(tmp_path / "a"), monkeypatch)
    other = project(tmp_path / "b")
    for number, path in enumerate(sorted(other.rglob("*.py"))):
        os.utime(path, (1_000_000_000 + number,) * 2)
    monkeypatch.chdir(tmp_path)
    configured = ("--config", str(other / "pyproject.toml"))
    assert run(["generate", *configured]) == 0
    assert run(["pack", "mcpb", "--file", "dist/orders.mcpb", *configured]) == 0
    assert (tmp_path / "a/orders-1.2.0.mcpb").read_bytes() == (tmp_path / "dist/orders.mcpb").read_bytes()


def test_packages_below_a_folder_are_packed_as_they_are_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {"app.py": "src/acme/app.py", "handlers/total.py": "src/acme/handlers/total.py"}
    for name, text in FILES.items():
        text = text.replace("from generated", "from acme.generated").replace(
            "from handlers", "from acme.handlers"
        )
        put(tmp_path / places.get(name, name), text)
    put(tmp_path / "src/acme/__init__.py", "")
    put(tmp_path / "src/helpers.py", "")
    layout = 'output = "src/acme/generated"\nstubs = "src/acme/handlers"\nproviders'
    options = 'server = "acme.app:registry"\ninclude = ["data", "src/helpers.py"]\n'
    put(tmp_path / "pyproject.toml", CONFIGURATION.replace("providers", layout) + options)
    files = pack(tmp_path, monkeypatch)
    assert {
        "src/acme/app.py",
        "src/acme/handlers/total.py",
        "src/helpers.py",
        "src/data/amounts.txt",
    } <= files.keys()
    assert "src/acme/generated/total.py" in files


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("pyproject.toml", CONFIGURATION.partition("[tool.toolcast.targets")[0], "is not chosen"),
        ("pyproject.toml", CONFIGURATION.replace('["mcp"]', '["openai"]'), "no definitions"),
        ("specs/total.yaml", SPEC.replace("Sums up", "Adds up"), "out of date"),
        ("pyproject.toml", CONFIGURATION + 'server = "shop:registry"\n', "no module of 'shop:registry'"),
        ("pyproject.toml", CONFIGURATION + 'include = ["../other"]\n', "has no '../other'"),
        ("pyproject.toml", CONFIGURATION + 'include = ["nothing"]\n', "has no 'nothing'"),
        ("pyproject.toml", CONFIGURATION + 'include = ["link"]\n', "is a link"),
        ("pyproject.toml", CONFIGURATION + 'include = ["outside"]\n', "has no 'outside'"),
        ("pyproject.toml", CONFIGURATION + 'wheels = "outside"\n', "has no 'outside'"),
        ("pyproject.toml", CONFIGURATION.replace("click>=8", "not-there-at-all"), "is not installed here"),
        ("pyproject.toml", CONFIGURATION.replace("click>=8", "click @ file:///x"), "a place of this machine"),
        ("pyproject.toml", CONFIGURATION.replace("click>=8", "click>=8;;"), "click>=8;;"),
        (
            "pyproject.toml",
            CONFIGURATION.replace("dependencies =", 'dynamic = ["dependencies"]\nx ='),
            "[project]",
        ),
    ],
)
def test_what_cannot_be_packed_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    file: str,
    text: str,
    words: str,
) -> None:
    monkeypatch.chdir(project(tmp_path / "here"))
    (tmp_path / "other").mkdir()
    Path("link").symlink_to("data")
    Path("outside").symlink_to(tmp_path / "other")
    Path(file).write_text(text, encoding="utf-8")
    if file == "pyproject.toml":
        assert run(["generate"]) == 0
    capfd.readouterr()
    assert run(["pack", "mcpb"]) == 1
    assert words in "".join(capfd.readouterr())
    assert not [*Path().glob("*.mcpb")]


COMMAND = """\
import { getMcpConfigForManifest } from "@anthropic-ai/mcpb";
import { readFileSync } from "node:fs";
const extensionPath = process.argv[2];
const manifest = JSON.parse(readFileSync(`${extensionPath}/manifest.json`, "utf8"));
const userConfig = { unit: "piece" };
const host = { systemDirs: {}, pathSeparator: "/" };
const found = await getMcpConfigForManifest({ manifest, extensionPath, userConfig, ...host });
console.log(JSON.stringify(found));
"""
MORE = """\
icon = "data/icon.png"
wheels = "wheels"
env = {UNIT = "${user_config.unit}"}
user_config = {unit = {type = "string", title = "Unit", description = "Of amounts.", required = true}}
"""


@pytest.mark.thorough
def test_the_official_command_takes_a_bundle_and_a_host_starts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Validated, unpacked, packed and started as a host does, with the versions that are packed, by uv."""
    package, node = NODE_SERVERS / "@anthropic-ai/mcpb", shutil.which("node")
    if node is None or not package.is_dir():
        missing("the command for MCP bundles is not installed; `make mcp-servers` installs it")
    uv = load("uv").find_uv_bin()

    def official(*arguments: str) -> str:
        line = [str(node), str(package / "dist/cli/cli.js"), *arguments]
        return subprocess.run(
            line, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120
        ).stdout

    here, there = project(tmp_path / "here"), tmp_path / "there"
    put(here / "pyproject.toml", FILES["pyproject.toml"] + MORE)
    build = [sys.executable, "-m", "build", "--wheel", "--outdir", str(here / "wheels"), str(ROOT)]
    subprocess.run(build, capture_output=True, check=True, timeout=300)
    (here / "data/icon.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    files = pack(here, monkeypatch)
    official("unpack", str(here / "orders-1.2.0.mcpb"), str(there))
    unpacked = {
        path.relative_to(there).as_posix(): path.read_bytes() for path in there.rglob("*") if path.is_file()
    }
    assert unpacked == files
    assert "validation passes" in official("validate", str(there / "manifest.json"))
    official("pack", str(there), str(tmp_path / "again.mcpb"))
    with zipfile.ZipFile(tmp_path / "again.mcpb") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == files
    schema = "mcpb-manifest-v0.4.schema.json"
    kept = ROOT / "templates/targets/mcpb" / schema
    assert kept.read_bytes() == (package / "schemas" / schema).read_bytes()
    put(tmp_path / "command.mjs", COMMAND)
    (tmp_path / "node_modules").symlink_to(package.parents[1])
    line = [node, str(tmp_path / "command.mjs"), str(there)]
    start = json.loads(subprocess.run(line, capture_output=True, text=True, check=True, timeout=60).stdout)
    assert start["env"] == {"UNIT": "piece"}
    assert start["command"] == "uv"
    kept_names = ("PATH", "HOME", "SSL_CERT_FILE", "UV_CACHE_DIR")
    env = {**start["env"], **{name: os.environ[name] for name in kept_names if name in os.environ}}
    parameters = load("mcp").StdioServerParameters(command=uv, args=start["args"], env=env)
    judge(served(parameters), json.loads(files["manifest.json"]))
