// The suite imports fs.globSync, which Node.js has since 22, for a command that is not used here. This lets it
// start with Node.js 20, too.
import { register } from "node:module";

const hooks = `
export const resolve = (name, context, next) =>
  name === "fs" && context.parentURL.includes("/conformance/dist/")
    ? { url: "with-glob-sync:fs", shortCircuit: true }
    : next(name, context);
export const load = (url, context, next) =>
  url === "with-glob-sync:fs"
    ? { format: "module", shortCircuit: true,
        source: 'export * from "node:fs"; export const globSync = () => { throw new Error("not here"); };' }
    : next(url, context);
`;
register("data:text/javascript," + encodeURIComponent(hooks));
