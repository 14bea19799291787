// The formats that are asserted; every other name is an annotation.

import { lengthOf } from "./json_values.js";
import { expression } from "./patterns.js";

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** RFC 3339 full-date. */
function isDate(text) {
  const found = DATE.exec(text);
  if (!found) return false;
  const [year, month, day] = found.slice(1).map(Number);
  if (month < 1 || month > 12 || day < 1 || day > DAYS[month - 1]) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month !== 2 || day !== 29 || leap;
}

/** RFC 3339 full-time; a leap second only at 23:59:60 UTC. */
function isTime(text) {
  const found = TIME.exec(text);
  if (!found) return false;
  const [hour, minute, second] = found.slice(1, 4).map(Number);
  const [zoneHour, zoneMinute] = found.slice(5, 7).map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return false;
  const offset = (zoneHour * 60 + zoneMinute) * (found[4] === "-" ? -1 : 1);
  return second < 60 || (hour * 60 + minute - offset + 2880) % 1440 === 1439;
}

/** RFC 3339 date-time. */
const isDateTime = (text) =>
  text.length > 11 && "Tt".includes(text[10]) && isDate(text.slice(0, 10)) && isTime(text.slice(11));

const HOSTNAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

/** RFC 1123; an A-label must decode as punycode, but the tables of IDNA are not consulted. */
function isHostname(text) {
  if (text.length > 253 || !HOSTNAME.test(text)) return false;
  return text
    .toLowerCase()
    .split(".")
    .every((part) => (part.startsWith("xn--") ? decodesToOther(part.slice(4)) : part.slice(2, 4) !== "--"));
}

/** Whether a text is punycode (RFC 3492) of a text with other characters than ASCII's. */
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
    if (point > 0x10ffff) return false;
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
  return turns + Math.floor((36 * rest) / (rest + 38));
}

const BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const IPV4 = new RegExp(`^${BYTE}(?:\\.${BYTE}){3}$`);
const GROUP = /^[0-9A-Fa-f]{1,4}$/;

/** RFC 4291, without a zone. */
function isIpv6(text) {
  const double = text.indexOf("::");
  const head = double < 0 ? text : text.slice(0, double);
  const tail = double < 0 ? "" : text.slice(double + 2);
  const parts = [...(head ? head.split(":") : []), ...(tail ? tail.split(":") : [])];
  if (parts.length && IPV4.test(parts.at(-1)) && text.endsWith(parts.at(-1))) parts.splice(-1, 1, "0", "0");
  if (!parts.every((part) => GROUP.test(part))) return false;
  return double < 0 ? parts.length === 8 : parts.length <= 7;
}

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LOCAL = new RegExp(`^(?:${ATOM}(?:\\.${ATOM})*|"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])*")$`);

/** RFC 5321 Mailbox. */
function isEmail(text) {
  const at = text.lastIndexOf("@");
  if (at < 0 || at > 64 || !LOCAL.test(text.slice(0, at))) return false;
  const domain = text.slice(at + 1);
  if (!domain.startsWith("[") || !domain.endsWith("]")) return isHostname(domain);
  const inner = domain.slice(1, -1);
  return inner.slice(0, 5).toLowerCase() === "ipv6:" ? isIpv6(inner.slice(5)) : IPV4.test(inner);
}

const PCT = "%[0-9A-Fa-f]{2}";
const PLAIN = "\\-A-Za-z0-9._~!$&'()*+,;=";
const SEGMENT = `(?:[${PLAIN}:@]|${PCT})*`;
const TAIL = `(?:\\?(?:[${PLAIN}:@/?]|${PCT})*)?(?:#(?:[${PLAIN}:@/?]|${PCT})*)?`;
const AUTHORITY = `//(?:(?:[${PLAIN}:]|${PCT})*@)?(?<host>\\[[^\\]]*\\]|(?:[${PLAIN}]|${PCT})*)(?::[0-9]*)?`;
const NONEMPTY = `${SEGMENT.slice(0, -1)}+`;
const ROOTED = `${AUTHORITY}(?:/${SEGMENT})*|/(?:${NONEMPTY}(?:/${SEGMENT})*)?`;
const URI = new RegExp(`^[A-Za-z][A-Za-z0-9+.-]*:(?:${ROOTED}|${NONEMPTY}(?:/${SEGMENT})*|)${TAIL}$`);
const RELATIVE = new RegExp(`^(?:${ROOTED}|(?:[${PLAIN}@]|${PCT})+(?:/${SEGMENT})*|)${TAIL}$`);
const FUTURE = new RegExp(`^[vV][0-9A-Fa-f]+\\.[${PLAIN}:]+$`);

function hostIsGood(found) {
  if (!found) return false;
  const host = found.groups.host;
  if (!host?.startsWith("[")) return true;
  return isIpv6(host.slice(1, -1)) || FUTURE.test(host.slice(1, -1));
}

/** RFC 3986 URI, with a scheme. */
const isUri = (text) => hostIsGood(URI.exec(text));

/** RFC 3986 URI or relative reference. */
const isUriReference = (text) => isUri(text) || hostIsGood(RELATIVE.exec(text));

const DURATION =
  /^P(?:\d+W|(?=\d|T\d)(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?=\d)(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/;
const UUID = /^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$/;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/u;
const MAX_REGEX = 20_000;
const MAX_NESTING = 100; // groups: past it a pattern counts as one, unread
const GROUPS = /\\.|\[(?:\\.|[^\]\\])*\]|[()]/gsu;

/** An ECMA-262 regular expression. */
function isRegex(text) {
  if (lengthOf(text) > MAX_REGEX) return false;
  let open = 0;
  for (const [token] of text.matchAll(GROUPS)) {
    open += token === "(" ? 1 : token === ")" ? -1 : 0;
    if (open > MAX_NESTING) return true;
  }
  try {
    expression(text);
  } catch {
    return false;
  }
  return true;
}

/** Tests by the name of the format. */
export const FORMATS = new Map(
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
    "json-pointer": (text) => POINTER.test(text),
  }),
);
