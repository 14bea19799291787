// The differences to another state of the specs, by audience, with a witness where there is one.

import { codeBlock } from "./code_pane.js";
import { counted, el, fill, number, prose } from "./elements.js";
import { findingsList } from "./findings_list.js";
import { growingList } from "./growing_list.js";
import { jsonText } from "./json_text.js";
import { placeText, severityMark, SEVERITIES } from "./marks.js";
import { hashOf } from "./router.js";
import { tabs } from "./tabs.js";

const MOST = 50;
const LONG = 400; // characters of a witness that is folded
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
    fill(panel, el("p", { class: "muted" }, `${WHO[name] ?? name}.`), changeList(changes, diff, known));
  };
  const choice = tabs({
    label: "Audience",
    tabs: audiences.map(([name, changes]) => ({ id: name, text: name, note: countsOf(changes) })),
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
    el("p", { class: "lead" }, `From ${diff.old} to ${diff.new}: ${counted(diff.compared, "tool")} compared, ${number(diff.unchanged)} unchanged.`),
    el("p", { class: "row tight" }, SEVERITIES.map((level) => [level, atLevel(diff.changes, level)]).map(([level, count]) => (count ? severityMark(level, count) : null))),
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

const atLevel = (changes, level) => changes.filter((change) => change.level === level && !change.suppressed).length;

/** How many changes an audience has, and how many of them are errors. */
function countsOf(changes) {
  const errors = atLevel(changes, "error");
  return errors ? `${number(changes.length)}, ✕ ${number(errors)}` : number(changes.length);
}

function changeList(changes, diff, known) {
  return growingList("changes", changes, (change) => changeItem(change, diff, known), MOST);
}

function changeItem(change, diff, known) {
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
    el("p", {}, edited(change.message)),
    change.hint ? el("p", { class: "hint" }, "→ ", prose(change.hint)) : null,
    change.witness ? witness(change, diff) : null,
  );
}

/** A sentence, in which `[-words-]` were removed and `{+words+}` added. */
function edited(text) {
  return text.split(/(\[-.*?-\]|\{\+.*?\+\})/s).map((part, at) => {
    if (at % 2 === 0) return prose(part);
    return el(part[0] === "[" ? "del" : "ins", {}, part.slice(2, -2));
  });
}

/**
 * A value that one state accepts, and what the other says to it, which is short and therefore not folded. Calls were
 * accepted in the old state; results are possible in the new one.
 */
function witness({ audience, witness: { value, refusal } }, diff) {
  const text = jsonText(value);
  const shown = el(
    "details",
    { class: "witness", open: text.length <= LONG },
    el("summary", {}, text.length <= LONG ? "A value that shows it" : `A value that shows it (${number(text.length)} characters)`),
    codeBlock(text),
  );
  const [accepting, refusing] = audience === "results" ? [diff.new, diff.old] : [diff.old, diff.new];
  return refusal ? [shown, el("p", { class: "muted" }, `Accepted in ${accepting}, refused in ${refusing}:`), codeBlock(refusal)] : shown;
}
