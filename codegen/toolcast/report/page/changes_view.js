// The differences to another state of the specs, by audience, with a witness where there is one.

import { codeBlock } from "./code_pane.js";
import { counted, el, fill, number, prose } from "./elements.js";
import { findingsList } from "./findings_list.js";
import { jsonText } from "./json_text.js";
import { placeText, severityMark } from "./marks.js";
import { hashOf } from "./router.js";
import { tabs } from "./tabs.js";

const WHO = {
  calls: "Callers: arguments that were accepted, and those that are",
  results: "Readers of results",
  code: "Python written against the generated code",
  model: "The model that reads the definition",
  provider: "Requests to a provider",
  trust: "Those who grant permissions",
  cache: "Prompt caches",
};

/**
 * The view.
 *
 * @param {object} report - the index of the report; its `diff` is not null
 * @param {string | undefined} audience - that of the address
 * @returns {{ title: string, element: HTMLElement }}
 */
export function changesView(report, audience) {
  const { diff } = report;
  const known = new Set(report.tools.map((tool) => tool.name));
  const audiences = [...Map.groupBy(diff.changes, (change) => change.audience)];
  const chosen = audiences.some(([name]) => name === audience) ? audience : audiences[0]?.[0];
  const panel = el("div", {});
  const show = (name) => {
    const [, changes] = audiences.find(([each]) => each === name);
    fill(panel, el("p", { class: "muted" }, `${WHO[name] ?? name}.`), changeList(changes, known));
  };
  const choice = tabs({
    label: "Audience",
    tabs: audiences.map(([name, changes]) => ({ id: name, text: name, note: number(changes.length) })),
    chosen,
    panel,
    onChoose: (name) => {
      history.replaceState(null, "", hashOf(["changes", name]));
      show(name);
    },
  });
  if (chosen) show(chosen);
  const element = el(
    "div",
    {},
    el("h1", { tabindex: -1 }, "Changes"),
    el("p", { class: "lead" }, `From ${diff.old} to ${diff.new}: ${counted(diff.compared, "tool")} may differ, ${number(diff.unchanged)} are the same.`),
    diff.diagnostics.length ? notCompared(diff.diagnostics) : null,
    chosen ? [choice, panel] : el("p", {}, "Nothing that anybody would notice has changed."),
  );
  return { title: "Changes", element };
}

/** Folded: what does not compile in either state must not stand between a reader and the changes. */
function notCompared(diagnostics) {
  const summary = el("summary", {}, `${counted(diagnostics.length, "problem")} in specs that are therefore not compared`);
  return el("details", {}, summary, findingsList(diagnostics));
}

function changeList(changes, known) {
  return el("ul", { class: "changes" }, changes.map((change) => changeItem(change, known)));
}

function changeItem(change, known) {
  return el(
    "li",
    { class: `change ${change.level}` },
    el(
      "p",
      { class: "row tight" },
      severityMark(change.level),
      change.tool ? (known.has(change.tool) ? el("a", { href: hashOf(["tool", change.tool]) }, change.tool) : el("strong", {}, change.tool)) : null,
      el("code", {}, change.rule),
      el("span", { class: "muted" }, placeText(change.file, change.line), change.old ? " (old state)" : ""),
      change.providers.map((id) => el("span", { class: "badge" }, id)),
      change.undecided ? el("span", { class: "badge" }, "undecided") : null,
      change.suppressed ? el("span", { class: "badge" }, "intended") : null,
    ),
    el("p", {}, prose(change.message)),
    change.hint ? el("p", { class: "hint" }, "→ ", prose(change.hint)) : null,
    change.witness ? witness(change.witness) : null,
  );
}

function witness({ value, refusal }) {
  return el(
    "details",
    { class: "witness", open: true },
    el("summary", {}, "A value that shows it"),
    codeBlock(jsonText(value)),
    refusal ? [el("p", { class: "muted" }, "One state accepts it; the other says:"), codeBlock(refusal)] : null,
  );
}
