// The keys of the page, in a dialog.

import { el } from "./elements.js";

const KEYS = [
  ["/", "search tools"],
  ["↑ ↓ ← →", "move in the matrix, in tabs and in the map of tokens"],
  ["Enter", "open the tool, at the provider of the cell"],
  ["[ and ]", "previous and next tool"],
  ["Esc", "back to the list"],
  ["1 … 5", "the views, in the order of the links above"],
  ["t", "dark, light, or as the system has it"],
  ["?", "this help"],
];

/** Make the dialog; `showModal` opens it. */
export function helpDialog() {
  const dialog = el(
    "dialog",
    { "aria-labelledby": "help-title" },
    el("h2", { id: "help-title" }, "Keys"),
    el("dl", { class: "keys" }, KEYS.map(([key, meaning]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, meaning)])),
    el("button", { type: "button", on: { click: () => dialog.close() } }, "Close"),
  );
  return dialog;
}
