"""Small inputs that would become large or slow: arguments, archives, specs and patterns."""

import gzip
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy
from toolcast_tools import toolset
from toolcast_tools.schedule import Schedule

from tests.security.conftest import Command, put

LIMIT = 24_100


async def scheduled(_: Any) -> None:
    """What a task does."""


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[ToolRegistry]:
    """The toolset, without web and shell, whose arguments would leave the machine or run."""
    folder = tmp_path / "workspace"
    documents = tmp_path / "documents"
    folder.mkdir()
    documents.mkdir()
    with toolset(
        folder,
        policy=Policy("full"),
        web=False,
        memory=tmp_path / "memory.db",
        knowledge={"documents": documents},
        schedule=Schedule(None, scheduled),
    ) as made:
        yield made


def bounded(result: ToolResult) -> str:
    """What a model reads of a result, which is no fault of the program."""
    assert "internal error" not in result.error
    assert "Traceback" not in result.error
    assert len(result.output) <= LIMIT
    assert len(result.error) <= LIMIT
    return result.output + result.error


ARGUMENTS = {
    "nested arrays": b"[" * 200_000,
    "nested arrays that close": b'{"a":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "nested objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "a long number": b'{"a": ' + b"9" * 200_000 + b"}",
    "a large exponent": b'{"a": 1e999999999}',
    "many keys": json.dumps({f"k{n}": n for n in range(20_000)}).encode(),
    "one key many times": b"{" + b'"a":1,' * 20_000 + b'"a":1}',
    "lone surrogates": b'{"a": "' + b"\\ud800" * 10_000 + b'"}',
    "no text": b"\xff\xfe" * 10_000,
    "no end": b'{"a": "' + b"x" * 1_000_000,
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_bomb_of_json_as_arguments_is_a_failed_result(name: str, registry: ToolRegistry) -> None:
    """Arguments that nest, repeat, grow or never end, for each tool of the toolset."""
    for tool in registry.names:
        result = registry.execute_sync(tool, ARGUMENTS[name])
        assert not result.success
        assert bounded(result)


def texts(schema: dict[str, Any]) -> list[str]:
    below = schema.get("properties", {})
    return [name for name in below if below[name].get("type") == "string" and "enum" not in below[name]]


def test_a_long_text_in_any_parameter_is_refused_or_bounded(registry: ToolRegistry) -> None:
    """A text of four million characters, in each text parameter of each tool."""
    giant = "a" * 4_000_000
    tools = [name for name in registry.names if name not in ("bash", "bash_process")]
    for tool in tools:
        schema = registry.get(tool).binding.schema()
        required = dict.fromkeys(schema.get("required", ()), "x")
        for name in texts(schema):
            bounded(registry.execute_sync(tool, {**required, name: giant}))


def archives(folder: Path) -> list[str]:
    """Small files that unpack to 12 MB."""
    zeros = b"\0" * 1_000_000
    with gzip.open(folder / "bomb.csv.gz", "wb") as file:
        for _ in range(12):
            file.write(b"secret-needle,1\n" * 62_500)
    with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("secret-needle.txt", zeros * 12)
    with tarfile.open(folder / "bomb.tar.xz", "w:xz") as tar:
        info = tarfile.TarInfo("../../secret-needle.txt")
        info.size = len(zeros) * 12
        tar.addfile(info, io.BytesIO(zeros * 12))
    return ["bomb.csv.gz", "bomb.zip", "bomb.tar.xz"]


def test_an_archive_is_not_unpacked(tmp_path: Path) -> None:
    """Compressed files that unpack to 12 MB, for each tool that reads files."""
    names = archives(tmp_path)
    for name in names:
        assert (tmp_path / name).stat().st_size < 200_000
    with toolset(tmp_path, policy=Policy("full"), shell=False, web=False) as registry:
        for name in names:
            read = registry.execute_sync("file_read", {"file_path": name})
            assert "needle" not in bounded(read)
            replace = {"file_path": name, "old_string": "a", "new_string": "b"}
            assert not registry.execute_sync("edit", replace).success
            for format in ("auto", "csv"):
                source = {"kind": "file", "file_path": name, "format": format}
                table = registry.execute_sync("data_analysis", {"source": source, "steps": []})
                assert "needle" not in bounded(table)
        found = registry.execute_sync("grep", {"pattern": "secret-needle", "output": "lines"})
        assert found.success
        assert "bomb" not in bounded(found)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


PATTERNS = (
    (r"^(a+)+$", "a" * 5_000 + "!"),
    (r"^(a|a)*$", "a" * 5_000 + "!"),
    (r"^(a|aa)+$", "a" * 5_000 + "!"),
    (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 5_000),
    (r"^(.*)*x$", "y" * 5_000),
    (r"\s+$", " " * 5_000 + "x"),
    (r"(x+x+)+y", "x" * 5_000),
    (r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*@x$", "a" * 5_000),
    (r"^(?=(a+)+$)a", "a" * 5_000 + "!"),
    (r"(?:a?){30}a{30}", "a" * 29),
)
CALL = """
import json, sys
from generated.registry import BINDINGS
from toolcast.runtime import ArgumentError, ToolRegistry

registry = ToolRegistry()
registry.register(BINDINGS["slow"], lambda params, context: "ran")
for index, text in json.load(sys.stdin):
    for arguments in ({f"p{index}": text}, {"keys": {text: 1}}, {"names": {text: 1}}, {"all": [text] * 3}):
        result = registry.execute_sync("slow", json.dumps(arguments), provider="openai")
        print(result.success, "internal error" in result.error)
"""


def test_a_slow_pattern_in_a_spec_neither_stops_the_compiler_nor_a_call(
    checkout: Path, audited: Command
) -> None:
    """ReDoS by a stranger's spec: patterns that backtrack for ever elsewhere, with texts made for them."""
    patterns = [pattern for pattern, _ in PATTERNS]
    spec = {
        "description": "Is slow.",
        "permission": "read",
        "secrets": [],
        "parameters": {
            "type": "object",
            "properties": {
                **{f"p{n}": {"type": "string", "pattern": pattern} for n, pattern in enumerate(patterns)},
                "keys": {"type": "object", "patternProperties": {each: {} for each in patterns}},
                "names": {
                    "type": "object",
                    "propertyNames": {"anyOf": [{"pattern": each} for each in patterns]},
                },
                "all": {"type": "array", "items": {"allOf": [{"pattern": each} for each in patterns]}},
            },
        },
    }
    put(checkout / "specs" / "slow.json", json.dumps(spec))
    run = audited(checkout, "generate")
    assert run.status == 0, run.output
    texts = json.dumps([(index, text) for index, (_, text) in enumerate(PATTERNS)])
    done = subprocess.run(
        [sys.executable, "-c", CALL],
        cwd=checkout,
        input=texts,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 4 * len(PATTERNS)
    assert not any(line.endswith("True") for line in lines)
    assert "False False" in lines


def test_a_pattern_of_a_model_does_not_run_in_a_backtracking_engine(tmp_path: Path) -> None:
    """ReDoS by grep: each pattern on a line made for it."""
    for number, (_, text) in enumerate(PATTERNS):
        (tmp_path / f"{number}.txt").write_text(f"{text}\n")
    code = (
        "import json, sys\n"
        "from toolcast.runtime import ToolRegistry\n"
        "from toolcast_tools.files import Files\n"
        "from toolcast_tools.generated.files.grep import GREP\n"
        "registry = ToolRegistry()\n"
        "registry.register(GREP, Files('.').grep)\n"
        "for pattern in json.load(sys.stdin):\n"
        "    result = registry.execute_sync('grep', {'pattern': pattern})\n"
        "    print('searched' if result.success else result.error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        input=json.dumps([pattern for pattern, _ in PATTERNS]),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *lines, with_look_ahead, last = done.stdout.splitlines()
    assert [*lines, last] == ["searched"] * (len(PATTERNS) - 1)
    assert "internal error" not in with_look_ahead
