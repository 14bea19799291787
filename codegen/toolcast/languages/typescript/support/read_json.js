// JSON texts, read exactly: integers past 2**53 become bigints, and an object that has a key twice is refused.

import { MAX_DEPTH } from "./json_values.js";
import { label, member } from "./messages.js";
import { violation } from "./node.js";

const BLANK = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const MAX_DIGITS = 4300; // past it, reading takes time that is quadratic in their number
const MAX_TEXT = 4 * 1024 * 1024;
const WORDS = { true: true, false: false, null: null };

/** A text that is no JSON. */
class SyntaxProblem extends Error {}

/**
 * Read a JSON text.
 *
 * @param {string} text - the text, of 4 MiB characters at most
 * @returns {{ value: unknown, problem: null } | { value: undefined, problem: object }} the value, or the violation
 */
export function readJson(text) {
  if (text.length > MAX_TEXT) {
    const message = `the text is too large: ${text.length} characters, ${MAX_TEXT} allowed`;
    return { value: undefined, problem: violation("$", message, "json") };
  }
  const reader = new Reader(text);
  try {
    return { value: reader.document(), problem: null };
  } catch (problem) {
    if (!(problem instanceof SyntaxProblem)) throw problem;
    return { value: undefined, problem: reader.problem ?? violation("$", problem.message, "json") };
  }
}

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.problem = null;
  }

  document() {
    const value = this.#value("$", 0);
    this.#blank();
    if (this.at < this.text.length) this.#fail("there is text behind the value");
    return value;
  }

  #fail(reason) {
    throw new SyntaxProblem(`the text is not valid JSON: ${reason} at offset ${this.at}`);
  }

  #blank() {
    BLANK.lastIndex = this.at;
    BLANK.exec(this.text);
    this.at = BLANK.lastIndex;
  }

  #token(expression) {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text);
    if (found) this.at = expression.lastIndex;
    return found;
  }

  #value(path, depth) {
    this.#blank();
    const first = this.text[this.at];
    if (first === '"') return this.#string();
    if (first === "{" || first === "[") {
      if (depth === MAX_DEPTH) {
        this.problem = violation("$", `the value is nested too deeply: more than ${MAX_DEPTH} levels`, "depth", MAX_DEPTH);
        this.#fail("too deep");
      }
      this.at++;
      return first === "{" ? this.#object(path, depth) : this.#array(path, depth);
    }
    const number = this.#token(NUMBER);
    if (number) return this.#number(number);
    for (const word of Object.keys(WORDS)) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return WORDS[word];
      }
    }
    return this.#fail("a value is missing");
  }

  #number([digits, fraction, exponent]) {
    const value = Number(digits);
    const isDouble = fraction !== undefined || exponent !== undefined;
    if (isDouble ? !Number.isFinite(value) : digits.length > MAX_DIGITS) this.#fail("the number is out of range");
    return isDouble || Number.isSafeInteger(value) ? value : BigInt(digits);
  }

  #string() {
    const found = this.#token(STRING);
    if (!found) this.#fail("a string is not well formed");
    const text = JSON.parse(found[0]);
    if (/\p{Cs}/u.test(text)) this.#fail("a \\u escape is half of a surrogate pair");
    return text;
  }

  #array(path, depth) {
    const items = [];
    this.#blank();
    if (this.text[this.at] === "]") {
      this.at++;
      return items;
    }
    for (;;) {
      items.push(this.#value(`${path}[${items.length}]`, depth + 1));
      this.#blank();
      const next = this.text[this.at++];
      if (next === "]") return items;
      if (next !== ",") this.#fail("`,` or `]` is missing");
    }
  }

  #object(path, depth) {
    const entries = new Map();
    this.#blank();
    if (this.text[this.at] === "}") {
      this.at++;
      return {};
    }
    for (;;) {
      this.#blank();
      if (this.text[this.at] !== '"') this.#fail("a name is missing");
      const name = this.#string();
      this.#blank();
      if (this.text[this.at++] !== ":") this.#fail("`:` is missing");
      if (entries.has(name)) {
        const where = path === "$" ? "" : ` in ${label(path)}`;
        const shown = name.length <= 100 ? name : `${name.slice(0, 100)}…`;
        const message = `duplicate property \`${shown}\`${where}; send it once`;
        this.problem = violation(member(path, name), message, "duplicate", name);
        this.#fail("a property stands twice");
      }
      entries.set(name, this.#value(member(path, name), depth + 1));
      this.#blank();
      const next = this.text[this.at++];
      if (next === "}") return Object.fromEntries(entries);
      if (next !== ",") this.#fail("`,` or `}` is missing");
    }
  }
}
