"""Just enough of version numbers to tell whether one is in a range."""

import re

from msgspec import Struct

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
