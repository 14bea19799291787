// Answers for texts of arguments, a JSON line each: what the page's box shows.

import { createInterface } from "node:readline";

import { argumentJudge } from "../../../codegen/toolcast/analysis/report/page/argument_check.js";

const exact = (_, item) => (typeof item === "bigint" ? { bigint: String(item) } : item);

for await (const line of createInterface({ input: process.stdin })) {
  const { check, texts } = JSON.parse(line);
  const judge = argumentJudge(check);
  console.log(JSON.stringify(texts.map(judge), exact));
}
