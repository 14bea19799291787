"""Python, toolcast, and the versions of the libraries that it needs."""

import importlib.metadata
import platform
import re
import sys
from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct

from ..distribution import NAME, describe, installed_distribution
from ..package_files import templates_dir
from ..version import __version__
from .examination import Finding

_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*\(?([^;)]*)\)?\s*(?:;(.*))?")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")
_CLAUSE = re.compile(r"(>=|<=|==|!=|~=|<|>)\s*([0-9][0-9A-Za-z.*+!-]*)")


class Requirement(Struct, frozen=True):
    """A line of a distribution's metadata: `black<27,>=26.1; extra == "build"`."""

    name: str
    range: str
    extra: str = ""


def read_requirement(line: str) -> Requirement | None:
    """Read one line; None if it is of another form, such as a URL."""
    found = _REQUIREMENT.fullmatch(line.strip())
    if found is None:
        return None
    extra = _EXTRA.search(found[3] or "")
    return Requirement(found[1], found[2].strip(), extra[1] if extra else "")


def is_in(version: str, range: str) -> bool:
    """Whether `version` is in a range such as `<27,>=26.1`. What cannot be read does not exclude it."""
    return all(_holds(version, sign, bound) for sign, bound in _CLAUSE.findall(range))


def _holds(version: str, sign: str, bound: str) -> bool:
    if bound.endswith(".*"):
        fixed = _numbers(bound[:-2])
        same = _padded(_numbers(version), len(fixed))[: len(fixed)] == fixed
        return same if sign == "==" else not same
    size = max(len(_numbers(version)), len(_numbers(bound)))
    one, two = _padded(_numbers(version), size), _padded(_numbers(bound), size)
    match sign:
        case "==":
            return one == two
        case "!=":
            return one != two
        case ">=":
            return one >= two
        case "<=":
            return one <= two
        case "<":
            return one < two
        case ">":
            return one > two
        case _:  # ~=
            fixed = _numbers(bound)[:-1]
            return one >= two and one[: len(fixed)] == fixed


def _numbers(version: str) -> tuple[int, ...]:
    release = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    return tuple(int(part) for part in release[0].split(".")) if release else ()


def _padded(numbers: tuple[int, ...], size: int) -> tuple[int, ...]:
    return numbers + (0,) * (size - len(numbers))


OLDEST = (3, 11)
_OURS = ("browser", "clients", "dev", "docs", "grammars")  # extras for work on toolcast itself


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
