"""Writes, carried out in shares."""

import os
import sys
from pathlib import Path

import pytest
from toolcast.build.output.content import Stored
from toolcast.build.output.plan import Write
from toolcast.build.output.share import carry_out
from toolcast.build.state.fingerprint import digest


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of this kind")
def test_contents_that_stand_in_a_file_each_need_few_descriptors(tmp_path: Path) -> None:
    """An assembled set has thousands, and a process may open some hundred."""
    import resource

    writes = []
    for number in range(200):
        file = tmp_path / f"compiled/{number}"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"%d" % number)
        content = Stored(digest(file.read_bytes()), str(file), 0, file.stat().st_size)
        writes.append(Write(f"a/{number}.json", content, "changed"))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = os.dup(0)
    os.close(highest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(highest + 40, hard), hard))
    try:
        done = carry_out(str(tmp_path / "out"), [*writes, *writes])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert done.error is None
