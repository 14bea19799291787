// The defaults of what is absent in a value that a contract accepts.

import { resolve } from "./compiler.js";
import { has, isArray, isObject, put } from "./json_values.js";
import { Validator } from "./validator.js";

/**
 * Where a value may lack what a default fills in. The compiler states it: it decides which of several schemas for one
 * property its default comes from.
 *
 * @typedef {object} Plan
 * @property {Record<string, unknown>} [defaults] - of an object: the values of absent properties
 * @property {Record<string, Plan>} [properties] - of an object: for the values of some properties
 * @property {[string[], Plan]} [others] - of an object: for the values of all properties but those listed
 * @property {Plan} [items] - of an array: for each item
 * @property {(Plan | null)[]} [prefix] - of an array: for the first items
 * @property {[string, Plan | null][]} [branches] - the first one that accepts the value counts: `object`, `array`,
 *   `other`, or a pointer to its schema
 * @property {string} [definition] - that of a definition; empty for the root
 */

/** Fills in the defaults of one contract. */
export class Defaults {
  #schema;
  #options;
  #plans;
  #branches = new Map();
  #searches;

  /**
   * @param {object} schema - the schema of the contract
   * @param {Record<string, Plan>} plans - by definition; "" is the root
   * @param {object} options - of the validators of branches
   */
  constructor(schema, plans, options) {
    this.#schema = schema;
    this.#plans = plans;
    this.#options = options;
  }

  /** The value with its defaults; the same object where nothing is absent. `searches` has accepted it. */
  fill(value, searches) {
    this.#searches = searches;
    return has(this.#plans, "") ? this.#filled(this.#plans[""], value) : value;
  }

  #filled(plan, value) {
    if (plan.definition !== undefined) return this.#filled(this.#plans[plan.definition], value);
    if (plan.branches) {
      const found = plan.branches.find(([which]) => this.#isOf(which, value));
      return found?.[1] ? this.#filled(found[1], value) : value;
    }
    if (isArray(value)) return this.#array(plan, value);
    return isObject(value) ? this.#object(plan, value) : value;
  }

  #isOf(which, value) {
    if (which === "object") return isObject(value);
    if (which === "array") return isArray(value);
    if (which === "other") return !isObject(value) && !isArray(value);
    if (!this.#branches.has(which)) {
      const schema = resolve(this.#schema, `#${which}`);
      this.#branches.set(which, new Validator(schema, { ...this.#options, document: this.#schema }));
    }
    return this.#branches.get(which).accepts(value, this.#searches);
  }

  #array(plan, value) {
    let changed = null;
    for (let index = 0; index < value.length; index++) {
      const below = plan.prefix?.[index] ?? plan.items;
      if (!below) continue;
      const item = this.#filled(below, value[index]);
      if (item !== value[index]) (changed ??= value.slice())[index] = item;
    }
    return changed ?? value;
  }

  #object(plan, value) {
    const { defaults = {}, properties = {}, others } = plan;
    let changed = null;
    const below = (name) => {
      if (has(properties, name)) return properties[name];
      return others && !others[0].includes(name) ? others[1] : null;
    };
    const set = (name, given) => {
      const next = below(name);
      const item = next ? this.#filled(next, given) : given;
      if (!has(value, name) || item !== value[name]) put((changed ??= { ...value }), name, item);
    };
    for (const name of Object.keys(value)) set(name, value[name]);
    for (const name of Object.keys(defaults)) if (!has(value, name)) set(name, structuredClone(defaults[name]));
    return changed ?? value;
  }
}
