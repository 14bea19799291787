// Reads a list of [method of GitHub's own client, parameters] as JSON on standard input, and writes the request
// that the client makes of each as a line of JSON.
import { pathToFileURL } from "node:url";

const installed = `${process.argv[2]}/node_modules/@octokit/rest/dist-src/index.js`;
const { Octokit } = await import(pathToFileURL(installed));
const client = new Octokit();
let input = "";
for await (const chunk of process.stdin) input += chunk;
for (const [name, parameters] of JSON.parse(input)) {
  const [group, method] = name.split(".");
  const { url, body, ...request } = client.rest[group][method].endpoint(parameters);
  process.stdout.write(JSON.stringify({ ...request, url, body: body && JSON.stringify(body) }) + "\n");
}
