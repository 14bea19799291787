/* The tools of a program, inside of a sandbox: `await files.edit({ file_path: "a.txt", … })`.
 *
 * One file without dependencies, for Node.js 18 or later, and Deno. Saved as `toolcast_client.mjs`, it is imported:
 *
 *     import { tools } from "./toolcast_client.mjs";
 *     const text = await tools.files.read({ path: "a.txt" });
 *
 * or runs a program, whose namespaces are there as globals:
 *
 *     node toolcast_client.mjs program.mjs
 *
 * The variable TOOLCAST_CALLS says where calls go: `fd:3` is a socket that the process inherited, `fd:3,4` are a
 * pipe with the answers and one for the requests, `unix:/run/tools.sock` is the path of a socket (Deno: this one).
 */
import { Buffer } from "node:buffer";
import { Socket, connect } from "node:net";
import process from "node:process";
import { pathToFileURL } from "node:url";

/** A call without a result. The message says what to change.
 *
 * `kind` is "arguments" (they do not fit the function), "refused" (nothing was done), "failed" (it ran, and
 * failed), "unknown" (there is no such function), "request" (the request is none), or "ended" (no call is
 * answered any more).
 */
export class ToolError extends Error {
  constructor(kind, message) {
    super(message);
    this.name = "ToolError";
    this.kind = kind;
  }
}

const open = () => {
  const [, kind, place] = /^(fd|unix):(.+)$/s.exec(process.env.TOOLCAST_CALLS ?? "") ?? [];
  if (kind === "fd" && place.includes(",")) {
    const [source, target] = place.split(",").map(Number);
    return [new Socket({ fd: source, writable: false }), new Socket({ fd: target, readable: false })];
  }
  if (!kind) throw new Error("TOOLCAST_CALLS says where calls go: fd:N, fd:N,M or unix:PATH.");
  const socket =
    kind === "fd" ? new Socket({ fd: Number(place) }) : connect({ path: place });
  return [socket, socket];
};

/** Sends requests, and gives each its answer. */
class Connection {
  #waiting = new Map();
  #last = 0;
  #ended = "";
  #pieces = [];
  #input;
  #output;

  constructor() {
    [this.#input, this.#output] = open();
    this.#input.on("data", (chunk) => this.#feed(chunk));
    for (const stream of new Set([this.#input, this.#output])) {
      stream.on("error", (problem) => this.#end(`The connection to the tools broke: ${problem.message}.`));
    }
    for (const event of ["end", "close"]) {
      this.#input.on(event, () => this.#end("The connection to the tools was closed."));
    }
  }

  request(members) {
    return new Promise((resolve, reject) => {
      if (this.#ended) throw new ToolError("ended", this.#ended);
      const id = ++this.#last;
      const line = `${JSON.stringify({ id, ...members })}\n`;
      this.#waiting.set(id, { resolve, reject });
      this.#input.ref(); // the process goes on while a call waits, and ends when none does
      this.#output.write(line);
    });
  }

  #feed(chunk) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#pieces.push(chunk.subarray(from, at));
      const line = Buffer.concat(this.#pieces).toString("utf8");
      this.#pieces = [];
      from = at + 1;
      this.#take(JSON.parse(line));
    }
    this.#pieces.push(chunk.subarray(from));
  }

  #take({ id, result, error }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting === undefined) {
      if (error) this.#end(error.message);
    } else if (error) {
      waiting.reject(new ToolError(error.kind, error.message));
    } else {
      waiting.resolve(result);
    }
    if (this.#waiting.size === 0) this.#input.unref();
  }

  #end(reason) {
    this.#ended ||= reason;
    for (const { reject } of this.#waiting.values()) reject(new ToolError("ended", this.#ended));
    this.#waiting.clear();
    this.#input.unref();
  }
}

let connection;
const request = (members) => (connection ??= new Connection()).request(members);

/** Calls a function by its name: `call("files.read", { path: "a.txt" })`. */
export const call = async (name, args = {}) => request({ call: name, arguments: args });

/** The names of a namespace, "" for the top: `{ namespaces: […], functions: […] }`. */
export const listTools = async (namespace = "") => request({ list: namespace });

/** The declarations of a namespace or of one function, "" for all, as text. */
export const describe = async (name = "") => request({ describe: name });

/** A namespace or a function: which of them, the server knows. */
const named = (path) =>
  new Proxy((args) => call(path, args), {
    get: (_, key) =>
      // `await` asks whatever it gets for `then`.
      typeof key !== "string" || key === "then" ? undefined : named(path ? `${path}.${key}` : key),
  });

export const tools = named("");

const run = async (path) => {
  const { namespaces, functions } = await listTools();
  Object.assign(globalThis, { tools, describe, listTools, ToolError });
  for (const name of [...namespaces, ...functions]) globalThis[name] = tools[name];
  await import(pathToFileURL(path).href);
};

// Not awaited here: a program that imports this file would wait for itself.
if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) run(process.argv[2]);
