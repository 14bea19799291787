"""Files that other tools read, ready to be put into a project: `toolcast init --add`."""

import posixpath
import re
from importlib.resources import files
from pathlib import PurePath

from msgspec import Struct

from ..output_layout import MANIFEST, REGISTRY, TYPESCRIPT


class Offer(Struct, frozen=True):
    """`template` stands in `files/`; `path` is posix, below the project; `next` says what is left to do.
    `root`: it is read nowhere but in the root of a repository.
    """

    template: str
    path: str
    next: str
    root: bool = False


OFFERS = {
    "gitattributes": Offer("gitattributes", ".gitattributes", "git add .gitattributes"),
    "github": Offer("workflow.yml", ".github/workflows/toolcast.yml", "adapt branches and Python", root=True),
    "make": Offer("toolcast.mk", "toolcast.mk", "put `include toolcast.mk` into your Makefile"),
    "pre-commit": Offer(
        "pre-commit-config.yaml", ".pre-commit-config.yaml", "run: pre-commit install", root=True
    ),
}


def text_of(offer: Offer, output: str, requirement: str) -> str:
    """Return the file's text, for a project whose output folder is `output`, as the configuration writes it.
    `requirement` is what pip installs to get the compiler: a pinned version, or `.[build]` in a checkout
    of toolcast. Raises ValueError where the file can say nothing of that folder.
    """
    raw = files("toolcast.cli").joinpath("files", offer.template).read_text(encoding="utf-8")
    raw = raw.replace("{requirement}", requirement)
    if "{every}" not in raw:
        return raw
    folder = posixpath.normpath(PurePath(output).as_posix())
    if folder.startswith(("../", "/")) or folder == ".." or re.match(r"[A-Za-z]:", folder):
        raise ValueError(f"{folder} lies outside of this folder: what git does there, a file there must say")
    prefix = "" if folder == "." else f"{folder}/"
    shown = folder if folder == "." else prefix
    patterns = {
        "every": "**",
        "manifest": MANIFEST,
        "registry": REGISTRY,
        "index": f"{TYPESCRIPT}/index.*",
    }
    for name, rest in patterns.items():
        raw = raw.replace(f"{{{name}}}", _pattern(prefix, rest))
    return raw.replace("{output}", shown)


def _pattern(prefix: str, rest: str) -> str:
    """Return a pattern of `.gitattributes` that takes `prefix` as it stands, quoted where it must be."""
    text = re.sub(r"[*?\[\]\\]|^[#!]", r"\\\g<0>", prefix) + rest
    if re.search(r'[\s"\\]', text):
        return '"' + re.sub(r'["\\]', r"\\\g<0>", text) + '"'
    return text
