"""Commands that may be started: rules over parsed words, never over the start of a text."""

import re
from collections.abc import Collection

from ...errors import RefusalError

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
# What a shell acts on outside of quotes. A globbing word could become any file name, also one like `-exec`.
_OPERATORS = frozenset("|&;<>()$`\\*?[]{}#!^")
_EXPANDED = frozenset("$`\\!")
"""Characters that a shell acts on inside double quotes, too."""


class CommandError(RefusalError):
    """A command is not allowed; the text states why."""


class Commands:
    """An allow-list of shell commands. A command is one program with literal words. Pipes, lists,
    redirections, substitutions, variables, globs and comments are refused, so that it does the same with a
    shell and without."""

    def __init__(
        self, allow: Collection[str], *, refuse: Collection[str] = (), environment: Collection[str] = ()
    ) -> None:
        """Make an allow-list.

        Args:
            allow: entries of whole words that a command must begin with: `"git status"` allows `git status
                -s`, and neither `git push` nor `git -C /x status` nor `./git status`.
            refuse: words and options that may occur nowhere (`--exec`, `-o`), also abbreviated, joined with
                others, or with a value.
            environment: variables that may be set before a command.

        Raises:
            TypeError: an argument is one text in place of a collection.
            CommandError: an entry is no simple command.
        """
        for name, collection in (("allow", allow), ("refuse", refuse), ("environment", environment)):
            if isinstance(collection, str):
                raise TypeError(f"{name} must be a collection of texts, not one text.")
        self._allow = tuple(tuple(split(entry)) for entry in allow)
        self._refuse = frozenset(refuse)
        self._environment = frozenset(environment)

    def check(self, command: str) -> tuple[dict[str, str], list[str]]:
        """Return variables and words to start a command line with, without a shell.

        Args:
            command: the command line.

        Raises:
            CommandError: the command is not allowed. A handler may let it pass: it becomes the call's failed
                result.
        """
        words = split(command)
        variables: dict[str, str] = {}
        while words and (found := _ASSIGNMENT.fullmatch(words[0])):
            if found[1] not in self._environment:
                raise CommandError(
                    f"The variable {found[1]!r} may not be set before a command. Leave it out."
                )
            variables[found[1]] = found[2]
            words = words[1:]
        if not any(entry == tuple(words[: len(entry)]) for entry in self._allow):
            allowed = ", ".join(" ".join(entry) for entry in self._allow) or "none"
            shown = " ".join(words[:3])[:80]
            raise CommandError(f"The command {shown!r} is not allowed. Allowed are: {allowed}.")
        for word in words:
            if any(_is_option(word, refused) for refused in self._refuse):
                raise CommandError(f"The word {word[:80]!r} may not stand in this command. Leave it out.")
        return variables, words


def split(command: str) -> list[str]:
    """Return the words of one simple command without quotes. Raises CommandError for syntax for which a shell
    does more than split words."""
    words: list[str] = []
    word: list[str] | None = None
    quote = ""
    for letter in command:
        if (letter == "\n" and not quote) or not (letter.isprintable() or letter in "\t\n"):
            raise CommandError("A command is one line without control characters. Send one command per call.")
        if quote:
            if letter == quote:
                quote = ""
            elif quote == '"' and letter in _EXPANDED:
                raise _operator(letter)
            else:
                word = _add(word or [], letter)
        elif letter in "'\"":
            quote = letter
            word = word or []
        elif letter in " \t":
            if word is not None:
                words.append("".join(word))
                word = None
        elif letter in _OPERATORS or (letter == "~" and (not word or word[-1] in "=:")):
            raise _operator(letter)
        else:
            word = _add(word or [], letter)
    if quote:
        raise CommandError(f"A {quote} is not closed.")
    if word is not None:
        words.append("".join(word))
    if not words or not words[0]:
        raise CommandError("The command is empty.")
    return words


def _is_option(word: str, refused: str) -> bool:
    """Tell whether `word` may be read as `refused`: with a value behind `=`; a long option cut short, as most
    programs take them; a short one among others (`-xo`) or with its value (`-o/x`)."""
    option = word.partition("=")[0]
    if word == refused or option == refused:
        return True
    if refused.startswith("--"):
        return len(option) > 2 and refused.startswith(option) and option.startswith("--")
    short = len(refused) == 2 and refused[0] == "-"
    return short and word[:1] == "-" and word[:2] != "--" and refused[1] in word


def _add(word: list[str], letter: str) -> list[str]:
    word.append(letter)
    return word


def _operator(letter: str) -> CommandError:
    return CommandError(
        f"A shell would act on the {letter!r} here, and only one plain command may run per call. Put it into "
        "single quotes if it belongs to a word; otherwise make separate calls."
    )
