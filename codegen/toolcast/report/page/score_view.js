// The score of the set: what takes points off, and tools that may be taken for each other.

import { counted, el, number, prose } from "./elements.js";
import { growingList } from "./growing_list.js";
import { hashOf } from "./router.js";

const MOST = 20;

/**
 * The view of the score: the points of the set and of its tools with each deduction's reason, and pairs that are alike.
 *
 * @param {object} report - the index of the report; its `score` is not null
 * @returns {{ title: string, element: HTMLElement }}
 */
export function scoreView({ score, tools }) {
  const link = linker(tools);
  const poor = score.tools.filter((tool) => tool.deductions.length);
  const element = el(
    "div",
    {},
    el("h1", { tabindex: -1 }, `Score: ${number(score.set.points)} of 100`),
    score.set.queries
      ? el(
          "p",
          { class: "lead" },
          `${number(score.set.found_first)} of ${counted(score.set.queries, "query", "queries")} find their tool first: ` +
            "made of examples, summaries and parameter names, ranked by BM25.",
        )
      : null,
    score.set.deductions.length ? el("ul", {}, score.set.deductions.map(deductionItem)) : null,
    el("h2", {}, "Tools that are alike"),
    score.pairs.length ? growingList("pairs", score.pairs, (pair) => pairItem(pair, link), MOST) : el("p", {}, "✓ No two tools are alike."),
    poor.length ? [el("h2", {}, "Tools with fewest points"), growingList("scores", poor, toolItem, MOST)] : null,
  );
  return { title: "Score", element };
}

/** The score of one tool: what takes points off, and what a search finds instead of it. */
export function toolScore(score, { tools }) {
  const link = linker(tools);
  const misses = score.retrievals.filter((each) => each.rank !== 1);
  return el(
    "section",
    {},
    el("h2", {}, `Score: ${number(score.points)} of 100`),
    score.deductions.length ? el("ul", {}, score.deductions.map(deductionItem)) : el("p", {}, "✓ Nothing takes points off."),
    misses.length
      ? [el("h3", {}, "Searches that find another tool first, or none"), el("ul", { class: "misses" }, misses.map((miss) => missItem(miss, link)))]
      : null,
  );
}

/** Links to tools; a tool that is scored but not in the report is a name. */
function linker(tools) {
  const known = new Set(tools.map((tool) => tool.name));
  return (name) => (known.has(name) ? el("a", { href: hashOf(["tool", name]) }, name) : el("strong", {}, name));
}

function missItem({ kind, query, rank, winner, words }, link) {
  return el(
    "li",
    {},
    el("span", { class: "badge" }, kind),
    " ",
    el("q", {}, query),
    rank === null ? " finds it nowhere" : ` finds it at place ${number(rank)}`,
    winner ? ["; ", link(winner), " is first"] : null,
    words.length ? [" by ", words.map((word) => [el("span", { class: "word" }, word), " "])] : null,
  );
}

function toolItem(tool) {
  const sums = Map.groupBy(tool.deductions, (deduction) => deduction.part);
  const lost = (deductions) => deductions.reduce((sum, each) => sum + each.points, 0);
  return el(
    "li",
    { class: "points-of" },
    el("a", { href: hashOf(["tool", tool.tool]) }, tool.tool),
    el(
      "details",
      {},
      el(
        "summary",
        {},
        el("strong", {}, `${number(tool.points)} `),
        [...sums].map(([part, deductions]) => [el("span", { class: "badge" }, `${part} −${number(lost(deductions))}`), " "]),
      ),
      el("ul", {}, tool.deductions.map(deductionItem)),
    ),
  );
}

function deductionItem(deduction) {
  return el(
    "li",
    { class: "deduction" },
    el("span", { class: "points" }, `−${number(deduction.points)}`),
    ` ${deduction.part}: `,
    prose(deduction.reason),
    deduction.code ? [" ", el("code", {}, deduction.code)] : null,
  );
}

function pairItem(pair, link) {
  const only = (name, words) =>
    words?.length ? el("span", { class: "muted" }, `only ${name}: `, words.slice(0, 8).join(", ")) : null;
  return el(
    "li",
    {},
    el(
      "p",
      { class: "row" },
      link(pair.first),
      el("span", { "aria-hidden": "true" }, "≈"),
      link(pair.second),
      el("span", { class: "badge" }, `${Math.round(pair.similarity * 100)} % alike`),
      pair.stated ? el("span", { class: "badge" }, "one names the other") : null,
      pair.names_differ ? el("span", { class: "badge" }, "the names differ") : null,
    ),
    el("p", { class: "row tight" }, el("span", { class: "muted" }, "shared:"), pair.words.map((word) => el("span", { class: "word" }, word))),
    el("p", { class: "row" }, only(pair.first, pair.only_first), only(pair.second, pair.only_second)),
  );
}
