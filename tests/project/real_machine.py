"""The random edits of `machine.py` with the compiler itself, and specs as people write them."""

from typing import ClassVar

from toolcast.project.worker import FRONTEND, Frontend

from tests.project.machine import Machine

SHARED = "type: object\nproperties: {{line: {{type: integer, maximum: {version}}}}}\n"
SPEC = """\
name: {name}
description: Does thing {version}.
permission: read
secrets: []
parameters:
  type: object
  properties:
    how: {{enum: [fast, slow{version}]}}
"""


class RealMachine(Machine):
    """Fewer steps a second, all of them real."""

    frontend: ClassVar[Frontend] = FRONTEND

    def text(self, stem: str, version: int, uses: list[str], flaw: str) -> str:
        if flaw == "bad":
            return "parameters: [\n"
        if stem.startswith("_types"):
            return SHARED.format(version=version)
        name = "same" if flaw == "clash" else stem.replace("/", "_")
        way = "../" * stem.count("/")
        lines = [f"    {use[-1]}: {{$ref: {way}{use}.yaml}}\n" for use in uses]
        if flaw == "odd":  # a warning
            lines.append("    odd: {type: string, maxlength: 3}\n")
        external = "external: true\n" if version == 2 else ""
        return external + SPEC.format(name=name, version=version) + "".join(lines)
