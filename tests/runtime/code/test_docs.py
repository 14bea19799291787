"""docs/reference/code.md says what the code does: its tables, its lines, and its programs."""

import json
import re
from pathlib import Path
from typing import get_args

from toolcast.runtime.code import CodeServer, Ended, ErrorKind

from tests.runtime.code.processes import run_code
from tests.runtime.code.sandboxes import registry
from tests.runtime.code.test_protocol import ANSWER, NAMES, REQUEST

PAGE = (Path(__file__).resolve().parents[3] / "docs/reference/code.md").read_text("utf-8")


def rows(head: str) -> list[str]:
    table = PAGE.partition(f"| `{head}` | |\n")[2].partition("\n\n")[0]
    return re.findall(r"^\| `(\w+)`", table, re.MULTILINE)


def test_the_tables_have_every_value() -> None:
    assert rows("ended") == [*get_args(Ended)]
    assert rows("kind") == [*get_args(ErrorKind)]


def test_the_lines_are_of_the_protocol(tmp_path: Path) -> None:
    lines = re.findall(r"^([→←]) (\{.*\})$", PAGE, re.MULTILINE)
    assert len(lines) == 8
    for arrow, text in lines:
        value = json.loads(text.replace(", …", ""))
        (REQUEST if arrow == "→" else ANSWER).validate(value)
        if value["id"] == 3 and arrow == "←":
            NAMES.validate(value["result"])
    unknown = next(text for _, text in lines if '"unknown"' in text)
    program = "try:\n    await files.edti()\nexcept ToolError as problem:\n    print(problem, end='')"
    ran = run_code(CodeServer(registry().select(names="edit"), None), tmp_path, "python", program)
    assert ran.output == json.loads(unknown)["error"]["message"]
