"""What a run saw of each file, saved so that the next run need not read it again.

A run *witnesses* a path: it takes the signature first and reads the content after, so that a later edit
can only make the signature differ. Only what was witnessed stands in the index. Times are coarse: a file
that is edited twice within one tick of the file system's clock shows one time. So the index is written when
that clock has gone on (`clock`); what cannot be told from a later edit even then is left out.
"""

import os
import sys
from itertools import chain
from pathlib import Path

from .clock import changed, doubtful
from .replacing import replace as replace
from .replacing import replacing, write_pieces
from .rows import DOUBTFUL, GONE, NONE, Rows, packed, rows_of, unpacked
from .unchanged import MAGIC, Looked, environment, identity, look_at, read_index, signature

_ENCODING, _ERRORS = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
_WIDEST = 0x7FFFFFFFFFFFFFFF


class Index:
    """Signatures by path. Inputs are followed through links, outputs are not."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self._prefix = f"{base}{os.sep}".replace(os.sep * 2, os.sep)
        self._root = os.fsencode(self._prefix)
        self._known_inputs = self._known_outputs = NONE  # as the last run left them
        self._looks = NONE  # inputs, as they looked when this run began
        self._settled = NONE  # outputs that looked as the last run left them, when this run began
        self._standing = NONE  # those of them that this run counts on
        self._unmoved = NONE  # inputs that looked as the last run left them, when this run began
        self._counted: set[bytes] = set()  # those of them that this run has read, or could have
        self._inputs: dict[bytes, bytes] = {}  # those beside
        self._outputs: dict[bytes, bytes] = {}  # those beside the standing ones
        self._written: list[tuple[str, list[str], bytes]] = []  # outputs of this run
        self.sound = False  # whether all was well with the last run, and its index is known

    @property
    def file(self) -> Path:
        return self.base / ".toolcast" / "index"

    def load(self, looked: Looked | None = None) -> None:
        """Take in what the last run witnessed; a missing or damaged index counts as empty.

        All of it is looked at now, in one go. `looked` are looks that were taken before, in this run: they
        are good unless another run has come between.
        """
        if looked is None or not self._current(looked):
            looked = read_index(os.fspath(self.base))
            if looked is None:
                return
            try:
                looked.now = look_at(looked.folder, looked.paths, looked.inputs)
            except OSError:
                return
        inputs, outputs = looked.paths[: looked.inputs], looked.paths[looked.inputs :]
        cut = len(looked.known) // len(looked.paths) * looked.inputs if looked.paths else 0
        self._known_inputs = Rows(inputs, looked.known[:cut])
        self._known_outputs = Rows(outputs, looked.known[cut:])
        self._looks = Rows(inputs, looked.now[:cut])
        self._unmoved = self._known_inputs.common(self._looks)
        self.sound = looked.tools >= 0
        self._settled = self._known_outputs.common(Rows(outputs, looked.now[cut:]))

    def _current(self, looked: Looked) -> bool:
        try:
            return looked.folder == os.fspath(self.base) and looked.mark == identity(self.file.stat())
        except OSError:
            return False

    def witness(self, path: Path | str, *, output: bool = False) -> bool:
        """Look at `path`, before reading it; True if it is there and looks as the last run left it."""
        key = self.key(path)
        if output:
            now = self._outputs[key] = packed(signature(self._place(key), follow=False))
            return now != GONE and self._known_outputs.get(key) == now
        if key in self._unmoved.places:
            self._counted.add(key)
            return True
        # What was known of it, if anything, is something else.
        self._inputs[key] = self._looks.get(key) or packed(signature(self._place(key), follow=True))
        return False

    def same_below(self, folder: Path | str) -> bool:
        """True if all inputs at and below `folder` look as the last run left them; then they are witnessed.

        As that run witnessed each folder that it walked, there is no file more than then, and none less.
        """
        top = self.key(folder)
        below = top + os.fsencode(os.sep)
        found = {path for path in self._known_inputs.paths if path == top or path.startswith(below)}
        if top not in found or not found <= self._unmoved.places.keys():
            return False
        self._counted |= found
        return True

    @property
    def untouched(self) -> bool:
        """Whether every output looks as the last run left it, and this run counts on that."""
        return self._standing is self._settled and len(self._settled.paths) == len(self._known_outputs.paths)

    def witness_output(self, path: str) -> bool:
        """`witness` for one of thousands of outputs: the same, with fewer calls."""
        key = (path.removeprefix(self._prefix)).encode(_ENCODING, _ERRORS)
        known = self._known_outputs.get(key)
        try:
            state = os.lstat(path)
        except (OSError, ValueError):
            self._outputs[key] = GONE
            return False
        if state.st_ino > _WIDEST:
            return self.witness(path, output=True)
        now = packed((state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino))
        self._outputs[key] = now
        return now == known

    def take_outputs(self, root: Path, paths: list[str], seen: bytes) -> None:
        """What was written at `paths` below `root` looks as `seen` says: a packed row for each."""
        self._written.append((f"{root}/", paths, seen))

    def settled_below(self, folder: str) -> list[str]:
        """Witness all outputs below `folder` (which ends with a slash) that look as the last run left them.

        Paths below it. None at all where the last run had another folder.
        """
        start = self.key(folder)
        paths = self._settled.paths
        if os.sep != "/" or not all(path.startswith(start) for path in paths):
            return []
        self._standing = self._settled
        length = len(start)
        whole = b"\0".join([path[length:] for path in paths]).decode(_ENCODING, _ERRORS)
        return whole.split("\0") if paths else []

    def moved(self, path: Path | str) -> bool:
        """True if an input no longer looks as it was witnessed."""
        key = self.key(path)
        seen = self._unmoved.get(key) if key in self._counted else self._inputs.get(key)
        return seen != packed(signature(self._place(key), follow=True))

    def forget(self, path: Path | str) -> None:
        """Drop an output that no longer belongs to the project."""
        key = self.key(path)
        self._outputs.pop(key, None)
        self._standing = self._standing.without([key])

    def key(self, path: Path | str) -> bytes:
        """The path as the index writes it: relative below the base, else absolute."""
        text = os.fspath(path)
        return os.fsencode(text[len(self._prefix) :] if text.startswith(self._prefix) else text)

    def _place(self, key: bytes) -> bytes:
        return key if key.startswith(b"/") or key[1:2] == b":" else self._root + key

    def save(self, *, configured: bool, tools: int | None) -> None:
        """Write the index. `tools` None says that not all was well: the next run must look closer."""
        with replacing(self.file) as temporary:
            written = self._rows_written()
            gone = self._doubtful(written, temporary)
            inputs = self._unmoved.only(self._counted).overlaid(rows_of(self._inputs)).without(gone)
            outputs = self._standing.overlaid(rows_of(self._outputs)).overlaid(written).without(gone)
            paths = b"\0".join((*inputs.paths, *outputs.paths))
            if b"\n" in paths:
                return  # an empty index: counts as none
            head = [
                MAGIC,
                environment(),
                b"1" if configured else b"0",
                str(-1 if tools is None or gone else tools).encode(),
                f"{len(inputs.paths)} {len(outputs.paths)}".encode(),
                paths,
                b"",
            ]
            write_pieces(temporary, (b"\n".join(head), inputs.packed, outputs.packed))

    def _rows_written(self) -> Rows:
        keys = [self.key(root + path) for root, paths, _ in self._written for path in paths]
        return Rows(keys, b"".join([seen for _, _, seen in self._written]))

    def _doubtful(self, written: Rows, temporary: Path) -> set[bytes]:
        """Paths whose signature a later edit might leave as it is."""
        seen = chain(
            ((path, row) for path, row in self._inputs.items() if self._known_inputs.get(path) != row),
            ((path, row) for path, row in self._outputs.items() if self._known_outputs.get(path) != row),
            written.items,
        )  # what the last run knew is settled
        times = ((path, changed(unpacked(row))) for path, row in seen if row not in (GONE, DOUBTFUL))
        return doubtful(times, temporary, self._place)
