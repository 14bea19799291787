// Characters that a reader does not see, shown as code points: what a model reads may not hide from a person.

const MAY_HIDE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;
const EACH = new RegExp(MAY_HIDE.source, "gu");
const EMOJI = /\p{Extended_Pictographic}$/u;
const EMOJI_BASE = /[\p{Extended_Pictographic}#*0-9]$/u;
const EMOJI_BEFORE_JOINER = /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?$/u;
const JOINING = /[\u0600-\u085f\u0870-\u0dff\u1000-\u109f\u1780-\u18af\ua800-\uaaff]$/u;
const NAMES = new Map([
  [0x00, "NULL"],
  [0x08, "BACKSPACE"],
  [0x0d, "CARRIAGE RETURN"],
  [0x1b, "ESCAPE"],
  [0xad, "SOFT HYPHEN"],
  [0x200b, "ZERO WIDTH SPACE"],
  [0x200c, "ZERO WIDTH NON-JOINER"],
  [0x200d, "ZERO WIDTH JOINER"],
  [0x200e, "LEFT-TO-RIGHT MARK"],
  [0x200f, "RIGHT-TO-LEFT MARK"],
  [0x2028, "LINE SEPARATOR"],
  [0x2029, "PARAGRAPH SEPARATOR"],
  [0x202a, "LEFT-TO-RIGHT EMBEDDING"],
  [0x202b, "RIGHT-TO-LEFT EMBEDDING"],
  [0x202c, "POP DIRECTIONAL FORMATTING"],
  [0x202d, "LEFT-TO-RIGHT OVERRIDE"],
  [0x202e, "RIGHT-TO-LEFT OVERRIDE"],
  [0x2060, "WORD JOINER"],
  [0x2066, "LEFT-TO-RIGHT ISOLATE"],
  [0x2067, "RIGHT-TO-LEFT ISOLATE"],
  [0x2068, "FIRST STRONG ISOLATE"],
  [0x2069, "POP DIRECTIONAL ISOLATE"],
  [0xfeff, "ZERO WIDTH NO-BREAK SPACE"],
]);

/**
 * A text in parts: what is shown as it is, and hidden characters.
 *
 * @param {string} text - any text
 * @returns {{ text: string, hidden: boolean }[]} the parts in order; a hidden one is one code point, as `U+202E`
 */
export function visibleParts(text) {
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

/** A text for an attribute: hidden characters as `␠U+202E␠`. */
export function visibleText(text) {
  if (!MAY_HIDE.test(text)) return text;
  return visibleParts(text)
    .map((part) => (part.hidden ? `␠${part.text}␠` : part.text))
    .join("");
}

function isShown(letter, before, after) {
  if (letter === "\n" || letter === "\t") return true;
  if (letter === "\ufe0f" || letter === "\ufe0e") return EMOJI_BASE.test(before);
  if (letter === "\u200d" && EMOJI_BEFORE_JOINER.test(before)) return /^\p{Extended_Pictographic}/u.test(after);
  if (letter === "\u200c" || letter === "\u200d") return JOINING.test(before) && JOINING.test(after.slice(0, 1));
  return EMOJI.test(letter);
}

const pointOf = (letter) => `U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
