"""What a step read, as Make and Ninja read it."""

from collections.abc import Iterable


def render_depfile(target: str, inputs: Iterable[str]) -> bytes:
    """One rule, and an empty one for each input: so that one that is deleted does not stop Make."""
    names = [_escaped(name) for name in sorted(set(inputs))]
    rule = " \\\n  ".join([f"{_escaped(target)}:", *names])
    return "\n".join([rule, *(f"{name}:" for name in names), ""]).encode()


def _escaped(path: str) -> str:
    """A path as one word. Backslashes stay: neither reader has a word for one before a space."""
    if "\n" in path:
        raise ValueError(f"{path!r} cannot stand in a depfile: it has a line break")
    for plain, written in (("$", "$$"), ("#", "\\#"), (" ", "\\ "), (":", "\\:")):
        path = path.replace(plain, written)
    return path
