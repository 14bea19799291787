"""What definitions cost against the limits of the project, as part of the score."""

from pathlib import Path

from tests.lint.projects import found, spec, write
from tests.score.scores import scored


def test_a_definition_over_its_limit_takes_points_off_as_lint_reports_it(tmp_path: Path) -> None:
    config = 'providers = ["openai"]\n[tool.toolcast.lint.max_tokens]\ntool = 100\nset = 100'
    words = "and then counts every one of its words again, " * 20
    project = write(tmp_path, {"count": spec(), "long": spec(description=f"Counts, {words}.")}, config)
    score = scored(project)
    over = [each.tool for each in score.tools if any(d.code == "tokens" for d in each.deductions)]
    assert over == [each.tool for each in found(project, "tokens")]
    assert [each.code for each in score.set.deductions] == ["set-tokens"]


def test_without_limits_no_cost_takes_points_off(tmp_path: Path) -> None:
    score = scored(write(tmp_path, {"count": spec(description="word " * 5_000)}, 'providers = ["openai"]'))
    assert not [each for each in score.tools[0].deductions if each.part == "budget"]
    assert score.tools[0].tokens[0].full > 5_000
    assert score.tools[0].tokens[0].share is None
