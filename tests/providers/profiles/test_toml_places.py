"""Places of keys in TOML, for messages."""

import tomllib

import pytest
from toolcast.toml_tables import Keys, find_place, split_fault

TEXT = '''\
id = "acme"
"odd key" = 1
text = """
id = "no key of the file"
[calls]
"""
 a.b = 2

[[calls]]
open = [
    "x",
]
  [[calls.parameters]]
  close = 1
[[calls]]
open = 1
[[calls.parameters]]
[[calls.parameters]]
close = 2
[limits."x y"]
depth = 3
'''


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        (("id",), (1, 1)),
        (("odd key",), (2, 1)),
        (("a", "b"), (7, 2)),
        (("calls", 0, "open", 0), (10, 1)),
        (("calls", 0, "parameters", 0, "close"), (14, 3)),
        (("calls", 0, "missing"), (9, 3)),
        (("calls", 1, "open"), (16, 1)),
        (("calls", 1, "parameters", 1, "close"), (19, 1)),
        (("limits", "x y", "depth"), (21, 1)),
        (("nothing",), (0, 0)),
        ((), (0, 0)),
    ],
)
def test_a_key_has_its_line_and_column(keys: Keys, place: tuple[int, int]) -> None:
    tomllib.loads(TEXT)
    assert find_place(TEXT, keys) == place


def test_a_fault_has_its_line_and_column() -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads('id = "acme"\nx = !\n')
    assert split_fault(str(caught.value)) == ("Invalid value", 2, 5)
    assert split_fault("Invalid value (at end of document)") == ("Invalid value (at end of document)", 0, 0)
