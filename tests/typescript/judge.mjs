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

/** The work of a verdict, counted: what is looked up in maps, and the digits of the sets of states. */
function counted(judge) {
  const { get, set } = Map.prototype;
  const { toString } = BigInt.prototype;
  let count = 0;
  Map.prototype.get = function (name) {
    count++;
    return get.call(this, name);
  };
  Map.prototype.set = function (name, value) {
    count++;
    return set.call(this, name, value);
  };
  BigInt.prototype.toString = function (base) {
    const digits = toString.call(this, base);
    count += digits.length;
    return digits;
  };
  try {
    judge();
  } finally {
    Object.assign(Map.prototype, { get, set });
    BigInt.prototype.toString = toString;
  }
  return count;
}

const ASKED = {
  work: (contract, value) => counted(() => contract.violations(value)),
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
