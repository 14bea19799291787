"""Environment variables of commands, and the sandbox of bubblewrap."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from toolcast.runtime import RefusalError

INHERITED = ("PATH", "HOME", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "USER", "SHELL", "TMPDIR")
"""Variables of the program that commands get, where they are set. No other one is."""

_MAX_BYTES = 128 * 1024
"""Size of all variables of one call; also the longest single one that Linux takes."""

_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
_REFUSED = frozenset(
    (
        # bash(1): files read at the start, words that are expanded; sh(1p): ENV
        "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_COMPAT", "BASH_LOADABLES_PATH", "BASH_XTRACEFD",
        "POSIXLY_CORRECT", "PS4", "CDPATH", "IFS", "PROMPT_COMMAND", "FPATH", "SHELL", "FCEDIT", "GLOBIGNORE",
        "EXECIGNORE",
        # glibc: iconv(3), locale(7), catopen(3); terminfo(5), termcap(5)
        "GCONV_PATH", "LOCPATH", "NLSPATH", "TERMCAP", "TERMINFO", "TERMINFO_DIRS",
        # environ(7), man(1), zip(1), unzip(1), wget(1), ripgrep and ack guides, apt.conf(5)
        "EDITOR", "VISUAL", "BROWSER", "MANOPT", "MANPATH", "MANROFFOPT", "ZIPOPT", "UNZIP", "WGETRC",
        "RIPGREP_CONFIG_PATH", "ACKRC", "APT_CONFIG",
        # make(1), and the variables of its implicit rules (GNU make manual, 10.3)
        "MAKE", "MAKEFILES", "AR", "AS", "CC", "CXX", "CPP", "FC", "LD", "M2C", "PC", "CO", "GET", "LEX",
        "YACC", "LINT", "MAKEINFO", "TEX", "TEXI2DVI", "WEAVE", "CWEAVE", "TANGLE", "CTANGLE", "RM",
        "LDLIBS", "LOADLIBES",
        # autoconf manual (site defaults, programs of configure and autoreconf), aclocal(1), m4(1), tar manual
        "CONFIG_SITE", "AUTOCONF", "AUTOMAKE", "AUTOHEADER", "AUTOM4TE", "AUTOPOINT", "ACLOCAL",
        "ACLOCAL_PATH", "LIBTOOLIZE", "M4", "M4PATH", "AWK", "SED", "RSH", "TAPE", "BAZEL_SH",
        # gcc(1)
        "COMPILER_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
        # vim(1), ex(1p), emacs(1), screen(1), psql(1), zsh(1), readline(3), mailcap(5): start files
        "VIM", "VIMRUNTIME", "VIMINIT", "GVIMINIT", "MYVIMRC", "EXINIT", "EMACSLOADPATH", "SCREENRC",
        "PSQLRC", "PGSYSCONFDIR", "ZDOTDIR", "INPUTRC", "MAILCAPS",
        # java(1), irb(1), R Startup, erl(1), Django and mypy documentation
        "CLASSPATH", "IRBRC", "R_PROFILE", "R_PROFILE_USER", "R_ENVIRON", "R_ENVIRON_USER", "R_LIBS",
        "R_LIBS_USER", "R_LIBS_SITE", "ERL_LIBS", "DJANGO_SETTINGS_MODULE", "MYPYPATH",
        # gawk(1), documentation of Flask, Celery, Gunicorn, Maven, Ant, Rake, Mix, Racket, Pipenv and tox
        "AWKPATH", "AWKLIBPATH", "FLASK_APP", "CELERY_CONFIG_MODULE", "GUNICORN_CMD_ARGS", "MAVEN_ARGS",
        "MAVEN_CONFIG", "ANT_ARGS", "JAVACMD", "RAKEOPT", "MIX_EXS", "ELIXIRC", "PLTCOLLECTS", "PLTADDONDIR",
        "PIPENV_PIPFILE", "TOX_CONFIG_FILE",
        # go help environment
        "GOROOT", "GOPATH", "GOTOOLDIR", "GOENV", "GOTOOLCHAIN", "GOWORK", "GOPROXY", "GOCACHE", "GOMODCACHE",
        # programs named in files: references of kubectl, AWS CLI and docker
        "KUBECONFIG", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "DOCKER_CONFIG",
        # the same of gh, gcloud, pass(1), borg(1), JJ and Perforce; nix.conf(5), The Haskell Tool Stack
        "GH_CONFIG_DIR", "CLOUDSDK_CONFIG", "CLOUDSDK_PYTHON", "PASSWORD_STORE_EXTENSIONS_DIR",
        "BORG_PASSCOMMAND", "BORG_REMOTE_PATH", "JJ_CONFIG", "P4CONFIG", "P4DIFF", "P4MERGE", "P4EDITOR",
        "NIX_PATH", "NIX_CONFIG", "NIX_USER_CONF_FILES", "STACK_YAML",
        # libraries that load modules: GTK, GIO, gdk-pixbuf, Qt; gs(1)
        "GTK_PATH", "GTK_MODULES", "GTK3_MODULES", "GTK_IM_MODULE_FILE", "GTK_EXE_PREFIX", "GIO_MODULE_DIR",
        "GIO_EXTRA_MODULES", "GDK_PIXBUF_MODULE_FILE",
        "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "QML_IMPORT_PATH", "QML2_IMPORT_PATH", "GS_LIB",
        # emacs(1), SASL, compiler-rt: programs and modules of their own
        "EMACSPATH", "SASL_PATH", "SASL_CONF_PATH", "LLVM_SYMBOLIZER_PATH", "ASAN_SYMBOLIZER_PATH",
        "MSAN_SYMBOLIZER_PATH", "VALGRIND_LIB",
    )
)  # fmt: skip
"""Variables that add code to a command, or name a file or program that does, after the pages that say so."""
_REFUSED_BEGINNINGS = (
    "LD_", "DYLD_", "GLIBC_", "BASH_FUNC_", "TOOLCAST_",  # ld.so(8), dyld(1), bash(1)
    "PYTHON", "PYTEST_", "PIP_", "UV_", "COVERAGE_", "IPYTHON", "JUPYTER_",  # python(1), pages of each tool
    "NODE_", "NPM_", "YARN_", "PNPM_", "BUN_", "DENO_", "TS_NODE_", "ELECTRON_",  # node(1), npm-config(7)
    "PERL", "RUBY", "GEM_", "BUNDLE_", "LUA_", "TCL", "TK_", "PHP",  # perlrun(1), ruby(1), lua(1), tclsh(1)
    "JULIA_", "GUILE_", "OCAML", "CAML_", "GHC",  # manuals of each language
    "GIT_", "SSH_", "RSYNC_", "CVS_", "SVN_", "HG",  # git(1), ssh(1), rsync(1), cvs(1), svn, hg(1)
    "GCC_", "CARGO_", "RUST", "CMAKE_", "CCACHE_", "PKG_CONFIG",  # gcc(1), The Cargo Book 3.3, cmake(1)
    "DOTNET_", "CORECLR_", "COR_", "COMPLUS_", "MONO_", "MSBUILD",  # .NET documentation, mono(1)
    "LESS", "GROFF_", "MAGICK_", "TEXMF", "GST_", "NVIM",  # less(1), groff(1), magick(1), kpathsea, nvim(1)
    "OPENSSL_", "KRB5_", "LIBMYSQL_", "DPKG_",  # openssl-env(7), kerberos(7), dpkg(1)
    "ANSIBLE_", "TF_CLI_", "GDAL_", "VK_", "OCL_ICD_",  # pages of each tool, Vulkan and OpenCL loaders
    "PYENV_", "RBENV_", "NVM_", "NODENV_", "GOENV_", "JENV_", "ASDF_", "MISE_", "SDKMAN_", "OPAM",
)  # fmt: skip
_REFUSED_ENDINGS = (
    "FLAGS", "OPTS", "OPTIONS", "_WRAPPER", "_LAUNCHER", "_PRELOAD", "_STARTUP", "_DIFF", "PAGER", "_EDITOR",
    "_BROWSER", "_SHELL", "_RSH", "_SSH", "_COMMAND", "ASKPASS", "_PLUGINS", "_PLUGIN_PATH", "_PLUGIN_DIR",
    "_MODULE_PATH",
)  # fmt: skip
"""Endings by which programs name others that they run, and options that may: MAKEFLAGS, TAR_OPTIONS,
JAVA_TOOL_OPTIONS, MAVEN_OPTS, RUSTC_WRAPPER, KUBECTL_EXTERNAL_DIFF, SUDO_ASKPASS, PSQL_PAGER."""
_ALLOWED = frozenset(
    (
        "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONUTF8",
        "NODE_ENV", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE", "GIT_TERMINAL_PROMPT", "CARGO_TERM_COLOR",
        "RUST_BACKTRACE", "RUST_LOG",
    )
)  # fmt: skip
"""Variables of those families that are values alone."""
_FOLDERS = re.compile("PATH|.*HOME|XDG_.*(HOME|DIRS?)")
"""Variables with folders in which programs, or files that name programs, are looked up."""
_CHANGING = ("/proc", "/dev")
"""Folders in which a path may lead elsewhere for the command than for this program."""


def inherit(
    variables: Mapping[str, str], further: Mapping[str, str], *, without: Path | None = None
) -> dict[str, str]:
    """Make the environment that all commands share.

    Returns the variables of `INHERITED` that are set, and `further`. PATH has absolute folders alone: a
    relative one would be searched in the workspace, where a model may put programs.

    Args:
        further: variables that the program adds for its commands.
        without: a folder in which no program is looked up.
    """
    made = {name: variables[name] for name in INHERITED if name in variables}
    made.update(further)
    folders = made.get("PATH", _DEFAULT_PATH).split(os.pathsep)
    made["PATH"] = os.pathsep.join(each for each in folders if _is_outside(each, without))
    return made


def check(env: Mapping[str, str], root: Path) -> None:
    """Refuse variables of a call that must not be set.

    Whoever approves a command reads the command. Variables that make programs run other code, or read the
    same words differently, are refused, as far as they are known; a command that needs one sets it itself,
    where it is read: `LD_PRELOAD=./x.so ./program`. PATH, homes and XDG_* may name absolute folders outside
    of the workspace.

    Raises RefusalError: a name or a folder is refused, a value has a zero byte or is no Unicode, or all
    together are too long.
    """
    size = 0
    for name, value in env.items():
        size += len(check_text(f"The variable {name}", value)) + len(name) + 2
        if _adds_code(name.upper()):
            raise RefusalError(
                f"The variable {name} may not be set in env: it changes what the command does before it "
                "begins, or may make programs run other code. Leave it out, or set it in the command itself."
            )
        if _FOLDERS.fullmatch(name.upper()):
            for folder in value.split(os.pathsep):
                _check_folder(name, folder, root)
    if size > _MAX_BYTES:
        raise RefusalError(
            f"The variables in env have {size} bytes together, and may have {_MAX_BYTES}. Put long values "
            "into a file, and let the command read it."
        )


def _adds_code(name: str) -> bool:
    known = name in _REFUSED or name.startswith(_REFUSED_BEGINNINGS) or name.endswith(_REFUSED_ENDINGS)
    return known and name not in _ALLOWED


def _check_folder(name: str, folder: str, root: Path) -> None:
    """Raise RefusalError for a folder that a command would search, and that may be in the workspace."""
    lexical = Path(os.path.normpath(re.sub("^//+", "/", folder)))
    if any(lexical.is_relative_to(top) for top in _CHANGING):
        problem = "may lead to another folder for each process"
    elif lexical.is_relative_to(root) or not _is_outside(folder, root):
        problem = "is relative or in the workspace, where files may be planted"
    else:
        return
    raise RefusalError(
        f"The variable {name} may not have {folder[:200]!r} in env: it {problem}. Name absolute folders "
        "outside of the workspace, or set the variable in the command itself."
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
    if without is None:
        return True
    try:
        real = Path(os.path.realpath(folder))
    except OSError:  # a link that nobody may read
        return False
    # By identity, too: a mount or another case may give the workspace a second name.
    return not (
        any(real.is_relative_to(top) for top in (without, *_CHANGING))
        or any(_is_same(each, without) for each in (real, *real.parents))
    )


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:
        return False


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
    """The isolation of commands.

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
        """Return the command line before the command's own words.

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


def find_sandbox(network: bool, readable: Sequence[str | os.PathLike[str]]) -> Sandbox | str:
    """Look for a `bwrap` that works here.

    Returns the sandbox; or why there is none, in words.

    Args:
        network: whether commands reach the network.
        readable: paths outside of the workspace that commands may read.
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
    """Return a folder of the system inside: the same link, or the same folder, read-only."""
    if os.path.islink(path):  # noqa: PTH114 - text in, text out
        return ["--symlink", os.readlink(path), path]  # noqa: PTH115 - the same
    return ["--ro-bind", path, path] if os.path.isdir(path) else []  # noqa: PTH112 - the same
