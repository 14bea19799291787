"""Runs programs in a Python that lacks what Windows lacks: names of `os` and `signal`, modules, handlers.

    python -X warn_default_encoding without_posix.py FILE… [MODULE…]

The standard library, the libraries of the extras and each MODULE are imported first: on Windows they have
branches of their own.
Source of the names: "Availability: Unix" in the documentation of CPython's `os` and `signal`.
"""

import asyncio
import importlib
import os
import platform
import runpy
import signal
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any


def _words(text: str) -> list[str]:
    return text.split()


OS_NAMES = _words(
    """
    O_ASYNC O_CLOEXEC O_DIRECT O_DIRECTORY O_DSYNC O_EVTONLY O_EXLOCK O_FSYNC O_NDELAY O_NOATIME
    O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH O_RSYNC O_SHLOCK O_SYNC O_TMPFILE WNOHANG WUNTRACED
    WCONTINUED P_ALL P_PID P_PGID SCHED_OTHER chown chroot confstr copy_file_range ctermid eventfd
    fchdir fchmod fchown fdatasync fork forkpty fpathconf fstatvfs get_blocking getegid geteuid
    getgid getgrouplist getgroups getloadavg getpgid getpgrp getpriority getrandom getresgid
    getresuid getsid getuid getxattr initgroups killpg lchown listxattr lockf major makedev
    memfd_create minor mkfifo mknod nice openpty pathconf pidfd_open posix_fadvise posix_fallocate
    posix_spawn posix_spawnp pread preadv pwrite pwritev readv register_at_fork removexattr
    sched_getaffinity sched_setaffinity sched_yield sendfile set_blocking setegid seteuid setgid
    setgroups setpgid setpriority setresgid setresuid setsid setuid setxattr splice statvfs sync
    sysconf tcgetpgrp tcsetpgrp ttyname uname wait wait3 wait4 waitid writev
    """
)
SIGNAL_NAMES = _words(
    """
    SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGHUP SIGIO SIGKILL SIGPIPE SIGPROF SIGQUIT SIGSTOP
    SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH alarm getitimer pause
    pthread_kill pthread_sigmask setitimer siginterrupt sigpending sigtimedwait sigwait sigwaitinfo
    """
)
MODULES = _words("crypt curses fcntl grp nis ossaudiodev pty pwd readline resource spwd syslog termios tty")
BEFORE = _words(
    """
    asyncio.subprocess black click concurrent.futures.process getpass griffe httpx jinja2
    jsonschema_rs logging.config mcp.client.stdio mcp.server.stdio msgspec.inspect
    multiprocessing.synchronize opentelemetry.trace rich.console rich.syntax shutil ssl
    subprocess tempfile uvicorn watchfiles yaml
    """
)


def take_away(further: list[str]) -> None:
    """Remove what Windows lacks, as far as this Python has it, once `further` modules are imported."""
    for name in [*BEFORE, *further]:
        try:
            importlib.import_module(name)
        except ImportError:
            continue  # an extra that is not installed
    platform.uname()
    flock: Any = importlib.import_module("fcntl")
    for name in OS_NAMES:
        if hasattr(os, name):
            delattr(os, name)
    for name in SIGNAL_NAMES:
        if hasattr(signal, name):
            delattr(signal, name)
    os.supports_dir_fd = set()
    os.supports_fd = {os.stat, os.truncate}
    os.supports_effective_ids = set()
    os.supports_follow_symlinks = {os.stat}
    os.rename = _rename
    asyncio.BaseEventLoop.add_signal_handler = _refuse  # type: ignore[method-assign]
    asyncio.SelectorEventLoop.add_signal_handler = _refuse  # type: ignore[method-assign]
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]

    def locking(handle: int, mode: int, _count: int) -> None:
        flock.flock(handle, flock.LOCK_EX | flock.LOCK_NB if mode else flock.LOCK_UN)

    sys.modules["msvcrt"] = SimpleNamespace(LK_NBLCK=2, LK_UNLCK=0, locking=locking)  # type: ignore[assignment]
    sys.platform = "win32"


def _rename(source: Any, target: Any) -> None:
    """As on Windows: nothing is replaced."""
    if os.path.lexists(target):  # also a link that leads nowhere
        raise FileExistsError(target)
    Path(source).replace(target)


def _refuse(*_: Any) -> None:
    raise NotImplementedError


if __name__ == "__main__":
    programs = [each for each in sys.argv[1:] if each.endswith(".py")]
    take_away([each for each in sys.argv[1:] if each not in programs])
    # The encoding of text files depends on the machine where none is named.
    warnings.filterwarnings("error", category=EncodingWarning, module=r"toolcast\.")
    for program in programs:
        runpy.run_path(program, run_name="__main__")
