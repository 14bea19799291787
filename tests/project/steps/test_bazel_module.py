"""The Bazel module is published with the package, and says so."""

import re
from pathlib import Path

from toolcast import __version__

BAZEL = Path(__file__).resolve().parent.parent.parent.parent / "integrations" / "bazel"


def test_its_version_is_that_of_the_package() -> None:
    stated = re.search(r'version = "([^"]+)"', (BAZEL / "MODULE.bazel").read_text(encoding="utf-8"))
    assert stated
    assert stated[1] == __version__


def test_one_name_is_used_throughout() -> None:
    """Rules refer to their own module by its name, which both ways of declaring it must state."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in BAZEL.iterdir() if path.is_file()}
    names = {
        name
        for text in texts.values()
        for name in re.findall(r"@(\w+)//:(?:defs|repository|toolchain)", text)
    }
    assert names == {"toolcast_bazel", "toolcast"}
    for file in ("MODULE.bazel", "WORKSPACE"):
        assert 'name = "toolcast_bazel"' in texts[file]
