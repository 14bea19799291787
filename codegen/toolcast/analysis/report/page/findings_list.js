// Findings of lint and diagnostics of the compiler, as a list.

import { el, prose } from "./elements.js";
import { growingList } from "./growing_list.js";
import { placeText, severityMark, SEVERITIES } from "./marks.js";
import { hashOf } from "./router.js";

const rank = ({ severity }) => SEVERITIES.indexOf(severity);

/**
 * The list of findings, the worst first.
 *
 * @param {object[]} findings - of lint, or diagnostics
 * @param {object} [options]
 * @param {number} [options.most] - how many are shown at first
 * @param {string} [options.tool] - the tool whose view has the list, to which no link is needed
 * @returns {HTMLElement[]}
 */
export function findingsList(findings, { most = 50, tool = "" } = {}) {
  const sorted = findings.toSorted((a, b) => rank(a) - rank(b));
  return growingList("findings", sorted, (finding) => findingItem(finding, tool), most);
}

function findingItem(finding, shown) {
  const providers = finding.providers ?? [];
  const wayOut = finding.fix || finding.hint;
  return el(
    "li",
    { class: `finding ${finding.severity}` },
    el(
      "p",
      { class: "finding-head" },
      severityMark(finding.severity),
      el("code", {}, finding.code),
      finding.tool && finding.tool !== shown ? el("a", { href: hashOf(["tool", finding.tool, ...providers.slice(0, 1)]) }, finding.tool) : null,
      el("span", { class: "muted" }, placeText(finding.file, finding.line)),
      providers.map((id) => el("span", { class: "badge" }, id)),
    ),
    el("p", {}, prose(finding.message)),
    finding.answer ? el("p", { class: "muted" }, prose(finding.answer)) : null,
    wayOut ? el("p", { class: "hint" }, "→ ", prose(wayOut)) : null,
  );
}
