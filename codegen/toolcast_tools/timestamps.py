"""Times as tools take and return them (RFC 3339), and as they are stored: seconds since 1970 in UTC."""

import re
from datetime import UTC, datetime, timedelta

from toolcast.runtime.errors import RefusalError


def timestamp_seconds(text: str, name: str) -> float:
    """Read a time that a model wrote.

    Returns seconds since 1970 in UTC. A leap second is the second after 59. Raises RefusalError: the time is
    outside of the years 1 to 9999.

    Args:
        text: a date-time of RFC 3339, as the contract of a tool has checked it.
        name: name of the parameter, for the error.
    """
    # Python has no second 60, which RFC 3339 writes for a leap second.
    plain = re.sub(r"^(.{17})60", r"\g<1>59", text.upper())
    try:
        time = datetime.fromisoformat(plain)
        time = (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
        return (time + timedelta(seconds=plain != text.upper())).timestamp()
    except (ValueError, OverflowError) as problem:
        raise RefusalError(
            f"{name} {text!r} is no time of the years 1 to 9999. Write it as in 2027-01-31T09:00:00Z."
        ) from problem


def timestamp_text(seconds: float) -> str:
    """Write a time for a model.

    Returns a date-time of RFC 3339 in UTC, to the microsecond where it has one.

    Args:
        seconds: since 1970, within the years 1 to 9999.
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
