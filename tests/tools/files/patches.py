"""Unified diffs applied strictly, as an oracle of what they say."""

import re

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NO_END = "\\ No newline at end of file"


def apply_patch(text: str, diff: str) -> str:
    """`text` after `diff`; every line of context, and every number, has to be right."""
    if not diff:
        return text
    before = text.split("\n")
    before = [f"{line}\n" for line in before[:-1]] + ([before[-1]] if before[-1] else [])
    lines = diff.split("\n")
    assert lines[0].startswith("--- ")
    assert lines[1].startswith("+++ ")
    after: list[str] = []
    at = 0
    index = 2
    while index < len(lines):
        match = _HUNK.fullmatch(lines[index])
        assert match is not None, lines[index]
        start, size, new_start, new_size = (
            1 if part is None else int(part) for part in (match[1], match[2], match[3], match[4])
        )
        start -= size > 0
        new_start -= new_size > 0
        assert start >= at
        after += before[at:start]
        at = start
        assert len(after) == new_start
        index += 1
        while index < len(lines) and not lines[index].startswith("@@"):
            mark, line = lines[index][0], f"{lines[index][1:]}\n"
            index += 1
            if index < len(lines) and lines[index] == _NO_END:
                line = line[:-1]
                index += 1
            if mark in " -":
                assert before[at] == line
                at += 1
            if mark in " +":
                after.append(line)
        assert at == start + size
        assert len(after) == new_start + new_size
    return "".join(after + before[at:])
