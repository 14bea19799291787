"""The readable part of a page, made in a process of its own that is stopped at its limits."""

import subprocess
from math import ceil

import msgspec

from ...runtime.errors import RefusalError
from ..libraries import missing
from ..python_process import python_command, python_environment
from .extract_page import NOT_INSTALLED, Extract, Job
from .urls import shown

_PROGRAM = "toolcast.tools.web.extract_page"


def readable_page(page: str, job: Job, seconds: float) -> Extract:
    """Make a page readable. It blocks for as long as `seconds`.

    Args:
        page: HTML.
        job: what is to be made of it; `job.seconds` is CPU time.
        seconds: time for all of it.

    Returns:
        Title and content.

    Raises:
        RefusalError: the process could not be started, reached a limit, or found nothing to read.
        ImportError: a library is not installed.
    """
    try:
        done = subprocess.run(
            python_command(_PROGRAM),
            input=msgspec.json.encode(job) + b"\n" + page.encode("utf-8", "replace"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            env=python_environment(),
            check=False,
        )
        if done.returncode == NOT_INSTALLED:
            raise missing("web_fetch", "trafilatura, or a part of it,")
        done.check_returncode()
        extract = msgspec.json.decode(done.stdout, type=Extract)
    except OSError as problem:
        raise RefusalError(
            f"{shown(job.url)} could not be made readable: {problem.strerror or 'the system refuses'}. Try "
            "again later, or ask for it with the format html."
        ) from problem
    except (subprocess.SubprocessError, msgspec.MsgspecError):
        raise RefusalError(
            f"{shown(job.url)} could not be made readable within {ceil(seconds)} s and "
            f"{job.memory // 1_000_000} MB: the page is too large or too deeply nested. Ask for it with the "
            "format html, or use another source."
        ) from None
    if not extract.content.strip():
        raise RefusalError(
            f"{shown(job.url)} has nothing to read without running its scripts. Ask for it with the format "
            "html, or use another source."
        )
    return extract
