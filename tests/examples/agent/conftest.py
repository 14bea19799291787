import io
import sys
from collections.abc import Sequence
from subprocess import CompletedProcess
from typing import Protocol

import pytest

from examples.agent import __main__ as agent
from tests.examples.agent.scripted_server import ENVIRONMENT


class RunHere(Protocol):
    def __call__(
        self, arguments: Sequence[str], question: str = "Do it.", **variables: str
    ) -> "CompletedProcess[str]": ...


@pytest.fixture
def run_here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunHere:
    """Run the command as `piped` does, in this process: another one imports all of it for each test."""
    monkeypatch.delenv("OTEL_TRACES_EXPORTER", raising=False)
    monkeypatch.setattr(agent, "approver", lambda: None)

    def run(arguments: Sequence[str], question: str = "Do it.", **variables: str) -> "CompletedProcess[str]":
        for name, value in {**ENVIRONMENT, **variables}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "stdin", io.StringIO(question))
        capsys.readouterr()
        code = agent.main([*arguments])
        captured = capsys.readouterr()
        return CompletedProcess([*arguments], code, captured.out, captured.err)

    return run
