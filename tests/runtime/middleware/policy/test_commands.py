"""Commands that want to be more than one allowed program."""

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime.middleware.policy import Commands
from toolcast.runtime.middleware.policy.commands import CommandError, split

RULES = Commands(
    ["git status", "git log", "ls", "echo", "'my tool' run"],
    refuse=["--output", "--exec", "-o"],
    environment=["LANG", "TZ"],
)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ls", ["ls"]),
        ("  ls\t-la  ", ["ls", "-la"]),
        ("git status -s", ["git", "status", "-s"]),
        ("git log --grep='a; rm -rf / | $(x) `y` > z'", ["git", "log", "--grep=a; rm -rf / | $(x) `y` > z"]),
        ('echo "a b" \'\' c"d"e', ["echo", "a b", "", "cde"]),
        ('echo "it\'s" a=b x~y', ["echo", "it's", "a=b", "x~y"]),
        ("\"ls\" 'a\nb'", ["ls", "a\nb"]),
        ("'my tool' run x", ["my tool", "run", "x"]),
        ("echo ünïcödé 日本", ["echo", "ünïcödé", "日本"]),
    ],
)
def test_allowed(command: str, words: list[str]) -> None:
    assert RULES.check(command) == ({}, words)
    assert shlex.split(command) == words


def test_variables_that_are_allowed() -> None:
    assert RULES.check("LANG=C TZ='' ls") == ({"LANG": "C", "TZ": ""}, ["ls"])


INJECTIONS = {
    "no command": ["", "   ", "''"],
    "another command": [
        "lsof",
        "ls-la",
        "git",
        "git push",
        "git statusx",
        "git  'status -s'",
        "'git status'",
    ],
    "options before": ["git -C /x status", "git -c core.pager=x status"],
    "another program": ["./ls", "/bin/ls", "/tmp/git status", "my tool run", "LS", "env ls", "sudo ls"],
    "variables": ["LD_PRELOAD=/x.so ls", "PATH=/tmp ls", "LANG=C PATH=/tmp ls", "LANG=C", "'PATH=/tmp' ls"],
    "two commands": ["ls; rm -rf /", "ls && rm x", "ls || rm x", "ls & rm x", "ls | sh", "ls |& sh"],
    "redirection": ["ls > /etc/passwd", "ls >> x", "ls 2>x", "ls < x", "ls <<< x", "ls <(x)"],
    "commands inside": ["echo $(rm x)", "echo `rm x`", 'echo "$(rm x)"', 'echo "`rm x`"'],
    "expansion": ["echo $HOME", 'echo "$HOME"', "echo ${x:-y}", "echo $'a\\x41'"],
    "escapes": ["echo a\\;b", 'echo "a\\"b"'],
    "patterns": ["echo *", "ls ?", "ls [a]", "ls {a,b}", "ls ~root", "ls ~", "LANG=~ ls"],
    "comment, history": ["ls # comment", "ls !!"],
    "open quotes": ["echo 'a", 'echo "a'],
    "characters": ["ls\nrm x", "ls\rrm x", "ls\0rm", "ls\x1b[2J", "ls\u2028rm", "ls\u00a0-la"],
    "compound commands": ["(ls)", "{ ls; }", "! ls"],
    "an option": [
        *(
            "git log --output=/etc/x",
            "git log --output /etc/x",
            "git log '--out'put=/x",
            "git log --outp=/etc/x",
        ),
        *("git log -o x", "git log -o/etc/x", "git log -po /etc/x", "git log --exec=x", "git log --e x"),
    ],
}


@pytest.mark.parametrize("command", [each for kind in INJECTIONS.values() for each in kind])
def test_refused(command: str) -> None:
    with pytest.raises(CommandError) as caught:
        RULES.check(command)
    assert str(caught.value).isprintable()


def test_rules_are_read_like_commands() -> None:
    with pytest.raises(CommandError):
        Commands(["ls; rm"])
    with pytest.raises(TypeError, match="allow"):
        Commands("ls")
    with pytest.raises(CommandError, match="Allowed are: none"):
        Commands([]).check("ls")


TEXT = st.text(st.sampled_from("ab -='\";|&$`\\\n<>()*?[]{}~#!\t\rü\0"), max_size=20)


@given(TEXT)
def test_what_is_split_means_the_same_to_a_shell_parser(text: str) -> None:
    try:
        words = split(text)
    except CommandError:
        return
    assert shlex.split(text) == words


@given(st.lists(st.text(st.sampled_from("ab -;|&$`\\<>()*?~#!\"'="), max_size=6), min_size=1, max_size=4))
def test_quoted_words_are_words(words: list[str]) -> None:
    """Whatever is quoted as `shlex` does, is words again, unless it needs a double quote around a quote."""
    assert split("x " + " ".join(map(shlex.quote, words))) == ["x", *words]


@given(st.lists(TEXT, max_size=3).map(" ".join))
def test_a_real_shell_sees_the_same_words(text: str) -> None:
    """What passes, a shell splits into the very same words, and does nothing else."""
    try:
        words = split(f"printf '%s|' {text}")[2:]
    except CommandError:
        return
    done = subprocess.run(
        ["sh", "-c", f"printf '%s|' {text}"], capture_output=True, text=True, timeout=20, check=False
    )
    assert done.stdout == "".join(f"{word}|" for word in words or [""])
    assert not done.stderr
