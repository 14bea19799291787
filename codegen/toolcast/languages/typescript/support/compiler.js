// Schemas to nodes: everything reachable from one schema.

import * as arrays from "./array_rules.js";
import * as inPlace from "./in_place_rules.js";
import { has, isArray, isObject } from "./json_values.js";
import { label } from "./messages.js";
import { Node, violation } from "./node.js";
import * as objects from "./object_rules.js";
import { Search } from "./patterns.js";
import * as scalars from "./scalar_rules.js";
import * as unions from "./union_rules.js";

/** By keyword, in the order of the rules. */
const BUILDERS = Object.entries({
  $ref: inPlace.referenceRule, // first: `Node.resolved` counts on it
  ...scalars.BUILDERS,
  ...objects.BUILDERS,
  ...arrays.BUILDERS,
  ...inPlace.BUILDERS,
  ...unions.BUILDERS,
  unevaluatedItems: arrays.unevaluatedItemsRule, // last: they need what the others have evaluated
  unevaluatedProperties: inPlace.unevaluatedPropertiesRule,
});
const FALSE = {
  check: () => false,
  explain: (_value, path) => [violation(path, `${label(path)} is not allowed here`, "false", false)],
};

/** Compiles schemas of one document. */
export class Compiler {
  /**
   * @param {object} document - the document of references: `#/$defs/Name`
   * @param {object} options
   * @param {boolean} options.formats - assert formats
   * @param {Record<string, object>} options.slowPatterns - by pattern, each as `SlowPattern` in patterns.js
   */
  constructor(document, { formats, slowPatterns }) {
    this.document = document;
    this.formats = formats;
    this.slowPatterns = slowPatterns;
    this.nodes = new Map();
    this.searches = new Map();
    this.pending = [];
  }

  /** The node of a schema and of everything it refers to. */
  compile(schema) {
    const start = this.#node(schema);
    while (this.pending.length) this.#build(this.pending.pop());
    return start;
  }

  /** A node for a schema, built now, so that its parents know whether it has references. */
  #node(schema) {
    const [node, isNew] = this.#known(schema);
    if (isNew) this.#build(node);
    return node;
  }

  #known(schema) {
    if (this.nodes.has(schema)) return [this.nodes.get(schema), false];
    const node = new Node(schema);
    if (schema === false) node.rules = [FALSE];
    if (isObject(schema)) this.nodes.set(schema, node);
    return [node, isObject(schema)];
  }

  #build(node) {
    const { schema } = node;
    const context = {
      node,
      schema,
      formats: this.formats,
      child: (sub) => {
        const below = this.#node(sub);
        node.hasReference ||= below.hasReference;
        return below;
      },
      refer: (reference) => {
        const [target, isNew] = this.#known(resolve(this.document, reference)); // built later: it may be circular
        if (isNew) this.pending.push(target);
        node.hasReference = true;
        node.reference = target;
        return target;
      },
      search: (pattern) => this.#search(pattern),
    };
    const seen = new Set();
    for (const [keyword, build] of BUILDERS) {
      if (!has(schema, keyword) || seen.has(build)) continue;
      seen.add(build);
      const rule = build(context);
      if (rule !== null) node.rules.push(rule);
    }
  }

  #search(pattern) {
    if (!this.searches.has(pattern)) {
      const slow = has(this.slowPatterns, pattern) ? this.slowPatterns[pattern] : undefined;
      this.searches.set(pattern, new Search(pattern, slow));
    }
    return this.searches.get(pattern);
  }
}

/** What a local reference means. */
export function resolve(document, reference) {
  let found = document;
  for (const part of decodeURIComponent(reference.slice(1)).split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const holds = (isObject(found) || isArray(found)) && has(found, name);
    if (!holds) throw new Error(`the reference ${reference} leads nowhere`);
    found = found[name];
  }
  return found;
}
