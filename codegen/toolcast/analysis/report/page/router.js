// Addresses inside the page: `#/tool/edit/openai?view=brief`. Each part is percent-encoded.

/**
 * @typedef {object} Route
 * @property {string[]} path - the parts, such as `["tool", "edit", "openai"]`
 * @property {Record<string, string>} query - what follows `?`
 */

/**
 * Read an address.
 *
 * @param {string} hash - with its `#`; anything that is no address of the page is the overview's
 * @returns {Route}
 */
export function parseHash(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return {
    path: path.split("/").filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/**
 * The address of a route.
 *
 * @param {string[]} path - the parts
 * @param {Record<string, string | null | undefined>} [query] - empty values are left out
 * @returns {string} the hash
 */
export function hashOf(path, query = {}) {
  const kept = Object.entries(query).filter(([, value]) => value);
  const search = new URLSearchParams(kept).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`;
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
