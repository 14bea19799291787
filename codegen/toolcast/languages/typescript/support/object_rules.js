// Rules about objects.

import { has, isObject, put } from "./json_values.js";
import { hint, label, literal, member, names as listNames } from "./messages.js";
import { nearest } from "./nearest.js";
import { sizeRule, violation } from "./node.js";

/** A copy of an object in which `change(name, item)` has replaced members; the same object where nothing changed. */
export function withMembers(value, change) {
  if (!isObject(value)) return value;
  let changed = null;
  for (const name of Object.keys(value)) {
    const item = change(name, value[name]);
    if (item !== value[name]) put((changed ??= { ...value }), name, item);
  }
  return changed ?? value;
}

/** `properties`; settling drops an explicit null of an optional property that does not accept null. */
function propertiesRule(context) {
  const { schema } = context;
  const nodes = new Map(Object.keys(schema.properties).map((name) => [name, context.child(schema.properties[name])]));
  const required = new Set(schema.required ?? []);
  const droppable = new Map(); // filled when needed: the nodes are not finished yet
  const isDroppable = (name, run) => {
    if (required.has(name)) return false;
    if (!droppable.has(name)) droppable.set(name, !nodes.get(name).check(null, run));
    return droppable.get(name);
  };
  return {
    check(value, run) {
      if (!isObject(value)) return true;
      for (const name of Object.keys(value)) {
        const node = nodes.get(name);
        if (node !== undefined && !node.check(value[name], run)) return false;
      }
      return true;
    },
    explain(value, path, run) {
      const found = [];
      for (const name of Object.keys(value)) {
        const node = nodes.get(name);
        if (node !== undefined && !node.check(value[name], run)) {
          found.push(...node.explain(value[name], member(path, name), run));
          if (found.length >= run.limit) break;
        }
      }
      return found;
    },
    settle(value, run) {
      if (!isObject(value)) return value;
      let changed = null;
      for (const name of Object.keys(value)) {
        const node = nodes.get(name);
        if (node === undefined) continue;
        if (value[name] === null && isDroppable(name, run)) {
          changed ??= { ...value };
          delete changed[name];
          continue;
        }
        const settled = node.settle(value[name], run);
        if (settled !== value[name]) put((changed ??= { ...value }), name, settled);
      }
      return changed ?? value;
    },
    names(value, run, evaluated) {
      for (const name of Object.keys(value)) if (nodes.has(name)) evaluated.add(name);
      return false;
    },
  };
}

/** `patternProperties`. */
function patternPropertiesRule(context) {
  const schemas = context.schema.patternProperties;
  const pairs = Object.keys(schemas).map((pattern) => [context.search(pattern), context.child(schemas[pattern])]);
  const matching = (name, run) =>
    pairs.filter(([search]) => run.searches.finds(search, name)).map(([, node]) => node);
  return {
    check: (value, run) =>
      !isObject(value) ||
      Object.keys(value).every((name) => matching(name, run).every((node) => node.check(value[name], run))),
    explain(value, path, run) {
      const found = [];
      for (const name of Object.keys(value)) {
        for (const node of matching(name, run)) {
          if (!node.check(value[name], run)) found.push(...node.explain(value[name], member(path, name), run));
        }
        if (found.length >= run.limit) break;
      }
      return found;
    },
    settle: (value, run) =>
      withMembers(value, (name, item) => matching(name, run).reduce((last, node) => node.settle(last, run), item)),
    names(value, run, evaluated) {
      for (const name of Object.keys(value)) if (matching(name, run).length) evaluated.add(name);
      return false;
    },
  };
}

/** `additionalProperties`: applies to what the sibling `properties` and `patternProperties` leave. */
function additionalRule(context) {
  const { schema } = context;
  const node = context.child(schema.additionalProperties);
  const known = new Set(Object.keys(schema.properties ?? {}));
  const searches = Object.keys(schema.patternProperties ?? {}).map((pattern) => context.search(pattern));
  const extra = (name, run) => !known.has(name) && !searches.some((search) => run.searches.finds(search, name));
  return {
    check: (value, run) =>
      !isObject(value) ||
      Object.keys(value).every((name) => known.has(name) || node.check(value[name], run) || !extra(name, run)),
    explain(value, path, run) {
      const found = [];
      for (const name of Object.keys(value)) {
        if (extra(name, run) && !node.check(value[name], run)) {
          found.push(...explainExtra(node, name, value, path, run, [known, "additionalProperties"]));
          if (found.length >= run.limit) break;
        }
      }
      return found;
    },
    settle: (value, run) => withMembers(value, (name, item) => (extra(name, run) ? node.settle(item, run) : item)),
    names: () => true,
  };
}

/** The violations of a property of `value` that is not among the known ones. */
export function explainExtra(node, name, value, path, run, [known, keyword]) {
  const at = member(path, name);
  if (node.schema !== false) return node.explain(value[name], at, run);
  const near = nearest(
    name,
    [...known].filter((each) => !has(value, each)),
  );
  const where = path === "$" ? "" : ` in ${label(path)}`;
  let advice = "; no properties are allowed here";
  if (near !== null) advice = `; did you mean \`${near}\`?`;
  else if (known.size) advice = `; known properties: ${listNames(known)}`;
  const characters = Array.from(name);
  const shown = characters.length <= 100 ? name : `${characters.slice(0, 100).join("")}…`;
  return [violation(at, `unknown property \`${shown}\`${where}${advice}`, keyword, false)];
}

/** `required`; each missing property is one violation, with a hint from its schema. */
function requiredRule(context) {
  const { schema } = context;
  const wanted = schema.required;
  const properties = schema.properties ?? {};
  const known = new Map(
    wanted.filter((name) => has(properties, name)).map((name) => [name, context.child(properties[name])]),
  );
  return {
    check: (value) => !isObject(value) || wanted.every((name) => has(value, name)),
    explain(value, path, run) {
      const where = path === "$" ? "" : ` in ${label(path)}`;
      const hints = (name) => (known.has(name) ? hint(known.get(name).resolved()) : "");
      return wanted
        .filter((name) => !has(value, name))
        .map((name) => violation(path, `missing required property \`${name}\`${hints(name)}${where}`, "required", name))
        .slice(0, run.limit);
    },
  };
}

/** `dependentRequired`. */
function dependentRequiredRule({ schema }) {
  const wanted = Object.entries(schema.dependentRequired);
  const missing = (value) =>
    wanted.flatMap(([name, needs]) =>
      has(value, name) ? needs.filter((need) => !has(value, need)).map((need) => [name, need]) : [],
    );
  return {
    check: (value) => !isObject(value) || missing(value).length === 0,
    explain(value, path, run) {
      const where = path === "$" ? "" : ` in ${label(path)}`;
      return missing(value)
        .map(([name, need]) => {
          const text = `missing property \`${need}\`${where}, required because \`${name}\` is given`;
          return violation(path, text, "dependentRequired", need);
        })
        .slice(0, run.limit);
    },
  };
}

/** `propertyNames`. */
function propertyNamesRule(context) {
  const node = context.child(context.schema.propertyNames);
  return {
    check: (value, run) => !isObject(value) || Object.keys(value).every((name) => node.check(name, run)),
    explain(value, path, run) {
      const found = [];
      for (const name of Object.keys(value)) {
        if (node.check(name, run)) continue;
        const reason = node.explain(name, "$", run)[0].message.replace("the value", "it");
        const text = `the property name ${literal(name)} is not allowed: ${reason}`;
        found.push(violation(member(path, name), text, "propertyNames", node.schema));
      }
      return found.slice(0, run.limit);
    },
  };
}

/** The rules of this module, by keyword, in their order. */
export const BUILDERS = {
  required: requiredRule,
  minProperties: sizeRule("minProperties", "property"),
  maxProperties: sizeRule("maxProperties", "property"),
  dependentRequired: dependentRequiredRule,
  propertyNames: propertyNamesRule,
  properties: propertiesRule,
  patternProperties: patternPropertiesRule,
  additionalProperties: additionalRule,
};
