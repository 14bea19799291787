"""Repairs are reported with the result, to hooks and by count. No record holds a secret; all are bounded."""

import asyncio
from typing import Any

from toolcast.runtime import Guesses, Repair, ToolRegistry, ToolResult
from toolcast.runtime.middleware.events import Decoded, Finished
from toolcast.runtime.middleware.secrets import Secrets

from tests.runtime.helpers import Watch
from tests.runtime.sample.files.edit import EDIT

SENT = '```json\n{\'file_path\': \'/a\', "old_string": 5, "new_string": "y",}\n```'


def execute(sent: Any, **options: Any) -> ToolResult:
    registry = ToolRegistry(check_results=False, **options)
    registry.register(EDIT, lambda params, _: ToolResult.ok(f"{params.file_path} {params.old_string}"))
    return asyncio.run(registry.execute("edit", sent))


def test_a_result_and_the_hooks_list_what_was_changed() -> None:
    guesses, seen = Guesses("all"), Watch()
    result = execute(SENT, guesses=guesses, hooks=seen)
    assert result.success, result.error
    assert result.output == "/a 5"
    assert result.repairs == (
        Repair("fence", "", 0, "```json\n", ""),
        Repair("single-quotes", "", 9, "'file_path'", '"file_path"'),
        Repair("single-quotes", "", 22, "'/a'", '"/a"'),
        Repair("trailing-comma", "", 62, ",", ""),
        Repair("fence", "", 65, "```", ""),
        Repair("number-to-string", "$.old_string", None, "5", '"5"'),
    )
    assert [str(each) for each in result.repairs[1::2]] == [
        "single-quotes at character 9: 'file_path' -> \"file_path\"",
        "trailing-comma at character 62: , left out",
        'number-to-string at $.old_string: 5 -> "5"',
    ]
    assert str(Repair("missing-bracket", "", 4, "", "}")) == "missing-bracket at character 4: inserted }"
    assert {name: count for name, count in guesses.counts.items() if count} == {
        "fence": 2,
        "single-quotes": 2,
        "trailing-comma": 1,
        "number-to-string": 1,
    }
    decoded = [event for event in seen.events if isinstance(event, Decoded)]
    assert [event.repairs for event in decoded] == [result.repairs]
    assert [event.result for event in seen.events if isinstance(event, Finished)] == [result]


def test_what_needs_no_repair_has_none() -> None:
    sent = {"file_path": "/a", "old_string": "x", "new_string": "y"}
    assert execute(sent, guesses=Guesses("all")).repairs == ()
    assert execute(sent).repairs == ()
    refused = execute("{'file_path': 5}", guesses=Guesses("all"))
    assert not refused.success
    assert refused.repairs == ()


def test_a_call_that_is_refused_later_lists_them_too() -> None:
    registry = ToolRegistry(guesses=Guesses("all"))

    def fail(_: Any, __: Any) -> ToolResult:
        raise ZeroDivisionError

    registry.register(EDIT, fail)
    result = asyncio.run(registry.execute("edit", SENT))
    assert not result.success
    assert len(result.repairs) == 6


def test_records_hold_no_secret_not_even_a_part() -> None:
    secrets = Secrets(lambda _: "")
    value = "hunter2-" * 20
    secrets.hide("KEY", value)
    sent = f"{{'file_path': '/a', 'old_string': 'x{value}', 'new_string': 'y'}}"
    result = execute(sent, guesses=Guesses("all"), secrets=secrets)
    assert result.success, result.error
    assert len(result.repairs) == 6
    assert "hunter2" not in repr(result)
    assert "[redacted:KEY]" in repr(result.repairs)


def test_records_are_bounded() -> None:
    guesses = Guesses("all").recorded()
    members = "".join(f"'x{at}': 1, " for at in range(100))
    long = "y" * 1000
    sent = f"{{'file_path': '/a', 'old_string': 'x', 'new_string': '{long}', 'replace_all': [{{{members}}}]}}"
    assert execute(sent, guesses=guesses).repairs == ()
    sent = "{" + ",".join(f"'{name}': '{long}'" for name in ("file_path", "old_string", "new_string")) + "}"
    repairs = execute(sent, guesses=Guesses("all")).repairs
    assert max(len(each.before) for each in repairs) == 80
    assert max(len(each.after) for each in repairs) == 80
    sent = '{"file_path": "/a", "old_string": "x", "new_string": "y"' + "/**/" * 200 + "}"
    assert len(execute(sent, guesses=Guesses("all")).repairs) == 50


def test_one_object_records_one_call_and_counts_for_all() -> None:
    shared = Guesses(["fence"])
    first, second = shared.recorded(), shared.recorded()
    EDIT.decode('```\n{"file_path": "/a", "old_string": "x", "new_string": "y"}\n```', guesses=first)
    assert [each.guess for each in first.repairs()] == ["fence", "fence"]
    assert second.repairs() == ()
    assert shared.counts["fence"] == 2
