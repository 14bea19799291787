// Rules about types, constants, numbers and strings.

import { FORMATS } from "./formats.js";
import { asDecimal, equal, has, isArray, isMultiple, isNumber, isObject, isWhole, key, lengthOf } from "./json_values.js";
import { describe, got, label, listed, literal, show } from "./messages.js";
import { nearest } from "./nearest.js";
import { sizeRule, valueRule } from "./node.js";

/** Characters of a text that is searched although it is too long: both violations are reported. */
const LONG = 1000;

const TYPES = {
  object: isObject,
  array: isArray,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  number: isNumber,
  integer: isWhole,
};

/** `type`, with one name or several; settles large whole doubles where it admits integer but not number. */
function typeRule({ schema }) {
  const names = typeof schema.type === "string" ? [schema.type] : schema.type;
  const checks = names.map((name) => TYPES[name]);
  const check = checks.length === 1 ? checks[0] : (value) => checks.some((one) => one(value));
  const { enum: _enum, const: _const, ...plainType } = schema;
  const described = names.includes("string") ? schema : plainType;
  const rule = valueRule(
    (value) => check(value),
    "type",
    schema.type,
    (value, path) => `${label(path)} must be ${describe(described)}, ${got(value)}`,
  );
  return names.includes("integer") && !names.includes("number") ? { ...rule, settle: asInteger } : rule;
}

const isLargeDouble = (value) =>
  typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
const asInteger = (value) => (isLargeDouble(value) ? BigInt(value) : value);

/** `enum`. */
function enumRule({ schema }) {
  const members = schema.enum;
  const keys = new Set(members.map(key));
  const containers = members.filter((member) => isArray(member) || isObject(member));
  const check = (value) => {
    if (containers.length === 0 && typeof value === "object" && value !== null) return false;
    return keys.has(key(value));
  };
  return {
    ...valueRule(check, "enum", members, (value, path) => {
      const text = `${label(path)} must be one of ${listed(members)}, got ${show(value)}`;
      return text + suggestion(value, members);
    }),
    settle: settleMember(members),
  };
}

/** `const`. */
function constRule({ schema }) {
  const wanted = schema.const;
  return {
    ...valueRule(
      (value) => equal(wanted, value),
      "const",
      wanted,
      (value, path) => `${label(path)} must be ${literal(wanted)}, got ${show(value)}`,
    ),
    settle: settleMember([wanted]),
  };
}

function settleMember(members) {
  const wholes = new Set(members.filter((member) => typeof member === "bigint").map(String));
  if (!wholes.size) return undefined;
  return (value) => (isLargeDouble(value) && wholes.has(String(BigInt(value))) ? BigInt(value) : value);
}

function suggestion(value, members) {
  if (typeof value !== "string") return "";
  const near = nearest(
    value,
    members.filter((member) => typeof member === "string"),
  );
  return near === null ? "" : `; did you mean ${literal(near)}?`;
}

const BOUNDS = {
  minimum: (value, bound) => value >= bound,
  maximum: (value, bound) => value <= bound,
  exclusiveMinimum: (value, bound) => value > bound,
  exclusiveMaximum: (value, bound) => value < bound,
};

function boundRule(keyword) {
  const holds = BOUNDS[keyword];
  return ({ schema }) => {
    const bound = schema[keyword];
    return valueRule((value) => !isNumber(value) || holds(value, bound), keyword, bound, numeric(schema));
  };
}

/** `multipleOf`, exact over the shortest decimals: 0.3 is a multiple of 0.1. */
function multipleRule({ schema }) {
  const divisor = asDecimal(schema.multipleOf);
  const check = (value) => !isNumber(value) || isMultiple(value, divisor);
  return valueRule(check, "multipleOf", schema.multipleOf, numeric(schema));
}

function numeric(schema) {
  const stated = {};
  for (const keyword of [...Object.keys(BOUNDS), "multipleOf", "type"]) {
    if (has(schema, keyword)) stated[keyword] = schema[keyword];
  }
  return (value, path) => `${label(path)} must be ${describe(stated)}, ${got(value)}`;
}

/** `pattern`, which may match anywhere. */
function patternRule({ schema, search }) {
  const found = search(schema.pattern);
  // maxLength refuses text that is too long, so it need not be searched.
  const shown = found.simulation ? LONG : Math.min(found.fast, LONG);
  const longest = found.fast === Infinity ? Infinity : Math.max(schema.maxLength ?? Infinity, shown);
  const skips = (text) => text.length > longest && lengthOf(text) > longest;
  return valueRule(
    (value, run) => typeof value !== "string" || skips(value) || run.searches.finds(found, value),
    "pattern",
    schema.pattern,
    (value, path) => `${label(path)} must match the pattern \`${schema.pattern}\`, got ${show(value)}`,
  );
}

/** `format`, where formats are asserted and this one is known. */
function formatRule({ schema, formats }) {
  const test = formats ? FORMATS.get(schema.format) : undefined;
  if (test === undefined) return null;
  return valueRule(
    (value) => typeof value !== "string" || test(value),
    "format",
    schema.format,
    (value, path) => `${label(path)} must be a valid ${schema.format}, got ${show(value)}`,
  );
}

/** The rules of this module, by keyword, in their order. */
export const BUILDERS = {
  type: typeRule,
  enum: enumRule,
  const: constRule,
  ...Object.fromEntries(Object.keys(BOUNDS).map((keyword) => [keyword, boundRule(keyword)])),
  multipleOf: multipleRule,
  minLength: sizeRule("minLength", "character"),
  maxLength: sizeRule("maxLength", "character"),
  pattern: patternRule,
  format: formatRule,
};
