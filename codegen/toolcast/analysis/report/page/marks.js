// Short marks that several views share: severities, permissions, cells of the matrix. Never by colour alone.

import { counted, el, number } from "./elements.js";

export const SEVERITIES = ["error", "warning", "note"];
const SIGNS = { error: "✕", warning: "!", note: "i" };

/** The mark of a severity, with how many there are. */
export function severityMark(severity, count = null) {
  return el(
    "span",
    { class: `badge ${severity}` },
    el("span", { "aria-hidden": "true" }, SIGNS[severity] ?? "·"),
    count === null ? ` ${severity}` : ` ${counted(count, severity)}`,
  );
}

/** The mark of a permission. */
export const permissionMark = (permission) => el("span", { class: `badge permission ${permission}` }, permission);

/** What a cell says of a tool and a provider, in words. */
export function cellText(cell, provider) {
  if (cell.tokens === null) return `${provider}: no definition`;
  const strict = cell.strict === null ? "" : cell.strict ? ", strict" : ", not strict";
  const findings = cell.findings ? `, ${counted(cell.findings, "finding")}` : "";
  return `${provider}${strict}, ${counted(cell.tokens, "token")}, ${number(cell.lost)} lost${findings}`;
}

/** What a cell shows. */
export function cellMarks(cell) {
  if (cell.tokens === null) return [el("span", { class: "muted" }, "—")];
  return [
    cell.strict === null ? null : el("span", { class: `strict ${cell.strict ? "on" : "off"}` }, cell.strict ? "◆" : "◇"),
    el("span", { class: "tokens" }, number(cell.tokens)),
    cell.lost ? el("span", { class: "lost" }, `−${number(cell.lost)}`) : null,
    cell.findings ? el("span", { class: "found" }, `!${number(cell.findings)}`) : null,
  ];
}

/** A place in a file. */
export const placeText = (file, line) => (line ? `${file}:${line}` : file);

/** How many definitions a provider enforces; a dash where it has no such mode, or no tool. */
export const strictShare = ({ strict: mode }, strict, all) =>
  mode === "none" || !all ? "–" : `${number(strict)} of ${number(all)}`;
