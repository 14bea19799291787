// Prints what a generated package says of its tools. node package.mjs path/of/index.js

import { pathToFileURL } from "node:url";

const { tools } = await import(pathToFileURL(process.argv[2]));
const shown = (contract) => contract && contract.schema;
const rows = Object.entries(tools).map(([name, tool]) => [
  name,
  { ...tool, parameters: shown(tool.parameters), result: shown(tool.result) },
]);
console.log(JSON.stringify(Object.fromEntries(rows)));
