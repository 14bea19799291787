// A list of tabs, as the ARIA Authoring Practices describe it: arrow keys choose, one tab is in the tab order.

import { el } from "./elements.js";

let made = 0;

/**
 * Make tabs for one panel.
 *
 * @param {object} options
 * @param {string} options.label - what is chosen
 * @param {{ id: string, text: string, note?: string, title?: string }[]} options.tabs
 * @param {string} options.chosen - id of the first choice
 * @param {HTMLElement} options.panel - what the tabs control; it becomes a tab panel
 * @param {(id: string) => void} options.onChoose - called with each further choice
 * @returns {HTMLElement}
 */
export function tabs({ label, tabs: choices, chosen, panel, onChoose }) {
  const prefix = `tabs-${++made}`;
  panel.id = `${prefix}-panel`;
  panel.setAttribute("role", "tabpanel");
  // On a narrow screen the tabs are one line that scrolls.
  const reveal = (button) => {
    list.scrollLeft = button.offsetLeft - list.offsetLeft - (list.clientWidth - button.offsetWidth) / 2;
  };
  const choose = (id, focus) => {
    for (const button of buttons) {
      const active = button.dataset.id === id;
      button.setAttribute("aria-selected", String(active));
      button.tabIndex = active ? 0 : -1;
      if (active) {
        panel.setAttribute("aria-labelledby", button.id);
        if (focus) button.focus();
        requestAnimationFrame(() => reveal(button));
      }
    }
  };
  const buttons = choices.map((choice, at) =>
    el(
      "button",
      {
        type: "button",
        role: "tab",
        id: `${prefix}-${at}`,
        "data-id": choice.id,
        title: choice.title,
        "aria-controls": panel.id,
        on: {
          click: () => {
            choose(choice.id, false);
            onChoose(choice.id);
          },
        },
      },
      choice.text,
      choice.note ? el("span", { class: "tab-note" }, ` ${choice.note}`) : null,
    ),
  );
  const move = (event) => {
    const at = buttons.indexOf(event.target.closest("button"));
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const button = buttons[(next + buttons.length) % buttons.length];
    choose(button.dataset.id, true);
    onChoose(button.dataset.id);
  };
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": label, on: { keydown: move } }, buttons);
  choose(chosen, false);
  return list;
}
