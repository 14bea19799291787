"""Which keywords a spec may use."""

from typing import Final

from ..jsonschema.keywords import ANNOTATIONS, ASSERTIONS, HOLDS_SCHEMAS

KNOWN: Final = HOLDS_SCHEMAS | ANNOTATIONS | ASSERTIONS | {"$schema", "$id", "$anchor", "$ref"}
"""Keywords with a meaning; others are warned of. Of `format`, the names in `FORMATS` have one."""

REFUSED: Final = {
    "$dynamicRef": "dynamic references are resolved at validation time and have no static type",
    "$dynamicAnchor": "dynamic references are resolved at validation time and have no static type",
    "$recursiveRef": "recursive references of draft 2019-09 have no static type",
    "$recursiveAnchor": "recursive references of draft 2019-09 have no static type",
    "$vocabulary": "custom vocabularies change what keywords mean",
}
"""Keywords that cannot be compiled exactly, and why."""
