"""The way back from its generated file."""

import msgspec

from ..contract_node import follow
from ..errors import MissingDataError
from ..resources import read_resource
from .undo import Undo
from .way import Ways


def load_undo(module: str, path: str, definition: bytes) -> Undo:
    """What undoes the dialect of `definition`, a provider's tool object; `path` counts from `module`.

    Raises MissingDataError where the file is not there, or is not what was generated.
    """
    content = read_resource(module, path)
    try:
        ways = msgspec.json.decode(content, type=Ways)
        document = follow(msgspec.json.decode(definition), ways.parameters)
    except (msgspec.DecodeError, UnicodeError, LookupError) as problem:
        raise MissingDataError(
            f"{module} needs {path}, which is not as it was generated: {problem}. Run `toolcast generate`."
        ) from problem
    return Undo(ways, document)
