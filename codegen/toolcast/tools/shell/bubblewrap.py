"""Commands in a sandbox (`bwrap`): no network, no file outside of the workspace, no other process."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# What programs need of /etc; no key, no password, no configuration of services.
_SETTINGS = (
    "alternatives", "ca-certificates", "group", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime",
    "magic", "mime.types", "nsswitch.conf", "passwd", "pki/ca-trust", "pki/tls/certs", "protocols",
    "services", "ssl/certs", "ssl/openssl.cnf", "timezone",
)  # fmt: skip
_NETWORK_SETTINGS = ("hosts", "resolv.conf", "gai.conf", "host.conf")
_PROBE_SECONDS = 20.0


class Sandbox(msgspec.Struct, frozen=True, kw_only=True):
    """How commands are isolated.

    Attributes:
        program: path of `bwrap`.
        by_descriptor: whether this `bwrap` binds a folder by its descriptor. Otherwise it is bound by its
            path, which must not be replaced.
        network: whether commands reach the network.
        readable: paths outside of the workspace that commands may read.
    """

    program: str
    by_descriptor: bool
    network: bool
    readable: tuple[str, ...] = ()

    def words(self, root: Path, folder: int) -> list[str]:
        """The command line before the command's own words.

        Args:
            root: path of the workspace; it is the same inside.
            folder: descriptor of the workspace, which `bwrap` inherits.
        """
        words = [self.program, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        if self.network:
            words.append("--share-net")
        for path in _SYSTEM:
            words += _as_outside(path)
        for name in (*_SETTINGS, *(_NETWORK_SETTINGS if self.network else ())):
            words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
        words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
        for path in self.readable:
            words += ["--ro-bind", path, path]
        if self.by_descriptor:
            words += ["--bind-fd", str(folder), str(root)]
        else:
            words += ["--bind", str(root), str(root)]
        return [*words, "--remount-ro", "/", "--chdir", str(root), "--"]

    def environment(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Variables for a command inside: its home and its temporary folder are private ones."""
        return {**environment, "HOME": "/tmp", "TMPDIR": "/tmp"}


def find(network: bool, readable: Sequence[str | os.PathLike[str]]) -> Sandbox | str:
    """Look for a `bwrap` that works here.

    Args:
        network: whether commands reach the network.
        readable: paths outside of the workspace that commands may read.

    Returns:
        The sandbox; or why there is none, in words.
    """
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap (the program bwrap) is not installed"
    try:
        known = subprocess.run(
            [program, "--help"], capture_output=True, timeout=_PROBE_SECONDS, check=False
        ).stdout
        sandbox = Sandbox(
            program=program,
            by_descriptor=b"--bind-fd" in known,
            network=network,
            readable=tuple(os.path.abspath(path) for path in readable),  # noqa: PTH100 - links are to stay
        )
        done = _probe(sandbox)
    except (OSError, subprocess.SubprocessError) as problem:
        return f"bubblewrap cannot be started: {problem}"
    if done.returncode:
        output = done.stderr.decode("utf-8", "replace").strip()[-300:]
        return f"bubblewrap does not work here: {output or done.returncode}"
    return sandbox


def _probe(sandbox: Sandbox) -> "subprocess.CompletedProcess[bytes]":
    """Run a command in the sandbox that does nothing, in a folder that every system has."""
    root = Path("/usr/bin")
    folder = os.open(root, os.O_RDONLY)
    try:
        return subprocess.run(
            [*sandbox.words(root, folder), "/bin/sh", "-c", "exit 0"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={},
            pass_fds=(folder,),
            timeout=_PROBE_SECONDS,
            check=False,
        )
    finally:
        os.close(folder)


def _as_outside(path: str) -> list[str]:
    """A folder of the system inside: the same link, or the same folder, read-only."""
    if os.path.islink(path):  # noqa: PTH114 - text in, text out
        return ["--symlink", os.readlink(path), path]  # noqa: PTH115 - the same
    return ["--ro-bind", path, path] if os.path.isdir(path) else []  # noqa: PTH112 - the same
