"""The tools of all examples: two that look into one folder, and nowhere else."""

import os
from itertools import islice

from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.policy import Policy
from toolcast_tools.workspace import Workspace, path_errors

from .generated.files.list_folder import LIST_FOLDER, ListFolderParams, ListFolderResult
from .generated.files.read_file import READ_FILE, ReadFileParams


def toolbox(folder: str | os.PathLike[str] = ".", policy: Policy | None = None) -> ToolRegistry:
    """A registry whose tools read below `folder`. Whatever the model asks for, nothing is written."""
    workspace = Workspace(folder)

    def read_file(params: ReadFileParams, _: ToolContext) -> ToolResult:
        # A path that leads out, is not there or holds no text is refused, in words for the model.
        with path_errors(params.path), workspace.open(params.path) as file:
            return ToolResult.ok("".join(islice(file, params.lines)))

    def list_folder(params: ListFolderParams, _: ToolContext) -> ListFolderResult:
        return ListFolderResult(names=workspace.names(params.path))

    policy = policy or Policy(autonomy="read_only")
    registry = ToolRegistry(policy=policy, timeout=10, output_limit=20_000, check_results=True)
    registry.register(LIST_FOLDER, list_folder)
    registry.register(READ_FILE, read_file)
    registry.freeze()
    return registry
