"""The wheel in an empty environment: what a user gets, and a newcomer's first ten minutes."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")

pytestmark = pytest.mark.wheel


def run(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a user would, without this checkout on any path."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**kept, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done


def build(source: Path, out: Path, *kind: str) -> Path:
    """Build a distribution; the file that is new in `out`."""
    before = set(out.iterdir())
    run(sys.executable, "-m", "build", "--installer", "uv", *kind, "--outdir", out, source, cwd=out)
    (found,) = set(out.iterdir()) - before
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel."""
    return build(ROOT, tmp_path_factory.mktemp("dist"), "--wheel")


def environment(folder: Path, *requirements: str) -> Path:
    """A fresh virtual environment with `requirements`; its bin folder."""
    run(UV, "venv", "--quiet", "--python", sys.executable, folder, cwd=folder.parent)
    run(UV, "pip", "install", "--quiet", "--python", folder / "bin/python", *requirements, cwd=folder.parent)
    return folder / "bin"


@pytest.fixture(scope="module")
def compiler(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment with the wheel and its compiler extra."""
    return environment(tmp_path_factory.mktemp("compiler") / "env", f"toolcast[build] @ {wheel.as_uri()}")


@pytest.fixture(scope="module")
def runtime(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment with the wheel alone."""
    return environment(tmp_path_factory.mktemp("runtime") / "env", f"toolcast @ {wheel.as_uri()}")


def test_version(compiler: Path, tmp_path: Path) -> None:
    """`toolcast --version` answers with the version of the tree."""
    stated = run(compiler / "toolcast", "--version", cwd=tmp_path).stdout
    name, version, *rest = stated.split()
    assert name == "toolcast"
    assert f'__version__ = "{version}"' in (ROOT / "codegen/toolcast/version.py").read_text()
    assert " ".join(rest).startswith(f"(distribution toolcast {version}, installed in ")


def test_generates_what_the_checkout_generates(compiler: Path, tmp_path: Path) -> None:
    """The wheel's own templates, on a copied `specs/`: the same bytes as the checked-in output."""
    shutil.copytree(ROOT / "specs", tmp_path / "specs")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    run(compiler / "toolcast", "generate", cwd=tmp_path)
    run(compiler / "toolcast", "generate", "--check", cwd=tmp_path)
    expected = {p.relative_to(ROOT): p.read_bytes() for p in _outputs(ROOT / "generated")}
    actual = {p.relative_to(tmp_path): p.read_bytes() for p in _outputs(tmp_path / "generated")}
    assert expected == actual


def test_generated_code_needs_the_runtime_only(runtime: Path, tmp_path: Path) -> None:
    """The wheel without extras brings msgspec, and that is all a deployed toolset needs."""
    shutil.copytree(ROOT / "generated", tmp_path / "generated", ignore=shutil.ignore_patterns("models"))
    command = (UV, "pip", "list", "--format=json", "--python", runtime / "python")
    listed = json.loads(run(*command, cwd=tmp_path).stdout)
    assert {row["name"].lower() for row in listed} == {"toolcast", "msgspec"}
    script = """
        import asyncio
        from toolcast.runtime import ToolRegistry, ToolResult
        from generated.registry import BINDINGS

        registry = ToolRegistry()
        registry.register(BINDINGS["edit"], lambda params, context: f"edited {params.file_path}")
        call = b'{"file_path": "/a", "old_string": "x", "new_string": "y"}'
        print(asyncio.run(registry.execute("edit", call)).output)
        print(all(b.definition(p) for b in BINDINGS.values() for p in ("openai", "gemini", "mcp")))
    """
    stated = run(runtime / "python", "-c", textwrap.dedent(script), cwd=tmp_path).stdout
    assert stated.splitlines() == ["edited /a", "True"]


def test_the_toolset_reads_a_file(wheel: Path, tmp_path: Path) -> None:
    """The extra `tools`, from the wheels of both distributions; that of the tools is built from its source
    distribution, as installers without a wheel do."""
    source = build(ROOT / "codegen/toolcast_tools", tmp_path, "--sdist")
    shutil.unpack_archive(source, tmp_path / "unpacked")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    tools = build(unpacked, wheel.parent, "--wheel")
    assert tools.name == wheel.name.replace("toolcast-", "toolcast_tools-")
    env = environment(tmp_path / "env", f"--find-links={wheel.parent}", f"toolcast[tools] @ {wheel.as_uri()}")
    python = env / "python"
    work = tmp_path / "work"
    work.mkdir()
    (work / "notes.txt").write_text("first line\n")
    script = """
        import asyncio
        from pathlib import Path
        import toolcast_tools
        from toolcast_tools import toolset

        async def main():
            async with toolset(".", memory="memory.db") as registry:
                result = await registry.execute("file_read", {"file_path": "notes.txt"})
                print(result.success, "first line" in result.output)
                result = await registry.execute("bash", {"command": "true"})
                print(result.success, "nobody to ask" in result.error)

        asyncio.run(main())
        print(sorted(path.name for path in Path(toolcast_tools.__file__).parent.iterdir() if path.suffix))
    """
    stated = run(python, "-c", textwrap.dedent(script), cwd=work).stdout
    modules = (path.name for path in (ROOT / "codegen/toolcast_tools").glob("*.py"))
    expected = sorted({*modules, "py.typed"} - {"copy_generated.py"})
    assert stated.splitlines() == ["True True", "False True", str(expected)]


def test_first_ten_minutes(compiler: Path, tmp_path: Path) -> None:
    """From an empty folder: init, new, generate, stubs, a handler, a call."""
    toolcast = compiler / "toolcast"
    run(toolcast, "init", cwd=tmp_path)
    run(toolcast, "new", "weather/forecast", cwd=tmp_path)
    decide(tmp_path / "specs/weather/forecast.yaml")
    run(toolcast, "generate", cwd=tmp_path)
    run(toolcast, "stubs", cwd=tmp_path)
    stub = tmp_path / "handlers/weather/forecast.py"
    assert stub.is_file(), sorted(str(p) for p in (tmp_path / "handlers").rglob("*"))
    spec = run(toolcast, "show", "forecast", "--provider", "openai", cwd=tmp_path).stdout
    assert json.loads(spec)["function"]["name"] == "forecast"
    script = """
        import asyncio
        from toolcast.runtime import ToolRegistry
        from generated.registry import register_all
        from handlers.weather.forecast import forecast

        registry = ToolRegistry()
        register_all(registry, forecast=forecast, count_words=None)
        result = asyncio.run(registry.execute("forecast", b"{}"))
        print(result.success, "missing" in result.error)
    """
    stated = run(compiler / "python", "-c", textwrap.dedent(script), cwd=tmp_path).stdout
    assert stated.split()[0] == "False"


def decide(spec: Path) -> None:
    """What a person writes into a new spec."""
    text = spec.read_text("utf-8")
    decisions = {
        "description: TODO": "description: Tells the weather of a place.",
        "permission: TODO": "permission: network",
        "secrets: TODO": "secrets: []",
        "required: []": "required: [place]",
        "properties: {}": "properties: {place: {type: string}}",
    }
    for undecided, decided in decisions.items():
        assert undecided in text
        text = text.replace(undecided, decided)
    spec.write_text(text, "utf-8")


def _outputs(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)


def test_text_formats_come_along(runtime: Path, tmp_path: Path) -> None:
    """The files of the text formats are in the wheel, and calls are read with msgspec alone."""
    script = """
        from toolcast.agents.text_calls import known_formats, parse

        text = "<function=edit><parameter=path>a.md</parameter></function>"
        print(parse(text).calls[0].arguments, parse(text, "qwen3-coder").calls[0].name)
        print(*sorted(known_formats()))
    """
    first, second = run(runtime / "python", "-c", textwrap.dedent(script), cwd=tmp_path).stdout.splitlines()
    assert first == "{'path': 'a.md'} edit"
    files = (ROOT / "codegen/toolcast/text_formats/formats").glob("*.toml")
    assert second.split() == sorted(path.stem for path in files)
