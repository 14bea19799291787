"""A few seconds of `make machine`: laws L7 and L9 over random edits."""

import os

import pytest

from tests.project.machine import Machine, run
from tests.project.real_machine import RealMachine

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")


def test_any_edits_end_in_a_clean_build() -> None:
    run(Machine, examples=15, length=25)


def test_with_the_compiler_itself() -> None:
    run(RealMachine, examples=5, length=20)
