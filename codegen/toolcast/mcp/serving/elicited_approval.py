"""Approvals by the user of the client that makes a call."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from msgspec import Meta, Struct

from ...hidden_characters import escape_hidden, without_hidden
from ...runtime.elicitation import Asker, ask
from ...runtime.errors import RefusalError
from ...runtime.middleware.policy.approval import Answer, ApprovalRequest
from ...runtime.middleware.policy.terminal import described


class _Approval(Struct):
    """The form. There is no default: a client that accepts without looking approves nothing."""

    approve: Annotated[bool, Meta(title="Run it?", description="Whether the tool may run, this once.")]
    reason: Annotated[str, Meta(title="Why not?", description="For the model.", max_length=500)] = ""


def elicited_approver(asker: Asker) -> Callable[[ApprovalRequest], Awaitable[Answer]]:
    """An approver that asks by `asker`. Its yes is for one call: what a registry remembers holds for all of
    its clients, and this user is one of them."""

    async def approve(request: ApprovalRequest) -> Answer:
        message = "\n".join(["A model wants to call a tool, which needs your approval.", *described(request)])
        try:
            answer = await ask(asker, request.tool, escape_hidden(message), _Approval)
        except RefusalError as problem:
            return Answer("no", str(problem))
        if answer.data is None:
            return Answer("no", "the user did not approve it.")
        if not answer.data.approve:
            return Answer("no", without_hidden(answer.data.reason) or "the user said no.")
        return Answer("yes")

    return approve
