// `anyOf` and `oneOf`: verdicts, and the branch whose violations are reported.

import { has, isObject, key } from "./json_values.js";
import { describe, got, label, listed, member, show } from "./messages.js";
import { Node, violation } from "./node.js";

/** The rule of `anyOf` or `oneOf`. */
function unionRule(keyword) {
  return (context) => {
    const nodes = context.schema[keyword].map((sub) => context.child(sub));
    const verdict = keyword === "anyOf" ? anyAccepts : oneAccepts;
    const accepting = (value, run) => nodes.filter((node) => node.check(value, run));
    const marked = (method) => (value, run, evaluated) =>
      accepting(value, run).some((node) => node[method](value, run, evaluated));
    return {
      check: (value, run) =>
        run.remember(nodes, value, () => {
          run.spend(nodes.length);
          return verdict(nodes, value, run);
        }),
      explain(value, path, run) {
        if (keyword === "oneOf") {
          run.spend(nodes.length);
          const hits = nodes.flatMap((node, index) => (node.check(value, run) ? [index + 1] : []));
          if (hits.length > 1) {
            const which = hits.slice(0, 5).join(" and ");
            const forms = `matches more than one of the ${nodes.length} forms allowed here`;
            const text = `${label(path)} ${forms} (numbers ${which}); it must match exactly one`;
            return [violation(path, text, keyword, nodes.length)];
          }
        }
        return explainUnion(nodes, value, path, run, keyword);
      },
      settle: (value, run) => settleUnion(nodes, value, run),
      names: marked("names"),
      indices: marked("indices"),
    };
  };
}

const anyAccepts = (nodes, value, run) => nodes.some((node) => node.check(value, run));

function oneAccepts(nodes, value, run) {
  let hit = false;
  for (const node of nodes) {
    if (!node.check(value, run)) continue;
    if (hit) return false;
    hit = true;
  }
  return hit;
}

/** By the first branch that accepts the value as it is, else by the first that accepts it settled: a value that is
 * accepted already must not lose a null that it may have. */
function settleUnion(nodes, value, run) {
  if (value === null || (typeof value !== "object" && typeof value !== "number")) return value;
  run.spend(nodes.length);
  for (const node of nodes) if (node.check(value, run)) return node.settle(value, run);
  for (const node of nodes) {
    const settled = node.settle(value, run);
    if (settled !== value && node.check(settled, run)) return settled;
  }
  return value;
}

/** The violations of the branch that the value is closest to, or one that summarises all branches. */
function explainUnion(nodes, value, path, run, keyword) {
  const selected = selectedByTag(nodes, value, path, keyword);
  if (selected instanceof Node) return selected.explain(value, path, run);
  if (selected !== null) return [selected];
  run.spend(nodes.length);
  const branches = nodes.map((node) => node.explain(value, path, run));
  const fitting = branches.filter((found) => !isOfWrongKind(found, path));
  if (!fitting.length) {
    const forms = [...new Set(nodes.slice(0, 20).map((node) => describe(node.resolved())))].join(" or ");
    const more = nodes.length > 20 ? " or another form" : "";
    return [violation(path, `${label(path)} must be ${forms}${more}, ${got(value)}`, keyword, nodes.length)];
  }
  if (fitting.length === 1) return fitting[0]; // the only branch of this type
  const closest = fitting.reduce((best, found) => (found.length < best.length ? found : best));
  const reasons = closest.slice(0, 3).map((one) => one.message);
  if (closest.length > 3) reasons.push(`and ${closest.length - 3} more`);
  const none = `${label(path)} matches none of the ${nodes.length} forms allowed here; for the closest: `;
  return [violation(path, none + reasons.join("; "), keyword, nodes.length)];
}

/** Whether a branch refuses the value itself, not a part of it. */
const isOfWrongKind = (found, path) =>
  found.some((one) => one.path === path && ["type", "const", "enum", "false"].includes(one.keyword));

/** The branch that a discriminating property selects, or the violation of that property. */
function selectedByTag(nodes, value, path, keyword) {
  if (!isObject(value)) return null;
  const tags = nodes.map(tagsOf);
  const shared = [...tags[0].keys()].filter((name) => tags.every((found) => found.has(name)));
  for (const name of shared.sort()) {
    const sets = tags.map((found) => new Set(found.get(name).map(key)));
    const total = sets.reduce((sum, each) => sum + each.size, 0);
    if (total !== new Set(sets.flatMap((each) => [...each])).size) continue; // two branches share a tag
    const allowed = tags.flatMap((found) => found.get(name));
    if (!has(value, name)) {
      const where = path === "$" ? "" : ` in ${label(path)}`;
      const text = `missing required property \`${name}\` (one of ${listed(allowed)})${where}`;
      return violation(path, text, keyword, name);
    }
    const tag = key(value[name]);
    const index = sets.findIndex((each) => each.has(tag));
    if (index >= 0) return nodes[index];
    const at = member(path, name);
    const text = `${label(at)} must be one of ${listed(allowed)}, got ${show(value[name])}`;
    return violation(at, text, "enum", allowed);
  }
  return null;
}

/** The required properties of a branch that are constants, and their values. */
function tagsOf(node) {
  const schema = node.resolved();
  const found = new Map();
  if (!isObject(schema)) return found;
  for (const name of schema.required ?? []) {
    const sub = has(schema.properties ?? {}, name) ? schema.properties[name] : undefined;
    if (!isObject(sub)) continue;
    if (has(sub, "const")) found.set(name, [sub.const]);
    else if (has(sub, "enum")) found.set(name, sub.enum);
  }
  return found;
}

/** The rules of this module, by keyword, in their order. */
export const BUILDERS = { anyOf: unionRule("anyOf"), oneOf: unionRule("oneOf") };
