"""One test for every row of docs/reference/arguments.md, over bytes, str and mappings."""

import json
import math
import re
import sys
import types
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from toolcast.runtime import ArgumentError, ToolBinding

Binding = ToolBinding[Any, Any]
DOC = Path(__file__).resolve().parents[2] / "docs/reference/arguments.md"


class Params(msgspec.Struct, omit_defaults=True):
    """Open: properties that it does not know are dropped."""

    a: Any
    n: int | None = None
    x: int | float | None = None
    s: str | None = None


SCHEMA = {
    "type": "object",
    "required": ["a"],
    "properties": {"n": {"type": "integer"}, "x": {"type": "number"}, "s": {"type": "string"}},
}


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Binding]:
    folder = tmp_path_factory.mktemp("probe")
    (folder / "probe.json").write_text(json.dumps({"parameters": SCHEMA}))
    module = types.ModuleType("arguments_probe")
    module.__file__ = str(folder / "probe.py")
    sys.modules[module.__name__] = module
    yield ToolBinding(
        module=module.__name__, name="probe", group="", params=Params, permission="read", secrets=(),
        summary="", description="", contract="probe.json", schemas="schemas",
    )  # fmt: skip
    del sys.modules[module.__name__]


class Multi(Mapping[str, Any]):
    """A mapping that lists its pairs as they came."""

    def __init__(self, *pairs: tuple[str, Any]) -> None:
        self.pairs = pairs

    def __getitem__(self, name: str) -> Any:
        return next(item for key, item in self.pairs if key == name)

    def __iter__(self) -> Iterator[str]:
        return iter(key for key, _ in self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def items(self) -> Any:
        return list(self.pairs)


class Text(str):
    __slots__ = ()


def nested(levels: int) -> str:
    """Text of that many levels: an object around arrays."""
    return '{"a": ' + "[" * (levels - 1) + "]" * (levels - 1) + "}"


LONG = 4 * 1024 * 1024
BIG = 10**400

# row of the table → inputs that are refused, each with a part of the text
REFUSED: dict[str, list[tuple[Any, str]]] = {
    "a property given twice": [
        ('{"a": 1, "a": 1}', r"\$\.a: duplicate property `a`"),
        ('{"a": {"b": [{"c": 1, "c": 2}]}}', r"\$\.a\.b\[0\]\.c: duplicate property `c` in `a\.b\[0\]`"),
        ('{"a": 1, "dropped": {"c": 1, "c": 2}}', r"\$\.dropped\.c"),
    ],
    "a mapping that lists a key twice": [(Multi(("a", 1), ("a", 1)), "given twice")],
    "half a surrogate pair, as an escape, in UTF-8 or in a str": [
        ('{"a": "\\ud800"}', "half of a surrogate pair"),
        ('{"a": 1, "dropped": "\\udc00\\ud800"}', "surrogate"),
        (b'{"a": "\xed\xa0\x80"}', "UTF-8"),
        ('{"a": "\ud800"}', "UTF-8"),
        ({"a": "\ud800"}, "surrogates"),
        ({"\udfff": 1, "a": 1}, "surrogates"),
    ],
    "invalid UTF-8, UTF-16": [
        (b'{"a": "\xff"}', "UTF-8"),
        (b'{"a": 1, "dropped": "\xff"}', "UTF-8"),
        ('{"a": 1}'.encode("utf-16-le"), "not valid JSON"),
    ],
    "a byte order mark": [
        (b'\xef\xbb\xbf{"a": 1}', "byte order mark"),
        ('\ufeff{"a": 1}', "byte order mark"),
    ],
    "trailing data, a second value": [('{"a": 1} {"a": 1}', "Extra data"), ('{"a": 1}\0', "Extra data")],
    "NaN, Infinity": [
        *[(f'{{"a": {word}}}', f"{word} is not JSON") for word in ("NaN", "Infinity", "-Infinity")],
        ('{"a": 1, "dropped": NaN}', "NaN is not JSON"),
        ({"a": math.nan}, "nan"),
        ({"a": [{"b": -math.inf}]}, "inf"),
    ],
    "a number beyond doubles (`1E400`)": [
        ('{"a": 1E400}', "out of range"),
        ('{"a": 1, "x": -1E400}', "out of range"),
        ('{"a": 1, "dropped": 1E400}', "out of range"),
    ],
    "an integer of more than 4,300 digits": [('{"a": ' + "9" * 5000 + "}", "out of range")],
    "a value that is no object": [
        ("[1]", "must be an object"),
        ("5", "must be an object"),
        ('"5"', "must be an object"),
    ],
    "comments, single quotes, trailing commas, bare control characters": [
        ('{"a": 1 /* one */}', "line 1 column 9"),
        ("{'a': 1}", "line 1 column 2"),
        ('{"a": 1,}', "line 1 column 9"),
        ('{"a": "\n"}', "line 1 column 8"),
    ],
    "more than 4 MiB (bytes, or characters of a str)": [
        ('{"a": "' + "x" * LONG + '"}', "too large"),
    ],
    "more than 200 levels of nesting": [
        (nested(201), "nested too deeply"),
        (nested(10_000), "nested too deeply"),
        ('{"a": 1, "dropped": ' + nested(201) + "}", "nested too deeply"),
        (msgspec.json.decode(nested(201)), "nested too deeply"),
    ],
    "a mapping with values that JSON lacks (bytes, dates, sets, keys that are not str)": [
        ({"a": b"x"}, "a Python bytes"),
        ({"a": {1}}, "a Python set"),
        ({"a": {1: 2}}, "a property name that is a Python int"),
        ({"a": 1, "s": date(2020, 1, 2)}, "a Python date"),  # msgspec would write each of these as a text
        ({"a": Decimal(1)}, "a Python Decimal"),
        ({"a": [Params(a=1)]}, "a Python Params"),
    ],
}

# row → inputs that are taken, each with the fields that come of it
TAKEN: dict[str, list[tuple[Any, dict[str, Any]]]] = {
    "a number nearer to zero than doubles go (`1e-400`)": [
        ('{"a": 1e-400, "x": 1e-400}', {"a": 0.0, "x": 0.0})
    ],
    "an integer beyond 64 bits": [
        (f'{{"a": {BIG}, "n": {-BIG}, "x": {BIG}}}', {"a": BIG, "n": -BIG, "x": BIG}),
        ({"a": 2**64, "n": 2**63}, {"a": 2**64, "n": 2**63}),
    ],
    "`-0`": [('{"a": -0, "n": -0, "x": -0}', {"a": 0, "n": 0, "x": 0})],
    "`-0.0`": [('{"a": 1, "n": -0.0, "x": -0.0}', {"n": 0, "x": -0.0}), ({"a": 1, "n": -0.0}, {"n": 0})],
    "a whole float for an integer (`1.0`, `1e2`)": [
        ('{"a": 1.0, "n": 1.0}', {"a": 1.0, "n": 1}),
        ('{"a": 1, "n": 1e2}', {"n": 100}),
        ({"a": 1, "n": 2.0}, {"n": 2}),
    ],
    "null for an optional property that is not nullable": [
        ('{"a": null, "n": null, "s": null}', {"a": None, "n": None, "s": None}),
        ({"a": None, "n": None}, {"a": None, "n": None}),
    ],
    "an object encoded twice (a JSON string that holds JSON)": [('"{\\"a\\": 1}"', {"a": 1})],
    "`\\u0000`": [('{"a": "\\u0000"}', {"a": "\0"})],
    "more than 4 MiB (bytes, or characters of a str)": [
        ('{"a": "' + "x" * (LONG - 9) + '"}', {"a": "x" * (LONG - 9)}),
    ],
    "more than 200 levels of nesting": [(nested(200), {"n": None}), ('{"a": [' + "[]," * 500 + "[]]}", {})],
    "tuples and str subclasses in a mapping": [
        (OrderedDict({Text("a"): (1, Text("b")), "s": Text("c")}), {"a": [1, "b"], "s": "c"})
    ],
}


def forms(value: Any) -> list[Any]:
    """The same input in every form it can take."""
    if not isinstance(value, str):
        return [value]
    try:
        return [value, value.encode(), bytearray(value.encode())]
    except UnicodeEncodeError:
        return [value]


def cases(table: Mapping[str, list[tuple[Any, Any]]]) -> list[Any]:
    return [
        pytest.param(form, wanted, id=f"{row[:40]}-{number}-{type(form).__name__}")
        for row, rows in table.items()
        for number, (value, wanted) in enumerate(rows)
        for form in forms(value)
    ]


# The first call of all takes another way, and so do types that say all of the contract.
@pytest.mark.parametrize(("value", "text"), cases(REFUSED))
def test_refused(probe: Binding, value: Any, text: str) -> None:
    for is_first, form in ((True, None), (False, None), (False, "exact")):
        made = msgspec.structs.replace(probe, params_form=form)
        if not is_first:
            made.decode(b'{"a": 1}')
        with pytest.raises(ArgumentError, match=text):
            made.decode(value)


@pytest.mark.parametrize(("value", "fields"), cases(TAKEN))
def test_taken(probe: Binding, value: Any, fields: dict[str, Any]) -> None:
    for exact, form in ((True, None), (False, None), (True, "exact")):
        made = msgspec.structs.replace(probe, exact=exact, params_form=form)
        for _ in range(2):
            params = made.decode(value)
            for name, wanted in fields.items():
                got = getattr(params, name)
                assert (type(got), got) == (type(wanted), wanted)
                if wanted == 0 and isinstance(wanted, float):
                    assert math.copysign(1, got) == math.copysign(1, wanted)


@pytest.mark.parametrize("blank", [None, "", b"", " \n", b"\t", bytearray(), "null", b" null\n"])
def test_blank_text_and_null_are_an_empty_object(probe: Binding, blank: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        probe.decode(blank)
    assert caught.value.missing  # nothing was wrong but that


def test_every_row_of_the_page_is_tested() -> None:
    table = DOC.read_text("utf-8").partition("| input |")[2].partition("\n\n")[0]
    rows = [re.split(r"(?<!\\)\|", line)[1].strip() for line in table.split("\n")[2:]]
    assert len(rows) > 20
    assert set(rows) == {*REFUSED, *TAKEN, "blank text, the text `null`, None"}
