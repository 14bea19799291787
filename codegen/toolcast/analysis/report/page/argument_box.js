// A box for arguments: the verdict as one types, the text that a model would read, the decoded value.

import { readJson } from "../../../languages/typescript/support/read_json.js";
import { argumentJudge } from "./argument_check.js";
import { codeBlock } from "./code_pane.js";
import { el, fill } from "./elements.js";
import { exampleValue } from "./example_value.js";
import { keepText, keptText } from "./kept_text.js";
import { jsonText } from "./json_text.js";

const PAUSE = 120; // milliseconds without a key until a long text is judged
const LONG = 20_000; // characters

let made = 0;

/**
 * The box of one tool.
 *
 * @param {object} detail - the tool's `ToolDetail`
 * @param {string} project - the title of the report: what one types is kept by project and tool
 * @returns {HTMLElement}
 */
export function argumentBox(detail, project) {
  const { check } = detail;
  const judge = argumentJudge(check);
  const example = jsonText(check.example ? readJson(check.example).value : exampleValue(readJson(check.schema).value));
  const id = `arguments-${++made}`;
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
        if (box.value.length < LONG) update();
        else waiting = setTimeout(update, PAUSE);
      },
    },
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
        },
      },
    },
    "Reset to the example",
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
        el("p", { class: "muted", id: `${id}-note` }, noteOf(check)),
      ),
      el("div", {}, verdict, output),
    ),
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
    const text = `The check itself failed: ${problem.message}`;
    return { state: "refused", verdict: "? Not judged", title: "Why", text };
  }
}

function noteOf({ without_grammar: withoutGrammar, injected }) {
  const notes = ["Arguments in the contract's own form, as without a provider. Nothing is sent anywhere."];
  if (injected.length) notes.push(`The program fills in ${injected.join(", ")}.`);
  if (withoutGrammar) notes.push("The tool's text has a grammar that is not checked here.");
  return notes.join(" ");
}
