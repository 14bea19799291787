"""What an agent must do with every client: a script for the model, and what holds after it."""

import json
import re
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from tests.agents.dispatch.answers import TEXT
from tests.examples.agent.scripted_server import Call, Served, Turn

SECRET = "s3cr3t-value-of-the-token"


class Outcome(Struct, frozen=True, kw_only=True):
    """What became of one run of the command.

    Attributes:
        folder: the agent's folder.
        served: what the server got.
        shown: what stood on the terminal.
        written: everything that the run left in a log, a state or a recording.
        code: the exit code.
    """

    folder: Path
    served: Served
    shown: str
    written: str
    code: int


class Scenario(Struct, frozen=True, kw_only=True):
    """One script.

    Attributes:
        turns: what the model calls, answer by answer; then it answers.
        check: asserts what must hold.
        files: files of the folder before.
        arguments: further arguments of the command.
        code: the exit code.
    """

    turns: Sequence[Turn]
    check: Callable[[Outcome], None]
    files: Mapping[str, str] = {}
    arguments: Sequence[str] = ("--autonomy", "full")
    code: int = 0


# Without bytecode: an edit within a second that keeps the size would not count.
RUN_TEST = Call("bash", {"command": f"{sys.executable} -B test_sums.py"})
REPOSITORY = {
    "sums.py": "def add(a, b):\n    return a - b\n",
    "test_sums.py": "from sums import add\n\nassert add(2, 2) == 4, add(2, 2)\nprint('passed')\n",
}


def _fixed(outcome: Outcome) -> None:
    assert "AssertionError: 0" in outcome.served.text(1)
    assert "return a - b" in outcome.served.text(2)
    assert "passed" in outcome.served.text(4)
    assert "passed" not in outcome.served.text(3)
    assert len(outcome.served.bodies) == 5
    assert TEXT in outcome.shown
    again = subprocess.run(
        [sys.executable, "-B", "test_sums.py"], cwd=outcome.folder, capture_output=True, check=True
    )
    assert again.stdout == b"passed\n"


def _longest(value: Any) -> str:
    """The longest text in a JSON value."""
    if isinstance(value, str):
        return value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return max(map(_longest, inner), key=len, default="")


def _truncated(outcome: Outcome) -> None:
    """Of 108,893 characters 24,000 are left: 70 % from the beginning, 30 % from the end."""
    kept = _longest(json.loads(outcome.served.bodies[1]))
    assert 24_000 <= len(kept) <= 24_200
    numbers = set(re.findall(r"\d+", kept))
    assert {"1", "2700", "19100", "20000"} <= numbers
    assert not {"3700", "10000", "18600"} & numbers


def _met(outcome: Outcome) -> None:
    """Each of both commands saw the file of the other one: they ran at the same time."""
    assert outcome.served.text(1).count("met the other") == 2


def _meet(mine: str, other: str) -> Call:
    wait = f"for i in $(seq 200); do [ -e {other} ] && echo met the 'other' && exit; sleep 0.05; done; exit 1"
    return Call("bash", {"command": f"touch {mine}; {wait}"})


WORDS = "exactly as it stands in the file"
"""Of the description of a parameter of `edit`, which a stub lacks."""


def _repaired(outcome: Outcome) -> None:
    assert WORDS not in outcome.served.text(0)
    assert outcome.served.text(1).count(WORDS) >= 2  # in the answer, and in the definition
    assert "missing required property" in outcome.served.text(1)
    assert (outcome.folder / "a.txt").read_text() == "new\n"


def _denied(outcome: Outcome) -> None:
    assert not (outcome.folder / "made").exists()
    assert "needs somebody's approval" in outcome.served.text(1)
    assert "< bash failed" in outcome.shown


def _secret(outcome: Outcome) -> None:
    assert (outcome.folder / "used").read_text() == SECRET
    assert "secret_ref:TOKEN" in outcome.served.text(0)  # the system prompt names it
    assert "redacted:TOKEN" in outcome.served.text(1)
    for secret in (SECRET, b64encode(SECRET.encode()).decode(), SECRET.encode().hex()):
        for place in (outcome.served.bytes.decode(), outcome.shown, outcome.written):
            assert secret not in place


def _ten_rounds(outcome: Outcome) -> None:
    assert len(outcome.served.bodies) == 10
    assert "The run ended: rounds" in outcome.shown


def _delegated(outcome: Outcome) -> None:
    """Two agents inside of each other: the inner one reads, and each report goes to the one above."""
    assert len(outcome.served.bodies) == 6
    assert "the answer is 42" in outcome.served.text(3)
    for report in (4, 5):
        assert TEXT in outcome.served.text(report)
        assert "the answer is 42" not in outcome.served.text(report)
        assert "completed" in outcome.served.text(report)
    assert "Read the file" not in outcome.served.text(1)
    assert "a.txt (read only)" in outcome.served.text(2)
    assert "< delegate ok" in outcome.shown


def _paused(outcome: Outcome) -> None:
    assert not (outcome.folder / "made").exists()
    assert len(outcome.served.bodies) == 1
    assert "wait for an approval" in outcome.shown


HEXADECIMAL = "od -An -v -tx1 | tr -d ' \\n'"
PRINT = "printf '%s' '<secret_ref:TOKEN>'"
SCENARIOS = {
    "fix a failing test": Scenario(
        files=REPOSITORY,
        turns=[
            [RUN_TEST],
            [Call("file_read", {"file_path": "sums.py"})],
            [Call("edit", {"file_path": "sums.py", "old_string": "a - b", "new_string": "a + b"})],
            [RUN_TEST],
        ],
        check=_fixed,
    ),
    "long output": Scenario(turns=[[Call("bash", {"command": "seq 1 20000"})]], check=_truncated),
    "parallel calls": Scenario(turns=[[_meet("a", "b"), _meet("b", "a")]], check=_met),
    "wrong arguments": Scenario(
        files={"a.txt": "old\n"},
        turns=[
            [Call("edit", {"file_path": "a.txt"})],
            [Call("edit", {"file_path": "a.txt", "old_string": "old", "new_string": "new"})],
        ],
        check=_repaired,
    ),
    "a denied command": Scenario(
        turns=[[Call("bash", {"command": "touch made"})]], check=_denied, arguments=()
    ),
    "a secret": Scenario(
        turns=[[Call("bash", {"command": f"{PRINT} | tee used; {PRINT} | base64; {PRINT} | {HEXADECIMAL}"})]],
        check=_secret,
    ),
    "ten rounds": Scenario(
        files={f"{i}.txt": "text\n" for i in range(12)},
        turns=[[Call("file_read", {"file_path": f"{i}.txt"})] for i in range(12)],
        check=_ten_rounds,
        code=1,
    ),
    "two agents deep": Scenario(
        files={"a.txt": "the answer is 42\n"},
        turns=[
            [Call("delegate", {"agent": "helper", "task": "Have somebody look it up."})],
            [
                Call(
                    "delegate",
                    {
                        "agent": "helper",
                        "task": "Read the file for me.",
                        "attachments": [{"file_path": "a.txt"}],
                    },
                )
            ],
            [Call("file_read", {"file_path": "a.txt"})],
        ],
        check=_delegated,
    ),
    "a pause": Scenario(
        turns=[[Call("bash", {"command": "touch made"})]],
        check=_paused,
        arguments=("--state", "../state"),
        code=3,
    ),
}
