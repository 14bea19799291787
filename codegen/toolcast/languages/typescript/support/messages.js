// The messages of violations: whoever wrote the value can correct it from them alone.

import { compareTexts, has, head, isArray, isObject, lengthOf } from "./json_values.js";

const MAX_LISTED = 20;
const WIDTH = 60;
const KINDS = {
  integer: "an integer",
  number: "a number",
  string: "a string",
  boolean: "a boolean",
  null: "null",
  array: "an array",
  object: "an object",
};
const IDENTIFIER = /^[\p{XID_Start}_]\p{XID_Continue}*$/u;
const BLANKS = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u;

/** The path of a property: `path.name`, or `path["name"]` where the name is no identifier. */
export function member(path, name) {
  return IDENTIFIER.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

/** How messages refer to the value at a path. */
export function label(path) {
  if (path === "$") return "the value";
  return `\`${path.startsWith("$.") ? path.slice(2) : path}\``;
}

/** A value in a message: scalars as JSON, shortened; containers by kind and size. */
export function show(value) {
  if (isArray(value)) return value.length ? `an array of ${count(value.length, "item")}` : "an empty array";
  if (isObject(value)) return Object.keys(value).length ? "an object" : "an empty object";
  return literal(value);
}

/** A value as JSON, cut after some 60 characters. */
export function literal(value) {
  if (typeof value === "bigint") {
    const bits = (value < 0n ? -value : value).toString(2).length;
    if (bits > 200) return `an integer of ${bits} bits`;
  }
  if (typeof value === "string" && lengthOf(value) > WIDTH) {
    return `${JSON.stringify(head(value, WIDTH)).slice(0, -1)}…"`;
  }
  const text = jsonText(value);
  return lengthOf(text) <= 2 * WIDTH ? text : `${head(text, 2 * WIDTH)}…`;
}

function jsonText(value) {
  if (typeof value === "number") return numberText(value);
  if (isArray(value)) return `[${value.map(jsonText).join(", ")}]`;
  if (isObject(value)) {
    const members = Object.keys(value).map((name) => `${JSON.stringify(name)}: ${jsonText(value[name])}`);
    return `{${members.join(", ")}}`;
  }
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}

/** A double as JSON text: with an exponent below 0.0001 and from 1e16 on. */
function numberText(value) {
  if (Number.isSafeInteger(value)) return String(value + 0);
  const [digits, power] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) {
    const text = String(value);
    return text.includes(".") ? text : `${text}.0`;
  }
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** `got` and the value; a string where none is expected is named as one. */
export function got(value) {
  return typeof value === "string" ? `got a string ${show(value)}` : `got ${show(value)}`;
}

/** `1 item`, `2 items`, `3 properties`. */
export function count(number, noun) {
  if (Number(number) === 1) return `1 ${noun}`;
  return noun.endsWith("y") ? `${number} ${noun.slice(0, -1)}ies` : `${number} ${noun}s`;
}

/** `1, 2, 3`, shortened past 20 members. */
export function listed(values) {
  const text = values.slice(0, MAX_LISTED).map(literal).join(", ") || "no value at all";
  return values.length > MAX_LISTED ? `${text}, … (${values.length} in all)` : text;
}

/** Property names in backticks, shortened past 20. */
export function names(known) {
  const every = [...known].sort(compareTexts);
  const text = every
    .slice(0, MAX_LISTED)
    .map((name) => `\`${name}\``)
    .join(", ");
  return every.length > MAX_LISTED ? `${text}, … (${every.length} in all)` : text;
}

/** The values of a schema, in a few words: `an integer >= 1`, `one of "a", "b"`, `an object`. */
export function describe(schema) {
  if (!isObject(schema)) return schema ? "any value" : "nothing";
  if (has(schema, "const")) return literal(schema.const);
  if (isArray(schema.enum)) return `one of ${listed(schema.enum)}`;
  let kinds = typeof schema.type === "string" ? [schema.type] : [...(schema.type ?? [])];
  if (!kinds.length && (has(schema, "properties") || has(schema, "required"))) kinds = ["object"];
  if (!kinds.length && ["minimum", "maximum", "multipleOf"].some((keyword) => has(schema, keyword))) {
    kinds = ["number"];
  }
  let text = kinds.map((kind) => KINDS[kind]).join(" or ");
  if (kinds.includes("integer") || kinds.includes("number")) text += bounds(schema);
  if (text) return text;
  return hasDescription(schema) ? `of another form (${schema.description})` : "of another form";
}

const SIGNS = [
  ["minimum", ">="],
  ["exclusiveMinimum", ">"],
  ["maximum", "<="],
  ["exclusiveMaximum", "<"],
];

function bounds(schema) {
  const parts = SIGNS.filter(([keyword]) => has(schema, keyword)).map(
    ([keyword, sign]) => `${sign} ${literal(schema[keyword])}`,
  );
  if (has(schema, "multipleOf")) {
    parts.push(`${parts.length ? "" : "that is "}a multiple of ${literal(schema.multipleOf)}`);
  }
  return parts.length ? ` ${parts.join(" and ")}` : "";
}

const hasDescription = (schema) => typeof schema.description === "string" && schema.description !== "";

/** ` (string: Absolute path of the file.)` for a missing property; empty when nothing is known. */
export function hint(schema) {
  if (!isObject(schema)) return "";
  const wanted = schema.type;
  let kind = "";
  if (has(schema, "const") || has(schema, "enum")) kind = describe(schema);
  else if (wanted !== undefined && wanted.length) kind = typeof wanted === "string" ? wanted : wanted.join(" or ");
  let description = hasDescription(schema) ? schema.description.split(BLANKS).filter(Boolean).join(" ") : "";
  if (lengthOf(description) > 200) {
    const cut = head(description, 200);
    const blank = cut.lastIndexOf(" ");
    description = `${blank < 0 ? cut : cut.slice(0, blank)} …`;
  }
  const both = [kind, description].filter(Boolean).join(": ");
  return both ? ` (${both})` : "";
}
