// All tools: search, filters, and the matrix tool × provider.

import { counted, el, fill, number } from "./elements.js";
import { cellMarks, cellText, permissionMark, severityMark, SEVERITIES } from "./marks.js";
import { hashOf } from "./router.js";
import { matching, searchTexts } from "./tool_search.js";

const PART = 16; // rows that are made at once: more follow as one scrolls
const MEASURES = [
  ["tokens", "tokens"],
  ["lost", "what is lost"],
  ["findings", "findings"],
];

/**
 * The view.
 *
 * @param {object} report - the index of the report
 * @param {Record<string, string>} query - the filters that the address states
 * @param {(query: Record<string, string>) => void} onQuery - called with changed filters
 * @returns {{ title: string, element: HTMLElement, focusSearch: () => void, reveal: (name: string) => boolean, complete: () => void }}
 *   `reveal` goes to the row of a tool, if it is among those found; `complete` makes all rows
 */
export function toolsView(report, query, onQuery) {
  const state = { ...query };
  const ids = report.providers.map((provider) => provider.id);
  const texts = searchTexts(report.tools);
  const status = el("p", { class: "muted", role: "status" });
  const body = el("tbody", {});
  const more = el("button", { type: "button", class: "more" });
  const nothing = el("div", { class: "nothing" });
  const head = el("tr", {});
  const rows = new Map();
  let found = [];
  let shown = 0;

  const rowOf = (at) => {
    if (!rows.has(at)) rows.set(at, toolRow(report.tools[at], report.providers));
    return rows.get(at);
  };
  const showMore = () => {
    const next = found.slice(shown, shown + PART);
    body.append(...next.map(rowOf));
    shown += next.length;
    const left = found.length - shown;
    more.hidden = left === 0;
    more.textContent = `Show ${number(Math.min(PART, left))} more of ${number(left)}`;
  };
  const update = () => {
    found = matching(report.tools, texts, state, ids);
    body.replaceChildren();
    shown = 0;
    showMore();
    const all = report.tools.length;
    fill(nothing, found.length ? null : noTool(all));
    status.textContent = found.length === all ? counted(all, "tool") : `${number(found.length)} of ${counted(all, "tool")}`;
    const first = body.querySelector("a");
    if (first) first.tabIndex = 0;
  };
  const updateHead = () => fill(head, headCells(report.providers, state, sortBy));
  const change = (part) => {
    Object.assign(state, part);
    onQuery(state);
    update();
    if ("sort" in part || "measure" in part) updateHead();
  };
  const sortBy = (key) => {
    const current = state.sort ?? "";
    const next = current === `-${key}` ? key : current === key ? "" : key === "name" ? key : `-${key}`;
    change({ sort: next });
    head.querySelector(`[data-sort="${CSS.escape(key)}"]`)?.focus();
  };
  more.addEventListener("click", showMore);
  const search = el("input", {
    type: "search",
    id: "search",
    placeholder: "Name, summary, parameter…  ( / )",
    "aria-label": "Search tools",
    autocomplete: "off",
    spellcheck: "false",
    value: state.q ?? "",
    on: {
      input: () => change({ q: search.value }),
      keydown: (event) => {
        if (event.key === "ArrowDown" || event.key === "Enter") {
          event.preventDefault();
          body.querySelector("a")?.focus();
        }
      },
    },
  });
  const table = el(
    "table",
    { class: "matrix", role: "grid", "aria-label": "Tools and providers", on: { keydown: (event) => walk(event, body, showMore) } },
    el("thead", {}, head),
    body,
  );
  const scroller = el("div", { class: "scroll tall" }, table, nothing, more);
  // The next rows are made before the reader sees the end of those that are there.
  new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && !more.hidden && showMore(), {
    root: scroller,
    rootMargin: "800px",
  }).observe(more);
  const element = el(
    "div",
    { class: "tools" },
    el("h1", { tabindex: -1, class: "sr-only" }, "Tools"),
    el("div", { class: "filters", role: "search" }, search, el("div", { class: "choices" }, filterControls(report, state, change))),
    el("div", { class: "row spread" }, status, legend()),
    scroller,
  );
  update();
  updateHead();
  const reveal = (name) => {
    const place = found.indexOf(report.tools.findIndex((tool) => tool.name === name));
    if (place < 0) return false;
    while (shown <= place) showMore();
    const link = rowOf(found[place]).querySelector("a");
    for (const each of body.querySelectorAll("a[tabindex='0']")) each.tabIndex = -1;
    link.tabIndex = 0;
    link.scrollIntoView({ block: "center" });
    link.focus({ preventScroll: true });
    return true;
  };
  const complete = () => {
    while (shown < found.length) showMore();
  };
  return { title: "Tools", element, focusSearch: () => (search.focus(), search.select()), reveal, complete };
}

/** What stands below the head of an empty table. */
function noTool(all) {
  if (!all) return el("p", {}, "The report has no tool.");
  return el(
    "p",
    { class: "row" },
    "No tool fits the search and the filters. ",
    el("a", { href: hashOf(["tools"]) }, `Show all ${number(all)}`),
  );
}

function headCells(providers, state, sortBy) {
  const [measure = "", provider = ""] = (state.sort ?? "").replace(/^-/, "").split(":");
  const direction = (state.sort ?? "").startsWith("-") ? "descending" : "ascending";
  const chosen = state.measure || "tokens";
  const cell = (key, label, active) =>
    el(
      "th",
      { scope: "col", "aria-sort": active ? direction : null },
      el(
        "button",
        { type: "button", "data-sort": key, on: { click: () => sortBy(key) } },
        label,
        el("span", { "aria-hidden": "true", class: "arrow" }, active ? (direction === "ascending" ? " ↑" : " ↓") : ""),
      ),
    );
  return [
    cell("name", "Tool", measure === "name"),
    providers.map((each) =>
      cell(`${chosen}:${each.id}`, each.id, provider === each.id && measure === chosen),
    ),
  ];
}

function toolRow(tool, providers) {
  const counts = SEVERITIES.filter((severity) => tool.counts[severity]);
  return el(
    "tr",
    {},
    el(
      "th",
      { scope: "row" },
      el(
        "span",
        { class: "row tight" },
        el("a", { class: "name", href: hashOf(["tool", tool.name]), tabindex: -1 }, tool.name),
        tool.group ? el("span", { class: "badge group" }, tool.group) : null,
        permissionMark(tool.permission),
        tool.deprecated ? el("span", { class: "badge warning" }, "deprecated") : null,
        counts.map((severity) => severityMark(severity, tool.counts[severity])),
      ),
      el("span", { class: "summary" }, tool.summary),
    ),
    tool.cells.map((cell, at) =>
      el(
        "td",
        {},
        el(
          "a",
          {
            href: hashOf(["tool", tool.name, providers[at].id]),
            tabindex: -1,
            title: cellText(cell, providers[at].title),
          },
          el("span", { class: "marks", "aria-hidden": "true" }, cellMarks(cell)),
          el("span", { class: "sr-only" }, `${tool.name}, ${cellText(cell, providers[at].id)}`),
        ),
      ),
    ),
  );
}

function filterControls(report, state, change) {
  const groups = [...new Set(report.tools.map((tool) => tool.group))].sort();
  const permissions = [...new Set(report.tools.map((tool) => tool.permission))].sort();
  const codes = [...new Set(report.tools.flatMap((tool) => tool.codes))].sort();
  const severities = SEVERITIES.filter((severity) => report.tools.some((tool) => tool.counts[severity]));
  const select = (key, label, options) => {
    const control = el(
      "select",
      { on: { change: () => change({ [key]: control.value }) } },
      options.map(([value, text]) => el("option", { value, selected: (state[key] ?? "") === value }, text)),
    );
    return el("label", {}, el("span", {}, label), control);
  };
  const any = ["", "any"];
  return [
    select("group", "Group", [any, ...groups.map((each) => [each || "·", each || "(none)"])]),
    select("permission", "Permission", [any, ...permissions.map((each) => [each, each])]),
    select("finding", "Finding", [any, ...[...severities, ...codes].map((each) => [each, each])]),
    select("loss", "Lost at", [any, ["*", "any provider"], ...report.providers.map((each) => [each.id, each.id])]),
    select("measure", "Columns sort by", MEASURES.map(([value, text]) => [value === "tokens" ? "" : value, text])),
  ];
}

function legend() {
  return el(
    "p",
    { class: "legend muted" },
    el("span", {}, "◆ strict"),
    el("span", {}, "◇ not strict"),
    el("span", {}, "123 tokens"),
    el("span", { class: "lost" }, "−2 lost"),
    el("span", { class: "found" }, "!1 findings"),
  );
}

/** Arrow keys, Home and End in the matrix. */
function walk(event, body, showMore) {
  const link = event.target.closest("tbody a");
  if (!link) return;
  const row = link.closest("tr");
  const column = [...row.querySelectorAll("a")].indexOf(link);
  let target = null;
  const cellOf = (other, at) => other && [...other.querySelectorAll("a")][at];
  if (event.key === "ArrowRight") target = cellOf(row, column + 1);
  else if (event.key === "ArrowLeft") target = column > 0 ? cellOf(row, column - 1) : null;
  else if (event.key === "ArrowUp") target = cellOf(row.previousElementSibling, column);
  else if (event.key === "ArrowDown") {
    if (!row.nextElementSibling) showMore();
    target = cellOf(row.nextElementSibling, column);
  } else if (event.key === "Home") target = cellOf(event.ctrlKey ? body.firstElementChild : row, 0);
  else if (event.key === "End") target = [...(event.ctrlKey ? body.lastElementChild : row).querySelectorAll("a")].at(-1);
  else return;
  event.preventDefault();
  if (!target) return;
  for (const each of body.querySelectorAll("a[tabindex='0']")) each.tabIndex = -1;
  target.tabIndex = 0;
  target.focus();
}
