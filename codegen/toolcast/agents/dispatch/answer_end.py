"""Why an answer of a model ended."""

from typing import Literal

from msgspec import Struct

Reason = Literal["complete", "refusal", "paused", "filtered", "malformed_call", "cut", "provider_error"]
"""Why an answer ended: whole, with calls or without; the model refused; the provider paused its turn; a
filter of the provider's took it; a call could not be read; a limit of its length; a fault of the
provider's."""


class AnswerEnd(Struct, frozen=True, kw_only=True):
    """Why an answer ended.

    Attributes:
        reason: one of a few words, the same for every provider.
        detail: what the provider says of it, in its own words; "" where it says nothing.
    """

    reason: Reason = "complete"
    detail: str = ""
