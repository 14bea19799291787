// Patterns: ECMA-262 expressions in unicode mode, which may use what browsers forgive without it; searches that
// a backtracking engine could take exponential time for follow an automaton instead.

import { lengthOf } from "./json_values.js";

/** A search that would take too many steps. */
export class SearchTooLongError extends Error {
  constructor(pattern, length) {
    const shown = pattern.length <= 200 ? pattern : `${pattern.slice(0, 200)}…`;
    super(
      `to find out whether a text of ${length} characters matches the pattern \`${shown}\` would take too many ` +
        "steps; send a shorter text",
    );
    this.pattern = pattern;
  }
}

const SYNTAX = new Set("^$\\.*+?()[]{}|/");
const CLASS_SYNTAX = new Set([...SYNTAX, "-"]);
const LETTERS = /[A-Za-z0-9]/u;
const BRACES = /\{[0-9]+(?:,[0-9]*)?\}/y;

const ENDLESS = /(?:[*+]|\{[0-9]+,\})\??/y;
const ONE_CHARACTER = /^(?:\[[\s\S]|\\[^bBk1-9]|[^\\()|^$*+?])/u;

/**
 * The source of a pattern for the flag `u`: `{`, `}` and `]` that cannot be syntax, and punctuation that is escaped
 * without need, stand for themselves; a look-ahead may be repeated.
 *
 * What matches from the middle of a run of characters that begins the pattern matches from its start, too. To try
 * only there makes `\s+$` linear in a long run of spaces, where a search from each of them is quadratic.
 */
export function unicodeSource(pattern) {
  const out = [];
  const groups = []; // what closes each open group
  let leading = "";
  let hasAlternatives = false;
  let at = 0;
  while (at < pattern.length) {
    if (out.length === 1 && ONE_CHARACTER.test(out[0])) {
      ENDLESS.lastIndex = at;
      if (ENDLESS.test(pattern) && ENDLESS.lastIndex < pattern.length) leading = out[0];
    }
    const char = pattern[at];
    if (char === "\\") {
      const [text, end] = escapeAt(pattern, at, SYNTAX);
      out.push(text);
      at = end;
    } else if (char === "[") {
      const [text, end] = classAt(pattern, at);
      out.push(text);
      at = end;
    } else if (char === "(") {
      const ahead = pattern.startsWith("(?=", at) || pattern.startsWith("(?!", at);
      groups.push(ahead ? "))" : ")");
      out.push(ahead ? "(?:(" : "(");
      at++;
    } else if (char === ")") {
      out.push(groups.pop() ?? ")");
      at++;
    } else if (char === "{") {
      BRACES.lastIndex = at;
      const found = BRACES.exec(pattern);
      out.push(found ? found[0] : "\\{");
      at += found ? found[0].length : 1;
    } else {
      const text = String.fromCodePoint(pattern.codePointAt(at));
      out.push(text === "}" || text === "]" ? `\\${text}` : text);
      at += text.length;
      if (text === "|" && !groups.length) hasAlternatives = true;
    }
  }
  return (leading && !hasAlternatives ? `(?<!${leading})` : "") + out.join("");
}

const LONG_ESCAPE = new RegExp(
  "\\\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}" + // half of a pair, and the other
    "|u\\{[0-9a-fA-F]+\\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\\{[^}]*\\})",
  "y",
);

/** An escape, and where it ends. Letters and digits keep their meaning, or have none and are refused. */
function escapeAt(pattern, at, punctuation) {
  LONG_ESCAPE.lastIndex = at;
  const long = LONG_ESCAPE.exec(pattern);
  if (long) return [long[0], LONG_ESCAPE.lastIndex];
  if (at + 1 === pattern.length) return ["\\", at + 1];
  const char = String.fromCodePoint(pattern.codePointAt(at + 1));
  const keeps = LETTERS.test(char) || punctuation.has(char);
  return [keeps ? `\\${char}` : char, at + 1 + char.length];
}

/** A character class, and where it ends. Next to `\w` and the like the dash is itself. */
function classAt(pattern, start) {
  const out = ["["];
  let at = start + 1;
  if (pattern[at] === "^") {
    out.push("^");
    at++;
  }
  while (at < pattern.length && pattern[at] !== "]") {
    const [first, afterFirst] = classAtom(pattern, at);
    out.push(first);
    at = afterFirst;
    const isRange = pattern[at] === "-" && at + 1 < pattern.length && pattern[at + 1] !== "]";
    if (!isRange) continue;
    const [last, afterLast] = classAtom(pattern, at + 1);
    out.push(isSet(first) || isSet(last) ? "\\-" : "-", last);
    at = afterLast;
  }
  out.push(pattern.slice(at, at + 1));
  return [out.join(""), at + 1];
}

const isSet = (atom) => /^\\[dDwWsSpP]/u.test(atom);
function classAtom(pattern, at) {
  if (pattern[at] === "\\") return escapeAt(pattern, at, CLASS_SYNTAX);
  const char = String.fromCodePoint(pattern.codePointAt(at));
  return [char === "-" ? "\\-" : char, at + char.length];
}

/**
 * The expression of a pattern.
 *
 * @throws {SyntaxError} for what is no ECMA-262 pattern
 */
export const expression = (pattern) => new RegExp(unicodeSource(pattern), "u");

/**
 * How a pattern is searched for where a backtracking engine may need too many steps; the compiler knows.
 *
 * @typedef {object} SlowPattern
 * @property {number} fast - characters up to which any text is searched by the engine
 * @property {number} longest - characters past which a text is not searched at all, where there is no automaton
 * @property {Automaton} [automaton] - searches longer texts in linear time
 */

/** A pattern ready for any number of texts. */
export class Search {
  /**
   * @param {string} pattern - the pattern of the schema
   * @param {SlowPattern} [slow] - absent where the engine is always quick
   */
  constructor(pattern, slow) {
    this.pattern = pattern;
    this.expression = expression(pattern);
    this.slow = slow;
    this.simulation = slow?.automaton ? new Simulation(slow.automaton) : null;
  }

  /** Whether the pattern is found in a text. Throws SearchTooLongError. */
  finds(text) {
    const { slow } = this;
    if (slow === undefined) return this.expression.test(text);
    const length = lengthOf(text);
    if (length <= slow.fast) return this.expression.test(text);
    if (this.simulation) return this.simulation.finds(text);
    if (length <= slow.longest) return this.expression.test(text);
    throw new SearchTooLongError(this.pattern, length);
  }
}

/**
 * The automaton of a pattern: a state for each of its characters, and classes of characters that it distinguishes.
 *
 * @typedef {object} Automaton
 * @property {number[]} starts - first code point of each range of code points, ascending
 * @property {number[]} kinds - the class of each range
 * @property {number[][]} accepted - the classes that lead into each state
 * @property {number[][]} follow - the states that may follow each
 * @property {[number, number][]} ends - states in which the pattern may end: 0 anywhere, 1 at the end of the text
 * @property {number | null} initially - whether it matches the empty text at the start: as in `ends`
 * @property {number | null} later - the same behind the start
 */

const NOTHING = 0;
const AT_END = 1;

/** Follows all paths through an automaton together. */
class Simulation {
  constructor(automaton) {
    this.automaton = automaton;
    this.accepted = automaton.accepted.map((kinds) => new Set(kinds));
    this.ends = new Map(automaton.ends);
  }

  finds(text) {
    const { initially, later } = this.automaton;
    if (initially === NOTHING) return true;
    let states = [0];
    const known = new Map();
    for (const character of text) {
      const step = `${kindOf(this.automaton, character.codePointAt(0))}:${states.join()}`;
      let after = known.get(step);
      if (after === undefined) known.set(step, (after = this.#next(states, character)));
      if (after === null) return true;
      if (!after.length) return false;
      states = after;
    }
    const empty = text ? later : initially;
    return empty === AT_END || states.some((state) => this.ends.has(state));
  }

  /** The states behind one more character; null where the pattern has been found. */
  #next(states, character) {
    const kind = kindOf(this.automaton, character.codePointAt(0));
    const after = new Set();
    for (const state of states) {
      for (const following of this.automaton.follow[state]) {
        if (this.accepted[following].has(kind)) after.add(following);
      }
    }
    for (const state of after) if (this.ends.get(state) === NOTHING) return null;
    return [...after].sort((a, b) => a - b);
  }
}

/** The kind of a character: `starts` are the first code points of the ranges of characters that no rule tells apart. */
export function kindOf({ starts, kinds }, point) {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= point) low = middle;
    else high = middle;
  }
  return kinds[low];
}
