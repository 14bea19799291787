"""Which variables commands get."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError
from toolcast.tools.shell.environment import INHERITED, check, inherit

VARIABLES = st.dictionaries(
    st.sampled_from([*INHERITED, "AWS_SECRET_ACCESS_KEY", "HOME2", "path", "LD_PRELOAD"]), st.text()
)


@given(variables=VARIABLES, further=st.dictionaries(st.sampled_from(["A", "LANG"]), st.text()))
def test_nothing_else_is_inherited(variables: dict[str, str], further: dict[str, str]) -> None:
    made = inherit(variables, further)
    for name in made.keys() - further.keys() - {"PATH"}:
        assert name in INHERITED
        assert made[name] == variables[name]
    assert further.items() <= made.items()


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("", ""),
        (".:/bin::bin:/usr/bin", "/bin:/usr/bin"),
        ("/w/bin:/bin:/w", "/bin"),
        ("/wide:/bin", "/wide:/bin"),
    ],
)
def test_path_has_absolute_folders_outside_of_the_workspace(path: str, kept: str) -> None:
    assert inherit({"PATH": path}, {}, without=Path("/w"))["PATH"] == kept


def test_a_program_without_path_has_the_usual_one() -> None:
    assert inherit({}, {})["PATH"] == "/usr/local/bin:/usr/bin:/bin"


@pytest.mark.parametrize(
    "name",
    [
        "LD_PRELOAD",
        "LD_AUDIT",
        "DYLD_INSERT_LIBRARIES",
        "BASH_ENV",
        "ENV",
        "SHELLOPTS",
        "PS4",
        "TOOLCAST_COMMAND",
    ],
)
def test_variables_that_run_code_before_the_command_are_refused(name: str) -> None:
    with pytest.raises(RefusalError, match=f"The variable {name} may not be set in env"):
        check({"GOOD": "1", name: "x"})


def test_others_are_not() -> None:
    check({"PATH": "/x", "PYTHONPATH": "src", "LDFLAGS": "-L.", "MY_ENV": "1"})
