// What a tool's contract decides about a value, as the tool's program does.

import { Defaults } from "./defaults.js";
import { has, isPlainObject, put } from "./json_values.js";
import { member } from "./messages.js";
import { violation } from "./node.js";
import { Searches } from "./patterns.js";
import { readJson } from "./read_json.js";
import { Validator } from "./validator.js";

const LIMIT = 50;

/** A value that a contract refuses: `violations` has all that is wrong with it, 50 at most. */
export class ContractError extends Error {
  constructor(violations) {
    super(violations.map((one) => one.message).join("\n"));
    this.name = "ContractError";
    this.violations = violations;
  }
}

/** The contract of a tool's parameters, or of its result. */
export class Contract {
  #options;
  #compiled = null;
  #defaults;
  #emptyIsAbsent;
  #injected;

  /**
   * @param {object | boolean} schema - the schema, with what it refers to in `$defs`
   * @param {object} [options]
   * @param {string[]} [options.emptyIsAbsent] - parameters that an empty text leaves out
   * @param {string[]} [options.injected] - parameters that the program fills in, and nobody else may set
   * @param {Record<string, object>} [options.defaults] - by definition, as `Plan` in defaults.js
   * @param {Record<string, object>} [options.slowPatterns] - patterns that a regular expression may be slow with
   */
  constructor(schema, { emptyIsAbsent = [], injected = [], defaults = {}, slowPatterns = {} } = {}) {
    this.schema = schema;
    this.#options = { slowPatterns };
    this.#defaults = new Defaults(schema, defaults, this.#options);
    this.#emptyIsAbsent = emptyIsAbsent;
    this.#injected = new Set(injected.map(folded));
  }

  /** The validator, compiled at first use: a program may know many tools and call few. */
  get #validator() {
    return (this.#compiled ??= new Validator(this.schema, this.#options));
  }

  /** Whether the contract accepts a value. */
  accepts(value) {
    return this.violations(value).length === 0;
  }

  /** All that is wrong with a value, 50 violations at most; none where it is accepted. */
  violations(value) {
    return this.#judge(value).violations;
  }

  /**
   * The typed value, with the defaults of what is absent.
   *
   * @throws {ContractError} with all violations
   */
  parse(value) {
    const { violations, accepted, searches } = this.#judge(value);
    if (violations.length) throw new ContractError(violations);
    return this.#defaults.fill(accepted, searches);
  }

  /**
   * The typed value of a JSON text. Unlike `JSON.parse` this reads every integer exactly, one past 2**53 as a bigint,
   * and refuses an object that has a key twice.
   *
   * @throws {ContractError} with all violations, and where the text is no JSON
   */
  parseText(text) {
    const { value, problem } = readJson(text);
    if (problem) throw new ContractError([problem]);
    return this.parse(value);
  }

  #judge(given) {
    const sent = this.#sentInjected(given);
    if (sent.length) {
      const own = sent.map((name) => violation(member("$", name), injectedText(name), "inject", name));
      const kept = without(given, (name) => sent.includes(name));
      return { violations: [...own, ...this.#judge(kept).violations].slice(0, LIMIT) };
    }
    const value = this.#withoutEmpty(given);
    const searches = new Searches();
    const settled = this.#validator.settle(value, searches);
    const violations = this.#validator.violations(settled, LIMIT, searches);
    if (!violations.length) return { violations, accepted: asGiven(settled, value), searches };
    return this.#validator.accepts(value, searches) ? { violations: [], accepted: value, searches } : { violations };
  }

  #withoutEmpty(value) {
    if (!this.#emptyIsAbsent.length || !isPlainObject(value)) return value;
    return without(value, (name) => value[name] === "" && this.#emptyIsAbsent.includes(name));
  }

  /** Names that stand for parameters which the program fills in. What reads them behind a handler may take another
   * spelling for the name itself, so one counts, too, unless it is a parameter of its own. */
  #sentInjected(value) {
    if (!this.#injected.size || !isPlainObject(value)) return [];
    const known = this.schema.properties ?? {};
    return Object.keys(value).filter((name) => !has(known, name) && this.#injected.has(folded(name)));
  }
}

/** The same text for all spellings of a name: case, compatibility forms, percent-encoding, and all but letters, marks,
 * digits and symbols. */
function folded(name) {
  let text = name.normalize("NFKC");
  for (let level = 0; level < 4 && text.includes("%"); level++) {
    const plain = text.replace(/%(?:25)+/g, "%").replaceAll("+", " ");
    text = plain.replace(/(?:%[0-9A-Fa-f]{2})+/g, percentDecoded).normalize("NFKC");
  }
  return written(written(text).toUpperCase().toLowerCase().normalize("NFKC")) || name;
}

function percentDecoded(run) {
  const bytes = run.slice(1).split("%").map((digits) => Number.parseInt(digits, 16));
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

const UNWRITTEN = /[^\p{L}\p{M}\p{N}\p{S}]|[+\u2800\u{1d159}]|\p{Default_Ignorable_Code_Point}/gu;
const written = (text) => text.replace(UNWRITTEN, "");

function injectedText(name) {
  const characters = Array.from(name);
  const shown = characters.length <= 100 ? name : `${characters.slice(0, 100).join("")}…`;
  return `\`${shown}\` is filled in by the program and cannot be set; leave it out`;
}

function without(value, drops) {
  const kept = {};
  for (const name of Object.keys(value)) if (!drops(name)) put(kept, name, value[name]);
  return kept;
}

/** A settled value with the doubles that settling has made bigints. */
function asGiven(settled, given) {
  if (settled === given) return settled;
  if (typeof settled === "bigint") return given;
  if (typeof settled !== "object" || settled === null) return settled;
  const copy = Array.isArray(settled) ? [] : {};
  for (const name of Object.keys(settled)) put(copy, name, asGiven(settled[name], given[name]));
  return copy;
}
