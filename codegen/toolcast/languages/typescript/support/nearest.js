// The known name that is most like a name: Ratcliff and Obershelp's measure, as Python's difflib has it.

import { compareTexts, head } from "./json_values.js";

const CUTOFF = 0.6;
const MAX_KNOWN = 1000;
const MAX_NAME = 200;

/**
 * The known name most like `name`.
 *
 * @param {string} name - a name
 * @param {Iterable<string>} known - the names that exist
 * @returns {string | null} null where none is like it
 */
export function nearest(name, known) {
  const folded = new Map();
  for (const other of [...known].sort(compareTexts)) folded.set(fold(other), other);
  const wanted = fold(head(name, MAX_NAME));
  const found = closest(wanted, [...folded.keys()].slice(0, MAX_KNOWN));
  if (found !== null) return folded.get(found);
  if (!wanted) return null;
  for (const [text, other] of folded) {
    if (Array.from(text).length > 2 && (wanted.includes(text) || text.includes(wanted))) return other;
  }
  return null;
}

const fold = (name) => name.toLowerCase().replaceAll("-", "_");

function closest(wanted, texts) {
  const second = Array.from(wanted);
  const positions = positionsOf(second);
  let best = null;
  let score = CUTOFF;
  for (const text of texts) {
    const first = Array.from(text);
    const total = first.length + second.length;
    if (total && (2 * Math.min(first.length, second.length)) / total < score) continue;
    const ratio = total ? (2 * matching(first, second, positions)) / total : 1;
    if (ratio > score || (ratio === score && (best === null || compareTexts(text, best) > 0))) {
      best = text;
      score = ratio;
    }
  }
  return best;
}

/** Where each character stands; without those of a long text that stand in it too often to tell anything. */
function positionsOf(text) {
  const positions = new Map();
  text.forEach((character, index) => {
    if (!positions.has(character)) positions.set(character, []);
    positions.get(character).push(index);
  });
  if (text.length >= 200) {
    const often = Math.floor(text.length / 100) + 1;
    for (const [character, found] of [...positions]) if (found.length > often) positions.delete(character);
  }
  return positions;
}

/** How many characters are in matching blocks: the longest block, and those on both sides of it. */
function matching(first, second, positions) {
  let total = 0;
  const pending = [[0, first.length, 0, second.length]];
  while (pending.length) {
    const [low, high, from, to] = pending.pop();
    const [at, other, size] = longestBlock(first, second, positions, [low, high, from, to]);
    if (!size) continue;
    total += size;
    if (low < at && from < other) pending.push([low, at, from, other]);
    if (at + size < high && other + size < to) pending.push([at + size, high, other + size, to]);
  }
  return total;
}

function longestBlock(first, second, positions, [low, high, from, to]) {
  let [at, other, size] = [low, from, 0];
  let lengths = new Map();
  for (let index = low; index < high; index++) {
    const next = new Map();
    for (const position of positions.get(first[index]) ?? []) {
      if (position < from) continue;
      if (position >= to) break;
      const length = (lengths.get(position - 1) ?? 0) + 1;
      next.set(position, length);
      if (length > size) [at, other, size] = [index - length + 1, position - length + 1, length];
    }
    lengths = next;
  }
  while (at > low && other > from && first[at - 1] === second[other - 1]) {
    at--;
    other--;
    size++;
  }
  while (at + size < high && other + size < to && first[at + size] === second[other + size]) size++;
  return [at, other, size];
}
