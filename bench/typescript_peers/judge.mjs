// Decides values by each way from JSON Schema to a check in JavaScript, a JSON line for each schema.
// node judge.mjs path/of/toolcast/index.js folder/of/node_modules

import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { Validator } = await import(pathToFileURL(process.argv[2]));
const load = createRequire(pathToFileURL(`${process.argv[3]}/any.js`));
const { z } = load("zod");
const { jsonSchemaToZod } = load("json-schema-to-zod");
const { quicktype, InputData, JSONSchemaInput } = load("quicktype-core");

/** Of each way, what makes a check of values from a schema. */
const WAYS = {
  toolcast: ({ schema, slowPatterns }) => {
    const validator = new Validator(schema, { slowPatterns });
    return (value) => validator.accepts(value);
  },
  "z.fromJSONSchema": ({ schema }) => {
    const made = z.fromJSONSchema(schema);
    return (value) => made.safeParse(value).success;
  },
  "json-schema-to-zod": ({ inlined }) => {
    const made = new Function("z", `return ${jsonSchemaToZod(inlined)}`)(z);
    return (value) => made.safeParse(value).success;
  },
  quicktype: async ({ schema }) => {
    const input = new JSONSchemaInput();
    await input.addSource({ name: "Root", schema: JSON.stringify(schema) });
    const inputData = new InputData();
    inputData.addInput(input);
    const { lines } = await quicktype({ inputData, lang: "javascript" });
    const module = { exports: {} };
    new Function("module", lines.join("\n"))(module);
    const read = module.exports.toRoot;
    return (value) => {
      try {
        read(JSON.stringify(value));
        return true;
      } catch {
        return false; // its refusals are any errors: some fail while they word their message
      }
    };
  },
};

const failure = (problem) => `${problem?.name ?? "Error"}: ${String(problem?.message ?? problem).split("\n")[0]}`;

for await (const line of createInterface({ input: process.stdin })) {
  const task = JSON.parse(line);
  const answer = {};
  for (const [way, make] of Object.entries(WAYS)) {
    try {
      const accepts = await make(task);
      answer[way] = task.values.map((value) => {
        try {
          return accepts(value);
        } catch (problem) {
          return failure(problem);
        }
      });
    } catch (problem) {
      answer[way] = failure(problem);
    }
  }
  console.log(JSON.stringify(answer));
}
