// Dark, light, or as the system has it. The choice lasts as long as the browser keeps it.

const KEY = "toolcast-report-theme";
const THEMES = ["system", "light", "dark"];

let current = "system";

/** Apply the choice that was kept. Where the browser keeps nothing for files, it is the system's. */
export function restoreTheme() {
  try {
    apply(localStorage.getItem(KEY) ?? "system");
  } catch {
    apply("system");
  }
}

/** The next theme; returns its name. */
export function nextTheme() {
  apply(THEMES[(THEMES.indexOf(current) + 1) % THEMES.length]);
  try {
    localStorage.setItem(KEY, current);
  } catch {
    // a browser that keeps nothing for files: the choice lasts until the page is closed
  }
  return current;
}

function apply(theme) {
  current = THEMES.includes(theme) ? theme : "system";
  document.documentElement.dataset.theme = current;
}
