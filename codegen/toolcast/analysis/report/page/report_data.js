// The data of the report: what stands in the page as JSON, and the tools' details in compressed chunks.

import { exactJson } from "./exact_json.js";

const known = new Map();

const CELL = ["strict", "tokens", "brief", "lost", "kept", "findings"];

/**
 * What the first view, search and filters need: `Report` without its details, cells as objects.
 *
 * @param {string} text - the JSON
 * @returns {object}
 */
export function indexOf(text) {
  const report = exactJson(text);
  for (const tool of report.tools) {
    tool.cells = tool.cells.map((cell) => Object.fromEntries(CELL.map((name, at) => [name, cell[at]])));
    tool.counts = { error: tool.errors, warning: tool.warnings, note: tool.notes };
  }
  return report;
}

/**
 * The details of one tool.
 *
 * @param {number} position - of the tool in the report
 * @returns {Promise<object>} its `ToolDetail`
 */
export async function readDetail(position) {
  const { size, chunks } = detailSource();
  const number = Math.floor(position / size);
  if (!known.has(number)) known.set(number, readChunk(chunks[number]));
  return (await known.get(number))[position % size];
}

let source = null;

const detailSource = () => (source ??= JSON.parse(document.getElementById("details").textContent));

async function readChunk(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return exactJson(await new Response(stream).text());
}
