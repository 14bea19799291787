// JSON values: types, equality, exact division, and what of a JavaScript value is JSON.
//
// A bigint is an integer that a double cannot hold; every other number is a double. A whole double below 2**53
// is an integer, however it was written.

/** Levels of nesting that a value may have. */
export const MAX_DEPTH = 200;
/** Values that a value may have inside: more than any text has that is not too large. An object that stands in
 * several places counts in each. */
const MAX_PARTS = 4 * 1024 * 1024;

/** Half of a surrogate pair, which `JSON.parse` makes of a `\u` escape and no UTF-8 has. */
const HALF = /\p{Surrogate}/u;
const HALVED = "the value holds half of a surrogate pair, which is not JSON";

/** A value that is no JSON, or is nested too deeply. */
export class NotJsonError extends Error {
  /**
   * @param {string} message - what is wrong, for the writer of the value
   * @param {string} keyword - the keyword of the violation
   */
  constructor(message, keyword = "json") {
    super(message);
    this.keyword = keyword;
  }
}

export const isArray = Array.isArray;

/** Whether a value is a JSON object. */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

export const isNumber = (value) => typeof value === "number" || typeof value === "bigint";

/** An integer in JSON Schema's sense: 1 and 1.0 are one number. */
export const isWhole = (value) => typeof value === "bigint" || Number.isInteger(value);

/** Whether a value is an object as `JSON.parse` makes them, not one of a class. */
export function isPlainObject(value) {
  if (!isObject(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether an object has a property of its own. */
export const has = (object, name) => Object.hasOwn(object, name);

/** Set a property, also one that is named `__proto__`. */
export function put(object, name, value) {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}

/** The number of characters (code points) of a text. */
export function lengthOf(text) {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00) {
      const next = text.charCodeAt(at + 1);
      if (next >= 0xdc00 && next < 0xe000) {
        length--;
        at++;
      }
    }
  }
  return length;
}

/** The first characters (code points) of a text. */
export function head(text, characters) {
  return text.length <= characters ? text : Array.from(text.slice(0, 2 * characters)).slice(0, characters).join("");
}

/** Orders texts by code points. */
export function compareTexts(left, right) {
  const a = Array.from(left);
  const b = Array.from(right);
  for (let at = 0; at < a.length && at < b.length; at++) {
    const difference = a[at].codePointAt(0) - b[at].codePointAt(0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/**
 * The value as JSON: without members that are undefined, as `JSON.stringify` leaves them out.
 *
 * @param {unknown} value - any value; it is not changed
 * @returns the same object where nothing is left out
 * @throws {NotJsonError} for a value that JSON lacks, and for one that is nested too deeply or too large
 */
export function plain(value) {
  return plainPart(value, 0, { left: MAX_PARTS });
}

function plainPart(value, depth, parts) {
  if (parts.left-- === 0) {
    throw new NotJsonError(`the value is too large: more than ${MAX_PARTS} values inside`);
  }
  switch (typeof value) {
    case "string":
      if (HALF.test(value)) throw new NotJsonError(HALVED);
      return value;
    case "boolean":
    case "bigint":
      return value;
    case "number":
      if (Number.isFinite(value)) return value;
      throw new NotJsonError(`the value holds the number ${value}, which is not JSON`);
    case "object":
      break;
    default:
      throw new NotJsonError(`the value holds a value of type ${typeof value}, which is not JSON`);
  }
  if (value === null) return value;
  if (depth === MAX_DEPTH) {
    throw new NotJsonError(`the value is nested too deeply: more than ${MAX_DEPTH} levels`, "depth");
  }
  if (isArray(value)) {
    let changed = null;
    for (let index = 0; index < value.length; index++) {
      const item = plainPart(value[index], depth + 1, parts);
      if (item !== value[index]) (changed ??= value.slice())[index] = item;
    }
    return changed ?? value;
  }
  if (!isPlainObject(value)) {
    const name = Object.getPrototypeOf(value).constructor?.name || "unknown";
    throw new NotJsonError(`the value holds a value of type ${name}, which is not JSON`);
  }
  let changed = null;
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (HALF.test(name)) throw new NotJsonError(HALVED);
    if (member === undefined) {
      changed ??= { ...value };
      delete changed[name];
      continue;
    }
    const item = plainPart(member, depth + 1, parts);
    if (item !== member) put((changed ??= { ...value }), name, item);
  }
  return changed ?? value;
}

/** How many values there are in a value, itself included. */
export function countParts(value) {
  let count = 1;
  if (isArray(value)) for (const item of value) count += countParts(item);
  else if (isObject(value)) for (const name of Object.keys(value)) count += countParts(value[name]);
  return count;
}

/** A text that two JSON values share exactly when they are equal: 1 equals 1.0, true does not equal 1, the order of
 * members says nothing. */
export function key(value) {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      if (Number.isInteger(value)) return Number.isSafeInteger(value) ? String(value + 0) : String(BigInt(value));
      return String(value);
    case "bigint":
      return String(value);
    case "object":
      if (value === null) return "null";
      if (isArray(value)) return `[${value.map(key).join(",")}]`;
      return `{${Object.keys(value)
        .sort()
        .map((name) => `${JSON.stringify(name)}:${key(value[name])}`)
        .join(",")}}`;
    default:
      return String(value);
  }
}

/** Whether two JSON values are equal. */
export function equal(left, right) {
  if (typeof left === "string" || typeof right === "string") return left === right;
  return left === right || key(left) === key(right);
}

/**
 * A number in decimal: the shortest decimal that reads back as the number.
 *
 * @returns {[bigint, number]} `[m, e]` with `number == m * 10**e`
 */
export function asDecimal(number) {
  if (typeof number === "bigint") return [number, 0];
  const [digits, exponent] = String(number).split("e");
  const [whole, fraction = ""] = digits.split(".");
  return [BigInt(whole + fraction), Number(exponent ?? 0) - fraction.length];
}

/** Whether a number is a whole multiple of another, which is given in decimal, in exact arithmetic. */
export function isMultiple(number, [base, scale]) {
  const [mantissa, exponent] = asDecimal(number);
  const low = Math.min(exponent, scale);
  return (mantissa * 10n ** BigInt(exponent - low)) % (base * 10n ** BigInt(scale - low)) === 0n;
}
