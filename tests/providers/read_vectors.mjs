// Reads provider-rules.json and the vectors without toolcast: what a port in another language has to do.
// node read_vectors.mjs FOLDER: prints one line for each disagreement, and how many vectors were run.
import { readFileSync, readdirSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

const folder = process.argv[2];
const data = JSON.parse(readFileSync(`${folder}/provider-rules.json`, "utf8"));
const MAPS = ["properties", "patternProperties", "$defs", "dependentSchemas"];
const LISTS = ["prefixItems", "anyOf", "oneOf", "allOf"];
const ONE = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
  "unevaluatedItems", "unevaluatedProperties", "contentSchema"];
const FLAGS = ["additionalProperties", "unevaluatedItems", "unevaluatedProperties"];
const ABOUT = ["title", "description", "default", "$defs"];
const has = (node, ...keys) => keys.some((key) => key in node);
const of = (node, type) => node.type === type || (Array.isArray(node.type) && node.type.includes(type));

function* schemas(node, root = true) {
  if (node === null || typeof node !== "object") return;
  yield [node, root];
  for (const key of MAPS) for (const part of Object.values(node[key] ?? {})) yield* schemas(part, false);
  for (const key of LISTS) for (const part of node[key] ?? []) yield* schemas(part, false);
  for (const key of ONE) yield* schemas(node[key], false);
}

const refs = (node) => [...schemas(node)].flatMap(([each]) => (each.$ref ? [each.$ref.slice("#/$defs/".length)] : []));
const kind = (value) => (Number.isInteger(value) ? "integer" : value === null ? "null" : typeof value);
const booleans = (node) => [...MAPS, ...LISTS].some((key) => Object.values(node[key] ?? {}).some((one) => typeof one === "boolean"))
  || ONE.some((key) => typeof node[key] === "boolean" && !FLAGS.includes(key));
const pattern = (test) => (node) => "pattern" in node && test.test(node.pattern);
const beside = (node, ...keys) => Object.keys(node).some((key) => !keys.includes(key));

// By construct, whether a schema breaks it: (schema, value of the rule, is it the root, all parameters).
const BREAKS = {
  "formats": (node, value) => "format" in node && !value.includes(node.format),
  "patterns": (node, value) => pattern(value === "anchored" ? /^(?!\^[^]*\$$)/ : /\\p\{|\\u\{|\(\?<[a-z]/i)(node),
  "lookaround": pattern(/\(\?<?[=!]/), "word-boundary": pattern(/\\[bB]/),
  "backreferences": pattern(/\\[1-9]/), "unicode-classes": pattern(/\\[pP]\{/),
  "pattern-alone": (node) => has(node, "pattern", "format") && has(node, "minLength", "maxLength"),
  "integers-only": (node, value) => has(node, ...value) && node.type !== "integer",
  "at-most": (node, value) => value.some(([key, most]) => node[key] > most),
  "type-arrays": (node) => Array.isArray(node.type),
  "null": (node) => of(node, "null"),
  "typed": (node) => beside(node, ...ABOUT) && !has(node, "type", "anyOf", "$ref"),
  "untyped": (node) => !beside(node, ...ABOUT),
  "booleans": booleans,
  "enums": (node, value) => "enum" in node && !node.enum.every((one) => (value === "strings" ? typeof one === "string" && one
    : value === "alike" ? kind(one) === kind(node.enum[0]) : of(node, kind(one)) || of(node, typeof one))),
  "max-enum": (node, value) => node.enum?.length > value,
  "any-of": (node, value) => "anyOf" in node && (value === "none" || beside(node, "anyOf", ...(value === "alone" ? ABOUT : []))),
  "max-branches": (node, value) => node.anyOf?.length > value,
  "refs": (node) => "$ref" in node,
  "ref-targets": (node) => "$ref" in node && !/^#(\/\$defs\/|$)/.test(node.$ref),
  "ref-siblings": (node) => "$ref" in node && beside(node, "$ref"),
  "cycles": (node) => Object.entries(node.$defs ?? {}).some(([name, part]) => refs(part).includes(name)),
  "prune-definitions": (node) => Object.keys(node.$defs ?? {}).some((name) => !refs(node).includes(name)),
  "maps": (node) => typeof (node.additionalProperties ?? false) === "object" || node.additionalProperties === true,
  "tuples": (node) => "prefixItems" in node,
  "items-required": (node) => of(node, "array") && !("items" in node),
  "property-names": (node, value) => Object.keys(node.properties ?? {}).some((name) => !new RegExp(`^(?:${value})$`).test(name)),
  "properties-required": (node) => of(node, "object") && !("properties" in node),
  "empty-objects": (node, _, root) => of(node, "object") && !root && !Object.keys(node.properties ?? {}).length,
  "closed": (node) => of(node, "object") && node.additionalProperties !== false,
  "open": (node) => of(node, "object") && !("additionalProperties" in node),
  "optional": (node, value) => value === "nullable" && Object.keys(node.properties ?? {}).some((name) => !node.required?.includes(name)),
  "declared-required": (node) => "properties" in node && !!node.required?.some((name) => !(name in node.properties)),
  "empty-required": (node) => node.required?.length === 0,
  "root-forbid": (node, value, root) => root && has(node, ...value),
};

function broken(parameters, { keywords, constructs }, table) {
  const found = new Set();
  for (const [node, root] of schemas(parameters)) {
    for (const key of Object.keys(node)) {
      const rule = key in keywords ? key : "other";
      if (!keywords[rule].sent) found.add(`${table}.${rule}`);
    }
    for (const [name, { value }] of Object.entries(constructs)) if (BREAKS[name](node, value, root)) found.add(`${table}.${name}`);
  }
  return found;
}

function decode(contract, sent, value, forms) {
  if (forms.untyped?.value === "json" && !Object.keys(contract).length) return JSON.parse(value);
  if (contract.prefixItems && forms.tuples?.value === "object") return contract.prefixItems.map((_, index) => value[`item_${index + 1}`]);
  if (contract.enum && forms.enums?.value === "strings") return contract.enum.find((one) => String(one) === value);
  if (contract.type !== "object") return value;
  const map = typeof contract.additionalProperties === "object";
  if (map && forms.maps?.value === "pairs") return Object.fromEntries(value.map((pair) => [pair.key, pair.value]));
  if (!contract.properties) return typeof value === "string" ? JSON.parse(value) : value;
  const names = Object.keys(sent.properties);
  const parts = Object.entries(contract.properties).map(([name, part], index) => [name, part, value[names[index]], names[index]]);
  const absent = (name, part, one) => (one === null && !contract.required?.includes(name) && !of(part, "null")) || one === undefined;
  return Object.fromEntries(parts.flatMap(([name, part, one, as]) => (!absent(name, part, one)
    ? [[name, decode(part, sent.properties[as], one, forms)]] : forms.null && contract.required?.includes(name) ? [[name, null]] : [])));
}

let count = 0;
for (const file of readdirSync(`${folder}/vectors`)) {
  const provider = data.providers[file.replace(/\.jsonl$/, "")];
  for (const line of readFileSync(`${folder}/vectors/${file}`, "utf8").trim().split("\n")) {
    const vector = JSON.parse(line);
    const [table, name] = [vector.rule.split(".")[0], vector.rule.slice(vector.rule.indexOf(".") + 1)];
    const mode = provider.modes[table];
    const wrong = (...what) => console.log(vector.id, ...what);
    count += 1;
    if (vector.accepts && broken(vector.accepts, mode, table).size) wrong("accepts", ...broken(vector.accepts, mode, table));
    const breaks = vector.refuses ?? vector.differs;
    if (breaks && !broken(breaks, mode, table).has(vector.rule)) wrong("breaks nothing");
    if (vector.counts && !isDeepStrictEqual(provider.limits[name].value, vector.most)) wrong("limit", vector.most);
    if (!vector.wire) continue;
    const decoded = decode(vector.contract, vector.sent, vector.argument, mode.constructs);
    if (!isDeepStrictEqual(decoded, vector.decoded)) wrong("is decoded to", JSON.stringify(decoded));
  }
}
console.log(`${count} vectors`);
