"""Arguments for the tools: plausible, composed from the contract, broken and hostile."""

# ruff: noqa: ARG001 - what makes arguments has one signature, whatever it uses

from __future__ import annotations

import json
import random
import string
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from toolcast.analysis.instances.generator import Generator, UnfillableError
from toolcast.analysis.instances.oracle import Oracle, judged_by
from toolcast.analysis.instances.scalar_values import junk

from .server import PATHS

CONTRACTS = Path(__file__).parents[2] / "generated" / "contracts"
LINES = "one\ntwo\nthree four\n" * 5
EQUAL = ("one", "two", "r f")
TEXTS = ("one", "two\n", "three four", "ünïcode 中文", "", "x" * 3000, "a,b\n1,2\n", "\r\n", "one\none\n")
WORDS = ("sky", "blue", "one", "table", "report", "ünïcode", "x", "alpha beta", "OR AND", '"')
HOSTILE = (
    "../../etc/passwd", "/proc/self/root/etc/passwd", "/etc/shadow", "a\x00b", "\udc80", "\x1b[2J",
    "a/" * 2000, "x" * 100_000, "%00", "~/x", "-rf", "--help", "'; DROP TABLE memories; --", "(a+)+$",
    "[", "*" * 200, "{a,b}" * 40, "\u202e", "http://169.254.169.254/", "file:///etc/passwd",
    "http://[::1]/", "9" * 400, "NaN",
)  # fmt: skip
COMMANDS = (
    "true", "echo one", "cat a.txt", "ls -la", "exit 3", "sleep 0.05", "sleep 5", "sleep 30 & echo $!",
    "kill -9 $$", "kill -9 $PPID", "setsid sleep 30 >/dev/null 2>&1 &", "trap '' TERM; sleep 5",
    "head -c 3000000 /dev/zero", "printf '\\377\\000'", "mkdir -p new && touch new/x && rm -r new",
    "ln -sf /etc/passwd link", "chmod 0 b.txt", "mkfifo pipe; rm -f pipe", "nohup sleep 20 & disown",
    "(sleep 0.1; echo late) &", "echo two > a.txt", "mv folder gone && sleep 0.02 && mv gone folder",
    "ulimit -n 4; ls", "cat", "(", "exec 1>&-; sleep 0.1",
    "dd if=/dev/zero of=big bs=64k count=20; rm -f big", "for i in 1 2 3; do echo $i; done",
)  # fmt: skip
PATHS_OF_FILES = (
    "a.txt", "b.txt", "folder/c.txt", "folder/deep/d.py", "empty", "long.txt", "binary.bin", "new.txt",
    "folder/new.txt", "no/such/file", "folder", "link", "folder/../a.txt", "table.csv", ".",
)  # fmt: skip
TABLES = ("table.csv", "table.csv", "rows.jsonl", "rows.jsonl", "damaged.parquet", "none.csv")

Choose = random.Random


class Known:
    """What calls and results named: ids of processes, results, documents and memories, cursors, and files."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.files = set[str]()
        self.ids: defaultdict[str, deque[str]] = defaultdict(lambda: deque(maxlen=16))

    def forget(self) -> None:
        """Forget what belongs to one registry."""
        self.ids.clear()
        self.files.clear()

    def one(self, rng: Choose, kind: str, otherwise: str) -> str:
        """One of these ids, mostly; else another text."""
        ids = self.ids[kind]
        return rng.choice(ids) if ids and rng.random() < 0.9 else otherwise

    def learn_files(self, arguments: Any) -> None:
        """Note the texts in arguments that may name a file, each without its folder."""
        for value in arguments.values() if isinstance(arguments, dict) else ():
            if isinstance(value, str):
                self.files.add(value.rpartition("/")[2][:256])

    def learn(self, data: Any) -> None:
        """Note the ids in a result."""
        for kind in ("result_id", "next_cursor", "id"):
            value = getattr(data, kind, None)
            if isinstance(value, str) and not value.startswith("job_"):
                self.ids[kind].append(value)
        if getattr(data, "status", "") == "running":
            self.ids["process_id"].append(data.process_id)
        for passage in getattr(data, "passages", ()):
            self.ids["document_id"].append(passage.document_id)


def some(rng: Choose, **optional: Any) -> dict[str, Any]:
    """Some of these arguments."""
    return {name: value for name, value in optional.items() if rng.random() < 0.4}


def _path(rng: Choose) -> str:
    return rng.choice(PATHS_OF_FILES[:4] if rng.random() < 0.6 else PATHS_OF_FILES)


def _file_read(rng: Choose, known: Known) -> dict[str, Any]:
    first = rng.randint(1, 50)
    return {
        "file_path": _path(rng),
        **some(rng, line_range=[first, first + rng.randint(-1, 99)], encoding="latin-1"),
    }


def _file_write(rng: Choose, known: Known) -> dict[str, Any]:
    mode = rng.choice(("overwrite", "append", "create"))
    return {
        "file_path": _path(rng),
        "content": LINES if rng.random() < 0.6 else rng.choice(TEXTS),
        **some(rng, mode=mode, permissions="644"),
    }


def _edit(rng: Choose, known: Known) -> dict[str, Any]:
    return {"file_path": _path(rng), **_change(rng)}


def _change(rng: Choose) -> dict[str, Any]:
    # Of one length, and in each other's place: files neither grow nor lose what the next edit looks for.
    old, new = rng.choice(EQUAL), rng.choice(EQUAL)
    if rng.random() < 0.2:
        old, new = rng.choice(("line 7\n", "absent text")), rng.choice(TEXTS)
    return {"old_string": old, "new_string": new, "replace_all": rng.random() < 0.8}


def _multi_edit(rng: Choose, known: Known) -> dict[str, Any]:
    edits = [_change(rng) for _ in range(rng.randint(1, 4))]
    return {"file_path": _path(rng), "edits": edits, **some(rng, dry_run=True)}


def _glob(rng: Choose, known: Known) -> dict[str, Any]:
    pattern = rng.choice(("**/*", "*.txt", "**/*.{py,txt}", "folder/*", "[a-c].txt", "**/d?.py", "none"))
    return {
        "pattern": pattern,
        **some(rng, path="folder", include_hidden=True, sort="name", limit=rng.randint(1, 9)),
    }


def _grep(rng: Choose, known: Known) -> dict[str, Any]:
    pattern = rng.choice(("one", "t.o", "^line \\d+$", "(a|b)+c", "\\w+\\s", "中", "(unclosed", "one\\ntwo"))
    output = rng.choice(("lines", "files", "count"))
    return {
        "pattern": pattern,
        "output": output,
        **some(
            rng,
            path=_path(rng),
            glob="*.txt",
            ignore_case=True,
            multiline=True,
            context={"before": 2, "after": 1},
        ),
    }


def _bash(rng: Choose, known: Known) -> dict[str, Any]:
    timeout = rng.choice((0.05, 0.2, 0.5, 1))
    background = {"run_in_background": True} if rng.random() < 0.2 else {}
    return {
        "command": rng.choice(COMMANDS),
        "timeout": timeout,
        **background,
        **some(rng, env={"ONE": "two"}),
    }


def _bash_process(rng: Choose, known: Known) -> dict[str, Any]:
    name = known.one(rng, "process_id", "bash_1")
    return {
        "process_id": name,
        "timeout": rng.random() / 2,
        **some(rng, block=True),
        "stop": rng.random() < 0.5,
    }


def _url(rng: Choose, known: Known) -> str:
    host = rng.choices(
        ("127.0.0.1", "named.test", "slow.test", "none.test", "private.test"), (10, 4, 1, 1, 1)
    )[0]
    port = known.port if rng.random() < 0.9 else 1024 + rng.randrange(40)
    return (
        f"http://{host}:{port}{rng.choice(('/page', '/json')) if rng.random() < 0.5 else rng.choice(PATHS)}"
    )


def _http_request(rng: Choose, known: Known) -> dict[str, Any]:
    body = rng.choice(({"kind": "json", "value": [1]}, {"kind": "text", "text": "x" * 5000}))
    sent = rng.choice(({}, {}, {"method": "HEAD"}, {"method": "POST", "body": body}))
    more = {**sent, **some(rng, headers={"X-One": "two"}, query={"q": "a b"})}
    return {"url": _url(rng, known), "timeout": rng.choice((0.05, 0.3, 1.0)), **more}


def _web_fetch(rng: Choose, known: Known) -> dict[str, Any]:
    form = rng.choice(("markdown", "text", "html"))
    return {
        "url": _url(rng, known),
        "format": form,
        **some(rng, max_length=200, start_index=rng.randint(0, 400)),
    }


def _web_search(rng: Choose, known: Known) -> dict[str, Any]:
    return {
        "query": rng.choice(WORDS) * 2,
        **some(rng, max_results=5, allowed_domains=["example.com"], recency="day"),
    }


def _memory_store(rng: Choose, known: Known) -> dict[str, Any]:
    more = some(rng, id=known.one(rng, "id", "mem_abcdefgh"), tags=["a", "b"], importance=5, scope="project")
    return {"content": " ".join(rng.choices(WORDS, k=4)), **more}


def _memory_recall(rng: Choose, known: Known) -> dict[str, Any]:
    return {"query": rng.choice(WORDS), **some(rng, tags=["a"], limit=3, min_importance=2)}


def _filter(rng: Choose) -> dict[str, Any]:
    op = rng.choice(("eq", "gt", "contains", "is_null"))
    condition = {
        "field": rng.choice(("title", "a", "none")),
        "op": op,
        **({} if op == "is_null" else {"value": "1"}),
    }
    return {"where": [condition]}


def _knowledge_search(rng: Choose, known: Known) -> dict[str, Any]:
    return {
        "query": rng.choice(WORDS),
        **some(rng, collections=["documents"], filter=_filter(rng), mode="keyword", top_k=3),
    }


def _get_document_info(rng: Choose, known: Known) -> dict[str, Any]:
    return {
        "document_id": known.one(rng, "document_id", "doc_abcdef"),
        **some(rng, include=["outline", "links"]),
    }


def _cron_add(rng: Choose, known: Known) -> dict[str, Any]:
    name = "job-" + "".join(rng.choices(string.ascii_lowercase, k=rng.randint(1, 3)))
    times = rng.choice(("* * * * *", "*/5 * * * *", "@daily", "0 0 30 2 *", "61 * * * *"))
    notify = [{"channel": "chat", "target": "one", "when": "always"}]
    return {
        "name": name,
        "schedule": times,
        "prompt": "Do it.",
        **some(rng, max_runs=2, notify=notify, timezone="Europe/Berlin"),
    }


def _cron_list(rng: Choose, known: Known) -> dict[str, Any]:
    return some(
        rng,
        status="all",
        name_contains="a",
        limit=rng.randint(1, 9),
        cursor=known.one(rng, "next_cursor", "x"),
    )


def _delegate(rng: Choose, known: Known) -> dict[str, Any]:
    more = some(rng, run_in_background=True, limits={"seconds": 0.1}, attachments=[{"file_path": _path(rng)}])
    return {
        "agent": rng.choice(("reader", "sleeper", "refuser", "nobody")),
        "task": "Read the file a.txt.",
        **more,
    }


def _data_analysis(rng: Choose, known: Known) -> dict[str, Any]:
    source: dict[str, Any] = rng.choice((
        {"kind": "file", "file_path": rng.choice(TABLES)},
        {"kind": "inline", "columns": ["a", "b"], "rows": [[1, "x"], [2, "y"], [None, "z"]]},
        {"kind": "result", "result_id": known.one(rng, "result_id", "res_abcdef")},
    ))  # fmt: skip
    steps = [
        {"op": "sql", "query": "SELECT * FROM data"},
        {"op": "sql", "query": "SELECT * FROM range(900000000) a, data"},
        {"op": "sql", "query": "SELECT * FROM read_csv('/etc/passwd')"},
        {"op": "limit", "count": 2},
        {"op": "derive", "column": "c", "expression": "a * 2"},
        {"op": "filter", "filter": _filter(rng)},
    ]
    chart = {"output": "chart", "chart": {"type": "bar", "x": "b", "y": ["a"]}} if rng.random() < 0.3 else {}
    return {"source": source, "steps": rng.sample(steps, rng.randint(0, 2)), **chart}


TOOLS: Mapping[str, tuple[float, Callable[[Choose, Known], dict[str, Any]]]] = {
    "file_read": (18, _file_read), "file_write": (12, _file_write), "edit": (12, _edit),
    "multi_edit": (8, _multi_edit), "glob": (8, _glob), "grep": (4, _grep),
    "memory_store": (7, _memory_store), "memory_recall": (8, _memory_recall), "cron_add": (4, _cron_add),
    "cron_list": (5, _cron_list),
    "knowledge_search": (4, _knowledge_search), "get_document_info": (3, _get_document_info),
    "delegate": (4, _delegate), "http_request": (4, _http_request), "web_search": (3, _web_search),
    "web_fetch": (1, _web_fetch), "bash": (2, _bash), "bash_process": (3, _bash_process),
    "data_analysis": (0.7, _data_analysis),
}  # fmt: skip
"""How often each tool is called, and what makes plausible arguments for it. Those that start processes cost
a hundred times as much as the others."""


def contract(name: str) -> Any:
    """The contract of a tool: a document with `parameters` and `result`."""
    return json.loads((CONTRACTS / f"{name}.json").read_text("utf-8"))


class Arguments:
    """Makes calls: which tool, and with which arguments."""

    def __init__(self, known: Known) -> None:
        self._known = known
        contracts = {name: contract(name) for name in TOOLS}
        self._generators = {
            name: (Generator(rng=random.Random()), judged_by(Oracle(document, "/parameters")))
            for name, document in contracts.items()
        }

    def call(self, rng: Choose) -> tuple[str, Any]:
        """A tool and its arguments."""
        name = rng.choices([*TOOLS], [weight for weight, _ in TOOLS.values()])[0]
        plausible = TOOLS[name][1](rng, self._known)
        roll = rng.random()
        if roll < 0.72:
            return name, plausible
        if roll < 0.84:
            return name, self._composed(name, rng)
        if roll < 0.93:
            return name, _broken(rng, plausible)
        return name, _hostile(rng, plausible)

    def _composed(self, name: str, rng: Choose) -> Any:
        generator, schema = self._generators[name]
        generator.rng = rng
        try:
            return generator.varied(schema)
        except UnfillableError:
            return {}


def _broken(rng: Choose, arguments: dict[str, Any]) -> Any:
    """Arguments with a fault: another type, one too few or too many, or no JSON."""
    way = rng.randrange(5)
    if way == 0:
        return json.dumps(arguments)[: rng.randint(0, 30)]
    if way == 1:
        return junk(rng)
    if way == 2:
        return {**arguments, rng.choice(("extra", "", "__class__", "file_path ")): junk(rng)}
    name = rng.choice([*arguments] or ["query"])
    if way == 3:
        return {key: value for key, value in arguments.items() if key != name}
    return {**arguments, name: junk(rng)}


def _hostile(rng: Choose, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments of which one text is an attack. Commands stay: they are carried out."""
    texts = [key for key, value in arguments.items() if isinstance(value, str) and key != "command"]
    return {**arguments, rng.choice(texts): rng.choice(HOSTILE)} if texts else arguments
