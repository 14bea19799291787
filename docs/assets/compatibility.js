// The search of all rules on the page of what each provider takes: from provider-rules.json, and vectors.
const place = document.getElementById("rules");
const SHOWN = 150;

function element(name, text, attributes = {}) {
  const made = Object.assign(document.createElement(name), { textContent: text });
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// One row for each rule: what is searched, and its cells.
function rows(providers) {
  const found = [];
  for (const [id, provider] of Object.entries(providers)) {
    const tables = Object.entries(provider.modes).flatMap(([mode, { keywords, constructs }]) => [[mode, keywords], [mode, constructs]]);
    for (const [mode, rules] of [...tables, ["limits", provider.limits]])
      for (const [name, rule] of Object.entries(rules)) {
        const value = "value" in rule ? ` = ${JSON.stringify(rule.value)}` : "";
        const source = rule.sources.map((index) => provider.sources[index]).join("; ");
        const cells = [name + value, id, mode === "dialect" ? "" : mode, rule.status, source, rule.dated, rule.confidence];
        found.push({ id: `${id}/${mode}.${name}`, provider: id, cells, text: cells.join(" ").toLowerCase() });
      }
  }
  return found;
}

// The vectors of a rule, below its row.
async function open(row, cell) {
  const lines = (await (await fetch(`../vectors/${row.provider}.jsonl`)).text()).trim().split("\n").map((line) => JSON.parse(line));
  const own = lines.filter(({ id }) => id === row.id || id.startsWith(`${row.id}#`) || id === `${row.id}/wire`);
  const text = own.map((vector) => JSON.stringify(vector, null, 1)).join("\n");
  cell.append(element("pre", text, { tabindex: "0", "aria-label": `Vectors of ${row.id}` }));
}

function search(all) {
  const field = element("input", "", { type: "search", id: "rules-search", "class": "rules__search" });
  const label = element("label", "Search the rules by words, such as “pattern gemini” or “probed refused”: ", { for: "rules-search" });
  const count = element("p", "", { role: "status" });
  const box = element("div", "", { "class": "md-typeset__scrollwrap" });
  place.replaceChildren(label, field, count, box);
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = all.filter(({ text }) => words.every((word) => text.includes(word)));
    const table = element("table", "");
    const head = table.createTHead().insertRow();
    for (const name of ["rule", "provider", "mode", "status", "source", "checked on", "confidence", "vector"]) head.append(element("th", name, { scope: "col" }));
    const body = table.createTBody();
    for (const row of hits.slice(0, SHOWN)) {
      const line = body.insertRow();
      for (const text of row.cells) line.append(element("td", text));
      const cell = element("td", "");
      const link = element("a", "show", { href: `#${row.id}`, id: row.id, "aria-label": `show the vectors of ${row.id}` });
      link.addEventListener("click", (event) => {
        event.preventDefault();
        history.replaceState(null, "", link.hash);
        cell.querySelector("pre") ?? open(row, cell);
      });
      cell.append(link);
      line.append(cell);
    }
    count.textContent = `${hits.length} rules${hits.length > SHOWN ? `, the first ${SHOWN} shown` : ""}`;
    box.replaceChildren(table);
  };
  field.addEventListener("input", show);
  const follow = () => {
    const linked = all.find(({ id }) => id === decodeURIComponent(location.hash.slice(1)));
    if (linked) field.value = linked.cells.slice(0, 3).join(" ").trim();
    show();
    if (!linked) return;
    const link = document.getElementById(linked.id);
    link.click();
    link.focus();
  };
  addEventListener("hashchange", follow);
  follow();
}

// Each sign in the tables of the page leads to its rule, and has the source as its title.
function link(all) {
  const known = new Map(all.map((row) => [row.id, row]));
  for (const table of document.querySelectorAll(".md-content article table")) {
    const [, ...heads] = [...(table.tHead?.rows[0].cells ?? [])].map((cell) => cell.textContent.trim());
    for (const { cells: [first, ...cells] } of table.tBodies[0]?.rows ?? [])
      cells.forEach((cell, index) => {
        const [provider, mode = "dialect"] = (heads[index] ?? "").split(" ");
        const row = known.get(`${provider}/${mode}.${first.textContent.trim()}`) ?? known.get(`${provider}/${mode}.other`);
        if (!row || cell.textContent.length !== 1) return;
        const name = `${first.textContent.trim()}, ${heads[index]}: ${row.cells[3]}`;
        cell.replaceChildren(element("a", cell.textContent, { href: `#${row.id}`, title: row.cells[4], "aria-label": name }));
      });
  }
}

if (place) fetch("../provider-rules.json").then((answer) => answer.json()).then(({ providers }) => {
  const all = rows(providers);
  link(all);
  search(all);
});
