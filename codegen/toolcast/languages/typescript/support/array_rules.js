// Rules about arrays.

import { has, isArray, key } from "./json_values.js";
import { count, describe, label, literal } from "./messages.js";
import { sizeRule, valueRule, violation } from "./node.js";

/** A copy of an array in which `change(index, item)` has replaced items; the same array where nothing changed. */
function withItems(value, change) {
  if (!isArray(value)) return value;
  let copy = null;
  for (let index = 0; index < value.length; index++) {
    const item = change(index, value[index]);
    if (item !== value[index]) (copy ??= value.slice())[index] = item;
  }
  return copy ?? value;
}

/** `prefixItems` and `items`. */
function itemsRule(context) {
  const { schema } = context;
  const prefix = (schema.prefixItems ?? []).map((sub) => context.child(sub));
  const rest = has(schema, "items") ? context.child(schema.items) : null;
  const start = prefix.length;
  const nodeAt = (index) => (index < start ? prefix[index] : rest);

  return {
    check(value, run) {
      if (!isArray(value)) return true;
      for (let index = 0; index < value.length; index++) {
        const node = nodeAt(index);
        if (node === null) break;
        if (!node.check(value[index], run)) return false;
      }
      return true;
    },
    explain(value, path, run) {
      if (rest !== null && rest.schema === false && value.length > start) {
        const wanted = `must have at most ${count(start, "item")}`;
        return [violation(path, `${label(path)} ${wanted}, got ${value.length}`, "items", false)];
      }
      const found = [];
      for (let index = 0; index < value.length && found.length < run.limit; index++) {
        const node = nodeAt(index);
        if (node === null) break;
        if (!node.check(value[index], run)) found.push(...node.explain(value[index], `${path}[${index}]`, run));
      }
      return found;
    },
    settle: (value, run) =>
      withItems(value, (index, item) => {
        const node = nodeAt(index);
        return node === null ? item : node.settle(item, run);
      }),
    indices(value, run, evaluated) {
      for (let index = 0; index < Math.min(start, value.length); index++) evaluated.add(index);
      return rest !== null || start >= value.length;
    },
  };
}

/** `uniqueItems`, in time linear in the size of the array. */
function uniqueRule({ schema }) {
  if (schema.uniqueItems !== true) return null;
  const check = (value) => !isArray(value) || value.length < 2 || new Set(value.map(key)).size === value.length;
  return valueRule(check, "uniqueItems", true, (value, path) => {
    const first = new Map();
    for (const [index, item] of value.entries()) {
      const known = key(item);
      if (first.has(known)) {
        const twice = `items ${first.get(known)} and ${index} are both ${literal(item)}`;
        return `${label(path)} must not repeat items: ${twice}`;
      }
      first.set(known, index);
    }
    return `${label(path)} must not repeat items`;
  });
}

/** `contains` with `minContains` and `maxContains`. */
function containsRule(context) {
  const { schema } = context;
  const node = context.child(schema.contains);
  const least = schema.minContains ?? 1;
  const most = schema.maxContains ?? null;
  const hitsOf = (value, run) => value.filter((item) => node.check(item, run)).length;
  return {
    check(value, run) {
      if (!isArray(value)) return true;
      let hits = 0;
      for (const item of value) {
        if (hits >= least && most === null) return true;
        if (node.check(item, run)) {
          hits++;
          if (most !== null && hits > most) return false;
        }
      }
      return hits >= least;
    },
    explain(value, path, run) {
      const hits = hitsOf(value, run);
      const few = hits < least;
      const keyword = few ? (has(schema, "minContains") ? "minContains" : "contains") : "maxContains";
      const wanted = few ? `at least ${least}` : `at most ${most}`;
      const text = `must have ${wanted} matching (${describe(node.schema)}) among its items, got ${hits}`;
      return [violation(path, `${label(path)} ${text}`, keyword, schema[keyword])];
    },
    indices(value, run, evaluated) {
      value.forEach((item, index) => {
        if (node.check(item, run)) evaluated.add(index);
      });
      return false;
    },
  };
}

/** `unevaluatedItems`: applies to the items that nothing else in this schema evaluates. */
export function unevaluatedItemsRule(context) {
  const node = context.child(context.schema.unevaluatedItems);
  const owner = context.node;
  const remaining = (value, run) => {
    const evaluated = new Set();
    for (const rule of owner.rules) {
      if (rule.indices && !rule.last && rule.indices(value, run, evaluated)) return [];
    }
    return [...value.keys()].filter((index) => !evaluated.has(index));
  };
  return {
    check: (value, run) =>
      !isArray(value) || remaining(value, run).every((index) => node.check(value[index], run)),
    explain(value, path, run) {
      const found = [];
      for (const index of remaining(value, run)) {
        if (!node.check(value[index], run)) found.push(...node.explain(value[index], `${path}[${index}]`, run));
      }
      return found;
    },
    settle(value, run) {
      if (!isArray(value)) return value;
      const left = new Set(remaining(value, run));
      return withItems(value, (index, item) => (left.has(index) ? node.settle(item, run) : item));
    },
    indices: () => true,
    last: true,
  };
}

/** The rules of this module, by keyword, in their order. */
export const BUILDERS = {
  minItems: sizeRule("minItems", "item"),
  maxItems: sizeRule("maxItems", "item"),
  prefixItems: itemsRule,
  items: itemsRule,
  contains: containsRule,
  uniqueItems: uniqueRule,
};
