"""A model writes a program, and the program calls the tools: python -m examples.code_mode [python|typescript]

No provider is asked: `scripted` stands for the model. The program runs in bubblewrap, without network and
files. Each call of it is a call like any other: here somebody is asked before a file is read.
"""

import asyncio
import shutil
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

from toolcast.agents import run_tools
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.code import CodeLimits, CodeRun, CodeServer, Language, client_source
from toolcast.runtime.middleware.policy import Approver, Policy, TerminalApprover

from .generated.code.run_code import RUN_CODE, RunCodeParams
from .toolbox import toolbox

LIMITS = CodeLimits(seconds=60, requests=200)
PRINTED = 20_000
"""Bytes of what a program prints that are kept."""

PYTHON = str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())
SYSTEM = ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", sys.base_prefix]
SANDBOX = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
INSIDE: dict[Language, list[str]] = {
    "python": [PYTHON, "-I", "-B", "toolcast_client.py", "program.py"],
    "typescript": [shutil.which("node") or "node", "toolcast_client.mjs", "program.mjs"],
}

# What the model writes: every call is awaited, and only what is printed comes back to it.
PROGRAMS: dict[Language, str] = {
    "python": """
import asyncio

names = (await files.list_folder())["names"]
texts = await asyncio.gather(*(files.read_file(path=name) for name in names if name.endswith(".txt")))
print(sum(len(text.splitlines()) for text in texts), "lines")
""",
    "typescript": """
const { names } = await files.list_folder({});
const texts = await Promise.all(
  names.filter((name) => name.endsWith(".txt")).map((path) => files.read_file({ path })),
);
console.log(texts.join("").trimEnd().split("\\n").length, "lines");
""",
}


async def run_program(
    program: str, server: CodeServer, language: Language, context: ToolContext
) -> tuple[str, CodeRun]:
    """Run a program in a sandbox, and serve its calls: what it printed, and what it called."""
    client, name = INSIDE[language][-2:]
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryDirectory() as folder, theirs:
        Path(folder, client).write_bytes(client_source(language))
        Path(folder, name).write_text(program, "utf-8")
        readable = [word for path in SYSTEM for word in ("--ro-bind-try", path, path)]
        channel = theirs.fileno()
        process = await asyncio.create_subprocess_exec(
            *SANDBOX, *readable, "--proc", "/proc", "--dev", "/dev", "--ro-bind", folder, "/program",
            "--chdir", "/program", "--setenv", "TOOLCAST_CALLS", f"fd:{channel}", "--", *INSIDE[language],
            pass_fds=[channel], stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        theirs.close()
        try:
            printed = asyncio.create_task(read_up_to(PRINTED, process))
            run = await server.serve(*await asyncio.open_connection(sock=ours), context)
            if run.ended != "closed":
                process.kill()
            text = await printed
            await process.wait()
            return text, run
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


async def read_up_to(limit: int, process: asyncio.subprocess.Process) -> str:
    """The first bytes that a process prints; the others are read, and dropped, until it ends."""
    printed = b""
    assert process.stdout is not None
    while more := await process.stdout.read(limit):
        printed = (printed + more)[:limit]
    return printed.decode("utf-8", "replace")


def scripted(language: Language) -> Any:
    """A model that answers with a call of run_code, and then repeats what came back."""

    async def model(messages: list[Any], _: bytes) -> Any:
        result = messages[-1]["content"] if messages[-1]["role"] == "tool" else None
        function = {"name": "run_code", "arguments": {"program": PROGRAMS[language]}}
        call = {"id": "call_1", "type": "function", "function": function}
        said = {"content": None, "tool_calls": [call]} if result is None else {"content": result}
        reason = "tool_calls" if result is None else "stop"
        return {"choices": [{"index": 0, "finish_reason": reason, "message": {"role": "assistant", **said}}]}

    return model


async def main(language: Language, approver: Approver, folder: str = ".") -> str:
    """Count the lines of the texts in a folder, by a program that the model writes."""
    tools = toolbox(folder, Policy(always_ask=["read_file"], approver=approver))
    server = CodeServer(tools, language, limits=LIMITS)

    async def run_code(params: RunCodeParams, context: ToolContext) -> ToolResult:
        # The calls of the program have the circumstances of this one, and end with it.
        printed, run = await run_program(params.program, server, language, context)
        calls = "\n".join(f"{call.function}: {call.error or 'done'}" for call in run.calls)
        return ToolResult.ok(f"{printed}\nCalls of the program:\n{calls}")

    registry = ToolRegistry(timeout=90, output_limit=PRINTED)
    registry.register(RUN_CODE, run_code)
    declared = tools.definitions(language).decode()
    system = {"role": "system", "content": f"Write programs in {language}; run_code runs them.\n\n{declared}"}
    messages = [system, {"role": "user", "content": "How many lines do the texts here have?"}]
    record = await run_tools(scripted(language), registry, messages, format="openai")
    return str(record.messages[-1]["content"])


if __name__ == "__main__":
    print(asyncio.run(main("typescript" if "typescript" in sys.argv else "python", TerminalApprover())))
