"""Files that other tools read, ready to be put into a project: `toolwright init --add`."""

from importlib.resources import files

from msgspec import Struct

from .. import integrations


class Offer(Struct, frozen=True):
    """`template` stands in `files/`; `path` is posix, below the project; `next` says what is left to do."""

    template: str
    path: str
    next: str


OFFERS = {
    "gitattributes": Offer("gitattributes", ".gitattributes", "git add .gitattributes"),
    "github": Offer("workflow.yml", ".github/workflows/toolwright.yml", "adapt the branches and Python"),
    "make": Offer("toolwright.mk", "toolwright.mk", "put `include toolwright.mk` into your Makefile"),
    "pre-commit": Offer("pre-commit-config.yaml", ".pre-commit-config.yaml", "run: pre-commit install"),
}


def text_of(offer: Offer, output: str) -> str:
    """The file's text, for a project whose output folder is `output` (posix, below the project)."""
    raw = files(integrations).joinpath("files", offer.template).read_text(encoding="utf-8")
    return raw.replace("{output}", output)
