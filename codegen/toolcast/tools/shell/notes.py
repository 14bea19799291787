"""What a model is told of how a command ended."""

from .processes import State


def note_of(state: State, timeout: float | None) -> str | None:
    """Say what status and exit code do not; None where there is nothing to say.

    Args:
        state: how the command is.
        timeout: its limit in seconds; None for a background command.
    """
    if state.lost:
        return (
            "The process that supervises the command was killed, perhaps by the command. What was found of "
            "the command was ended."
        )
    report = state.report
    if report is None:
        return None
    parts: list[str] = []
    if report["reason"] == "timeout" and timeout is not None:
        parts.append(
            f"Ended at its time limit of {timeout:g} s. Set a longer timeout, or use run_in_background."
        )
    if report["reason"] == "processes":
        parts.append("Killed: it had too many processes at once.")
    if report["left"]:
        what = "A process" if report["left"] == 1 else f"{report['left']} processes"
        verb = "was" if report["left"] == 1 else "were"
        parts.append(
            f"{what} that it left running {verb} ended. Use run_in_background for programs that go on."
        )
    if report["stuck"]:
        parts.append("Some of its processes could not be ended. Tell the user.")
    return " ".join(parts) or None
