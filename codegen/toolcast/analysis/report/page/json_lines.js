// JSON as lines of tokens, each with the pointer of the value that begins there.

import { literal } from "./json_text.js";

const WIDTH = 72;
const INDENT = "  ";

/**
 * @typedef {object} Line
 * @property {[string, string][]} tokens - kind and text: `key`, `string`, `number`, `word`, `plain`
 * @property {string | null} pointer - of the value that begins in this line
 */

/**
 * Lay out a value.
 *
 * @param {unknown} value - plain JSON data; integers past 2**53 are bigints
 * @returns {Line[]} its lines; a short array of scalars stands in one
 */
export function jsonLines(value) {
  const lines = [];
  lay(lines, value, "", "", [], "");
  return lines;
}

function lay(lines, value, pointer, indent, head, tail) {
  const members = containerOf(value);
  if (members === null || isShort(value, members)) {
    lines.push({ pointer, tokens: [["plain", indent], ...head, ...inline(value), ["plain", tail]] });
    return;
  }
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  lines.push({ pointer, tokens: [["plain", indent], ...head, ["plain", open]] });
  members.forEach(([name, item], index) => {
    const below = `${pointer}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const own = Array.isArray(value) ? [] : [["key", JSON.stringify(name)], ["plain", ": "]];
    lay(lines, item, below, indent + INDENT, own, index < members.length - 1 ? "," : "");
  });
  lines.push({ pointer: null, tokens: [["plain", indent + close + tail]] });
}

function containerOf(value) {
  if (typeof value !== "object" || value === null) return null;
  return Array.isArray(value) ? [...value.entries()] : Object.entries(value);
}

function isShort(value, members) {
  if (!members.length) return true;
  if (!Array.isArray(value) || members.some(([, item]) => typeof item === "object" && item !== null)) return false;
  return members.reduce((sum, [, item]) => sum + literal(item).length + 2, 2) <= WIDTH;
}

function inline(value) {
  if (Array.isArray(value)) {
    const items = value.flatMap((item, index) => (index ? [["plain", ", "], token(item)] : [token(item)]));
    return [["plain", "["], ...items, ["plain", "]"]];
  }
  return typeof value === "object" && value !== null ? [["plain", "{}"]] : [token(value)];
}

function token(value) {
  const kind = typeof value === "string" ? "string" : typeof value === "number" || typeof value === "bigint" ? "number" : "word";
  return [kind, literal(value)];
}
