"""Files of charts: in a folder of the program, or in a temporary one."""

import secrets
import shutil
import tempfile
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path

from ...runtime.errors import RefusalError


class ChartFiles:
    """Writes charts, and removes the oldest of its own past a limit."""

    def __init__(self, folder: Path | None, most: int) -> None:
        """Make a writer.

        Args:
            folder: the folder; None for a temporary one, made with the first chart.
            most: charts that are kept.
        """
        self._folder = folder
        self._most = most
        self._temporary: Path | None = None
        self._written: deque[Path] = deque()
        self._lock = threading.Lock()
        self._closed = False

    def write(self, svg: str) -> Path:
        """Write a chart.

        Args:
            svg: the document.

        Returns:
            Path of the file.

        Raises:
            RefusalError: the folder cannot be written to, or the program is ending.
        """
        with self._lock:
            if self._closed:
                raise RefusalError("The program is ending: no chart is written any more.")
            try:
                path = self._where() / f"chart_{secrets.token_hex(8)}.svg"
                with path.open("x", encoding="utf-8") as file:
                    file.write(svg)
            except OSError as problem:
                raise RefusalError(
                    f"The chart could not be written: {problem.strerror}. Ask for rows, and tell the user."
                ) from problem
            self._written.append(path)
            while len(self._written) > self._most:
                with suppress(OSError):  # removed or replaced by the program; the new chart is written
                    self._written.popleft().unlink()
            return path

    def close(self) -> None:
        """Remove the temporary folder. Charts in a folder of the program stay."""
        with self._lock:
            self._closed = True
            if self._temporary is not None:
                with suppress(FileNotFoundError):
                    shutil.rmtree(self._temporary)
                self._temporary = None

    def _where(self) -> Path:
        if self._folder is not None:
            return self._folder
        if self._temporary is None:
            self._temporary = Path(tempfile.mkdtemp(prefix="toolcast-charts-"))
        return self._temporary
