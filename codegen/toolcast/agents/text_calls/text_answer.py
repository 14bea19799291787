"""A model's answer as text, and why it ended."""

from typing import TYPE_CHECKING

from msgspec import Struct

from ..usage import Usage

if TYPE_CHECKING:
    from ..dispatch.answer_end import AnswerEnd


class TextAnswer(Struct, frozen=True):
    """What a model wrote. The loop takes it, or a str, for a response where `format` is "text".

    Attributes:
        text: the answer.
        stop: the provider's reason to stop as it writes it, `length` or `max_tokens`; "" where it gave none.
        usage: the tokens that it used; None where they are not known.
    """

    text: str
    stop: str = ""
    usage: Usage | None = None

    @property
    def end(self) -> "AnswerEnd":
        """Why the answer ended, by `stop`."""
        from ..dispatch.answer_end import end_of

        return end_of(self.stop)

    @property
    def cut(self) -> bool:
        """Whether the answer was cut off, by a limit of its length or by the provider."""
        from ..dispatch.answer_end import WHOLE

        return self.end.reason not in WHOLE
