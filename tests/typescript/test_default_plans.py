"""The plans of defaults as data: their order is that of the names, whatever the seed of hashes."""

import subprocess
import sys

SOURCE = """
from tests.typescript.validators import built
from toolcast.languages.typescript.type_texts import default_plans
names = [f"Kind{number}" for number in range(12)]
defs = {
    name: {"type": "object", "properties": {"kind": {"type": "string", "default": name}}} for name in names
}
properties = {name: {"$ref": f"#/$defs/{name}"} for name in names}
parameters = {"type": "object", "properties": properties, "$defs": defs}
made = built(parameters)
print(*default_plans(made.contract, "parameters", ()))
"""


def _names(seed: int) -> str:
    done = subprocess.run(
        (sys.executable, "-c", SOURCE), capture_output=True, text=True, env={"PYTHONHASHSEED": str(seed)},
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_order_of_plans_does_not_follow_hashes() -> None:
    outputs = {_names(seed) for seed in range(2)}
    assert len(outputs) == 1
    assert len(outputs.pop().split()) == 12
