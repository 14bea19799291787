// The first view: how many tools there are, what is wrong, and what each provider's models lose.

import { counted, el, number, prose } from "./elements.js";
import { findingsList } from "./findings_list.js";
import { SEVERITIES, severityMark, strictShare } from "./marks.js";
import { hashOf } from "./router.js";

const MOST = 12;

/**
 * The view.
 *
 * @param {object} report - the index of the report
 * @returns {{ title: string, element: HTMLElement }}
 */
export function overviewView(report) {
  const failed = report.diagnostics.some((each) => each.severity === "error");
  const element = el(
    "div",
    {},
    el("h1", { tabindex: -1 }, report.title),
    el("dl", { class: "cards" }, cards(report)),
    report.tools.length || failed ? null : el("p", { class: "notice" }, prose("There is no tool yet. Write a spec into the specs folder, or let `toolcast import` write specs from what you have.")),
    failed ? diagnosticsPart(report.diagnostics, "Specs that do not compile") : null,
    el("section", {}, el("h2", {}, "What each provider's models get"), providerTable(report)),
    worst(report),
    failed ? null : diagnosticsPart(report.diagnostics, "What the compiler says"),
  );
  return { title: "Overview", element };
}

function diagnosticsPart(diagnostics, title) {
  if (!diagnostics.length) return null;
  return el("section", {}, el("h2", {}, title), findingsList(diagnostics, { most: MOST }));
}

function cards({ tools, providers, findings, diagnostics, diff }) {
  const groups = new Set(tools.map((tool) => tool.group).filter(Boolean));
  const rows = [
    ["tools", number(tools.length), hashOf(["tools"])],
    ["groups", number(groups.size), null],
    ["providers", number(providers.length), hashOf(["providers"])],
    ["findings", number(findings.length + tools.reduce((sum, { counts }) => sum + total(counts), 0)), hashOf(["tools"], { sort: "-findings" })],
  ];
  if (diagnostics.length) rows.push(["diagnostics", number(diagnostics.length), null]);
  if (diff) rows.push(["changes", number(diff.changes.length), hashOf(["changes"])]);
  return rows.map(([name, value, address]) =>
    el("div", { class: "card" }, el("dt", {}, name), el("dd", {}, address ? el("a", { href: address }, value) : value)),
  );
}

const total = (counts) => SEVERITIES.reduce((sum, severity) => sum + counts[severity], 0);

function providerTable({ tools, providers, sets, findings }) {
  const rows = providers.map((provider, at) => {
    const cells = tools.map((tool) => tool.cells[at]).filter((cell) => cell.tokens !== null);
    const strict = cells.filter((cell) => cell.strict).length;
    const sum = (member) => cells.reduce((total, cell) => total + cell[member], 0);
    const set = sets.find((each) => each.id === provider.id);
    const ofSet = findings.filter((each) => each.providers.includes(provider.id)).length;
    const over = set.limits.filter((limit) => limit.used > limit.allowed && !limit.advised).length;
    const share = el("td", { class: "number" }, strictShare(provider, strict, cells.length));
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, el("a", { href: hashOf(["providers", provider.id]) }, provider.title)),
      share,
      el("td", { class: "number" }, number(set.tokens)),
      el("td", { class: "number" }, number(sum("lost"))),
      el("td", { class: "number" }, number(sum("kept"))),
      el("td", { class: "number" }, number(sum("findings") + ofSet)),
      el("td", {}, over ? el("span", { class: "badge error" }, `✕ ${counted(over, "limit")} exceeded`) : "✓ within limits"),
    );
  });
  const heads = ["Provider", "Strict", "Tokens", "Lost", "Kept elsewhere", "Findings", "Request limits"];
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Providers" },
    el(
      "table",
      { class: "plain" },
      el("thead", {}, el("tr", {}, heads.map((head, at) => el("th", { scope: "col", class: at && at < 6 ? "number" : null }, head)))),
      el("tbody", {}, rows),
    ),
  );
}

function worst({ findings, tools }) {
  const weight = (counts) => SEVERITIES.map((severity) => counts[severity] ?? 0);
  const heavier = (a, b) => {
    const [left, right] = [weight(a.counts), weight(b.counts)];
    const at = left.findIndex((count, index) => count !== right[index]);
    return at < 0 ? 0 : right[at] - left[at];
  };
  const found = tools.filter((tool) => tool.codes.length).sort(heavier);
  const total = (severity) => tools.reduce((sum, tool) => sum + tool.counts[severity], 0) + ofSet(findings, severity);
  const present = SEVERITIES.filter((severity) => total(severity));
  return el(
    "section",
    {},
    el("h2", {}, "Findings"),
    present.length ? null : el("p", {}, "✓ Lint finds nothing."),
    el(
      "p",
      { class: "row" },
      present.map((severity) =>
        el("a", { class: "quiet", href: hashOf(["tools"], { finding: severity }) }, severityMark(severity, total(severity))),
      ),
    ),
    findings.length ? [el("h3", {}, "Of the whole set"), findingsList(findings)] : null,
    found.length ? [el("h3", {}, "Tools with the worst findings"), toolList(found)] : null,
  );
}

const ofSet = (findings, severity) => findings.filter((each) => each.severity === severity).length;

function toolList(found) {
  return [
    el(
      "ul",
      { class: "worst" },
      found.slice(0, MOST).map((tool) =>
        el(
          "li",
          {},
          el("a", { href: hashOf(["tool", tool.name]) }, tool.name),
          SEVERITIES.filter((severity) => tool.counts[severity]).map((severity) =>
            severityMark(severity, tool.counts[severity]),
          ),
          el("span", { class: "muted" }, tool.codes.join(", ")),
        ),
      ),
    ),
    found.length > MOST
      ? el("p", {}, el("a", { href: hashOf(["tools"], { sort: "-findings" }) }, `All ${number(found.length)} tools with findings`))
      : null,
  ];
}
