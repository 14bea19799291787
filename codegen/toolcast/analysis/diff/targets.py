"""The states that `--against` and `--to` name: the work tree, a commit, a folder, or a list of tools.

The specs of a commit are read by git's plumbing alone. The work tree is not touched. No hook, filter, file
monitor, text converter or pager of the repository runs, and nothing is fetched.
"""

import os
import posixpath
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from hashlib import sha1, sha256
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from ...config import Config, find_config, load_config, show
from ...diagnostics import Diagnostic
from ...project.profiles import find_types
from ...spec.discovery import kind_of, stem_problems
from ...spec.spec_checker import MAX_BYTES
from ...spec.tool_names import shown
from ...spec.type_folders import is_packaged
from .states import (
    MAX_FILES,
    MAX_TOTAL,
    SpecFiles,
    State,
    UnreadableStateError,
    read_folder,
    read_listed,
    read_states,
    unreadable,
)

_EXACT: Final = ".."
"""At the end of a ref: that commit itself, as in git's own notation, and not the merge base."""
_MAX_REF: Final = 500
_REF: Final = re.compile(r"[^\x00-\x20\x7f-][^\x00-\x1f\x7f]*")
_DEEPER: Final = "fetch its history: git fetch --unshallow (with actions/checkout: `fetch-depth: 0`)"
_SECONDS: Final = 60
"""That git may take for a command."""
_QUIET: Final = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "--no-pager")
"""A repository's own configuration names programs that git runs."""
_ENVIRONMENT: Final[Mapping[str, str]] = {
    "GIT_ALLOW_PROTOCOL": "none",  # no transport has that name: nothing is fetched, whatever git's version
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


class _GitOutput(Struct, frozen=True):
    """The output of git; `status` is its exit status, -1 if it took too long and was stopped."""

    status: int
    output: bytes
    errors: str

    @property
    def text(self) -> str:
        """The output as text, without the line break at its end."""
        return self.output.decode("utf-8", "surrogateescape").removesuffix("\n")


def _git_program() -> str | None:
    """Return the path of git, but not of one in the working directory, which Windows would search first."""
    found = shutil.which("git")
    if found is None or not Path(found).is_absolute() or Path(found).parent == Path.cwd():
        return None
    return found


def run_git(program: str, folder: Path, *words: str, given: bytes = b"") -> _GitOutput:
    """Run one command of git; return its exit status and output. `words` that a user gave must not start with
    a hyphen; `given` is what the command reads. Raises UnreadableStateError where it cannot be started.
    """
    try:
        done = subprocess.run(
            [program, *_QUIET, *words],
            cwd=folder,
            env={**os.environ, **_ENVIRONMENT},
            input=given,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _GitOutput(-1, b"", f"git {words[0]} took more than {_SECONDS} seconds")
    except OSError as error:
        message = f"git cannot be run: {error.strerror or error}"
        raise unreadable("git", "no-git", message, "name a folder or a file: --against DIR") from None
    return _GitOutput(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace").strip())


class _Repository(Struct, frozen=True):
    """A repository that holds a project: git, its top folder, and the specs folder below that."""

    program: str
    top: Path
    specs: str  # posix; "" where the top folder itself holds the specs
    shown_root: str

    def ask(self, *words: str, given: bytes = b"") -> _GitOutput:
        """Run git in the top folder. Raises UnreadableStateError where it cannot be started."""
        return run_git(self.program, self.top, *words, given=given)


def _open_repository(config: Config, shown_root: str, option: str) -> _Repository:
    """Find the repository of a project, for messages with `shown_root` and `option` ("--against HEAD").

    Raises UnreadableStateError: git is not installed or refuses, there is no repository, or the specs are not
    in it.
    """
    program = _git_program()
    if program is None:
        hint = "install git, or name a folder or a file: --against DIR"
        raise unreadable(option, "no-git", "git is not installed, so no commit can be read", hint)
    answer = run_git(program, config.base, "rev-parse", "--show-toplevel")
    if answer.status:
        raise _no_repository(answer, option)
    top = Path(os.path.realpath(answer.text))
    specs = Path(os.path.realpath(config.specs))
    if not specs.is_relative_to(top):
        message = f"the specs folder {shown_root} is outside of the repository"
        raise unreadable(option, "specs-outside", message, "name a folder or a file: --against DIR")
    below = specs.relative_to(top).as_posix()
    return _Repository(program, top, "" if below == "." else below, shown_root)


def _no_repository(answer: _GitOutput, option: str) -> UnreadableStateError:
    if "dubious ownership" in answer.errors:
        message = "the repository belongs to another user, and git does not read it"
        hint = (
            "if you trust it: git config --global --add safe.directory PATH, with the path of its top folder"
        )
        return unreadable(option, "git-owner", message, hint)
    if "not a git repository" in answer.errors:
        hint = "name a folder or a file: --against DIR; or run `git init` and commit the specs"
        return unreadable(option, "no-repository", "this is no git repository", hint)
    return unreadable(option, "git-failed", f"git cannot read the repository: {said(answer)}", _CHECK)


_CHECK: Final = "see whether `git status` and `git fsck` work here, or name a folder: --against DIR"


def said(answer: _GitOutput) -> str:
    """Return git's own reason for a failure, on one line: the first of stderr, else the exit status."""
    lines = [line for line in answer.errors.splitlines() if line]
    return lines[0].removeprefix("fatal: ")[:200] if lines else f"exit status {answer.status}"


class _Commit(Struct, frozen=True):
    """A commit to read: its id, its name in messages, and the option that named it."""

    id: str
    label: str
    option: str


def _resolve(repository: _Repository, ref: str, since: str, option: str) -> _Commit:
    """Return the commit that a ref means. Raises UnreadableStateError without such a commit or merge base.

    Compared with the tip of a branch that went on, every addition there would count as removed here. So a ref
    means its merge base with `since`, the commit on the other side, as in the review of a pull request; with
    `..` at its end, or without `since`, the commit itself.
    """
    name = ref.removesuffix(_EXACT)
    commit = _commit(repository, name, option)
    if name != ref or not since:
        return _Commit(commit, name, option)
    answer = repository.ask("merge-base", commit, since)
    if answer.status == 0:
        base = answer.text.split("\n", 1)[0]
        return _Commit(base, name if base == commit else f"{name} (merge base {base[:10]})", option)
    if answer.status != 1 or answer.errors:
        raise unreadable(option, "git-failed", f"git finds no merge base: {said(answer)}", _CHECK)
    hint = f"to compare with {name} itself, write {name}{_EXACT}"
    if _is_shallow(repository):
        hint = f"{_DEEPER}; or, {hint}"
    raise unreadable(option, "no-merge-base", f"{name} and this state have no commit in common", hint)


def _commit(repository: _Repository, name: str, option: str) -> str:
    if not _REF.fullmatch(name) or len(name) > _MAX_REF:
        message = f"{name[:60]!r} is no name of a commit"
        hint = "a name starts with no hyphen and has no control characters; see `git help revisions`"
        raise unreadable(option, "bad-ref", message, hint)
    answer = repository.ask("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if answer.status == 0 and re.fullmatch(r"[0-9a-f]{40,64}", answer.text):
        return answer.text
    if name == "HEAD":
        hint = "commit the specs first, or name a folder or a file: --against DIR"
        raise unreadable(option, "unknown-ref", "the repository has no commit yet", hint)
    hint = "see `git branch --all` and `git tag`; a folder or a file must exist"
    if _is_shallow(repository):
        hint = f"this clone is shallow; {_DEEPER}"
    raise unreadable(
        option, "unknown-ref", f"git knows no commit {name!r}, and there is no such file or folder", hint
    )


def _is_commit(folder: Path, name: str) -> bool:
    program = _git_program()
    if program is None or not _REF.fullmatch(name) or len(name) > _MAX_REF:
        return False
    return run_git(program, folder, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").status == 0


def _is_shallow(repository: _Repository) -> bool:
    return repository.ask("rev-parse", "--is-shallow-repository").text == "true"


def head(repository: _Repository) -> str:
    """Return the id of the commit that is checked out; an empty text where there is none yet."""
    answer = repository.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return answer.text if answer.status == 0 else ""


_MAX_HOPS: Final = 8
_MAX_LINK: Final = 4096
_LINK: Final = "120000"
_FILES: Final = ("100644", "100755")


class _Entry(Struct, frozen=True):
    mode: str
    object: str
    size: int


def _read_commit(
    repository: _Repository, commit: _Commit, prefixes: Sequence[str], known: Iterable[bytes]
) -> SpecFiles:
    """Read the specs of a commit, none where it has no specs folder, and the shared types in `prefixes`.

    Raises UnreadableStateError: git cannot read the commit, an object is missing, or it holds too much.
    """
    objects = {_object_id(data, len(commit.id)): data for data in known}
    found = _read_tree(repository, commit, "", objects)
    if found is None:
        problem = Diagnostic(
            file=repository.shown_root,
            code="no-specs",
            severity="note",
            message=f"{commit.label} has no folder {repository.specs or '.'}: "
            "every tool counts as added or removed",
            hint="if it was renamed, check that commit out elsewhere and name its folder: --against DIR",
        )
        return SpecFiles(
            label=commit.label, shown_root=repository.shown_root, contents={}, diagnostics=(problem,)
        )
    for prefix in prefixes:
        types = _read_tree(repository, commit, prefix, objects)
        if types is not None:
            found = replace(found, contents={**found.contents, **types.contents})
    return found


def _holds(repository: _Repository, prefix: str) -> bool:
    """Return whether a folder of shared types, which is no package, is in the repository."""
    return not is_packaged(prefix) and not _below(repository, prefix).startswith("../")


def _below(repository: _Repository, prefix: str) -> str:
    folder = posixpath.normpath(posixpath.join(repository.specs, prefix))
    return "" if folder == "." else folder


def _object_id(data: bytes, digits: int) -> str:
    """Return git's id of a file with these contents, in a repository whose ids have so many digits."""
    text = b"blob %d\0%b" % (len(data), data)
    return (sha1(text, usedforsecurity=False) if digits == _SHA1_DIGITS else sha256(text)).hexdigest()


_SHA1_DIGITS: Final = 40


def _read_tree(
    repository: _Repository, commit: _Commit, prefix: str, known: Mapping[str, bytes]
) -> SpecFiles | None:
    """Return the files of a folder, below the specs folder; None where the commit has none."""
    spot = f"{commit.id}:{_below(repository, prefix)}"
    kind = repository.ask("cat-file", "-t", spot)
    if kind.status or kind.text != "tree":
        return None
    listing = repository.ask("ls-tree", "-r", "-z", "-l", "--full-tree", spot)
    if listing.status:
        message = f"git cannot list {commit.label}: {said(listing)}"
        raise unreadable(commit.option, "git-failed", message, _FETCH)
    entries, odd = _entries(listing.output)
    before = f"{prefix}/" if prefix else ""
    wanted = {path: entry for path, entry in entries.items() if kind_of(before + path) is not None}
    shown_root = shown(repository.shown_root, prefix) if prefix else repository.shown_root
    clashes = stem_problems(wanted, shown_root)
    found = _Found(replace(repository, shown_root=shown_root), commit, entries, known)
    found.problems += [Diagnostic(file=shown_root, code="file-name", message=each) for each in odd]
    found.problems += clashes.values()
    contents = found.contents([path for path in wanted if path not in clashes])
    return SpecFiles(
        label=commit.label,
        shown_root=repository.shown_root,
        contents={before + path: data for path, data in contents.items()},
        refused=frozenset(wanted.keys() - contents.keys()),
        diagnostics=tuple(sorted(found.problems)),
    )


_FETCH: Final = "if the clone is partial, complete it: git fetch --refetch --no-filter"


def _entries(listing: bytes) -> tuple[dict[str, _Entry], list[str]]:
    entries: dict[str, _Entry] = {}
    odd: list[str] = []
    for line in listing.split(b"\0"):
        about, _, name = line.partition(b"\t")
        words = about.split()
        if len(words) != 4:
            continue
        try:
            path = name.decode()
        except UnicodeDecodeError:
            odd.append(f"the name of the file {name.decode(errors='replace')!r} is not UTF-8")
            continue
        size = int(words[3]) if words[3].isdigit() else 0
        entries[path] = _Entry(words[0].decode(), words[2].decode(), size)
    return entries, odd


class _Found:
    """Reads the contents of a commit's files; a link counts as the file that it leads to. Objects that are
    `known` are not read.
    """

    def __init__(
        self,
        repository: _Repository,
        commit: _Commit,
        entries: Mapping[str, _Entry],
        known: Mapping[str, bytes],
    ) -> None:
        self.problems: list[Diagnostic] = []
        self._repository = repository
        self._commit = commit
        self._entries = entries
        self._known = known

    def contents(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Return the bytes of each file; one that cannot be read is among `problems`."""
        links = [path for path in paths if self._entries[path].mode == _LINK]
        targets = self._targets(links)
        objects: dict[str, str] = {}
        for path in paths:
            end = targets.get(path, path)
            entry = self._entries.get(end)
            if entry is None or entry.mode not in _FILES:
                message = "this link leads out of the specs folder, or nowhere"
                if path == end:
                    message = "this is a repository of its own (a submodule), which is not read"
                self._report(path, "link", message)
            elif entry.size > MAX_BYTES:
                self._report(path, "too-large", f"the file is larger than {MAX_BYTES:,} bytes")
            else:
                objects[path] = entry.object
        total = sum(self._entries[targets.get(path, path)].size for path in objects)
        if len(objects) > MAX_FILES or total > MAX_TOTAL:
            message = (
                f"{self._commit.label} has more than {MAX_FILES:,} specs, or {MAX_TOTAL:,} bytes of them"
            )
            hint = "compare folders of it one by one: --against DIR"
            raise unreadable(self._commit.option, "too-large", message, hint)
        read = self._objects(set(objects.values()))
        return {path: read[object] for path, object in objects.items()}

    def _report(self, path: str, code: str, message: str) -> None:
        file = shown(self._repository.shown_root, path)
        self.problems.append(Diagnostic(file=file, code=code, message=message))

    def _targets(self, links: Sequence[str]) -> dict[str, str]:
        """Return where each link ends, a path below the specs folder; "" where it is outside, or no file."""
        targets = {path: path for path in links}
        for _ in range(_MAX_HOPS):
            open_ = {path: at for path, at in targets.items() if self._is_link(at)}
            if not open_:
                break
            read = self._objects({self._entries[at].object for at in open_.values()})
            for path, at in open_.items():
                text = read[self._entries[at].object].decode("utf-8", "surrogateescape")
                end = posixpath.normpath(posixpath.join(posixpath.dirname(at), text))
                targets[path] = "" if end.startswith(("../", "/")) or end == ".." else end
        return targets

    def _is_link(self, path: str) -> bool:
        entry = self._entries.get(path)
        return entry is not None and entry.mode == _LINK and entry.size <= _MAX_LINK

    def _objects(self, wanted: Set[str]) -> dict[str, bytes]:
        found = {each: self._known[each] for each in wanted if each in self._known}
        order = sorted(wanted - found.keys())
        if not order:
            return found
        given = "".join(f"{each}\n" for each in order).encode()
        answer = self._repository.ask("cat-file", "--batch", given=given)
        at = 0
        for object in order:
            end = answer.output.find(b"\n", at)
            words = answer.output[at : max(end, at)].split()
            if answer.status or len(words) != 3 or words[1] != b"blob" or not words[2].isdigit():
                message = f"git cannot read {self._commit.label}: an object is missing"
                raise unreadable(self._commit.option, "git-failed", message, _FETCH)
            size = int(words[2])
            found[object] = answer.output[end + 1 : end + 1 + size]
            at = end + 1 + size + 1
        return found


_DEFAULT: Final = "HEAD"


class _Target(Struct, frozen=True):
    kind: Literal["work tree", "commit", "folder", "list"]
    text: str
    option: str  # as messages name it: "--against v1.4"


def open_states(
    config: Config, against: str | None, to: str | None, known_providers: frozenset[str]
) -> tuple[State, State]:
    """Read the two states of a comparison; of two sets of specs, only the files that differ.

    `against` and `to` are a commit, folder or file; None is the configured one, else HEAD, and the work tree.
    Raises UnreadableStateError.
    """
    if against is None and config.diff.against is not None:
        option = f"`against = {config.diff.against!r}`"
        old = _target(config, config.diff.against, option, config.base)
    else:
        against = _DEFAULT if against is None else against
        old = _target(config, against, f"--against {against}", Path())
    new = _Target("work tree", "", "--to") if to is None else _target(config, to, f"--to {to}", Path())
    sides = _Opened(config, old, new)
    commit = sides.commit(old) if old.kind == "commit" else None
    one = None if commit is not None else sides.read(old, known_providers)
    other = sides.read(new, known_providers)
    if one is None:
        assert commit is not None
        one = sides.at(commit, other.contents.values() if isinstance(other, SpecFiles) else ())
    if isinstance(one, SpecFiles) and isinstance(other, SpecFiles):
        return read_states(one, other, known_providers)
    return _whole(one, known_providers), _whole(other, known_providers)


def _whole(side: State | SpecFiles, known_providers: frozenset[str]) -> State:
    if isinstance(side, State):
        return side
    return read_states(side, side, known_providers, everything=True)[0]


def _target(config: Config, text: str, option: str, base: Path) -> _Target:
    """Return the target of a text: a path that exists, seen from `base`, else a commit."""
    path = base / (text or "\0")
    kind: Literal["folder", "list"] | None = None
    with suppress(OSError, ValueError):  # too long, or with a character that no path has
        kind = "folder" if path.is_dir() else "list" if path.is_file() else None
    if kind is None:
        return _Target("commit", text, option)
    is_path = text.startswith(("./", "../")) or Path(text).is_absolute()
    if is_path or not _is_commit(config.base, text):
        return _Target(kind, os.fspath(path), option)
    hint = (
        f"write ./{text} for the {'folder' if kind == 'folder' else 'file'}, or {text}{_EXACT} for the commit"
    )
    raise unreadable(option, "ambiguous-state", f"{text!r} is a path and a commit", hint)


class _Opened:
    """Reads sides; the repository is opened once, where a side is a commit."""

    def __init__(self, config: Config, old: _Target, new: _Target) -> None:
        self._config = config
        self._old = old
        self._new = new
        self._shown_root = show(config.specs)
        self._repository: _Repository | None = None

    def read(self, target: _Target, known_providers: frozenset[str]) -> State | SpecFiles:
        if target.kind == "list":
            return read_listed(Path(target.text), known_providers)
        if target.kind == "work tree":
            return self._folder(self._config.specs, "the work tree", self._config)
        if target.kind == "folder":
            folder = Path(os.path.abspath(target.text))  # noqa: PTH100 - without `..`
            return self._folder(*self._project_of(folder))
        return self.at(self.commit(target))

    def commit(self, target: _Target) -> _Commit:
        """Return the commit that a target means; the old one, by the other state."""
        since = ""
        if target is self._old and self._new.kind == "work tree":
            since = head(self._open(target.option))
        elif target is self._old and self._new.kind == "commit":
            since = _resolve(self._open(target.option), self._new.text, "", self._new.option).id
        return _resolve(self._open(target.option), target.text, since, target.option)

    def at(self, commit: _Commit, known: Iterable[bytes] = ()) -> SpecFiles:
        """Read a commit; its files that are among the contents `known` are not read from git."""
        repository = self._open(commit.option)
        prefixes = [each.prefix for each in self._config.types if _holds(repository, each.prefix)]
        files = _read_commit(repository, commit, prefixes, known)
        return replace(files, contents={**files.contents, **self._types_elsewhere(prefixes)})

    def _folder(self, root: Path, label: str, config: Config) -> SpecFiles:
        folders, problems = find_types(config)
        if problems:
            raise UnreadableStateError(problems[0])
        return read_folder(root, shown_root=show(root), label=label, folders=folders)

    def _types_elsewhere(self, prefixes: Sequence[str]) -> dict[str, bytes]:
        """Return types that no commit has, such as those of installed packages, as they are now."""
        others = [each for each in self._config.types if each.prefix not in prefixes]
        if not others:
            return {}
        files = self._folder(self._config.specs, "", replace(self._config, types=tuple(others)))
        starts = tuple(f"{each.prefix}/" for each in others)
        return {path: data for path, data in files.contents.items() if path.startswith(starts)}

    def _open(self, option: str) -> _Repository:
        if self._repository is None:
            self._repository = _open_repository(self._config, self._shown_root, option)
        return self._repository

    def _project_of(self, folder: Path) -> tuple[Path, str, Config]:
        """Return the specs folder of the project in a folder, or the folder itself, its name in messages, and
        the configuration that names folders of types.
        """
        if find_config(folder) != folder / "pyproject.toml":
            return folder, show(folder), self._config
        config, problems = load_config(Path.cwd(), folder / "pyproject.toml")
        if config is None:
            raise UnreadableStateError(problems[0])
        return config.specs, show(folder), config
