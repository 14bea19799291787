"""Runs of generated programs whose processes are killed at any moment, until they end.

    python -m tests.agents.killed_runs FOLDER SEED KILLS

A program is a list of answers with calls of all kinds. Each process of it is a fork; a ledger that its tools
write with fsync is the oracle. Prints the numbers, and every contradiction between the ledger and what was
done or what the model was told.
"""

# ruff: noqa: ARG001, ARG002 - a handler has its signature, whatever it uses

import asyncio
import gc
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from toolcast.agents import Budget, Record, RunState, delegate, resume, run_tools
from toolcast.agents.events import RoundStarted
from toolcast.runtime import CallDeferred, ToolContext, ToolRegistry
from toolcast.runtime.middleware.policy import Policy
from toolcast.runtime.questions import Elicited

from generated.registry import BINDINGS
from tests.agents.dispatch.answers import ANSWERS, Asked

FORMATS = ("openai", "anthropic", "gemini")
INTERRUPTED = "It may have taken effect"


class Kind(NamedTuple):
    """A kind of call: its tool, the parameter that has the call's name, and how it runs."""

    tool: str
    parameter: str
    more: Mapping[str, Any] = MappingProxyType({})
    changes: Mapping[str, Any] = MappingProxyType({})
    approval: bool = False
    repeatable: bool = False


AGAIN = {"annotations": {"idempotent": True}}
EDITED = {"old_string": "x", "new_string": "y"}
KINDS = {
    "look": Kind("glob", "pattern", repeatable=True),
    "put": Kind("memory_store", "content"),
    "set": Kind("file_write", "file_path", {"content": "x"}, AGAIN, repeatable=True),
    "pay": Kind("edit", "file_path", EDITED, approval=True),
    "charge": Kind("bash", "command", {}, AGAIN, approval=True, repeatable=True),
    "job": Kind("web_fetch", "url", {}, {"external": True}),
    "wire": Kind("http_request", "url", {}, {"external": True}, approval=True),
    "order": Kind("cron_add", "prompt", {"name": "daily", "schedule": "0 9 * * *"}),  # its handler defers it
    "careful": Kind("multi_edit", "file_path", {"edits": [EDITED]}),  # asks for its approval itself
    "alone": Kind("bash_process", "process_id", {}, {"parallel": False}),
    "checked": Kind("web_search", "query", {}, {"annotations": {}}, approval=True),  # has a slow precheck
    "asked": Kind("memory_recall", "query", {}, {"permission": "write", "annotations": {}}),  # asks the user
    "agent": Kind("delegate", "task", {"agent": "coder"}),
    "wrong": Kind("edit", "file_path", {"old_string": 3}, approval=True),
}
BOUND = {kind.tool: msgspec.structs.replace(BINDINGS[kind.tool], **kind.changes) for kind in KINDS.values()}
BOUND["delegate"] = BOUND["delegate"].specialise(agent=["coder"])
NEVER_BEGUN = ("job", "wire", "wrong")


class Program(NamedTuple):
    """A run: its answers, each a list of calls (kind and name), and its options."""

    format: str
    answers: list[list[tuple[str, str]]]
    limit: int
    calls: int | None
    approver: bool
    threads: bool

    @property
    def kinds(self) -> dict[str, str]:
        return {name: kind for answer in self.answers for kind, name in answer}


def generate(random: Random) -> Program:
    answers = []
    for number in range(random.randint(1, 3)):
        kinds = random.choices([*KINDS], k=random.randint(1, 6))
        answers.append(
            [
                (
                    kind,
                    f"{'https' if kind in NEVER_BEGUN else ''}/{number}.{i}".replace(
                        "https/", "https://e.org/"
                    ),
                )
                for i, kind in enumerate(kinds)
            ]
        )
    return Program(
        format=random.choice(FORMATS),
        answers=answers,
        limit=random.choice([1, 2, 8]),
        calls=random.choice([None, sum(map(len, answers))]),  # which suffices
        approver=random.random() < 0.3,
        threads=random.random() < 0.3,
    )


class Process:
    """One process of a program: it kills itself at the `last` of its moments, if it comes so far."""

    def __init__(self, program: Program, folder: Path, random: Random, last: int | None) -> None:
        self.program, self.folder, self.random, self.last = program, folder, random, last
        self.moments = 0
        self.round = 0
        self.ledger = os.open(folder / "ledger", os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def moment(self, *, before_began: bool = False) -> None:
        self.moments += 1
        if self.moments == self.last:
            if not before_began:
                os.write(self.ledger, b"killed elsewhere\n")
            os.kill(os.getpid(), signal.SIGKILL)

    def note(self, what: str, name: str) -> None:
        self.moment(before_began=what in ("began", "entered"))
        os.write(self.ledger, f"{what} {name}\n".encode())
        os.fsync(self.ledger)
        self.moment()

    async def act(self, name: str) -> str:
        self.note("began", name)
        for _ in range(self.random.randint(0, 3)):
            await asyncio.sleep(0)
        self.note("ended", name)
        return f"did {name}"

    def act_in_thread(self, params: Any, context: ToolContext) -> str:
        name = getattr(params, next(k.parameter for k in KINDS.values() if k.tool == context.tool))
        self.note("began", name)
        self.note("ended", name)
        return f"did {name}"

    async def run_glob(self, params: Any, context: ToolContext) -> Any:
        return await self.act(params.pattern)

    async def run_cron_add(self, params: Any, context: ToolContext) -> Any:
        await self.act(params.prompt)
        raise CallDeferred(f"order {params.prompt}")

    async def run_multi_edit(self, params: Any, context: ToolContext) -> Any:
        if not context.approved:
            self.note("entered", params.file_path)
            raise CallDeferred("somebody", kind="approval")
        return await self.act(params.file_path)

    async def run_memory_recall(self, params: Any, context: ToolContext) -> Any:
        class Form(msgspec.Struct):
            sure: bool

        self.note("entered", params.query)
        await context.ask("Sure?", Form)
        return await self.act(params.query)

    async def run_delegate(self, params: Any, context: ToolContext) -> Any:
        self.note("entered", params.task)
        inner = self.registry("put", "pay")
        names = [("put", f"{params.task}/inner"), ("pay", f"{params.task}/denied")]

        async def model(messages: list[Any], definitions: bytes) -> Any:
            return self.answer("openai", names if len(messages) == 1 else [])

        await delegate(lambda: run_tools(model, inner, [{"role": "user", "content": "x"}], format="openai"))
        return f"did {params.task}"

    def registry(self, *kinds: str) -> ToolRegistry:
        free = [kind.tool for kind in KINDS.values() if not kind.approval]
        approver = self.approve if self.program.approver and len(kinds) > 2 else None
        registry = ToolRegistry(policy=Policy(auto_approve=free, approver=approver), check_results=False)
        for kind in {KINDS[each].tool: KINDS[each] for each in kinds if each != "wrong"}.values():
            binding = BOUND[kind.tool]
            handler = None if kind.changes.get("external") else self.handler(kind)
            registry.register(binding, *([] if handler is None else [handler]))
        return registry

    def handler(self, kind: Kind) -> Any:
        own = getattr(self, f"run_{kind.tool}", None)
        if own is not None:
            return own
        if self.program.threads and kind.tool != "web_search":
            return self.act_in_thread

        async def act(params: Any, context: ToolContext) -> Any:
            return await self.act(getattr(params, kind.parameter))

        if kind.tool != "web_search":
            return act
        moment = self.moment

        class Checked:
            async def __call__(self, params: Any, context: ToolContext) -> Any:
                return await act(params, context)

            async def precheck(self, params: Any, context: ToolContext) -> None:
                for _ in range(3):
                    moment()
                    await asyncio.sleep(0)

        return Checked()

    async def approve(self, request: Any) -> Any:
        name = getattr(request.params, next(k.parameter for k in KINDS.values() if k.tool == request.tool))
        self.moment()
        await asyncio.sleep(0)
        return self.decide(name)

    def decide(self, name: str) -> Any:
        verdict = self.random.choice(["yes", "yes", "yes", "no"])
        self.note(verdict, name)
        return verdict

    def answer(self, format: str, calls: list[tuple[str, str]]) -> Any:
        asked = [
            Asked(f"c{i}", KINDS[kind].tool, json.dumps({KINDS[kind].parameter: name, **KINDS[kind].more}))
            for i, (kind, name) in enumerate(calls)
        ]
        return ANSWERS[format](asked)

    async def model(self, messages: list[Any], definitions: bytes) -> Any:
        self.moment()
        answers = self.program.answers
        return self.answer(self.program.format, answers[self.round - 1] if self.round <= len(answers) else [])

    def store(self, state: RunState) -> None:
        self.moment()
        new = self.folder / "new"
        new.write_bytes(state.encode())
        self.moment()
        new.replace(self.folder / "state")
        self.moment(before_began=True)

    def watch(self, event: Any) -> None:
        if isinstance(event, RoundStarted):
            self.round = event.round

    async def ask(self, request: Any) -> Any:
        self.moment()
        await asyncio.sleep(0)
        return Elicited("accept", {"sure": True})

    async def run(self) -> Record:
        stored = self.folder / "state"
        options: dict[str, Any] = {
            "format": self.program.format,
            "limit": self.program.limit,
            "budget": Budget(calls=self.program.calls),
            "checkpoint": self.store,
            "on_event": self.watch,
            "context": ToolContext(asker=self.ask),
        }
        registry = self.registry(*KINDS)
        if not stored.exists():
            return await run_tools(self.model, registry, [{"role": "user", "content": "x"}], **options)
        state = RunState.decode(stored.read_bytes())
        decisions, results = {}, {}
        names = [name for _, name in self.program.answers[state.rounds - 1]] if state.waiting else []
        for call in state.waiting:
            if self.random.random() < 0.2:
                continue  # nobody has decided yet
            self.note(f"shown-{call.kind}", names[call.index])
            if call.kind == "approval":
                decisions[call.key] = self.decide(names[call.index])
            else:
                results[call.key] = f"outcome of {names[call.index]}"
        return await resume(self.model, registry, state, decisions=decisions, results=results, **options)


def told(record: Record, program: Program) -> dict[str, str]:
    """By name of a call, what the model was told of it."""
    texts: list[str] = []
    for message in record.messages[1:]:
        if program.format == "openai" and message["role"] == "tool":
            texts.append(str(message["content"]))
        if program.format == "anthropic" and message["role"] == "user":
            texts += [str(block["content"]) for block in message["content"] if block["type"] == "tool_result"]
        if program.format == "gemini" and message["role"] == "user":
            texts += [str(part["functionResponse"]) for part in message["parts"]]
    names = [name for answer in program.answers for _, name in answer]
    assert len(names) == len(texts), record.stopped
    return dict(zip(names, texts, strict=True))


def contradictions(program: Program, lines: list[str], texts: dict[str, str]) -> list[str]:
    """What the ledger says otherwise than what was done, or what the model was told."""
    events = Counter(lines)
    found = []
    for name, kind in program.kinds.items():
        text, began, ended = texts[name], events[f"began {name}"], events[f"ended {name}"]
        if kind == "agent":
            began, ended = (events[f"{what} {name}/inner"] for what in ("began", "ended"))
        approved = events[f"yes {name}"]
        needs = KINDS[kind].approval or kind == "careful"
        external = kind in ("job", "order") or (kind == "wire" and not events[f"no {name}"])
        wrong = {
            "done twice": began > 1 and not KINDS[kind].repeatable,
            "done unapproved": began and needs and not approved,
            "never begins": began and kind in NEVER_BEGUN,
            "denied, and done": events[f"began {name}/denied"],
            "said to be done": "did " in text and not ended,
            "said to be interrupted": INTERRUPTED in text
            and (kind in NEVER_BEGUN or kind == "look" or (KINDS[kind].approval and not approved)),
            "has the outcome of another": "outcome of" in text
            and (f"outcome of {name}" not in text or not events[f"shown-external {name}"]),
            "said to be not done": began
            and not any(each in text for each in ("did ", "outcome of", INTERRUPTED))
            and kind != "agent",
            "the wait is gone": external and "outcome of" not in text and INTERRUPTED not in text,
            "the approval is gone": needs
            and not (
                approved or events[f"no {name}"] or kind == "wrong" or (INTERRUPTED in text and not began)
            ),
        }
        found += [f"{kind} {name}: {what}; {text:.160}" for what, holds in wrong.items() if holds]
    return found


def main(folder: Path, seed: str, kills: int) -> dict[str, Any]:
    killed = programs = statements = interrupted = unbegun = 0
    found: list[str] = []
    kinds: Counter[str] = Counter()
    random = Random(seed)
    (folder / "whole").mkdir(parents=True)
    asyncio.run(Process(generate(random), folder / "whole", random, None).run())  # forks share what it loads
    gc.freeze()  # or each fork copies what a collection looks at
    while killed < kills:
        random = Random(f"{seed} {programs}")
        program, place = generate(random), folder / str(programs)
        place.mkdir(parents=True)
        programs += 1
        victims = 0
        for turn in range(1000):
            by_time = turn < 8 and random.random() < 0.25
            last = random.randint(1, 60) if turn < 8 and not by_time else None
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    record = asyncio.run(
                        Process(program, place, Random(f"{seed} {programs} {turn}"), last).run()
                    )
                    if record.stopped != "paused":
                        assert record.stopped == "answer", record.stopped
                        (place / "told").write_text(json.dumps(told(record, program)))
                    status = 0
                finally:
                    os._exit(status)
            if by_time:
                time.sleep(random.random() * 0.03)
                os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            victims += os.WIFSIGNALED(status)
            if not os.WIFSIGNALED(status) and os.waitstatus_to_exitcode(status):
                found.append(f"program {programs - 1}: its process failed")
                break
            if (place / "told").exists() and not os.WIFSIGNALED(status):
                break
        else:
            found.append(f"program {programs - 1}: does not end")
        killed += victims
        if (place / "told").exists():
            lines = (place / "ledger").read_text().splitlines()
            texts = json.loads((place / "told").read_text())
            statements += len(texts)
            kinds.update(program.kinds[name] for name in texts)
            said = [name for name, text in texts.items() if INTERRUPTED in text]
            here = sum(not {f"began {name}", f"entered {name}"} & {*lines} for name in said)
            interrupted, unbegun = interrupted + len(said), unbegun + here
            found += [f"program {programs - 1}: {each}" for each in contradictions(program, lines, texts)]
            if here > victims - lines.count("killed elsewhere"):
                found.append(f"program {programs - 1}: calls are said to be interrupted that could not begin")
    return {
        "programs": programs, "kills": killed, "calls": statements, "interrupted": interrupted,
        "killed between the checkpoint and the first line of the tool": unbegun, "kinds": kinds,
        "contradictions": found,
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))))
