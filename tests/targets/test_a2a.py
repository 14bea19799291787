"""The target `a2a`: skills of an agent card, as the protocol's own SDK reads them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from toolcast.targets.model import SetModel
from toolcast.targets.render import set_outputs

from tests.optional import load
from tests.targets.surfaces import HOSTILE, corpus_model, model, own_model, target

CARD = {
    "name": "Acme",
    "description": "An agent.",
    "version": "1.0",
    "supportedInterfaces": [
        {"url": "https://acme.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    ],
    "capabilities": {"streaming": False},
    "defaultInputModes": ["text/plain"],
    "defaultOutputModes": ["text/plain"],
}
Judged = Callable[[SetModel], list[dict[str, Any]]]


@pytest.fixture
def judged() -> Judged:
    """The skills of tools, once the SDK has read them in a card, and finds all in it that it requires."""
    types, proto = load("a2a.types.a2a_pb2"), load("a2a.utils.proto_utils")
    form = load("google.protobuf.json_format")

    def judged(tools: SetModel) -> list[dict[str, Any]]:
        (content,) = set_outputs(target("a2a"), tools).values()
        made = json.loads(content)
        card = form.ParseDict({**CARD, **made}, types.AgentCard())
        proto.validate_proto_required_fields(card)
        assert form.MessageToDict(card)["skills"] == [
            {key: value for key, value in skill.items() if value != []} for skill in made["skills"]
        ]
        skills: list[dict[str, Any]] = made["skills"]
        return skills

    return judged


def test_the_sdk_reads_the_tools_of_this_repository(judged: Judged) -> None:
    skills = {skill["id"]: skill for skill in judged(own_model())}
    assert len(skills) == 19
    edit = skills["edit"]
    assert (edit["name"], edit["tags"]) == ("Edit file", ["write", "files"])
    assert edit["outputModes"] == ["application/json", "text/plain"]
    assert [json.loads(each)["file_path"] for each in edit["examples"]] == ["/home/user/app/main.py"] * 2


@pytest.mark.corpora
def test_the_sdk_reads_tools_of_the_corpora(judged: Judged, shared_dir: Path) -> None:
    tools = corpus_model(shared_dir)
    assert len(judged(tools)) == len(tools.tools) > 200


def test_texts_stay_texts(judged: Judged) -> None:
    spec = {
        "description": HOSTILE[0],
        "permission": "read",
        "secrets": [],
        "annotations": {"title": "\"}], 'x'"},
        "parameters": {"type": "object", "properties": {"a": {"type": "string"}}},
        "examples": [{"a": HOSTILE[1]}, {}],
    }
    made = model("odd.json", spec)
    assert made is not None
    (skill,) = judged(SetModel(model=1, tools=(made,), groups=("",)))
    assert (skill["description"], skill["name"]) == (HOSTILE[0], "\"}], 'x'")
    assert [json.loads(each) for each in skill["examples"]] == [{"a": HOSTILE[1]}, {}]
    assert (skill["tags"], skill["outputModes"]) == (["read"], ["text/plain"])
