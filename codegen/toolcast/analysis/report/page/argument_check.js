// What a call with some arguments comes to: the verdict, the text that a model reads of a refusal, the decoded value.

import { Contract, ContractError } from "../../../languages/typescript/support/contract.js";
import { readJson } from "../../../languages/typescript/support/read_json.js";
import { label, member } from "../../../languages/typescript/support/messages.js";
import { readStrictly } from "./json_problem.js";

const MAX_TEXT = 4 * 1024 * 1024;
const LIMIT = 50;
const SEND = "Send the arguments as one JSON object.";
const PYTHON_BLANK = /^[\s\x1c-\x1f\x85]*$/;

/** Arguments that are no JSON object which the contract could judge. */
class Refusal extends Error {
  constructor(problem, violations = []) {
    super(problem);
    this.violations = violations;
  }
}

/**
 * The judge of one tool's arguments.
 *
 * @param {object} check - `name`, `schema` (text of what models are offered), `options` of its contract
 * @returns {(text: string) => { accepted: true, value: unknown } | { accepted: false, text: string }} for the JSON text
 *   of arguments: the value with its defaults, or what a model reads
 */
export function argumentJudge({ name, schema, options }) {
  const contract = new Contract(readJson(schema).value, options);
  return (text) => {
    try {
      return { accepted: true, value: contract.parse(parseArguments(text)) };
    } catch (problem) {
      if (!(problem instanceof Refusal) && !(problem instanceof ContractError)) throw problem;
      return { accepted: false, text: refusalText(name, problem) };
    }
  };
}

/** As `parse_arguments` of the runtime: an object that was encoded twice is opened once, null is an empty object. */
function parseArguments(text) {
  const value = parseText(text);
  if (typeof value === "string") {
    const inner = PYTHON_BLANK.test(value) ? null : parseText(value);
    if (inner === null) return {};
    return typeof inner === "object" && !Array.isArray(inner) ? inner : value;
  }
  return value === null ? {} : value;
}

function parseText(text) {
  const length = text.length > MAX_TEXT ? Array.from(text).length : text.length;
  if (length > MAX_TEXT) {
    throw new Refusal(`they are too large: ${length} characters, ${MAX_TEXT} allowed. Send less at once.`);
  }
  if (text.length <= 128 && PYTHON_BLANK.test(text)) return {};
  const strict = strictly(text);
  if (strict.problem) throw new Refusal(`they are not valid JSON: ${strict.problem}. ${SEND}`);
  if (strict.duplicates.length) throw new Refusal("", strict.duplicates.map(duplicate));
  const { value, problem } = readJson(text);
  if (problem) throw new Refusal("", [problem]);
  return value;
}

function strictly(text) {
  try {
    return readStrictly(text);
  } catch (problem) {
    if (problem instanceof RangeError) throw new Refusal(`they are nested too deeply. ${SEND}`);
    throw problem;
  }
}

function duplicate([way, name]) {
  const path = way.reduce((above, step) => (typeof step === "number" ? `${above}[${step}]` : member(above, step)), "$");
  const characters = Array.from(name);
  const shown = characters.length <= 100 ? name : `${characters.slice(0, 100).join("")}…`;
  const where = path === "$" ? "" : ` in ${label(path)}`;
  return { path: member(path, name), message: `duplicate property \`${shown}\`${where}; send it once` };
}

function refusalText(tool, { violations, message }) {
  if (!violations.length) return `Invalid arguments for tool '${tool}': ${message}`;
  const more = violations.length >= LIMIT ? " or more" : "";
  const count = violations.length === 1 ? "1 problem" : `${violations.length}${more} problems`;
  const lines = violations.map((each) => `- ${each.path}: ${each.message}`);
  return [`Invalid arguments for tool '${tool}', ${count}:`, ...lines].join("\n");
}
