"""A text that is read from left to right, with every search remembered."""

import re


class Source:
    """The text, and where each search last ended.

    Offsets only grow, so a search that is asked again before its last find costs nothing: together the
    searches for one mark read the text once. `steps` counts the characters that were looked at.
    """

    __slots__ = ("_ends", "_finds", "steps", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = 0
        self._finds: dict[str, tuple[int, int]] = {}
        self._ends: dict[re.Pattern[str], tuple[int, re.Match[str] | None]] = {}

    def find(self, mark: str, start: int) -> int:
        """Where `mark` stands at or after `start`; -1 where it does not."""
        begun, found = self._finds.get(mark, (-1, -2))
        if found == -2 or start < begun or -1 < found < start:
            found = self.text.find(mark, start)
            self.steps += (len(self.text) if found < 0 else found) - start + len(mark)
            self._finds[mark] = (start, found)
        return found

    def search(self, pattern: re.Pattern[str], start: int) -> re.Match[str] | None:
        """The first match at or after `start`. For patterns whose matches do not hang on `start`."""
        known = self._ends.get(pattern)
        if known is not None:
            begun, found = known
            if begun <= start and (found is None or start <= found.start()):
                return found
        found = pattern.search(self.text, start)
        self.steps += (len(self.text) if found is None else found.end()) - start
        self._ends[pattern] = (start, found)
        return found

    def match(self, pattern: re.Pattern[str], start: int) -> re.Match[str] | None:
        """A match that begins at `start`."""
        found = pattern.match(self.text, start)
        self.steps += 1 if found is None else found.end() - start + 1
        return found
