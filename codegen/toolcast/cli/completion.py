"""`toolcast completion`."""

import os
from pathlib import Path

import click

from ..config import show
from ..console import write_line
from .disk import disk_problem
from .options import examples, refuse

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_TOOLCAST_COMPLETE"
"""Where click is told by a shell's script what to complete."""
MARK = "# toolcast completion"
"""At the end of the line in a shell's start file: by it we know our own."""


@click.command(
    "completion",
    epilog=examples(
        "toolcast completion bash --install    for every new shell; the same for zsh and fish",
        "toolcast completion bash              print the script",
    ),
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.option("--install", is_flag=True, help="Write the script where new shells read it.")
def command(shell: str, install: bool) -> int:
    """Complete commands, options, tools, groups and providers in your shell.

    Prints the script of SHELL, for a person to source. With --install it is written to your data folder, and
    one line that sources it is added to ~/.bashrc or ~/.zshrc; fish reads its own folder.
    """
    text = script(shell)
    if not install:
        click.echo(text, nl=False)
        return 0
    try:
        changed = _install(shell, text)
    except (OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError):
            raise disk_problem(error, Path.home()) from None
        raise refuse(shell, "not-text", "the shell's start file is not UTF-8", _by_hand(shell)) from None
    write_line(
        f"toolcast: completion for {shell} is {'installed' if changed else 'up to date'}; open a new shell"
    )
    return 0


def script(shell: str) -> str:
    """What a shell runs to complete `toolcast`."""
    from click.shell_completion import get_completion_class

    from .main import cli

    found = get_completion_class(shell)
    assert found is not None
    # The source of click itself; its class for bash would first start a bash to ask for its version.
    completion = found(cli, {}, "toolcast", VARIABLE)
    return completion.source_template % completion.source_vars()


def _install(shell: str, text: str) -> bool:
    """Write the script, and the line that sources it. Whether anything changed."""
    if shell == "fish":
        return _write(_folder("XDG_CONFIG_HOME", ".config") / "fish/completions/toolcast.fish", text)
    path = _folder("XDG_DATA_HOME", ".local/share") / f"toolcast/completion.{shell}"
    changed = _write(path, text)
    start = Path.home() / ".bashrc" if shell == "bash" else _zsh_folder() / ".zshrc"
    return _add_line(start, f"{_sourcing(shell, path)}  {MARK}") or changed


def _sourcing(shell: str, path: Path) -> str:
    import shlex

    quoted = shlex.quote(str(path))
    line = f"[ -r {quoted} ] && . {quoted}"
    if shell == "zsh":  # `compdef` is there once the completion system is
        line = f"(( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit }}; {line}"
    return line


def _by_hand(shell: str) -> str:
    return f"print the script with `toolcast completion {shell}`, and source it yourself"


def _folder(variable: str, default: str) -> Path:
    """A folder of the user's, as the XDG base directories say: a relative path is ignored."""
    stated = os.environ.get(variable, "")
    return Path(stated) if stated and Path(stated).is_absolute() else Path.home() / default


def _zsh_folder() -> Path:
    stated = os.environ.get("ZDOTDIR", "")
    return Path(stated) if stated else Path.home()


def _write(path: Path, text: str) -> bool:
    content = text.encode()
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    write_line(f"written   {show(path)}")
    return True


def _add_line(file: Path, line: str) -> bool:
    """Add our line to a start file, or put it in place of the one that is there. Nothing else is changed."""
    before = file.read_bytes().decode("utf-8") if file.exists() else ""
    rows = before.splitlines(keepends=True)
    ours = [number for number, row in enumerate(rows) if row.rstrip("\r\n").endswith(MARK)]
    if ours and rows[ours[0]].rstrip("\r\n") == line:
        return False
    if ours:
        rows[ours[0]] = f"{line}\n"
        file.write_bytes("".join(rows).encode())
    else:
        gap = "" if not before or before.endswith("\n") else "\n"
        with file.open("ab") as added:
            added.write(f"{gap}{line}\n".encode())
    write_line(f"extended  {show(file)} with one line")
    return True
