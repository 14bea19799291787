"""Projects that build wheels with the hooks: what gets in, what stops the build, what is only said."""

import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from .support import PROJECTS, commit_all, copy, edit, git, run

pytestmark = pytest.mark.wheel

BACKENDS = ("hatch", "setuptools")
CALL = """\
from acme_{name}.generated.registry import BINDINGS
binding = BINDINGS["forecast"]
params = binding.decode(b'{{"place": {{"latitude": 1, "longitude": 2}}}}')
print(params.days, binding.definition("openai")[:9])
try:
    binding.decode(b'{{"days": 99}}')
except Exception as error:
    print(type(error).__name__)
"""


def built(tools: Path, project: Path, *options: str, fails: bool = False) -> str:
    command = (tools / "python", "-m", "build", "--no-isolation", *options)
    return run(*command, cwd=project, fails=fails, PATH=f"{tools}:/usr/bin:/bin")


def names(archive: Path) -> set[str]:
    """What is in a wheel, or in a source distribution below its one folder."""
    if archive.suffix == ".whl":
        return set(zipfile.ZipFile(archive).namelist())
    with tarfile.open(archive) as tar:
        return {name.partition("/")[2] for name in tar.getnames()}


def outputs(name: str) -> set[str]:
    source = PROJECTS / name / "src"
    found = (source / f"acme_{name}" / "generated").rglob("*")
    return {path.relative_to(source).as_posix() for path in found if path.is_file() and path.suffix != ".pyc"}


@pytest.mark.parametrize("name", BACKENDS)
def test_what_is_checked_in_is_current(name: str, tools: Path) -> None:
    run(tools / "toolcast", "generate", "--check", cwd=PROJECTS / name)


@pytest.mark.parametrize("name", BACKENDS)
def test_sdist_and_the_wheel_made_from_it(name: str, tools: Path, tmp_path: Path) -> None:
    """As `python -m build` does: the wheel is made from the source distribution, so that has the specs."""
    project = copy(name, tmp_path)
    git("init", "--quiet", cwd=project)
    commit_all(project, "all")
    run(tools / "toolcast", "generate", cwd=project)  # leaves its machine-local folder behind
    built(tools, project)
    (sdist,) = (project / "dist").glob("*.tar.gz")
    (wheel,) = (project / "dist").glob("*.whl")
    assert outputs(name) <= names(wheel)
    assert {"specs/weather/forecast.yaml", "specs/_types/place.yaml"} <= names(sdist)
    assert not [entry for entry in names(sdist) | names(wheel) if ".toolcast" in entry]
    place = tmp_path / "installed"
    run(
        tools / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        place,
        wheel,
        cwd=tmp_path,
    )
    stated = run(tools / "python", "-c", CALL.format(name=name), cwd=place, PYTHONPATH=str(place))
    assert stated.splitlines() == ['3 b\'{"type":"\'', "ArgumentError"]


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("hatch", "--wheel"),
        ("hatch", "--sdist"),
        ("setuptools", "--wheel"),  # its source distribution is verified by the wheel made from it
    ],
)
def test_drift_stops_the_build(name: str, target: str, tools: Path, tmp_path: Path) -> None:
    project = copy(name, tmp_path)
    edit(project)
    stated = built(tools, project, target, fails=True)
    assert f"changed  src/acme_{name}/generated/weather/forecast.py" in stated
    assert "run `toolcast generate`" in stated
    assert "Traceback" not in stated
    run(tools / "toolcast", "generate", cwd=project)
    built(tools, project, target)


@pytest.mark.parametrize("name", BACKENDS)
def test_a_wrong_spec_stops_the_build_with_its_place(name: str, tools: Path, tmp_path: Path) -> None:
    project = copy(name, tmp_path)
    spec = edit(project)
    spec.write_text(spec.read_text("utf-8").replace("permission: network", "permission: nowhere"), "utf-8")
    stated = built(tools, project, "--wheel", fails=True)
    assert "specs/weather/forecast.yaml:3:13" in stated


@pytest.mark.parametrize("name", BACKENDS)
def test_without_specs_the_remedy_is_reported(name: str, tools: Path, tmp_path: Path) -> None:
    project = copy(name, tmp_path)
    (project / "specs").rename(tmp_path / "specs")
    assert "made without the specs" in built(tools, project, "--wheel", fails=True)


@pytest.mark.parametrize("name", BACKENDS)
def test_generating_is_opt_in_and_may_be_ignored_by_git(name: str, tools: Path, tmp_path: Path) -> None:
    project = copy(name, tmp_path)
    config = project / "pyproject.toml"
    text = config.read_text("utf-8").replace('"verify"', '"generate"').replace(".build_py", ".generate_py")
    config.write_text(text, "utf-8")
    run("rm", "-r", f"src/acme_{name}/generated", cwd=project)
    (project / ".gitignore").write_text("generated/\n", "utf-8")
    git("init", "--quiet", cwd=project)
    commit_all(project, "all")
    built(tools, project)
    (wheel,) = (project / "dist").glob("*.whl")
    assert outputs(name) <= names(wheel)


@pytest.mark.parametrize("name", BACKENDS)
def test_an_editable_install_only_warns(name: str, tools: Path, tmp_path: Path) -> None:
    project = copy(name, tmp_path)
    edit(project)
    environment = tmp_path / "env"
    run(sys.executable, "-m", "venv", "--system-site-packages", environment, cwd=tmp_path)
    ask = "import site; print(site.getsitepackages()[0])"
    site = run(tools / "python", "-c", ask, cwd=tmp_path).strip()
    python = environment / "bin" / "python"
    pip = (python, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "-v", "--editable")
    stated = run(*pip, project, cwd=tmp_path, PYTHONPATH=site)
    assert "is not what the specs say" in stated
    assert run(python, "-c", CALL.format(name=name), cwd=tmp_path, PYTHONPATH=site).startswith("3 ")


def test_an_unknown_mode_is_refused(tools: Path, tmp_path: Path) -> None:
    project = copy("hatch", tmp_path)
    config = project / "pyproject.toml"
    config.write_text(config.read_text("utf-8").replace('"verify"', '"trust"'), "utf-8")
    assert "expected 'verify' or 'generate', not 'trust'" in built(tools, project, "--wheel", fails=True)
    config.write_text(config.read_text("utf-8").replace("mode = ", "modus = "), "utf-8")
    assert "unknown key 'modus'" in built(tools, project, "--wheel", fails=True)


def test_in_an_isolated_environment(wheel: Path, tools: Path, tmp_path: Path) -> None:
    """As for a user: the front end installs what `requires` names, and nothing else is there."""
    project = copy("hatch", tmp_path)
    command = (tools / "python", "-m", "build", "--wheel")
    run(*command, cwd=project, PIP_FIND_LINKS=str(wheel.parent), PIP_PRE="0")
    (made,) = (project / "dist").glob("*.whl")
    assert outputs("hatch") <= names(made)
