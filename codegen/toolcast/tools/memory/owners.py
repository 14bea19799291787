"""Whose memories a call may see."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from ...runtime.errors import RefusalError

Scope: TypeAlias = Literal["user", "project", "session"]
SCOPES: tuple[Scope, ...] = ("user", "project", "session")


class Owners(Struct, frozen=True, kw_only=True):
    """The user, project and session that a call belongs to.

    Attributes:
        user: id of the user.
        project: id of the project.
        session: id of the session; None where the program has none.
    """

    user: str
    project: str
    session: str | None

    def of(self, scope: Scope) -> str:
        """The owner of memories of a scope.

        Args:
            scope: the scope.

        Returns:
            The id.

        Raises:
            RefusalError: there is no session.
        """
        if scope == "user":
            return self.user
        if scope == "project":
            return self.project
        if self.session is None:
            raise RefusalError(
                "This program has no sessions to keep memories for. Use scope user or project instead."
            )
        return self.session

    def known(self) -> tuple[tuple[Scope, str], ...]:
        """Every scope that has an owner, with it."""
        return tuple(
            (scope, self.of(scope)) for scope in SCOPES if scope != "session" or self.session is not None
        )


def owners_of(extra: Mapping[str, Any], user: str, project: str) -> Owners:
    """Who a call belongs to.

    Args:
        extra: `ToolContext.extra`; `user`, `project` and `session` in it are ids.
        user: id where `extra` has none.
        project: the same.

    Returns:
        The owners.

    Raises:
        TypeError: an id is no text.
    """
    ids: dict[str, str | None] = {}
    for name, default in (("user", user), ("project", project), ("session", None)):
        found = extra.get(name, default)
        if found is not None and not isinstance(found, str):
            raise TypeError(f"context.extra[{name!r}] must be a text, not {type(found).__name__}.")
        ids[name] = found
    return Owners(user=ids["user"] or user, project=ids["project"] or project, session=ids["session"])
