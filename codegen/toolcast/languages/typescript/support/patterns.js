// Patterns: ECMA-262 expressions in unicode mode, which may use what browsers forgive without it; searches that
// a backtracking engine could take exponential time for follow an automaton instead. All have bounded work.

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
 * @property {number} [fast] - characters up to which any text is searched by the engine; absent: any number
 * @property {number} [beyond] - further steps for each comparison with a character past U+FFFF
 * @property {number} [compared] - how often a fast search compares each character, where `beyond` is present
 * @property {Automaton} [automaton] - searches longer texts
 * @property {number[]} [levels] - without an automaton: the longest text whose search takes one step at most, two,
 *   four, and so on
 */

const STEPS = 2 ** 26;
const PER_CHARACTER = 16;
const CHARACTER = 8;
const KNOWN_CLASS = 192;
const SET = 48;
const KEPT = 2 ** 24;
const ROW = 512;
const ENTRY = 128;

/** The bytes of a text in UTF-8. */
const sizeOf = (text) => new TextEncoder().encode(text).length;

/** A pattern ready for any number of texts. */
export class Search {
  /**
   * @param {string} pattern - the pattern of the schema
   * @param {SlowPattern} [slow] - absent where the engine is always quick, whatever the characters
   */
  constructor(pattern, slow) {
    this.pattern = pattern;
    this.expression = expression(pattern);
    this.slow = slow;
    this.fast = slow?.fast ?? Infinity;
    this.simulation = slow?.automaton ? new Simulation(slow.automaton) : null;
  }

  /** Whether a text of this length is searched by the engine, whatever it is. */
  isFast(length) {
    return length <= this.fast;
  }

  /** The steps that a search by the engine counts. */
  steps(text, length) {
    const { beyond = 0, compared = 0 } = this.slow ?? {};
    const past = text.length - length; // characters of two units
    if (this.isFast(length)) return PER_CHARACTER * (sizeOf(text) + 4) + past * compared * beyond;
    const level = this.slow.levels.findIndex((longest) => length <= longest);
    return level < 0 ? Infinity : 2 ** level * (past ? 1 + beyond : 1);
  }
}

/**
 * The searches of one call. They share `STEPS`, and a pattern is searched for in a text once. Steps are counted as
 * the tool's program counts them, so that both refuse the same texts.
 */
export class Searches {
  #left = STEPS;
  #found = new Map();
  #readers = new Map();

  /** Whether a pattern is found in a text. Throws SearchTooLongError. */
  finds(search, text) {
    if (!this.#found.has(search.pattern)) this.#found.set(search.pattern, new Map());
    const known = this.#found.get(search.pattern);
    let found = known.get(text);
    if (found === undefined) known.set(text, (found = this.#search(search, text)));
    return found;
  }

  #search(search, text) {
    const length = lengthOf(text);
    let found = false;
    let steps = 0;
    if (search.simulation && !search.isFast(length)) {
      if (!this.#readers.has(search.pattern)) this.#readers.set(search.pattern, new Reader(search.simulation));
      [found, steps] = this.#readers.get(search.pattern).find(text, this.#left);
    } else {
      steps = search.steps(text, length);
      found = steps <= this.#left && search.expression.test(text);
    }
    this.#left = Math.max(this.#left - steps, -1);
    if (this.#left < 0) throw new SearchTooLongError(search.pattern, length);
    return found;
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
const START = 1n;

/**
 * An automaton whose sets of states are integers, their bits the states. `groups`: states that lead to the same others,
 * besides themselves (`stay`) and the next (`advance`).
 */
class Simulation {
  constructor(automaton) {
    const { accepted, follow, ends } = automaton;
    this.automaton = automaton;
    this.width = Math.floor(follow.length / 64);
    this.letters = [...grouped(accepted).values()].map(([kinds, states]) => [new Set(kinds), states]);
    this.stay = setOf(follow.flatMap((row, state) => (row.includes(state) ? [state] : [])));
    this.advance = setOf(follow.flatMap((row, state) => (row.includes(state + 1) ? [state] : [])));
    const others = follow.map((row, state) => row.filter((each) => each !== state && each !== state + 1));
    this.groups = [...grouped(others).values()]
      .filter(([row]) => row.length)
      .map(([row, states]) => [states, setOf(row)]);
    this.ends = setOf(ends.map(([state]) => state));
    this.found = setOf(ends.filter(([, needs]) => needs === NOTHING).map(([state]) => state));
  }

  /** The states that a class of characters enters. */
  entered(kind) {
    return this.letters.reduce((found, [kinds, states]) => (kinds.has(kind) ? found | states : found), 0n);
  }

  /** The states behind one more character, which enters `entered`. */
  after(states, entered) {
    let found = ((states & this.advance) << 1n) | (states & this.stay);
    for (const [group, others] of this.groups) if (states & group) found |= others;
    return found & entered;
  }
}

const setOf = (states) => states.reduce((found, state) => found | (1n << BigInt(state)), 0n);

/** Equal lists, and the set of the positions of each. */
function grouped(lists) {
  const found = new Map();
  lists.forEach((list, position) => {
    const sorted = [...list].sort((a, b) => a - b);
    const name = sorted.join();
    found.set(name, [sorted, (found.get(name)?.[1] ?? 0n) | (1n << BigInt(position))]);
  });
  return found;
}

/**
 * Reads the texts of one call by a simulation. It keeps the sets that it has met, up to `KEPT`: a row is a set of states,
 * and the rows behind it, by character and by class of characters.
 */
class Reader {
  #simulation;
  #rows = new Map();
  #entered = new Map();
  #kept = 0;
  #steps = 0;

  constructor(simulation) {
    this.#simulation = simulation;
  }

  /** Whether the pattern finds something in a text, and the steps that this took; more than `most` without a verdict. */
  find(text, most) {
    const { automaton, ends, found } = this.#simulation;
    if (automaton.initially === NOTHING) return [true, CHARACTER];
    this.#steps = CHARACTER * (sizeOf(text) + 1);
    if (this.#steps > most) return [false, Infinity];
    let row = this.#row(START);
    for (const character of text) {
      const known = row.after.get(character);
      if (known !== undefined) {
        row = known;
        continue;
      }
      const before = row.after;
      row = this.#next(row, character);
      if (this.#steps > most || !row.states || row.states & found) return [row.states !== 0n, this.#steps];
      before.set(character, row);
    }
    const empty = text ? automaton.later : automaton.initially;
    return [empty === AT_END || (row.states & ends) !== 0n, this.#steps];
  }

  #next(row, character) {
    const simulation = this.#simulation;
    const kind = kindOf(simulation.automaton, character.codePointAt(0));
    this.#steps += KNOWN_CLASS;
    this.#keep(ENTRY);
    let after = row.after.get(kind);
    if (after === undefined) {
      const price = SET + Math.floor((SET * simulation.width) / 16);
      if (!this.#entered.has(kind)) {
        this.#steps += simulation.letters.length * price;
        this.#keep(8 * simulation.width + ENTRY);
        this.#entered.set(kind, simulation.entered(kind));
      }
      this.#steps += (simulation.groups.length + 8) * price;
      after = this.#row(simulation.after(row.states, this.#entered.get(kind)));
      row.after.set(kind, after);
    }
    return after;
  }

  #row(states) {
    const key = states.toString(32); // the hash of a BigInt has its last digit only
    let row = this.#rows.get(key);
    if (row === undefined) {
      this.#keep(16 * this.#simulation.width + ROW);
      this.#rows.set(key, (row = { states, after: new Map() }));
    }
    return row;
  }

  #keep(size) {
    this.#kept += size;
    if (this.#kept <= KEPT) return;
    for (const row of this.#rows.values()) row.after.clear(); // they lead to one another
    this.#rows.clear();
    this.#entered.clear();
    this.#kept = 0;
  }
}

/** The kind of a character: `starts` are the first code points of the ranges of characters that no rule tells apart. */
function kindOf({ starts, kinds }, point) {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= point) low = middle;
    else high = middle;
  }
  return kinds[low];
}
