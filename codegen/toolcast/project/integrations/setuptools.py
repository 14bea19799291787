"""The build step for setuptools.

[build-system]
requires = ["setuptools>=69", "toolcast[build]==0.1.0"]
build-backend = "setuptools.build_meta"

[tool.setuptools.cmdclass]
build_py = "toolcast.project.integrations.setuptools.build_py"     # or ….generate_py: make the output now
"""

import os
import sys
from pathlib import Path
from typing import ClassVar

from setuptools.command.build_py import build_py as _build_py
from setuptools.errors import SetupError

from ...console import printable
from .step import Mode, Project, StepError, open_project, run_step


def _warn(message: str) -> None:
    sys.stderr.write(f"warning: {printable(message)}\n")


def _open() -> Project:
    try:
        return open_project(Path.cwd())  # setuptools runs in the project's folder
    except StepError as error:
        raise SetupError(str(error)) from None


class build_py(_build_py):  # noqa: N801 - setuptools names commands so
    """Verifies before Python files are collected, and takes the generated JSON along."""

    mode: ClassVar[Mode] = "verify"
    _project: Project | None = None

    def run(self) -> None:
        """Raises SetupError on drift and on errors in specs; in an editable install drift is a warning."""
        project = _open()
        try:
            run_step(project, self.mode, lenient=self.editable_mode, warn=_warn)
        except StepError as error:
            raise SetupError(str(error)) from None
        self._ran(project)
        self.__dict__.pop("data_files", None)  # collected again: some may just have been written
        super().run()

    def get_source_files(self) -> list[str]:
        """Return the files of a source distribution, with the specs, since its builds are verified."""
        project = _open()
        files: list[Path] = []
        for path in project.inputs:
            files += sorted(path.rglob("*")) if path.is_dir() else [path]
        ours = (str(file.relative_to(project.root)) for file in files if file.is_file())
        taken: list[str] = super().get_source_files()  # type: ignore[no-untyped-call]
        return [*taken, *ours, *(str(Path(path)) for path in project.outputs)]

    def _ran(self, project: Project) -> None:
        """Do what follows the step; nothing, where it wrote nothing."""

    def find_data_files(self, package: str, src_dir: str) -> list[str]:
        """Return the package's data files, and the JSON generated below it, which is read at run time."""
        if self._project is None:
            self._project = _open()
        prefix = f"{Path(os.path.relpath(src_dir)).as_posix()}/"
        ours = (
            path for path in self._project.outputs if path.startswith(prefix) and not path.endswith(".py")
        )
        return sorted({*super().find_data_files(package, src_dir), *(str(Path(path)) for path in ours)})


class generate_py(build_py):  # noqa: N801
    """Generates first, instead of verifying."""

    mode: ClassVar[Mode] = "generate"

    def _ran(self, project: Project) -> None:
        # Packages were listed when there may have been no output.
        known: list[str] = list(self.packages or ())
        self.packages = [*known, *(name for name in self._generated(project) if name not in known)]

    def _generated(self, project: Project) -> list[str]:
        source = (self.distribution.package_dir or {}).get("", "")
        root = f"{Path(source).as_posix()}/" if source else ""
        folders = [path.rpartition("/")[0] for path in project.outputs if path.endswith("/__init__.py")]
        return [folder.removeprefix(root).replace("/", ".") for folder in folders if folder.startswith(root)]
