"""Tools of two states side by side, and what the audiences' functions receive."""

import datetime
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from ..config import Config
from ..contract.build import Built, offered
from ..providers import Profile
from ..spec.parsed_document import Path
from ..spec.tool_spec import ToolSpec
from .change import Change, Witness
from .rules import RULES
from .states import State


class Side(Struct, frozen=True, kw_only=True):
    """A tool in one state. Its contract has been built: `built.contract` is not None."""

    tool: ToolSpec
    built: Built


class Pair(Struct, frozen=True, kw_only=True):
    """A tool in both states; one of the two sides is None where it was added or removed.

    Attributes:
        old: the tool in the old state.
        new: the tool in the new state.
        renamed_from: the tool's name in the old state, where it has another one now; else empty.
        renamed_parameters: of parameters that were renamed, the new name → the old one.
    """

    old: Side | None
    new: Side | None
    renamed_from: str = ""
    renamed_parameters: Mapping[str, str] = {}

    @property
    def side(self) -> Side:
        """The new side; the old one of a removed tool."""
        side = self.new or self.old
        assert side is not None
        return side

    @property
    def name(self) -> str:
        """The tool's name in the new state; in the old one where it was removed."""
        return self.side.tool.name

    def change(
        self,
        rule: str,
        message: str,
        *,
        pointer: str = "",
        at: Path | None = None,
        old: bool = False,
        hint: str = "",
        providers: tuple[str, ...] = (),
        witness: Witness | None = None,
        undecided: bool = False,
    ) -> Change:
        """A change of this tool, positioned in the spec.

        Args:
            rule: id of the rule; it gives the audience.
            message: one sentence.
            pointer: place in the contract document, such as `/parameters/properties/x`.
            at: path in the spec, where the place is in no contract; the key's position counts.
            old: `pointer` or `at` is a place of the old state, since the new one lacks it.
            hint: a way out.
            providers: those concerned; none: all.
            witness: a value that one of the two states refuses.
            undecided: whether it breaks is not known.

        Returns:
            The change. Without `pointer` and `at` it stands at the start of the spec.
        """
        side = (self.old if old else self.new) or self.side
        if pointer:
            document, path = side.built.normal.locate(pointer)
            line, column = document.locate(path, key=len(path) > 1 and path[-2] == "properties")
        else:
            document = side.tool.document
            line, column = document.locate(at or (), key=bool(at))
        return Change(
            rule=rule,
            audience=RULES[rule].audience,
            tool=self.name,
            pointer=pointer,
            file=document.file,
            line=line,
            column=column,
            old=side is self.old,
            message=message,
            hint=hint,
            providers=providers,
            witness=witness,
            undecided=undecided,
        )


def offered_pair(pair: Pair) -> Pair:
    """The pair with contracts as models are held to them, without what the program fills in."""
    sides = (
        None if side is None else replace(side, built=offered(side.built, side.tool.inject))
        for side in (pair.old, pair.new)
    )
    old, new = sides
    return replace(pair, old=old, new=new)


class Context(Struct, frozen=True, kw_only=True):
    """What every comparison has beside the pair.

    Attributes:
        config: the project's configuration, which reads both states.
        profiles: the configured providers (or those of `--provider`), in their order.
        old: the old state.
        new: the new state.
        today: the day on which `remove_after` and `until` are looked at.
        version: the project's version, which a `remove_after` that is one is compared with; None where it is
            not stated.
    """

    config: Config
    profiles: tuple[Profile, ...]
    old: State
    new: State
    today: datetime.date
    version: str | None = None
