// Rules of in-place applicators, whose schemas apply to the same value: `$ref`, `allOf`, `not`, `if`, …

import { has, isObject, key } from "./json_values.js";
import { describe, label, names as listNames, show } from "./messages.js";
import { violation } from "./node.js";
import { explainExtra, withMembers } from "./object_rules.js";

/** `$ref`. Where the target has references, verdicts are kept. */
export function referenceRule(context) {
  const node = context.refer(context.schema.$ref);
  const settled = {}; // owner of what a run remembers
  return {
    check: (value, run) =>
      node.hasReference ? run.remember(node, value, () => node.check(value, run)) : node.check(value, run),
    explain: (value, path, run) =>
      run.rememberAt(node, path, value, () => node.explain(value, path, run)).slice(),
    settle: (value, run) => run.remember(settled, value, () => node.settle(value, run)),
    names: (value, run, evaluated) => node.names(value, run, evaluated),
    indices: (value, run, evaluated) => node.indices(value, run, evaluated),
  };
}

/** `allOf`; settled by each in turn. */
function allRule(context) {
  const nodes = context.schema.allOf.map((sub) => context.child(sub));
  return {
    check: (value, run) => nodes.every((node) => node.check(value, run)),
    explain(value, path, run) {
      const found = [];
      const reported = new Set();
      for (const node of nodes) {
        if (node.check(value, run)) continue;
        for (const one of node.explain(value, path, run)) {
          const known = JSON.stringify([one.path, one.message, one.keyword, key(one.expected)]);
          if (!reported.has(known)) found.push(one);
          reported.add(known);
        }
        if (found.length >= run.limit) break;
      }
      return found;
    },
    settle: (value, run) => nodes.reduce((last, node) => node.settle(last, run), value),
    names: (value, run, evaluated) => nodes.some((node) => node.names(value, run, evaluated)),
    indices: (value, run, evaluated) => nodes.some((node) => node.indices(value, run, evaluated)),
  };
}

/** `not`. It evaluates no properties. */
function notRule(context) {
  const node = context.child(context.schema.not);
  const refused = node.schema;
  return {
    check: (value, run) => !node.check(value, run),
    explain(value, path) {
      if (isObject(refused) && Object.keys(refused).join() === "required" && isObject(value)) {
        const both = listNames(refused.required);
        const text = `${label(path)} must not have ${both}${both.includes(",") ? " together" : ""}`;
        return [violation(path, text, "not", refused)];
      }
      const described = describe(refused);
      const isEmpty = !refused || (isObject(refused) && Object.keys(refused).length === 0);
      const tail = isEmpty || described.startsWith("of another form") ? "" : `: it must not be ${described}`;
      const text = `${label(path)} is not allowed to be ${show(value)} here${tail}`;
      return [violation(path, text, "not", refused)];
    },
  };
}

/** `if` with `then` and `else`; without both of them it only marks what it evaluates. */
function conditionRule(context) {
  const { schema } = context;
  const test = context.child(schema.if);
  const [yes, no] = ["then", "else"].map((keyword) => (has(schema, keyword) ? context.child(schema[keyword]) : null));
  const chosen = (value, run) => {
    if (yes === null && no === null) return null;
    return test.check(value, run) ? yes : no;
  };
  const marked = (method) => (value, run, evaluated) => {
    if (!test.check(value, run)) return no !== null && no[method](value, run, evaluated);
    const every = test[method](value, run, evaluated);
    return (yes !== null && yes[method](value, run, evaluated)) || every;
  };
  return {
    check: (value, run) => chosen(value, run)?.check(value, run) ?? true,
    explain: (value, path, run) => chosen(value, run)?.explain(value, path, run) ?? [],
    settle(value, run) {
      const node = chosen(value, run);
      return node === null ? value : node.settle(value, run);
    },
    names: marked("names"),
    indices: marked("indices"),
  };
}

/** `dependentSchemas`. */
function dependentSchemasRule(context) {
  const schemas = context.schema.dependentSchemas;
  const nodes = Object.keys(schemas).map((name) => [name, context.child(schemas[name])]);
  const applying = (value) =>
    isObject(value) ? nodes.filter(([name]) => has(value, name)).map(([, node]) => node) : [];
  return {
    check: (value, run) => applying(value).every((node) => node.check(value, run)),
    explain: (value, path, run) => applying(value).flatMap((node) => node.explain(value, path, run)),
    settle: (value, run) => applying(value).reduce((last, node) => node.settle(last, run), value),
    names: (value, run, evaluated) => applying(value).some((node) => node.names(value, run, evaluated)),
  };
}

/** `unevaluatedProperties`: applies to the properties that nothing else in this schema evaluates. */
export function unevaluatedPropertiesRule(context) {
  const { schema, node: owner } = context;
  const node = context.child(schema.unevaluatedProperties);
  const known = new Set(Object.keys(schema.properties ?? {}));
  const remaining = (value, run) => {
    const evaluated = new Set();
    for (const rule of owner.rules) {
      if (rule.names && !rule.last && rule.names(value, run, evaluated)) return [];
    }
    return Object.keys(value).filter((name) => !evaluated.has(name));
  };
  return {
    check: (value, run) =>
      !isObject(value) || remaining(value, run).every((name) => node.check(value[name], run)),
    explain(value, path, run) {
      const refused = remaining(value, run).filter((name) => !node.check(value[name], run));
      return refused.flatMap((name) =>
        explainExtra(node, name, value, path, run, [known, "unevaluatedProperties"]),
      );
    },
    settle(value, run) {
      if (!isObject(value)) return value;
      const left = new Set(remaining(value, run));
      return withMembers(value, (name, item) => (left.has(name) ? node.settle(item, run) : item));
    },
    names: () => true,
    last: true,
  };
}

/** The rules of this module, by keyword, in their order. */
export const BUILDERS = {
  allOf: allRule,
  if: conditionRule,
  dependentSchemas: dependentSchemasRule,
  not: notRule,
};
