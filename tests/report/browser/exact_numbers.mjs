// JSON, a line each, read and written as the page does.

import { createInterface } from "node:readline";

import { exactJson } from "../../../codegen/toolcast/analysis/report/page/exact_json.js";
import { jsonText } from "../../../codegen/toolcast/analysis/report/page/json_text.js";

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(jsonText(exactJson(line))));
}
