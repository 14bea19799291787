// JSON of the report, read exactly: integers past 2**53 become bigints.

const LONG = /[0-9]{16}/;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;
const INTEGER = /^-?[0-9]{16,}$/;
const MARK = "\udc00"; // the second half of a surrogate pair, with which no text of a spec can begin

/**
 * Read JSON that toolcast wrote, of any size.
 *
 * @param {string} text - the JSON
 * @returns {unknown} plain JSON data
 */
export function exactJson(text) {
  if (!LONG.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKEN, (token) =>
    INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${MARK}${token}"` : token,
  );
  return JSON.parse(marked, (_, value) => (typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(1)) : value));
}
