"""Arguments that arrive in pieces: text fragments of JSON, call by call."""

import re
from collections.abc import Hashable, Iterable
from typing import Any

from ...jsonschema.json_values import MAX_DEPTH, JsonMapping, JsonObject
from ...jsonschema.messages import member
from ..arguments import MAX_TEXT

MAX_CALLS = 1024
"""Calls of one answer that are carried out, and calls that may arrive at a time."""
MOST_CALLS = 4 * MAX_CALLS
"""Calls of one answer that are read: those beyond MAX_CALLS are refused one by one."""


class FragmentError(ValueError):
    """A stream cannot be assembled: it is too large, or has what its kind of stream may not contain."""


class Fragments:
    """JSON text of the calls of one streamed answer, each assembled from its fragments.

    Nothing is parsed: give the text of `done` to `decode` or `execute`. One object serves one answer, in one
    thread.
    """

    __slots__ = ("_calls", "_limit", "_most", "_size")

    def __init__(self, *, limit: int = MAX_TEXT, calls: int = MAX_CALLS) -> None:
        """Start with no calls.

        Args:
            limit: characters held at once, over all calls.
            calls: calls held at once.
        """
        self._limit = limit
        self._most = calls
        self._size = 0
        self._calls: dict[Hashable, list[str]] = {}

    @property
    def calls(self) -> tuple[Hashable, ...]:
        """Calls that have begun and are not done, in the order in which they began."""
        return tuple(self._calls)

    def add(self, fragment: str | None, call: Hashable = 0) -> None:
        """Take the next fragment.

        Args:
            fragment: a text; an empty one, or None, only begins its call.
            call: identifies the call in the provider's stream: OpenAI's `index` (chat) or `item_id`
                (responses), the index of Anthropic's content block, Bedrock's `contentBlockIndex`, Cohere's
                `index`.

        Raises:
            FragmentError: a limit is exceeded.
            TypeError: the fragment is no text.
        """
        pieces = self._calls.get(call)
        if pieces is None:
            if len(self._calls) >= self._most:
                raise FragmentError(f"more than {self._most} calls at once")
            pieces = self._calls[call] = []
        if fragment is not None and not isinstance(fragment, str):
            raise TypeError(f"a fragment is str, not {type(fragment).__name__}")
        if not fragment:
            return
        self._size += len(fragment)
        if self._size > self._limit:
            raise FragmentError(f"the arguments are too large: more than {self._limit} characters")
        pieces.append(fragment)

    def text(self, call: Hashable = 0) -> str:
        """Return the text of a call so far; "" for an unknown call."""
        text = "".join(self._calls.get(call, ()))
        if text.isascii():
            return text
        # A stream of UTF-16 may be cut inside of a character: its halves are one again here.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    def done(self, call: Hashable = 0) -> str:
        """Return the whole text of a call, and forget the call; "" for none."""
        whole = self.text(call)
        self._size -= sum(map(len, self._calls.pop(call, ())))
        return whole


_Steps = tuple[str | int, ...]

_STEP = re.compile(
    r"""\.([^\s.\[\]'"]+)|\[(0|[1-9][0-9]{0,8})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_VALUES = ("stringValue", "numberValue", "boolValue", "nullValue")
_SNAKE = {
    "json_path": "jsonPath",
    "string_value": "stringValue",
    "number_value": "numberValue",
    "bool_value": "boolValue",
    "null_value": "nullValue",
    "will_continue": "willContinue",
}
_COST = 16
"""The size of a value without its text, so that the number of small values is limited, too."""


class PartialArguments:
    """Arguments of one call that arrive value by value, each with its path: Vertex AI's `partialArgs`.

    Keys of a part may be written as in JSON or as in Python's client. Each location gets one value: a second
    value, other than the rest of a string, is an error, as is an array with gaps.
    """

    __slots__ = ("_limit", "_open", "_root", "_size")

    def __init__(self, *, limit: int = MAX_TEXT) -> None:
        """Start without values.

        Args:
            limit: characters held at once.
        """
        self._limit = limit
        self._size = 0
        self._root: JsonObject = {}
        self._open: dict[_Steps, list[str]] = {}  # strings that go on, in pieces

    def add(self, parts: Iterable[JsonMapping]) -> None:
        """Take the next parts.

        Args:
            parts: objects of `partialArgs`, in the order in which they came.

        Raises:
            FragmentError: a part does not fit those before; the message has its path.
        """
        for part in parts:
            # Python's client has None for what is unset; on the wire null is a `nullValue`, as NULL_VALUE is.
            stated = {key: value for key, value in part.items() if value is not None or key == "nullValue"}
            self._add({_SNAKE.get(key, key): value for key, value in stated.items()})

    def done(self) -> JsonObject:
        """Return the arguments as plain data, for `decode` or `execute`.

        Raises:
            FragmentError: the stream ended inside a string.
        """
        if self._open:
            raise FragmentError(
                f"the stream ended inside of the string at {_spelled(next(iter(self._open)))}"
            )
        return self._root

    def _add(self, part: JsonObject) -> None:
        steps = _steps(part.get("jsonPath"))
        present = [key for key in _VALUES if part.get(key) is not None]
        if not present and "nullValue" in part and steps not in self._open:
            present = ["nullValue"]
        if len(present) > 1:
            raise FragmentError(f"{' and '.join(present)} at once at {_spelled(steps)}")
        value = _value(present[0], part[present[0]], steps) if present else ""
        self._size += _COST + sum(len(step) if isinstance(step, str) else 1 for step in steps)
        self._size += len(value) if isinstance(value, str) else 0
        if self._size > self._limit:
            raise FragmentError(f"the arguments are too large: more than {self._limit} characters")
        goes_on = part.get("willContinue") is True
        pieces = self._open.get(steps)
        if pieces is None:
            if not present:
                raise FragmentError(f"a part without a value at {_spelled(steps)}")
            self._put(steps, value)
            if isinstance(value, str) and goes_on:
                self._open[steps] = [value]
        elif isinstance(value, str):
            pieces.append(value)
        else:
            raise FragmentError(f"the string at {_spelled(steps)} goes on as something else")
        if pieces is not None and not goes_on:
            self._replace(steps, "".join(self._open.pop(steps)))

    def _put(self, steps: _Steps, value: Any) -> None:
        """Set the value at a path that has none; arrays and objects on the path are made."""
        holder: Any = self._root
        for step, following in zip(steps, (*steps[1:], None), strict=True):
            last = following is None
            new = value if last else [] if isinstance(following, int) else {}
            kind: type[Any] = list if isinstance(step, int) else dict
            if not isinstance(holder, kind):
                raise FragmentError(f"{_spelled(steps)} leads through what is no array or object")
            known = step < len(holder) if isinstance(step, int) else step in holder
            if known and last:
                raise FragmentError(f"a second value at {_spelled(steps)}")
            if isinstance(step, int) and step > len(holder):
                raise FragmentError(f"items before {_spelled(steps)} are missing")
            if not known and isinstance(step, int):
                holder.append(new)
            elif not known:
                holder[step] = new
            holder = holder[step]

    def _replace(self, steps: _Steps, value: str) -> None:
        holder: Any = self._root
        for step in steps[:-1]:
            holder = holder[step]
        holder[steps[-1]] = value


def _value(key: str, value: object, steps: _Steps) -> object:
    if key == "nullValue":
        return None
    kinds: dict[str, tuple[type, ...]] = {
        "stringValue": (str,),
        "numberValue": (int, float),
        "boolValue": (bool,),
    }
    if not isinstance(value, kinds[key]) or (key == "numberValue" and isinstance(value, bool)):
        raise FragmentError(f"{key} at {_spelled(steps)} is a {type(value).__name__}")
    return value


def _steps(path: object) -> _Steps:
    """Return the steps of a singular path. Raises FragmentError for any other, and for the root itself."""
    if not isinstance(path, str) or not path.startswith("$") or len(path) == 1:
        raise FragmentError(f"{path!r:.100} is not the path of an argument")
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None or len(steps) >= MAX_DEPTH:
            raise FragmentError(f"{path!r:.100} is not the path of one value")
        at = found.end()
        name, index, single, double = found.groups()
        if index is not None:
            steps.append(int(index))
        elif name is not None:
            steps.append(name)
        else:
            steps.append(_unescaped(single if single is not None else double))
    if not isinstance(steps[0], str):
        raise FragmentError(f"{path!r:.100} does not begin with the name of an argument")
    return tuple(steps)


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPES.get(m[2], m[2]), text)
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _spelled(steps: _Steps) -> str:
    path = "$"
    for step in steps:
        path = f"{path}[{step}]" if isinstance(step, int) else member(path, step)
    return path[:200]
