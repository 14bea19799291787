"""The clients inside of real sandboxes: what a program writes, what it gets, and what it cannot do."""

import asyncio
import os
import shutil
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import pytest
from toolcast.runtime import ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.code import CodeLimits, CodeServer, Language, client_source
from toolcast.runtime.middleware.policy import Policy

from tests.runtime.code.processes import bubblewrap, run_code, run_process, write_program
from tests.runtime.code.sandboxes import registry, renamed
from tests.runtime.sample.misc.note import NOTE
from tests.sampled import sampled

LANGUAGES = pytest.mark.parametrize("language", ["python", "typescript"])

# What a model would write, in both languages: each prints the same.
PROGRAMS: dict[str, dict[Language, str]] = {
    "results": {
        "python": """
            done = await files.edit(file_path="/é", old_string="a", new_string="bb")
            print(done["replaced"], await misc.note(text="x"))
        """,
        "typescript": """
            const done = await files.edit({ file_path: "/é", old_string: "a", new_string: "bb" });
            console.log(done.replaced, await misc.note({ text: "x" }));
        """,
    },
    "side by side": {
        "python": """
            import asyncio
            texts = await asyncio.gather(*(misc.note(text=str(i)) for i in range(20)))
            print(texts == [f"noted {i}" for i in range(20)])
        """,
        "typescript": """
            const texts = await Promise.all([...Array(20).keys()].map((i) => misc.note({ text: `${i}` })));
            console.log(texts.every((text, i) => text === `noted ${i}`) ? "True" : "False");
        """,
    },
    "errors": {
        "python": """
            for work in (files.edit(file_path=3), files.edti(), tools.nowhere.at.all()):
                try:
                    await work
                except ToolError as problem:
                    print(problem.kind, str(problem).splitlines()[0])
        """,
        "typescript": """
            const nowhere = tools.nowhere.at.all;
            for (const work of [() => files.edit({ file_path: 3 }), () => files.edti(), () => nowhere()]) {
              try {
                await work();
              } catch (problem) {
                if (!(problem instanceof ToolError)) throw problem;
                console.log(problem.kind, problem.message.split("\\n")[0]);
              }
            }
        """,
    },
    "names": {
        "python": """
            print(list_tools()["namespaces"], list_tools("files")["functions"])
        """,
        "typescript": """
            const quoted = (names) => `[${names.map((name) => `'${name}'`).join(", ")}]`;
            console.log(quoted((await listTools()).namespaces), quoted((await listTools("files")).functions));
        """,
    },
    "odd values": {
        "python": """
            text = "\\u2028 \\x00 \\" \\\\ 😀\\n</script>" + "y" * 200_000
            print(await misc.note(text=text) == "noted " + text)
        """,
        "typescript": """
            const text = `\\u2028 \\x00 " \\\\ 😀\\n</script>` + "y".repeat(200_000);
            console.log((await misc.note({ text })) === "noted " + text ? "True" : "False");
        """,
    },
    "modules": {
        "python": """
            import misc
            import files.more
            from misc import note
            from files.more import deep as renamed
            text: NoSuchType = await note(text="c")
            print(await misc.note(text="a"), await misc.note(text="b"), text, await renamed(text="x"))
        """,
        "typescript": """
            const { note } = misc;
            const { deep } = files.more;
            console.log(await note({ text: "a" }), await misc.note({ text: "b" }), await note({ text: "c" }),
              await deep({ text: "x" }));
        """,
    },
    "imported": {
        "python": """
            import toolcast_client
            from toolcast_client import call, tools as again
            print(call("misc.note", {"text": "sync"}), await again.misc.note(text="async"))
        """,
        "typescript": """
            import { call, tools as again } from "./toolcast_client.mjs";
            console.log(await call("misc.note", { text: "sync" }), await again.misc.note({ text: "async" }));
        """,
    },
}
PRINTED = {
    "modules": "noted a noted b noted c deep\n",
    "results": "2 noted x\n",
    "side by side": "True\n",
    "errors": (
        "arguments Invalid arguments for tool 'edit', 3 problems:\n"
        "unknown There is no 'files.edti'. Did you mean files.edit?\n"
        "unknown There is no 'nowhere.at.all'. Functions: files.edit, misc.note.\n"
    ),
    "names": "['files', 'misc'] ['edit']\n",
    "odd values": "True\n",
    "imported": "noted sync noted async\n",
}


def server(tools: ToolRegistry | None = None, **limits: Any) -> CodeServer:
    return CodeServer(registry() if tools is None else tools, None, limits=CodeLimits(**limits))


def dedent(program: str) -> str:
    return textwrap.dedent(program)


@LANGUAGES
@pytest.mark.parametrize(
    ("name", "pipes"), [*((name, False) for name in PROGRAMS), ("results", True), ("side by side", True)]
)
def test_a_program_calls_tools(tmp_path: Path, language: Language, name: str, pipes: bool) -> None:
    tools = registry()
    if name == "modules":
        tools.register(renamed(NOTE, name="deep", group="files/more"), lambda *_: "deep")
    ran = run_code(server(tools), tmp_path, language, dedent(PROGRAMS[name][language]), pipes=pipes)
    assert (ran.output, ran.code) == (PRINTED[name], 0)
    assert ran.run.ended == "closed"


def test_the_oldest_python_runs_programs(tmp_path: Path) -> None:
    """Sandboxes have Pythons of their own."""
    installed = [shutil.which("python3.9"), *Path.home().glob(".pyenv/versions/3.9.*/bin/python")]
    # Some names on the path only say that the version is not chosen.
    runs = (
        str(each)
        for each in installed
        if each and not subprocess.run([each, "-c", ""], capture_output=True, check=False).returncode
    )
    oldest = next(runs, None)
    if oldest is None:
        pytest.skip("Python 3.9 is not installed")
    _, *words = write_program(tmp_path, "python", dedent(PROGRAMS["side by side"]["python"]))
    ran = asyncio.run(run_process(server(), [oldest, *words], tmp_path))
    assert (ran.output, ran.code) == (PRINTED["side by side"], 0)


@LANGUAGES
def test_a_program_in_bubblewrap_reaches_nothing_but_the_tools(tmp_path: Path, language: Language) -> None:
    programs: dict[Language, str] = {
        "python": """
            import os, pathlib, socket
            print(await misc.note(text="inside"))
            for forbidden in (
                lambda: pathlib.Path("/tmp/escaped").write_text("x"),
                lambda: pathlib.Path("escaped").write_text("x"),
                lambda: socket.create_connection(("127.0.0.1", PORT), 2),
            ):
                try:
                    forbidden()
                    print("done")
                except OSError:
                    print("refused")
        """,
        "typescript": """
            import { writeFileSync } from "node:fs";
            import { connect } from "node:net";
            console.log(await misc.note({ text: "inside" }));
            for (const path of ["/tmp/escaped", "escaped"]) {
              try {
                writeFileSync(path, "x");
                console.log("done");
              } catch {
                console.log("refused");
              }
            }
            const reached = new Promise((resolve) => {
              connect(PORT, "127.0.0.1", () => resolve("done")).on("error", () => resolve("refused"));
            });
            console.log(await reached);
        """,
    }
    jail = tuple(bubblewrap())

    async def main() -> Any:
        listening = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
        async with listening:
            port = listening.sockets[0].getsockname()[1]
            program = dedent(programs[language]).replace("PORT", str(port))
            return await run_process(server(), [*jail, *write_program(tmp_path, language, program)], tmp_path)

    ran = asyncio.run(main())
    assert ran.output.splitlines() == ["noted inside", "refused", "refused", "refused"], ran.output
    assert not (tmp_path / "escaped").exists()


@LANGUAGES
@pytest.mark.parametrize("answer", ["yes", "no"])
def test_somebody_is_asked_while_the_program_waits(tmp_path: Path, language: Language, answer: str) -> None:
    programs: dict[Language, str] = {
        "python": 'print(await misc.note(text="x"))',
        "typescript": 'console.log(await misc.note({ text: "x" }));',
    }
    asked = []

    async def approver(request: Any) -> str:
        asked.append(request.params.text)
        return answer

    tools = registry(policy=Policy(autonomy="supervised", approver=approver))
    ran = run_code(server(tools), tmp_path, language, programs[language])
    assert asked == ["x"]
    if answer == "yes":
        assert (ran.output, ran.code) == ("noted x\n", 0)
    else:
        assert ran.code != 0
        assert "ToolError" in ran.output
        assert [each.error for each in ran.run.calls] == ["refused"]


@LANGUAGES
def test_the_end_of_a_run_is_an_error_with_its_reason(tmp_path: Path, language: Language) -> None:
    programs: dict[Language, str] = {
        "python": """
            for _ in range(5):
                try:
                    await misc.note(text="x")
                except ToolError as problem:
                    print(problem.kind, problem)
        """,
        "typescript": """
            for (let i = 0; i < 5; i++) {
              try {
                await misc.note({ text: "x" });
              } catch (problem) {
                console.log(problem.kind, problem.message);
              }
            }
        """,
    }
    ran = run_code(server(requests=3), tmp_path, language, dedent(programs[language]))
    said = "ended The program made 3 requests, the most it may make. Do less in one program."
    assert ran.output.splitlines() == [said] * 3  # one request lists the names
    assert ran.code == 0


@LANGUAGES
def test_a_call_without_an_answer_keeps_no_program_from_ending(tmp_path: Path, language: Language) -> None:
    """A program may exit while a call of it runs; the call is cancelled."""

    async def forever(*_: Any) -> str:
        await asyncio.sleep(60)
        return "never"

    tools = ToolRegistry()
    tools.register(NOTE, forever)
    programs: dict[Language, str] = {
        "python": """
            import asyncio, os
            task = asyncio.ensure_future(misc.note(text="x"))
            await asyncio.sleep(0.2)
            os._exit(3)
        """,
        "typescript": """
            misc.note({ text: "x" });
            setTimeout(() => process.exit(3), 200);
        """,
    }
    ran = run_code(server(tools), tmp_path, language, dedent(programs[language]))
    assert ran.code == 3
    assert [each.error for each in ran.run.calls] == ["ended"]


@LANGUAGES
def test_a_flood_of_large_calls_ends(tmp_path: Path, language: Language) -> None:
    """More is under way both ways than any buffer holds: nobody waits for the other for ever."""
    tools = ToolRegistry()
    tools.register(NOTE, lambda params, _: ToolResult.ok(params.text))
    programs: dict[Language, str] = {
        "python": """
            import asyncio
            texts = await asyncio.gather(*(misc.note(text=str(i) * 50_000) for i in range(10, 60)))
            print(len(texts), all(texts))
        """,
        "typescript": """
            const calls = [...Array(50).keys()].map((i) => misc.note({ text: `${i + 10}`.repeat(50000) }));
            const texts = await Promise.all(calls);
            console.log(texts.length, texts.every(Boolean) ? "True" : "False");
        """,
    }
    ran = run_code(server(tools), tmp_path, language, dedent(programs[language]))
    assert ran.output == "50 True\n"


@LANGUAGES
@pytest.mark.parametrize("where", sampled(["", "nonsense", "tcp:1.2.3.4"], ["nonsense"]))
def test_a_client_without_a_connection_says_what_is_missing(
    tmp_path: Path, language: Language, where: str
) -> None:
    words = write_program(tmp_path, language, "")
    done = subprocess.run(
        words,
        cwd=tmp_path,
        env={"TOOLCAST_CALLS": where, "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode != 0
    assert "TOOLCAST_CALLS says where calls go" in done.stderr


@LANGUAGES
def test_a_path_of_a_socket_serves_several_programs(tmp_path: Path, language: Language) -> None:
    program: dict[Language, str] = {
        "python": 'print(await misc.note(text="x"))',
        "typescript": 'console.log(await misc.note({ text: "x" }));',
    }
    words = write_program(tmp_path, language, program[language])
    served: list[Any] = []

    async def main() -> list[bytes]:
        serve = server().serve

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            served.append(await serve(reader, writer, ToolContext(call_id=f"c{len(served)}")))

        path = str(tmp_path / "tools.sock")
        async with await asyncio.start_unix_server(accept, path):
            started = [
                await asyncio.create_subprocess_exec(
                    *words,
                    cwd=tmp_path,
                    env={"TOOLCAST_CALLS": f"unix:{path}", "PATH": os.environ["PATH"]},
                    stdout=asyncio.subprocess.PIPE,
                )
                for _ in range(2)
            ]
            return [(await asyncio.wait_for(each.communicate(), 60))[0] for each in started]

    assert asyncio.run(main()) == [b"noted x\n"] * 2
    assert [len(each.calls) for each in served] == [1, 1]


def test_deno_runs_typescript_with_no_permission_but_the_socket(tmp_path: Path) -> None:
    deno = shutil.which("deno")
    if deno is None:
        pytest.skip("Deno is not installed")
    program = """
        declare namespace misc { function note(args: { text: string }): Promise<string>; }
        const text: string = await misc.note({ text: "x" });
        console.log(text);
        try {
          Deno.readTextFileSync("/etc/passwd");
          console.log("done");
        } catch {
          console.log("refused");
        }
    """
    write_program(tmp_path, "typescript", "")
    (tmp_path / "program.ts").write_text(dedent(program), "utf-8")
    path = tmp_path / "tools.sock"
    words = [
        deno, "run", "--no-prompt", "--no-remote", "--allow-env=TOOLCAST_CALLS",
        f"--allow-net=unix:{path}", f"--allow-read={path},{tmp_path}/program.ts", f"--allow-write={path}",
        "toolcast_client.mjs", "program.ts",
    ]  # fmt: skip

    async def main() -> bytes:
        async with await asyncio.start_unix_server(server().serve, path):
            process = await asyncio.create_subprocess_exec(
                *words,
                cwd=tmp_path,
                env={**os.environ, "TOOLCAST_CALLS": f"unix:{path}", "DENO_DIR": str(tmp_path / "cache")},
                stdout=asyncio.subprocess.PIPE,
            )
            return (await asyncio.wait_for(process.communicate(), 60))[0]

    assert asyncio.run(main()) == b"noted x\nrefused\n"


def test_a_language_without_a_client_is_refused() -> None:
    language: Any = "lua"
    with pytest.raises(ValueError, match="clients for typescript and python, not for 'lua'"):
        client_source(language)
