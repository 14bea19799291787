"""The build hook for hatchling.

[build-system]
requires = ["hatchling", "toolcast[build]==0.1.0"]
build-backend = "hatchling.build"

[tool.hatch.build.hooks.toolcast]
mode = "verify"            # the default; "generate" makes the output during the build
"""

from pathlib import Path

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.plugin import hookimpl

from ...jsonschema.json_values import JsonObject
from .step import StepError, mode_of, open_project, run_step

_KEYS = {
    "mode",
    "dependencies",
    "require-runtime-dependencies",
    "require-runtime-features",
    "enable-by-default",
}
"""Ours, and those that hatchling itself reads from every hook's table."""


class ToolcastBuildHook(BuildHookInterface[BuilderConfig]):
    """Verifies or generates before a wheel, an editable wheel or a source distribution is made."""

    PLUGIN_NAME = "toolcast"

    def initialize(self, version: str, build_data: JsonObject) -> None:
        """Raise SystemExit with the reason where the build must stop."""
        try:
            self._run(version, build_data)
        except StepError as error:
            self.app.abort(str(error))

    def _run(self, version: str, build_data: JsonObject) -> None:
        if unknown := sorted(set(self.config) - _KEYS):
            raise StepError(
                f"tool.hatch.build.hooks.toolcast: unknown key {unknown[0]!r}; the only key is mode"
            )
        mode = mode_of(self.config.get("mode", "verify"), "tool.hatch.build.hooks.toolcast.mode")
        project = open_project(Path(self.root))
        if self.target_name == "sdist":
            self._leave_out_state()
        run_step(project, mode, lenient=version == "editable", warn=self.app.display_warning)
        if mode == "generate":  # it may be ignored by git, which hatchling follows
            build_data["artifacts"] += [f"/{path}" for path in project.outputs]

    def _leave_out_state(self) -> None:
        """`.toolcast/` hides itself from git; hatchling reads the first `.gitignore` only."""
        table = self.build_config.target_config
        if "exclude" not in table:
            table["exclude"] = list(self.build_config.build_config.get("exclude", ()))
        table["exclude"] = [*table["exclude"], "/.toolcast"]


@hookimpl
def hatch_register_build_hook() -> type[ToolcastBuildHook]:
    """Register the hook with hatchling: the entry point `hatch` names this module."""
    return ToolcastBuildHook
