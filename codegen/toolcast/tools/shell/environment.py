"""The environment of commands: some variables of the program, and those of the call."""

import os
from collections.abc import Mapping
from pathlib import Path

from ...runtime import RefusalError

INHERITED = ("PATH", "HOME", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "USER", "SHELL", "TMPDIR")
"""Variables of the program that commands get, where they are set. No other one is."""

MAX_BYTES = 128 * 1024
"""Size of all variables of one call; also the longest single one that Linux takes."""

_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
_REFUSED = frozenset(
    (
        "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_COMPAT", "BASH_LOADABLES_PATH", "BASH_XTRACEFD",
        "POSIXLY_CORRECT", "PS4", "CDPATH", "IFS", "PROMPT_COMMAND", "GLIBC_TUNABLES", "GCONV_PATH",
        "LOCPATH",
    )
)  # fmt: skip
_REFUSED_BEGINNINGS = ("LD_", "DYLD_", "BASH_FUNC_", "TOOLCAST_")


def inherit(
    variables: Mapping[str, str], further: Mapping[str, str], *, without: Path | None = None
) -> dict[str, str]:
    """Make the environment that all commands share.

    Args:
        variables: the program's environment.
        further: variables that the program adds for its commands.
        without: a folder in which no program is looked up.

    Returns:
        The variables of `INHERITED` that are set, and `further`. PATH has absolute folders alone: a relative
        one would be searched in the workspace, where a model may put programs.
    """
    made = {name: variables[name] for name in INHERITED if name in variables}
    made.update(further)
    folders = made.get("PATH", _DEFAULT_PATH).split(os.pathsep)
    made["PATH"] = os.pathsep.join(each for each in folders if _is_outside(each, without))
    return made


def check(env: Mapping[str, str]) -> None:
    """Refuse variables of a call that must not be set.

    Whoever approves a command reads the command. Variables that make the loader or bash run other code before
    it, or read the same words differently, are refused; a command that needs one sets it itself, where it is
    read: `LD_PRELOAD=./x.so ./program`.

    Args:
        env: the call's variables.

    Raises:
        RefusalError: a name is refused, a value has a zero byte or is no Unicode, or all together are too
            long.
    """
    size = 0
    for name, value in env.items():
        if name in _REFUSED or name.startswith(_REFUSED_BEGINNINGS):
            raise RefusalError(
                f"The variable {name} may not be set in env: it changes what the command does before it "
                "begins. Leave it out, or set it in the command itself."
            )
        size += len(check_text(f"The variable {name}", value)) + len(name) + 2
    if size > MAX_BYTES:
        raise RefusalError(
            f"The variables in env have {size} bytes together, and may have {MAX_BYTES}. Put long values "
            "into a file, and let the command read it."
        )


def check_text(what: str, text: str) -> bytes:
    """Encode a text that is passed to a process. Raises RefusalError where that is not possible."""
    if "\0" in text:
        raise RefusalError(f"{what} has a zero byte, which no process can be given. Leave it out.")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise RefusalError(f"{what} is no Unicode text (it has a lone surrogate). Correct it.") from None


def _is_outside(folder: str, without: Path | None) -> bool:
    if not Path(folder).is_absolute():
        return False
    return without is None or not Path(os.path.realpath(folder)).is_relative_to(without)
