// Which tools a search and filters leave, and their order. Pure functions over the rows of the report.

/**
 * @typedef {object} Filters
 * @property {string} [q] - words that each must occur in the name, the summary, a tag or a parameter's name
 * @property {string} [group]
 * @property {string} [permission]
 * @property {string} [finding] - a severity or a code
 * @property {string} [loss] - the id of a provider that loses something; `*` for any
 * @property {string} [sort] - `name`, `-tokens`, `lost:openai`, …: a measure, and the provider that it is of
 */

/** The text that a search looks at, in lower case, for each row. */
export function searchTexts(rows) {
  return rows.map((row) =>
    [row.name, row.name.replaceAll("_", " "), row.group, row.summary, ...row.tags, ...row.parameters].join("\n").toLowerCase(),
  );
}

/**
 * The rows that fit, in order.
 *
 * @param {object[]} rows - of the report
 * @param {string[]} texts - of `searchTexts`
 * @param {Filters} filters
 * @param {string[]} providers - ids, in the order of cells
 * @returns {number[]} positions of rows
 */
export function matching(rows, texts, filters, providers) {
  const words = (filters.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  for (let at = 0; at < rows.length; at++) {
    if (words.every((word) => texts[at].includes(word)) && fits(rows[at], filters, providers)) found.push(at);
  }
  return ordered(found, rows, words, filters.sort ?? "", providers);
}

function fits(row, { group, permission, finding, loss }, providers) {
  if (group !== undefined && group !== "" && row.group !== (group === "·" ? "" : group)) return false;
  if (permission && row.permission !== permission) return false;
  if (finding && !row.counts[finding] && !row.codes.includes(finding)) return false;
  if (loss === "*") return row.cells.some((cell) => cell.lost > 0);
  return !loss || (row.cells[providers.indexOf(loss)]?.lost ?? 0) > 0;
}

function ordered(found, rows, words, sort, providers) {
  const descending = sort.startsWith("-");
  const [measure, provider] = sort.replace(/^-/, "").split(":");
  if (measure === "" || measure === "name") {
    if (measure === "" && words.length) return byRelevance(found, rows, words);
    if (measure === "") return found;
  }
  const at = providers.indexOf(provider);
  const key = (row) => {
    if (measure === "name") return row.name;
    if (measure === "findings" && !provider) return row.counts.error * 1e8 + row.counts.warning * 1e4 + row.counts.note;
    if (at >= 0) return row.cells[at][measure] ?? -1;
    return Math.max(-1, ...row.cells.map((cell) => cell[measure] ?? -1));
  };
  const keys = new Map(found.map((each) => [each, key(rows[each])]));
  const order = (a, b) => (keys.get(a) < keys.get(b) ? -1 : keys.get(a) > keys.get(b) ? 1 : 0);
  return found.sort((a, b) => (descending ? order(b, a) : order(a, b)) || a - b);
}

/** Tools whose name begins with, then has, the first word stand first. */
function byRelevance(found, rows, words) {
  const rank = (row) => {
    const name = row.name.toLowerCase();
    if (name === words[0]) return 0;
    return name.startsWith(words[0]) ? 1 : name.includes(words[0]) ? 2 : 3;
  };
  const ranks = new Map(found.map((each) => [each, rank(rows[each])]));
  return found.sort((a, b) => ranks.get(a) - ranks.get(b) || a - b);
}
