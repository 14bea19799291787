"""Entries are `ActionResult` messages, by the judgement of protobuf's own library."""

from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from toolcast.project.artifacts.action import Action, Output, decode_action, encode_action

_FIELD = descriptor_pb2.FieldDescriptorProto
_FILE: dict[str, list[tuple[str, int, int, int, str]]] = {  # name, number, type, label, message
    "Digest": [
        ("hash", 1, _FIELD.TYPE_STRING, _FIELD.LABEL_OPTIONAL, ""),
        ("size_bytes", 2, _FIELD.TYPE_INT64, _FIELD.LABEL_OPTIONAL, ""),
    ],
    "OutputFile": [
        ("path", 1, _FIELD.TYPE_STRING, _FIELD.LABEL_OPTIONAL, ""),
        ("digest", 2, _FIELD.TYPE_MESSAGE, _FIELD.LABEL_OPTIONAL, "Digest"),
        ("is_executable", 4, _FIELD.TYPE_BOOL, _FIELD.LABEL_OPTIONAL, ""),
        ("contents", 5, _FIELD.TYPE_BYTES, _FIELD.LABEL_OPTIONAL, ""),
    ],
    "Metadata": [("worker", 1, _FIELD.TYPE_STRING, _FIELD.LABEL_OPTIONAL, "")],
    "ActionResult": [
        ("output_files", 2, _FIELD.TYPE_MESSAGE, _FIELD.LABEL_REPEATED, "OutputFile"),
        ("exit_code", 4, _FIELD.TYPE_INT32, _FIELD.LABEL_OPTIONAL, ""),
        ("stdout_raw", 5, _FIELD.TYPE_BYTES, _FIELD.LABEL_OPTIONAL, ""),
        ("stdout_digest", 6, _FIELD.TYPE_MESSAGE, _FIELD.LABEL_OPTIONAL, "Digest"),
        ("execution_metadata", 9, _FIELD.TYPE_MESSAGE, _FIELD.LABEL_OPTIONAL, "Metadata"),
        ("fixed", 20, _FIELD.TYPE_FIXED64, _FIELD.LABEL_OPTIONAL, ""),
        ("small", 21, _FIELD.TYPE_FIXED32, _FIELD.LABEL_OPTIONAL, ""),
    ],
}


def _official() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="reapi.proto", package="reapi", syntax="proto3")
    for name, fields in _FILE.items():
        message = file.message_type.add(name=name)
        for field, number, kind, label, refers in fields:
            added = message.field.add(name=field, number=number, type=kind, label=label)
            if refers:
                added.type_name = f".reapi.{refers}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("reapi.ActionResult"))


ActionResult: Any = _official()
HASHES = st.text("0123456789abcdef", min_size=64, max_size=64)
OUTPUTS = st.builds(
    Output, st.text(min_size=1).filter(lambda text: text.isprintable()), HASHES, st.integers(1, 2**63 - 1)
)
ACTIONS = st.builds(Action, st.lists(OUTPUTS, max_size=4).map(tuple), st.binary(max_size=300))


@given(ACTIONS)
def test_what_we_write_is_read_by_protobuf(action: Action) -> None:
    message = ActionResult.FromString(encode_action(action))
    read = [(each.path, each.digest.hash, each.digest.size_bytes) for each in message.output_files]
    assert read == [(each.path, each.hash, each.size) for each in action.outputs]
    assert message.stdout_raw == action.stdout
    assert message.exit_code == 0
    assert message.SerializeToString(deterministic=True) == encode_action(action)


@given(ACTIONS, st.text(max_size=20), st.integers(-(2**31), 2**31 - 1), st.binary(max_size=9))
def test_what_protobuf_writes_is_read(action: Action, worker: str, code: int, contents: bytes) -> None:
    """Servers add fields: those are passed over."""
    message = ActionResult(stdout_raw=action.stdout, exit_code=code, fixed=7, small=8)
    message.execution_metadata.worker = worker
    message.stdout_digest.hash = "x"
    for each in action.outputs:
        added = message.output_files.add(path=each.path, is_executable=True, contents=contents)
        added.digest.hash, added.digest.size_bytes = each.hash, each.size
    assert decode_action(message.SerializeToString()) == action


@given(st.binary(max_size=200))
def test_other_bytes_are_refused_or_read_as_protobuf_does(data: bytes) -> None:
    try:
        action = decode_action(data)
        message = ActionResult.FromString(data)
    except (ValueError, DecodeError):  # what we pass over, protobuf may know to be damaged
        return
    assert [each.path for each in message.output_files] == [each.path for each in action.outputs]


@given(ACTIONS, st.data())
def test_a_cut_entry_is_refused_or_shorter(action: Action, data: st.DataObject) -> None:
    whole = encode_action(action)
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    try:
        read = decode_action(cut)
    except ValueError:
        return
    assert read.outputs == action.outputs[: len(read.outputs)]


@pytest.mark.parametrize("hash", ["", "a" * 63, "A" * 64, "g" * 64])
@pytest.mark.parametrize("size", [1, 0, -1])
def test_a_digest_must_be_proper(hash: str, size: int) -> None:
    message = ActionResult()
    added = message.output_files.add(path="x")
    added.digest.hash, added.digest.size_bytes = hash, size
    with pytest.raises(ValueError, match="digest"):
        decode_action(message.SerializeToString())
