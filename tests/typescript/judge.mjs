// Answers questions about schemas, a JSON line each: what the generated validator decides.
// node judge.mjs path/of/toolcast/index.js

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { Contract, ContractError, Validator, readJson } = await import(pathToFileURL(process.argv[2]));

const text = (value) =>
  JSON.stringify(value, (_, item) => (typeof item === "bigint" ? { bigint: String(item) } : item));
const listed = (violations) => violations.map(({ path, message, keyword }) => [path, message, keyword]);

function attempt(judge) {
  try {
    return judge();
  } catch (problem) {
    if (problem instanceof ContractError) return { violations: listed(problem.violations) };
    return { failure: String(problem.stack) };
  }
}

const ASKED = {
  violations: (contract, value) => listed(contract.violations(value)),
  parse: (contract, value) => ({ value: contract.parse(value) }),
  text: (contract, value) => ({ value: contract.parseText(value) }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { schema, options, exact, ask, values } = readJson(line).value;
  const answer = attempt(() => {
    const judge = exact ? new Validator(schema, options) : new Contract(schema, options);
    return values.map((value) => attempt(() => ASKED[ask](judge, value)));
  });
  console.log(text(answer));
}
