// JSON values as text: integers past 2**53 keep every digit.

/** A scalar as JSON. */
export const literal = (value) => (typeof value === "bigint" ? String(value) : JSON.stringify(value));

/** A value as JSON with two spaces of indent. */
export function jsonText(value, indent = "") {
  if (typeof value !== "object" || value === null) return literal(value);
  const below = `${indent}  `;
  const isArray = Array.isArray(value);
  const members = isArray
    ? value.map((item) => jsonText(item, below))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${jsonText(item, below)}`);
  const [open, close] = isArray ? "[]" : "{}";
  return members.length ? `${open}\n${below}${members.join(`,\n${below}`)}\n${indent}${close}` : open + close;
}
