// Runs openai-node's maker of strict schemas: lines of schemas in, lines of schemas or messages out.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const { toStrictJsonSchema } = createRequire(`${process.env.NODE_PATH}/`)("openai/lib/transform.js");
for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify({ made: toStrictJsonSchema(JSON.parse(line)) }));
  } catch (error) {
    console.log(JSON.stringify({ thrown: String(error.message) }));
  }
}
