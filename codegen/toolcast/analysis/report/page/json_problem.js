// What is wrong with a text that is no JSON, in the words that a model reads: those of the `json` module of Python's
// standard library, up to its version 3.12, and msgspec's for numbers that it does not take.

const CONSTANTS = ["NaN", "Infinity", "-Infinity"];
const BLANK = " \t\n\r";
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const MOST = 50;
const MAX_DIGITS = 4300;

class Problem extends Error {}

/** An object as the pairs that were written. */
class Pairs extends Array {}

/**
 * Read a text.
 *
 * @param {string} text - the text
 * @returns {{ problem: string } | { duplicates: [(string | number)[], string][] }} why it is no JSON, or the keys that
 *   stand in one object twice, with the way to the object, 50 at most
 * @throws {RangeError} the text is nested too deeply
 */
export function readStrictly(text) {
  if (text.startsWith("\ufeff")) return { problem: "the text begins with a byte order mark" };
  try {
    const scanner = new Scanner(text);
    const root = scanner.document();
    if (!text.isWellFormed() || hasLoneSurrogate(root)) return { problem: "a \\u escape is half of a surrogate pair" };
    return scanner.outOfRange ? { problem: scanner.outOfRange } : { duplicates: duplicatesIn(root) };
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return { problem: problem.message };
  }
}

class Scanner {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.outOfRange = "";
  }

  document() {
    this.blank();
    const value = this.value("");
    this.blank();
    if (this.at < this.text.length) this.fail("Extra data", this.at);
    return value;
  }

  fail(message, at) {
    const before = this.text.slice(0, at);
    const position = Array.from(before).length;
    const line = before.split("\n").length;
    const column = position - Array.from(before.slice(0, before.lastIndexOf("\n") + 1)).length + 1;
    throw new Problem(`${message}: line ${line} column ${column} (char ${position})`);
  }

  blank() {
    while (this.at < this.text.length && BLANK.includes(this.text[this.at])) this.at++;
  }

  /** `path` is the way to the value as msgspec writes it. */
  value(path) {
    const { text, at } = this;
    const first = text[at];
    if (first === '"') return this.string();
    if (first === "{") return this.object(path);
    if (first === "[") return this.array(path);
    for (const word of ["null", "true", "false"]) {
      if (text.startsWith(word, at)) {
        this.at += word.length;
        return null;
      }
    }
    for (const word of CONSTANTS) if (text.startsWith(word, at)) throw new Problem(`${word} is not JSON`);
    NUMBER.lastIndex = at;
    const found = NUMBER.exec(text);
    if (!found) this.fail("Expecting value", at);
    this.at += found[0].length;
    this.outOfRange ||= rangeProblem(found[0], path);
    return null;
  }

  string() {
    const begin = this.at;
    let at = begin + 1;
    for (;;) {
      if (at >= this.text.length) this.fail("Unterminated string starting at", begin);
      const letter = this.text[at];
      if (letter === '"') break;
      if (letter < " ") this.fail("Invalid control character at", at);
      if (letter !== "\\") at++;
      else at += this.escape(at, begin);
    }
    this.at = at + 1;
    return JSON.parse(this.text.slice(begin, this.at));
  }

  escape(at, begin) {
    if (at + 1 >= this.text.length) this.fail("Unterminated string starting at", begin);
    const letter = this.text[at + 1];
    if ('"\\/bfnrt'.includes(letter)) return 2;
    if (letter !== "u") this.fail("Invalid \\escape", at);
    if (at + 6 >= this.text.length || !/^[0-9a-fA-F]{4}$/.test(this.text.slice(at + 2, at + 6))) {
      this.fail("Invalid \\uXXXX escape", at + 1);
    }
    return 6;
  }

  object(path) {
    const pairs = new Pairs();
    this.at++;
    this.blank();
    if (this.text[this.at] === "}") {
      this.at++;
      return pairs;
    }
    for (;;) {
      if (this.text[this.at] !== '"') this.fail("Expecting property name enclosed in double quotes", this.at);
      const name = this.string();
      this.blank();
      if (this.text[this.at] !== ":") this.fail("Expecting ':' delimiter", this.at);
      this.at++;
      this.blank();
      pairs.push([name, this.value(`${path}[...]`)]);
      if (this.ends("}")) return pairs;
    }
  }

  array(path) {
    const items = [];
    this.at++;
    this.blank();
    if (this.text[this.at] === "]") {
      this.at++;
      return items;
    }
    for (;;) {
      items.push(this.value(`${path}[${items.length}]`));
      if (this.ends("]")) return items;
    }
  }

  /** Whether a container ends here; otherwise goes on behind the comma. */
  ends(close) {
    this.blank();
    const letter = this.text[this.at];
    if (letter !== close && letter !== ",") this.fail("Expecting ',' delimiter", this.at);
    this.at++;
    if (letter === ",") this.blank();
    return letter === close;
  }
}

function rangeProblem(written, path) {
  const isInteger = /^-?\d+$/.test(written);
  const fits = isInteger ? written.replace("-", "").length <= MAX_DIGITS : Number.isFinite(Number(written));
  if (fits) return "";
  return `${isInteger ? "Integer value" : "Number"} out of range${path ? ` - at \`$${path}\`` : ""}`;
}

function hasLoneSurrogate(root) {
  const pending = [root];
  while (pending.length) {
    const node = pending.pop();
    if (typeof node === "string" && !node.isWellFormed()) return true;
    if (Array.isArray(node)) for (const item of node) pending.push(item);
  }
  return false;
}

function duplicatesIn(root) {
  const found = [];
  const visit = (node, path) => {
    if (!Array.isArray(node) || found.length >= MOST) return;
    if (node instanceof Pairs) for (const name of repeated(node)) found.push([path, name]);
    const below = node instanceof Pairs ? node : node.map((item, index) => [index, item]);
    for (const [name, item] of below) visit(item, [...path, name]);
  };
  visit(root, []);
  return found.slice(0, MOST);
}

function repeated(pairs) {
  const known = new Set();
  const twice = new Set();
  for (const [name] of pairs) (known.has(name) ? twice : known).add(name);
  return twice;
}
