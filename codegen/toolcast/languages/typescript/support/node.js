// Compiled schemas: nodes of rules, each a few closures; the state of one call; the context of a rule.

import { count, label } from "./messages.js";
import { has, isObject, lengthOf } from "./json_values.js";

/** Branches of unions that one call may try, whatever the value, and as many more for each part of a large value. */
export const BRANCHES = 100_000;
export const BRANCHES_PER_PART = 16;

/** Judging a value would try more branches of unions than one call may. */
export class TooManyBranchesError extends Error {
  constructor() {
    super("the value would have to be compared with too many forms; send a smaller or flatter one");
  }
}

/** The state of one call: verdicts, so that shared branches are checked once; branches that may still be tried. */
export class Run {
  /**
   * @param {Searches} searches - the searches for patterns of the call
   * @param {number} limit - violations to list at most
   * @param {number} branches - branches of unions that may be tried
   */
  constructor(searches, limit = 1, branches = BRANCHES) {
    this.searches = searches;
    this.limit = limit;
    this.branches = branches;
    this.memories = new Map();
  }

  /** Count branches that are about to be tried. Throws TooManyBranchesError. */
  spend(branches) {
    this.branches -= branches;
    if (this.branches < 0) throw new TooManyBranchesError();
  }

  /** What `compute` returns for a value, computed once for each `owner`. */
  remember(owner, value, compute) {
    let known = this.memories.get(owner);
    if (known === undefined) this.memories.set(owner, (known = new Map()));
    let found = known.get(value);
    if (found === undefined) known.set(value, (found = compute()));
    return found;
  }

  /** The violations of a value at a path, which `compute` lists once for each node. */
  rememberAt(node, path, value, compute) {
    const byPath = this.remember(this.memories, node, () => new Map());
    if (!byPath.has(path)) byPath.set(path, {});
    return this.remember(byPath.get(path), value, compute);
  }
}

/**
 * One keyword, or a few that belong together. `explain` is called only for values that `check` refuses; `names` (for
 * objects) and `indices` (for arrays) only for values that it accepts: they add what a schema evaluates to a set,
 * and return true where that is everything. `settle` applies the two allowances.
 *
 * @typedef {object} Rule
 * @property {(value: unknown, run: Run) => boolean} check
 * @property {(value: unknown, path: string, run: Run) => Violation[]} explain
 * @property {(value: unknown, run: Run) => unknown} [settle]
 * @property {(value: object, run: Run, evaluated: Set<string>) => boolean} [names]
 * @property {(value: unknown[], run: Run, evaluated: Set<number>) => boolean} [indices]
 * @property {boolean} [last] - skipped once another rule has failed: unevaluatedProperties and its like
 */

/** A compiled schema. */
export class Node {
  constructor(schema) {
    this.schema = schema;
    this.rules = [];
    this.reference = null; // the node that `$ref` means
    this.hasReference = false;
  }

  /** Whether all rules accept a value. */
  check(value, run) {
    for (const rule of this.rules) if (!rule.check(value, run)) return false;
    return true;
  }

  /** Every violation, up to the run's limit; empty where the value is accepted. */
  explain(value, path, run) {
    const found = [];
    for (const rule of this.rules) {
      if (rule.check(value, run)) continue;
      if (found.length && rule.last) break;
      const reported = new Set(found.map((one) => `${one.path}\n${one.message}`));
      for (const one of rule.explain(value, path, run)) {
        if (!reported.has(`${one.path}\n${one.message}`)) found.push(one);
      }
      if (found.length >= run.limit) break;
    }
    return found.slice(0, run.limit);
  }

  /** The value with the two allowances applied; the same object where nothing applies. */
  settle(value, run) {
    for (const rule of this.rules) if (rule.settle) value = rule.settle(value, run);
    return value;
  }

  /** Add the property names that this schema evaluates in a value; true where it evaluates all. */
  names(value, run, evaluated) {
    return this.rules.some((rule) => rule.names?.(value, run, evaluated));
  }

  /** Add the indices that this schema evaluates in a value; true where it evaluates all. */
  indices(value, run, evaluated) {
    return this.rules.some((rule) => rule.indices?.(value, run, evaluated));
  }

  /** The schema, with the target of its reference merged below its own keywords. */
  resolved() {
    let node = this;
    for (let turn = 0; turn < 20; turn++) {
      if (!isObject(node.schema) || node.reference === null || has(node.schema, "type")) break;
      node = node.reference;
    }
    if (node === this || !isObject(node.schema)) return node.schema;
    const { $ref: _, ...own } = this.schema;
    return { ...node.schema, ...own };
  }
}

/** One violation of a schema. */
export const violation = (path, message, keyword, expected) => ({ path, message, keyword, expected });

/** A rule about the value itself; `message(value, path)` is the text of its violation. */
export function valueRule(check, keyword, expected, message) {
  return { check, explain: (value, path) => [violation(path, message(value, path), keyword, expected)] };
}

/** How many items, properties or characters a value has; null where it is of another type. */
const SIZES = {
  item: (value) => (Array.isArray(value) ? value.length : null),
  property: (value) => (isObject(value) ? Object.keys(value).length : null),
  character: (value) => (typeof value === "string" ? lengthOf(value) : null),
};

/** The rule of a keyword that bounds how many items, properties or characters a value has. */
export function sizeRule(keyword, noun) {
  const sizeOf = SIZES[noun];
  const least = keyword.startsWith("min");
  return ({ schema }) => {
    const bound = schema[keyword];
    const wanted = `${least ? "at least" : "at most"} ${count(bound, noun)}`;
    const check = (value) => {
      const size = sizeOf(value);
      return size === null || (least ? size >= bound : size <= bound);
    };
    return valueRule(check, keyword, bound, (value, path) => {
      if (value === "" && Number(bound) === 1) return `${label(path)} must not be empty`;
      return `${label(path)} must have ${wanted}, got ${sizeOf(value)}`;
    });
  };
}
