"""Every command, as a person types it."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import click
import jsonschema_rs
import pytest
import yaml
from click.testing import Result
from toolcast import __version__
from toolcast.cli.main import COMMANDS, KINDS, UNLISTED, cli
from toolcast.cli.main import run as run_line
from toolcast.diagnostics import Diagnostic
from toolcast.spec.load import load_tool
from toolcast.spec.tool_spec import ToolSpec

from tests.project.fake import put, states, tree

Command = Callable[..., Result]


def test_version_and_help(run: Command) -> None:
    assert run("--version").output.startswith(f"toolcast {__version__} (distribution toolcast ")
    for flag in ("-h", "--help"):
        text = run(flag).output
        listed = re.findall(r"^  ([a-z]+)  ", text.partition("\nCommands:\n")[2], re.MULTILINE)
        assert listed == sorted(COMMANDS)
        assert len(listed) <= 16


NAMES = [*((name,) for name in sorted({**COMMANDS, **UNLISTED})), *(("import", kind) for kind in KINDS)]


@pytest.mark.parametrize("names", NAMES, ids=" ".join)
def test_every_command_explains_itself_with_examples(run: Command, names: tuple[str, ...]) -> None:
    result = run(*names, "--help")
    assert result.exit_code == 0
    assert "Examples:\n" in result.output
    assert f"toolcast {' '.join(names)} " in result.output.partition("Examples:\n")[2] + " "


@pytest.mark.parametrize("names", NAMES, ids=" ".join)
def test_every_option_is_explained(names: tuple[str, ...]) -> None:
    command: click.Command | None = cli
    for name in names:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name)
    assert command is not None
    assert [each.name for each in command.params if isinstance(each, click.Option) and not each.help] == []


def test_a_wrong_command_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_line(["generat"]) == 2
    assert "Did you mean 'generate'?" in capsys.readouterr().err
    assert run_line(["xyzzy"]) == 2
    assert "toolcast --help" in capsys.readouterr().err


def test_commands_are_loaded_by_their_names() -> None:
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert isinstance(command, click.Command)


def test_help_and_options_need_no_stage_of_the_build() -> None:
    """A command imports what compiles, reads or sends when it runs: `--help` and completion wait for none."""
    modules = {module for module, _, _ in {**COMMANDS, **UNLISTED}.values()}
    code = (
        "import importlib, sys\n"
        f"for name in {sorted(modules)}: importlib.import_module(f'toolcast.cli.{{name}}')\n"
        "print(*(name.split('.')[1] for name in sys.modules if name.startswith('toolcast.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = set(done.stdout.split())
    assert {"cli", "config"} <= loaded
    stages = {"agents", "analysis", "contract", "importers", "languages", "project", "providers", "runtime"}
    assert not loaded & stages


@pytest.mark.usefixtures("fake")
class TestGenerate:
    def test_writes_and_says_so_in_one_line(self, run: Command, base: Path) -> None:
        result = run("generate")
        assert result.exit_code == 0
        assert re.fullmatch(
            r"toolcast: 2 tools: 2 rebuilt, 0 unchanged; 12 files written, 0 deleted \(\d+\.\d\d s\)\n",
            result.output,
        )
        (base / "specs/a.yaml").unlink()
        put(base / "specs/g/b.yaml", "2")
        assert "1 tool: 1 rebuilt, 0 unchanged; 6 files written, 5 deleted" in run("generate").output
        assert "1 tool: 0 rebuilt, 1 unchanged; 0 files written, 0 deleted" in run("generate").output

    def test_problems_go_to_stderr_and_fail(self, run: Command, base: Path) -> None:
        put(base / "specs/a.yaml", "bad")
        result = run("generate")
        assert result.exit_code == 1
        assert result.stderr.startswith("specs/a.yaml:1:1: error[bad]: bad\n  1 | bad\n")
        assert "1 refused" in result.stdout

    def test_problems_for_programs(self, run: Command, base: Path) -> None:
        put(base / "specs/a.yaml", "bad")
        answer = json.loads(run("generate", "--format", "json").stdout)
        assert answer["diagnostics"][0]["code"] == "bad"
        assert answer["summary"]["refused"] == 1
        lines = run("generate", "--format", "github").stdout.splitlines()
        assert lines[0] == "::error file=specs/a.yaml,line=1,col=1,title=bad::bad"

    def test_check_lists_drift_and_how_to_repair_it(self, run: Command, base: Path) -> None:
        run("generate")
        assert run("generate", "--check").output == "toolcast: generated is up to date\n"
        put(base / "generated/registry.py", "edited")
        (base / "generated/a.py").unlink()
        (base / "specs/g/b.yaml").unlink()
        before = states(base)
        result = run("generate", "--check")
        assert result.exit_code == 1
        assert "changed  generated/registry.py\n" in result.output
        assert "missing  generated/a.py\n" in result.output
        assert "orphaned generated/g/b.py\n" in result.output
        assert result.output.endswith("; to repair it, run: toolcast generate\n")
        assert states(base) == before
        annotations = run("generate", "--check", "--format", "github").stdout
        assert "::error file=generated/a.py,line=1,title=drift-edited::this output is missing" in annotations
        assert annotations.count("::error") == 2
        (base / "pyproject.toml").rename(base / "my own.toml")
        stated = run("generate", "--check", "--config", "my own.toml").output
        assert stated.endswith("; to repair it, run: toolcast generate --config 'my own.toml'\n")
        codes = [
            each["code"]
            for each in json.loads(run("generate", "--check", "--format", "json").stdout)["diagnostics"]
        ]
        assert codes == ["drift-configuration", "drift-deleted"]  # of all providers, by default
        run("generate")
        assert run("generate", "--check").exit_code == 0

    @pytest.mark.usefixtures("base")
    def test_check_tells_of_line_endings_that_git_changed(self, run: Command, base: Path) -> None:
        run("generate")
        for path in (base / "generated").rglob("*.*"):
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        result = run("generate", "--check")
        assert result.exit_code == 1
        assert "changed  generated/a.py\n" in result.stdout
        assert "12 outputs are different in line endings only" in result.stdout
        assert "toolcast init --add gitattributes" in result.stdout
        (reported,) = json.loads(run("generate", "--check", "--format", "json").stdout)["diagnostics"]
        assert reported["code"] == "drift-endings"
        assert "gitattributes" in reported["hint"]
        put(base / "generated/a.py", "# Generated by toolcast. Do not edit.\r\nEDITED = 1\r\n")
        assert "11 outputs are different in line endings only" in run("generate", "--check").stdout

    def test_diff_shows_new_changed_and_deleted_files(
        self, run: Command, base: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run("generate")
        put(base / "specs/a.yaml", "2")
        (base / "specs/g/b.yaml").unlink()
        put(base / "specs/new.yaml", "1")
        before = states(base)
        result = run("generate", "--diff")
        assert result.exit_code == 0
        assert states(base) == before
        assert "--- a/generated/a.py\n+++ b/generated/a.py\n@@ -1,2 +1,2 @@\n" in result.stdout
        assert "--- /dev/null\n+++ b/generated/new.py\n" in result.stdout
        assert "--- a/generated/g/b.py\n+++ /dev/null\n" in result.stdout
        assert "to write" in result.stderr
        monkeypatch.setenv("FORCE_COLOR", "1")
        assert "\x1b[31m-BODY" in run("generate", "--diff").stdout

    @pytest.mark.usefixtures("base")
    def test_options_exclude_each_other(self, run: Command) -> None:
        assert run("generate", "--check", "--diff").exit_code == 2

    def test_wrong_configuration_is_reported_with_its_place(self, run: Command, base: Path) -> None:
        put(base / "pyproject.toml", "[tool.toolcast]\nspec = 'x'\n")
        result = run("generate")
        assert result.exit_code == 1
        assert "pyproject.toml:2:1: error[unknown-key]" in result.stderr
        assert "did you mean 'specs'?" in result.stderr

    def test_unknown_providers_are_refused(self, run: Command, base: Path) -> None:
        put(base / "pyproject.toml", "[tool.toolcast]\nproviders = ['opnai']\n")
        assert "unknown provider 'opnai'" in run("generate").stderr

    def test_without_specs_nothing_is_deleted(self, run: Command, base: Path) -> None:
        run("generate")
        before = tree(base / "generated")
        (base / "specs").rename(base / "elsewhere")
        result = run("generate")
        assert result.exit_code == 1
        assert "toolcast init" in result.stderr
        assert result.stdout == "toolcast: nothing was built\n"
        assert tree(base / "generated") == before

    def test_clean(self, run: Command, base: Path) -> None:
        run("generate")
        before = states(base)
        assert "would remove  generated/g/b.py" in run("clean", "--dry-run").output
        assert states(base) == before
        assert "12 files removed" in run("clean").output
        assert not (base / "generated").exists()
        assert not (base / ".toolcast").exists()
        assert (base / "specs/a.yaml").exists()

    def test_one_file_is_a_file(self, run: Command, base: Path) -> None:
        put(base / "pyproject.toml", "[tool.toolcast]\nproviders = []\n")
        run("generate")
        for path in (base / "generated").rglob("*"):
            if path.is_file() and path.name != "manifest.txt":
                path.unlink()
        assert "1 file would be removed" in run("clean", "--dry-run").stdout
        assert "1 file removed" in run("clean").stdout

    def test_a_file_in_the_way_of_stubs_is_reported(self, run: Command, base: Path) -> None:
        put(base / "handlers", "mine")
        result = run("stubs")
        assert result.exit_code == 1
        assert "error[io-error]" in result.stderr
        assert (base / "handlers").read_text() == "mine"

    def test_stubs_are_written_once(self, run: Command, base: Path) -> None:
        result = run("stubs")
        assert result.exit_code == 0, result.output
        path = base / "handlers/a.py"
        text = path.read_text()
        compile(text, "a.py", "exec")
        assert "from generated.a import P\n" in text
        assert "async def a(params: P, context: ToolContext) -> ToolResult:\n" in text
        path.write_text("mine")
        put(base / "specs/new.yaml", "")
        assert "1 handler written, 2 kept" in run("stubs").output
        assert path.read_text() == "mine"


class TestInit:
    def test_in_an_empty_folder(self, run: Command, empty: Path) -> None:
        result = run("init")
        assert result.exit_code == 0
        assert "toolcast generate" in result.output
        assert tomllib.loads((empty / "pyproject.toml").read_text())["tool"]["toolcast"]["specs"] == "specs"
        spec, problems = load_tool(
            empty / "specs", "text/count_words.yaml", shown_root="specs", known_providers=frozenset()
        )
        assert problems == ()
        assert spec is not None
        validator = jsonschema_rs.Draft202012Validator(spec.parameters)
        assert all(validator.is_valid(example) for example in spec.examples)

    def test_again_changes_nothing(self, run: Command, empty: Path) -> None:
        run("init")
        before = states(empty)
        assert run("init").exit_code == 0
        assert states(empty) == before

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "# only a comment",
            "[project]\nname = 'x'",
            "[tool.black]\nline-length = 1\n",
            "[tool]\nx = 1\n\n[[tool.y]]\nz = 'é'\n",
            "[project]\r\nname = 'x'\r\n",
        ],
    )
    def test_an_existing_file_is_only_added_to(self, run: Command, empty: Path, text: str) -> None:
        file = empty / "pyproject.toml"
        file.write_bytes(text.encode())
        assert run("init").exit_code == 0
        new = file.read_bytes().decode()
        assert new.startswith(text)
        before, after = tomllib.loads(text), tomllib.loads(new)
        table = after["tool"].pop("toolcast")
        assert table["output"] == "generated"
        assert after == {**before, "tool": before.get("tool", {})}
        assert ("\r\n" in text) == ("\r\n" in new)

    @pytest.mark.parametrize("text", ["tool = {black = {}}\n", "not toml", "tool = 3\n"])
    def test_what_cannot_be_added_to_is_left_alone(self, run: Command, empty: Path, text: str) -> None:
        put(empty / "pyproject.toml", text)
        result = run("init")
        assert result.exit_code == 1
        assert "hint:" in result.stderr
        assert (empty / "pyproject.toml").read_text() == text

    @pytest.mark.parametrize("thing", ["pyproject.toml", "specs", ".gitattributes"])
    def test_what_stands_in_the_way_is_reported(self, run: Command, empty: Path, thing: str) -> None:
        if thing == "specs":
            put(empty / thing, "a file")
        else:
            (empty / thing).mkdir()
        result = run("init", "--add", "gitattributes")
        assert result.exit_code == (0 if thing == ".gitattributes" else 1)  # that is kept as it is
        assert thing in result.output
        assert "Traceback" not in result.output
        assert not isinstance(result.exception, OSError)

    @pytest.mark.skipif(shutil.which("git") is None, reason="asks git")
    @pytest.mark.parametrize(
        "output", ["gen", "a b/gen", "./gen/", "#x", "!x", "a[b]*?", 'q"uote', "back\\slash", ".", "ä/ö"]
    )
    def test_git_reads_the_attributes_of_any_output(self, run: Command, empty: Path, output: str) -> None:
        put(empty / "pyproject.toml", f"[tool.toolcast]\noutput = '{output}'\n")
        assert "created   .gitattributes" in run("init", "--add", "gitattributes").output
        subprocess.run(["git", "init", "--quiet"], cwd=empty, check=True)
        for path, merge in (("g/b.py", "unset"), ("manifest.txt", "union"), ("registry.py", "union")):
            words = ["git", "check-attr", "eol", "merge", "--", f"{output}/{path}"]
            stated = subprocess.run(words, cwd=empty, check=True, capture_output=True, text=True)
            assert [line.rpartition(": ")[2] for line in stated.stdout.splitlines()] == ["lf", merge]
            assert stated.stderr == ""

    @pytest.mark.parametrize("output", ["../gen", "/srv/gen", "c:/gen"])
    def test_an_output_elsewhere_gets_no_attributes(self, run: Command, empty: Path, output: str) -> None:
        put(empty / "pyproject.toml", f"[tool.toolcast]\noutput = '{output}'\n")
        assert "left out  .gitattributes: " in run("init", "--add", "gitattributes").output
        assert not (empty / ".gitattributes").exists()

    def test_what_only_a_repositorys_root_is_read_for(
        self, run: Command, empty: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (empty / ".git").mkdir()
        (empty / "sub/project").mkdir(parents=True)
        monkeypatch.chdir(empty / "sub/project")
        stated = run("init", "--add", "pre-commit", "--add", "github", "--add", "make").output
        assert stated.count(f"root of the repository only: move it to {empty.as_posix()}, and") == 2
        assert stated.count("`--config sub/project/pyproject.toml`") == 2
        monkeypatch.chdir(empty)
        assert "root of the repository" not in run("init", "--add", "pre-commit").output


def load(base: Path, path: str) -> tuple[ToolSpec | None, tuple[Diagnostic, ...]]:
    return load_tool(base / "specs", path, shown_root="specs", known_providers=frozenset())


class TestNew:
    def test_the_spec_compiles_once_a_person_has_decided(self, run: Command, base: Path) -> None:
        result = run("new", "files/edit")
        assert result.exit_code == 0
        assert "decide what is TODO there" in result.output
        path = base / "specs/files/edit.yaml"
        text = path.read_text()
        assert yaml.safe_load(text)["name"] == "edit"
        assert "count" not in text
        spec, problems = load(base, "files/edit.yaml")
        assert spec is None
        assert [(each.code, text.splitlines()[each.line - 1]) for each in problems] == [
            ("todo", f"{key}: TODO") for key in ("description", "permission", "secrets")
        ]
        assert not jsonschema_rs.is_valid(json.loads(run("schema").output), yaml.safe_load(text))
        decided = text.replace("description: TODO", "description: Edits a file.")
        path.write_text(decided.replace("permission: TODO", "permission: write"))
        assert [each.code for each in load(base, "files/edit.yaml")[1]] == ["todo"]
        path.write_text(path.read_text().replace("secrets: TODO", "secrets: []"))
        spec, problems = load(base, "files/edit.yaml")
        assert problems == ()
        assert spec is not None
        assert (spec.summary, spec.permission) == ("Edits a file.", "write")

    @pytest.mark.parametrize(
        ("text", "written"),
        [
            ("TODO", False),
            (" TODO\n", False),
            ("TODO: what the tool does.", False),
            ("TODO list of this session.", True),
            ("Todo", True),
            ("See TODO: later.", True),
        ],
    )
    def test_a_description_that_says_todo_is_not_written(
        self, run: Command, base: Path, text: str, written: bool
    ) -> None:
        data = {"description": text, "permission": "read", "secrets": []}
        put(base / "specs/x.json", json.dumps(data))
        assert (load(base, "x.json")[0] is not None) is written
        assert jsonschema_rs.is_valid(json.loads(run("schema").output), data) is written

    @pytest.mark.parametrize(
        "name",
        [
            "../evil",
            "/tmp/evil",
            "a/../../evil",
            "a b",
            "",
            "1st/x",
            "x/class/y",
            "registry",
            "a\\b",
            "_x/y",
            "x/_y/z",
            "specs/x/y",
        ],
    )
    def test_names_that_cannot_be_are_refused(self, run: Command, base: Path, name: str) -> None:
        before = states(base), sorted(base.parent.iterdir())
        result = run("new", name)
        assert result.exit_code == 1
        assert "hint:" in result.stderr
        assert (states(base), sorted(base.parent.iterdir())) == before

    @pytest.mark.parametrize("suffix", [".yaml", ".yml", ".json"])
    def test_nothing_is_overwritten(self, run: Command, base: Path, suffix: str) -> None:
        put(base / f"specs/g/x{suffix}", "mine")
        assert run("new", "g/x").exit_code == 1
        assert (base / f"specs/g/x{suffix}").read_text() == "mine"

    def test_a_file_in_the_way_is_reported(self, run: Command, base: Path) -> None:
        put(base / "specs/x", "mine")
        result = run("new", "x/y")
        assert result.exit_code == 1
        assert "error[io-error]" in result.stderr
        assert "move what stands there elsewhere" in result.stderr


def test_schema_is_a_schema_that_takes_the_example(run: Command, empty: Path) -> None:
    run("init")
    schema = json.loads(run("schema").output)
    jsonschema_rs.meta.validate(schema)
    example = yaml.safe_load((empty / "specs/text/count_words.yaml").read_text())
    validator = jsonschema_rs.validator_for(schema)
    assert validator.is_valid(example)
    del example["permission"]
    assert not validator.is_valid(example)


@pytest.mark.usefixtures("fake")
class TestShow:
    @pytest.mark.usefixtures("base")
    def test_contract_and_provider(self, run: Command) -> None:
        assert set(json.loads(run("show", "b").stdout)) == {"body"}
        assert set(json.loads(run("show", "g/b", "--provider", "mcp").stdout)) == {"mcp"}
        assert json.loads(run("show", "b", "--ledger", "--format", "json").stdout) == {}

    def test_a_wrong_name_gets_a_suggestion(self, run: Command, base: Path) -> None:
        put(base / "specs/edit.yaml", "")
        result = run("show", "edti")
        assert result.exit_code == 1
        assert "did you mean 'edit'?" in result.stderr
        assert "did you mean 'mcp'?" in run("show", "b", "--provider", "mpc").stderr

    def test_a_bad_spec_tells_why(self, run: Command, base: Path) -> None:
        put(base / "specs/a.yaml", "bad")
        result = run("show", "a")
        assert result.exit_code == 1
        assert "error[bad]" in result.stderr
