// A list whose end is made when a reader asks for it: thousands of items would keep the page from answering.

import { el, number } from "./elements.js";

const STEP = 100; // items that are added at once

/**
 * Make the list.
 *
 * @param {string} name - class of the list
 * @param {unknown[]} items - what it is made of
 * @param {(item: unknown) => HTMLElement} itemOf - makes one element of the list
 * @param {number} most - items that are shown at first
 * @returns {HTMLElement[]} the list, and a button for more where there are more
 */
export function growingList(name, items, itemOf, most) {
  const list = el("ul", { class: name }, items.slice(0, most).map(itemOf));
  if (items.length <= most) return [list];
  const button = el("button", { type: "button" });
  const line = el("p", { class: "after" }, button);
  const label = () => {
    const left = items.length - list.children.length;
    button.textContent = left > STEP ? `Show ${STEP} more of ${number(left)}` : `Show all ${number(items.length)}`;
  };
  button.addEventListener("click", () => {
    const at = list.children.length;
    list.append(...items.slice(at, at + STEP).map(itemOf));
    if (list.children.length === items.length) line.remove();
    else label();
    list.children[at].tabIndex = -1;
    list.children[at].focus(); // where the button was
  });
  label();
  return [list, line];
}
