"""Values that MessagePack does not hold, as extension types of it."""

from typing import Any

import msgspec
from msgspec.msgpack import Ext

from ..runtime.unicode_text import is_encodable

_INTEGER, _TEXT, _OBJECT = 1, 2, 3


def storable(value: Any) -> Any:
    """Plain data with an extension in place of each integer of more than 64 bits, each text with lone
    surrogates, and each object that has such a text for a key."""
    if isinstance(value, str):
        return value if is_encodable(value) else Ext(_TEXT, value.encode("utf-8", "surrogatepass"))
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return Ext(_INTEGER, value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))
    if isinstance(value, dict):
        if all(isinstance(key, str) and is_encodable(key) for key in value):
            return {key: storable(item) for key, item in value.items()}
        pairs = [(storable(key), storable(item)) for key, item in value.items()]
        return Ext(_OBJECT, msgspec.msgpack.encode(pairs))
    if isinstance(value, (list, tuple)):
        return [storable(item) for item in value]
    return value


def decode_ext(code: int, data: memoryview) -> Any:
    """The value of an extension. Raises ValueError for one that `storable` does not make."""
    if code == _INTEGER:
        return int.from_bytes(data, "big", signed=True)
    if code == _TEXT:
        return str(data, "utf-8", "surrogatepass")
    if code == _OBJECT:
        pairs = msgspec.msgpack.decode(data, type=list[tuple[Any, Any]], ext_hook=decode_ext)
        return dict(pairs)
    raise ValueError(f"there is no extension {code}")
