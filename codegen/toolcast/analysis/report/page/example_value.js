// Arguments to begin with: a value that a schema is likely to accept, of its simplest parts.

import { resolve } from "../../../languages/typescript/support/compiler.js";
import { has, isObject } from "../../../languages/typescript/support/json_values.js";

const MAX_DEPTH = 6;
const MAX_ITEMS = 3;
const TEXTS = {
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00Z",
  duration: "PT1H",
  email: "ada@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  "uri-reference": "/path",
  iri: "https://example.com/",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  "json-pointer": "/a",
  regex: "a+",
};

/**
 * A value for a schema.
 *
 * @param {unknown} schema - of draft 2020-12, whose references lead to its `$defs`
 * @returns {unknown} plain JSON data: required properties, and what the schema itself gives as an example
 */
export function exampleValue(schema) {
  return valueOf(schema, schema, 0);
}

function valueOf(schema, root, depth) {
  if (!isObject(schema)) return "text";
  if (has(schema, "const")) return schema.const;
  if (schema.examples?.length) return schema.examples[0];
  if (has(schema, "default")) return schema.default;
  if (schema.enum?.length) return schema.enum[0];
  if (depth > MAX_DEPTH) return null;
  if (schema.$ref !== undefined) return valueOf({ ...resolve(root, schema.$ref), ...without(schema, "$ref") }, root, depth + 1);
  const branch = (schema.anyOf ?? schema.oneOf ?? [])[0];
  if (branch !== undefined) return valueOf(merged(without(schema, "anyOf", "oneOf"), branch), root, depth + 1);
  if (schema.allOf?.length) {
    const parts = schema.allOf.map((part) => (part?.$ref === undefined ? part : resolve(root, part.$ref)));
    return valueOf(parts.reduce(merged, without(schema, "allOf")), root, depth + 1);
  }
  return ofType(schema, root, depth);
}

function ofType(schema, root, depth) {
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== "null") : schema.type;
  switch (type ?? (schema.properties || schema.required ? "object" : schema.items ? "array" : "string")) {
    case "object":
      return objectOf(schema, root, depth);
    case "array":
      return arrayOf(schema, root, depth);
    case "integer":
    case "number":
      return numberOf(schema, type);
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return textOf(schema);
  }
}

function objectOf(schema, root, depth) {
  const value = {};
  const known = schema.properties ?? {};
  for (const name of schema.required ?? []) {
    value[name] = valueOf(has(known, name) ? known[name] : (schema.additionalProperties ?? {}), root, depth + 1);
  }
  const more = Object.keys(known).filter((name) => !has(value, name) && known[name] !== false);
  while (Object.keys(value).length < (schema.minProperties ?? 0) && more.length) {
    const name = more.shift();
    value[name] = valueOf(known[name], root, depth + 1);
  }
  return value;
}

function arrayOf(schema, root, depth) {
  const first = (schema.prefixItems ?? []).slice(0, schema.minItems ?? 0);
  const items = first.map((item) => valueOf(item, root, depth + 1));
  const wanted = Math.min(Number(schema.minItems ?? (depth <= 2 && schema.items ? 1 : 0)), MAX_ITEMS);
  while (items.length < wanted) items.push(valueOf(schema.items ?? {}, root, depth + 1));
  return items;
}

function numberOf({ minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf }, type) {
  const step = multipleOf ?? (type === "integer" ? 1 : 0.5);
  if (minimum !== undefined) return multipleOf ? Number(step) * Math.ceil(Number(minimum) / Number(step)) : minimum;
  if (exclusiveMinimum !== undefined) return Number(exclusiveMinimum) + Number(step);
  if (maximum !== undefined && maximum < step) return maximum;
  if (exclusiveMaximum !== undefined && exclusiveMaximum <= step) return Number(exclusiveMaximum) - Number(step);
  return multipleOf ?? 1;
}

function textOf({ format, minLength = 0, maxLength = Infinity }) {
  const text = TEXTS[format] ?? "text";
  if (text.length < minLength) return text.padEnd(Math.min(Number(minLength), 1000), "x");
  return text.slice(0, Number(maxLength));
}

function merged(one, other) {
  if (!isObject(other)) return one;
  const properties = one.properties || other.properties ? { properties: { ...one.properties, ...other.properties } } : {};
  const required = [...new Set([...(one.required ?? []), ...(other.required ?? [])])];
  return { ...one, ...other, ...properties, ...(required.length ? { required } : {}) };
}

function without(schema, ...names) {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));
}
