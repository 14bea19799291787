// Starts the page: header, routes, keys.

import { changesView } from "./changes_view.js";
import { el, fill, number } from "./elements.js";
import { helpDialog } from "./help_dialog.js";
import { overviewView } from "./overview_view.js";
import { keepText, keptText } from "./kept_text.js";
import { providersView } from "./providers_view.js";
import { indexOf, readDetail } from "./report_data.js";
import { hashOf, parseHash } from "./router.js";
import { nextTheme, restoreTheme } from "./theme.js";
import { toolView } from "./tool_view.js";
import { toolsView } from "./tools_view.js";
import { visibleText } from "./visible_text.js";

restoreTheme();
const report = indexOf(document.getElementById("index").textContent);
const positions = new Map(report.tools.map((tool, at) => [tool.name, at]));
const main = el("main", { id: "main", tabindex: -1 });
const help = helpDialog();
const views = [
  ["overview", "Overview", hashOf([])],
  ["tools", `Tools`, hashOf(["tools"])],
  ["providers", "Providers", hashOf(["providers"])],
  ...(report.diff ? [["changes", "Changes", hashOf(["changes"])]] : []),
];
const links = views.map(([id, text, href]) => el("a", { href, "data-view": id }, text));
let toolsHash = hashOf(["tools"]);
let lastTool = null; // whose view was open before
let current = null;
let opening = 0;

const themeButton = el("button", { type: "button", class: "icon", on: { click: () => changeTheme() } });
const changeTheme = () => nameTheme(nextTheme());
const nameTheme = (theme) => {
  themeButton.setAttribute("aria-label", `Theme: ${theme}. Change it`);
  themeButton.title = `Theme: ${theme} (t)`;
  themeButton.textContent = { system: "◐", light: "☀", dark: "☾" }[theme];
};
nameTheme(document.documentElement.dataset.theme);

document.body.append(
  el("a", { class: "skip", href: "#main", on: { click: (event) => (event.preventDefault(), main.focus()) } }, "Skip to the content"),
  el(
    "header",
    { class: "page-head" },
    el("a", { class: "brand", href: hashOf([]) }, report.title, el("span", { class: "muted" }, ` ${number(report.tools.length)}`)),
    el("nav", { "aria-label": "Views" }, links),
    el(
      "span",
      { class: "row tight end" },
      el("button", { type: "button", class: "find", on: { click: () => openSearch() } }, "Search ", el("kbd", {}, "/")),
      themeButton,
      el("button", { type: "button", class: "icon", "aria-label": "Keys", title: "Keys (?)", on: { click: () => help.showModal() } }, "?"),
    ),
  ),
  main,
  el("footer", { class: "muted" }, `toolcast ${report.version}`),
  help,
);

/** The view of a route; a promise where details must be read. */
function viewOf({ path, query }) {
  switch (path[0]) {
    case "tools":
      return toolsView(report, query, (filters) => {
        toolsHash = hashOf(["tools"], filters);
        history.replaceState(null, "", toolsHash);
      });
    case "tool": {
      const at = positions.get(path[1]);
      if (at === undefined) return missing(path[1]);
      return readDetail(at).then((detail) => toolView(report, detail, at, { provider: path[2], view: query.view }));
    }
    case "providers":
      return providersView(report, path[1]);
    case "changes":
      return report.diff ? changesView(report, path[1]) : overviewView(report);
    default:
      return overviewView(report);
  }
}

function missing(name) {
  const element = el("div", {}, el("h1", { tabindex: -1 }, "No such tool"), el("p", {}, `The report has no tool ${name ?? ""}.`));
  return { title: "No such tool", element };
}

async function open() {
  const route = parseHash(location.hash);
  const mine = ++opening;
  if (route.path[0] === "tools") toolsHash = location.hash;
  let view;
  try {
    view = await viewOf(route);
  } catch (problem) {
    const element = el("div", {}, el("h1", { tabindex: -1 }, "This view cannot be shown"), el("pre", {}, String(problem.stack)));
    view = { title: "Error", element };
    console.error(problem);
  }
  if (mine !== opening) return; // another address was opened meanwhile
  const isFirst = current === null;
  current = view;
  fill(main, view.element);
  main.dataset.route = location.hash || hashOf([]);
  const active = route.path[0] === "tool" ? "tools" : (route.path[0] ?? "overview");
  for (const link of links) {
    if (link.dataset.view === active) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = visibleText(`${view.title} · ${report.title}`);
  const left = lastTool;
  lastTool = route.path[0] === "tool" ? route.path[1] : null;
  if (isFirst) return restorePlace();
  scrollTo(0, 0);
  if (left !== null && current.reveal?.(left)) return; // back in the list, at the tool that one comes from
  main.querySelector("h1")?.focus({ preventScroll: true });
}

/** Scroll to where the page was before it was loaded anew. */
function restorePlace() {
  const [entry] = performance.getEntriesByType("navigation");
  const [height, hash] = (keptText("place") ?? "").split(/ (.*)/s);
  if (entry?.type === "reload" && hash === location.hash) scrollTo(0, Number(height));
}

async function openSearch() {
  if (!current?.focusSearch) {
    history.pushState(null, "", toolsHash); // unlike `location.hash`, this opens nothing by itself
    await open();
  }
  current.focusSearch?.();
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  const { target } = event;
  const typing = target.matches("input, textarea, select");
  if (event.key === "Escape") {
    if (typing && target.type !== "search") target.blur();
    else if (typing && target.value) return; // the browser empties the search
    else if (parseHash(location.hash).path[0] === "tool") location.hash = toolsHash;
    else if (typing) target.blur();
    return;
  }
  if (typing) return;
  const action = {
    "/": openSearch,
    "?": () => help.showModal(),
    t: changeTheme,
    "[": () => main.querySelector("a[rel=prev]")?.click(),
    "]": () => main.querySelector("a[rel=next]")?.click(),
  }[event.key] ?? (/^[1-9]$/.test(event.key) && links[event.key - 1] ? () => links[event.key - 1].click() : null);
  if (!action) return;
  event.preventDefault();
  action();
}

addEventListener("hashchange", open);
addEventListener("keydown", key);
addEventListener("pagehide", () => keepText("place", `${scrollY} ${location.hash}`));
addEventListener("beforeprint", () => current?.complete?.());
open();
