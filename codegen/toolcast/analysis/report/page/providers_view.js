// The whole set for one provider: limits of a request, where the tokens are, tools that are alike.

import { counted, el, fill, number, svg } from "./elements.js";
import { strictShare } from "./marks.js";
import { hashOf } from "./router.js";
import { tabs } from "./tabs.js";
import { squarified } from "./treemap.js";

const GROUP_HEAD = 18;
const LETTER = 7; // width of a letter in the map's units, at its font size
const MOST_ROWS = 200;

/**
 * The view.
 *
 * @param {object} report - the index of the report
 * @param {string | undefined} provider - the id that the address states
 * @returns {{ title: string, element: HTMLElement }}
 */
export function providersView(report, provider) {
  const ids = report.providers.map((each) => each.id);
  const chosen = ids.includes(provider) ? provider : ids[0];
  const panel = el("div", {});
  const show = (id) => fill(panel, providerPart(report, id));
  const choice = tabs({
    label: "Provider",
    tabs: ids.map((id) => ({ id, text: id })),
    chosen,
    panel,
    onChoose: (id) => {
      history.replaceState(null, "", hashOf(["providers", id]));
      show(id);
    },
  });
  if (chosen) show(chosen);
  const element = el(
    "div",
    {},
    el("h1", { tabindex: -1 }, "Providers"),
    chosen ? [choice, panel] : el("p", {}, "The report has no provider."),
  );
  return { title: "Providers", element };
}

function providerPart(report, id) {
  const at = report.providers.findIndex((each) => each.id === id);
  const info = report.providers[at];
  const set = report.sets.find((each) => each.id === id);
  const tools = report.tools
    .map((tool) => ({ name: tool.name, group: tool.group, tokens: tool.cells[at].tokens, brief: tool.cells[at].brief }))
    .filter((tool) => tool.tokens !== null)
    .sort((a, b) => b.tokens - a.tokens || (a.name < b.name ? -1 : 1));
  return [
    el("h2", {}, info.title),
    el(
      "dl",
      { class: "cards" },
      card("tools", number(set.tools)),
      card("strict", strictShare(info, set.strict_tools, set.tools)),
      card("tokens in full", number(set.tokens)),
      card("tokens in brief", number(set.brief)),
      card("lost", number(set.lost)),
      info.dated ? card("rules checked", info.dated) : null,
    ),
    el("h3", {}, "Limits of one request with all tools"),
    set.limits.length
      ? el("ul", { class: "limits" }, set.limits.map(limitBar))
      : el("p", {}, "The provider documents no limit for requests."),
    el("h3", {}, "Tokens by tool"),
    el("p", { class: "muted" }, report.note ?? ""),
    tools.length ? [treemap(tools, id), tokenTable(tools, id, set.tokens)] : el("p", {}, "It gets no tool."),
  ];
}

const card = (name, value) => el("div", { class: "card" }, el("dt", {}, name), el("dd", {}, value));

function limitBar(limit) {
  const share = limit.allowed ? limit.used / limit.allowed : limit.used ? Infinity : 0;
  const state = share > 1 ? (limit.advised ? "warning" : "error") : share > 0.8 ? "near" : "fine";
  const word = { error: "✕ exceeded", warning: "! more than advised", near: "! nearly used", fine: "✓" }[state];
  const percent = share === Infinity ? "none allowed" : share > 10 ? `× ${number(Math.round(share))}` : `${Math.round(share * 100)} %`;
  const bar = el("span", { class: `bar ${state}` });
  bar.style.setProperty("--share", String(Math.min(1, share)));
  const most = limit.most ?? [];
  return el(
    "li",
    {},
    el(
      "span",
      { class: "row spread" },
      el("span", {}, limit.noun, limit.advised ? " (advised)" : ""),
      el("span", {}, `${number(limit.used)} of ${number(limit.allowed)} · ${percent} `, el("span", { class: `state ${state}` }, word)),
    ),
    el("span", { class: "track", "aria-hidden": "true" }, bar),
    most.length && share > 0.5
      ? el(
          "span",
          { class: "muted most" },
          "most: ",
          most.slice(0, 3).map(([tool, amount], at) => [at ? ", " : "", el("a", { href: hashOf(["tool", tool]) }, tool), ` ${number(amount)}`]),
        )
      : null,
  );
}

/** The map, as wide as there is room: its texts have one size on every screen. */
function treemap(tools, provider) {
  const place = el("div", { class: "map" });
  let drawn = 0;
  const draw = (width) => {
    if (width < 1 || Math.abs(width - drawn) < 24) return; // a scroll bar that comes or goes
    drawn = width;
    const height = Math.round(Math.min(720, Math.max(420, 0.45 * width)));
    fill(place, drawing(tools, provider, Math.round(width), height));
  };
  const { paddingLeft, paddingRight } = getComputedStyle(document.querySelector("main"));
  draw(document.querySelector("main").clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight));
  new ResizeObserver(([entry]) => draw(entry.contentRect.width)).observe(place);
  return place;
}

function drawing(tools, provider, width, height) {
  const groups = Map.groupBy(tools, (tool) => tool.group);
  const sums = [...groups].map(([group, members]) => [group, members, members.reduce((sum, each) => sum + each.tokens, 0)]);
  sums.sort((a, b) => b[2] - a[2]);
  const kept = sums.filter(([, , sum]) => sum > 0);
  const areas = squarified(kept.map(([, , sum]) => sum), { x: 0, y: 0, width, height });
  const parts = kept.map(([group, members, sum], at) => groupPart(group, members, sum, areas[at], at, provider));
  const graphic = svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      class: "treemap",
      role: "group",
      "aria-label": "Tokens of each tool as areas, by group. Arrow keys go from tool to tool; the table below has the same figures.",
    },
    parts,
  );
  const links = [...graphic.querySelectorAll("a")];
  links.forEach((link, at) => link.setAttribute("tabindex", at ? "-1" : "0"));
  graphic.addEventListener("keydown", (event) => {
    const at = links.indexOf(event.target.closest("a"));
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const next = event.key === "Home" ? links[0] : event.key === "End" ? links.at(-1) : links[at + step];
    if (at < 0 || !next) return;
    event.preventDefault();
    links[at].setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
  return graphic;
}

function groupPart(group, members, sum, area, at, provider) {
  const head = area.height > 3 * GROUP_HEAD && area.width > 60 ? GROUP_HEAD : 0;
  const inner = { x: area.x + 1, y: area.y + head + 1, width: Math.max(0, area.width - 2), height: Math.max(0, area.height - head - 2) };
  const counted_ = members.filter((each) => each.tokens > 0);
  const boxes = squarified(counted_.map((each) => each.tokens), inner);
  return svg(
    "g",
    { class: `tint-${at % 6}` },
    svg("rect", { class: "group-area", x: area.x, y: area.y, width: area.width, height: area.height }),
    head
      ? svg("text", { class: "group-name", x: area.x + 6, y: area.y + 13, "aria-hidden": "true" }, groupTitle(group || "(no group)", sum, area.width - 10))
      : null,
    counted_.map((tool, index) => toolBox(tool, boxes[index], provider)),
  );
}

function toolBox(tool, box, provider) {
  const label = `${tool.name}: ${counted(tool.tokens, "token")}`;
  const name = box.height > 16 ? fitting(tool.name, box.width - 8) : "";
  return svg(
    "a",
    { href: hashOf(["tool", tool.name, provider]) },
    svg("title", {}, label),
    svg("rect", { x: box.x + 0.5, y: box.y + 0.5, width: Math.max(0, box.width - 1), height: Math.max(0, box.height - 1), rx: 2 }),
    name ? svg("text", { "aria-hidden": "true", x: box.x + 5, y: box.y + 14 }, name) : null,
    name && box.height > 32 && box.width > 40 ? svg("text", { class: "amount", "aria-hidden": "true", x: box.x + 5, y: box.y + 28 }, number(tool.tokens)) : null,
  );
}

function groupTitle(group, sum, width) {
  const whole = `${group} · ${number(sum)}`;
  return LETTER * whole.length <= width ? whole : fitting(group, width);
}

function fitting(text, width) {
  const most = Math.floor(width / LETTER);
  if (text.length <= most) return text;
  return most >= 7 ? `${text.slice(0, most - 1)}…` : "";
}

function tokenTable(tools, provider, total) {
  const rows = tools.slice(0, MOST_ROWS).map((tool) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, el("a", { href: hashOf(["tool", tool.name, provider]) }, tool.name)),
      el("td", {}, tool.group),
      el("td", { class: "number" }, number(tool.tokens)),
      el("td", { class: "number" }, number(tool.brief)),
      el("td", { class: "number" }, total ? `${((100 * tool.tokens) / total).toFixed(1)} %` : ""),
    ),
  );
  const heads = ["Tool", "Group", "Tokens", "Brief", "Share"];
  return el(
    "details",
    {},
    el("summary", {}, `The same as a table (${number(rows.length)} of ${counted(tools.length, "tool")})`),
    el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Tokens by tool" },
      el(
        "table",
        { class: "plain" },
        el("thead", {}, el("tr", {}, heads.map((head, at) => el("th", { scope: "col", class: at > 1 ? "number" : null }, head)))),
        el("tbody", {}, rows),
      ),
    ),
  );
}
