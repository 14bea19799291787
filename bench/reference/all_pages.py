"""Every page that is made from the source, by its path below docs/reference."""

from __future__ import annotations

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


def differing(folder: Path) -> list[str]:
    """The pages that are not what the source says, and those of `names/` that it no longer makes."""
    made = all_pages()
    wrong = [path for path, text in made.items() if _read(folder / path) != text]
    gone = [
        f"names/{each.name}" for each in (folder / "names").glob("*.md") if f"names/{each.name}" not in made
    ]
    return sorted(wrong + gone)


def write(folder: Path) -> list[str]:
    """Write the pages that differ, delete those of `names/` that are no longer made; their paths."""
    made = all_pages()
    changed = differing(folder)
    for path in changed:
        if path in made:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(made[path], encoding="utf-8", newline="\n")
        else:
            (folder / path).unlink()
    return changed


def _read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.is_file() else None
