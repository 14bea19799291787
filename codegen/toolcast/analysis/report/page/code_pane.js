// A text with numbered lines, some of which are marked: each mark is the number of a loss.

import { el, textNodes } from "./elements.js";

/**
 * Make a pane.
 *
 * @param {object} options
 * @param {string} options.title - of the pane
 * @param {string} [options.heading] - the element of the title
 * @param {string} [options.note] - beside the title
 * @param {[string, string][][]} options.lines - tokens (kind, text) of each line
 * @param {Map<number, number[]>} [options.marks] - by line from 0, the losses that are marked there
 * @param {(loss: number) => void} [options.onMark] - a mark was chosen
 * @returns {{ element: HTMLElement, highlight: (loss: number | null) => void }}
 */
export function codePane({ title, heading = "h2", note = "", lines, marks = new Map(), onMark }) {
  const rows = lines.map((tokens, index) => lineOf(tokens, marks.get(index) ?? [], onMark, title));
  const code = el("code", {}, rows);
  const body = el("pre", { class: "code", tabindex: 0, role: "region", "aria-label": title }, code);
  body.style.setProperty("--digits", String(String(lines.length).length));
  const element = el(
    "section",
    { class: "pane" },
    el(heading, { class: "pane-head" }, title, note ? el("span", { class: "note" }, note) : null),
    body,
  );
  const highlight = (loss) => {
    let first = null;
    rows.forEach((row, index) => {
      const chosen = loss !== null && (marks.get(index) ?? []).includes(loss);
      row.classList.toggle("chosen", chosen);
      if (chosen) first ??= row;
    });
    if (first) body.scrollTop = Math.max(0, first.offsetTop - body.offsetTop - body.clientHeight / 3);
  };
  return { element, highlight };
}

/** A text as it is, which scrolls where it is long. */
export const codeBlock = (text) => el("pre", { class: "code wrap", tabindex: 0 }, el("code", {}, text));

function lineOf(tokens, losses, onMark, title) {
  const marks = losses.map((loss) =>
    el(
      "button",
      {
        class: "mark",
        type: "button",
        "data-loss": loss,
        "aria-label": `Loss ${loss + 1} in ${title}`,
        on: { click: () => onMark?.(loss) },
      },
      String(loss + 1),
    ),
  );
  const words = tokens.map(([kind, text]) => (kind === "plain" ? textNodes(text) : el("span", { class: `t-${kind}` }, text)));
  return el("span", { class: losses.length ? "line marked" : "line" }, el("span", { class: "words" }, words, "\n"), marks);
}
