// Elements of the page. Text of specs reaches the document as text nodes and attributes only.

import { visibleParts, visibleText } from "./visible_text.js";

const FORMAT = new Intl.NumberFormat("en-US");
const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an HTML element.
 *
 * @param {string} name - of the element
 * @param {Record<string, unknown>} [properties] - attributes; `on` has listeners by event; null and false are left out
 * @param {...(Node | string | number | null | false | unknown[])} children - a text has its hidden characters shown
 * @returns {HTMLElement}
 */
export function el(name, properties, ...children) {
  return filled(document.createElement(name), properties, children);
}

/** Make an SVG element; see `el`. */
export function svg(name, properties, ...children) {
  return filled(document.createElementNS(SVG, name), properties, children);
}

/** The nodes of a text, with hidden characters marked. */
export function textNodes(text) {
  return visibleParts(text).map((part) =>
    part.hidden
      ? el("span", { class: "code-point", title: part.name ? `${part.text} ${part.name}` : part.text }, part.text)
      : document.createTextNode(part.text),
  );
}

/** A sentence, in which text between backticks is code. */
export function prose(text) {
  return text.split(/`([^`\n]+)`/).map((part, at) => (at % 2 ? el("code", {}, part) : part));
}

/** Replace all children of an element. */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else element.setAttribute(name, value === true ? "" : visibleText(String(value)));
  }
  element.append(...nodes(children));
  return element;
}

function nodes(children) {
  return children.flat(Infinity).flatMap((child) => {
    if (child === null || child === undefined || child === false) return [];
    return child instanceof Node ? [child] : textNodes(String(child));
  });
}

/** A number for people: 12,345. */
export const number = (value) => FORMAT.format(value);

/** `1 tool`, `2 tools`. */
export const counted = (value, noun, plural = `${noun}s`) => `${number(value)} ${value === 1 ? noun : plural}`;
