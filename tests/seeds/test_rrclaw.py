"""How RRClaw shows tools in part."""

# ruff: noqa: ARG001, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import json
from typing import Any

from toolcast.agents import Disclosure, run_tools
from toolcast.runtime import ToolRegistry

from generated.registry import BINDINGS
from tests.agents.test_loop import asks

TOOLS = ("bash", "edit", "web_fetch")


def shown(**options: Any) -> Disclosure:
    registry = ToolRegistry(check_results=False)
    for name in TOOLS:
        registry.register(BINDINGS[name], lambda params, context: "done")
    return Disclosure(registry, "openai", **{"native": False, **options})


def tool(disclosure: Disclosure, name: str) -> Any:
    return next(
        each["function"] for each in disclosure.definition_objects() if each["function"]["name"] == name
    )


def test_the_first_round_shows_a_name_and_one_line() -> None:
    """The first round shows a name and one line of each tool.
    Source: 5, "Round one shows name and one line"
    Better: the stub keeps the names of what is required, so that the model can call at once.
    """
    stub = tool(shown(level="summary"), "edit")
    assert stub["description"].startswith("Replace one exact string in a file.")
    assert len(json.dumps(stub)) < len(json.dumps(tool(shown(level="full"), "edit"))) / 2
    assert set(tool(shown(level="brief"), "edit")["parameters"]["required"]) >= {"file_path", "old_string"}


def test_a_call_that_lacks_arguments_is_answered_with_the_schema() -> None:
    """A call that lacks required arguments is not carried out: the answer says what is missing, and the full
    schema follows.
    Source: 5, "A call that lacks required arguments is not executed"
    """
    disclosure = shown()
    result = asyncio.run(disclosure.execute("edit", {"file_path": "/a"}))
    assert not result.success
    assert {*result.data.missing} == {"old_string", "new_string"}
    assert tool(disclosure, "edit") == tool(shown(level="full"), "edit")


def test_only_the_first_wrong_call_of_a_turn_is_answered_so() -> None:
    """Once per tool and turn; a second such call is treated as any call.
    Source: 5, "Once per tool per turn"
    Source: 5, "the second such call executes"
    Better: it is still validated, so no handler gets arguments that do not fit.
    """
    disclosure = shown(upgrade="answer")
    wrong = {"file_path": "/a", "old_string": "x", "new_string": "y", "replace_all": "maybe"}
    first, second = (asyncio.run(disclosure.execute("edit", wrong)) for _ in range(2))
    assert "The full schema" in first.error
    assert "The full schema" not in second.error
    assert not second.success


def test_ten_rounds_are_the_most() -> None:
    """At most ten rounds.
    Source: 5, "At most 10 rounds"
    """
    answers = 0

    async def model(messages: Any, definitions: bytes) -> Any:
        nonlocal answers
        answers += 1
        return asks(("bash", {"command": f"echo {answers}"}))

    record = asyncio.run(run_tools(model, shown(), [{"role": "user", "content": "Go."}], format="openai"))
    assert (record.stopped, answers) == ("rounds", 10)


def test_tools_are_chosen_by_keywords_of_their_group() -> None:
    """Tools are chosen by keywords of their group; the others are shown briefly.
    Source: 5, "Tools are also routed by keyword group"
    """
    disclosure = shown()
    assert disclosure.route("Look at the web page", {"web": ["web"], "files": ["file"]}) == ("web",)
    assert "web_fetch" in disclosure.definitions().decode()
    assert '"edit"' not in disclosure.definitions().decode()
