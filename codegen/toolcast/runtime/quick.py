"""The way of most calls: short text that the Struct takes, and in which every property stands once.

It is one function for each type, put together from `_SOURCE` and what `given` writes. A loop
over the fields, or a call for each step, would take longer than what it saves.
"""

from collections.abc import Callable
from types import CodeType
from typing import Any

import msgspec

from .given import Counting

Decode = Callable[[Any, str | None, Any], Any]

# What stands in braces is filled in: numbers, and what `given` wrote. The text is looked at for its depth
# where it is longer than SHORT. A colon that was escaped in the text could stand for one that was lost with
# a key, so colons inside of strings count only where there is no backslash.
_SOURCE = """\
def decode(arguments, provider=None, guesses=None):
    if provider is None or provider in straight:
        kind = type(arguments)
        if kind is bytes and len(arguments) <= {short}:
            colons = len(arguments) - len(arguments.replace(b":", b""))
        elif kind is str and len(arguments) <= {short}:
            colons = len(arguments) - len(arguments.replace(":", ""))
        else:
            return slowly(arguments, provider, guesses)
        try:
            value = read(arguments)
            {counted}
            if has_each_once(arguments, value, colons):
                return {result}
        except refused:
            pass  # the exact path knows why, and what the two allowances make of it
        return exactly(arguments, guesses)
    return slowly(arguments, provider, guesses)
"""
_REFUSED = (msgspec.MsgspecError, ValueError, RecursionError)


# As a number, a backslash in bytes is found in a tenth of the time.
_NOTHING_ESCAPED = 'if (92 if kind is bytes else "\\\\") not in arguments:'


def compiled(keys: int, short: int, counting: Counting | None, faithful: bool, result: str) -> CodeType:
    """The function's code: `keys`, `short` and `faithful` as in `Plan`, `result` an expression for what is
    returned."""
    found = f"    return {result}"
    lines = [f"if colons == {keys}:", found]
    if counting is not None:
        lines += [f"count = {counting.fixed}", *counting.lines, "if count == colons:", found]
        if counting.inside:
            lines += [_NOTHING_ESCAPED, f"    if count + {counting.inside} == colons:", f"    {found}"]
    elif faithful:
        lines += [_NOTHING_ESCAPED, '    if encode(value).count(b":") == colons:', f"    {found}"]
    counted = "\n            ".join(lines)
    return compile(
        _SOURCE.format(short=short, counted=counted, result=result), "<toolcast.runtime.quick>", "exec"
    )


def bound(code: CodeType, constants: dict[str, Any], **names: Any) -> Decode:
    """The function, with what it calls: `read`, `straight`, `slowly`, `has_each_once` and `exactly`, and
    `back` where its result does."""
    namespace: dict[str, Any] = {**constants, **names, "encode": msgspec.json.encode, "refused": _REFUSED}
    exec(code, namespace)
    decode: Decode = namespace["decode"]
    return decode
