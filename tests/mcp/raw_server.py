"""An MCP server without the SDK, which sends what no SDK would.

`python raw_server.py CASE [later]` speaks over stdio, `over_http` in the process of a test. `TOOLS` has a
defective tool for each case, listed between two sound ones; `LISTINGS` whole answers to `tools/list`,
`GREETINGS` to `initialize`; `ANSWERS` results of calls. With `later`, the first listing is sound, and the
first call announces that it changed.
"""

import json
import sys
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

OBJECT = '{"type":"object"}'


def _sound(name: str) -> str:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    return json.dumps({"name": name, "description": "Adds.", "inputSchema": schema})


def _page(*tools: str, more: str = "") -> str:
    return '{"tools":[' + ",".join(tools) + "]" + more + "}"


def _error(code: str, more: str = "", text: str = "no") -> str:
    return f'{{"jsonrpc":"2.0","id":ID,"error":{{"code":{code},"message":"{text}"{more}}}}}'


def _tool(schema: str | None = OBJECT, more: str = "", name: str = '"bad"') -> str:
    parts = [f'"name":{name}' if name else "", f'"inputSchema":{schema}' if schema else "", more]
    return "{" + ",".join(part for part in parts if part) + "}"


def _property(text: str) -> str:
    return f'{{"type":"object","properties":{{"n":{text}}}}}'


# By case: the tool as JSON, and why it is not taken; empty where it can be called without the defect.
TOOLS: dict[str, tuple[str, str]] = {
    "schema without type": (_tool('{"properties":{"n":{"type":"integer"}}}'), ""),
    "schema empty": (_tool("{}"), ""),
    "schema type unknown": (_tool('{"type":"dict"}'), ""),
    "schema type list": (_tool('{"type":["object","null"]}'), ""),
    "schema null": (_tool("null"), "inputSchema is null"),
    "schema missing": (_tool(None), "inputSchema is missing"),
    "schema list": (_tool("[]"), "inputSchema is array"),
    "schema string": (_tool('"object"'), "inputSchema is string"),
    "schema true": (_tool("true"), "inputSchema is boolean"),
    "schema of a string": (_tool('{"type":"string"}'), "arguments are an object"),
    "schema of a list": (_tool('{"type":["array","null"]}'), "arguments are an object"),
    "required true": (_tool('{"type":"object","required":true}'), ""),
    "required numbers": (_tool('{"type":"object","required":[1]}'), ""),
    "required in a property": (_tool(_property('{"type":"integer","required":true}')), ""),
    "properties list": (_tool('{"type":"object","properties":[]}'), ""),
    "property null": (_tool(_property("null")), ""),
    "property string": (_tool(_property('"integer"')), ""),
    "minimum NaN": (_tool(_property('{"minimum":NaN}')), "is no JSON"),
    "maximum Infinity": (_tool(_property('{"maximum":1e999}')), "is no JSON"),
    "duplicate keys": (_tool('{"type":"object","type":"object"}', '"description":"a","description":"b"'), ""),
    "huge number": (_tool(_property('{"const":%s}' % ("1" * 4000))), ""),
    "hint text": (_tool(more='"annotations":{"readOnlyHint":"yes"}'), ""),
    "hint null": (_tool(more='"annotations":{"readOnlyHint":null}'), ""),
    "annotations list": (_tool(more='"annotations":[]'), ""),
    "annotations title": (_tool(more='"annotations":{"title":[]}'), ""),
    "description number": (_tool(more='"description":5'), ""),
    "description null": (_tool(more='"description":null'), ""),
    "description list": (_tool(more='"description":["a"]'), ""),
    "description of 30 MB": (_tool(more=f'"description":"{"x" * 30_000_000}"'), "and 131072 are allowed"),
    "title object": (_tool(more='"title":{}'), ""),
    "outputSchema list": (_tool(more='"outputSchema":[]'), ""),
    "outputSchema string": (_tool(more='"outputSchema":"x"'), ""),
    "outputSchema empty": (_tool(more='"outputSchema":{}'), ""),
    "outputSchema type unknown": (_tool(more='"outputSchema":{"type":"dict"}'), ""),
    "outputSchema required": (_tool(more='"outputSchema":{"type":"object","required":true}'), ""),
    "icons string": (_tool(more='"icons":"a.png"'), ""),
    "icons numbers": (_tool(more='"icons":[1,{"src":2}]'), ""),
    "_meta list": (_tool(more='"_meta":[]'), ""),
    "_meta number": (_tool(more='"_meta":5'), ""),
    "execution string": (_tool(more='"execution":"now"'), ""),
    "x-mcp-header list": (_tool(_property('{"type":"string","x-mcp-header":[]}')), ""),
    "name missing": (_tool(name=""), "it has no name"),
    "name number": (_tool(name="5"), "its name is integer"),
    "name null": (_tool(name="null"), "its name is null"),
    "name empty": (_tool(name='""'), "its name has 0 characters"),
    "name too long": (_tool(name='"' + "x" * 5000 + '"'), "its name has 5000 characters"),
    "name with a control character": (_tool(name='"a\\u0007b"'), "a character that nobody sees: U+0007"),
    "name with a line": (_tool(name='"a\\nb"'), "a character that nobody sees: U+000A"),
    "name with a hidden character": (_tool(name='"a\\u200bb"'), "a character that nobody sees: U+200B"),
    "name twice": (_tool() + "," + _tool(), "two tools of that name"),
    "tool null": ("null", "a tool is an object, not null"),
    "tool string": ('"bad"', "a tool is an object, not string"),
    "tool number": ("5", "a tool is an object, not integer"),
    "tool list": ("[]", "a tool is an object, not array"),
    "tool empty": ("{}", "it has no name"),
    "stray lines": (_tool(), ""),
}  # fmt: skip

# By case: the result of `tools/list`, or the whole message where it has an id; and words of the error.
LISTINGS: dict[str, tuple[str, str]] = {
    "tools object": ('{"tools":{}}', "sent object where a list"),
    "tools null": ('{"tools":null}', "sent null where a list"),
    "tools missing": ("{}", "sent nothing where a list"),
    "tools string": ('{"tools":"none"}', "sent string where a list"),
    "cursor number": (_page(_sound("first"), more=',"nextCursor":5'), "a cursor that is no text: integer"),
    "cursor false": (_page(_sound("first"), more=',"nextCursor":false'), "a cursor that is no text: boolean"),
    "cursor same": ('{"tools":[],"nextCursor":"again"}', "in a circle"),
    "cursor endless": ('{"tools":[],"nextCursor":"COUNT"}', "more than 100 pages"),
    "cursor huge": (_page(more=f',"nextCursor":"{"x" * 100_000}"'), "too long"),
    "20,000 tools": (_page(*(_sound(f"t{n}") for n in range(20_000))), "more than 1000 tools"),
    "much text": (
        _page(*(_tool(name=f'"t{n}"', more=f'"description":"{"x" * 16_000}"') for n in range(900))),
        "more than 8388608 bytes",
    ),
    "result list": ("[]", ""),
    "result null": ("null", ""),
    "nested 100,000 times": (_page(_tool("[" * 100_000 + "]" * 100_000)), ""),
    "lone surrogate": (_page(_tool(more='"description":"\\ud83d"')), ""),
    "invalid UTF-8": ('{"tools":["\udcff"]', ""),
    "number of 5,000 digits": (_page("1" * 5000), ""),
    "no JSON": ('{"tools":[', ""),
    "no id": ('{"jsonrpc":"2.0","result":{"tools":[]}}', ""),
    "wrong id": ('{"jsonrpc":"2.0","id":99,"result":{"tools":[]}}', ""),
    "error": (_error("-1", text="no\\u001b[31m tools"), "no[31m tools"),
    "error as if closed": (_error("-32000", text="busy"), "busy"),
    "error code text": (_error('"E"'), ""),
    "error code fraction": (_error("1.5"), ""),
    "error code huge": (_error("1" + "0" * 400), ""),
    "error data": (_error("5", ',"data":[[1]]'), "no"),
    "error null": ('{"jsonrpc":"2.0","id":ID,"error":null}', ""),
    "result and error": ('{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":5,"message":"no"}}', "no"),
    "exits": ("", ""),
    "hangs": ("", ""),
    "endless line": ("", ""),
}  # fmt: skip

_CAPABLE = '"capabilities":{"tools":{}}'
_NAMED = '"serverInfo":{"name":"raw","version":"1"}'
# By case: the result of `initialize`, or the whole message where it has an id; and words of the error.
GREETINGS: dict[str, tuple[str, str]] = {
    "version number": (f'{{"protocolVersion":5,{_CAPABLE},{_NAMED}}}', "protocolVersion"),
    "version missing": (f"{{{_CAPABLE},{_NAMED}}}", "protocolVersion"),
    "version unknown": (f'{{"protocolVersion":"1999-01-01",{_CAPABLE},{_NAMED}}}', "1999-01-01"),
    "capabilities list": (f'{{"protocolVersion":"2025-06-18","capabilities":[],{_NAMED}}}', "capabilities"),
    "server null": (f'{{"protocolVersion":"2025-06-18",{_CAPABLE},"serverInfo":null}}', "serverInfo"),
    "greeting error": (_error("-1", text="no\\u001b[31m\\nentry"), "no[31m entry"),
}  # fmt: skip


def _answer(more: str) -> str:
    return '{"content":[{"type":"text","text":"a"}],' + more + "}"


# Results of calls, and whether the call counts as done.
ANSWERS: dict[str, tuple[str, bool]] = {
    "call: sound": (_answer('"isError":false'), True),
    "call: content missing": ("{}", False),
    "call: content null": ('{"content":null}', False),
    "call: content object": ('{"content":{}}', False),
    "call: item null": ('{"content":[null]}', False),
    "call: item string": ('{"content":["a"]}', False),
    "call: item without type": ('{"content":[{"text":"a"}]}', False),
    "call: item of another type": ('{"content":[{"type":"video","data":""}]}', False),
    "call: text number": ('{"content":[{"type":"text","text":5}]}', False),
    "call: image without data": ('{"content":[{"type":"image","mimeType":"image/png"}]}', False),
    "call: resource list": ('{"content":[{"type":"resource","resource":[]}]}', False),
    "call: link without uri": ('{"content":[{"type":"resource_link","name":"a"}]}', False),
    "call: isError text": (_answer('"isError":"perhaps"'), False),
    "call: isError list": (_answer('"isError":[]'), False),
    "call: structuredContent text": (_answer('"structuredContent":"x"'), False),
    "call: _meta list": (_answer('"_meta":[]'), False),
    "call: lone surrogate": ('{"content":[{"type":"text","text":"\\ud83d"}]}', False),
    "call: nested": ('{"content":' + "[" * 100_000 + "]" * 100_000 + "}", False),
    "call: NaN": ('{"content":[],"structuredContent":{"a":NaN}}', True),
    "call: result list": ("[]", False),
    "call: error code text": (_error('"E"'), False),
    "call: error as if closed": (_error("-32000", text="busy"), False),
    "call: wrong id": ('{"jsonrpc":"2.0","id":99,"result":{"content":[]}}', False),
}


class Server:
    """The answers of one server, as bytes without line ends; None for none."""

    def __init__(self, case: str, later: bool) -> None:
        self.case = case
        self.sound = later
        self.listings = 0

    def answer(self, message: dict[str, Any]) -> bytes | None:
        if "id" not in message:
            return None
        id, method = json.dumps(message["id"]), message["method"]
        text = self._result(method, message.get("params") or {})
        if text is None:
            return None
        if not text.startswith('{"jsonrpc"'):
            text = f'{{"jsonrpc":"2.0","id":ID,"result":{text}}}'
        return text.replace("ID", id, 1).encode("utf-8", "surrogateescape")

    def _result(self, method: str, params: dict[str, Any]) -> str | None:
        if method == "initialize" and self.case in GREETINGS:
            return GREETINGS[self.case][0]
        if method == "initialize":
            about = {"name": "raw", "version": "1"}
            known = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}}
            return json.dumps({**known, "serverInfo": about})
        if method == "tools/call":
            self.sound = False
            return ANSWERS[self.case if self.case in ANSWERS else "call: sound"][0]
        if method == "ping":
            return "{}"
        if method != "tools/list":
            return '{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"Method not found"}}'
        self.listings += 1
        if self.sound or self.case in ANSWERS:
            return _page(_sound("first"))
        if self.case in TOOLS:
            return _page(_sound("first"), TOOLS[self.case][0], _sound("last"))
        if self.case == "exits":
            sys.stdout.flush()
            sys.exit("no more")
        if self.case == "hangs":
            return None
        return LISTINGS[self.case][0].replace("COUNT", str(self.listings))


def on_stdio(server: Server) -> None:
    out = sys.stdout.buffer
    for line in sys.stdin:
        message = json.loads(line)
        if server.case == "endless line" and message["method"] == "tools/list" and not server.sound:
            while True:
                out.write(b"x" * 65536)
        if server.case == "stray lines":
            out.write(b'Listening on stdio\n\n{"a":\n')
        sound = server.sound
        answer = server.answer(message)
        if answer is not None:
            out.write(answer + b"\n")
        if server.sound != sound:
            out.write(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n')
        out.flush()


def over_http(server: Server, form: str) -> ThreadingHTTPServer:
    """A server on a port of its own, which serves once it is told to."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            try:
                answer = server.answer(body)
            except SystemExit:
                return
            if answer is None and "id" in body:
                time.sleep(600)
            self.send_response(202 if answer is None else 200)
            if form == "sse":
                lines = (answer or b"").split(b"\n")
                answer = b"event: message\n" + b"".join(b"data: " + line + b"\n" for line in lines) + b"\n"
            self.send_header("content-type", "text/event-stream" if form == "sse" else "application/json")
            endless = server.case == "endless line" and body["method"] == "tools/list" and not server.sound
            if not endless:
                self.send_header("content-length", str(len(answer or b"")))
            self.end_headers()
            with suppress(ConnectionError):  # the client has read enough
                while endless:
                    self.wfile.write(b"x" * 65536)
                self.wfile.write(answer or b"")

        def do_GET(self) -> None:
            self.send_error(405)

        do_DELETE = do_GET  # noqa: N815 - the name that the server calls

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing on the terminal."""

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


if __name__ == "__main__":
    on_stdio(Server(sys.argv[1], "later" in sys.argv))
