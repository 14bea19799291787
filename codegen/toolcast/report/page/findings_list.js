// Findings of lint and diagnostics of the compiler, as a list.

import { el, prose } from "./elements.js";
import { placeText, severityMark } from "./marks.js";
import { hashOf } from "./router.js";

/**
 * The list of findings.
 *
 * @param {object[]} findings - of lint, or diagnostics, in the order to show
 * @returns {HTMLElement}
 */
export function findingsList(findings) {
  return el("ul", { class: "findings" }, findings.map(findingItem));
}

function findingItem(finding) {
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
      finding.tool ? el("a", { href: hashOf(["tool", finding.tool, ...providers.slice(0, 1)]) }, finding.tool) : null,
      el("span", { class: "muted" }, placeText(finding.file, finding.line)),
      providers.map((id) => el("span", { class: "badge" }, id)),
    ),
    el("p", {}, prose(finding.message)),
    finding.answer ? el("p", { class: "muted" }, prose(finding.answer)) : null,
    wayOut ? el("p", { class: "hint" }, "→ ", prose(wayOut)) : null,
  );
}
