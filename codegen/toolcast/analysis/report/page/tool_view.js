// One tool: its spec, its Struct and what a provider gets, side by side, with each loss at its place.

import { argumentBox } from "./argument_box.js";
import { codePane } from "./code_pane.js";
import { counted, el, fill, number, prose } from "./elements.js";
import { findingsList } from "./findings_list.js";
import { sourceLines } from "./highlight.js";
import { jsonLines } from "./json_lines.js";
import { jsonText } from "./json_text.js";
import { cellText, permissionMark, placeText } from "./marks.js";
import { hashOf } from "./router.js";
import { tabs } from "./tabs.js";

const VIEWS = [
  ["summary", "Summary", "name and summary alone: what a model sees of a tool that is not yet loaded"],
  ["brief", "Brief", "parameters cut to names and types"],
  ["full", "Full", "the complete definition"],
];

/**
 * The view.
 *
 * @param {object} report - the index of the report
 * @param {object} detail - the tool's `ToolDetail`
 * @param {number} at - its position in the report
 * @param {{ provider?: string, view?: string }} address - the provider and the level that the address states
 * @returns {{ title: string, element: HTMLElement }}
 */
export function toolView(report, detail, at, { provider, view }) {
  const row = report.tools[at];
  const known = detail.providers.map((each) => each.id);
  const state = {
    id: known.includes(provider) ? provider : known[0],
    level: VIEWS.some(([level]) => level === view) ? view : VIEWS[0][0],
  };
  const shown = el("div", {});
  const neighbours = el("nav", { class: "row", "aria-label": "Neighbours" });
  const show = () => fill(shown, providerPart(report, row, detail, state.id, levelChoice));
  const addressOf = (name) => hashOf(["tool", name, ...(state.id ? [state.id] : [])], { view: state.level === VIEWS[0][0] ? "" : state.level });
  const change = (part) => {
    Object.assign(state, part);
    history.replaceState(null, "", addressOf(row.name));
    fill(neighbours, steps(report, at, addressOf));
  };
  const levelChoice = { level: () => state.level, choose: (level) => change({ level }) };
  fill(neighbours, steps(report, at, addressOf));
  const choice = tabs({
    label: "Provider",
    tabs: known.map((id) => {
      const cell = row.cells[report.providers.findIndex((each) => each.id === id)];
      return { id, text: id, note: cell.lost ? `−${number(cell.lost)}` : "", title: cellText(cell, id) };
    }),
    chosen: state.id,
    panel: shown,
    onChoose: (id) => {
      change({ id });
      show();
    },
  });
  if (state.id) show();
  const element = el(
    "article",
    { class: "tool" },
    header(row, neighbours),
    state.id ? choice : el("p", {}, "No provider gets a definition of this tool."),
    shown,
    argumentBox(detail, report.title),
    detail.findings.length
      ? el("section", {}, el("h2", {}, `Findings (${number(detail.findings.length)})`), findingsList(detail.findings, { tool: row.name }))
      : null,
  );
  return { title: row.name, element };
}

/** Links to the tools before and after, at the same provider and level. */
function steps({ tools }, at, addressOf) {
  const step = (other, label, key) =>
    other ? el("a", { class: "step", rel: key, href: addressOf(other.name) }, label) : el("span", { class: "step muted" }, label);
  return [step(tools[at - 1], "← previous", "prev"), step(tools[at + 1], "next →", "next")];
}

function header(row, neighbours) {
  return el(
    "header",
    {},
    el(
      "div",
      { class: "row spread" },
      el("h1", { tabindex: -1 }, row.name),
      neighbours,
    ),
    el("p", { class: "lead" }, row.summary),
    row.deprecated ? el("p", { class: "notice" }, `Deprecated: ${row.deprecated}`) : null,
    el(
      "p",
      { class: "row tight" },
      row.group ? el("a", { class: "badge group", href: hashOf(["tools"], { group: row.group }) }, row.group) : null,
      permissionMark(row.permission),
      row.tags.map((tag) => el("span", { class: "badge" }, tag)),
      row.secrets.map((name) => el("span", { class: "badge" }, `secret ${name}`)),
      el("code", { class: "muted" }, row.file),
    ),
  );
}

function providerPart(report, row, detail, id, levelChoice) {
  const index = report.providers.findIndex((each) => each.id === id);
  const info = report.providers[index];
  const provider = detail.providers.find((each) => each.id === id);
  const cell = row.cells[index];
  const panes = [];
  const items = [];
  const highlight = (loss) => {
    panes.forEach((pane) => pane.highlight(loss));
    items.forEach((item, at) => item.classList.toggle("chosen", at === loss));
  };
  const fromPane = (loss) => {
    highlight(loss);
    items[loss].scrollIntoView({ block: "nearest" });
  };
  const fromList = (loss) => {
    highlight(loss);
    panes.at(-1).element.scrollIntoView({ block: "nearest" });
  };
  const { losses } = provider;
  panes.push(specPane(detail, losses, fromPane));
  if (detail.struct_text) panes.push(structPane(detail, losses, fromPane));
  panes.push(definitionPane(provider, info, cell, losses, fromPane));
  items.push(...losses.map((loss, at) => lossItem(loss, at, fromList)));
  return [
    el("p", { class: "muted" }, definitionNote(info, provider, cell)),
    el("div", { class: `panes of-${panes.length}` }, panes.map((pane) => pane.element)),
    el(
      "section",
      {},
      el("h2", {}, losses.length ? `Differences between the spec and what ${info.title} is sent` : `${info.title} is sent all of the spec`),
      losses.length ? el("p", { class: "muted" }, lossCounts(cell)) : null,
      losses.length ? el("ol", { class: "losses" }, items) : null,
    ),
    el("section", {}, el("h2", {}, "What a model sees"), levels(provider, info, cell, levelChoice)),
  ];
}

/** `2 lost or changed · 3 kept elsewhere` */
function lossCounts({ lost, kept }) {
  return [lost ? `${number(lost)} lost or changed` : "", kept ? `${number(kept)} kept elsewhere` : ""].filter(Boolean).join(" · ");
}

function definitionNote(info, provider, cell) {
  const strict = { true: "the provider is asked to enforce the schema", false: "the schema is not enforced" }[provider.strict];
  return [info.title, strict, `${counted(cell.tokens, "token")} in full, ${number(cell.brief)} brief`].filter(Boolean).join(" · ");
}

function specPane(detail, losses, onMark) {
  const language = detail.spec_file.endsWith(".json") ? "json" : "yaml";
  const inFile = (loss) => (loss.file === detail.spec_file ? loss.line - 1 : null);
  const lines = sourceLines(detail.spec_text, language);
  return codePane({ title: "Spec", note: detail.spec_file, lines, marks: marksOf(losses, inFile), onMark });
}

function structPane(detail, losses, onMark) {
  const lines = sourceLines(detail.struct_text, "python");
  const marks = marksOf(losses, (loss) => (loss.struct_line === null ? null : loss.struct_line - 1));
  return codePane({ title: "Python", note: detail.struct_file, lines, marks, onMark });
}

function definitionPane(provider, info, cell, losses, onMark) {
  const lines = definitionLines(provider.definition, info);
  const byPointer = new Map(lines.map((line, at) => [line.pointer, at]));
  const marks = marksOf(losses, (loss) => nearest(byPointer, loss.shown_at));
  const note = `${info.id} · ${counted(cell.tokens, "token")}`;
  return codePane({ title: "Provider", note, lines: lines.map((line) => line.tokens), marks, onMark });
}

function definitionLines(definition, info) {
  if (typeof definition !== "string") return jsonLines(definition);
  return sourceLines(definition, info.language).map((tokens) => ({ tokens, pointer: null }));
}

/** The line of a pointer, or of what is around it. */
function nearest(byPointer, pointer) {
  let place = pointer;
  while (place !== null && place !== "") {
    if (byPointer.has(place)) return byPointer.get(place);
    place = place.slice(0, place.lastIndexOf("/"));
  }
  return place === "" ? (byPointer.get("") ?? null) : null;
}

function marksOf(losses, lineOf) {
  const marks = new Map();
  losses.forEach((loss, at) => {
    const line = lineOf(loss);
    if (line === null || line < 0) return;
    if (!marks.has(line)) marks.set(line, []);
    marks.get(line).push(at);
  });
  return marks;
}

function lossItem(loss, at, highlight) {
  return el(
    "li",
    {},
    el(
      "button",
      { class: "loss", type: "button", on: { click: () => highlight(at) } },
      el("span", { class: "mark" }, String(at + 1)),
      el("span", { class: `badge ${loss.severity === "kept elsewhere" ? "note" : "warning"}` }, loss.severity),
      el("span", { class: "sentence" }, prose(loss.sentence)),
      el("span", { class: "muted" }, `${placeText(loss.file, loss.line)} · ${loss.of} ${loss.pointer || "/"}`),
    ),
  );
}

function levels(provider, info, cell, { level: chosen, choose }) {
  const panel = el("div", {});
  const tokens = { summary: null, brief: cell.brief, full: cell.tokens };
  const definitions = { summary: provider.summary, brief: provider.brief, full: provider.definition };
  const show = (level) => {
    const [, title, meaning] = VIEWS.find(([id]) => id === level);
    const definition = definitions[level];
    const text = typeof definition === "string" ? definition : jsonText(definition);
    const cost = tokens[level] === null ? "" : ` · ${counted(tokens[level], "token")}`;
    const pane = codePane({ title, heading: "h3", note: `${meaning}${cost}`, lines: definitionLines(definition, info).map((line) => line.tokens) });
    pane.element.querySelector(".pane-head").append(copyButton(text));
    fill(panel, pane.element);
  };
  const choice = tabs({ label: "Level", tabs: VIEWS.map(([id, text]) => ({ id, text, note: tokens[id] === null ? "" : number(tokens[id]) })), chosen: chosen(), panel, onChoose: (level) => (choose(level), show(level)) });
  show(chosen());
  return [choice, panel];
}

function copyButton(text) {
  const button = el("button", { type: "button", class: "small", on: { click: () => copy() } }, "Copy");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed here";
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  };
  return button;
}
