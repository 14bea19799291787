"""How the pages of documentation are executed: what fails one, and what it may not do."""

import json
import urllib.request
from pathlib import Path

import pytest

from tests.docs.pages import Block, PageError, blocks, commands, matches, patched, run_page
from tests.docs.scripted_models import scripted_models


def page(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "page.md"
    path.write_text(text.replace("~~~", "```"), "utf-8")
    return path


def test_blocks_of_lists_and_quotes_are_found_with_their_titles_and_lines(tmp_path: Path) -> None:
    text = (
        'Text.\n\n1. A step:\n\n    ~~~yaml title="a b/c.yaml"\n    x: 1\n      \n    ~~~\n\n~~~sh\nls\n~~~\n'
    )
    assert blocks(page(tmp_path, text)) == [
        Block("yaml", "a b/c.yaml", "x: 1\n  \n", 5),
        Block("sh", None, "ls\n", 10),
    ]


def test_a_block_without_a_language_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PageError, match=r"page\.md:2: a fenced block names no language"):
        blocks(page(tmp_path, "\n~~~\nls\n~~~\n"))


def test_commands_have_the_lines_after_them_as_output() -> None:
    text = "$ echo a \\\n>   b\na b\n\n$ ls\n"
    assert commands(Block("console", None, text, 1)) == [("echo a   b", "a b\n\n"), ("ls", "")]
    listed = "# a comment\nls\n\necho $PWD \\\n  more\n"
    assert commands(Block("sh", None, listed, 1)) == [("ls", ""), ("echo $PWD more", "")]


@pytest.mark.parametrize(
    ("expected", "actual", "equal"),
    [
        ("a … c\n", "a b c\n", True),
        ("a\n…\nz\n", "a\nb\nc\nz\n", True),
        ("a\n…\nz\n", "a\nz\n", True),
        ("a\n…\n", "a\nb\n", True),
        ("(0.02 s)\n", "(1.7 s)\n", True),
        ("a\n", "a\nb\n", False),
        ("a.c\n", "abc\n", False),
        ("a … c\n", "a b\nc\n", False),
        ("a  \n", "a\n\n", True),
    ],
)
def test_an_ellipsis_stands_for_anything_and_a_duration_for_any(
    expected: str, actual: str, equal: bool
) -> None:
    assert matches(expected, actual) is equal


def test_a_page_writes_shows_changes_and_runs(tmp_path: Path) -> None:
    text = """
~~~python title="made.py"
from pathlib import Path
Path("generated").mkdir()
Path("generated/a.txt").write_text("one\\ntwo\\n")
print("done in 0.3 s")
~~~
~~~console
$ mkdir below && cd below
$ python ../made.py
done in 0.1 s
$ export NAME=value
~~~
~~~text title="generated/a.txt"
one
…
~~~
~~~diff title="generated/a.txt"
-two
+three
~~~
~~~python
import os
print(os.environ["NAME"], open("generated/a.txt").read())
~~~
~~~text
value one
three
~~~
~~~console
$ ls missing
ls: …
$ echo $?
2
$ cat generated/a.txt | grep one
one
~~~
"""
    folder = tmp_path / "folder"
    ran = run_page(page(tmp_path, text), folder)
    assert [each.status for each in ran] == [0, 0, 0, 0, 2, 0]
    assert (folder / "below/generated/a.txt").read_text() == "one\nthree\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("~~~console\n$ echo a\nb\n~~~", "the page shows"),
        ("~~~sh\nls missing\n~~~", "ended with 2"),
        ("~~~sh\nls missing\nls\n~~~", "ended with 2"),
        ("~~~console\n$ ls\n$ echo $?\n1\n~~~", "ended with 0"),
        ("~~~sh\nwget x\n~~~", "starts wget"),
        ("~~~sh\nA=1 ls | sh\n~~~", "starts sh"),
        ("~~~sh\necho `ls`\n~~~", "substitutes"),
        ("~~~sh\n(ls)\n~~~", "has \\("),
        ("~~~python\n1 / 0\n~~~", "ZeroDivisionError"),
        ("~~~python\nprint(1)\n~~~\n~~~text\n2\n~~~", "the page shows"),
        ("~~~text\n2\n~~~", "cannot be executed"),
        ("~~~python title='../a.py'\n~~~", "outside"),
        ("~~~sh\npip install 'toolcast[nothing]'\n~~~", "no extra nothing"),
        ("~~~sh\npython -m pip install --quiet left-pad\n~~~", "left-pad"),
    ],
)
def test_what_does_not_hold_fails_the_page(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(PageError, match=problem):
        run_page(page(tmp_path, text), tmp_path / "folder")


def test_data_that_does_not_parse_fails_the_page(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Expecting"):
        run_page(page(tmp_path, "~~~json\n{\n~~~"), tmp_path / "folder")


def test_installing_is_checked_and_not_executed(tmp_path: Path) -> None:
    text = "~~~sh\npython -m venv .venv\nsource .venv/bin/activate\npip install 'toolcast[build]' openai\n~~~"
    assert run_page(page(tmp_path, text), tmp_path / "folder") == []
    assert not list((tmp_path / "folder").iterdir())


def test_a_background_command_is_awaited_and_ended(tmp_path: Path) -> None:
    text = "~~~console\n$ python -c 'import time; print(1, flush=True); time.sleep(999)' &\n1\n$ ls\n~~~"
    assert [each.command for each in run_page(page(tmp_path, text), tmp_path / "folder")] == ["ls"]


@pytest.mark.parametrize(("before", "after"), [("a\n", 2), ("x\n", 0)])
def test_a_change_must_apply_once(before: str, after: int) -> None:
    with pytest.raises(PageError, match=f"occurs {after} times"):
        patched("a\nb\na\n", f"-{before}+c\n")


def test_each_provider_has_the_scripted_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def ask(url: str) -> str:
        request = urllib.request.Request(url, b"{}", {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.dumps(json.loads(response.read()))

    with scripted_models([("edit", {"path": "a"})], [], text="It is done.") as server:
        paths = (
            "openai/v1/chat/completions",
            "openai/v1/responses",
            "anthropic/v1/messages",
            "cohere/v2/chat",
        )
        for path in paths:
            answers = [ask(f"{server.url}/{path}") for _ in range(3)]
            assert ["edit" in each for each in answers] == [True, False, True]
            assert "It is done." in answers[1]
        assert sorted(server.requests) == ["anthropic", "cohere", "openai", "openai-responses"]
