"""toolcast: compile tool specs into typed bindings and provider JSON."""

from .version import __version__ as __version__

TYPE_CHECKING = False
if TYPE_CHECKING:  # the runtime imports this package too, and needs none of these
    from collections.abc import Mapping, Sequence

    from .project.steps.assemble import Compilation
    from .providers import Profile


def compile(
    specs: "Mapping[str, bytes]",
    *,
    providers: "Sequence[str] | None" = None,
    models: "Sequence[str]" = (),
    targets: "Sequence[str]" = (),
    templates: "Mapping[str, str] | None" = None,
    profiles: "Mapping[str, Profile] | None" = None,
    shown_root: str = "specs",
) -> "Compilation":
    """Compile a set of specs to the files that `toolcast generate` would write for them.

    A pure function: it reads and writes no file but toolcast's own modules, templates and profiles. Needs
    `toolcast[build]`.

    Args:
        specs: posix path below the specs folder (`files/edit.yaml`, `_types/range.yaml`) to the file's bytes.
        providers: ids of the providers to write definitions for; by default OpenAI (both APIs), Anthropic,
            Gemini and MCP.
        models: other model families to write: "pydantic", "dataclass", "typeddict".
        targets: further languages to write modules in: "typescript".
        templates: overriding templates by file name, such as `tool.py.jinja`.
        profiles: further profiles by id; one may replace a built-in profile.
        shown_root: the folder that diagnostics name before a spec's path.

    Returns:
        A `Compilation`: `files` (posix path below the output folder to bytes, `manifest.txt` included),
        `diagnostics` (every error and warning, sorted) and `failed` (whether one is an error). A spec with an
        error has no files; all others have theirs.

    Raises:
        ValueError: a path is neither a spec's nor a shared type's.
        toolcast.providers.ProfileError: a provider is not known, or a profile is not valid.
    """
    from .project.steps.assemble import compile_set

    return compile_set(
        specs,
        providers=providers,
        models=models,
        targets=targets,
        templates=templates,
        profiles=profiles,
        shown_root=shown_root,
    )
