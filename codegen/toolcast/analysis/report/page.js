// Bundled from page/ and typescript/support/ by `make report-page`; do not edit.
(() => {
  // codegen/toolcast/analysis/report/page/visible_text.js
  var MAY_HIDE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;
  var EACH = new RegExp(MAY_HIDE.source, "gu");
  var EMOJI = /\p{Extended_Pictographic}$/u;
  var EMOJI_BASE = /[\p{Extended_Pictographic}#*0-9]$/u;
  var EMOJI_BEFORE_JOINER = /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?$/u;
  var JOINING = /[\u0600-\u085f\u0870-\u0dff\u1000-\u109f\u1780-\u18af\ua800-\uaaff]$/u;
  var NAMES = /* @__PURE__ */ new Map([
    [0, "NULL"],
    [8, "BACKSPACE"],
    [13, "CARRIAGE RETURN"],
    [27, "ESCAPE"],
    [173, "SOFT HYPHEN"],
    [8203, "ZERO WIDTH SPACE"],
    [8204, "ZERO WIDTH NON-JOINER"],
    [8205, "ZERO WIDTH JOINER"],
    [8206, "LEFT-TO-RIGHT MARK"],
    [8207, "RIGHT-TO-LEFT MARK"],
    [8232, "LINE SEPARATOR"],
    [8233, "PARAGRAPH SEPARATOR"],
    [8234, "LEFT-TO-RIGHT EMBEDDING"],
    [8235, "RIGHT-TO-LEFT EMBEDDING"],
    [8236, "POP DIRECTIONAL FORMATTING"],
    [8237, "LEFT-TO-RIGHT OVERRIDE"],
    [8238, "RIGHT-TO-LEFT OVERRIDE"],
    [8288, "WORD JOINER"],
    [8294, "LEFT-TO-RIGHT ISOLATE"],
    [8295, "RIGHT-TO-LEFT ISOLATE"],
    [8296, "FIRST STRONG ISOLATE"],
    [8297, "POP DIRECTIONAL ISOLATE"],
    [65279, "ZERO WIDTH NO-BREAK SPACE"]
  ]);
  function visibleParts(text) {
    if (!MAY_HIDE.test(text)) return text ? [{ text, hidden: false }] : [];
    const parts = [];
    let shown = "";
    let last = 0;
    for (const found of text.matchAll(EACH)) {
      shown += text.slice(last, found.index);
      last = found.index + found[0].length;
      if (isShown(found[0], text.slice(Math.max(0, found.index - 4), found.index), text.slice(last, last + 2))) {
        shown += found[0];
        continue;
      }
      if (shown) parts.push({ text: shown, hidden: false });
      shown = "";
      parts.push({ text: pointOf(found[0]), hidden: true, name: NAMES.get(found[0].codePointAt(0)) ?? "" });
    }
    shown += text.slice(last);
    if (shown) parts.push({ text: shown, hidden: false });
    return parts;
  }
  function visibleText(text) {
    if (!MAY_HIDE.test(text)) return text;
    return visibleParts(text).map((part) => part.hidden ? `␠${part.text}␠` : part.text).join("");
  }
  function isShown(letter, before, after) {
    if (letter === "\n" || letter === "	") return true;
    if (letter === "️" || letter === "︎") return EMOJI_BASE.test(before);
    if (letter === "‍" && EMOJI_BEFORE_JOINER.test(before)) return /^\p{Extended_Pictographic}/u.test(after);
    if (letter === "‌" || letter === "‍") return JOINING.test(before) && JOINING.test(after.slice(0, 1));
    return EMOJI.test(letter);
  }
  var pointOf = (letter) => `U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

  // codegen/toolcast/analysis/report/page/elements.js
  var FORMAT = new Intl.NumberFormat("en-US");
  var SVG = "http://www.w3.org/2000/svg";
  function el(name, properties, ...children) {
    return filled(document.createElement(name), properties, children);
  }
  function svg(name, properties, ...children) {
    return filled(document.createElementNS(SVG, name), properties, children);
  }
  function textNodes(text) {
    return visibleParts(text).map(
      (part) => part.hidden ? el("span", { class: "code-point", title: part.name ? `${part.text} ${part.name}` : part.text }, part.text) : document.createTextNode(part.text)
    );
  }
  function prose(text) {
    return text.split(/`([^`\n]+)`/).map((part, at) => at % 2 ? el("code", {}, part) : part);
  }
  function fill(element, ...children) {
    element.replaceChildren(...nodes(children));
    return element;
  }
  function filled(element, properties, children) {
    for (const [name, value] of Object.entries(properties ?? {})) {
      if (value === null || value === void 0 || value === false) continue;
      if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
      else element.setAttribute(name, value === true ? "" : visibleText(String(value)));
    }
    element.append(...nodes(children));
    return element;
  }
  function nodes(children) {
    return children.flat(Infinity).flatMap((child) => {
      if (child === null || child === void 0 || child === false) return [];
      return child instanceof Node ? [child] : textNodes(String(child));
    });
  }
  var number = (value) => FORMAT.format(value);
  var counted = (value, noun, plural = `${noun}s`) => `${number(value)} ${value === 1 ? noun : plural}`;

  // codegen/toolcast/analysis/report/page/code_pane.js
  function codePane({ title, heading = "h2", note = "", lines, marks = /* @__PURE__ */ new Map(), onMark }) {
    const rows = lines.map((tokens2, index) => lineOf(tokens2, marks.get(index) ?? [], onMark, title));
    const code = el("code", {}, rows);
    const body = el("pre", { class: "code", tabindex: 0, role: "region", "aria-label": title }, code);
    body.style.setProperty("--digits", String(String(lines.length).length));
    const element = el(
      "section",
      { class: "pane" },
      el(heading, { class: "pane-head" }, title, note ? el("span", { class: "note" }, note) : null),
      body
    );
    const highlight = (loss) => {
      let first = null;
      rows.forEach((row, index) => {
        const chosen = loss !== null && (marks.get(index) ?? []).includes(loss);
        row.classList.toggle("chosen", chosen);
        if (chosen) first ??= row;
      });
      if (first) body.scrollTop = Math.max(0, first.offsetTop - body.offsetTop - body.clientHeight / 3);
    };
    return { element, highlight };
  }
  var codeBlock = (text) => el("pre", { class: "code wrap", tabindex: 0 }, el("code", {}, text));
  function lineOf(tokens2, losses, onMark, title) {
    const marks = losses.map(
      (loss) => el(
        "button",
        {
          class: "mark",
          type: "button",
          "data-loss": loss,
          "aria-label": `Loss ${loss + 1} in ${title}`,
          on: { click: () => onMark?.(loss) }
        },
        String(loss + 1)
      )
    );
    const words = tokens2.map(([kind, text]) => kind === "plain" ? textNodes(text) : el("span", { class: `t-${kind}` }, text));
    return el("span", { class: losses.length ? "line marked" : "line" }, el("span", { class: "words" }, words, "\n"), marks);
  }

  // codegen/toolcast/analysis/report/page/growing_list.js
  var STEP = 100;
  function growingList(name, items, itemOf, most) {
    const list = el("ul", { class: name }, items.slice(0, most).map(itemOf));
    if (items.length <= most) return [list];
    const button = el("button", { type: "button" });
    const line = el("p", { class: "after" }, button);
    const label2 = () => {
      const left = items.length - list.children.length;
      button.textContent = left > STEP ? `Show ${STEP} more of ${number(left)}` : `Show all ${number(items.length)}`;
    };
    button.addEventListener("click", () => {
      const at = list.children.length;
      list.append(...items.slice(at, at + STEP).map(itemOf));
      if (list.children.length === items.length) line.remove();
      else label2();
      list.children[at].tabIndex = -1;
      list.children[at].focus();
    });
    label2();
    return [list, line];
  }

  // codegen/toolcast/analysis/report/page/marks.js
  var SEVERITIES = ["error", "warning", "note"];
  var SIGNS = { error: "✕", warning: "!", note: "i" };
  function severityMark(severity, count2 = null) {
    return el(
      "span",
      { class: `badge ${severity}` },
      el("span", { "aria-hidden": "true" }, SIGNS[severity] ?? "·"),
      count2 === null ? ` ${severity}` : ` ${counted(count2, severity)}`
    );
  }
  var permissionMark = (permission) => el("span", { class: `badge permission ${permission}` }, permission);
  function cellText(cell, provider) {
    if (cell.tokens === null) return `${provider}: no definition`;
    const strict = cell.strict === null ? "" : cell.strict ? ", strict" : ", not strict";
    const findings = cell.findings ? `, ${counted(cell.findings, "finding")}` : "";
    return `${provider}${strict}, ${counted(cell.tokens, "token")}, ${number(cell.lost)} lost${findings}`;
  }
  function cellMarks(cell) {
    if (cell.tokens === null) return [el("span", { class: "muted" }, "—")];
    return [
      cell.strict === null ? null : el("span", { class: `strict ${cell.strict ? "on" : "off"}` }, cell.strict ? "◆" : "◇"),
      el("span", { class: "tokens" }, number(cell.tokens)),
      cell.lost ? el("span", { class: "lost" }, `−${number(cell.lost)}`) : null,
      cell.findings ? el("span", { class: "found" }, `!${number(cell.findings)}`) : null
    ];
  }
  var placeText = (file, line) => line ? `${file}:${line}` : file;
  var strictShare = ({ strict: mode }, strict, all) => mode === "none" || !all ? "–" : `${number(strict)} of ${number(all)}`;

  // codegen/toolcast/analysis/report/page/router.js
  function parseHash(hash) {
    const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
    return {
      path: path.split("/").filter(Boolean).map(decoded),
      query: Object.fromEntries(new URLSearchParams(query))
    };
  }
  function hashOf(path, query = {}) {
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

  // codegen/toolcast/analysis/report/page/findings_list.js
  var rank = ({ severity }) => SEVERITIES.indexOf(severity);
  function findingsList(findings, { most = 50, tool = "" } = {}) {
    const sorted = findings.toSorted((a, b) => rank(a) - rank(b));
    return growingList("findings", sorted, (finding) => findingItem(finding, tool), most);
  }
  function findingItem(finding, shown) {
    const providers = finding.providers ?? [];
    const wayOut = finding.fix || finding.hint;
    return el(
      "li",
      { class: `finding ${finding.severity}` },
      el(
        "p",
        { class: "finding-head" },
        severityMark(finding.severity),
        el("code", {}, finding.code),
        finding.tool && finding.tool !== shown ? el("a", { href: hashOf(["tool", finding.tool, ...providers.slice(0, 1)]) }, finding.tool) : null,
        el("span", { class: "muted" }, placeText(finding.file, finding.line)),
        providers.map((id) => el("span", { class: "badge" }, id))
      ),
      el("p", {}, prose(finding.message)),
      finding.answer ? el("p", { class: "muted" }, prose(finding.answer)) : null,
      wayOut ? el("p", { class: "hint" }, "→ ", prose(wayOut)) : null
    );
  }

  // codegen/toolcast/analysis/report/page/json_text.js
  var literal = (value) => typeof value === "bigint" ? String(value) : JSON.stringify(value);
  function jsonText(value, indent = "") {
    if (typeof value !== "object" || value === null) return literal(value);
    const below = `${indent}  `;
    const isArray2 = Array.isArray(value);
    const members = isArray2 ? value.map((item) => jsonText(item, below)) : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${jsonText(item, below)}`);
    const [open2, close] = isArray2 ? "[]" : "{}";
    return members.length ? `${open2}
${below}${members.join(`,
${below}`)}
${indent}${close}` : open2 + close;
  }

  // codegen/toolcast/analysis/report/page/tabs.js
  var made = 0;
  function tabs({ label: label2, tabs: choices, chosen, panel, onChoose }) {
    const prefix = `tabs-${++made}`;
    panel.id = `${prefix}-panel`;
    panel.setAttribute("role", "tabpanel");
    const reveal = (button) => {
      list.scrollLeft = button.offsetLeft - list.offsetLeft - (list.clientWidth - button.offsetWidth) / 2;
    };
    const choose = (id, focus) => {
      for (const button of buttons) {
        const active = button.dataset.id === id;
        button.setAttribute("aria-selected", String(active));
        button.tabIndex = active ? 0 : -1;
        if (active) {
          panel.setAttribute("aria-labelledby", button.id);
          if (focus) button.focus();
          requestAnimationFrame(() => reveal(button));
        }
      }
    };
    const buttons = choices.map(
      (choice, at) => el(
        "button",
        {
          type: "button",
          role: "tab",
          id: `${prefix}-${at}`,
          "data-id": choice.id,
          title: choice.title,
          "aria-controls": panel.id,
          on: {
            click: () => {
              choose(choice.id, false);
              onChoose(choice.id);
            }
          }
        },
        choice.text,
        choice.note ? el("span", { class: "tab-note" }, ` ${choice.note}`) : null
      )
    );
    const move = (event) => {
      const at = buttons.indexOf(event.target.closest("button"));
      const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
      if (next === void 0) return;
      event.preventDefault();
      const button = buttons[(next + buttons.length) % buttons.length];
      choose(button.dataset.id, true);
      onChoose(button.dataset.id);
    };
    const list = el("div", { class: "tabs", role: "tablist", "aria-label": label2, on: { keydown: move } }, buttons);
    choose(chosen, false);
    return list;
  }

  // codegen/toolcast/analysis/report/page/changes_view.js
  var MOST = 50;
  var LONG = 400;
  var WHO = {
    calls: "Callers: arguments that were accepted, and those that are",
    results: "Readers of results",
    code: "Python written against the generated code",
    model: "The model that reads the definition",
    provider: "Requests to a provider",
    trust: "Those who grant permissions",
    cache: "Prompt caches"
  };
  function changesView(report2, audience) {
    const { diff } = report2;
    const known2 = new Set(report2.tools.map((tool) => tool.name));
    const audiences = [...Map.groupBy(diff.changes, (change) => change.audience)];
    const chosen = audiences.some(([name]) => name === audience) ? audience : audiences[0]?.[0];
    const panel = el("div", {});
    const show2 = (name) => {
      const [, changes] = audiences.find(([each]) => each === name);
      fill(panel, el("p", { class: "muted" }, `${WHO[name] ?? name}.`), changeList(changes, diff, known2));
    };
    const choice = tabs({
      label: "Audience",
      tabs: audiences.map(([name, changes]) => ({ id: name, text: name, note: countsOf(changes) })),
      chosen,
      panel,
      onChoose: (name) => {
        history.replaceState(null, "", hashOf(["changes", name]));
        show2(name);
      }
    });
    if (chosen) show2(chosen);
    const element = el(
      "div",
      {},
      el("h1", { tabindex: -1 }, "Changes"),
      el("p", { class: "lead" }, `From ${diff.old} to ${diff.new}: ${counted(diff.compared, "tool")} compared, ${number(diff.unchanged)} unchanged.`),
      el("p", { class: "row tight" }, SEVERITIES.map((level) => [level, atLevel(diff.changes, level)]).map(([level, count2]) => count2 ? severityMark(level, count2) : null)),
      diff.diagnostics.length ? notCompared(diff.diagnostics) : null,
      chosen ? [choice, panel] : el("p", {}, "Nothing that anybody would notice has changed.")
    );
    return { title: "Changes", element };
  }
  function notCompared(diagnostics) {
    const summary = el("summary", {}, `${counted(diagnostics.length, "problem")} in specs that are therefore not compared`);
    return el("details", {}, summary, findingsList(diagnostics));
  }
  var atLevel = (changes, level) => changes.filter((change) => change.level === level && !change.suppressed).length;
  function countsOf(changes) {
    const errors = atLevel(changes, "error");
    return errors ? `${number(changes.length)}, ✕ ${number(errors)}` : number(changes.length);
  }
  function changeList(changes, diff, known2) {
    return growingList("changes", changes, (change) => changeItem(change, diff, known2), MOST);
  }
  function changeItem(change, diff, known2) {
    return el(
      "li",
      { class: `change ${change.level}` },
      el(
        "p",
        { class: "row tight" },
        severityMark(change.level),
        change.tool ? known2.has(change.tool) ? el("a", { href: hashOf(["tool", change.tool]) }, change.tool) : el("strong", {}, change.tool) : null,
        el("code", {}, change.rule),
        el("span", { class: "muted" }, placeText(change.file, change.line), change.old ? " (old state)" : ""),
        change.providers.map((id) => el("span", { class: "badge" }, id)),
        change.undecided ? el("span", { class: "badge" }, "undecided") : null,
        change.suppressed ? el("span", { class: "badge" }, "intended") : null
      ),
      el("p", {}, edited(change.message)),
      change.hint ? el("p", { class: "hint" }, "→ ", prose(change.hint)) : null,
      change.witness ? witness(change, diff) : null
    );
  }
  function edited(text) {
    return text.split(/(\[-.*?-\]|\{\+.*?\+\})/s).map((part, at) => {
      if (at % 2 === 0) return prose(part);
      return el(part[0] === "[" ? "del" : "ins", {}, part.slice(2, -2));
    });
  }
  function witness({ audience, witness: { value, refusal } }, diff) {
    const text = jsonText(value);
    const shown = el(
      "details",
      { class: "witness", open: text.length <= LONG },
      el("summary", {}, text.length <= LONG ? "A value that shows it" : `A value that shows it (${number(text.length)} characters)`),
      codeBlock(text)
    );
    const [accepting, refusing] = audience === "results" ? [diff.new, diff.old] : [diff.old, diff.new];
    return refusal ? [shown, el("p", { class: "muted" }, `Accepted in ${accepting}, refused in ${refusing}:`), codeBlock(refusal)] : shown;
  }

  // codegen/toolcast/analysis/report/page/help_dialog.js
  var KEYS = [
    ["/", "search tools"],
    ["↑ ↓ ← →", "move in the matrix, in tabs and in the map of tokens"],
    ["Enter", "open the tool, at the provider of the cell"],
    ["[ and ]", "previous and next tool"],
    ["Esc", "back to the list"],
    ["1 … 5", "the views, in the order of the links above"],
    ["t", "dark, light, or as the system has it"],
    ["?", "this help"]
  ];
  function helpDialog() {
    const dialog = el(
      "dialog",
      { "aria-labelledby": "help-title" },
      el("h2", { id: "help-title" }, "Keys"),
      el("dl", { class: "keys" }, KEYS.map(([key3, meaning]) => [el("dt", {}, el("kbd", {}, key3)), el("dd", {}, meaning)])),
      el("button", { type: "button", on: { click: () => dialog.close() } }, "Close")
    );
    return dialog;
  }

  // codegen/toolcast/analysis/report/page/overview_view.js
  var MOST2 = 12;
  function overviewView(report2) {
    const failed = report2.diagnostics.some((each) => each.severity === "error");
    const element = el(
      "div",
      {},
      el("h1", { tabindex: -1 }, report2.title),
      el("dl", { class: "cards" }, cards(report2)),
      report2.tools.length || failed ? null : el("p", { class: "notice" }, prose("There is no tool yet. Write a spec into the specs folder, or let `toolcast import` write specs from what you have.")),
      failed ? diagnosticsPart(report2.diagnostics, "Specs that do not compile") : null,
      el("section", {}, el("h2", {}, "What each provider's models get"), providerTable(report2)),
      worst(report2),
      failed ? null : diagnosticsPart(report2.diagnostics, "What the compiler says")
    );
    return { title: "Overview", element };
  }
  function diagnosticsPart(diagnostics, title) {
    if (!diagnostics.length) return null;
    return el("section", {}, el("h2", {}, title), findingsList(diagnostics, { most: MOST2 }));
  }
  function cards({ tools, providers, findings, diagnostics, diff }) {
    const groups = new Set(tools.map((tool) => tool.group).filter(Boolean));
    const rows = [
      ["tools", number(tools.length), hashOf(["tools"])],
      ["groups", number(groups.size), null],
      ["providers", number(providers.length), hashOf(["providers"])],
      ["findings", number(findings.length + tools.reduce((sum, { counts }) => sum + total(counts), 0)), hashOf(["tools"], { sort: "-findings" })]
    ];
    if (diagnostics.length) rows.push(["diagnostics", number(diagnostics.length), null]);
    if (diff) rows.push(["changes", number(diff.changes.length), hashOf(["changes"])]);
    return rows.map(
      ([name, value, address]) => el("div", { class: "card" }, el("dt", {}, name), el("dd", {}, address ? el("a", { href: address }, value) : value))
    );
  }
  var total = (counts) => SEVERITIES.reduce((sum, severity) => sum + counts[severity], 0);
  function providerTable({ tools, providers, sets, findings }) {
    const rows = providers.map((provider, at) => {
      const cells = tools.map((tool) => tool.cells[at]).filter((cell) => cell.tokens !== null);
      const strict = cells.filter((cell) => cell.strict).length;
      const sum = (member2) => cells.reduce((total2, cell) => total2 + cell[member2], 0);
      const set = sets.find((each) => each.id === provider.id);
      const ofSet2 = findings.filter((each) => each.providers.includes(provider.id)).length;
      const over = set.limits.filter((limit) => limit.used > limit.allowed && !limit.advised).length;
      const share = el("td", { class: "number" }, strictShare(provider, strict, cells.length));
      return el(
        "tr",
        {},
        el("th", { scope: "row" }, el("a", { href: hashOf(["providers", provider.id]) }, provider.title)),
        share,
        el("td", { class: "number" }, number(set.tokens)),
        el("td", { class: "number" }, number(sum("lost"))),
        el("td", { class: "number" }, number(sum("kept"))),
        el("td", { class: "number" }, number(sum("findings") + ofSet2)),
        el("td", {}, over ? el("span", { class: "badge error" }, `✕ ${counted(over, "limit")} exceeded`) : "✓ within limits")
      );
    });
    const heads = ["Provider", "Strict", "Tokens", "Lost", "Kept elsewhere", "Findings", "Request limits"];
    return el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Providers" },
      el(
        "table",
        { class: "plain" },
        el("thead", {}, el("tr", {}, heads.map((head2, at) => el("th", { scope: "col", class: at && at < 6 ? "number" : null }, head2)))),
        el("tbody", {}, rows)
      )
    );
  }
  function worst({ findings, tools }) {
    const weight = (counts) => SEVERITIES.map((severity) => counts[severity] ?? 0);
    const heavier = (a, b) => {
      const [left, right] = [weight(a.counts), weight(b.counts)];
      const at = left.findIndex((count2, index) => count2 !== right[index]);
      return at < 0 ? 0 : right[at] - left[at];
    };
    const found = tools.filter((tool) => tool.codes.length).sort(heavier);
    const total2 = (severity) => tools.reduce((sum, tool) => sum + tool.counts[severity], 0) + ofSet(findings, severity);
    const present = SEVERITIES.filter((severity) => total2(severity));
    return el(
      "section",
      {},
      el("h2", {}, "Findings"),
      present.length ? null : el("p", {}, "✓ Lint finds nothing."),
      el(
        "p",
        { class: "row" },
        present.map(
          (severity) => el("a", { class: "quiet", href: hashOf(["tools"], { finding: severity }) }, severityMark(severity, total2(severity)))
        )
      ),
      findings.length ? [el("h3", {}, "Of the whole set"), findingsList(findings)] : null,
      found.length ? [el("h3", {}, "Tools with the worst findings"), toolList(found)] : null
    );
  }
  var ofSet = (findings, severity) => findings.filter((each) => each.severity === severity).length;
  function toolList(found) {
    return [
      el(
        "ul",
        { class: "worst" },
        found.slice(0, MOST2).map(
          (tool) => el(
            "li",
            {},
            el("a", { href: hashOf(["tool", tool.name]) }, tool.name),
            SEVERITIES.filter((severity) => tool.counts[severity]).map(
              (severity) => severityMark(severity, tool.counts[severity])
            ),
            el("span", { class: "muted" }, tool.codes.join(", "))
          )
        )
      ),
      found.length > MOST2 ? el("p", {}, el("a", { href: hashOf(["tools"], { sort: "-findings" }) }, `All ${number(found.length)} tools with findings`)) : null
    ];
  }

  // codegen/toolcast/analysis/report/page/kept_text.js
  var PREFIX = "toolcast-report:";
  function keptText(name) {
    try {
      return sessionStorage.getItem(PREFIX + name);
    } catch {
      return null;
    }
  }
  function keepText(name, text) {
    try {
      if (text === null) sessionStorage.removeItem(PREFIX + name);
      else sessionStorage.setItem(PREFIX + name, text);
    } catch {
    }
  }

  // codegen/toolcast/analysis/report/page/treemap.js
  function squarified(weights, area) {
    const total2 = weights.reduce((sum, each) => sum + each, 0);
    const scale = total2 > 0 ? area.width * area.height / total2 : 0;
    const placed = [];
    let free = { ...area };
    let at = 0;
    while (at < weights.length) {
      const side = Math.min(free.width, free.height);
      let end = at + 1;
      let sum = weights[at] * scale;
      let worst2 = ratio(sum, weights[at] * scale, weights[at] * scale, side);
      while (end < weights.length) {
        const more = sum + weights[end] * scale;
        const next = ratio(more, weights[at] * scale, weights[end] * scale, side);
        if (next > worst2) break;
        [sum, worst2] = [more, next];
        end++;
      }
      free = placeRow(placed, weights.slice(at, end).map((each) => each * scale), sum, free);
      at = end;
    }
    return placed;
  }
  function ratio(sum, largest, smallest, side) {
    if (sum === 0 || smallest === 0) return Infinity;
    return Math.max(side * side * largest / (sum * sum), sum * sum / (side * side * smallest));
  }
  function placeRow(placed, areas, sum, free) {
    const wide = free.width >= free.height;
    const side = wide ? free.height : free.width;
    const depth = side > 0 ? sum / side : 0;
    let offset = 0;
    for (const each of areas) {
      const length = depth > 0 ? each / depth : 0;
      placed.push(
        wide ? { x: free.x, y: free.y + offset, width: depth, height: length } : { x: free.x + offset, y: free.y, width: length, height: depth }
      );
      offset += length;
    }
    return wide ? { x: free.x + depth, y: free.y, width: Math.max(0, free.width - depth), height: free.height } : { x: free.x, y: free.y + depth, width: free.width, height: Math.max(0, free.height - depth) };
  }

  // codegen/toolcast/analysis/report/page/providers_view.js
  var GROUP_HEAD = 18;
  var LETTER = 7;
  var MOST_ROWS = 200;
  function providersView(report2, provider) {
    const ids = report2.providers.map((each) => each.id);
    const chosen = ids.includes(provider) ? provider : ids[0];
    const panel = el("div", {});
    const show2 = (id) => fill(panel, providerPart(report2, id));
    const choice = tabs({
      label: "Provider",
      tabs: ids.map((id) => ({ id, text: id })),
      chosen,
      panel,
      onChoose: (id) => {
        history.replaceState(null, "", hashOf(["providers", id]));
        show2(id);
      }
    });
    if (chosen) show2(chosen);
    const element = el(
      "div",
      {},
      el("h1", { tabindex: -1 }, "Providers"),
      chosen ? [choice, panel] : el("p", {}, "The report has no provider.")
    );
    return { title: "Providers", element };
  }
  function providerPart(report2, id) {
    const at = report2.providers.findIndex((each) => each.id === id);
    const info = report2.providers[at];
    const set = report2.sets.find((each) => each.id === id);
    const tools = report2.tools.map((tool) => ({ name: tool.name, group: tool.group, tokens: tool.cells[at].tokens, brief: tool.cells[at].brief })).filter((tool) => tool.tokens !== null).sort((a, b) => b.tokens - a.tokens || (a.name < b.name ? -1 : 1));
    return [
      el("h2", {}, info.title),
      el(
        "dl",
        { class: "cards" },
        card("tools", number(set.tools)),
        card("strict", strictShare(info, set.strict_tools, set.tools)),
        card("tokens in full", number(set.tokens)),
        card("tokens in brief", number(set.brief)),
        card("lost", number(set.lost)),
        info.dated ? card("rules checked", info.dated) : null
      ),
      el("h3", {}, "Limits of one request with all tools"),
      set.limits.length ? el("ul", { class: "limits" }, set.limits.map(limitBar)) : el("p", {}, "The provider documents no limit for requests."),
      el("h3", {}, "Tokens by tool"),
      el("p", { class: "muted" }, report2.note ?? ""),
      tools.length ? [treemap(tools, id), tokenTable(tools, id, set.tokens)] : el("p", {}, "It gets no tool.")
    ];
  }
  var card = (name, value) => el("div", { class: "card" }, el("dt", {}, name), el("dd", {}, value));
  function limitBar(limit) {
    const share = limit.allowed ? limit.used / limit.allowed : limit.used ? Infinity : 0;
    const state = share > 1 ? limit.advised ? "warning" : "error" : share > 0.8 ? "near" : "fine";
    const word = { error: "✕ exceeded", warning: "! more than advised", near: "! nearly used", fine: "✓" }[state];
    const percent = share === Infinity ? "none allowed" : share > 10 ? `× ${number(Math.round(share))}` : `${Math.round(share * 100)} %`;
    const bar = el("span", { class: `bar ${state}` });
    bar.style.setProperty("--share", String(Math.min(1, share)));
    const most = limit.most ?? [];
    return el(
      "li",
      {},
      el(
        "span",
        { class: "row spread" },
        el("span", {}, limit.noun, limit.advised ? " (advised)" : ""),
        el("span", {}, `${number(limit.used)} of ${number(limit.allowed)} · ${percent} `, el("span", { class: `state ${state}` }, word))
      ),
      el("span", { class: "track", "aria-hidden": "true" }, bar),
      most.length && share > 0.5 ? el(
        "span",
        { class: "muted most" },
        "most: ",
        most.slice(0, 3).map(([tool, amount], at) => [at ? ", " : "", el("a", { href: hashOf(["tool", tool]) }, tool), ` ${number(amount)}`])
      ) : null
    );
  }
  function treemap(tools, provider) {
    const place = el("div", { class: "map" });
    let drawn = 0;
    const draw = (width) => {
      if (width < 1 || Math.abs(width - drawn) < 24) return;
      drawn = width;
      const height = Math.round(Math.min(720, Math.max(420, 0.45 * width)));
      fill(place, drawing(tools, provider, Math.round(width), height));
    };
    const { paddingLeft, paddingRight } = getComputedStyle(document.querySelector("main"));
    draw(document.querySelector("main").clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight));
    new ResizeObserver(([entry]) => draw(entry.contentRect.width)).observe(place);
    return place;
  }
  function drawing(tools, provider, width, height) {
    const groups = Map.groupBy(tools, (tool) => tool.group);
    const sums = [...groups].map(([group, members]) => [group, members, members.reduce((sum, each) => sum + each.tokens, 0)]);
    sums.sort((a, b) => b[2] - a[2]);
    const kept = sums.filter(([, , sum]) => sum > 0);
    const areas = squarified(kept.map(([, , sum]) => sum), { x: 0, y: 0, width, height });
    const parts = kept.map(([group, members, sum], at) => groupPart(group, members, sum, areas[at], at, provider));
    const graphic = svg(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        class: "treemap",
        role: "group",
        "aria-label": "Tokens of each tool as areas, by group. Arrow keys go from tool to tool; the table below has the same figures."
      },
      parts
    );
    const links2 = [...graphic.querySelectorAll("a")];
    links2.forEach((link, at) => link.setAttribute("tabindex", at ? "-1" : "0"));
    graphic.addEventListener("keydown", (event) => {
      const at = links2.indexOf(event.target.closest("a"));
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const next = event.key === "Home" ? links2[0] : event.key === "End" ? links2.at(-1) : links2[at + step];
      if (at < 0 || !next) return;
      event.preventDefault();
      links2[at].setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    });
    return graphic;
  }
  function groupPart(group, members, sum, area, at, provider) {
    const head2 = area.height > 3 * GROUP_HEAD && area.width > 60 ? GROUP_HEAD : 0;
    const inner = { x: area.x + 1, y: area.y + head2 + 1, width: Math.max(0, area.width - 2), height: Math.max(0, area.height - head2 - 2) };
    const counted_ = members.filter((each) => each.tokens > 0);
    const boxes = squarified(counted_.map((each) => each.tokens), inner);
    return svg(
      "g",
      { class: `tint-${at % 6}` },
      svg("rect", { class: "group-area", x: area.x, y: area.y, width: area.width, height: area.height }),
      head2 ? svg("text", { class: "group-name", x: area.x + 6, y: area.y + 13, "aria-hidden": "true" }, groupTitle(group || "(no group)", sum, area.width - 10)) : null,
      counted_.map((tool, index) => toolBox(tool, boxes[index], provider))
    );
  }
  function toolBox(tool, box, provider) {
    const label2 = `${tool.name}: ${counted(tool.tokens, "token")}`;
    const name = box.height > 16 ? fitting(tool.name, box.width - 8) : "";
    return svg(
      "a",
      { href: hashOf(["tool", tool.name, provider]) },
      svg("title", {}, label2),
      svg("rect", { x: box.x + 0.5, y: box.y + 0.5, width: Math.max(0, box.width - 1), height: Math.max(0, box.height - 1), rx: 2 }),
      name ? svg("text", { "aria-hidden": "true", x: box.x + 5, y: box.y + 14 }, name) : null,
      name && box.height > 32 && box.width > 40 ? svg("text", { class: "amount", "aria-hidden": "true", x: box.x + 5, y: box.y + 28 }, number(tool.tokens)) : null
    );
  }
  function groupTitle(group, sum, width) {
    const whole = `${group} · ${number(sum)}`;
    return LETTER * whole.length <= width ? whole : fitting(group, width);
  }
  function fitting(text, width) {
    const most = Math.floor(width / LETTER);
    if (text.length <= most) return text;
    return most >= 7 ? `${text.slice(0, most - 1)}…` : "";
  }
  function tokenTable(tools, provider, total2) {
    const rows = tools.slice(0, MOST_ROWS).map(
      (tool) => el(
        "tr",
        {},
        el("th", { scope: "row" }, el("a", { href: hashOf(["tool", tool.name, provider]) }, tool.name)),
        el("td", {}, tool.group),
        el("td", { class: "number" }, number(tool.tokens)),
        el("td", { class: "number" }, number(tool.brief)),
        el("td", { class: "number" }, total2 ? `${(100 * tool.tokens / total2).toFixed(1)} %` : "")
      )
    );
    const heads = ["Tool", "Group", "Tokens", "Brief", "Share"];
    return el(
      "details",
      {},
      el("summary", {}, `The same as a table (${number(rows.length)} of ${counted(tools.length, "tool")})`),
      el(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": "Tokens by tool" },
        el(
          "table",
          { class: "plain" },
          el("thead", {}, el("tr", {}, heads.map((head2, at) => el("th", { scope: "col", class: at > 1 ? "number" : null }, head2)))),
          el("tbody", {}, rows)
        )
      )
    );
  }

  // codegen/toolcast/analysis/report/page/exact_json.js
  var LONG2 = /[0-9]{16}/;
  var TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;
  var INTEGER = /^-?[0-9]{16,}$/;
  var MARK = "\uDC00";
  function exactJson(text) {
    if (!LONG2.test(text)) return JSON.parse(text);
    const marked = text.replace(
      TOKEN,
      (token2) => INTEGER.test(token2) && !Number.isSafeInteger(Number(token2)) ? `"${MARK}${token2}"` : token2
    );
    return JSON.parse(marked, (_, value) => typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(1)) : value);
  }

  // codegen/toolcast/analysis/report/page/report_data.js
  var known = /* @__PURE__ */ new Map();
  var CELL = ["strict", "tokens", "brief", "lost", "kept", "findings"];
  function indexOf(text) {
    const report2 = exactJson(text);
    for (const tool of report2.tools) {
      tool.cells = tool.cells.map((cell) => Object.fromEntries(CELL.map((name, at) => [name, cell[at]])));
      tool.counts = { error: tool.errors, warning: tool.warnings, note: tool.notes };
    }
    return report2;
  }
  async function readDetail(position) {
    const { size, chunks } = detailSource();
    const number2 = Math.floor(position / size);
    if (!known.has(number2)) known.set(number2, readChunk(chunks[number2]));
    return (await known.get(number2))[position % size];
  }
  var source = null;
  var detailSource = () => source ??= JSON.parse(document.getElementById("details").textContent);
  async function readChunk(base64) {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return exactJson(await new Response(stream).text());
  }

  // codegen/toolcast/analysis/report/page/theme.js
  var KEY = "toolcast-report-theme";
  var THEMES = ["system", "light", "dark"];
  var current = "system";
  function restoreTheme() {
    try {
      apply(localStorage.getItem(KEY) ?? "system");
    } catch {
      apply("system");
    }
  }
  function nextTheme() {
    apply(THEMES[(THEMES.indexOf(current) + 1) % THEMES.length]);
    try {
      localStorage.setItem(KEY, current);
    } catch {
    }
    return current;
  }
  function apply(theme) {
    current = THEMES.includes(theme) ? theme : "system";
    document.documentElement.dataset.theme = current;
  }

  // codegen/toolcast/languages/typescript/support/json_values.js
  var MAX_DEPTH = 200;
  var MAX_PARTS = 4 * 1024 * 1024;
  var HALF = /\p{Surrogate}/u;
  var HALVED = "the value holds half of a surrogate pair, which is not JSON";
  var NotJsonError = class extends Error {
    /**
     * @param {string} message - what is wrong, for the writer of the value
     * @param {string} keyword - the keyword of the violation
     */
    constructor(message, keyword = "json") {
      super(message);
      this.keyword = keyword;
    }
  };
  var isArray = Array.isArray;
  var isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  var isNumber = (value) => typeof value === "number" || typeof value === "bigint";
  var isWhole = (value) => typeof value === "bigint" || Number.isInteger(value);
  function isPlainObject(value) {
    if (!isObject(value)) return false;
    const prototype = Object.getPrototypeOf(value);
    return prototype === null || Object.getPrototypeOf(prototype) === null;
  }
  var has = (object, name) => Object.hasOwn(object, name);
  function put(object, name, value) {
    if (name === "__proto__") {
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
    } else {
      object[name] = value;
    }
  }
  function lengthOf(text) {
    let length = text.length;
    for (let at = 0; at < text.length - 1; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= 55296 && unit < 56320) {
        const next = text.charCodeAt(at + 1);
        if (next >= 56320 && next < 57344) {
          length--;
          at++;
        }
      }
    }
    return length;
  }
  function head(text, characters) {
    return text.length <= characters ? text : Array.from(text.slice(0, 2 * characters)).slice(0, characters).join("");
  }
  function compareTexts(left, right) {
    const a = Array.from(left);
    const b = Array.from(right);
    for (let at = 0; at < a.length && at < b.length; at++) {
      const difference = a[at].codePointAt(0) - b[at].codePointAt(0);
      if (difference !== 0) return difference;
    }
    return a.length - b.length;
  }
  function plain(value) {
    return plainPart(value, 0, { left: MAX_PARTS });
  }
  function plainPart(value, depth, parts) {
    if (parts.left-- === 0) {
      throw new NotJsonError(`the value is too large: more than ${MAX_PARTS} values inside`);
    }
    switch (typeof value) {
      case "string":
        if (HALF.test(value)) throw new NotJsonError(HALVED);
        return value;
      case "boolean":
      case "bigint":
        return value;
      case "number":
        if (Number.isFinite(value)) return value;
        throw new NotJsonError(`the value holds the number ${value}, which is not JSON`);
      case "object":
        break;
      default:
        throw new NotJsonError(`the value holds a value of type ${typeof value}, which is not JSON`);
    }
    if (value === null) return value;
    if (depth === MAX_DEPTH) {
      throw new NotJsonError(`the value is nested too deeply: more than ${MAX_DEPTH} levels`, "depth");
    }
    if (isArray(value)) {
      let changed2 = null;
      for (let index = 0; index < value.length; index++) {
        const item = plainPart(value[index], depth + 1, parts);
        if (item !== value[index]) (changed2 ??= value.slice())[index] = item;
      }
      return changed2 ?? value;
    }
    if (!isPlainObject(value)) {
      const name = Object.getPrototypeOf(value).constructor?.name || "unknown";
      throw new NotJsonError(`the value holds a value of type ${name}, which is not JSON`);
    }
    let changed = null;
    for (const name of Object.keys(value)) {
      const member2 = value[name];
      if (HALF.test(name)) throw new NotJsonError(HALVED);
      if (member2 === void 0) {
        changed ??= { ...value };
        delete changed[name];
        continue;
      }
      const item = plainPart(member2, depth + 1, parts);
      if (item !== member2) put(changed ??= { ...value }, name, item);
    }
    return changed ?? value;
  }
  function countParts(value) {
    let count2 = 1;
    if (isArray(value)) for (const item of value) count2 += countParts(item);
    else if (isObject(value)) for (const name of Object.keys(value)) count2 += countParts(value[name]);
    return count2;
  }
  function key(value) {
    switch (typeof value) {
      case "string":
        return JSON.stringify(value);
      case "number":
        if (Number.isInteger(value)) return Number.isSafeInteger(value) ? String(value + 0) : String(BigInt(value));
        return String(value);
      case "bigint":
        return String(value);
      case "object":
        if (value === null) return "null";
        if (isArray(value)) return `[${value.map(key).join(",")}]`;
        return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${key(value[name])}`).join(",")}}`;
      default:
        return String(value);
    }
  }
  function equal(left, right) {
    if (typeof left === "string" || typeof right === "string") return left === right;
    return left === right || key(left) === key(right);
  }
  function asDecimal(number2) {
    if (typeof number2 === "bigint") return [number2, 0];
    const [digits, exponent] = String(number2).split("e");
    const [whole, fraction = ""] = digits.split(".");
    return [BigInt(whole + fraction), Number(exponent ?? 0) - fraction.length];
  }
  function isMultiple(number2, [base, scale]) {
    const [mantissa, exponent] = asDecimal(number2);
    const low = Math.min(exponent, scale);
    return mantissa * 10n ** BigInt(exponent - low) % (base * 10n ** BigInt(scale - low)) === 0n;
  }

  // codegen/toolcast/languages/typescript/support/messages.js
  var MAX_LISTED = 20;
  var WIDTH = 60;
  var KINDS = {
    integer: "an integer",
    number: "a number",
    string: "a string",
    boolean: "a boolean",
    null: "null",
    array: "an array",
    object: "an object"
  };
  var IDENTIFIER = /^[\p{XID_Start}_]\p{XID_Continue}*$/u;
  var BLANKS = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u;
  function member(path, name) {
    return IDENTIFIER.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
  }
  function label(path) {
    if (path === "$") return "the value";
    return `\`${path.startsWith("$.") ? path.slice(2) : path}\``;
  }
  function show(value) {
    if (isArray(value)) return value.length ? `an array of ${count(value.length, "item")}` : "an empty array";
    if (isObject(value)) return Object.keys(value).length ? "an object" : "an empty object";
    return literal2(value);
  }
  function literal2(value) {
    if (typeof value === "bigint") {
      const bits = (value < 0n ? -value : value).toString(2).length;
      if (bits > 200) return `an integer of ${bits} bits`;
    }
    if (typeof value === "string" && lengthOf(value) > WIDTH) {
      return `${JSON.stringify(head(value, WIDTH)).slice(0, -1)}…"`;
    }
    const text = jsonText2(value);
    return lengthOf(text) <= 2 * WIDTH ? text : `${head(text, 2 * WIDTH)}…`;
  }
  function jsonText2(value) {
    if (typeof value === "number") return numberText(value);
    if (isArray(value)) return `[${value.map(jsonText2).join(", ")}]`;
    if (isObject(value)) {
      const members = Object.keys(value).map((name) => `${JSON.stringify(name)}: ${jsonText2(value[name])}`);
      return `{${members.join(", ")}}`;
    }
    return typeof value === "bigint" ? String(value) : JSON.stringify(value);
  }
  function numberText(value) {
    if (Number.isSafeInteger(value)) return String(value + 0);
    const [digits, power] = value.toExponential().split("e");
    const exponent = Number(power);
    if (exponent >= -4 && exponent < 16) {
      const text = String(value);
      return text.includes(".") ? text : `${text}.0`;
    }
    return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  function got(value) {
    return typeof value === "string" ? `got a string ${show(value)}` : `got ${show(value)}`;
  }
  function count(number2, noun) {
    if (Number(number2) === 1) return `1 ${noun}`;
    return noun.endsWith("y") ? `${number2} ${noun.slice(0, -1)}ies` : `${number2} ${noun}s`;
  }
  function listed(values) {
    const text = values.slice(0, MAX_LISTED).map(literal2).join(", ") || "no value at all";
    return values.length > MAX_LISTED ? `${text}, … (${values.length} in all)` : text;
  }
  function names(known2) {
    const every = [...known2].sort(compareTexts);
    const text = every.slice(0, MAX_LISTED).map((name) => `\`${name}\``).join(", ");
    return every.length > MAX_LISTED ? `${text}, … (${every.length} in all)` : text;
  }
  function describe(schema) {
    if (!isObject(schema)) return schema ? "any value" : "nothing";
    if (has(schema, "const")) return literal2(schema.const);
    if (isArray(schema.enum)) return `one of ${listed(schema.enum)}`;
    let kinds = typeof schema.type === "string" ? [schema.type] : [...schema.type ?? []];
    if (!kinds.length && (has(schema, "properties") || has(schema, "required"))) kinds = ["object"];
    if (!kinds.length && ["minimum", "maximum", "multipleOf"].some((keyword) => has(schema, keyword))) {
      kinds = ["number"];
    }
    let text = kinds.map((kind) => KINDS[kind]).join(" or ");
    if (kinds.includes("integer") || kinds.includes("number")) text += bounds(schema);
    if (text) return text;
    return hasDescription(schema) ? `of another form (${schema.description})` : "of another form";
  }
  var SIGNS2 = [
    ["minimum", ">="],
    ["exclusiveMinimum", ">"],
    ["maximum", "<="],
    ["exclusiveMaximum", "<"]
  ];
  function bounds(schema) {
    const parts = SIGNS2.filter(([keyword]) => has(schema, keyword)).map(
      ([keyword, sign]) => `${sign} ${literal2(schema[keyword])}`
    );
    if (has(schema, "multipleOf")) {
      parts.push(`${parts.length ? "" : "that is "}a multiple of ${literal2(schema.multipleOf)}`);
    }
    return parts.length ? ` ${parts.join(" and ")}` : "";
  }
  var hasDescription = (schema) => typeof schema.description === "string" && schema.description !== "";
  function hint(schema) {
    if (!isObject(schema)) return "";
    const wanted = schema.type;
    let kind = "";
    if (has(schema, "const") || has(schema, "enum")) kind = describe(schema);
    else if (wanted !== void 0 && wanted.length) kind = typeof wanted === "string" ? wanted : wanted.join(" or ");
    let description = hasDescription(schema) ? schema.description.split(BLANKS).filter(Boolean).join(" ") : "";
    if (lengthOf(description) > 200) {
      const cut = head(description, 200);
      const blank = cut.lastIndexOf(" ");
      description = `${blank < 0 ? cut : cut.slice(0, blank)} …`;
    }
    const both = [kind, description].filter(Boolean).join(": ");
    return both ? ` (${both})` : "";
  }

  // codegen/toolcast/languages/typescript/support/node.js
  var BRANCHES = 1e5;
  var BRANCHES_PER_PART = 16;
  var TooManyBranchesError = class extends Error {
    constructor() {
      super("the value would have to be compared with too many forms; send a smaller or flatter one");
    }
  };
  var Run = class {
    /**
     * @param {Searches} searches - the searches for patterns of the call
     * @param {number} limit - violations to list at most
     * @param {number} branches - branches of unions that may be tried
     */
    constructor(searches, limit = 1, branches = BRANCHES) {
      this.searches = searches;
      this.limit = limit;
      this.branches = branches;
      this.memories = /* @__PURE__ */ new Map();
    }
    /** Count branches that are about to be tried. Throws TooManyBranchesError. */
    spend(branches) {
      this.branches -= branches;
      if (this.branches < 0) throw new TooManyBranchesError();
    }
    /** What `compute` returns for a value, computed once for each `owner`. */
    remember(owner, value, compute) {
      let known2 = this.memories.get(owner);
      if (known2 === void 0) this.memories.set(owner, known2 = /* @__PURE__ */ new Map());
      let found = known2.get(value);
      if (found === void 0) known2.set(value, found = compute());
      return found;
    }
    /** The violations of a value at a path, which `compute` lists once for each node. */
    rememberAt(node, path, value, compute) {
      const byPath = this.remember(this.memories, node, () => /* @__PURE__ */ new Map());
      if (!byPath.has(path)) byPath.set(path, {});
      return this.remember(byPath.get(path), value, compute);
    }
  };
  var Node2 = class {
    constructor(schema) {
      this.schema = schema;
      this.rules = [];
      this.reference = null;
      this.hasReference = false;
    }
    /** Whether all rules accept a value. */
    check(value, run) {
      for (const rule of this.rules) if (!rule.check(value, run)) return false;
      return true;
    }
    /** Every violation, up to the run's limit; empty where the value is accepted. */
    explain(value, path, run) {
      const found = [];
      for (const rule of this.rules) {
        if (rule.check(value, run)) continue;
        if (found.length && rule.last) break;
        const reported = new Set(found.map((one) => `${one.path}
${one.message}`));
        for (const one of rule.explain(value, path, run)) {
          if (!reported.has(`${one.path}
${one.message}`)) found.push(one);
        }
        if (found.length >= run.limit) break;
      }
      return found.slice(0, run.limit);
    }
    /** The value with the two allowances applied; the same object where nothing applies. */
    settle(value, run) {
      for (const rule of this.rules) if (rule.settle) value = rule.settle(value, run);
      return value;
    }
    /** Add the property names that this schema evaluates in a value; true where it evaluates all. */
    names(value, run, evaluated) {
      return this.rules.some((rule) => rule.names?.(value, run, evaluated));
    }
    /** Add the indices that this schema evaluates in a value; true where it evaluates all. */
    indices(value, run, evaluated) {
      return this.rules.some((rule) => rule.indices?.(value, run, evaluated));
    }
    /** The schema, with the target of its reference merged below its own keywords. */
    resolved() {
      let node = this;
      for (let turn = 0; turn < 20; turn++) {
        if (!isObject(node.schema) || node.reference === null || has(node.schema, "type")) break;
        node = node.reference;
      }
      if (node === this || !isObject(node.schema)) return node.schema;
      const { $ref: _, ...own } = this.schema;
      return { ...node.schema, ...own };
    }
  };
  var violation = (path, message, keyword, expected) => ({ path, message, keyword, expected });
  function valueRule(check, keyword, expected, message) {
    return { check, explain: (value, path) => [violation(path, message(value, path), keyword, expected)] };
  }
  var SIZES = {
    item: (value) => Array.isArray(value) ? value.length : null,
    property: (value) => isObject(value) ? Object.keys(value).length : null,
    character: (value) => typeof value === "string" ? lengthOf(value) : null
  };
  function sizeRule(keyword, noun) {
    const sizeOf2 = SIZES[noun];
    const least = keyword.startsWith("min");
    return ({ schema }) => {
      const bound = schema[keyword];
      const wanted = `${least ? "at least" : "at most"} ${count(bound, noun)}`;
      const check = (value) => {
        const size = sizeOf2(value);
        return size === null || (least ? size >= bound : size <= bound);
      };
      return valueRule(check, keyword, bound, (value, path) => {
        if (value === "" && Number(bound) === 1) return `${label(path)} must not be empty`;
        return `${label(path)} must have ${wanted}, got ${sizeOf2(value)}`;
      });
    };
  }

  // codegen/toolcast/languages/typescript/support/read_json.js
  var BLANK = /[ \t\n\r]*/y;
  var NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
  var STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
  var MAX_DIGITS = 4300;
  var MAX_TEXT = 4 * 1024 * 1024;
  var WORDS = { true: true, false: false, null: null };
  var SyntaxProblem = class extends Error {
  };
  function readJson(text) {
    if (text.length > MAX_TEXT) {
      const message = `the text is too large: ${text.length} characters, ${MAX_TEXT} allowed`;
      return { value: void 0, problem: violation("$", message, "json") };
    }
    const reader = new Reader(text);
    try {
      return { value: reader.document(), problem: null };
    } catch (problem) {
      if (!(problem instanceof SyntaxProblem)) throw problem;
      return { value: void 0, problem: reader.problem ?? violation("$", problem.message, "json") };
    }
  }
  var Reader = class {
    constructor(text) {
      this.text = text;
      this.at = 0;
      this.problem = null;
    }
    document() {
      const value = this.#value("$", 0);
      this.#blank();
      if (this.at < this.text.length) this.#fail("there is text behind the value");
      return value;
    }
    #fail(reason) {
      throw new SyntaxProblem(`the text is not valid JSON: ${reason} at offset ${this.at}`);
    }
    #blank() {
      BLANK.lastIndex = this.at;
      BLANK.exec(this.text);
      this.at = BLANK.lastIndex;
    }
    #token(expression2) {
      expression2.lastIndex = this.at;
      const found = expression2.exec(this.text);
      if (found) this.at = expression2.lastIndex;
      return found;
    }
    #value(path, depth) {
      this.#blank();
      const first = this.text[this.at];
      if (first === '"') return this.#string();
      if (first === "{" || first === "[") {
        if (depth === MAX_DEPTH) {
          this.problem = violation("$", `the value is nested too deeply: more than ${MAX_DEPTH} levels`, "depth", MAX_DEPTH);
          this.#fail("too deep");
        }
        this.at++;
        return first === "{" ? this.#object(path, depth) : this.#array(path, depth);
      }
      const number2 = this.#token(NUMBER);
      if (number2) return this.#number(number2);
      for (const word of Object.keys(WORDS)) {
        if (this.text.startsWith(word, this.at)) {
          this.at += word.length;
          return WORDS[word];
        }
      }
      return this.#fail("a value is missing");
    }
    #number([digits, fraction, exponent]) {
      const value = Number(digits);
      const isDouble = fraction !== void 0 || exponent !== void 0;
      if (isDouble ? !Number.isFinite(value) : digits.length > MAX_DIGITS) this.#fail("the number is out of range");
      return isDouble || Number.isSafeInteger(value) ? value : BigInt(digits);
    }
    #string() {
      const found = this.#token(STRING);
      if (!found) this.#fail("a string is not well formed");
      const text = JSON.parse(found[0]);
      if (/\p{Cs}/u.test(text)) this.#fail("a \\u escape is half of a surrogate pair");
      return text;
    }
    #array(path, depth) {
      const items = [];
      this.#blank();
      if (this.text[this.at] === "]") {
        this.at++;
        return items;
      }
      for (; ; ) {
        items.push(this.#value(`${path}[${items.length}]`, depth + 1));
        this.#blank();
        const next = this.text[this.at++];
        if (next === "]") return items;
        if (next !== ",") this.#fail("`,` or `]` is missing");
      }
    }
    #object(path, depth) {
      const entries = /* @__PURE__ */ new Map();
      this.#blank();
      if (this.text[this.at] === "}") {
        this.at++;
        return {};
      }
      for (; ; ) {
        this.#blank();
        if (this.text[this.at] !== '"') this.#fail("a name is missing");
        const name = this.#string();
        this.#blank();
        if (this.text[this.at++] !== ":") this.#fail("`:` is missing");
        if (entries.has(name)) {
          const where = path === "$" ? "" : ` in ${label(path)}`;
          const shown = name.length <= 100 ? name : `${name.slice(0, 100)}…`;
          const message = `duplicate property \`${shown}\`${where}; send it once`;
          this.problem = violation(member(path, name), message, "duplicate", name);
          this.#fail("a property stands twice");
        }
        entries.set(name, this.#value(member(path, name), depth + 1));
        this.#blank();
        const next = this.text[this.at++];
        if (next === "}") return Object.fromEntries(entries);
        if (next !== ",") this.#fail("`,` or `}` is missing");
      }
    }
  };

  // codegen/toolcast/languages/typescript/support/array_rules.js
  function withItems(value, change) {
    if (!isArray(value)) return value;
    let copy = null;
    for (let index = 0; index < value.length; index++) {
      const item = change(index, value[index]);
      if (item !== value[index]) (copy ??= value.slice())[index] = item;
    }
    return copy ?? value;
  }
  function itemsRule(context) {
    const { schema } = context;
    const prefix = (schema.prefixItems ?? []).map((sub) => context.child(sub));
    const rest = has(schema, "items") ? context.child(schema.items) : null;
    const start = prefix.length;
    const nodeAt = (index) => index < start ? prefix[index] : rest;
    return {
      check(value, run) {
        if (!isArray(value)) return true;
        for (let index = 0; index < value.length; index++) {
          const node = nodeAt(index);
          if (node === null) break;
          if (!node.check(value[index], run)) return false;
        }
        return true;
      },
      explain(value, path, run) {
        if (rest !== null && rest.schema === false && value.length > start) {
          const wanted = `must have at most ${count(start, "item")}`;
          return [violation(path, `${label(path)} ${wanted}, got ${value.length}`, "items", false)];
        }
        const found = [];
        for (let index = 0; index < value.length && found.length < run.limit; index++) {
          const node = nodeAt(index);
          if (node === null) break;
          if (!node.check(value[index], run)) found.push(...node.explain(value[index], `${path}[${index}]`, run));
        }
        return found;
      },
      settle: (value, run) => withItems(value, (index, item) => {
        const node = nodeAt(index);
        return node === null ? item : node.settle(item, run);
      }),
      indices(value, run, evaluated) {
        for (let index = 0; index < Math.min(start, value.length); index++) evaluated.add(index);
        return rest !== null || start >= value.length;
      }
    };
  }
  function uniqueRule({ schema }) {
    if (schema.uniqueItems !== true) return null;
    const check = (value) => !isArray(value) || value.length < 2 || new Set(value.map(key)).size === value.length;
    return valueRule(check, "uniqueItems", true, (value, path) => {
      const first = /* @__PURE__ */ new Map();
      for (const [index, item] of value.entries()) {
        const known2 = key(item);
        if (first.has(known2)) {
          const twice = `items ${first.get(known2)} and ${index} are both ${literal2(item)}`;
          return `${label(path)} must not repeat items: ${twice}`;
        }
        first.set(known2, index);
      }
      return `${label(path)} must not repeat items`;
    });
  }
  function containsRule(context) {
    const { schema } = context;
    const node = context.child(schema.contains);
    const least = schema.minContains ?? 1;
    const most = schema.maxContains ?? null;
    const hitsOf = (value, run) => value.filter((item) => node.check(item, run)).length;
    return {
      check(value, run) {
        if (!isArray(value)) return true;
        let hits = 0;
        for (const item of value) {
          if (hits >= least && most === null) return true;
          if (node.check(item, run)) {
            hits++;
            if (most !== null && hits > most) return false;
          }
        }
        return hits >= least;
      },
      explain(value, path, run) {
        const hits = hitsOf(value, run);
        const few = hits < least;
        const keyword = few ? has(schema, "minContains") ? "minContains" : "contains" : "maxContains";
        const wanted = few ? `at least ${least}` : `at most ${most}`;
        const text = `must have ${wanted} matching (${describe(node.schema)}) among its items, got ${hits}`;
        return [violation(path, `${label(path)} ${text}`, keyword, schema[keyword])];
      },
      indices(value, run, evaluated) {
        value.forEach((item, index) => {
          if (node.check(item, run)) evaluated.add(index);
        });
        return false;
      }
    };
  }
  function unevaluatedItemsRule(context) {
    const node = context.child(context.schema.unevaluatedItems);
    const owner = context.node;
    const remaining = (value, run) => {
      const evaluated = /* @__PURE__ */ new Set();
      for (const rule of owner.rules) {
        if (rule.indices && !rule.last && rule.indices(value, run, evaluated)) return [];
      }
      return [...value.keys()].filter((index) => !evaluated.has(index));
    };
    return {
      check: (value, run) => !isArray(value) || remaining(value, run).every((index) => node.check(value[index], run)),
      explain(value, path, run) {
        const found = [];
        for (const index of remaining(value, run)) {
          if (!node.check(value[index], run)) found.push(...node.explain(value[index], `${path}[${index}]`, run));
        }
        return found;
      },
      settle(value, run) {
        if (!isArray(value)) return value;
        const left = new Set(remaining(value, run));
        return withItems(value, (index, item) => left.has(index) ? node.settle(item, run) : item);
      },
      indices: () => true,
      last: true
    };
  }
  var BUILDERS = {
    minItems: sizeRule("minItems", "item"),
    maxItems: sizeRule("maxItems", "item"),
    prefixItems: itemsRule,
    items: itemsRule,
    contains: containsRule,
    uniqueItems: uniqueRule
  };

  // codegen/toolcast/languages/typescript/support/nearest.js
  var CUTOFF = 0.6;
  var MAX_KNOWN = 1e3;
  var MAX_NAME = 200;
  function nearest(name, known2) {
    const folded2 = /* @__PURE__ */ new Map();
    for (const other of [...known2].sort(compareTexts)) folded2.set(fold(other), other);
    const wanted = fold(head(name, MAX_NAME));
    const found = closest(wanted, [...folded2.keys()].slice(0, MAX_KNOWN));
    if (found !== null) return folded2.get(found);
    if (!wanted) return null;
    for (const [text, other] of folded2) {
      if (Array.from(text).length > 2 && (wanted.includes(text) || text.includes(wanted))) return other;
    }
    return null;
  }
  var fold = (name) => name.toLowerCase().replaceAll("-", "_");
  function closest(wanted, texts) {
    const second = Array.from(wanted);
    const positions2 = positionsOf(second);
    let best = null;
    let score = CUTOFF;
    for (const text of texts) {
      const first = Array.from(text);
      const total2 = first.length + second.length;
      if (total2 && 2 * Math.min(first.length, second.length) / total2 < score) continue;
      const ratio2 = total2 ? 2 * matching(first, second, positions2) / total2 : 1;
      if (ratio2 > score || ratio2 === score && (best === null || compareTexts(text, best) > 0)) {
        best = text;
        score = ratio2;
      }
    }
    return best;
  }
  function positionsOf(text) {
    const positions2 = /* @__PURE__ */ new Map();
    text.forEach((character, index) => {
      if (!positions2.has(character)) positions2.set(character, []);
      positions2.get(character).push(index);
    });
    if (text.length >= 200) {
      const often = Math.floor(text.length / 100) + 1;
      for (const [character, found] of [...positions2]) if (found.length > often) positions2.delete(character);
    }
    return positions2;
  }
  function matching(first, second, positions2) {
    let total2 = 0;
    const pending = [[0, first.length, 0, second.length]];
    while (pending.length) {
      const [low, high, from, to] = pending.pop();
      const [at, other, size] = longestBlock(first, second, positions2, [low, high, from, to]);
      if (!size) continue;
      total2 += size;
      if (low < at && from < other) pending.push([low, at, from, other]);
      if (at + size < high && other + size < to) pending.push([at + size, high, other + size, to]);
    }
    return total2;
  }
  function longestBlock(first, second, positions2, [low, high, from, to]) {
    let [at, other, size] = [low, from, 0];
    let lengths = /* @__PURE__ */ new Map();
    for (let index = low; index < high; index++) {
      const next = /* @__PURE__ */ new Map();
      for (const position of positions2.get(first[index]) ?? []) {
        if (position < from) continue;
        if (position >= to) break;
        const length = (lengths.get(position - 1) ?? 0) + 1;
        next.set(position, length);
        if (length > size) [at, other, size] = [index - length + 1, position - length + 1, length];
      }
      lengths = next;
    }
    while (at > low && other > from && first[at - 1] === second[other - 1]) {
      at--;
      other--;
      size++;
    }
    while (at + size < high && other + size < to && first[at + size] === second[other + size]) size++;
    return [at, other, size];
  }

  // codegen/toolcast/languages/typescript/support/object_rules.js
  function withMembers(value, change) {
    if (!isObject(value)) return value;
    let changed = null;
    for (const name of Object.keys(value)) {
      const item = change(name, value[name]);
      if (item !== value[name]) put(changed ??= { ...value }, name, item);
    }
    return changed ?? value;
  }
  function propertiesRule(context) {
    const { schema } = context;
    const nodes2 = new Map(Object.keys(schema.properties).map((name) => [name, context.child(schema.properties[name])]));
    const required = new Set(schema.required ?? []);
    const droppable = /* @__PURE__ */ new Map();
    const isDroppable = (name, run) => {
      if (required.has(name)) return false;
      if (!droppable.has(name)) droppable.set(name, !nodes2.get(name).check(null, run));
      return droppable.get(name);
    };
    return {
      check(value, run) {
        if (!isObject(value)) return true;
        for (const name of Object.keys(value)) {
          const node = nodes2.get(name);
          if (node !== void 0 && !node.check(value[name], run)) return false;
        }
        return true;
      },
      explain(value, path, run) {
        const found = [];
        for (const name of Object.keys(value)) {
          const node = nodes2.get(name);
          if (node !== void 0 && !node.check(value[name], run)) {
            found.push(...node.explain(value[name], member(path, name), run));
            if (found.length >= run.limit) break;
          }
        }
        return found;
      },
      settle(value, run) {
        if (!isObject(value)) return value;
        let changed = null;
        for (const name of Object.keys(value)) {
          const node = nodes2.get(name);
          if (node === void 0) continue;
          if (value[name] === null && isDroppable(name, run)) {
            changed ??= { ...value };
            delete changed[name];
            continue;
          }
          const settled = node.settle(value[name], run);
          if (settled !== value[name]) put(changed ??= { ...value }, name, settled);
        }
        return changed ?? value;
      },
      names(value, run, evaluated) {
        for (const name of Object.keys(value)) if (nodes2.has(name)) evaluated.add(name);
        return false;
      }
    };
  }
  function patternPropertiesRule(context) {
    const schemas = context.schema.patternProperties;
    const pairs = Object.keys(schemas).map((pattern) => [context.search(pattern), context.child(schemas[pattern])]);
    const matching3 = (name, run) => pairs.filter(([search]) => run.searches.finds(search, name)).map(([, node]) => node);
    return {
      check: (value, run) => !isObject(value) || Object.keys(value).every((name) => matching3(name, run).every((node) => node.check(value[name], run))),
      explain(value, path, run) {
        const found = [];
        for (const name of Object.keys(value)) {
          for (const node of matching3(name, run)) {
            if (!node.check(value[name], run)) found.push(...node.explain(value[name], member(path, name), run));
          }
          if (found.length >= run.limit) break;
        }
        return found;
      },
      settle: (value, run) => withMembers(value, (name, item) => matching3(name, run).reduce((last, node) => node.settle(last, run), item)),
      names(value, run, evaluated) {
        for (const name of Object.keys(value)) if (matching3(name, run).length) evaluated.add(name);
        return false;
      }
    };
  }
  function additionalRule(context) {
    const { schema } = context;
    const node = context.child(schema.additionalProperties);
    const known2 = new Set(Object.keys(schema.properties ?? {}));
    const searches = Object.keys(schema.patternProperties ?? {}).map((pattern) => context.search(pattern));
    const extra = (name, run) => !known2.has(name) && !searches.some((search) => run.searches.finds(search, name));
    return {
      check: (value, run) => !isObject(value) || Object.keys(value).every((name) => known2.has(name) || node.check(value[name], run) || !extra(name, run)),
      explain(value, path, run) {
        const found = [];
        for (const name of Object.keys(value)) {
          if (extra(name, run) && !node.check(value[name], run)) {
            found.push(...explainExtra(node, name, value, path, run, [known2, "additionalProperties"]));
            if (found.length >= run.limit) break;
          }
        }
        return found;
      },
      settle: (value, run) => withMembers(value, (name, item) => extra(name, run) ? node.settle(item, run) : item),
      names: () => true
    };
  }
  function explainExtra(node, name, value, path, run, [known2, keyword]) {
    const at = member(path, name);
    if (node.schema !== false) return node.explain(value[name], at, run);
    const near = nearest(
      name,
      [...known2].filter((each) => !has(value, each))
    );
    const where = path === "$" ? "" : ` in ${label(path)}`;
    let advice = "; no properties are allowed here";
    if (near !== null) advice = `; did you mean \`${near}\`?`;
    else if (known2.size) advice = `; known properties: ${names(known2)}`;
    const characters = Array.from(name);
    const shown = characters.length <= 100 ? name : `${characters.slice(0, 100).join("")}…`;
    return [violation(at, `unknown property \`${shown}\`${where}${advice}`, keyword, false)];
  }
  function requiredRule(context) {
    const { schema } = context;
    const wanted = schema.required;
    const properties = schema.properties ?? {};
    const known2 = new Map(
      wanted.filter((name) => has(properties, name)).map((name) => [name, context.child(properties[name])])
    );
    return {
      check: (value) => !isObject(value) || wanted.every((name) => has(value, name)),
      explain(value, path, run) {
        const where = path === "$" ? "" : ` in ${label(path)}`;
        const hints = (name) => known2.has(name) ? hint(known2.get(name).resolved()) : "";
        return wanted.filter((name) => !has(value, name)).map((name) => violation(path, `missing required property \`${name}\`${hints(name)}${where}`, "required", name)).slice(0, run.limit);
      }
    };
  }
  function dependentRequiredRule({ schema }) {
    const wanted = Object.entries(schema.dependentRequired);
    const missing2 = (value) => wanted.flatMap(
      ([name, needs]) => has(value, name) ? needs.filter((need) => !has(value, need)).map((need) => [name, need]) : []
    );
    return {
      check: (value) => !isObject(value) || missing2(value).length === 0,
      explain(value, path, run) {
        const where = path === "$" ? "" : ` in ${label(path)}`;
        return missing2(value).map(([name, need]) => {
          const text = `missing property \`${need}\`${where}, required because \`${name}\` is given`;
          return violation(path, text, "dependentRequired", need);
        }).slice(0, run.limit);
      }
    };
  }
  function propertyNamesRule(context) {
    const node = context.child(context.schema.propertyNames);
    return {
      check: (value, run) => !isObject(value) || Object.keys(value).every((name) => node.check(name, run)),
      explain(value, path, run) {
        const found = [];
        for (const name of Object.keys(value)) {
          if (node.check(name, run)) continue;
          const reason = node.explain(name, "$", run)[0].message.replace("the value", "it");
          const text = `the property name ${literal2(name)} is not allowed: ${reason}`;
          found.push(violation(member(path, name), text, "propertyNames", node.schema));
        }
        return found.slice(0, run.limit);
      }
    };
  }
  var BUILDERS2 = {
    required: requiredRule,
    minProperties: sizeRule("minProperties", "property"),
    maxProperties: sizeRule("maxProperties", "property"),
    dependentRequired: dependentRequiredRule,
    propertyNames: propertyNamesRule,
    properties: propertiesRule,
    patternProperties: patternPropertiesRule,
    additionalProperties: additionalRule
  };

  // codegen/toolcast/languages/typescript/support/in_place_rules.js
  function referenceRule(context) {
    const node = context.refer(context.schema.$ref);
    const settled = {};
    return {
      check: (value, run) => node.hasReference ? run.remember(node, value, () => node.check(value, run)) : node.check(value, run),
      explain: (value, path, run) => run.rememberAt(node, path, value, () => node.explain(value, path, run)).slice(),
      settle: (value, run) => run.remember(settled, value, () => node.settle(value, run)),
      names: (value, run, evaluated) => node.names(value, run, evaluated),
      indices: (value, run, evaluated) => node.indices(value, run, evaluated)
    };
  }
  function allRule(context) {
    const nodes2 = context.schema.allOf.map((sub) => context.child(sub));
    return {
      check: (value, run) => nodes2.every((node) => node.check(value, run)),
      explain(value, path, run) {
        const found = [];
        const reported = /* @__PURE__ */ new Set();
        for (const node of nodes2) {
          if (node.check(value, run)) continue;
          for (const one of node.explain(value, path, run)) {
            const known2 = JSON.stringify([one.path, one.message, one.keyword, key(one.expected)]);
            if (!reported.has(known2)) found.push(one);
            reported.add(known2);
          }
          if (found.length >= run.limit) break;
        }
        return found;
      },
      settle: (value, run) => nodes2.reduce((last, node) => node.settle(last, run), value),
      names: (value, run, evaluated) => nodes2.some((node) => node.names(value, run, evaluated)),
      indices: (value, run, evaluated) => nodes2.some((node) => node.indices(value, run, evaluated))
    };
  }
  function notRule(context) {
    const node = context.child(context.schema.not);
    const refused = node.schema;
    return {
      check: (value, run) => !node.check(value, run),
      explain(value, path) {
        if (isObject(refused) && Object.keys(refused).join() === "required" && isObject(value)) {
          const both = names(refused.required);
          const text2 = `${label(path)} must not have ${both}${both.includes(",") ? " together" : ""}`;
          return [violation(path, text2, "not", refused)];
        }
        const described = describe(refused);
        const isEmpty = !refused || isObject(refused) && Object.keys(refused).length === 0;
        const tail = isEmpty || described.startsWith("of another form") ? "" : `: it must not be ${described}`;
        const text = `${label(path)} is not allowed to be ${show(value)} here${tail}`;
        return [violation(path, text, "not", refused)];
      }
    };
  }
  function conditionRule(context) {
    const { schema } = context;
    const test = context.child(schema.if);
    const [yes, no] = ["then", "else"].map((keyword) => has(schema, keyword) ? context.child(schema[keyword]) : null);
    const chosen = (value, run) => {
      if (yes === null && no === null) return null;
      return test.check(value, run) ? yes : no;
    };
    const marked = (method) => (value, run, evaluated) => {
      if (!test.check(value, run)) return no !== null && no[method](value, run, evaluated);
      const every = test[method](value, run, evaluated);
      return yes !== null && yes[method](value, run, evaluated) || every;
    };
    return {
      check: (value, run) => chosen(value, run)?.check(value, run) ?? true,
      explain: (value, path, run) => chosen(value, run)?.explain(value, path, run) ?? [],
      settle(value, run) {
        const node = chosen(value, run);
        return node === null ? value : node.settle(value, run);
      },
      names: marked("names"),
      indices: marked("indices")
    };
  }
  function dependentSchemasRule(context) {
    const schemas = context.schema.dependentSchemas;
    const nodes2 = Object.keys(schemas).map((name) => [name, context.child(schemas[name])]);
    const applying = (value) => isObject(value) ? nodes2.filter(([name]) => has(value, name)).map(([, node]) => node) : [];
    return {
      check: (value, run) => applying(value).every((node) => node.check(value, run)),
      explain: (value, path, run) => applying(value).flatMap((node) => node.explain(value, path, run)),
      settle: (value, run) => applying(value).reduce((last, node) => node.settle(last, run), value),
      names: (value, run, evaluated) => applying(value).some((node) => node.names(value, run, evaluated))
    };
  }
  function unevaluatedPropertiesRule(context) {
    const { schema, node: owner } = context;
    const node = context.child(schema.unevaluatedProperties);
    const known2 = new Set(Object.keys(schema.properties ?? {}));
    const remaining = (value, run) => {
      const evaluated = /* @__PURE__ */ new Set();
      for (const rule of owner.rules) {
        if (rule.names && !rule.last && rule.names(value, run, evaluated)) return [];
      }
      return Object.keys(value).filter((name) => !evaluated.has(name));
    };
    return {
      check: (value, run) => !isObject(value) || remaining(value, run).every((name) => node.check(value[name], run)),
      explain(value, path, run) {
        const refused = remaining(value, run).filter((name) => !node.check(value[name], run));
        return refused.flatMap(
          (name) => explainExtra(node, name, value, path, run, [known2, "unevaluatedProperties"])
        );
      },
      settle(value, run) {
        if (!isObject(value)) return value;
        const left = new Set(remaining(value, run));
        return withMembers(value, (name, item) => left.has(name) ? node.settle(item, run) : item);
      },
      names: () => true,
      last: true
    };
  }
  var BUILDERS3 = {
    allOf: allRule,
    if: conditionRule,
    dependentSchemas: dependentSchemasRule,
    not: notRule
  };

  // codegen/toolcast/languages/typescript/support/patterns.js
  var SearchTooLongError = class extends Error {
    constructor(pattern, length) {
      const shown = pattern.length <= 200 ? pattern : `${pattern.slice(0, 200)}…`;
      super(
        `to find out whether a text of ${length} characters matches the pattern \`${shown}\` would take too many steps; send a shorter text`
      );
      this.pattern = pattern;
    }
  };
  var SYNTAX = new Set("^$\\.*+?()[]{}|/");
  var CLASS_SYNTAX = /* @__PURE__ */ new Set([...SYNTAX, "-"]);
  var LETTERS = /[A-Za-z0-9]/u;
  var BRACES = /\{[0-9]+(?:,[0-9]*)?\}/y;
  var ENDLESS = /(?:[*+]|\{[0-9]+,\})\??/y;
  var ONE_CHARACTER = /^(?:\[[\s\S]|\\[^bBk1-9]|[^\\()|^$*+?])/u;
  function unicodeSource(pattern) {
    const out = [];
    const groups = [];
    let leading = "";
    let hasAlternatives = false;
    let at = 0;
    while (at < pattern.length) {
      if (out.length === 1 && ONE_CHARACTER.test(out[0])) {
        ENDLESS.lastIndex = at;
        if (ENDLESS.test(pattern) && ENDLESS.lastIndex < pattern.length) leading = out[0];
      }
      const char = pattern[at];
      if (char === "\\") {
        const [text, end] = escapeAt(pattern, at, SYNTAX);
        out.push(text);
        at = end;
      } else if (char === "[") {
        const [text, end] = classAt(pattern, at);
        out.push(text);
        at = end;
      } else if (char === "(") {
        const ahead = pattern.startsWith("(?=", at) || pattern.startsWith("(?!", at);
        groups.push(ahead ? "))" : ")");
        out.push(ahead ? "(?:(" : "(");
        at++;
      } else if (char === ")") {
        out.push(groups.pop() ?? ")");
        at++;
      } else if (char === "{") {
        BRACES.lastIndex = at;
        const found = BRACES.exec(pattern);
        out.push(found ? found[0] : "\\{");
        at += found ? found[0].length : 1;
      } else {
        const text = String.fromCodePoint(pattern.codePointAt(at));
        out.push(text === "}" || text === "]" ? `\\${text}` : text);
        at += text.length;
        if (text === "|" && !groups.length) hasAlternatives = true;
      }
    }
    return (leading && !hasAlternatives ? `(?<!${leading})` : "") + out.join("");
  }
  var LONG_ESCAPE = new RegExp(
    "\\\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}|u\\{[0-9a-fA-F]+\\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\\{[^}]*\\})",
    "y"
  );
  function escapeAt(pattern, at, punctuation) {
    LONG_ESCAPE.lastIndex = at;
    const long = LONG_ESCAPE.exec(pattern);
    if (long) return [long[0], LONG_ESCAPE.lastIndex];
    if (at + 1 === pattern.length) return ["\\", at + 1];
    const char = String.fromCodePoint(pattern.codePointAt(at + 1));
    const keeps = LETTERS.test(char) || punctuation.has(char);
    return [keeps ? `\\${char}` : char, at + 1 + char.length];
  }
  function classAt(pattern, start) {
    const out = ["["];
    let at = start + 1;
    if (pattern[at] === "^") {
      out.push("^");
      at++;
    }
    while (at < pattern.length && pattern[at] !== "]") {
      const [first, afterFirst] = classAtom(pattern, at);
      out.push(first);
      at = afterFirst;
      const isRange = pattern[at] === "-" && at + 1 < pattern.length && pattern[at + 1] !== "]";
      if (!isRange) continue;
      const [last, afterLast] = classAtom(pattern, at + 1);
      out.push(isSet(first) || isSet(last) ? "\\-" : "-", last);
      at = afterLast;
    }
    out.push(pattern.slice(at, at + 1));
    return [out.join(""), at + 1];
  }
  var isSet = (atom) => /^\\[dDwWsSpP]/u.test(atom);
  function classAtom(pattern, at) {
    if (pattern[at] === "\\") return escapeAt(pattern, at, CLASS_SYNTAX);
    const char = String.fromCodePoint(pattern.codePointAt(at));
    return [char === "-" ? "\\-" : char, at + char.length];
  }
  var expression = (pattern) => new RegExp(unicodeSource(pattern), "u");
  var STEPS = 2 ** 26;
  var PER_CHARACTER = 16;
  var CHARACTER = 8;
  var KNOWN_CLASS = 192;
  var SET = 48;
  var KEPT = 2 ** 24;
  var ROW = 512;
  var ENTRY = 128;
  var sizeOf = (text) => new TextEncoder().encode(text).length;
  var Search = class {
    /**
     * @param {string} pattern - the pattern of the schema
     * @param {SlowPattern} [slow] - absent where the engine is always quick, whatever the characters
     */
    constructor(pattern, slow) {
      this.pattern = pattern;
      this.expression = expression(pattern);
      this.slow = slow;
      this.fast = slow?.fast ?? Infinity;
      this.simulation = slow?.automaton ? new Simulation(slow.automaton) : null;
    }
    /** Whether a text of this length is searched by the engine, whatever it is. */
    isFast(length) {
      return length <= this.fast;
    }
    /** The steps that a search by the engine counts. */
    steps(text, length) {
      const { beyond = 0, compared = 0 } = this.slow ?? {};
      const past = text.length - length;
      if (this.isFast(length)) return PER_CHARACTER * (sizeOf(text) + 4) + past * compared * beyond;
      const level = this.slow.levels.findIndex((longest) => length <= longest);
      return level < 0 ? Infinity : 2 ** level * (past ? 1 + beyond : 1);
    }
  };
  var Searches = class {
    #left = STEPS;
    #found = /* @__PURE__ */ new Map();
    #readers = /* @__PURE__ */ new Map();
    /** Whether a pattern is found in a text. Throws SearchTooLongError. */
    finds(search, text) {
      if (!this.#found.has(search.pattern)) this.#found.set(search.pattern, /* @__PURE__ */ new Map());
      const known2 = this.#found.get(search.pattern);
      let found = known2.get(text);
      if (found === void 0) known2.set(text, found = this.#search(search, text));
      return found;
    }
    #search(search, text) {
      const length = lengthOf(text);
      let found = false;
      let steps2 = 0;
      if (search.simulation && !search.isFast(length)) {
        if (!this.#readers.has(search.pattern)) this.#readers.set(search.pattern, new Reader2(search.simulation));
        [found, steps2] = this.#readers.get(search.pattern).find(text, this.#left);
      } else {
        steps2 = search.steps(text, length);
        found = steps2 <= this.#left && search.expression.test(text);
      }
      this.#left = Math.max(this.#left - steps2, -1);
      if (this.#left < 0) throw new SearchTooLongError(search.pattern, length);
      return found;
    }
  };
  var NOTHING = 0;
  var AT_END = 1;
  var START = 1n;
  var Simulation = class {
    constructor(automaton) {
      const { accepted, follow, ends } = automaton;
      this.automaton = automaton;
      this.width = Math.floor(follow.length / 64);
      this.letters = [...grouped(accepted).values()].map(([kinds, states]) => [new Set(kinds), states]);
      this.stay = setOf(follow.flatMap((row, state) => row.includes(state) ? [state] : []));
      this.advance = setOf(follow.flatMap((row, state) => row.includes(state + 1) ? [state] : []));
      const others = follow.map((row, state) => row.filter((each) => each !== state && each !== state + 1));
      this.groups = [...grouped(others).values()].filter(([row]) => row.length).map(([row, states]) => [states, setOf(row)]);
      this.ends = setOf(ends.map(([state]) => state));
      this.found = setOf(ends.filter(([, needs]) => needs === NOTHING).map(([state]) => state));
    }
    /** The states that a class of characters enters. */
    entered(kind) {
      return this.letters.reduce((found, [kinds, states]) => kinds.has(kind) ? found | states : found, 0n);
    }
    /** The states behind one more character, which enters `entered`. */
    after(states, entered) {
      let found = (states & this.advance) << 1n | states & this.stay;
      for (const [group, others] of this.groups) if (states & group) found |= others;
      return found & entered;
    }
  };
  var setOf = (states) => states.reduce((found, state) => found | 1n << BigInt(state), 0n);
  function grouped(lists) {
    const found = /* @__PURE__ */ new Map();
    lists.forEach((list, position) => {
      const sorted = [...list].sort((a, b) => a - b);
      const name = sorted.join();
      found.set(name, [sorted, (found.get(name)?.[1] ?? 0n) | 1n << BigInt(position)]);
    });
    return found;
  }
  var Reader2 = class {
    #simulation;
    #rows = /* @__PURE__ */ new Map();
    #entered = /* @__PURE__ */ new Map();
    #kept = 0;
    #steps = 0;
    constructor(simulation) {
      this.#simulation = simulation;
    }
    /** Whether the pattern finds something in a text, and the steps that this took; more than `most` without a verdict. */
    find(text, most) {
      const { automaton, ends, found } = this.#simulation;
      if (automaton.initially === NOTHING) return [true, CHARACTER];
      this.#steps = CHARACTER * (sizeOf(text) + 1);
      if (this.#steps > most) return [false, Infinity];
      let row = this.#row(START);
      for (const character of text) {
        const known2 = row.after.get(character);
        if (known2 !== void 0) {
          row = known2;
          continue;
        }
        const before = row.after;
        row = this.#next(row, character);
        if (this.#steps > most || !row.states || row.states & found) return [row.states !== 0n, this.#steps];
        before.set(character, row);
      }
      const empty = text ? automaton.later : automaton.initially;
      return [empty === AT_END || (row.states & ends) !== 0n, this.#steps];
    }
    #next(row, character) {
      const simulation = this.#simulation;
      const kind = kindOf(simulation.automaton, character.codePointAt(0));
      this.#steps += KNOWN_CLASS;
      this.#keep(ENTRY);
      let after = row.after.get(kind);
      if (after === void 0) {
        const price = SET + Math.floor(SET * simulation.width / 16);
        if (!this.#entered.has(kind)) {
          this.#steps += simulation.letters.length * price;
          this.#keep(8 * simulation.width + ENTRY);
          this.#entered.set(kind, simulation.entered(kind));
        }
        this.#steps += (simulation.groups.length + 8) * price;
        after = this.#row(simulation.after(row.states, this.#entered.get(kind)));
        row.after.set(kind, after);
      }
      return after;
    }
    #row(states) {
      const key3 = states.toString(32);
      let row = this.#rows.get(key3);
      if (row === void 0) {
        this.#keep(16 * this.#simulation.width + ROW);
        this.#rows.set(key3, row = { states, after: /* @__PURE__ */ new Map() });
      }
      return row;
    }
    #keep(size) {
      this.#kept += size;
      if (this.#kept <= KEPT) return;
      for (const row of this.#rows.values()) row.after.clear();
      this.#rows.clear();
      this.#entered.clear();
      this.#kept = 0;
    }
  };
  function kindOf({ starts, kinds }, point) {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = low + high >> 1;
      if (starts[middle] <= point) low = middle;
      else high = middle;
    }
    return kinds[low];
  }

  // codegen/toolcast/languages/typescript/support/formats.js
  var DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
  var TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
  var DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  function isDate(text) {
    const found = DATE.exec(text);
    if (!found) return false;
    const [year, month, day] = found.slice(1).map(Number);
    if (month < 1 || month > 12 || day < 1 || day > DAYS[month - 1]) return false;
    const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
    return month !== 2 || day !== 29 || leap;
  }
  function isTime(text) {
    const found = TIME.exec(text);
    if (!found) return false;
    const [hour, minute, second] = found.slice(1, 4).map(Number);
    const [zoneHour, zoneMinute] = found.slice(5, 7).map((part) => Number(part ?? 0));
    if (hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return false;
    const offset = (zoneHour * 60 + zoneMinute) * (found[4] === "-" ? -1 : 1);
    return second < 60 || (hour * 60 + minute - offset + 2880) % 1440 === 1439;
  }
  var isDateTime = (text) => text.length > 11 && "Tt".includes(text[10]) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
  var HOSTNAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;
  function isHostname(text) {
    if (text.length > 253 || !HOSTNAME.test(text)) return false;
    return text.toLowerCase().split(".").every((part) => part.startsWith("xn--") ? decodesToOther(part.slice(4)) : part.slice(2, 4) !== "--");
  }
  function decodesToOther(text) {
    const dash = text.lastIndexOf("-");
    let length = Math.max(dash, 0);
    let point = 128;
    let position = -1;
    let bias = 72;
    let at = dash + 1;
    if (at >= text.length) return false;
    for (let first = true; at < text.length; first = false) {
      let delta = 0;
      let weight = 1;
      for (let k = 36; ; k += 36) {
        if (at >= text.length) return false;
        const digit = parseInt(text[at++], 36);
        if (Number.isNaN(digit)) return false;
        const value = digit < 10 ? digit + 26 : digit - 10;
        const threshold = Math.min(26, Math.max(1, k - bias));
        delta += value * weight;
        if (value < threshold) break;
        weight *= 36 - threshold;
      }
      position += delta + 1;
      point += Math.floor(position / (length + 1));
      if (point > 1114111) return false;
      position %= length + 1;
      length++;
      bias = adapted(delta, first, length);
    }
    return true;
  }
  function adapted(delta, first, length) {
    let rest = first ? Math.floor(delta / 700) : Math.floor(delta / 2);
    rest += Math.floor(rest / length);
    let turns = 0;
    while (rest > 455) {
      rest = Math.floor(rest / 35);
      turns += 36;
    }
    return turns + Math.floor(36 * rest / (rest + 38));
  }
  var BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
  var IPV4 = new RegExp(`^${BYTE}(?:\\.${BYTE}){3}$`);
  var GROUP = /^[0-9A-Fa-f]{1,4}$/;
  function isIpv6(text) {
    const double = text.indexOf("::");
    const head2 = double < 0 ? text : text.slice(0, double);
    const tail = double < 0 ? "" : text.slice(double + 2);
    const parts = [...head2 ? head2.split(":") : [], ...tail ? tail.split(":") : []];
    if (parts.length && IPV4.test(parts.at(-1)) && text.endsWith(parts.at(-1))) parts.splice(-1, 1, "0", "0");
    if (!parts.every((part) => GROUP.test(part))) return false;
    return double < 0 ? parts.length === 8 : parts.length <= 7;
  }
  var ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
  var LOCAL = new RegExp(`^(?:${ATOM}(?:\\.${ATOM})*|"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])*")$`);
  function isEmail(text) {
    const at = text.lastIndexOf("@");
    if (at < 0 || at > 64 || !LOCAL.test(text.slice(0, at))) return false;
    const domain = text.slice(at + 1);
    if (!domain.startsWith("[") || !domain.endsWith("]")) return isHostname(domain);
    const inner = domain.slice(1, -1);
    return inner.slice(0, 5).toLowerCase() === "ipv6:" ? isIpv6(inner.slice(5)) : IPV4.test(inner);
  }
  var PCT = "%[0-9A-Fa-f]{2}";
  var PLAIN = "\\-A-Za-z0-9._~!$&'()*+,;=";
  var SEGMENT = `(?:[${PLAIN}:@]|${PCT})*`;
  var TAIL = `(?:\\?(?:[${PLAIN}:@/?]|${PCT})*)?(?:#(?:[${PLAIN}:@/?]|${PCT})*)?`;
  var AUTHORITY = `//(?:(?:[${PLAIN}:]|${PCT})*@)?(?<host>\\[[^\\]]*\\]|(?:[${PLAIN}]|${PCT})*)(?::[0-9]*)?`;
  var NONEMPTY = `${SEGMENT.slice(0, -1)}+`;
  var ROOTED = `${AUTHORITY}(?:/${SEGMENT})*|/(?:${NONEMPTY}(?:/${SEGMENT})*)?`;
  var URI = new RegExp(`^[A-Za-z][A-Za-z0-9+.-]*:(?:${ROOTED}|${NONEMPTY}(?:/${SEGMENT})*|)${TAIL}$`);
  var RELATIVE = new RegExp(`^(?:${ROOTED}|(?:[${PLAIN}@]|${PCT})+(?:/${SEGMENT})*|)${TAIL}$`);
  var FUTURE = new RegExp(`^[vV][0-9A-Fa-f]+\\.[${PLAIN}:]+$`);
  function hostIsGood(found) {
    if (!found) return false;
    const host = found.groups.host;
    if (!host?.startsWith("[")) return true;
    return isIpv6(host.slice(1, -1)) || FUTURE.test(host.slice(1, -1));
  }
  var isUri = (text) => hostIsGood(URI.exec(text));
  var isUriReference = (text) => isUri(text) || hostIsGood(RELATIVE.exec(text));
  var DURATION = /^P(?:\d+W|(?=\d|T\d)(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?=\d)(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/;
  var UUID = /^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$/;
  var POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/u;
  var MAX_REGEX = 2e4;
  var MAX_NESTING = 100;
  var GROUPS = /\\.|\[(?:\\.|[^\]\\])*\]|[()]/gsu;
  function isRegex(text) {
    if (lengthOf(text) > MAX_REGEX) return false;
    let open2 = 0;
    for (const [token2] of text.matchAll(GROUPS)) {
      open2 += token2 === "(" ? 1 : token2 === ")" ? -1 : 0;
      if (open2 > MAX_NESTING) return true;
    }
    try {
      expression(text);
    } catch {
      return false;
    }
    return true;
  }
  var FORMATS = new Map(
    Object.entries({
      "date-time": isDateTime,
      date: isDate,
      time: isTime,
      duration: (text) => DURATION.test(text),
      email: isEmail,
      hostname: isHostname,
      ipv4: (text) => IPV4.test(text),
      ipv6: isIpv6,
      uri: isUri,
      "uri-reference": isUriReference,
      uuid: (text) => UUID.test(text),
      regex: isRegex,
      "json-pointer": (text) => POINTER.test(text)
    })
  );

  // codegen/toolcast/languages/typescript/support/scalar_rules.js
  var LONG3 = 1e3;
  var TYPES = {
    object: isObject,
    array: isArray,
    string: (value) => typeof value === "string",
    boolean: (value) => typeof value === "boolean",
    null: (value) => value === null,
    number: isNumber,
    integer: isWhole
  };
  function typeRule({ schema }) {
    const names2 = typeof schema.type === "string" ? [schema.type] : schema.type;
    const checks = names2.map((name) => TYPES[name]);
    const check = checks.length === 1 ? checks[0] : (value) => checks.some((one) => one(value));
    const { enum: _enum, const: _const, ...plainType } = schema;
    const described = names2.includes("string") ? schema : plainType;
    const rule = valueRule(
      (value) => check(value),
      "type",
      schema.type,
      (value, path) => `${label(path)} must be ${describe(described)}, ${got(value)}`
    );
    return names2.includes("integer") && !names2.includes("number") ? { ...rule, settle: asInteger } : rule;
  }
  var isLargeDouble = (value) => typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
  var asInteger = (value) => isLargeDouble(value) ? BigInt(value) : value;
  function enumRule({ schema }) {
    const members = schema.enum;
    const keys = new Set(members.map(key));
    const containers = members.filter((member2) => isArray(member2) || isObject(member2));
    const check = (value) => {
      if (containers.length === 0 && typeof value === "object" && value !== null) return false;
      return keys.has(key(value));
    };
    return {
      ...valueRule(check, "enum", members, (value, path) => {
        const text = `${label(path)} must be one of ${listed(members)}, got ${show(value)}`;
        return text + suggestion(value, members);
      }),
      settle: settleMember(members)
    };
  }
  function constRule({ schema }) {
    const wanted = schema.const;
    return {
      ...valueRule(
        (value) => equal(wanted, value),
        "const",
        wanted,
        (value, path) => `${label(path)} must be ${literal2(wanted)}, got ${show(value)}`
      ),
      settle: settleMember([wanted])
    };
  }
  function settleMember(members) {
    const wholes = new Set(members.filter((member2) => typeof member2 === "bigint").map(String));
    if (!wholes.size) return void 0;
    return (value) => isLargeDouble(value) && wholes.has(String(BigInt(value))) ? BigInt(value) : value;
  }
  function suggestion(value, members) {
    if (typeof value !== "string") return "";
    const near = nearest(
      value,
      members.filter((member2) => typeof member2 === "string")
    );
    return near === null ? "" : `; did you mean ${literal2(near)}?`;
  }
  var BOUNDS = {
    minimum: (value, bound) => value >= bound,
    maximum: (value, bound) => value <= bound,
    exclusiveMinimum: (value, bound) => value > bound,
    exclusiveMaximum: (value, bound) => value < bound
  };
  function boundRule(keyword) {
    const holds = BOUNDS[keyword];
    return ({ schema }) => {
      const bound = schema[keyword];
      return valueRule((value) => !isNumber(value) || holds(value, bound), keyword, bound, numeric(schema));
    };
  }
  function multipleRule({ schema }) {
    const divisor = asDecimal(schema.multipleOf);
    const check = (value) => !isNumber(value) || isMultiple(value, divisor);
    return valueRule(check, "multipleOf", schema.multipleOf, numeric(schema));
  }
  function numeric(schema) {
    const stated = {};
    for (const keyword of [...Object.keys(BOUNDS), "multipleOf", "type"]) {
      if (has(schema, keyword)) stated[keyword] = schema[keyword];
    }
    return (value, path) => `${label(path)} must be ${describe(stated)}, ${got(value)}`;
  }
  function patternRule({ schema, search }) {
    const found = search(schema.pattern);
    const shown = found.simulation ? LONG3 : Math.min(found.fast, LONG3);
    const longest = found.fast === Infinity ? Infinity : Math.max(schema.maxLength ?? Infinity, shown);
    const skips = (text) => text.length > longest && lengthOf(text) > longest;
    return valueRule(
      (value, run) => typeof value !== "string" || skips(value) || run.searches.finds(found, value),
      "pattern",
      schema.pattern,
      (value, path) => `${label(path)} must match the pattern \`${schema.pattern}\`, got ${show(value)}`
    );
  }
  function formatRule({ schema, formats }) {
    const test = formats ? FORMATS.get(schema.format) : void 0;
    if (test === void 0) return null;
    return valueRule(
      (value) => typeof value !== "string" || test(value),
      "format",
      schema.format,
      (value, path) => `${label(path)} must be a valid ${schema.format}, got ${show(value)}`
    );
  }
  var BUILDERS4 = {
    type: typeRule,
    enum: enumRule,
    const: constRule,
    ...Object.fromEntries(Object.keys(BOUNDS).map((keyword) => [keyword, boundRule(keyword)])),
    multipleOf: multipleRule,
    minLength: sizeRule("minLength", "character"),
    maxLength: sizeRule("maxLength", "character"),
    pattern: patternRule,
    format: formatRule
  };

  // codegen/toolcast/languages/typescript/support/union_rules.js
  function unionRule(keyword) {
    return (context) => {
      const nodes2 = context.schema[keyword].map((sub) => context.child(sub));
      const verdict = keyword === "anyOf" ? anyAccepts : oneAccepts;
      const accepting = (value, run) => nodes2.filter((node) => node.check(value, run));
      const marked = (method) => (value, run, evaluated) => accepting(value, run).some((node) => node[method](value, run, evaluated));
      return {
        check: (value, run) => run.remember(nodes2, value, () => {
          run.spend(nodes2.length);
          return verdict(nodes2, value, run);
        }),
        explain(value, path, run) {
          if (keyword === "oneOf") {
            run.spend(nodes2.length);
            const hits = nodes2.flatMap((node, index) => node.check(value, run) ? [index + 1] : []);
            if (hits.length > 1) {
              const which = hits.slice(0, 5).join(" and ");
              const forms = `matches more than one of the ${nodes2.length} forms allowed here`;
              const text = `${label(path)} ${forms} (numbers ${which}); it must match exactly one`;
              return [violation(path, text, keyword, nodes2.length)];
            }
          }
          return explainUnion(nodes2, value, path, run, keyword);
        },
        settle: (value, run) => settleUnion(nodes2, value, run),
        names: marked("names"),
        indices: marked("indices")
      };
    };
  }
  var anyAccepts = (nodes2, value, run) => nodes2.some((node) => node.check(value, run));
  function oneAccepts(nodes2, value, run) {
    let hit = false;
    for (const node of nodes2) {
      if (!node.check(value, run)) continue;
      if (hit) return false;
      hit = true;
    }
    return hit;
  }
  function settleUnion(nodes2, value, run) {
    if (value === null || typeof value !== "object" && typeof value !== "number") return value;
    run.spend(nodes2.length);
    for (const node of nodes2) if (node.check(value, run)) return node.settle(value, run);
    for (const node of nodes2) {
      const settled = node.settle(value, run);
      if (settled !== value && node.check(settled, run)) return settled;
    }
    return value;
  }
  function explainUnion(nodes2, value, path, run, keyword) {
    const selected = selectedByTag(nodes2, value, path, keyword);
    if (selected instanceof Node2) return selected.explain(value, path, run);
    if (selected !== null) return [selected];
    run.spend(nodes2.length);
    const branches = nodes2.map((node) => node.explain(value, path, run));
    const fitting2 = branches.filter((found) => !isOfWrongKind(found, path));
    if (!fitting2.length) {
      const forms = [...new Set(nodes2.slice(0, 20).map((node) => describe(node.resolved())))].join(" or ");
      const more = nodes2.length > 20 ? " or another form" : "";
      return [violation(path, `${label(path)} must be ${forms}${more}, ${got(value)}`, keyword, nodes2.length)];
    }
    if (fitting2.length === 1) return fitting2[0];
    const closest2 = fitting2.reduce((best, found) => found.length < best.length ? found : best);
    const reasons = closest2.slice(0, 3).map((one) => one.message);
    if (closest2.length > 3) reasons.push(`and ${closest2.length - 3} more`);
    const none = `${label(path)} matches none of the ${nodes2.length} forms allowed here; for the closest: `;
    return [violation(path, none + reasons.join("; "), keyword, nodes2.length)];
  }
  var isOfWrongKind = (found, path) => found.some((one) => one.path === path && ["type", "const", "enum", "false"].includes(one.keyword));
  function selectedByTag(nodes2, value, path, keyword) {
    if (!isObject(value)) return null;
    const tags = nodes2.map(tagsOf);
    const shared = [...tags[0].keys()].filter((name) => tags.every((found) => found.has(name)));
    for (const name of shared.sort()) {
      const sets = tags.map((found) => new Set(found.get(name).map(key)));
      const total2 = sets.reduce((sum, each) => sum + each.size, 0);
      if (total2 !== new Set(sets.flatMap((each) => [...each])).size) continue;
      const allowed = tags.flatMap((found) => found.get(name));
      if (!has(value, name)) {
        const where = path === "$" ? "" : ` in ${label(path)}`;
        const text2 = `missing required property \`${name}\` (one of ${listed(allowed)})${where}`;
        return violation(path, text2, keyword, name);
      }
      const tag = key(value[name]);
      const index = sets.findIndex((each) => each.has(tag));
      if (index >= 0) return nodes2[index];
      const at = member(path, name);
      const text = `${label(at)} must be one of ${listed(allowed)}, got ${show(value[name])}`;
      return violation(at, text, "enum", allowed);
    }
    return null;
  }
  function tagsOf(node) {
    const schema = node.resolved();
    const found = /* @__PURE__ */ new Map();
    if (!isObject(schema)) return found;
    for (const name of schema.required ?? []) {
      const sub = has(schema.properties ?? {}, name) ? schema.properties[name] : void 0;
      if (!isObject(sub)) continue;
      if (has(sub, "const")) found.set(name, [sub.const]);
      else if (has(sub, "enum")) found.set(name, sub.enum);
    }
    return found;
  }
  var BUILDERS5 = { anyOf: unionRule("anyOf"), oneOf: unionRule("oneOf") };

  // codegen/toolcast/languages/typescript/support/compiler.js
  var BUILDERS6 = Object.entries({
    $ref: referenceRule,
    // first: `Node.resolved` counts on it
    ...BUILDERS4,
    ...BUILDERS2,
    ...BUILDERS,
    ...BUILDERS3,
    ...BUILDERS5,
    unevaluatedItems: unevaluatedItemsRule,
    // last: they need what the others have evaluated
    unevaluatedProperties: unevaluatedPropertiesRule
  });
  var FALSE = {
    check: () => false,
    explain: (_value, path) => [violation(path, `${label(path)} is not allowed here`, "false", false)]
  };
  var Compiler = class {
    /**
     * @param {object} document - the document of references: `#/$defs/Name`
     * @param {object} options
     * @param {boolean} options.formats - assert formats
     * @param {Record<string, object>} options.slowPatterns - by pattern, each as `SlowPattern` in patterns.js
     */
    constructor(document2, { formats, slowPatterns }) {
      this.document = document2;
      this.formats = formats;
      this.slowPatterns = slowPatterns;
      this.nodes = /* @__PURE__ */ new Map();
      this.searches = /* @__PURE__ */ new Map();
      this.pending = [];
    }
    /** The node of a schema and of everything it refers to. */
    compile(schema) {
      const start = this.#node(schema);
      while (this.pending.length) this.#build(this.pending.pop());
      return start;
    }
    /** A node for a schema, built now, so that its parents know whether it has references. */
    #node(schema) {
      const [node, isNew] = this.#known(schema);
      if (isNew) this.#build(node);
      return node;
    }
    #known(schema) {
      if (this.nodes.has(schema)) return [this.nodes.get(schema), false];
      const node = new Node2(schema);
      if (schema === false) node.rules = [FALSE];
      if (isObject(schema)) this.nodes.set(schema, node);
      return [node, isObject(schema)];
    }
    #build(node) {
      const { schema } = node;
      const context = {
        node,
        schema,
        formats: this.formats,
        child: (sub) => {
          const below = this.#node(sub);
          node.hasReference ||= below.hasReference;
          return below;
        },
        refer: (reference) => {
          const [target, isNew] = this.#known(resolve(this.document, reference));
          if (isNew) this.pending.push(target);
          node.hasReference = true;
          node.reference = target;
          return target;
        },
        search: (pattern) => this.#search(pattern)
      };
      const seen = /* @__PURE__ */ new Set();
      for (const [keyword, build] of BUILDERS6) {
        if (!has(schema, keyword) || seen.has(build)) continue;
        seen.add(build);
        const rule = build(context);
        if (rule !== null) node.rules.push(rule);
      }
    }
    #search(pattern) {
      if (!this.searches.has(pattern)) {
        const slow = has(this.slowPatterns, pattern) ? this.slowPatterns[pattern] : void 0;
        this.searches.set(pattern, new Search(pattern, slow));
      }
      return this.searches.get(pattern);
    }
  };
  function resolve(document2, reference) {
    let found = document2;
    for (const part of decodeURIComponent(reference.slice(1)).split("/").slice(1)) {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      const holds = (isObject(found) || isArray(found)) && has(found, name);
      if (!holds) throw new Error(`the reference ${reference} leads nowhere`);
      found = found[name];
    }
    return found;
  }

  // codegen/toolcast/languages/typescript/support/validator.js
  var TOO_DEEP = "the value is nested too deeply for this schema";
  var Validator = class {
    #node;
    /**
     * @param {object | boolean} schema - the schema
     * @param {object} [options]
     * @param {object} [options.document] - the document of its references; the schema itself where it is absent
     * @param {boolean} [options.formats] - assert formats
     * @param {Record<string, object>} [options.slowPatterns] - patterns that a regular expression may be slow with
     * @throws {SyntaxError} for a pattern that is none, and an Error for a reference that leads nowhere
     */
    constructor(schema, { document: document2 = schema, formats = true, slowPatterns = {} } = {}) {
      this.schema = schema;
      this.#node = new Compiler(document2, { formats, slowPatterns }).compile(schema);
    }
    /** Whether the schema accepts a value. */
    accepts(value, searches) {
      return this.violations(value, 1, searches).length === 0;
    }
    /**
     * The violations of a value, `limit` at most; none exactly where it is accepted. What judges one value several
     * times passes the `searches` of the first time.
     */
    violations(value, limit = 50, searches = new Searches()) {
      try {
        const json = plain(value);
        return this.#run(
          json,
          searches,
          limit,
          (run) => this.#node.check(json, run) ? [] : this.#node.explain(json, "$", run)
        );
      } catch (problem) {
        return [asViolation(problem)];
      }
    }
    /**
     * The value with the two allowances: an explicit null of an optional property whose schema refuses null is dropped,
     * and a whole double past 2**53 becomes the bigint that it is where the schema requires an integer.
     */
    settle(value, searches = new Searches()) {
      try {
        let last = plain(value);
        for (; ; ) {
          const settled = this.#run(last, searches, 1, (run) => this.#node.settle(last, run));
          if (settled === last) return last;
          last = settled;
        }
      } catch (problem) {
        asViolation(problem);
        return value;
      }
    }
    #run(value, searches, limit, judge) {
      try {
        return judge(new Run(searches, limit));
      } catch (problem) {
        if (!(problem instanceof TooManyBranchesError)) throw problem;
        return judge(new Run(searches, limit, Math.max(BRANCHES, BRANCHES_PER_PART * countParts(value))));
      }
    }
  };
  function asViolation(problem) {
    if (problem instanceof NotJsonError) return violation("$", problem.message, problem.keyword);
    if (problem instanceof TooManyBranchesError) return violation("$", problem.message, "branches", BRANCHES);
    if (problem instanceof SearchTooLongError) return violation("$", problem.message, "pattern", problem.pattern);
    if (problem instanceof RangeError) return violation("$", TOO_DEEP, "depth");
    throw problem;
  }

  // codegen/toolcast/languages/typescript/support/defaults.js
  var Defaults = class {
    #schema;
    #options;
    #plans;
    #branches = /* @__PURE__ */ new Map();
    #searches;
    /**
     * @param {object} schema - the schema of the contract
     * @param {Record<string, Plan>} plans - by definition; "" is the root
     * @param {object} options - of the validators of branches
     */
    constructor(schema, plans, options) {
      this.#schema = schema;
      this.#plans = plans;
      this.#options = options;
    }
    /** The value with its defaults; the same object where nothing is absent. `searches` has accepted it. */
    fill(value, searches) {
      this.#searches = searches;
      return has(this.#plans, "") ? this.#filled(this.#plans[""], value) : value;
    }
    #filled(plan, value) {
      if (plan.definition !== void 0) return this.#filled(this.#plans[plan.definition], value);
      if (plan.branches) {
        const found = plan.branches.find(([which]) => this.#isOf(which, value));
        return found?.[1] ? this.#filled(found[1], value) : value;
      }
      if (isArray(value)) return this.#array(plan, value);
      return isObject(value) ? this.#object(plan, value) : value;
    }
    #isOf(which, value) {
      if (which === "object") return isObject(value);
      if (which === "array") return isArray(value);
      if (which === "other") return !isObject(value) && !isArray(value);
      if (!this.#branches.has(which)) {
        const schema = resolve(this.#schema, `#${which}`);
        this.#branches.set(which, new Validator(schema, { ...this.#options, document: this.#schema }));
      }
      return this.#branches.get(which).accepts(value, this.#searches);
    }
    #array(plan, value) {
      let changed = null;
      for (let index = 0; index < value.length; index++) {
        const below = plan.prefix?.[index] ?? plan.items;
        if (!below) continue;
        const item = this.#filled(below, value[index]);
        if (item !== value[index]) (changed ??= value.slice())[index] = item;
      }
      return changed ?? value;
    }
    #object(plan, value) {
      const { defaults = {}, properties = {}, others } = plan;
      let changed = null;
      const below = (name) => {
        if (has(properties, name)) return properties[name];
        return others && !others[0].includes(name) ? others[1] : null;
      };
      const set = (name, given) => {
        const next = below(name);
        const item = next ? this.#filled(next, given) : given;
        if (!has(value, name) || item !== value[name]) put(changed ??= { ...value }, name, item);
      };
      for (const name of Object.keys(value)) set(name, value[name]);
      for (const name of Object.keys(defaults)) if (!has(value, name)) set(name, structuredClone(defaults[name]));
      return changed ?? value;
    }
  };

  // codegen/toolcast/languages/typescript/support/contract.js
  var LIMIT = 50;
  var ContractError = class extends Error {
    constructor(violations) {
      super(violations.map((one) => one.message).join("\n"));
      this.name = "ContractError";
      this.violations = violations;
    }
  };
  var Contract = class {
    #options;
    #compiled = null;
    #defaults;
    #emptyIsAbsent;
    #injected;
    /**
     * @param {object | boolean} schema - the schema, with what it refers to in `$defs`
     * @param {object} [options]
     * @param {string[]} [options.emptyIsAbsent] - parameters that an empty text leaves out
     * @param {string[]} [options.injected] - parameters that the program fills in, and nobody else may set
     * @param {Record<string, object>} [options.defaults] - by definition, as `Plan` in defaults.js
     * @param {Record<string, object>} [options.slowPatterns] - patterns that a regular expression may be slow with
     */
    constructor(schema, { emptyIsAbsent = [], injected = [], defaults = {}, slowPatterns = {} } = {}) {
      this.schema = schema;
      this.#options = { slowPatterns };
      this.#defaults = new Defaults(schema, defaults, this.#options);
      this.#emptyIsAbsent = emptyIsAbsent;
      this.#injected = new Set(injected.map(folded));
    }
    /** The validator, compiled at first use: a program may know many tools and call few. */
    get #validator() {
      return this.#compiled ??= new Validator(this.schema, this.#options);
    }
    /** Whether the contract accepts a value. */
    accepts(value) {
      return this.violations(value).length === 0;
    }
    /** All that is wrong with a value, 50 violations at most; none where it is accepted. */
    violations(value) {
      return this.#judge(value).violations;
    }
    /**
     * The typed value, with the defaults of what is absent.
     *
     * @throws {ContractError} with all violations
     */
    parse(value) {
      const { violations, accepted, searches } = this.#judge(value);
      if (violations.length) throw new ContractError(violations);
      return this.#defaults.fill(accepted, searches);
    }
    /**
     * The typed value of a JSON text. Unlike `JSON.parse` this reads every integer exactly, one past 2**53 as a bigint,
     * and refuses an object that has a key twice.
     *
     * @throws {ContractError} with all violations, and where the text is no JSON
     */
    parseText(text) {
      const { value, problem } = readJson(text);
      if (problem) throw new ContractError([problem]);
      return this.parse(value);
    }
    #judge(given) {
      const sent = this.#sentInjected(given);
      if (sent.length) {
        const own = sent.map((name) => violation(member("$", name), injectedText(name), "inject", name));
        const kept = without(given, (name) => sent.includes(name));
        return { violations: [...own, ...this.#judge(kept).violations].slice(0, LIMIT) };
      }
      const value = this.#withoutEmpty(given);
      const searches = new Searches();
      const settled = this.#validator.settle(value, searches);
      const violations = this.#validator.violations(settled, LIMIT, searches);
      if (!violations.length) return { violations, accepted: asGiven(settled, value), searches };
      return this.#validator.accepts(value, searches) ? { violations: [], accepted: value, searches } : { violations };
    }
    #withoutEmpty(value) {
      if (!this.#emptyIsAbsent.length || !isPlainObject(value)) return value;
      return without(value, (name) => value[name] === "" && this.#emptyIsAbsent.includes(name));
    }
    /** Names that stand for parameters which the program fills in. What reads them behind a handler may take another
     * spelling for the name itself, so one counts, too, unless it is a parameter of its own. */
    #sentInjected(value) {
      if (!this.#injected.size || !isPlainObject(value)) return [];
      const known2 = this.schema.properties ?? {};
      return Object.keys(value).filter((name) => !has(known2, name) && this.#injected.has(folded(name)));
    }
  };
  function folded(name) {
    let text = name.normalize("NFKC");
    for (let level = 0; level < 4 && text.includes("%"); level++) {
      const plain2 = text.replace(/%(?:25)+/g, "%").replaceAll("+", " ");
      text = plain2.replace(/(?:%[0-9A-Fa-f]{2})+/g, percentDecoded).normalize("NFKC");
    }
    return written(written(text).toUpperCase().toLowerCase().normalize("NFKC")) || name;
  }
  function percentDecoded(run) {
    const bytes = run.slice(1).split("%").map((digits) => Number.parseInt(digits, 16));
    return new TextDecoder().decode(Uint8Array.from(bytes));
  }
  var UNWRITTEN = /[^\p{L}\p{M}\p{N}\p{S}]|[+\u2800\u{1d159}]|\p{Default_Ignorable_Code_Point}/gu;
  var written = (text) => text.replace(UNWRITTEN, "");
  function injectedText(name) {
    const characters = Array.from(name);
    const shown = characters.length <= 100 ? name : `${characters.slice(0, 100).join("")}…`;
    return `\`${shown}\` is filled in by the program and cannot be set; leave it out`;
  }
  function without(value, drops) {
    const kept = {};
    for (const name of Object.keys(value)) if (!drops(name)) put(kept, name, value[name]);
    return kept;
  }
  function asGiven(settled, given) {
    if (settled === given) return settled;
    if (typeof settled === "bigint") return given;
    if (typeof settled !== "object" || settled === null) return settled;
    const copy = Array.isArray(settled) ? [] : {};
    for (const name of Object.keys(settled)) put(copy, name, asGiven(settled[name], given[name]));
    return copy;
  }

  // codegen/toolcast/analysis/report/page/json_problem.js
  var CONSTANTS = ["NaN", "Infinity", "-Infinity"];
  var BLANK2 = " 	\n\r";
  var NUMBER2 = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
  var MOST3 = 50;
  var MAX_DIGITS2 = 4300;
  var Problem = class extends Error {
  };
  var Pairs = class extends Array {
  };
  function readStrictly(text) {
    if (text.startsWith("\uFEFF")) return { problem: "the text begins with a byte order mark" };
    try {
      const scanner = new Scanner(text);
      const root = scanner.document();
      if (!text.isWellFormed() || hasLoneSurrogate(root)) return { problem: "a \\u escape is half of a surrogate pair" };
      return scanner.outOfRange ? { problem: scanner.outOfRange } : { duplicates: duplicatesIn(root) };
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      return { problem: problem.message };
    }
  }
  var Scanner = class {
    constructor(text) {
      this.text = text;
      this.at = 0;
      this.outOfRange = "";
    }
    document() {
      this.blank();
      const value = this.value("");
      this.blank();
      if (this.at < this.text.length) this.fail("Extra data", this.at);
      return value;
    }
    fail(message, at) {
      const before = this.text.slice(0, at);
      const position = Array.from(before).length;
      const line = before.split("\n").length;
      const column = position - Array.from(before.slice(0, before.lastIndexOf("\n") + 1)).length + 1;
      throw new Problem(`${message}: line ${line} column ${column} (char ${position})`);
    }
    blank() {
      while (this.at < this.text.length && BLANK2.includes(this.text[this.at])) this.at++;
    }
    /** `path` is the way to the value as msgspec writes it. */
    value(path) {
      const { text, at } = this;
      const first = text[at];
      if (first === '"') return this.string();
      if (first === "{") return this.object(path);
      if (first === "[") return this.array(path);
      for (const word of ["null", "true", "false"]) {
        if (text.startsWith(word, at)) {
          this.at += word.length;
          return null;
        }
      }
      for (const word of CONSTANTS) if (text.startsWith(word, at)) throw new Problem(`${word} is not JSON`);
      NUMBER2.lastIndex = at;
      const found = NUMBER2.exec(text);
      if (!found) this.fail("Expecting value", at);
      this.at += found[0].length;
      this.outOfRange ||= rangeProblem(found[0], path);
      return null;
    }
    string() {
      const begin = this.at;
      let at = begin + 1;
      for (; ; ) {
        if (at >= this.text.length) this.fail("Unterminated string starting at", begin);
        const letter = this.text[at];
        if (letter === '"') break;
        if (letter < " ") this.fail("Invalid control character at", at);
        if (letter !== "\\") at++;
        else at += this.escape(at, begin);
      }
      this.at = at + 1;
      return JSON.parse(this.text.slice(begin, this.at));
    }
    escape(at, begin) {
      if (at + 1 >= this.text.length) this.fail("Unterminated string starting at", begin);
      const letter = this.text[at + 1];
      if ('"\\/bfnrt'.includes(letter)) return 2;
      if (letter !== "u") this.fail("Invalid \\escape", at);
      if (at + 6 >= this.text.length || !/^[0-9a-fA-F]{4}$/.test(this.text.slice(at + 2, at + 6))) {
        this.fail("Invalid \\uXXXX escape", at + 1);
      }
      return 6;
    }
    object(path) {
      const pairs = new Pairs();
      this.at++;
      this.blank();
      if (this.text[this.at] === "}") {
        this.at++;
        return pairs;
      }
      for (; ; ) {
        if (this.text[this.at] !== '"') this.fail("Expecting property name enclosed in double quotes", this.at);
        const name = this.string();
        this.blank();
        if (this.text[this.at] !== ":") this.fail("Expecting ':' delimiter", this.at);
        this.at++;
        this.blank();
        pairs.push([name, this.value(`${path}[...]`)]);
        if (this.ends("}")) return pairs;
      }
    }
    array(path) {
      const items = [];
      this.at++;
      this.blank();
      if (this.text[this.at] === "]") {
        this.at++;
        return items;
      }
      for (; ; ) {
        items.push(this.value(`${path}[${items.length}]`));
        if (this.ends("]")) return items;
      }
    }
    /** Whether a container ends here; otherwise goes on behind the comma. */
    ends(close) {
      this.blank();
      const letter = this.text[this.at];
      if (letter !== close && letter !== ",") this.fail("Expecting ',' delimiter", this.at);
      this.at++;
      if (letter === ",") this.blank();
      return letter === close;
    }
  };
  function rangeProblem(written2, path) {
    const isInteger = /^-?\d+$/.test(written2);
    const fits2 = isInteger ? written2.replace("-", "").length <= MAX_DIGITS2 : Number.isFinite(Number(written2));
    if (fits2) return "";
    return `${isInteger ? "Integer value" : "Number"} out of range${path ? ` - at \`$${path}\`` : ""}`;
  }
  function hasLoneSurrogate(root) {
    const pending = [root];
    while (pending.length) {
      const node = pending.pop();
      if (typeof node === "string" && !node.isWellFormed()) return true;
      if (Array.isArray(node)) for (const item of node) pending.push(item);
    }
    return false;
  }
  function duplicatesIn(root) {
    const found = [];
    const visit = (node, path) => {
      if (!Array.isArray(node) || found.length >= MOST3) return;
      if (node instanceof Pairs) for (const name of repeated(node)) found.push([path, name]);
      const below = node instanceof Pairs ? node : node.map((item, index) => [index, item]);
      for (const [name, item] of below) visit(item, [...path, name]);
    };
    visit(root, []);
    return found.slice(0, MOST3);
  }
  function repeated(pairs) {
    const known2 = /* @__PURE__ */ new Set();
    const twice = /* @__PURE__ */ new Set();
    for (const [name] of pairs) (known2.has(name) ? twice : known2).add(name);
    return twice;
  }

  // codegen/toolcast/analysis/report/page/argument_check.js
  var MAX_TEXT2 = 4 * 1024 * 1024;
  var LIMIT2 = 50;
  var SEND = "Send the arguments as one JSON object.";
  var PYTHON_BLANK = /^[\s\x1c-\x1f\x85]*$/;
  var Refusal = class extends Error {
    constructor(problem, violations = []) {
      super(problem);
      this.violations = violations;
    }
  };
  function argumentJudge({ name, schema, options }) {
    const contract = new Contract(readJson(schema).value, options);
    return (text) => {
      try {
        return { accepted: true, value: contract.parse(parseArguments(text)) };
      } catch (problem) {
        if (!(problem instanceof Refusal) && !(problem instanceof ContractError)) throw problem;
        return { accepted: false, text: refusalText(name, problem) };
      }
    };
  }
  function parseArguments(text) {
    const value = parseText(text);
    if (typeof value === "string") {
      const inner = PYTHON_BLANK.test(value) ? null : parseText(value);
      if (inner === null) return {};
      return typeof inner === "object" && !Array.isArray(inner) ? inner : value;
    }
    return value === null ? {} : value;
  }
  function parseText(text) {
    const length = text.length > MAX_TEXT2 ? Array.from(text).length : text.length;
    if (length > MAX_TEXT2) {
      throw new Refusal(`they are too large: ${length} characters, ${MAX_TEXT2} allowed. Send less at once.`);
    }
    if (text.length <= 128 && PYTHON_BLANK.test(text)) return {};
    const strict = strictly(text);
    if (strict.problem) throw new Refusal(`they are not valid JSON: ${strict.problem}. ${SEND}`);
    if (strict.duplicates.length) throw new Refusal("", strict.duplicates.map(duplicate));
    const { value, problem } = readJson(text);
    if (problem) throw new Refusal("", [problem]);
    return value;
  }
  function strictly(text) {
    try {
      return readStrictly(text);
    } catch (problem) {
      if (problem instanceof RangeError) throw new Refusal(`they are nested too deeply. ${SEND}`);
      throw problem;
    }
  }
  function duplicate([way, name]) {
    const path = way.reduce((above, step) => typeof step === "number" ? `${above}[${step}]` : member(above, step), "$");
    const characters = Array.from(name);
    const shown = characters.length <= 100 ? name : `${characters.slice(0, 100).join("")}…`;
    const where = path === "$" ? "" : ` in ${label(path)}`;
    return { path: member(path, name), message: `duplicate property \`${shown}\`${where}; send it once` };
  }
  function refusalText(tool, { violations, message }) {
    if (!violations.length) return `Invalid arguments for tool '${tool}': ${message}`;
    const more = violations.length >= LIMIT2 ? " or more" : "";
    const count2 = violations.length === 1 ? "1 problem" : `${violations.length}${more} problems`;
    const lines = violations.map((each) => `- ${each.path}: ${each.message}`);
    return [`Invalid arguments for tool '${tool}', ${count2}:`, ...lines].join("\n");
  }

  // codegen/toolcast/analysis/report/page/example_value.js
  var MAX_DEPTH2 = 6;
  var MAX_ITEMS = 3;
  var TEXTS = {
    date: "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    time: "12:00:00Z",
    duration: "PT1H",
    email: "ada@example.com",
    hostname: "example.com",
    ipv4: "192.0.2.1",
    ipv6: "2001:db8::1",
    uri: "https://example.com/",
    "uri-reference": "/path",
    iri: "https://example.com/",
    uuid: "123e4567-e89b-42d3-a456-426614174000",
    "json-pointer": "/a",
    regex: "a+"
  };
  function exampleValue(schema) {
    return valueOf(schema, schema, 0);
  }
  function valueOf(schema, root, depth) {
    if (!isObject(schema)) return "text";
    if (has(schema, "const")) return schema.const;
    if (schema.examples?.length) return schema.examples[0];
    if (has(schema, "default")) return schema.default;
    if (schema.enum?.length) return schema.enum[0];
    if (depth > MAX_DEPTH2) return null;
    if (schema.$ref !== void 0) return valueOf({ ...resolve(root, schema.$ref), ...without2(schema, "$ref") }, root, depth + 1);
    const branch = (schema.anyOf ?? schema.oneOf ?? [])[0];
    if (branch !== void 0) return valueOf(merged(without2(schema, "anyOf", "oneOf"), branch), root, depth + 1);
    if (schema.allOf?.length) {
      const parts = schema.allOf.map((part) => part?.$ref === void 0 ? part : resolve(root, part.$ref));
      return valueOf(parts.reduce(merged, without2(schema, "allOf")), root, depth + 1);
    }
    return ofType(schema, root, depth);
  }
  function ofType(schema, root, depth) {
    const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== "null") : schema.type;
    switch (type ?? (schema.properties || schema.required ? "object" : schema.items ? "array" : "string")) {
      case "object":
        return objectOf(schema, root, depth);
      case "array":
        return arrayOf(schema, root, depth);
      case "integer":
      case "number":
        return numberOf(schema, type);
      case "boolean":
        return false;
      case "null":
        return null;
      default:
        return textOf(schema);
    }
  }
  function objectOf(schema, root, depth) {
    const value = {};
    const known2 = schema.properties ?? {};
    for (const name of schema.required ?? []) {
      value[name] = valueOf(has(known2, name) ? known2[name] : schema.additionalProperties ?? {}, root, depth + 1);
    }
    const more = Object.keys(known2).filter((name) => !has(value, name) && known2[name] !== false);
    while (Object.keys(value).length < (schema.minProperties ?? 0) && more.length) {
      const name = more.shift();
      value[name] = valueOf(known2[name], root, depth + 1);
    }
    return value;
  }
  function arrayOf(schema, root, depth) {
    const first = (schema.prefixItems ?? []).slice(0, schema.minItems ?? 0);
    const items = first.map((item) => valueOf(item, root, depth + 1));
    const wanted = Math.min(Number(schema.minItems ?? (depth <= 2 && schema.items ? 1 : 0)), MAX_ITEMS);
    while (items.length < wanted) items.push(valueOf(schema.items ?? {}, root, depth + 1));
    return items;
  }
  function numberOf({ minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf }, type) {
    const step = multipleOf ?? (type === "integer" ? 1 : 0.5);
    if (minimum !== void 0) return multipleOf ? Number(step) * Math.ceil(Number(minimum) / Number(step)) : minimum;
    if (exclusiveMinimum !== void 0) return Number(exclusiveMinimum) + Number(step);
    if (maximum !== void 0 && maximum < step) return maximum;
    if (exclusiveMaximum !== void 0 && exclusiveMaximum <= step) return Number(exclusiveMaximum) - Number(step);
    return multipleOf ?? 1;
  }
  function textOf({ format, minLength = 0, maxLength = Infinity }) {
    const text = TEXTS[format] ?? "text";
    if (text.length < minLength) return text.padEnd(Math.min(Number(minLength), 1e3), "x");
    return text.slice(0, Number(maxLength));
  }
  function merged(one, other) {
    if (!isObject(other)) return one;
    const properties = one.properties || other.properties ? { properties: { ...one.properties, ...other.properties } } : {};
    const required = [.../* @__PURE__ */ new Set([...one.required ?? [], ...other.required ?? []])];
    return { ...one, ...other, ...properties, ...required.length ? { required } : {} };
  }
  function without2(schema, ...names2) {
    return Object.fromEntries(Object.entries(schema).filter(([name]) => !names2.includes(name)));
  }

  // codegen/toolcast/analysis/report/page/argument_box.js
  var PAUSE = 120;
  var LONG4 = 2e4;
  var made2 = 0;
  function argumentBox(detail, project) {
    const { check } = detail;
    const judge = argumentJudge(check);
    const example = jsonText(check.example ? readJson(check.example).value : exampleValue(readJson(check.schema).value));
    const id = `arguments-${++made2}`;
    const verdict = el("p", { class: "verdict", role: "status" });
    const output = el("div", { class: "output" });
    const name = `arguments:${JSON.stringify([project, detail.name])}`;
    const update = () => {
      keepText(name, box.value === example ? null : box.value);
      const answer = answerOf(judge, box.value);
      verdict.className = `verdict ${answer.state}`;
      fill(verdict, el("strong", {}, answer.verdict));
      fill(output, el("h3", {}, answer.title), codeBlock(answer.text));
    };
    let waiting = 0;
    const box = el("textarea", {
      id,
      rows: 10,
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      "aria-describedby": `${id}-note`,
      on: {
        input: () => {
          clearTimeout(waiting);
          if (box.value.length < LONG4) update();
          else waiting = setTimeout(update, PAUSE);
        }
      }
    });
    box.value = keptText(name) ?? example;
    update();
    const reset = el(
      "button",
      {
        type: "button",
        class: "small",
        on: {
          click: () => {
            box.value = example;
            update();
          }
        }
      },
      "Reset to the example"
    );
    return el(
      "section",
      { class: "arguments" },
      el("h2", {}, "Try arguments"),
      el(
        "div",
        { class: "halves" },
        el(
          "div",
          {},
          el("p", { class: "row spread" }, el("label", { for: id }, "Arguments, as JSON"), reset),
          box,
          el("p", { class: "muted", id: `${id}-note` }, noteOf(check))
        ),
        el("div", {}, verdict, output)
      )
    );
  }
  function answerOf(judge, text) {
    try {
      const answer = judge(text);
      if (answer.accepted) {
        return { state: "accepted", verdict: "✓ Accepted", title: "The decoded value", text: jsonText(answer.value) };
      }
      return { state: "refused", verdict: "✕ Refused", title: "The text that a model reads", text: answer.text };
    } catch (problem) {
      const text2 = `The check itself failed: ${problem.message}`;
      return { state: "refused", verdict: "? Not judged", title: "Why", text: text2 };
    }
  }
  function noteOf({ without_grammar: withoutGrammar, injected }) {
    const notes = ["Arguments in the contract's own form, as without a provider. Nothing is sent anywhere."];
    if (injected.length) notes.push(`The program fills in ${injected.join(", ")}.`);
    if (withoutGrammar) notes.push("The tool's text has a grammar that is not checked here.");
    return notes.join(" ");
  }

  // codegen/toolcast/analysis/report/page/highlight.js
  var PYTHON_WORDS = "and|as|assert|async|await|class|def|else|elif|except|False|finally|for|from|if|import|in|is|lambda|None|not|or|pass|raise|return|True|try|while|with|yield";
  var TYPESCRIPT_WORDS = "boolean|const|declare|export|false|function|interface|null|number|object|readonly|string|true|type|undefined|unknown|void|any|Promise|Array|Record";
  var KINDS2 = {
    python: [
      ["comment", /#.*/y],
      ["string", /(?:[rbfRBF]{0,2})(?:"""[^]*?"""|'''[^]*?'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/y],
      ["word", new RegExp(`\\b(?:${PYTHON_WORDS})\\b`, "y")],
      ["key", /@[\w.]+/y],
      ["number", /\b\d[\d_.]*\b/y],
      ["plain", /[\w]+|\s+|./y]
    ],
    typescript: [
      ["comment", /\/\/.*|\/\*.*?(?:\*\/|$)|^\s*\*.*/y],
      ["string", /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/y],
      ["word", new RegExp(`\\b(?:${TYPESCRIPT_WORDS})\\b`, "y")],
      ["number", /\b\d[\d_.]*\b/y],
      ["plain", /[\w]+|\s+|./y]
    ],
    yaml: [
      ["comment", /(?:(?<=\s)|^)#.*/y],
      ["key", /(?:(?<=^\s*(?:- +)*)|(?<=[{,] ?))(?:"(?:[^"\\]|\\.)*"|[\w$./-]+)(?=:(?:\s|$))/y],
      ["string", /"(?:[^"\\]|\\.)*"|(?<=[\s[{,:])'(?:[^']|'')*'/y],
      ["number", /(?<=[\s[,:])-?\d[\d_.eE+-]*(?=[\s,\]}]|$)/y],
      ["word", /(?<=[\s[,:])(?:true|false|null|~)(?=[\s,\]}]|$)/y],
      ["plain", /[\w]+|\s+|./y]
    ]
  };
  var LONGEST_LINE = 2e3;
  function sourceLines(text, language) {
    const kinds = KINDS2[language];
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
      for (const [kind, expression2] of kinds) {
        expression2.lastIndex = at;
        const match = expression2.exec(row);
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

  // codegen/toolcast/analysis/report/page/json_lines.js
  var WIDTH2 = 72;
  var INDENT = "  ";
  function jsonLines(value) {
    const lines = [];
    lay(lines, value, "", "", [], "");
    return lines;
  }
  function lay(lines, value, pointer, indent, head2, tail) {
    const members = containerOf(value);
    if (members === null || isShort(value, members)) {
      lines.push({ pointer, tokens: [["plain", indent], ...head2, ...inline(value), ["plain", tail]] });
      return;
    }
    const [open2, close] = Array.isArray(value) ? "[]" : "{}";
    lines.push({ pointer, tokens: [["plain", indent], ...head2, ["plain", open2]] });
    members.forEach(([name, item], index) => {
      const below = `${pointer}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const own = Array.isArray(value) ? [] : [["key", JSON.stringify(name)], ["plain", ": "]];
      lay(lines, item, below, indent + INDENT, own, index < members.length - 1 ? "," : "");
    });
    lines.push({ pointer: null, tokens: [["plain", indent + close + tail]] });
  }
  function containerOf(value) {
    if (typeof value !== "object" || value === null) return null;
    return Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  }
  function isShort(value, members) {
    if (!members.length) return true;
    if (!Array.isArray(value) || members.some(([, item]) => typeof item === "object" && item !== null)) return false;
    return members.reduce((sum, [, item]) => sum + literal(item).length + 2, 2) <= WIDTH2;
  }
  function inline(value) {
    if (Array.isArray(value)) {
      const items = value.flatMap((item, index) => index ? [["plain", ", "], token(item)] : [token(item)]);
      return [["plain", "["], ...items, ["plain", "]"]];
    }
    return typeof value === "object" && value !== null ? [["plain", "{}"]] : [token(value)];
  }
  function token(value) {
    const kind = typeof value === "string" ? "string" : typeof value === "number" || typeof value === "bigint" ? "number" : "word";
    return [kind, literal(value)];
  }

  // codegen/toolcast/analysis/report/page/tool_view.js
  var VIEWS = [
    ["summary", "Summary", "name and summary alone: what a model sees of a tool that is not yet loaded"],
    ["brief", "Brief", "parameters cut to names and types"],
    ["full", "Full", "the complete definition"]
  ];
  function toolView(report2, detail, at, { provider, view }) {
    const row = report2.tools[at];
    const known2 = detail.providers.map((each) => each.id);
    const state = {
      id: known2.includes(provider) ? provider : known2[0],
      level: VIEWS.some(([level]) => level === view) ? view : VIEWS[0][0]
    };
    const shown = el("div", {});
    const neighbours = el("nav", { class: "row", "aria-label": "Neighbours" });
    const show2 = () => fill(shown, providerPart2(report2, row, detail, state.id, levelChoice));
    const addressOf = (name) => hashOf(["tool", name, ...state.id ? [state.id] : []], { view: state.level === VIEWS[0][0] ? "" : state.level });
    const change = (part) => {
      Object.assign(state, part);
      history.replaceState(null, "", addressOf(row.name));
      fill(neighbours, steps(report2, at, addressOf));
    };
    const levelChoice = { level: () => state.level, choose: (level) => change({ level }) };
    fill(neighbours, steps(report2, at, addressOf));
    const choice = tabs({
      label: "Provider",
      tabs: known2.map((id) => {
        const cell = row.cells[report2.providers.findIndex((each) => each.id === id)];
        return { id, text: id, note: cell.lost ? `−${number(cell.lost)}` : "", title: cellText(cell, id) };
      }),
      chosen: state.id,
      panel: shown,
      onChoose: (id) => {
        change({ id });
        show2();
      }
    });
    if (state.id) show2();
    const element = el(
      "article",
      { class: "tool" },
      header(row, neighbours),
      state.id ? choice : el("p", {}, "No provider gets a definition of this tool."),
      shown,
      argumentBox(detail, report2.title),
      detail.findings.length ? el("section", {}, el("h2", {}, `Findings (${number(detail.findings.length)})`), findingsList(detail.findings, { tool: row.name })) : null
    );
    return { title: row.name, element };
  }
  function steps({ tools }, at, addressOf) {
    const step = (other, label2, key3) => other ? el("a", { class: "step", rel: key3, href: addressOf(other.name) }, label2) : el("span", { class: "step muted" }, label2);
    return [step(tools[at - 1], "← previous", "prev"), step(tools[at + 1], "next →", "next")];
  }
  function header(row, neighbours) {
    return el(
      "header",
      {},
      el(
        "div",
        { class: "row spread" },
        el("h1", { tabindex: -1 }, row.name),
        neighbours
      ),
      el("p", { class: "lead" }, row.summary),
      row.deprecated ? el("p", { class: "notice" }, `Deprecated: ${row.deprecated}`) : null,
      el(
        "p",
        { class: "row tight" },
        row.group ? el("a", { class: "badge group", href: hashOf(["tools"], { group: row.group }) }, row.group) : null,
        permissionMark(row.permission),
        row.tags.map((tag) => el("span", { class: "badge" }, tag)),
        row.secrets.map((name) => el("span", { class: "badge" }, `secret ${name}`)),
        el("code", { class: "muted" }, row.file)
      )
    );
  }
  function providerPart2(report2, row, detail, id, levelChoice) {
    const index = report2.providers.findIndex((each) => each.id === id);
    const info = report2.providers[index];
    const provider = detail.providers.find((each) => each.id === id);
    const cell = row.cells[index];
    const panes = [];
    const items = [];
    const highlight = (loss) => {
      panes.forEach((pane) => pane.highlight(loss));
      items.forEach((item, at) => item.classList.toggle("chosen", at === loss));
    };
    const fromPane = (loss) => {
      highlight(loss);
      items[loss].scrollIntoView({ block: "nearest" });
    };
    const fromList = (loss) => {
      highlight(loss);
      panes.at(-1).element.scrollIntoView({ block: "nearest" });
    };
    const { losses } = provider;
    panes.push(specPane(detail, losses, fromPane));
    if (detail.struct_text) panes.push(structPane(detail, losses, fromPane));
    panes.push(definitionPane(provider, info, cell, losses, fromPane));
    items.push(...losses.map((loss, at) => lossItem(loss, at, fromList)));
    return [
      el("p", { class: "muted" }, definitionNote(info, provider, cell)),
      el("div", { class: `panes of-${panes.length}` }, panes.map((pane) => pane.element)),
      el(
        "section",
        {},
        el("h2", {}, losses.length ? `Differences between the spec and what ${info.title} is sent` : `${info.title} is sent all of the spec`),
        losses.length ? el("p", { class: "muted" }, lossCounts(cell)) : null,
        losses.length ? el("ol", { class: "losses" }, items) : null
      ),
      el("section", {}, el("h2", {}, "What a model sees"), levels(provider, info, cell, levelChoice))
    ];
  }
  function lossCounts({ lost, kept }) {
    return [lost ? `${number(lost)} lost or changed` : "", kept ? `${number(kept)} kept elsewhere` : ""].filter(Boolean).join(" · ");
  }
  function definitionNote(info, provider, cell) {
    const strict = { true: "the provider is asked to enforce the schema", false: "the schema is not enforced" }[provider.strict];
    return [info.title, strict, `${counted(cell.tokens, "token")} in full, ${number(cell.brief)} brief`].filter(Boolean).join(" · ");
  }
  function specPane(detail, losses, onMark) {
    const language = detail.spec_file.endsWith(".json") ? "json" : "yaml";
    const inFile = (loss) => loss.file === detail.spec_file ? loss.line - 1 : null;
    const lines = sourceLines(detail.spec_text, language);
    return codePane({ title: "Spec", note: detail.spec_file, lines, marks: marksOf(losses, inFile), onMark });
  }
  function structPane(detail, losses, onMark) {
    const lines = sourceLines(detail.struct_text, "python");
    const marks = marksOf(losses, (loss) => loss.struct_line === null ? null : loss.struct_line - 1);
    return codePane({ title: "Python", note: detail.struct_file, lines, marks, onMark });
  }
  function definitionPane(provider, info, cell, losses, onMark) {
    const lines = definitionLines(provider.definition, info);
    const byPointer = new Map(lines.map((line, at) => [line.pointer, at]));
    const marks = marksOf(losses, (loss) => nearest2(byPointer, loss.shown_at));
    const note = `${info.id} · ${counted(cell.tokens, "token")}`;
    return codePane({ title: "Provider", note, lines: lines.map((line) => line.tokens), marks, onMark });
  }
  function definitionLines(definition, info) {
    if (typeof definition !== "string") return jsonLines(definition);
    return sourceLines(definition, info.language).map((tokens2) => ({ tokens: tokens2, pointer: null }));
  }
  function nearest2(byPointer, pointer) {
    let place = pointer;
    while (place !== null && place !== "") {
      if (byPointer.has(place)) return byPointer.get(place);
      place = place.slice(0, place.lastIndexOf("/"));
    }
    return place === "" ? byPointer.get("") ?? null : null;
  }
  function marksOf(losses, lineOf2) {
    const marks = /* @__PURE__ */ new Map();
    losses.forEach((loss, at) => {
      const line = lineOf2(loss);
      if (line === null || line < 0) return;
      if (!marks.has(line)) marks.set(line, []);
      marks.get(line).push(at);
    });
    return marks;
  }
  function lossItem(loss, at, highlight) {
    return el(
      "li",
      {},
      el(
        "button",
        { class: "loss", type: "button", on: { click: () => highlight(at) } },
        el("span", { class: "mark" }, String(at + 1)),
        el("span", { class: `badge ${loss.severity === "kept elsewhere" ? "note" : "warning"}` }, loss.severity),
        el("span", { class: "sentence" }, prose(loss.sentence)),
        el("span", { class: "muted" }, `${placeText(loss.file, loss.line)} · ${loss.of} ${loss.pointer || "/"}`)
      )
    );
  }
  function levels(provider, info, cell, { level: chosen, choose }) {
    const panel = el("div", {});
    const tokens2 = { summary: null, brief: cell.brief, full: cell.tokens };
    const definitions = { summary: provider.summary, brief: provider.brief, full: provider.definition };
    const show2 = (level) => {
      const [, title, meaning] = VIEWS.find(([id]) => id === level);
      const definition = definitions[level];
      const text = typeof definition === "string" ? definition : jsonText(definition);
      const cost = tokens2[level] === null ? "" : ` · ${counted(tokens2[level], "token")}`;
      const pane = codePane({ title, heading: "h3", note: `${meaning}${cost}`, lines: definitionLines(definition, info).map((line) => line.tokens) });
      pane.element.querySelector(".pane-head").append(copyButton(text));
      fill(panel, pane.element);
    };
    const choice = tabs({ label: "Level", tabs: VIEWS.map(([id, text]) => ({ id, text, note: tokens2[id] === null ? "" : number(tokens2[id]) })), chosen: chosen(), panel, onChoose: (level) => (choose(level), show2(level)) });
    show2(chosen());
    return [choice, panel];
  }
  function copyButton(text) {
    const button = el("button", { type: "button", class: "small", on: { click: () => copy() } }, "Copy");
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not allowed here";
      }
      setTimeout(() => button.textContent = "Copy", 1500);
    };
    return button;
  }

  // codegen/toolcast/analysis/report/page/tool_search.js
  function searchTexts(rows) {
    return rows.map(
      (row) => [row.name, row.name.replaceAll("_", " "), row.group, row.summary, ...row.tags, ...row.parameters].join("\n").toLowerCase()
    );
  }
  function matching2(rows, texts, filters, providers) {
    const words = (filters.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    for (let at = 0; at < rows.length; at++) {
      if (words.every((word) => texts[at].includes(word)) && fits(rows[at], filters, providers)) found.push(at);
    }
    return ordered(found, rows, words, filters.sort ?? "", providers);
  }
  function fits(row, { group, permission, finding, loss }, providers) {
    if (group !== void 0 && group !== "" && row.group !== (group === "·" ? "" : group)) return false;
    if (permission && row.permission !== permission) return false;
    if (finding && !row.counts[finding] && !row.codes.includes(finding)) return false;
    if (loss === "*") return row.cells.some((cell) => cell.lost > 0);
    return !loss || (row.cells[providers.indexOf(loss)]?.lost ?? 0) > 0;
  }
  function ordered(found, rows, words, sort, providers) {
    const descending = sort.startsWith("-");
    const [measure, provider] = sort.replace(/^-/, "").split(":");
    if (measure === "" || measure === "name") {
      if (measure === "" && words.length) return byRelevance(found, rows, words);
      if (measure === "") return found;
    }
    const at = providers.indexOf(provider);
    const key3 = (row) => {
      if (measure === "name") return row.name;
      if (measure === "findings" && !provider) return row.counts.error * 1e8 + row.counts.warning * 1e4 + row.counts.note;
      if (at >= 0) return row.cells[at][measure] ?? -1;
      return Math.max(-1, ...row.cells.map((cell) => cell[measure] ?? -1));
    };
    const keys = new Map(found.map((each) => [each, key3(rows[each])]));
    const order = (a, b) => keys.get(a) < keys.get(b) ? -1 : keys.get(a) > keys.get(b) ? 1 : 0;
    return found.sort((a, b) => (descending ? order(b, a) : order(a, b)) || a - b);
  }
  function byRelevance(found, rows, words) {
    const rank2 = (row) => {
      const name = row.name.toLowerCase();
      if (name === words[0]) return 0;
      return name.startsWith(words[0]) ? 1 : name.includes(words[0]) ? 2 : 3;
    };
    const ranks = new Map(found.map((each) => [each, rank2(rows[each])]));
    return found.sort((a, b) => ranks.get(a) - ranks.get(b) || a - b);
  }

  // codegen/toolcast/analysis/report/page/tools_view.js
  var PART = 16;
  var MEASURES = [
    ["tokens", "tokens"],
    ["lost", "what is lost"],
    ["findings", "findings"]
  ];
  function toolsView(report2, query, onQuery) {
    const state = { ...query };
    const ids = report2.providers.map((provider) => provider.id);
    const texts = searchTexts(report2.tools);
    const status = el("p", { class: "muted", role: "status" });
    const body = el("tbody", {});
    const more = el("button", { type: "button", class: "more" });
    const nothing = el("div", { class: "nothing" });
    const head2 = el("tr", {});
    const rows = /* @__PURE__ */ new Map();
    let found = [];
    let shown = 0;
    const rowOf = (at) => {
      if (!rows.has(at)) rows.set(at, toolRow(report2.tools[at], report2.providers));
      return rows.get(at);
    };
    const showMore = () => {
      const next = found.slice(shown, shown + PART);
      body.append(...next.map(rowOf));
      shown += next.length;
      const left = found.length - shown;
      more.hidden = left === 0;
      more.textContent = `Show ${number(Math.min(PART, left))} more of ${number(left)}`;
    };
    const update = () => {
      found = matching2(report2.tools, texts, state, ids);
      body.replaceChildren();
      shown = 0;
      showMore();
      const all = report2.tools.length;
      fill(nothing, found.length ? null : noTool(all));
      status.textContent = found.length === all ? counted(all, "tool") : `${number(found.length)} of ${counted(all, "tool")}`;
      const first = body.querySelector("a");
      if (first) first.tabIndex = 0;
    };
    const updateHead = () => fill(head2, headCells(report2.providers, state, sortBy));
    const change = (part) => {
      Object.assign(state, part);
      onQuery(state);
      update();
      if ("sort" in part || "measure" in part) updateHead();
    };
    const sortBy = (key3) => {
      const current3 = state.sort ?? "";
      const next = current3 === `-${key3}` ? key3 : current3 === key3 ? "" : key3 === "name" ? key3 : `-${key3}`;
      change({ sort: next });
      head2.querySelector(`[data-sort="${CSS.escape(key3)}"]`)?.focus();
    };
    more.addEventListener("click", showMore);
    const search = el("input", {
      type: "search",
      id: "search",
      placeholder: "Name, summary, parameter…  ( / )",
      "aria-label": "Search tools",
      autocomplete: "off",
      spellcheck: "false",
      value: state.q ?? "",
      on: {
        input: () => change({ q: search.value }),
        keydown: (event) => {
          if (event.key === "ArrowDown" || event.key === "Enter") {
            event.preventDefault();
            body.querySelector("a")?.focus();
          }
        }
      }
    });
    const table = el(
      "table",
      { class: "matrix", role: "grid", "aria-label": "Tools and providers", on: { keydown: (event) => walk(event, body, showMore) } },
      el("thead", {}, head2),
      body
    );
    const scroller = el("div", { class: "scroll tall" }, table, nothing, more);
    new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && !more.hidden && showMore(), {
      root: scroller,
      rootMargin: "800px"
    }).observe(more);
    const element = el(
      "div",
      { class: "tools" },
      el("h1", { tabindex: -1, class: "sr-only" }, "Tools"),
      el("div", { class: "filters", role: "search" }, search, el("div", { class: "choices" }, filterControls(report2, state, change))),
      el("div", { class: "row spread" }, status, legend()),
      scroller
    );
    update();
    updateHead();
    const reveal = (name) => {
      const place = found.indexOf(report2.tools.findIndex((tool) => tool.name === name));
      if (place < 0) return false;
      while (shown <= place) showMore();
      const link = rowOf(found[place]).querySelector("a");
      for (const each of body.querySelectorAll("a[tabindex='0']")) each.tabIndex = -1;
      link.tabIndex = 0;
      link.scrollIntoView({ block: "center" });
      link.focus({ preventScroll: true });
      return true;
    };
    const complete = () => {
      while (shown < found.length) showMore();
    };
    return { title: "Tools", element, focusSearch: () => (search.focus(), search.select()), reveal, complete };
  }
  function noTool(all) {
    if (!all) return el("p", {}, "The report has no tool.");
    return el(
      "p",
      { class: "row" },
      "No tool fits the search and the filters. ",
      el("a", { href: hashOf(["tools"]) }, `Show all ${number(all)}`)
    );
  }
  function headCells(providers, state, sortBy) {
    const [measure = "", provider = ""] = (state.sort ?? "").replace(/^-/, "").split(":");
    const direction = (state.sort ?? "").startsWith("-") ? "descending" : "ascending";
    const chosen = state.measure || "tokens";
    const cell = (key3, label2, active) => el(
      "th",
      { scope: "col", "aria-sort": active ? direction : null },
      el(
        "button",
        { type: "button", "data-sort": key3, on: { click: () => sortBy(key3) } },
        label2,
        el("span", { "aria-hidden": "true", class: "arrow" }, active ? direction === "ascending" ? " ↑" : " ↓" : "")
      )
    );
    return [
      cell("name", "Tool", measure === "name"),
      providers.map(
        (each) => cell(`${chosen}:${each.id}`, each.id, provider === each.id && measure === chosen)
      )
    ];
  }
  function toolRow(tool, providers) {
    const counts = SEVERITIES.filter((severity) => tool.counts[severity]);
    return el(
      "tr",
      {},
      el(
        "th",
        { scope: "row" },
        el(
          "span",
          { class: "row tight" },
          el("a", { class: "name", href: hashOf(["tool", tool.name]), tabindex: -1 }, tool.name),
          tool.group ? el("span", { class: "badge group" }, tool.group) : null,
          permissionMark(tool.permission),
          tool.deprecated ? el("span", { class: "badge warning" }, "deprecated") : null,
          counts.map((severity) => severityMark(severity, tool.counts[severity]))
        ),
        el("span", { class: "summary" }, tool.summary)
      ),
      tool.cells.map(
        (cell, at) => el(
          "td",
          {},
          el(
            "a",
            {
              href: hashOf(["tool", tool.name, providers[at].id]),
              tabindex: -1,
              title: cellText(cell, providers[at].title)
            },
            el("span", { class: "marks", "aria-hidden": "true" }, cellMarks(cell)),
            el("span", { class: "sr-only" }, `${tool.name}, ${cellText(cell, providers[at].id)}`)
          )
        )
      )
    );
  }
  function filterControls(report2, state, change) {
    const groups = [...new Set(report2.tools.map((tool) => tool.group))].sort();
    const permissions = [...new Set(report2.tools.map((tool) => tool.permission))].sort();
    const codes = [...new Set(report2.tools.flatMap((tool) => tool.codes))].sort();
    const severities = SEVERITIES.filter((severity) => report2.tools.some((tool) => tool.counts[severity]));
    const select = (key3, label2, options) => {
      const control = el(
        "select",
        { on: { change: () => change({ [key3]: control.value }) } },
        options.map(([value, text]) => el("option", { value, selected: (state[key3] ?? "") === value }, text))
      );
      return el("label", {}, el("span", {}, label2), control);
    };
    const any = ["", "any"];
    return [
      select("group", "Group", [any, ...groups.map((each) => [each || "·", each || "(none)"])]),
      select("permission", "Permission", [any, ...permissions.map((each) => [each, each])]),
      select("finding", "Finding", [any, ...[...severities, ...codes].map((each) => [each, each])]),
      select("loss", "Lost at", [any, ["*", "any provider"], ...report2.providers.map((each) => [each.id, each.id])]),
      select("measure", "Columns sort by", MEASURES.map(([value, text]) => [value === "tokens" ? "" : value, text]))
    ];
  }
  function legend() {
    return el(
      "p",
      { class: "legend muted" },
      el("span", {}, "◆ strict"),
      el("span", {}, "◇ not strict"),
      el("span", {}, "123 tokens"),
      el("span", { class: "lost" }, "−2 lost"),
      el("span", { class: "found" }, "!1 findings")
    );
  }
  function walk(event, body, showMore) {
    const link = event.target.closest("tbody a");
    if (!link) return;
    const row = link.closest("tr");
    const column = [...row.querySelectorAll("a")].indexOf(link);
    let target = null;
    const cellOf = (other, at) => other && [...other.querySelectorAll("a")][at];
    if (event.key === "ArrowRight") target = cellOf(row, column + 1);
    else if (event.key === "ArrowLeft") target = column > 0 ? cellOf(row, column - 1) : null;
    else if (event.key === "ArrowUp") target = cellOf(row.previousElementSibling, column);
    else if (event.key === "ArrowDown") {
      if (!row.nextElementSibling) showMore();
      target = cellOf(row.nextElementSibling, column);
    } else if (event.key === "Home") target = cellOf(event.ctrlKey ? body.firstElementChild : row, 0);
    else if (event.key === "End") target = [...(event.ctrlKey ? body.lastElementChild : row).querySelectorAll("a")].at(-1);
    else return;
    event.preventDefault();
    if (!target) return;
    for (const each of body.querySelectorAll("a[tabindex='0']")) each.tabIndex = -1;
    target.tabIndex = 0;
    target.focus();
  }

  // codegen/toolcast/analysis/report/page/main.js
  restoreTheme();
  var report = indexOf(document.getElementById("index").textContent);
  var positions = new Map(report.tools.map((tool, at) => [tool.name, at]));
  var main = el("main", { id: "main", tabindex: -1 });
  var help = helpDialog();
  var views = [
    ["overview", "Overview", hashOf([])],
    ["tools", `Tools`, hashOf(["tools"])],
    ["providers", "Providers", hashOf(["providers"])],
    ...report.diff ? [["changes", "Changes", hashOf(["changes"])]] : []
  ];
  var links = views.map(([id, text, href]) => el("a", { href, "data-view": id }, text));
  var toolsHash = hashOf(["tools"]);
  var lastTool = null;
  var current2 = null;
  var opening = 0;
  var themeButton = el("button", { type: "button", class: "icon", on: { click: () => changeTheme() } });
  var changeTheme = () => nameTheme(nextTheme());
  var nameTheme = (theme) => {
    themeButton.setAttribute("aria-label", `Theme: ${theme}. Change it`);
    themeButton.title = `Theme: ${theme} (t)`;
    themeButton.textContent = { system: "◐", light: "☀", dark: "☾" }[theme];
  };
  nameTheme(document.documentElement.dataset.theme);
  document.body.append(
    el("a", { class: "skip", href: "#main", on: { click: (event) => (event.preventDefault(), main.focus()) } }, "Skip to the content"),
    el(
      "header",
      { class: "page-head" },
      el("a", { class: "brand", href: hashOf([]) }, report.title, el("span", { class: "muted" }, ` ${number(report.tools.length)}`)),
      el("nav", { "aria-label": "Views" }, links),
      el(
        "span",
        { class: "row tight end" },
        el("button", { type: "button", class: "find", on: { click: () => openSearch() } }, "Search ", el("kbd", {}, "/")),
        themeButton,
        el("button", { type: "button", class: "icon", "aria-label": "Keys", title: "Keys (?)", on: { click: () => help.showModal() } }, "?")
      )
    ),
    main,
    el("footer", { class: "muted" }, `toolcast ${report.version}`),
    help
  );
  function viewOf({ path, query }) {
    switch (path[0]) {
      case "tools":
        return toolsView(report, query, (filters) => {
          toolsHash = hashOf(["tools"], filters);
          history.replaceState(null, "", toolsHash);
        });
      case "tool": {
        const at = positions.get(path[1]);
        if (at === void 0) return missing(path[1]);
        return readDetail(at).then((detail) => toolView(report, detail, at, { provider: path[2], view: query.view }));
      }
      case "providers":
        return providersView(report, path[1]);
      case "changes":
        return report.diff ? changesView(report, path[1]) : overviewView(report);
      default:
        return overviewView(report);
    }
  }
  function missing(name) {
    const element = el("div", {}, el("h1", { tabindex: -1 }, "No such tool"), el("p", {}, `The report has no tool ${name ?? ""}.`));
    return { title: "No such tool", element };
  }
  async function open() {
    const route = parseHash(location.hash);
    const mine = ++opening;
    if (route.path[0] === "tools") toolsHash = location.hash;
    let view;
    try {
      view = await viewOf(route);
    } catch (problem) {
      const element = el("div", {}, el("h1", { tabindex: -1 }, "This view cannot be shown"), el("pre", {}, String(problem.stack)));
      view = { title: "Error", element };
      console.error(problem);
    }
    if (mine !== opening) return;
    const isFirst = current2 === null;
    current2 = view;
    fill(main, view.element);
    main.dataset.route = location.hash || hashOf([]);
    const active = route.path[0] === "tool" ? "tools" : route.path[0] ?? "overview";
    for (const link of links) {
      if (link.dataset.view === active) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.title = visibleText(`${view.title} · ${report.title}`);
    const left = lastTool;
    lastTool = route.path[0] === "tool" ? route.path[1] : null;
    if (isFirst) return restorePlace();
    scrollTo(0, 0);
    if (left !== null && current2.reveal?.(left)) return;
    main.querySelector("h1")?.focus({ preventScroll: true });
  }
  function restorePlace() {
    const [entry] = performance.getEntriesByType("navigation");
    const [height, hash] = (keptText("place") ?? "").split(/ (.*)/s);
    if (entry?.type === "reload" && hash === location.hash) scrollTo(0, Number(height));
  }
  async function openSearch() {
    if (!current2?.focusSearch) {
      history.pushState(null, "", toolsHash);
      await open();
    }
    current2.focusSearch?.();
  }
  function key2(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const { target } = event;
    const typing = target.matches("input, textarea, select");
    if (event.key === "Escape") {
      if (typing && target.type !== "search") target.blur();
      else if (typing && target.value) return;
      else if (parseHash(location.hash).path[0] === "tool") location.hash = toolsHash;
      else if (typing) target.blur();
      return;
    }
    if (typing) return;
    const action = {
      "/": openSearch,
      "?": () => help.showModal(),
      t: changeTheme,
      "[": () => main.querySelector("a[rel=prev]")?.click(),
      "]": () => main.querySelector("a[rel=next]")?.click()
    }[event.key] ?? (/^[1-9]$/.test(event.key) && links[event.key - 1] ? () => links[event.key - 1].click() : null);
    if (!action) return;
    event.preventDefault();
    action();
  }
  addEventListener("hashchange", open);
  addEventListener("keydown", key2);
  addEventListener("pagehide", () => keepText("place", `${scrollY} ${location.hash}`));
  addEventListener("beforeprint", () => current2?.complete?.());
  open();
})();
