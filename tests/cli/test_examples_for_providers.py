"""`examples` of the configuration and of single specs: which providers are sent the examples of a tool."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command

SPEC = """\
description: Look something up.
permission: read
secrets: []
parameters: {type: object, properties: {"a b": {type: string}}, required: ["a b"]}
examples: [{a b: x}, {a b: z}]
"""
TOML = '[tool.toolcast]\nproviders = ["anthropic", "openai"]\n'


def put(base: Path, toml: str, **specs: str) -> None:
    (base / "specs").mkdir(exist_ok=True)
    (base / "pyproject.toml").write_text(toml)
    for name, text in specs.items():
        (base / "specs" / f"{name}.yaml").write_text(text)


def sent(base: Path, run: Command, name: str = "look") -> Any:
    done = run("generate")
    assert done.exit_code == 0, done.stderr
    return json.loads((base / f"generated/schemas/anthropic/{name}.json").read_text()).get("input_examples")


def test_none_by_default_and_for_the_named_ones_in_their_form(empty: Path, run: Command) -> None:
    put(empty, TOML, look=SPEC)
    assert sent(empty, run) is None
    put(empty, TOML + 'examples = ["anthropic"]\n')
    assert sent(empty, run) == [{"a_b": "x"}, {"a_b": "z"}]
    assert "input_examples" not in (empty / "generated/schemas/openai/look.json").read_text()
    put(empty, TOML)
    assert sent(empty, run) is None


def test_a_spec_decides_for_itself(empty: Path, run: Command) -> None:
    off, on = (f"{SPEC}providers: {{anthropic: {{examples: {flag}}}}}\n" for flag in ("false", "true"))
    put(empty, TOML, off=off, on=on)
    assert sent(empty, run, "on") == [{"a_b": "x"}, {"a_b": "z"}]
    put(empty, TOML + 'examples = ["anthropic"]\n')
    assert sent(empty, run, "off") is None


@pytest.mark.parametrize(
    ("listed", "code", "words"),
    [
        ('["anthropc"]', "unknown-provider", ("'anthropc'", "did you mean 'anthropic'?")),
        ('["openai"]', "config-examples", ("'openai'", "no place for examples")),
        ('["bedrock-strict"]', "config-examples", ("'bedrock-strict'",)),
        ("true", "config-type", ("list",)),
    ],
)
def test_a_provider_that_takes_none_is_an_error_of_the_configuration(
    empty: Path, run: Command, listed: str, code: str, words: tuple[str, ...]
) -> None:
    put(empty, f"{TOML}examples = {listed}\n", look=SPEC)
    for command in ("generate", "lint", "verify"):
        done = run(command)
        assert done.exit_code != 0
        assert "pyproject.toml:3:" in done.stderr + done.stdout, done.stderr
        assert f"error[{code}]" in done.stderr + done.stdout
        assert all(word in done.stderr + done.stdout for word in words), done.stderr


def test_an_override_is_true_or_false(empty: Path, run: Command) -> None:
    put(empty, TOML, look=f"{SPEC}providers: {{anthropic: {{examples: [1]}}}}\n")
    done = run("generate")
    assert "specs/look.yaml:6:35: error[wrong-type]" in done.stderr


def test_they_count_among_the_tokens_of_a_tool(empty: Path, run: Command) -> None:
    put(empty, TOML, look=SPEC)
    plain = run("list", "--provider", "anthropic", "--format", "json")
    put(empty, TOML + 'examples = ["anthropic"]\n')
    with_examples = run("list", "--provider", "anthropic", "--format", "json")
    assert plain.exit_code == with_examples.exit_code == 0, plain.stderr
    assert plain.stdout != with_examples.stdout
