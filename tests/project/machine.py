"""Laws L7 and L9 over random edits: whatever happened, `generate` leaves what a clean build would leave.

`make machine` runs it for long (`endless.py`); `test_machine.py` for a few seconds.
"""

import errno
import os
from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test
from toolcast.project.generate import Report, build
from toolcast.project.output.output_tree import TEMPORARY
from toolcast.project.output.publish import clean
from toolcast.project.state.index import up_to_date

from tests.project.fake import FAKE, config_of, tree
from tests.project.fault_injection import At, Killed, Refusing, die, die_really, run_in_fork, seams
from tests.project.machine_edits import Edits
from tests.project.machine_subject import OUTPUTS

FAULTS = [errno.ENOSPC, errno.EACCES, errno.EIO, errno.EROFS]


class Machine(Edits):
    """Runs of all kinds between the edits: undisturbed, previewed, killed, refused by the disk."""

    # runs

    @rule(step=st.integers(0, 120), really=st.floats(0, 1))
    def kill(self, step: int, really: float) -> None:
        """End a run at any step; L9."""
        (self.base / "specs").mkdir(exist_ok=True)
        before, expected = tree(self.out), self.planned()
        config = config_of(self.base)
        if really < self.really and hasattr(os, "fork"):

            def work() -> None:
                with seams(At(step, die_really)):
                    build(config, self.frontend)

            ended = run_in_fork(work)
            assert ended in (0, 9), ended
            killed = ended == 9
        else:
            killed = False
            try:
                with seams(At(step, die)):
                    build(config, self.frontend)
            except Killed:
                killed = True
        if killed:
            self.unfinished.add(self.output)
        self.hold_whole(before, expected)

    @rule(step=st.integers(0, 120), fault=st.sampled_from(FAULTS))
    def refuse(self, step: int, fault: int) -> None:
        """Let the disk refuse any one step: told, and nothing torn."""
        (self.base / "specs").mkdir(exist_ok=True)
        before, files, expected = tree(self.out), self.files(), self.planned()
        at = Refusing(step, fault)
        with seams(at):
            report = build(config_of(self.base), self.frontend)
        if at.count > step:
            self.unfinished.add(self.output)
        self.hold_whole(before, expected)
        if not any(each.code in ("io-error", "not-remembered") for each in report.diagnostics):
            self.hold_if_well(files, report)

    @rule()
    def clean_up(self) -> None:
        """`toolcast clean` leaves nothing of ours, and all else."""
        if self.out.is_symlink():
            return
        report = clean(config_of(self.base), dry_run=False)
        self.hold_foreign()
        for problem in report.diagnostics:
            if problem.code == "no-manifest":  # nobody can say what is ours
                assert not self.is_file(self.base / problem.file)
                assert self.disowned
                continue
            assert problem.code == "kept-file", problem
            (self.base / problem.file).unlink()
            self.obstacles.discard(self.base / problem.file)
            self.foreign.pop(self.base / problem.file, None)
        if not self.disowned:
            assert self.extra({}) == []
        self.unfinished.clear()
        self.lost = set(OUTPUTS)  # clean takes the memory of all folders
        if not self.disowned or not self.extra({}):
            self.lost.discard(self.output)

    def planned(self) -> dict[str, bytes]:
        plan = build(config_of(self.base), self.frontend, mode="diff").plan.effect
        return {write.path: write.content for write in plan.writes}

    def hold_if_well(self, before: Mapping[str, bytes], report: Report) -> None:
        if not report.plan.blocked and not self.disowned:
            self.help(report, self.lawful(before, report))
            self.hold_lawful(before, report)

    @rule(preview=st.sampled_from(["", "", "diff", "check"]), jobs=st.sampled_from([None, 1]))
    def generate(self, preview: Any, jobs: int | None) -> None:
        self.generate_now(preview, jobs)

    def generate_now(self, preview: Any, jobs: int | None) -> None:
        (self.base / "specs").mkdir(exist_ok=True)
        if up_to_date(str(self.base)) is not None:  # no build would be begun
            clean, _ = self.clean()
            self.tidy(clean)
            self.hold_lawful(clean, Report())
            return
        for _ in range(4):
            before = self.files()
            reported = (
                build(config_of(self.base), self.frontend, mode=preview, jobs=jobs) if preview else None
            )
            assert self.files() == before
            report = build(config_of(self.base), self.frontend, jobs=jobs)
            if preview == "diff":
                assert reported is not None
                assert reported.plan == report.plan
            if report.plan.blocked:
                assert self.files() == before
                if self.frontend is FAKE and preview == "check":
                    assert reported is not None
                    assert reported.plan.blocked
            elif not self.disowned:
                break
            if not self.help(report, {} if report.plan.blocked else self.lawful(before, report)):
                break
        assert not report.plan.blocked, report.plan.diagnostics
        self.help(report, self.lawful(before, report))
        self.hold_lawful(before, report)
        self.lost.discard(self.output)
        self.unfinished.discard(self.output)
        assert not list(self.out.rglob(TEMPORARY))
        check = build(config_of(self.base), self.frontend, mode="check", jobs=jobs)
        assert check.plan.empty
        assert not check.plan.blocked

    @rule(jobs=st.sampled_from([None, 1]))
    def generate_plainly(self, jobs: int | None) -> None:
        """Of many kinds of edits each would else be followed by few runs."""
        self.generate_now("", jobs)

    @rule(preview=st.sampled_from(["diff", "check"]))
    def generate_as_told(self, preview: Any) -> None:
        self.generate_now(preview, 1)


def run(machine: type[Machine], *, examples: int, length: int) -> None:
    """Run a machine; raises what a law raises, after shrinking."""
    own = settings(
        max_examples=examples,
        stateful_step_count=length,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=own)  # type: ignore[no-untyped-call]
