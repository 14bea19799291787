"""Other versions: no drift where they print the same, and one cause where they do not."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import toolcast.project.package as package_module
import toolcast.project.state.fingerprint as fingerprint_module
import yaml
from msgspec import structs
from toolcast.config import Config
from toolcast.distribution import requirement
from toolcast.package_files import templates_dir
from toolcast.project.core.compiled import Compiled, Options, ToolEntry
from toolcast.project.generate import build
from toolcast.project.worker import FRONTEND, Frontend
from toolcast.version import __version__

from tests.project.fake import FAKE, compile_tool, config_of, project, put, tree

NEWER = "9.9"


def changed(tool: object, types: object, options: Options) -> Compiled:
    """As a generator with another template compiles the tools of group `g`."""
    compiled = compile_tool(tool, types, options)  # type: ignore[arg-type]
    if not compiled.path.startswith("g/"):
        return compiled
    files = {path: content + b"# newer\n" * path.endswith(".py") for path, content in compiled.files.items()}
    return structs.replace(compiled, files=files)


def another_registry(
    entries: Sequence[ToolEntry], folders: Sequence[str], options: Options
) -> dict[str, bytes]:
    """The same for the files about the whole set."""
    made = FAKE.compile_package(entries, folders, options)
    return {path: content + b"# newer\n" for path, content in made.items()}


OTHERS: dict[str, Frontend] = {
    "tools": structs.replace(FAKE, compile_tool=changed),
    "registry": structs.replace(FAKE, compile_package=another_registry),
}


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    """A project that this version built; from here on, another one is installed."""
    made = project(tmp_path, {"a.yaml": "1", "g/b.yaml": "1", "g/c.yaml": "1"})
    build(made, FAKE)
    monkeypatch.setattr(package_module, "__version__", NEWER)
    monkeypatch.setattr(fingerprint_module, "__version__", NEWER)
    return made


def test_versions_that_print_the_same_are_no_drift(config: Config) -> None:
    before = tree(config.output)
    assert build(config, FAKE, mode="check", jobs=1).plan.empty
    assert build(config, FAKE, jobs=1).plan.empty
    assert tree(config.output) == before


def test_versions_that_print_otherwise_are_one_cause(config: Config) -> None:
    put(config.specs / "a.yaml", "2")
    report = build(config, OTHERS["tools"], mode="check", jobs=1)
    assert [(each.reason, each.units) for each in report.causes] == [
        ("spec", ("a.yaml",)),
        ("configuration", ("g/b.yaml", "g/c.yaml")),
    ]


def test_another_registry_is_one_cause_too(config: Config) -> None:
    (cause,) = build(config, OTHERS["registry"], mode="check", jobs=1).causes
    assert cause.reason == "configuration"
    assert set(cause.files) == {"__init__.py", "g/__init__.py", "registry.py"}


def test_generating_settles_it_and_records_who_did(config: Config) -> None:
    build(config, OTHERS["tools"], jobs=1)
    assert build(config, OTHERS["tools"], mode="check", jobs=1).plan.empty
    text = (config.output / "manifest.txt").read_text()
    assert text.count(f"by toolcast {NEWER}, ") == 2
    assert text.count(f"by toolcast {__version__}, ") == 2


# the command

TOML = '[tool.toolcast]\nproviders = ["openai"]\ntemplates = "mine"\n'
SPEC = "description: Does it.\npermission: read\nsecrets: []\n"


@pytest.fixture
def real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    put(tmp_path / "pyproject.toml", TOML)
    (tmp_path / "mine").mkdir()
    for name in ("one", "two"):
        put(tmp_path / f"specs/{name}.yaml", SPEC)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_with(black: Path, base: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A `toolcast` that finds the black in a folder."""
    code = f"import sys; sys.path.insert(0, {str(black)!r}); from toolcast.cli.entry import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *words], cwd=base, capture_output=True, text=True, check=False
    )


@pytest.mark.thorough
def test_a_real_black_of_another_year(real: Path, tmp_path: Path) -> None:
    """One project with our templates, which no black changes; one with a template that two of them print
    differently: since 2026, one empty line follows imports."""
    pytest.importorskip("pip", reason="pip installs the other black")
    black = tmp_path / "black-25"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        str(black),
        "black==25.1.0",
    ]
    if subprocess.run(pip, check=False).returncode:
        pytest.skip("no package index has black 25.1.0 for this Python")
    done = run_with(black, real, "generate")
    assert done.returncode == 0, done.stderr
    assert "black 25.1.0" in (real / "generated/manifest.txt").read_text()
    before = tree(real / "generated")
    config = config_of(real)
    assert build(config, FRONTEND, mode="check", jobs=1).plan.empty
    assert build(config, FRONTEND, jobs=1).plan.empty
    assert tree(real / "generated") == before
    template = (templates_dir() / "tool.py.jinja").read_text()
    put(real / "mine/tool.py.jinja", template + "\nimport os\n\n\nHERE = os.sep\n")
    assert run_with(black, real, "generate").returncode == 0
    (cause,) = build(config, FRONTEND, mode="check", jobs=1).causes
    assert (cause.reason, cause.units) == ("configuration", ("one.yaml", "two.yaml"))
    assert run_with(black, real, "generate", "--check").returncode == 0


def test_the_files_that_install_toolcast_pin_it() -> None:
    root = Path(__file__).parents[2]
    workflow = yaml.safe_load((root / "action.yml").read_text())
    assert workflow["inputs"]["requirement"]["default"] == requirement("build")
