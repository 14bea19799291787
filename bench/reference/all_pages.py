"""Every page that is made from the source, by its path below docs/reference."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..marked import replaced
from . import (
    command_pages,
    compatibility_page,
    provider_pages,
    public_names,
    rule_pages,
    setting_keys,
    spec_keys,
)

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
NAMES = "names/*.md"
"""Pages of which there are as many as the source has."""
NOTE = "<!-- Made from the source by `make reference`. -->\n\n"


def all_pages() -> dict[str, str]:
    """The text of each page by its path below `FOLDER`."""
    made = {
        "compatibility.md": compatibility_page.compatibility(),
        "command-line.md": command_pages.commands(),
        "diff-rules.md": rule_pages.diff_rules(),
        "lint-rules.md": rule_pages.lint_rules(),
        "provider-profiles.md": provider_pages.provider_profiles(),
        "spec-keys.md": spec_keys.spec_keys(),
        **{f"names/{name}": text for name, text in public_names.pages().items()},
    }
    return {
        **{path: NOTE + text.rstrip() + "\n" for path, text in made.items()},
        "configuration.md": _part("configuration.md", "keys", setting_keys.setting_keys()),
    }


def _part(path: str, name: str, body: str) -> str:
    """A page that is written by hand but for one part."""
    return replaced((FOLDER / path).read_text("utf-8"), name, body)


def differing(folder: Path, made: Mapping[str, str], many: str) -> list[str]:
    """The files of `made` that are not as it says, and those that match `many` and are no longer made."""
    wrong = [path for path, text in made.items() if _read(folder / path) != text]
    present = (each.relative_to(folder).as_posix() for each in folder.glob(many))
    return sorted([*wrong, *(path for path in present if path not in made)])


def write(folder: Path, made: Mapping[str, str], many: str) -> list[str]:
    """Write the files that differ, delete those that are no longer made; their paths."""
    changed = differing(folder, made, many)
    for path in changed:
        if path in made:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(made[path], encoding="utf-8", newline="\n")
        else:
            (folder / path).unlink()
    return changed


def _read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.is_file() else None
