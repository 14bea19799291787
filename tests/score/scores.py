"""The score of a small project."""

from pathlib import Path

from toolcast.config import load_config
from toolcast.lint.project_tools import load_project
from toolcast.score.score_model import Score, ToolScore
from toolcast.score.scoring import score

from tests.lint.projects import TODAY


def scored(folder: Path, broken: bool = False) -> Score:
    """The score of the project in `folder`, for its providers; `broken`: some specs may not compile."""
    config, problems = load_config(folder)
    assert config is not None, problems
    project = load_project(config, (), _quiet)
    assert broken or project.refused == ()
    return score(project.subjects, project.profiles, config.lint, TODAY)


def of_tool(score: Score, name: str) -> ToolScore:
    """The part of one tool."""
    return next(each for each in score.tools if each.tool == name)


def _quiet(done: int, total: int) -> None:
    """No progress is shown."""
