"""Python, toolcast, and the libraries it needs."""

import importlib.metadata
import platform
import sys
from collections import defaultdict
from collections.abc import Iterator

from .. import __version__
from ..distribution import NAME, describe, installed_distribution
from ..package_files import templates_dir
from .examination import Finding
from .versions import Requirement, is_in, read_requirement

OLDEST = (3, 11)
_OURS = ("dev", "clients", "grammars")  # extras for work on toolcast itself


def examine_installation() -> Iterator[Finding]:
    """What is installed, and whether it fits together."""
    python = f"{platform.python_implementation()} {platform.python_version()}, {sys.executable}"
    if sys.version_info[:2] < OLDEST:
        yield Finding("Python", "broken", python, "use Python 3.11 or newer")
    else:
        yield Finding("Python", "well", python)
    own = installed_distribution()
    if own is None:
        yield Finding(
            "toolcast",
            "note",
            f"{describe()}: what it requires is not known",
            "run: pip install -e '.[build]'",
        )
        return
    if own.running and own.version == __version__:
        yield Finding("toolcast", "well", describe())
    else:
        yield Finding("toolcast", "note", describe(), "install it again, or remove one of the two")
    try:
        templates_dir()
    except FileNotFoundError as error:
        yield Finding("templates", "broken", str(error), "install toolcast again")
    yield from _requirements(importlib.metadata.requires(NAME) or [])


def _requirements(lines: list[str]) -> Iterator[Finding]:
    by_extra: defaultdict[str, list[Requirement]] = defaultdict(list)
    for line in lines:
        if (requirement := read_requirement(line)) is not None:
            by_extra[requirement.extra].append(requirement)
    for extra in ("", "build"):
        for requirement in sorted(by_extra[extra], key=lambda each: each.name.lower()):
            yield _library(requirement)
    for extra, wanted in sorted(by_extra.items()):
        if extra in ("", "build", *_OURS):
            continue
        lacking = [each.name for each in wanted if _lack(each) is not None]
        text = f"not complete: {', '.join(lacking)} missing or of another version" if lacking else "installed"
        fix = f"if you need it, run: pip install 'toolcast[{extra}]'" if lacking else ""
        yield Finding(f"extra {extra}", "note" if lacking else "well", text, fix)


def _library(requirement: Requirement) -> Finding:
    topic = f"library {requirement.name}"
    lack = _lack(requirement)
    if lack is None:
        version = importlib.metadata.version(requirement.name)
        return Finding(topic, "well", f"{version} (supported: {requirement.range or 'any'})")
    wanted = f"{requirement.name}{requirement.range}"
    return Finding(topic, "broken", lack, f"run: pip install '{wanted}'")


def _lack(requirement: Requirement) -> str | None:
    """What is wrong with an installed library, or None."""
    try:
        version = importlib.metadata.version(requirement.name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
    if is_in(version, requirement.range):
        return None
    return f"{version} is not in the supported range {requirement.range}"
