// Texts that last as long as the browser's tab.

const PREFIX = "toolcast-report:";

/** The text that was kept; null without one, or where the browser keeps nothing for files. */
export function keptText(name) {
  try {
    return sessionStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** Keep a text; null drops it. */
export function keepText(name, text) {
  try {
    if (text === null) sessionStorage.removeItem(PREFIX + name);
    else sessionStorage.setItem(PREFIX + name, text);
  } catch {
    // a browser that keeps nothing for files, or no text of this size: it is lost with the page
  }
}
