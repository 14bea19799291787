// Lines of source text as tokens for the eye: kinds of words, not a parser.

const PYTHON_WORDS =
  "and|as|assert|async|await|class|def|else|elif|except|False|finally|for|from|if|import|in|is|lambda|None|not|or|pass|raise|return|True|try|while|with|yield";
const TYPESCRIPT_WORDS =
  "boolean|const|declare|export|false|function|interface|null|number|object|readonly|string|true|type|undefined|unknown|void|any|Promise|Array|Record";

const KINDS = {
  python: [
    ["comment", /#.*/y],
    ["string", /(?:[rbfRBF]{0,2})(?:"""[^]*?"""|'''[^]*?'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/y],
    ["word", new RegExp(`\\b(?:${PYTHON_WORDS})\\b`, "y")],
    ["key", /@[\w.]+/y],
    ["number", /\b\d[\d_.]*\b/y],
    ["plain", /[\w]+|\s+|./y],
  ],
  typescript: [
    ["comment", /\/\/.*|\/\*.*?(?:\*\/|$)|^\s*\*.*/y],
    ["string", /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/y],
    ["word", new RegExp(`\\b(?:${TYPESCRIPT_WORDS})\\b`, "y")],
    ["number", /\b\d[\d_.]*\b/y],
    ["plain", /[\w]+|\s+|./y],
  ],
  yaml: [
    ["comment", /(?:(?<=\s)|^)#.*/y],
    ["key", /(?:(?<=^\s*(?:- +)*)|(?<=[{,] ?))(?:"(?:[^"\\]|\\.)*"|[\w$./-]+)(?=:(?:\s|$))/y],
    ["string", /"(?:[^"\\]|\\.)*"|(?<=[\s[{,:])'(?:[^']|'')*'/y],
    ["number", /(?<=[\s[,:])-?\d[\d_.eE+-]*(?=[\s,\]}]|$)/y],
    ["word", /(?<=[\s[,:])(?:true|false|null|~)(?=[\s,\]}]|$)/y],
    ["plain", /[\w]+|\s+|./y],
  ],
};
const LONGEST_LINE = 2000; // past it a line is shown plain: what is coloured is read by people

/**
 * Split a text into lines of tokens.
 *
 * @param {string} text - the source
 * @param {string} language - `python`, `typescript`, `yaml`; another one is shown plain
 * @returns {[string, string][][]} lines of (kind, text)
 */
export function sourceLines(text, language) {
  const kinds = KINDS[language];
  const rows = text.replace(/\n$/, "").split("\n");
  let inside = "";
  return rows.map((row) => {
    if (!kinds || row.length > LONGEST_LINE) return [["plain", row]];
    if (language !== "python") return tokens(row, kinds);
    if (inside) {
      const end = row.indexOf(inside);
      if (end < 0) return [["string", row]];
      const cut = end + inside.length;
      inside = "";
      return [["string", row.slice(0, cut)], ...tokens(row.slice(cut), kinds)];
    }
    const start = openDocstring(row);
    if (start < 0) return tokens(row, kinds);
    inside = row.slice(start, start + 3);
    return [...tokens(row.slice(0, start), kinds), ["string", row.slice(start)]];
  });
}

function openDocstring(row) {
  const found = /^(\s*)(?:"""|''')/.exec(row);
  if (!found) return -1;
  const start = found[1].length;
  return row.indexOf(row.slice(start, start + 3), start + 3) < 0 ? start : -1;
}

function tokens(row, kinds) {
  const found = [];
  let at = 0;
  while (at < row.length) {
    for (const [kind, expression] of kinds) {
      expression.lastIndex = at;
      const match = expression.exec(row);
      if (!match || !match[0]) continue;
      const last = found.at(-1);
      if (last && last[0] === kind) last[1] += match[0];
      else found.push([kind, match[0]]);
      at += match[0].length;
      break;
    }
  }
  return found;
}
