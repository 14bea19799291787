"""Which variables commands get."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import RefusalError
from toolcast_tools.shell.environment import INHERITED, check, inherit

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
        "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "SHELLOPTS", "PS4",
        "TOOLCAST_COMMAND", "CONFIG_SITE", "AWKPATH", "PYENV_ROOT", "NVM_DIR", "FLASK_APP",
        "GUNICORN_CMD_ARGS", "MAVEN_ARGS", "LLVM_SYMBOLIZER_PATH", "VK_ADD_LAYER_PATH", "GH_CONFIG_DIR",
    ],
)  # fmt: skip
def test_variables_that_run_code_before_the_command_are_refused(name: str) -> None:
    for spelt in (name, name.lower()):
        with pytest.raises(RefusalError, match=f"The variable {spelt} may not be set in env"):
            check({"GOOD": "1", spelt: "/x"}, Path("/w"))


def test_others_are_not(tmp_path: Path) -> None:
    outside = {
        "PATH": "/x:/usr/bin",
        "HOME": "/tmp/home",
        "XDG_CACHE_HOME": str(tmp_path),
        "JAVA_HOME": "/opt/j",
    }
    values = {
        "MY_ENV": "1", "API_TOKEN": "./x", "DATABASE_URL": "sqlite:a.db", "NODE_ENV": "test", "DEBUG": "1",
    }  # fmt: skip
    check(
        {**outside, **values, "PYTHONUNBUFFERED": "1", "LC_ALL": "C", "CI": "", "PORT": "80"}, tmp_path / "w"
    )


@pytest.mark.parametrize(
    "folder",
    ["", ".", "bin", "~/bin", "~", "$HOME/bin", "{0}", "{0}/", "{0}/a/b", "//{0}", "/{0}/../{1}/x", "{0}/out",
     "{0}/../x/../{1}", "{2}/bin", "{2}/../{1}", "/proc/self/cwd", "//proc/self/cwd", "///proc/self/cwd",
     "/dev/../proc/self/cwd", "/proc/1/root/{0}", "/dev/fd/3"],
)  # fmt: skip
def test_a_folder_of_programs_is_neither_relative_nor_in_the_workspace(tmp_path: Path, folder: str) -> None:
    root = tmp_path / "w"
    root.mkdir()
    (tmp_path / "link").symlink_to(root)
    (root / "out").symlink_to("/usr/bin")  # which the model may turn
    planted = folder.format(root, root.name, tmp_path / "link")
    names = ("PATH", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "JAVA_HOME", "home")
    for name, value in product(names, (planted, f"/usr/bin:{planted}", f"{planted}:/usr/bin")):
        with pytest.raises(RefusalError, match=f"The variable {name} may not have"):
            check({name: value}, root)
