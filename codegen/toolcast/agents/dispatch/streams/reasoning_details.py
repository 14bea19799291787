"""`reasoning_details` of OpenRouter and gateways like it: blocks of reasoning, streamed word by word.

A signature is for the text of a whole block, so pieces that went back as they came would be refused ("Invalid
`signature` in `thinking` block").
"""

from .fragments import Event, Pieces, goes_on

_TEXTS = {"reasoning.text": "text", "reasoning.summary": "summary"}
"""The types of blocks that come in pieces, and the key of their text."""


class ReasoningDetails:
    """The blocks of one message."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._blocks: list[Event] = []

    def feed(self, detail: Event, path: str) -> None:
        """Take the next piece, or a whole block."""
        key = _TEXTS.get(str(detail.get("type")), "")
        text = detail.get(key)
        if not key or not (text is None or isinstance(text, str)):
            self._blocks.append(self._pieces.keep(detail, path))
            return
        rest = {name: value for name, value in detail.items() if name != key and value is not None}
        if not (self._blocks and goes_on(self._blocks[-1], rest)):
            self._blocks.append(self._pieces.keep(rest, path))
        elif new := {name: value for name, value in rest.items() if name not in self._blocks[-1]}:
            self._blocks[-1] |= self._pieces.keep(new, path)
        if text is not None:
            self._pieces.add(("detail", len(self._blocks) - 1), text, f"{path}.{key}")

    def listed(self) -> list[Event]:
        """The blocks so far, in their order."""
        return [
            {**block, _TEXTS[block["type"]]: self._pieces.text(("detail", at))}
            if self._pieces.has(("detail", at))
            else block
            for at, block in enumerate(self._blocks)
        ]
