"""The places of an answer that a format names."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .answer_fields import get_field, items, kind
from .call import DispatchError
from .wire_formats import EACH, Format, Path


def locate(response: Any, path: Path) -> tuple[Any, str]:
    """The value at a path and how the path is written; None where a step leads nowhere."""
    at = "$"
    for step in path:
        if response is None:
            return None, at
        if isinstance(step, int):
            listed = items(response, at)
            response = listed[step] if step < len(listed) else None
            at = f"{at}[{step}]"
        else:
            response = get_field(response, step, at)
            at = f"{at}.{step}"
    return response, at


def locate_each(response: Any, path: Path) -> Iterator[Any]:
    """The values at a path that goes through every item of a list where it has EACH.

    A step into what is neither an object nor a list leads nowhere.
    """
    for at, step in enumerate(path):
        if response is None or isinstance(response, (str, bytes, int, float)):
            return
        if step == EACH:
            if isinstance(response, Sequence):
                for item in response:
                    yield from locate_each(item, path[at + 1 :])
            return
        if isinstance(response, Sequence) != isinstance(step, int):
            return
        response = locate(response, (step,))[0]
    if response is not None:
        yield response


def calls_path(response: Any, format: Format) -> Path | None:
    """Which of a format's places an answer has. Raises DispatchError where it is no answer of the format."""
    for path in format.calls:
        if get_field(response, str(path[0]), "$") is not None:
            return path
    names = (str(path[0]) for path in format.calls)
    # A message without calls may lack the key, or have null for it.
    if any(get_field(response, key, "$") is not None for key in format.marks) or _has_any(response, names):
        return None
    wanted = " or ".join(f"`{path[0]}`" for path in format.calls)
    raise DispatchError(f"$: this is no answer of {format.name}: expected {wanted}, got {kind(response)}")


def _has_any(response: Any, keys: Iterable[str]) -> bool:
    if isinstance(response, Mapping):
        return any(key in response for key in keys)
    return any(key in dir(response) for key in keys)
