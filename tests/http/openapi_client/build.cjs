// Reads a list of {document, cases} as JSON on standard input, and writes the request that swagger-client builds
// for each case as a line of JSON. A value {"$base64": text} stands for bytes.
"use strict";

const swagger = require(require.resolve("swagger-client", { paths: [process.argv[2]] }));
const SwaggerClient = swagger.default || swagger;

function bytes(value) {
  if (Array.isArray(value)) return value.map(bytes);
  if (value && typeof value === "object") {
    if (typeof value.$base64 === "string") return Buffer.from(value.$base64, "base64");
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, bytes(item)]));
  }
  return value;
}

async function part([name, value]) {
  if (typeof value === "string") return { name, text: value };
  const data = Buffer.from(await value.arrayBuffer());
  return { name, base64: data.toString("base64"), type: value.type };
}

async function built(document, each) {
  const { spec } = await SwaggerClient.resolveSubtree(document, ["paths", each.path, each.method]);
  const paths = { [each.path]: { ...document.paths[each.path], [each.method]: spec } };
  const request = SwaggerClient.buildRequest({
    spec: { ...document, paths },
    operationId: SwaggerClient.helpers.opId(spec, each.path, each.method),
    parameters: each.parameters,
    requestBody: bytes(each.requestBody),
    requestContentType: each.requestContentType,
    securities: each.securities,
  });
  const { url, method, headers } = request;
  if (request.formdata) {
    return { url, method, headers, form: await Promise.all([...request.formdata.entries()].map(part)) };
  }
  let body = request.body;
  if (Buffer.isBuffer(body)) body = { $base64: body.toString("base64") };
  else if (body !== undefined && typeof body !== "string") body = JSON.stringify(body);
  return { url, method, headers, body };
}

async function main() {
  let input = "";
  for await (const chunk of process.stdin) input += chunk;
  for (const { document, cases } of JSON.parse(input)) {
    for (const each of cases) {
      const line = await built(document, each).catch((problem) => ({ problem: String(problem.message) }));
      process.stdout.write(JSON.stringify(line) + "\n");
    }
  }
}

console.warn = () => {}; // that a name has two places; the cases name the place
main().catch((problem) => {
  process.stderr.write(String(problem.stack) + "\n");
  process.exitCode = 1;
});
