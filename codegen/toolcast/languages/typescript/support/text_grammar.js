// The grammar of a tool whose argument is one text: a regular expression that matches all of it.

import { violation } from "./node.js";
import { kindOf } from "./patterns.js";

/** Bytes of a text, as UTF-8: the bound of the tool's program, too. */
const MAX_TEXT = 256 * 1024;
/** Steps for one text. */
const MAX_STEPS = 1_000_000;
const LAST = 0x10ffff;
const EXCERPT = 30;
const LONGEST = 60;

/**
 * A regular expression, as the compiler read it: a state for each of its characters, and classes of characters that it
 * distinguishes. State 0 is the start.
 *
 * @typedef {object} Grammar
 * @property {string} definition - as the spec has it
 * @property {boolean} empty - whether it matches the empty text
 * @property {number[]} starts - first code point of each range of code points, ascending
 * @property {number[]} kinds - the class of each range
 * @property {number[][]} accepted - the classes that lead into each state
 * @property {number[][]} follow - the states that may follow each
 * @property {number[]} ends - the states behind which the text may end
 */

/** What is wrong with the text of a call; nothing where the grammar has it. */
export function textViolations(grammar, text) {
  const problem = new Reading(grammar).problem(text);
  return problem === null ? [] : [violation("$.input", `the text ${problem}`, "input", grammar.definition)];
}

/** One text's run: the states that lead on together are numbered as the text needs them. */
class Reading {
  constructor(grammar) {
    this.grammar = grammar;
    this.ends = new Set(grammar.ends);
    this.sets = [[0]];
    this.numbers = new Map([["0", 0]]);
    this.next = [new Map()];
    this.mayEnd = [grammar.empty];
    this.steps = grammar.empty ? 2 : 1;
  }

  /** What does not fit, where, and what was expected there, as a predicate of the text; null where nothing is. */
  problem(text) {
    const size = new TextEncoder().encode(text).length;
    if (size > MAX_TEXT) {
      return `has ${grouped(size)} bytes, too many to be checked: send at most ${grouped(MAX_TEXT)}`;
    }
    let state = 0;
    let at = 0;
    for (const character of text) {
      const after = this.#advance(state, kindOf(this.grammar, character.codePointAt(0)));
      if (this.steps > MAX_STEPS) {
        const place = placeOf(text, at);
        return (
          `cannot be checked with reasonable work (it was read up to ${place}): send a shorter text, ` +
          "or one that can be read in fewer ways"
        );
      }
      if (after < 0) return this.#mismatch(text, at, state);
      state = after;
      at++;
      if (this.mayEnd[state]) this.steps += 2;
    }
    return this.mayEnd[state] ? null : this.#mismatch(text, at, state);
  }

  #advance(state, kind) {
    this.steps++;
    const known = this.next[state].get(kind);
    if (known !== undefined) return known;
    const { accepted, follow } = this.grammar;
    const after = new Set();
    for (const one of this.sets[state]) {
      this.steps += 1 + follow[one].length;
      for (const each of follow[one]) if (accepted[each].includes(kind)) after.add(each);
    }
    const number = after.size ? this.#number([...after].sort((a, b) => a - b)) : -1;
    this.next[state].set(kind, number);
    return number;
  }

  #number(states) {
    const name = states.join();
    if (!this.numbers.has(name)) {
      this.numbers.set(name, this.sets.length);
      this.sets.push(states);
      this.next.push(new Map());
      this.mayEnd.push(states.some((each) => this.ends.has(each)));
    }
    return this.numbers.get(name);
  }

  #mismatch(text, at, state) {
    const ranges = this.#continuations(state);
    const expected = ranges.length || state === 0 ? [classText(ranges)] : [];
    if (this.mayEnd[state]) expected.push("the end of the text");
    const wanted = expected.length ? `expected ${expected.join(" or ")}` : "nothing fits";
    const rest = Array.from(text).slice(at, at + EXCERPT + 1);
    const excerpt = rest.slice(0, EXCERPT).join("") + (rest.length > EXCERPT ? "…" : "");
    const here = excerpt ? `found ${JSON.stringify(excerpt)}` : "the text ends";
    return `does not fit the grammar at ${placeOf(text, at)}: ${wanted}, but ${here}`;
  }

  /** The ranges of the characters that may follow. */
  #continuations(state) {
    const { accepted, follow, starts, kinds } = this.grammar;
    const wanted = new Set(this.sets[state].flatMap((one) => follow[one].flatMap((each) => accepted[each])));
    const ranges = [];
    kinds.forEach((kind, index) => {
      if (!wanted.has(kind)) return;
      const last = (starts[index + 1] ?? LAST + 1) - 1;
      if (ranges.length && ranges.at(-1)[1] === starts[index] - 1) ranges.at(-1)[1] = last;
      else ranges.push([starts[index], last]);
    });
    return ranges;
  }
}

/** A number with a comma before each three digits. */
function grouped(number) {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Line and column of a character, from 1. */
function placeOf(text, at) {
  const before = Array.from(text).slice(0, at);
  return `line ${before.filter((each) => each === "\n").length + 1}, column ${at - before.lastIndexOf("\n")}`;
}

/** A set of characters as a regular expression has it; of a long one the part in ASCII. */
function classText(ranges) {
  if (ranges.length === 1 && ranges[0][0] === ranges[0][1] && ranges[0][0] !== 0x22) {
    return JSON.stringify(String.fromCodePoint(ranges[0][0]));
  }
  const shown = sourceText(ranges);
  if (shown.length <= LONGEST) return shown;
  const ascii = ranges.filter(([low]) => low < 0x80).map(([low, high]) => [low, Math.min(high, 0x7f)]);
  return `${sourceText(ascii).slice(0, LONGEST)} or the like outside of ASCII`;
}

function sourceText(ranges) {
  if (!ranges.length) return "(?!)";
  if (ranges.length === 1 && ranges[0][0] === 0 && ranges[0][1] === LAST) return "[\\s\\S]";
  if (ranges.length === 1 && ranges[0][0] === ranges[0][1]) return pointText(ranges[0][0], SYNTAX);
  const inverse = complement(ranges);
  const [negate, shown] = inverse.length < ranges.length ? ["^", inverse] : ["", ranges];
  return `[${negate}${shown.map(spanText).join("")}]`;
}

function complement(ranges) {
  const gaps = [];
  let start = 0;
  for (const [low, high] of ranges) {
    if (low > start) gaps.push([start, low - 1]);
    start = high + 1;
  }
  if (start <= LAST) gaps.push([start, LAST]);
  return gaps;
}

const SYNTAX = "\\.^$*+?{}[]|()";
const CLASS_SYNTAX = "\\^-[]&~|";

function spanText([low, high]) {
  const first = pointText(low, CLASS_SYNTAX);
  if (low === high) return first;
  return `${first}${high === low + 1 ? "" : "-"}${pointText(high, CLASS_SYNTAX)}`;
}

function pointText(point, syntax) {
  const character = String.fromCodePoint(point);
  if (point >= 0x20 && point < 0x7f) return syntax.includes(character) ? `\\${character}` : character;
  if (point < 0x80) return `\\x${point.toString(16).padStart(2, "0")}`;
  return point <= 0xffff ? `\\u${point.toString(16).padStart(4, "0")}` : `\\U${point.toString(16).padStart(8, "0")}`;
}
